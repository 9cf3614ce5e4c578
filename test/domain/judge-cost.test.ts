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
    ["accepts a cost type that the credential is cleared for", {}, undefined],
    [
      "rejects a revoked credential before any other check",
      { revoked: true, mode: "test", supportsCostData: false },
      "credential_revoked",
    ],
    ["rejects a test credential", { mode: "test", costTypes: [] }, "test_credential"],
    ["rejects a partner without cost data", { supportsCostData: false }, "cost_type_not_integrated"],
    [
      "rejects a cost type that the credential is not cleared for",
      { costTypes: ["cpi", "cpm"] },
      "cost_type_not_integrated",
    ],
    [
      "rejects every cost type if the credential is cleared for none",
      { costTypes: [] },
      "cost_type_not_integrated",
    ],
  ] as [string, Partial<Credential>, string | undefined][])("%s", (_what, change, rejection) => {
    expect(judgeCredential({ ...credential, ...change }, "cpc")).toBe(rejection);
  });
});

describe("judgeCost without an existing cost", () => {
  it.each([
    ["stores a cost without an engagement as pending", "cpc", {}, store(null)],
    ["matches cpc with a click", "cpc", { click: open }, store("click")],
    ["rejects cpc with an impression", "cpc", { impression: open }, reject("wrong_engagement")],
    ["rejects cpm with a click", "cpm", { click: open }, reject("wrong_engagement")],
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
      "gives the reason of the click before that of the impression",
      "cpi",
      { click: off, impression: closed },
      reject("cost_data_disabled"),
    ],
    [
      "gives the wrong kind as the reason before any other",
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
  ])("ends the window exactly seven days after the engagement: %i ms", (age, verdict) => {
    const click = { ...open, occurredAt: NOW - age };
    expect(judgeCost(cost, credential, { click }, undefined, NOW)).toEqual(verdict);
  });
});

describe("judgeCost with an existing cost", () => {
  const lapsed: StoredCost = { ...existing, receivedAt: NOW - COST_WINDOW_MS - 1 };
  it.each([
    ["the same pending cost is a duplicate", {}, existing, {}, duplicate(null)],
    ["the same matched cost is a duplicate", {}, existing, { click: open }, duplicate("click")],
    ["another tag is a duplicate", { tag: "other" }, existing, {}, duplicate(null)],
    ["an omitted amount is a duplicate", { amount: null }, existing, {}, duplicate(null)],
    ["another amount is a conflict", { amount: 6 }, existing, {}, reject("cost_id_conflict")],
    ["an amount of 0 is another amount", { amount: 0 }, existing, {}, reject("cost_id_conflict")],
    ["another currency is a conflict", { currency: "EUR" }, existing, {}, reject("cost_id_conflict")],
    ["another type is a conflict", { costType: "cpi" }, existing, {}, reject("cost_id_conflict")],
    [
      "the amount completes an unpriced cost",
      {},
      { ...existing, amount: null },
      { click: open },
      store("click"),
    ],
    ["the amount completes a pending unpriced cost", {}, { ...existing, amount: null }, {}, store(null)],
    [
      "an amount in another currency does not complete it",
      { currency: "EUR" },
      { ...existing, amount: null },
      {},
      reject("cost_id_conflict"),
    ],
    [
      "an amount after the window does not complete it",
      {},
      { ...existing, amount: null, receivedAt: closed.occurredAt },
      { click: closed },
      reject("window_closed"),
    ],
    [
      "a price on a URL is replaced",
      { currency: "EUR", amount: 9 },
      { ...existing, source: "url" },
      { click: open },
      store("click", 9),
    ],
    [
      "a price on a URL is not replaced after the window",
      {},
      { ...existing, source: "url" },
      { click: closed },
      reject("window_closed"),
    ],
    ...([{ source: "url" }, { amount: null }] as const).map((change) => [
      `settled spend does not move to an open impression: ${JSON.stringify(change)}`,
      { costType: "cpi" },
      { ...existing, costType: "cpi", receivedAt: closed.occurredAt, ...change },
      { click: closed, impression: open },
      reject("window_closed"),
    ]),
    [
      "a cost pending for exactly seven days has not lapsed",
      { amount: 6 },
      { ...lapsed, receivedAt: NOW - COST_WINDOW_MS },
      {},
      reject("cost_id_conflict"),
    ],
    ["a lapsed cost is replaced", { costType: "cpi", amount: 9 }, lapsed, {}, store(null, 9)],
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
      expect(judgeCost({ ...cost, ...change }, credential, engagements, earlier, NOW)).toEqual(verdict);
    },
  );

  it.each([
    ["accepts a cost exactly seven days after the engagement", COST_WINDOW_MS, store("click", 9)],
    ["rejects a cost one millisecond later", COST_WINDOW_MS + 1, reject("window_closed")],
    ["accepts a cost exactly seven days before the engagement", -COST_WINDOW_MS, store("click", 9)],
    ["rejects a cost one millisecond earlier", -COST_WINDOW_MS - 1, reject("window_closed")],
  ])("%s in place of a price on a URL", (_, age, verdict) => {
    const click = { ...open, occurredAt: NOW - age };
    const fromUrl: StoredCost = { ...existing, source: "url", receivedAt: click.occurredAt };
    expect(judgeCost({ ...cost, amount: 9 }, credential, { click }, fromUrl, NOW)).toEqual(verdict);
  });

  it("rejects a revoked credential before it compares the existing cost", () => {
    expect(judgeCost(cost, { ...credential, revoked: true }, {}, existing, NOW)).toEqual(
      reject("credential_revoked"),
    );
  });
});

describe("matchOf", () => {
  it.each([
    ["the amount of the cost", 5, { urlAmount: 7 }, 5],
    ["the price on the URL if the cost has no amount", null, { urlAmount: 7 }, 7],
    [
      "a price on the URL of the same type and currency",
      null,
      { urlAmount: 7, urlCostType: "cpc", urlCurrency: "USD" },
      7,
    ],
    ["no price on the URL of another type", null, { urlAmount: 7, urlCostType: "cpi" }, null],
    ["no price on the URL in another currency", null, { urlAmount: 7, urlCurrency: "EUR" }, null],
    ["a price of 0 on the URL", null, { urlAmount: 0 }, 0],
  ] as [string, number | null, Partial<Engagement>, number | null][])(
    "counts %s",
    (_what, amount, url, counted) => {
      expect(matchOf({ ...existing, amount }, { click: { ...open, ...url } })).toEqual({
        match: "click",
        amount: counted,
      });
    },
  );

  it("takes the price on the impression's URL if the matched click has none", () => {
    const engagements = { click: open, impression: { ...open, urlAmount: 7 } };
    expect(matchOf({ ...existing, costType: "cpi", amount: null }, engagements)).toEqual({
      match: "click",
      amount: 7,
    });
  });

  it("matches up to seven days before and after the engagement", () => {
    for (const sign of [-1, 1]) {
      const at = (milliseconds: number) => ({ click: { ...open, occurredAt: NOW + sign * milliseconds } });
      expect(matchOf(existing, at(COST_WINDOW_MS)).match).toBe("click");
      expect(matchOf(existing, at(COST_WINDOW_MS + 1)).match).toBeNull();
    }
  });
});

describe("judgeCosts", () => {
  const costContext = (change: Partial<Cost>, earlier?: StoredCost) => ({
    cost: { ...cost, ...change },
    credential,
    engagements: {},
    existing: earlier,
  });

  it("compares a repeated ID with the cost before it in the same request", () => {
    const fromUrl: StoredCost = { ...existing, source: "url" };
    const verdicts = judgeCosts(
      [
        costContext({ amount: null }, fromUrl),
        costContext({ amount: 6 }, fromUrl),
        costContext({ amount: 6 }, fromUrl),
        costContext({ amount: 7 }, fromUrl),
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

  it("ignores a rejected cost when it judges the next one", () => {
    const onImpression = { ...costContext({}), engagements: { impression: open } };
    const verdicts = judgeCosts([onImpression, { ...onImpression, cost: { ...cost, costType: "cpi" } }], NOW);
    expect(verdicts).toEqual([reject("wrong_engagement"), store("impression")]);
  });
});
