/** Calls the Worker in workerd, on real D1 and KV, at any time, with any binding wrapped. */
import {
  applyD1Migrations,
  createExecutionContext,
  createMessageBatch,
  type D1Migration,
  reset,
  waitOnExecutionContext,
} from "cloudflare:test";
import { env as bindings } from "cloudflare:workers";
import { replicateCredentials } from "../src/db/ledger/credential-copies.ts";
import type { NewEngagement } from "../src/db/ledger/engagements.ts";
import { type Ledger, ledgerOf, shardFor, shardsOf } from "../src/db/ledger/shards.ts";
import { DEMO, demoRows } from "../src/dev/demo.ts";
import { recordQueued } from "../src/engagement/queue.ts";
import type { Env } from "../src/env.ts";
import { serve } from "../src/index.ts";
import { checkAnswer } from "./contract-check.ts";

export const ORIGIN = "https://linkledger.test";

/** The instant at which the demo data was made and at which a call is made unless it says otherwise. */
export const NOW = Date.UTC(2026, 2, 15, 12);
export const DAY = 24 * 3600 * 1000;

export const env = bindings as unknown as Env & {
  TEST_MIGRATIONS: D1Migration[];
  /** Set where clicks go through a queue. */
  TEST_QUEUE?: string;
};
export { DEMO };

/** Empty, migrated databases with the demo data, and empty KV. */
export async function freshDemo(): Promise<void> {
  await freshDatabase();
  const homes = Map.groupBy(demoRows(NOW), ({ key }) => (key ? shardFor(ledgerOn(), key) : env.DB));
  for (const [db, rows] of homes) await db.batch(rows.map(({ sql }) => db.prepare(sql)));
}

export async function freshDatabase(): Promise<void> {
  await reset();
  for (const db of ledgerOn().databases.values()) await applyD1Migrations(db, env.TEST_MIGRATIONS);
}

const wrappers = new WeakMap<D1Database, (target: D1Database) => D1Database>();

/** DB behind a wrapper. Where it stands in for DB in the bindings of a call, every shard of the ledger stands behind the same. */
export function wrapDatabases(wrap: (target: D1Database) => D1Database): D1Database {
  const database = wrap(env.DB);
  wrappers.set(database, wrap);
  return database;
}

function wrapShards(database: D1Database | undefined): Partial<Env> {
  const wrap = database && wrappers.get(database);
  if (!wrap) return {};
  const shards = [...ledgerOf(env, NOW).databases].filter(([name]) => name !== "DB");
  return Object.fromEntries(shards.map(([name, shard]) => [name, wrap(shard)]));
}

/** The ledger as the bindings of the tests have it, over as many databases as that are. */
export function ledgerOn(database: D1Database = env.DB): Ledger {
  return ledgerOf({ ...env, DB: database, ...wrapShards(database) }, NOW);
}

export interface Call {
  method?: string;
  /** An API token, or a cost credential. */
  token?: string | undefined;
  json?: unknown;
  body?: BodyInit;
  headers?: Record<string, string>;
  now?: number;
  env?: Partial<Env>;
  /** Given, work that goes on after the answer is left to it. */
  execution?: Pick<ExecutionContext, "waitUntil">;
  /** False: the shards have only those credentials that the Worker itself copied to them. */
  replicates?: false;
}

/** One request through the Worker's door; work that goes on after the answer is waited for. */
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
    ...(body !== undefined && { body }),
  });
  const context = createExecutionContext();
  const { queued, queue } = testQueue();
  const bound = { ...env, ...queue, ...wrapShards(options.env?.DB), ...options.env };
  // Tests change credentials in DB by hand; operators, by the code, which does this by itself.
  if (options.replicates !== false) await replicateCredentials(ledgerOn());
  const response = await serve(request, bound, options.execution ?? context, () => options.now ?? NOW);
  await waitOnExecutionContext(context);
  if (queued.length > 0) await recordQueued(queueBatch(queued), ledgerOf(bound, options.now ?? NOW));
  await checkAnswer(request, response);
  return response;
}

/** A queue that the caller empties into the Worker, so that a test sees what it led to. */
function testQueue() {
  const queued: NewEngagement[] = [];
  const send = async (message: NewEngagement) => void queued.push(structuredClone(message));
  const queue = env.TEST_QUEUE ? { ENGAGEMENTS: { send } as unknown as Queue<NewEngagement> } : {};
  return { queued, queue };
}

export function queueBatch(engagements: NewEngagement[]): MessageBatch<NewEngagement> {
  return createMessageBatch<NewEngagement>(
    "engagements",
    engagements.map((body, index) => ({ id: String(index), timestamp: new Date(NOW), attempts: 1, body })),
  );
}

/** As `call`, with the status and the parsed JSON body. */
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

/** What a refusal comes down to: status, code and the parameters at fault. */
export async function rejection(path: string, options: Call = {}) {
  const { status, body, headers } = await ask<ProblemBody>(path, options);
  if (headers.get("content-type") !== "application/problem+json")
    throw new Error(`no problem document: ${status} ${JSON.stringify(body)}`);
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
  request_id: string;
}

/** A phone's browser. */
export const IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1";
export const ANDROID =
  "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36";

/** Opens a link as a person does, at a time. */
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

/** Rows of DB; of every database that may have some where the query is of the ledger. In no order then but by their values. */
export async function rows<T = Record<string, unknown>>(query: string, ...values: unknown[]): Promise<T[]> {
  const shards = IS_OF_LEDGER.test(query) ? shardsOf(ledgerOn()) : [];
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
        .sort((left, right) => inOrder(Object.values(left as object), Object.values(right as object)))
    : found.flat();
}

const IS_OF_LEDGER = /\b(costs|engagements|daily_totals|cost_states|purge_positions)\b/;

function inOrder(left: unknown[], right: unknown[]): number {
  const at = left.findIndex((value, index) => value !== right[index]);
  const [before, after] = [left[at] as string | number, right[at] as string | number];
  return before === after ? 0 : before < after ? -1 : 1;
}

/** A binding of which some methods are in other hands. */
export function withMethods<T extends object>(binding: T, methods: Record<string, unknown>): T {
  return new Proxy(binding, {
    get(target, name) {
      if (typeof name === "string" && name in methods) return methods[name];
      const value = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Real D1 behind a thin wrapper that counts round trips, and rows by D1's own `meta`. */
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
