/** Submits costs to the ledger with one call to each of its databases. Shared by `POST /cost` and `POST /cost/batch`. */

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

/** The result of a submitted cost, in the form that the partner gets. */
export interface CostResult {
  status: "ok";
  cost_id: string;
  match: "matched" | "pending";
  duplicate: boolean;
  amount: string | null;
}

/**
 * Stores the accepted costs as if each were sent separately, in order. Returns a result or an error for each. Throws if no
 * cost could be accepted at all: unauthorized, credential_revoked or test_credential, or the error of the first database if
 * all of them failed.
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
  const results: (CostResult | AppError)[] = [];
  for (const part of parts) {
    const judged = judgePart(context, part);
    for (const [index, { position }] of part.items.entries())
      results[position] = expectDefined(judged[index]);
  }
  if (results.length === 0) throw unauthorized();
  const [first] = results;
  if (first instanceof AppError && results.every(isCredentialError)) throw first;
  return results;
}

/** Returns a result or an error for each cost in one database, in order. */
function judgePart(context: Context, part: ledger.Submitted): (CostResult | AppError)[] {
  if ("error" in part) return part.items.map(() => new AppError("unavailable", NOT_COMMITTED));
  const { costContexts, stored } = part.result;
  const [first] = costContexts;
  if (!first) throw unauthorized();
  context.trace.partnerId = first.credential.partnerId;
  const verdicts = judgeCosts(costContexts, context.now);
  const accepted = costContexts.filter((_, index) => verdicts[index]?.outcome === "store");
  // TypeScript judges and SQL writes, by the same rules. If the two ever differ, no partner may receive "ok".
  if (String(accepted.map(({ cost }) => cost.costId).sort()) !== String(stored.sort())) {
    throw new Error("the ledger and the rules disagree");
  }
  return costContexts.map(({ cost }, index) => toResult(cost, expectDefined(verdicts[index])));
}

const NOT_COMMITTED =
  "The database for this cost did not respond, and the cost was not confirmed. Resend it in a moment.";

function toResult(cost: Cost, verdict: Verdict): CostResult | AppError {
  if (verdict.outcome === "reject") return new AppError(verdict.reason);
  return {
    status: "ok",
    cost_id: cost.costId,
    match: verdict.match ? "matched" : "pending",
    duplicate: verdict.outcome === "duplicate",
    amount: verdict.amount === null ? null : formatAmount(verdict.amount),
  };
}

/** Whether the credential is rejected, whatever it sends. */
function isCredentialError(result: CostResult | AppError): boolean {
  return result instanceof AppError && ["credential_revoked", "test_credential"].includes(result.code);
}

/** Throws if the credential is unknown or revoked. Called before input errors are returned, so that only partners see them. */
export async function authorizeCredential(context: Context, tokenHash: string): Promise<void> {
  const credential = await ledger.findCredential(context.ledger, tokenHash);
  if (!credential) throw unauthorized();
  context.trace.partnerId = credential.partnerId;
  if (credential.revoked) throw new AppError("credential_revoked");
}
