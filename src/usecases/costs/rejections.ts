/** Counts and keeps the invalid costs of valid credentials. The statement that judges the others does so with those that it rejects. */
import type { CostCaller } from "../../auth/guards.ts";
import { findCredential } from "../../db/ledger/costs.ts";
import { addInvalid, type InvalidCost } from "../../db/ledger/rejections.ts";
import { MAX_COST_ID, MAX_TAG, paramsOf } from "../../domain/costs.ts";
import { sumOf } from "../../domain/figures/performance.ts";
import type { RejectionCode } from "../../domain/matching.ts";
import type { Context } from "../../env.ts";
import { AppError } from "../../errors.ts";
import { toStoredId } from "./read.ts";

/** The parameters of a cost as they were sent. */
export type SentParameters = { cost_id?: string; tag?: string };

/** Notes the costs that are invalid, after the response. Other errors are about the request, which can be resent. */
export function noteInvalid(
  { ledger, now, afterResponse }: Context,
  partnerId: number,
  costs: unknown[],
  sent: SentParameters[],
): void {
  const invalid = costs.flatMap((cost, index) =>
    cost instanceof AppError && cost.code === "invalid_request" ? [toInvalid(cost, sent[index])] : [],
  );
  if (invalid.length > 0) afterResponse(addInvalid(ledger, partnerId, invalid, now));
}

const toInvalid = (error: AppError, { cost_id, tag }: SentParameters = {}): InvalidCost => ({
  costId: shorten(cost_id === undefined ? undefined : toStoredId(cost_id), MAX_COST_ID),
  tag: shorten(tag, MAX_TAG),
  params: paramsOf(error.errors),
});

/** The first characters of a text. Null: nothing was sent. */
const shorten = (text: string | undefined, length: number): string | null =>
  text === undefined ? null : [...text.slice(0, 2 * length)].slice(0, length).join("");

/** Authorizes the caller of a request without a valid cost, and notes its cost. */
export async function authorizeInvalid(
  context: Context,
  caller: CostCaller,
  error: AppError,
  sent: SentParameters,
): Promise<void> {
  const { partnerId } = caller.authorize(await findCredential(context.ledger, caller.tokenHash));
  noteInvalid(context, partnerId, [error], [sent]);
}
/** The number of rejected costs of each code, the largest first. */
export function sumByCode(rejected: { code: RejectionCode; count: number }[]) {
  return [...Map.groupBy(rejected, ({ code }) => code)]
    .map(([code, same]) => ({ code, count: sumOf(same, (row) => row.count) }))
    .sort((left, right) => right.count - left.count);
}
