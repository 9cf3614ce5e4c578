/** Reads the engagements that an integration round is evaluated with, from every database of the ledger. */
import { type SQL, sql } from "drizzle-orm";
import { listEngagements, type RoundEngagement } from "../../../domain/rounds/findings.ts";
import { COLUMNS, entry as e, engagementFields, isRemembered, toEngagements } from "../../ledger/entries.ts";
import { type Ledger, runOnEveryShard } from "../../ledger/shards.ts";
import { alias, as, names, query, type RowOf } from "../../query.ts";
import { ledgerEntries, roundEntries, rounds } from "../../schema.ts";
import type { Bound, Value } from "../../statement.ts";

/** How many of a partner's IDs a report scans per database, and how many without a live cost it includes. */
const MAX_SCANNED = 20_000;
export const MAX_INCLUDED = 2_000;

const w = alias(ledgerEntries, "w");
const x = alias(rounds, "x");
const n = alias(roundEntries, "n");

const fields = { costId: e.costId, ...engagementFields };
/** The engagements of an ID, with their links. */
export const engagementFieldsOfRound = {
  ...fields,
  clickLinkId: COLUMNS.click.linkId,
  impressionLinkId: COLUMNS.impression.linkId,
};
export type EngagementRow = RowOf<typeof fields> & Partial<RowOf<typeof engagementFieldsOfRound>>;

export function toRoundEngagements(row: EngagementRow): RoundEngagement[] {
  return listEngagements(row.costId, toEngagements(row));
}

/** Reads the engagements with `costIds` of the partner in the row `x` of `from`. */
export const engagementsOfIds = (from: SQL) =>
  query(
    engagementFieldsOfRound,
    sql`FROM ${from} CROSS JOIN json_each(${sql.placeholder("costIds")}) j
      CROSS JOIN ${as(e)} ON ${e.partnerId} = ${x.partnerId} AND ${e.costId} = j.value AND ${isRemembered}`,
  );

const maxScanned = sql.raw(String(MAX_SCANNED));

/**
 * The statements with which a report reads the ledger. `from` provides the round `x`, and `entries` the rows `n` with the cost ID
 * of each of its entries. They return nothing for a round that has ended.
 */
export function roundReading(from: SQL, entries: SQL) {
  const open = sql`${x.state} = 'open'`;
  const first = sql`FROM ${as(w)} WHERE ${w.partnerId} = ${x.partnerId}`;
  return {
    overrun: query(
      { overrun: sql<number>`EXISTS (SELECT 1 ${first} LIMIT 1 OFFSET ${maxScanned})` },
      sql`FROM ${from} WHERE ${open}`,
    ),
    named: query(
      fields,
      sql`FROM ${from} CROSS JOIN ${entries}
        CROSS JOIN ${as(e)} ON ${e.partnerId} = ${x.partnerId} AND ${e.costId} = ${n.costId}
        WHERE ${open} AND ${isRemembered} GROUP BY ${e.costId}`,
    ),
    // Excludes IDs with a live cost, which are not part of the round. The byte FF sorts after every UTF-8 text.
    recent: query(
      fields,
      sql`FROM ${from} CROSS JOIN ${as(e)} ON ${e.partnerId} = ${x.partnerId}
        WHERE ${open} AND (${e.clickAt} >= ${x.openedAt} OR ${e.impressionAt} >= ${x.openedAt})
          AND ${e.costId} <= coalesce((
            SELECT ${w.costId} ${first} ORDER BY ${w.costId} LIMIT 1 OFFSET ${maxScanned}
          ), CAST(x'FF' AS TEXT))
          AND ${e.state} IS NULL AND ${e.countingPrice} IS NULL AND ${isRemembered}
        LIMIT ${sql.raw(String(MAX_INCLUDED + 1))}`,
    ),
  };
}

/** For a shard, which stores no rounds: the caller passes the values after DB has checked access. */
const given = sql`(
  SELECT ${sql.placeholder("partnerId")} AS ${names(rounds.partnerId)}, ${sql.placeholder("openedAt")} AS ${names(rounds.openedAt)},
    'open' AS ${names(rounds.state)}
) x`;
const givenEntries = sql`(
  SELECT value AS ${names(roundEntries.costId)} FROM json_each(${sql.placeholder("costIds")})
) n`;
const ofIds = engagementsOfIds(given);
const reading = roundReading(given, givenEntries);

/** Finds a partner's engagements with these cost IDs on the shards. Empty when the ledger is in DB. */
export async function findOnShards(
  ledger: Ledger,
  partnerId: number,
  ids: string[],
  now: number,
): Promise<EngagementRow[]> {
  const values = { partnerId, openedAt: 0, costIds: JSON.stringify(ids), now };
  return (await runOnEveryShard(ledger, (db) => [ofIds(db, values)])).flat(2);
}

/** Reads what the shards add to the report of an open round, whose entries have `costIds`. Empty when the ledger is in DB. */
export async function readOnShards(
  ledger: Ledger,
  round: { partnerId: number; openedAt: number; costIds: string[]; now: number },
): Promise<{ named: EngagementRow[]; recent: EngagementRow[]; overrun: boolean }> {
  const values = { ...round, costIds: JSON.stringify(round.costIds) };
  const found = await runOnEveryShard(ledger, (db) => roundStatements(reading, db, values));
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
