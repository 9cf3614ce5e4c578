/**
 * Writes the audit log: who did what and when. An entry is written in the batch of its change, and only if that changes a row;
 * for a change on a shard, before it.
 */
import { type AnyColumn, getTableColumns, type Placeholder, type SQL, sql, type Table } from "drizzle-orm";
import type { AuditAction } from "../domain/audit-actions.ts";
import { expectDefined } from "../domain/expect-defined.ts";
import { names } from "./query.ts";
import { auditLog } from "./schema.ts";
import { type Bound, nameOf, REQUEST_ID, statement, type Value } from "./statement.ts";

/** The user who does something, and when, in milliseconds since 1970. */
export type Actor = { userId: number; now: number };

/** An actor who was checked to be an operator. */
export type Operator = Actor;

const { happenedAt, userId, action, subject, detail, requestId } = auditLog;
/**
 * `INSERT INTO audit_log … SELECT …`. What follows is the FROM or the WHERE of the SELECT. Takes the value `now`; binding adds
 * the request.
 */
export function insertEntry(
  name: AuditAction | Placeholder,
  entry: {
    /** Null if no user did it. */
    userId: SQL;
    /** For example `'app ' || token`. */
    subject: SQL;
    /** JSON. Every operator sees it, so it must not contain a secret. */
    detail: SQL;
  },
): SQL {
  return sql`
    INSERT INTO ${auditLog} (${names(happenedAt, userId, action, subject, detail, requestId)})
    SELECT ${sql.placeholder("now")}, ${entry.userId}, ${typeof name === "string" ? text(name) : name}, ${entry.subject}, ${entry.detail}, ${sql.placeholder(REQUEST_ID)}`;
}

/**
 * The entry of something that a partner did with a credential, the row `c` of the FROM. `more` are names and values of its detail, as
 * in json_object.
 */
export function partnerEntry(c: { id: AnyColumn; partnerId: AnyColumn; hint: AnyColumn }, more: SQL) {
  return {
    userId: sql`NULL`,
    subject: sql`'partner ' || ${c.partnerId}`,
    detail: sql`json_object(${more}, 'credential_id', ${c.id}, 'hint', ${c.hint})`,
  };
}

// A batch runs on one connection, so changes() and last_insert_rowid() are those of the statement before it.
const insertIf = (condition: SQL) => {
  const entry = {
    userId: sql`${sql.placeholder("userId")}`,
    subject: sql`${sql.placeholder("noun")} || ' ' || coalesce(${sql.placeholder("id")}, last_insert_rowid())`,
    detail: sql`${sql.placeholder("detail")}`,
  };
  return statement(sql`${insertEntry(sql.placeholder("action"), entry)} WHERE ${condition}`);
};
const insertAfterChange = insertIf(sql`changes() > 0`);

/**
 * The statement that adds the audit entry of the change just before it in the batch. The subject is for example `partner 3`; an
 * `id` of null means the row that the change has just inserted. `detail` is visible to every operator, so it must not contain
 * a secret.
 */
export function auditChange(
  db: D1Database,
  actor: Actor,
  action: AuditAction,
  noun: string,
  id: string | number | null,
  detail: object = {},
): Bound<unknown> {
  return insertAfterChange(db, toValues(actor, action, noun, id, detail));
}

/** Builds the statement that adds an entry about a user if a condition holds. `userId` of the entry may be null. */
export function auditIf(condition: SQL) {
  const insertEntry = insertIf(condition);
  return (
    db: D1Database,
    values: Record<string, Value> & { userId: number | null; now: number },
    action: AuditAction,
    user: number,
    detail: object = {},
  ): Bound<unknown> => insertEntry(db, { ...values, ...toValues(values, action, "user", user, detail) });
}

function toValues(
  { userId, now }: { userId: number | null; now: number },
  action: AuditAction,
  noun: string,
  id: string | number | null,
  detail: object,
) {
  // As text, because D1 binds a number as a REAL, which would be shown as `3.0`.
  return { userId, now, action, noun, id: id === null ? null : String(id), detail: toJson(detail) };
}

/** The log is part of the API, whose names are in snake_case. */
function toJson(detail: object): string {
  const toSnakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return JSON.stringify(
    Object.fromEntries(Object.entries(detail).map(([name, value]) => [toSnakeCase(name), value])),
  );
}

/** A field in an entry: its value before the update and after it, in SQL. The column says how they are written as JSON. */
export interface AuditedField {
  column: AnyColumn;
  from: AnyColumn | SQL;
  to: SQL;
  /** The entry says `changed` instead of the values, because entries cannot be erased. */
  isPersonal?: true;
}

interface AuditedUpdate {
  action: AuditAction;
  /** For example `'app ' || token`. */
  subject: SQL;
  /** The user who changes the row. Default: the value `userId`. */
  by?: SQL;
  /** The row before the update: `FROM … WHERE …`. */
  row: SQL;
  /** By the names of the API. Never a secret. */
  fields: Record<string, AuditedField>;
}

/**
 * Builds the statement that adds the entry of an update. It comes BEFORE the update in the same batch, because it compares the row
 * with the values that it is about to get. The detail has `{"from": …, "to": …}` for each field that differs. There is no entry if
 * none does. Takes the values of the update, `now` and, unless `by` is given, `userId`.
 */
export function auditUpdate({ action: name, subject: of, by, row, fields }: AuditedUpdate) {
  const all = Object.entries(fields);
  const object = all.map(([field, { column, from, to, isPersonal }]) => {
    const values = sql`json_object('from', ${toJsonValue(column, from)}, 'to', ${toJsonValue(column, to)})`;
    return sql`${text(field)}, ${isPersonal ? text("changed") : values}`;
  });
  const isSame = all.map(([field, { from, to }]) => sql`iif(${from} IS ${to}, ${text(`$.${field}`)}, '$.-')`);
  const differs = all.map(([, { from, to }]) => sql`${from} IS NOT ${to}`);
  const entry = {
    userId: by ?? sql`${sql.placeholder("userId")}`,
    subject: of,
    detail: sql`json_remove(json_object(${sql.join(object, sql`, `)}), ${sql.join(isSame, sql`, `)})`,
  };
  return statement<unknown>(sql`${insertEntry(name, entry)} ${row} AND (${sql.join(differs, sql` OR `)})`);
}

/** The fields of `auditUpdate` for columns that `setGiven` updates, with the names of the columns. */
export function givenFields<T extends Table>(
  table: T,
  ...keys: (keyof T["_"]["columns"] & string)[]
): Record<string, AuditedField> {
  const fields = keys.map((key) => {
    const column = expectDefined<AnyColumn>(getTableColumns(table)[key]);
    return [nameOf(column), { column, from: column, to: given(key, column) }];
  });
  return Object.fromEntries(fields);
}

/** The value that `setGiven` sets in a column, which may have the alias of a table. */
export function given(key: string, column: AnyColumn | SQL): SQL {
  return sql`iif(${sql.placeholder(`isGiven.${key}`)}, ${sql.placeholder(key)}, ${column})`;
}

/** D1 binds a number as a REAL, and SQLite has no booleans. */
export function toJsonValue({ dataType }: AnyColumn, value: AnyColumn | SQL): SQL {
  if (dataType === "boolean") return sql`json(CASE ${value} WHEN 1 THEN 'true' WHEN 0 THEN 'false' END)`;
  if (dataType === "number") return sql`CAST(${value} AS INTEGER)`;
  return dataType === "json" ? sql`json(${value})` : sql`${value}`;
}

const text = (value: string) => sql.raw(`'${value.replaceAll("'", "''")}'`);
