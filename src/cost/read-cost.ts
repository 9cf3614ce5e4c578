/** `GET /cost/{cost_id}`: a partner reads one of its costs. */
import * as z from "zod/mini";
import { costOperation } from "../auth/operations.ts";
import { type CostRecord, findCost } from "../db/ledger/costs.ts";
import { COST_WINDOW_MS, mismatchReason } from "../domain/matching.ts";
import { formatAmount } from "../domain/money.ts";
import { toIso } from "../domain/time.ts";
import { AppError } from "../errors.ts";
import { jsonResponse } from "../http/envelope.ts";
import { costId } from "../http/fields.ts";
import { timestamp } from "../http/response-schemas.ts";

export const readCost = costOperation({
  method: "GET",
  path: "/cost/:cost_id",
  id: "readCost",
  summary: "Read one of your costs",
  input: { path: z.object({ cost_id: costId }) },
  responses: {
    200: {
      description: "The current state of the cost",
      schema: z.strictObject({
        status: z.literal("ok"),
        cost_id: z.string(),
        cost_type: z.string(),
        cost_currency: z.string(),
        amount: z.nullable(z.string()),
        tag: z.nullable(z.string()),
        source: z.enum(["call", "url"]),
        received_at: timestamp,
        match: z.enum(["matched", "pending", "lapsed"]),
        may_match_until: z.nullable(timestamp),
        mismatch: z
          .nullable(z.enum(["wrong_engagement", "cost_data_disabled", "window_closed"]))
          .with(
            z.describe(
              "Why the cost does not match the engagements with this ID; null if it matches one, or if there are none",
            ),
          ),
        engagement: z.nullable(
          z.strictObject({
            kind: z.enum(["click", "impression"]),
            occurred_at: timestamp,
            link_token: z.nullable(z.string()),
          }),
        ),
        request_id: z.string(),
      }),
    },
  },
  errors: ["credential_revoked", "test_credential", "not_found"],
  async handle(context, caller, { path }) {
    const { credential, cost } = await findCost(context.ledger, caller.tokenHash, path.cost_id);
    if (caller.authorize(credential).mode === "test") {
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
  },
});

function toEngagement({ kind, occurredAt, linkToken }: CostRecord) {
  if (kind === null || occurredAt === null) return null;
  return { kind, occurred_at: toIso(occurredAt), link_token: linkToken };
}
