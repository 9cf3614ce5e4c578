/** How the Performance page writes figures, their changes and the signals of rows. */
import { html } from "hono/html";
import type { WhyNoCosts } from "../../domain/figures/groups.ts";
import {
  type CostRow,
  type Figures,
  figureOf,
  hasTooFewClicks,
  isInOtherCurrencies,
  type Measured,
  signalOf,
} from "../../domain/figures/performance.ts";
import { listOf, TYPES_OF_CLICKS } from "../../domain/texts.ts";
import { noCost, STATES } from "../../pages/costs/states.ts";
import { badge, type Tone } from "../../pages/elements.ts";
import {
  NONE,
  showCompactMoney,
  showCount,
  showMoney,
  showPercent,
  showPoints,
  showPrice,
} from "../../pages/locale.ts";
import type { Markup } from "../../pages/markup.ts";
import { changeText, moneyText } from "../../pages/money.ts";
import type { Metric } from "./query.ts";

type Show = (value: bigint, currency: string) => Markup | string;

/** How a figure reads, and what its change means. */
interface Shown {
  of: (figures: Figures) => bigint | null;
  show: Show;
  /** For a tile, and the title of a chart. */
  short?: Show;
  isPrice?: true;
  /** Whether the values of days do not add up. */
  isRatio?: true;
}

/** What the column means, on every page that has it. */
export const COVERAGE = `Coverage is the share of clicks with a cost ID that have a cost of type ${listOf(TYPES_OF_CLICKS, "or")}, in any currency.`;

const MILLION = 1_000_000n * 100_000_000n;

const of = (name: Metric) => (figures: Figures) => figureOf(figures, name);
const count = (name: Metric): Shown => ({ of: of(name), show: showCount });
const price = (name: Metric): Shown => ({
  of: of(name),
  show: (value, currency) => moneyText(value, currency, showPrice),
  isPrice: true,
  isRatio: true,
});

export const SHOWN: Record<Metric, Shown> = {
  spend: {
    of: of("spend"),
    show: moneyText,
    short: (value, currency) => moneyText(value, currency, value >= MILLION ? showCompactMoney : showMoney),
  },
  clicks: count("clicks"),
  impressions: count("impressions"),
  cost_per_click: price("cost_per_click"),
  cost_per_install: price("cost_per_install"),
  cost_per_event: price("cost_per_event"),
  cost_per_mille: price("cost_per_mille"),
  matched: count("matched"),
  coverage: { of: of("coverage"), show: (value) => showPercent(Number(value) / 1e8), isRatio: true },
};

/** Without a currency, a row has no money. */
const hasMoney = (metric: Metric) => metric === "spend" || SHOWN[metric].isPrice === true;

export function figure(metric: Metric, figures: Figures, currency: string | null): Markup | string {
  const { of, show } = SHOWN[metric];
  const value = of(figures);
  // Of one cost type, clicks are null, and its name says it.
  if (value === null && metric === "cost_per_click" && figures.clicks !== null)
    return noClickCosts(figures.costs) ?? NONE;
  if (value === null || (currency === null && hasMoney(metric))) return NONE;
  return show(value, currency ?? "");
}

/** In the place of a cost per click that no cost has, if there are costs of other types. */
export function noClickCosts(costs: Pick<CostRow, "costType" | "matched">[]): Markup | undefined {
  return costs.some(({ costType, matched }) => matched > 0 && costType)
    ? html`<span class="muted">no cpc</span>`
    : undefined;
}

/**
 * The spend in a currency; in the place of a spend of zero, the other currencies of the costs. `hrefOf`: to the figures in one.
 * `hasOthers`: they also follow a spend that isn't zero.
 */
export function spendIn(
  figures: Figures,
  currency: string | null,
  hrefOf: (currency: string) => string,
  hasOthers = false,
): Markup | string {
  const spend = figure("spend", figures, currency);
  const isOnlyInOthers = isInOtherCurrencies(figures);
  if (figures.otherCurrencies.length === 0 || !(isOnlyInOthers || hasOthers)) return spend;
  const others = figures.otherCurrencies
    .toSorted()
    .map((one) => html` <a href="${hrefOf(one)}">${isOnlyInOthers ? "in" : "+"} ${one}</a>`);
  return isOnlyInOthers ? html`${others}` : html`${spend}<span>${others}</span>`;
}

export interface Compared {
  /** The days before are not compared with days that are not over. */
  isCompared: boolean;
}

/** The change of a figure, as on every page. A price of few clicks has no color either. */
export function change(metric: Metric, row: Measured, { isCompared }: Compared): Markup | string {
  const { of, isPrice = false } = SHOWN[metric];
  const [now, before] = [of(row.now), of(row.before)];
  if (!isCompared || now === null || !before) return NONE;
  return changeText(now, before, {
    isPrice: isPrice && !hasTooFewClicks(row.now),
    ...(metric === "coverage" && { text: showPoints(Number(now - before) / 1e8) }),
  });
}

/** What the colors of changes say. */
export const INKS = "Only changes of prices of 1% or more are colored.";

/** As lists of links and of partners say it. */
const WITHOUT: Record<WhyNoCosts, [text: string, tone: Tone]> = {
  off: ["Cost data off", ""],
  no_partner: ["No partner", ""],
  not_yet: STATES.not_integrated,
  stopped: STATES.stopped,
};

/** What a row needs attention for, in one line. `hasCoverage`: low coverage is marked in a column of its own. */
export function signal(row: Measured, { isCompared }: Compared, hasCoverage = false): Markup | string {
  const found = signalOf(row, hasCoverage);
  switch (found?.name) {
    case "no_cost_data":
      return badge(html`<span class="whole">${WITHOUT[found.why][0]}</span>`, WITHOUT[found.why][1]);
    case "without_cost":
      return badge(html`<span class="whole">${noCost(found.share)}</span>`, "warn");
    case "cost_per_click_up":
      return isCompared
        ? badge(html`<span class="whole">Price up ${showCount(found.percent)}%</span>`, "error")
        : "";
    case "too_few_clicks":
      return html`<span class="muted whole">Too few clicks</span>`;
    default:
      return "";
  }
}
