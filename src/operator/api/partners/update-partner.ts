import type * as z from "zod/mini";
import { operatorOperation } from "../../../auth/operations.ts";
import { replicateCredentials } from "../../../db/ledger/credential-copies.ts";
import type { Operator } from "../../../db/operator/audit.ts";
import * as partners from "../../../db/operator/partners.ts";
import type { Context } from "../../../env.ts";
import { AppError } from "../../../errors.ts";
import { notFound } from "../../errors.ts";
import { byId } from "../../resources/common.ts";
import { partner, partnerChange, toPartnerChange, toPartnerItem } from "../../resources/partners.ts";
import { itemOf, itemResponse } from "../responses.ts";

/** Throws round_required if cost data is switched on for a partner that has not integrated a cost type. */
export async function updatePartner(
  { env: { DB }, ledger }: Context,
  operator: Operator,
  id: number,
  body: z.output<typeof partnerChange>,
) {
  const updated = await partners.updatePartner(DB, operator, id, toPartnerChange(body));
  if (!updated)
    throw (await partners.findPartner(DB, id)) ? new AppError("round_required") : notFound("partner");
  if (body.supports_cost_data !== undefined) await replicateCredentials(ledger);
  return toPartnerItem(updated);
}

export const updatePartnerOperation = operatorOperation({
  method: "PATCH",
  path: "/operator/v1/partners/:id",
  id: "updatePartner",
  summary: "Update a partner's name and templates, and stop or resume its costs",
  input: { path: byId, body: partnerChange },
  responses: itemOf(partner),
  errors: ["not_found", "round_required"],
  handle: async (context, operator, { path, body }) =>
    itemResponse(context, await updatePartner(context, operator, path.id, body)),
});
