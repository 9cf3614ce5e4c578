/** Voids of a partner: an operator voids one cost, or the prices on URLs of a day. */
import * as z from "zod/mini";
import { operatorOperation } from "../../auth/guards.ts";
import type { Operator } from "../../db/audit.ts";
import { voidForPartner } from "../../db/ledger/voids.ts";
import { findPartner } from "../../db/operator/partners.ts";
import { expectDefined } from "../../domain/expect-defined.ts";
import type { Context } from "../../env.ts";
import { jsonResponse } from "../../http/envelope.ts";
import { appToken, storedCostId } from "../../http/input/fields.ts";
import { VOIDED_EXAMPLE, voided } from "../../http/response-schemas.ts";
import { VOIDED, voidFound } from "../../usecases/costs/void.ts";
import { byId, notFound, reason } from "./common.ts";
import { position, pricesDay, voidedDay, voidPrices } from "./url-prices.ts";

const NO_COST = "This partner has no accepted cost with this ID, or it has expired. Check the cost_id.";

export const newVoid = z.strictObject({ cost_id: storedCostId, reason });

/** One cost, or the prices on URLs of a day. */
export const anyVoid = z
  .strictObject({
    cost_id: z.optional(storedCostId),
    day: z.optional(pricesDay),
    app_token: z.optional(appToken),
    generated: z
      .optional(z.boolean())
      .with(
        z.describe(
          "With a day. true, the default: the prices without a `cost_id` on their URL, which got a generated ID. false: the other prices of the day that no call has",
        ),
      ),
    next: z.optional(position),
    reason,
  })
  .check(
    z.refine(
      ({ cost_id, day, app_token, generated, next }) =>
        cost_id === undefined
          ? day !== undefined && app_token !== undefined
          : [day, app_token, generated, next].every((value) => value === undefined),
      "must have either cost_id, or day and app_token",
    ),
  );

/** Returns the ID that was found, and whether its cost was void before. */
export async function voidCost(
  { env, ledger }: Context,
  operator: Operator,
  partnerId: number,
  { cost_id, reason }: z.output<typeof newVoid>,
): Promise<{ costId: string; isDuplicate: boolean }> {
  return voidFound(cost_id, NO_COST, async (costId) => {
    const verdict = await voidForPartner(ledger, operator, { partnerId, costId }, reason);
    if (verdict === "not_found" && !(await findPartner(env.DB, partnerId))) throw notFound("partner");
    return verdict;
  });
}

/** Voids prices on URLs of a day. */
export function voidPricesOfDay(
  context: Context,
  operator: Operator,
  partnerId: number,
  { day, app_token, generated = true, next, reason }: z.output<typeof anyVoid>,
) {
  const of = { partnerId, appToken: expectDefined(app_token), day: expectDefined(day) };
  return voidPrices(context, operator, of, { generated, next, reason });
}

const voidPartnerCost = operatorOperation({
  method: "POST",
  path: "/operator/v1/partners/:id/voids",
  id: "voidPartnerCost",
  summary: "Void a cost of a partner, or the prices on URLs of a day",
  description: `${VOIDED} Possible until the cost expires, also for a stopped partner. The audit log keeps the reason and the removed values. With \`day\` and \`app_token\` instead of \`cost_id\`: at most 1,000 prices on URLs a request, with one entry in the audit log; continue with \`next\`.`,
  input: { path: byId, body: anyVoid },
  requestExample: { cost_id: "acme-click-20260701", reason: "The network reported the click as fraud" },
  responses: {
    200: {
      description:
        "The cost does not count, because of this request or of an earlier one; or the prices that were voided",
      schema: z.union([voided, voidedDay]),
      example: VOIDED_EXAMPLE,
    },
  },
  errors: ["not_found"],
  async handle(context, operator, { path: { id }, body }) {
    const { cost_id, reason } = body;
    const { requestId } = context;
    if (cost_id === undefined) {
      const changed = await voidPricesOfDay(context, operator, id, body);
      return jsonResponse({ status: "ok", ...changed, request_id: requestId });
    }
    const { costId, isDuplicate } = await voidCost(context, operator, id, { cost_id, reason });
    return jsonResponse({
      status: "ok",
      cost_id: costId,
      match: "voided",
      duplicate: isDuplicate,
      request_id: requestId,
    });
  },
});

export const operations = [voidPartnerCost];
