/** The HTML of a round's report, for the partner and for operators. */

import { html } from "hono/html";
import { showInvisible } from "../../domain/characters.ts";
import { FINDING_KINDS, type FindingKind, type FindingState } from "../../domain/rounds/findings.ts";
import { listOf } from "../../domain/texts.ts";
import { dayOf } from "../../domain/time.ts";
import type { FindingItem, ReportItem, RoundWithReport, TypeItem } from "../../usecases/rounds/serialize.ts";
import { badge, card, facts, nameText, notice, pageHead, type Tone } from "../elements.ts";
import { table } from "../lists/table.ts";
import { describeDay, showCount } from "../locale.ts";
import { type Markup, time } from "../markup.ts";
import { ratesTable } from "./rates.ts";
import { roundBadge } from "./states.ts";

type Content = Markup | string;

export const KIND_NAMES: Record<FindingKind, string> = {
  engagement_without_cost: "Click or impression without a cost",
  cost_without_engagement: "Cost without a click or impression",
  wrong_engagement: "Wrong cost type for the click or impression",
  differs_from_url: "Differs from the URL",
  late: "Too late",
  malformed: "Malformed",
  unfilled_macro: "Macro as cost ID",
  conflict: "Conflicting values",
  not_in_round: "Cost type not in this round",
  duplicate: "Duplicate",
  incomplete: "Incomplete report",
};

const STATES: Record<FindingState, [text: string, tone: Tone]> = {
  open: ["Open", "error"],
  resolved: ["Resolved", "ok"],
  dismissed: ["Dismissed", ""],
  note: ["Note", ""],
};

type Action = (finding: FindingItem) => Markup;

/**
 * The heading, the counts, and a card for each cost type. `action` is added to the row of each open or dismissed mismatch,
 * `aside` below the counts.
 */
export function reportView(round: RoundWithReport, action?: Action, aside?: Markup): Markup {
  const { report } = round;
  return html`
    ${pageHead(html`Round ${round.id}: ${nameText(round.partner)}`, roundBadge(round.state, round.report.passed))}
    <p class="lead">${summary(round)}</p>
    ${facts(
      ["Opened", time(round.opened_at)],
      round.ended_at !== null && [round.state === "approved" ? "Approved" : "Closed", time(round.ended_at)],
      [
        "Submissions",
        `${showCount(round.entries)} of ${showCount(round.max_entries)}. They never count as spend.`,
      ],
    )}
    ${
      report.complete
        ? ""
        : notice(
            "This report may be incomplete. The round has more data than a report can cover, or its oldest clicks and impressions have been deleted.",
            "warn",
          )
    }
    ${countTable(report.types)}
    ${ratesTable(
      report.types.map(({ rates }) => rates),
      "Coverage and discrepancy by cost type",
    )}
    ${aside ?? ""}
    ${report.types.map((type) => typeCard(type, round.state === "open", action))}
    ${
      report.other_findings.length > 0
        ? card(
            { id: "others", title: "Other submissions" },
            findingTable(report.other_findings, "Mismatches of other submissions", action),
          )
        : ""
    }`;
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
  const unmatched = missing.length > 0 && `No match yet for ${listOf(missing, "or")}.`;
  return [mismatches, unmatched].filter(Boolean).join(" ");
}

/** The number of open mismatches, which block approval. */
export function countOpen(report: ReportItem): number {
  const others = report.other_findings.filter((finding) => finding.state === "open").length;
  return report.types.reduce((sum, type) => sum + type.open_mismatches, others);
}

function countTable(types: TypeItem[]): Content {
  type Line = [name: string, cell: (type: TypeItem) => Content];
  const counted = (name: string, of: (type: TypeItem) => number): Line => [
    name,
    (type) => (of(type) === 0 ? html`<span class="muted">0</span>` : showCount(of(type))),
  ];
  const rows: Line[] = [
    counted("Matched", (type) => type.matched),
    ...(types.some((type) => type.unpriced > 0)
      ? [counted("Matched, unpriced", (type) => type.unpriced)]
      : []),
    ...FINDING_KINDS.filter((kind) => kind !== "not_in_round").map((kind) =>
      counted(KIND_NAMES[kind], (type) => type.counts[kind]),
    ),
    ["Status", resultBadge],
  ];
  return table({
    label: "Counts by cost type",
    hasHeading: true,
    layout: "compact",
    columns: [
      { heading: "Result", cell: ([name]: Line) => name },
      ...types.map((type) => ({
        heading: type.cost_type,
        href: `#type-${type.cost_type}`,
        kind: "number" as const,
        cell: ([, cell]: Line) => cell(type),
      })),
    ],
    rows,
  });
}

function resultBadge(type: TypeItem): Markup {
  if (type.passed) return badge("Passes", "ok");
  return type.open_mismatches > 0
    ? badge(`${type.open_mismatches} open`, "error")
    : badge("No match yet", "warn");
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

function typeCard(type: TypeItem, isOpen: boolean, action?: Action): Markup {
  const none =
    type.matched > 0
      ? html`<p class="muted">All submissions matched.</p>`
      : !isOpen
        ? html`<p class="muted">Nothing was received.</p>`
        : html`<p class="muted">Nothing received yet. Open the partner's link with a <code>cost_id</code>, then send a cost with the same <code>cost_id</code>.</p>`;
  return card(
    { id: `type-${type.cost_type}`, title: type.cost_type, aside: resultBadge(type) },
    findingTable(type.findings, `${type.cost_type} mismatches`, action, none),
  );
}

/** The findings as a table, those first that block approval, or did until they were dismissed. */
function findingTable(findings: FindingItem[], label: string, action?: Action, empty: Content = ""): Content {
  // A finding keeps its place when it is dismissed.
  const isFirst = ({ state }: FindingItem) => Number(state === "open" || state === "dismissed");
  return table({
    label,
    layout: "figures-in-row",
    rows: findings.toSorted((left, right) => isFirst(right) - isFirst(left)),
    idOf: ({ finding }) => anchorOf(finding),
    columns: [
      { heading: "Mismatch", cell: issueCell },
      { heading: "State", onPhone: "beside", cell: ({ state }) => badge(...STATES[state]) },
      { heading: "Received", cell: sentCell },
      {
        heading: "Expected, and how to fix it",
        cell: (finding) =>
          html`<div>${expectedCell(finding)}</div><div class="muted">${finding.remedy}</div>`,
      },
      action !== undefined && {
        heading: "Action",
        kind: "action",
        onPhone: 7,
        cell: (finding) => (isFirst(finding) ? action(finding) : ""),
      },
    ],
    empty,
  });
}

/** The text of the API, whose only day has another form on pages. */
const expectedCell = ({ kind, expected }: FindingItem) =>
  kind === "late"
    ? expected.replace(/\d{4}-\d{2}-\d{2}/, (date) => describeDay(dayOf(Date.parse(date))))
    : expected;

const issueCell = ({ kind, at, reason }: FindingItem) => html`
  ${KIND_NAMES[kind]}
  <p class="hint">${time(at)}</p>
  ${reason === undefined ? "" : html`<p class="hint">Dismissed: ${reason}</p>`}`;

function sentCell(finding: FindingItem): Content {
  const sent = Object.entries(finding.sent);
  if (sent.length === 0) return "no parameters";
  return html`${sent.map(([param, value]) => html`<div><code>${param}=${showInvisible(value)}</code></div>`)}`;
}

/** The ID of a finding's row. Cost IDs can contain any character. */
export function anchorOf(finding: string): string {
  return `finding-${finding.replace(/[^A-Za-z0-9-]/g, (letter) => `_${letter.codePointAt(0)?.toString(16)}`)}`;
}
