/** Judges the entries of an integration round, one after the other, with the rules for live costs. Pure functions. */

import type { CostType } from "../cost-types.ts";
import { type Cost, differences, type Engagements, type StoredCost, urlValues } from "../costs.ts";
import { judgeCost, type Mismatch, type Rejection, type Verdict } from "../matching.ts";
import type { FindingKind, RoundEntry } from "./findings.ts";

/** The cost that is current after an entry; undefined if the entry does not change it. */
export function afterEntry(
  { cost }: RoundEntry,
  verdict: Verdict | undefined,
  kind: FindingKind | undefined,
): StoredCost | undefined {
  const isAccepted = kind === undefined || kind === "cost_without_engagement";
  return cost && verdict?.outcome === "store" && isAccepted
    ? { ...cost, receivedAt: verdict.receivedAt }
    : undefined;
}

/** The cost that is current after the entries with one cost ID. */
export function currentCostAfter(
  entries: RoundEntry[],
  engagements: Engagements,
  costTypes: CostType[],
): StoredCost | undefined {
  return entries.reduce<StoredCost | undefined>((current, entry) => {
    const { verdict, kind } = judgeEntry(entry, current, engagements, costTypes);
    return afterEntry(entry, verdict, kind) ?? current;
  }, undefined);
}

/** Judges one entry. `kind` is its finding, if any. `isGood`: the cost matches an engagement and agrees with its URL. */
export function judgeEntry(
  entry: RoundEntry,
  current: StoredCost | undefined,
  engagements: Engagements,
  costTypes: CostType[],
): { verdict?: Verdict; kind?: FindingKind; isGood: boolean } {
  if (!entry.cost) return { kind: "malformed", isGood: false };
  if (entry.answer === "invalid_request") return { kind: "unfilled_macro", isGood: false };
  const verdict = judgeCost(entry.cost, costTypes, engagements, current, entry.receivedAt);
  // A credential can be cleared for fewer cost types than its round.
  if (entry.answer === "cost_type_not_integrated") return { verdict, kind: "not_in_round", isGood: false };
  if (verdict.outcome === "reject") return { verdict, kind: KIND_OF[verdict.reason], isGood: false };
  const engagement = verdict.match ? engagements[verdict.match] : undefined;
  if (engagement && differences(entry.cost, urlValues(engagement)).length > 0)
    return { verdict, kind: "differs_from_url", isGood: false };
  const isGood = engagement !== undefined;
  if (verdict.outcome === "duplicate") return { verdict, kind: "duplicate", isGood };
  if (isGood) return { verdict, isGood };
  return { verdict, kind: verdict.mismatch ? KIND_OF[verdict.mismatch] : "cost_without_engagement", isGood };
}

const KIND_OF: Record<Rejection | Mismatch, FindingKind> = {
  wrong_engagement: "wrong_engagement",
  cost_type_not_integrated: "not_in_round",
  cost_data_disabled: "not_in_round",
  cost_id_conflict: "conflict",
  window_closed: "late",
};

/**
 * The cost that a partner reads back: that of the last entry with this cost ID that was answered with 200 and was no duplicate. The
 * report does not accept some of these, so that their correction does not conflict with them.
 */
export function storedCostAfter(
  entries: RoundEntry[],
  engagements: Engagements,
  costTypes: CostType[],
): (Cost & StoredCost) | undefined {
  let current: StoredCost | undefined;
  let stored: (Cost & StoredCost) | undefined;
  for (const entry of entries) {
    const { verdict, kind } = judgeEntry(entry, current, engagements, costTypes);
    if (entry.cost && entry.answer === "ok" && verdict?.outcome !== "duplicate") {
      const receivedAt = verdict?.outcome === "store" ? verdict.receivedAt : entry.receivedAt;
      stored = { ...entry.cost, receivedAt };
    }
    current = afterEntry(entry, verdict, kind) ?? current;
  }
  return stored;
}
