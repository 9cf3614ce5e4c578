/** The page of a round: the report with the forms that dismiss mismatches, and those that approve or close the round. */
import { html } from "hono/html";
import { findPartner } from "../../../db/operator/partners.ts";
import { showInvisible } from "../../../domain/characters.ts";
import { AppError } from "../../../errors.ts";
import type { Markup } from "../../../pages/markup.ts";
import { anchorOf, KIND_NAMES, reportView } from "../../../pages/rounds.ts";
import type { FindingItem, RoundWithReport } from "../../../usecases/rounds/serialize.ts";
import { approveRound, closeRound, dismissFinding, readRound, undoDismissal } from "../../api/rounds.ts";
import { pick } from "../elements.ts";
import { type Act, done, type Form, type FormError, idOf, type Show } from "../layout.ts";
import { stateBadge } from "../partners/list.ts";
import { stoppedNotice } from "../partners/settings.ts";
import { endForms, reasonField } from "./ending.ts";

export const roundPage: Show = async (context, formError, session) => {
  const round = await readRound.handle(context, session, { path: { id: idOf(context) } });
  const partner = await findPartner(context.env.DB, round.partner_id);
  return {
    title: `Round ${round.id}`,
    section: "Partners",
    body: html`
      <p><a href="/operator/partners/${round.partner_id}">${round.partner}</a>${partner ? html` ${stateBadge(partner)}` : ""}</p>
      ${partner ? stoppedNotice(partner) : ""}
      ${
        round.state === "open"
          ? reportView(round, (finding) => findingForm(round, finding, formError), endForms(round, formError))
          : reportView(round, undefined, nextStep(round))
      }`,
  };
};

/** Dismisses an open mismatch, or undoes that. */
function findingForm(round: RoundWithReport, finding: FindingItem, formError?: FormError): Markup {
  const name = html`<span class="visually-hidden">: ${nameOf(finding)}</span>`;
  const path = `/operator/rounds/${round.id}/dismissals`;
  const key = html`<input type="hidden" name="finding" value="${finding.finding}">`;
  if (finding.state === "dismissed") {
    return html`<form method="post" action="${path}/undo">${key}<button class="small secondary">Undo dismissal${name}</button></form>`;
  }
  const isRejected = formError?.form.get("finding") === finding.finding;
  return html`
    <details class="confirm" ${isRejected ? html`open` : ""}>
      <summary>Dismiss${name}</summary>
      <form method="post" action="${path}">
        ${key}
        ${reasonField(`reason-${anchorOf(finding.finding)}`, isRejected ? formError : undefined)}
        <button class="small danger">Dismiss mismatch</button>
      </form>
    </details>`;
}

/** `Too late, cost ID corsair-click-0003`. */
function nameOf({ finding, kind, cost_id }: FindingItem): string {
  const place = finding.split(" ", 1)[0] === "entry" ? finding : "engagement";
  return `${KIND_NAMES[kind]}, ${cost_id === null ? finding : `cost ID ${showInvisible(cost_id)}, ${place}`}`;
}

function nextStep(round: RoundWithReport): Markup {
  const left = round.cost_types.filter((type) => !round.approved_cost_types.includes(type));
  return round.state === "approved"
    ? html`
      <p class="notice">Next, <a href="/operator/partners/${round.partner_id}#credentials">issue a live credential</a> to ${round.partner} if it doesn't have one, and check that its cost parameters include a <code>cost_id</code>. App members can now turn on cost data for its links. Costs are accepted for clicks and impressions after that.</p>
      ${left.length > 0 ? html`<p class="notice">To test ${left.join(", ")} again, <a href="/operator/partners/${round.partner_id}#open">open another round</a>.</p>` : ""}`
    : html`<p class="notice">This round was closed without approval. To continue, <a href="/operator/partners/${round.partner_id}#open">open a new round</a>.</p>`;
}

const CANNOT_APPROVE =
  "Each cost type needs at least one match and no open mismatches. Ask the partner to fix the following, or dismiss the mismatches that you accept.";

export const submitApproval: Act = async (context, session, form) => {
  const path = { id: idOf(context) };
  const body = { cost_types: form.getAll("cost_types") };
  await approveRound.submit(context, session, { path, body }).catch((error) => {
    if (!(error instanceof AppError) || error.code !== "mismatch_open") throw error;
    throw new AppError(error.code, CANNOT_APPROVE, { errors: error.errors });
  });
  return done(`/operator/rounds/${path.id}`, "round-approved");
};

export const submitClosing: Act = async (context, session) => {
  const { id } = await closeRound.handle(context, session, { path: { id: idOf(context) } });
  return done(`/operator/rounds/${id}`, "round-closed");
};

/** An empty field counts as absent. */
const pickFilled = (form: Form, ...names: string[]) =>
  Object.fromEntries(Object.entries(pick(form, ...names)).filter(([, value]) => value.trim() !== ""));

export const submitDismissal: Act = async (context, session, form) => {
  const path = { id: idOf(context) };
  const body = pickFilled(form, "finding", "kind", "reason");
  await dismissFinding.submit(context, session, { path, body });
  const to = `/operator/rounds/${path.id}`;
  return body.finding === undefined
    ? done(to, "mismatches-dismissed", {}, "ending")
    : done(to, "mismatch-dismissed", {}, anchorOf(body.finding));
};

export const submitUndo: Act = async (context, session, form) => {
  const path = { id: idOf(context) };
  const finding = form.get("finding") ?? "";
  await undoDismissal.handle(context, session, { path, query: { finding } });
  return done(`/operator/rounds/${path.id}`, "dismissal-undone", {}, anchorOf(finding));
};
