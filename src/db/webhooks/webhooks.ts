/** Webhooks, each change with its audit entry. A caller has checked who asks. */
import { sql } from "drizzle-orm";
import { WEBHOOK_FAILING } from "../../domain/alerts/kinds.ts";
import { HOUR_MS } from "../../domain/time.ts";
import { type Actor, auditChange, insertEntry } from "../audit.ts";
import { pagedList } from "../operator/lists/paged.ts";
import { alias, as, names, query, type RowOf, returning } from "../query.ts";
import { alerts, webhookDeliveries, webhooks } from "../schema.ts";
import { runBatch, runForRow, statement } from "../statement.ts";
import { addAuditedEvent } from "./outbox.ts";

/** So many webhooks an app can have, and operators. */
export const MAX_WEBHOOKS = 5;
/** How long the secrets before the present one sign too. */
export const ROTATION_MS = 24 * HOUR_MS;

const w = alias(webhooks, "w");
const p = (name: string) => sql.placeholder(name);
const fields = {
  id: w.id,
  appToken: w.appToken,
  url: w.url,
  createdAt: w.createdAt,
  failingSince: w.failingSince,
  endedAt: w.endedAt,
  endedBecause: w.endedBecause,
  oldSecretUntil: w.oldSecretUntil,
};
export type WebhookRow = RowOf<typeof fields>;

const ofApp = sql`${w.appToken} IS ${p("appToken")}`;
/** Those of an app, or of operators: `appToken` is null. */
export const listWebhooks = pagedList(fields, { from: w, where: ofApp });

const byId = query(fields, sql`FROM ${as(w)} WHERE ${w.id} = ${p("id")}`);
export const findWebhook = (db: D1Database, id: number) => runForRow(db, byId(db, { id }));

const { id, appToken, url, secret, oldSecret, oldSecretUntil, createdAt } = webhooks;
const { failingSince, endedAt, endedBecause, lastDuration } = webhooks;
const insert = returning(
  sql`INSERT INTO ${webhooks} (${names(appToken, url, secret, createdAt)})
    SELECT ${p("appToken")}, ${p("url")}, ${p("secret")}, ${p("now")}
    WHERE (SELECT count(*) FROM ${as(w)} WHERE ${ofApp}) < ${sql.raw(String(MAX_WEBHOOKS))}`,
  { id },
);
// A rotation whose response was lost is repeated, and the receiver has the secret before both. The bound is about ten secrets.
const rotate = statement<unknown>(sql`
  UPDATE ${webhooks} SET ${names(oldSecret)} = substr(${secret} || iif(${oldSecretUntil} > ${p("now")}, ' ' || ${oldSecret}, ''), 1, 1000),
    ${names(oldSecretUntil)} = ${p("until")}, ${names(secret)} = ${p("secret")}
  WHERE ${id} = ${p("id")}
`);
const turnOn = statement<unknown>(sql`
  UPDATE ${webhooks} SET ${names(endedAt)} = NULL, ${names(endedBecause)} = NULL, ${names(failingSince)} = NULL, ${names(lastDuration)} = NULL
  WHERE ${id} = ${p("id")} AND ${endedAt} IS NOT NULL
`);
const closeAlert = statement<unknown>(sql`
  UPDATE ${alerts} SET ${names(alerts.closedAt)} = ${p("now")}
  WHERE ${alerts.ruleId} = 0 AND ${alerts.subject} = ${p("subject")} AND ${alerts.closedAt} IS NULL
    AND ${alerts.kind} = ${sql.raw(`'${WEBHOOK_FAILING}'`)}
`);
const removeDeliveries = statement<unknown>(
  sql`DELETE FROM ${webhookDeliveries} WHERE ${webhookDeliveries.webhookId} = ${p("id")}`,
);
const remove = statement<unknown>(sql`DELETE FROM ${webhooks} WHERE ${id} = ${p("id")}`);

const detailOf = ({ appToken, url }: Pick<WebhookRow, "appToken" | "url">) => ({
  appToken,
  host: new URL(url).host,
});

/** Returns the ID; undefined if there are MAX_WEBHOOKS already. */
export async function insertWebhook(
  db: D1Database,
  actor: Actor,
  webhook: { appToken: string | null; url: string; secret: string },
): Promise<number | undefined> {
  const entry = auditChange(db, actor, "create webhook", "webhook", null, detailOf(webhook));
  return (await runForRow(db, insert(db, { ...webhook, now: actor.now }), entry))?.id;
}

/** The old secrets sign too for a while. */
export const rotateSecret = (db: D1Database, actor: Actor, row: WebhookRow, secret: string) =>
  runBatch(
    db,
    rotate(db, { id: row.id, secret, now: actor.now, until: actor.now + ROTATION_MS }),
    auditChange(db, actor, "rotate webhook secret", "webhook", row.id, detailOf(row)),
  );

/** Nothing happens to one that is on. */
export const turnOnWebhook = (db: D1Database, actor: Actor, row: WebhookRow) =>
  runBatch(
    db,
    turnOn(db, { id: row.id }),
    auditChange(db, actor, "turn on webhook", "webhook", row.id, detailOf(row)),
    closeAlert(db, { subject: `webhook ${row.id}`, now: actor.now }),
  );

export const deleteWebhook = (db: D1Database, actor: Actor, row: WebhookRow) =>
  runBatch(
    db,
    closeAlert(db, { subject: `webhook ${row.id}`, now: actor.now }),
    removeDeliveries(db, { id: row.id }),
    remove(db, { id: row.id }),
    auditChange(db, actor, "delete webhook", "webhook", row.id, detailOf(row)),
  );

const recordTest = statement<unknown>(
  sql`${insertEntry("test webhook", {
    userId: sql`${p("userId")}`,
    subject: sql`'webhook ' || ${w.id}`,
    detail: sql`${p("detail")}`,
  })} FROM ${as(w)} WHERE ${w.id} = ${p("id")} AND ${w.endedAt} IS NULL`,
);

/** Sends it `webhook.test` in the next run of the cron. */
export const testWebhook = (db: D1Database, actor: Actor, row: WebhookRow) =>
  runBatch(
    db,
    recordTest(db, {
      id: row.id,
      ...actor,
      detail: JSON.stringify({ app_token: row.appToken, host: new URL(row.url).host }),
    }),
    addAuditedEvent(
      db,
      {
        ...{ type: "webhook.test", webhookId: row.id },
        text: "This is a test event from linkledger.",
        data: { webhook_id: row.id },
      },
      actor.now,
      "test webhook",
    ),
  );

const { dueAt, attempts, deliveredAt } = webhookDeliveries;
const again = returning(
  sql`UPDATE ${webhookDeliveries} SET ${names(dueAt)} = ${p("now")}, ${names(attempts)} = 0, ${names(deliveredAt)} = NULL
    WHERE ${webhookDeliveries.id} = ${p("delivery")} AND ${webhookDeliveries.webhookId} = ${p("id")}
      AND EXISTS (SELECT 1 FROM ${as(w)} WHERE ${w.id} = ${p("id")} AND ${w.endedAt} IS NULL)`,
  { id: webhookDeliveries.id },
);
/** Sends a delivery again in the next run, with the same ID. Returns undefined if there is none, or the webhook is turned off. */
export const sendAgain = (db: D1Database, actor: Actor, row: WebhookRow, delivery: number) =>
  runForRow(
    db,
    again(db, { id: row.id, delivery, now: actor.now }),
    auditChange(db, actor, "send delivery again", "webhook", row.id, { ...detailOf(row), delivery }),
  );
