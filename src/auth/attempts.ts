/** How often a password may be tried. */
import type { Context } from "../env.ts";
import { isWithin, rateLimited } from "./rate-limits.ts";
import { sha256 } from "./secrets.ts";

/**
 * Counts one attempt for the account and one for the caller's address. Throws rate_limited when either has had too many in
 * the last minute, before any work is done on the password. A limiter that does not answer hinders nobody.
 */
export async function countAttempt(context: Context, email: string): Promise<void> {
  const { ACCOUNT_ATTEMPTS, ADDRESS_ATTEMPTS } = context.env;
  const address = context.request.headers.get("cf-connecting-ip") ?? "";
  const outcomes = await Promise.all([
    isWithin(context, ACCOUNT_ATTEMPTS, sha256(email)),
    isWithin(context, ADDRESS_ATTEMPTS, address),
  ]);
  if (outcomes.includes(false)) throw rateLimited();
}
