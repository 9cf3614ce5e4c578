import { operatorOperation } from "../../../auth/operations.ts";
import { roundWithReport } from "../../../usecases/rounds/schemas.ts";
import { byId } from "../../resources/common.ts";
import { itemOf, itemResponse } from "../responses.ts";
import { endRound } from "./end-round.ts";

export const approveRoundOperation = operatorOperation({
  method: "POST",
  path: "/operator/v1/rounds/:id/approve",
  id: "approveRound",
  summary: "Approve a round and make its cost types live",
  input: { path: byId },
  responses: itemOf(roundWithReport, "Approved"),
  errors: ["not_found", "round_ended", "mismatch_open", "round_moved"],
  handle: async (context, operator, { path }) =>
    itemResponse(context, await endRound(context, operator, path.id, "approved")),
});
