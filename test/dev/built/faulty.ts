/** Starts the built Worker on databases that fail as a test says, and sends requests over connections that a test can cut. */

import { mkdtempSync } from "node:fs";
import { Agent, type IncomingHttpHeaders, request } from "node:http";
import type { Socket } from "node:net";
import { join } from "node:path";
import { inject } from "vitest";
import { DEMO } from "../../../src/dev/demo.ts";
import { type BuiltWorker, FAULTY, type Settings, startBuilt } from "../../built-worker.ts";
import { createDatabases, readState } from "../../databases.ts";
import type { Behavior, Seen } from "../../faulty-worker.ts";
import { SharedCalls } from "../../live-service.ts";
import { script } from "./worker.ts";

export interface FaultyWorker extends BuiltWorker {
  /** Reads DB, in a fraction of the time. */
  rows: D1Database;
  /** Resets what the databases have seen, and sets what they do. */
  begin: (behavior?: Partial<Behavior>) => Promise<void>;
  /** Changes what the databases do. */
  change: (behavior: Partial<Behavior>) => Promise<void>;
  seen: () => Promise<Seen>;
  /** The JSON of the lines that the Worker has logged. */
  lines: Record<string, unknown>[];
  shared: SharedCalls;
}

type FaultySettings = Pick<Settings, "name" | "bindings" | "databases" | "isMigrated" | "port">;

/** Starts the built Worker with the demo data. */
export async function startFaulty({ isMigrated = true, ...settings }: FaultySettings): Promise<FaultyWorker> {
  const lines: Record<string, unknown>[] = [];
  const shared = new SharedCalls();
  const onLog = (line: string) => {
    shared.add(line);
    if (line.startsWith("{")) lines.push(JSON.parse(line));
  };
  // Few lines: while a test queries a database, miniflare does not read them, and workerd waits when the pipe is full.
  const bindings = { LOG_SAMPLE: "0", ...settings.bindings };
  const state = mkdtempSync(join(inject("state"), "miniflare-"));
  if (isMigrated) await createDatabases(state, settings);
  const rows = isMigrated ? readState(state) : undefined;
  const server = await startBuilt({
    ...settings,
    ...{ script, bindings, wrapper: FAULTY, onLog, isMigrated, state },
  });
  const ask = async (method: string, behavior?: Partial<Behavior>) => {
    const body = behavior ? { body: JSON.stringify(behavior) } : {};
    return (await fetch(`${server.url}/test/database`, { method, ...body })).json() as Promise<Seen>;
  };
  return {
    ...server,
    rows: (rows ?? server.db) as D1Database,
    lines,
    shared,
    begin: async (behavior = {}) => void (await ask("PUT", behavior)),
    change: async (behavior) => void (await ask("PATCH", behavior)),
    seen: () => ask("GET"),
  };
}

/** Waits of the tests take milliseconds. One that is in vain ends before the time limit of its test, and says for what it waited. */
const LONGEST_WAIT = 60_000;

/** Waits until something is so. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + LONGEST_WAIT;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`Waited ${LONGEST_WAIT} ms in vain for ${isSo}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

export interface Sent {
  /** Undefined if the connection was cut. */
  answer: Promise<Answer | undefined>;
  /** Resets the connection. */
  cut: () => void;
}

export interface Ask {
  method?: string;
  path: string;
  token?: string;
  json?: unknown;
}

const IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)";

/** Sends a request, on a connection of its own unless there is an agent. */
export function send(url: string, { method = "GET", path, token, json }: Ask, agent?: Agent): Sent {
  const headers: Record<string, string> = { "user-agent": IPHONE };
  if (token) headers.authorization = `Bearer ${token}`;
  const body = json === undefined ? "" : JSON.stringify(json);
  if (body)
    Object.assign(headers, { "content-type": "application/json", "content-length": String(body.length) });
  else if (method !== "GET") headers["content-length"] = "0";
  let socket: Socket | undefined;
  let isCut = false;
  const { promise, resolve, reject } = Promise.withResolvers<Answer | undefined>();
  const fail = (error: Error) => (isCut ? resolve(undefined) : reject(error));
  const sent = request(url + path, { method, headers, agent: agent ?? new Agent() }, (answer) => {
    let text = "";
    answer.setEncoding("utf8");
    answer.on("data", (part) => {
      text += part;
    });
    answer.once("end", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
    answer.once("error", fail);
  });
  sent.once("socket", (given) => {
    socket = given;
  });
  sent.once("error", fail);
  sent.end(body);
  return {
    answer: promise,
    cut: () => {
      isCut = true;
      socket?.resetAndDestroy();
      sent.destroy();
      resolve(undefined);
    },
  };
}

export const costOf = (id: string, amount = "0.25"): Ask => ({
  method: "POST",
  path: `/cost?${new URLSearchParams({ cost_type: "cpc", cost_currency: "USD", cost_id: id, cost_amount: amount, tag: "group" })}`,
  token: DEMO.costToken,
});
export const readOf = (id: string): Ask => ({ path: `/cost/${id}`, token: DEMO.costToken });
export const voidOf = (id: string): Ask => ({
  method: "POST",
  path: `/cost/${id}/void`,
  token: DEMO.costToken,
});
export const clickOf = (id?: string): Ask => ({ path: `/${DEMO.linkToken}${id ? `?cost_id=${id}` : ""}` });
const LINKS = `/public/v1/apps/${DEMO.appToken}/trackers`;
export const LIST: Ask = { path: `${LINKS}?limit=50`, token: DEMO.apiToken };
export const linkOf = (name: string): Ask => ({
  method: "POST",
  path: LINKS,
  token: DEMO.apiToken,
  json: { name, parent_token: DEMO.linkToken },
});
