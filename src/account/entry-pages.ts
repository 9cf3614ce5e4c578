/** The pages for visitors who are not signed in: the landing page and the sign-in page. */
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
      <h1>Campaign links and what they cost</h1>
      <p class="lead">Create campaign links, record clicks and impressions, and match every ad cost to the engagement behind it.</p>
      <p class="actions">
        <a class="button" href="${user ? "/account" : "/login"}">${user ? "Go to your account" : "Sign in"}</a>
        <a class="button secondary" href="/docs">Read the API reference</a>
      </p>
      <hr>
      <div class="grid">
        <section class="card">
          <h2>Campaign API</h2>
          <p>List partners, links, and sub-links. Create links and attach partners. Authenticate with the API token from your account page.</p>
          <pre>curl -H 'Authorization: Token token=…' \\
  ${origin}/public/v1/partners</pre>
        </section>
        <section class="card">
          <h2>Cost API</h2>
          <p>Partners send the cost of a click or impression within seven days. Authenticate with the credential from your operator.</p>
          <p><a href="/docs/partners">Partner guide: send your first cost in five minutes</a></p>
          <pre>curl ${origin}/cost \\
  -H 'Authorization: Token token=…' \\
  -d cost_type=cpc -d cost_currency=USD \\
  -d cost_amount=0.25 -d cost_id=… -d tag=…</pre>
        </section>
      </div>`,
  });
}

const SIGN_IN_NOTICES = new Map([
  ["ended", "Your session expired. Sign in again to continue."],
  ["signed-out", "You've been signed out."],
  ["signed-out-everywhere", "You've been signed out on all devices."],
]);

export interface SignInForm {
  next: string;
  email?: string;
  /** The credentials are wrong. The page does not reveal which of the two is wrong. */
  rejected?: boolean;
  errors?: InputError[];
}

export function signInPage(context: Context, form: SignInForm): Promise<Response> {
  const { errors = [] } = form;
  const notice = SIGN_IN_NOTICES.get(context.url.searchParams.get("notice") ?? "");
  const failed = form.rejected || errors.length > 0;
  return pageResponse(context, {
    title: failed ? "Error: Sign in" : "Sign in",
    status: form.rejected ? 401 : failed ? 400 : 200,
    ...(form.rejected && { headers: { "www-authenticate": 'Form realm="linkledger"' } }),
    narrow: true,
    body: html`
      <section class="card">
        <h1>Sign in</h1>
        ${notice && !failed ? html`<p class="notice" role="status">${notice}</p>` : ""}
        ${form.rejected ? html`<p class="notice error" role="alert">Incorrect email or password.</p>` : ""}
        <form method="post" action="/login">
          <input type="hidden" name="next" value="${form.next}">
          ${field({
            name: "email",
            label: "Email",
            type: "email",
            autocomplete: "username",
            value: form.email ?? "",
            autofocus: !failed,
            error: describeError(errors, "The email address", "email"),
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
      <p class="hint">Using single sign-on, or forgot your password? Contact your operator.</p>`,
  });
}
