/**
 * The databases of the ledger: DB, or the shards LEDGER_0 … LEDGER_n-1, selected by a hash of (partner, cost ID). The number of shards is
 * fixed, because rows are found with it. Every isolate starts with this file, so it has no statements.
 */

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
export const databasesOf = ({ control, shards }: Ledger): D1Database[] => [control, ...shards];

/** The databases that have the ledger's rows: every shard, or DB. */
export function rowDatabasesOf({ control, shards }: Ledger): D1Database[] {
  return shards.length > 0 ? shards : [control];
}

/** The name of the binding of a database. */
export function nameOf({ shards }: Ledger, db: D1Database): string {
  const at = shards.indexOf(db);
  return at < 0 ? "DB" : `LEDGER_${at}`;
}

export type LedgerKey = { partnerId: number; costId: string };

/** All ledger rows of one ID are in the same database. This function must never change, because existing rows are found with it. */
export function shardFor({ control, shards }: Ledger, key: LedgerKey): D1Database {
  return shards.length === 0 ? control : (shards[hashOf(key) % shards.length] ?? control);
}

/** The items of each database that has any. Items with the same ID stay together and in order. */
export function byDatabase<Item extends LedgerKey>(ledger: Ledger, items: Item[]) {
  return [...Map.groupBy(items, (item) => shardFor(ledger, item))];
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

/** What a database at this place of the bindings stores. */
export type Place = { shards: number; shardIndex: number | null };

export function placeOf(ledger: Ledger, db: D1Database): Place {
  const at = ledger.shards.indexOf(db);
  return { shards: ledger.shards.length, shardIndex: at < 0 ? null : at };
}
