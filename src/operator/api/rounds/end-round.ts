/** Ends a round, which both the approval and the closing do. */
import { replicateCredentials } from "../../../db/ledger/credential-copies.ts";
import type { Operator } from "../../../db/operator/audit.ts";
import * as changes from "../../../db/operator/round-changes.ts";
import { judgeRound, type RoundReport } from "../../../domain/round-report.ts";
import type { Context } from "../../../env.ts";
import { AppError, type InputError } from "../../../errors.ts";
import {
  type RoundWithReport,
  toFinalReport,
  toReportItem,
  toRoundWithReport,
} from "../../../usecases/rounds/serialize.ts";
import { readRound } from "./read-round.ts";

/**
 * Only an approval makes the round's cost types live. Throws mismatch_open if they do not pass, and round_moved if submissions
 * arrive after the report was created.
 */
export async function endRound(
  context: Context,
  operator: Operator,
  id: number,
  state: "closed" | "approved",
): Promise<RoundWithReport> {
  const { row, record } = await readRound(context, id);
  if (row.state !== "open") {
    // A shard may have missed the approval. The operator who got that error approves again.
    if (row.state === "approved") await replicateCredentials(context.ledger);
    throw new AppError("round_ended");
  }
  const report = judgeRound(record);
  if (state === "approved" && !report.passed) {
    throw new AppError("mismatch_open", undefined, { errors: toBlockers(report) });
  }
  const finalReport = toFinalReport(toReportItem(report));
  const ending = { id, state, entryCount: report.entryCount, finalReport };
  const { partnerId } = row;
  const { costTypes } = record;
  const ended = await changes.endRound(context.env.DB, operator, ending, { partnerId, costTypes });
  if (!ended) throw new AppError("round_moved");
  await replicateCredentials(context.ledger);
  return toRoundWithReport(await readRound(context, id));
}

/** Everything that blocks approval, by cost type. */
function toBlockers(report: RoundReport): InputError[] {
  const missing = report.types
    .filter((type) => type.matched === 0)
    .map((type) => ({ param: type.costType, message: "has no match yet" }));
  const open = [...report.types.flatMap((type) => type.findings), ...report.others]
    .filter((finding) => finding.state === "open")
    .map((finding) => ({
      param: finding.costType ?? "other_findings",
      message: `${finding.key}: ${finding.kind}. ${finding.remedy}`,
    }));
  return [...missing, ...open];
}
