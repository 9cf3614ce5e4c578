/** Keyset pagination over integer ids: a page deep in a list reads as few rows as the first page. */
import { type AnyColumn, type SQL, sql } from "drizzle-orm";
import { type Fields, limitTo, query } from "./query.ts";
import type { Value } from "./statement.ts";

/** The position of a page. `after` and `before` are ids, both exclusive. */
export interface Range {
  after: number | null;
  before: number | null;
  limit: number;
}

/** The items of a page, and the positions of its neighbors, null when there is none. */
export interface Page<T> {
  items: T[];
  next: number | null;
  previous: number | null;
}

/** A page with an end but no start is read backward. */
const isBackward = (range: Range) => range.before !== null && range.after === null;

/**
 * The statement that reads a page in the order of `id`. `from` ends with a condition. One row more than the limit shows whether
 * another page follows.
 */
export function keysetQuery<F extends Fields & { id: AnyColumn }>(fields: F, from: SQL) {
  const { id } = fields;
  const pageIn = (direction: "ASC" | "DESC") =>
    query(
      fields,
      sql`${from} AND ${id} > ${sql.placeholder("after")} AND ${id} < ${sql.placeholder("before")}
        ORDER BY ${id} ${sql.raw(direction)} ${limitTo("limit")}`,
    );
  const [forward, backward] = [pageIn("ASC"), pageIn("DESC")];
  return (db: D1Database, range: Range, values: Record<string, Value>) => {
    const { after, before, limit } = range;
    const bounds = { after: after ?? -1, before: before ?? Number.MAX_SAFE_INTEGER, limit: limit + 1 };
    return (isBackward(range) ? backward : forward)(db, { ...values, ...bounds });
  };
}

/** Turns the rows of `keysetQuery`, in the order in which they were read, into a page. */
export function toPage<T extends { id: number }>(range: Range, rows: T[]): Page<T> {
  const more = rows.length > range.limit;
  const items = rows.slice(0, range.limit);
  if (isBackward(range)) items.reverse();
  const first = items[0]?.id ?? (range.after === null ? null : range.after + 1);
  const last = items.at(-1)?.id ?? (range.before === null ? null : range.before - 1);
  const hasNext = isBackward(range) || more;
  const hasPrevious = isBackward(range) ? more : range.after !== null;
  return {
    items,
    next: hasNext ? last : null,
    previous: hasPrevious ? first : null,
  };
}
