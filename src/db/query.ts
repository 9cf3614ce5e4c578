/**
 * Typed SQL: columns come from schema.ts, so renaming one is a compile error, and the fields that a statement selects are the
 * type of its rows. Everything else in a statement is plain SQL.
 */
import {
  type AnyColumn,
  Column,
  is,
  type Placeholder,
  type SQL,
  sql,
  type Table,
  type View,
} from "drizzle-orm";
import { nameOf, statement, type Value } from "./statement.ts";

export { alias } from "drizzle-orm/sqlite-core/alias";

export type Fields = Record<string, AnyColumn | SQL>;

/** A column's value as D1 returns it: a flag is 0 or 1, JSON is text, an enum is one of its words. */
type Raw<C extends AnyColumn> =
  | (C["_"]["data"] extends C["_"]["driverParam"] ? C["_"]["data"] : C["_"]["driverParam"])
  | (C["_"]["notNull"] extends true ? never : null);

/** The rows of a statement that selects these fields. */
export type RowOf<F extends Fields> = {
  [K in keyof F]: F[K] extends AnyColumn ? Raw<F[K]> : F[K] extends SQL<infer T> ? T : never;
};

/** These columns by their own names. */
export function pick<T extends object, K extends keyof T>(source: T, ...keys: K[]): Pick<T, K> {
  return Object.fromEntries(keys.map((key) => [key, source[key]])) as Pick<T, K>;
}

/** The same fields on the right side of a LEFT JOIN: each may be null. */
export function optional<F extends Fields>(fields: F) {
  return fields as unknown as { [K in keyof F]: SQL<RowOf<F>[K] | null> };
}

/** The same fields as columns of a subquery with this alias, which selects `list(fields)`. */
export function columnsOf<F extends Fields>(subquery: string, fields: F) {
  const columns = Object.keys(fields).map((name) => [name, sql.raw(`${subquery}.${name}`)]);
  return Object.fromEntries(columns) as { [K in keyof F]: SQL<RowOf<F>[K]> };
}

/** `column AS name, …`. */
export function list(fields: Fields): SQL {
  return join(Object.entries(fields).map(([name, field]) => sql`${field} AS ${sql.identifier(name)}`));
}

/** `SELECT column AS name, … <rest>`, after the CTEs `ctes`. */
export function query<F extends Fields>(fields: F, rest: SQL, ctes = sql``) {
  return statement<RowOf<F>>(sql`${ctes} SELECT ${list(fields)} ${rest}`);
}

/** `<change> RETURNING column AS name, …`. SQLite does not accept the alias of a table here. */
export function returning<F extends Fields>(change: SQL, fields: F) {
  const columns = Object.entries(fields).map(([name, field]) => [
    name,
    is(field, Column) ? names(field) : field,
  ]);
  return statement<RowOf<F>>(sql`${change} RETURNING ${list(Object.fromEntries(columns))}`);
}

/**
 * The values of the rows of `json_each(…) j`, which travel as JSON objects with these keys. `Sent` is the type of such an object.
 */
export function jsonValues<const K extends string>(...keys: K[]) {
  return Object.fromEntries(keys.map((key) => [key, sql.raw(`(j.value ->> '${key}')`)])) as Record<K, SQL>;
}
export type Sent<Values extends Record<string, SQL>> = Record<keyof Values, Value>;

/**
 * The CTE `j` with these rows. A limit keeps it a subquery, so SQLite makes the text of each row once, not for each of its values. A
 * materialized one would count as rows read.
 */
export const jsonRows = (placeholder: string): SQL =>
  sql`j AS (SELECT value FROM json_each(${sql.placeholder(placeholder)}) LIMIT -1)`;

/** Like `jsonValues`, for rows that travel as lists, which `toCells` makes: they take half of the text. */
export function cellValues<const K extends string>(...keys: K[]) {
  return Object.fromEntries(keys.map((key, at) => [key, sql.raw(`(j.value ->> ${at})`)])) as Record<K, SQL>;
}
export const toCells = <Values extends Record<string, SQL>>(values: Values, row: Sent<Values>): Value[] =>
  Object.keys(values).map((key) => row[key as keyof Values]);

/** `json_object('name', column, …)`: a row in one column. The text parses to a `RowOf` the fields. */
export function jsonObject(fields: Fields): SQL<string> {
  return sql`json_object(${join(Object.entries(fields).map(([name, field]) => sql`${sql.raw(`'${name}'`)}, ${field}`))})`;
}

/** `json_array(column, …)`: a row in one column, which `readCells` reads. For many rows, because D1 makes an object of each, cell by cell. */
export function jsonCells(fields: Fields): SQL<string> {
  return sql`json_array(${join(Object.values(fields).map((field) => sql`${field}`))})`;
}

export function readCells<F extends Fields>(fields: F, text: string): RowOf<F> {
  const cells: unknown[] = JSON.parse(text);
  const row: Record<string, unknown> = {};
  let at = 0;
  for (const name in fields) row[name] = cells[at++];
  return row as RowOf<F>;
}

/** `INSERT INTO table (column, …) SELECT value, …`. What follows is the FROM of the SELECT. */
export function insertInto<T extends Table | View>(
  target: T,
  values: { [K in keyof T]?: AnyColumn | SQL | Placeholder },
) {
  const keys = Object.keys(values) as (keyof T)[];
  const columns = names(...keys.map((key) => target[key] as AnyColumn));
  return sql`INSERT INTO ${target} (${columns}) SELECT ${join(keys.map((key) => sql`${values[key]}`))}`;
}

/** A table or a view with its alias, for FROM and JOIN: `links l`. */
export function as(source: Table | View): SQL {
  const name: string =
    Reflect.get(source, Symbol.for("drizzle:OriginalName")) ??
    Reflect.get(source, Symbol.for("drizzle:ViewBaseConfig")).originalName;
  return sql`${sql.identifier(name)} ${source}`;
}

/** Column names without their table, for the columns of an INSERT and the left side of SET. */
export function names(...columns: AnyColumn[]): SQL {
  return join(columns.map((column) => sql`${sql.identifier(nameOf(column))}`));
}

/** For `ON CONFLICT … DO UPDATE SET`: each column gets the value of the row that was not inserted. */
export function excluded(...columns: AnyColumn[]): SQL {
  return join(columns.map((column) => sql`${names(column)} = excluded.${names(column)}`));
}

/**
 * `LIMIT` with a bound value. As a sum, because SQLite looks at the value of a parameter here and plans the statement again
 * whenever one is bound, which takes 3% of the CPU of a list of 50.
 */
export const limitTo = (name: string): SQL => sql`LIMIT ${sql.placeholder(name)} + 0`;

const join = (parts: SQL[]): SQL => sql.join(parts, sql.raw(", "));
