/** Runs batches for some IDs on the databases that hold them. A shard without the copy that a batch needs gets one. */
import { DeadlineError } from "../../deadline.ts";
import { type Bound, isTransient, type Rows, runGroupedIdempotent } from "../statement.ts";
import { replicateCredentials } from "./credential-copies.ts";
import {
  type Ledger,
  type LedgerKey,
  type Place,
  placeOf,
  runGated,
  runInPlace,
  shardFor,
} from "./shards.ts";

/** The rows of each statement, or the error, for the items of one database. */
export type ShardResult<Item, Result> = { items: Item[] } & ({ rows: Result } | { error: unknown });

/**
 * Runs a batch for the items of each database, with one call per database, in parallel. An error of one database affects only
 * its own items. Items with the same ID stay together and in order. One statement of the batch has `isInPlace`. The batch must have
 * no further effect when it runs again: it is repeated after a lost connection, and on a shard after the credentials were copied to
 * it, if `isCopied` returns false for its rows.
 */
export async function runOnShards<Item extends LedgerKey, Statements extends Bound<unknown>[]>(
  ledger: Ledger,
  items: Item[],
  batchFor: (db: D1Database, items: Item[], place: Place) => [...Statements],
  isCopied: (rows: Rows<Statements>) => boolean = () => true,
): Promise<ShardResult<Item, Rows<Statements>>[]> {
  const byDatabase = [...Map.groupBy(items, (item) => shardFor(ledger, item))];
  return Promise.all(
    byDatabase.map(async ([db, some]) => {
      try {
        return {
          items: some,
          rows: await runOn(ledger, db, batchFor(db, some, placeOf(ledger, db)), isCopied, (statements) =>
            runInPlace(ledger, db, statements, runGroupedIdempotent(some.length)),
          ),
        };
      } catch (error) {
        return { items: some, error };
      }
    }),
  );
}

/**
 * Runs a batch on every database of the ledger's rows, in parallel: on every shard, or on DB. The batch may run again like those
 * of `runOnShards`. Each returns `rows` rows at most. Throws the error of the first database that fails.
 */
export function runOnAll<Statements extends Bound<unknown>[]>(
  ledger: Ledger,
  batchFor: (db: D1Database) => [...Statements],
  isCopied: (rows: Rows<Statements>) => boolean,
  rows: number,
): Promise<Rows<Statements>[]> {
  const databases = ledger.shards.length > 0 ? ledger.shards : [ledger.control];
  return Promise.all(
    databases.map((db) =>
      runOn(ledger, db, batchFor(db), isCopied, (statements) =>
        runGated(ledger, db, statements, runGroupedIdempotent(rows)),
      ),
    ),
  );
}

async function runOn<Statements extends Bound<unknown>[]>(
  ledger: Ledger,
  db: D1Database,
  statements: [...Statements],
  isCopied: (rows: Rows<Statements>) => boolean,
  run: (statements: [...Statements]) => Promise<Rows<Statements>>,
): Promise<Rows<Statements>> {
  const rows = await run(statements);
  if (db === ledger.control || isCopied(rows)) return rows;
  await replicateCredentials(ledger, [db]);
  return run(statements);
}

/** Like `runOnEveryShard`, but if `isPartialAllowed`, leaves out the shards that don't answer now, and says whether there are any. */
export async function runOnEachShard<Statements extends Bound<unknown>[]>(
  ledger: Ledger,
  batchFor: (db: D1Database) => [...Statements],
  isPartialAllowed: boolean,
): Promise<{ rows: Rows<Statements>[]; isPartial: boolean }> {
  const settled = await Promise.allSettled(ledger.shards.map((db) => runGated(ledger, db, batchFor(db))));
  const rows = settled.flatMap((result) => {
    if (result.status === "fulfilled") return [result.value];
    const { reason } = result;
    if (!isPartialAllowed || !(isTransient(reason) || reason instanceof DeadlineError)) throw reason;
    return [];
  });
  return { rows, isPartial: rows.length < settled.length };
}

/** Runs a batch on every shard, in parallel. Returns the rows of each; nothing when the ledger is in DB. */
export function runOnEveryShard<Statements extends Bound<unknown>[]>(
  ledger: Ledger,
  batchFor: (db: D1Database) => [...Statements],
): Promise<Rows<Statements>[]> {
  return Promise.all(ledger.shards.map((db) => runGated(ledger, db, batchFor(db))));
}

/** Returns the rows of the only batch, for a call on one ID. Throws the error if there is one. */
export function onlyResult<Item, Result>([settled]: ShardResult<Item, Result>[]): Result {
  if (!settled) throw new Error("The call on the ledger had no items.");
  if ("error" in settled) throw settled.error;
  return settled.rows;
}
