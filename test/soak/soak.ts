/**
 * Puts mixed load on the built Worker with a cron run every few seconds, cuts some connections, kills it halfway, and restarts it on
 * the same state. Every cost that got a 200 must be stored once, no other request may notice a cut, and memory must not grow with the
 * number of requests. Loading this module starts the server.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DEMO } from "../../src/dev/demo.ts";
import { buildWorker, type Settings, startBuilt } from "../built-worker.ts";
import { findContradictions, findLost, freePort } from "../live-service.ts";
import { bytesPerRequest, openHeap, readResident, type Sample } from "./memory.ts";

const DAY_MS = 24 * 3600 * 1000;
/** In the first requests of a server, an isolate compiles its code and fills its caches, and workerd grows. */
const WARM_UP_REQUESTS = 6_000;
/** Over fewer requests, noise of some 100 KiB would be more than the limits below. */
const MIN_REQUESTS = 5_000;
/**
 * How much memory may grow per request, by the best-fit line of one server's samples. A leak of 1 KiB per request would be four
 * times the heap's limit. The noise is far lower: requests in flight and V8's compilation are about 100 KiB over thousands of
 * requests. The processes have more noise: megabytes that the allocator keeps.
 */
const MAX_BYTES_PER_REQUEST = { heap: 256, resident: 2048 };

const state = mkdtempSync(join(tmpdir(), "linkledger-soak-"));
const settings: Settings & { port: number; inspectorPort: number } = {
  name: "worker",
  script: join(state, "index.js"),
  state: join(state, "data"),
  port: await freePort(),
  inspectorPort: await freePort(),
};
writeFileSync(settings.script, buildWorker().script);
const BASE_URL = `http://127.0.0.1:${settings.port}`;
const LINKS = `/public/v1/apps/${DEMO.appToken}/trackers`;
const IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)";

/** The share of requests whose client leaves, and within how many milliseconds. */
const CUT = { share: 0.1, within: 50 };

const confirmed = { costs: new Set<string>(), links: 0, engagements: 0 };
/** How many times each status or event occurred. */
const counts = new Map<string, number>();
const errors: string[] = [];
/** The samples of each server, in order. */
const memory: Sample[][] = [];
let isOver = false;
/** What the running server last said about requests that shared calls. */
let shared = "";
let nextId = 0;

const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1);

/**
 * Returns undefined if the server is down. Waits until it is ready: before that, miniflare makes blocking calls to workerd, and both
 * hang if log lines fill the pipe between them.
 */
async function send(path: string, token?: string, init: RequestInit = {}): Promise<Response | undefined> {
  await starting;
  const headers = {
    "user-agent": IPHONE,
    ...(token && { authorization: `Bearer ${token}` }),
    ...init.headers,
  };
  const signal = Math.random() < CUT.share ? AbortSignal.timeout(randomInt(CUT.within)) : null;
  try {
    const response = await fetch(BASE_URL + path, { redirect: "manual", ...init, headers, signal });
    const text = await response.text();
    count(String(response.status));
    // Another report of the same user may still run.
    const expected = [200, 201, 302, 503, ...(path.includes("/spend?") ? [429] : [])];
    if (!expected.includes(response.status)) errors.push(`${response.status} to ${path}: ${text}`);
    return new Response(text || null, { status: response.status === 302 ? 200 : response.status });
  } catch {
    if (signal?.aborted) {
      count("cut");
      return undefined;
    }
    count("no response");
    await new Promise((resolve) => setTimeout(resolve, 200));
    return undefined;
  }
}

const costOf = (cost_id: string) => ({
  cost_type: "cpc",
  cost_currency: "USD",
  cost_id,
  cost_amount: "0.25",
  tag: "soak",
});
const json = (body: unknown): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

/** Sends a cost until it is confirmed, as a partner would. */
async function sendCost(cost_id: string): Promise<void> {
  while (!isOver) {
    const response = await send(`/cost?${new URLSearchParams(costOf(cost_id))}`, DEMO.costToken, {
      method: "POST",
    });
    if (response?.status !== 200) continue;
    confirmed.costs.add(cost_id);
    return;
  }
}

async function sendBatch(ids: string[]): Promise<void> {
  const response = await send("/cost/batch", DEMO.costToken, json({ costs: ids.map(costOf) }));
  if (response?.status !== 200) return;
  const { results } = (await response.json()) as { results: { status: unknown; cost_id: string }[] };
  for (const result of results) {
    if (result.status === "ok") confirmed.costs.add(result.cost_id);
    else errors.push(`rejected in a batch: ${JSON.stringify(result)}`);
  }
}

async function work(): Promise<void> {
  while (!isOver) {
    const number = nextId++;
    const id = `soak-cost-${String(number).padStart(8, "0")}`;
    const kind = number % 10;
    if (kind < 4) {
      const s2s = kind === 0 ? "&s2s=1" : "";
      const click = send(`/${DEMO.linkToken}?cost_id=${id}${s2s}`);
      if (kind === 1) await Promise.all([click, sendCost(id), sendCost(id)]);
      else {
        if ((await click)?.status === 200 && s2s) confirmed.engagements++;
        await sendCost(id);
      }
    } else if (kind < 6) await sendCost(id);
    else if (kind === 6) await sendBatch(Array.from({ length: 20 }, (_, index) => `${id}-${index}`));
    else if (kind === 7) {
      const key = { "idempotency-key": id, "content-type": "application/json" };
      const init = { ...json({ name: id, parent_token: "demo1nk008" }), headers: key };
      if ((await send(LINKS, DEMO.apiToken, init))?.status === 201) confirmed.links++;
    } else if (kind === 8) await send(`${LINKS}/demo1nk008/children?limit=50`, DEMO.apiToken);
    else await send(`/public/v1/apps/${DEMO.appToken}/spend?from=2026-01-01&to=2026-12-31`, DEMO.apiToken);
  }
}

/** Starts the server in a separate process group, so that it can be killed together with its workerd. */
async function startServer(): Promise<ChildProcess> {
  const server = spawn(process.execPath, [join(import.meta.dirname, "server.ts"), JSON.stringify(settings)], {
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  const lines = createInterface({ input: server.stdout });
  await new Promise((resolve, reject) => {
    lines.on("line", (line) => {
      if (line === "ready") resolve(line);
      else if (line.startsWith("shared: ")) shared = line;
      else count(line);
    });
    server.once("exit", () => reject(new Error("The server exited before it was ready.")));
  });
  return server;
}

async function kill(server: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => server.once("exit", resolve));
  if (server.pid) process.kill(-server.pid, "SIGKILL");
  await ended;
}

/** Samples the memory of a server under load, with `pause` milliseconds between two samples, until a time. */
async function watch(server: ChildProcess, until: number, pause: number): Promise<void> {
  const samples: Sample[] = [];
  memory.push(samples);
  const { readHeap, close } = await openHeap(settings.inspectorPort, settings.name);
  const before = countAll();
  while (Date.now() + pause < until) {
    await sleep(pause);
    const requests = countAll() - before;
    if (requests < WARM_UP_REQUESTS) continue;
    samples.push({ heap: await readHeap(), resident: readResident(server.pid ?? 0), requests });
  }
  close();
  await sleep(Math.max(0, until - Date.now()));
}

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

let starting = startServer();

export async function soak(minutes: number, clients: number): Promise<void> {
  const duration = minutes * 60_000;
  const pause = Math.min(15_000, duration / 16);
  let server = await starting;
  const startedAt = Date.now();
  console.log(`${minutes} minutes of ${clients} clients on ${BASE_URL}`);
  const workers = Array.from({ length: clients }, work);
  await watch(server, startedAt + duration / 2, pause);
  const before = confirmed.costs.size;
  console.log(`Killing the server after ${before} costs; ${shared}`);
  await kill(server);
  const killedAt = Date.now();
  starting = startServer();
  server = await starting;
  console.log(`The server restarted in ${((Date.now() - killedAt) / 1000).toFixed(1)} s`);
  await watch(server, startedAt + duration, pause);
  isOver = true;
  await Promise.all(workers);
  await kill(server);

  const seconds = (Date.now() - startedAt) / 1000;
  const { db, miniflare } = await startBuilt({ name: settings.name, script: "", state: join(state, "data") });
  const found = {
    contradictions: await findContradictions(db, Math.floor(startedAt / DAY_MS) - 1),
    lost: await findLost(db, 1, [...confirmed.costs]),
    costs: await db.prepare("SELECT count(*) AS n FROM ledger_entries WHERE tag = 'soak'").first<number>("n"),
    links: await db
      .prepare("SELECT count(*) AS n FROM links WHERE label LIKE 'soak-cost-%'")
      .first<number>("n"),
  };
  await miniflare.dispose();
  rmSync(state, { recursive: true, force: true });

  if (found.lost.length > 0)
    errors.push(`${found.lost.length} costs that got a 200 are missing: ${found.lost.slice(0, 5)}`);
  if ((found.links ?? 0) < confirmed.links)
    errors.push(`${confirmed.links} links got a 201, but only ${found.links} are stored`);
  errors.push(...found.contradictions);
  for (const [index, samples] of memory.entries()) {
    const span = (samples.at(-1)?.requests ?? 0) - (samples[0]?.requests ?? 0);
    console.log(
      `Server ${index + 1}, ${samples.length} memory samples over ${span} requests after the first ${WARM_UP_REQUESTS}`,
    );
    if (span < MIN_REQUESTS) {
      console.log(`  Its memory is not judged: that takes ${MIN_REQUESTS} requests.`);
      continue;
    }
    for (const what of ["heap", "resident"] as const) {
      const growth = bytesPerRequest(samples, what);
      const name = what === "heap" ? "the Worker's heap after a collection" : "workerd";
      const sizes = samples.map((sample) => (sample[what] / 1024).toFixed(0)).join(" ");
      console.log(`  ${name}, KiB: ${sizes}; ${growth.toFixed(0)} bytes per request`);
      if (growth > MAX_BYTES_PER_REQUEST[what])
        errors.push(`${name} of server ${index + 1} grows by ${growth.toFixed(0)} bytes per request`);
    }
  }
  console.log(`After the kill, ${shared}`);
  if (!/at most (?!1 )\d/.test(shared)) errors.push("no requests shared a call to D1");
  console.log(
    `${seconds.toFixed(0)} s, responses ${[...counts].map(([what, times]) => `${what}: ${times}`).join(", ")}`,
  );
  console.log(
    `${confirmed.costs.size} costs got a 200 (${before} before the kill), ${found.costs} stored; ${confirmed.links} links, ${confirmed.engagements} clicks with s2s=1`,
  );
  for (const error of errors.slice(0, 20)) console.error(error.slice(0, 500));
  console.log(errors.length === 0 ? "No cost was lost or stored twice." : `${errors.length} errors.`);
  if (errors.length > 0) process.exitCode = 1;
}

function countAll(): number {
  return [...counts.values()].reduce((sum, times) => sum + times, 0);
}
