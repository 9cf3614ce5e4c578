/** What the account pages look like. Text only: what may be shown to whom was decided before. */
import { html } from "hono/html";
import type { Session } from "../auth/sessions.ts";
import type { Account, OwnApp } from "../db/accounts/accounts.ts";
import type { DayRange, SpendRow } from "../db/ledger/shard-spend.ts";
import type { Context } from "../env.ts";
import type { InputError } from "../errors.ts";
import { type Markup, pageResponse } from "../http/pages.ts";
import { field, otherErrors } from "./fields.ts";
import { describeError, formatDay, formatLastUse } from "./rules.ts";
import { script } from "./script.ts";
import { toAppSpend } from "./spend.ts";
import { spendSection } from "./spend-section.ts";

export interface Shown {
  /** Told in the status line, and stays there. */
  message?: string;
  /** The API token in the clear. */
  token?: string;
  headers?: Record<string, string>;
}

export function accountPage(
  context: Context,
  session: Session,
  { account, apps, spend, days }: { account: Account; apps: OwnApp[]; spend: SpendRow[]; days: DayRange },
  shown: Shown = {},
): Promise<Response> {
  const hasPassword = account.password_hash !== null;
  return pageResponse(context, {
    title: "Account",
    user: session,
    scripts: [script.href],
    headers: shown.headers ?? {},
    body: html`
      <h1>Account</h1>
      <p class="status notice ok" role="status">${shown.message ?? ""}</p>
      <section class="card">
        <h2>User details</h2>
        <dl class="details">
          <dt>E-mail</dt><dd>${session.email}</dd>
          <dt>Role</dt><dd>${session.role === "operator" ? "Operator" : "Member"}</dd>
          <dt>Member since</dt><dd>${formatDay(account.created_at)}</dd>
        </dl>
        <hr>
        <h3>API token</h3>
        ${hasPassword ? ownToken(context, account, shown.token) : singleSignOn()}
      </section>
      ${ownApps(apps)}
      ${apps.map((app) => spendSection(app, days, toAppSpend(spend, app.token)))}
      <section class="card">
        <h2>Password and sessions</h2>
        ${
          hasPassword
            ? html`<details>
                <summary>Change password</summary>
                ${passwordForm([])}
              </details>`
            : ""
        }
        <hr>
        <p>Left a browser signed in somewhere? This ends every session, this one too.</p>
        <form method="post" action="/account/sign-out-everywhere"><button class="secondary">Sign out everywhere</button></form>
      </section>`,
  });
}

function singleSignOn(): Markup {
  return html`<p>You sign in through single sign-on, so your API token is not shown here. Ask the operator of this service or your representative there: they issue it to you, and reset it when you need another.</p>`;
}

function ownToken(context: Context, account: Account, token: string | undefined): Markup {
  if (account.token_hash === null) return noToken();
  const canShow = account.sealed !== null;
  return html`
    <div id="token">
      ${token === undefined ? "" : secret(token)}
      <dl class="details">
        <dt>Token</dt><dd><code>${account.hint}</code></dd>
        <dt>Made</dt><dd>${formatDay(account.token_created_at ?? 0)}</dd>
        <dt>Last used</dt><dd>${formatLastUse(account.last_used_day, context.now)}</dd>
      </dl>
      <input type="hidden" name="replaces" value="${account.hint}" form="reset-form">
      ${canShow ? "" : html`<p class="hint">This token was not made here, or your password was set anew since, so it cannot be shown. Reset it to get one that can.</p>`}
      <div class="actions">
        ${canShow ? html`<button type="button" commandfor="show-dialog" command="show-modal">Show token</button>` : ""}
        <button type="button" class="secondary" commandfor="reset-dialog" command="show-modal">Reset token</button>
      </div>
    </div>
    ${dialog("show")}
    ${dialog("reset")}`;
}

function noToken(): Markup {
  return html`
    <p>You have no API token yet. With one, your programs use the campaign interface in your name.</p>
    <form method="post" action="/account/token/reset">
      ${field({ name: "password", label: "Your password", type: "password", autocomplete: "current-password" })}
      <button>Create token</button>
    </form>`;
}

function secret(token: string): Markup {
  return html`
    <p id="token-name">Your API token. Keep it secret: whoever has it acts as you.</p>
    <div class="secret">
      <code id="token-text" aria-labelledby="token-name" role="group" tabindex="0">${token}</code>
      <button type="button" class="secondary" data-copy="token-text" aria-live="polite" hidden>Copy</button>
      <a class="button secondary" href="/account">Hide</a>
    </div>`;
}

const CONFIRM = {
  show: { title: "Show token", text: "Enter your password to read the token. Nothing changes." },
  reset: {
    title: "Reset token",
    text: "The token that you have now stops working at once, everywhere. Programs that use it are refused until you give them the new one. Your other browsers are signed out.",
  },
};

/** Show is harmless, so its password is focused; Reset is not, so its Cancel is. */
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
          autofocus: name === "show",
          error: "",
        })}
        <div class="actions">
          <button type="button" class="secondary" commandfor="${name}-dialog" command="close" ${name === "reset" ? html`autofocus` : ""}>Cancel</button>
          <button class="${name === "reset" ? "danger" : ""}">${title}</button>
        </div>
      </form>
    </dialog>`;
}

function ownApps(apps: OwnApp[]): Markup {
  const rows = apps.map(
    (app) => html`
      <tr><th scope="row">${app.name}</th><td><code>${app.token}</code></td><td class="number">${app.link_count}</td></tr>`,
  );
  return html`
    <section class="card">
      <h2 id="apps">Apps</h2>
      ${
        apps.length === 0
          ? html`<p>You may see no app yet. The operator of this service adds you to one.</p>`
          : html`<div class="table" tabindex="0" role="region" aria-labelledby="apps">
              <table>
                <thead><tr><th scope="col">Name</th><th scope="col">App token</th><th scope="col" class="number">Network links</th></tr></thead>
                <tbody>${rows}</tbody>
              </table>
            </div>
            ${apps.some((app) => app.link_count === 0) ? html`<p class="hint">An app's first link is made with your API token: see <a href="/docs#tag/campaign">the API reference</a>.</p>` : ""}`
      }
    </section>`;
}

/** Show or Reset as a page of its own: without the script, a refused attempt ends here. `error` is a sentence. */
export function confirmPage(
  context: Context,
  session: Session,
  name: "show" | "reset",
  error: string,
  status: 400 | 403,
  replaces: string | null,
): Promise<Response> {
  const { title, text } = CONFIRM[name];
  return pageResponse(context, {
    title: `${title}: not accepted`,
    status,
    user: session,
    narrow: true,
    body: html`
      <section class="card">
        <h1>${title}</h1>
        <p class="notice" role="status">Nothing was changed.</p>
        <p>${text}</p>
        <form method="post" action="/account/token/${name}">
          ${replaces === null ? "" : html`<input type="hidden" name="replaces" value="${replaces}">`}
          ${field({ name: "password", label: "Your password", type: "password", autocomplete: "current-password", error })}
          <div class="actions">
            <a class="button secondary" href="/account">Cancel</a>
            <button class="${name === "reset" ? "danger" : ""}">${title}</button>
          </div>
        </form>
      </section>`,
  });
}

/** `status` 400 for what is wrong with the form, 403 for a wrong password. */
export function passwordPage(
  context: Context,
  session: Session,
  errors: InputError[],
  status: 400 | 403,
): Promise<Response> {
  return pageResponse(context, {
    title: "Change password: not accepted",
    status,
    user: session,
    narrow: true,
    body: html`
      <section class="card">
        <h1>Change password</h1>
        <p class="notice" role="status">Nothing was changed.</p>
        ${passwordForm(errors)}
        <p class="hint"><a href="/account">Back to the account</a></p>
      </section>`,
  });
}

function passwordForm(errors: InputError[]): Markup {
  const password = (name: string, label: string, autocomplete: string, hint = "") =>
    field({
      name,
      label,
      type: "password",
      autocomplete,
      hint,
      error: describeError(errors, `The ${label.toLowerCase()}`, name),
    });
  return html`
    <form method="post" action="/account/password">
      ${password("current_password", "Current password", "current-password")}
      ${password("new_password", "New password", "new-password", "At least 12 characters. A few words that you can remember are better than one word with signs in it.")}
      ${password("repeat_password", "Repeated password", "new-password")}
      ${otherErrors(errors, ["current_password", "new_password", "repeat_password"])}
      <p class="hint">Your other browsers are signed out. Your API token stays.</p>
      <button>Change password</button>
    </form>`;
}
