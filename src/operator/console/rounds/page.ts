/** The page of a round: the report with the forms that dismiss mismatches, and those that approve or close the round. */
import { html } from "hono/html";
import { findPartner } from "../../../db/operator/partners.ts";
import { showInvisible } from "../../../domain/characters.ts";
import { AppError } from "../../../errors.ts";
import { anchorOf, KIND_NAMES, reportView } from "../../../pages/costs/rounds.ts";
import { nameText, notice } from "../../../pages/elements.ts";
import { confirmation, form } from "../../../pages/forms/form.ts";
import type { Markup } from "../../../pages/markup.ts";
import type { FindingItem, RoundWithReport } from "../../../usecases/rounds/serialize.ts";
import { approveRound, closeRound, dismissFinding, readRound, undoDismissal } from "../../api/rounds.ts";
import { type Act, done, type FormError, idOf, partnerTrail, pick, type Show } from "../layout.ts";
import { stoppedNotice } from "../partners/settings.ts";
import { endForms, REASON } from "./ending.ts";

export const roundPage: Show = async (context, formError, session) => {
  const round = await readRound.handle(context, session, { path: { id: idOf(context) } });
  const partner = await findPartner(context.env.DB, round.partner_id);
  return {
    title: `Round ${round.id}`,
    section: "Partners",
    body: html`
      ${partnerTrail({ id: round.partner_id, name: round.partner }, `Round ${round.id}`)}
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
  const hidden = { finding: finding.finding };
  if (finding.state === "dismissed") {
    return form({
      action: `${path}/undo`,
      hidden,
      button: html`Undo dismissal${name}`,
      kind: "small secondary",
    });
  }
  const rejected = formError?.form.get("finding") === finding.finding ? formError : undefined;
  return confirmation(
    {
      id: `dismiss-${anchorOf(finding.finding)}`,
      action: path,
      hidden,
      fields: REASON,
      summary: html`Dismiss${name}`,
      explanation: "It no longer blocks approval. You can undo this while the round is open.",
      button: "Dismiss mismatch",
      isOpen: rejected !== undefined,
    },
    rejected,
  );
}

/** `Too late, cost ID corsair-click-0003`. */
function nameOf({ finding, kind, cost_id }: FindingItem): string {
  const place = finding.split(" ", 1)[0] === "entry" ? finding : "engagement";
  return `${KIND_NAMES[kind]}, ${cost_id === null ? finding : `cost ID ${showInvisible(cost_id)}, ${place}`}`;
}

function nextStep(round: RoundWithReport): Markup {
  const left = round.cost_types.filter((type) => !round.approved_cost_types.includes(type));
  const partner = `/operator/partners/${round.partner_id}`;
  if (round.state !== "approved") {
    return notice(
      html`This round was closed without approval. To continue, <a href="${partner}#open">open a new round</a>.`,
    );
  }
  return html`
    ${notice(html`Next, <a href="${partner}#credentials">issue a live credential</a> to ${nameText(round.partner)} if it doesn't have one, and check that its cost parameters include a <code>cost_id</code>. App members can now turn on cost data for its links. Costs are accepted for clicks and impressions after that.`)}
    ${left.length > 0 ? notice(html`To test ${left.join(", ")} again, <a href="${partner}#open">open another round</a>.`) : ""}`;
}

const CANNOT_APPROVE =
  "Each cost type needs at least one match and no open mismatches. Ask the partner to fix the following, or dismiss the mismatches that you accept.";

export const submitApproval: Act = async (context, session, sent) => {
  const path = { id: idOf(context) };
  const body = { cost_types: sent.getAll("cost_types") };
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

export const submitDismissal: Act = async (context, session, sent) => {
  const path = { id: idOf(context) };
  // An empty field counts as absent.
  const filled = Object.entries(pick(sent, "finding", "kind", "reason")).filter(
    ([, value]) => value.trim() !== "",
  );
  const body: Record<string, string> = Object.fromEntries(filled);
  await dismissFinding.submit(context, session, { path, body });
  const to = `/operator/rounds/${path.id}`;
  return body.finding === undefined
    ? done(to, "mismatches-dismissed", {}, "ending")
    : done(to, "mismatch-dismissed", {}, anchorOf(body.finding));
};

export const submitUndo: Act = async (context, session, sent) => {
  const path = { id: idOf(context) };
  const finding = sent.get("finding") ?? "";
  await undoDismissal.handle(context, session, { path, query: { finding } });
  return done(`/operator/rounds/${path.id}`, "dismissal-undone", {}, anchorOf(finding));
};
