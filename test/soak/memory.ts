/** Measures a Worker's memory: the heap of its isolate after a garbage collection, and the resident size of its processes. */
import { readdirSync, readFileSync } from "node:fs";
import { openInspector } from "../inspector.ts";

/** In the first requests of a server, an isolate compiles its code and fills its caches, and workerd grows. */
export const WARM_UP_REQUESTS = 6_000;
/** Over fewer requests, noise of some 100 KiB would be more than the limits below. */
const MIN_REQUESTS = 5_000;
/**
 * How much memory may grow per request, by the best-fit line of one server's samples. A leak of 1 KiB per request would be four
 * times the heap's limit. The noise is far lower: requests in flight and V8's compilation are about 100 KiB over thousands of
 * requests. The processes have more noise: megabytes that the allocator keeps.
 */
const MAX_BYTES_PER_REQUEST = { heap: 256, resident: 2048 };

export interface Sample {
  requests: number;
  /** Bytes that the isolate uses after a full collection, including memory outside V8's heap. */
  heap: number;
  /** Bytes of all workerd processes of the group, including SQLite and the simulated KV and limiters. NaN except on Linux. */
  resident: number;
}

interface HeapUsage {
  usedSize: number;
  embedderHeapUsedSize: number;
  backingStorageSize: number;
}

/**
 * Connects to a Worker's isolate to read its heap. A collection runs only with the isolate's next request, so there must be load.
 * The isolates that simulate D1, KV and the limiters are collected too; otherwise their garbage would distort the resident size.
 */
export async function openHeap(port: number, name: string) {
  const { own, others, close } = await openInspector(port, name);
  return {
    async readHeap(): Promise<number> {
      // Does not wait, because idle isolates do not respond.
      for (const { send } of others) void send("HeapProfiler.collectGarbage");
      await own.send("HeapProfiler.collectGarbage");
      const usage = await own.send<HeapUsage>("Runtime.getHeapUsage");
      return usage.usedSize + usage.embedderHeapUsedSize + usage.backingStorageSize;
    },
    close,
  };
}

/** Returns the resident size in bytes of the workerd processes in a process group. */
export function readResident(group: number): number {
  if (process.platform !== "linux") return Number.NaN;
  let bytes = 0;
  for (const id of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${id}/stat`, "utf8");
      const [, owner] = /\(workerd\) \S \d+ (\d+)/.exec(stat) ?? [];
      if (Number(owner) !== group) continue;
      const [, kib] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, "utf8")) ?? [];
      bytes += Number(kib ?? 0) * 1024;
    } catch {
      // The process has ended.
    }
  }
  return bytes;
}

/** Returns the bytes that stay in use per request: the slope of the best-fit line. Throws for fewer than three samples. */
function bytesPerRequest(samples: Sample[], what: "heap" | "resident"): number {
  if (samples.length < 3) throw new Error("There are too few memory samples.");
  const mean = (pick: (sample: Sample) => number) =>
    samples.reduce((sum, sample) => sum + pick(sample), 0) / samples.length;
  const [x, y] = [mean(({ requests }) => requests), mean((sample) => sample[what])];
  const covariance = mean((sample) => (sample.requests - x) * (sample[what] - y));
  return covariance / mean(({ requests }) => (requests - x) ** 2);
}

/** Prints the samples of each server, and returns which grow. */
export function findLeaks(servers: Sample[][]): string[] {
  const errors: string[] = [];
  for (const [index, samples] of servers.entries()) {
    const span = (samples.at(-1)?.requests ?? 0) - (samples[0]?.requests ?? 0);
    console.log(
      `Server ${index + 1}, ${samples.length} memory samples over ${span} requests after the first ${WARM_UP_REQUESTS}`,
    );
    if (span < MIN_REQUESTS) {
      console.log(`  Its memory is not judged: that takes ${MIN_REQUESTS} requests.`);
      continue;
    }
    for (const what of ["heap", "resident"] as const) {
      const growth = bytesPerRequest(samples, what);
      const name = what === "heap" ? "the Worker's heap after a collection" : "workerd";
      const sizes = samples.map((sample) => (sample[what] / 1024).toFixed(0)).join(" ");
      console.log(`  ${name}, KiB: ${sizes}; ${growth.toFixed(0)} bytes per request`);
      if (growth > MAX_BYTES_PER_REQUEST[what])
        errors.push(`${name} of server ${index + 1} grows by ${growth.toFixed(0)} bytes per request`);
    }
  }
  return errors;
}
