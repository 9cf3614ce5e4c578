/** What clicks and impressions cost, from the sums of a period, and how that changed. Pure functions. */
import {
  COST_TYPE,
  type CostType,
  type Kind,
  type PriceName,
  TYPES_PER_CLICK,
  typeOfPrice,
} from "../cost-types.ts";
import { formatMoney, type SpendSums, sumAdjusted, sumCosts, sumSpend } from "../money.ts";
import type { WhyNoCosts } from "./groups.ts";
import { FIGURES, type FigureName } from "./names.ts";
import { isUsual, MIN_EXPECTED } from "./rates.ts";

/** The costs of one type in one currency. */
export interface CostRow extends SpendSums {
  costType: CostType | null;
  currency: string;
  /** Costs with an engagement: those with an amount, and those without. */
  matched: number;
  unpriced: number;
}

type CurrencyRow = Pick<CostRow, "currency" | "matched">;

/** Engagements of one kind. */
export type EngagementRow = { kind: Kind | null; count: number; recorded: number };

/** What the rows add up to. */
export const sumOf = <Row>(rows: readonly Row[], of: (row: Row) => number): number =>
  rows.reduce((sum, row) => sum + of(row), 0);

/** Money and rates are in units of 0.00000001. Null: there is nothing to divide, or it isn't known by cost type. */
export interface Figures {
  /** With adjustments. */
  spend: bigint;
  adjusted: bigint;
  clicks: bigint | null;
  impressions: bigint | null;
  /** Costs with an engagement and an amount. */
  matched: bigint;
  /** Of cpc costs, without adjustments. */
  costPerClick: bigint | null;
  /** All spend by all clicks. */
  effectiveCostPerClick: bigint | null;
  /** Costs of clicks by recorded clicks, cut to 4 places, in any currency. */
  coverage: bigint | null;
  impressionCoverage: bigint | null;
  /** Engagements with cost data on, which coverage is a part of. */
  recorded: Record<Kind, bigint>;
  /** The other currencies in which there is spend too. */
  otherCurrencies: string[];
  /** The costs in the currency. */
  costs: CostRow[];
}

const COUNTS: readonly string[] = ["clicks", "impressions", "matched"] satisfies FigureName[];

/** The figures in a currency. `costType`: the costs are of this type only, and the engagements of all. */
export function toFigures(
  currency: string | null,
  costs: CostRow[],
  engagements: EngagementRow[],
  costType?: CostType | null,
): Figures {
  const own = costs.filter((row) => row.currency === currency);
  const cpc = own.filter(({ costType }) => costType && TYPES_PER_CLICK.includes(costType));
  const spend = sumSpend(own);
  const clicks = count(engagements, "click");
  const others = Map.groupBy(
    costs.filter((row) => row.currency !== currency),
    (row) => row.currency,
  );
  const otherCurrencies = [...others].flatMap(([code, rows]) => (sumSpend(rows) === 0n ? [] : [code]));
  const recorded = {
    click: count(engagements, "click", "recorded"),
    impression: count(engagements, "impression", "recorded"),
  };
  const coverageOf = (kind: Kind) => {
    if (costType && COST_TYPE[costType].fits[0] !== kind) return null;
    const covering = costs.filter((row) => row.costType && COST_TYPE[row.costType].fits[0] === kind);
    const matched = covering.reduce((sum, row) => sum + row.matched + row.unpriced, 0);
    return recorded[kind] === 0n ? null : ((BigInt(matched) * 10_000n) / recorded[kind]) * 10_000n;
  };
  return {
    spend,
    adjusted: sumAdjusted(own),
    clicks: costType ? null : clicks,
    impressions: costType ? null : count(engagements, "impression"),
    matched: sum(own, "matched"),
    costPerClick: divide(sumCosts(cpc), sum(cpc, "matched")),
    effectiveCostPerClick: costType || otherCurrencies.length > 0 ? null : divide(spend, clicks),
    coverage: coverageOf("click"),
    impressionCoverage: coverageOf("impression"),
    recorded,
    otherCurrencies,
    costs: own,
  };
}

/** A figure by its name, also the price of a cost type: of its costs, without adjustments. */
export function figureOf(figures: Figures, name: FigureName | PriceName): bigint | null {
  if (name in FIGURES) return figures[FIGURES[name as FigureName]];
  const type = typeOfPrice(name);
  const costs = figures.costs.filter(({ costType }) => costType === type);
  const amount = sumCosts(costs) * (type && COST_TYPE[type].isPerMille ? 1_000n : 1n);
  return divide(amount, sum(costs, "matched"));
}

/** A rate from 0 to 1. */
export const shareOf = (rate: bigint | null): number | null => (rate === null ? null : Number(rate) / 1e8);

/** Whether all of its costs are in other currencies, so that a spend of zero would read as free. */
export const isInOtherCurrencies = ({ spend, matched, otherCurrencies }: Figures): boolean =>
  spend === 0n && matched === 0n && otherCurrencies.length > 0;

const sum = (rows: CostRow[], name: "matched") => BigInt(rows.reduce((total, row) => total + row[name], 0));
const count = (rows: EngagementRow[], kind: string, name: "count" | "recorded" = "count") =>
  BigInt(rows.reduce((total, row) => total + (row.kind === kind ? row[name] : 0), 0));

/** Rounded half away from zero; null for a divisor of zero. */
export function divide(value: bigint, by: bigint): bigint | null {
  if (by === 0n) return null;
  const half = value < 0n ? -by / 2n : by / 2n;
  return (value + half) / by;
}

/** Plain decimal text, or a whole number of a count. */
export function formatFigure(figures: Figures, name: FigureName): string | number | null {
  const value = figures[FIGURES[name]];
  if (value === null) return null;
  return COUNTS.includes(name) ? Number(value) : formatMoney(value);
}

/** The currencies of a period and of the one before, the one with the most matched costs of the period first, then by code. */
export function currenciesOf(now: CurrencyRow[], before: CurrencyRow[] = []): string[] {
  const matched = new Map(before.map(({ currency }) => [currency, 0]));
  for (const row of now) matched.set(row.currency, (matched.get(row.currency) ?? 0) + row.matched);
  return [...matched]
    .sort(([one, first], [other, second]) => second - first || (one < other ? -1 : 1))
    .map(([currency]) => currency);
}

/** What a row needs attention for; undefined if nothing. The first that holds. */
export type Signal =
  | { name: "no_cost_data"; why: WhyNoCosts }
  | { name: "without_cost"; share: number }
  | { name: "cost_per_click_up"; percent: number }
  | { name: "too_few_clicks" };

/** Fewer engagements say nothing. */
export const MIN_CLICKS = BigInt(MIN_EXPECTED);
const MIN_RISE = 20n;

export interface Measured {
  now: Figures;
  before: Figures;
  /** Recorded clicks. */
  recorded: bigint;
  /** Undefined: costs can arrive, or it is not known for this group. */
  whyNoCosts?: WhyNoCosts | undefined;
}

/** Fewer clicks than a price says something of. Of one cost type, they are null. */
export const hasTooFewClicks = ({ clicks }: Figures): boolean => clicks !== null && clicks < MIN_CLICKS;

/** `hasCoverage`: without that for low coverage, which the row shows by itself. */
export function signalOf(
  { now, before, recorded, whyNoCosts }: Measured,
  hasCoverage = false,
): Signal | undefined {
  const clicks = now.clicks ?? 0n;
  if (clicks > 0n && whyNoCosts && !now.coverage) return { name: "no_cost_data", why: whyNoCosts };
  // Of one cost type, coverage says nothing: the others cover the rest. Then clicks are null.
  if (!hasCoverage && now.clicks !== null && now.coverage !== null) {
    const share = Number(100_000_000n - now.coverage) / 1e8;
    if (isUsual(share, Number(recorded)) === false) return { name: "without_cost", share };
  }
  const rise = changeOf(now.costPerClick, before.costPerClick);
  const isEnough = clicks >= MIN_CLICKS && (before.clicks ?? 0n) >= MIN_CLICKS;
  if (isEnough && rise !== null && rise >= MIN_RISE * 1_000_000n)
    return { name: "cost_per_click_up", percent: Number(rise / 1_000_000n) };
  return hasTooFewClicks(now) ? { name: "too_few_clicks" } : undefined;
}

/** The change between two values as a part of the earlier one, in units of 0.00000001; null where there is nothing to compare. */
export function changeOf(now: bigint | null, before: bigint | null): bigint | null {
  if (now === null || before === null || before === 0n) return null;
  return ((now - before) * 100_000_000n) / (before < 0n ? -before : before);
}
