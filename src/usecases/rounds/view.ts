/** The report of a round as people read it: the partner, and the operator who approves it. */
import { html } from "hono/html";
import { FINDING_KINDS, type FindingKind, type FindingState } from "../../domain/round-findings.ts";
import type { Markup } from "../../http/pages.ts";
import type { FindingItem, ReportItem, RoundWithReport, TypeItem } from "./serialize.ts";

const KIND_NAMES: Record<FindingKind, string> = {
  engagement_without_cost: "Engagement without a cost",
  cost_without_engagement: "Cost without an engagement",
  wrong_engagement: "Wrong kind of engagement",
  differs_from_url: "Differs from the URL",
  late: "Too late",
  malformed: "Malformed",
  conflict: "Other values with the same cost ID",
  not_in_round: "Cost type is not in this round",
  duplicate: "Sent again",
  incomplete: "The report is not whole",
};

const STATE_BADGES: Record<FindingState, { name: string; look: string }> = {
  open: { name: "open", look: "error" },
  resolved: { name: "resolved", look: "ok" },
  dismissed: { name: "dismissed", look: "" },
  note: { name: "note", look: "" },
};

/**
 * The heading, the counts and a card for each cost type with anything to tell. `action` is put into the row of each open
 * mismatch, `aside` below the counts.
 */
export function reportView(
  round: RoundWithReport,
  action?: (finding: FindingItem) => Markup,
  aside?: Markup,
): Markup {
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
      <dt>Kept</dt><dd>${round.entries} of at most ${round.max_entries} submissions; none of them counts as spend</dd>
    </dl>
    ${
      report.complete
        ? ""
        : html`<p class="notice warn">Some of what came may be missing here: there is more than a report reads, or keeps when its round ends, or the round is older than clicks and impressions are remembered.</p>`
    }
    ${countTable(report.types)}
    ${aside ?? ""}
    ${report.types.map((type) => typeCard(type, action))}
    ${
      report.other_findings.length > 0
        ? html`<section class="card" aria-labelledby="others">
            <h2 id="others">Of no cost type of this round</h2>
            ${findingTable(report.other_findings, "Submissions that name no cost type of the round", action)}
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
  if (round.state === "approved") return "These cost types are live for the partner.";
  const open = countOpen(round.report);
  const missing = types.filter((type) => type.matched === 0).map((type) => type.cost_type);
  if (passed) return "Every cost type has a match, and nothing is open.";
  const parts = [
    open > 0 ? `${open} ${open === 1 ? "mismatch is" : "mismatches are"} open` : "",
    missing.length > 0 ? `no match yet for ${missing.join(", ")}` : "",
  ];
  return `${parts.filter((part) => part).join("; ")}.`.replace(/^n/, "N");
}

/** How many mismatches stand in the way of an approval. */
export function countOpen(report: ReportItem): number {
  const others = report.other_findings.filter((finding) => finding.state === "open").length;
  return report.types.reduce((sum, type) => sum + type.open_mismatches, others);
}

function countTable(types: TypeItem[]): Markup {
  const row = (name: string, count: (type: TypeItem) => number) => html`
    <tr><th scope="row">${name}</th>${types.map((type) => html`<td class="number ${count(type) === 0 ? "muted" : ""}">${count(type)}</td>`)}</tr>`;
  return html`
    <div class="table" tabindex="0" role="region" aria-label="Counts by cost type"><table>
      <caption class="visually-hidden">Counts by cost type</caption>
      <thead><tr><th scope="col">Found</th>${types.map((type) => html`<th scope="col" class="number"><a href="#type-${type.cost_type}">${type.cost_type}</a></th>`)}</tr></thead>
      <tbody>
        ${row("Matched", (type) => type.matched)}
        ${types.some((type) => type.unpriced > 0) ? row("Matched without an amount", (type) => type.unpriced) : ""}
        ${FINDING_KINDS.filter((kind) => kind !== "not_in_round").map((kind) => row(KIND_NAMES[kind], (type) => type.counts[kind]))}
        <tr><th scope="row">Result</th>${types.map((type) => html`<td class="number">${resultBadge(type)}</td>`)}</tr>
      </tbody>
    </table></div>`;
}

function resultBadge(type: TypeItem): Markup {
  if (type.passed) return html`<span class="badge ok">passes</span>`;
  return type.open_mismatches > 0
    ? html`<span class="badge error">${type.open_mismatches} open</span>`
    : html`<span class="badge warn">no match yet</span>`;
}

function typeCard(type: TypeItem, action?: (finding: FindingItem) => Markup): Markup {
  return html`
    <section class="card" aria-labelledby="type-${type.cost_type}">
      <div class="head"><h2 id="type-${type.cost_type}">${type.cost_type}</h2>${resultBadge(type)}</div>
      ${
        type.findings.length > 0
          ? findingTable(type.findings, `What did not go smoothly at ${type.cost_type}`, action)
          : type.matched > 0
            ? html`<p class="muted">Everything that was sent matched.</p>`
            : html`<p class="muted">Nothing was sent yet. Open a link of the partner with a <code>cost_id</code>, then send the cost with the same one.</p>`
      }
    </section>`;
}

/** Open ones first. */
function findingTable(
  findings: FindingItem[],
  caption: string,
  action?: (finding: FindingItem) => Markup,
): Markup {
  const sorted = [
    ...findings.filter((finding) => finding.state === "open"),
    ...findings.filter((finding) => finding.state !== "open"),
  ];
  return html`
    <div class="table" tabindex="0" role="region" aria-label="${caption}">
      <table>
        <caption class="visually-hidden">${caption}</caption>
        <thead><tr>
          <th scope="col">Found</th><th scope="col">Sent</th><th scope="col">Expected</th><th scope="col">What to change</th>
          ${action ? html`<th scope="col"><span class="visually-hidden">Action</span></th>` : ""}
        </tr></thead>
        <tbody>${sorted.map((finding) => findingRow(finding, action))}</tbody>
      </table>
    </div>`;
}

function findingRow(finding: FindingItem, action?: (finding: FindingItem) => Markup): Markup {
  const { name, look } = STATE_BADGES[finding.state];
  const sent = Object.entries(finding.sent);
  return html`
    <tr>
      <th scope="row">
        ${KIND_NAMES[finding.kind]} <span class="badge ${look}">${name}</span>
        <p class="hint">${time(finding.at)}</p>
      </th>
      <td>${sent.length > 0 ? sent.map(([param, value]) => html`<div><code>${param}=${value}</code></div>`) : "no parameters"}</td>
      <td>${finding.expected}</td>
      <td>${finding.remedy}</td>
      ${action ? html`<td>${finding.state === "open" ? action(finding) : ""}</td>` : ""}
    </tr>`;
}

/** An instant of the wire, for people: `2026-03-15 12:00 UTC`. */
export function time(instant: string): Markup {
  return html`<time datetime="${instant}">${instant.slice(0, 16).replace("T", " ")} UTC</time>`;
}
