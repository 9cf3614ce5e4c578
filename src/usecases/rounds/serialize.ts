/** Converts a round and its report to their response format. */

import { Buffer } from "node:buffer";
import type { RoundRow } from "../../db/operator/rounds/lists.ts";
import type { FoundRound } from "../../db/operator/rounds/rounds.ts";
import { MAX_ROUND_ENTRIES } from "../../db/operator/rounds/submissions.ts";
import { toTypes } from "../../domain/cost-types.ts";
import { FINDING_KINDS, type Finding } from "../../domain/rounds/findings.ts";
import { judgeRound, type RoundReport } from "../../domain/rounds/report.ts";
import { toIso } from "../../domain/time.ts";
import { toRatesItem } from "../rates.ts";

/** A round as an item of a list. */
export function toRoundItem(row: RoundRow) {
  return {
    id: row.id,
    partner_id: row.partnerId,
    partner: row.partner,
    cost_types: toTypes(row.costTypes),
    state: row.state,
    approved_cost_types: row.state === "approved" ? toTypes(row.approvedTypes ?? row.costTypes) : [],
    opened_at: toIso(row.openedAt),
    ended_at: row.endedAt === null ? null : toIso(row.endedAt),
    entries: row.entryCount,
    max_entries: MAX_ROUND_ENTRIES,
  };
}

/** A round with its report: judged now, or as stored when the round ended. */
export function toRoundWithReport(found: FoundRound) {
  const report: ReportItem = found.final ? JSON.parse(found.final) : toReportItem(judgeRound(found.record));
  return { ...toRoundItem(found.row), report };
}

export type RoundItem = ReturnType<typeof toRoundItem>;
export type RoundWithReport = ReturnType<typeof toRoundWithReport>;
export type ReportItem = ReturnType<typeof toReportItem>;
export type FindingItem = ReturnType<typeof toFindingItem>;
export type TypeItem = ReportItem["types"][number];

export function toReportItem(report: RoundReport) {
  return {
    passed: report.passed,
    complete: report.complete,
    types: report.types.map((type) => ({
      cost_type: type.costType,
      passed: type.passed,
      matched: type.matched,
      unpriced: type.unpriced,
      open_mismatches: type.open,
      counts: countKinds(type.findings),
      findings: type.findings.map(toFindingItem),
      rates: toRatesItem(type.rates),
    })),
    other_findings: report.others.map(toFindingItem),
  };
}

/** A row in D1 can hold 2 MB. */
const MAX_FINAL_BYTES = 1_500_000;

/** Serializes a report for storage when its round ends. Findings beyond the size limit are left out; the counts stay. */
export function toFinalReport(report: ReportItem): string {
  let room = MAX_FINAL_BYTES;
  const hasRoom = (finding: FindingItem) => {
    room -= Buffer.byteLength(JSON.stringify(finding)) + 1;
    return room >= 0;
  };
  const types = report.types.map((type) => ({ ...type, findings: type.findings.filter(hasRoom) }));
  const other_findings = report.other_findings.filter(hasRoom);
  return JSON.stringify({ ...report, complete: report.complete && room >= 0, types, other_findings });
}

function countKinds(findings: Finding[]) {
  return Object.fromEntries(
    FINDING_KINDS.map((kind) => [kind, findings.filter((finding) => finding.kind === kind).length]),
  ) as Record<Finding["kind"], number>;
}

function toFindingItem(finding: Finding) {
  return {
    finding: finding.key,
    kind: finding.kind,
    state: finding.state,
    cost_id: finding.costId,
    at: toIso(finding.at),
    sent: finding.sent,
    expected: finding.expected,
    remedy: finding.remedy,
    ...(finding.reason !== null && { reason: finding.reason }),
  };
}
