/**
 * Asks operators for their own password before they change an operator or make somebody one, or how anybody signs in. An API token
 * that leaked, or a browser that was left open, is not enough for that.
 */
import * as z from "zod/mini";
import { confirmPassword } from "../auth/sign-in/confirm-password.ts";
import type { Operator } from "../db/audit.ts";
import { findPassword } from "../db/operator/users/users.ts";
import { sha256 } from "../domain/hash.ts";
import type { Context } from "../env.ts";
import { AppError, type InputError } from "../errors.ts";
import { password } from "../http/input/fields.ts";

/** An operator who does something. */
export interface ActingOperator extends Operator {
  /**
   * In the console: asks for the password in the form, unless it was entered a short time ago. `errors`: what else is wrong with the
   * form, which is thrown first, with a missing password. A password is checked only if all else is right, because each one counts.
   */
  confirm?: (errors?: InputError[]) => Promise<void>;
}

export const yourPassword = z
  .optional(password)
  .with(z.describe("Your own password. Required unless you only disable or enable a member, or create one"));

/**
 * Throws password_required, wrong_password or rate_limited unless the operator has entered the right password. `others`: what else is
 * wrong, named beside a missing password.
 */
export async function requirePassword(
  context: Context,
  operator: ActingOperator,
  sent: string | undefined,
  others: InputError[] = [],
): Promise<void> {
  await (operator.confirm?.(others) ?? checkPassword(context, operator, sent, { others }));
}

const NO_PASSWORD =
  "Your account has no password. Sign in to the console again, and do this there in the next 10 minutes.";
const TEMPORARY_PASSWORD =
  "You have a temporary password. Sign in and choose your own, then send that as `your_password`.";

/** Like `requirePassword`, with the password that was sent. `ask` is the text of the error if there is none, and `others` are named beside it. */
export async function checkPassword(
  context: Context,
  { userId }: Operator,
  sent: string | undefined,
  { ask, others = [] }: { ask?: string; others?: InputError[] } = {},
): Promise<void> {
  const { passwordHash: stored, passwordExpiresAt } = await findPassword(context.env.DB, userId);
  if (stored === null) throw new AppError("password_required", NO_PASSWORD);
  if (passwordExpiresAt !== null) throw new AppError("password_required", TEMPORARY_PASSWORD);
  if (sent === undefined) throw passwordError("password_required", "is required", ask, others);
  const counted = sha256(`operator ${userId}`);
  if (!(await confirmPassword(context, { userId, stored, counted }, sent)))
    throw passwordError("wrong_password", "is incorrect");
}

/** `detail` replaces the error's own text. */
function passwordError(
  code: "password_required" | "wrong_password",
  message: string,
  detail?: string,
  others: InputError[] = [],
): AppError {
  return new AppError(code, detail, { errors: [...others, { param: "your_password", message }] });
}
