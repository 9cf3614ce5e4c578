/** Measures what our Worker takes to start beside an empty one. */
import { buildWorker, type Settings } from "../built-worker.ts";
import { startMeasurable } from "./servers.ts";

const RUNS = 7;
/** Of the CPU time of an empty Worker. */
const AIM = 1.1;
/** A click on a link that does not exist: clicks wait for the start, and load least. */
const PATH = "/abcdefghij";
const EMPTY = "export default { fetch: () => new Response() };";

/**
 * Prints the CPU time of workerd from its start to its first answer, with the same bindings, and the ratio. The least of several runs
 * in turn, because what else the machine does only adds to it.
 */
export async function measureStartUp(): Promise<void> {
  const { script } = buildWorker();
  const measure = async (settings: Pick<Settings, "name" | "script">) => {
    const { url, cpuTime, stop } = await startMeasurable({ ...settings, isMigrated: false });
    await (await fetch(url + PATH)).arrayBuffer();
    const time = cpuTime() / 1000;
    await stop();
    return time;
  };
  const times: { ours: number[]; empty: number[] } = { ours: [], empty: [] };
  for (let run = 0; run < RUNS; run++) {
    times.empty.push(await measure({ name: "empty", script: EMPTY }));
    times.ours.push(await measure({ name: "ours", script }));
  }
  const [ours, empty] = [Math.min(...times.ours), Math.min(...times.empty)];
  console.log(
    `Start-up: ${ours.toFixed(0)} ms of workerd's CPU until the first answer, ${empty.toFixed(0)} ms with an empty Worker, ${(ours / empty).toFixed(2)} times (aim: at most ${AIM})`,
  );
}
