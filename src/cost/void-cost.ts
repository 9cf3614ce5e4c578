/** `POST /cost/{cost_id}/void`: a partner takes back one of its costs. Beyond the specification. */
import * as z from "zod/mini";
import { costOperation } from "../auth/guards.ts";
import { COST_WINDOW } from "../domain/texts.ts";
import { jsonResponse } from "../http/envelope.ts";
import { storedCostId } from "../http/input/fields.ts";
import { VOIDED_EXAMPLE, voided } from "../http/response-schemas.ts";
import { VOIDED, voidOwn } from "../usecases/costs/void.ts";

export const voidCost = costOperation({
  method: "POST",
  path: "/cost/:cost_id/void",
  id: "voidCost",
  summary: "Void one of your costs",
  description: `${VOIDED} Possible until ${COST_WINDOW} after the engagement, or until a pending cost lapses.`,
  input: { path: z.object({ cost_id: storedCostId }) },
  responses: {
    200: {
      description: "The cost does not count, because of this request or of an earlier one",
      schema: voided,
      example: VOIDED_EXAMPLE,
    },
  },
  errors: ["credential_revoked", "test_credential", "window_closed", "not_found"],
  async handle(context, caller, { path }) {
    const { costId, isDuplicate } = await voidOwn(context, caller, path.cost_id);
    return jsonResponse({
      status: "ok",
      cost_id: costId,
      match: "voided",
      duplicate: isDuplicate,
      request_id: context.requestId,
    });
  },
});
