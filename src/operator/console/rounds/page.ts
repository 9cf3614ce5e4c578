/** The page of a round: the report with the forms that dismiss mismatches, and those that approve or close the round. */
import { html } from "hono/html";
import { findPartner, type PartnerRow } from "../../../db/operator/partners.ts";
import { showInvisible } from "../../../domain/characters.ts";
import { AppError } from "../../../errors.ts";
import { anchorOf, KIND_NAMES, reportView } from "../../../pages/costs/rounds.ts";
import { card, nameText, notice } from "../../../pages/elements.ts";
import type { RejectedForm } from "../../../pages/forms/fields.ts";
import { confirmation, form } from "../../../pages/forms/form.ts";
import type { Markup } from "../../../pages/markup.ts";
import type { FindingItem, RoundWithReport } from "../../../usecases/rounds/serialize.ts";
import { approveRound, closeRound, dismissFinding, readRound, undoDismissal } from "../../api/rounds.ts";
import { readNewestTestLink } from "../../api/test-links.ts";
import { type Act, done, idOf, partnerTrail, pick, type Show } from "../layout.ts";
import { stoppedNotice } from "../partners/settings.ts";
import { hasCostId } from "../partners/steps.ts";
import type { OperatorSession } from "../session.ts";
import { passwordField } from "../step-up.ts";
import { endForms, REASON } from "./ending.ts";

export const roundPage: Show = async (context, formError, session) => {
  const round = await readRound.handle(context, session, { path: { id: idOf(context) } });
  const [partner, link] = await Promise.all([
    findPartner(context.env.DB, round.partner_id),
    round.state === "open" ? readNewestTestLink(context, round.partner_id) : undefined,
  ]);
  return {
    title: `Round ${round.id}`,
    section: "Partners",
    body: html`
      ${partnerTrail({ id: round.partner_id, name: round.partner }, `Round ${round.id}`)}
      ${partner ? stoppedNotice(partner) : ""}
      ${
        round.state === "open"
          ? reportView(
              round,
              (finding) => findingForm(round, finding, formError),
              endForms(round, link, formError),
            )
          : reportView(round, undefined, nextStep(round, partner, session))
      }`,
  };
};

/** Dismisses an open mismatch, or undoes that. */
function findingForm(round: RoundWithReport, finding: FindingItem, formError?: RejectedForm): Markup {
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

function nextStep(round: RoundWithReport, partner: PartnerRow | undefined, session: OperatorSession): Markup {
  const left = round.cost_types.filter((type) => !round.approved_cost_types.includes(type));
  const path = `/operator/partners/${round.partner_id}`;
  if (round.state !== "approved") {
    return notice(
      html`This round was closed without approval. To continue, <a href="${path}#open">open a new round</a>.`,
    );
  }
  const again =
    left.length > 0
      ? notice(html`To test ${left.join(", ")} again, <a href="${path}#open">open another round</a>.`)
      : "";
  if (!partner || partner.stoppedAt !== null || partner.integratedTypes === 0) return html`${again}`;
  return html`
    ${card(
      { id: "next", title: "Next step" },
      partner.hasLiveCredential
        ? html`<p>${nameText(round.partner)} has a live credential, which can send the approved cost types too.</p>`
        : html`<p>${nameText(round.partner)} needs a live credential. You get it on the next page, with a text to send.</p>
          ${form({
            id: "live",
            action: `${path}/setup/credential`,
            hidden: { mode: "live" },
            more: passwordField(session, "live"),
            button: "Issue live credential",
          })}`,
      html`<p class="hint">Members of an app can now turn on cost data for links of ${nameText(round.partner)}. Costs are accepted for clicks and impressions after that.</p>`,
      hasCostId(partner)
        ? ""
        : html`<p>Its cost parameters have no <code>cost_id</code>, so no cost can match. <a href="${path}#templates">Edit templates</a></p>`,
    )}
    ${again}`;
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
