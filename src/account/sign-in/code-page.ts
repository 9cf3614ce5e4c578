/** The page for the second step of a sign-in. */
import { html } from "hono/html";
import type { Context } from "../../env.ts";
import { errorSummary, field, type RejectedForm } from "../../pages/fields.ts";
import { pageResponse } from "../../pages/frame.ts";

interface CodeForm {
  next: string;
  status?: 200 | 400 | 401;
  rejected?: RejectedForm;
}

export function codePage(context: Context, form: CodeForm): Promise<Response> {
  const { next, status = 200, rejected } = form;
  const code = field(
    {
      name: "code",
      label: "Code",
      subject: "The code",
      autocomplete: "one-time-code",
      required: true,
      autofocus: true,
      hint: "The 6 digits that your authenticator app shows for linkledger. If you don't have the app at hand, enter a recovery code.",
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
        <form method="post" action="/login/code">
          <input type="hidden" name="next" value="${next}">
          ${code}
          <button>Sign in</button>
        </form>
      </section>
      <p class="hint"><a href="/login?${new URLSearchParams({ next })}">Start over</a>. If you lost your app and your recovery codes, ask your operator to reset your password.</p>`,
  });
}
