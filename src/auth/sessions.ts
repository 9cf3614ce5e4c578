/**
 * Sessions of signed-in browsers: an opaque ID in a cookie, its SHA-256 in D1. The guard also rejects forms of other
 * sites.
 */
import { createHash } from "node:crypto";
import {
  findSession,
  isSeenLongAgo,
  type NewSessionRow,
  type SessionUser,
  updateLastSeen,
} from "../db/accounts/sessions.ts";
import { sha256 } from "../domain/hash.ts";
import { HOUR_MS } from "../domain/time.ts";
import type { Context } from "../env.ts";
import { AppError } from "../errors.ts";
import { wantsJson } from "../http/accept.ts";
import { noticesOf } from "../http/notices.ts";
import { redirectResponse } from "../http/redirect.ts";
import type { Handler } from "../http/router.ts";
import { createId, readCookie, readIdHash, toSetCookie } from "./cookies.ts";
import { open, seal } from "./sealed.ts";
import { nameBrowser } from "./sign-in/browser-name.ts";

export const SIGN_IN_NOTICES = noticesOf({
  ended: "Your session expired. Sign in again to continue.",
  "signed-out": "You've been signed out.",
  "signed-out-here":
    "You've been signed out here. You may still be signed in at your company's sign-in page: sign out there too if others use this browser.",
  "signed-out-everywhere": "You've been signed out on all devices.",
});

const COOKIE = "session";

export const SESSION_MS = 12 * HOUR_MS;
/** How long a sign-in waits for its code. */
const WAITING_MS = 10 * 60 * 1000;

/** A password that was entered need not be entered again for so long. */
const RECENT_MS = 10 * 60 * 1000;

/**
 * Whether the password was entered in the session in the last ten minutes, or, without one, the user signed in at the provider to
 * confirm.
 */
export function isRecentlyConfirmed({ passwordAt }: Pick<SessionUser, "passwordAt">, now: number): boolean {
  return passwordAt > now - RECENT_MS;
}

/** A signed-in user and their session, identified by the SHA-256 of its ID. */
export interface Session extends SessionUser {
  idHash: string;
}

/** A new session: what to store, and the header that gives the browser its ID. */
interface NewSession extends NewSessionRow {
  cookie: { "set-cookie": string };
}

/**
 * Runs a handler for a signed-in user. Without a session, a browser is redirected to sign in and then back, and a program gets
 * session_ended. A user who must do something before anything else is redirected there. Throws cross_site for a form of another
 * site.
 */
export function withSession(handler: (context: Context, session: Session) => Promise<Response>): Handler {
  return async (context) => {
    rejectCrossSite(context);
    const session = await currentSession(context);
    const isPage = context.request.method === "GET" || context.request.method === "HEAD";
    const page = isPage ? context.url.pathname + context.url.search : undefined;
    const step = session && findRequiredStep(context, session);
    if (step && context.trace.route !== step.path) {
      if (wantsJson(context.request)) throw new AppError(step.code);
      return redirectToStep(step, page);
    }
    if (session) {
      context.user = session;
      return handler(context, session);
    }
    if (wantsJson(context.request)) throw new AppError("session_ended");
    const path = `/login?${new URLSearchParams({ next: page ?? "/account" })}`;
    return readCookie(context, COOKIE) === undefined
      ? redirectResponse(path)
      : SIGN_IN_NOTICES.redirect(path, "ended");
  };
}

/** The page of what a user must do before anything else, and the error for a program. */
export function findRequiredStep(context: Context, session: SessionUser) {
  if (session.mustChangePassword)
    return { path: "/account/password", code: "password_change_required" } as const;
  return mustUseTwoFactor(context, session) && !session.hasTwoFactor
    ? ({ path: "/account/two-factor", code: "two_factor_required" } as const)
    : undefined;
}

/** Leads to the page of a required step, which ends on the page `next`; without one, where its user works. */
export function redirectToStep({ path }: { path: string }, next: string | undefined): Response {
  return redirectResponse(next === undefined ? path : `${path}?${new URLSearchParams({ next })}`);
}

/**
 * Whether the user must use two-factor authentication: operators, unless the deployment makes it optional. With single sign-on,
 * the provider's factor counts.
 */
export function mustUseTwoFactor(
  { env }: Context,
  { role, hasPassword }: Pick<SessionUser, "role" | "hasPassword">,
): boolean {
  return env.OPERATOR_MFA !== "optional" && role === "operator" && hasPassword === 1;
}

/** Whether the provider of single sign-on says that an operator entered only a password there, and this deployment asks for more. */
export function lacksSecondFactor(
  { env }: Context,
  session: Pick<SessionUser, "role" | "onlyPassword">,
): boolean {
  return env.OPERATOR_MFA !== "optional" && session.role === "operator" && session.onlyPassword === 1;
}

/**
 * Marks the session as used. undefined without a valid session, also if the cookie is forged or expired or the sign-in waits for
 * its code.
 */
export async function currentSession(context: Context): Promise<Session | undefined> {
  const idHash = readSessionHash(context);
  const user = idHash && (await findSession(context.env.DB, idHash, context.now));
  if (!user) return undefined;
  context.trace.userId = user.userId;
  if (isSeenLongAgo(user, context.now))
    context.afterResponse(updateLastSeen(context.env.DB, idHash, context.now));
  return { ...user, idHash };
}

/** Another ID for a session that goes on. `cookieUntil` gives it to the browser. */
export function renewSessionId() {
  const id = createId();
  return {
    idHash: sha256(id),
    cookieUntil: (context: Context, expiresAt: number): NewSession["cookie"] => ({
      "set-cookie": toSetCookie(context, COOKIE, id, expiresAt - context.now),
    }),
  };
}

/** The SHA-256 of the ID in the cookie; undefined if the cookie is missing or malformed. */
export const readSessionHash = (context: Context): string | undefined => readIdHash(context, COOKIE);

/** `passwordAt` is when the password was entered: now by default, 0 for a sign-in that confirms nothing. */
export function createSession(context: Context, passwordAt = context.now): NewSession {
  return { ...create(context, createId(), SESSION_MS, null), passwordAt };
}

/**
 * The session of a sign-in that waits for its code. It grants nothing. It holds the two-factor secret, sealed with the ID in
 * the cookie, because the password that opens the stored secret is not sent again.
 */
export function createWaitingSession(context: Context, userId: number, secret: string): NewSession {
  const id = createId();
  return create(context, id, WAITING_MS, seal(secret, toKey(id), { userId, secret: "waiting sign-in" }));
}

/** The two-factor secret of a sign-in that waits for its code; undefined if the cookie is not the one of this sign-in. */
export function openWaitingSecret(context: Context, userId: number, sealed: string): string | undefined {
  const id = readCookie(context, COOKIE) ?? "";
  return open(sealed, toKey(id), { userId, secret: "waiting sign-in" });
}

function create(context: Context, id: string, duration: number, waitingSecret: string | null): NewSession {
  return {
    idHash: sha256(id),
    now: context.now,
    expiresAt: context.now + duration,
    waitingSecret,
    passwordAt: context.now,
    onlyPassword: 0,
    browser: nameBrowser(context),
    cookie: { "set-cookie": toSetCookie(context, COOKIE, id, duration) },
  };
}

/** A key that only the ID yields, and not its stored SHA-256. */
const toKey = (id: string): Uint8Array => createHash("sha256").update(`key of ${id}`).digest();

/** The header that deletes the cookie. */
export function endedCookie(context: Context): NewSession["cookie"] {
  return { "set-cookie": toSetCookie(context, COOKIE, "", 0) };
}

/**
 * Throws cross_site for a POST that a browser sent from another site. Browsers send Sec-Fetch-Site or at least Origin. A caller
 * that sends neither is not a browser and does not send a user's cookie.
 */
export function rejectCrossSite(context: Context): void {
  const { method } = context.request;
  if (method !== "GET" && method !== "HEAD" && isFromOtherSite(context)) throw new AppError("cross_site");
}

/** Whether a browser says that another site sent it here. A browser that says nothing of a GET is not known to be. */
export function isFromOtherSite({ request, url }: Context): boolean {
  const site = request.headers.get("sec-fetch-site");
  const origin = request.headers.get("origin");
  return site === null ? origin !== null && origin !== url.origin : !/^(same-origin|none)$/.test(site);
}
