/** What a Worker keeps in memory: its isolate's heap after a garbage collection, by Chrome's protocol, and its process beside it. */
import { readdirSync, readFileSync } from "node:fs";

export interface Sample {
  requests: number;
  /** Bytes that the isolate still holds after a full collection, with what lies outside V8's heap for it. */
  heap: number;
  /** Bytes of all workerd processes of the group, SQLite and the stand-ins for KV and the limiters included; NaN but on Linux. */
  resident: number;
}

interface HeapUsage {
  usedSize: number;
  embedderHeapUsedSize: number;
  backingStorageSize: number;
}

/**
 * Reads the heap of a Worker whenever it is asked. A collection runs with an isolate's next work, so there must be requests. The
 * isolates that stand in for D1, KV and the limiters are told to collect too, or their garbage would be all that grows.
 */
export async function openInspector(port: number, name: string) {
  const found = await fetch(`http://127.0.0.1:${port}/json`);
  const isolates = (await found.json()) as { id: string; webSocketDebuggerUrl: string }[];
  const clients = await Promise.all(
    isolates.map(async ({ id, webSocketDebuggerUrl }) => [id, await connect(webSocketDebuggerUrl)] as const),
  );
  const own = new Map(clients).get(`core:user:${name}`);
  if (!own) throw new Error("the Worker has no isolate to look into");
  return {
    async readHeap(): Promise<number> {
      // Those that have nothing to do do not answer.
      for (const [, { send }] of clients) if (send !== own.send) void send("HeapProfiler.collectGarbage");
      await own.send("HeapProfiler.collectGarbage");
      const usage = (await own.send("Runtime.getHeapUsage")) as HeapUsage;
      return usage.usedSize + usage.embedderHeapUsedSize + usage.backingStorageSize;
    },
    close: () => {
      for (const [, { close }] of clients) close();
    },
  };
}

async function connect(url: string) {
  const socket = new WebSocket(url);
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
  return {
    send: (method: string) =>
      new Promise<unknown>((resolve) => {
        waiting.set(++sent, resolve);
        socket.send(JSON.stringify({ id: sent, method }));
      }),
    close: () => socket.close(),
  };
}

/** What the workerd processes of a process group hold, in bytes. */
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
      // It ended meanwhile.
    }
  }
  return bytes;
}

/** Bytes that are kept of a request: the slope of the line that fits the samples best. Throws of fewer than three samples. */
export function keptOfRequest(samples: Sample[], what: "heap" | "resident"): number {
  if (samples.length < 3) throw new Error("the memory was looked at too seldom");
  const mean = (pick: (sample: Sample) => number) =>
    samples.reduce((sum, sample) => sum + pick(sample), 0) / samples.length;
  const [x, y] = [mean(({ requests }) => requests), mean((sample) => sample[what])];
  const along = mean((sample) => (sample.requests - x) * (sample[what] - y));
  return along / mean(({ requests }) => (requests - x) ** 2);
}
