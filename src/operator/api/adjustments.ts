/** Adjustments in the operator API: money that corrects the spend of a link, a day and a partner. */
import * as z from "zod/mini";
import { operatorOperation } from "../../auth/guards.ts";
import type { Operator } from "../../db/audit.ts";
import * as db from "../../db/operator/adjustments.ts";
import { COST_TYPES } from "../../domain/cost-types.ts";
import { CURRENCY_CODES, formatMoney } from "../../domain/money.ts";
import { dayOf, formatDate } from "../../domain/time.ts";
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
import { itemsV1 } from "../../http/response-schemas.ts";
import type { Option } from "../../pages/forms/fields.ts";
import {
  keyInUse,
  replay,
  requiredIdempotencyKey,
  toKeyedRequest,
  toStored,
} from "../../usecases/idempotency.ts";
import { INSTANT, noun } from "../noun.ts";
import { byId, notFound, reason } from "./common.ts";
import { itemOperation, listOperation } from "./item-operations.ts";

const AMOUNT =
  "Money, not a price per 1,000 impressions: an exact decimal number, negative to lower the spend";

export const ADJUSTMENT = noun("Adjustment", {
  id: { item: z.int() },
  app_token: { item: z.string(), input: appToken, form: { label: "App", options: [] } },
  link_token: {
    item: z.string(),
    input: z.string(),
    form: { label: "Link token", required: true, hint: "In the address of the link's page" },
  },
  day: {
    item: z.string().with(z.meta({ format: "date" })),
    from: formatDate,
    input: utcDate.with(z.describe("The day in UTC whose spend changes")),
    form: { label: "Day", type: "date", required: true, hint: "In UTC" },
  },
  partner_id: { item: z.int(), input: idNumber, form: { label: "Partner", options: [], sends: "number" } },
  cost_type: {
    item: z.enum(COST_TYPES),
    input: costType,
    form: { label: "Cost type", options: COST_TYPES.map((type) => [type, type]) },
  },
  currency: {
    item: z.string(),
    input: currency,
    form: {
      label: "Currency",
      required: true,
      options: [["", "Choose a currency"], ...[...CURRENCY_CODES].map((code): Option => [code, code])],
    },
  },
  amount: {
    item: z.string().with(z.describe(AMOUNT)),
    from: (units: string) => formatMoney(units),
    input: signedAmount.with(
      z.describe(`${AMOUNT}. Not zero, at most 8 decimal places, from -1,000,000,000 to 1,000,000,000`),
    ),
    form: {
      label: "Amount",
      required: true,
      hint: "Money, not a price per 1,000 impressions. Negative to lower the spend, for example -12.5",
    },
  },
  reason: {
    item: z.string(),
    input: reason,
    form: {
      label: "Reason",
      required: true,
      maxlength: 500,
      hint: "Up to 500 characters. Members of the app see it, and the audit log keeps it.",
    },
  },
  created_by: {
    item: z.strictObject({ id: z.int(), email: z.string() }),
    of: ({ userId, email }: db.AdjustmentRow) => ({ id: userId, email }),
  },
  created_at: INSTANT,
});

export const newAdjustment = z.strictObject(ADJUSTMENT.created);

const LIST = "/operator/v1/adjustments";

type Body = z.output<typeof newAdjustment>;

/** What is wrong with values that are valid by themselves. Some can be missing. */
function judge(
  { app_token, link_token, partner_id, day }: Partial<Body>,
  found: Awaited<ReturnType<typeof db.findSubjects>>,
  now: number,
): InputError[] {
  const errors: InputError[] = [];
  if (app_token !== undefined && !found?.app)
    errors.push({ param: "app_token", message: "must be the token of an existing app" });
  else if (app_token !== undefined && link_token !== undefined && !found?.linkId)
    errors.push({ param: "link_token", message: "is not a link of this app" });
  if (partner_id !== undefined && !found?.partner)
    errors.push({ param: "partner_id", message: "must be the ID of an existing partner" });
  if (day !== undefined && day > dayOf(now))
    errors.push({ param: "day", message: "must not be after today" });
  return errors;
}

/** The same for a form, of which some values are not valid. */
export const judgeAdjustment = async ({ env, now }: Context, operator: Operator, valid: Partial<Body>) =>
  judge(valid, await db.findSubjects(env.DB, operator, ADJUSTMENT.toValues(valid)), now);

/** Adds an adjustment, once for each key of the operator. */
export async function addAdjustment(
  context: Context,
  operator: Operator,
  key: string,
  body: Body,
): Promise<Response> {
  const { DB } = context.env;
  const sent = ADJUSTMENT.toValues(body);
  const keyed = toKeyedRequest(context, "create_adjustment", key, body);
  const { earlier, found } = await db.prepareAdjustment(DB, operator, sent, keyed);
  if (earlier) return replay(context, earlier, keyed);
  const errors = judge(body, found, context.now);
  if (!found?.linkId || errors.length > 0) throw invalidRequest(errors);
  const { linkId, email } = found;
  const { userId, now } = operator;
  const item = ADJUSTMENT.toItem({ ...sent, id: 0, userId, email, createdAt: now });
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
  responses: { 201: { description: "Created", schema: itemsV1(ADJUSTMENT.item), headers: ["Location"] } },
  errors: ["idempotency_key_in_use", "idempotency_key_reused"],
  handle: (context, operator, { headers, body }) =>
    addAdjustment(context, operator, headers["Idempotency-Key"], body),
});

const listAdjustments = listOperation({
  path: LIST,
  id: "listAdjustments",
  summary: "List adjustments",
  input: { query: z.strictObject({ ...pageQuery.shape, app_token: z.optional(appToken) }), paged: true },
  item: ADJUSTMENT.item,
  errors: [],
  list: ({ env: { DB } }, { query: { app_token: appToken }, range }) =>
    appToken === undefined ? db.listAdjustments(DB, range) : db.listAdjustmentsOfApp(DB, range, { appToken }),
  toItem: ADJUSTMENT.toItem,
});

const readAdjustment = itemOperation({
  method: "GET",
  path: `${LIST}/:id`,
  id: "readAdjustment",
  summary: "Read an adjustment",
  input: { path: byId },
  item: ADJUSTMENT.item,
  errors: ["not_found"],
  async handle({ env }, _operator, { path: { id } }) {
    const found = await db.findAdjustment(env.DB, id);
    if (!found) throw notFound("adjustment");
    return ADJUSTMENT.toItem(found);
  },
});

export const operations = [listAdjustments, createAdjustment, readAdjustment];
