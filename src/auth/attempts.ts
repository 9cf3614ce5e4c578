/** Limits how often a password can be tried. */
import { sha256 } from "../domain/hash.ts";
import type { Context } from "../env.ts";
import { addressOf, consumeLimit, rateLimited } from "./rate-limits.ts";

/**
 * Counts one attempt for the account and one for the caller's address. Throws rate_limited if either had too many in the last
 * minute, before the password is hashed. A limiter that does not respond allows the attempt. The account is identified by its
 * email address at sign-in and by the session's hash after that, so that attempts by strangers cannot keep the owner from a
 * reset.
 */
export async function limitAttempts(context: Context, account: string): Promise<void> {
  const { ACCOUNT_ATTEMPTS, ADDRESS_ATTEMPTS } = context.env;
  const outcomes = await Promise.all([
    consumeLimit(context, ACCOUNT_ATTEMPTS, sha256(account)),
    consumeLimit(context, ADDRESS_ATTEMPTS, addressOf(context) ?? ""),
  ]);
  if (outcomes.includes(false)) throw rateLimited();
}
