/** The audit log. */
import { type AnyColumn, sql } from "drizzle-orm";
import type { AuditAction } from "../../domain/audit-actions.ts";
import { users } from "./accounts.ts";
import { index, integer, sqliteTable, text } from "./columns.ts";

type AuditColumns = Record<"action" | "detail", AnyColumn>;
/** What operators changed of a partner, or approved. */
export const isPartnerEvent = ({ action }: AuditColumns) =>
  sql`${action} IN ('update partner', 'approve round')`;
/** A link's own cost data was switched. */
export const isCostSwitch = ({ action, detail }: AuditColumns) =>
  sql`${action} IN ('update link', 'undo import') AND ${detail} -> 'cost_data_enabled' IS NOT NULL`;
/** What counted in an app was voided. */
export const isVoid = ({ action, detail }: AuditColumns) =>
  sql`${action} IN ('void cost', 'void prices') AND ${detail} ->> 'app_token' IS NOT NULL`;

/**
 * Sign-ins, and the changes by operators and of accounts: who did what and when. Contains no secrets. Triggers reject every change
 * of an entry.
 */
export const auditLog = sqliteTable(
  "audit_log",
  {
    id: integer().primaryKey(),
    happenedAt: integer().notNull(),
    /** Null for the command that creates the first operator, for a failed sign-in, and for what a partner does. */
    userId: integer().references(() => users.id),
    action: text().$type<AuditAction>().notNull(),
    /** The changed object, for example `partner 3`. */
    subject: text().notNull(),
    /** The new values as JSON, and for a change also the old ones. */
    detail: text().notNull(),
    /** The request that did it, which can have several entries. Null: no request did it. */
    requestId: text(),
  },
  (table) => [
    // The entries of one subject, newest first: the key is the last column of every index.
    index("audit_by_subject").on(table.subject),
    // What explains figures (reports/events.ts), by time. Other entries cost nothing here.
    index("partner_events").on(table.happenedAt).where(isPartnerEvent(table)),
    index("cost_switches").on(table.happenedAt).where(isCostSwitch(table)),
    index("voids_by_app").on(sql`${table.detail} ->> 'app_token'`, table.happenedAt).where(isVoid(table)),
  ],
);
