/** `GET /cost/{cost_id}`: a partner reads one of its costs. */
import * as z from "zod/mini";
import { costOperation } from "../auth/operations.ts";
import { type CostRecord, findCost } from "../db/ledger/costs.ts";
import type { Kind } from "../domain/cost-types.ts";
import { expectDefined } from "../domain/expect-defined.ts";
import { mismatchReason, preferred } from "../domain/matching.ts";
import { formatAmount } from "../domain/money.ts";
import { COST_WINDOW_MS, toIso } from "../domain/time.ts";
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
        match: z.enum(["matched", "pending", "lapsed", "voided"]),
        may_match_until: z.nullable(timestamp),
        mismatch: z
          .nullable(z.enum(["wrong_engagement", "cost_data_disabled", "window_closed"]))
          .with(
            z.describe(
              "Why the cost does not match the engagements with this ID; null if it matches one, or if there are none",
            ),
          ),
        url_price: z
          .nullable(z.strictObject({ cost_type: z.string(), cost_currency: z.string(), amount: z.string() }))
          .with(
            z.describe("The price on the engagement's URL, if it counts until a call with this ID matches"),
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
    const { credential, cost } = await findCost(context.ledger, caller.tokenHash, path.cost_id, context.now);
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
    return jsonResponse({
      status: "ok",
      cost_id: path.cost_id,
      ...(cost.receivedAt === null ? describeUrlPrice(cost) : describeCall(cost, context.now)),
      request_id: context.requestId,
    });
  },
});

/** A cost that was sent in a call. A price on a URL beside it counts only while the call is pending. */
function describeCall(cost: CostRecord, now: number) {
  const { costType, currency, amount, tag, state, matchedKind, engagements } = cost;
  const receivedAt = expectDefined(cost.receivedAt ?? undefined);
  const mayMatchUntil = receivedAt + COST_WINDOW_MS;
  const waiting = now > mayMatchUntil ? "lapsed" : "pending";
  const isPending = state === "pending";
  return {
    cost_type: costType,
    cost_currency: currency,
    amount: amount === null ? null : formatAmount(amount),
    tag,
    source: "call",
    received_at: toIso(receivedAt),
    match: isPending ? waiting : state === "voided" ? state : "matched",
    may_match_until: isPending ? toIso(mayMatchUntil) : null,
    mismatch: (isPending && costType && mismatchReason(costType, engagements, receivedAt)) || null,
    url_price: toUrlPrice(cost, cost.countingPrice),
    engagement: toEngagement(cost, matchedKind),
  };
}

/** A cost that came with the URL of an engagement. After a void, its values are stored like those of a call. */
function describeUrlPrice(cost: CostRecord) {
  const { click, impression } = cost.engagements;
  const kind = preferred(
    click?.priceCounts ? click : undefined,
    impression?.priceCounts ? impression : undefined,
  );
  const engagement = toEngagement(cost, kind);
  const price = toUrlPrice(cost, kind);
  return {
    cost_type: price?.cost_type,
    cost_currency: price?.cost_currency,
    amount: price?.amount,
    tag: null,
    source: "url",
    received_at: engagement?.occurred_at,
    match: cost.state === "voided" ? "voided" : "matched",
    may_match_until: null,
    mismatch: null,
    url_price: null,
    engagement,
  };
}

function toUrlPrice({ engagements }: CostRecord, kind: Kind | null) {
  const { urlCostType, urlCurrency, urlAmount } = (kind && engagements[kind]) || {};
  if (!urlCostType || !urlCurrency || urlAmount == null) return null;
  return { cost_type: urlCostType, cost_currency: urlCurrency, amount: formatAmount(urlAmount) };
}

function toEngagement({ engagements, clickLink, impressionLink }: CostRecord, kind: Kind | null) {
  const engagement = kind && engagements[kind];
  if (!engagement) return null;
  const linkToken = kind === "click" ? clickLink : impressionLink;
  return { kind, occurred_at: toIso(engagement.occurredAt), link_token: linkToken };
}
