import { operatorOperation } from "../../../auth/operations.ts";
import { roundWithReport } from "../../../usecases/rounds/schemas.ts";
import { byId } from "../../resources/common.ts";
import { itemOf, itemResponse } from "../responses.ts";
import { endRound } from "./end-round.ts";

export const closeRoundOperation = operatorOperation({
  method: "POST",
  path: "/operator/v1/rounds/:id/close",
  id: "closeRound",
  summary: "Close a round without approval",
  input: { path: byId },
  responses: itemOf(roundWithReport, "Closed"),
  errors: ["not_found", "round_ended", "round_moved"],
  handle: async (context, operator, { path }) =>
    itemResponse(context, await endRound(context, operator, path.id, "closed")),
});
