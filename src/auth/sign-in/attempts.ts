/**
 * Limits how often a password or a code can be tried, before it is checked. A limiter that does not respond allows the attempt.
 */
import { sha256 } from "../../domain/hash.ts";
import type { Context } from "../../env.ts";
import { addressOf, consumeLimit, rateLimited } from "../rate-limits.ts";

/**
 * Counts a sign-in by a browser that has not signed in to the account before. Throws rate_limited if there were too many in the
 * last minute from the address, for the account from the address, or for the account from all addresses. Attempts that one
 * address makes beyond its own limit do not count for the account, so one address cannot use up the account's limit.
 */
export async function limitStranger(context: Context, email: string): Promise<void> {
  const { PASSWORD_ATTEMPTS, ADDRESS_ATTEMPTS, ACCOUNT_ATTEMPTS } = context.env;
  const address = addressOf(context) ?? "";
  const outcomes = await Promise.all([
    consumeLimit(context, ADDRESS_ATTEMPTS, address),
    consumeLimit(context, PASSWORD_ATTEMPTS, sha256(`${address} ${email}`)),
  ]);
  if (outcomes.includes(false)) throw rateLimited();
  if (!(await consumeLimit(context, ACCOUNT_ATTEMPTS, sha256(email)))) throw rateLimited();
}

/**
 * Counts a step of single sign-on. Throws rate_limited if there were too many in the last minute from the address. They do not count
 * as passwords of the address.
 */
export async function limitSingleSignOn(context: Context): Promise<void> {
  const limiter = context.env.SINGLE_SIGN_ON;
  const address = addressOf(context) ?? "";
  if (limiter && !(await consumeLimit(context, limiter, address))) throw rateLimited();
}

/**
 * Counts an attempt by a browser that we know: one that has signed in to the account before, or a session. `browser` is the
 * hash of its secret ID. It is counted by that ID only, so that no stranger can keep the owner out.
 */
export async function limitKnownBrowser(context: Context, browser: string): Promise<void> {
  if (!(await consumeLimit(context, context.env.PASSWORD_ATTEMPTS, browser))) throw rateLimited();
}
