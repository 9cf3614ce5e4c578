/** The session of an operator in the console. */
import { html } from "hono/html";
import { isRecentlyConfirmed, lacksSecondFactor, withSession } from "../../auth/sessions.ts";
import { confirmationPath } from "../../auth/single-sign-on/settings.ts";
import type { SessionUser } from "../../db/accounts/sessions.ts";
import type { Context, SignedIn } from "../../env.ts";
import { AppError, ERRORS } from "../../errors.ts";
import { wantsJson } from "../../http/accept.ts";
import type { Handler } from "../../http/router.ts";
import { buttonLink } from "../../pages/elements.ts";
import { pageResponse } from "../../pages/frame.ts";
import type { Markup } from "../../pages/markup.ts";
import { signInAgain } from "../../pages/notice.ts";
import type { ActingOperator } from "../confirmation.ts";

const ONLY_PASSWORD =
  "Your sign-in page says that you entered only a password there. The console needs a second factor: sign in again, and use one.";

function rejectPassword(context: Context, user: SignedIn): Promise<Response> {
  if (wantsJson(context.request)) throw new AppError("two_factor_required", ONLY_PASSWORD);
  context.trace.outcome = "two_factor_required";
  const { title, status } = ERRORS.two_factor_required;
  const again = confirmationPath(context.env, "/operator") ?? "/account";
  return pageResponse(context, {
    ...{ title, status, user },
    narrow: true,
    body: html`
      <section class="card">
        <h1>${title}</h1>
        <p data-error>${ONLY_PASSWORD}</p>
        <p class="actions">${buttonLink(again, "Sign in again", "")} ${buttonLink("/account", "Account")}</p>
      </section>`,
  });
}

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
    if (lacksSecondFactor(context, user)) return rejectPassword(context, user);
    const { now } = context;
    const enteredPassword = isRecentlyConfirmed(user, now);
    const again = signInAgain(context.env, context.url.pathname);
    return handler(context, { userId, now, idHash, enteredPassword, user, signInAgain: again });
  });
}
