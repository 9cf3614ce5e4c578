/**
 * `npm run soak`: mixed load on the built Worker, with the cron every few seconds, killed in the middle and started again on the
 * same state. Every cost that was answered 200 must be there once, and nothing may be kept of a request. `--minutes N` (10),
 * `--at-once N` (16).
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { DEMO } from "../../src/dev/demo.ts";
import { buildWorker, type Settings, startBuilt } from "../built-worker.ts";
import { findContradictions, findLost, freePort } from "../live-service.ts";
import { keptOfRequest, openInspector, readResident, type Sample } from "./memory.ts";

const { values: flags } = parseArgs({
  options: { minutes: { type: "string", default: "10" }, "at-once": { type: "string", default: "16" } },
});
const duration = Number(flags.minutes) * 60_000;
const atOnce = Number(flags["at-once"]);
const DAY_MS = 24 * 3600 * 1000;
const MEMORY_EVERY_MS = Math.min(15_000, duration / 16);
/** Until an isolate has compiled and cached what it will. */
const WARM_UP_MS = duration / 16;
/**
 * Bytes of a request that may be kept, by the line through the samples of one server. A leak of 1 KiB a request is four times
 * what the heap may keep. The noise is far below: the requests under way and what V8 still compiles are some 100 KiB over
 * thousands of requests. The process is noisier, by megabytes that the allocator keeps.
 */
const MAX_KEPT_BYTES = { heap: 256, resident: 2048 };

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

const told = { costs: new Set<string>(), links: 0, engagements: 0, answers: new Map<string, number>() };
const wrong: string[] = [];
/** Of each server, one after the other. */
const memory: Sample[][] = [];
let isOver = false;
let nextId = 0;

const count = (what: string) => told.answers.set(what, (told.answers.get(what) ?? 0) + 1);

/** Undefined where the server was not there. */
async function ask(path: string, token?: string, init: RequestInit = {}): Promise<Response | undefined> {
  const headers = {
    "user-agent": IPHONE,
    ...(token && { authorization: `Bearer ${token}` }),
    ...init.headers,
  };
  try {
    const response = await fetch(BASE_URL + path, { redirect: "manual", ...init, headers });
    const text = await response.text();
    count(String(response.status));
    const expected = [200, 201, 302, 503];
    if (!expected.includes(response.status)) wrong.push(`${response.status} to ${path}: ${text}`);
    return new Response(text || null, { status: response.status === 302 ? 200 : response.status });
  } catch {
    count("no answer");
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

/** Sends until it is answered, as a partner would: an answer that was lost is no reason to send a cost once only. */
async function sendCost(cost_id: string): Promise<void> {
  while (!isOver) {
    const response = await ask(`/cost?${new URLSearchParams(costOf(cost_id))}`, DEMO.costToken, {
      method: "POST",
    });
    if (response?.status !== 200) continue;
    told.costs.add(cost_id);
    return;
  }
}

async function sendBatch(ids: string[]): Promise<void> {
  const response = await ask("/cost/batch", DEMO.costToken, json({ costs: ids.map(costOf) }));
  if (response?.status !== 200) return;
  const { results } = (await response.json()) as { results: { status: unknown; cost_id: string }[] };
  for (const result of results) {
    if (result.status === "ok") told.costs.add(result.cost_id);
    else wrong.push(`rejected in a batch: ${JSON.stringify(result)}`);
  }
}

async function work(): Promise<void> {
  while (!isOver) {
    const number = nextId++;
    const id = `soak-cost-${String(number).padStart(8, "0")}`;
    const kind = number % 10;
    if (kind < 4) {
      const s2s = kind === 0 ? "&s2s=1" : "";
      const click = ask(`/${DEMO.linkToken}?cost_id=${id}${s2s}`);
      if (kind === 1) await Promise.all([click, sendCost(id), sendCost(id)]);
      else {
        if ((await click)?.status === 200 && s2s) told.engagements++;
        await sendCost(id);
      }
    } else if (kind < 6) await sendCost(id);
    else if (kind === 6) await sendBatch(Array.from({ length: 20 }, (_, index) => `${id}-${index}`));
    else if (kind === 7) {
      const key = { "idempotency-key": id, "content-type": "application/json" };
      const init = { ...json({ name: id, parent_token: "demo1nk008" }), headers: key };
      if ((await ask(LINKS, DEMO.apiToken, init))?.status === 201) told.links++;
    } else if (kind === 8) await ask(`${LINKS}/demo1nk008/children?limit=50`, DEMO.apiToken);
    else await ask(`/public/v1/apps/${DEMO.appToken}/spend?from=2026-01-01&to=2026-12-31`, DEMO.apiToken);
  }
}

/** The server in a process group of its own, so that it and its workerd are killed as one. */
async function startServer(): Promise<ChildProcess> {
  const server = spawn(process.execPath, [join(import.meta.dirname, "server.ts"), JSON.stringify(settings)], {
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  const lines = createInterface({ input: server.stdout });
  await new Promise((resolve, reject) => {
    lines.on("line", (line) => (line === "ready" ? resolve(line) : count(line)));
    server.once("exit", () => reject(new Error("the server ended before it was ready")));
  });
  return server;
}

async function kill(server: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => server.once("exit", resolve));
  if (server.pid) process.kill(-server.pid, "SIGKILL");
  await ended;
}

/** Lets the load run on a server until a time, and looks at its memory. */
async function watch(server: ChildProcess, until: number): Promise<void> {
  const samples: Sample[] = [];
  memory.push(samples);
  const { readHeap, close } = await openInspector(settings.inspectorPort, settings.name);
  await sleep(WARM_UP_MS);
  while (Date.now() + MEMORY_EVERY_MS < until) {
    const sample = { heap: await readHeap(), resident: readResident(server.pid ?? 0), requests: countAll() };
    samples.push(sample);
    await sleep(MEMORY_EVERY_MS);
  }
  close();
  await sleep(Math.max(0, until - Date.now()));
}

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

let server = await startServer();
const startedAt = Date.now();
console.log(`${flags.minutes} minutes of ${atOnce} clients on ${BASE_URL}`);
const workers = Array.from({ length: atOnce }, work);
await watch(server, startedAt + duration / 2);
const before = told.costs.size;
console.log(`killing the server after ${before} costs`);
await kill(server);
const killedAt = Date.now();
server = await startServer();
console.log(`it was back after ${((Date.now() - killedAt) / 1000).toFixed(1)} s`);
await watch(server, startedAt + duration);
isOver = true;
await Promise.all(workers);
await kill(server);

const seconds = (Date.now() - startedAt) / 1000;
const { db, miniflare } = await startBuilt({ name: settings.name, script: "", state: join(state, "data") });
const found = {
  contradictions: await findContradictions(db, Math.floor(startedAt / DAY_MS) - 1),
  lost: await findLost(db, 1, [...told.costs]),
  costs: await db.prepare("SELECT count(*) AS n FROM costs WHERE tag = 'soak'").first<number>("n"),
  links: await db
    .prepare("SELECT count(*) AS n FROM links WHERE label LIKE 'soak-cost-%'")
    .first<number>("n"),
};
await miniflare.dispose();
rmSync(state, { recursive: true, force: true });

if (found.lost.length > 0)
  wrong.push(`${found.lost.length} costs that were answered 200 are not there: ${found.lost.slice(0, 5)}`);
if ((found.links ?? 0) < told.links)
  wrong.push(`${told.links} links were answered 201, ${found.links} are there`);
wrong.push(...found.contradictions);
for (const [index, samples] of memory.entries()) {
  const span = (samples.at(-1)?.requests ?? 0) - (samples[0]?.requests ?? 0);
  console.log(`server ${index + 1}, ${samples.length} looks at its memory over ${span} requests`);
  for (const what of ["heap", "resident"] as const) {
    const kept = keptOfRequest(samples, what);
    const name = what === "heap" ? "the Worker's heap after a collection" : "workerd";
    const sizes = samples.map((sample) => (sample[what] / 1024).toFixed(0)).join(" ");
    console.log(`  ${name}, KiB: ${sizes}; ${kept.toFixed(0)} bytes a request`);
    if (kept > MAX_KEPT_BYTES[what])
      wrong.push(`${name} of server ${index + 1} keeps ${kept.toFixed(0)} bytes of a request`);
  }
}
console.log(
  `${seconds.toFixed(0)} s, answers ${[...told.answers].map(([what, times]) => `${what}: ${times}`).join(", ")}`,
);
console.log(
  `${told.costs.size} costs answered 200, ${found.costs} stored, ${before} of them told before the kill; ${told.links} links, ${told.engagements} committed clicks`,
);
for (const fault of wrong.slice(0, 20)) console.error(fault.slice(0, 500));
console.log(wrong.length === 0 ? "Nothing was lost, nothing was doubled." : `${wrong.length} errors.`);
process.exit(wrong.length === 0 ? 0 : 1);

function countAll(): number {
  return [...told.answers.values()].reduce((sum, times) => sum + times, 0);
}
