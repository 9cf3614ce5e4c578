/**
 * How batches run on the databases of the ledger. DB and every shard store the number of shards, and each shard its index: a database
 * that does not fit the bindings rejects every batch, so a wrong binding cannot put a row in a database where nobody finds it.
 */
import { sql } from "drizzle-orm";
import { DeadlineError } from "../../deadline.ts";
import { ConfigurationError } from "../../errors.ts";
import { ANY_TIME, partnersOfCredentials } from "../isolate-memory.ts";
import { query } from "../query.ts";
import { credentials, shardIdentity } from "../schema.ts";
import {
  type Batch,
  type Bound,
  isTransient,
  type NamedRows,
  type Rows,
  type Run,
  runBatch,
  runGrouped,
  runGroupedIdempotent,
  runIdempotent,
  statement,
} from "../statement.ts";
import { copiesOf, latestChange, readAll } from "./credential-copies.ts";
import { type Ledger, nameOf, type Place, placeOf } from "./databases.ts";

export * from "./databases.ts";

const { id, shards, shardIndex } = shardIdentity;

/**
 * True, or aborts the batch if the database does not fit the bindings. Outside a trigger, SQL can raise an error only like this, by
 * parsing invalid JSON. It needs the values of `placeOf`.
 */
export const isInPlace = sql`json(iif(EXISTS (
    SELECT 1 FROM ${shardIdentity}
    WHERE ${id} = 1 AND ${shards} = ${sql.placeholder("shards")} AND ${shardIndex} IS ${sql.placeholder("shardIndex")}
  ), 'true', 'another shard')) = 'true'`;

const gate = statement(sql`SELECT ${isInPlace}`);

/** Whether a statement aborted its batch in this way. */
export const isAbortedBySql = (error: unknown): boolean => String(error).includes("malformed JSON");

/**
 * Runs a batch on a database of the ledger, in one transaction, if the database fits the bindings. Otherwise throws a
 * ConfigurationError that says what is wrong, and nothing is written. `run` says how it is sent.
 */
export async function runGated<Statements extends Bound<unknown>[]>(
  ledger: Ledger,
  db: D1Database,
  statements: [...Statements],
  run: Run = runBatch,
): Promise<Rows<Statements>> {
  const [, ...rows] = await runInPlace(ledger, db, [gate(db, placeOf(ledger, db)), ...statements], run);
  return rows as unknown as Rows<Statements>;
}

/** Like `runGated`, for statements in groups, each with a name. They run in this order. */
export async function runNamed<Groups extends Record<string, Batch>>(
  ledger: Ledger,
  db: D1Database,
  groups: Groups,
): Promise<{ [Name in keyof Groups]: NamedRows<Groups[Name]> }> {
  const statements = Object.values(groups).flatMap((batch) => Object.values(batch));
  const results = await runGated(
    ledger,
    db,
    statements.filter((one) => one !== undefined),
  );
  const rows = results.values();
  const named = Object.entries(groups).map(([group, batch]) => [
    group,
    Object.fromEntries(Object.entries(batch).map(([name, one]) => [name, one ? rows.next().value : []])),
  ]);
  return Object.fromEntries(named);
}

/** Runs a batch on every shard, in parallel. Returns the rows of each; nothing when the ledger is in DB. */
export function runOnEveryShard<Statements extends Bound<unknown>[]>(
  ledger: Ledger,
  batchFor: (db: D1Database) => [...Statements],
): Promise<Rows<Statements>[]> {
  return Promise.all(ledger.shards.map((db) => runGated(ledger, db, batchFor(db))));
}

/**
 * Reads something of each shard, in parallel. If `isPartialAllowed`, leaves out the shards that don't answer now, and says whether
 * there are any.
 */
export async function readShards<Shard, Found>(
  shards: Shard[],
  read: (shard: Shard) => Promise<Found>,
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

/**
 * Like `runGated`, for hot requests: one of the statements has `isInPlace` in its WHERE, because a statement of its own takes about
 * 8% of the time of a small batch.
 */
export async function runInPlace<Statements extends Bound<unknown>[]>(
  ledger: Ledger,
  db: D1Database,
  statements: [...Statements],
  run: Run = runBatch,
): Promise<Rows<Statements>> {
  try {
    return await run(db, ...statements);
  } catch (error) {
    if (isAbortedBySql(error)) {
      const [[stored]] = await runGrouped()(db, identity(db, {}));
      const problem = describeMismatch(ledger, db, stored);
      if (problem) throw new ConfigurationError(problem);
    }
    throw error;
  }
}

/**
 * Like `runInPlace`, for a batch whose statements find the credential themselves, and return no row at all without it. A shard that
 * has no copy of it gets one, and the batch runs again. It also runs again after a lost connection, so it must have no further effect
 * then. `items`: how many rows it returns or stores at most.
 */
export async function runForCredential<Statements extends Bound<unknown>[]>(
  ledger: Ledger,
  db: D1Database,
  statements: [...Statements],
  items = 1,
): Promise<Rows<Statements>> {
  const run = () => runInPlace(ledger, db, statements, runGroupedIdempotent(items));
  const rows = await run();
  if (db === ledger.control || rows.some((found) => found.length > 0)) return rows;
  await replicateCredentials(ledger, [db]);
  return run();
}

/** A statement that reads what a database stores about its place. A new database stores 0 shards. */
export const identity = query({ shards, shardIndex }, sql`FROM ${shardIdentity} WHERE ${id} = 1`);

/** What is wrong with a database at its place in the bindings, as a sentence. `expected` is the right number of shards. */
export function describeMismatch(
  ledger: Ledger,
  db: D1Database,
  stored: Place = { shards: 0, shardIndex: null },
  expected = ledger.shards.length,
): string | undefined {
  const at = ledger.shards.indexOf(db);
  const name = nameOf(ledger, db);
  const index = at < 0 || expected === 0 ? null : at;
  if (stored.shards === expected && stored.shardIndex === index) return undefined;
  const size = stored.shards === 1 ? "1 shard" : `${stored.shards} shards`;
  const ofOther = at < 0 || stored.shards === 0 ? `stores ${size}` : `is the DB of ${size}`;
  const place = stored.shardIndex === null ? ofOther : `is shard ${stored.shardIndex} of ${stored.shards}`;
  if (stored.shards === expected) return `${name} ${place}.`;
  const bound = ledger.shards.length === 1 ? "binding is bound" : "bindings are bound";
  return `${name} ${place}, but ${ledger.shards.length} LEDGER_ ${bound}.`;
}

const partnerOf = query(
  { partnerId: credentials.partnerId },
  sql`FROM ${credentials} WHERE ${credentials.tokenHash} = ${sql.placeholder("tokenHash")}`,
);

/**
 * Finds the partner that selects the database of a cost: 0 when the ledger is in DB, where the partner does not matter. Returns
 * undefined for an unknown credential.
 */
export async function findPartnerId(ledger: Ledger, tokenHash: string): Promise<number | undefined> {
  if (ledger.shards.length === 0) return 0;
  const known = partnersOfCredentials.get(tokenHash, ANY_TIME);
  if (known !== undefined) return known;
  const { control } = ledger;
  const [[row]] = await runGrouped()(control, partnerOf(control, { tokenHash }));
  if (!row) return undefined;
  partnersOfCredentials.set(tokenHash, row.partnerId, ANY_TIME);
  return row.partnerId;
}

/**
 * Copies the current credentials to the given shards, or to all. Throws if a shard fails; the other shards then have the copy.
 * Also throws if a shard has changes that DB does not have, because only DB was restored to an earlier time: a revocation would
 * then not reach that shard. Does nothing when the ledger is in DB.
 */
export async function replicateCredentials(ledger: Ledger, shards = ledger.shards): Promise<void> {
  if (shards.length === 0) return;
  const { control } = ledger;
  const [[now], ...rows] = await runGated(ledger, control, [...readAll(control)]);
  const audited = now?.audited ?? 0;
  const results = await Promise.allSettled(
    shards.map(async (db) => {
      const [, [shard]] = await runGated(ledger, db, [...copiesOf(db, audited, ...rows)], runIdempotent);
      return shard?.audited ?? 0;
    }),
  );
  const failed = results.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
  const newest = Math.max(...results.map((result) => (result.status === "fulfilled" ? result.value : 0)));
  if (newest <= audited) return;
  // A concurrent change may have been copied before this one.
  const [[later]] = await runBatch(control, latestChange(control, {}));
  if (newest > (later?.audited ?? 0))
    throw new Error("A shard has changes that DB does not have. See Roll back in migrations/README.md.");
}
