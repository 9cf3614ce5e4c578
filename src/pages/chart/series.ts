/** What a chart draws of its series: stacks of all, or lines of the total and of single ones. Pure. */
import { showCount } from "../locale.ts";
import type { Markup } from "../markup.ts";

export type Values = ReadonlyMap<number, bigint>;

export interface Series {
  /** An empty name for a chart with only this series. */
  name: string;
  /** By day. */
  values: Values;
  /** What the legend says; for values that don't add up. */
  total?: bigint | null | undefined;
  /** What the legend says of the period before. */
  change?: Markup | string;
  /** The sum of many others, which comes last. */
  isRest?: true;
}

interface Colored extends Series {
  color: number;
}

export interface Drawing {
  series: Colored[];
  /** The line of everything, for series that are lines too; undefined: they are stacked. */
  whole: Series | undefined;
}

const OWN_COLORS = 5;
const REST_COLOR = 6;

/** Below a total of more than so many times the largest of them, the lines of single series are flat. */
const MOST_ABOVE_LINES = 5n;

/**
 * The first five series have a color by their place, also without values, so that charts that are given the same series have the same
 * colors. The others are added up. Where they are more than half of all, and for ratios, everything is a line, and the first five are;
 * beside a total that is much larger than each of them, there is only the total.
 */
export function toDrawing(given: Series[], isRatio: boolean, whole: Series | undefined): Drawing {
  const all = given.filter(({ isRest }) => !isRest).map((one, index) => ({ ...one, color: index + 1 }));
  const own = all.slice(0, OWN_COLORS).filter(({ values }) => values.size > 0);
  if (isRatio) return { series: own, whole };
  const others = [...all.slice(OWN_COLORS), ...given.filter(({ isRest }) => isRest)].filter(
    ({ values }) => values.size > 0,
  );
  const [only] = others;
  if (!only) return { series: own, whole: undefined };
  const name = others.length === 1 ? only.name : `${showCount(others.length)} others`;
  const rest: Colored = { name, values: sumByDay(others), isRest: true, color: REST_COLOR };
  const everything = sumByDay([...own, rest]);
  if (2n * sum(rest.values) <= sum(everything)) return { series: [...own, rest], whole: undefined };
  const largest = own.reduce((most, { values }) => max(most, sum(values)), 0n);
  return sum(everything) > MOST_ABOVE_LINES * largest
    ? { series: [{ name: "", values: everything, color: 1 }], whole: undefined }
    : { series: own, whole: { name: "Total", ...whole, values: everything } };
}

export const max = (one: bigint, other: bigint) => (one > other ? one : other);
const sum = (values: Values) => [...values.values()].reduce((total, value) => total + value, 0n);

export const totalOf = ({ values, total }: Series) => (total === undefined ? sum(values) : total);

function sumByDay(series: Series[]): Values {
  const sums = new Map<number, bigint>();
  for (const { values } of series)
    for (const [day, value] of values) sums.set(day, (sums.get(day) ?? 0n) + value);
  return sums;
}
