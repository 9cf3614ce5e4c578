/** What the account pages look like. Text only: what may be shown to whom was decided before. */
import { html } from "hono/html";
import type { Session } from "../auth/sessions.ts";
import type { Account, OwnApp } from "../db/accounts.ts";
import type { Context } from "../env.ts";
import type { Fault } from "../errors.ts";
import { type Markup, type Page, pageResponse } from "../http/page.ts";
import { formatDay, formatLastUse, sayFault } from "./rules.ts";
import { script } from "./script.ts";

export function landingPage(context: Context, user: Page["user"]): Promise<Response> {
  const { origin } = context.url;
  return pageResponse(context, {
    title: "Links and ad costs",
    user,
    body: html`
      <h1>Links for your apps, and what they cost</h1>
      <p class="lead">linkledger keeps the links of your campaigns, records their clicks and impressions, and matches each ad cost that a partner reports to the engagement it paid for.</p>
      <p class="actions">
        <a class="button" href="${user ? "/account" : "/login"}">${user ? "To your account" : "Sign in"}</a>
        <a class="button secondary" href="/docs">Read the API reference</a>
      </p>
      <hr>
      <div class="grid">
        <section class="card">
          <h2>Campaign interface</h2>
          <p>Read partners, links and sub-links; create links and attach a partner. It takes the API token from your account page.</p>
          <pre tabindex="0" aria-label="A request to the campaign interface">curl ${origin}/public/v1/partners \\
  -H 'Authorization: Token token=…'</pre>
        </section>
        <section class="card">
          <h2>Cost interface</h2>
          <p>Partners send the cost of a click or an impression up to seven days after it, with the credential that the operator gave them.</p>
          <pre tabindex="0" aria-label="A request to the cost interface">curl ${origin}/cost \\
  -H 'Authorization: Token token=…' \\
  -d cost_type=cpc -d cost_currency=USD \\
  -d cost_amount=0.25 -d cost_id=… -d tag=…</pre>
        </section>
      </div>`,
  });
}

const SIGN_IN_NOTICES: Record<string, string> = {
  ended: "Your session has ended. Sign in again to go on.",
  "signed-out": "You are signed out.",
  "signed-out-everywhere": "You are signed out in every browser.",
};

export interface SignInForm {
  next: string;
  email?: string;
  /** Refused as a whole: does not say whether the address or the password was wrong. */
  refused?: boolean;
  faults?: Fault[];
}

export function signInPage(context: Context, form: SignInForm): Promise<Response> {
  const { faults = [] } = form;
  const notice = SIGN_IN_NOTICES[context.url.searchParams.get("notice") ?? ""];
  const failed = form.refused || faults.length > 0;
  return pageResponse(context, {
    title: failed ? "Sign in: not accepted" : "Sign in",
    status: form.refused ? 401 : failed ? 400 : 200,
    ...(form.refused && { headers: { "www-authenticate": 'Form realm="linkledger"' } }),
    narrow: true,
    body: html`
      <section class="card">
        <h1>Sign in</h1>
        ${notice && !failed ? html`<p class="notice" role="status">${notice}</p>` : ""}
        ${form.refused ? html`<p class="notice error" role="alert">The e-mail address or the password is not right.</p>` : ""}
        <form method="post" action="/login">
          <input type="hidden" name="next" value="${form.next}">
          ${field({
            name: "email",
            label: "E-mail",
            type: "email",
            autocomplete: "username",
            value: form.email ?? "",
            autofocus: !failed,
            error: sayFault(faults, "The e-mail address", "email"),
          })}
          ${passwordField("password", "Password", "current-password", sayFault(faults, "The password", "password"))}
          ${otherFaults(faults, ["email", "password"])}
          <button>Sign in</button>
        </form>
      </section>
      <p class="hint">Your company signs in through single sign-on, or you have lost your password? The operator of this service helps.</p>`,
  });
}

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
  { account, apps }: { account: Account; apps: OwnApp[] },
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
      <section class="card" aria-labelledby="details">
        <h2 id="details">User details</h2>
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
      <section class="card" aria-labelledby="security">
        <h2 id="security">Password and sessions</h2>
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
  const action = account.token_hash === null ? "Create token" : "Reset token";
  return html`
    <div id="token">
      <input type="hidden" name="replaces" value="${account.hint ?? ""}" form="reset-form">
      ${token === undefined ? "" : secret(token)}
      ${tokenDetails(context, account)}
    </div>
    <div class="actions">
      ${account.sealed === null ? "" : html`<button commandfor="show-dialog" command="show-modal">Show token</button>`}
      <button class="secondary" commandfor="reset-dialog" command="show-modal">${action}</button>
    </div>
    ${
      account.sealed === null
        ? ""
        : dialog("show", "Show token", {
            text: html`<p>Enter your password to read the token. Nothing changes.</p>`,
            focus: "password",
          })
    }
    ${dialog("reset", action, {
      text: account.token_hash === null ? html`<p>You have no API token yet.</p>` : resetWarning(account),
      focus: "cancel",
    })}`;
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

function tokenDetails({ now }: Context, account: Account): Markup {
  if (account.hint === null || account.token_created_at === null) {
    return html`<p>You have no API token yet. With one, your programs use the campaign interface in your name.</p>`;
  }
  return html`
    <dl class="details">
      <dt>Token</dt><dd><code>${account.hint}</code></dd>
      <dt>Made</dt><dd>${formatDay(account.token_created_at)}</dd>
      <dt>Last used</dt><dd>${formatLastUse(account.last_used_day, now)}</dd>
    </dl>
    ${account.sealed === null ? html`<p class="hint">The operator issued this token, so it cannot be shown here. Reset it to get one that can.</p>` : ""}`;
}

function resetWarning({ hint }: Account): Markup {
  return html`
    <p>The token <code>${hint}</code> stops working at once, everywhere. Programs that use it are refused until you give them the new one. Your other browsers are signed out.</p>`;
}

function dialog(
  name: "show" | "reset",
  title: string,
  { text, focus }: { text: Markup; focus: "password" | "cancel" },
): Markup {
  return html`
    <dialog id="${name}-dialog" aria-labelledby="${name}-title">
      <h2 id="${name}-title">${title}</h2>
      <form id="${name}-form" method="post" action="/account/token/${name}">
        ${text}
        ${passwordField("password", "Your password", "current-password", undefined, `${name}-password`, focus === "password")}
        <div class="actions">
          <button type="button" class="secondary" commandfor="${name}-dialog" command="close" ${focus === "cancel" ? html`autofocus` : ""}>Cancel</button>
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
    <section class="card" aria-labelledby="apps">
      <h2 id="apps">Apps</h2>
      ${
        apps.length === 0
          ? html`<p>You may see no app yet. The operator of this service adds you to one.</p>`
          : html`<div class="table" tabindex="0" role="region" aria-labelledby="apps">
              <table>
                <thead><tr><th scope="col">Name</th><th scope="col">App token</th><th scope="col" class="number">Links</th></tr></thead>
                <tbody>${rows}</tbody>
              </table>
            </div>`
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
  replaces: string | undefined,
): Promise<Response> {
  const title = name === "show" ? "Show token" : "Reset token";
  return pageResponse(context, {
    title: `${title}: not accepted`,
    status,
    user: session,
    narrow: true,
    body: html`
      <section class="card">
        <h1>${title}</h1>
        <p class="notice" role="status">Nothing was changed.</p>
        <form method="post" action="/account/token/${name}">
          ${replaces === undefined ? "" : html`<input type="hidden" name="replaces" value="${replaces}">`}
          ${passwordField("password", "Your password", "current-password", error, "password", true)}
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
  faults: Fault[],
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
        ${passwordForm(faults)}
        <p class="hint"><a href="/account">Back to the account</a></p>
      </section>`,
  });
}

function passwordForm(faults: Fault[]): Markup {
  const fault = (label: string, param: string) => sayFault(faults, label, param);
  return html`
    <form method="post" action="/account/password">
      ${passwordField("current_password", "Current password", "current-password", fault("The current password", "current_password"))}
      ${passwordField("new_password", "New password", "new-password", fault("The new password", "new_password"))}
      <p class="hint" id="new_password-hint">At least 12 characters. A few words that you can remember are better than one with signs in it.</p>
      ${passwordField("repeat_password", "New password again", "new-password", fault("The repeated password", "repeat_password"))}
      ${otherFaults(faults, ["current_password", "new_password", "repeat_password"])}
      <p class="hint">Your other browsers are signed out. Your API token stays.</p>
      <button>Change password</button>
    </form>`;
}

function otherFaults(faults: Fault[], known: string[]): Markup {
  const others = faults.filter((fault) => !known.includes(fault.param));
  return html`${others.map((fault) => html`<p class="field-error" role="alert"><code>${fault.param}</code> ${fault.message}.</p>`)}`;
}

function passwordField(
  name: string,
  label: string,
  autocomplete: string,
  error: string | undefined,
  id: string = name,
  autofocus = false,
): Markup {
  return field({ name, id, label, type: "password", autocomplete, error, autofocus });
}

interface Field {
  name: string;
  id?: string;
  label: string;
  type: "email" | "password";
  autocomplete: string;
  value?: string;
  autofocus?: boolean;
  error: string | undefined;
}

/** A labelled input with the place where its error is told. */
function field({ name, id = name, label, type, autocomplete, value, autofocus, error }: Field): Markup {
  return html`
    <div class="field">
      <label for="${id}">${label}</label>
      <input id="${id}" name="${name}" type="${type}" autocomplete="${autocomplete}" required
        aria-describedby="${id}-error" aria-invalid="${error !== undefined}"
        ${value ? html`value="${value}"` : ""} ${autofocus || error !== undefined ? html`autofocus` : ""}>
      <p class="field-error" id="${id}-error" role="alert" ${error === undefined ? "" : html`data-error`}>${error ?? ""}</p>
    </div>`;
}
