/** What is seen before one is signed in. */
import { html } from "hono/html";
import type { Context } from "../env.ts";
import type { InputError } from "../errors.ts";
import { type Page, pageResponse } from "../http/pages.ts";
import { field, otherErrors } from "./fields.ts";
import { describeError } from "./rules.ts";

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
          <pre>curl -H 'Authorization: Token token=…' \\
  ${origin}/public/v1/partners</pre>
        </section>
        <section class="card">
          <h2>Cost interface</h2>
          <p>Partners send the cost of a click or an impression up to seven days after it, with the credential that the operator gave them. The <a href="/docs/partners">guide for partners</a> gets to the first cost in five minutes.</p>
          <pre>curl ${origin}/cost \\
  -H 'Authorization: Token token=…' \\
  -d cost_type=cpc -d cost_currency=USD \\
  -d cost_amount=0.25 -d cost_id=… -d tag=…</pre>
        </section>
      </div>`,
  });
}

const SIGN_IN_NOTICES = new Map([
  ["ended", "Your session has ended. Sign in again to go on."],
  ["signed-out", "You are signed out."],
  ["signed-out-everywhere", "You are signed out in every browser."],
]);

export interface SignInForm {
  next: string;
  email?: string;
  /** Refused as a whole: does not say whether the address or the password was wrong. */
  rejected?: boolean;
  errors?: InputError[];
}

export function signInPage(context: Context, form: SignInForm): Promise<Response> {
  const { errors = [] } = form;
  const notice = SIGN_IN_NOTICES.get(context.url.searchParams.get("notice") ?? "");
  const failed = form.rejected || errors.length > 0;
  return pageResponse(context, {
    title: failed ? "Sign in: not accepted" : "Sign in",
    status: form.rejected ? 401 : failed ? 400 : 200,
    ...(form.rejected && { headers: { "www-authenticate": 'Form realm="linkledger"' } }),
    narrow: true,
    body: html`
      <section class="card">
        <h1>Sign in</h1>
        ${notice && !failed ? html`<p class="notice" role="status">${notice}</p>` : ""}
        ${form.rejected ? html`<p class="notice error" role="alert">The e-mail address or the password is not right.</p>` : ""}
        <form method="post" action="/login">
          <input type="hidden" name="next" value="${form.next}">
          ${field({
            name: "email",
            label: "E-mail",
            type: "email",
            autocomplete: "username",
            value: form.email ?? "",
            autofocus: !failed,
            error: describeError(errors, "The e-mail address", "email"),
          })}
          ${field({
            name: "password",
            label: "Password",
            type: "password",
            autocomplete: "current-password",
            autofocus: form.rejected ?? false,
            error: describeError(errors, "The password", "password"),
          })}
          ${otherErrors(errors, ["email", "password"])}
          <button>Sign in</button>
        </form>
      </section>
      <p class="hint">Your company signs in through single sign-on, or you have lost your password? The operator of this service helps.</p>`,
  });
}
