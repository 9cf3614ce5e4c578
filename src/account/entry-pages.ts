/** The sign-in page. */
import { html } from "hono/html";
import { SIGN_IN_NOTICES } from "../auth/sessions.ts";
import { nameOfSingleSignOn } from "../auth/single-sign-on/settings.ts";
import type { Context } from "../env.ts";
import type { InputError } from "../errors.ts";
import { nameContact, operatorContact } from "../pages/contact.ts";
import { notice as alert, buttonLink } from "../pages/elements.ts";
import { errorSummary, rejectedWith } from "../pages/forms/fields.ts";
import { form } from "../pages/forms/form.ts";
import { pageResponse } from "../pages/frame.ts";

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
  /** The provider does not answer, so only passwords work. */
  isSingleSignOnDown?: boolean;
}

export function signInPage(context: Context, given: SignInForm): Promise<Response> {
  const singleSignOn = nameOfSingleSignOn(context.env);
  const notice = SIGN_IN_NOTICES.read(context.url);
  const message = given.rejected && nameContact(context.env, REJECTED[given.rejected]);
  const errors = message === undefined ? given.errors : [{ param: "password", message }];
  const sent = new URLSearchParams({ email: given.email ?? "" });
  const rejected = errors && rejectedWith(errors, sent);
  // Before the summary, which links to its fields.
  const enter = form(
    {
      action: "/login",
      hidden: { next: given.next },
      fields: {
        email: {
          label: "Email",
          subject: "The email address",
          type: "email",
          autocomplete: "username",
          required: true,
          autofocus: true,
        },
        password: {
          label: "Password",
          subject: "The password",
          type: "password",
          autocomplete: "current-password",
          required: true,
        },
      },
      button: "Sign in",
    },
    rejected,
  );
  return pageResponse(context, {
    title: rejected ? "Error: Sign in" : "Sign in",
    status: given.rejected ? 401 : rejected ? 400 : 200,
    ...(given.rejected && { headers: { "www-authenticate": 'Form realm="linkledger"' } }),
    narrow: true,
    body: html`
      <section class="card">
        <h1>Sign in</h1>
        ${notice && !rejected ? html`<p class="notice" role="status">${notice}</p>` : ""}
        ${rejected ? errorSummary(rejected, "You're not signed in.") : ""}
        ${given.isSingleSignOnDown ? alert("Single sign-on doesn't work at the moment. Try again later, or sign in with your password if you have one.", "error") : ""}
        ${enter}
      </section>
      ${singleSignOn === undefined ? "" : html`<p class="actions">${buttonLink(`/login/sso?${new URLSearchParams({ next: given.next })}`, `Sign in with ${singleSignOn}`)}</p>`}
      <p class="hint">${singleSignOn === undefined ? "Using single sign-on, or forgot" : "Forgot"} your password? Contact ${operatorContact(context.env)}.</p>
      <p class="hint">Partner? <a href="/partner">Sign in with your credential</a></p>`,
  });
}
