import { describe, expect, it } from "vitest";
import type { Cost, Credential, Engagement, Engagements, StoredCost } from "../../src/domain/costs.ts";
import {
  COST_WINDOW_MS,
  judgeCost,
  judgeCosts,
  judgeCredential,
  matchOf,
} from "../../src/domain/matching.ts";

const NOW = 1_000_000_000_000;
const credential: Credential = {
  partnerId: 1,
  mode: "live",
  costTypes: ["cpc", "cpi", "cpe", "cpm"],
  revoked: false,
  supportsCostData: true,
};
const cost: Cost = { costId: "a-cost-of-ours", costType: "cpc", currency: "USD", amount: 5, tag: "t" };
const open: Engagement = {
  occurredAt: NOW,
  eligible: true,
  urlCostType: null,
  urlCurrency: null,
  urlAmount: null,
};
const closed: Engagement = { ...open, occurredAt: NOW - COST_WINDOW_MS - 1 };
const off: Engagement = { ...open, eligible: false };
const existing: StoredCost = { costType: "cpc", currency: "USD", amount: 5, source: "call", receivedAt: NOW };

const reject = (reason: string) => ({ outcome: "reject", reason });
const store = (match: string | null, amount: number | null = 5) => ({ outcome: "store", match, amount });
const duplicate = (match: string | null, amount: number | null = 5) => ({
  outcome: "duplicate",
  match,
  amount,
});

describe("judgeCredential", () => {
  it.each([
    ["may post what it is cleared for", {}, undefined],
    [
      "is revoked before all else",
      { revoked: true, mode: "test", supportsCostData: false },
      "credential_revoked",
    ],
    ["is for tests", { mode: "test", costTypes: [] }, "test_credential"],
    ["is of a partner without cost data", { supportsCostData: false }, "cost_type_not_integrated"],
    ["is not cleared for the type", { costTypes: ["cpi", "cpm"] }, "cost_type_not_integrated"],
    ["is cleared for nothing", { costTypes: [""] }, "cost_type_not_integrated"],
  ] as [string, Partial<Credential>, string | undefined][])("%s", (_what, change, rejection) => {
    expect(judgeCredential({ ...credential, ...change }, "cpc")).toBe(rejection);
  });
});

describe("judgeCost without a prior cost", () => {
  it.each([
    ["waits where there is no engagement", "cpc", {}, store(null)],
    ["takes a click for cpc", "cpc", { click: open }, store("click")],
    ["takes no impression for cpc", "cpc", { impression: open }, reject("wrong_engagement")],
    ["takes no click for cpm", "cpm", { click: open }, reject("wrong_engagement")],
    ["takes an impression for cpm", "cpm", { click: open, impression: open }, store("impression")],
    ["prefers a click for cpi", "cpi", { click: open, impression: open }, store("click")],
    ["takes an impression for cpe", "cpe", { impression: open }, store("impression")],
    [
      "goes past a closed click to an open impression",
      "cpi",
      { click: closed, impression: open },
      store("impression"),
    ],
    ["goes past a click without cost data", "cpi", { click: off, impression: open }, store("impression")],
    ["is late", "cpc", { click: closed }, reject("window_closed")],
    ["is late for both", "cpe", { click: closed, impression: closed }, reject("window_closed")],
    ["is for a link without cost data", "cpc", { click: off }, reject("cost_data_disabled")],
    [
      "tells of the click before the impression",
      "cpi",
      { click: off, impression: closed },
      reject("cost_data_disabled"),
    ],
    [
      "tells the wrong kind before anything of it",
      "cpm",
      { click: { ...closed, eligible: false } },
      reject("wrong_engagement"),
    ],
  ] as [string, Cost["costType"], Engagements, object][])("%s", (_what, costType, engagements, verdict) => {
    expect(judgeCost({ ...cost, costType }, credential, engagements, undefined, NOW)).toEqual(verdict);
  });

  it.each([
    [COST_WINDOW_MS, store("click")],
    [COST_WINDOW_MS + 1, reject("window_closed")],
  ])("draws the line at %i ms after the engagement", (age, verdict) => {
    const click = { ...open, occurredAt: NOW - age };
    expect(judgeCost(cost, credential, { click }, undefined, NOW)).toEqual(verdict);
  });
});

describe("judgeCost with a prior cost", () => {
  const lapsed: StoredCost = { ...existing, receivedAt: NOW - COST_WINDOW_MS - 1 };
  it.each([
    ["the same waits still", {}, existing, {}, duplicate(null)],
    ["the same is matched already", {}, existing, { click: open }, duplicate("click")],
    ["another tag is the same", { tag: "other" }, existing, {}, duplicate(null)],
    ["no amount is the same", { amount: null }, existing, {}, duplicate(null)],
    ["another amount is a conflict", { amount: 6 }, existing, {}, reject("cost_id_conflict")],
    ["an amount of 0 is an amount", { amount: 0 }, existing, {}, reject("cost_id_conflict")],
    ["another currency is a conflict", { currency: "EUR" }, existing, {}, reject("cost_id_conflict")],
    ["another type is a conflict", { costType: "cpi" }, existing, {}, reject("cost_id_conflict")],
    [
      "the amount completes an unpriced one",
      {},
      { ...existing, amount: null },
      { click: open },
      store("click"),
    ],
    ["and one that waits", {}, { ...existing, amount: null }, {}, store(null)],
    [
      "but not in another currency",
      { currency: "EUR" },
      { ...existing, amount: null },
      {},
      reject("cost_id_conflict"),
    ],
    [
      "nor too late",
      {},
      { ...existing, amount: null, receivedAt: closed.occurredAt },
      { click: closed },
      reject("window_closed"),
    ],
    [
      "a URL's gives way",
      { currency: "EUR", amount: 9 },
      { ...existing, source: "url" },
      { click: open },
      store("click", 9),
    ],
    [
      "a URL's does not give way too late",
      {},
      { ...existing, source: "url" },
      { click: closed },
      reject("window_closed"),
    ],
    ...([{ source: "url" }, { amount: null }] as const).map((kept) => [
      `settled spend does not move to an impression that is open: ${JSON.stringify(kept)}`,
      { costType: "cpi" },
      { ...existing, costType: "cpi", receivedAt: closed.occurredAt, ...kept },
      { click: closed, impression: open },
      reject("window_closed"),
    ]),
    [
      "one that waited for seven days stands",
      { amount: 6 },
      { ...lapsed, receivedAt: NOW - COST_WINDOW_MS },
      {},
      reject("cost_id_conflict"),
    ],
    ["one that waited in vain gives way", { costType: "cpi", amount: 9 }, lapsed, {}, store(null, 9)],
    [
      "one that is matched never lapses",
      {},
      lapsed,
      { click: { ...open, occurredAt: lapsed.receivedAt } },
      duplicate("click"),
    ],
  ] as [string, Partial<Cost>, StoredCost, Engagements, object][])(
    "%s",
    (_what, change, before, engagements, verdict) => {
      expect(judgeCost({ ...cost, ...change }, credential, engagements, before, NOW)).toEqual(verdict);
    },
  );

  it.each([
    ["exactly seven days after its engagement", COST_WINDOW_MS, store("click", 9)],
    ["a millisecond later", COST_WINDOW_MS + 1, reject("window_closed")],
    ["exactly seven days before its engagement", -COST_WINDOW_MS, store("click", 9)],
    ["a millisecond earlier", -COST_WINDOW_MS - 1, reject("window_closed")],
  ])("lets a URL's cost be replaced until %s", (_, age, verdict) => {
    const click = { ...open, occurredAt: NOW - age };
    const carried: StoredCost = { ...existing, source: "url", receivedAt: click.occurredAt };
    expect(judgeCost({ ...cost, amount: 9 }, credential, { click }, carried, NOW)).toEqual(verdict);
  });

  it("refuses the credential before it tells of the prior cost", () => {
    expect(judgeCost(cost, { ...credential, revoked: true }, {}, existing, NOW)).toEqual(
      reject("credential_revoked"),
    );
  });
});

describe("matchOf", () => {
  it.each([
    ["the cost's own", 5, { urlAmount: 7 }, 5],
    ["the URL's where the cost has none", null, { urlAmount: 7 }, 7],
    [
      "the URL's for the same type and currency",
      null,
      { urlAmount: 7, urlCostType: "cpc", urlCurrency: "USD" },
      7,
    ],
    ["none where the URL's is for another type", null, { urlAmount: 7, urlCostType: "cpi" }, null],
    ["none where the URL's is in another currency", null, { urlAmount: 7, urlCurrency: "EUR" }, null],
    ["0 where the URL says so", null, { urlAmount: 0 }, 0],
  ] as [string, number | null, Partial<Engagement>, number | null][])(
    "counts %s",
    (_what, amount, url, counted) => {
      expect(matchOf({ ...existing, amount }, { click: { ...open, ...url } })).toEqual({
        match: "click",
        amount: counted,
      });
    },
  );

  it("takes the amount from the impression's URL where the click that it stands on carried none", () => {
    const engagements = { click: open, impression: { ...open, urlAmount: 7 } };
    expect(matchOf({ ...existing, costType: "cpi", amount: null }, engagements)).toEqual({
      match: "click",
      amount: 7,
    });
  });

  it("holds for a cost before and after its engagement alike", () => {
    for (const sign of [-1, 1]) {
      const at = (milliseconds: number) => ({ click: { ...open, occurredAt: NOW + sign * milliseconds } });
      expect(matchOf(existing, at(COST_WINDOW_MS)).match).toBe("click");
      expect(matchOf(existing, at(COST_WINDOW_MS + 1)).match).toBeNull();
    }
  });
});

describe("judgeCosts", () => {
  const costContext = (change: Partial<Cost>, before?: StoredCost) => ({
    cost: { ...cost, ...change },
    credential,
    engagements: {},
    existing: before,
  });

  it("lets an id meet its own first, whatever there was before them", () => {
    const urls: StoredCost = { ...existing, source: "url" };
    const verdicts = judgeCosts(
      [
        costContext({ amount: null }, urls),
        costContext({ amount: 6 }, urls),
        costContext({ amount: 6 }, urls),
        costContext({ amount: 7 }, urls),
        costContext({ costId: "another-cost-1", amount: 7 }),
      ],
      NOW,
    );
    expect(verdicts).toEqual([
      store(null, null),
      store(null, 6),
      duplicate(null, 6),
      reject("cost_id_conflict"),
      store(null, 7),
    ]);
  });

  it("lets a refused one leave no trace", () => {
    const onImpression = { ...costContext({}), engagements: { impression: open } };
    const verdicts = judgeCosts([onImpression, { ...onImpression, cost: { ...cost, costType: "cpi" } }], NOW);
    expect(verdicts).toEqual([reject("wrong_engagement"), store("impression")]);
  });
});
