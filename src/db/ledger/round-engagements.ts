/** Reads the engagements that an integration round is evaluated with, from every database of the ledger. */
import { type SQL, sql } from "drizzle-orm";
import type { Kind } from "../../domain/cost-types.ts";
import { type Bound, runBatch, statement, type Value } from "../statement.ts";
import { type Ledger, runOnEveryShard } from "./shards.ts";

/** How many of a partner's engagements a report scans per database, and how many without a live cost it includes. */
const MAX_SCANNED = 20_000;
export const MAX_INCLUDED = 2_000;

export interface EngagementRow {
  cost_id: string;
  kind: Kind;
  occurred_at: number;
  eligible: number;
  url_cost_type: string | null;
  url_currency: string | null;
  url_amount: number | null;
}

const columns = sql.raw(
  ["cost_id", "kind", "occurred_at", "eligible", "url_cost_type", "url_currency", "url_amount"]
    .map((column) => `e.${column}`)
    .join(", "),
);

/** Reads the engagements with `costIds` of the partner in the row `x` of `from`. */
export const engagementsOfIds = (from: SQL) =>
  statement<EngagementRow>(sql`
    SELECT ${columns} FROM ${from} CROSS JOIN json_each(${sql.placeholder("costIds")}) j
    CROSS JOIN engagements e ON e.partner_id = x.partner_id AND e.cost_id = j.value
  `);

/**
 * The statements with which a report reads the ledger. `from` provides the round `x`, and `names` the `cost_id` of each of its
 * entries. They return nothing for a round that has ended.
 */
export function roundReading(from: SQL, names: SQL) {
  const open = sql`x.state = 'open'`;
  return {
    overrun: statement<{ overrun: number }>(sql`
      SELECT EXISTS (
        SELECT 1 FROM engagements w WHERE w.partner_id = x.partner_id LIMIT 1 OFFSET ${sql.raw(String(MAX_SCANNED))}
      ) AS overrun
      FROM ${from} WHERE ${open}
    `),
    named: statement<EngagementRow>(sql`
      SELECT DISTINCT ${columns} FROM ${from} CROSS JOIN ${names}
      CROSS JOIN engagements e ON e.partner_id = x.partner_id AND e.cost_id = n.cost_id
      WHERE ${open}
    `),
    // Excludes engagements that have a live cost, which are not part of the round. The byte FF sorts after every UTF-8 text.
    recent: statement<EngagementRow>(sql`
      SELECT ${columns} FROM ${from} CROSS JOIN engagements e ON e.partner_id = x.partner_id
      WHERE ${open} AND e.occurred_at >= x.opened_at
        AND e.cost_id <= coalesce((
          SELECT w.cost_id FROM engagements w WHERE w.partner_id = x.partner_id
          ORDER BY w.cost_id LIMIT 1 OFFSET ${sql.raw(String(MAX_SCANNED))}
        ), CAST(x'FF' AS TEXT))
        AND NOT EXISTS (SELECT 1 FROM costs o WHERE o.partner_id = e.partner_id AND o.cost_id = e.cost_id)
      LIMIT ${sql.raw(String(MAX_INCLUDED + 1))}
    `),
  };
}

/** For a shard, which stores no rounds: the caller passes the values after DB has checked access. */
const given = sql`(
  SELECT ${sql.placeholder("partnerId")} AS partner_id, ${sql.placeholder("openedAt")} AS opened_at, 'open' AS state
) x`;
const givenNames = sql`(SELECT value AS cost_id FROM json_each(${sql.placeholder("costIds")})) n`;
const ofIds = engagementsOfIds(given);
const reading = roundReading(given, givenNames);

/** Finds a partner's engagements with these cost IDs on the shards. Empty when the ledger is in DB. */
export async function findOnShards(
  ledger: Ledger,
  partnerId: number,
  ids: string[],
): Promise<EngagementRow[]> {
  const values = { partnerId, openedAt: 0, costIds: JSON.stringify(ids) };
  return (await runOnEveryShard(ledger, (db) => runBatch(db, ofIds(db, values)))).flat(2);
}

/** Reads what the shards add to the report of an open round, whose entries have `costIds`. Empty when the ledger is in DB. */
export async function readOnShards(
  ledger: Ledger,
  round: { partnerId: number; openedAt: number; costIds: string[] },
): Promise<{ named: EngagementRow[]; recent: EngagementRow[]; overrun: boolean }> {
  const values = { ...round, costIds: JSON.stringify(round.costIds) };
  const found = await runOnEveryShard(ledger, (db) => runBatch(db, ...roundStatements(reading, db, values)));
  return {
    overrun: found.some(([[row]]) => row?.overrun === 1),
    named: found.flatMap(([, named]) => named),
    recent: found.flatMap(([, , recent]) => recent),
  };
}

export function roundStatements(
  { overrun, named, recent }: ReturnType<typeof roundReading>,
  db: D1Database,
  values: Record<string, Value>,
): [Bound<{ overrun: number }>, Bound<EngagementRow>, Bound<EngagementRow>] {
  return [overrun(db, values), named(db, values), recent(db, values)];
}
