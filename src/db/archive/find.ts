/** Finds a cost in the archive. `archive_objects` says which objects can have it: those of its slice in each walk. */
import { sql } from "drizzle-orm";
import { DAY_MS } from "../../domain/time.ts";
import { type Ledger, type LedgerKey, nameOf, runGated, shardFor } from "../ledger/shards.ts";
import { alias, as, pick, query } from "../query.ts";
import { archiveObjects } from "../schema.ts";
import { runIdempotent } from "../statement.ts";
import { findLines, nameOfObject } from "./objects.ts";
import type { ArchivedCost } from "./record.ts";
import { LEDGER_TABLES } from "./slices.ts";

/** About 200 walks through both tables. */
export const MAX_OBJECTS = 400;
/** What is read from the bucket for one request, decompressed. */
const MAX_BYTES = 64 * 1024 * 1024;
/** A Worker can have six connections open at a time. */
const PARALLEL = 5;

const o = alias(archiveObjects, "o");
const next = alias(archiveObjects, "next");
const first = alias(archiveObjects, "first");
const day = sql.placeholder("day");
const key = sql`(${sql.placeholder("partnerId")}, ${sql.placeholder("costId")})`;

/** The newest objects that can have a key, on a day if it is not null. Reads some rows for each walk since that day. */
const candidates = query(
  pick(o, "ledgerTable", "walk", "firstPartnerId", "firstCostId"),
  sql`FROM (
    WITH RECURSIVE walks (ledger_table, walk) AS (
      SELECT j.value, (
        SELECT min(${next.walk}) FROM ${as(next)} WHERE ${next.ledgerTable} = j.value AND ${next.walk} > ${sql.placeholder("since")}
      ) FROM json_each(${sql.placeholder("tables")}) j
      UNION ALL
      SELECT walks.ledger_table, (
        SELECT min(${next.walk}) FROM ${as(next)} WHERE ${next.ledgerTable} = walks.ledger_table AND ${next.walk} > walks.walk
      ) FROM walks WHERE walks.walk IS NOT NULL
    ) SELECT ledger_table, walk FROM walks WHERE walk IS NOT NULL
  ) w CROSS JOIN ${as(o)} ON ${o.ledgerTable} = w.ledger_table AND ${o.walk} = w.walk
    AND (${o.firstPartnerId}, ${o.firstCostId}) = (
      SELECT ${first.firstPartnerId}, ${first.firstCostId} FROM ${as(first)}
      WHERE ${first.ledgerTable} = w.ledger_table AND ${first.walk} = w.walk AND (${first.firstPartnerId}, ${first.firstCostId}) < ${key}
      ORDER BY ${first.firstPartnerId} DESC, ${first.firstCostId} DESC LIMIT 1
    )
  WHERE (${o.lastPartnerId}, ${o.lastCostId}) >= ${key}
    AND (${day} IS NULL OR ${day} BETWEEN ${o.firstDay} AND ${o.lastDay})
  ORDER BY ${o.walk} DESC LIMIT ${sql.raw(String(MAX_OBJECTS + 1))}`,
);

/** A row of the archive, with the name of its object. */
export type FoundCost = ArchivedCost & { object: string };

export interface FoundCosts {
  /** In the order in which they ended. */
  costs: FoundCost[];
  /** The number of objects that the bucket no longer has. */
  missing: number;
}

/** There is more to read than one request may. */
export class TooMuchToRead extends Error {}

/**
 * Finds the rows of an ID, of all days or of those objects that have a given day, in days since 1970. Throws TooMuchToRead, or an
 * error of the database or the bucket.
 */
export async function findArchived(
  ledger: Ledger,
  bucket: R2Bucket,
  { partnerId, costId }: LedgerKey,
  day: number | null,
): Promise<FoundCosts> {
  const db = shardFor(ledger, { partnerId, costId });
  // A replaced row can be in a walk that began an hour before.
  const since = day === null ? 0 : (day - 1) * DAY_MS;
  const values = { partnerId, costId, day, since, tables: JSON.stringify(LEDGER_TABLES) };
  const [objects] = await runGated(ledger, db, [candidates(db, values)], runIdempotent);
  if (objects.length > MAX_OBJECTS) throw new TooMuchToRead();
  const names = objects.map(({ ledgerTable, walk, firstPartnerId, firstCostId }) =>
    nameOfObject({
      shard: nameOf(ledger, db),
      ledgerTable,
      walk,
      first: { partnerId: firstPartnerId, costId: firstCostId },
    }),
  );
  let bytes = 0;
  const takeBytes = (size: number) => {
    bytes += size;
    if (bytes > MAX_BYTES) throw new TooMuchToRead();
  };
  const text = JSON.stringify(costId);
  const found = new Map<string, FoundCost>();
  let missing = 0;
  for (let at = 0; at < names.length; at += PARALLEL) {
    const read = names.slice(at, at + PARALLEL).map(async (name) => {
      const lines = await findLines(bucket, name, text, takeBytes);
      return { name, lines };
    });
    for (const { name, lines } of await Promise.all(read)) {
      if (!lines) missing++;
      for (const line of lines ?? []) {
        const cost = JSON.parse(line) as ArchivedCost;
        const isAsked = cost.partner_id === partnerId && cost.cost_id === costId;
        // Two purges at the same time can write a row to two objects. The two lines are equal.
        if (isAsked && !found.has(line)) found.set(line, { ...cost, object: name });
      }
    }
  }
  const endOf = ({ replaced_at, expired_at }: FoundCost) => replaced_at ?? expired_at;
  const costs = [...found.values()].sort((one, other) => (endOf(one) < endOf(other) ? -1 : 1));
  return { costs, missing };
}
