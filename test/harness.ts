/** Calls the Worker in workerd with real D1 and KV, at a chosen time, with wrapped bindings where a test needs them. */
import {
  createExecutionContext,
  createMessageBatch,
  type D1Migration,
  reset,
  waitOnExecutionContext,
} from "cloudflare:test";
import { env as bindings } from "cloudflare:workers";
import { hashPassword } from "../src/auth/passwords.ts";
import { seal } from "../src/auth/sealed.ts";
import {
  acceptedTokens,
  credentialIds,
  destinations,
  engagementTimes,
  unknownLinks,
} from "../src/db/isolate-memory.ts";
import { databasesOf, type Ledger, ledgerOf, replicateCredentials } from "../src/db/ledger/shards.ts";
import { type DemoRow, insertRows } from "../src/dev/demo/rows.ts";
import { DEMO, demoRows } from "../src/dev/demo.ts";
import { setIdentity } from "../src/dev/deployment/shard-identity.ts";
import type { OpenedLink } from "../src/domain/costs.ts";
import { recordQueued } from "../src/engagement/queue.ts";
import type { Env } from "../src/env.ts";
import { serve } from "../src/index.ts";
import { checkResponse } from "./contract-check.ts";
import { once } from "./once.ts";
import { type Kept, keep, noteDifferences, restoreAll } from "./restore.ts";
import { noteReset, type Writes, watchWrites } from "./writes.ts";

/** The table in which wrangler notes the migrations that it applied. */
const MIGRATIONS_TABLE = `CREATE TABLE d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`;

export const ORIGIN = "https://linkledger.test";

/** The time of the demo data, and the default time of a call. */
export const NOW = Date.UTC(2026, 2, 15, 12);
export const DAY = 24 * 3600 * 1000;

/** Copied once, because the original looks each binding up again. */
export const env = { ...bindings } as unknown as Env & {
  TEST_MIGRATIONS: D1Migration[];
  /** The archive, for the tests that bind it. */
  TEST_BUCKET: R2Bucket;
  /** The platform's simulator, which stores each message as a file. */
  TEST_EMAIL: SendEmail;
  /** Set when clicks go through a queue. */
  TEST_QUEUE?: string;
};
export { DEMO };

/** The states that tests start from, kept for all files of a process: the demo data, and what `freshState` makes of it. */
const states = once("states", () => ({
  kept: new Map<string, Kept[]>(),
  /** The name of the one that was restored last. */
  last: "",
  /** Since then. */
  writes: watchWrites(),
  /** Since the credentials were copied to the shards. */
  uncopied: watchWrites(),
}));

/**
 * Resets to migrated databases with the demo data, of its 30 days only today, an empty KV and an empty bucket. Restoring 30 days takes
 * longer than most tests.
 */
export const freshDemo = () => freshWith("demo", isOfToday);

/** The same with all 30 days, as `npm start` adds them. */
export const freshWholeDemo = () => freshWith("whole demo", () => true);

const isOfToday = ({ table, values }: DemoRow) =>
  table.startsWith("daily_")
    ? values.day === Math.floor(NOW / DAY)
    : !/^demo-spend-(?!00)/.test(String(values.cost_id));

const freshWith = (name: string, isKept: (row: DemoRow) => boolean) =>
  freshState(name, async () => {
    await freshDatabase();
    await addDemo(demoRows(NOW).filter(isKept));
    await replicateCredentials(ledgerOn());
  });

/**
 * Resets the databases to a state, and KV and the bucket to empty ones. `setUp` makes the state of the databases once in a process.
 */
export async function freshState(name: string, setUp: () => Promise<void>): Promise<void> {
  const databases = databasesOf(ledgerOn());
  const { kept, last, writes, uncopied } = states;
  const known = kept.get(name) ?? [];
  // A namespace deletes one key after the other.
  const keys = [...writes.keys.values()].reduce((sum, { size }) => sum + size, 0);
  if (keys > MANY_KEYS) await freshDatabase();
  if (last !== name) noteDifferences(databases, writes, kept.get(last) ?? [], known);
  let isKept = await restoreAll(databases, known, writes);
  if (!isKept && known.length > 0) {
    // Adding kept rows to migrated databases takes less time than setting up and reading again.
    await freshDatabase();
    isKept = await restoreAll(databases, known, writes);
  }
  if (!isKept) await setUp();
  await emptyNamespaces(writes);
  if (writes.objects) await emptyBucket();
  if (!isKept) kept.set(name, await Promise.all(databases.map(keep)));
  states.last = name;
  writes.forget();
  uncopied.forget();
}

/** To reset everything takes as long as to delete so many keys. */
const MANY_KEYS = 100;

/** Copies credentials to the shards, if a test changed them directly in DB. The Worker's own changes copy themselves. */
async function copyCredentials(): Promise<void> {
  const tables = states.uncopied.tablesOf(env.DB);
  if (!states.uncopied.schema && !COPIED.some((name) => tables.has(name))) return;
  await replicateCredentials(ledgerOn());
  states.uncopied.forget();
}

const COPIED = ["credentials", "partners", "shard_identity"];

async function addDemo(data: DemoRow[]): Promise<void> {
  await insertRows(data, ledgerOn());
  quickHashes ??= await hashDemoPasswords();
  await env.DB.batch(quickHashes.map((sql) => env.DB.prepare(sql)));
}

let quickHashes: string[] | undefined;

/** Statements that hash the passwords of the demo users as test/passwords.ts says, and seal their tokens with them. */
async function hashDemoPasswords(): Promise<string[]> {
  const users = [
    { userId: 1, password: DEMO.password, token: DEMO.apiToken },
    { userId: 2, password: DEMO.operatorPassword, token: DEMO.operatorToken },
  ];
  const statements = users.map(async ({ userId, password, token }) => {
    const { hash, key } = await hashPassword(password);
    const sealed = seal(token, key, { userId, secret: "API token" });
    return [
      `UPDATE users SET password_hash = '${hash}' WHERE id = ${userId}`,
      `UPDATE api_tokens SET sealed = '${sealed}' WHERE user_id = ${userId}`,
    ];
  });
  return (await Promise.all(statements)).flat();
}

/** Forgets what the isolate remembers of KV, and of a database that is another one now. */
export function forgetMemory(): void {
  destinations.clear();
  unknownLinks.clear();
  acceptedTokens.clear();
  credentialIds.clear();
  engagementTimes.clear();
}

/** Deletes the keys in KV that were written, and what the isolate remembers of them. */
export async function emptyNamespaces({ keys }: Writes): Promise<void> {
  forgetMemory();
  const deleted = [...keys].flatMap(([namespace, some]) => [...some].map((key) => namespace.delete(key)));
  await Promise.all(deleted);
}

/** Empties the bucket of the archive. */
export async function emptyBucket(): Promise<void> {
  const { objects } = await env.TEST_BUCKET.list();
  await env.TEST_BUCKET.delete(objects.map(({ key }) => key));
}

/** Resets to migrated databases without rows, an empty KV and an empty bucket. */
export async function freshDatabase(): Promise<void> {
  await resetStorage();
  const { shards } = ledgerOn();
  await Promise.all(
    [env.DB, ...shards].map((db, position) =>
      migrate(db, setIdentity(shards.length, position === 0 ? null : position - 1)),
    ),
  );
}

/** Resets to databases without tables, an empty KV and an empty bucket. */
export async function resetStorage(): Promise<void> {
  // reset() only empties storage that is running, and D1, KV and R2 stop after ten seconds without a request.
  await Promise.all([
    ...databasesOf(ledgerOn()).map((db) => db.prepare("SELECT 1").run()),
    ...[env.TOKENS, env.LINKS].map((namespace) => namespace.get("wake up")),
    env.TEST_BUCKET.head("wake up"),
  ]);
  await reset();
  noteReset();
}

/** Applies all migrations as wrangler does, but in one call, which takes half the time. */
async function migrate(db: D1Database, identity: string): Promise<void> {
  const queries = env.TEST_MIGRATIONS.flatMap(({ name, queries }) => [
    ...queries,
    `INSERT INTO d1_migrations (name) VALUES ('${name}')`,
  ]);
  await db.batch([MIGRATIONS_TABLE, ...queries, identity].map((sql) => db.prepare(sql)));
}

const wrappers = new WeakMap<D1Database, (target: D1Database) => D1Database>();

/** Wraps DB. When a call uses the result as its DB binding, every shard of the ledger gets the same wrapper. */
export function wrapDatabases(wrap: (target: D1Database) => D1Database): D1Database {
  const database = wrap(env.DB);
  wrappers.set(database, wrap);
  return database;
}

function wrapShards(database: D1Database | undefined): Partial<Env> {
  const wrap = database && wrappers.get(database);
  if (!wrap) return {};
  return Object.fromEntries(ledgerOf(env).shards.map((shard, index) => [`LEDGER_${index}`, wrap(shard)]));
}

/** The ledger of the test project's bindings, with one database or several. */
export function ledgerOn(database: D1Database = env.DB): Ledger {
  return ledgerOf({ ...env, DB: database, ...wrapShards(database) });
}

const unlimited = { limit: async () => ({ success: true }) };
/** Lets a test enter any number of passwords. */
export const UNLIMITED = {
  PASSWORD_ATTEMPTS: unlimited,
  ADDRESS_ATTEMPTS: unlimited,
  ACCOUNT_ATTEMPTS: unlimited,
};

export interface Call {
  method?: string;
  /** An API token, or a cost credential. */
  token?: string | undefined;
  json?: unknown;
  body?: BodyInit;
  headers?: Record<string, string>;
  /** What Cloudflare says about the request. */
  cf?: { country: string };
  now?: number;
  env?: Partial<Env>;
  /** Receives the work that continues after the response. Default: `call` waits for that work. */
  execution?: Pick<ExecutionContext, "waitUntil">;
  /** False: the shards have only the credentials that the Worker copied to them. */
  replicates?: false;
}

/** Tests read any number of reports. Those of the limit bind it. */
const { REPORTS: _, ...UNREPORTED } = env;

/** Sends one request to the Worker and waits for the work that continues after the response. */
export async function call(path: string, options: Call = {}): Promise<Response> {
  const headers = new Headers(options.headers);
  if (options.token) headers.set("authorization", `Bearer ${options.token}`);
  if (options.json !== undefined) headers.set("content-type", "application/json");
  const body = options.json !== undefined ? JSON.stringify(options.json) : options.body;
  const method = options.method ?? (body === undefined ? "GET" : "POST");
  const request = new Request(`${ORIGIN}${path}`, {
    method,
    headers,
    redirect: "manual",
    ...(options.cf && { cf: options.cf }),
    ...(body !== undefined && { body }),
  });
  const context = createExecutionContext();
  const { queued, queue } = testQueue();
  const bound = { ...UNREPORTED, ...queue, ...wrapShards(options.env?.DB), ...options.env };
  if (options.replicates !== false) await copyCredentials();
  const response = await serve(request, bound, options.execution ?? context, () => options.now ?? NOW);
  await waitOnExecutionContext(context);
  if (queued.length > 0) await recordQueued(queueBatch(queued), ledgerOf(bound), options.now ?? NOW);
  await checkResponse(request, response);
  return response;
}

/** A queue that the caller delivers to the Worker, so that a test sees the result. */
function testQueue() {
  const queued: OpenedLink[] = [];
  const send = async (message: OpenedLink) => void queued.push(structuredClone(message));
  const queue = env.TEST_QUEUE ? { ENGAGEMENTS: { send } as unknown as Queue<OpenedLink> } : {};
  return { queued, queue };
}

export function queueBatch(engagements: OpenedLink[]): MessageBatch<OpenedLink> {
  return createMessageBatch<OpenedLink>(
    "engagements",
    engagements.map((body, index) => ({ id: String(index), timestamp: new Date(NOW), attempts: 1, body })),
  );
}

/** Like `call`, but returns the status and the parsed JSON body. */
export async function ask<T = Record<string, never>>(
  path: string,
  options: Call = {},
): Promise<{ status: number; body: T; headers: Headers }> {
  const response = await call(path, options);
  return {
    status: response.status,
    body: (await response.json()) as T,
    headers: response.headers,
  };
}

export interface ProblemBody {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  request_id: string;
  errors?: { param: string; message: string }[];
}

/** Returns the status, the code and the invalid parameters of a rejected request. */
export async function rejection(path: string, options: Call = {}) {
  const { status, body, headers } = await ask<ProblemBody>(path, options);
  if (headers.get("content-type") !== "application/problem+json")
    throw new Error(`not a problem document: ${status} ${JSON.stringify(body)}`);
  return {
    status,
    code: body.code,
    params: body.errors?.map((error) => error.param) ?? [],
  };
}

/** Sends a cost in the query string. */
export function sendCost(params: Record<string, string>, options: Call = {}) {
  const query = new URLSearchParams({
    cost_type: "cpc",
    cost_currency: "USD",
    tag: "test",
    ...params,
  });
  return ask<CostResult & Omit<ProblemBody, "status">>(`/cost?${query}`, {
    method: "POST",
    token: DEMO.costToken,
    ...options,
  });
}

export interface CostResult {
  status: "ok";
  cost_id: string;
  match: "matched" | "pending";
  duplicate: boolean;
  amount: string | null;
  mismatch?: string | null;
  request_id: string;
}

/** A phone's browser. */
export const IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1";
export const ANDROID =
  "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36";

/** Opens a link as a person with a phone does. */
export function click(
  costId: string,
  options: Call & { link?: string; query?: string } = {},
): Promise<Response> {
  const path = `/${options.link ?? DEMO.linkToken}?cost_id=${encodeURIComponent(costId)}${options.query ?? ""}`;
  return call(path, { headers: { "user-agent": IPHONE }, ...options });
}

export function view(
  costId: string,
  options: Call & { link?: string; query?: string } = {},
): Promise<Response> {
  const path = `/impression/${options.link ?? DEMO.linkToken}?cost_id=${encodeURIComponent(costId)}${options.query ?? ""}`;
  return call(path, { headers: { "user-agent": IPHONE }, ...options });
}

/**
 * Queries DB, or every database if the query reads the ledger's tables. With several databases, an ORDER BY sorts the rows by all
 * of their values.
 */
export async function rows<T = Record<string, unknown>>(asked: string, ...values: unknown[]): Promise<T[]> {
  const query = /\b(engagements|costs)\b/.test(asked) ? `WITH ${BY_KIND} ${asked}` : asked;
  const shards = LEDGER_TABLES.test(query) ? ledgerOn().shards : [];
  const found = await Promise.all(
    [env.DB, ...shards].map(
      async (db) =>
        (
          await db
            .prepare(query)
            .bind(...values)
            .all<T>()
        ).results,
    ),
  );
  return shards.length > 0 && /ORDER BY/.test(query)
    ? found
        .flat()
        .sort((left, right) => compareValues(Object.values(left as object), Object.values(right as object)))
    : found.flat();
}

const LEDGER_TABLES =
  /\b(ledger_entries|dropped_parameters|daily_totals|daily_engagements|daily_audience|daily_audience_spend|audience_keys|daily_url_prices|daily_rejections|recent_rejections|cost_states|purge_positions|superseded|entry_records|archive_\w+)\b/;

const engagementsOf = (kind: string) => `
  SELECT partner_id, cost_id, '${kind}' AS kind, ${["app_token", "link_id", "cost_data_on", "url_cost_type", "url_currency", "url_amount", "price_counts"].map((name) => `${kind}_${name} AS ${name}`).join(", ")}, ${kind}_at AS occurred_at
  FROM ledger_entries WHERE ${kind}_at IS NOT NULL`;
/** The rows of the ledger as a list of engagements and a list of calls, which is what most tests compare. */
const BY_KIND = `
  engagements AS (${engagementsOf("click")} UNION ALL ${engagementsOf("impression")}),
  costs AS (
    SELECT partner_id, cost_id, cost_type, currency, amount, tag, received_at FROM ledger_entries WHERE received_at IS NOT NULL
  )`;

function compareValues(left: unknown[], right: unknown[]): number {
  const at = left.findIndex((value, index) => value !== right[index]);
  const [before, after] = [left[at] as string | number, right[at] as string | number];
  return before === after ? 0 : before < after ? -1 : 1;
}

/** Replaces some methods of a binding. */
export function withMethods<T extends object>(binding: T, methods: Record<string, unknown>): T {
  return new Proxy(binding, {
    get(target, name) {
      if (typeof name === "string" && name in methods) return methods[name];
      const value = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Wraps real D1 to count round trips, and rows by D1's own `meta`. */
export function countingDatabase() {
  const counts = { calls: 0, read: 0, written: 0 };
  const database = wrapDatabases((real) =>
    withMethods(real, {
      batch: async (statements: D1PreparedStatement[]) => {
        counts.calls++;
        const results = await real.batch(statements);
        for (const { meta } of results) {
          counts.read += meta.rows_read;
          counts.written += meta.rows_written;
        }
        return results;
      },
    }),
  );
  return { database, counts };
}
