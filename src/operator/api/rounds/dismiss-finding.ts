import { operatorOperation } from "../../../auth/operations.ts";
import type { Operator } from "../../../db/operator/audit.ts";
import { insertDismissal } from "../../../db/operator/round-changes.ts";
import { judgeRound } from "../../../domain/round-report.ts";
import type { Context } from "../../../env.ts";
import { AppError } from "../../../errors.ts";
import { roundWithReport } from "../../../usecases/rounds/schemas.ts";
import { toRoundWithReport } from "../../../usecases/rounds/serialize.ts";
import { badField } from "../../errors.ts";
import { byId } from "../../resources/common.ts";
import { dismissal } from "../../resources/rounds.ts";
import { itemOf, itemResponse } from "../responses.ts";
import { readRound } from "./read-round.ts";

/** Dismisses an open mismatch, so that it no longer blocks approval. */
export async function dismissFinding(context: Context, operator: Operator, id: number, finding: string) {
  const { row, record } = await readRound(context, id);
  if (row.state !== "open") throw new AppError("round_ended");
  const report = judgeRound(record);
  const all = [...report.types.flatMap((type) => type.findings), ...report.others];
  const named = all.find(({ key }) => key === finding);
  if (!named)
    throw badField("finding", "must be a `finding` from the report of this round, for example entry 9");
  if (named.state !== "open")
    throw badField("finding", `is ${named.state}; only an open mismatch can be dismissed`);
  await insertDismissal(context.env.DB, operator, { id, finding });
  return toRoundWithReport(await readRound(context, id));
}

export const dismissFindingOperation = operatorOperation({
  method: "POST",
  path: "/operator/v1/rounds/:id/dismissals",
  id: "dismissFinding",
  summary: "Dismiss an open mismatch",
  input: { path: byId, body: dismissal },
  responses: itemOf(roundWithReport),
  errors: ["not_found", "round_ended"],
  handle: async (context, operator, { path, body }) =>
    itemResponse(context, await dismissFinding(context, operator, path.id, body.finding)),
});
