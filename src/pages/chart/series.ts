/** What a chart draws of its series: stacks of all, or lines of the total and of single ones. Pure. */
import { showCount } from "../locale.ts";
import type { Markup } from "../markup.ts";

export type Values = ReadonlyMap<number, bigint>;

export interface Series {
  /** An empty name for a chart with only this series. */
  name: string;
  /** What its color follows from, such as the ID of its partner; without it, the name. */
  key?: string;
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

const OWN_COLORS = [1, 2, 3, 4, 5];
const REST_COLOR = 6;

/**
 * The color of each series follows from its key and not from its order, so a partner has the same one in other days and on other pages.
 * Of several that want one color, the first key has it, and the others have what is free.
 */
function withColors(series: Series[]): Colored[] {
  const free = new Set(OWN_COLORS);
  const colored = series.map((one) => ({ ...one, color: REST_COLOR }));
  const sorted = colored.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  const take = (one: Colored, color: number) => {
    if (one.color === REST_COLOR && free.delete(color)) one.color = color;
  };
  for (const one of sorted) take(one, colorOf(keyOf(one)));
  for (const one of sorted) take(one, Math.min(...free));
  return colored;
}

const keyOf = ({ key, name }: Series) => key ?? name;

/** IDs that follow each other have different ones. */
const colorOf = (key: string) =>
  1 + ((Number(key) || [...key].reduce((sum, letter) => sum + letter.charCodeAt(0), 0)) % OWN_COLORS.length);

/** Below a total of more than so many times the largest of them, the lines of single series are flat. */
const MOST_ABOVE_LINES = 5n;

/**
 * The first five series have a color of their own, also without values, so that charts that are given the same series have the same
 * colors. The others are added up. Where they are more than half of all, and for ratios, everything is a line, and the first five are;
 * beside a total that is much larger than each of them, there is only the total.
 */
export function toDrawing(given: Series[], isRatio: boolean, whole: Series | undefined): Drawing {
  const all = given.filter(({ isRest }) => !isRest);
  const [first, more] = [all.slice(0, OWN_COLORS.length), all.slice(OWN_COLORS.length)];
  const own = withColors(first).filter(({ values }) => values.size > 0);
  if (isRatio) return { series: own, whole };
  const others = [...more, ...given.filter(({ isRest }) => isRest)].filter(({ values }) => values.size > 0);
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
