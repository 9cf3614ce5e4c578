/**
 * Whether a cost is accepted and what it matches (spec §2.5, §4.7, §8). Plain data in, a closed verdict out; `now` is passed
 * in. The view `cost_states` and the gate in src/db/ledger/costs.ts repeat these rules in SQL; a property test holds them together.
 */

import { type CostType, KINDS_THAT_FIT, type Kind } from "./cost-types.ts";
import type { Cost, Credential, Engagement, Engagements, Situation, StoredCost } from "./costs.ts";

/** An engagement exactly this old is still accepted. A pending cost waits as long for its engagement. */
export const COST_WINDOW_MS = 7 * 24 * 3600 * 1000;

export type CredentialRefusal = "credential_revoked" | "test_credential" | "cost_type_not_integrated";

export type Refusal =
  | CredentialRefusal
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
  | { outcome: "refuse"; reason: Refusal };

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

export function judgeCredential(credential: Credential, costType: CostType): CredentialRefusal | undefined {
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
  prior: StoredCost | undefined,
  now: number,
): Verdict {
  const refusal = judgeCredential(credential, cost.costType);
  if (refusal) return { outcome: "refuse", reason: refusal };
  const settled = prior && judgePrior(cost, prior, engagements, now);
  if (settled) return settled;
  const asStored = matchOf({ ...cost, receivedAt: now }, engagements);
  const unusable = !asStored.match && whyUnusable(cost.costType, engagements);
  return unusable ? { outcome: "refuse", reason: unusable } : { outcome: "store", ...asStored };
}

/**
 * Judges costs that came together as if each were sent after the one before it, so that an id twice meets its own first.
 * Takes the situations of all of them before any was stored, as `submitCosts` of src/db/ledger/costs.ts gives them; gives a
 * verdict for each, in the same order.
 */
export function judgeCosts(situations: Situation[], now: number): Verdict[] {
  const stored = new Map<string, StoredCost>();
  return situations.map(({ cost, credential, engagements, prior }) => {
    const verdict = judgeCost(cost, credential, engagements, stored.get(cost.costId) ?? prior, now);
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
function judgePrior(
  cost: Cost,
  prior: StoredCost,
  engagements: Engagements,
  now: number,
): Verdict | undefined {
  const stands = matchOf(prior, engagements);
  const stood = stands.match ? engagements[stands.match] : undefined;
  const isSettled = stood !== undefined && Math.abs(now - stood.occurredAt) > COST_WINDOW_MS;
  const givesWay: Verdict | undefined = isSettled
    ? { outcome: "refuse", reason: "window_closed" }
    : undefined;
  if (prior.source === "url") return givesWay;
  if (hasLapsed(prior, engagements, now)) return undefined;
  if (prior.costType !== cost.costType || prior.currency !== cost.currency) {
    return { outcome: "refuse", reason: "cost_id_conflict" };
  }
  if (cost.amount === null || cost.amount === stands.amount) return { outcome: "duplicate", ...stands };
  return stands.amount === null ? givesWay : { outcome: "refuse", reason: "cost_id_conflict" };
}

export type Mismatch = Extract<Refusal, "wrong_engagement" | "cost_data_disabled" | "window_closed">;

/** Why none of the engagements with the cost ID can carry the cost; undefined where there are none: then it waits. */
export function whyUnusable(costType: CostType, engagements: Engagements): Mismatch | undefined {
  if (!engagements.click && !engagements.impression) return undefined;
  const kind = KINDS_THAT_FIT[costType].find((fitting) => engagements[fitting]);
  if (!kind) return "wrong_engagement";
  return engagements[kind]?.eligible ? "window_closed" : "cost_data_disabled";
}
