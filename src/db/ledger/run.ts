/** Runs batches on every shard. */
import { DeadlineError } from "../../deadline.ts";
import { type Bound, isTransient, type Rows } from "../statement.ts";
import { type Ledger, runGated } from "./shards.ts";

/**
 * Reads something of every shard, in parallel. If `isPartialAllowed`, leaves out the shards that don't answer now, and says whether
 * there are any.
 */
export async function onEachShard<Found>(
  { shards }: Ledger,
  read: (db: D1Database) => Promise<Found>,
  isPartialAllowed: boolean,
): Promise<{ found: Found[]; isPartial: boolean }> {
  const settled = await Promise.allSettled(shards.map(read));
  const found = settled.flatMap((result) => {
    if (result.status === "fulfilled") return [result.value];
    const { reason } = result;
    if (!isPartialAllowed || !(isTransient(reason) || reason instanceof DeadlineError)) throw reason;
    return [];
  });
  return { found, isPartial: found.length < settled.length };
}

/** Runs a batch on every shard, in parallel. Returns the rows of each; nothing when the ledger is in DB. */
export function runOnEveryShard<Statements extends Bound<unknown>[]>(
  ledger: Ledger,
  batchFor: (db: D1Database) => [...Statements],
): Promise<Rows<Statements>[]> {
  return Promise.all(ledger.shards.map((db) => runGated(ledger, db, batchFor(db))));
}
