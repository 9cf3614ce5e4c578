/**
 * Asks for the operator's password in a form that shows or issues a secret or changes a role or a password, unless it was entered
 * in the last ten minutes: an unattended browser is not enough.
 */
import { html } from "hono/html";
import { updatePasswordAt } from "../../db/accounts/sessions.ts";
import type { Context } from "../../env.ts";
import type { Markup } from "../../http/pages.ts";
import { requirePassword } from "../confirmation.ts";
import type { Form, FormError, OperatorSession } from "./layout.ts";

const RECENT_MS = 10 * 60 * 1000;
export const PASSWORD_FIELD = "your_password";

/** Whether the password was entered in the last ten minutes. */
export function isRecent(passwordAt: number, now: number): boolean {
  return passwordAt > now - RECENT_MS;
}

/** The field for the password; nothing if it is not needed. `form` makes its ID unique on the page. Never shows what was sent. */
export function passwordField(
  { enteredPassword }: OperatorSession,
  form: string,
  formError?: FormError,
): Markup | "" {
  if (enteredPassword) return "";
  const id = `${form}-${PASSWORD_FIELD}`;
  const error = formError?.error.errors.find(({ param }) => param === PASSWORD_FIELD);
  return html`
    <div class="field">
      <label for="${id}">Your password</label>
      <input id="${id}" name="${PASSWORD_FIELD}" type="password" autocomplete="current-password" required aria-describedby="${id}-hint" ${error ? html`aria-invalid="true"` : ""}>
      <p class="hint" id="${id}-hint">Enter it again to continue. You won't be asked for the next 10 minutes.</p>
    </div>`;
}

/** Throws password_required, wrong_password or rate_limited unless the password was entered, now or a short time ago. */
export async function confirmOperator(
  context: Context,
  session: OperatorSession,
  form: Form,
): Promise<OperatorSession> {
  if (session.enteredPassword) return session;
  await requirePassword(context, session, form.get(PASSWORD_FIELD) ?? undefined);
  await updatePasswordAt(context.env.DB, { idHash: session.idHash, now: context.now });
  return { ...session, enteredPassword: true };
}
