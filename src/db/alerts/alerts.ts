/** Alerts: opened and closed with their events in one transaction, and listed. */
import { type SQL, sql } from "drizzle-orm";
import type { EventType } from "../../domain/alerts/kinds.ts";
import { DAY_MS } from "../../domain/time.ts";
import { pagedList } from "../operator/lists/paged.ts";
import { alias, as, insertInto, jsonValues, names, pick, query, type RowOf, type Sent } from "../query.ts";
import { alertRules, alerts, webhookEvents } from "../schema.ts";
import { type Bound, statement } from "../statement.ts";
import { hasWebhook } from "../webhooks/outbox.ts";

/** How long closed alerts are listed. */
export const KEPT_ALERTS_MS = 90 * DAY_MS;

const a = alias(alerts, "a");
const now = sql`${sql.placeholder("now")}`;
const fields = pick(a, "id", "ruleId", "appToken", "kind", "subject", "data", "openedAt", "closedAt");
export type AlertRow = RowOf<typeof fields>;

const rows = sql`json_each(${sql.placeholder("rows")}) j`;
const given = jsonValues("ruleId", "appToken", "kind", "subject", "data", "emailDueAt");
const opened = { ...given, ...jsonValues("body") };
/** An alert to open. `body` is its event, to which the ID of the alert is added. */
export type Opened = Sent<typeof opened>;
/** An alert to close. `body` is its event. */
export type Closed = { id: number; body: string };

// The rule may have been deleted since it was read. 0: of no rule.
const open = statement<unknown>(sql`
  ${insertInto(alerts, { ...given, openedAt: now })} FROM ${rows}
  WHERE ${given.ruleId} = 0 OR EXISTS (SELECT 1 FROM ${alertRules} WHERE ${alertRules.id} = ${given.ruleId})
  ON CONFLICT DO NOTHING
`);
const close = statement<unknown>(sql`
  UPDATE ${alerts} SET ${names(alerts.closedAt)} = ${now}
  WHERE ${alerts.id} IN (SELECT j.value ->> 'id' FROM ${rows}) AND ${alerts.closedAt} IS NULL
`);

/** An alert has one event when it is opened and one when it is closed, also if two runs do the same at the same time. */
const addEvents = (type: EventType, what: string, from: SQL) =>
  statement<unknown>(sql`
    ${insertInto(webhookEvents, {
      messageId: sql`'alert_' || ${a.id} || '_' || ${a.openedAt} || ${sql.raw(`'_${what}'`)}`,
      type: sql.raw(`'${type}'`),
      appToken: a.appToken,
      body: sql`json_set(j.value ->> 'body', '$.data.alert_id', ${a.id})`,
      happenedAt: now,
    })}
    FROM ${rows} ${from} WHERE ${hasWebhook(sql`${a.appToken}`)} ON CONFLICT DO NOTHING
  `);
const addOpened = addEvents(
  "alert.opened",
  "opened",
  sql`CROSS JOIN ${as(a)} ON ${a.ruleId} = ${given.ruleId} AND ${a.subject} = ${given.subject}
    AND ${a.closedAt} IS NULL AND ${a.openedAt} = ${now}`,
);
const addClosed = addEvents(
  "alert.closed",
  "closed",
  sql`CROSS JOIN ${as(a)} ON ${a.id} = j.value ->> 'id' AND ${a.closedAt} = ${now}`,
);

/** Statements for one batch. An alert that is open already does not change, and has no second event. */
export function changeAlerts(
  db: D1Database,
  changes: { opened: Opened[]; closed: Closed[] },
  at: number,
): Bound<unknown>[] {
  const values = (list: object[]) => ({ rows: JSON.stringify(list), now: at });
  const [first, last] = [values(changes.closed), values(changes.opened)];
  return [
    ...(changes.closed.length > 0 ? [close(db, first), addClosed(db, first)] : []),
    ...(changes.opened.length > 0 ? [open(db, last), addOpened(db, last)] : []),
  ];
}

/** The open alerts of these apps, or of operators: a null in the list. */
export const openAlerts = query(
  fields,
  sql`FROM json_each(${sql.placeholder("apps")}) j
    CROSS JOIN ${as(a)} INDEXED BY open_alerts_by_app ON ${a.appToken} IS j.value
    WHERE ${a.closedAt} IS NULL`,
);

const ofApp = sql`${a.appToken} IS ${sql.placeholder("appToken")}`;
/** Those of an app, or of operators (`appToken` is null), the newest first. */
export const listAlerts = pagedList(fields, { from: a, where: ofApp, order: "DESC" });

const stillOpen = query(
  fields,
  sql`FROM ${as(a)} INDEXED BY open_alerts_by_app WHERE ${a.appToken} IS ${sql.placeholder("appToken")} AND ${a.closedAt} IS NULL
    ORDER BY ${a.id} DESC LIMIT 200`,
);
/** For a batch. */
export const findOpenAlerts = (db: D1Database, appToken: string | null) => stillOpen(db, { appToken });
