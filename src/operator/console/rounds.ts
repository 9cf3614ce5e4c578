/** The page of a round: the report, what to let pass, and the approval. */
import { html } from "hono/html";
import type { Context } from "../../env.ts";
import type { Markup } from "../../http/pages.ts";
import {
  type FindingItem,
  type RoundWithReport,
  toRoundWithReport,
} from "../../usecases/rounds/serialize.ts";
import { countOpen, reportView } from "../../usecases/rounds/view.ts";
import * as contract from "../contract.ts";
import * as actions from "../rounds.ts";
import { confirmStep } from "./fields.ts";
import { consolePage, done, type Form, type FormError, idOf, type OperatorSession, parse } from "./layout.ts";

export async function roundPage(
  context: Context,
  operatorSession: OperatorSession,
  formError?: FormError,
): Promise<Response> {
  const round = toRoundWithReport(await actions.readRound(context, operatorSession, idOf(context)));
  const dismiss = (finding: FindingItem) => html`
    <form method="post" action="/operator/rounds/${round.id}/dismissals">
      <input type="hidden" name="finding" value="${finding.finding}">
      <button class="secondary" aria-label="Dismiss ${finding.finding}">Dismiss</button>
    </form>`;
  return consolePage(context, operatorSession, {
    title: `Round ${round.id}`,
    section: "Partners",
    formError,
    body: html`
      <p><a href="/operator/partners/${round.partner_id}">${round.partner}</a></p>
      ${round.state === "open" ? reportView(round, dismiss, ending(round)) : reportView(round, undefined, next(round))}`,
  });
}

function ending(round: RoundWithReport): Markup {
  const open = countOpen(round.report);
  const types = round.cost_types.join(", ");
  return html`
    <section class="card" aria-labelledby="ending">
      <h2 id="ending">End the round</h2>
      ${
        round.report.passed
          ? html`
            <p>Every cost type passes. Approving makes ${types} live for ${round.partner}: its live credentials are cleared for them, and the test credential posts nothing more.</p>
            <form method="post" action="/operator/rounds/${round.id}/approve"><button>Approve ${types}</button></form>`
          : html`
            <p>${open > 0 ? `${open} open ${open === 1 ? "mismatch holds" : "mismatches hold"} up the approval.` : "A cost type without a match holds up the approval."} Have the partner mend what it can; dismiss what is understood and cannot be mended.</p>
            <form method="post" action="/operator/rounds/${round.id}/approve"><button class="secondary">Approve ${types}</button></form>`
      }
      ${confirmStep({
        action: `/operator/rounds/${round.id}/close`,
        open: "Close without approving",
        explain:
          "Nothing becomes live, the test credential posts nothing more, and the report stays as it is now.",
        button: "Close the round",
      })}
    </section>`;
}

function next(round: RoundWithReport): Markup {
  return round.state === "approved"
    ? html`<p class="notice">Next: <a href="/operator/partners/${round.partner_id}#credentials">issue a live credential</a> to ${round.partner}, unless it has one, and see that its cost parameters name a <code>cost_id</code>. The owners of apps can now switch cost data on for its links: clicks that come from then on take costs.</p>`
    : html`<p class="notice">The round was closed. <a href="/operator/partners/${round.partner_id}#open">Open another</a> to go on.</p>`;
}

export async function approveRound(context: Context, operatorSession: OperatorSession): Promise<Response> {
  const { id } = await actions.approveRound(context, operatorSession, idOf(context));
  return done(context, `/operator/rounds/${id}`, "approved");
}

export async function closeRound(context: Context, operatorSession: OperatorSession): Promise<Response> {
  const { id } = await actions.closeRound(context, operatorSession, idOf(context));
  return done(context, `/operator/rounds/${id}`, "closed");
}

export async function dismissFinding(
  context: Context,
  operatorSession: OperatorSession,
  form: Form,
): Promise<Response> {
  const { finding } = parse(contract.dismissFinding.body, { finding: form.get("finding") });
  const { id } = await actions.dismissFinding(context, operatorSession, idOf(context), finding);
  return done(context, `/operator/rounds/${id}`, "dismissed");
}
