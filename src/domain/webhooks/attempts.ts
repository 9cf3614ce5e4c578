/** When a delivery is tried again, and when a webhook is turned off. */
import { DAY_MS, HOUR_MS } from "../time.ts";

const MINUTE = 60_000;
/** After the first attempt, the second, and so on; in the first run of the cron after that. */
const RETRIES = [
  ...[MINUTE, 5 * MINUTE, 30 * MINUTE],
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
];
/** Failures without a success for this long turn a webhook off. */
export const FAILING_MS = 5 * DAY_MS;
/** Nobody else sends a claimed delivery in this time. */
export const CLAIM_MS = 3 * MINUTE;
/** How long a receiver has to answer. A webhook whose last call took longer than SLOW_MS gets one delivery a run. */
export const ANSWER_MS = 10_000;
export const SLOW_MS = 5_000;

/** When a delivery is due after so many attempts that failed; null if it is not tried again. */
export const dueAfter = (attempts: number, now: number): number | null => {
  const wait = RETRIES[attempts - 1];
  return wait === undefined ? null : now + wait;
};
