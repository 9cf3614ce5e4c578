/** Prices on URLs of a partner, many at a time: operators see their sums, void those of a day, and decide those that are held. */
import * as z from "zod/mini";
import { operatorOperation } from "../../auth/guards.ts";
import type { Operator } from "../../db/audit.ts";
import { decideHeld, type Position, type PricesOfDay, voidDay } from "../../db/ledger/url-prices/changes.ts";
import { listUrlPrices } from "../../db/ledger/url-prices/sums.ts";
import { findPartner } from "../../db/operator/partners.ts";
import { formatMoney } from "../../domain/money.ts";
import { DAY_MS, dayOf, formatDate, RETENTION_MS } from "../../domain/time.ts";
import type { Context } from "../../env.ts";
import { envelopeV1, jsonResponse } from "../../http/envelope.ts";
import { appToken, readAs, utcDate } from "../../http/input/fields.ts";
import { itemsV1 } from "../../http/response-schemas.ts";
import { byId, notFound, reason } from "./common.ts";
import { itemOperation } from "./item-operations.ts";

export const pricesDay = utcDate.with(z.describe("The UTC day of the clicks and impressions"));

const POSITION = /^(\d{1,4})\.(.{0,256})$/su;
export const position = readAs(z.string(), (value, reject) => {
  const [, database, after = ""] = POSITION.exec(value) ?? [];
  if (database === undefined) reject("must be the `next` of the previous response");
  return { database: Number(database), after };
}).with(z.describe("The `next` of the previous response, to continue"));

const changedPrices = {
  count: z.int().with(z.describe("How many prices this request changed")),
  sums: z.record(z.string(), z.string()).with(z.describe("Their sum in each currency")),
};
export const voidedDay = z
  .strictObject({
    status: z.literal("ok"),
    ...changedPrices,
    left: z
      .int()
      .with(
        z.describe("With generated IDs: how many prices are left, of which 20,000 are counted in a database"),
      ),
    next: z
      .nullable(z.string())
      .with(z.describe("Send it as `next` to continue; null if the whole day was searched")),
    request_id: z.string(),
  })
  .with(z.meta({ id: "VoidedDay" }));

/** Voids prices on URLs of a day. */
export async function voidPrices(
  { env, ledger }: Context,
  operator: Operator,
  of: PricesOfDay,
  how: { generated: boolean; next: Position | undefined; reason: string },
) {
  if (!(await findPartner(env.DB, of.partnerId))) throw notFound("partner");
  const { next, ...changed } = await voidDay(ledger, operator, of, how);
  return { ...changed, next: next && `${next.database}.${next.after}` };
}

const heldDecision = z.strictObject({
  app_token: appToken,
  day: pricesDay,
  decision: z.enum(["accept", "drop"], "must be accept or drop"),
  reason,
});

const pricesOfDay = z
  .strictObject({
    app_token: z.string(),
    day: z.string().with(z.meta({ format: "date" })),
    currency: z.string(),
    counted: z
      .string()
      .with(z.describe("The sum of the prices that were counted; voids and calls do not reduce it")),
    held: z.string().with(z.describe("The sum of the prices that are held")),
    held_count: z.int(),
  })
  .with(z.meta({ id: "UrlPrices" }));

const decidedPrices = z
  .strictObject({ ...changedPrices, left: z.int().with(z.describe("How many are still held")) })
  .with(z.meta({ id: "DecidedPrices" }));

/** Held prices can be decided while their rows are kept. */
const HELD_DAYS = RETENTION_MS / DAY_MS;

export async function readUrlPrices({ ledger, now }: Context, partnerId: number) {
  const rows = await listUrlPrices(ledger, partnerId, dayOf(now) - HELD_DAYS);
  return rows.map(({ appToken, day, currency, counted, held, heldCount }) => ({
    app_token: appToken,
    day: formatDate(day),
    currency,
    counted: formatMoney(counted),
    held: formatMoney(held),
    held_count: heldCount,
  }));
}

const listHeld = operatorOperation({
  method: "GET",
  path: "/operator/v1/partners/:id/url-prices",
  id: "listUrlPrices",
  summary: "List the sums of a partner's prices on URLs",
  description:
    "By app, UTC day and currency, the newest day first, of the days whose held prices can still be decided.",
  input: { path: byId },
  responses: { 200: { description: "The sums", schema: itemsV1(pricesOfDay) } },
  errors: ["not_found"],
  isReport: true,
  async handle(context, _operator, { path: { id } }) {
    if (!(await findPartner(context.env.DB, id))) throw notFound("partner");
    return jsonResponse(envelopeV1(context, await readUrlPrices(context, id)));
  },
});

export const decidePrices = itemOperation({
  method: "POST",
  path: "/operator/v1/partners/:id/url-prices",
  id: "decideUrlPrices",
  summary: "Accept or drop the held prices on URLs of a day",
  description:
    "Prices above `max_url_spend` of the partner are held. An accepted one counts from then on, a dropped one never does. At most 1,000 a request, the oldest first: repeat it until `left` is 0. The audit log has one entry for each request.",
  input: { path: byId, body: heldDecision },
  item: decidedPrices,
  returns: "What was decided, and how many are left",
  errors: ["not_found"],
  async handle({ env, ledger }, operator, { path: { id }, body: { app_token, day, decision, reason } }) {
    if (!(await findPartner(env.DB, id))) throw notFound("partner");
    const of = { partnerId: id, appToken: app_token, day };
    return decideHeld(ledger, operator, of, { accept: decision === "accept", reason });
  },
});

export const operations = [listHeld, decidePrices];
