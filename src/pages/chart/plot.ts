/** Where the values and the days of a chart are: stacks of values, and their places in percent of the plot. */
import type { DayRange } from "../../domain/time.ts";
import { logarithmicTicks, rangeTicks, valueTicks } from "./scales.ts";
import type { Drawing, Values } from "./series.ts";
import type { Unit } from "./units.ts";

/** A day: the parts above zero are stacked upward, those below zero downward. Lines all begin at zero. */
export interface Stack {
  day: number;
  total: bigint;
  /** Whether there is a value; one that doesn't add up can be missing. */
  isKnown: boolean;
  above: bigint;
  below: bigint;
  parts: { color: number; name: string; from: bigint; to: bigint }[];
}

export function toStacks({ from, to }: DayRange, { series, whole }: Drawing): Stack[] {
  return Array.from({ length: to - from + 1 }, (_, offset) => {
    const day = from + offset;
    const stack: Stack = { day, total: 0n, isKnown: true, above: 0n, below: 0n, parts: [] };
    for (const { values, color, name } of series) {
      const value = values.get(day) ?? 0n;
      const side = value > 0n ? "above" : "below";
      const start = whole ? 0n : stack[side];
      if (value !== 0n) stack.parts.push({ color, name, from: start, to: start + value });
      stack[side] = start + value;
      stack.total += value;
    }
    if (!whole) return stack;
    const value = whole.values.get(day);
    return { ...stack, total: value ?? 0n, isKnown: value !== undefined };
  });
}

/** How to place values and days, in percent of the plot. */
export interface Plot {
  ticks: number[];
  /** Whether values are below the axis. They are drawn at its edge. */
  isCut: boolean;
  isLogarithmic: boolean;
  yOfTick: (tick: number) => number;
  yOf: (value: bigint) => number;
  /** The left edge and the width of a day's bar and of its area. */
  barOf: (day: number) => { x: number; width: number };
  areaOf: (day: number) => { x: number; width: number };
}

/** A lowest value below zero that is less than this part of the highest one can't be seen, and gets no room. */
const LEAST_BELOW = 0.02;

/** Between the end of an axis of ratios and its last tick, in percent. */
const ROOM = 4;

/** Few bars would be as wide as the whole plot without this limit, in percent. */
const WIDEST_BAR = 8;

export function toPlot(
  stacks: Stack[],
  { series, whole }: Drawing,
  { from, to }: DayRange,
  { scale, isWhole, isRatio, most, ticks: given }: Unit,
  before: Values = new Map(),
): Plot {
  const toTick = (value: bigint) => Number(value) / scale;
  const valuesOf = (lines: { values: Values }[]) =>
    lines
      .flatMap(({ values }) => [...values])
      .filter(([day]) => day >= from && day <= to)
      .map(([, value]) => toTick(value));
  const earlier = [...before.values()].map(toTick);
  const drawn = whole
    ? valuesOf([...series, whole])
    : stacks.flatMap(({ above, below }) => [toTick(above), toTick(below)]);
  const values = [...drawn, ...earlier];
  const [lowest, high] = [Math.min(...values), Math.max(...values)];
  const low = lowest < 0 && -lowest < LEAST_BELOW * high ? 0 : lowest;
  // One line at 0% would press the others together at 100%: then the axis is for the range of the total.
  const usual = whole && most !== undefined ? Math.min(...valuesOf([whole]), ...earlier) : low;
  const range = isRatio ? (rangeTicks(low, high, most) ?? rangeTicks(usual, high, most)) : undefined;
  // On an axis from zero, the lines far below the highest one would be on each other.
  const multiples = isRatio && !range && !given ? logarithmicTicks(low, high) : undefined;
  const all =
    range ??
    multiples ??
    given ??
    (values.length > 0 ? valueTicks(low, high, isWhole) : valueTicks(0, 0, isWhole));
  // Below zero, the axis ends at the lowest value.
  const [first = 0] = all;
  const bottom = low < 0 ? low : first;
  const ticks = all.filter((tick) => tick >= bottom);
  const slot = 100 / stacks.length;
  const width = Math.min(slot * 0.7, WIDEST_BAR);
  const place = multiples ? Math.log : (tick: number) => tick;
  const [lowerEnd, upperEnd] = [place(bottom), place(ticks.at(-1) ?? 1)];
  // Lines have room beyond the last tick, and below the first one unless it is zero.
  const above = isRatio ? ROOM : 0;
  const height = 100 - above - (bottom > 0 ? above : 0);
  const yOfTick = (tick: number) =>
    Math.min(100, above + ((upperEnd - place(tick)) / (upperEnd - lowerEnd)) * height);
  return {
    ticks,
    isCut: low < bottom,
    isLogarithmic: multiples !== undefined,
    yOfTick,
    yOf: (value) => yOfTick(toTick(value)),
    barOf: (day) => ({ x: (day - from) * slot + (slot - width) / 2, width }),
    areaOf: (day) => ({ x: (day - from) * slot, width: slot }),
  };
}

const rounded = (value: number) => Number(value.toFixed(2));
export const percent = (value: number) => `${rounded(value)}%`;
