/** Keyset pagination over integer ids: a page deep in a list reads as few rows as the first page. */
import { type AnyColumn, type SQL, sql } from "drizzle-orm";
import { type Fields, limitTo, query } from "./query.ts";
import type { Value } from "./statement.ts";

/** The position of a page. `after` and `before` are ids, both exclusive. */
export type Range = { after: number | null; before: number | null; limit: number };

/** The items of a page, and the positions of its neighbors, null when there is none. */
export type Page<T> = { items: T[]; next: number | null; previous: number | null };

/** The order of a list. `after` and `before` are meant in this order. */
export type Order = "ASC" | "DESC";

/** A page with an end but no start is read backward. */
const isBackward = (range: Range) => range.before !== null && range.after === null;

/**
 * The statement that reads a page by `id`. `from` ends with a condition. One row more than the limit shows whether
 * another page follows.
 */
export function keysetQuery<F extends Fields & { id: AnyColumn }>(
  fields: F,
  from: SQL,
  order: Order = "ASC",
) {
  const { id } = fields;
  const pageIn = (direction: Order) =>
    query(
      fields,
      sql`${from} AND ${id} > ${sql.placeholder("above")} AND ${id} < ${sql.placeholder("below")}
        ORDER BY ${id} ${sql.raw(direction)} ${limitTo("limit")}`,
    );
  const [forward, backward] =
    order === "ASC" ? [pageIn("ASC"), pageIn("DESC")] : [pageIn("DESC"), pageIn("ASC")];
  return (db: D1Database, range: Range, values: Record<string, Value>) => {
    const { after, before, limit } = range;
    const [above, below] = order === "ASC" ? [after, before] : [before, after];
    const bounds = { above: above ?? -1, below: below ?? Number.MAX_SAFE_INTEGER, limit: limit + 1 };
    return (isBackward(range) ? backward : forward)(db, { ...values, ...bounds });
  };
}

/** Turns the rows of `keysetQuery`, in the order in which they were read, into a page. */
export function toPage<T extends { id: number }>(range: Range, rows: T[], order: Order = "ASC"): Page<T> {
  const step = order === "ASC" ? 1 : -1;
  const more = rows.length > range.limit;
  const items = rows.slice(0, range.limit);
  if (isBackward(range)) items.reverse();
  const first = items[0]?.id ?? (range.after === null ? null : range.after + step);
  const last = items.at(-1)?.id ?? (range.before === null ? null : range.before - step);
  const hasNext = isBackward(range) || more;
  const hasPrevious = isBackward(range) ? more : range.after !== null;
  return { items, next: hasNext ? last : null, previous: hasPrevious ? first : null };
}
