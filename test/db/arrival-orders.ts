/**
 * Every arrival order of up to one click, one impression and two calls with the same ID. Calls are judged when they happen; a
 * queue can deliver an engagement at any time after it happened.
 */
import type { NewEngagement } from "../../src/db/ledger/engagements.ts";
import { COST_TYPE, type CostType, type Kind } from "../../src/domain/cost-types.ts";
import type { Cost } from "../../src/domain/costs.ts";
import { COST_WINDOW_MS, DAY_MS, HOUR_MS, RETENTION_MS } from "../../src/domain/time.ts";
import { LedgerModel, type Result, type StoredCall } from "./ledger-model.ts";

/** Inside and outside the window and the retention, as seen from the first one. */
export const INSTANTS = [
  0,
  COST_WINDOW_MS - DAY_MS / 10,
  COST_WINDOW_MS,
  COST_WINDOW_MS + 1,
  RETENTION_MS - DAY_MS,
  RETENTION_MS + 2 * HOUR_MS,
];

interface Engaged {
  kind: Kind;
  at: number;
  /** The type of the price that counts on its URL; null without one. */
  priced: CostType | null;
}
export interface Call {
  kind: "call";
  at: number;
  costType: CostType;
  amount: number | null;
}
export type Event = Engaged | Call;
export const isCall = (event: Event): event is Call => event.kind === "call";

const URL_AMOUNT = 300_000;
const [ONE, TWO] = [100_000, 200_000];

/** Everything that can happen to one ID, in no particular order. */
export function* situations(): Generator<Event[]> {
  for (const calls of callsOf()) {
    for (const click of engagementsOf("click", calls)) {
      for (const impression of engagementsOf("impression", calls)) {
        const situation = [...click, ...impression, ...calls];
        // Any other situation is one of these at a later time.
        if (situation.some(({ at }) => at === 0)) yield situation;
      }
    }
  }
}

function* callsOf(): Generator<Call[]> {
  yield [];
  for (const at of INSTANTS) {
    for (const costType of ["cpc", "cpi", "cpm"] as const) {
      for (const amount of [null, ONE]) {
        const first: Call = { kind: "call", at, costType, amount };
        yield [first];
        for (const later of INSTANTS.filter((instant) => instant >= at)) {
          for (const second of [null, ONE, TWO]) yield [first, { ...first, at: later, amount: second }];
          yield [first, { ...first, at: later, costType: OTHER_TYPE[costType] }];
        }
      }
    }
  }
}
const OTHER_TYPE: Partial<Record<CostType, CostType>> & Record<"cpc" | "cpi" | "cpm", CostType> = {
  cpc: "cpi",
  cpi: "cpc",
  cpm: "cpi",
};

/** None, and one at each instant, without a price and with one that a call can take if there is a call that fits. */
function engagementsOf(kind: Kind, calls: Call[]): Engaged[][] {
  const types = calls.map(({ costType }) => costType).filter((type) => COST_TYPE[type].fits.includes(kind));
  const priced = types[0] ?? (kind === "click" ? "cpc" : "cpm");
  return [[], ...INSTANTS.flatMap((at) => [[{ kind, at, priced: null }], [{ kind, at, priced }]])];
}

/** Every order in which the events can arrive. The first one is that of prompt delivery. */
export function ordersOf(situation: Event[]): Event[][] {
  const rank = { click: 0, impression: 1, call: 2 };
  const prompt = [...situation].sort((one, other) => one.at - other.at || rank[one.kind] - rank[other.kind]);
  return permutations(prompt).filter(isPossible);
}

function permutations<Item>(items: Item[]): Item[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, index) =>
    permutations(items.toSpliced(index, 1)).map((others) => [item, ...others]),
  );
}

/** Nothing that happens after a call can arrive before it. */
function isPossible(order: Event[]): boolean {
  return order.every(
    (event, index) => !isCall(event) || order.slice(0, index).every(({ at }) => at <= event.at),
  );
}

/** The times of arrival. */
export function arrivalsOf(order: Event[]): number[] {
  let clock = 0;
  return order.map(({ at }) => {
    clock = Math.max(clock, at);
    return clock;
  });
}

/** What an event is in the ledger, for an ID and a link of its own. */
export function toEngagement(event: Engaged, key: { costId: string; linkId: number; start: number }) {
  const { kind, at, priced } = event;
  const { costId, linkId, start } = key;
  return {
    partnerId: 1,
    costId,
    kind,
    appToken: "demoapp00001",
    linkId,
    occurredAt: start + at,
    costDataOn: true,
    urlCostType: priced,
    urlCurrency: priced && "USD",
    urlAmount: priced && URL_AMOUNT,
    priceCounts: priced !== null,
    // Each kind has its own, so that a match with the other one shows.
    ...(kind === "click" ? { country: "DE", platform: "ios" } : { country: "US", platform: "android" }),
  } satisfies NewEngagement;
}
export function toCost({ costType, amount }: Call, costId: string): Cost {
  return { costId, costType, currency: "USD", amount, tag: "t" };
}

/** What happens to a call: `replaced` and `completed` change the call before it. */
export type CallOutcome = "new" | "replaced" | "completed" | Exclude<Result["verdict"], "store">;

/** What a call meets, and what happens to it. */
interface Met {
  call: Call;
  outcome: CallOutcome;
  earlier: StoredCall | undefined;
  recorded: Engaged[];
  /** Engagements that have happened but arrive later. */
  missing: Engaged[];
}

/** The course of an order on the model. */
export interface Course {
  met: Met[];
  /** How often the ID was forgotten. */
  forgotten: number;
  /** Engagements that arrived more than 14 days after they happened. */
  dropped: number;
  results: Result[];
  model: LedgerModel;
  /** Everything that the ledger and its totals have of the ID at the end. */
  end: string;
}

export function run(order: Event[], key: { costId: string; linkId: number; start: number }): Course {
  const model = new LedgerModel(key.start);
  const arrivals = arrivalsOf(order);
  const course: Omit<Course, "end"> = { met: [], forgotten: 0, dropped: 0, results: [], model };
  for (const [index, event] of order.entries()) {
    const known = model.size;
    model.pass(key.start + (arrivals[index] ?? 0) - model.now);
    course.forgotten += known - model.size;
    if (!isCall(event)) {
      course.dropped += 1 - model.engage([toEngagement(event, key)]).length;
      continue;
    }
    const earlier = model.callOf(1, key.costId);
    const results = model.submit({ partnerId: 1, costTypes: ["cpc", "cpi", "cpm"], stopped: false }, [
      toCost(event, key.costId),
    ]);
    course.results.push(...results);
    const isEngagement = (other: Event): other is Engaged => !isCall(other) && other.at <= event.at;
    course.met.push({
      call: event,
      outcome: outcomeOf(results[0], earlier, model.callOf(1, key.costId)),
      earlier,
      recorded: order.slice(0, index).filter(isEngagement),
      missing: order.slice(index).filter(isEngagement),
    });
  }
  return { ...course, end: JSON.stringify([model.rows(), model.totals()]) };
}

function outcomeOf(
  result: Result | undefined,
  earlier: StoredCall | undefined,
  now: StoredCall | undefined,
): CallOutcome {
  if (!result) throw new Error("A call has no result.");
  if (result.verdict !== "store") return result.verdict;
  if (!earlier) return "new";
  return earlier.receivedAt === now?.receivedAt ? "completed" : "replaced";
}

const isAccepted = (outcome: CallOutcome) => ["new", "replaced", "completed"].includes(outcome);
const fits = (call: { costType: CostType }, { kind }: Engaged) =>
  COST_TYPE[call.costType].fits.includes(kind);
const isFar = (instant: number, { at }: Engaged) => Math.abs(instant - at) > COST_WINDOW_MS;

interface Difference {
  prompt: Course;
  late: Course;
  start: number;
  /** The first call to which something else happens than with prompt delivery. */
  first: { prompt: Met; late: Met } | undefined;
}

/** The orders that may end differently from prompt delivery, because the rules in the design require it. */
export const EXCEPTIONS: Record<string, (difference: Difference) => boolean> = {
  "an engagement that arrives more than 14 days after it happened is dropped": ({ prompt, late }) =>
    late.dropped > 0 && prompt.dropped === 0,
  "an ID is forgotten before the engagement that would have kept it arrives": ({ prompt, late }) =>
    late.forgotten > prompt.forgotten,
  "a lapsed call is replaced before the engagement that it matches arrives": ({ first, start }) => {
    const { earlier, call, missing, outcome } = first?.late ?? {};
    if (!earlier || !call || outcome !== "replaced") return false;
    const receivedAt = earlier.receivedAt - start;
    const usable = missing?.some((one) => fits(earlier, one) && !isFar(receivedAt, one));
    return usable === true && call.at - receivedAt > COST_WINDOW_MS;
  },
  "a call comes more than seven days after its engagement and is rejected only if that is recorded": ({
    first,
  }) =>
    first?.prompt.outcome === "window_closed" &&
    isAccepted(first.late.outcome) &&
    first.late.missing.some((one) => fits(first.late.call, one) && isFar(first.late.call.at, one)),
  "a call meets an engagement that is more than seven days old before a usable one arrives": ({ first }) =>
    first?.late.outcome === "window_closed" &&
    isAccepted(first.prompt.outcome) &&
    first.late.recorded.some((one) => fits(first.late.call, one) && isFar(first.late.call.at, one)) &&
    first.late.missing.some((one) => fits(first.late.call, one) && !isFar(first.late.call.at, one)),
};

/** Returns the name of the exception that an order falls under. */
export function exceptionOf(prompt: Course, late: Course, start: number): string | undefined {
  const at = late.met.findIndex(({ outcome }, index) => outcome !== prompt.met[index]?.outcome);
  const [one, other] = [prompt.met[at], late.met[at]];
  const difference = { prompt, late, start, first: one && other && { prompt: one, late: other } };
  return Object.keys(EXCEPTIONS).find((name) => EXCEPTIONS[name]?.(difference));
}

/** Whether the calls arrive in the other order than in the situation, which is possible only in the same instant. */
export function areSwapped(situation: Event[], order: Event[]): boolean {
  return situation.find(isCall) !== order.find(isCall);
}
