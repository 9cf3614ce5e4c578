/** Where a chart has its ticks. Pure. */
import type { DayRange } from "../../domain/time.ts";

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

/** More lines would be too near to each other. */
const MOST_LINES = 6;

/**
 * The ticks of a logarithmic axis around the values from `min` to `max`: 1, 2 and 5 times powers of ten, or of those between the first and
 * the last only these powers where that would be many. Undefined where a value is not above zero, or the highest is at most three times the
 * lowest, or more than 1,000 times.
 */
export function logarithmicTicks(min: number, max: number): number[] | undefined {
  if (!(min > 0 && max > 3 * min && max <= 1_000 * min)) return undefined;
  const least = Math.floor(Math.log10(min) - 1e-9);
  const all = [0, 1, 2, 3, 4].flatMap((more) =>
    [1, 2, 5].map((digit) => exact(digit * 10 ** (least + more))),
  );
  const [first, last] = [all.findLastIndex((tick) => tick <= min), all.findIndex((tick) => tick >= max)];
  const isFew = last - first < MOST_LINES;
  // Beside an end, there is no room for the label of another one.
  return all.filter(
    (_, at) =>
      at === first ||
      at === last ||
      (at > first && at < last && (isFew || (at % 3 === 0 && at > first + 1 && at < last - 1))),
  );
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
