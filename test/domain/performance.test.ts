/** What a row of performance needs attention for, and how its figures changed. */
import { describe, expect, it } from "vitest";
import {
  changeOf,
  currenciesOf,
  figureOf,
  isInOtherCurrencies,
  type Measured,
  signalOf,
  toFigures,
} from "../../src/domain/figures/performance.ts";

interface Given {
  clicks: number;
  clicksBefore: number;
  recorded: number;
  /** Costs of clicks with an engagement. */
  matched: number;
  /** In 0.01. */
  perClick: number;
  perClickBefore: number;
  whyNoCosts: "off" | undefined;
}

function measured(given: Partial<Given>): Measured {
  const { clicks = 100, clicksBefore = 100, recorded = clicks, matched = recorded } = given;
  const { perClick = 100, perClickBefore = 100, whyNoCosts } = given;
  const figures = (count: number, recorded: number, matched: number, cents: number) =>
    toFigures(
      "USD",
      [
        {
          costType: "cpc",
          currency: "USD",
          matched,
          unpriced: 0,
          costsWhole: "0",
          costsRest: String(BigInt(matched) * BigInt(cents) * 1_000_000n),
        },
      ],
      [{ kind: "click", count, recorded }],
    );
  return {
    now: figures(clicks, recorded, matched, perClick),
    before: figures(clicksBefore, clicksBefore, clicksBefore, perClickBefore),
    recorded: BigInt(recorded),
    whyNoCosts,
  };
}

describe("the signal of a row is the first that holds", () => {
  it.each<[string, Partial<Given>, ReturnType<typeof signalOf>]>([
    ["clicks, and cost data off", { whyNoCosts: "off", recorded: 0 }, { name: "no_cost_data", why: "off" }],
    [
      "the same with few clicks",
      { whyNoCosts: "off", clicks: 1, recorded: 0 },
      { name: "no_cost_data", why: "off" },
    ],
    ["no clicks", { whyNoCosts: "off", clicks: 0 }, { name: "too_few_clicks" }],
    ["costs of links below one without cost data", { whyNoCosts: "off" }, undefined],
    ["a coverage of 95%", { matched: 95 }, { name: "without_cost", share: 0.05 }],
    ["a coverage of 96%", { matched: 96 }, undefined],
    ["20 recorded clicks", { recorded: 20, matched: 0 }, { name: "without_cost", share: 1 }],
    ["19 recorded clicks", { recorded: 19, matched: 0 }, undefined],
    ["a cost per click 20% higher", { perClick: 120 }, { name: "cost_per_click_up", percent: 20 }],
    ["a cost per click 19% higher", { perClick: 119 }, undefined],
    ["a lower cost per click", { perClick: 50 }, undefined],
    [
      "20 clicks in both periods",
      { clicks: 20, clicksBefore: 20, perClick: 130 },
      { name: "cost_per_click_up", percent: 30 },
    ],
    ["19 clicks before", { clicksBefore: 19, perClick: 130 }, undefined],
    ["19 clicks", { clicks: 19, perClick: 130 }, { name: "too_few_clicks" }],
    [
      "low coverage and a higher cost per click",
      { matched: 50, perClick: 200 },
      { name: "without_cost", share: 0.5 },
    ],
  ])("%s", (_, given, signal) => {
    expect(signalOf(measured(given))).toEqual(signal);
  });

  it.each<[Partial<Given>, ReturnType<typeof signalOf>]>([
    [
      { matched: 50, perClick: 200 },
      { name: "cost_per_click_up", percent: 100 },
    ],
    [{ matched: 50 }, undefined],
  ])("but not low coverage, where a column marks it: %j", (given, signal) => {
    expect(signalOf(measured(given), true)).toEqual(signal);
  });

  it("and none of one cost type, whose coverage is a part of all", () => {
    const row = measured({ matched: 50 });
    expect(signalOf({ ...row, now: { ...row.now, clicks: null } })).toBe(undefined);
  });
});

describe("a change", () => {
  it.each([
    [150n, 100n, 50_000_000n],
    [50n, 100n, -50_000_000n],
    [-50n, -100n, 50_000_000n],
    [1n, 0n, null],
    [null, 1n, null],
    [1n, null, null],
  ])("from %s to %s", (now, before, change) => {
    expect(changeOf(now, before)).toBe(change);
  });
});

describe("figures", () => {
  const row = (costType: "cpc" | "cpm", currency: string, units: string) => ({
    costType,
    currency,
    matched: 3,
    unpriced: 0,
    costsWhole: "0",
    costsRest: units,
  });

  it("are rounded to 8 places", () => {
    expect(toFigures("USD", [row("cpc", "USD", "5")], []).costPerClick).toBe(2n);
    expect(toFigures("USD", [row("cpc", "USD", "4")], []).costPerClick).toBe(1n);
  });

  it("do not call spend of zero another currency", () => {
    expect(toFigures("USD", [row("cpm", "EUR", "0")], []).otherCurrencies).toEqual([]);
    expect(toFigures("USD", [row("cpm", "EUR", "1")], []).otherCurrencies).toEqual(["EUR"]);
  });

  it("are elsewhere if all costs are in other currencies", () => {
    const figures = (...rows: Parameters<typeof toFigures>[1]) => toFigures("USD", rows, []);
    expect(isInOtherCurrencies(figures(row("cpc", "EUR", "5")))).toBe(true);
    expect(isInOtherCurrencies(figures(row("cpc", "EUR", "5"), row("cpc", "USD", "0")))).toBe(false);
    expect(isInOtherCurrencies(figures())).toBe(false);
  });

  it("have prices of one type, and of 1,000 impressions", () => {
    const figures = toFigures(
      "USD",
      [row("cpc", "USD", "5"), row("cpm", "USD", "7"), row("cpm", "EUR", "9")],
      [],
    );
    expect(figureOf(figures, "cost_per_mille")).toBe(2_333n);
    expect(figureOf(figures, "cost_per_install")).toBe(null);
    expect(figureOf(figures, "cost_per_click")).toBe(2n);
  });
});

it("the first currency is the one with the most costs of the period, whatever was before", () => {
  const row = (currency: string, matched: number) => ({ currency, matched });
  expect(currenciesOf([row("USD", 1), row("EUR", 2)], [row("USD", 9), row("CHF", 9)])).toEqual([
    ...["EUR", "USD", "CHF"],
  ]);
});
