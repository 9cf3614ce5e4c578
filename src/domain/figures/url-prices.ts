/** Which days of prices on URLs an operator should look at: anyone can write a price on a URL. */
import { isNearlyFull } from "../engagements/sub-links.ts";

/** Prices of one partner, app and currency. Money in units of 0.00000001. */
export interface UrlPriceDays {
  partnerId: number;
  appToken: string;
  currency: string;
  /** What counted, by day. A day that is missing has none. */
  counted: ReadonlyMap<number, bigint>;
}

export interface UrlPriceWarning extends Omit<UrlPriceDays, "counted"> {
  day: number;
  counted: bigint;
  /** What the day is compared with: the daily limit, or the median of the days before. */
  limit?: bigint;
  usual?: bigint;
}

/** How many days before a day say what is usual. */
export const USUAL_DAYS = 7;
/** A day is unusual above so many times the median of those days, and above 100 of any currency. */
export const UNUSUAL_TIMES = 5;
const UNUSUAL_FROM = 100n * 100_000_000n;

/**
 * Today's prices that reached 80% of the daily limit, and those of today or yesterday that are unusually many. `maxUrlSpend` is in
 * units of 0.00001, null for no limit.
 */
export function judgeUrlPrices(
  { counted, ...of }: UrlPriceDays,
  maxUrlSpend: number | null,
  today: number,
): UrlPriceWarning[] {
  const on = (day: number) => counted.get(day) ?? 0n;
  const limit = BigInt(maxUrlSpend ?? 0) * 1_000n;
  const isNear = isNearlyFull(on(today), limit);
  const unusual = [today, today - 1].flatMap((day) => {
    const before = Array.from({ length: USUAL_DAYS }, (_, index) => on(day - 1 - index));
    const usual = before.sort((one, other) => (one < other ? -1 : 1))[(USUAL_DAYS - 1) / 2] ?? 0n;
    const isUnusual = on(day) > UNUSUAL_FROM && on(day) > BigInt(UNUSUAL_TIMES) * usual;
    return isUnusual ? [{ ...of, day, counted: on(day), usual }] : [];
  });
  return [...(isNear ? [{ ...of, day: today, counted: on(today), limit }] : []), ...unusual];
}
