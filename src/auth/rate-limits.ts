/**
 * Limits how often a credential is used and how often an address is rejected, with Cloudflare's rate limiters and without the
 * database. Without its binding a limiter limits nothing, and one that does not respond allows the request.
 */
import { acceptedTokens, blockedAddresses } from "../db/isolate-memory.ts";
import { withDeadline } from "../deadline.ts";
import type { Context } from "../env.ts";
import { AppError } from "../errors.ts";
import { logError } from "../log.ts";
import { readToken } from "./tokens.ts";

const PERIOD_SECONDS = 60;
/** A limiter counts close to the Worker. One that takes longer than this is down. */
const DEADLINE_MS = 1_000;

/**
 * Throws rate_limited if the credential was used too often, or its address had too many rejections. Neither costs a call to the
 * database or to KV. A request without a credential is not counted.
 */
export async function limitRequests(context: Context): Promise<void> {
  const { text, hash } = readToken(context);
  if (text) await limitUses(context, hash);
}

/**
 * Counts one use of the token with this SHA-256. Throws rate_limited if it was used too often, or its address had too many
 * rejections.
 */
export async function limitUses(context: Context, tokenHash: string): Promise<void> {
  const { env, now } = context;
  const isBlocked =
    env.ADDRESS_REJECTIONS !== undefined && blockedAddresses.has(addressOf(context) ?? "", now);
  if (isBlocked && !acceptedTokens.has(tokenHash, now)) throw rateLimited();
  const limiter = env.CREDENTIAL_REQUESTS;
  if (limiter && !(await consumeLimit(context, limiter, tokenHash))) throw rateLimited();
}

/** Counts a rejected credential for its address. Returns the rejection, or rate_limited after too many. */
export async function limitRejections(context: Context, rejection: AppError): Promise<AppError> {
  if (rejection.code !== "unauthorized") return rejection;
  acceptedTokens.delete(readToken(context).hash);
  const limiter = context.env.ADDRESS_REJECTIONS;
  const address = addressOf(context);
  if (!limiter || !address || (await consumeLimit(context, limiter, address))) return rejection;
  blockedAddresses.set(address, true, context.now);
  return rateLimited();
}

/** Counts an engagement that a server sends for its address. Anyone can send them. Throws rate_limited after too many. */
export async function limitServerEngagements(context: Context): Promise<void> {
  const limiter = context.env.SERVER_ENGAGEMENTS;
  const address = addressOf(context);
  if (limiter && address && !(await consumeLimit(context, limiter, address))) throw rateLimited();
}

/**
 * Counts an engagement that names sub-links which may be new. Returns whether it may create them. `partner` is whose limit it is, if a
 * server sends it: the servers of a partner send the clicks of all people, and a stranger cannot use up their limit.
 */
export async function mayCreateSubLinks(context: Context, partner?: string): Promise<boolean> {
  const { NEW_SUB_LINKS, SERVER_SUB_LINKS } = context.env;
  const limiter = partner === undefined ? NEW_SUB_LINKS : SERVER_SUB_LINKS;
  const address = addressOf(context);
  if (!limiter || !address) return true;
  return consumeLimit(context, limiter, partner === undefined ? address : `${partner} ${address}`);
}

/**
 * The address of the caller. Of an IPv6 address only the first half, because one caller usually has the whole /64 network.
 */
export function addressOf({ request }: Context): string | null {
  const address = request.headers.get("cf-connecting-ip");
  if (!address?.includes(":")) return address;
  const [before = [], after = []] = address.split("::").map((part) => part.split(":").filter(Boolean));
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0");
  return [...before, ...zeros, ...after].slice(0, 4).join(":");
}

/** Counts one use. Returns whether it is within the limit. */
export async function consumeLimit(context: Context, limiter: RateLimit, key: string): Promise<boolean> {
  try {
    return (await withDeadline(limiter.limit({ key }), DEADLINE_MS, "a rate limiter")).success;
  } catch (error) {
    logError(context.requestId, error);
    return true;
  }
}

/** `wait` is in milliseconds. */
export function rateLimited(wait = PERIOD_SECONDS * 1000, detail?: string): AppError {
  return new AppError("rate_limited", detail, { headers: { "retry-after": String(Math.ceil(wait / 1000)) } });
}
