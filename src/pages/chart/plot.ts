/** Where the values and the days of a chart are: stacks of values, and their places in percent of the plot. */
import type { DayRange } from "../../db/ledger/reports/statements.ts";
import type { Markup } from "../markup.ts";
import { valueTicks } from "./scales.ts";
import type { Unit } from "./units.ts";

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

/** A day: the parts above zero are stacked upward, those below zero downward. Lines all begin at zero. */
export interface Stack {
  day: number;
  total: bigint;
  /** Whether there is a value; one that doesn't add up can be missing. */
  isKnown: boolean;
  above: bigint;
  below: bigint;
  parts: { index: number; from: bigint; to: bigint }[];
}

export const max = (one: bigint, other: bigint) => (one > other ? one : other);

export function toStacks({ from, to }: DayRange, series: Series[], whole: Series | undefined): Stack[] {
  return Array.from({ length: to - from + 1 }, (_, offset) => {
    const day = from + offset;
    const stack: Stack = { day, total: 0n, isKnown: true, above: 0n, below: 0n, parts: [] };
    series.forEach(({ values }, index) => {
      const value = values.get(day) ?? 0n;
      const side = value > 0n ? "above" : "below";
      const start = whole ? 0n : stack[side];
      if (value !== 0n) stack.parts.push({ index, from: start, to: start + value });
      stack[side] = whole && side === "above" ? max(stack.above, value) : start + value;
      stack.total += value;
    });
    if (!whole) return stack;
    const value = whole.values.get(day);
    return {
      ...stack,
      total: value ?? 0n,
      isKnown: value !== undefined,
      above: max(stack.above, value ?? 0n),
    };
  });
}

/** How to place values and days, in percent of the plot. */
export interface Plot {
  ticks: number[];
  yOf: (value: bigint) => number;
  /** The left edge and the width of a day's bar and of its area. */
  barOf: (day: number) => { x: number; width: number };
  areaOf: (day: number) => { x: number; width: number };
}

/** Few bars would be as wide as the whole plot without this limit, in percent. */
const WIDEST_BAR = 5;

export function toPlot(
  stacks: Stack[],
  { from }: DayRange,
  { scale, isWhole, ticks: given }: Unit,
  before: Values = new Map(),
): Plot {
  const toTick = (value: bigint) => Number(value) / scale;
  const others = [...before.values()].map(toTick);
  const low = Math.min(...stacks.map(({ below }) => toTick(below)), ...others);
  const high = Math.max(...stacks.map(({ above }) => toTick(above)), ...others);
  const ticks = given ?? valueTicks(low, high, isWhole);
  const [bottom = 0, top = 1] = [ticks[0], ticks.at(-1)];
  const slot = 100 / stacks.length;
  const width = Math.min(slot * 0.7, WIDEST_BAR);
  return {
    ticks,
    yOf: (value) => ((top - toTick(value)) / (top - bottom)) * 100,
    barOf: (day) => ({ x: (day - from) * slot + (slot - width) / 2, width }),
    areaOf: (day) => ({ x: (day - from) * slot, width: slot }),
  };
}

const rounded = (value: number) => Number(value.toFixed(2));
export const percent = (value: number) => `${rounded(value)}%`;
