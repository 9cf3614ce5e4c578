/**
 * Asks operators for their own password before they can act as somebody else. The API takes it in the body. The console asks for
 * it unless it was entered a short time ago.
 */
import * as z from "zod/mini";
import { confirmPassword } from "../auth/sign-in/confirm-password.ts";
import type { Operator } from "../db/audit.ts";
import { findPasswordHash } from "../db/operator/users.ts";
import { sha256 } from "../domain/hash.ts";
import type { Context } from "../env.ts";
import { AppError } from "../errors.ts";
import { password } from "../http/input/fields.ts";

/** An operator whose password the console has asked for, or who sent it. */
export interface ConfirmedOperator extends Operator {
  enteredPassword?: boolean;
}

export const yourPassword = z
  .optional(password)
  .with(
    z.describe(
      "Your own password. Required if the request changes a role, or gives somebody a password for an operator account",
    ),
  );

/** Throws password_required or wrong_password unless the operator has entered the right password. */
export async function requirePassword(
  context: Context,
  operator: ConfirmedOperator,
  sent: string | undefined,
): Promise<void> {
  if (operator.enteredPassword) return;
  if (sent === undefined) throw passwordError("password_required", "is required");
  const { userId } = operator;
  const stored = await findPasswordHash(context.env.DB, userId);
  const counted = sha256(`operator ${userId}`);
  if (!(await confirmPassword(context, { userId, stored, counted }, sent))) {
    throw passwordError("wrong_password", "is incorrect");
  }
}

/** `detail` replaces the error's own text. */
export function passwordError(
  code: "password_required" | "wrong_password",
  message: string,
  detail?: string,
): AppError {
  return new AppError(code, detail, { errors: [{ param: "your_password", message }] });
}
