/** What `POST /cost` and `POST /cost/batch` share: a list of costs goes to the ledger, in one round trip to each of its databases. */

import type * as z from "zod/mini";
import { unauthorized } from "../auth/guards.ts";
import * as ledger from "../db/ledger/costs.ts";
import type { Cost } from "../domain/costs.ts";
import { expectDefined } from "../domain/expect-defined.ts";
import { COST_WINDOW_MS, judgeCosts, type Verdict } from "../domain/matching.ts";
import { formatAmount } from "../domain/money.ts";
import type { Context } from "../env.ts";
import { AppError } from "../errors.ts";
import { logError } from "../log.ts";
import type * as contract from "./contract.ts";

export function toCost(sent: z.output<typeof contract.cost>): Cost {
  return {
    costId: sent.cost_id,
    costType: sent.cost_type,
    currency: sent.cost_currency,
    amount: sent.cost_amount ?? null,
    tag: sent.tag,
  };
}

/** What became of a cost, on the wire. */
export interface CostResult {
  status: "ok";
  cost_id: string;
  match: "matched" | "pending";
  duplicate: boolean;
  amount: string | null;
}

/**
 * Stores what the rules accept, as if the costs came one after the other, and gives an answer or a refusal for each in
 * order. Throws unauthorized, what refuses the credential whatever it sends, and what no database of the ledger got past.
 */
export async function submitCosts(
  context: Context,
  tokenHash: string,
  costs: Cost[],
): Promise<(CostResult | AppError)[]> {
  const parts = await ledger.submitCosts(context.ledger, {
    tokenHash,
    costs,
    now: context.now,
    windowMs: COST_WINDOW_MS,
  });
  const failed = parts.filter((part) => "error" in part);
  if (failed[0] && failed.length === parts.length) throw failed[0].error;
  for (const { error } of failed) logError(context.requestId, error);
  const answers: (CostResult | AppError)[] = [];
  for (const part of parts) {
    const told = judgePart(context, part);
    for (const [index, { position }] of part.items.entries()) answers[position] = expectDefined(told[index]);
  }
  if (answers.length === 0) throw unauthorized();
  const [first] = answers;
  if (first instanceof AppError && answers.every(isCredentialError)) throw first;
  return answers;
}

/** An answer or a refusal for each cost that lives in one database, in order. */
function judgePart(context: Context, part: ledger.Submitted): (CostResult | AppError)[] {
  if ("error" in part) return part.items.map(() => new AppError("unavailable", NOT_COMMITTED));
  const { costContexts, stored } = part.result;
  const [first] = costContexts;
  if (!first) throw unauthorized();
  context.trace.partnerId = first.credential.partnerId;
  const verdicts = judgeCosts(costContexts, context.now);
  const accepted = costContexts.filter((_, index) => verdicts[index]?.outcome === "store");
  // What was judged and what was written are the same rules, in two languages. Were they ever not, nobody is told "ok".
  if (String(accepted.map(({ cost }) => cost.costId).sort()) !== String(stored.sort())) {
    throw new Error("the ledger and the rules disagree");
  }
  return costContexts.map(({ cost }, index) => toAnswer(cost, expectDefined(verdicts[index])));
}

const NOT_COMMITTED =
  "The database that keeps this cost did not answer, and nothing was told as done. Send this cost again in a moment.";

function toAnswer(cost: Cost, verdict: Verdict): CostResult | AppError {
  if (verdict.outcome === "reject") return new AppError(verdict.reason);
  return {
    status: "ok",
    cost_id: cost.costId,
    match: verdict.match ? "matched" : "pending",
    duplicate: verdict.outcome === "duplicate",
    amount: verdict.amount === null ? null : formatAmount(verdict.amount),
  };
}

/** What refuses the credential whatever it sends. */
function isCredentialError(answer: CostResult | AppError): boolean {
  return answer instanceof AppError && ["credential_revoked", "test_credential"].includes(answer.code);
}

/** The faults of a request are told only to whom it may concern. */
export async function authorizeCredential(context: Context, tokenHash: string): Promise<void> {
  const credential = await ledger.findCredential(context.ledger, tokenHash);
  if (!credential) throw unauthorized();
  context.trace.partnerId = credential.partnerId;
  if (credential.revoked) throw new AppError("credential_revoked");
}
