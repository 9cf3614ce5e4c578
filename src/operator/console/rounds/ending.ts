/** The section of a round's page that ends it: what each cost type lacks, the types to approve, and dismissals by kind. */
import { html } from "hono/html";
import { FINDING_KINDS } from "../../../domain/rounds/findings.ts";
import { costTypeChecks, costTypeName } from "../../../pages/costs/cost-types.ts";
import { KIND_NAMES, missingOf } from "../../../pages/costs/rounds.ts";
import { badge, buttonLink, card, type Fact, facts, nameText } from "../../../pages/elements.ts";
import type { RejectedForm } from "../../../pages/forms/fields.ts";
import { confirmation, type Fields, form } from "../../../pages/forms/form.ts";
import { showPlural } from "../../../pages/locale.ts";
import type { Markup } from "../../../pages/markup.ts";
import type { Link } from "../../../usecases/links/link.ts";
import type { FindingItem, RoundWithReport } from "../../../usecases/rounds/serialize.ts";

export function endForms(
  round: RoundWithReport,
  link: (Link & { appToken: string }) | undefined,
  rejected?: RejectedForm,
): Markup {
  const { types, other_findings } = round.report;
  const others = other_findings.filter(isOpen).length;
  const passing = others === 0 ? types.filter((type) => type.passed).map((type) => type.cost_type) : [];
  return html`
    ${card(
      { id: "test-link", title: "Test link" },
      html`<p>${nameText(round.partner)} tests with its test credential and a link.</p>`,
      ...testLink(round, link),
    )}
    ${card(
      { id: "ending", title: "Approve cost types" },
      facts(
        ...types.map(
          (type): Fact => [
            costTypeName(type.cost_type),
            type.passed ? badge("Passes", "ok") : missingOf(type),
          ],
        ),
        others > 0 && ["Other submissions", showPlural(others, "open mismatch", "open mismatches")],
      ),
      passing.length > 0
        ? approveForm(round, passing, rejected)
        : html`<p>${cannotApprove(round, others)}</p>`,
      kindForms(round, rejected),
      confirmation({
        action: `/operator/rounds/${round.id}/close`,
        summary: "Close without approving",
        explanation:
          "No cost types go live, the test credential stops working, and the report is kept unchanged.",
        button: "Close round",
      }),
    )}`;
}

function testLink({ id }: RoundWithReport, link: (Link & { appToken: string }) | undefined): Markup[] {
  const path = `/operator/rounds/${id}/link`;
  if (!link) return [html`<p class="actions">${buttonLink(path, "Create a test link")}</p>`];
  const query = new URLSearchParams({ app: link.appToken, link: link.token });
  return [
    facts(["Link", html`${nameText(link.label)} <code>${link.token}</code>`]),
    html`<p class="actions">${buttonLink(`${path}?${query}`, "Show what to send")} <a href="${path}">Choose another link</a></p>`,
  ];
}

const isOpen = ({ state }: FindingItem) => state === "open";

function cannotApprove({ report, partner }: RoundWithReport, others: number): string {
  const start =
    others > 0
      ? "No cost type can be approved while mismatches of other submissions are open."
      : "No cost type can be approved yet. Each needs a match and no open mismatches.";
  const hasOpen = others > 0 || report.types.some((type) => type.open_mismatches > 0);
  return hasOpen ? `${start} Ask ${partner} to fix the mismatches, or dismiss those that you accept.` : start;
}

type CostTypes = RoundWithReport["cost_types"];

function approveForm(round: RoundWithReport, passing: CostTypes, formError?: RejectedForm): Markup {
  const left = round.cost_types.filter((type) => !passing.includes(type));
  const isOther = formError?.form.has("finding") || formError?.form.has("kind");
  const isOne = passing.length === 1;
  return html`
    <p>Approving ends the round. The approved cost types go live for ${nameText(round.partner)} and are added to its live credentials. The test credential stops working.${left.length > 0 ? ` To test ${left.join(", ")} again, open another round.` : ""}</p>
    ${form(
      {
        id: "approve",
        action: `/operator/rounds/${round.id}/approve`,
        fields: isOne ? {} : costTypeChecks(passing, "Cost types to approve"),
        values: { cost_types: passing },
        hidden: isOne ? { cost_types: passing.join() } : {},
        button: `Approve ${isOne ? passing.join() : "selected types"}`,
      },
      isOther ? undefined : formError,
    )}`;
}

/** Dismisses all open mismatches of a kind, for kinds with more than one. */
function kindForms(round: RoundWithReport, formError?: RejectedForm): Markup | "" {
  const all = [...round.report.types.flatMap((type) => type.findings), ...round.report.other_findings];
  const kinds = [...FINDING_KINDS, "incomplete" as const]
    .map((kind) => ({ kind, count: all.filter((one) => isOpen(one) && one.kind === kind).length }))
    .filter(({ count }) => count > 1);
  if (kinds.length === 0) return "";
  return html`
    <h3>Dismiss several mismatches</h3>
    ${kinds.map(({ kind, count }) => {
      const rejected = formError?.form.get("kind") === kind ? formError : undefined;
      return confirmation(
        {
          id: `dismiss-${kind}`,
          action: `/operator/rounds/${round.id}/dismissals`,
          hidden: { kind },
          fields: REASON,
          summary: `Dismiss all ${count}: ${KIND_NAMES[kind]}`,
          explanation: "They no longer block approval. You can undo each dismissal while the round is open.",
          button: `Dismiss ${count} mismatches`,
          isOpen: rejected !== undefined,
        },
        rejected,
      );
    })}`;
}

/** The field of the forms that dismiss a mismatch. */
export const REASON = {
  reason: { label: "Reason (optional)", hint: "The partner sees it.", maxlength: 500 },
} satisfies Fields;
