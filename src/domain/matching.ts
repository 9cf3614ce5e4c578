/**
 * The matching rules: which engagement a cost matches, and whether a cost is accepted (spec §2.5, §4.7, §8). Pure functions that
 * take rows and the current time and return a verdict. Integration rounds are judged here. The ledger applies the same rules in
 * SQL (the generated columns of `ledger_entries` in src/db/schema/ledger.ts, and src/db/ledger/submission.ts), in the transaction that
 * stores a cost; test/db/ledger-model.test.ts checks that both agree.
 */

import { COST_TYPE, type CostType, type Kind } from "./cost-types.ts";
import type { Cost, Engagement, Engagements, StoredCost } from "./costs.ts";
import { COST_WINDOW_MS } from "./time.ts";

export type Mismatch = "wrong_engagement" | "cost_data_disabled" | "window_closed";

export type Rejection =
  | "cost_type_not_integrated"
  | "cost_id_conflict"
  | Exclude<Mismatch, "wrong_engagement">;

/** Why the cost API rejects a cost of a valid credential. */
export const REJECTION_CODES = [
  "cost_data_disabled",
  "cost_id_conflict",
  "cost_type_not_integrated",
  "invalid_request",
  "partner_stopped",
  "window_closed",
] as const satisfies (Rejection | "partner_stopped" | "invalid_request")[];
export type RejectionCode = (typeof REJECTION_CODES)[number];

/**
 * The engagement that a cost matches, null while the cost is pending, and the amount that counts in units of 0.00001 of the
 * currency, null while the cost is unpriced.
 */
export type Match = { match: Kind | null; amount: number | null };

/**
 * `store`: the cost is new, replaces a lapsed one, or adds the missing amount to the existing one. `duplicate`: it is already
 * stored. `mismatch`: why a stored cost is pending although engagements have its ID.
 */
export type Verdict =
  | ({ outcome: "store"; receivedAt: number; mismatch: Mismatch | undefined } & Match)
  | ({ outcome: "duplicate" } & Match)
  | { outcome: "reject"; reason: Rejection };

/**
 * Matches a cost with a usable engagement: its kind fits the cost type, cost data was on when it was recorded, and the two are
 * at most the cost window apart. A cost without an amount takes the price that counts on the URL of the matched engagement, else of
 * the other usable one, if type and currency agree.
 */
export function matchOf(
  cost: Pick<StoredCost, "costType" | "currency" | "amount" | "receivedAt">,
  engagements: Engagements,
): Match {
  const usable = (kind: Kind) => {
    const engagement = engagements[kind];
    const fits = COST_TYPE[cost.costType].fits.includes(kind);
    return fits && engagement?.costDataOn && isWithinWindow(cost.receivedAt, engagement)
      ? engagement
      : undefined;
  };
  const [click, impression] = [usable("click"), usable("impression")];
  const match = preferred(click, impression);
  const [first, second] = match === "impression" ? [impression, click] : [click, impression];
  return { match, amount: cost.amount ?? priceFor(cost, first) ?? priceFor(cost, second) };
}

/** Of two engagements, the click if it happened before the impression or within the cost window after it. */
export function preferred(click: Engagement | undefined, impression: Engagement | undefined): Kind | null {
  const isClick = click && (!impression || click.occurredAt <= impression.occurredAt + COST_WINDOW_MS);
  if (isClick) return "click";
  return impression ? "impression" : null;
}

/** The price on the engagement's URL if it counts and agrees with the cost. */
function priceFor(cost: Pick<StoredCost, "costType" | "currency">, engagement: Engagement | undefined) {
  if (!engagement?.priceCounts) return null;
  const agrees = engagement.urlCostType === cost.costType && engagement.urlCurrency === cost.currency;
  return agrees ? engagement.urlAmount : null;
}

type Happened = Pick<Engagement, "occurredAt">;

/** Whether a cost that meets impressions with cost data off can still match a click, which may be on its way. */
function mayMatchClick(costType: CostType, { click }: Engagements, now: number): boolean {
  return COST_TYPE[costType].fits.includes("click") && !(click && isWithinWindow(now, click));
}

function isWithinWindow(instant: number, engagement: Happened): boolean {
  return Math.abs(instant - engagement.occurredAt) <= COST_WINDOW_MS;
}

/**
 * Judges a submitted cost (spec §4.7): first its type, then the existing cost with the same ID, then the engagements. `now` is in
 * milliseconds since 1970.
 */
export function judgeCost(
  cost: Cost,
  costTypes: readonly CostType[],
  engagements: Engagements,
  existing: StoredCost | undefined,
  now: number,
): Verdict {
  if (!costTypes.includes(cost.costType)) return reject("cost_type_not_integrated");
  const isBinding = existing && !hasLapsed(existing, engagements, now);
  const verdict = isBinding && judgeExisting(cost, existing, engagements, now);
  if (verdict) return verdict;
  const matchesNow = matchOf({ ...cost, receivedAt: now }, engagements).match !== null;
  const mismatch = matchesNow ? undefined : mismatchReason(cost.costType, engagements, now);
  if (mismatch === "window_closed") return reject(mismatch);
  if (mismatch === "cost_data_disabled" && !mayMatchClick(cost.costType, engagements, now))
    return reject(mismatch);
  const receivedAt = isBinding ? existing.receivedAt : now;
  return { outcome: "store", receivedAt, mismatch, ...matchOf({ ...cost, receivedAt }, engagements) };
}

const reject = (reason: Rejection): Verdict => ({ outcome: "reject", reason });

/** Whether a cost has been pending for longer than the cost window. The next call with its ID replaces it (spec §2.5). */
export function hasLapsed(cost: StoredCost, engagements: Engagements, now: number): boolean {
  return !matchOf(cost, engagements).match && cost.receivedAt < now - COST_WINDOW_MS;
}

/**
 * Compares a cost with the existing cost of the same ID. Returns undefined if it adds the missing amount. Nothing can be added
 * once the matched engagement is older than the cost window: settled spend must not change.
 */
function judgeExisting(
  cost: Cost,
  existing: StoredCost,
  engagements: Engagements,
  now: number,
): Verdict | undefined {
  const current = matchOf(existing, engagements);
  if (existing.costType !== cost.costType || existing.currency !== cost.currency)
    return reject("cost_id_conflict");
  if (cost.amount === null || cost.amount === existing.amount) return { outcome: "duplicate", ...current };
  if (existing.amount !== null) return reject("cost_id_conflict");
  const matched = current.match ? engagements[current.match] : undefined;
  return matched && now - matched.occurredAt > COST_WINDOW_MS ? reject("window_closed") : undefined;
}

/**
 * Why none of the engagements with the cost ID is usable at an instant, for a cost that matches none of them. Undefined if there
 * are no engagements with this ID: then the cost waits for one.
 */
export function mismatchReason(
  costType: CostType,
  engagements: Partial<Record<Kind, Happened | undefined>>,
  instant: number,
): Mismatch | undefined {
  if (!engagements.click && !engagements.impression) return undefined;
  const fitting = COST_TYPE[costType].fits.flatMap((kind) => engagements[kind] ?? []);
  if (fitting.length === 0) return "wrong_engagement";
  return fitting.some((engagement) => isWithinWindow(instant, engagement))
    ? "cost_data_disabled"
    : "window_closed";
}
