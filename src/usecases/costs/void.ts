/** Voids a cost: for the cost API, the partner's pages, and operators. */

import type { CostCaller } from "../../auth/guards.ts";
import { type VoidVerdict, voidOwnCost } from "../../db/ledger/voids.ts";
import { COST_WINDOW } from "../../domain/texts.ts";
import type { Context } from "../../env.ts";
import { AppError } from "../../errors.ts";

/** A partner voids its own cost. Throws test_credential, and the errors of `checkVoided`. */
export async function voidOwn(
  { ledger, now }: Context,
  caller: CostCaller,
  costId: string,
): Promise<{ isDuplicate: boolean }> {
  const { credential, verdict } = await voidOwnCost(ledger, caller.tokenHash, costId, now);
  if (caller.authorize(credential).mode === "test") {
    throw new AppError(
      "test_credential",
      "Costs sent with a test credential never count, so there is nothing to void.",
    );
  }
  return checkVoided(
    verdict,
    "You have no cost with this ID: it was never sent, or it has expired. Check the cost ID.",
  );
}

/** Whether the cost was void before. Throws not_found with this detail, window_closed, and unavailable. */
export function checkVoided(verdict: VoidVerdict, notFound: string): { isDuplicate: boolean } {
  switch (verdict) {
    case "not_found":
      throw new AppError("not_found", notFound);
    case "window_closed":
      throw new AppError(
        "window_closed",
        `It is too late to void this cost: its click or impression is more than ${COST_WINDOW} old. Ask your operator to correct it.`,
      );
    case "changed":
      throw new AppError("unavailable", "The cost changed while it was voided. Resend the request.", {
        headers: { "retry-after": "1" },
      });
    default:
      return { isDuplicate: verdict === "duplicate" };
  }
}
