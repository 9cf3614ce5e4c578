/** What the pages for signed-in users share: reading the account, and checking the password that a form confirms. */
import { verifyPassword } from "../auth/passwords.ts";
import type { Purpose } from "../auth/sealed.ts";
import type { Session } from "../auth/sessions.ts";
import { limitKnownBrowser } from "../auth/sign-in/attempts.ts";
import { nameBrowser } from "../auth/sign-in/browser-name.ts";
import * as accounts from "../db/accounts/account.ts";
import { type FailedSignIn, recordFailedSignIn } from "../db/accounts/activity.ts";
import { hourOf } from "../domain/time.ts";
import type { Context } from "../env.ts";
import { AppError } from "../errors.ts";
import { readForm } from "../http/form.ts";
import * as contract from "./contract.ts";
import * as pages from "./pages.ts";
import { lastDays } from "./spend.ts";

/** The account and the key of the password that the form confirmed, or the page that shows why the form was rejected. */
export async function confirm(context: Context, session: Session, name: "show" | "reset") {
  const form = await readForm(context, contract.confirm);
  if ("errors" in form) {
    const [error] = form.errors;
    const message = `The ${error?.param} ${error?.message}.`;
    return pages.confirmPage(context, session, name, message, 400, form.sent.get("replaces"));
  }
  const { password, replaces } = form.fields;
  const loaded = await load(context, session);
  const checked = await checkPassword(context, session, loaded.account, password);
  if (!checked) {
    return pages.confirmPage(context, session, name, "Incorrect password.", 403, replaces ?? null);
  }
  return { ...loaded, ...checked, replaces };
}

/** The key of the password and the stored hash that it matches, or undefined if the password is wrong. Counts the attempt. */
export async function checkPassword(
  context: Context,
  session: Session,
  { passwordHash }: accounts.Account,
  password: string,
): Promise<{ key: Uint8Array; passwordHash: string } | undefined> {
  await limitKnownBrowser(context, session.idHash);
  const key = await verifyPassword(password, passwordHash);
  if (key && passwordHash !== null) return { key, passwordHash };
  context.trace.outcome = "wrong_password";
  context.afterResponse(recordFailure(context, session.userId, "wrong password"));
  return undefined;
}

/** Counts a wrong password or code, and records it in the audit log unless there were many. */
export function recordFailure(
  context: Context,
  userId: number,
  reason: FailedSignIn["reason"],
): Promise<void> {
  const { env, now } = context;
  const failed = { userId, now, hour: hourOf(now), reason, browser: nameBrowser(context) };
  return recordFailedSignIn(env.DB, failed);
}

export const tokenOf = ({ userId }: Session): Purpose => ({ userId, secret: "API token" });
export const secretOf = (userId: number): Purpose => ({ userId, secret: "two-factor secret" });

export async function load(context: Context, { idHash, userId }: Session) {
  const { ledger, now } = context;
  const days = lastDays(now);
  const { account, apps, spend } = await accounts.readAccount(ledger, { idHash, userId, now }, days);
  if (!account) throw new AppError("session_ended");
  return { account, apps, spend, days };
}
