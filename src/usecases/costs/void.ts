/** Voids a cost: for the cost API, the partner's pages, and operators. */

import type { CostCaller } from "../../auth/guards.ts";
import { type VoidVerdict, voidOwnCost } from "../../db/ledger/voids.ts";
import { COST_WINDOW } from "../../domain/texts.ts";
import type { Context } from "../../env.ts";
import { AppError } from "../../errors.ts";
import { lookUp } from "./read.ts";

/** What a void does, for descriptions in the API. */
export const VOIDED =
  "The cost, or the price on the URL of its click or impression, no longer counts. Sending the same values again does not bring it back; a call with other values counts in its place.";
const NO_COST = "You have no accepted cost with this ID, or it has expired. Check the cost_id.";

/** A partner voids its own cost. Throws test_credential, and the errors of `voidFound`. */
export async function voidOwn(
  { ledger, now }: Context,
  caller: CostCaller,
  sent: string,
): Promise<{ costId: string; isDuplicate: boolean }> {
  return voidFound(sent, NO_COST, async (costId) => {
    const { credential, verdict } = await voidOwnCost(ledger, caller.tokenHash, costId, now);
    if (caller.authorize(credential).mode === "live") return verdict;
    throw new AppError(
      "test_credential",
      "Costs sent with a test credential never count, so there is nothing to void.",
    );
  });
}

/** Voids the cost with an ID as `lookUp` finds it. Throws not_found with this detail, window_closed, and unavailable. */
export async function voidFound(
  sent: string,
  notFound: string,
  carryOut: (costId: string) => Promise<VoidVerdict>,
): Promise<{ costId: string; isDuplicate: boolean }> {
  const known = await lookUp(sent, async (costId) => {
    const verdict = await carryOut(costId);
    return verdict === "not_found" ? undefined : verdict;
  });
  if (!known) throw new AppError("not_found", notFound);
  switch (known.found) {
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
      return { costId: known.costId, isDuplicate: known.found === "duplicate" };
  }
}
