/** The Workers that are measured, each in a workerd of its own, with the same bindings and the same data. */
import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { FAULTY, type Settings, startBuilt } from "../built-worker.ts";
import { DESTINATION, destinationKey } from "./bare/engagements.ts";
import { fill } from "./fill.ts";
import { openConnections, type Target } from "./load.ts";
import type { Data } from "./paths.ts";
import type { Checkout } from "./revision.ts";

export interface Measurable extends Target {
  name: string;
  db: D1Database;
  /** CPU that its workerd has used, in microseconds, those of D1 and KV included. NaN where there is no /proc. */
  cpuTime: () => number;
  stop: () => Promise<void>;
}

export interface Server extends Measurable {
  data: Data;
}

/** What a server is started from: once to fill it, and again to measure it. */
export interface Prepared {
  settings: Settings & { state: string };
  data: Data;
}

/** Fills a new server whose data lives in a folder, and stops it. */
export async function prepare({ settings, demo }: Checkout, state: string): Promise<Prepared> {
  const filled = { ...settings, state, wrapper: join(import.meta.dirname, "memory-limiters.ts") };
  const { stop, url } = await startBuilt(filled);
  const agent = openConnections();
  const data = await fill({ url, agent }, demo);
  agent.destroy();
  await stop();
  return { settings: filled, data };
}

/** Starts the bare Worker on a copy of our data. */
export async function prepareBare({ settings, data }: Prepared, state: string): Promise<Prepared> {
  const built = await build({
    entryPoints: [join(import.meta.dirname, "bare/worker.ts")],
    bundle: true,
    format: "esm",
    minify: true,
    external: ["node:*"],
    write: false,
  });
  cpSync(settings.state, state, { recursive: true });
  const bare = { ...settings, name: "bare", script: built.outputFiles[0]?.text ?? "", state };
  const { miniflare, stop } = await startBuilt(bare);
  const links = await miniflare.getKVNamespace("LINKS");
  for (const token of data.clicked) await links.put(destinationKey(token), DESTINATION);
  await stop();
  return { settings: bare, data };
}

/** The same Worker with a queue before its ledger, on a copy of its data. */
export function prepareQueue({ settings, data }: Prepared): Prepared {
  const state = `${settings.state}-queue`;
  cpSync(settings.state, state, { recursive: true });
  return { settings: { ...settings, state, queue: true }, data };
}

/** The same Worker with databases that count their calls, on a copy of its data. */
export function prepareCounting({ settings, data }: Prepared): Prepared {
  const state = `${settings.state}-counting`;
  cpSync(settings.state, state, { recursive: true });
  return { settings: { ...settings, state, wrapper: FAULTY }, data };
}

export async function start({ settings, data }: Prepared): Promise<Server> {
  return { ...(await startMeasurable(settings)), data };
}

export async function startMeasurable(settings: Settings): Promise<Measurable> {
  const others = listChildren();
  const { url, db, stop } = await startBuilt(settings);
  const process = listChildren().find((id) => !others.includes(id));
  const agent = openConnections();
  return {
    name: settings.name,
    url,
    db,
    agent,
    cpuTime: () => readCpuTime(process),
    stop: () => {
      agent.destroy();
      return stop();
    },
  };
}

function listChildren(): string[] {
  const file = `/proc/self/task/${process.pid}/children`;
  return existsSync(file) ? readFileSync(file, "utf8").trim().split(" ") : [];
}

/** All of its threads, which live as long as it; in nanoseconds, which is finer than the ticks of /proc/PID/stat. */
function readCpuTime(process: string | undefined): number {
  const tasks = `/proc/${process}/task`;
  if (!existsSync(tasks)) return Number.NaN;
  return readdirSync(tasks).reduce((sum, task) => {
    const [nanoseconds] = readFileSync(join(tasks, task, "schedstat"), "utf8").split(" ");
    return sum + Number(nanoseconds) / 1000;
  }, 0);
}
