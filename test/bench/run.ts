/**
 * `npm run bench`: how fast the built Worker is beside a bare one, what it costs, and what stays flat as it grows.
 * Flags: `--pairs 5`, `--seconds 3` a run, `--connections 1,16,64`, `--only <part of a name>`, `--no-growth`.
 */
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { buildWorker } from "../built-worker.ts";
import { measureGrowth } from "./growth.ts";
import { BATCH_SIZE, drive, LOADS, type Load, type Speed } from "./load.ts";
import {
  addCosts,
  addLinks,
  measureStartUp,
  type Server,
  startBare,
  startUnlimited,
  startWorker,
} from "./servers.ts";

const { values: flags } = parseArgs({
  options: {
    pairs: { type: "string", default: "5" },
    seconds: { type: "string", default: "3" },
    connections: { type: "string", default: "1,16,64" },
    only: { type: "string", default: "" },
    growth: { type: "boolean", default: true },
  },
  allowNegative: true,
});

/** What an isolate needs until its code is compiled as well as it gets. */
const WARM_UP_SECONDS = 3;

const { script, gzipBytes } = buildWorker();
const loads = LOADS.filter((load) => load.name.includes(flags.only));
const connections = flags.connections.split(",").map(Number);
const { version: workerd } = JSON.parse(readFileSync("node_modules/workerd/package.json", "utf8"));
const worker = await startWorker(script);
const bare = await startBare();
try {
  console.log(
    `Node ${process.versions.node}, workerd ${workerd}, ${availableParallelism()} cores, median of ${flags.pairs} pairs`,
  );
  for (const server of [worker, bare]) await prepare(server, loads);
  const rows = [];
  for (const load of loads) {
    for (const count of connections) {
      rows.push({ load: load.name, connections: count, ...(await compareWithBare(load, count)) });
    }
  }
  console.table(rows);
  sayBatch(rows);
  const [cost] = loads.filter(({ name }) => name === "POST /cost");
  if (cost) await measureLimiters(cost);
  console.log(`Bundle: ${(gzipBytes / 1024).toFixed(1)} KiB gzip (aim: under 100)`);
  console.log(
    `Start-up: ${measureStartUp()} ms of V8's time, as wrangler check startup says (aim: under 50)`,
  );
  if (flags.growth) await measureGrowth(worker);
} finally {
  await worker.stop();
  await bare.stop();
}

/** Something to find, and warm caches. */
async function prepare({ db, url }: Server, loads: Load[]): Promise<void> {
  await addLinks(db, 2_000);
  await addCosts(db, 40_000, Date.now() - 3600 * 1000);
  for (const load of loads) await drive(url, load, 16, WARM_UP_SECONDS);
}

interface Run extends Speed {
  /** Milliseconds of workerd's CPU a request, D1 and KV included; NaN where the system does not say. */
  cpu: number;
}

async function measure(server: Server, load: Load, connections: number): Promise<Run> {
  const before = server.cpuTime() ?? Number.NaN;
  const speed = await drive(server.url, load, connections, Number(flags.seconds));
  return { ...speed, cpu: ((server.cpuTime() ?? Number.NaN) - before) / speed.requests };
}

/** Of the pairs' figures, the one in the middle. */
type Middle = (pick: (left: Run, right: Run) => number) => number;

/** Drives two servers alternately. */
async function compare(left: Server, right: Server, load: Load, connections: number): Promise<Middle> {
  const pairs: [Run, Run][] = [];
  for (let pair = 0; pair < Number(flags.pairs); pair++) {
    const early = pair % 2 === 0 ? await measure(left, load, connections) : undefined;
    const beside = await measure(right, load, connections);
    pairs.push([early ?? (await measure(left, load, connections)), beside]);
  }
  return (pick) => median(pairs.map(([one, other]) => pick(one, other)));
}

async function compareWithBare(load: Load, connections: number) {
  const middle = await compare(worker, bare, load, connections);
  return {
    "requests/s": Math.round(middle((ours) => ours.rate)),
    "p50 ms": round(middle((ours) => ours.p50)),
    "p99 ms": round(middle((ours) => ours.p99)),
    "bare/s": Math.round(middle((_, beside) => beside.rate)),
    ratio: round(middle((ours, beside) => ours.rate / beside.rate)),
    "CPU ms": round(middle((ours) => ours.cpu)),
    "over bare": round(middle((ours, beside) => ours.cpu - beside.cpu)),
  };
}

/** Both Workers of the table count the uses of a credential; here one of two does. */
async function measureLimiters(load: Load): Promise<void> {
  const unlimited = await startUnlimited(script);
  const rows = [];
  try {
    await prepare(unlimited, [load]);
    for (const count of connections) {
      const middle = await compare(worker, unlimited, load, count);
      rows.push({
        connections: count,
        "with/s": Math.round(middle((limited) => limited.rate)),
        "without/s": Math.round(middle((_, free) => free.rate)),
        ratio: round(middle((limited, free) => limited.rate / free.rate)),
        "p50 ms of them": round(middle((limited, free) => limited.p50 - free.p50)),
        "CPU ms of them": round(middle((limited, free) => limited.cpu - free.cpu)),
      });
    }
  } finally {
    await unlimited.stop();
  }
  console.log(
    `\n${load.name} with rate limiters and without. Locally a Durable Object currentMatch in for them`,
  );
  console.table(rows);
}

function sayBatch(rows: { load: string; connections: number; "requests/s": number }[]): void {
  const rate = (name: string, connections: number) =>
    rows.find((row) => row.load.startsWith(name) && row.connections === connections)?.["requests/s"];
  for (const connections of new Set(rows.map((row) => row.connections))) {
    const [single, batch] = [rate(LOADS[0]?.name ?? "", connections), rate("POST /cost/batch", connections)];
    if (!single || !batch) continue;
    const times = ((batch * BATCH_SIZE) / single).toFixed(1);
    console.log(
      `${connections} connections: ${batch * BATCH_SIZE} costs/s in batches, ${times} times single calls`,
    );
  }
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
