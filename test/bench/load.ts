/** What is asked of both Workers, and how fast it is answered. */
import { randomUUID } from "node:crypto";
import autocannon from "autocannon";
import { DEMO } from "../../src/dev/demo.ts";

export const BATCH_SIZE = 100;

/** Links with a partner, in KV before they are opened. */
export const LINKS = [DEMO.linkToken, "demo1nk002", "demo1nk003"];

export interface Load {
  name: string;
  /** How much longer than others it is driven, for an answer that takes longer. */
  patience?: number;
  /** The next request; no two alike where it matters. */
  next: () => { method: "GET" | "POST"; path: string; headers?: Record<string, string>; body?: string };
}

const authorize = (token: string) => ({ authorization: `Token token=${token}` });
const trackers = (version: 1 | 2) => `/public/v${version}/apps/${DEMO.appToken}/trackers`;
const link = () => LINKS[Math.floor(Math.random() * LINKS.length)];

const cost = () => ({
  cost_type: "cpc",
  cost_currency: "USD",
  cost_id: `bench-${randomUUID()}`,
  tag: "bench",
  cost_amount: "0.25",
});

export const LOADS: Load[] = [
  {
    name: "POST /cost",
    next: () => ({
      method: "POST",
      path: "/cost",
      headers: { ...authorize(DEMO.costToken), "content-type": "application/x-www-form-urlencoded" },
      body: String(new URLSearchParams(cost())),
    }),
  },
  {
    name: `POST /cost/batch of ${BATCH_SIZE}`,
    patience: 2,
    next: () => ({
      method: "POST",
      path: "/cost/batch",
      headers: { ...authorize(DEMO.costToken), "content-type": "application/json" },
      body: JSON.stringify({ costs: Array.from({ length: BATCH_SIZE }, cost) }),
    }),
  },
  {
    name: "list of 50, v1",
    next: () => ({ method: "GET", path: trackers(1), headers: authorize(DEMO.apiToken) }),
  },
  {
    name: "list of 50, v2",
    next: () => ({ method: "GET", path: trackers(2), headers: authorize(DEMO.apiToken) }),
  },
  { name: "click", next: () => ({ method: "GET", path: `/${link()}?cost_id=bench-${randomUUID()}` }) },
  {
    name: "impression",
    next: () => ({ method: "GET", path: `/impression/${link()}?cost_id=bench-${randomUUID()}` }),
  },
  {
    name: "create link",
    next: () => ({
      method: "POST",
      path: trackers(1),
      headers: { ...authorize(DEMO.apiToken), "content-type": "application/json" },
      body: JSON.stringify({ name: "Bench" }),
    }),
  },
];

/** Milliseconds, and requests a second. */
export interface Speed {
  requests: number;
  rate: number;
  p50: number;
  p99: number;
}

/** Drives a server for so many seconds. Throws where any request was not answered as it should be. */
export async function drive(url: string, load: Load, connections: number, seconds: number): Promise<Speed> {
  const times: number[] = [];
  const rejected = new Set<number>();
  const started = performance.now();
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const instance = autocannon(
      {
        url,
        connections,
        duration: seconds * (load.patience ?? 1),
        requests: [{ setupRequest: (request) => ({ ...request, ...load.next() }) }],
      },
      (error, result) => (error ? reject(error) : resolve(result)),
    );
    instance.on("response", (_client, status, _bytes, milliseconds) => {
      times.push(milliseconds);
      if (status >= 400) rejected.add(status);
    });
  });
  if (result.errors > 0 || rejected.size > 0) {
    throw new Error(`${load.name}: ${result.errors} connections failed, status ${[...rejected]}`);
  }
  const elapsed = (performance.now() - started) / 1000;
  times.sort((a, b) => a - b);
  const quantile = (share: number) => times[Math.floor(share * (times.length - 1))] ?? Number.NaN;
  return { requests: times.length, rate: times.length / elapsed, p50: quantile(0.5), p99: quantile(0.99) };
}
