/** The HTML of a round's report, for the partner and for operators. */

import { html } from "hono/html";
import { showInvisible } from "../domain/characters.ts";
import { FINDING_KINDS, type FindingKind, type FindingState } from "../domain/rounds/findings.ts";
import type { FindingItem, ReportItem, RoundWithReport, TypeItem } from "../usecases/rounds/serialize.ts";
import { showCount } from "./locale.ts";
import { type Markup, time } from "./markup.ts";
import { ratesTable } from "./rates.ts";

export const KIND_NAMES: Record<FindingKind, string> = {
  engagement_without_cost: "Engagement without a cost",
  cost_without_engagement: "Cost without an engagement",
  wrong_engagement: "Wrong kind of engagement",
  differs_from_url: "Differs from the URL",
  late: "Too late",
  malformed: "Malformed",
  conflict: "Conflicting values",
  not_in_round: "Cost type not in this round",
  duplicate: "Duplicate",
  incomplete: "Incomplete report",
};

/** The color of the badge of a state. */
const STATE_CLASSES: Record<FindingState, string> = {
  open: "error",
  resolved: "ok",
  dismissed: "",
  note: "",
};

type Action = (finding: FindingItem) => Markup;

/**
 * The heading, the counts, and a card for each cost type. `action` is added to the row of each open or dismissed mismatch,
 * `aside` below the counts.
 */
export function reportView(round: RoundWithReport, action?: Action, aside?: Markup): Markup {
  const { report } = round;
  return html`
    <div class="head">
      <h1>Round ${round.id} · ${round.partner}</h1>
      ${stateBadge(round)}
    </div>
    <p class="lead">${summary(round)}</p>
    <dl class="details">
      <dt>Opened</dt><dd>${time(round.opened_at)}</dd>
      ${round.ended_at ? html`<dt>${round.state === "approved" ? "Approved" : "Closed"}</dt><dd>${time(round.ended_at)}</dd>` : ""}
      <dt>Submissions</dt><dd>${showCount(round.entries)} of ${showCount(round.max_entries)}. They never count as spend.</dd>
    </dl>
    ${
      report.complete
        ? ""
        : html`<p class="notice warn">This report may be incomplete. The round has more data than a report can cover, or its oldest clicks and impressions have been deleted.</p>`
    }
    ${countTable(report.types)}
    ${ratesTable(
      report.types.map(({ rates }) => rates),
      "Coverage and discrepancy by cost type",
    )}
    ${aside ?? ""}
    ${report.types.map((type) => typeCard(type, action))}
    ${
      report.other_findings.length > 0
        ? html`<section class="card" aria-labelledby="others">
            <h2 id="others">Other submissions</h2>
            ${findingTable(report.other_findings, "Issues of other submissions", action)}
          </section>`
        : ""
    }`;
}

function stateBadge(round: RoundWithReport): Markup {
  if (round.state === "approved") return html`<span class="badge ok">approved</span>`;
  if (round.state === "closed") return html`<span class="badge">closed</span>`;
  return round.report.passed
    ? html`<span class="badge ok">ready to approve</span>`
    : html`<span class="badge warn">open</span>`;
}

function summary(round: RoundWithReport): string {
  const { types, passed } = round.report;
  if (round.state === "approved") {
    const left = round.cost_types.filter((type) => !round.approved_cost_types.includes(type));
    const live = `${round.approved_cost_types.join(", ")} ${round.approved_cost_types.length > 1 ? "are" : "is"} live for the partner.`;
    return left.length > 0 ? `${live} Not approved: ${left.join(", ")}.` : live;
  }
  const open = countOpen(round.report);
  const missing = types.filter((type) => type.matched === 0).map((type) => type.cost_type);
  if (passed) return "Every cost type has a match, and no mismatches are open.";
  const mismatches = open > 0 && `${open} open ${open === 1 ? "mismatch" : "mismatches"}.`;
  const unmatched = missing.length > 0 && `No match yet for ${missing.join(", ")}.`;
  return [mismatches, unmatched].filter(Boolean).join(" ");
}

/** The number of open mismatches, which block approval. */
export function countOpen(report: ReportItem): number {
  const others = report.other_findings.filter((finding) => finding.state === "open").length;
  return report.types.reduce((sum, type) => sum + type.open_mismatches, others);
}

function countTable(types: TypeItem[]): Markup {
  const row = (name: string, count: (type: TypeItem) => number) => html`
    <tr><th scope="row">${name}</th>${types.map((type) => html`<td class="number ${count(type) === 0 ? "muted" : ""}" data-label="${type.cost_type}">${count(type)}</td>`)}</tr>`;
  return html`
    <div class="table stacked figures-in-row" tabindex="0" role="region" aria-label="Counts by cost type"><table>
      <caption class="visually-hidden">Counts by cost type</caption>
      <thead><tr><th scope="col">Result</th>${types.map((type) => html`<th scope="col" class="number"><a href="#type-${type.cost_type}">${type.cost_type}</a></th>`)}</tr></thead>
      <tbody>
        ${row("Matched", (type) => type.matched)}
        ${types.some((type) => type.unpriced > 0) ? row("Matched, unpriced", (type) => type.unpriced) : ""}
        ${FINDING_KINDS.filter((kind) => kind !== "not_in_round").map((kind) => row(KIND_NAMES[kind], (type) => type.counts[kind]))}
        <tr><th scope="row">Status</th>${types.map((type) => html`<td class="number" data-label="${type.cost_type}">${resultBadge(type)}</td>`)}</tr>
      </tbody>
    </table></div>`;
}

function resultBadge(type: TypeItem): Markup {
  if (type.passed) return html`<span class="badge ok">passes</span>`;
  return type.open_mismatches > 0
    ? html`<span class="badge error">${type.open_mismatches} open</span>`
    : html`<span class="badge warn">no match yet</span>`;
}

/** What a cost type lacks: `no match yet, 2 open mismatches`. Empty if it passes. */
export function missingOf({ matched, open_mismatches }: TypeItem): string {
  return [
    matched === 0 && "no match yet",
    open_mismatches > 0 && `${open_mismatches} open ${open_mismatches === 1 ? "mismatch" : "mismatches"}`,
  ]
    .filter(Boolean)
    .join(", ");
}

function typeCard(type: TypeItem, action?: Action): Markup {
  return html`
    <section class="card" aria-labelledby="type-${type.cost_type}">
      <div class="head"><h2 id="type-${type.cost_type}">${type.cost_type}</h2>${resultBadge(type)}</div>
      ${
        type.findings.length > 0
          ? findingTable(type.findings, `${type.cost_type} issues`, action)
          : type.matched > 0
            ? html`<p class="muted">All submissions matched.</p>`
            : html`<p class="muted">Nothing received yet. Open the partner's link with a <code>cost_id</code>, then send a cost with the same <code>cost_id</code>.</p>`
      }
    </section>`;
}

/** The findings as a table, those first that block approval, or did until they were dismissed. */
function findingTable(findings: FindingItem[], caption: string, action?: Action): Markup {
  // A finding keeps its place when it is dismissed.
  const isFirst = ({ state }: FindingItem) => Number(state === "open" || state === "dismissed");
  const sorted = findings.toSorted((left, right) => isFirst(right) - isFirst(left));
  return html`
    <div class="table stacked" tabindex="0" role="region" aria-label="${caption}">
      <table>
        <caption class="visually-hidden">${caption}</caption>
        <thead><tr>
          <th scope="col">Issue</th><th scope="col">Received</th><th scope="col">Expected</th><th scope="col">How to fix it</th>
          ${action ? html`<th scope="col"><span class="visually-hidden">Action</span></th>` : ""}
        </tr></thead>
        <tbody>${sorted.map((finding) => findingRow(finding, action))}</tbody>
      </table>
    </div>`;
}

function findingRow(finding: FindingItem, action?: Action): Markup {
  const sent = Object.entries(finding.sent);
  const hasAction = finding.state === "open" || finding.state === "dismissed";
  return html`
    <tr id="${anchorOf(finding.finding)}" tabindex="-1">
      <th scope="row">
        ${KIND_NAMES[finding.kind]} <span class="badge ${STATE_CLASSES[finding.state]}">${finding.state}</span>
        <p class="hint">${time(finding.at)}</p>
        ${finding.reason === undefined ? "" : html`<p class="hint">Dismissed: ${finding.reason}</p>`}
      </th>
      <td data-label="Received">${sent.length > 0 ? sent.map(([param, value]) => html`<div><code>${param}=${showInvisible(value)}</code></div>`) : "no parameters"}</td>
      <td data-label="Expected">${finding.expected}</td>
      <td data-label="How to fix it">${finding.remedy}</td>
      ${action ? html`<td>${hasAction ? action(finding) : ""}</td>` : ""}
    </tr>`;
}

/** The ID of a finding's row. Cost IDs can contain any character. */
export function anchorOf(finding: string): string {
  return `finding-${finding.replace(/[^A-Za-z0-9-]/g, (letter) => `_${letter.codePointAt(0)?.toString(16)}`)}`;
}
