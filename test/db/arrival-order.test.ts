/**
 * What counts at the end does not depend on the order in which the events of an ID arrive, except where the rules require it:
 * arrival-orders.ts lists these exceptions by name. An ID has at most one engagement of a kind here, because of two the first
 * recorded one is kept.
 */
import { describe, expect, it } from "vitest";
import { hashToken } from "../../src/auth/secrets.ts";
import { insertEngagements, type NewEngagement } from "../../src/db/ledger/engagements.ts";
import { judgeCosts } from "../../src/db/ledger/submission.ts";
import type { Cost } from "../../src/domain/costs.ts";
import { DAY_MS, RETENTION_MS } from "../../src/domain/time.ts";
import { purge } from "../../src/purge.ts";
import { ask, DEMO, ledgerOn, NOW } from "../harness.ts";
import { isLong } from "../part.ts";
import { freshEmptyLedger } from "../support.ts";
import {
  areSwapped,
  arrivalsOf,
  type Call,
  type Event,
  EXCEPTIONS,
  exceptionOf,
  INSTANTS,
  isCall,
  ordersOf,
  run,
  situations,
  toCost,
  toEngagement,
} from "./arrival-orders.ts";
import { LedgerModel } from "./ledger-model.ts";
import { ledgerRows, ledgerStates, storedAudienceTotals, storedTotals } from "./ledger-state.ts";

/** `npm test` takes every 32nd situation, the long part all. */
const someSituations = () => [...situations()].filter((_, index) => isLong || index % 32 === 0);

const KEY = { costId: "order-cost", linkId: 1, start: NOW };
const SENDER = { partnerId: 1, costTypes: ["cpc" as const, "cpi" as const, "cpm" as const], stopped: false };

/** Orders of one situation with the same order of calls, the prompt one first. */
function groupsOf(situation: Event[]): Event[][][] {
  const orders = ordersOf(situation);
  return [false, true]
    .map((swapped) => orders.filter((order) => areSwapped(situation, order) === swapped))
    .filter((group) => group.length > 0);
}

it("ends every order of arrival like prompt delivery, except for the named exceptions", () => {
  const occurred = new Set<string>();
  let orders = 0;
  for (const situation of someSituations()) {
    for (const [first = [], ...others] of groupsOf(situation)) {
      const prompt = run(first, KEY);
      for (const order of others) {
        orders++;
        const late = run(order, KEY);
        if (late.end === prompt.end) continue;
        const name = exceptionOf(prompt, late, NOW);
        if (name === undefined) expect({ order, end: late.end }).toEqual({ order: first, end: prompt.end });
        else occurred.add(name);
      }
    }
  }
  expect(orders).toBe(isLong ? 264_884 : 7_234);
  expect([...occurred].sort()).toEqual(Object.keys(EXCEPTIONS).sort());
});

it("counts the same for two calls in the same instant, except for two with different values", () => {
  let swapped = 0;
  for (const situation of someSituations()) {
    const [one, other] = groupsOf(situation).map(([first = []]) => first);
    if (!one || !other) continue;
    swapped++;
    const [first, second] = one.filter(isCall) as [Call, Call];
    const amounts = new Set([first.amount, second.amount].filter((amount) => amount !== null));
    const agree = first.costType === second.costType && amounts.size < 2;
    if (agree) expect(run(other, KEY).end).toBe(run(one, KEY).end);
  }
  expect(swapped).toBe(isLong ? 9_816 : 308);
});

/** Every 37th situation, or every 592nd in `npm test`, with all orders of arrival, each with an ID and a link of its own. */
const STRIDE = isLong ? 37 : 592;
const sampled = [...situations()]
  .filter((_, index) => index % STRIDE === 0)
  .flatMap((situation) => groupsOf(situation))
  .map((group, number) =>
    group.map((order, index) => {
      const linkId = 1_000 + number * 24 + index;
      return {
        order,
        arrivals: arrivalsOf(order),
        key: { costId: `order-${linkId}`.padEnd(12, "x"), linkId, start: NOW },
      };
    }),
  );
const all = sampled.flat();

const CHUNK = 2_000;
const chunks = <Item>(items: Item[]) =>
  Array.from({ length: Math.ceil(items.length / CHUNK) }, (_, n) => items.slice(n * CHUNK, (n + 1) * CHUNK));

async function engage(added: NewEngagement[], model: LedgerModel): Promise<void> {
  for (const some of chunks(added)) {
    model.engage(some);
    for (const part of await insertEngagements(ledgerOn(), some, model.now))
      expect(part).not.toHaveProperty("error");
  }
}

async function submit(costs: Cost[], model: LedgerModel): Promise<void> {
  const tokenHash = hashToken(DEMO.costToken, ["live"]) ?? "";
  for (const some of chunks(costs)) {
    const { judgements, errors } = await judgeCosts(
      ledgerOn(),
      { tokenHash, costs: some, now: model.now },
      "store",
    );
    expect(errors).toEqual([]);
    expect(judgements.map((judgement) => judgement?.verdict)).toEqual(
      model.submit(SENDER, some).map(({ verdict }) => verdict),
    );
  }
}

/** Takes the n-th event of every ID whose n-th event arrives at an instant, for each n. */
async function takeAll(instant: number, model: LedgerModel): Promise<void> {
  for (let n = 0; n < 4; n++) {
    const arriving = all.flatMap(({ order, arrivals, key }) => {
      const event = order[n];
      return event && arrivals[n] === instant ? [{ event, key }] : [];
    });
    await engage(
      arriving.flatMap(({ event, key }) => (isCall(event) ? [] : [toEngagement(event, key)])),
      model,
    );
    await submit(
      arriving.flatMap(({ event, key }) => (isCall(event) ? [toCost(event, key.costId)] : [])),
      model,
    );
  }
}

/** Reads the cost of an ID as its partner does, without what differs between IDs. */
async function readBack(costId: string, now: number) {
  const { status, body } = await ask<object>(`/cost/${costId}`, { token: DEMO.costToken, now });
  const { cost_id: _, request_id: __, ...cost } = body as Record<string, unknown>;
  return status === 200 ? cost : status;
}

/** Compares what `GET /cost/{cost_id}` returns after every order that ends like prompt delivery. */
async function compareReadBack(instant: number): Promise<number> {
  let compared = 0;
  const known = sampled.filter((group) => group[0]?.order.every(({ at }) => at <= instant));
  for (const [prompt, ...late] of known.filter((_, index) => index % 9 === 0)) {
    if (!prompt) continue;
    const expected = await readBack(prompt.key.costId, NOW + instant);
    for (const { order, key } of late) {
      if (run(order, KEY).end !== run(prompt.order, KEY).end) continue;
      expect(await readBack(key.costId, NOW + instant)).toEqual(expected);
      compared++;
    }
  }
  return compared;
}

describe.each([
  ["with a purge after every instant", true],
  ["without a purge", false],
])("the ledger %s", (_, purges) => {
  it("has the rows and totals of the model after any order of arrival, and reads back the same", async () => {
    await freshEmptyLedger();
    const model = new LedgerModel(NOW);
    expect(all.length).toBe(isLong ? 8_572 : 504);
    for (const instant of INSTANTS) {
      model.pass(NOW + instant - model.now);
      await takeAll(instant, model);
      if (purges) await purge(ledgerOn(), model.now);
      expect(await ledgerRows(model.now)).toEqual(model.rows());
      expect(await ledgerStates(model.now)).toEqual(model.states());
      expect(await storedTotals()).toEqual(model.totals());
      expect(await storedAudienceTotals()).toEqual(model.audienceTotals());
      if (instant === RETENTION_MS - DAY_MS) expect(await compareReadBack(instant)).toBe(isLong ? 412 : 25);
    }
    expect(model.hasForgotten).toBe(true);
  });
});
