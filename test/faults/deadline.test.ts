/** A database that does not answer at all: at every call of what writes, before and after it was committed. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LINKS } from "../campaign/support.ts";
import { ask, DEMO, freshDemo, type ProblemBody, rows, sendCost } from "../harness.ts";
import { type Fault, faultyDatabase } from "./faulty.ts";

beforeEach(async () => {
  await freshDemo();
  // What is done once a day, or to fill a cache, is done.
  await ask(LINKS, { token: DEMO.apiToken });
  await ask(`/${DEMO.linkToken}?s2s=1`);
  vi.spyOn(console, "error").mockImplementation(() => {});
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** The answer of a request whose chosen call never returns, once the deadline has passed. */
async function stalled(send: (database: D1Database) => Promise<unknown>, fault: Omit<Fault, "message">) {
  const { database, calls } = faultyDatabase(fault);
  let isAnswered = false;
  const answer = send(database).finally(() => {
    isAnswered = true;
  });
  const waiting = async () => {
    while (!isAnswered) {
      if (calls() > 0 && vi.getTimerCount() > 0) await vi.advanceTimersByTimeAsync(10_000);
      await scheduler.wait(1);
    }
  };
  await waiting();
  return (await answer) as { status: number; body: ProblemBody; headers: Headers };
}

const key = { "idempotency-key": "stalled-key-0001" };
const cost = { cost_id: "stalled-cost-001", cost_amount: "0.25" };
const WRITES: [string, number, string, (DB?: D1Database) => Promise<unknown>][] = [
  [
    "a cost",
    1,
    "SELECT 1 FROM costs WHERE cost_id = 'stalled-cost-001'",
    (DB) => sendCost(cost, DB ? { env: { DB } } : {}),
  ],
  [
    "a link with an Idempotency-Key",
    2,
    "SELECT 1 FROM links WHERE label = 'stalled'",
    (DB) =>
      ask(LINKS, {
        token: DEMO.apiToken,
        json: { name: "stalled" },
        headers: key,
        ...(DB && { env: { DB } }),
      }),
  ],
  [
    "a committed click",
    2,
    "SELECT 1 FROM engagements WHERE cost_id = 'stalled-click-01'",
    (DB) => ask(`/${DEMO.linkToken}?s2s=1&cost_id=stalled-click-01`, DB ? { env: { DB } } : {}),
  ],
];

describe.each(WRITES)("%s that the database does not answer within ten seconds", (_, calls, stored, send) => {
  for (const when of ["before", "after"] as const) {
    it(`${when} it was committed is told as 503 with Retry-After, and is there once after the same again`, async () => {
      for (let number = 1; number <= calls; number++) {
        const { status, headers } = await stalled(send, { at: (call) => call === number, when });
        expect(status).toBe(503);
        expect(headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
        const isLast = number === calls;
        expect(await rows(stored)).toHaveLength(when === "after" && isLast ? 1 : 0);
      }
      const again = (await send()) as { status: number };
      expect([200, 201]).toContain(again.status);
      expect(await rows(stored)).toHaveLength(1);
    });
  }
});
