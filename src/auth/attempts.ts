/** How often a password may be tried. */
import type { Context } from "../env.ts";
import { AppError } from "../errors.ts";
import { logError } from "../log.ts";
import { sha256 } from "./secrets.ts";

const WAIT_SECONDS = 60;

/**
 * Counts one attempt for the account and one for the caller's address. Throws rate_limited when either has had too many in
 * the last minute, before any work is done on the password. A limiter that does not answer hinders nobody.
 */
export async function countAttempt(context: Context, email: string): Promise<void> {
  const { ACCOUNT_ATTEMPTS, ADDRESS_ATTEMPTS } = context.env;
  const address = context.request.headers.get("cf-connecting-ip") ?? "";
  const outcomes = await Promise.all([
    count(context, ACCOUNT_ATTEMPTS, sha256(email)),
    count(context, ADDRESS_ATTEMPTS, address),
  ]);
  if (outcomes.includes(false)) {
    throw new AppError("rate_limited", undefined, { headers: { "retry-after": String(WAIT_SECONDS) } });
  }
}

async function count(context: Context, limiter: RateLimit, key: string): Promise<boolean> {
  try {
    return (await limiter.limit({ key })).success;
  } catch (error) {
    logError(context.requestId, error);
    return true;
  }
}
