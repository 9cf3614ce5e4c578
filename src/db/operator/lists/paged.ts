/** The lists of operators, one page at a time. */
import { type AnyColumn, type SQL, sql, type Table } from "drizzle-orm";
import { keysetQuery, type Order, type Range } from "../../keyset.ts";
import { as, type Fields, query } from "../../query.ts";
import { runBatch, type Value } from "../../statement.ts";

/**
 * A list by ID, which is the order of creation, the oldest first unless `order` says otherwise. Without `where`, the highest ID
 * is the total, because no rows of these tables are ever deleted. `where` and `within` may bind further values. The total is
 * undefined if `within` is false.
 */
export function pagedList<F extends Fields & { id: AnyColumn }>(
  fields: F,
  {
    from,
    join = sql``,
    where,
    within = sql`true`,
    order,
  }: { from: Table; join?: SQL; where?: SQL; within?: SQL; order?: Order },
) {
  const { id } = fields;
  const count = where ? sql`count(*)` : sql`coalesce(max(${id}), 0)`;
  const counted = query(
    { total: sql<number>`(SELECT ${count} FROM ${as(from)} WHERE ${where ?? sql`true`})` },
    sql`WHERE ${within}`,
  );
  const page = keysetQuery(fields, sql`FROM ${as(from)} ${join} WHERE ${where ?? sql`true`}`, order);
  return async (db: D1Database, range: Range, values: Record<string, Value> = {}) => {
    const [[found], rows] = await runBatch(db, counted(db, values), page(db, range, values));
    return { total: found?.total, rows };
  };
}
