/** Reads the entries of the audit log about one link, newest first, for the members of its app. The page has checked who asks. */
import { sql } from "drizzle-orm";
import { alias, as, limitTo, optional, pick, query, type RowOf } from "../query.ts";
import { auditLog, linkChanges, memberships, users } from "../schema.ts";
import type { Bound } from "../statement.ts";
import { UNDO_MS } from "./changes.ts";
import { link as l } from "./lists.ts";

const log = alias(auditLog, "log");
const u = alias(users, "u");
const other = alias(memberships, "other");
const c = alias(linkChanges, "c");

const o = alias(linkChanges, "o");
const undoId = sql`(
  SELECT ${c.undoId} FROM ${as(c)} WHERE ${c.appToken} = ${l.appToken} AND ${c.changedAt} = ${log.happenedAt}
    AND ${c.requestId} = ${log.requestId} AND ${c.changedAt} > ${sql.placeholder("since")} LIMIT 1
)`;

const fields = {
  ...pick(log, "id", "happenedAt", "action", "detail", "userId"),
  /** Null for a user who is not a member of the app: other people's addresses are not shown. */
  email: sql<string | null>`iif(${other.userId} IS NULL, NULL, ${u.email})`,
  ...optional({ role: u.role }),
  /** By which the change can be undone. */
  undoId: sql<string | null>`${undoId}`,
  /** How many links are undone with it. */
  undoable: sql<number | null>`(
    SELECT sum(${o.count}) FROM ${as(o)} INDEXED BY link_changes_by_undo
    WHERE ${o.appToken} = ${l.appToken} AND ${o.undoId} = ${undoId} AND ${o.changedAt} > ${sql.placeholder("since")}
  )`,
};

/** An entry. Its detail is JSON. */
export type HistoryRow = RowOf<typeof fields>;

const entries = query(
  fields,
  sql`FROM ${as(l)}
    CROSS JOIN ${as(log)} INDEXED BY audit_by_subject ON ${log.subject} = 'link ' || ${l.token} AND ${log.id} < ${sql.placeholder("before")}
    LEFT JOIN ${as(u)} ON ${u.id} = ${log.userId}
    LEFT JOIN ${as(other)} ON ${other.userId} = ${log.userId} AND ${other.appToken} = ${l.appToken}
    WHERE ${l.token} = ${sql.placeholder("linkToken")} AND ${l.appToken} = ${sql.placeholder("appToken")}
    ORDER BY ${log.id} DESC ${limitTo("limit")}`,
);

/** The statement that reads up to `limit` entries before an ID. */
export function historyStatement(
  db: D1Database,
  scope: { appToken: string; linkToken: string },
  range: { now: number; before?: number | undefined; limit: number },
): Bound<HistoryRow> {
  const { now, before = Number.MAX_SAFE_INTEGER, limit } = range;
  return entries(db, { ...scope, before, limit, since: now - UNDO_MS });
}
