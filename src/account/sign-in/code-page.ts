/** The page for the second step of a sign-in. */
import { html } from "hono/html";
import type { Context } from "../../env.ts";
import type { InputError } from "../../errors.ts";
import { pageResponse } from "../../http/pages.ts";
import { field, otherErrors } from "../fields.ts";
import { describeError } from "../rules.ts";

interface CodeForm {
  next: string;
  status?: 200 | 400 | 401;
  errors?: InputError[];
  /** A sentence. */
  rejection?: string;
}

export function codePage(context: Context, form: CodeForm): Promise<Response> {
  const { next, status = 200, errors = [], rejection } = form;
  return pageResponse(context, {
    title: status === 200 ? "Enter your code" : "Error: Enter your code",
    status,
    ...(status === 401 && { headers: { "www-authenticate": 'Form realm="linkledger"' } }),
    narrow: true,
    body: html`
      <section class="card">
        <h1>Enter your code</h1>
        <form method="post" action="/login/code">
          <input type="hidden" name="next" value="${next}">
          ${field({
            name: "code",
            label: "Code",
            type: "text",
            autocomplete: "one-time-code",
            autofocus: true,
            hint: "The 6 digits that your authenticator app shows for linkledger. If you don't have the app at hand, enter a recovery code.",
            error: rejection ?? describeError(errors, "The code", "code"),
          })}
          ${otherErrors(errors, ["code"])}
          <button>Sign in</button>
        </form>
      </section>
      <p class="hint"><a href="/login?${new URLSearchParams({ next })}">Start over</a>. If you lost your app and your recovery codes, ask your operator to reset your password.</p>`,
  });
}
