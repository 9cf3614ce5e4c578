/** `GET /cost/{cost_id}`: a partner reads one of its costs. */
import * as z from "zod/mini";
import { costOperation } from "../auth/guards.ts";
import { jsonResponse } from "../http/envelope.ts";
import { storedCostId } from "../http/input/fields.ts";
import { costItem, isTest, toCostItem } from "../usecases/costs/item.ts";
import { findOwnCost, markTest } from "../usecases/costs/read.ts";
import { noAcceptedCost } from "../usecases/costs/unaccepted.ts";

export const readCost = costOperation({
  method: "GET",
  path: "/cost/:cost_id",
  id: "readCost",
  summary: "Read one of your costs",
  description:
    "With a test credential: a cost of its integration round, in the state that it would have live. Costs with the same ID that were rejected are in the list of rejected costs. If there is no accepted cost, the detail of the 404 says when costs with this ID were rejected, which click or impression has it, and what a cost would get now.",
  input: { path: z.object({ cost_id: storedCostId }) },
  responses: {
    200: {
      description: "The current state of the cost",
      schema: z.strictObject({ status: z.literal("ok"), ...costItem, test: isTest, request_id: z.string() }),
    },
  },
  errors: ["credential_revoked", "not_found"],
  async handle(context, caller, { path }) {
    const { costId, found, unaccepted } = await findOwnCost(context, caller, path.cost_id);
    if (unaccepted) throw noAcceptedCost("You have", unaccepted);
    return jsonResponse({
      status: "ok",
      ...toCostItem(costId, found.cost, context.now),
      ...markTest(caller),
      request_id: context.requestId,
    });
  },
});
