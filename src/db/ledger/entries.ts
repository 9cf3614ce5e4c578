/** What the statements of the ledger share: the credential, the columns of each kind of engagement, and which rows are forgotten. */
import { sql } from "drizzle-orm";
import type { Kind } from "../../domain/cost-types.ts";
import type { Engagement, Engagements } from "../../domain/costs.ts";
import type { RowOf } from "../query.ts";
import { alias } from "../query.ts";
import { credentials, ledgerEntries } from "../schema.ts";

export const entry = alias(ledgerEntries, "e");
export const credential = alias(credentials, "c");
export const isCredential = sql`${credential.tokenHash} = ${sql.placeholder("tokenHash")}`;

const columnsOf = (kind: Kind) => ({
  appToken: entry[`${kind}AppToken`],
  linkId: entry[`${kind}LinkId`],
  occurredAt: entry[`${kind}At`],
  costDataOn: entry[`${kind}CostDataOn`],
  urlCostType: entry[`${kind}UrlCostType`],
  urlCurrency: entry[`${kind}UrlCurrency`],
  urlAmount: entry[`${kind}UrlAmount`],
  priceCounts: entry[`${kind}PriceCounts`],
});
/** The columns of the click and of the impression. */
export const COLUMNS = { click: columnsOf("click"), impression: columnsOf("impression") };

// A missing engagement is one NULL instead of a NULL in each of many columns.
const engagementAs = (kind: Kind) => {
  const at = COLUMNS[kind];
  return sql<string | null>`iif(${at.occurredAt} IS NULL, NULL, json_object(
    'occurredAt', ${at.occurredAt}, 'costDataOn', json(iif(${at.costDataOn}, 'true', 'false')),
    'urlCostType', ${at.urlCostType}, 'urlCurrency', ${at.urlCurrency}, 'urlAmount', ${at.urlAmount},
    'priceCounts', json(iif(${at.priceCounts} = 1, 'true', 'false'))
  ))`;
};
export const engagementFields = { click: engagementAs("click"), impression: engagementAs("impression") };

export function toEngagements(row: RowOf<typeof engagementFields>): Engagements {
  return {
    ...(row.click && { click: JSON.parse(row.click) as Engagement }),
    ...(row.impression && { impression: JSON.parse(row.impression) as Engagement }),
  };
}

/**
 * A forgotten row is absent for every reader, whether the purge has deleted it or not. Triggers delete it before anything else is
 * written to its ID.
 */
export const isRemembered = sql`${entry.rememberedUntil} >= ${sql.placeholder("now")}`;
