/** Counts the invalid costs of valid credentials. The statement that judges the others counts those that it rejects. */
import type { CostCaller } from "../../auth/guards.ts";
import { findCredential } from "../../db/ledger/costs.ts";
import { countInvalid } from "../../db/ledger/rejections.ts";
import type { Context } from "../../env.ts";
import type { AppError } from "../../errors.ts";

/** Counts the errors of invalid costs, after the response. Other errors are about the request, which can be resent. */
export function noteInvalid(
  { ledger, now, afterResponse }: Context,
  partnerId: number,
  errors: AppError[],
): void {
  const count = errors.filter(({ code }) => code === "invalid_request").length;
  if (count > 0) afterResponse(countInvalid(ledger, partnerId, count, now));
}

/** Authorizes the caller of a request without a valid cost, and counts its costs. */
export async function authorizeInvalid(
  context: Context,
  caller: CostCaller,
  errors: AppError[],
): Promise<void> {
  const { partnerId } = caller.authorize(await findCredential(context.ledger, caller.tokenHash));
  noteInvalid(context, partnerId, errors);
}
