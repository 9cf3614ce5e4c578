/** Voids and calls that replace or complete something, when calls to the database fail and when they are concurrent. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { COST_WINDOW_MS } from "../../src/domain/time.ts";
import { faultyDatabase, type InjectedFault, withoutPauses } from "../faults/faulty.ts";
import { ask, type Call, click, DEMO, ledgerOn, NOW, rows, sendCost } from "../harness.ts";
import { oneOf } from "../part.ts";
import { freshLedger, totals } from "../support.ts";

beforeEach(async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  await freshLedger();
});

let lastId = 0;
const newId = () => `corrected-cost-${String(++lastId).padStart(4, "0")}`;
const send = (cost_id: string, cost_amount: string | undefined, options: Call = {}) =>
  sendCost({ cost_id, ...(cost_amount && { cost_amount }) }, options);
const voidOwn = (id: string, options: Call = {}) =>
  ask<{ match?: string }>(`/cost/${id}/void`, { method: "POST", token: DEMO.costToken, ...options });
const voidAsOperator = (cost_id: string, options: Call = {}) =>
  ask<{ match?: string }>("/operator/v1/partners/1/voids", {
    token: DEMO.operatorToken,
    json: { cost_id, reason: "test" },
    ...options,
  });
const clickWithPrice = (id: string) =>
  click(id, { query: "&cost_type=cpc&cost_amount=0.3&cost_currency=USD" });
const LATER = NOW + COST_WINDOW_MS + 1;

const stateOf = async (id: string) =>
  (
    await rows<{ state: string | null; amount: number | null }>(
      "SELECT state, amount FROM ledger_entries WHERE cost_id = ?",
      id,
    )
  )[0];

interface Correction {
  prepare: ((id: string) => Promise<unknown>)[];
  correct: (id: string, options: Call) => Promise<{ status: number }>;
  state: "voided" | "matched" | "pending";
  amount: number;
  /** The numbers of the calls that are not repeated after a lost connection. */
  once?: number[];
}
const matched = [click, (id: string) => send(id, "0.5")];
const hasShards = ledgerOn().shards.length > 0;
/** With shards: the entry of the audit log that says `requested`, and the void itself. */
const onceOnShards = [2, 3];
const CORRECTIONS: Record<string, Correction> = {
  "a void of a matched cost": {
    prepare: matched,
    correct: voidOwn,
    state: "voided",
    amount: 50_000,
    once: hasShards ? onceOnShards : [],
  },
  "a void of a price on a URL": {
    prepare: [clickWithPrice],
    correct: voidOwn,
    state: "voided",
    amount: 30_000,
    once: hasShards ? onceOnShards : [],
  },
  "an operator's void": {
    prepare: matched,
    correct: voidAsOperator,
    state: "voided",
    amount: 50_000,
    // The check of the token comes before.
    once: [1, ...(hasShards ? onceOnShards.map((number) => number + 1) : [])],
  },
  "a call with other values after a void": {
    prepare: [...matched, voidOwn],
    correct: (id, options) => send(id, "0.4", options),
    state: "matched",
    amount: 40_000,
  },
  "a call in place of a price on a URL": {
    prepare: [clickWithPrice],
    correct: (id, options) => send(id, "0.4", options),
    state: "matched",
    amount: 40_000,
  },
  "a call that adds the amount": {
    prepare: [click, (id) => send(id, undefined)],
    correct: (id, options) => send(id, "0.4", options),
    state: "matched",
    amount: 40_000,
  },
  "a call that replaces a lapsed one": {
    prepare: [(id) => send(id, "0.5")],
    correct: (id, options) => send(id, "0.4", { ...options, now: LATER }),
    state: "pending",
    amount: 40_000,
  },
};

/** After this error, a call that may be repeated is repeated. */
const LOST = "D1_ERROR: Network connection lost.";
const OVERLOADED = "D1_ERROR: D1 DB is overloaded. Requests queued for too long.";
const FAULTS = [OVERLOADED, LOST, undefined].flatMap((message): Omit<InjectedFault, "at">[] => [
  { when: "before", message },
  { when: "after", message },
]);

const EACH = Object.entries(CORRECTIONS).map(
  ([name, correction], place) => [name, correction, place] as const,
);

describe.each(EACH)("%s", (_name, { prepare, correct, state, amount, once = [] }, place) => {
  async function prepared(): Promise<string> {
    const id = newId();
    for (const step of prepare) await step(id);
    return id;
  }
  const expected = { state, amount };

  it("is committed or returns 503, whichever call fails, and is done once after a retry", async () => {
    const ids = [await prepared(), await prepared()];
    const { database, calls } = faultyDatabase();
    // The first use of a token in a day takes one call more.
    for (const [index, id] of ids.entries())
      expect((await correct(id, index === 0 ? {} : { env: { DB: database } })).status).toBe(200);
    for (let number = 1; number <= calls(); number++) {
      for (const { when, message } of oneOf(3, FAULTS, place)) {
        const label = `call ${number}, ${when}: ${message}`;
        const id = await prepared();
        const before = await stateOf(id);
        const { database: faulty } = faultyDatabase({ at: (call) => call === number, when, message });
        const { status } = await withoutPauses(() => correct(id, { env: { DB: faulty } }));
        expect(status, label).toBe(message === LOST && !once.includes(number) ? 200 : 503);
        expect(status === 200 ? [expected] : [before, expected], label).toContainEqual(await stateOf(id));
        expect((await correct(id, {})).status, label).toBe(200);
        expect(await stateOf(id), label).toEqual(expected);
        ids.push(id);
      }
    }
    const count = ids.length;
    expect(await totals()).toEqual(state === "voided" ? [] : [{ state, count, amount: count * amount }]);
  });
});

it.each<[string, ((id: string) => Promise<unknown>)[], number]>([
  ["a voided cost", [...matched, voidOwn], NOW],
  ["a lapsed cost", [(id) => send(id, "0.5")], LATER],
  ["an unpriced cost", [click, (id) => send(id, undefined)], NOW],
])("of 20 concurrent calls with different amounts, one corrects %s", async (_name, prepare, now) => {
  const id = newId();
  for (const step of prepare) await step(id);
  const amounts = Array.from({ length: 20 }, (_, index) => `0.${10 + index}`);
  const results = await Promise.all(amounts.map((amount) => send(id, amount, { now })));
  const stored = results.filter(({ status }) => status === 200);
  expect(stored.map(({ body }) => body.duplicate)).toEqual([false]);
  const conflicts = results.filter(({ body }) => body.code === "cost_id_conflict");
  expect(conflicts).toHaveLength(19);
  const amount = Math.round(Number(stored[0]?.body.amount) * 100_000);
  expect(await totals("count, amount")).toEqual([{ count: 1, amount }]);
});
