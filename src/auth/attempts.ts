/** How often a password may be tried. */
import { sha256 } from "../domain/hash.ts";
import type { Context } from "../env.ts";
import { addressOf, consumeLimit, rateLimited } from "./rate-limits.ts";

/**
 * Counts one attempt for the account and one for the caller's address. Throws rate_limited when either has had too many in
 * the last minute, before any work is done on the password. A limiter that does not answer hinders nobody. An account is
 * named by its e-mail address at the sign-in, and by its session's hash within: strangers who try the one must not keep its
 * owner from a reset.
 */
export async function limitAttempts(context: Context, account: string): Promise<void> {
  const { ACCOUNT_ATTEMPTS, ADDRESS_ATTEMPTS } = context.env;
  const outcomes = await Promise.all([
    consumeLimit(context, ACCOUNT_ATTEMPTS, sha256(account)),
    consumeLimit(context, ADDRESS_ATTEMPTS, addressOf(context) ?? ""),
  ]);
  if (outcomes.includes(false)) throw rateLimited();
}
