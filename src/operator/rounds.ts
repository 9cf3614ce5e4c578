/** The actions of operators on integration rounds. */
import type * as z from "zod/mini";
import type { Operator } from "../auth/guards.ts";
import { replicateCredentials } from "../db/ledger/credential-copies.ts";
import * as changes from "../db/operator/round-changes.ts";
import { type FoundRound, findRound } from "../db/operator/rounds.ts";
import { judgeRound, type RoundReport } from "../domain/round-report.ts";
import type { Context } from "../env.ts";
import { AppError, type InputError } from "../errors.ts";
import {
  type RoundWithReport,
  toFinalReport,
  toReportItem,
  toRoundWithReport,
} from "../usecases/rounds/serialize.ts";
import { badField, createSecret, notFound } from "./actions.ts";
import type * as contract from "./contract.ts";

/** Opens a round and creates its test credential, which is returned only here. Throws round_open. */
export async function openRound(
  context: Context,
  operator: Operator,
  body: z.output<typeof contract.openRound.body>,
): Promise<{ round: RoundWithReport; secret: string }> {
  const { secret, newHash, hint } = createSecret("test");
  const { access, partnerFound, roundId } = await changes.insertRound(context.env.DB, operator.actor, {
    partnerId: body.partner_id,
    costTypes: body.cost_types,
    newHash,
    hint,
  });
  operator.authorize(access);
  if (!partnerFound) throw badField("partner_id", "must be the ID of an existing partner");
  if (roundId === undefined) throw new AppError("round_open");
  return { round: toRoundWithReport(await readRound(context, operator, roundId)), secret };
}

export async function readRound(
  context: Context,
  { actor, authorize }: Operator,
  id: number,
): Promise<FoundRound> {
  const { access, found } = await findRound(context.ledger, actor, id);
  authorize(access);
  if (!found) throw notFound("round");
  return found;
}

/**
 * Makes the cost types of a round live. Throws mismatch_open if the report does not pass, and round_moved if submissions
 * arrive after the report was created.
 */
export async function approveRound(
  context: Context,
  operator: Operator,
  id: number,
): Promise<RoundWithReport> {
  return endRound(context, operator, id, "approved");
}

/** Ends a round without making its cost types live. */
export async function closeRound(context: Context, operator: Operator, id: number): Promise<RoundWithReport> {
  return endRound(context, operator, id, "closed");
}

async function endRound(
  context: Context,
  operator: Operator,
  id: number,
  state: "closed" | "approved",
): Promise<RoundWithReport> {
  const found = await readRound(context, operator, id);
  if (found.row.state !== "open") {
    // A shard may have missed the approval. The operator who got that error approves again.
    if (found.row.state === "approved") await replicateCredentials(context.ledger);
    throw new AppError("round_ended");
  }
  const report = judgeRound(found.record);
  if (state === "approved" && !report.passed) {
    throw new AppError("mismatch_open", undefined, { errors: toBlockers(report) });
  }
  const ending = {
    id,
    state,
    entryCount: report.entryCount,
    finalReport: toFinalReport(toReportItem(report)),
  };
  const { access, ended } = await changes.endRound(context.env.DB, operator.actor, ending, {
    partnerId: found.row.partner_id,
    costTypes: found.record.costTypes,
  });
  operator.authorize(access);
  if (!ended) throw new AppError("round_moved");
  await replicateCredentials(context.ledger);
  return toRoundWithReport(await readRound(context, operator, id));
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

/** Dismisses an open mismatch, so that it no longer blocks approval. */
export async function dismissFinding(
  context: Context,
  operator: Operator,
  id: number,
  finding: string,
): Promise<RoundWithReport> {
  const found = await readRound(context, operator, id);
  if (found.row.state !== "open") throw new AppError("round_ended");
  const report = judgeRound(found.record);
  const all = [...report.types.flatMap((type) => type.findings), ...report.others];
  const named = all.find(({ key }) => key === finding);
  if (!named)
    throw badField("finding", "must be a `finding` from the report of this round, for example entry 9");
  if (named.state !== "open")
    throw badField("finding", `is ${named.state}; only an open mismatch can be dismissed`);
  const { access } = await changes.dismissFinding(context.env.DB, operator.actor, { id, finding });
  operator.authorize(access);
  return toRoundWithReport(await readRound(context, operator, id));
}
