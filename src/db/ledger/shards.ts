/**
 * The databases of the ledger: DB, or the shards LEDGER_0 … LEDGER_n-1, selected by a hash of (partner, cost ID). The number of
 * shards is fixed, because rows are found with it. DB and every shard store it, and each shard its index: a database that does
 * not fit the bindings rejects every batch, so a wrong binding cannot put a row in a database where nobody finds it.
 */
import { sql } from "drizzle-orm";
import { ConfigurationError } from "../../errors.ts";
import { query } from "../query.ts";
import { shardIdentity } from "../schema.ts";
import { type Bound, type Rows, type Run, runBatch, runGrouped, statement } from "../statement.ts";

export interface LedgerBindings {
  DB: D1Database;
  /** Keeps the rows that the purge deletes. If not bound, they are gone. */
  ARCHIVE?: R2Bucket;
  /** The shards, numbered from 0 without a gap. Without any, the ledger is in DB. */
  [shard: `LEDGER_${number}`]: D1Database | undefined;
}

export interface Ledger {
  /** DB, with everything except the ledger: accounts, links, credentials, rounds. Without shards, the ledger too. */
  control: D1Database;
  /** LEDGER_0, LEDGER_1, … */
  shards: D1Database[];
  archive?: R2Bucket | undefined;
}

export function ledgerOf(bindings: LedgerBindings): Ledger {
  const shards: D1Database[] = [];
  for (let next = bindings.LEDGER_0; next; next = bindings[`LEDGER_${shards.length}`]) shards.push(next);
  return { control: bindings.DB, shards, archive: bindings.ARCHIVE };
}

/** DB and every shard. */
export function databasesOf({ control, shards }: Ledger): D1Database[] {
  return [control, ...shards];
}

/** The name of the binding of a database. */
export function nameOf({ shards }: Ledger, db: D1Database): string {
  const at = shards.indexOf(db);
  return at < 0 ? "DB" : `LEDGER_${at}`;
}

export interface LedgerKey {
  partnerId: number;
  costId: string;
}

/** All ledger rows of one ID are in the same database. This function must never change, because existing rows are found with it. */
export function shardFor({ control, shards }: Ledger, key: LedgerKey): D1Database {
  return shards[hashOf(key) % shards.length] ?? control;
}

/** FNV-1a over UTF-16 code units, with a final mix so that the low bits are well distributed. */
function hashOf({ partnerId, costId }: LedgerKey): number {
  const text = `${partnerId}:${costId}`;
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

const { id, shards, shardIndex } = shardIdentity;

/**
 * True, or aborts the batch if the database does not fit the bindings. Outside a trigger, SQL can raise an error only like this, by
 * parsing invalid JSON. It needs the values of `placeOf`.
 */
export const isInPlace = sql`json(iif(EXISTS (
    SELECT 1 FROM ${shardIdentity}
    WHERE ${id} = 1 AND ${shards} = ${sql.placeholder("shards")} AND ${shardIndex} IS ${sql.placeholder("shardIndex")}
  ), 'true', 'another shard')) = 'true'`;

/** What a database at this place of the bindings stores. */
export type Place = { shards: number; shardIndex: number | null };

export function placeOf(ledger: Ledger, db: D1Database): Place {
  const at = ledger.shards.indexOf(db);
  return { shards: ledger.shards.length, shardIndex: at < 0 ? null : at };
}

const gate = statement(sql`SELECT ${isInPlace}`);

/** Whether a statement aborted its batch in this way. */
export function isAbortedBySql(error: unknown): boolean {
  return String(error).includes("malformed JSON");
}

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
