/** The sign-in page. */
import { html } from "hono/html";
import type { Context } from "../env.ts";
import type { InputError } from "../errors.ts";
import { pageResponse } from "../http/pages.ts";
import { field, otherErrors } from "./fields.ts";
import { describeError } from "./rules.ts";

const SIGN_IN_NOTICES = new Map([
  ["ended", "Your session expired. Sign in again to continue."],
  ["signed-out", "You've been signed out."],
  ["signed-out-everywhere", "You've been signed out on all devices."],
]);

const REJECTED = {
  incorrect: "Incorrect email or password.",
  expired: "This temporary password has expired. Ask your operator for a new one.",
};

export interface SignInForm {
  next: string;
  email?: string;
  /** `incorrect`: the page does not reveal which of the two is wrong. `expired`: both are right. */
  rejected?: keyof typeof REJECTED;
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
        ${form.rejected ? html`<p class="notice error" role="alert">${REJECTED[form.rejected]}</p>` : ""}
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
            autofocus: form.rejected !== undefined,
            error: describeError(errors, "The password", "password"),
          })}
          ${otherErrors(errors, ["email", "password"])}
          <button>Sign in</button>
        </form>
      </section>
      <p class="hint">Using single sign-on, or forgot your password? Contact your operator.</p>`,
  });
}
