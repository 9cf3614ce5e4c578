/** `POST /operator/v1/partners/{id}/voids`: an operator voids a cost of a partner. */
import * as z from "zod/mini";
import { operatorOperation } from "../../auth/guarded-operations.ts";
import type { Operator } from "../../db/audit.ts";
import { voidForPartner } from "../../db/ledger/voids.ts";
import { findPartner } from "../../db/operator/partners.ts";
import type { Context } from "../../env.ts";
import { jsonResponse } from "../../http/envelope.ts";
import { costId } from "../../http/input/fields.ts";
import { VOIDED_EXAMPLE, voided } from "../../http/response-schemas.ts";
import { checkVoided } from "../../usecases/costs/void.ts";
import { byId, notFound, reason } from "./common.ts";

export const newVoid = z.strictObject({ cost_id: costId, reason });

/** Returns whether the cost was void before. */
export async function voidCost(
  { env, ledger }: Context,
  operator: Operator,
  partnerId: number,
  { cost_id, reason }: z.output<typeof newVoid>,
): Promise<{ isDuplicate: boolean }> {
  const verdict = await voidForPartner(ledger, operator, { partnerId, costId: cost_id }, reason);
  if (verdict === "not_found" && !(await findPartner(env.DB, partnerId))) throw notFound("partner");
  return checkVoided(
    verdict,
    "This partner has no cost with this ID: it was never sent, or it has expired. Check the cost_id.",
  );
}

const voidPartnerCost = operatorOperation({
  method: "POST",
  path: "/operator/v1/partners/:id/voids",
  id: "voidPartnerCost",
  summary: "Void a cost of a partner",
  description:
    "The cost, or the price on the URL of its click or impression, no longer counts. Sending the same values again does not bring it back; a call with other values counts in its place. Possible until the cost expires, also for a stopped partner. The audit log keeps the reason and the removed values.",
  input: { path: byId, body: newVoid },
  requestExample: { cost_id: "acme-click-20260701", reason: "The network reported the click as fraud" },
  responses: {
    200: {
      description: "The cost does not count, because of this request or of an earlier one",
      schema: voided,
      example: VOIDED_EXAMPLE,
    },
  },
  errors: ["not_found"],
  async handle(context, operator, { path: { id }, body }) {
    const { isDuplicate } = await voidCost(context, operator, id, body);
    return jsonResponse({
      status: "ok",
      cost_id: body.cost_id,
      match: "voided",
      duplicate: isDuplicate,
      request_id: context.requestId,
    });
  },
});

export const operations = [voidPartnerCost];
