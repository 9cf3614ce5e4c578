/**
 * Asks for the operator's password in a form that shows or issues a secret, changes how a user signs in, or acts on an operator,
 * unless it was entered in the last ten minutes: an unattended browser is not enough. An operator without a password signs in again
 * at the provider of single sign-on.
 */
import { updatePasswordAt } from "../../db/accounts/sessions.ts";
import type { Context } from "../../env.ts";
import { invalidRequest } from "../../http/input/parse.ts";
import { field, type RejectedForm } from "../../pages/forms/fields.ts";
import type { Markup } from "../../pages/markup.ts";
import { checkPassword } from "../confirmation.ts";
import type { OperatorSession } from "./session.ts";

const PASSWORD_FIELD = "your_password";

/** The field for the password; nothing if it is not needed. `form` makes its ID unique on the page. Never shows what was sent. */
export function passwordField(
  { enteredPassword, user, signInAgain }: OperatorSession,
  form: string,
  rejected?: RejectedForm,
): Markup | "" {
  if (enteredPassword) return "";
  if (!user.hasPassword) return signInAgain;
  return field(
    {
      name: PASSWORD_FIELD,
      id: `${form}-${PASSWORD_FIELD}`,
      label: "Your password",
      type: "password",
      autocomplete: "current-password",
      required: true,
      hint: "Enter it to continue. You won't be asked again for 10 minutes.",
    },
    rejected,
  );
}

/**
 * Returns what asks for the password that a form sent, unless it was entered a short time ago. It throws password_required,
 * wrong_password or rate_limited. A password is checked once.
 */
export function confirmationOf(
  context: Context,
  session: OperatorSession,
  form: URLSearchParams,
): NonNullable<OperatorSession["confirm"]> {
  let { enteredPassword } = session;
  return async (errors = []) => {
    const sent = form.get(PASSWORD_FIELD) || undefined;
    const isMissing = !enteredPassword && session.user.hasPassword && sent === undefined;
    if (errors.length > 0)
      throw invalidRequest(
        isMissing ? [...errors, { param: PASSWORD_FIELD, message: "is required" }] : errors,
      );
    if (enteredPassword) return;
    await checkPassword(context, session, sent, { ask: "Enter your password to confirm." });
    await updatePasswordAt(context.env.DB, { idHash: session.idHash, now: context.now });
    enteredPassword = true;
  };
}
