/** `GET /cost/{cost_id}`: a partner reads one of its costs. */
import * as z from "zod/mini";
import { costOperation } from "../auth/guarded-operations.ts";
import { findCost } from "../db/ledger/costs.ts";
import { AppError } from "../errors.ts";
import { jsonResponse } from "../http/envelope.ts";
import { costId } from "../http/input/fields.ts";
import { costItem, TEST_COSTS, toCostItem } from "../usecases/costs/item.ts";

export const readCost = costOperation({
  method: "GET",
  path: "/cost/:cost_id",
  id: "readCost",
  summary: "Read one of your costs",
  input: { path: z.object({ cost_id: costId }) },
  responses: {
    200: {
      description: "The current state of the cost",
      schema: z.strictObject({
        status: z.literal("ok"),
        ...costItem,
        request_id: z.string(),
      }),
    },
  },
  errors: ["credential_revoked", "test_credential", "not_found"],
  async handle(context, caller, { path }) {
    const { credential, cost } = await findCost(context.ledger, caller.tokenHash, path.cost_id, context.now);
    if (caller.authorize(credential).mode === "test") {
      throw new AppError("test_credential", TEST_COSTS);
    }
    if (!cost)
      throw new AppError(
        "not_found",
        "You have no cost with this ID: it was never sent, or it has expired. Check the cost_id.",
      );
    return jsonResponse({
      status: "ok",
      ...toCostItem(path.cost_id, cost, context.now),
      request_id: context.requestId,
    });
  },
});
