/** The page for the second step of a sign-in. */
import { html } from "hono/html";
import type { Context } from "../../env.ts";
import { operatorContact } from "../../pages/contact.ts";
import { errorSummary, type RejectedForm } from "../../pages/forms/fields.ts";
import { form } from "../../pages/forms/form.ts";
import { pageResponse } from "../../pages/frame.ts";

type CodeForm = { next: string; status?: 200 | 400 | 401; rejected?: RejectedForm };

export function codePage(context: Context, sent: CodeForm): Promise<Response> {
  const { next, status = 200, rejected } = sent;
  // Before the summary, which links to its field.
  const enterCode = form(
    {
      action: "/login/code",
      hidden: { next },
      fields: {
        code: {
          label: "Code",
          subject: "The code",
          autocomplete: "one-time-code",
          required: true,
          autofocus: true,
          hint: "The 6 digits that your authenticator app shows for linkledger. If you don't have the app at hand, enter a recovery code.",
        },
      },
      button: "Sign in",
    },
    rejected,
  );
  return pageResponse(context, {
    title: rejected ? "Error: Enter your code" : "Enter your code",
    status,
    ...(status === 401 && { headers: { "www-authenticate": 'Form realm="linkledger"' } }),
    narrow: true,
    body: html`
      <section class="card">
        <h1>Enter your code</h1>
        ${rejected ? errorSummary(rejected, "You're not signed in yet.") : ""}
        ${enterCode}
      </section>
      <p class="hint"><a href="/login?${new URLSearchParams({ next })}">Start over</a>. If you lost your app and your recovery codes, ask ${operatorContact(context.env)} to turn off two-factor authentication.</p>`,
  });
}
