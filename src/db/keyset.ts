/** Keyset pagination over integer ids: a page deep in a list reads as few rows as the first page. */

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
export function isBackward(range: Range): boolean {
  return range.before !== null && range.after === null;
}

/** The values to bind in `id > after AND id < before … LIMIT limit`. The extra row shows whether another page follows. */
export function toBounds(range: Range): {
  after: number;
  before: number;
  limit: number;
} {
  return {
    after: range.after ?? -1,
    before: range.before ?? Number.MAX_SAFE_INTEGER,
    limit: range.limit + 1,
  };
}

/** Turns the rows read with `toBounds`, in the order in which they were read, into a page. */
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
