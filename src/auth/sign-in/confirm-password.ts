/** Checks the password that somebody enters who is identified already, and counts what fails. */
import { type FailedSignIn, recordFailedSignIn } from "../../db/accounts/activity.ts";
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
  context.afterResponse(recordFailure(context, userId, "wrong password"));
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
