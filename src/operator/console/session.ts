/** The session of an operator in the console. */
import { isRecentlyConfirmed, withSession } from "../../auth/sessions.ts";
import type { SessionUser } from "../../db/accounts/sessions.ts";
import type { Context } from "../../env.ts";
import { AppError } from "../../errors.ts";
import type { Handler } from "../../http/router.ts";
import type { ActingOperator } from "../confirmation.ts";

/** A signed-in operator. */
export interface OperatorSession extends ActingOperator {
  idHash: string;
  /** Whether the password was entered a short time ago. */
  enteredPassword: boolean;
  user: Pick<SessionUser, "email" | "role" | "hasPassword">;
}

/** Runs the handler for a signed-in operator. A member gets an error page. */
export function withOperatorSession(
  handler: (context: Context, session: OperatorSession) => Promise<Response>,
): Handler {
  return withSession(async (context, { userId, idHash, ...user }) => {
    if (user.role !== "operator") throw new AppError("operator_required");
    const { now } = context;
    return handler(context, { userId, now, idHash, enteredPassword: isRecentlyConfirmed(user, now), user });
  });
}
