/** Where a chart has its ticks. Pure. */
import type { DayRange } from "../../db/ledger/reports/statements.ts";

/** Steps between ticks, times a power of ten. */
const STEPS = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8];

/**
 * Four ticks on round values, which include zero and all values from `min` to `max`. With `isWhole`, all ticks are integers.
 */
export function valueTicks(min: number, max: number, isWhole: boolean): number[] {
  const [low, high] = [Math.min(min, 0), Math.max(max, 0)];
  const step = high > low ? stepFor(low, high, isWhole) : 1;
  const first = Math.floor(low / step);
  return [0, 1, 2, 3].map((index) => Number(((first + index) * step).toPrecision(12)));
}

/** The smallest step with which three of them reach from below `low` to above `high`. */
function stepFor(low: number, high: number, isWhole: boolean): number {
  const isEnough = (step: number) => Math.ceil(high / step) - Math.floor(low / step) <= 3;
  for (let power = Math.floor(Math.log10((high - low) / 3)); ; power++) {
    const steps = STEPS.map((step) => Number((step * 10 ** power).toPrecision(12)));
    const found = steps.find((step) => isEnough(step) && (!isWhole || Number.isInteger(step)));
    if (found !== undefined) return found;
  }
}

/** The days with a label: the first and the last, and up to five evenly between them. */
export function dayTicks({ from, to }: DayRange): number[] {
  const gaps = to - from;
  if (gaps <= 6) return Array.from({ length: gaps + 1 }, (_, index) => from + index);
  const count = [6, 5, 4].find((count) => gaps % count === 0) ?? 5;
  return Array.from({ length: count + 1 }, (_, index) => from + Math.round((index * gaps) / count));
}
