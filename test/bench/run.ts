/**
 * `npm run bench`: compares the built Worker with a bare one, and with another revision. README.md beside it explains the
 * output. Flags: `--only <names>`, `--pairs 7`, `--connections 16`, `--against <revision>`, `--calls 2`,
 * `--no-log`, `--growth`, `--profile`, `--sign-in`, `--start-up`, `--reports`, `--pages`.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { expectDefined } from "../../src/domain/expect-defined.ts";
import { MAX_SCRIPT_KIB } from "../built-worker.ts";
import { countCalls, measurePairs } from "./compare.ts";
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

const { values: flags } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    pairs: { type: "string", default: "7" },
    connections: { type: "string", default: "16" },
    against: { type: "string" },
    calls: { type: "string", default: "2" },
    "no-log": { type: "boolean", default: false },
    growth: { type: "boolean", default: false },
    profile: { type: "boolean", default: false },
    "sign-in": { type: "boolean", default: false },
    "start-up": { type: "boolean", default: false },
    reports: { type: "boolean", default: false },
    pages: { type: "boolean", default: false },
    turns: { type: "string", default: "20" },
  },
});

/** The revision beside which pages are measured: the last one before they were made for many links. */
const PAGES_BEFORE = "1cbb77d";

/** Those with one of these names, or with the text in their names. */
const paths = flags.only.split(",").flatMap((text) => {
  const named = PATHS.filter(({ name }) => name === text);
  return named.length > 0 ? named : PATHS.filter(({ name }) => name.includes(text));
});
const connections = flags.connections.split(",").map(Number);
const pairs = Number(flags.pairs);
/** A profile has this many times the requests of a pair. */
const PROFILED_TURNS = 10;

const folder = mkdtempSync(join(tmpdir(), "linkledger-bench-"));
const servers: Server[] = [];
/** Like `servers`, with a queue. */
const queueServers: Server[] = [];
/** Count the calls of our Worker to D1, without and with a queue. They are not measured. */
const counting: Server[] = [];
try {
  if (flags["start-up"]) {
    await measureStartUp();
  } else if (flags["sign-in"]) {
    if (!(await measureSignIns())) process.exitCode = 1;
  } else if (flags.reports) {
    if (!(await measureReports())) process.exitCode = 1;
  } else if (flags.pages) {
    const revision = flags.against ?? PAGES_BEFORE;
    const before = await buildCheckout(revision, checkOut(revision, join(folder, "revision")));
    const isWithin = await measurePages(await buildCheckout("ours"), before, flags.only, Number(flags.turns));
    if (!isWithin) process.exitCode = 1;
  } else {
    console.log("Building the servers and filling them with data");
    const checkout = await buildCheckout("ours");
    checkout.settings.bindings = { GROUP_CALLS: flags.calls };
    const ours = await prepare(checkout, join(folder, "ours"));
    if (flags.profile) await profile(ours);
    else await measure(checkout, ours);
  }
} finally {
  for (const server of [...servers, ...queueServers, ...counting]) await server.stop();
  rmSync(folder, { recursive: true });
}

async function profile(ours: Prepared): Promise<void> {
  const withQueue = prepareQueue(ours);
  for (const path of paths) {
    for (const count of connections) {
      await printProfile(path.queue ? withQueue : ours, path, count, PROFILED_TURNS * path.requests);
    }
  }
}

async function measure(checkout: Checkout, ours: Prepared): Promise<void> {
  const prepared = [ours, await prepareBare(ours, join(folder, "bare"))];
  if (flags.against) prepared.push(await prepareRevision(flags.against));
  if (flags["no-log"]) prepared.push(prepareQuiet(ours));
  const withQueue = paths.some((path) => path.queue) ? prepared.map(prepareQueue) : [];
  for (const one of prepared) servers.push(await start(one));
  for (const one of withQueue) queueServers.push(await start(one));
  for (const one of [ours, ...withQueue.slice(0, 1)]) counting.push(await start(prepareCounting(one)));
  printMachine();
  const measured = await measurePaths();
  printBatch(measured);
  console.log(`Bundle: ${(checkout.gzipBytes / 1024).toFixed(1)} KiB gzip (aim: at most ${MAX_SCRIPT_KIB})`);
  await measureStartUp();
  if (flags.growth && servers[0]) await measureGrowth(servers[0]);
}

async function prepareRevision(revision: string): Promise<Prepared> {
  const root = checkOut(revision, join(folder, "revision"));
  return prepare(await buildCheckout("against", root), join(folder, "against"));
}

function printMachine(): void {
  const { version } = JSON.parse(readFileSync("node_modules/workerd/package.json", "utf8"));
  const load = loadavg()[0]?.toFixed(1);
  console.log(
    `Node ${process.versions.node}, workerd ${version}, ${availableParallelism()} cores, load ${load}, ${pairs} pairs\n`,
  );
}

async function measurePaths(): Promise<Measured[]> {
  printHeader(flags.against, flags["no-log"]);
  const measured: Measured[] = [];
  for (const path of paths) {
    const used = path.queue ? queueServers : servers;
    await checkAnswers(used, path);
    for (const count of connections) {
      const calls = await countCalls(expectDefined(counting[path.queue ? 1 : 0]), path, count);
      const one = { path, connections: count, pairs: await measurePairs(used, path, count, pairs), calls };
      printLine(one, flags.against, flags["no-log"]);
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
