/** The audit log: who changed what and when. An entry is written in the batch of its change, and only if that changed a row. */
import { type SQL, sql } from "drizzle-orm";
import { names, optional, type RowOf } from "../query.ts";
import { auditLog, users } from "../schema.ts";
import { type Bound, statement } from "../statement.ts";
import { pagedList } from "./paged-list.ts";

/** The operator who makes a change, and when, in milliseconds since 1970. The caller has checked that the user is an operator. */
export interface Operator {
  userId: number;
  now: number;
}

const { happenedAt, userId, action, subject, detail } = auditLog;
// A batch runs on one connection, so changes() and last_insert_rowid() are those of the statement before it.
const insert = (of: SQL) =>
  statement(sql`
    INSERT INTO ${auditLog} (${names(happenedAt, userId, action, subject, detail)})
    SELECT ${sql.placeholder("now")}, ${sql.placeholder("userId")}, ${sql.placeholder("action")}, ${of}, ${sql.placeholder("detail")}
    WHERE changes() > 0
  `);
const insertForKnown = insert(sql`${sql.placeholder("subject")}`);
const insertForNew = insert(sql`${sql.placeholder("subject")} || ' ' || last_insert_rowid()`);

/**
 * The statement that adds the audit entry of the change just before it in the batch. `subject` is for example `partner 3`.
 * `detail` is visible to every operator, so it must not contain a secret.
 */
export function auditChange(
  db: D1Database,
  operator: Operator,
  action: string,
  subject: string,
  detail: object = {},
): Bound<unknown> {
  return insertForKnown(db, { ...operator, action, subject, detail: toJson(detail) });
}

/** Like `auditChange`, for a row that the change has just inserted with a new ID: its subject is the noun and that ID. */
export function auditNewRow(
  db: D1Database,
  operator: Operator,
  action: string,
  noun: string,
  detail: object,
): Bound<unknown> {
  return insertForNew(db, { ...operator, action, subject: noun, detail: toJson(detail) });
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
