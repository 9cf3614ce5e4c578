/**
 * `npm run bench -- --sign-in`: shows that clicks stay fast while 200 sign-ins are tried in one isolate, first over 16 connections
 * without a pause, then spread over ten seconds. Every sign-in comes from another address and the rate limiters allow all of them, so only the pace of
 * password hashing protects the clicks.
 */
import { request } from "node:http";
import { DEMO } from "../../src/dev/demo.ts";
import { buildWorker, startBuilt } from "../built-worker.ts";
import { openConnections } from "./load.ts";

const SIGN_INS = 200;
const AIMS = { median: 20, p99: 400 };
const SPREAD_MS = 10_000;
const CLICK_EVERY_MS = 10;
const MINIMUM_MS = 5_000;

const agent = openConnections();
let url = "";

/** Returns whether the aims are met. */
export async function measureSignIns(): Promise<boolean> {
  const built = await startBuilt({ name: "ours", script: buildWorker().script });
  url = built.url;
  // Warms the isolate up.
  for (let index = 0; index < 100; index++) await click();
  for (let index = 0; index < 4; index++) await signIn(SIGN_INS + index);
  await measure("no sign-ins", async () => undefined);
  const flood = await measure("no pause", () => trySignIns(16, 0));
  const spread = await measure("over 10 s", () => trySignIns(SIGN_INS, SPREAD_MS / SIGN_INS));
  agent.destroy();
  await built.stop();
  console.log(`Aims: median under ${AIMS.median} ms, p99 under ${AIMS.p99} ms.`);
  return flood && spread;
}

/**
 * Opens a link every 10 ms until the work is done and for at least five seconds, and prints how long the clicks took. Returns whether the
 * aims are met.
 */
async function measure(name: string, work: () => Promise<string | undefined>) {
  const times: Promise<number>[] = [];
  const clicking = setInterval(() => times.push(click()), CLICK_EVERY_MS);
  const [outcome] = await Promise.all([work(), pause(MINIMUM_MS)]);
  clearInterval(clicking);
  const sorted = (await Promise.all(times)).sort((left, right) => left - right);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  const [median, p99] = [at(0.5), at(0.99)];
  const figures = [`${sorted.length} clicks`, `median ${median.toFixed(1)} ms`, `p99 ${p99.toFixed(0)} ms`];
  console.log([name.padEnd(12), ...figures, ...(outcome ? [outcome] : [])].join("  "));
  return median < AIMS.median && p99 < AIMS.p99;
}

/** Tries wrong passwords over this many connections, which start one after the other with a pause. Returns the statuses. */
async function trySignIns(connections: number, pauseMs: number): Promise<string> {
  const waiting = Array.from({ length: SIGN_INS }, (_, index) => index).values();
  const statuses: number[] = [];
  const connect = async (number: number) => {
    await pause(number * pauseMs);
    for (const index of waiting) {
      statuses.push(await signIn(index));
      if (pauseMs > 0) return;
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, number) => connect(number)));
  return [...Map.groupBy(statuses, String)].map(([status, all]) => `${status} × ${all.length}`).join(", ");
}

async function click(): Promise<number> {
  const started = performance.now();
  const status = await send("GET", `/${DEMO.linkToken}`, { "user-agent": "Mozilla/5.0 (bench)" });
  if (status !== 302) throw new Error(`A click was answered ${status}.`);
  return performance.now() - started;
}

function signIn(index: number): Promise<number> {
  const address = `198.51.${Math.floor(index / 250)}.${index % 250}`;
  const headers = {
    "cf-connecting-ip": address,
    "content-type": "application/x-www-form-urlencoded",
    accept: "text/html",
  };
  const body = new URLSearchParams({ email: DEMO.email, password: "not-the-password" });
  return send("POST", "/login", headers, body.toString());
}

function send(method: string, path: string, headers: Record<string, string>, body?: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { agent, method, headers }, (answer) => {
      answer.resume();
      answer.once("end", () => resolve(answer.statusCode ?? 0));
    });
    sent.once("error", reject);
    sent.end(body);
  });
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
