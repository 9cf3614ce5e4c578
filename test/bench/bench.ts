/** Compares the built Worker with a bare one, and with another revision. README.md beside it explains the output. */
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { expectDefined } from "../../src/domain/expect-defined.ts";
import { MAX_SCRIPT_KIB } from "../built-worker.ts";
import { countCalls, measurePairs } from "./compare.ts";
import type { Flags } from "./flags.ts";
import { measureGrowth } from "./growth.ts";
import { measurePages } from "./pages.ts";
import { PATHS, type Path } from "./paths.ts";
import { type Measured, printBatch, printHeader, printLine } from "./print.ts";
import { printProfile } from "./profile.ts";
import { measureReports } from "./reports.ts";
import { buildCheckout, type Checkout, checkOut } from "./revision.ts";
import {
  type Prepared,
  prepare,
  prepareBare,
  prepareCounting,
  prepareQueue,
  type Server,
  start,
} from "./servers.ts";
import { findDifference } from "./shape.ts";
import { measureSignIns } from "./sign-in.ts";
import { measureStartUp } from "./start-up.ts";

/** The revision beside which pages are measured, as the paths are. */
const PAGES_BEFORE = "8ac4c3a";

/** A profile has this many times the requests of a pair. */
const PROFILED_TURNS = 10;

const servers: Server[] = [];
/** Like `servers`, with a queue. */
const queueServers: Server[] = [];
/** Count the calls of our Worker to D1, without and with a queue. They are not measured. */
const counting: Server[] = [];

/** What is measured, and a folder for it. */
interface Bench {
  flags: Flags;
  paths: Path[];
  connections: number[];
  pairs: number;
  folder: string;
}

/** Runs what the flags of run.ts ask for. Returns whether it is within its limits, which the comparison of paths does not have. */
export async function bench(flags: Flags): Promise<boolean> {
  const { only = "", turns = 20, calls = "2" } = flags;
  const folder = mkdtempSync(join(tmpdir(), "linkledger-bench-"));
  const chosen: Bench = {
    flags,
    paths: findPaths(only),
    connections: (flags.connections ?? "16").split(",").map(Number),
    pairs: Number(flags.pairs ?? 7),
    folder,
  };
  try {
    if (flags["start-up"]) {
      await measureStartUp();
      return true;
    }
    if (flags["sign-in"]) return await measureSignIns();
    if (flags.reports) return await measureReports();
    if (flags.pages) {
      const revision = flags.against ?? PAGES_BEFORE;
      const before = await buildCheckout(revision, checkOut(revision, join(folder, "revision")));
      return await measurePages(await buildCheckout("ours"), before, only, Number(turns));
    }
    console.log("Building the servers and filling them with data");
    const checkout = await buildCheckout("ours");
    checkout.settings.bindings = { GROUP_CALLS: calls };
    const ours = await prepare(checkout, join(folder, "ours"));
    if (flags.profile) await profile(chosen, ours);
    else await measure(chosen, checkout, ours);
    return true;
  } finally {
    for (const server of [...servers, ...queueServers, ...counting]) await server.stop();
    rmSync(folder, { recursive: true });
  }
}

/** Those with one of these names, or with the text in their names. */
function findPaths(only: string): Path[] {
  return only.split(",").flatMap((text) => {
    const named = PATHS.filter(({ name }) => name === text);
    return named.length > 0 ? named : PATHS.filter(({ name }) => name.includes(text));
  });
}

async function profile({ paths, connections }: Bench, ours: Prepared): Promise<void> {
  const withQueue = prepareQueue(ours);
  for (const path of paths) {
    for (const count of connections) {
      await printProfile(path.queue ? withQueue : ours, path, count, PROFILED_TURNS * path.requests);
    }
  }
}

async function measure(bench: Bench, checkout: Checkout, ours: Prepared): Promise<void> {
  const { flags, paths, folder } = bench;
  const prepared = [ours, await prepareBare(ours, join(folder, "bare"))];
  if (flags.against) prepared.push(await prepareRevision(flags.against, folder));
  if (flags["no-log"]) prepared.push(prepareQuiet(ours));
  const withQueue = paths.some((path) => path.queue) ? prepared.map(prepareQueue) : [];
  for (const one of prepared) servers.push(await start(one));
  for (const one of withQueue) queueServers.push(await start(one));
  for (const one of [ours, ...withQueue.slice(0, 1)]) counting.push(await start(prepareCounting(one)));
  printMachine(bench.pairs);
  const measured = await measurePaths(bench);
  printBatch(measured);
  console.log(`Bundle: ${(checkout.gzipBytes / 1024).toFixed(1)} KiB gzip (aim: at most ${MAX_SCRIPT_KIB})`);
  await measureStartUp();
  if (flags.growth && servers[0]) await measureGrowth(servers[0]);
}

async function prepareRevision(revision: string, folder: string): Promise<Prepared> {
  const root = checkOut(revision, join(folder, "revision"));
  return prepare(await buildCheckout("against", root), join(folder, "against"));
}

function printMachine(pairs: number): void {
  const { version } = JSON.parse(readFileSync("node_modules/workerd/package.json", "utf8"));
  const load = loadavg()[0]?.toFixed(1);
  console.log(
    `Node ${process.versions.node}, workerd ${version}, ${availableParallelism()} cores, load ${load}, ${pairs} pairs\n`,
  );
}

async function measurePaths({ flags, paths, connections, pairs }: Bench): Promise<Measured[]> {
  const isWithQuiet = flags["no-log"] !== undefined;
  printHeader(flags.against, isWithQuiet);
  const measured: Measured[] = [];
  for (const path of paths) {
    const used = path.queue ? queueServers : servers;
    await checkAnswers(used, path);
    for (const count of connections.filter((one) => one <= (path.mostConnections ?? one))) {
      const calls = await countCalls(expectDefined(counting[path.queue ? 1 : 0]), path, count);
      const one = { path, connections: count, pairs: await measurePairs(used, path, count, pairs), calls };
      printLine(one, flags.against, isWithQuiet);
      measured.push(one);
    }
  }
  return measured;
}

async function checkAnswers([ours, bare]: Server[], path: Path): Promise<void> {
  const difference = ours && bare && (await findDifference(ours, bare, path));
  if (difference) console.log(`${path.name}: bare does something else\n${difference}`);
}

/** Our Worker without its log lines, on a copy of its data. */
function prepareQuiet({ settings, data }: Prepared): Prepared {
  const state = `${settings.state}-quiet`;
  cpSync(settings.state, state, { recursive: true });
  return { settings: { ...settings, state, bindings: { ...settings.bindings, LOG_SAMPLE: "0" } }, data };
}
