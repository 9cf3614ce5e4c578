/** The way of events to webhooks: spread, claimed before they are sent, and what became of each attempt. */
import { sql } from "drizzle-orm";
import { CLAIM_MS, SLOW_MS } from "../../domain/webhooks/attempts.ts";
import { alias, as, insertInto, names, pick, query, type RowOf, returning } from "../query.ts";
import { links, webhookDeliveries, webhookEvents, webhooks } from "../schema.ts";
import { type Bound, runBatch, statement } from "../statement.ts";

/** What a run sends at most, in all and to one webhook, and the events that it spreads. */
const MOST = 50;
const MOST_OF_ONE = 10;
const MOST_EVENTS = 100;
/** The deliveries that a page lists. */
export const LISTED = 100;

const d = alias(webhookDeliveries, "d");
const e = alias(webhookEvents, "e");
const w = alias(webhooks, "w");
const x = alias(webhookDeliveries, "x");
const y = alias(webhooks, "y");
const p = (name: string) => sql`${sql.placeholder(name)}`;
const now = p("now");

const unspread = sql`SELECT * FROM ${webhookEvents} INDEXED BY events_to_spread WHERE ${webhookEvents.spreadAt} IS NULL
  ORDER BY ${webhookEvents.id} LIMIT ${sql.raw(String(MOST_EVENTS))}`;
const hasPartner = sql`EXISTS (
  SELECT 1 FROM ${links} INDEXED BY links_by_partner WHERE ${links.appToken} = ${w.appToken} AND ${links.partnerId} = e.partner_id
)`;
/** Events of alerts first. A webhook that ended gets none. */
const spread = statement<unknown>(sql`
  ${insertInto(webhookDeliveries, {
    webhookId: sql`q.webhook_id`,
    eventId: sql`q.event_id`,
    rank: sql`q.rank`,
    dueAt: now,
  })} FROM (
    SELECT e.id AS event_id, ${w.id} AS webhook_id, e.type NOT LIKE 'alert.%' AS rank FROM (${unspread}) e
      CROSS JOIN ${as(w)} ON ${w.id} = e.webhook_id WHERE ${w.endedAt} IS NULL
    UNION ALL SELECT e.id, ${w.id}, e.type NOT LIKE 'alert.%' FROM (${unspread}) e
      CROSS JOIN ${as(w)} ON ${w.appToken} IS e.app_token WHERE e.webhook_id IS NULL AND ${w.endedAt} IS NULL
    UNION ALL SELECT e.id, ${w.id}, e.type NOT LIKE 'alert.%' FROM (${unspread}) e
      CROSS JOIN ${as(w)} ON ${w.appToken} > '' WHERE e.partner_id IS NOT NULL AND ${w.endedAt} IS NULL AND ${hasPartner}
  ) q ORDER BY q.event_id, q.webhook_id
`);
const { id, dueAt, attempts, attemptedAt, status, error, duration, deliveredAt, webhookId } =
  webhookDeliveries;
const markSpread = statement<unknown>(sql`
  UPDATE ${webhookEvents} SET ${names(webhookEvents.spreadAt)} = ${now} WHERE ${webhookEvents.id} IN (SELECT id FROM (${unspread}))
`);
/** A webhook that was slow gets one. */
const claim = returning(
  sql`UPDATE ${webhookDeliveries} SET ${names(dueAt)} = ${now} + ${sql.raw(String(CLAIM_MS))}, ${names(attempts)} = ${attempts} + 1
    WHERE ${id} IN (
      SELECT q.id FROM (
        SELECT ${x.id} AS id, ${x.rank} AS rank, ${x.dueAt} AS due_at, coalesce(${y.lastDuration}, 0) AS duration,
          row_number() OVER (PARTITION BY ${x.webhookId} ORDER BY ${x.rank}, ${x.dueAt}, ${x.id}) AS number
        FROM ${as(x)} INDEXED BY deliveries_due CROSS JOIN ${as(y)} ON ${y.id} = ${x.webhookId}
        WHERE ${x.dueAt} <= ${now} AND ${y.endedAt} IS NULL
      ) q WHERE q.number <= iif(q.duration > ${sql.raw(String(SLOW_MS))}, 1, ${sql.raw(String(MOST_OF_ONE))})
      ORDER BY q.rank, q.due_at, q.id LIMIT ${sql.raw(String(MOST))}
    )`,
  { id, attempts },
);
const claimedFields = {
  ...pick(d, "id", "attempts", "webhookId"),
  messageId: e.messageId,
  body: e.body,
  ...pick(w, "url", "appToken", "secret", "oldSecret", "oldSecretUntil", "failingSince"),
};
const claimed = query(
  claimedFields,
  sql`FROM json_each(${p("ids")}) j CROSS JOIN ${as(d)} ON ${d.id} = j.value
    CROSS JOIN ${as(e)} ON ${e.id} = ${d.eventId} CROSS JOIN ${as(w)} ON ${w.id} = ${d.webhookId} ORDER BY ${d.rank}, ${d.id}`,
);
export type Claimed = RowOf<typeof claimedFields>;

/** Those to send now, which no other run gets at the same time. One call if nothing is due. */
export async function claimDeliveries(db: D1Database, at: number): Promise<Claimed[]> {
  const values = { now: at };
  const [, , found] = await runBatch(db, spread(db, values), markSpread(db, values), claim(db, values));
  if (found.length === 0) return [];
  const [rows] = await runBatch(db, claimed(db, { ids: JSON.stringify(found.map(({ id }) => id)) }));
  return rows;
}

export interface Outcome {
  /** When it ended. */
  at: number;
  /** Null: the receiver did not answer. */
  status: number | null;
  /** What failed, for people; null if nothing did. */
  error: string | null;
  duration: number;
  /** When it is tried again; null for never. */
  dueAt: number | null;
}

// A run that took longer than its claim does not overwrite what came after it.
const record = statement<unknown>(sql`
  UPDATE ${webhookDeliveries} SET ${names(dueAt)} = ${p("dueAt")}, ${names(attemptedAt)} = ${p("at")}, ${names(status)} = ${p("status")},
    ${names(error)} = ${p("error")}, ${names(duration)} = ${p("duration")}, ${names(deliveredAt)} = iif(${p("error")} IS NULL, ${p("at")}, NULL)
  WHERE ${id} = ${p("id")} AND ${attempts} = ${p("attempts")}
`);
const recordCall = statement<unknown>(sql`
  UPDATE ${webhooks} SET ${names(webhooks.lastDuration)} = ${p("duration")},
    ${names(webhooks.failingSince)} = iif(${p("error")} IS NULL, NULL, coalesce(${webhooks.failingSince}, ${p("at")}))
  WHERE ${webhooks.id} = ${p("webhookId")}
`);
const end = statement<unknown>(sql`
  UPDATE ${webhooks} SET ${names(webhooks.endedAt)} = ${p("at")}, ${names(webhooks.endedBecause)} = ${p("because")}
  WHERE ${webhooks.id} = ${p("webhookId")} AND ${webhooks.endedAt} IS NULL
`);
const stop = statement<unknown>(
  sql`UPDATE ${webhookDeliveries} SET ${names(dueAt)} = NULL WHERE ${webhookId} = ${p("webhookId")} AND ${dueAt} IS NOT NULL`,
);

/** Statements for one batch. `ended`: the webhook is turned off, and none of its deliveries is tried again. */
export function recordOutcome(
  db: D1Database,
  { id, attempts, webhookId }: Claimed,
  outcome: Outcome,
  ended?: "gone" | "failing",
): Bound<unknown>[] {
  const values = { ...outcome, id, attempts, webhookId };
  return [
    record(db, values),
    recordCall(db, values),
    ...(ended ? [end(db, { ...values, because: ended }), stop(db, values)] : []),
  ];
}

const listedFields = {
  id: d.id,
  ...pick(e, "messageId", "type", "happenedAt"),
  ...pick(d, "attempts", "attemptedAt", "dueAt", "status", "error", "duration", "deliveredAt"),
};
const listed = query(
  listedFields,
  sql`FROM ${as(d)} CROSS JOIN ${as(e)} ON ${e.id} = ${d.eventId} WHERE ${d.webhookId} = ${p("webhookId")}
    ORDER BY ${d.id} DESC LIMIT ${sql.raw(String(LISTED))}`,
);
export type DeliveryRow = RowOf<typeof listedFields>;

/** The newest deliveries of a webhook. */
export async function listDeliveries(db: D1Database, webhookId: number): Promise<DeliveryRow[]> {
  const [rows] = await runBatch(db, listed(db, { webhookId }));
  return rows;
}
