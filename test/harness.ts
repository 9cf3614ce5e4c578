/** Calls the Worker in workerd, on real D1 and KV, at any time, with any binding wrapped. */
import {
  applyD1Migrations,
  createExecutionContext,
  type D1Migration,
  reset,
  waitOnExecutionContext,
} from "cloudflare:test";
import { env as bindings } from "cloudflare:workers";
import { DEMO, demoStatements } from "../src/dev/demo.ts";
import type { Env } from "../src/env.ts";
import { serve } from "../src/index.ts";
import { checkAnswer } from "./contract-check.ts";

export const ORIGIN = "https://linkledger.test";

/** The instant at which the demo data was made and at which a call is made unless it says otherwise. */
export const NOW = Date.UTC(2026, 2, 15, 12);
export const DAY = 24 * 3600 * 1000;

export const env = bindings as unknown as Env & {
  TEST_MIGRATIONS: D1Migration[];
};
export { DEMO };

/** An empty, migrated database with the demo data, and empty KV. */
export async function freshDemo(): Promise<void> {
  await freshDatabase();
  await env.DB.batch(demoStatements(NOW).map((statement) => env.DB.prepare(statement)));
}

export async function freshDatabase(): Promise<void> {
  await reset();
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
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
  const execution = createExecutionContext();
  const response = await serve(request, { ...env, ...options.env }, execution, () => options.now ?? NOW);
  await waitOnExecutionContext(execution);
  await checkAnswer(request, response);
  return response;
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
export async function refusal(path: string, options: Call = {}) {
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
  return ask<CostAnswer & Omit<ProblemBody, "status">>(`/cost?${query}`, {
    method: "POST",
    token: DEMO.costToken,
    ...options,
  });
}

export interface CostAnswer {
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

export async function rows<T = Record<string, unknown>>(query: string, ...values: unknown[]): Promise<T[]> {
  return (
    await env.DB.prepare(query)
      .bind(...values)
      .all<T>()
  ).results;
}

/** Real D1 behind a thin wrapper that counts round trips, and rows by D1's own `meta`. */
export function countingDatabase() {
  const counts = { calls: 0, read: 0, written: 0 };
  const database = new Proxy(env.DB, {
    get(target, name) {
      if (name === "batch") {
        return async (statements: D1PreparedStatement[]) => {
          counts.calls++;
          const results = await target.batch(statements);
          for (const { meta } of results) {
            counts.read += meta.rows_read;
            counts.written += meta.rows_written;
          }
          return results;
        };
      }
      const value = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return { database, counts };
}
