/** What `POST /cost` and `POST /cost/batch` share: a list of costs goes to the ledger in one round trip. */
import type * as z from "zod";
import { unauthorized } from "../auth/guards.ts";
import * as ledger from "../db/ledger.ts";
import type { Context } from "../env.ts";
import { AppError } from "../errors.ts";
import { formatAmount } from "../http/money.ts";
import type * as contract from "./contract.ts";
import { COST_WINDOW_MS, judgeCosts, type Verdict } from "./rules.ts";

export function toCost(sent: z.output<typeof contract.cost>): ledger.Cost {
  return {
    costId: sent.cost_id,
    costType: sent.cost_type,
    currency: sent.cost_currency,
    amount: sent.cost_amount ?? null,
    tag: sent.tag,
  };
}

/** What became of a cost, on the wire. */
export interface CostAnswer {
  status: "ok";
  cost_id: string;
  match: "matched" | "pending";
  duplicate: boolean;
  amount: string | null;
}

/**
 * Stores what the rules accept, as if the costs came one after the other, and gives an answer or a refusal for each in
 * order. Throws unauthorized, and what refuses the credential whatever it sends.
 */
export async function submitCosts(
  context: Context,
  tokenHash: string,
  costs: ledger.Cost[],
): Promise<(CostAnswer | AppError)[]> {
  const { situations, stored } = await ledger.submitCosts(context.env.DB, {
    tokenHash,
    costs,
    now: context.now,
    windowMs: COST_WINDOW_MS,
  });
  const [first] = situations;
  if (!first) throw unauthorized();
  context.trace.partnerId = first.credential.partnerId;
  const verdicts = judgeCosts(situations, context.now);
  const accepted = costs.filter((_, index) => verdicts[index]?.outcome === "store");
  // What was judged and what was written are the same rules, in two languages. Were they ever not, nobody is told "ok".
  if (String(accepted.map((cost) => cost.costId).sort()) !== String(stored.sort())) {
    throw new Error("the ledger and the rules disagree");
  }
  return costs.map((cost, index) => toAnswer(cost, verdicts[index]));
}

function toAnswer(cost: ledger.Cost, verdict: Verdict | undefined): CostAnswer | AppError {
  if (!verdict) throw new Error("a cost was not judged");
  if (verdict.outcome !== "refuse") {
    return {
      status: "ok",
      cost_id: cost.costId,
      match: verdict.match ? "matched" : "pending",
      duplicate: verdict.outcome === "duplicate",
      amount: verdict.amount === null ? null : formatAmount(verdict.amount),
    };
  }
  const refusal = new AppError(verdict.reason);
  if (verdict.reason === "credential_revoked" || verdict.reason === "test_credential") throw refusal;
  return refusal;
}

/** The faults of a request are told only to whom it may concern. */
export async function admitCredential(context: Context, tokenHash: string): Promise<void> {
  const credential = await ledger.findCredential(context.env.DB, tokenHash);
  if (!credential) throw unauthorized();
  context.trace.partnerId = credential.partnerId;
  if (credential.revoked) throw new AppError("credential_revoked");
}
