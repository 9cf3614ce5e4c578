/** How often a password may be tried. */
import type { Context } from "../env.ts";
import { AppError } from "../errors.ts";
import { logError } from "../log.ts";
import { sha256 } from "./secrets.ts";

const WAIT_SECONDS = 60;

/**
 * Counts one attempt for the caller's address and one for the account. Throws rate_limited when either has had too many in
 * the last minute, before any work is done on the password. A limiter that does not answer hinders nobody.
 */
export async function countAttempt(context: Context, account: string): Promise<void> {
  const address = context.request.headers.get("cf-connecting-ip") ?? "unknown";
  const keys = [`address ${address}`, `account ${sha256(account)}`];
  const outcomes = await Promise.all(
    keys.map((key) =>
      context.env.PASSWORD_ATTEMPTS.limit({ key }).catch((error) => {
        logError(context.requestId, error);
        return { success: true };
      }),
    ),
  );
  if (outcomes.some(({ success }) => !success)) {
    throw new AppError("rate_limited", undefined, { headers: { "retry-after": String(WAIT_SECONDS) } });
  }
}
