/** Lists the clicks and impressions that should have a cost and have none that agrees: those of the discrepancy of a partner. */
import { sql } from "drizzle-orm";
import { COST_TYPE, KINDS, type Kind, TYPES_WITH_DISCREPANCY } from "../../domain/cost-types.ts";
import { RATE_DAYS } from "../../domain/figures/rates.ts";
import { DAY_MS, dayOf } from "../../domain/time.ts";
import { withLinkTokens } from "../ledger/costs.ts";
import { COLUMNS, entry as e } from "../ledger/entries.ts";
import { isAfter, mergePages, pageOfKeys, toPageValues } from "../ledger/key-pages.ts";
import { type Ledger, rowDatabasesOf, runGated } from "../ledger/shards.ts";
import { expectationOf } from "../operator/discrepancy.ts";
import { alias, as, columnsOf } from "../query.ts";
import { links } from "../schema.ts";
import { runGroupedIdempotent } from "../statement.ts";

/** Whether a kind lacks a cost of one of the types, which are a bit mask. */
function isMissing(kind: Kind) {
  const lacking = TYPES_WITH_DISCREPANCY.map((type) => ({ type, ...expectationOf(type) }))
    .filter((one) => one.kind === kind)
    .map(
      ({ type, isExpected, isAgreeing }) =>
        sql`(${sql.placeholder("types")} & ${sql.raw(String(COST_TYPE[type].bit))} AND ${isExpected} AND NOT ${isAgreeing})`,
    );
  return sql<0 | 1>`coalesce(${sql.join(lacking, sql` OR `)}, 0)`;
}

const keyFields = {
  costId: e.costId,
  isListed: sql<0 | 1>`(${isMissing("click")} OR ${isMissing("impression")})`,
  click: isMissing("click"),
  impression: isMissing("impression"),
  clickAt: COLUMNS.click.occurredAt,
  impressionAt: COLUMNS.impression.occurredAt,
  clickLinkId: COLUMNS.click.linkId,
  impressionLinkId: COLUMNS.impression.linkId,
  state: e.state,
  costType: e.costType,
};
const keys = sql`FROM ${as(e)} WHERE ${e.partnerId} = ${sql.placeholder("partnerId")} AND ${isAfter}`;
const k = columnsOf("k", keyFields);
const c = alias(links, "c");
const i = alias(links, "i");
const page = pageOfKeys(
  keyFields,
  keys,
  { clickLink: sql<string | null>`${c.token}`, impressionLink: sql<string | null>`${i.token}` },
  sql`LEFT JOIN ${as(c)} ON ${c.id} = ${k.clickLinkId} LEFT JOIN ${as(i)} ON ${i.id} = ${k.impressionLinkId}`,
);
const none = { clickLink: sql<string | null>`NULL`, impressionLink: sql<string | null>`NULL` };
const pageOfShard = pageOfKeys(keyFields, keys, none, sql``);

export interface MissingCost {
  costId: string;
  kind: Kind;
  occurredAt: number;
  linkToken: string | null;
  /** Of the cost that has this ID and does not agree; null without one. */
  state: "matched" | "unpriced" | "pending" | "voided" | null;
  costType: string | null;
}

/**
 * By ID, over the days of the rates. `limit` counts IDs, of which one can be a click and an impression. `types` is a bit mask. One call
 * to each database; with shards, one more to DB for the links. `now` in milliseconds since 1970.
 */
export async function listMissingCosts(
  ledger: Ledger,
  { partnerId, types }: { partnerId: number; types: number },
  range: { after: string | null; limit: number },
  now: number,
): Promise<{ items: MissingCost[]; next: string | null }> {
  const start = (dayOf(now) - RATE_DAYS + 1) * DAY_MS;
  const values = { partnerId, types, start, now, ...toPageValues(ledger, range) };
  const run = runGroupedIdempotent(range.limit);
  const results = await Promise.all(
    rowDatabasesOf(ledger).map((db) =>
      runGated(ledger, db, [(db === ledger.control ? page : pageOfShard)(db, values)], run),
    ),
  );
  const { items, next } = mergePages(
    results.map(([rows]) => rows),
    range.limit,
  );
  const missing = items.flatMap((row) =>
    KINDS.filter((kind) => row[kind]).map((kind) => ({
      costId: row.costId,
      kind,
      occurredAt: row[`${kind}At`] ?? 0,
      linkId: row[`${kind}LinkId`],
      linkToken: row[`${kind}Link`],
      state: row.state,
      costType: row.costType,
    })),
  );
  return { items: await withLinkTokens(ledger, missing), next };
}
