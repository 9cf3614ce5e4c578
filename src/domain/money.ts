/** Money on the wire: decimal text, exact, from integer counts of 0.00001 currency units. */

/** Plain decimal text without trailing zeros: 25000 units are `0.25`. */
export function formatAmount(units: number | string): string {
  return toText(BigInt(units), 5);
}

/** What flat amounts and amounts per 1,000 impressions come to in all rows: decimal text, exact to 0.00000001. */
export function formatSpend(rows: { flat: string; per_mille: string }[]): string {
  const thousandths = rows.reduce((sum, row) => sum + BigInt(row.flat) * 1_000n + BigInt(row.per_mille), 0n);
  return toText(thousandths, 8);
}

/** A count of the last of so many decimal places, as text. */
function toText(count: bigint, places: number): string {
  if (count < 0n) return `-${toText(-count, places)}`;
  const digits = String(count).padStart(places + 1, "0");
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`.replace(/\.?0+$/, "");
}
