/**
 * The matching rules: whether a cost is accepted, and which engagement it matches (spec §2.5, §4.7, §8). Pure functions that
 * take rows and the current time and return a verdict. The view `cost_states` and src/db/ledger/costs.ts repeat these rules
 * in SQL; test/db/ledger-model.test.ts checks that both agree.
 */

import { type CostType, KINDS_THAT_FIT, type Kind } from "./cost-types.ts";
import type { Cost, CostContext, Credential, Engagement, Engagements, StoredCost } from "./costs.ts";
import { DAY_MS } from "./time.ts";

/** How far apart a cost and its engagement may be, whichever comes first. A distance of exactly seven days is accepted. */
export const COST_WINDOW_MS = 7 * DAY_MS;

export type CredentialRejection = "credential_revoked" | "test_credential" | "cost_type_not_integrated";

export type Rejection =
  | CredentialRejection
  | "cost_id_conflict"
  | "wrong_engagement"
  | "cost_data_disabled"
  | "window_closed";

/**
 * The engagement that a cost matches, null while the cost is pending, and the amount that counts in units of 0.00001 of the
 * currency, null while the cost is unpriced.
 */
interface Match {
  match: Kind | null;
  amount: number | null;
}

/** `store`: the cost is new, or it replaces or completes the existing cost. `duplicate`: the cost is already stored. */
export type Verdict = ({ outcome: "store" | "duplicate" } & Match) | { outcome: "reject"; reason: Rejection };

/**
 * Matches a cost with the first usable engagement. An engagement is usable if its kind fits the cost type, cost data was on
 * when it was recorded, and the two are at most seven days apart. A cost without an amount takes the price on the URL of a
 * usable engagement: that of the matched one, else that of the other one.
 */
export function matchOf(
  cost: Pick<StoredCost, "costType" | "currency" | "amount" | "receivedAt">,
  engagements: Engagements,
): Match {
  const usableKinds = KINDS_THAT_FIT[cost.costType].filter((kind) => {
    const engagement = engagements[kind];
    return engagement?.eligible && isWithinWindow(cost.receivedAt, engagement);
  });
  const urlAmounts = usableKinds.flatMap((kind) => urlAmountFor(cost, engagements[kind]) ?? []);
  return { match: usableKinds[0] ?? null, amount: cost.amount ?? urlAmounts[0] ?? null };
}

function isWithinWindow(instant: number, engagement: Engagement): boolean {
  return Math.abs(instant - engagement.occurredAt) <= COST_WINDOW_MS;
}

/** The amount on the engagement's URL. Null if there is none, or if the URL names another cost type or currency. */
function urlAmountFor(
  cost: Pick<StoredCost, "costType" | "currency">,
  engagement: Engagement | undefined,
): number | null {
  const agrees =
    (engagement?.urlCostType ?? cost.costType) === cost.costType &&
    (engagement?.urlCurrency ?? cost.currency) === cost.currency;
  return agrees ? (engagement?.urlAmount ?? null) : null;
}

/** Why the credential may not submit this cost type; undefined if it may. */
export function judgeCredential(credential: Credential, costType: CostType): CredentialRejection | undefined {
  if (credential.revoked) return "credential_revoked";
  if (credential.mode === "test") return "test_credential";
  if (!credential.supportsCostData || !credential.costTypes.includes(costType))
    return "cost_type_not_integrated";
  return undefined;
}

/**
 * Judges a submitted cost (spec §4.7): first the credential, then the existing cost with the same ID, then the engagements.
 * `now` is in milliseconds since 1970.
 */
export function judgeCost(
  cost: Cost,
  credential: Credential,
  engagements: Engagements,
  existing: StoredCost | undefined,
  now: number,
): Verdict {
  const rejection = judgeCredential(credential, cost.costType);
  if (rejection) return { outcome: "reject", reason: rejection };
  const verdict = existing && judgeExisting(cost, existing, engagements, now);
  if (verdict) return verdict;
  const result = matchOf({ ...cost, receivedAt: now }, engagements);
  const mismatch = !result.match && mismatchReason(cost.costType, engagements);
  return mismatch ? { outcome: "reject", reason: mismatch } : { outcome: "store", ...result };
}

/**
 * Judges the costs of one request as if each were sent separately, in order: a repeated ID is compared with the cost stored
 * before it in the same request. Takes the state of the ledger before the request, as `submitCosts` in
 * src/db/ledger/costs.ts reads it. Returns one verdict for each cost, in the same order.
 */
export function judgeCosts(costContexts: CostContext[], now: number): Verdict[] {
  const stored = new Map<string, StoredCost>();
  return costContexts.map(({ cost, credential, engagements, existing }) => {
    const verdict = judgeCost(cost, credential, engagements, stored.get(cost.costId) ?? existing, now);
    if (verdict.outcome === "store") stored.set(cost.costId, { ...cost, source: "call", receivedAt: now });
    return verdict;
  });
}

/**
 * Whether a cost has been pending for more than seven days. A lapsed cost is replaced by the next call with its ID, or by the
 * next price on a URL (spec §2.5).
 */
export function hasLapsed(cost: StoredCost, engagements: Engagements, now: number): boolean {
  return !matchOf(cost, engagements).match && cost.receivedAt < now - COST_WINDOW_MS;
}

/**
 * Compares a cost with the existing cost of the same ID. Returns undefined if the existing cost can be replaced (it came from
 * a URL or has lapsed) or completed (it lacks only the amount). A cost can no longer change once its engagement is more than
 * seven days old: settled spend must not move to another day or link.
 */
function judgeExisting(
  cost: Cost,
  existing: StoredCost,
  engagements: Engagements,
  now: number,
): Verdict | undefined {
  const current = matchOf(existing, engagements);
  const matchedEngagement = current.match ? engagements[current.match] : undefined;
  const isSettled = matchedEngagement !== undefined && !isWithinWindow(now, matchedEngagement);
  const verdictOnChange: Verdict | undefined = isSettled
    ? { outcome: "reject", reason: "window_closed" }
    : undefined;
  if (existing.source === "url") return verdictOnChange;
  if (hasLapsed(existing, engagements, now)) return undefined;
  if (existing.costType !== cost.costType || existing.currency !== cost.currency) {
    return { outcome: "reject", reason: "cost_id_conflict" };
  }
  if (cost.amount === null || cost.amount === current.amount) return { outcome: "duplicate", ...current };
  return current.amount === null ? verdictOnChange : { outcome: "reject", reason: "cost_id_conflict" };
}

export type Mismatch = Extract<Rejection, "wrong_engagement" | "cost_data_disabled" | "window_closed">;

/**
 * Why none of the engagements with the cost ID is usable, for a cost that matches none of them. Undefined if there are no
 * engagements with this ID: then the cost waits for one. Of two engagements that fit, the preferred kind gives the reason.
 */
export function mismatchReason(costType: CostType, engagements: Engagements): Mismatch | undefined {
  if (!engagements.click && !engagements.impression) return undefined;
  const kind = KINDS_THAT_FIT[costType].find((fitting) => engagements[fitting]);
  if (!kind) return "wrong_engagement";
  return engagements[kind]?.eligible ? "window_closed" : "cost_data_disabled";
}
