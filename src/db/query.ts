/**
 * SQL stays SQL: its columns come from schema.ts, so renaming one is a compile error, and what a statement selects says what
 * its rows are.
 */
import { type AnyColumn, type SQL, sql, type Table } from "drizzle-orm";
import { statement } from "./statement.ts";

type Fields = Record<string, AnyColumn | SQL>;

/** A value as D1 returns it: a flag is 0 or 1, JSON is text, an enum is one of its words. */
type Raw<C extends AnyColumn> =
  | (C["_"]["data"] extends C["_"]["driverParam"] ? C["_"]["data"] : C["_"]["driverParam"])
  | (C["_"]["notNull"] extends true ? never : null);

/** The rows of a statement that selects these fields. */
export type RowOf<F extends Fields> = {
  [K in keyof F]: F[K] extends AnyColumn ? Raw<F[K]> : F[K] extends SQL<infer T> ? T : never;
};

/** `column AS name, …`, for a list in SELECT or RETURNING. */
export function fieldsOf(fields: Fields): SQL {
  return join(Object.entries(fields).map(([name, field]) => sql`${field} AS ${sql.identifier(name)}`));
}

/** `SELECT column AS name, … <rest>`. */
export function query<F extends Fields>(fields: F, rest: SQL) {
  return statement<RowOf<F>>(sql`SELECT ${fieldsOf(fields)} ${rest}`);
}

/** `<change> RETURNING column AS name, …`. */
export function returning<F extends Fields>(change: SQL, fields: F) {
  return statement<RowOf<F>>(sql`${change} RETURNING ${fieldsOf(fields)}`);
}

/** A table in FROM or JOIN under its alias: `links l`. */
export function as(table: Table): SQL {
  return sql`${sql.identifier(Reflect.get(table, Symbol.for("drizzle:OriginalName")))} ${table}`;
}

/** A column without its table, for the list of an INSERT or the left side of a SET. */
export const bare = (column: AnyColumn) => sql.identifier(column.name);
export const bareList = (...columns: AnyColumn[]) => join(columns.map((column) => sql`${bare(column)}`));

/** A column that a LEFT JOIN may leave out. */
export const orNull = <C extends AnyColumn>(column: C) => sql<Raw<C> | null>`${column}`;

function join(parts: SQL[]): SQL {
  return sql.join(parts, sql.raw(", "));
}
