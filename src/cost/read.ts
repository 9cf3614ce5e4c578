/** `GET /cost/{cost_id}`: a partner reads one of its costs. */

import { readTokenHash, unauthorized } from "../auth/guards.ts";
import { type CostRecord, findCost } from "../db/ledger/costs.ts";
import { COST_WINDOW_MS, mismatchReason } from "../domain/matching.ts";
import { formatAmount } from "../domain/money.ts";
import { toIso } from "../domain/time.ts";
import type { Context } from "../env.ts";
import { AppError } from "../errors.ts";
import { jsonResponse } from "../http/envelope.ts";
import { readInput } from "../http/input.ts";
import * as contract from "./contract.ts";
import { authorizeCredential } from "./submit.ts";

/** Returns the current state of the cost. A cost of another partner is not found. */
export async function readCost(context: Context): Promise<Response> {
  const tokenHash = readTokenHash(context, ["live", "test"]);
  const { path } = await readInput(context, contract.readCost).catch(async (error) => {
    await authorizeCredential(context, tokenHash);
    throw error;
  });
  const { credential, cost } = await findCost(context.ledger, tokenHash, path.cost_id);
  if (!credential) throw unauthorized();
  context.trace.partnerId = credential.partnerId;
  if (credential.revoked) throw new AppError("credential_revoked");
  if (credential.mode === "test") {
    throw new AppError(
      "test_credential",
      "Costs sent with a test credential are not in the ledger. Read their results at GET /cost/round.",
    );
  }
  if (!cost)
    throw new AppError(
      "not_found",
      "You have no cost with this ID: it was never sent, or it has expired. Check the cost_id.",
    );
  const mayMatchUntil = cost.receivedAt + COST_WINDOW_MS;
  return jsonResponse({
    status: "ok",
    cost_id: path.cost_id,
    cost_type: cost.costType,
    cost_currency: cost.currency,
    amount: cost.amount === null ? null : formatAmount(cost.amount),
    tag: cost.tag,
    source: cost.source,
    received_at: toIso(cost.receivedAt),
    match: cost.kind ? "matched" : context.now > mayMatchUntil ? "lapsed" : "pending",
    may_match_until: cost.kind ? null : toIso(mayMatchUntil),
    mismatch: cost.kind ? null : (mismatchReason(cost.costType, cost.unusable) ?? null),
    engagement: toEngagement(cost),
    request_id: context.requestId,
  });
}

function toEngagement({ kind, occurredAt, linkToken }: CostRecord) {
  if (kind === null || occurredAt === null) return null;
  return { kind, occurred_at: toIso(occurredAt), link_token: linkToken };
}
