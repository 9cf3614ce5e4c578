/** A cost's input, its result, and its submission to the ledger, for the cost API and for the partner pages. */

import * as z from "zod/mini";
import type { CostCaller } from "../../auth/guards.ts";
import { type Judgement, judgeCosts } from "../../db/ledger/submission.ts";
import type { Kind } from "../../domain/cost-types.ts";
import { type Cost, type CostValues, differences } from "../../domain/costs.ts";
import { findUnusable } from "../../domain/macros.ts";
import type { Mismatch } from "../../domain/matching.ts";
import { formatAmount } from "../../domain/money.ts";
import { FINDING_KINDS, type FindingKind } from "../../domain/rounds/findings.ts";
import type { Context } from "../../env.ts";
import { AppError, ERRORS, type InputError } from "../../errors.ts";
import { amount, costId, costTag, costType, currency } from "../../http/input/fields.ts";
import { invalidRequest, toSentence } from "../../http/input/parse.ts";
import { logError } from "../../log.ts";

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

/** The result of a cost. */
export const costResult = {
  status: z.literal("ok"),
  cost_id: z.string(),
  match: z.enum(["matched", "pending", "voided"]),
  duplicate: z.boolean().with(z.describe("True if the same cost was sent before: nothing was written")),
  amount: z.nullable(z.string()).with(z.describe("Null while the cost is unpriced")),
  round: z
    .optional(z.int())
    .with(z.describe("With a test credential: the integration round that stores this cost")),
  mismatch: z
    .nullish(z.enum([...FINDING_KINDS, "cost_data_disabled", "window_closed"]))
    .with(
      z.describe(
        "Why a pending cost does not match the engagements with its ID. With a test credential: the finding in the report of the round, null for a match",
      ),
    ),
};

export interface CostResult {
  status: "ok";
  cost_id: string;
  match: "matched" | "pending" | "voided";
  duplicate: boolean;
  amount: string | null;
  round?: number;
  mismatch?: FindingKind | Mismatch | null;
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
 * Stores the accepted costs as if each were sent separately, in order. Returns a result or an error for each. `check` is for costs
 * with different IDs: it stores nothing, and the results have the state of the IDs before. Throws if the credential is rejected, and
 * the error of the first database if all of them failed.
 */
export async function submitCosts(
  { ledger, now, requestId }: Context,
  { tokenHash, authorize }: CostCaller,
  costs: Cost[],
  how: "store" | "check" = "store",
): Promise<(CostResult | AppError)[]> {
  const { judgements, errors } = await judgeCosts(ledger, { tokenHash, costs, now }, how);
  const known = judgements.filter((judgement) => judgement !== undefined);
  if (known.length === 0 && errors.length > 0) throw errors[0];
  // While a revocation spreads, only some databases know it. Each cost then has the result of its own database.
  authorize((known.find(({ credential }) => !credential.revoked) ?? known[0])?.credential);
  for (const error of errors) logError(requestId, error);
  return costs.map((cost, index) => toResult(cost, judgements[index]));
}

const NOT_COMMITTED =
  "The database for this cost did not respond, and the cost was not confirmed. Resend it in a moment.";

function toResult(cost: Cost, judgement: Judgement | undefined): CostResult | AppError {
  if (!judgement) return new AppError("unavailable", NOT_COMMITTED);
  const { verdict, missing, stored, state, matchedKind, amount, mismatch } = judgement;
  if (verdict === "cost_id_conflict") return conflict(cost, stored);
  if (verdict === "invalid_request") return invalidRequest([unusableId(cost.costId)]);
  if (verdict !== "store" && verdict !== "duplicate")
    return new AppError(verdict, missing && NOT_INTEGRATED[missing](cost));
  const match = state === "voided" ? state : matchedKind;
  return { ...accepted(cost, verdict === "duplicate", match, amount), ...(mismatch && { mismatch }) };
}

/** The error of a cost ID that is no ID: by its form, or because the partner's template has it as a macro. */
export function unusableId(id: string): InputError {
  const message =
    findUnusable(id, "cost_id") === "placeholder"
      ? "means no click or impression, such as null or an advertising ID of zeros: send an ID that only one of them has, or no cost"
      : "is an unfilled macro: send the value that the network puts in its place";
  return { param: "cost_id", message };
}

/** The error of a cost with errors in its parameters. It names an unusable cost ID too, which is otherwise judged with its row. */
export function invalidCost(sent: unknown, errors: InputError[]): AppError {
  const id = typeof sent === "object" && sent !== null && "cost_id" in sent ? sent.cost_id : undefined;
  const isJudged = typeof id === "string" && !errors.some(({ param }) => param === "cost_id");
  const isUnusable = isJudged && findUnusable(id.slice(0, 1024), "cost_id") !== undefined;
  return invalidRequest(isUnusable ? [...errors, unusableId(id)] : errors);
}

const NOT_INTEGRATED = {
  partner: () => "You do not support cost data yet. Ask the operator for an integration round.",
  credential: ({ costType }: Cost) =>
    `This credential does not include ${costType}. Ask the operator for one that does, after an integration round for ${costType}.`,
};

/** `remedy` says what to do about a cost that differs from the earlier call with its ID. */
export function conflict(
  cost: Cost,
  earlier: CostValues,
  remedy: string = ERRORS.cost_id_conflict.help,
): AppError {
  const errors = differences(cost, earlier).map(({ param, sent, known }) => ({
    param,
    message: `is ${sent}, but an earlier call with this cost ID has ${known}`,
  }));
  return new AppError("cost_id_conflict", [...errors.map(toSentence), remedy].join(" "), { errors });
}

/** The result of an accepted cost. `match` is the engagement that it matches, null while it is pending. */
export function accepted(
  cost: Cost,
  duplicate: boolean,
  match: Kind | "voided" | null,
  amount: number | null,
): CostResult {
  return {
    status: "ok",
    cost_id: cost.costId,
    match: match === "voided" ? match : match ? "matched" : "pending",
    duplicate,
    amount: amount === null ? null : formatAmount(amount),
  };
}
