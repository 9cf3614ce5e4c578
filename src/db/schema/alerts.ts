/** The tables of alerts and webhooks. */
import { sql } from "drizzle-orm";
import type { AlertKind, EventType } from "../../domain/alerts/kinds.ts";
import { apps } from "./apps.ts";
import { index, integer, primaryKey, reference, sqliteTable, text, uniqueIndex } from "./columns.ts";

/**
 * The rules of alerts: those that the members of an app set, and those of operators, which are about all apps. The migration adds
 * those that operators have at first.
 */
export const alertRules = sqliteTable(
  "alert_rules",
  {
    id: integer().primaryKey(),
    /** Null: of operators. */
    appToken: text().references(() => apps.token),
    kind: text().$type<AlertKind>().notNull(),
    /** The thresholds in JSON, see domain/alerts/rules.ts. */
    settings: text().notNull(),
  },
  (table) => [index("alert_rules_by_app").on(table.appToken)],
);

/** What a rule found. At most one is open for a rule and what it is about. */
export const alerts = sqliteTable(
  "alerts",
  {
    id: integer().primaryKey(),
    /** 0: of no rule. A deleted rule leaves its closed alerts. */
    ruleId: integer().notNull(),
    /** Of the rule. */
    appToken: text(),
    kind: text().$type<AlertKind>().notNull(),
    /** For example `partner 3`. */
    subject: text().notNull(),
    /** What was found when it was opened, in JSON: the values of the event. */
    data: text().notNull(),
    openedAt: integer().notNull(),
    closedAt: integer(),
    /** When to send it by email; null if it was sent, or is not sent at all. A run that sends it moves this ahead first. */
    emailDueAt: integer(),
  },
  (table) => [
    uniqueIndex("open_alerts").on(table.ruleId, table.subject).where(sql`${table.closedAt} IS NULL`),
    index("alerts_by_app").on(table.appToken),
    index("open_alerts_by_app").on(table.appToken).where(sql`${table.closedAt} IS NULL`),
    index("alerts_to_send").on(table.emailDueAt).where(sql`${table.emailDueAt} IS NOT NULL`),
    index("alerts_by_end").on(table.closedAt).where(sql`${table.closedAt} IS NOT NULL`),
  ],
);

/**
 * The costs, rejected costs and recorded engagements of a partner in an app, as the hourly cron finds them for the rules of alerts: it
 * compares the counts of the last days with those of the run before, as for `partner_activity`. All rows of an app are of one run.
 */
export const costActivity = sqliteTable(
  "cost_activity",
  {
    /** Empty: in all apps, pending costs included, for the rules of operators. */
    appToken: text().notNull(),
    partnerId: integer().notNull(),
    /** The hour of the run, in hours since 1970. */
    hour: integer().notNull(),
    /** The first day of the counts. */
    firstDay: integer().notNull(),
    /** Since then. */
    accepted: integer().notNull(),
    rejected: integer().notNull(),
    recorded: integer().notNull(),
    /** Since the run before, which was so many hours ago; 0 for the first run. */
    newAccepted: integer().notNull(),
    newRejected: integer().notNull(),
    hours: integer().notNull(),
    /** The hour of the run that found the last cost, accepted or rejected. Null: none yet. */
    lastCostAt: integer(),
    /** Since when recorded engagements wait for a cost of the partner, whichever: the hour of the run that found them. */
    waitingSince: integer(),
  },
  (table) => [primaryKey({ columns: [table.appToken, table.partnerId] })],
);

/** Where events are sent to: of an app, or of operators. */
export const webhooks = sqliteTable(
  "webhooks",
  {
    id: integer().primaryKey(),
    /** Null: of operators. */
    appToken: text().references(() => apps.token),
    url: text().notNull(),
    /** Sealed with WEBHOOK_KEY. The old ones, with spaces between them, sign too until their end. */
    secret: text().notNull(),
    oldSecret: text(),
    oldSecretUntil: integer(),
    createdAt: integer().notNull(),
    /** The first of the failures without a success after it. */
    failingSince: integer(),
    /** How long the last call took, in milliseconds. */
    lastDuration: integer(),
    /** `gone`: the receiver answered 410. `failing`: for days. */
    endedAt: integer(),
    endedBecause: text({ enum: ["gone", "failing"] }),
  },
  (table) => [index("webhooks_by_app").on(table.appToken)],
);

/** The outbox: an event is added in the transaction of its cause, and spread to the webhooks later. */
export const webhookEvents = sqliteTable(
  "webhook_events",
  {
    id: integer().primaryKey(),
    /** The `webhook-id`, the same in every attempt. */
    messageId: text("message_id").notNull().unique(),
    type: text().$type<EventType>().notNull(),
    /** The only app whose webhooks get it. */
    appToken: text(),
    /** The partner whose apps get it, and operators. Without app, partner and webhook: operators. */
    partnerId: integer(),
    /** The only webhook that gets it. */
    webhookId: integer(),
    /** The JSON that is sent. */
    body: text().notNull(),
    happenedAt: integer().notNull(),
    /** When its deliveries were added. */
    spreadAt: integer(),
  },
  (table) => [
    index("events_to_spread").on(table.id).where(sql`${table.spreadAt} IS NULL`),
    index("events_by_time").on(table.happenedAt),
  ],
);

/** An event on its way to a webhook. */
export const webhookDeliveries = sqliteTable(
  "webhook_deliveries",
  {
    id: integer().primaryKey(),
    webhookId: reference(() => webhooks.id),
    eventId: reference(() => webhookEvents.id),
    /** Those of alerts are sent first: 0. */
    rank: integer().notNull(),
    /** Null: it is not sent again. A run that sends it moves this ahead first. */
    dueAt: integer(),
    attempts: integer().notNull().default(0),
    /** What became of the last attempt. */
    attemptedAt: integer(),
    status: integer(),
    error: text(),
    duration: integer(),
    deliveredAt: integer(),
  },
  (table) => [
    index("deliveries_due")
      .on(table.webhookId, table.rank, table.dueAt)
      .where(sql`${table.dueAt} IS NOT NULL`),
    index("deliveries_by_webhook").on(table.webhookId, table.id),
    index("deliveries_by_event").on(table.eventId),
  ],
);
