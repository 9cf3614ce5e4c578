/** Drives servers in turns and compares CPU time and throughput. */
import { QUEUE_BATCH } from "../built-worker.ts";
import type { Seen } from "../faulty-worker.ts";
import { drive } from "./load.ts";
import type { Path } from "./paths.ts";
import type { Server } from "./servers.ts";

/** CPU in microseconds a request, throughput in requests a second, the 99th percentile of the latency in milliseconds. */
export interface Figures {
  cpu: number;
  throughput: number;
  p99: number;
}

/** The figures of each server, in the order of the servers. */
export type Pair = Figures[];

/**
 * In each pair the servers take turns of a fraction of a second, so that other work on the machine affects all of them alike. In
 * trials, longer turns gave a wider spread. With many connections a turn is longer, and there are fewer, but always an even number,
 * so that each server is as often first as last.
 */
const TURNS = { most: 10, least: 4 };
/** The first pairs warm up the servers and are not counted. */
const WARM_UP_PAIRS = 2;
/** A server that uses less CPU than this in this time has finished the work after its responses. A queue waits for a full batch. */
const IDLE = { microseconds: 2_000, during: 50, duringQueue: QUEUE_BATCH.maxBatchTimeout * 1_000 + 200 };

export async function measurePairs(
  servers: Server[],
  path: Path,
  connections: number,
  count: number,
): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (let pair = 0; pair < WARM_UP_PAIRS + count; pair++) {
    pairs.push(await measurePair(servers, path, connections));
  }
  return pairs.slice(WARM_UP_PAIRS);
}

/** The number of the next request, so that no two requests are the same. */
let next = 0;

async function measurePair(servers: Server[], path: Path, connections: number): Promise<Pair> {
  // Each connection has more than one request, so that they do not all start together.
  const requests = Math.max(2 * connections, Math.ceil(path.requests / TURNS.most));
  const turns = Math.max(TURNS.least, 2 * Math.ceil(path.requests / requests / 2));
  const runs = servers.map((server) => ({
    server,
    before: server.cpuTime(),
    seconds: 0,
    latencies: [] as number[],
  }));
  for (let turn = 0; turn < turns; turn++) {
    for (const run of turn % 2 === 0 ? runs : runs.toReversed()) {
      const { data } = run.server;
      const asks = Array.from({ length: requests }, (_, index) => path.ask(data, next + index));
      run.seconds += await drive(run.server, asks, path.status, connections, run.latencies);
    }
    next += requests;
  }
  await settleAll(servers, path);
  return runs.map(({ server, before, seconds, latencies }) => ({
    cpu: (server.cpuTime() - before) / (turns * requests),
    throughput: (turns * requests) / seconds,
    p99: quantile(
      latencies.sort((one, other) => one - other),
      0.99,
    ),
  }));
}

/** How many calls to D1 a request takes, on a server whose databases count them (test/faulty-worker.ts). */
export async function countCalls(server: Server, path: Path, connections: number): Promise<number> {
  const url = `${server.url}/test/database`;
  const requests = Math.max(2 * connections, path.requests);
  for (let round = 0; round < 2; round++) {
    await fetch(url, { method: "PUT", body: "{}" });
    const asks = Array.from({ length: requests }, (_, index) => path.ask(server.data, next + index));
    next += requests;
    await drive(server, asks, path.status, connections);
    await settleAll([server], path);
  }
  const { calls } = (await (await fetch(url)).json()) as Seen;
  return calls.length / requests;
}

/** Waits until the servers have finished the work after their responses. */
export async function settleAll(servers: Server[], path: Path): Promise<void> {
  const during = path.queue ? IDLE.duringQueue : IDLE.during;
  await Promise.all(servers.map((server) => settle(server, during)));
}

async function settle({ cpuTime }: Server, during: number): Promise<void> {
  let used = Number.POSITIVE_INFINITY;
  while (used > IDLE.microseconds) {
    const before = cpuTime();
    await new Promise((resolve) => setTimeout(resolve, during));
    used = cpuTime() - before;
  }
}

/** The median of the pairs, and half of their interquartile range. */
export interface Middle {
  median: number;
  spread: number;
}

export function middleOf(pairs: Pair[], pick: (pair: Pair) => number): Middle {
  const values = pairs.map(pick).sort((one, other) => one - other);
  return {
    median: quantile(values, 0.5),
    spread: (quantile(values, 0.75) - quantile(values, 0.25)) / 2,
  };
}

/** The ratio of one server's figure to another's. */
export function ratioOf(pairs: Pair[], figure: keyof Figures, server: number, other: number): Middle {
  return middleOf(
    pairs,
    (pair) => (pair[server]?.[figure] ?? Number.NaN) / (pair[other]?.[figure] ?? Number.NaN),
  );
}

/** A quantile, by linear interpolation. */
function quantile(sorted: number[], share: number): number {
  const place = share * (sorted.length - 1);
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place % 1);
}
