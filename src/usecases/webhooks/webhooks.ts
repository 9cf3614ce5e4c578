/** Webhooks as JSON, and how they are created, for the members of an app and for operators. */
import * as z from "zod/mini";
import { createWebhookSecret, requireWebhookKey } from "../../auth/webhook-secrets.ts";
import type { Actor } from "../../db/audit.ts";
import type { DeliveryRow } from "../../db/webhooks/deliveries.ts";
import * as db from "../../db/webhooks/webhooks.ts";
import { EVENT_TYPES } from "../../domain/alerts/kinds.ts";
import { toIso } from "../../domain/time.ts";
import { judgeReceiver, MAX_URL } from "../../domain/webhooks/receiver.ts";
import { type Context, receiversOf } from "../../env.ts";
import { AppError } from "../../errors.ts";
import { plainText } from "../../http/input/fields.ts";
import { invalidRequest } from "../../http/input/parse.ts";
import { timestamp } from "../../http/response-schemas.ts";

export const receiverUrl = z
  .string()
  .check(z.trim(), plainText(1, MAX_URL))
  .with(
    z.describe(
      "Where events are sent to: https, port 443, a host on the public internet that is not one of this service",
    ),
  );

export const webhookItem = z
  .strictObject({
    id: z.int(),
    app_token: z
      .nullable(z.string())
      .with(z.describe("The app whose events it gets; null: those of operators")),
    url: z.string(),
    state: z
      .enum(["on", "gone", "failing"])
      .with(
        z.describe("gone: the receiver returned 410. failing: it was turned off after 5 days of failures"),
      ),
    failing_since: z.nullable(timestamp),
    created_at: timestamp,
    secret: z.optional(z.string()).with(z.describe("Returned only when it is created or rotated")),
  })
  .with(z.meta({ id: "Webhook" }));

export const toWebhookItem = (row: db.WebhookRow, secret?: string): z.output<typeof webhookItem> => ({
  ...{ id: row.id, app_token: row.appToken, url: row.url, state: row.endedBecause ?? "on" },
  failing_since: row.failingSince === null ? null : toIso(row.failingSince),
  created_at: toIso(row.createdAt),
  ...(secret !== undefined && { secret }),
});

export const deliveryItem = z
  .strictObject({
    id: z.int(),
    webhook_id: z.string().with(z.describe("The header `webhook-id`, the same in every attempt")),
    type: z.enum(EVENT_TYPES),
    happened_at: timestamp,
    attempts: z.int(),
    attempted_at: z.nullable(timestamp),
    status: z.nullable(z.int()).with(z.describe("Of the last response; null if there was none")),
    error: z.nullable(z.string()),
    milliseconds: z.nullable(z.int()),
    due_at: z.nullable(timestamp).with(z.describe("When it is sent next; null: it is not sent again")),
    delivered_at: z.nullable(timestamp),
  })
  .with(z.meta({ id: "WebhookDelivery" }));

const orNull = (at: number | null) => (at === null ? null : toIso(at));
export const toDeliveryItem = (row: DeliveryRow): z.output<typeof deliveryItem> => ({
  ...{ id: row.id, webhook_id: row.messageId, type: row.type, happened_at: toIso(row.happenedAt) },
  ...{ attempts: row.attempts, status: row.status, error: row.error, milliseconds: row.duration },
  ...{
    attempted_at: orNull(row.attemptedAt),
    due_at: orNull(row.dueAt),
    delivered_at: orNull(row.deliveredAt),
  },
});

/** The URL to store, or what is wrong with it. */
export const judgeUrl = ({ env, url: { hostname } }: Context, url: string) =>
  judgeReceiver(url, receiversOf(env, hostname));

/** Throws what is wrong with the URL. Returns the webhook with its secret, which is not shown again. */
export async function createWebhook(
  context: Context,
  actor: Actor,
  { appToken, url }: { appToken: string | null; url: string },
): Promise<{ row: db.WebhookRow; secret: string }> {
  const { env } = context;
  const key = requireWebhookKey(env);
  const judged = judgeUrl(context, url);
  if ("error" in judged) throw invalidRequest([{ param: "url", message: judged.error }]);
  const { secret, sealed } = createWebhookSecret(key);
  const id = await db.insertWebhook(env.DB, actor, { appToken, url: judged.url, secret: sealed });
  if (id === undefined)
    throw new AppError("limit_reached", `There can be ${db.MAX_WEBHOOKS} webhooks. Delete one first.`);
  return { row: await findWebhook(env.DB, id), secret };
}

export async function rotateSecret({ env }: Context, actor: Actor, row: db.WebhookRow): Promise<string> {
  const { secret, sealed } = createWebhookSecret(requireWebhookKey(env));
  await db.rotateSecret(env.DB, actor, row, sealed);
  return secret;
}

/** Throws not_found. `appToken`: whose it must be. */
export async function findWebhook(
  d1: D1Database,
  id: number,
  appToken?: string | null,
): Promise<db.WebhookRow> {
  const row = await db.findWebhook(d1, id);
  if (!row || (appToken !== undefined && row.appToken !== appToken))
    throw new AppError("not_found", "This webhook does not exist.");
  return row;
}
