/** Adjustments in the operator API: money that corrects the spend of a link, a day and a partner. */
import * as z from "zod/mini";
import { operatorOperation } from "../../auth/guarded-operations.ts";
import type { Operator } from "../../db/audit.ts";
import * as db from "../../db/operator/adjustments.ts";
import { COST_TYPES } from "../../domain/cost-types.ts";
import { formatMoney } from "../../domain/money.ts";
import { dayOf, formatDate, toIso } from "../../domain/time.ts";
import type { Context } from "../../env.ts";
import type { InputError } from "../../errors.ts";
import { envelopeV1, jsonResponse } from "../../http/envelope.ts";
import {
  appToken,
  costType,
  currency,
  idNumber,
  pageQuery,
  signedAmount,
  utcDate,
} from "../../http/input/fields.ts";
import { invalidRequest } from "../../http/input/parse.ts";
import { itemsV1, timestamp } from "../../http/response-schemas.ts";
import {
  keyInUse,
  replay,
  requiredIdempotencyKey,
  toKeyedRequest,
  toStored,
} from "../../usecases/idempotency.ts";
import { byId, notFound, reason } from "./common.ts";
import { itemOperation, listOperation } from "./item-operations.ts";

const AMOUNT =
  "Money, not a price per 1,000 impressions: an exact decimal number, negative to lower the spend";

const adjustment = z
  .strictObject({
    id: z.int(),
    app_token: z.string(),
    link_token: z.string(),
    day: z.string().with(z.meta({ format: "date" })),
    partner_id: z.int(),
    cost_type: z.enum(COST_TYPES),
    currency: z.string(),
    amount: z.string().with(z.describe(AMOUNT)),
    reason: z.string(),
    created_by: z.strictObject({ id: z.int(), email: z.string() }),
    created_at: timestamp,
  })
  .with(z.meta({ id: "Adjustment" }));

export function toAdjustmentItem(row: db.AdjustmentRow): z.output<typeof adjustment> {
  return {
    id: row.id,
    app_token: row.appToken,
    link_token: row.linkToken,
    day: formatDate(row.day),
    partner_id: row.partnerId,
    cost_type: row.costType,
    currency: row.currency,
    amount: formatMoney(row.amount),
    reason: row.reason,
    created_by: { id: row.userId, email: row.email },
    created_at: toIso(row.createdAt),
  };
}

export const newAdjustment = z.strictObject({
  app_token: appToken,
  link_token: z.string(),
  day: utcDate.with(z.describe("The day in UTC whose spend changes")),
  partner_id: idNumber,
  cost_type: costType,
  currency,
  amount: signedAmount.with(
    z.describe(`${AMOUNT}. Not zero, at most 8 decimal places, from -1000000000 to 1000000000`),
  ),
  reason,
});

function toNewAdjustment(body: z.output<typeof newAdjustment>): db.NewAdjustment {
  return {
    appToken: body.app_token,
    linkToken: body.link_token,
    day: body.day,
    partnerId: body.partner_id,
    costType: body.cost_type,
    currency: body.currency,
    amount: body.amount,
    reason: body.reason,
  };
}

const LIST = "/operator/v1/adjustments";

/** Adds an adjustment, once for each key of the operator. */
export async function addAdjustment(
  context: Context,
  operator: Operator,
  key: string,
  body: z.output<typeof newAdjustment>,
): Promise<Response> {
  const { DB } = context.env;
  const sent = toNewAdjustment(body);
  const keyed = toKeyedRequest(context, "create_adjustment", key, body);
  const { earlier, found } = await db.prepareAdjustment(DB, operator, sent, keyed);
  if (earlier) return replay(context, earlier, keyed);
  const errors: InputError[] = [];
  if (!found?.app) errors.push({ param: "app_token", message: "must be the token of an existing app" });
  else if (!found.linkId) errors.push({ param: "link_token", message: "is not a link of this app" });
  if (!found?.partner) errors.push({ param: "partner_id", message: "must be the ID of an existing partner" });
  if (sent.day > dayOf(context.now)) errors.push({ param: "day", message: "must not be after today" });
  if (!found?.linkId || errors.length > 0) throw invalidRequest(errors);
  const { linkId, email } = found;
  const { userId, now } = operator;
  const item = toAdjustmentItem({ ...sent, id: 0, userId, email, createdAt: now });
  // The database adds the ID, which is not known before the insertion.
  const response = toStored(context, { status: 201, location: `${LIST}/`, items: [item] });
  const id = await db.insertAdjustment(DB, operator, { ...sent, linkId }, keyed, response);
  if (id === undefined) {
    const { earlier: current } = await db.prepareAdjustment(DB, operator, sent, keyed);
    if (current) return replay(context, current, keyed);
    throw keyInUse();
  }
  return jsonResponse(envelopeV1(context, [{ ...item, id }]), 201, { location: `${LIST}/${id}` });
}

const createAdjustment = operatorOperation({
  method: "POST",
  path: LIST,
  id: "createAdjustment",
  summary: "Adjust the spend of a link",
  description:
    "Reports show the sum of adjustments as `adjusted` and include it in `spend`. An adjustment cannot be changed or deleted: to undo it, add its opposite.",
  input: { headers: requiredIdempotencyKey, body: newAdjustment },
  requestExample: {
    app_token: "demoapp00001",
    link_token: "demo1nk001",
    day: "2026-07-01",
    partner_id: 1,
    cost_type: COST_TYPES[0],
    currency: "USD",
    amount: "-12.5",
    reason: "Credit note 4711 for invalid clicks",
  },
  responses: { 201: { description: "Created", schema: itemsV1(adjustment), headers: ["Location"] } },
  errors: ["idempotency_key_in_use", "idempotency_key_reused"],
  handle: (context, operator, { headers, body }) =>
    addAdjustment(context, operator, headers["Idempotency-Key"], body),
});

const listAdjustments = listOperation({
  path: LIST,
  id: "listAdjustments",
  summary: "List adjustments",
  input: { query: z.strictObject({ ...pageQuery.shape, app_token: z.optional(appToken) }), paged: true },
  item: adjustment,
  errors: [],
  list: ({ env: { DB } }, { query: { app_token: appToken }, range }) =>
    appToken === undefined ? db.listAdjustments(DB, range) : db.listAdjustmentsOfApp(DB, range, { appToken }),
  toItem: toAdjustmentItem,
});

const readAdjustment = itemOperation({
  method: "GET",
  path: `${LIST}/:id`,
  id: "readAdjustment",
  summary: "Get an adjustment",
  input: { path: byId },
  item: adjustment,
  errors: ["not_found"],
  async handle({ env }, _operator, { path: { id } }) {
    const found = await db.findAdjustment(env.DB, id);
    if (!found) throw notFound("adjustment");
    return toAdjustmentItem(found);
  },
});

export const operations = [listAdjustments, createAdjustment, readAdjustment];
