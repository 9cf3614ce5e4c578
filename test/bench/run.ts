/**
 * `npm run bench`: how fast the built Worker is beside a bare one, what it costs, and what stays flat as it grows.
 * Flags: `--pairs 5`, `--seconds 1.5` a run, `--connections 1,16,64`, `--only <part of a name>`, `--no-growth`.
 */
import { parseArgs } from "node:util";
import { measureGrowth } from "./growth.ts";
import { BATCH_SIZE, drive, LOADS, type Load, type Speed } from "./load.ts";
import {
  addCosts,
  addLinks,
  buildWorker,
  measureStartUp,
  type Server,
  startBare,
  startWorker,
} from "./servers.ts";

const { values: flags } = parseArgs({
  options: {
    pairs: { type: "string", default: "5" },
    seconds: { type: "string", default: "1.5" },
    connections: { type: "string", default: "1,16,64" },
    only: { type: "string", default: "" },
    growth: { type: "boolean", default: true },
  },
  allowNegative: true,
});

const { script, gzipBytes } = buildWorker();
const loads = LOADS.filter((load) => load.name.includes(flags.only));
const worker = await startWorker(script);
const bare = await startBare();
try {
  for (const server of [worker, bare]) await prepare(server);
  const rows = [];
  for (const load of loads) {
    for (const connections of flags.connections.split(",").map(Number)) {
      rows.push({ load: load.name, connections, ...(await compare(load, connections)) });
    }
  }
  console.table(rows);
  sayBatch(rows);
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
async function prepare({ db, url }: Server): Promise<void> {
  await addLinks(db, 2_000);
  await addCosts(db, 40_000, Date.now() - 3600 * 1000);
  for (const load of loads) await drive(url, load, 16, 1);
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

/** Drives both alternately; the median of the pairs. */
async function compare(load: Load, connections: number) {
  const pairs: { worker: Run; bare: Run }[] = [];
  for (let pair = 0; pair < Number(flags.pairs); pair++) {
    const early = pair % 2 === 0 ? await measure(worker, load, connections) : undefined;
    const beside = await measure(bare, load, connections);
    pairs.push({ worker: early ?? (await measure(worker, load, connections)), bare: beside });
  }
  const middle = (pick: (pair: { worker: Run; bare: Run }) => number) => median(pairs.map(pick));
  return {
    "requests/s": Math.round(middle((pair) => pair.worker.rate)),
    "p50 ms": round(middle((pair) => pair.worker.p50)),
    "p99 ms": round(middle((pair) => pair.worker.p99)),
    "bare/s": Math.round(middle((pair) => pair.bare.rate)),
    ratio: round(middle((pair) => pair.worker.rate / pair.bare.rate)),
    "CPU ms": round(middle((pair) => pair.worker.cpu)),
    "over bare": round(middle((pair) => pair.worker.cpu - pair.bare.cpu)),
  };
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
