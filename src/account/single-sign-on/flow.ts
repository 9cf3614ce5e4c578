/**
 * Single sign-on: begins a sign-in at the provider, and ends it with a session, or with the confirmation of one. Whatever is wrong
 * leaves everything unchanged.
 */
import { hkdfSync } from "node:crypto";
import { customAlphabet } from "nanoid";
import { readCookie, toSetCookie } from "../../auth/cookies.ts";
import { open, seal } from "../../auth/sealed.ts";
import {
  createSession,
  currentSession,
  isFromOtherSite,
  readSessionHash,
  renewSessionId,
} from "../../auth/sessions.ts";
import { limitSingleSignOn } from "../../auth/sign-in/attempts.ts";
import { recordFailure } from "../../auth/sign-in/confirm-password.ts";
import { findSingleSignOn, type SingleSignOn } from "../../auth/single-sign-on/settings.ts";
import * as identities from "../../db/accounts/identities.ts";
import { sha256 } from "../../domain/hash.ts";
import { HOUR_MS } from "../../domain/time.ts";
import type { Context } from "../../env.ts";
import { AppError } from "../../errors.ts";
import { email as emailField } from "../../http/input/fields.ts";
import { redirectResponse } from "../../http/redirect.ts";
import { signInPage } from "../entry-pages.ts";
import { chooseNext } from "../rules.ts";
import { failurePage, unavailablePage } from "./pages.ts";
import { type Begun, begin, type Claims, finish, ProviderDown, Rejected } from "./provider.ts";

const COOKIE = "sso";
/** How long somebody may take to sign in at the provider. */
const BEGUN_MS = 10 * 60 * 1000;
/**
 * A confirmation takes a sign-in at the provider that is at most so old, and, because clocks differ, at most so long before it was
 * asked for or ahead of our clock.
 */
const CONFIRMED_MS = 5 * 60 * 1000;
const CLOCK_MS = 60 * 1000;
/** Longer addresses do not fit into a cookie. */
const MAX_NEXT = 1_000;

/** What the sealed cookie holds. `confirms` is the session that a sign-in confirms; undefined for one that starts a session. */
interface Cookie extends Begun {
  next: string;
  begunAt: number;
  confirms?: string;
}

/**
 * `GET /login/sso`. With `confirm=yes`, a signed-in user signs in again. Another site cannot sign a browser in: what it starts ends on
 * the sign-in page. It is not counted, so it cannot use up the limit of an address either.
 */
export async function readSingleSignOn(context: Context): Promise<Response> {
  const { url, now } = context;
  const settings = requireSettings(context);
  if (url.origin !== settings.origin) return leadToOrigin(context, settings);
  const chosen = chooseNext(url.searchParams.get("next"), url.origin);
  const next = chosen.length <= MAX_NEXT ? chosen : "/";
  const isConfirmation = url.searchParams.get("confirm") === "yes";
  const session = await currentSession(context);
  const isForeign = isFromOtherSite(context);
  const isDone = isConfirmation ? !session || session.hasPassword === 1 : session !== undefined;
  // The page has the link with which a user signs in again.
  if (isDone || (isForeign && session)) return redirectResponse(next);
  if (isForeign) return signInPage(context, { next });
  await limitSingleSignOn(context);
  try {
    const { address, begun } = await begin(context, settings, isConfirmation);
    const cookie: Cookie = {
      ...begun,
      next,
      begunAt: now,
      ...(isConfirmation && session && { confirms: session.idHash }),
    };
    const sealed = seal(JSON.stringify(cookie), keyOf(settings), PURPOSE);
    return redirectResponse(address, { "set-cookie": toSetCookie(context, COOKIE, sealed, BEGUN_MS) });
  } catch (error) {
    return explain(context, settings, error, next);
  }
}

/** `GET /login/sso/callback`, to which the provider returns. */
export async function readCallback(context: Context): Promise<Response> {
  const settings = requireSettings(context);
  if (context.url.origin !== settings.origin) return leadToOrigin(context, settings);
  const cookie = openCookie(context, settings);
  // Without one, nothing is asked and nothing is stored.
  if (cookie) await limitSingleSignOn(context);
  const next = cookie?.next ?? "/";
  const response = await finishWith(context, settings, cookie).catch((error) =>
    explain(context, settings, error, next, cookie?.confirms !== undefined),
  );
  response.headers.append("set-cookie", toSetCookie(context, COOKIE, "", 0));
  return response;
}

async function finishWith(context: Context, settings: SingleSignOn, cookie: Cookie | undefined) {
  if (!cookie) throw new Rejected("no_cookie");
  const claims = await finish(context, settings, cookie, async () => {
    // A clock elsewhere may be behind ours, so the row outlives the cookie.
    const used = { stateHash: sha256(cookie.state), expiresAt: cookie.begunAt + BEGUN_MS + HOUR_MS };
    if (!(await identities.markStateUsed(context.env.DB, used))) throw new Rejected("used_state");
  });
  return cookie.confirms === undefined
    ? startSession(context, claims, cookie.next)
    : confirmSession(context, claims, cookie.confirms, cookie);
}

async function startSession(context: Context, claims: Claims, next: string): Promise<Response> {
  const { env, now } = context;
  const { issuer, subject, email_verified } = claims;
  const email = toEmail(claims.email);
  const verifiedEmail = email_verified === true ? email : undefined;
  const user = await identities.findLinkedUser(env.DB, { issuer, subject, verifiedEmail, now });
  context.trace.userId = user?.userId;
  if (!user) {
    // It may be the address of somebody else.
    if (email_verified === false || email_verified === "false") throw new NotVerified();
    const attempt = { issuer, subject, isVerified: Number(email_verified === true), code: createCode(), now };
    const listedFor =
      email === undefined ? undefined : await identities.insertAttempt(env.DB, { ...attempt, email });
    throw new NotLinked(listedFor, attempt.code);
  }
  if (!user.isEnabled) throw new NotLinked(user.userId);
  const { userId } = user;
  const session = { ...createSession(context, 0), onlyPassword: onlyPasswordOf(claims) };
  const added = { ...session, issuer, subject, userId, previous: readSessionHash(context) ?? null };
  if (!(await identities.insertLinkedSession(env.DB, added))) throw new NotLinked(userId);
  return redirectResponse(next, session.cookie);
}

/** Without characters that look alike. */
const createCode = customAlphabet("23456789ABCDEFGHJKMNPQRSTUVWXYZ", 6);

/** Methods of one factor, what somebody knows (RFC 8176). */
const KNOWLEDGE_METHODS = ["pwd", "pin", "kba"];
/** 1 if the provider says that nothing but a password was entered there, otherwise 0. */
const onlyPasswordOf = ({ amr }: Claims) =>
  Number(amr?.every((method) => KNOWLEDGE_METHODS.includes(method)) ?? false);

/**
 * The provider confirmed somebody for whom nobody is signed in. `userId` is the user whom an operator can link, or who is disabled.
 * `code` is shown whether or not there is one, so it tells nobody which addresses are those of users.
 */
class NotLinked extends Error {
  readonly userId: number | undefined;
  readonly code: string;
  constructor(userId: number | undefined, code = createCode()) {
    super();
    this.userId = userId;
    this.code = code;
  }
}

/** The provider says that the email address is not verified, and nobody is linked. */
class NotVerified extends Error {}

async function confirmSession(context: Context, claims: Claims, confirms: string, { begunAt, next }: Cookie) {
  const { env, now } = context;
  const { issuer, subject, auth_time } = claims;
  const session = await currentSession(context);
  if (session?.idHash !== confirms) throw new NotConfirmed("session");
  if (auth_time === undefined) throw new NotConfirmed("no_time");
  const age = now - auth_time * 1000;
  const isBefore = auth_time * 1000 < begunAt - CLOCK_MS;
  if (isBefore || age > CONFIRMED_MS || age < -CLOCK_MS) throw new NotConfirmed("time");
  const { userId, idHash } = session;
  const renewed = renewSessionId();
  const onlyPassword = onlyPasswordOf(claims);
  const confirmed = { issuer, subject, userId, idHash, newHash: renewed.idHash, onlyPassword, now };
  const expiresAt = await identities.confirmSession(env.DB, confirmed);
  if (expiresAt === undefined) throw new NotConfirmed("person");
  return redirectResponse(next, renewed.cookieUntil(context, expiresAt));
}

/** The sign-in does not confirm the session, which stays as it was. */
class NotConfirmed extends Error {
  readonly reason: "session" | "no_time" | "time" | "person";
  constructor(reason: NotConfirmed["reason"]) {
    super();
    this.reason = reason;
  }
}

/** The page for what went wrong. Throws what is no matter of the provider. */
async function explain(
  context: Context,
  settings: SingleSignOn,
  error: unknown,
  next: string,
  isConfirmation = false,
): Promise<Response> {
  const { trace } = context;
  if (error instanceof ProviderDown) {
    trace.outcome = "sso_unavailable";
    trace.reason = error.message;
    return unavailablePage(context, next);
  }
  if (error instanceof NotLinked) {
    trace.outcome = "sso_not_linked";
    const { userId, code } = error;
    if (userId !== undefined) context.afterResponse(recordFailure(context, userId, "not linked"));
    return failurePage(context, settings, "not_linked", next, code);
  }
  if (error instanceof NotVerified) {
    trace.outcome = "sso_not_verified";
    return failurePage(context, settings, "not_verified", next);
  }
  if (error instanceof NotConfirmed) {
    trace.outcome = "sso_not_confirmed";
    return failurePage(context, settings, error.reason, next);
  }
  if (!(error instanceof Rejected)) throw error;
  trace.outcome = "sso_rejected";
  trace.reason = error.message;
  return failurePage(context, settings, isConfirmation ? "rejected_confirmation" : "rejected", next);
}

function requireSettings({ env }: Context): SingleSignOn {
  const settings = findSingleSignOn(env);
  if (!settings) throw new AppError("not_found");
  return settings;
}

/** The cookie is that of the origin to which the provider returns. */
const leadToOrigin = ({ url }: Context, { origin }: SingleSignOn) =>
  redirectResponse(`${origin}${url.pathname}${url.search}`);

const PURPOSE = { userId: 0, secret: "single sign-on" } as const;

/** Of the client secret, which only we and the provider know. */
function keyOf({ clientSecret }: SingleSignOn): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", clientSecret, "", "linkledger single sign-on cookie", 32));
}

function openCookie(context: Context, settings: SingleSignOn): Cookie | undefined {
  const text = open(readCookie(context, COOKIE) ?? "", keyOf(settings), PURPOSE);
  const cookie = text === undefined ? undefined : (JSON.parse(text) as Cookie);
  return cookie && cookie.begunAt + BEGUN_MS > context.now ? cookie : undefined;
}

/**
 * In lower case; undefined if it is no email address. Only ASCII, and never trimmed: beyond it, two letters can have the same lower
 * case (the Kelvin sign becomes k), so an address would be compared that the provider did not send.
 */
function toEmail(sent: unknown): string | undefined {
  if (typeof sent !== "string" || !/^[!-~]+$/.test(sent)) return undefined;
  const parsed = emailField.safeParse(sent);
  return parsed.success ? parsed.data : undefined;
}
