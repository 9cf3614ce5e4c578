/** What the pages for signed-in users share: reading the account, and checking the password that a form confirms. */
import type { Purpose } from "../auth/sealed.ts";
import { createSession, isRecentlyConfirmed, type Session } from "../auth/sessions.ts";
import { confirmPassword } from "../auth/sign-in/confirm-password.ts";
import { createDevice } from "../auth/sign-in/devices.ts";
import { confirmationPath } from "../auth/single-sign-on/settings.ts";
import * as accounts from "../db/accounts/account.ts";
import type { Context } from "../env.ts";
import { AppError, type InputError } from "../errors.ts";
import { readForm } from "../http/input/form.ts";
import { invalidRequest } from "../http/input/parse.ts";
import { redirectResponse } from "../http/redirect.ts";
import { rejectedWith } from "../pages/forms/fields.ts";
import * as contract from "./contract.ts";
import { confirmPage } from "./token-pages.ts";

/** The account and the key of the password that the form confirmed, or the page that shows why the form was rejected. */
export async function confirm(context: Context, session: Session, name: "show" | "reset") {
  const form = await readForm(context, contract.confirm);
  if ("errors" in form) return confirmPage(context, session, name, rejectedWith(form.errors, form.sent), 400);
  const { password, replaces, end_access_tokens } = form.fields;
  const endsAccessTokens = end_access_tokens === "yes";
  const loaded = await load(context, session);
  const checked = await checkPassword(context, session, loaded.account, password);
  if (!checked) {
    const sent = new URLSearchParams({
      ...(replaces !== undefined && { replaces }),
      ...(endsAccessTokens && { end_access_tokens: "yes" }),
    });
    return confirmPage(context, session, name, rejectedWith([INCORRECT], sent), 403);
  }
  return { ...loaded, ...checked, replaces, endsAccessTokens };
}

/** Like `confirm` for a reset, for a user without a password, who must have signed in again a short time ago. */
export async function confirmBySignIn(context: Context, session: Session) {
  const form = await readForm(context, contract.resetWithoutPassword);
  if ("errors" in form) throw invalidRequest(form.errors);
  if (!isRecentlyConfirmed(session, context.now))
    return redirectResponse(confirmationPath(context.env, "/account") ?? "/account");
  const loaded = await load(context, session);
  // An operator issues the first one (spec §5.2).
  if (loaded.account.tokenHash === null) throw new AppError("account_changed");
  const { replaces, end_access_tokens } = form.fields;
  const endsAccessTokens = end_access_tokens === "yes";
  return { ...loaded, key: undefined, passwordHash: null, replaces, endsAccessTokens };
}

const INCORRECT = { param: "password", message: "Incorrect password." };

/** The key of the password and the stored hash that it matches, or undefined if the password is wrong. Counts the attempt. */
export async function checkPassword(
  context: Context,
  session: Session,
  { passwordHash }: accounts.Account,
  password: string,
): Promise<{ key: Uint8Array; passwordHash: string } | undefined> {
  const known = { userId: session.userId, stored: passwordHash, counted: session.idHash };
  const key = await confirmPassword(context, known, password);
  return key && passwordHash !== null ? { key, passwordHash } : undefined;
}

/**
 * The stored hash of the password that the user entered, null for a user without one who has just signed in, or what was wrong.
 * Counts the attempt.
 */
export async function confirmOwn(
  context: Context,
  session: Session,
  { passwordHash }: accounts.Account,
  password: string | undefined,
): Promise<{ passwordHash: string | null } | { rejected: InputError; status: 400 | 403 }> {
  if (passwordHash === null) {
    if (isRecentlyConfirmed(session, context.now)) return { passwordHash };
    return { rejected: { param: "password", message: SIGN_IN_AGAIN }, status: 403 };
  }
  if (password === undefined) return { rejected: { param: "password", message: "is required" }, status: 400 };
  const known = { userId: session.userId, stored: passwordHash, counted: session.idHash };
  const key = await confirmPassword(context, known, password);
  return key ? { passwordHash } : { rejected: INCORRECT, status: 403 };
}

const SIGN_IN_AGAIN = "Sign in again to continue.";

/** A new session and a new ID of this browser, after a change that ends all sessions and forgets all browsers. */
export function renewBrowser(context: Context, { email }: Session) {
  const session = createSession(context);
  const { device, cookie } = createDevice(context, email, false);
  return {
    row: { ...session, ...device },
    /** Gives the browser its cookies. */
    respond: async (page: Promise<Response> | Response) => {
      const response = await page;
      for (const value of [session.cookie["set-cookie"], cookie])
        response.headers.append("set-cookie", value);
      return response;
    },
  };
}

export const tokenOf = ({ userId }: Session): Purpose => ({ userId, secret: "API token" });
export const secretOf = (userId: number): Purpose => ({ userId, secret: "two-factor secret" });

export async function load(context: Context, { idHash, userId }: Session) {
  const { env, now } = context;
  const { account, sessions } = await accounts.readAccount(env.DB, { idHash, userId, now });
  if (!account) throw new AppError("session_ended");
  return { account, sessions };
}
