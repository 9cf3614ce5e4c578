/**
 * Sessions of browsers that are signed in with a partner's credential. A session is bound to that credential, which every request
 * checks again: a session without a valid credential is no session.
 */
import {
  deletePartnerSession,
  findPartnerSession,
  insertPartnerSession,
  type PartnerRow,
} from "../db/partner/sessions.ts";
import type { Credential } from "../domain/costs.ts";
import { sha256 } from "../domain/hash.ts";
import { HOUR_MS } from "../domain/time.ts";
import type { Context } from "../env.ts";
import { AppError } from "../errors.ts";
import { wantsJson } from "../http/accept.ts";
import { noticesOf } from "../http/notices.ts";
import { redirectResponse } from "../http/redirect.ts";
import type { Handler } from "../http/router.ts";
import { createId, readCookie, readIdHash, toSetCookie } from "./cookies.ts";
import { type CostCaller, guard, unauthorized } from "./guards.ts";
import { limitRejections, limitUses } from "./rate-limits.ts";
import { hashToken } from "./secrets.ts";
import { rejectCrossSite } from "./sessions.ts";
import { nameBrowser } from "./sign-in/browser-name.ts";

export const PARTNER_SIGN_IN_NOTICES = noticesOf({
  ended: "Your session ended, or your credential was revoked. Sign in again to continue.",
  "signed-out": "You've been signed out.",
});

const COOKIE = "partner";
const PARTNER_SESSION_MS = 2 * HOUR_MS;

/** The partner whose credential the browser is signed in with. `revoked` is false: the database has just confirmed it. */
export type SignedInPartner = PartnerRow & { revoked: false };

/**
 * Runs a handler for a signed-in partner and fails closed: the response is sent only if `caller.authorize` accepted every row of
 * the credential that the handler read; a handler that reads nothing else passes `partner`. Without a session, or if the
 * credential was revoked in the meantime, a browser is redirected to sign in, and a program gets session_ended. `onError` shows any
 * other error of the handler, and rate_limited. Throws cross_site for a form of another site.
 */
export function withPartner(
  handler: (context: Context, partner: SignedInPartner, caller: CostCaller) => Promise<Response>,
  onError: (context: Context, partner: SignedInPartner, error: AppError) => Promise<Response>,
): Handler {
  return async (context) => {
    rejectCrossSite(context);
    const partner = await currentPartner(context);
    if (!partner) return sessionEnded(context);
    const { tokenHash, mode, partnerId } = partner;
    traceCredential(context, partner);
    const check = (row: Pick<Credential, "partnerId" | "revoked"> | undefined) => {
      if (!row || row.revoked || row.partnerId !== partnerId) throw new AppError("session_ended");
    };
    try {
      await limitUses(context, tokenHash);
      return await guard(
        check,
        async () => partner,
        (authorize) => handler(context, partner, { tokenHash, mode, authorize }),
      );
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return error.code === "session_ended" ? sessionEnded(context) : onError(context, partner, error);
    }
  };
}

function sessionEnded(context: Context): Response {
  if (wantsJson(context.request)) throw new AppError("session_ended");
  const cookie = endedCookie(context);
  return hasPartnerCookie(context)
    ? PARTNER_SIGN_IN_NOTICES.redirect("/partner", "ended", cookie)
    : redirectResponse("/partner", cookie);
}

/** Whether the browser has the cookie of a session, which may have ended. */
export const hasPartnerCookie = (context: Context): boolean => readCookie(context, COOKIE) !== undefined;

/** undefined without a valid session and credential. */
async function currentPartner(context: Context): Promise<SignedInPartner | undefined> {
  const idHash = readIdHash(context, COOKIE);
  const row = idHash && (await findPartnerSession(context.env.DB, idHash, context.now));
  return row ? { ...row, revoked: false } : undefined;
}

/**
 * Starts a session with a credential, which replaces the browser's previous one. Returns the header that sets the cookie. Throws
 * unauthorized for an unknown credential, rate_limited after too many of them from one address or after too many uses, and
 * credential_revoked.
 */
export async function startPartnerSession(
  context: Context,
  credential: string,
): Promise<{ "set-cookie": string }> {
  const tokenHash = hashToken(credential, ["live", "test"]);
  if (tokenHash === undefined) throw await limitRejections(context, unauthorized());
  await limitUses(context, tokenHash);
  const id = createId();
  const { env, now } = context;
  const used = await insertPartnerSession(env.DB, {
    idHash: sha256(id),
    tokenHash,
    previous: readIdHash(context, COOKIE) ?? null,
    browser: nameBrowser(context),
    now,
    expiresAt: now + PARTNER_SESSION_MS,
  });
  if (!used) throw await limitRejections(context, unauthorized());
  traceCredential(context, used);
  if (used.revokedAt !== null) throw new AppError("credential_revoked");
  return { "set-cookie": toSetCookie(context, COOKIE, id, PARTNER_SESSION_MS) };
}

/** Ends the browser's session. Returns the header that deletes the cookie. */
export async function endPartnerSession(context: Context): Promise<{ "set-cookie": string }> {
  const idHash = readIdHash(context, COOKIE);
  const { env, now } = context;
  const ended =
    idHash && (await deletePartnerSession(env.DB, { idHash, browser: nameBrowser(context), now }));
  if (ended) traceCredential(context, ended);
  return endedCookie(context);
}

function traceCredential({ trace }: Context, used: { partnerId: number; credentialId: number }): void {
  trace.partnerId = used.partnerId;
  trace.credentialId = used.credentialId;
}

function endedCookie(context: Context): { "set-cookie": string } {
  return { "set-cookie": toSetCookie(context, COOKIE, "", 0) };
}
