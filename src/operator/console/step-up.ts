/**
 * Asks for the operator's password in a form that shows or issues a secret or changes a role or a password, unless it was entered
 * in the last ten minutes: an unattended browser is not enough.
 */
import { updatePasswordAt } from "../../db/accounts/sessions.ts";
import type { Context } from "../../env.ts";
import { field } from "../../http/input/form-fields.ts";
import type { Markup } from "../../http/pages.ts";
import { passwordError, requirePassword } from "../confirmation.ts";
import type { Form, FormError, OperatorSession } from "./layout.ts";

const RECENT_MS = 10 * 60 * 1000;
const PASSWORD_FIELD = "your_password";

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
  return field(
    {
      name: PASSWORD_FIELD,
      id: `${form}-${PASSWORD_FIELD}`,
      label: "Your password",
      type: "password",
      autocomplete: "current-password",
      required: true,
      hint: "Enter it again to continue. You won't be asked for the next 10 minutes.",
    },
    formError,
  );
}

/** Throws password_required, wrong_password or rate_limited unless the password was entered, now or a short time ago. */
export async function confirmOperator(
  context: Context,
  session: OperatorSession,
  form: Form,
): Promise<OperatorSession> {
  if (session.enteredPassword) return session;
  const sent = form.get(PASSWORD_FIELD);
  if (sent === null)
    throw passwordError("password_required", "is required", "Enter your password to confirm.");
  await requirePassword(context, session, sent);
  await updatePasswordAt(context.env.DB, { idHash: session.idHash, now: context.now });
  return { ...session, enteredPassword: true };
}
