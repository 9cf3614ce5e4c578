/** Money on the wire: decimal text, exact, from integer counts of 0.00001 currency units. */
import Big from "big.js";

const UNIT = new Big("0.00001");

/** Plain decimal text without trailing zeros: 25000 units are `0.25`. */
export function formatAmount(units: number | string): string {
  return new Big(units).times(UNIT).toFixed();
}

/** What flat amounts and amounts per 1,000 impressions come to together: decimal text, exact to 0.00000001. */
export function formatSpend(flatUnits: string, perMilleUnits: string): string {
  return new Big(perMilleUnits).times("0.001").plus(flatUnits).times(UNIT).toFixed();
}

/** The sum of decimal texts, exact. */
export function addAmounts(amounts: string[]): string {
  return amounts.reduce((sum, amount) => sum.plus(amount), new Big(0)).toFixed();
}
