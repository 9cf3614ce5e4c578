/**
 * Whether a cost is accepted and what it matches (spec §2.5, §4.7, §8). Plain data in, a closed verdict out; `now` is passed
 * in. The view `cost_states` and the gate in src/db/ledger/costs.ts repeat these rules in SQL; a property test holds them together.
 */

import { type CostType, KINDS_THAT_FIT, type Kind } from "./cost-types.ts";
import type { Cost, CostContext, Credential, Engagement, Engagements, StoredCost } from "./costs.ts";

/** An engagement exactly this old is still accepted. A pending cost waits as long for its engagement. */
export const COST_WINDOW_MS = 7 * 24 * 3600 * 1000;

export type CredentialRejection = "credential_revoked" | "test_credential" | "cost_type_not_integrated";

export type Rejection =
  | CredentialRejection
  | "cost_id_conflict"
  | "wrong_engagement"
  | "cost_data_disabled"
  | "window_closed";

/** `store`: write it, nothing like it is there. `duplicate`: it is there already. */
export type Verdict =
  | {
      outcome: "store" | "duplicate";
      match: Kind | null;
      amount: number | null;
    }
  | { outcome: "reject"; reason: Rejection };

/**
 * Which engagement a cost stands on, null while it is pending, and the amount that counts, null while it is unpriced. Where
 * the cost says none, the URL of a usable engagement tells it, that of the match first.
 */
export function matchOf(
  cost: Pick<StoredCost, "costType" | "currency" | "amount" | "receivedAt">,
  engagements: Engagements,
): { match: Kind | null; amount: number | null } {
  const usable = KINDS_THAT_FIT[cost.costType].filter((kind) => {
    const engagement = engagements[kind];
    return engagement?.eligible && Math.abs(cost.receivedAt - engagement.occurredAt) <= COST_WINDOW_MS;
  });
  const carried = usable.flatMap((kind) => carriedFor(cost, engagements[kind]) ?? []);
  return { match: usable[0] ?? null, amount: cost.amount ?? carried[0] ?? null };
}

/** The amount on an engagement's URL; null where it is that of another cost type or currency. */
function carriedFor(
  cost: Pick<StoredCost, "costType" | "currency">,
  engagement: Engagement | undefined,
): number | null {
  const fits =
    (engagement?.urlCostType ?? cost.costType) === cost.costType &&
    (engagement?.urlCurrency ?? cost.currency) === cost.currency;
  return fits ? (engagement?.urlAmount ?? null) : null;
}

export function judgeCredential(credential: Credential, costType: CostType): CredentialRejection | undefined {
  if (credential.revoked) return "credential_revoked";
  if (credential.mode === "test") return "test_credential";
  if (!credential.supportsCostData || !credential.costTypes.includes(costType))
    return "cost_type_not_integrated";
  return undefined;
}

/** Judges one cost by what there is for it at `now`, milliseconds since 1970 (spec §4.7). */
export function judgeCost(
  cost: Cost,
  credential: Credential,
  engagements: Engagements,
  existing: StoredCost | undefined,
  now: number,
): Verdict {
  const rejection = judgeCredential(credential, cost.costType);
  if (rejection) return { outcome: "reject", reason: rejection };
  const settled = existing && judgeExisting(cost, existing, engagements, now);
  if (settled) return settled;
  const asStored = matchOf({ ...cost, receivedAt: now }, engagements);
  const unusable = !asStored.match && mismatchReason(cost.costType, engagements);
  return unusable ? { outcome: "reject", reason: unusable } : { outcome: "store", ...asStored };
}

/**
 * Judges costs that came together as if each were sent after the one before it, so that an id twice meets its own first.
 * Takes the situations of all of them before any was stored, as `submitCosts` of src/db/ledger/costs.ts gives them; gives a
 * verdict for each, in the same order.
 */
export function judgeCosts(costContexts: CostContext[], now: number): Verdict[] {
  const stored = new Map<string, StoredCost>();
  return costContexts.map(({ cost, credential, engagements, existing }) => {
    const verdict = judgeCost(cost, credential, engagements, stored.get(cost.costId) ?? existing, now);
    if (verdict.outcome === "store") stored.set(cost.costId, { ...cost, source: "call", receivedAt: now });
    return verdict;
  });
}

/** Whether a cost has waited in vain. It gives way to one that is sent, and to one that a URL carries (spec §2.5). */
export function hasLapsed(cost: StoredCost, engagements: Engagements, now: number): boolean {
  return !matchOf(cost, engagements).match && cost.receivedAt < now - COST_WINDOW_MS;
}

/**
 * Undefined where the prior cost gives way: it came on a URL, it waited in vain, or it only lacked the amount. What it stands
 * on must still be open: settled spend does not move to another day or link.
 */
function judgeExisting(
  cost: Cost,
  existing: StoredCost,
  engagements: Engagements,
  now: number,
): Verdict | undefined {
  const currentMatch = matchOf(existing, engagements);
  const matchedEngagement = currentMatch.match ? engagements[currentMatch.match] : undefined;
  const isSettled =
    matchedEngagement !== undefined && Math.abs(now - matchedEngagement.occurredAt) > COST_WINDOW_MS;
  const replaceable: Verdict | undefined = isSettled
    ? { outcome: "reject", reason: "window_closed" }
    : undefined;
  if (existing.source === "url") return replaceable;
  if (hasLapsed(existing, engagements, now)) return undefined;
  if (existing.costType !== cost.costType || existing.currency !== cost.currency) {
    return { outcome: "reject", reason: "cost_id_conflict" };
  }
  if (cost.amount === null || cost.amount === currentMatch.amount)
    return { outcome: "duplicate", ...currentMatch };
  return currentMatch.amount === null ? replaceable : { outcome: "reject", reason: "cost_id_conflict" };
}

export type Mismatch = Extract<Rejection, "wrong_engagement" | "cost_data_disabled" | "window_closed">;

/** Why none of the engagements with the cost ID can carry the cost; undefined where there are none: then it waits. */
export function mismatchReason(costType: CostType, engagements: Engagements): Mismatch | undefined {
  if (!engagements.click && !engagements.impression) return undefined;
  const kind = KINDS_THAT_FIT[costType].find((fitting) => engagements[fitting]);
  if (!kind) return "wrong_engagement";
  return engagements[kind]?.eligible ? "window_closed" : "cost_data_disabled";
}
