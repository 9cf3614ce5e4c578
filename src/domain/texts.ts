/** Parts of sentences that follow from constants and from the rows of the cost types, so that no text can say something else. */
import {
  COST_TYPE,
  COST_TYPES,
  type CostType,
  type Kind,
  TYPES_PER_MILLE,
  TYPES_WITH_DISCREPANCY,
} from "./cost-types.ts";
import { COST_WINDOW_MS, DAY_MS, RETENTION_MS } from "./time.ts";

const NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/** A whole number in a text of the API, which is the same for everybody: `10,000`. Without Intl, which takes long to start. */
export function inEnglish(count: number): string {
  const digits = String(count);
  const first = digits.length % 3;
  const groups = digits.slice(first).match(/\d{3}/g) ?? [];
  return [...(first > 0 ? [digits.slice(0, first)] : []), ...groups].join(",");
}

/** Whole days, in words up to ten: `one day`, `11 days`. */
export function inDays(milliseconds: number): string {
  const days = milliseconds / DAY_MS;
  return `${NUMBERS[days] ?? days} ${days === 1 ? "day" : "days"}`;
}

export const COST_WINDOW = inDays(COST_WINDOW_MS);
export const RETENTION = inDays(RETENTION_MS);

/** `cpc, cpi or cpe`. */
export function listOf(words: readonly string[], last: "and" | "or"): string {
  return [words.slice(0, -1).join(", "), ...words.slice(-1)].filter(Boolean).join(` ${last} `);
}

/** The cost types whose amount is a price of 1,000 impressions, and those with a discrepancy. */
export const PER_MILLE = listOf(TYPES_PER_MILLE, "and");
export const WITH_DISCREPANCY = listOf(TYPES_WITH_DISCREPANCY, "and");
/** Those whose coverage is about impressions. */
export const TYPES_OF_IMPRESSIONS = COST_TYPES.filter((type) => COST_TYPE[type].fits[0] === "impression");
export const TYPES_OF_CLICKS = COST_TYPES.filter((type) => COST_TYPE[type].fits[0] === "click");
export const OF_IMPRESSIONS = listOf(TYPES_OF_IMPRESSIONS, "and");

const A_KIND: Record<Kind, string> = { click: "a click", impression: "an impression" };

/** `a click or an impression`: what a cost type can match. */
export function kindsOf(type: CostType): string {
  return listOf(
    COST_TYPE[type].fits.map((kind) => A_KIND[kind]),
    "or",
  );
}

/** `cpc fits a click, cpi and cpe a click or an impression, cpm an impression`. `mark` writes a cost type. */
export function describeFits(mark: (type: CostType) => string = (type) => type): string {
  const parts = [...Map.groupBy(COST_TYPES, kindsOf)].map(
    ([kinds, types]) => [listOf(types.map(mark), "and"), kinds] as const,
  );
  return parts.map(([types, kinds], index) => `${types} ${index === 0 ? "fits " : ""}${kinds}`).join(", ");
}

/** The anchor of a heading, as GitHub names it, so that links work there as well. */
export const toAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .replaceAll(/\s/g, "-");
