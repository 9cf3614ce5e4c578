/** SQL that the changes of operators share. A column is bound by its key in schema.ts. */
import { getTableColumns, type SQL, sql, type Table } from "drizzle-orm";
import { expectDefined } from "../../domain/expect-defined.ts";
import { names } from "../query.ts";
import type { Value } from "../statement.ts";

type Key<T extends Table> = keyof T["_"]["columns"] & string;

const nameOf = (table: Table, key: string) => names(expectDefined(getTableColumns(table)[key]));

/** `INSERT INTO apps (token, name) VALUES (:token, :name)`. */
export function insertInto<T extends Table>(table: T, ...keys: Key<T>[]): SQL {
  const columns = keys.map((key) => nameOf(table, key));
  const values = keys.map((key) => sql`${sql.placeholder(key)}`);
  return sql`INSERT INTO ${table} (${sql.join(columns, sql`, `)}) VALUES (${sql.join(values, sql`, `)})`;
}

/** `name = coalesce(:name, name)`: a column whose value is null is not changed. */
export function setGiven<T extends Table>(table: T, ...keys: Key<T>[]): SQL {
  const toSet = (name: SQL, key: string) => sql`${name} = coalesce(${sql.placeholder(key)}, ${name})`;
  return sql.join(
    keys.map((key) => toSet(nameOf(table, key), key)),
    sql`, `,
  );
}

/** The values of a change as SQL binds them: 0 or 1 for a flag, JSON for a list, and null for a value that is not given. */
export function toValues<Change extends object>(change: Change): Record<keyof Change, Value> {
  const toValue = (value: unknown) => {
    if (typeof value === "boolean") return Number(value);
    return Array.isArray(value) ? JSON.stringify(value) : (value ?? null);
  };
  return Object.fromEntries(Object.entries(change).map(([key, value]) => [key, toValue(value)])) as Record<
    keyof Change,
    Value
  >;
}
