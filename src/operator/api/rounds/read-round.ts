import { operatorOperation } from "../../../auth/operations.ts";
import { type FoundRound, findRound } from "../../../db/operator/rounds.ts";
import type { Context } from "../../../env.ts";
import { roundWithReport } from "../../../usecases/rounds/schemas.ts";
import { toRoundWithReport } from "../../../usecases/rounds/serialize.ts";
import { notFound } from "../../errors.ts";
import { byId } from "../../resources/common.ts";
import { itemOf, itemResponse } from "../responses.ts";

export async function readRound({ ledger, now }: Context, id: number): Promise<FoundRound> {
  const found = await findRound(ledger, id, now);
  if (!found) throw notFound("round");
  return found;
}

export const readRoundOperation = operatorOperation({
  method: "GET",
  path: "/operator/v1/rounds/:id",
  id: "readRoundReport",
  summary: "Get a round with its report",
  input: { path: byId },
  responses: itemOf(roundWithReport),
  errors: ["not_found"],
  handle: async (context, _operator, { path }) =>
    itemResponse(context, toRoundWithReport(await readRound(context, path.id))),
});
