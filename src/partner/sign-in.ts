/** Signs a partner in with a credential, and out again. */
import { html } from "hono/html";
import * as z from "zod/mini";
import {
  endPartnerSession,
  hasPartnerCookie,
  PARTNER_SIGN_IN_NOTICES,
  startPartnerSession,
} from "../auth/partner-sessions.ts";
import { rejectCrossSite } from "../auth/sessions.ts";
import type { Context } from "../env.ts";
import { AppError, type InputError } from "../errors.ts";
import { readForm } from "../http/input/form.ts";
import { redirectResponse } from "../http/redirect.ts";
import type { Handler } from "../http/router.ts";
import { nameContact, operatorContact } from "../pages/contact.ts";
import { errorSummary, rejectedWith } from "../pages/forms/fields.ts";
import { form } from "../pages/forms/form.ts";
import { pageResponse } from "../pages/frame.ts";

/** The sign-in page; for a browser with a session, what `then` shows. */
export function orSignIn(then: Handler): Handler {
  return (context) => (hasPartnerCookie(context) ? then(context) : signInPage(context));
}

const signInFields = z.object({
  credential: z.string().check(z.trim(), z.minLength(1, "must not be empty")),
});

export async function signIn(context: Context): Promise<Response> {
  rejectCrossSite(context);
  const sent = await readForm(context, signInFields);
  if ("errors" in sent) return signInPage(context, 400, sent.errors);
  const { credential } = sent.fields;
  try {
    return redirectResponse("/partner", await startPartnerSession(context, credential));
  } catch (error) {
    const isRejected =
      error instanceof AppError && (error.code === "unauthorized" || error.code === "credential_revoked");
    if (!isRejected) throw error;
    context.trace.outcome = error.code;
    if (error.code === "credential_revoked")
      return signInPage(context, 403, [
        reject(nameContact(context.env, "This credential was revoked. Ask your operator for a new one.")),
      ]);
    const message = credential.startsWith("ll_api_")
      ? "This is a user's API token. Enter a credential that starts with ll_live_ or ll_test_."
      : "We don't know this credential. Check that you copied all of it.";
    return signInPage(context, 401, [reject(message)]);
  }
}

const reject = (message: string): InputError => ({ param: "credential", message });

export async function signOut(context: Context): Promise<Response> {
  rejectCrossSite(context);
  return PARTNER_SIGN_IN_NOTICES.redirect("/partner", "signed-out", await endPartnerSession(context));
}

function signInPage(context: Context, status = 200, errors?: InputError[]): Promise<Response> {
  const rejected = errors && rejectedWith(errors);
  // Before the summary, which links to its field.
  const signInForm = form(
    {
      action: "/partner",
      fields: {
        credential: {
          label: "Credential",
          subject: "The credential",
          type: "password",
          required: true,
          autofocus: true,
          hint: html`Your live or test credential. It starts with <code>ll_live_</code> or <code>ll_test_</code>.`,
        },
      },
      button: "Sign in",
    },
    rejected,
  );
  const notice = PARTNER_SIGN_IN_NOTICES.read(context.url);
  return pageResponse(context, {
    title: rejected ? "Error: Partner sign-in" : "Partner sign-in",
    status,
    ...(status === 401 && { headers: { "www-authenticate": 'Form realm="linkledger"' } }),
    narrow: true,
    navigation: html`<a href="/login">Member sign-in</a>`,
    body: html`
      <section class="card">
        <h1>Partner sign-in</h1>
        ${notice && !rejected ? html`<p class="notice" role="status">${notice}</p>` : ""}
        ${rejected ? errorSummary(rejected, "You're not signed in.") : ""}
        ${signInForm}
      </section>
      <p class="hint">No credential yet? Ask ${operatorContact(context.env)}: you get it with the first <a href="/docs/rounds">integration round</a>.</p>`,
  });
}
