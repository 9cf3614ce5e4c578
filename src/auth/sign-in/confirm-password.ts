/** Checks the password that somebody enters who is identified already, and records what is wrong. */
import { recordFailedSignIn, recordWrongConfirmation } from "../../db/accounts/failures.ts";
import { hourOf } from "../../domain/time.ts";
import type { Context } from "../../env.ts";
import { verifyPassword } from "../passwords.ts";
import { limitKnownBrowser } from "./attempts.ts";
import { nameBrowser } from "./browser-name.ts";

/**
 * The key that the password of a user yields, or undefined if it is wrong. `stored` is null without a password. `counted` is the
 * hash of what identified the user: a session or an API token. Throws rate_limited after too many attempts with it.
 */
export async function confirmPassword(
  context: Context,
  { userId, stored, counted }: { userId: number; stored: string | null; counted: string },
  password: string,
): Promise<Uint8Array | undefined> {
  await limitKnownBrowser(context, counted);
  const key = await verifyPassword(password, stored);
  if (key) return key;
  context.trace.outcome = "wrong_password";
  const { env, trace } = context;
  const failed = { ...failureOf(context, userId), route: trace.route ?? "" };
  context.afterResponse(recordWrongConfirmation(env.DB, failed));
  return undefined;
}

/** Records a wrong password or code of a sign-in in the audit log, unless there were many. */
export function recordFailure(
  context: Context,
  userId: number,
  reason: Parameters<typeof recordFailedSignIn>[1]["reason"],
): Promise<void> {
  return recordFailedSignIn(context.env.DB, { ...failureOf(context, userId), reason });
}

function failureOf(context: Context, userId: number) {
  const { now } = context;
  return { userId, now, hour: hourOf(now), browser: nameBrowser(context) };
}
