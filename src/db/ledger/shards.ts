/**
 * Which database a cost and its engagements live in: DB, or the shard LEDGER_n that a hash of (partner, cost id) names once
 * LEDGER_MAP spreads the ledger over shards. All that the ledger's rules need of an id is in that one database.
 */
import { sql } from "drizzle-orm";
import { runBatch, statement } from "../statement.ts";

export interface LedgerBindings {
  DB: D1Database;
  /** The shards, numbered from 0 without a gap. */
  [shard: `LEDGER_${number}`]: D1Database | undefined;
  /**
   * How many shards the ids are spread over: `4`, or `4, 8 from 2026-12-01T00:00:00Z` while that changes; 0 is DB alone.
   *
   * To add shards while running: bind and migrate them; deploy `LEDGER_MAP` with the old number, the new one and an instant
   * some hours ahead; take the old number out five weeks after the instant, when no row is left that anything could count on.
   * Until the instant the old number places every id. From then on an id stays where the old number put it for as long as it
   * has a row there, and is placed by the new one otherwise. So an id is never in two databases, and its rows age where they
   * are: nothing is moved. What decides between two requests at the instant is the old database: whoever looks for an id
   * there raises its fence in the same transaction, and past the fence nothing is written by the old number any more.
   */
  LEDGER_MAP?: string;
}

export interface Ledger {
  /** Accounts, links, credentials, rounds: all that is not the ledger. */
  control: D1Database;
  /** By the names of their bindings: every database that may hold costs or totals. DB is one: the ledger may have begun there. */
  databases: Map<string, D1Database>;
  /** How many shards an id is placed over, 0 for DB. */
  size: number;
  /** The number before, where ids may still live. */
  earlier: number | undefined;
  /** The number to come, for a request that is overtaken by the change. */
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

/** What `LEDGER_MAP` says. An isolate's bindings do not change: they are read once. */
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
  const [, before, said = "", from] = MAP.exec(bindings.LEDGER_MAP ?? (shards === 0 ? "0" : "")) ?? [];
  const size = Number(said);
  const earlier = before === undefined ? undefined : Number(before);
  const start = Date.parse(from ?? "");
  const isChange = earlier !== undefined && earlier < size && !Number.isNaN(start);
  const isBad = said === "" || size > shards || (!isChange && (before !== undefined || from !== undefined));
  const problems = isBad
    ? [`LEDGER_MAP must spread the ledger over at most the ${shards} bound LEDGER_ databases.`]
    : [];
  return { control, databases, size, change: isChange ? { earlier, start } : undefined, problems };
}

/** What is wrong with the bindings of the ledger, as sentences. */
export function checkLedgerBindings(bindings: LedgerBindings): string[] {
  return mapOf(bindings).problems;
}

/** Whether the place of an id depends on its partner. */
export function isSharded({ size, next }: Ledger): boolean {
  return size > 0 || next !== undefined;
}

export interface LedgerKey {
  partnerId: number;
  costId: string;
}

const nameOf = (shard: number) => `LEDGER_${shard}`;

/** Never changes: rows are found again by it. */
export function shardFor(ledger: Ledger, key: LedgerKey, size = ledger.size): D1Database {
  const place = ledger.databases.get(size === 0 ? "DB" : nameOf(hashOf(key) % size));
  if (!place) throw new Error("a shard of the ledger is not bound");
  return place;
}

/** FNV-1a over UTF-16 code units, mixed so that its low bits are as good as the others. */
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

/**
 * The first statement of every write: fails the whole batch where ids are placed by more shards than `size` already. SQL can
 * raise an error by itself only as here, by reading as JSON what is none.
 */
export const fence = statement(sql`
  SELECT json(iif(size <= ${sql.placeholder("size")}, 'true', 'behind the fence')) FROM ledger_fence WHERE id = 1
`);

/** Whether a statement raised an error in that way. */
export function isAbortedBySql(error: unknown): boolean {
  return String(error).includes("malformed JSON");
}

const raiseFence = statement(sql`
  UPDATE ledger_fence SET size = ${sql.placeholder("size")} WHERE id = 1 AND size < ${sql.placeholder("size")}
`);
const living = statement<{ position: number }>(sql`
  SELECT j.key AS position FROM json_each(${sql.placeholder("keys")}) j
  WHERE EXISTS (SELECT 1 FROM costs o WHERE o.partner_id = j.value ->> 0 AND o.cost_id = j.value ->> 1)
    OR EXISTS (SELECT 1 FROM engagements e WHERE e.partner_id = j.value ->> 0 AND e.cost_id = j.value ->> 1)
`);

/** What became of the items that live in one database. */
export type ShardResult<Item, Result> = { items: Item[] } & ({ result: Result } | { error: unknown });

/**
 * Does some work on items in the databases where they live, one call for each database, all at once. A database that fails
 * fails its own items alone. Items of one id stay together and in order.
 */
export async function runOnShards<Item extends LedgerKey, Result>(
  ledger: Ledger,
  items: Item[],
  work: (db: D1Database, items: Item[], size: number) => Promise<Result>,
): Promise<ShardResult<Item, Result>[]> {
  const { homes, lost } = await findHomes(ledger, items);
  const settled = [...Map.groupBy(items, (item) => homes.get(item))].map(async ([db, some]) => {
    if (!db) return [];
    try {
      return [{ items: some, result: await work(db, some, ledger.size) }];
    } catch (error) {
      if (!isAbortedBySql(error)) return [{ items: some, error }];
      if (ledger.next === undefined) return [{ items: some, error: new Error(MOVED) }];
      const turned = { ...ledger, size: ledger.next, earlier: ledger.size, next: undefined };
      return runOnShards(turned, some, work);
    }
  });
  return [...lost, ...(await Promise.all(settled)).flat()];
}

const MOVED = "transient issue: the ledger is spread over more databases than this deployment knows of";

/** `lost` are the items of which no home could be found, because the database that may hold them fails. */
async function findHomes<Item extends LedgerKey>(ledger: Ledger, items: Item[]) {
  const homes = new Map(items.map((item) => [item, shardFor(ledger, item)]));
  const lost: { items: Item[]; error: unknown }[] = [];
  const { earlier, size } = ledger;
  if (earlier === undefined) return { homes, lost };
  const moving = items.filter((item) => shardFor(ledger, item, earlier) !== homes.get(item));
  const asked = [...Map.groupBy(moving, (item) => shardFor(ledger, item, earlier))];
  await Promise.all(
    asked.map(async ([db, some]) => {
      try {
        const keys = JSON.stringify(some.map(({ partnerId, costId }) => [partnerId, costId]));
        const [, found] = await runBatch(db, raiseFence(db, { size }), living(db, { keys }));
        const stays = new Set(found.map(({ position }) => position));
        for (const [position, item] of some.entries()) if (stays.has(position)) homes.set(item, db);
      } catch (error) {
        lost.push({ items: some, error });
        for (const item of some) homes.delete(item);
      }
    }),
  );
  return { homes, lost };
}

/** The result where there can be but one database. Throws what it failed with. */
export function onlyResult<Item, Result>([settled]: ShardResult<Item, Result>[]): Result {
  if (!settled) throw new Error("nothing was asked of the ledger");
  if ("error" in settled) throw settled.error;
  return settled.result;
}

/** Runs something on every shard, as `databases` of the ledger without DB. None where the ledger lives in DB. */
export function runOnEveryShard<Result>(ledger: Ledger, work: (db: D1Database) => Promise<Result>) {
  return Promise.all(shardsOf(ledger).map(work));
}

export function shardsOf(ledger: Ledger): D1Database[] {
  return [...ledger.databases.values()].filter((db) => db !== ledger.control);
}
