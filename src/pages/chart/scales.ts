/** Where a chart has its ticks. Pure. */
import type { DayRange } from "../../db/ledger/reports/statements.ts";

/** Steps between ticks, times a power of ten. */
const STEPS = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8];

/**
 * Four ticks on round values, which include zero and all values from `min` to `max`. With `isWhole`, all ticks are integers.
 */
export function valueTicks(min: number, max: number, isWhole: boolean): number[] {
  const [low, high] = [Math.min(min, 0), Math.max(max, 0)];
  const isEnough = (step: number) =>
    Math.ceil(high / step) - Math.floor(low / step) <= 3 && (!isWhole || Number.isInteger(step));
  const step = high > low ? firstStep((high - low) / 3, isEnough) : 1;
  return fourFrom(Math.floor(low / step), step);
}

/**
 * Four ticks on round values around those from `min` to `max`, without zero, and at most `most`; undefined where the values differ so much
 * that an axis from zero shows it too, or not at all.
 */
export function rangeTicks(min: number, max: number, most = Number.POSITIVE_INFINITY): number[] | undefined {
  if (!(min > max / 3 && max > min)) return undefined;
  const firstOf = (step: number) =>
    Math.min(Math.floor(exact(min / step)), Math.floor(exact(most / step)) - 3);
  const step = firstStep(
    (max - min) / 3,
    (step) => firstOf(step) <= 0 || exact(max / step) <= firstOf(step) + 3,
  );
  const first = firstOf(step);
  return first > 0 ? fourFrom(first, step) : undefined;
}

/** Steps from a tick of a logarithmic axis to the next one. */
const FACTORS = [2, 3, 4, 5, 10];

/**
 * Four ticks of a logarithmic axis around values from `min` to `max`, each the same multiple of the one before; undefined where a value is
 * not above zero, or the highest is at most three times the lowest, or about 1,000 times and more.
 */
export function logarithmicTicks(min: number, max: number): number[] | undefined {
  if (!(min > 0 && max > 3 * min)) return undefined;
  const power = 10 ** Math.floor(Math.log10(min));
  const first = exact(power * (STEPS.findLast((step) => exact(step * power) <= min) ?? 1));
  const factor = FACTORS.find((factor) => exact(first * factor ** 3) >= max);
  return factor === undefined ? undefined : [0, 1, 2, 3].map((index) => exact(first * factor ** index));
}

/** Without the error of a division: 0.3 / 0.1 is 2.9999999999999996. */
const exact = (value: number) => Number(value.toPrecision(12));

const fourFrom = (first: number, step: number) => [0, 1, 2, 3].map((index) => exact((first + index) * step));

/** The first step from about `least` on that is enough. */
function firstStep(least: number, isEnough: (step: number) => boolean): number {
  for (let power = Math.floor(Math.log10(least)); ; power++) {
    const steps = STEPS.map((step) => exact(step * 10 ** power));
    const found = steps.find(isEnough);
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
