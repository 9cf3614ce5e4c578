/**
 * Puts mixed load on the built Worker with the crons every few seconds, cuts some connections, kills it halfway, and restarts it on
 * the same state. Every cost that got a 200 must be stored once, no event of an alert or a webhook may be lost, no other request may
 * notice a cut, and memory must not grow with the number of requests.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { demoToken } from "../../src/dev/demo/secrets.ts";
import { DEMO } from "../../src/dev/demo.ts";
import { dayOf } from "../../src/domain/time.ts";
import { type BuiltWorker, buildWorker, startBuilt } from "../built-worker.ts";
import { findContradictions, findLost, freePort } from "../live-service.ts";
import { BINDINGS } from "../receiver.ts";
import { addWebhooks, drain, findEventErrors, type Kill, readKill } from "./events.ts";
import { findLeaks, openHeap, readResident, type Sample, WARM_UP_REQUESTS } from "./memory.ts";
import { Receiver } from "./receiver.ts";
import type { ServerSettings } from "./server.ts";

const state = mkdtempSync(join(tmpdir(), "linkledger-soak-"));
const { script } = buildWorker();
const settings = { name: "worker", bindings: BINDINGS, state: join(state, "data") };
const [port, inspectorPort] = [await freePort(), await freePort()];
const BASE_URL = `http://127.0.0.1:${port}`;
const LINKS = `/public/v1/apps/${DEMO.appToken}/trackers`;
const IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)";

/** The partner of most costs, and one whose costs pause in bad times, and its clicks do not. `costs`: those that got a 200. */
const ACME = { id: 1, token: DEMO.costToken, costs: new Set<string>() };
const ECHO = { id: 5, token: demoToken("live", "Echo"), costs: new Set<string>() };
const ECHO_LINK = "demo1nk016";

/** The share of requests whose client leaves, and within how many milliseconds. */
const CUT = { share: 0.1, within: 50 };

/** An hour of the crons, and the hours that pass at most, so that the purge keeps all costs. */
const SHORTEST_HOUR_MS = 5_000;
const MOST_HOURS = 120;
/** Times in which alerts open, and those in which they close, take so many of these hours in turn. */
const HOURS_IN_TURN = 5;
const TEST_EVERY_MS = 1_000;
const ECHO_EVERY_MS = 300;

const confirmed = { links: 0, engagements: 0, tests: 0 };
const receiver = new Receiver();
const kills: Kill[] = [];
/** How many times each status or event occurred. */
const counts = new Map<string, number>();
const errors: string[] = [];
/** The samples of each server, in order. */
const memory: Sample[][] = [];
let isOver = false;
/** What the running server last said about requests that shared calls. */
let shared = "";
let nextId = 0;
/** Costs are rejected, and those of ECHO pause. */
let isBad = true;
let starting: Promise<ChildProcess>;

const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1);

/**
 * Returns undefined if the server is down. Waits until it is ready: before that, miniflare makes blocking calls to workerd, and both
 * hang if log lines fill the pipe between them.
 */
async function send(
  path: string,
  token?: string,
  init: RequestInit = {},
  isWrong = false,
): Promise<Response | undefined> {
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
    const ofKind = isWrong ? [400] : path.includes("/spend?") ? [200, 429] : [200, 201, 302];
    const expected = [...ofKind, 503];
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

const POST = { method: "POST" };

/** Sends a cost until it is confirmed, as a partner would. */
async function sendCost(cost_id: string, { token, costs } = ACME): Promise<void> {
  while (!isOver) {
    const response = await send(`/cost?${new URLSearchParams(costOf(cost_id))}`, token, POST);
    if (response?.status !== 200) continue;
    costs.add(cost_id);
    return;
  }
}

/** Sends a cost that is rejected, because another one with its ID was confirmed. */
async function sendConflict(cost_id: string): Promise<void> {
  const cost = { ...costOf(cost_id), cost_currency: "EUR" };
  await send(`/cost?${new URLSearchParams(cost)}`, ACME.token, POST, true);
}

async function sendBatch(ids: string[]): Promise<void> {
  const response = await send("/cost/batch", DEMO.costToken, json({ costs: ids.map(costOf) }));
  if (response?.status !== 200) return;
  const { results } = (await response.json()) as { results: { status: unknown; cost_id: string }[] };
  for (const result of results) {
    if (result.status === "ok") ACME.costs.add(result.cost_id);
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
        if (s2s && isBad && ACME.costs.has(id)) await Promise.all([sendConflict(id), sendConflict(id)]);
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

/** Asks for an event of each webhook in turn. */
async function testWebhooks(): Promise<void> {
  for (let number = 0; !isOver; number++) {
    const { id } = [...receiver.hooks.values()][number % receiver.hooks.size] ?? {};
    const response = await send(`/operator/v1/webhooks/${id}/test`, DEMO.operatorToken, POST);
    if (response?.ok) confirmed.tests++;
    await sleep(TEST_EVERY_MS);
  }
}

async function sendOfEcho(): Promise<void> {
  for (let number = 0; !isOver; number++) {
    const id = `soak-echo-${String(number).padStart(8, "0")}`;
    await send(`/${ECHO_LINK}?cost_id=${id}&s2s=1`);
    if (!isBad) await sendCost(id, ECHO);
    await sleep(ECHO_EVERY_MS);
  }
}

/** Starts the server in a separate process group, so that it can be killed together with its workerd. */
async function startServer(settings: ServerSettings): Promise<ChildProcess> {
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
      if (line.startsWith("cron ") && line !== "cron ok") errors.push(line);
    });
    server.once("exit", () => reject(new Error("The server exited before it was ready.")));
  });
  return server;
}

async function kill(server: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => server.once("exit", resolve));
  if (server.pid) process.kill(-server.pid, "SIGKILL");
  await ended;
  kills.push(await whileStopped((built) => readKill(built, receiver)));
}

/** Uses the state while no server runs. */
async function whileStopped<T>(use: (built: BuiltWorker) => Promise<T>): Promise<T> {
  const built = await startBuilt({ ...settings, script });
  const result = await use(built);
  await built.stop();
  return result;
}

/** Samples the memory of a server under load, with `pause` milliseconds between two samples, until a time. */
async function watch(server: ChildProcess, until: number, pause: number): Promise<void> {
  const samples: Sample[] = [];
  memory.push(samples);
  const { readHeap, close } = await openHeap(inspectorPort, settings.name);
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

export async function soak(minutes: number, clients: number): Promise<void> {
  const duration = minutes * 60_000;
  const pause = Math.min(15_000, duration / 16);
  const { base, stop } = await receiver.start();
  await whileStopped((built) => addWebhooks(built, base, receiver.hooks));
  const startedAt = Date.now();
  const hour = Math.max(SHORTEST_HOUR_MS, duration / MOST_HOURS);
  const file = join(state, "index.js");
  writeFileSync(file, script);
  const ofServer = { ...settings, script: file, port, inspectorPort, startedAt, hour };
  // With a queue for the clicks, and after the kill without one.
  starting = startServer({ ...ofServer, queue: true });
  let server = await starting;
  console.log(`${minutes} minutes of ${clients} clients on ${BASE_URL}`);
  const turns = setInterval(() => {
    isBad = !isBad;
  }, HOURS_IN_TURN * hour);
  const workers = [...Array.from({ length: clients }, work), testWebhooks(), sendOfEcho()];
  await watch(server, startedAt + duration / 2, pause);
  await Promise.race([receiver.nextAccepted(), sleep(30_000)]);
  const before = ACME.costs.size;
  console.log(`Killing the server after ${before} costs; ${shared}`);
  const killedAt = Date.now();
  starting = kill(server).then(() => startServer(ofServer));
  server = await starting;
  console.log(`The server restarted in ${((Date.now() - killedAt) / 1000).toFixed(1)} s`);
  await watch(server, startedAt + duration, pause);
  clearInterval(turns);
  isOver = true;
  await Promise.all(workers);
  await kill(server);
  receiver.isReliable = true;

  const seconds = (Date.now() - startedAt) / 1000;
  const found = await whileStopped(async (built) => {
    errors.push(...(await drain(built)));
    const { db } = built;
    const countOf = (from: string) => db.prepare(`SELECT count(*) AS n FROM ${from}`).first<number>("n");
    errors.push(...(await findEventErrors(db, receiver, kills, confirmed.tests)));
    return {
      contradictions: await findContradictions(db, dayOf(startedAt) - 1),
      lost: (await Promise.all([ACME, ECHO].map(({ id, costs }) => findLost(db, id, [...costs])))).flat(),
      costs: await countOf("ledger_entries WHERE tag = 'soak'"),
      links: await countOf("links WHERE label LIKE 'soak-cost-%'"),
    };
  });
  stop();
  rmSync(state, { recursive: true, force: true });

  if (found.lost.length > 0)
    errors.push(`${found.lost.length} costs that got a 200 are missing: ${found.lost.slice(0, 5)}`);
  if ((found.links ?? 0) < confirmed.links)
    errors.push(`${confirmed.links} links got a 201, but only ${found.links} are stored`);
  errors.push(...found.contradictions);
  errors.push(...findLeaks(memory));
  console.log(`After the kill, ${shared}`);
  if (!/at most (?!1 )\d/.test(shared)) errors.push("no requests shared a call to D1");
  console.log(
    `${seconds.toFixed(0)} s, responses ${[...counts].map(([what, times]) => `${what}: ${times}`).join(", ")}`,
  );
  console.log(
    `${ACME.costs.size + ECHO.costs.size} costs got a 200 (${before} before the kill), ${found.costs} stored; ${confirmed.links} links, ${confirmed.engagements} clicks with s2s=1`,
  );
  for (const error of errors.slice(0, 20)) console.error(error.slice(0, 500));
  console.log(
    errors.length === 0 ? "No cost or event was lost or stored twice." : `${errors.length} errors.`,
  );
  if (errors.length > 0) process.exitCode = 1;
}

function countAll(): number {
  return [...counts.values()].reduce((sum, times) => sum + times, 0);
}
