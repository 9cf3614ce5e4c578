/** SQL of rows that callers create and change column by column. A column is bound by its key in schema.ts. */
import { getTableColumns, type SQL, sql, type Table } from "drizzle-orm";
import { expectDefined } from "../domain/expect-defined.ts";
import { names } from "./query.ts";
import type { Value } from "./statement.ts";

type Key<T extends Table> = keyof T["_"]["columns"] & string;

/** The values to set in these columns. An undefined value is not changed. */
export type Change<T extends Table, K extends Key<T>> = {
  [P in K]: (P extends keyof T["$inferInsert"] ? T["$inferInsert"][P] : never) | undefined;
};

const nameOf = (table: Table, key: string) => names(expectDefined(getTableColumns(table)[key]));

/** `INSERT INTO apps (token, name) VALUES (:token, :name)`. */
export function insertValues<T extends Table>(table: T, ...keys: Key<T>[]): SQL {
  const columns = keys.map((key) => nameOf(table, key));
  const values = keys.map((key) => sql`${sql.placeholder(key)}`);
  return sql`INSERT INTO ${table} (${sql.join(columns, sql`, `)}) VALUES (${sql.join(values, sql`, `)})`;
}

/** `name = iif(:isGiven.name, :name, name)`, for UPDATE … SET. */
export function setGiven<T extends Table>(table: T, ...keys: Key<T>[]): SQL {
  const toSet = (name: SQL, key: string) =>
    sql`${name} = iif(${sql.placeholder(`isGiven.${key}`)}, ${sql.placeholder(key)}, ${name})`;
  return sql.join(
    keys.map((key) => toSet(nameOf(table, key), key)),
    sql`, `,
  );
}

/** The values of a change as SQL binds them, and whether each is given: 0 or 1 for a flag, and JSON for a list. */
export function toValues(change: object): Record<string, Value> {
  const values: Record<string, Value> = {};
  for (const [key, value] of Object.entries(change)) {
    values[key] = Array.isArray(value) ? JSON.stringify(value) : (value ?? null);
    if (typeof value === "boolean") values[key] = Number(value);
    values[`isGiven.${key}`] = Number(value !== undefined);
  }
  return values;
}
