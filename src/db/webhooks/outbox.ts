/**
 * The outbox: the statement that adds an event, in the transaction of its cause. The cron spreads it to the webhooks and sends it
 * (deliveries.ts).
 */
import { type SQL, sql } from "drizzle-orm";
import type { EventType } from "../../domain/alerts/kinds.ts";
import type { AuditAction } from "../../domain/audit-actions.ts";
import { toIso } from "../../domain/time.ts";
import { alias, as, insertInto } from "../query.ts";
import { auditLog, webhookEvents, webhooks } from "../schema.ts";
import { type Bound, REQUEST_ID, statement } from "../statement.ts";

export interface Event {
  type: EventType;
  /** The app whose webhooks get it. */
  appToken?: string | null;
  /** Operators get it, and the apps whose links have this partner. Without any of the three, only operators get it. */
  partnerId?: number;
  /** The only webhook that gets it. */
  webhookId?: number;
  /** One sentence for people. */
  text: string;
  /** What the event is about, by the names of the API. */
  data: object;
}

const p = (name: string) => sql`${sql.placeholder(name)}`;
const w = alias(webhooks, "w");
const isActive = (condition: SQL) =>
  sql`EXISTS (SELECT 1 FROM ${as(w)} WHERE ${condition} AND ${w.endedAt} IS NULL)`;
/** Somebody gets the events of an app; of operators, if it is null. */
export const hasWebhook = (appToken: SQL) => isActive(sql`${w.appToken} IS ${appToken}`);
/** Which apps have the partner, the cron finds later: an event that nobody gets is one row too many. */
const hasReceiver = sql`(
  ${isActive(sql`${w.id} = ${p("webhookId")}`)}
  OR (${p("webhookId")} IS NULL AND ${hasWebhook(p("appToken"))})
  OR (${p("partnerId")} IS NOT NULL AND ${isActive(sql`${w.appToken} > ''`)})
)`;

const insert = insertInto(webhookEvents, {
  messageId: p("messageId"),
  type: p("type"),
  appToken: p("appToken"),
  partnerId: p("partnerId"),
  webhookId: p("webhookId"),
  body: p("body"),
  happenedAt: p("now"),
});
const addAfterEntry = statement<unknown>(sql`${insert} WHERE ${hasReceiver} AND EXISTS (
  SELECT 1 FROM (SELECT * FROM ${auditLog} ORDER BY ${auditLog.id} DESC LIMIT 1) ${auditLog}
  WHERE ${auditLog.requestId} IS ${p(REQUEST_ID)} AND ${auditLog.happenedAt} = ${p("now")} AND ${auditLog.action} = ${p("action")}
    AND (${p("field")} IS NULL OR (json_type(${auditLog.detail}, ${p("field")}) IS NOT NULL AND ${auditLog.detail} ->> (${p("field")} || '.from') IS NULL))
)`);

/**
 * The statement that adds an event, if the newest entry of the audit log is of this batch. It comes last in the batch. `setField`: and
 * only if the entry sets this field, which had no value before.
 */
export const addAuditedEvent = (
  db: D1Database,
  { appToken, partnerId, webhookId, ...event }: Event,
  now: number,
  action: AuditAction,
  setField?: string,
): Bound<unknown> =>
  addAfterEntry(db, {
    messageId: `msg_${crypto.randomUUID().replaceAll("-", "")}`,
    type: event.type,
    appToken: appToken ?? null,
    partnerId: partnerId ?? null,
    webhookId: webhookId ?? null,
    body: toBody(event, now),
    now,
    action,
    field: setField === undefined ? null : `$.${setField}`,
  });

/** The JSON of an event that is sent. */
export const toBody = ({ type, text, data }: Pick<Event, "type" | "text" | "data">, now: number): string =>
  JSON.stringify({ type, timestamp: toIso(now), text, data });
