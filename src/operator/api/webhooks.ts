/** Webhooks in the operator API: those of operators, and those of any app. */
import * as z from "zod/mini";
import { operatorOperation } from "../../auth/guards.ts";
import { listDeliveries } from "../../db/webhooks/deliveries.ts";
import * as db from "../../db/webhooks/webhooks.ts";
import { AppError } from "../../errors.ts";
import { envelopeV1, jsonResponse } from "../../http/envelope.ts";
import { appToken, idText, pageQuery } from "../../http/input/fields.ts";
import { itemsV1 } from "../../http/response-schemas.ts";
import {
  createWebhook,
  deliveryItem,
  findWebhook,
  receiverUrl,
  rotateSecret,
  toDeliveryItem,
  toWebhookItem,
  webhookItem,
} from "../../usecases/webhooks/webhooks.ts";
import { byId, checkFilters } from "./common.ts";
import { itemOperation, listOperation } from "./item-operations.ts";

const PATH = "/operator/v1/webhooks";

const listWebhooks = listOperation({
  path: PATH,
  id: "listWebhooks",
  summary: "List webhooks",
  input: {
    query: z.strictObject({
      ...pageQuery.shape,
      app_token: z.optional(appToken).with(z.describe("Those of this app; without it, those of operators")),
    }),
    paged: true,
  },
  item: webhookItem,
  errors: [],
  list: ({ env }, { range, query }) => db.listWebhooks(env.DB, range, { appToken: query.app_token ?? null }),
  toItem: (row) => toWebhookItem(row),
});

const create = itemOperation({
  method: "POST",
  path: PATH,
  id: "createWebhook",
  summary: "Create a webhook",
  description:
    "An app can have 5 webhooks, and operators can have 5 too. The response has the secret with which its events are signed: see `/docs/webhooks`.",
  input: {
    body: z.strictObject({
      url: receiverUrl,
      app_token: z
        .optional(appToken)
        .with(z.describe("The app whose events it gets; without it, those of operators")),
    }),
  },
  requestExample: { url: "https://example.com/hooks" },
  item: webhookItem,
  errors: ["limit_reached", "not_configured"],
  async handle(context, operator, { body: { url, app_token } }) {
    await checkFilters(context, { app_token });
    const { row, secret } = await createWebhook(context, operator, { appToken: app_token ?? null, url });
    return toWebhookItem(row, secret);
  },
  locate: ({ id }) => id,
});

const read = itemOperation({
  method: "GET",
  path: `${PATH}/:id`,
  id: "readWebhook",
  summary: "Read a webhook",
  input: { path: byId },
  item: webhookItem,
  errors: ["not_found"],
  handle: async ({ env }, _operator, { path: { id } }) => toWebhookItem(await findWebhook(env.DB, id)),
});

const remove = itemOperation({
  method: "DELETE",
  path: `${PATH}/:id`,
  id: "deleteWebhook",
  summary: "Delete a webhook with its deliveries",
  input: { path: byId },
  item: webhookItem,
  returns: "Deleted: the webhook as it was",
  errors: ["not_found"],
  async handle({ env }, operator, { path: { id } }) {
    const row = await findWebhook(env.DB, id);
    await db.deleteWebhook(env.DB, operator, row);
    return toWebhookItem(row);
  },
});

const rotate = itemOperation({
  method: "POST",
  path: `${PATH}/:id/secret`,
  id: "rotateWebhookSecret",
  summary: "Create a new secret for a webhook",
  description: "For 24 hours, events are signed with the old secret too.",
  input: { path: byId },
  item: webhookItem,
  status: 201,
  returns: "The webhook with its new secret",
  errors: ["not_found", "not_configured"],
  async handle(context, operator, { path: { id } }) {
    const row = await findWebhook(context.env.DB, id);
    return toWebhookItem(row, await rotateSecret(context, operator, row));
  },
});

const turnOn = itemOperation({
  method: "POST",
  path: `${PATH}/:id/on`,
  id: "turnOnWebhook",
  summary: "Turn on a webhook that was turned off",
  input: { path: byId },
  item: webhookItem,
  errors: ["not_found"],
  async handle({ env }, operator, { path: { id } }) {
    await db.turnOnWebhook(env.DB, operator, await findWebhook(env.DB, id));
    return toWebhookItem(await findWebhook(env.DB, id));
  },
});

const test = itemOperation({
  method: "POST",
  path: `${PATH}/:id/test`,
  id: "testWebhook",
  summary: "Send a test event to a webhook",
  description: "It is sent within a minute, as `webhook.test`. A webhook that is turned off gets none.",
  input: { path: byId },
  item: webhookItem,
  errors: ["not_found"],
  async handle({ env }, operator, { path: { id } }) {
    const row = await findWebhook(env.DB, id);
    await db.testWebhook(env.DB, operator, row);
    return toWebhookItem(row);
  },
});

const deliveries = operatorOperation({
  method: "GET",
  path: `${PATH}/:id/deliveries`,
  id: "listWebhookDeliveries",
  summary: "List the newest 100 deliveries of a webhook",
  input: { path: byId },
  responses: { 200: { description: "The newest first", schema: itemsV1(deliveryItem) } },
  errors: ["not_found"],
  async handle(context, _operator, { path: { id } }) {
    const { DB } = context.env;
    await findWebhook(DB, id);
    return jsonResponse(envelopeV1(context, (await listDeliveries(DB, id)).map(toDeliveryItem)));
  },
});

const resend = itemOperation({
  method: "POST",
  path: `${PATH}/:id/deliveries/:delivery_id`,
  id: "resendWebhookDelivery",
  summary: "Send a delivery again",
  description: "It is sent within a minute, with the same `webhook-id`.",
  input: { path: z.extend(byId, { delivery_id: idText.with(z.describe("The ID of the delivery")) }) },
  item: webhookItem,
  errors: ["not_found"],
  async handle({ env }, operator, { path: { id, delivery_id } }) {
    const row = await findWebhook(env.DB, id);
    if (!(await db.sendAgain(env.DB, operator, row, delivery_id)))
      throw new AppError("not_found", "This webhook is turned off, or has no delivery with this ID.");
    return toWebhookItem(row);
  },
});

export const operations = [listWebhooks, create, read, remove, rotate, turnOn, test, deliveries, resend];
