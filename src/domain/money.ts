/** Converts amounts to text without rounding. Amounts are integers in units of 0.00001 of the currency. */

/** The highest price on a URL that counts unless an operator sets another: 10,000 of any currency. */
export const DEFAULT_MAX_URL_AMOUNT = 10_000 * 100_000;

/** Plain decimal text without trailing zeros: 25000 units are `0.25`. */
export function formatAmount(units: number | string): string {
  return toText(BigInt(units), 5);
}

/** The sum of flat amounts and amounts per 1,000 impressions as plain decimal text, exact to 0.00000001. */
export function formatSpend(rows: { flat: string; perMille: string }[]): string {
  const thousandths = rows.reduce((sum, row) => sum + BigInt(row.flat) * 1_000n + BigInt(row.perMille), 0n);
  return toText(thousandths, 8);
}

/** Writes an integer count of 10^-places as decimal text without trailing zeros. */
function toText(count: bigint, places: number): string {
  if (count < 0n) return `-${toText(-count, places)}`;
  const digits = String(count).padStart(places + 1, "0");
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`.replace(/\.?0+$/, "");
}
