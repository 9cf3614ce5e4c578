/** Measures a Worker's memory: the heap of its isolate after a garbage collection, and the resident size of its processes. */
import { readdirSync, readFileSync } from "node:fs";
import { openInspector } from "../inspector.ts";

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
export function bytesPerRequest(samples: Sample[], what: "heap" | "resident"): number {
  if (samples.length < 3) throw new Error("There are too few memory samples.");
  const mean = (pick: (sample: Sample) => number) =>
    samples.reduce((sum, sample) => sum + pick(sample), 0) / samples.length;
  const [x, y] = [mean(({ requests }) => requests), mean((sample) => sample[what])];
  const covariance = mean((sample) => (sample.requests - x) * (sample[what] - y));
  return covariance / mean(({ requests }) => (requests - x) ** 2);
}
