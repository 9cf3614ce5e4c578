/** The API token on the account page, and the forms that show and reset it. */
import { html } from "hono/html";
import { isRecentlyConfirmed, type Session } from "../auth/sessions.ts";
import type { Account } from "../db/accounts/account.ts";
import { dayOf } from "../domain/time.ts";
import type { Context } from "../env.ts";
import { operatorContact } from "../pages/contact.ts";
import { buttonLink, copyButton, facts } from "../pages/elements.ts";
import { errorSummary, type RejectedForm } from "../pages/forms/fields.ts";
import { confirmation, type Fields, form, formDialog } from "../pages/forms/form.ts";
import { pageResponse } from "../pages/frame.ts";
import { describeDay } from "../pages/locale.ts";
import type { Markup } from "../pages/markup.ts";
import { signInAgain } from "../pages/notice.ts";
import { formatLastUse } from "./rules.ts";

/** Of a user without a password, to whom an operator issues the token (spec §5.2). */
export function issuedToken(
  context: Context,
  session: Session,
  account: Account,
  token: string | undefined,
): Markup {
  if (account.tokenHash === null)
    return html`<p>You sign in with single sign-on. To get an API token, contact ${operatorContact(context.env)}.</p>`;
  const isReady = isRecentlyConfirmed(session, context.now);
  const reset = confirmation({
    action: "/account/token/reset",
    summary: "Reset token",
    explanation: `${CONFIRM.reset.text} The new token is shown once.`,
    hidden: { replaces: account.hint ?? "" },
    fields: END_ACCESS_TOKENS,
    button: "Reset token",
  });
  return html`
    <div id="token">
      ${token === undefined ? "" : secret(token)}
      ${tokenFacts(context, account)}
      <p>You sign in with single sign-on. If you don't have this token, reset it here, or contact ${operatorContact(context.env)}.</p>
      ${isReady ? reset : html`<h4>Reset token</h4>${signInAgain(context.env, "/account")}`}
    </div>`;
}

const tokenFacts = ({ now }: Context, account: Account) =>
  facts(
    ["Token", html`<code>${account.hint}</code>`],
    ["Created", describeDay(dayOf(account.tokenCreatedAt ?? 0))],
    ["Last used", formatLastUse(account.lastUsedDay, now)],
  );

export function tokenSection(context: Context, account: Account, token: string | undefined): Markup {
  if (account.tokenHash === null) return noToken();
  const canShow = account.sealed !== null;
  return html`
    <div id="token">
      ${token === undefined ? "" : secret(token)}
      ${tokenFacts(context, account)}
      <input type="hidden" name="replaces" value="${account.hint}" form="reset-form">
      ${canShow ? "" : html`<p class="hint">This token can't be shown because an operator issued it or your password was reset. Reset the token to get one that you can view.</p>`}
      <div class="actions">
        ${canShow && token === undefined ? html`<button type="button" commandfor="show-dialog" command="show-modal">Show token</button>` : ""}
        <button type="button" class="secondary" commandfor="reset-dialog" command="show-modal">Reset token</button>
      </div>
    </div>
    ${dialog("show")}
    ${dialog("reset")}`;
}

function noToken(): Markup {
  return html`
    <p>You don't have an API token yet. Create one to use the campaign API from your own programs.</p>
    ${form({ action: "/account/token/reset", fields: { password: PASSWORD }, button: "Create token" })}`;
}

function secret(token: string): Markup {
  return html`
    <p id="token-name">Your API token. Keep it secret: anyone who has it can act as you.</p>
    <div class="secret">
      <code id="token-text" aria-labelledby="token-name" role="group" tabindex="0">${token}</code>
      ${copyButton(token, "API token")}
      ${buttonLink("/account", "Hide")}
    </div>`;
}

const PASSWORD = {
  label: "Your password",
  subject: "The password",
  type: "password",
  autocomplete: "current-password",
  required: true,
} as const;
const END_ACCESS_TOKENS: Fields = { end_access_tokens: { label: "End all access tokens too", box: true } };

/** The boxes of a form that can end tokens too: of a user with a password, or of single sign-on. */
export const endedTokenFields = ({ passwordHash }: Pick<Account, "passwordHash">): Fields => ({
  ...END_ACCESS_TOKENS,
  end_api_token: {
    label: `End the API token too. Every integration that uses it stops working immediately, and ${passwordHash === null ? "only an operator can issue a new one" : "you create a new one on the account page"}.`,
    box: true,
  },
});
/** Access tokens are only for programs of the user. An API token that ends stops what others may rely on. */
export const ENDED_BY_DEFAULT = { end_access_tokens: true };

const CONFIRM = {
  show: {
    title: "Show token",
    text: "Enter your password to view your token. It won't change.",
    rejected: "Token not shown. Fix the error below and try again.",
  },
  reset: {
    title: "Reset token",
    text: "Your current token stops working immediately. Update every integration that uses it. You'll be signed out on other devices.",
    rejected: "Token not reset. Fix the error below and try again.",
  },
};

/** The Show dialog focuses the password. A reset can't be undone. */
function dialog(name: "show" | "reset"): Markup {
  const { title, text } = CONFIRM[name];
  return formDialog(name, {
    action: `/account/token/${name}`,
    title,
    text,
    fields: {
      password: { ...PASSWORD, autofocus: name === "show", live: true },
      ...(name === "reset" && END_ACCESS_TOKENS),
    },
    isDangerous: name === "reset",
  });
}

/** The Show or Reset form as its own page, for a rejected attempt without the script. */
export function confirmPage(
  context: Context,
  session: Session,
  name: "show" | "reset",
  rejected: RejectedForm,
  status: 400 | 403,
): Promise<Response> {
  const { title, text, rejected: lead } = CONFIRM[name];
  const replaces = rejected.form.get("replaces");
  // Before the summary, which links to its fields.
  const again = form(
    {
      action: `/account/token/${name}`,
      fields: { password: PASSWORD, ...(name === "reset" && END_ACCESS_TOKENS) },
      hidden: { replaces: replaces ?? "" },
      button: title,
      kind: name === "reset" ? "danger" : "",
      cancel: "/account",
    },
    rejected,
  );
  return pageResponse(context, {
    title: `Error: ${title}`,
    status,
    user: session,
    narrow: true,
    body: html`
      <section class="card">
        <h1>${title}</h1>
        ${errorSummary(rejected, lead)}
        <p>${text}</p>
        ${again}
      </section>`,
  });
}
