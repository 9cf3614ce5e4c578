/** The order of a list in memory, by one of its figures. */

type Value = string | number | bigint | null;
/** Money is compared with money of the same currency only. `currency`: the place of its currency. */
export interface Money {
  currency: number;
  amount: bigint | null;
}
export type Key<Row> = (row: Row) => Value | Money;

/** `sort`: the name of a key, with `-` before it for the highest first. Rows without a value are last, and alike ones stay in place. */
export function inOrder<Row>(rows: Row[], sort: string, keys: Record<string, Key<Row>>): Row[] {
  const key = keys[sort.replace(/^-/, "")];
  if (!key) return rows;
  const direction = sort.startsWith("-") ? -1 : 1;
  return rows
    .map((row) => ({ row, ...toMoney(key(row)) }))
    .sort(
      (one, other) =>
        Number(one.amount === null) - Number(other.amount === null) ||
        one.currency - other.currency ||
        direction * compare(one.amount, other.amount),
    )
    .map(({ row }) => row);
}

const toMoney = (value: Value | Money): { currency: number; amount: Value } =>
  typeof value === "object" && value !== null
    ? value
    : { currency: 0, amount: typeof value === "string" ? value.toLowerCase() : value };

const compare = (one: Value, other: Value): number =>
  one === null || other === null || one === other ? 0 : one < other ? -1 : 1;
