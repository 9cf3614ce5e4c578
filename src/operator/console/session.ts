/** The session of an operator in the console. */
import { isRecentlyConfirmed, withSession } from "../../auth/sessions.ts";
import type { SessionUser } from "../../db/accounts/sessions.ts";
import type { Context } from "../../env.ts";
import { AppError } from "../../errors.ts";
import type { Handler } from "../../http/router.ts";
import type { Markup } from "../../pages/markup.ts";
import { signInAgain } from "../../pages/notice.ts";
import type { ActingOperator } from "../confirmation.ts";

/** A signed-in operator. */
export interface OperatorSession extends ActingOperator {
  idHash: string;
  /** Whether the password was entered a short time ago. */
  enteredPassword: boolean;
  user: Pick<SessionUser, "email" | "role" | "hasPassword">;
  /** What asks an operator without a password to sign in again, and leads back to the page. */
  signInAgain: Markup;
}

/** Runs the handler for a signed-in operator. A member gets an error page. */
export function withOperatorSession(
  handler: (context: Context, session: OperatorSession) => Promise<Response>,
): Handler {
  return withSession(async (context, { userId, idHash, ...user }) => {
    if (user.role !== "operator") throw new AppError("operator_required");
    const { now } = context;
    const enteredPassword = isRecentlyConfirmed(user, now);
    const again = signInAgain(context.env, context.url.pathname);
    return handler(context, { userId, now, idHash, enteredPassword, user, signInAgain: again });
  });
}
