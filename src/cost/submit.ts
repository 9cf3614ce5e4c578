/** What `POST /cost` and `POST /cost/batch` share: a cost's input, its result, and its submission to the ledger. */

import * as z from "zod/mini";
import type { CostCaller } from "../auth/guards.ts";
import * as ledger from "../db/ledger/costs.ts";
import type { Cost } from "../domain/costs.ts";
import { expectDefined } from "../domain/expect-defined.ts";
import { COST_WINDOW_MS, judgeCosts, type Verdict } from "../domain/matching.ts";
import { formatAmount } from "../domain/money.ts";
import { FINDING_KINDS, type FindingKind } from "../domain/round-findings.ts";
import type { Context } from "../env.ts";
import { AppError } from "../errors.ts";
import { amount, costId, costTag, costType, currency } from "../http/fields.ts";
import { logError } from "../log.ts";

/** The parameters of a cost (spec §2.5, §4.7). */
export const costInput = z.object({
  cost_type: costType,
  cost_currency: currency,
  cost_id: costId,
  tag: costTag,
  cost_amount: z.optional(amount),
});

export function toCost(input: z.output<typeof costInput>): Cost {
  return {
    costId: input.cost_id,
    costType: input.cost_type,
    currency: input.cost_currency,
    amount: input.cost_amount ?? null,
    tag: input.tag,
  };
}

/** The result of a cost. The last two keys are only in the result of a test credential. */
export const costResult = {
  status: z.literal("ok"),
  cost_id: z.string(),
  match: z.enum(["matched", "pending"]),
  duplicate: z.boolean().with(z.describe("True if the same cost was sent before: nothing was written")),
  amount: z.nullable(z.string()).with(z.describe("Null while the cost is unpriced")),
  round: z
    .optional(z.int())
    .with(z.describe("With a test credential: the integration round that stores this cost")),
  mismatch: z
    .nullish(z.enum(FINDING_KINDS))
    .with(z.describe("With a test credential: the finding in the report of the round, null for a match")),
};

export interface CostResult {
  status: "ok";
  cost_id: string;
  match: "matched" | "pending";
  duplicate: boolean;
  amount: string | null;
  round?: number;
  mismatch?: FindingKind | null;
}

export const RESULT_EXAMPLE = {
  status: "ok",
  cost_id: "acme-click-20260701",
  match: "matched",
  duplicate: false,
  amount: "0.25",
};
export const REQUEST_ID = "0b6f5b0e-6f0c-4a4e-9c0e-2f2f3f0a7c11";

/**
 * Stores the accepted costs as if each were sent separately, in order. Returns a result or an error for each. Throws if the
 * credential is rejected, and the error of the first database if all of them failed.
 */
export async function submitCosts(
  context: Context,
  caller: CostCaller,
  costs: Cost[],
): Promise<(CostResult | AppError)[]> {
  const { now } = context;
  const { tokenHash } = caller;
  const submission = { tokenHash, costs, now, windowMs: COST_WINDOW_MS };
  const { contexts, stored, errors } = await ledger.submitCosts(context.ledger, submission);
  const known = contexts.filter((found) => found !== undefined);
  if (known.length === 0 && errors.length > 0) throw errors[0];
  // While a revocation spreads, only some databases know it. Each cost then has the result of its own database.
  caller.authorize((known.find(({ credential }) => !credential.revoked) ?? known[0])?.credential);
  for (const error of errors) logError(context.requestId, error);
  const verdicts = judgeCosts(known, now);
  const accepted = known.filter((_, index) => verdicts[index]?.outcome === "store");
  // TypeScript judges and SQL writes, by the same rules. If the two ever differ, no partner may receive "ok".
  if (String(accepted.map(({ cost }) => cost.costId).sort()) !== String(stored.sort())) {
    throw new Error("the ledger and the rules disagree");
  }
  const results = known.map(({ cost }, index) => toResult(cost, expectDefined(verdicts[index])));
  return contexts.map((found) => (found && results.shift()) ?? new AppError("unavailable", NOT_COMMITTED));
}

const NOT_COMMITTED =
  "The database for this cost did not respond, and the cost was not confirmed. Resend it in a moment.";

/** The result of a cost that was judged. */
export function toResult(cost: Cost, verdict: Verdict): CostResult | AppError {
  if (verdict.outcome === "reject") return new AppError(verdict.reason);
  return {
    status: "ok",
    cost_id: cost.costId,
    match: verdict.match ? "matched" : "pending",
    duplicate: verdict.outcome === "duplicate",
    amount: verdict.amount === null ? null : formatAmount(verdict.amount),
  };
}
