/** A person's click, which nobody sends again: whatever fails, it is answered, and recorded where anything still takes it. */
import { beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import { recordQueued } from "../../src/engagement/queue.ts";
import type { Env } from "../../src/env.ts";
import { call, click, ledgerOn, queueBatch, rows, sendCost, view } from "../harness.ts";
import { freshLedger, LINK, totals } from "../support.ts";
import { faultyDatabase, faultyQueue, type InputError, withoutPauses } from "./faulty.ts";

const ID = "unrepeated-click-1";
const LOST = "D1_ERROR: Network connection lost.";
const OVERLOADED = "D1_ERROR: D1 DB is overloaded. Requests queued for too long.";

let log: MockInstance<typeof console.error>;

beforeEach(async () => {
  log = vi.spyOn(console, "error").mockImplementation(() => {});
  await fresh();
});

/** An empty ledger, and in KV where the link leads. */
async function fresh(): Promise<void> {
  await freshLedger();
  await click("unrepeated-warm-up");
}

const recorded = () => rows("SELECT kind FROM engagements WHERE cost_id = ? ORDER BY kind", ID);

const WAYS = [
  ["click", click, 302],
  ["impression", view, 200],
] as const;

describe.each(WAYS)("a %s that the queue", (kind, open, status) => {
  it.each<[string, InputError]>([
    ["refuses", { at: () => true, when: "before", message: "the queue is overloaded" }],
    ["never answers", { at: () => true, when: "before", message: undefined }],
    ["takes and then fails for", { at: () => true, when: "after", message: "Network connection lost" }],
    ["takes and never answers for", { at: () => true, when: "after", message: undefined }],
  ])("%s is recorded at once, and once however often it comes", async (_, fault) => {
    const { queue, taken } = faultyQueue(fault);
    const response = await withoutPauses(() => open(ID, { env: { ENGAGEMENTS: queue } }));
    expect(response.status).toBe(status);
    expect(await recorded()).toEqual([{ kind }]);
    expect(taken).toHaveLength(fault.when === "after" ? 1 : 0);
    if (taken.length > 0) await recordQueued(queueBatch([...taken, ...taken]), ledgerOn());
    expect(await recorded()).toEqual([{ kind }]);
    await sendCost({ cost_id: ID, cost_type: kind === "click" ? "cpc" : "cpm", cost_amount: "1" });
    expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 100_000 }]);
  });

  it("takes is there when the queue is read, and not before", async () => {
    const { queue, taken } = faultyQueue();
    await open(ID, { env: { ENGAGEMENTS: queue } });
    expect([await recorded(), taken.length]).toEqual([[], 1]);
    await recordQueued(queueBatch(taken), ledgerOn());
    expect(await recorded()).toEqual([{ kind }]);
  });

  it("does not take, nor the database, is answered all the same, and its loss is in the log", async () => {
    const { queue } = faultyQueue({ at: () => true, when: "before", message: "the queue is overloaded" });
    const { database } = faultyDatabase({ at: (number) => number > 1, when: "before", message: OVERLOADED });
    const response = await open(ID, { env: { ENGAGEMENTS: queue, DB: database } });
    expect([response.status, await recorded()]).toEqual([status, []]);
    const told = log.mock.calls.map(([line]) => String(line));
    expect(told.some((line) => line.includes("the queue is overloaded"))).toBe(true);
    expect(told.some((line) => line.includes("D1 DB is overloaded"))).toBe(true);
  });
});

describe.each(WAYS)("a %s without a queue", (kind, open, status) => {
  const faults = [LOST, OVERLOADED, undefined].flatMap((message) =>
    (["before", "after"] as const).map((when) => ({ message, when })),
  );
  it.each([1, 2].flatMap((number) => faults.map((fault) => ({ number, ...fault }))))(
    "is answered, and recorded at most once, where call $number fails $when the commit: $message",
    async ({ number, when, message }) => {
      await fresh();
      const { database, calls } = faultyDatabase({ at: (call) => call === number, when, message });
      const response = await withoutPauses(() => open(ID, { env: { DB: database } }));
      expect(response.status).toBe(status);
      expect(calls()).toBeGreaterThanOrEqual(number);
      const isThere = message === LOST || (number === 2 && when === "after");
      expect(await recorded()).toEqual(isThere ? [{ kind }] : []);
    },
  );
});

describe("bad cost parameters on the URL", () => {
  const query = "&cost_type=nonsense";
  const counted = () => rows("SELECT param, count FROM dropped_parameters");

  it.each([
    ["a person", (env: Partial<Env>) => click(ID, { env, query }), 302, 302],
    ["a server", (env: Partial<Env>) => call(`${LINK}?s2s=1&cost_id=${ID}${query}`, { env }), 200, 503],
  ] as const)("of %s cost nobody the click where they cannot be counted", async (_, send, good, failed) => {
    const failing = (call: number) =>
      faultyDatabase({ at: (number) => number === call, when: "before", message: OVERLOADED }).database;
    expect((await send({ DB: failing(2) })).status).toBe(good);
    expect([await counted(), await recorded()]).toEqual([[], [{ kind: "click" }]]);
    await fresh();
    expect((await send({ DB: failing(3) })).status).toBe(failed);
    expect([await counted(), await recorded()]).toEqual([[{ param: "cost_type", count: 1 }], []]);
  });
});

describe("a batch of the queue", () => {
  const FAULTS: Omit<InputError, "at">[] = [
    { when: "before", message: OVERLOADED },
    { when: "after", message: OVERLOADED },
    { when: "before", message: LOST },
    { when: "after", message: LOST },
    { when: "before", message: undefined },
    { when: "after", message: undefined },
  ];

  it.each(FAULTS)(
    "is recorded once, after a retry at most, where the database fails $when: $message",
    async (fault) => {
      const { queue, taken } = faultyQueue();
      await click(ID, { env: { ENGAGEMENTS: queue } });
      await view(ID, { env: { ENGAGEMENTS: queue } });
      const fates: string[] = [];
      const batch = () => {
        fates.length = 0;
        const messages = queueBatch(taken).messages.map(({ id, timestamp, attempts, body }) => ({
          id,
          timestamp,
          attempts,
          body,
          ack: () => void fates.push("ack"),
          retry: () => void fates.push("retry"),
        }));
        return { queue: "engagements", messages } as unknown as Parameters<typeof recordQueued>[0];
      };
      const { database } = faultyDatabase({ ...fault, at: (number) => number === 1 });
      await withoutPauses(() => recordQueued(batch(), ledgerOn(database)));
      const isDone = fault.message === LOST;
      expect(fates).toEqual(isDone ? ["ack", "ack"] : ["retry", "retry"]);
      expect(await recorded()).toHaveLength(isDone || fault.when === "after" ? 2 : 0);
      await recordQueued(batch(), ledgerOn());
      expect(fates).toEqual(["ack", "ack"]);
      expect(await recorded()).toEqual([{ kind: "click" }, { kind: "impression" }]);
    },
  );
});
