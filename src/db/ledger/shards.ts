/**
 * Selects the database of a cost and its engagements: DB, or the shard LEDGER_n given by a hash of (partner, cost ID) when
 * LEDGER_MAP sets a number of shards. All ledger rows of one ID are in the same database.
 */
export interface LedgerBindings {
  DB: D1Database;
  /** The shards, numbered from 0 without a gap. */
  [shard: `LEDGER_${number}`]: D1Database | undefined;
  /**
   * The number of shards: `4`, or `4, 8 from 2026-12-01T00:00:00Z` during a change; 0 keeps the ledger in DB.
   *
   * To add shards in production: bind and migrate them. Deploy `LEDGER_MAP` with the old number, the new number and a switch
   * time some hours ahead. Remove the old number five weeks after the switch, when no row that still matters is left in its old
   * place. Before the switch, the old number selects the shard of every ID. After it, an ID with a row in its old shard stays
   * there, and any other ID goes to the shard that the new number selects. So an ID is never in two databases, and no rows are
   * moved: they expire where they are. The old database orders the requests around the switch: a lookup of an ID there raises
   * its fence in the same transaction, and behind the fence every write that uses the old number is rejected.
   */
  LEDGER_MAP?: string;
}

export interface Ledger {
  /** DB, with everything except the ledger: accounts, links, credentials, rounds. */
  control: D1Database;
  /** Every database that may hold costs or totals, by binding name. Includes DB, because the ledger may have started there. */
  databases: Map<string, D1Database>;
  /** The number of shards, 0 for DB. */
  size: number;
  /** After a switch: the old number of shards, where IDs may still have rows. */
  earlier: number | undefined;
  /** Before a switch: the new number of shards, for a request during which the switch happens. */
  next: number | undefined;
}

const MAP = /^(?:(\d+) *, *)?(\d+)(?: +from +(\S+))?$/;

/** `now` in milliseconds since 1970. The bindings must have passed `checkLedgerBindings`. */
export function ledgerOf(bindings: LedgerBindings, now: number): Ledger {
  const { control, databases, size, change } = mapOf(bindings);
  if (!change) return { control, databases, size, earlier: undefined, next: undefined };
  const { earlier, start } = change;
  return now < start
    ? { control, databases, size: earlier, earlier: undefined, next: size }
    : { control, databases, size, earlier, next: undefined };
}

/** The parsed LEDGER_MAP, cached because the bindings of an isolate do not change. */
interface LedgerMap extends Pick<Ledger, "control" | "databases" | "size"> {
  change: { earlier: number; start: number } | undefined;
  problems: string[];
}
const maps = new WeakMap<LedgerBindings, LedgerMap>();

function mapOf(bindings: LedgerBindings): LedgerMap {
  const known = maps.get(bindings);
  if (known) return known;
  const map = readMap(bindings);
  maps.set(bindings, map);
  return map;
}

function readMap(bindings: LedgerBindings): LedgerMap {
  const control = bindings.DB;
  const databases = new Map([["DB", control]]);
  for (let index = 0; ; index++) {
    const shard = bindings[`LEDGER_${index}`];
    if (!shard) break;
    databases.set(nameOf(index), shard);
  }
  const shards = databases.size - 1;
  const [, before, count = "", from] = MAP.exec(bindings.LEDGER_MAP ?? (shards === 0 ? "0" : "")) ?? [];
  const size = Number(count);
  const earlier = before === undefined ? undefined : Number(before);
  const start = Date.parse(from ?? "");
  const isChange = earlier !== undefined && earlier < size && !Number.isNaN(start);
  const isBad = count === "" || size > shards || (!isChange && (before !== undefined || from !== undefined));
  const problems = isBad
    ? [
        `LEDGER_MAP must be a number of shards that is at most ${shards}, the number of bound LEDGER_ databases.`,
      ]
    : [];
  return { control, databases, size, change: isChange ? { earlier, start } : undefined, problems };
}

/** What is wrong with the bindings of the ledger, as sentences. */
export function checkLedgerBindings(bindings: LedgerBindings): string[] {
  return mapOf(bindings).problems;
}

/** Whether the database of an ID depends on its partner. */
export function isSharded({ size, next }: Ledger): boolean {
  return size > 0 || next !== undefined;
}

export interface LedgerKey {
  partnerId: number;
  costId: string;
}

const nameOf = (shard: number) => `LEDGER_${shard}`;

/** This function must never change, because existing rows are found with it. */
export function shardFor(ledger: Ledger, key: LedgerKey, size = ledger.size): D1Database {
  const database = ledger.databases.get(size === 0 ? "DB" : nameOf(hashOf(key) % size));
  if (!database) throw new Error("A shard of the ledger is not bound.");
  return database;
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

/** Runs `work` on every shard. */
export function runOnEveryShard<Result>(ledger: Ledger, work: (db: D1Database) => Promise<Result>) {
  return Promise.all(shardsOf(ledger).map(work));
}

/** The databases of the ledger without DB. */
export function shardsOf(ledger: Ledger): D1Database[] {
  return [...ledger.databases.values()].filter((db) => db !== ledger.control);
}
