/** One of a partner's own costs, as the cost API returns it and the partner pages show it, and a list of them as CSV. */
import * as z from "zod/mini";
import { MATCHES, type MatchFilter } from "../../db/ledger/cost-list.ts";
import type { CostRecord } from "../../db/ledger/costs.ts";
import type { Kind } from "../../domain/cost-types.ts";
import { expectDefined } from "../../domain/expect-defined.ts";
import { mismatchReason } from "../../domain/matching.ts";
import { formatAmount } from "../../domain/money.ts";
import { COST_WINDOW_MS, dayOf, toIso } from "../../domain/time.ts";
import { type Cell, csvResponse } from "../../http/csv.ts";
import { timestamp } from "../../http/response-schemas.ts";

export const costItem = {
  cost_id: z.string(),
  cost_type: z.string(),
  cost_currency: z.string(),
  amount: z.nullable(z.string()),
  tag: z.nullable(z.string()),
  source: z.enum(["call", "url"]),
  received_at: timestamp,
  match: z.enum(MATCHES),
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
    .with(z.describe("The price on the engagement's URL, if it counts until a call with this ID matches")),
  engagement: z.nullable(
    z.strictObject({
      kind: z.enum(["click", "impression"]),
      occurred_at: timestamp,
      link_token: z.nullable(z.string()),
    }),
  ),
};

export const isTest = z
  .optional(z.literal(true))
  .with(z.describe("With a test credential: costs of its integration round, which never count"));

export function toCostItem(costId: string, cost: CostRecord, now: number) {
  return {
    cost_id: costId,
    ...(cost.receivedAt === null ? describeUrlPrice(cost) : describeCall(cost, now)),
  };
}

export type CostItem = ReturnType<typeof toCostItem>;

/** The day of a cost in reports: that of its click or impression, else of its arrival. In days since 1970, UTC. */
export function dayOfCost({ engagement, received_at }: Pick<CostItem, "engagement" | "received_at">) {
  const at = engagement?.occurred_at ?? received_at;
  return at === undefined ? null : dayOf(Date.parse(at));
}

/** The items as a CSV file, written by `toCsv` for people or by `toCsvAsSent` for programs. */
export function costsResponse(
  items: CostItem[],
  write: (header: string[], rows: Cell[][]) => string,
  headers: Record<string, string> = {},
): Response {
  const rows = items.map((item) => Object.values(COLUMNS).map((read) => read(item)));
  return csvResponse(write(COST_COLUMNS, rows), "costs.csv", headers);
}

const COLUMNS: Record<string, (item: CostItem) => Cell> = {
  cost_id: (item) => item.cost_id,
  cost_type: (item) => item.cost_type ?? null,
  cost_currency: (item) => item.cost_currency ?? null,
  amount: (item) => item.amount ?? null,
  tag: (item) => item.tag,
  source: (item) => item.source,
  received_at: (item) => item.received_at ?? null,
  match: (item) => item.match,
  may_match_until: (item) => item.may_match_until,
  mismatch: (item) => item.mismatch,
  url_cost_type: (item) => item.url_price?.cost_type ?? null,
  url_cost_currency: (item) => item.url_price?.cost_currency ?? null,
  url_amount: (item) => item.url_price?.amount ?? null,
  engagement_kind: (item) => item.engagement?.kind ?? null,
  engagement_at: (item) => item.engagement?.occurred_at ?? null,
  link_token: (item) => item.engagement?.link_token ?? null,
};
export const COST_COLUMNS = Object.keys(COLUMNS);

/** A cost that was sent in a call. A price on a URL beside it counts only while the call is pending. */
function describeCall(cost: CostRecord, now: number) {
  const { costType, currency, amount, tag, state, engagements } = cost;
  const receivedAt = expectDefined(cost.receivedAt ?? undefined);
  const mayMatchUntil = receivedAt + COST_WINDOW_MS;
  const isPending = state === "pending";
  const waiting = now > mayMatchUntil ? "lapsed" : "pending";
  const match: MatchFilter = isPending ? waiting : state === "voided" ? state : "matched";
  return {
    cost_type: costType,
    cost_currency: currency,
    amount: amount === null ? null : formatAmount(amount),
    tag,
    source: "call",
    received_at: toIso(receivedAt),
    match,
    may_match_until: isPending ? toIso(mayMatchUntil) : null,
    mismatch: (isPending && costType && mismatchReason(costType, engagements, receivedAt)) || null,
    url_price: toUrlPrice(cost, cost.countingPrice),
    engagement: toEngagement(cost),
  };
}

/** A cost that came with the URL of an engagement. After a void, its values are stored like those of a call. */
function describeUrlPrice(cost: CostRecord) {
  const engagement = toEngagement(cost);
  const price = toUrlPrice(cost, cost.kind);
  const match: MatchFilter = cost.state === "voided" ? "voided" : "matched";
  return {
    cost_type: price?.cost_type,
    cost_currency: price?.cost_currency,
    amount: price?.amount,
    tag: null,
    source: "url",
    received_at: engagement?.occurred_at,
    match,
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

function toEngagement({ engagements, kind, linkToken }: CostRecord) {
  const engagement = kind && engagements[kind];
  return engagement ? { kind, occurred_at: toIso(engagement.occurredAt), link_token: linkToken } : null;
}
