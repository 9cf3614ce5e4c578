/** What the statements of the ledger share: the columns of each kind of engagement, and which rows are forgotten. */
import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core/alias";
import type { Kind } from "../../domain/cost-types.ts";
import type { Engagement, Engagements } from "../../domain/costs.ts";
import type { RowOf } from "../query.ts";
import { ledgerEntries } from "../schema.ts";

export const e = alias(ledgerEntries, "e");

const ofKind = (table: typeof ledgerEntries | typeof e, kind: Kind) => ({
  appToken: table[`${kind}AppToken`],
  linkId: table[`${kind}LinkId`],
  occurredAt: table[`${kind}At`],
  costDataOn: table[`${kind}CostDataOn`],
  urlCostType: table[`${kind}UrlCostType`],
  urlCurrency: table[`${kind}UrlCurrency`],
  urlAmount: table[`${kind}UrlAmount`],
  priceCounts: table[`${kind}PriceCounts`],
});
const columnsOf = (table: typeof ledgerEntries | typeof e) => ({
  click: ofKind(table, "click"),
  impression: ofKind(table, "impression"),
});

/** The columns of the click and of the impression, in the table and in the alias `e`. */
export const TABLE_COLUMNS = columnsOf(ledgerEntries);
export const COLUMNS = columnsOf(e);

// A missing engagement is one NULL instead of a NULL in each of many columns.
const engagementAs = (kind: Kind) => {
  const at = COLUMNS[kind];
  return sql<string | null>`iif(${at.occurredAt} IS NULL, NULL, json_object(
    'occurredAt', ${at.occurredAt}, 'costDataOn', json(iif(${at.costDataOn}, 'true', 'false')),
    'urlCostType', ${at.urlCostType}, 'urlCurrency', ${at.urlCurrency}, 'urlAmount', ${at.urlAmount},
    'priceCounts', json(iif(${at.priceCounts}, 'true', 'false'))
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
export const isRemembered = sql`${e.rememberedUntil} >= ${sql.placeholder("now")}`;
