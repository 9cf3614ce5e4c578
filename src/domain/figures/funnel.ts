/**
 * From clicks and impressions to costs that count: how many are left after each step, and why the others are not. The counts of a step
 * and its losses add up to the step before, exactly: what no reason was found for is a reason too. Pure.
 */

/** Why a click or an impression has no ID in the ledger. All but the last two are reasons of a dropped `cost_id`. */
export const ID_LOSSES = [
  "unfilled_macro",
  "placeholder",
  "invalid",
  "repeated",
  "escaped",
  "repeated_id",
  "other_app",
  "partner_changed",
  "no_cost_id",
] as const;
/** Why one with an ID has no cost that counts. */
export const MATCH_LOSSES = [
  "other_engagement",
  "cost_data_off",
  "rejected",
  "does_not_fit",
  "voided",
  "price_held",
  "no_cost",
  "not_known",
] as const;
export type IdLoss = (typeof ID_LOSSES)[number];
export type MatchLoss = (typeof MATCH_LOSSES)[number];
export type LossReason = IdLoss | MatchLoss | "no_amount";

export const STEPS = ["recorded", "with_cost_id", "matched", "priced"] as const;
export type StepName = (typeof STEPS)[number];

export interface Step {
  step: StepName;
  count: number;
  /** Of those of the step before, the most frequent reason first. */
  losses: { reason: LossReason; count: number }[];
}

export interface FunnelCounts {
  /** Clicks and impressions of the partner. */
  recorded: number;
  /** Those with an ID in the ledger. */
  withId: number;
  /** Costs that matched one, priced or not. */
  matched: number;
  unpriced: number;
  /** The reasons that were counted. */
  idLosses: Partial<Record<IdLoss, number>>;
  matchLosses: Partial<Record<MatchLoss, number>>;
  /** Whether all clicks and impressions of the days were looked through for dropped IDs. */
  isIdComplete: boolean;
}

export function toFunnel(counts: FunnelCounts): Step[] {
  const { recorded, withId, matched, unpriced } = counts;
  const rest: LossReason = counts.isIdComplete ? "no_cost_id" : "not_known";
  return [
    { step: "recorded", count: recorded, losses: [] },
    { step: "with_cost_id", count: withId, losses: explain(recorded - withId, counts.idLosses, rest) },
    { step: "matched", count: matched, losses: explain(withId - matched, counts.matchLosses, "not_known") },
    { step: "priced", count: matched - unpriced, losses: explain(unpriced, {}, "no_amount") },
  ];
}

/** The reasons for `lost`, never more than that: counts are read one after the other, and more can have arrived meanwhile. */
function explain(lost: number, found: Partial<Record<LossReason, number>>, rest: LossReason): Step["losses"] {
  let left = Math.max(0, lost);
  const take = (count: number) => {
    const taken = Math.min(left, count);
    left -= taken;
    return taken;
  };
  const losses = (Object.entries(found) as [LossReason, number][])
    .sort(([, one], [, other]) => other - one)
    .map(([reason, count]) => ({ reason, count: take(count) }));
  return [...losses, { reason: rest, count: left }]
    .filter(({ count }) => count > 0)
    .sort((one, other) => other.count - one.count);
}
