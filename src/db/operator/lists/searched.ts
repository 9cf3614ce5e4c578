/**
 * The lists of the console: searched, filtered and sorted, with a total. They read every row of their table, of which there are few
 * enough: the tables that grow with traffic are not among them.
 */
import { type AnyColumn, type SQL, sql, type Table } from "drizzle-orm";
import { as, type Fields, limitTo, query, type RowOf } from "../../query.ts";
import { runBatch, type Value } from "../../statement.ts";

export type ListPage<Sort extends string = string> = { sort: Sort; offset: number; limit: number };

interface Spec<Sort extends string, Filter extends string> {
  from: Table;
  join?: SQL;
  where?: SQL;
  sorts: Record<Sort, SQL>;
  /** Conditions with the placeholder of the same name, each of which holds only if a value is given. */
  filters: Record<Filter, SQL>;
}

/** `text` contains the placeholder `q`; the case of ASCII letters does not matter. */
export const contains = (...texts: (AnyColumn | SQL)[]): SQL =>
  sql.join(
    texts.map((text) => sql`instr(lower(${text}), lower(${sql.placeholder("q")}))`),
    sql` OR `,
  );

export function searchedList<
  F extends Fields & { id: AnyColumn },
  Sort extends string,
  Filter extends string,
>(fields: F, { from, join = sql``, where = sql`true`, sorts, filters }: Spec<Sort, Filter>) {
  const named = Object.entries<SQL>(filters);
  const conditions = named.map(
    ([name, condition]) => sql` AND (${sql.placeholder(name)} IS NULL OR ${condition})`,
  );
  const source = sql`FROM ${as(from)} ${join} WHERE ${where}${sql.join(conditions)}`;
  const count = query({ total: sql<number>`count(*)` }, source);
  const pages = Object.fromEntries(
    Object.entries<SQL>(sorts).map(([sort, order]) => [
      sort,
      query(
        fields,
        sql`${source} ORDER BY ${order}, ${fields.id} ${limitTo("limit")} OFFSET ${sql.placeholder("offset")}`,
      ),
    ]),
  ) as Record<Sort, ReturnType<typeof query<F>>>;
  const none = Object.fromEntries(named.map(([name]) => [name, null]));
  return async (
    db: D1Database,
    { sort, offset, limit }: ListPage<Sort>,
    given: Partial<Record<Filter, Value>> & Record<string, Value | undefined>,
  ): Promise<{ rows: RowOf<F>[]; total: number }> => {
    const found = Object.entries(given).filter(([, value]) => value !== undefined);
    const values = { ...none, ...Object.fromEntries(found), offset, limit } as Record<string, Value>;
    const [[counted], rows] = await runBatch(db, count(db, values), pages[sort](db, values));
    return { rows, total: counted?.total ?? 0 };
  };
}
