/** Sends requests over connections that stay open, and checks the status of each response. */
import { Agent, request } from "node:http";
import type { Ask } from "./paths.ts";

/** workerd closes a connection that is idle for 5 seconds, so the client closes it earlier. */
const IDLE_MS = 4_000;

export function openConnections(): Agent {
  return new Agent({ keepAlive: true, timeout: IDLE_MS });
}

export interface Target {
  url: string;
  agent: Agent;
}

/**
 * Sends all requests over this many connections and returns the seconds that it took. Adds the milliseconds of each to `latencies`.
 * Throws on an unexpected status.
 */
export async function drive(
  target: Target,
  asks: Ask[],
  status: number,
  connections: number,
  latencies: number[] = [],
): Promise<number> {
  const waiting = asks.values();
  const started = performance.now();
  await Promise.all(
    Array.from({ length: connections }, async () => {
      for (const ask of waiting) {
        const sentAt = performance.now();
        const answer = await send(target, ask);
        latencies.push(performance.now() - sentAt);
        if (answer !== status) throw new Error(`${ask.method} ${ask.path} was answered ${answer}`);
      }
    }),
  );
  return (performance.now() - started) / 1000;
}

/** The status of a response, after its body was read. */
export function send({ url, agent }: Target, { method, path, headers = {}, body }: Ask): Promise<number> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
    const sent = request(url + path, { agent, method, headers: { ...headers, ...length } }, (answer) => {
      answer.resume();
      answer.once("end", () => resolve(answer.statusCode ?? 0));
      answer.once("error", reject);
    });
    sent.once("error", reject);
    sent.end(body);
  });
}
