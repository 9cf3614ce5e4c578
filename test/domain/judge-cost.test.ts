import { describe, expect, it } from "vitest";
import { COST_TYPES, type CostType } from "../../src/domain/cost-types.ts";
import type { Cost, Engagement, Engagements, StoredCost } from "../../src/domain/costs.ts";
import { hasLapsed, judgeCost, matchOf, mismatchReason, preferred } from "../../src/domain/matching.ts";
import { COST_WINDOW_MS } from "../../src/domain/time.ts";

const NOW = 1_000_000_000_000;
const cost: Cost = { costId: "a-cost-of-ours", costType: "cpc", currency: "USD", amount: 5, tag: "t" };
const open: Engagement = {
  occurredAt: NOW,
  costDataOn: true,
  urlCostType: null,
  urlCurrency: null,
  urlAmount: null,
  priceCounts: false,
};
const closed: Engagement = { ...open, occurredAt: NOW - COST_WINDOW_MS - 1 };
const off: Engagement = { ...open, costDataOn: false };
const existing: StoredCost = { costType: "cpc", currency: "USD", amount: 5, receivedAt: NOW };

const priced = (urlAmount: number, more: Partial<Engagement> = {}): Engagement => ({
  ...open,
  urlCostType: "cpc",
  urlCurrency: "USD",
  urlAmount,
  priceCounts: true,
  ...more,
});

const judge = (
  change: Partial<Cost>,
  engagements: Engagements,
  earlier?: StoredCost,
  types: readonly CostType[] = COST_TYPES,
) => judgeCost({ ...cost, ...change }, types, engagements, earlier, NOW);

const reject = (reason: string) => ({ outcome: "reject", reason });
const store = (match: string | null, amount: number | null = 5, more: object = {}) => ({
  outcome: "store",
  receivedAt: NOW,
  mismatch: undefined,
  match,
  amount,
  ...more,
});
const wrongKind = store(null, 5, { mismatch: "wrong_engagement" });
/** Only an impression is within the window, and it has no cost data. */
const waitsForClick = store(null, 5, { mismatch: "cost_data_disabled" });
const offAt7 = { ...off, occurredAt: NOW - COST_WINDOW_MS };
const duplicate = (match: string | null, amount: number | null = 5) => ({
  outcome: "duplicate",
  match,
  amount,
});

describe("judgeCost rejects a cost type that is not integrated", () => {
  it.each([
    ["with an engagement", {}, { click: open }, undefined],
    ["before it compares an earlier cost", {}, {}, existing],
  ] as [string, Partial<Cost>, Engagements, StoredCost | undefined][])(
    "%s",
    (_, change, engagements, earlier) => {
      expect(judge(change, engagements, earlier, ["cpi", "cpm"])).toEqual(reject("cost_type_not_integrated"));
      expect(judge(change, engagements, earlier, [])).toEqual(reject("cost_type_not_integrated"));
    },
  );
});

describe("judgeCost without an earlier cost", () => {
  it.each([
    ["stores a cost without an engagement as pending", "cpc", {}, store(null)],
    ["matches cpc with a click", "cpc", { click: open }, store("click")],
    ["stores cpc with an impression as pending", "cpc", { impression: open }, wrongKind],
    ["stores cpm with a click as pending", "cpm", { click: open }, wrongKind],
    ["matches cpm with an impression", "cpm", { click: open, impression: open }, store("impression")],
    ["prefers a click for cpi", "cpi", { click: open, impression: open }, store("click")],
    ["matches cpe with an impression", "cpe", { impression: open }, store("impression")],
    [
      "matches an open impression if the click is too old",
      "cpi",
      { click: closed, impression: open },
      store("impression"),
    ],
    [
      "matches an impression if the click has no cost data",
      "cpi",
      { click: off, impression: open },
      store("impression"),
    ],
    ["rejects a cost for a click that is too old", "cpc", { click: closed }, reject("window_closed")],
    [
      "rejects a cost if click and impression are both too old",
      "cpe",
      { click: closed, impression: closed },
      reject("window_closed"),
    ],
    ["rejects a cost for a click without cost data", "cpc", { click: off }, reject("cost_data_disabled")],
    [
      "gives the reason of the engagement within seven days",
      "cpi",
      { click: off, impression: closed },
      reject("cost_data_disabled"),
    ],
    [
      "gives that reason if both are within seven days",
      "cpe",
      { click: off, impression: off },
      reject("cost_data_disabled"),
    ],
    [
      "rejects cpm for an impression without cost data",
      "cpm",
      { impression: off },
      reject("cost_data_disabled"),
    ],
    [
      "stores cpi with an impression without cost data, whose click may come",
      "cpi",
      { impression: off },
      waitsForClick,
    ],
    [
      "stores cpe with an impression of exactly seven days ago without cost data",
      "cpe",
      { impression: offAt7 },
      waitsForClick,
    ],
    [
      "stores cpi if only an impression without cost data is within seven days",
      "cpi",
      { click: closed, impression: off },
      waitsForClick,
    ],
    [
      "rejects cpi as late if the impression without cost data is too old",
      "cpi",
      { impression: { ...closed, costDataOn: false } },
      reject("window_closed"),
    ],
    [
      "rejects a cost as late if the engagement without cost data is too old",
      "cpc",
      { click: { ...closed, costDataOn: false } },
      reject("window_closed"),
    ],
    [
      "stores a cost whose only engagement is of another kind, however old it is",
      "cpm",
      { click: { ...closed, costDataOn: false } },
      wrongKind,
    ],
    [
      "rejects a cost for its fitting engagement, whatever the other kind",
      "cpc",
      { click: closed, impression: open },
      reject("window_closed"),
    ],
  ] as [string, Cost["costType"], Engagements, object][])("%s", (_what, costType, engagements, verdict) => {
    expect(judge({ costType }, engagements)).toEqual(verdict);
  });

  it.each([
    [COST_WINDOW_MS, store("click")],
    [COST_WINDOW_MS + 1, reject("window_closed")],
    [-COST_WINDOW_MS, store("click")],
    [-COST_WINDOW_MS - 1, reject("window_closed")],
  ])("ends the window exactly seven days from the engagement: %i ms", (age, verdict) => {
    expect(judge({}, { click: { ...open, occurredAt: NOW - age } })).toEqual(verdict);
  });

  it("does not compare it with a price on a URL", () => {
    const click = priced(7);
    expect(judge({ amount: 9, currency: "EUR" }, { click })).toEqual(store("click", 9));
    expect(judge({ amount: null }, { click })).toEqual(store("click", 7));
    expect(judge({ amount: 9 }, { click: { ...click, occurredAt: closed.occurredAt } })).toEqual(
      reject("window_closed"),
    );
  });
});

describe("judgeCost with an earlier cost", () => {
  const lapsed: StoredCost = { ...existing, receivedAt: NOW - COST_WINDOW_MS - 1 };
  const unpriced: StoredCost = { ...existing, amount: null };
  const yesterday = NOW - 24 * 3600 * 1000;
  it.each([
    ["the same pending cost is a duplicate", {}, existing, {}, duplicate(null)],
    ["the same matched cost is a duplicate", {}, existing, { click: open }, duplicate("click")],
    ["another tag is a duplicate", { tag: "other" }, existing, {}, duplicate(null)],
    ["an omitted amount is a duplicate", { amount: null }, existing, {}, duplicate(null)],
    ["another amount is a conflict", { amount: 6 }, existing, {}, reject("cost_id_conflict")],
    ["an amount of 0 is another amount", { amount: 0 }, existing, {}, reject("cost_id_conflict")],
    ["an amount of 0 is not completed", {}, { ...existing, amount: 0 }, {}, reject("cost_id_conflict")],
    ["another currency is a conflict", { currency: "EUR" }, existing, {}, reject("cost_id_conflict")],
    ["another type is a conflict", { costType: "cpi" }, existing, {}, reject("cost_id_conflict")],
    [
      "a conflict comes before a window that has closed",
      { amount: 6 },
      { ...existing, receivedAt: closed.occurredAt },
      { click: closed },
      reject("cost_id_conflict"),
    ],
    ["the amount completes an unpriced cost", {}, unpriced, { click: open }, store("click")],
    ["the amount completes a pending unpriced cost", {}, unpriced, {}, store(null)],
    [
      "completing keeps the arrival of the first call",
      {},
      { ...unpriced, receivedAt: yesterday },
      { click: open },
      store("click", 5, { receivedAt: yesterday }),
    ],
    [
      "completing a pending cost keeps the arrival of the first call",
      {},
      { ...unpriced, receivedAt: yesterday },
      {},
      store(null, 5, { receivedAt: yesterday }),
    ],
    [
      "an amount from a URL leaves the cost open to completion, with another amount too",
      { amount: 9 },
      unpriced,
      { click: priced(7) },
      store("click", 9),
    ],
    [
      "an omitted amount is a duplicate of a cost with the amount of a URL",
      { amount: null },
      unpriced,
      { click: priced(7) },
      duplicate("click", 7),
    ],
    [
      "an amount in another currency does not complete it",
      { currency: "EUR" },
      unpriced,
      {},
      reject("cost_id_conflict"),
    ],
    [
      "an amount exactly at the end of the window completes it",
      {},
      { ...unpriced, receivedAt: NOW - COST_WINDOW_MS },
      { click: { ...open, occurredAt: NOW - COST_WINDOW_MS } },
      store("click", 5, { receivedAt: NOW - COST_WINDOW_MS }),
    ],
    [
      "an amount after the window does not complete it",
      {},
      { ...unpriced, receivedAt: closed.occurredAt },
      { click: closed },
      reject("window_closed"),
    ],
    [
      "settled spend does not move to an open impression",
      { costType: "cpi" },
      { ...unpriced, costType: "cpi", receivedAt: closed.occurredAt },
      { click: closed, impression: open },
      reject("window_closed"),
    ],
    [
      "an amount does not complete a pending cost whose engagement has no cost data",
      {},
      { ...unpriced, receivedAt: yesterday },
      { click: off },
      reject("cost_data_disabled"),
    ],
    [
      "an amount completes a pending cost whose impression has no cost data",
      { costType: "cpi" },
      { ...unpriced, costType: "cpi", receivedAt: yesterday },
      { impression: off },
      store(null, 5, { receivedAt: yesterday, mismatch: "cost_data_disabled" }),
    ],
    [
      "a cost pending for exactly seven days has not lapsed",
      { amount: 6 },
      { ...lapsed, receivedAt: NOW - COST_WINDOW_MS },
      {},
      reject("cost_id_conflict"),
    ],
    ["a lapsed cost is replaced", { costType: "cpi", amount: 9 }, lapsed, {}, store(null, 9)],
    ["the same values replace a lapsed cost", {}, lapsed, {}, store(null)],
    [
      "a lapsed cost is replaced only if the engagement is not too old",
      {},
      { ...lapsed, receivedAt: NOW - 3 * COST_WINDOW_MS },
      { click: closed },
      reject("window_closed"),
    ],
    [
      "a matched cost never lapses",
      {},
      lapsed,
      { click: { ...open, occurredAt: lapsed.receivedAt } },
      duplicate("click"),
    ],
  ] as [string, Partial<Cost>, StoredCost, Engagements, object][])(
    "%s",
    (_what, change, earlier, engagements, verdict) => {
      expect(judge(change, engagements, earlier)).toEqual(verdict);
    },
  );

  it("lapses one millisecond after seven days, unless it matches", () => {
    const at = (age: number) => ({ ...existing, receivedAt: NOW - age });
    expect(hasLapsed(at(COST_WINDOW_MS), {}, NOW)).toBe(false);
    expect(hasLapsed(at(COST_WINDOW_MS + 1), {}, NOW)).toBe(true);
    expect(hasLapsed(at(COST_WINDOW_MS + 1), { impression: open }, NOW)).toBe(true);
    const click = { ...open, occurredAt: NOW - COST_WINDOW_MS };
    expect(hasLapsed(at(COST_WINDOW_MS + 1), { click }, NOW)).toBe(false);
  });
});

describe("matchOf", () => {
  it.each([
    ["the amount of the cost", 5, priced(7), 5],
    ["the price on the URL if the cost has no amount", null, priced(7), 7],
    ["a price of 0 on the URL", null, priced(0), 0],
    ["no price on the URL of another type", null, priced(7, { urlCostType: "cpi" }), null],
    ["no price on the URL in another currency", null, priced(7, { urlCurrency: "EUR" }), null],
    ["no price on the URL that does not count", null, priced(7, { priceCounts: false }), null],
  ] as [string, number | null, Engagement, number | null][])("counts %s", (_what, amount, click, counted) => {
    expect(matchOf({ ...existing, amount }, { click })).toEqual({ match: "click", amount: counted });
  });

  const cpi = { ...existing, costType: "cpi" as const, amount: null };
  const cpiPrice = (urlAmount: number, more: Partial<Engagement> = {}) =>
    priced(urlAmount, { urlCostType: "cpi", ...more });

  it.each([
    ["of the impression if the matched click has none", { click: open, impression: cpiPrice(7) }, 7],
    ["of the matched click if both have one", { click: cpiPrice(3), impression: cpiPrice(7) }, 3],
    [
      "of the impression if the one of the click is in another currency",
      { click: cpiPrice(3, { urlCurrency: "EUR" }), impression: cpiPrice(7) },
      7,
    ],
  ] as [string, Engagements, number][])("takes the price on the URL %s", (_what, engagements, amount) => {
    expect(matchOf(cpi, engagements)).toEqual({ match: "click", amount });
  });

  it("takes the price on the URL of the matched impression before that of the click", () => {
    const click = cpiPrice(3, { occurredAt: NOW + COST_WINDOW_MS + 1 });
    const halfway = { ...cpi, receivedAt: NOW + COST_WINDOW_MS };
    expect(matchOf(halfway, { click, impression: cpiPrice(7) })).toEqual({ match: "impression", amount: 7 });
  });

  it("takes no price from an engagement that is not usable", () => {
    expect(matchOf(cpi, { click: open, impression: cpiPrice(7, { costDataOn: false }) }).amount).toBeNull();
    const old = NOW - COST_WINDOW_MS - 1;
    expect(matchOf(cpi, { click: open, impression: cpiPrice(7, { occurredAt: old }) }).amount).toBeNull();
    expect(
      matchOf({ ...existing, amount: null }, { click: open, impression: cpiPrice(7) }).amount,
    ).toBeNull();
  });

  it("matches up to seven days before and after the engagement", () => {
    for (const sign of [-1, 1]) {
      const at = (milliseconds: number) => ({ click: { ...open, occurredAt: NOW + sign * milliseconds } });
      expect(matchOf(existing, at(COST_WINDOW_MS)).match).toBe("click");
      expect(matchOf(existing, at(COST_WINDOW_MS + 1)).match).toBeNull();
    }
  });

  it.each([
    ["long before the impression", -2 * COST_WINDOW_MS, "click"],
    ["with the impression", 0, "click"],
    ["exactly seven days after the impression", COST_WINDOW_MS, "click"],
    ["one millisecond later", COST_WINDOW_MS + 1, "impression"],
  ])("prefers a click %s", (_what, after, kind) => {
    const [click, impression] = [{ ...open, occurredAt: NOW + after }, open];
    expect(preferred(click, impression)).toBe(kind);
    const halfway = { ...cpi, receivedAt: NOW + after / 2 };
    expect(matchOf(halfway, { click, impression }).match).toBe(kind);
  });

  it("prefers the only engagement, and none if there is none", () => {
    expect(preferred(open, undefined)).toBe("click");
    expect(preferred(undefined, open)).toBe("impression");
    expect(preferred(undefined, undefined)).toBeNull();
  });
});

describe("mismatchReason", () => {
  it.each([
    ["cpc", {}, undefined],
    ["cpc", { impression: off }, "wrong_engagement"],
    ["cpm", { click: open }, "wrong_engagement"],
    ["cpi", { click: off }, "cost_data_disabled"],
    ["cpi", { click: closed }, "window_closed"],
    ["cpc", { click: closed, impression: open }, "window_closed"],
  ] as [CostType, Engagements, string | undefined][])(
    "of %s with %j is %s",
    (costType, engagements, reason) => {
      expect(mismatchReason(costType, engagements, NOW)).toBe(reason);
    },
  );
});
