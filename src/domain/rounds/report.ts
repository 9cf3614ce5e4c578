/**
 * Builds the report of an integration round with the rules for live costs. Pure functions. All entries are judged each time,
 * so a later entry or engagement can resolve an earlier finding.
 */

import { COST_TYPE, type CostType, KINDS, type Kind } from "../cost-types.ts";
import { differences, type Engagement, type Engagements, type StoredCost, urlValues } from "../costs.ts";
import { countRates, type Match, type RateCounts } from "../figures/rates.ts";
import { matchOf } from "../matching.ts";
import { RETENTION } from "../texts.ts";
import { afterEntry, judgeEntry } from "./entries.ts";
import {
  type Finding,
  listEngagements,
  type RoundEngagement,
  type RoundEntry,
  type RoundRecord,
  toFinding,
} from "./findings.ts";

export interface TypeReport {
  costType: CostType;
  passed: boolean;
  matched: number;
  /** Matched costs without an amount. */
  unpriced: number;
  open: number;
  findings: Finding[];
  rates: RateCounts;
}

export interface RoundReport {
  /** Whether every cost type passed and no other finding is open. */
  passed: boolean;
  complete: boolean;
  entryCount: number;
  types: TypeReport[];
  /** Findings that belong to none of the round's cost types. */
  others: Finding[];
}

/** Judges a round. A cost type passes if it has at least one match and no open finding. */
export function judgeRound(round: RoundRecord): RoundReport {
  // Current rows take precedence over the copies in the entries.
  const copies = round.entries.flatMap(({ costId, engagements }) =>
    costId === null ? [] : listEngagements(costId, engagements),
  );
  const engagements = groupEngagements([...copies, ...round.engagements], round);
  const sent = Map.groupBy(round.entries, (entry) => entry.costId ?? entry.number);
  const byId = new Map([
    ...[...sent].map(([id, entries]) => [id, judgeEntries(entries, engagements, round)] as const),
    ...[...engagements]
      .filter(([costId]) => !sent.has(costId))
      .map(([costId, found]) => [costId, judgeMissingCost(costId, found, round)] as const),
  ]);
  const judged = [...byId.values()];
  const findings = [...judged.flatMap((one) => one.findings), ...(round.complete ? [] : [incomplete(round)])]
    .map((finding) => dismiss(finding, round.dismissed))
    .sort((one, other) => one.at - other.at);
  const matches = judged.flatMap((one) => one.match ?? []);
  const inRound = [...engagements].map(([costId, found]) => ({
    engagements: Object.fromEntries(
      KINDS.filter((kind) => sent.has(costId) || !isLive(costId, kind, round)).map((kind) => [
        kind,
        found[kind],
      ]),
    ),
    match: byId.get(costId)?.match,
  }));
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
      rates: countRates(costType, matched.length, inRound),
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

/** Blocks the approval, because a partner could otherwise hide mismatches behind more engagements than a report reads. */
function incomplete({ openedAt }: RoundRecord): Finding {
  return {
    key: "report",
    kind: "incomplete",
    state: "open",
    costType: null,
    costId: null,
    at: openedAt,
    sent: {},
    expected: `A round shorter than ${RETENTION}, with no more clicks and impressions than a report can read.`,
    remedy:
      "Ask the operator to close this round and open another, or to check the submissions in another way and dismiss this mismatch.",
    reason: null,
  };
}

/** The result for one cost ID: the match, if there is one, and the findings. */
type Judged = { match?: Match; findings: Finding[] };

function dismiss(finding: Finding, dismissed: RoundRecord["dismissed"]): Finding {
  const reason = dismissed.get(finding.key);
  return finding.state === "open" && reason !== undefined
    ? { ...finding, state: "dismissed", reason }
    : finding;
}

function countOpen(findings: Finding[]): number {
  return findings.filter((finding) => finding.state === "open").length;
}

/**
 * Groups the engagements by cost ID, the last of a kind first, as they count once the partner is live: with cost data on, and
 * with the prices on URLs that its template and its highest amount allow.
 */
export function groupEngagements(
  engagements: RoundEngagement[],
  rule: Pick<RoundRecord, "highestUrlAmount" | "urlCurrency">,
): Map<string, Engagements> {
  const grouped = new Map<string, Engagements>();
  for (const { costId, kind, ...engagement } of engagements) {
    const { urlCostType, urlCurrency, urlAmount } = engagement;
    const isPriced = urlCostType !== null && urlCurrency !== null && urlAmount !== null;
    const isAgreed = rule.urlCurrency === null || urlCurrency === rule.urlCurrency;
    const priceCounts = isPriced && urlAmount <= rule.highestUrlAmount && isAgreed;
    grouped.set(costId, { ...grouped.get(costId), [kind]: { ...engagement, costDataOn: true, priceCounts } });
  }
  return grouped;
}

/**
 * Judges the entries with one cost ID in their order. A cost that differs from the URL of its engagement is not accepted, so
 * that a corrected cost does not conflict with it. A cost that matches and agrees resolves the findings before it.
 */
function judgeEntries(
  entries: RoundEntry[],
  engagementsById: ReadonlyMap<string, Engagements>,
  round: RoundRecord,
): Judged {
  const engagements = engagementsById.get(entries[0]?.costId ?? "") ?? {};
  let current: StoredCost | undefined;
  const findings: Finding[] = [];
  const resolved: Finding[] = [];
  for (const entry of entries) {
    const { verdict, kind, isGood } = judgeEntry(entry, current, engagements, round.costTypes);
    if (isGood) resolved.push(...findings.splice(0).map(resolve));
    if (kind) findings.push(toFinding(entry, kind, { costTypes: round.costTypes, engagements, current }));
    current = afterEntry(entry, verdict, kind) ?? current;
  }
  const currentMatch = current && matchOf(current, engagements);
  const matched = currentMatch?.match && engagements[currentMatch.match];
  return {
    ...(current &&
      matched && {
        match: {
          costType: current.costType,
          amount: currentMatch.amount,
          agreesWithUrl: differences(current, urlValues(matched)).length === 0,
        },
      }),
    findings: [...resolved, ...findings],
  };
}

function resolve(finding: Finding): Finding {
  return finding.state === "open" ? { ...finding, state: "resolved" } : finding;
}

/**
 * Judges the engagements with one cost ID for which no cost was sent. A price on a URL needs no other cost. A missing cost is open
 * if every click or impression has one; if only those that led to a conversion have one, it is only a note.
 */
function judgeMissingCost(costId: string, engagements: Engagements, round: RoundRecord): Judged {
  const kinds = ["click", "impression"] as const;
  const judged = kinds.map((kind): Judged => {
    const engagement = engagements[kind];
    const costType = engagement && typeOfMissingCost(kind, engagement, round.costTypes);
    if (!engagement || !costType || isLive(costId, kind, round)) return { findings: [] };
    if (engagement.priceCounts)
      return { match: { costType, amount: engagement.urlAmount, agreesWithUrl: true }, findings: [] };
    const { conversion } = COST_TYPE[costType];
    const finding: Finding = {
      key: `${kind} ${costId}`,
      kind: "engagement_without_cost",
      state: conversion === null ? "open" : "note",
      costType,
      costId,
      at: engagement.occurredAt,
      sent: { cost_id: costId },
      expected:
        conversion === null
          ? `A ${costType} cost with this cost ID: every ${kind} has a ${costType} cost.`
          : `A ${costType} cost with this cost ID, only if the ${kind} led to ${conversion}.`,
      remedy:
        conversion === null
          ? "Send the cost with the same cost_id. This resolves it."
          : `If the ${kind} led to ${conversion}, send the cost with the same cost_id. Otherwise no change is needed.`,
      reason: null,
    };
    return { findings: [finding] };
  });
  const match = judged.find((one) => one.match)?.match;
  return { ...(match && { match }), findings: match ? [] : judged.flatMap((one) => one.findings) };
}

/** Whether an engagement is live traffic of a partner that is already live. The round ignores it unless an entry names its ID. */
function isLive(costId: string, kind: Kind, { liveTypes, engagements }: RoundRecord): boolean {
  return (
    liveTypes.some((type) => COST_TYPE[type].fits.includes(kind)) &&
    engagements.some((one) => one.costId === costId && one.kind === kind && one.costDataOn)
  );
}

function typeOfMissingCost(kind: Kind, engagement: Engagement, costTypes: CostType[]): CostType | undefined {
  const fitting = costTypes.filter((type) => COST_TYPE[type].fits.includes(kind));
  if (engagement.urlCostType) return fitting.find((type) => type === engagement.urlCostType);
  return fitting.find((type) => COST_TYPE[type].conversion === null) ?? fitting[0];
}
