/**
 * What an integration round found, by the rules that a live cost is judged by. Plain data in, a report out; no I/O, no
 * clock. It is judged anew each time, so what arrives later mends what was missing before.
 */

import { type CostType, KINDS_THAT_FIT, type Kind } from "./cost-types.ts";
import type { Cost, Engagement, Engagements, StoredCost } from "./costs.ts";
import { judgeCost, matchOf, type Rejection, type Verdict } from "./matching.ts";
import {
  differences,
  type Finding,
  type FindingKind,
  type RoundEntry,
  type RoundRecord,
  toFinding,
} from "./round-findings.ts";

export interface TypeReport {
  costType: CostType;
  passed: boolean;
  matched: number;
  /** Matched ones that nobody said an amount of. */
  unpriced: number;
  open: number;
  findings: Finding[];
}

export interface RoundReport {
  /** Whether every cost type passed and nothing else is open. */
  passed: boolean;
  complete: boolean;
  entryCount: number;
  types: TypeReport[];
  /** What belongs to no cost type of the round. */
  others: Finding[];
}

/** Judges a round. A cost type passes with at least one match and no open mismatch. */
export function judgeRound(round: RoundRecord): RoundReport {
  const engagements = groupEngagements(round);
  const sent = Map.groupBy(round.entries, (entry) => entry.costId ?? entry.number);
  const judged = [
    ...[...sent.values()].map((entries) => judgeEntries(entries, engagements, round)),
    ...[...engagements]
      .filter(([costId]) => !sent.has(costId))
      .map((unpaid) => judgeUnpaid(...unpaid, round)),
  ];
  const findings = [...judged.flatMap((one) => one.findings), ...(round.complete ? [] : [incomplete(round)])]
    .map((finding) => dismiss(finding, round.dismissed))
    .sort((one, other) => one.at - other.at);
  const matches = judged.flatMap((one) => one.match ?? []);
  const types = round.costTypes.map((costType) => {
    const own = findings.filter((finding) => finding.costType === costType);
    const matched = matches.filter((match) => match.costType === costType);
    const open = countOpen(own);
    return {
      costType,
      passed: matched.length > 0 && open === 0,
      matched: matched.length,
      unpriced: matched.filter((match) => match.amount === null).length,
      open,
      findings: own,
    };
  });
  const others = findings.filter((finding) => finding.costType === null);
  return {
    passed: types.every((type) => type.passed) && countOpen(others) === 0,
    complete: round.complete,
    entryCount: round.entries.length,
    types,
    others,
  };
}

/** Who could fill a report could hide in it what went wrong. */
function incomplete({ openedAt }: RoundRecord): Finding {
  return {
    key: "report",
    kind: "incomplete",
    state: "open",
    costType: null,
    costId: null,
    at: openedAt,
    sent: {},
    expected: "A round of less than 14 days, with no more clicks and impressions than a report reads.",
    remedy:
      "The operator closes the round and opens another, or looks at what the partner sent in another way and dismisses this.",
  };
}

/** What is judged of a cost and the engagements with its ID: the match, if they came together, and what was found. */
interface Judged {
  match?: { costType: CostType; amount: number | null };
  findings: Finding[];
}

function dismiss(finding: Finding, dismissed: ReadonlySet<string>): Finding {
  return finding.state === "open" && dismissed.has(finding.key)
    ? { ...finding, state: "dismissed" }
    : finding;
}

function countOpen(findings: Finding[]): number {
  return findings.filter((finding) => finding.state === "open").length;
}

/** By cost ID. In a round it does not matter whether cost data was on for the link. What is known now goes before what was. */
function groupEngagements(round: RoundRecord): Map<string, Engagements> {
  const known = new Map<string, Engagements>();
  const add = (costId: string, kind: Kind, engagement: Engagement | undefined) => {
    if (engagement) known.set(costId, { ...known.get(costId), [kind]: { ...engagement, eligible: true } });
  };
  for (const { costId, engagements } of round.entries) {
    if (costId === null) continue;
    add(costId, "click", engagements.click);
    add(costId, "impression", engagements.impression);
  }
  for (const engagement of round.engagements) add(engagement.costId, engagement.kind, engagement);
  return known;
}

/** Judges one cost in a round as the ledger judges a live one (spec §4.7), whatever its link and partner were cleared for. */
function judgeTest(
  cost: Cost,
  costTypes: CostType[],
  engagements: Engagements,
  current: StoredCost | undefined,
  receivedAt: number,
): Verdict {
  const cleared = { partnerId: 0, mode: "live" as const, costTypes, revoked: false, supportsCostData: true };
  return judgeCost(cost, cleared, engagements, current, receivedAt);
}

/**
 * Judges what was sent with one cost ID, in its order. A cost that differs from the engagement's URL is not kept, so that a
 * good one may follow; a good one heals what went wrong before it.
 */
function judgeEntries(
  entries: RoundEntry[],
  known: ReadonlyMap<string, Engagements>,
  round: RoundRecord,
): Judged {
  const engagements = known.get(entries[0]?.costId ?? "") ?? {};
  let current: StoredCost | undefined;
  const findings: Finding[] = [];
  const healed: Finding[] = [];
  for (const entry of entries) {
    const { kind, isGood } = judgeEntry(entry, current, engagements, round.costTypes);
    if (isGood) healed.push(...findings.splice(0).map(heal));
    if (kind) findings.push(toFinding(entry, kind, { costTypes: round.costTypes, engagements, current }));
    current = afterEntry(entry, kind) ?? current;
  }
  const currentMatch = current && matchOf(current, engagements);
  return {
    ...(current &&
      currentMatch?.match && { match: { costType: current.costType, amount: currentMatch.amount } }),
    findings: [...healed, ...findings],
  };
}

/** The cost that is kept after an entry; undefined where the one before it stays. */
function afterEntry(entry: RoundEntry, kind: FindingKind | undefined): StoredCost | undefined {
  const keeps = kind === undefined || kind === "cost_without_engagement";
  return entry.cost && keeps ? { ...entry.cost, source: "call", receivedAt: entry.receivedAt } : undefined;
}

function heal(finding: Finding): Finding {
  return finding.state === "open" ? { ...finding, state: "resolved" } : finding;
}

/** The cost that stands after entries with one cost ID, by the engagements with it. */
export function currentCostAfter(
  entries: RoundEntry[],
  engagements: Engagements,
  costTypes: CostType[],
): StoredCost | undefined {
  return entries.reduce<StoredCost | undefined>((current, entry) => {
    const { kind } = judgeEntry(entry, current, engagements, costTypes);
    return afterEntry(entry, kind) ?? current;
  }, undefined);
}

/** `isGood`: it has its engagement and agrees with it. `kind`: what is to be told of it, if anything. */
export function judgeEntry(
  entry: RoundEntry,
  current: StoredCost | undefined,
  engagements: Engagements,
  costTypes: CostType[],
): { verdict?: Verdict; kind?: FindingKind; isGood: boolean } {
  if (!entry.cost) return { kind: "malformed", isGood: false };
  const verdict = judgeTest(entry.cost, costTypes, engagements, current, entry.receivedAt);
  // A credential may be cleared for fewer cost types than its round.
  if (entry.answer === "cost_type_not_integrated") return { verdict, kind: "not_in_round", isGood: false };
  if (verdict.outcome === "reject")
    return { verdict, kind: KIND_OF_REJECTION[verdict.reason], isGood: false };
  const engagement = verdict.match ? engagements[verdict.match] : undefined;
  if (engagement && differences(entry.cost, engagement).length > 0) {
    return { verdict, kind: "differs_from_url", isGood: false };
  }
  const isGood = engagement !== undefined;
  if (verdict.outcome === "duplicate") return { verdict, kind: "duplicate", isGood };
  return isGood ? { verdict, isGood } : { verdict, kind: "cost_without_engagement", isGood };
}

const KIND_OF_REJECTION: Record<Rejection, FindingKind> = {
  credential_revoked: "not_in_round",
  test_credential: "not_in_round",
  cost_type_not_integrated: "not_in_round",
  cost_data_disabled: "not_in_round",
  cost_id_conflict: "conflict",
  wrong_engagement: "wrong_engagement",
  window_closed: "late",
};

/**
 * Judges engagements that no cost was sent for. A URL that carries a whole cost needs none. Each click costs at cpc and each
 * impression at cpm; at cpi and cpe most clicks never do, so there it is a note.
 */
function judgeUnpaid(costId: string, engagements: Engagements, round: RoundRecord): Judged {
  const kinds = ["click", "impression"] as const;
  const judged = kinds.map((kind): Judged => {
    const engagement = engagements[kind];
    const costType = engagement && typeOfUnpaid(kind, engagement, round.costTypes);
    if (!engagement || !costType || isLive(costId, kind, round)) return { findings: [] };
    if (engagement.urlCostType && engagement.urlCurrency && engagement.urlAmount !== null) {
      return { match: { costType, amount: engagement.urlAmount }, findings: [] };
    }
    const finding: Finding = {
      key: `${kind} ${costId}`,
      kind: "engagement_without_cost",
      state: PAID_EACH[costType] ? "open" : "note",
      costType,
      costId,
      at: engagement.occurredAt,
      sent: { cost_id: costId },
      expected: PAID_EACH[costType]
        ? `A ${costType} cost with this cost ID: at ${costType} every ${kind} has one.`
        : `Nothing, if it led to no ${costType === "cpi" ? "install" : "event"}.`,
      remedy: PAID_EACH[costType]
        ? "Send the cost with the same cost_id. It heals this."
        : "Nothing, or send the cost with the same cost_id.",
    };
    return { findings: [finding] };
  });
  const match = judged.find((one) => one.match)?.match;
  return { ...(match && { match }), findings: match ? [] : judged.flatMap((one) => one.findings) };
}

const PAID_EACH: Record<CostType, boolean> = { cpc: true, cpi: false, cpe: false, cpm: true };

/** Of a partner that is live, what came through a link with cost data on is none of the round's, unless a test names it. */
function isLive(costId: string, kind: Kind, { liveTypes, engagements }: RoundRecord): boolean {
  return (
    liveTypes.some((type) => KINDS_THAT_FIT[type].includes(kind)) &&
    engagements.some((one) => one.costId === costId && one.kind === kind && one.eligible)
  );
}

function typeOfUnpaid(kind: Kind, engagement: Engagement, costTypes: CostType[]): CostType | undefined {
  const fitting = costTypes.filter((type) => KINDS_THAT_FIT[type].includes(kind));
  if (engagement.urlCostType) return fitting.find((type) => type === engagement.urlCostType);
  return fitting.find((type) => PAID_EACH[type]) ?? fitting[0];
}
