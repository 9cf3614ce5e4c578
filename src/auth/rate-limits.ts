/**
 * How often a credential may be used, and how often an address may be refused. Counted at the door, beside the Worker and
 * not in a database. A limiter that is not bound limits nothing, and one that does not answer hinders nobody.
 */

import { withDeadline } from "../deadline.ts";
import { sha256 } from "../domain/hash.ts";
import type { Context } from "../env.ts";
import { AppError } from "../errors.ts";
import { logError } from "../log.ts";
import { readToken } from "./guards.ts";

const PERIOD_SECONDS = 60;
/** A limiter counts beside the Worker: one that takes longer than this is down. */
const DEADLINE_MS = 1_000;

/** Throws rate_limited where the credential was used too often. Nothing is counted, nor waited for, without one. */
export async function limitRequests(context: Context): Promise<void> {
  const limiter = context.env.CREDENTIAL_REQUESTS;
  const token = readToken(context);
  if (!limiter || !token) return;
  if (!(await consumeLimit(context, limiter, sha256(token)))) throw rateLimited();
}

/** What an address is told whose credentials were refused: that they were, or after too many to wait. */
export async function limitRejections(context: Context, rejection: AppError): Promise<AppError> {
  const limiter = context.env.ADDRESS_REJECTIONS;
  const address = addressOf(context);
  if (rejection.code !== "unauthorized" || !limiter || !address) return rejection;
  return (await consumeLimit(context, limiter, address)) ? rejection : rateLimited();
}

/** Who asks from where. Of IPv6 its first half: who has one address there has all that begin like it. */
export function addressOf({ request }: Context): string | null {
  const address = request.headers.get("cf-connecting-ip");
  if (!address?.includes(":")) return address;
  const [before = [], after = []] = address.split("::").map((part) => part.split(":").filter(Boolean));
  const leftOut = Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0");
  return [...before, ...leftOut, ...after].slice(0, 4).join(":");
}

/** Counts one, and says whether that was still allowed. */
export async function consumeLimit(context: Context, limiter: RateLimit, key: string): Promise<boolean> {
  try {
    return (await withDeadline(limiter.limit({ key }), DEADLINE_MS, "a limiter")).success;
  } catch (error) {
    logError(context.requestId, error);
    return true;
  }
}

export function rateLimited(): AppError {
  return new AppError("rate_limited", undefined, { headers: { "retry-after": String(PERIOD_SECONDS) } });
}
