/** What a Worker keeps in memory: its isolate's heap after a garbage collection, by Chrome's protocol, and its process beside it. */
import { readdirSync, readFileSync } from "node:fs";

export interface Sample {
  requests: number;
  /** Bytes that the isolate still holds after a full collection, with what lies outside V8's heap for it. */
  heap: number;
  /** Bytes of all workerd processes of the group, SQLite and the stand-ins for KV and the limiters included; undefined but on Linux. */
  resident: number | undefined;
}

interface HeapUsage {
  usedSize: number;
  embedderHeapUsedSize: number;
  backingStorageSize: number;
}

/** Reads the heap of a Worker whenever it is asked. A collection runs with the Worker's next request, so there must be some. */
export async function openInspector(port: number, name: string) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/core:user:${name}`);
  const waiting = new Map<number, (result: unknown) => void>();
  let sent = 0;
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", reject);
  });
  socket.addEventListener("message", ({ data }) => {
    const { id, result } = JSON.parse(String(data));
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  const send = (method: string) =>
    new Promise<unknown>((resolve) => {
      waiting.set(++sent, resolve);
      socket.send(JSON.stringify({ id: sent, method }));
    });
  return {
    async readHeap(): Promise<number> {
      await send("HeapProfiler.collectGarbage");
      const usage = (await send("Runtime.getHeapUsage")) as HeapUsage;
      return usage.usedSize + usage.embedderHeapUsedSize + usage.backingStorageSize;
    },
    close: () => socket.close(),
  };
}

/** What the workerd processes of a process group hold, in bytes. */
export function readResident(group: number): number | undefined {
  if (process.platform !== "linux") return undefined;
  let bytes = 0;
  for (const id of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${id}/stat`, "utf8");
      const [, owner] = /\(workerd\) \S \d+ (\d+)/.exec(stat) ?? [];
      if (Number(owner) !== group) continue;
      const [, kib] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, "utf8")) ?? [];
      bytes += Number(kib ?? 0) * 1024;
    } catch {
      // It ended meanwhile.
    }
  }
  return bytes;
}

/** Bytes that are kept of a request: the slope of the line that fits the samples best. NaN of fewer than three samples. */
export function keptOfRequest(samples: Sample[], what: "heap" | "resident"): number {
  if (samples.length < 3) return Number.NaN;
  const mean = (pick: (sample: Sample) => number) =>
    samples.reduce((sum, sample) => sum + pick(sample), 0) / samples.length;
  const [x, y] = [mean(({ requests }) => requests), mean((sample) => sample[what] ?? Number.NaN)];
  const along = mean((sample) => (sample.requests - x) * ((sample[what] ?? Number.NaN) - y));
  return along / mean(({ requests }) => (requests - x) ** 2);
}
