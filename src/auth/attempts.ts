/** How often a password may be tried. */
import { sha256 } from "../domain/hash.ts";
import type { Context } from "../env.ts";
import { addressOf, isWithin, rateLimited } from "./rate-limits.ts";

/**
 * Counts one attempt for the account and one for the caller's address. Throws rate_limited when either has had too many in
 * the last minute, before any work is done on the password. A limiter that does not answer hinders nobody. An account is
 * named by its e-mail address at the sign-in, and by its session's hash within: strangers who try the one must not keep its
 * owner from a reset.
 */
export async function countAttempt(context: Context, account: string): Promise<void> {
  const { ACCOUNT_ATTEMPTS, ADDRESS_ATTEMPTS } = context.env;
  const outcomes = await Promise.all([
    isWithin(context, ACCOUNT_ATTEMPTS, sha256(account)),
    isWithin(context, ADDRESS_ATTEMPTS, addressOf(context) ?? ""),
  ]);
  if (outcomes.includes(false)) throw rateLimited();
}
