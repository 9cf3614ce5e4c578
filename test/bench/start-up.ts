/** Measures the time that V8 takes to start our Worker beside an empty one, by `wrangler check startup`. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unstable_readConfig } from "wrangler";
import { runWrangler } from "../built-worker.ts";

/** An odd number, so that there is a median. */
const PAIRS = 5;
/** Of the time of an empty Worker. */
const AIM = 1.1;

/** Prints the median of several pairs in turn, and their ratio. `folder` is for temporary files. */
export function measureStartUp(folder: string): void {
  const empty = join(folder, "empty");
  mkdirSync(empty);
  writeFileSync(join(empty, "index.js"), "export default { fetch: () => new Response() };");
  const { compatibility_date } = unstable_readConfig({ config: "wrangler.toml" });
  const config = join(empty, "wrangler.json");
  writeFileSync(config, JSON.stringify({ name: "empty", main: "index.js", compatibility_date }));
  const build = (name: string, ...flags: string[]) => {
    const worker = join(folder, `${name}.bundle`);
    runWrangler(["deploy", "--dry-run", "--outfile", worker, ...flags]);
    return worker;
  };
  const workers = { ours: build("ours"), empty: build("empty", "--config", config) };
  const measure = (worker: string) => {
    const profile = join(folder, "startup.cpuprofile");
    const printed = runWrangler(["check", "startup", "--worker", worker, "--outfile", profile]);
    return Number(/Active: ([\d.]+) ms/.exec(printed)?.[1]);
  };
  const pairs = Array.from({ length: PAIRS }, () => ({
    ours: measure(workers.ours),
    empty: measure(workers.empty),
  }));
  const ratios = pairs.map(({ ours, empty }) => ours / empty);
  const [ours, beside, ratio] = [pairs.map((pair) => pair.ours), pairs.map((pair) => pair.empty), ratios].map(
    median,
  );
  console.log(
    `Start-up: ${ours} ms of V8's time, ${beside} ms for an empty Worker, ${ratio?.toFixed(2)} times (aim: at most ${AIM}), by wrangler check startup`,
  );
}

const median = (numbers: number[]) =>
  numbers.toSorted((one, other) => one - other)[(numbers.length - 1) / 2] ?? Number.NaN;
