/** The HTML of the account pages. The caller decides what the user may see. */

import { html } from "hono/html";
import { isRecentlyConfirmed, type Session } from "../auth/sessions.ts";
import type { Account } from "../db/accounts/account.ts";
import { type ListedSession, toReference } from "../db/accounts/sessions.ts";
import { dayOf, toIso } from "../domain/time.ts";
import type { Context } from "../env.ts";
import { noticesOf } from "../http/notices.ts";
import { copyButton } from "../pages/elements.ts";
import { check, errorSummary, field, ownPasswordField, type RejectedForm } from "../pages/fields.ts";
import { pageResponse } from "../pages/frame.ts";
import { describeDay, describeTime } from "../pages/locale.ts";
import { type Markup, time } from "../pages/markup.ts";
import { signInAgain } from "../pages/notice.ts";
import { countCodes, formatAgo, formatLastUse } from "./rules.ts";
import { script } from "./script.ts";

export const ACCOUNT_NOTICES = noticesOf({ "session-ended": "Session ended." });

export interface Shown {
  /** Shown in the status line. Default: the notice in the address. */
  message?: string;
  /** The API token in plain text. */
  token?: string;
  headers?: Record<string, string>;
}

interface AccountData {
  account: Account;
  sessions: ListedSession[];
}

export function accountPage(
  context: Context,
  session: Session,
  { account, sessions }: AccountData,
  shown: Shown = {},
): Promise<Response> {
  const hasPassword = account.passwordHash !== null;
  return pageResponse(context, {
    title: "Account",
    user: session,
    scripts: [script.href],
    headers: shown.headers ?? {},
    body: html`
      <h1>Account</h1>
      <p class="status notice ok" role="status">${shown.message ?? ACCOUNT_NOTICES.readDone(context) ?? ""}</p>
      <section class="card">
        <h2>Profile</h2>
        <dl class="details">
          <dt>Email</dt><dd>${session.email}</dd>
          <dt>Role</dt><dd>${session.role === "operator" ? "Operator" : "Member"}</dd>
          <dt>Member since</dt><dd>${describeDay(dayOf(account.createdAt))}</dd>
        </dl>
        <hr>
        <h3>API token</h3>
        ${hasPassword ? tokenSection(context, account, shown.token) : issuedToken(context, session, account, shown.token)}
        <hr>
        <h3>Access tokens</h3>
        <p>Give each of your programs a token of its own, which only reads if that is enough, and ends by itself.</p>
        <p><a class="button secondary" href="/account/tokens">Access tokens</a></p>
      </section>
      <section class="card">
        <h2>Password and sessions</h2>
        ${
          hasPassword
            ? html`<details>
                <summary>Change password</summary>
                ${passwordForm()}
              </details>
              ${twoFactorSummary(account)}`
            : ""
        }
        <hr>
        ${sessionsTable(context, session, sessions)}
        <p>Sign out on all devices, including this one.</p>
        <form method="post" action="/account/sign-out-everywhere"><button class="secondary">Sign out everywhere</button></form>
      </section>`,
  });
}

/** This session ends with the button in the navigation. */
function sessionsTable({ now }: Context, session: Session, sessions: ListedSession[]): Markup {
  const rows = sessions.map(({ idHash, browser, createdAt, lastSeenAt }) => {
    const name = browser || "Unknown browser";
    const end = html`
      <form method="post" action="/account/sessions/end">
        <input type="hidden" name="session" value="${toReference(idHash)}">
        <button class="secondary" aria-label="End session: ${name}, signed in ${describeTime(createdAt)}">End session</button>
      </form>`;
    return html`
      <tr>
        <th scope="row">${name}</th>
        <td data-label="Signed in">${time(toIso(createdAt))}</td>
        <td data-label="Last used">${formatAgo(lastSeenAt, now)}</td>
        <td>${idHash === session.idHash ? html`<span class="badge ok">this session</span>` : end}</td>
      </tr>`;
  });
  return html`
    <h3 id="sessions">Sessions</h3>
    <div class="table stacked" tabindex="0" role="region" aria-labelledby="sessions">
      <table>
        <thead><tr><th scope="col">Browser</th><th scope="col">Signed in</th><th scope="col">Last used</th><th scope="col"><span class="visually-hidden">Action</span></th></tr></thead>
        <tbody>${rows}</tbody>
      </table>
    </div>`;
}

function twoFactorSummary({ sealedSecret, recoveryCodesLeft }: Account): Markup {
  const isOn = sealedSecret !== null;
  return html`
    <hr>
    <h3>Two-factor authentication</h3>
    <p>${isOn ? `On. ${countCodes(recoveryCodesLeft)}` : "Off. With it, nobody can sign in with your password only."}</p>
    <p><a class="button secondary" href="/account/two-factor">${isOn ? "Manage two-factor" : "Set up two-factor"}</a></p>`;
}

/** Of a user without a password, to whom an operator issues the token (spec §5.2). */
function issuedToken(
  context: Context,
  session: Session,
  account: Account,
  token: string | undefined,
): Markup {
  if (account.tokenHash === null)
    return html`<p>You sign in through single sign-on. To get an API token, contact your operator.</p>`;
  const isReady = isRecentlyConfirmed(session, context.now);
  const reset = html`
    <details class="confirm">
      <summary>Reset token</summary>
      <p>${CONFIRM.reset.text} The new token is shown once.</p>
      <form method="post" action="/account/token/reset">
        <input type="hidden" name="replaces" value="${account.hint}">
        ${endAccessTokens(false)}
        <button class="danger">Reset token</button>
      </form>
    </details>`;
  return html`
    <div id="token">
      ${token === undefined ? "" : secret(token)}
      ${tokenFacts(context, account)}
      <p>You sign in through single sign-on. If you don't have this token, reset it here, or contact your operator.</p>
      ${isReady ? reset : html`<h4>Reset token</h4>${signInAgain(context.env, "/account")}`}
    </div>`;
}

const tokenFacts = ({ now }: Context, account: Account) => html`
  <dl class="details">
    <dt>Token</dt><dd><code>${account.hint}</code></dd>
    <dt>Created</dt><dd>${describeDay(dayOf(account.tokenCreatedAt ?? 0))}</dd>
    <dt>Last used</dt><dd>${formatLastUse(account.lastUsedDay, now)}</dd>
  </dl>`;

function tokenSection(context: Context, account: Account, token: string | undefined): Markup {
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
    <form method="post" action="/account/token/reset">
      ${field({ name: "password", label: "Your password", type: "password", autocomplete: "current-password", required: true })}
      <button>Create token</button>
    </form>`;
}

function secret(token: string): Markup {
  return html`
    <p id="token-name">Your API token. Keep it secret: anyone who has it can act as you.</p>
    <div class="secret">
      <code id="token-text" aria-labelledby="token-name" role="group" tabindex="0">${token}</code>
      ${copyButton(token, "API token")}
      <a class="button secondary" href="/account">Hide</a>
    </div>`;
}

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

/** The Show dialog focuses the password. The Reset dialog focuses Cancel, because a reset can't be undone. */
function dialog(name: "show" | "reset"): Markup {
  const { title, text } = CONFIRM[name];
  return html`
    <dialog id="${name}-dialog" aria-labelledby="${name}-title">
      <h2 id="${name}-title">${title}</h2>
      <form id="${name}-form" method="post" action="/account/token/${name}">
        <p>${text}</p>
        ${field({
          name: "password",
          id: `${name}-password`,
          label: "Your password",
          type: "password",
          autocomplete: "current-password",
          required: true,
          autofocus: name === "show",
          live: true,
        })}
        ${name === "reset" ? endAccessTokens(false) : ""}
        <div class="actions">
          <button type="button" class="secondary" commandfor="${name}-dialog" command="close" ${name === "reset" ? html`autofocus` : ""}>Cancel</button>
          <button class="${name === "reset" ? "danger" : ""}">${title}</button>
        </div>
      </form>
    </dialog>`;
}

const endAccessTokens = (isChecked: boolean) =>
  check("end_access_tokens", "End all access tokens too", isChecked);

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
  // Before the summary, which links to it.
  const password = ownPasswordField(rejected);
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
        <form method="post" action="/account/token/${name}">
          ${replaces === null ? "" : html`<input type="hidden" name="replaces" value="${replaces}">`}
          ${password}
          ${name === "reset" ? endAccessTokens(rejected.form.has("end_access_tokens")) : ""}
          <div class="actions">
            <a class="button secondary" href="/account">Cancel</a>
            <button class="${name === "reset" ? "danger" : ""}">${title}</button>
          </div>
        </form>
      </section>`,
  });
}

/** The Change password form, also after a rejected attempt: 400 for an invalid form, 403 for a wrong password. */
export function passwordPage(
  context: Context,
  session: Session,
  rejected?: RejectedForm,
  status: 200 | 400 | 403 = 200,
): Promise<Response> {
  const isTemporary = session.mustChangePassword === 1;
  const form = passwordForm(rejected, isTemporary);
  return pageResponse(context, {
    title: rejected ? "Error: Change password" : "Change password",
    status,
    user: session,
    narrow: true,
    body: html`
      <section class="card">
        <h1>${isTemporary ? "Choose your password" : "Change password"}</h1>
        ${rejected ? errorSummary(rejected, "Password not changed. Fix the errors below and try again.") : ""}
        ${isTemporary ? html`<p>You signed in with a temporary password. Choose your own password to continue.</p>` : ""}
        ${form}
        ${isTemporary ? "" : html`<p class="hint"><a href="/account">Back to your account</a></p>`}
      </section>`,
  });
}

function passwordForm(rejected?: RejectedForm, isTemporary = false): Markup {
  const password = (name: string, label: string, hint = "", subject = `The ${label.toLowerCase()}`) =>
    field(
      {
        name,
        label,
        subject,
        type: "password",
        autocomplete: name === "current_password" ? "current-password" : "new-password",
        required: true,
        hint,
      },
      rejected,
    );
  return html`
    <form method="post" action="/account/password">
      ${password("current_password", isTemporary ? "Temporary password" : "Current password")}
      ${password("new_password", "New password", "Use at least 12 characters. A few unrelated words are stronger than one word with symbols.")}
      ${password("repeat_password", "Confirm new password", "", "The confirmation")}
      <p class="hint">You'll be signed out on other devices. Your API token won't change.</p>
      <button>Change password</button>
    </form>`;
}
