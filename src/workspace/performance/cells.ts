/** How the Performance page writes figures, their changes and the signals of rows. */
import { html } from "hono/html";
import {
  changeOf,
  type Figures,
  figureOf,
  type Measured,
  signalOf,
} from "../../domain/figures/performance.ts";
import { listOf, TYPES_OF_CLICKS } from "../../domain/texts.ts";
import { badge } from "../../pages/elements.ts";
import {
  NONE,
  showChange,
  showCompactMoney,
  showCount,
  showMoney,
  showPercent,
  showPoints,
  showPrice,
} from "../../pages/locale.ts";
import type { Markup } from "../../pages/markup.ts";
import { moneyText } from "../../pages/money.ts";
import type { Metric } from "./query.ts";

type Show = (value: bigint, currency: string) => Markup | string;

/** How a figure reads, and what its change means. */
interface Shown {
  of: (figures: Figures) => bigint | null;
  show: Show;
  /** For a tile. */
  short?: Show;
  /** Whether less is better. Nobody knows it of the others. */
  isCost?: true;
  /** Whether the values of days do not add up. */
  isRatio?: true;
}

/** What the column means, on every page that has it. */
export const COVERAGE = `Coverage is the share of recorded clicks (those with a cost ID) that have a cost of type ${listOf(TYPES_OF_CLICKS, "or")}, in any currency.`;

const MILLION = 1_000_000n * 100_000_000n;

const of = (name: Metric) => (figures: Figures) => figureOf(figures, name);
const count = (name: Metric): Shown => ({ of: of(name), show: showCount });
const price = (name: Metric): Shown => ({
  of: of(name),
  show: (value, currency) => moneyText(value, currency, showPrice),
  isCost: true,
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
const hasMoney = (metric: Metric) => metric === "spend" || SHOWN[metric].isCost === true;

export function figure(metric: Metric, figures: Figures, currency: string | null): Markup | string {
  const { of, show } = SHOWN[metric];
  const value = of(figures);
  if (value === null || (currency === null && hasMoney(metric))) return NONE;
  return show(value, currency ?? "");
}

interface Compared {
  /** The days before are not compared with days that are not over. */
  isCompared: boolean;
  /** Costs can still arrive. */
  isOpen: boolean;
}

/** Half of 0.1%. */
const LEAST = 50_000n;

/** The change of a figure with an arrow and a sign. Color says only of costs what is good. */
export function change(metric: Metric, row: Measured, { isCompared, isOpen }: Compared): Markup | string {
  const { of, isCost } = SHOWN[metric];
  const [now, before] = [of(row.now), of(row.before)];
  const ratio = changeOf(now, before);
  if (!isCompared || now === null || before === null || ratio === null) return NONE;
  const isFew = signalOf(row)?.name === "too_few_clicks";
  const isMuted = isFew || (isOpen && (metric === "spend" || metric === "coverage"));
  // What is written as 0.0% is no change.
  const isSame = ratio < LEAST && ratio > -LEAST;
  const arrow = isSame ? "" : ratio > 0n ? "▲" : "▼";
  const tone = isMuted ? "muted" : !isCost || isSame ? "" : ratio < 0n ? "better" : "worse";
  return html`<span class="change ${tone}">${arrow ? html`<span aria-hidden="true">${arrow}</span> ` : ""}${metric === "coverage" ? showPoints(Number(now - before) / 1e8) : showChange(now, before)}</span>`;
}

/** What a row needs attention for. */
export function signal(row: Measured, { isCompared }: Compared): Markup | string {
  const found = signalOf(row);
  switch (found?.name) {
    case "no_cost_data":
      return badge("No cost data", "warn");
    case "without_cost":
      return badge(`${showCount(found.percent)}% without cost`, "warn");
    case "cost_per_click_up":
      return isCompared ? badge(`Cost per click up ${showCount(found.percent)}%`, "error") : "";
    case "too_few_clicks":
      return html`<span class="muted">Too few clicks</span>`;
    default:
      return "";
  }
}
