/**
 * Runs a batch for some IDs in the databases that hold them. A request that was routed with an old number of shards is routed
 * again, and a shard without the copy that a batch needs gets one.
 */
import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { as, names, query } from "../query.ts";
import { costs, engagements, ledgerFence } from "../schema.ts";
import { type Bound, type Rows, runBatch, runIdempotent, statement } from "../statement.ts";
import { replicateCredentials } from "./credential-copies.ts";
import { type Ledger, type LedgerKey, shardFor } from "./shards.ts";

const size = sql.placeholder("size");

/**
 * The first statement of every write: aborts the whole batch if the database already requires more shards than `size`. Outside a
 * trigger, SQL can raise an error only like this, by parsing invalid JSON.
 */
export const fence = statement(sql`
  SELECT json(iif(${ledgerFence.size} <= ${size}, 'true', 'behind the fence')) FROM ${ledgerFence} WHERE ${ledgerFence.id} = 1
`);

/** Whether a statement aborted its batch in this way. */
function isAbortedBySql(error: unknown): boolean {
  return String(error).includes("malformed JSON");
}

/** The rows of each statement, or the error, for the items of one database. */
export type ShardResult<Item, Result> = { items: Item[] } & ({ rows: Result } | { error: unknown });

/**
 * Runs a batch for the items of each database, with one call per database, in parallel. An error of one database affects only
 * its own items. Items with the same ID stay together and in order. The batch must have no further effect when it runs again: it
 * is repeated after a lost connection, and on a shard after the credentials were copied to it, if the batch aborts there or
 * `isCopied` returns false for its rows.
 */
export async function runOnShards<Item extends LedgerKey, Statements extends Bound<unknown>[]>(
  ledger: Ledger,
  items: Item[],
  batchFor: (db: D1Database, items: Item[], size: number) => [...Statements],
  isCopied: (rows: Rows<Statements>) => boolean = () => true,
): Promise<ShardResult<Item, Rows<Statements>>[]> {
  const { homes, failed } = await findHomes(ledger, items);
  const settled = [...Map.groupBy(items, (item) => homes.get(item))].map(async ([db, some]) => {
    if (!db) return [];
    const isShard = db !== ledger.control;
    const run = () => runIdempotent(db, ...batchFor(db, some, ledger.size));
    try {
      let rows = await run().catch((error) => {
        if (!isShard || !isAbortedBySql(error)) throw error;
      });
      if (!rows || (isShard && !isCopied(rows))) {
        await replicateCredentials(ledger, [db]);
        rows = await run();
      }
      return [{ items: some, rows }];
    } catch (error) {
      if (!isAbortedBySql(error)) return [{ items: some, error }];
      if (ledger.next === undefined) return [{ items: some, error: new Error(MOVED) }];
      const switched = { ...ledger, size: ledger.next, earlier: ledger.size, next: undefined };
      return runOnShards(switched, some, batchFor, isCopied);
    }
  });
  return [...failed, ...(await Promise.all(settled)).flat()];
}

const MOVED = "transient issue: the ledger has more shards than this deployment knows";

const raiseFence = statement(sql`
  UPDATE ${ledgerFence} SET ${names(ledgerFence.size)} = ${size}
  WHERE ${ledgerFence.id} = 1 AND ${ledgerFence.size} < ${size}
`);

const o = alias(costs, "o");
const e = alias(engagements, "e");
const existing = query(
  { position: sql<number>`j.key` },
  sql`FROM json_each(${sql.placeholder("keys")}) j
    WHERE EXISTS (SELECT 1 FROM ${as(o)} WHERE ${o.partnerId} = j.value ->> 0 AND ${o.costId} = j.value ->> 1)
      OR EXISTS (SELECT 1 FROM ${as(e)} WHERE ${e.partnerId} = j.value ->> 0 AND ${e.costId} = j.value ->> 1)`,
);

/** Finds the database of each item. `failed` has the items whose old database could not be read. */
async function findHomes<Item extends LedgerKey>(ledger: Ledger, items: Item[]) {
  const homes = new Map(items.map((item) => [item, shardFor(ledger, item)]));
  const failed: { items: Item[]; error: unknown }[] = [];
  const { earlier, size } = ledger;
  if (earlier === undefined) return { homes, failed };
  const moving = items.filter((item) => shardFor(ledger, item, earlier) !== homes.get(item));
  const byOldDatabase = [...Map.groupBy(moving, (item) => shardFor(ledger, item, earlier))];
  await Promise.all(
    byOldDatabase.map(async ([db, some]) => {
      try {
        const keys = JSON.stringify(some.map(({ partnerId, costId }) => [partnerId, costId]));
        const [, found] = await runBatch(db, raiseFence(db, { size }), existing(db, { keys }));
        const staying = new Set(found.map(({ position }) => position));
        for (const [position, item] of some.entries()) if (staying.has(position)) homes.set(item, db);
      } catch (error) {
        failed.push({ items: some, error });
        for (const item of some) homes.delete(item);
      }
    }),
  );
  return { homes, failed };
}

/** Returns the rows of the only batch, for a call on one ID. Throws the error if there is one. */
export function onlyResult<Item, Result>([settled]: ShardResult<Item, Result>[]): Result {
  if (!settled) throw new Error("The call on the ledger had no items.");
  if ("error" in settled) throw settled.error;
  return settled.rows;
}
