/** What a partner gets from its operator: a credential, a link, and a text that explains both. */
import { html } from "hono/html";
import type { PartnerRow } from "../../../db/operator/partners.ts";
import type { RoundRow } from "../../../db/operator/rounds/lists.ts";
import { COST_TYPE, COST_TYPES, type CostType, toTypes } from "../../../domain/cost-types.ts";
import type { Context } from "../../../env.ts";
import { copyButton, nameText } from "../../../pages/elements.ts";
import type { RejectedForm } from "../../../pages/forms/fields.ts";
import { form } from "../../../pages/forms/form.ts";
import type { Markup } from "../../../pages/markup.ts";
import type { Link } from "../../../usecases/links/link.ts";
import type { OperatorSession } from "../session.ts";
import { passwordField } from "../step-up.ts";

export interface Issued {
  mode: "live" | "test";
  secret: string;
}

interface State {
  round: RoundRow | undefined;
  link: (Link & { appToken: string }) | undefined;
  /** The credential that was issued just now. */
  issued: Issued | undefined;
}

export function handover(
  context: Context,
  partner: PartnerRow,
  { round, link, issued }: State,
  session: OperatorSession,
  rejected?: RejectedForm,
): Markup {
  const types = round ? toTypes(round.costTypes) : toTypes(partner.integratedTypes);
  if (types.length === 0 || !link)
    return html`<p class="muted">After step 3, this is the credential, the link, and a text to send to ${nameText(partner.displayName)}.</p>`;
  const mode = issued?.mode ?? (round ? "test" : "live");
  const text = toText(context, partner, {
    mode,
    link,
    type: types[0] ?? COST_TYPES[0],
    secret: issued?.secret,
  });
  return html`
    ${issued ? html`<p>The text has the ${mode} credential, which is at the top of this page.</p>` : ""}
    <div class="templates"><div class="field">
      <label for="text">Text for ${nameText(partner.displayName)}</label>
      <textarea id="text" readonly rows="${text.split("\n").length + 3}" data-select>${text}</textarea>
    </div></div>
    <p class="actions">${copyButton(text, "for the partner", "Copy text")}</p>
    ${
      mode === "live"
        ? html`<p class="hint">Costs count once a member of the app turns on cost data for <a href="/apps/${link.appToken}/links/${link.token}">the link</a>.</p>`
        : ""
    }
    ${issued ? "" : issueForm(partner, mode, session, rejected)}`;
}

function issueForm(
  partner: PartnerRow,
  mode: Issued["mode"],
  session: OperatorSession,
  rejected?: RejectedForm,
): Markup {
  const isFirst = mode === "live" && partner.hasLiveCredential === 0;
  return form(
    {
      action: `/operator/partners/${partner.id}/setup/credential`,
      hidden: { mode },
      more: passwordField(session, "credential", rejected),
      button: isFirst ? "Issue live credential" : `Issue another ${mode} credential`,
      kind: isFirst ? "" : "secondary",
    },
    rejected,
  );
}

interface Given {
  mode: Issued["mode"];
  link: Link;
  type: CostType;
  /** Undefined if it was shown before. */
  secret: string | undefined;
}

function toText(
  { url, env, impressionUrl }: Context,
  partner: PartnerRow,
  { mode, link, type, secret }: Given,
): string {
  const credential = secret ?? `(your ${mode} credential)`;
  const opened =
    COST_TYPE[type].fits[0] === "impression" ? `${impressionUrl}/impression/${link.token}` : link.url;
  const id = `test-${partner.id}-0001`.padEnd(12, "0");
  const test = [
    "1. Open this URL with a cost ID of your own:",
    `   ${opened}?cost_id=${id}`,
    "2. Send the cost with the same ID:",
    `   curl -X POST "${url.origin}/cost" -H "Authorization: Token token=${credential}" -d "cost_id=${id}&cost_type=${type}&cost_currency=USD&cost_amount=0.25&tag=first"`,
    `3. Read what arrived: sign in at ${url.origin}/partner with the credential.`,
  ];
  const live = [
    `Send your costs to ${url.origin}/cost with the header "Authorization: Token token=${credential}".`,
    `Costs and their state: sign in at ${url.origin}/partner with the credential.`,
  ];
  return [
    `Hello ${partner.displayName},`,
    "",
    mode === "test"
      ? "Please test your cost data. Nothing that you send with this credential counts as spend."
      : "Your cost data is live. From now on, use this credential. Costs count after the owner of the app has turned on cost data for the link. You then get its final URLs.",
    "",
    ...(mode === "test" ? test : live),
    "",
    `${mode === "test" ? "Test" : "Live"} credential: ${credential}`,
    `Click URL: ${link.click_url}`,
    `Impression URL: ${link.impression_url}`,
    `Partner guide: ${url.origin}/docs/partners`,
    ...(env.OPERATOR_CONTACT ? [`Questions: ${env.OPERATOR_CONTACT}`] : []),
  ].join("\n");
}
