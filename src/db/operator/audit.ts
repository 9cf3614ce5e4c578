/**
 * The audit log: who did what and when. An entry is written in the batch of its change, and only if that changed a row; for a
 * change on a shard, before it.
 */
import { type SQL, sql } from "drizzle-orm";
import { names, optional, type RowOf } from "../query.ts";
import { auditLog, users } from "../schema.ts";
import { type Bound, statement, type Value } from "../statement.ts";
import { pagedList } from "./paged-list.ts";

/** The user who does something, and when, in milliseconds since 1970. */
export interface Actor {
  userId: number;
  now: number;
}

/** An actor who was checked to be an operator. */
export type Operator = Actor;

const { happenedAt, userId, action, subject, detail } = auditLog;
// A batch runs on one connection, so changes() and last_insert_rowid() are those of the statement before it.
const insertIf = (condition: SQL) =>
  statement(sql`
    INSERT INTO ${auditLog} (${names(happenedAt, userId, action, subject, detail)})
    SELECT ${sql.placeholder("now")}, ${sql.placeholder("userId")}, ${sql.placeholder("action")},
      ${sql.placeholder("noun")} || ' ' || coalesce(${sql.placeholder("id")}, last_insert_rowid()), ${sql.placeholder("detail")}
    WHERE ${condition}
  `);
const insertAfterChange = insertIf(sql`changes() > 0`);
const insert = insertIf(sql`true`);

/**
 * The statement that adds the audit entry of the change just before it in the batch. The subject is for example `partner 3`; an
 * `id` of null means the row that the change has just inserted. `detail` is visible to every operator, so it must not contain
 * a secret.
 */
export function auditChange(
  db: D1Database,
  actor: Actor,
  action: string,
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
    action: string,
    user: number,
    detail: object = {},
  ): Bound<unknown> => insertEntry(db, { ...values, ...toValues(values, action, "user", user, detail) });
}

/** The statement that adds the audit entry of a change in another database, before the change. */
export function auditFirst(
  db: D1Database,
  operator: Operator,
  action: string,
  noun: string,
  id: string | number,
  detail: object,
): Bound<unknown> {
  return insert(db, toValues(operator, action, noun, id, detail));
}

function toValues(
  { userId, now }: { userId: number | null; now: number },
  action: string,
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

const fields = {
  id: auditLog.id,
  happenedAt,
  userId,
  ...optional({ email: users.email }),
  action,
  subject,
  detail,
};

/** An entry. Its detail is JSON. */
export type AuditRow = RowOf<typeof fields>;

/** Reads one page of the log, oldest entry first. */
export const listAudit = pagedList(fields, {
  from: auditLog,
  join: sql`LEFT JOIN ${users} ON ${users.id} = ${userId}`,
});
