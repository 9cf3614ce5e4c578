/** The page of a round: the report with its Dismiss buttons, and the forms to approve or close the round. */
import { html } from "hono/html";
import type { Markup } from "../../http/pages.ts";
import type { FindingItem, RoundWithReport } from "../../usecases/rounds/serialize.ts";
import { countOpen, reportView } from "../../usecases/rounds/view.ts";
import { approveRound, closeRound, dismissFinding, readRound } from "../api/rounds.ts";
import { confirmStep, pick } from "./elements.ts";
import { type Act, done, idOf, type Show } from "./layout.ts";

export const roundPage: Show = async (context, _formError, session) => {
  const round = await readRound.handle(context, session, { path: { id: idOf(context) } });
  const dismiss = (finding: FindingItem) => html`
    <form method="post" action="/operator/rounds/${round.id}/dismissals">
      <input type="hidden" name="finding" value="${finding.finding}">
      <button class="secondary" aria-label="Dismiss ${finding.finding}">Dismiss</button>
    </form>`;
  return {
    title: `Round ${round.id}`,
    section: "Partners",
    body: html`
      <p><a href="/operator/partners/${round.partner_id}">${round.partner}</a></p>
      ${round.state === "open" ? reportView(round, dismiss, endForms(round)) : reportView(round, undefined, nextStep(round))}`,
  };
};

function endForms(round: RoundWithReport): Markup {
  const open = countOpen(round.report);
  const types = round.cost_types.join(", ");
  return html`
    <section class="card" aria-labelledby="ending">
      <h2 id="ending">End round</h2>
      ${
        round.report.passed
          ? html`
            <p>Every cost type passes. Approving makes ${types} live for ${round.partner} and adds them to its live credentials. The test credential stops working.</p>
            <form method="post" action="/operator/rounds/${round.id}/approve"><button>Approve ${types}</button></form>`
          : html`
            <p>${open > 0 ? `${open} open ${open === 1 ? "mismatch blocks" : "mismatches block"} approval. Ask the partner to fix ${open === 1 ? "it" : "them"}, or dismiss ${open === 1 ? "it if you accept it" : "those you accept"}.` : "This round can't be approved yet. Each cost type needs a match and no open mismatches."}</p>
            <form method="post" action="/operator/rounds/${round.id}/approve"><button class="secondary">Approve ${types}</button></form>`
      }
      ${confirmStep({
        action: `/operator/rounds/${round.id}/close`,
        summary: "Close without approving",
        explanation:
          "No cost types go live, the test credential stops working, and the report is kept unchanged.",
        button: "Close round",
      })}
    </section>`;
}

function nextStep(round: RoundWithReport): Markup {
  return round.state === "approved"
    ? html`<p class="notice">Next, <a href="/operator/partners/${round.partner_id}#credentials">issue a live credential</a> to ${round.partner} if it doesn't have one, and check that its cost parameters include a <code>cost_id</code>. App members can now turn on cost data for its links. Costs are accepted for clicks and impressions after that.</p>`
    : html`<p class="notice">This round was closed without approval. To continue, <a href="/operator/partners/${round.partner_id}#open">open a new round</a>.</p>`;
}

export const submitApproval: Act = async (context, session) => {
  const { id } = await approveRound.handle(context, session, { path: { id: idOf(context) } });
  return done(`/operator/rounds/${id}`, "round-approved");
};

export const submitClosing: Act = async (context, session) => {
  const { id } = await closeRound.handle(context, session, { path: { id: idOf(context) } });
  return done(`/operator/rounds/${id}`, "round-closed");
};

export const submitDismissal: Act = async (context, session, form) => {
  const path = { id: idOf(context) };
  await dismissFinding.submit(context, session, { path, body: pick(form, "finding") });
  return done(`/operator/rounds/${path.id}`, "mismatch-dismissed");
};
