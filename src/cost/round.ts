/**
 * Costs sent with a test credential. They are judged like live costs and stored in the partner's integration round; they never
 * enter the ledger.
 */

import type { CostCaller } from "../auth/guards.ts";
import * as submissions from "../db/operator/rounds/submissions.ts";
import { type CostType, KINDS } from "../domain/cost-types.ts";
import type { Cost } from "../domain/costs.ts";
import { findUnusable, isListed } from "../domain/macros.ts";
import { currentCostAfter, judgeEntry } from "../domain/rounds/entries.ts";
import type { RoundEntry } from "../domain/rounds/findings.ts";
import type { Context } from "../env.ts";
import { AppError, type InputError } from "../errors.ts";
import { invalidRequest } from "../http/input/parse.ts";
import { toShown } from "../usecases/costs/sent.ts";
import { accepted, type CostResult, conflict, costInput, unusableId } from "../usecases/costs/submit.ts";

/** The parameters as they were sent, and the cost parsed from them or the error of invalid ones. */
export type SentCost = { sent: Record<string, string>; cost: Cost | AppError };

/**
 * Stores the costs in the round. Returns a result or an error for each, in order. Throws if the credential is rejected,
 * test_credential if no round is open, and round_full if the round has no room for any of the costs.
 */
export async function submitTests(
  context: Context,
  caller: CostCaller,
  items: SentCost[],
): Promise<(CostResult | AppError)[]> {
  const ids = items.map(toCostId).filter((id) => id !== null);
  const found = await submissions.findTestContext(context.ledger, caller.tokenHash, ids, context.now);
  const { round, costTypes } = caller.authorize(found.credential);
  if (round?.state !== "open") throw new AppError("test_credential");
  const room = submissions.MAX_ROUND_ENTRIES - round.entryCount;
  if (room <= 0) throw new AppError("round_full");
  const bothTypes = costTypes.filter((type) => round.costTypes.includes(type));
  const entries = [...found.entries];
  const results = items.slice(0, room).map((item, index) => {
    const costId = toCostId(item);
    const entry: RoundEntry = {
      number: round.entryCount + index + 1,
      receivedAt: context.now,
      costId,
      sent: item.sent,
      errors: item.cost instanceof AppError ? toInputErrors(item.cost) : [],
      cost: item.cost instanceof AppError ? null : item.cost,
      engagements: found.engagements.get(costId ?? "") ?? {},
      answer: "ok",
    };
    const earlier = entries.filter((other) => costId !== null && other.costId === costId);
    const result =
      item.cost instanceof AppError
        ? item.cost
        : isUnusable(entry, earlier, found.macros)
          ? invalidRequest([unusableId(item.cost.costId)])
          : judge(item.cost, entry, earlier, bothTypes, round);
    entry.answer = result instanceof AppError ? result.code : "ok";
    entries.push(entry);
    return result;
  });
  const added = entries.slice(found.entries.length);
  const storedCount = await submissions.insertEntries(context.env.DB, caller.tokenHash, added, context.now);
  // The round has ended or was filled by another request since it was read: start again.
  if (storedCount === 0) return submitTests(context, caller, items);
  const stored = results.slice(0, storedCount);
  return items.map((_, index) => stored[index] ?? new AppError("round_full"));
}

/** As for a live cost: a cost ID that nothing has yet is not a macro or a placeholder. */
function isUnusable({ costId, engagements }: RoundEntry, earlier: RoundEntry[], macros: string): boolean {
  const isKnown = KINDS.some((kind) => engagements[kind]) || earlier.some(({ answer }) => answer === "ok");
  return (
    costId !== null && !isKnown && (findUnusable(costId, "cost_id") !== undefined || isListed(costId, macros))
  );
}

const CONFLICT_REMEDY =
  "A round has no voids: to resolve this, resend the earlier values. For another click or impression, use another cost ID.";

/** The result of a live cost, with the ID of the round and the finding for this cost, if any. */
function judge(
  cost: Cost,
  entry: RoundEntry,
  earlier: RoundEntry[],
  costTypes: CostType[],
  round: { id: number; costTypes: CostType[] },
): CostResult | AppError {
  const current = currentCostAfter(earlier, entry.engagements, round.costTypes);
  const { verdict, kind, isGood } = judgeEntry(entry, current, entry.engagements, costTypes);
  if (!verdict) throw new Error("a valid cost was not judged");
  if (verdict.outcome === "reject") {
    const isConflict = current && verdict.reason === "cost_id_conflict";
    return isConflict ? conflict(cost, current, CONFLICT_REMEDY) : new AppError(verdict.reason);
  }
  return {
    ...accepted(cost, verdict.outcome === "duplicate", verdict.match, verdict.amount),
    round: round.id,
    mismatch: isGood ? null : (kind ?? null),
  };
}

/** At most as many errors as a cost has parameters: the body of an invalid batch can have an error in every key. */
function toInputErrors({ errors, message }: AppError): InputError[] {
  const all = errors.length > 0 ? errors : [{ param: "body", message }];
  return all
    .slice(0, Object.keys(costInput.shape).length)
    .map((error) => ({ ...error, param: toShown(error.param) }));
}

/** The ID as it was sent, so that an invalid cost and its correction belong together in the report. */
function toCostId({ sent, cost }: SentCost): string | null {
  return (cost instanceof AppError ? sent.cost_id : cost.costId) ?? null;
}
