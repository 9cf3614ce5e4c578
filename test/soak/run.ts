/**
 * `npm run soak`: mixed load on the service as `npm start` runs it, with the cron every few seconds, killed in the middle and
 * started again on the same state. Every cost that was answered 200 must be there once. `--minutes N` (10), `--at-once N` (16).
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { findContradictions, findLost, freePort, readState, startService } from "../live-service.ts";

const { values: flags } = parseArgs({
  options: { minutes: { type: "string", default: "10" }, "at-once": { type: "string", default: "16" } },
});
const duration = Number(flags.minutes) * 60_000;
const atOnce = Number(flags["at-once"]);
const DAY_MS = 24 * 3600 * 1000;
const CRON_EVERY_MS = 5_000;
const MEMORY_EVERY_MS = 5_000;
/**
 * `wrangler dev` itself keeps about 90 KiB of every request, of a Worker that only says "ok" too, and more where D1 is asked.
 * What is kept beyond this is the service's.
 */
const MAX_KIB_A_REQUEST = 300;

const state = mkdtempSync(join(tmpdir(), "linkledger-soak-"));
const port = await freePort();
let service = await startService(state, port);
const { BASE_URL = "", APP_TOKEN = "", LINK_TOKEN = "", API_TOKEN = "", COST_TOKEN = "" } = service.names;
const LINKS = `/public/v1/apps/${APP_TOKEN}/trackers`;
const IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)";

const told = { costs: new Set<string>(), links: 0, engagements: 0, answers: new Map<string, number>() };
const wrong: string[] = [];
const memory: { requests: number; run: number; workerd: number }[] = [];
let run = 1;
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
    const response = await ask(`/cost?${new URLSearchParams(costOf(cost_id))}`, COST_TOKEN, {
      method: "POST",
    });
    if (response?.status !== 200) continue;
    told.costs.add(cost_id);
    return;
  }
}

async function sendBatch(ids: string[]): Promise<void> {
  const response = await ask("/cost/batch", COST_TOKEN, json({ costs: ids.map(costOf) }));
  if (response?.status !== 200) return;
  const { results } = (await response.json()) as { results: { status: unknown; cost_id: string }[] };
  for (const result of results) {
    if (result.status === "ok") told.costs.add(result.cost_id);
    else wrong.push(`refused in a batch: ${JSON.stringify(result)}`);
  }
}

async function work(): Promise<void> {
  while (!isOver) {
    const number = nextId++;
    const id = `soak-cost-${String(number).padStart(8, "0")}`;
    const kind = number % 10;
    if (kind < 4) {
      const s2s = kind === 0 ? "&s2s=1" : "";
      const click = ask(`/${LINK_TOKEN}?cost_id=${id}${s2s}`);
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
      if ((await ask(LINKS, API_TOKEN, init))?.status === 201) told.links++;
    } else if (kind === 8) await ask(`${LINKS}/demo1nk008/children?limit=50`, API_TOKEN);
    else await ask(`/public/v1/apps/${APP_TOKEN}/spend?from=2026-01-01&to=2026-12-31`, API_TOKEN);
  }
}

const startedAt = Date.now();
console.log(`${flags.minutes} minutes of ${atOnce} clients on ${BASE_URL}`);
const crons = setInterval(
  () =>
    void fetch(`${BASE_URL}/cdn-cgi/handler/scheduled`).then(
      ({ status }) => count(`cron ${status}`),
      () => count("no cron"),
    ),
  CRON_EVERY_MS,
);
const sampling = setInterval(() => {
  const now = service.memory();
  if (now && now.workerd > 0) memory.push({ requests: countAll(), run, workerd: now.workerd });
}, MEMORY_EVERY_MS);
const workers = Array.from({ length: atOnce }, work);

await new Promise((resolve) => setTimeout(resolve, duration / 2));
const before = told.costs.size;
console.log(`killing the server after ${before} costs`);
await service.stop("SIGKILL");
const killedAt = Date.now();
service = await startService(state, port);
run++;
console.log(`it was back after ${((Date.now() - killedAt) / 1000).toFixed(1)} s`);
await new Promise((resolve) => setTimeout(resolve, Math.max(0, startedAt + duration - Date.now())));
isOver = true;
clearInterval(crons);
clearInterval(sampling);
await Promise.all(workers);
await service.stop();

const seconds = (Date.now() - startedAt) / 1000;
const found = await readState(state, async (db) => ({
  contradictions: await findContradictions(db, Math.floor(startedAt / DAY_MS) - 1),
  lost: await findLost(db, 1, [...told.costs]),
  costs: await db.prepare("SELECT count(*) AS n FROM costs WHERE tag = 'soak'").first<number>("n"),
  links: await db
    .prepare("SELECT count(*) AS n FROM links WHERE label LIKE 'soak-cost-%'")
    .first<number>("n"),
}));
rmSync(state, { recursive: true, force: true });

if (found.lost.length > 0)
  wrong.push(`${found.lost.length} costs that were answered 200 are not there: ${found.lost.slice(0, 5)}`);
if ((found.links ?? 0) < told.links)
  wrong.push(`${told.links} links were answered 201, ${found.links} are there`);
wrong.push(...found.contradictions);
for (const number of [1, 2]) {
  const samples = memory.filter((sample) => sample.run === number);
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last || first === last) continue;
  const kib = ((last.workerd - first.workerd) * 1024) / (last.requests - first.requests);
  console.log(
    `memory of workerd, server ${number}: ${first.workerd.toFixed(0)} to ${last.workerd.toFixed(0)} MiB, ${kib.toFixed(0)} KiB a request`,
  );
  if (kib > MAX_KIB_A_REQUEST) wrong.push(`server ${number} keeps more of a request than wrangler dev does`);
}
console.log(
  `${seconds.toFixed(0)} s, answers ${[...told.answers].map(([what, times]) => `${what}: ${times}`).join(", ")}`,
);
console.log(
  `${told.costs.size} costs answered 200, ${found.costs} stored, ${before} of them told before the kill; ${told.links} links, ${told.engagements} committed clicks`,
);
for (const fault of wrong.slice(0, 20)) console.error(fault.slice(0, 500));
console.log(wrong.length === 0 ? "Nothing was lost, nothing was doubled." : `${wrong.length} faults.`);
process.exit(wrong.length === 0 ? 0 : 1);

function countAll(): number {
  return [...told.answers.values()].reduce((sum, times) => sum + times, 0);
}
