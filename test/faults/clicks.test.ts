/** A person's click is not retried. It must always get a response, and be recorded if the queue or the database works. */
import { beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import { recordQueued } from "../../src/engagement/queue.ts";
import type { Env } from "../../src/env.ts";
import { call, click, IPHONE, ledgerOn, NOW, queueBatch, rows, sendCost, view } from "../harness.ts";
import { freshLedger, LINK, totals } from "../support.ts";
import { faultyDatabase, faultyQueue, type InjectedFault, withoutPauses } from "./faulty.ts";

const ID = "unrepeated-click-1";
const LOST = "D1_ERROR: Network connection lost.";
const OVERLOADED = "D1_ERROR: D1 DB is overloaded. Requests queued for too long.";

let log: MockInstance<typeof console.error>;

beforeEach(async () => {
  log = vi.spyOn(console, "error").mockImplementation(() => {});
  await fresh();
});

/** Empties the ledger and caches the link's destination in KV. */
async function fresh(): Promise<void> {
  await freshLedger();
  await click("unrepeated-warm-up");
}

const recorded = () => rows("SELECT kind FROM engagements WHERE cost_id = ? ORDER BY kind", ID);

/** The counts of a kind, without the click that fills the cache. */
const counted = (kind: string) =>
  rows(
    "SELECT count - (kind = 'click') AS count, recorded - (kind = 'click') AS recorded FROM daily_engagements WHERE kind = ? AND count > (kind = 'click')",
    kind,
  );

it("a price that a server sends again after a lost answer counts once", async () => {
  const path = `${LINK}?s2s=1&cost_id=${ID}&cost_type=cpc&cost_amount=1&cost_currency=USD`;
  const { database } = faultyDatabase({ at: (call) => call === 1, when: "after", message: undefined });
  expect((await withoutPauses(() => call(path, { env: { DB: database } }))).status).toBe(503);
  expect((await call(path)).status).toBe(200);
  expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 100_000 }]);
});

const KINDS = [
  ["click", click, 302],
  ["impression", view, 200],
] as const;

describe.each(KINDS)("a %s that the queue", (kind, open, status) => {
  it.each<[string, InjectedFault]>([
    ["rejects", { at: () => true, when: "before", message: "the queue is overloaded" }],
    ["never responds to", { at: () => true, when: "before", message: undefined }],
    ["accepts with an error", { at: () => true, when: "after", message: "Network connection lost" }],
    ["accepts without a response", { at: () => true, when: "after", message: undefined }],
  ])("%s is recorded immediately, and only once if it is delivered again", async (_, fault) => {
    const { queue, accepted } = faultyQueue(fault);
    const response = await withoutPauses(() => open(ID, { env: { ENGAGEMENTS: queue } }));
    expect(response.status).toBe(status);
    expect(await recorded()).toEqual([{ kind }]);
    expect(accepted).toHaveLength(fault.when === "after" ? 1 : 0);
    if (accepted.length > 0) await recordQueued(queueBatch([...accepted, ...accepted]), ledgerOn(), NOW);
    expect(await recorded()).toEqual([{ kind }]);
    await sendCost({ cost_id: ID, cost_type: kind === "click" ? "cpc" : "cpm", cost_amount: "1" });
    expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 100_000 }]);
  });

  it("accepts is recorded when the queue is consumed, and not before", async () => {
    const { queue, accepted } = faultyQueue();
    await open(ID, { env: { ENGAGEMENTS: queue } });
    expect([await recorded(), accepted.length]).toEqual([[], 1]);
    await recordQueued(queueBatch(accepted), ledgerOn(), NOW);
    expect(await recorded()).toEqual([{ kind }]);
  });

  it("and the database reject gets its normal response, and both errors are logged", async () => {
    const { queue } = faultyQueue({ at: () => true, when: "before", message: "the queue is overloaded" });
    const { database } = faultyDatabase({ at: () => true, when: "before", message: OVERLOADED });
    const response = await open(ID, { env: { ENGAGEMENTS: queue, DB: database } });
    expect([response.status, await recorded()]).toEqual([status, []]);
    const lines = log.mock.calls.map(([line]) => String(line));
    expect(lines.some((line) => line.includes("the queue is overloaded"))).toBe(true);
    expect(lines.some((line) => line.includes("D1 DB is overloaded"))).toBe(true);
  });
});

describe.each(KINDS)("a %s without a queue", (kind, open, status) => {
  const faults = [LOST, OVERLOADED, undefined].flatMap((message) =>
    (["before", "after"] as const).map((when) => ({ message, when })),
  );
  it.each(faults)(
    "gets its normal response and is counted and recorded at most once if its call fails $when the commit: $message",
    async ({ when, message }) => {
      await fresh();
      const { database, calls } = faultyDatabase({ at: (call) => call === 1, when, message });
      const response = await withoutPauses(() => open(ID, { env: { DB: database } }));
      expect(response.status).toBe(status);
      expect(calls()).toBe(message === LOST ? 2 : 1);
      const isRecorded = message === LOST || when === "after";
      expect(await recorded()).toEqual(isRecorded ? [{ kind }] : []);
      expect(await counted(kind)).toEqual(isRecorded ? [{ count: 1, recorded: 1 }] : []);
    },
  );
});

it.each([
  ["before", []],
  ["after", [{ count: 1, recorded: 0 }]],
] as const)(
  "a click without a cost ID is not sent again if its call loses its connection %s the commit",
  async (when, expected) => {
    const { database, calls } = faultyDatabase({ at: (call) => call === 1, when, message: LOST });
    const headers = { "user-agent": IPHONE };
    const { status } = await withoutPauses(() => call(LINK, { headers, env: { DB: database } }));
    expect([status, calls()]).toEqual([302, 1]);
    expect(await counted("click")).toEqual(expected);
  },
);

describe("invalid cost parameters on the URL", () => {
  const query = "&cost_type=nonsense";
  const dropped = () => rows("SELECT param, count FROM dropped_parameters");

  it.each([
    ["a person", (env: Partial<Env>) => click(ID, { env, query }), 302, 302],
    ["a server", (env: Partial<Env>) => call(`${LINK}?s2s=1&cost_id=${ID}${query}`, { env }), 200, 503],
  ] as const)("of %s are counted if and only if the click is recorded", async (_, send, good, failed) => {
    const { database } = faultyDatabase({ at: () => true, when: "before", message: OVERLOADED });
    expect((await send({ DB: database })).status).toBe(failed);
    expect([await dropped(), await recorded()]).toEqual([[], []]);
    expect((await send({})).status).toBe(good);
    expect([await dropped(), await recorded()]).toEqual([
      [{ param: "cost_type", count: 1 }],
      [{ kind: "click" }],
    ]);
  });
});

describe("a batch of the queue", () => {
  const FAULTS: Omit<InjectedFault, "at">[] = [
    { when: "before", message: OVERLOADED },
    { when: "after", message: OVERLOADED },
    { when: "before", message: LOST },
    { when: "after", message: LOST },
    { when: "before", message: undefined },
    { when: "after", message: undefined },
  ];

  it.each(FAULTS)(
    "is recorded once, after at most one retry, when the database fails $when: $message",
    async (fault) => {
      const { queue, accepted } = faultyQueue();
      await click(ID, { env: { ENGAGEMENTS: queue } });
      await view(ID, { env: { ENGAGEMENTS: queue } });
      const outcomes: string[] = [];
      const batch = () => {
        outcomes.length = 0;
        const messages = queueBatch(accepted).messages.map(({ id, timestamp, attempts, body }) => ({
          id,
          timestamp,
          attempts,
          body,
          ack: () => void outcomes.push("ack"),
          retry: () => void outcomes.push("retry"),
        }));
        return { queue: "engagements", messages } as unknown as Parameters<typeof recordQueued>[0];
      };
      const { database } = faultyDatabase({ ...fault, at: (number) => number === 1 });
      await withoutPauses(() => recordQueued(batch(), ledgerOn(database), NOW));
      const isRetried = fault.message === LOST;
      expect(outcomes).toEqual(isRetried ? ["ack", "ack"] : ["retry", "retry"]);
      expect(await recorded()).toHaveLength(isRetried || fault.when === "after" ? 2 : 0);
      await recordQueued(batch(), ledgerOn(), NOW);
      expect(outcomes).toEqual(["ack", "ack"]);
      expect(await recorded()).toEqual([{ kind: "click" }, { kind: "impression" }]);
    },
  );
});
