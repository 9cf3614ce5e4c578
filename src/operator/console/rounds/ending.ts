/** The section of a round's page that ends it: what each cost type lacks, the types to approve, and dismissals by kind. */
import { html } from "hono/html";
import { FINDING_KINDS } from "../../../domain/rounds/findings.ts";
import { costTypeName } from "../../../pages/cost-types.ts";
import type { Markup } from "../../../pages/markup.ts";
import { KIND_NAMES, missingOf } from "../../../pages/rounds.ts";
import type { FindingItem, RoundWithReport } from "../../../usecases/rounds/serialize.ts";
import { confirmStep, costTypeChecks, field } from "../elements.ts";
import type { FormError } from "../layout.ts";

export function endForms(round: RoundWithReport, formError?: FormError): Markup {
  const { types, other_findings } = round.report;
  const others = other_findings.filter(isOpen).length;
  const passing = others === 0 ? types.filter((type) => type.passed).map((type) => type.cost_type) : [];
  return html`
    <section class="card" aria-labelledby="test-link">
      <h2 id="test-link">Test link</h2>
      <p>To test, ${round.partner} needs a link besides its test credential.</p>
      <p class="actions"><a class="button secondary" href="/operator/rounds/${round.id}/link">Choose or create a test link</a></p>
    </section>
    <section class="card" id="ending" aria-labelledby="ending-title">
      <h2 id="ending-title">Approve cost types</h2>
      <dl class="details">
        ${types.map(
          (type) =>
            html`<dt>${costTypeName(type.cost_type)}</dt><dd>${type.passed ? html`<span class="badge ok">passes</span>` : missingOf(type)}</dd>`,
        )}
        ${others > 0 ? html`<dt>Other submissions</dt><dd>${others} open ${others === 1 ? "mismatch" : "mismatches"}</dd>` : ""}
      </dl>
      ${passing.length > 0 ? approveForm(round, passing, formError) : html`<p>${cannotApprove(round, others)}</p>`}
      ${kindForms(round, formError)}
      ${confirmStep({
        action: `/operator/rounds/${round.id}/close`,
        summary: "Close without approving",
        explanation:
          "No cost types go live, the test credential stops working, and the report is kept unchanged.",
        button: "Close round",
      })}
    </section>`;
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

function approveForm(round: RoundWithReport, passing: CostTypes, formError?: FormError): Markup {
  const left = round.cost_types.filter((type) => !passing.includes(type));
  const isOther = formError?.form.has("finding") || formError?.form.has("kind");
  const rejected = isOther ? undefined : formError;
  return html`
    <form method="post" action="/operator/rounds/${round.id}/approve">
      <p>Approving ends the round. The approved cost types go live for ${round.partner} and are added to its live credentials. The test credential stops working.${left.length > 0 ? ` To test ${left.join(", ")} again, open another round.` : ""}</p>
      ${
        passing.length > 1
          ? costTypeChecks("approved-types", passing, passing, rejected, "Cost types to approve")
          : html`<input type="hidden" name="cost_types" value="${passing[0] ?? ""}">`
      }
      <button>Approve ${passing.length > 1 ? "selected types" : passing.join()}</button>
    </form>`;
}

/** Dismisses all open mismatches of a kind, for kinds with more than one. */
function kindForms(round: RoundWithReport, formError?: FormError): Markup | "" {
  const all = [...round.report.types.flatMap((type) => type.findings), ...round.report.other_findings];
  const kinds = [...FINDING_KINDS, "incomplete" as const]
    .map((kind) => ({ kind, count: all.filter((one) => isOpen(one) && one.kind === kind).length }))
    .filter(({ count }) => count > 1);
  if (kinds.length === 0) return "";
  return html`
    <h3>Dismiss several mismatches</h3>
    ${kinds.map(({ kind, count }) => {
      const isRejected = formError?.form.get("kind") === kind;
      return confirmStep({
        action: `/operator/rounds/${round.id}/dismissals`,
        summary: `Dismiss all ${count}: ${KIND_NAMES[kind]}`,
        explanation: "They no longer block approval. You can undo each dismissal while the round is open.",
        button: `Dismiss ${count} mismatches`,
        isOpen: isRejected,
        fields: html`<input type="hidden" name="kind" value="${kind}">${reasonField(`reason-${kind}`, isRejected ? formError : undefined)}`,
      });
    })}`;
}

/** `rejected` is set only for the field's own form. */
export const reasonField = (id: string, rejected?: FormError): Markup =>
  field(
    { name: "reason", id, label: "Reason (optional)", hint: "The partner sees it.", maxlength: 500 },
    rejected,
  );
