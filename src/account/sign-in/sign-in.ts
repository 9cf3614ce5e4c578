/** Signs in with email and password, and signs out. */
import { verifyPassword } from "../../auth/passwords.ts";
import { open } from "../../auth/sealed.ts";
import {
  createSession,
  createWaitingSession,
  currentSession,
  endedCookie,
  readSessionHash,
  rejectCrossSite,
  SIGN_IN_NOTICES,
} from "../../auth/sessions.ts";
import { limitKnownBrowser, limitStranger } from "../../auth/sign-in/attempts.ts";
import { recordFailure } from "../../auth/sign-in/confirm-password.ts";
import { createDevice, readDeviceHash } from "../../auth/sign-in/devices.ts";
import { createTwoFactorSecret } from "../../auth/sign-in/totp.ts";
import { findCredentials } from "../../db/accounts/account.ts";
import { insertSession } from "../../db/accounts/sessions.ts";
import { deleteSession } from "../../db/accounts/sign-out.ts";
import type { Context } from "../../env.ts";
import { readForm } from "../../http/input/form.ts";
import { redirectResponse } from "../../http/redirect.ts";
import { secretOf } from "../confirm.ts";
import * as contract from "../contract.ts";
import { type SignInForm, signInPage } from "../entry-pages.ts";
import { chooseNext } from "../rules.ts";

export async function readSignIn(context: Context): Promise<Response> {
  const next = chooseNext(context.url.searchParams.get("next"), context.url.origin);
  if (await currentSession(context)) return redirectResponse(next);
  return signInPage(context, { next });
}

export async function signIn(context: Context): Promise<Response> {
  rejectCrossSite(context);
  const form = await readForm(context, contract.signIn);
  if ("errors" in form) {
    const { errors, sent } = form;
    const next = chooseNext(sent.get("next"), context.url.origin);
    context.trace.outcome = "invalid_request";
    return signInPage(context, { next, email: sent.get("email") ?? "", errors });
  }
  const { email, password } = form.fields;
  const next = chooseNext(form.fields.next, context.url.origin);
  const deviceHash = readDeviceHash(context, email) ?? null;
  // Without a device cookie, attempts beyond a limit do not cost a call to the database.
  if (deviceHash === null) await limitStranger(context, email);
  const user = await findCredentials(context.env.DB, email, { deviceHash, now: context.now });
  context.trace.userId = user?.id;
  const isKnown = user?.isKnownDevice === 1;
  if (deviceHash !== null)
    await (isKnown ? limitKnownBrowser(context, deviceHash) : limitStranger(context, email));
  const key = await verifyPassword(password, user?.passwordHash, isKnown ? "known" : "stranger");
  if (!user || !key) return reject(context, { next, email, rejected: "incorrect" }, user?.id);
  if (user.passwordExpiresAt !== null && user.passwordExpiresAt <= context.now)
    return reject(context, { next, email, rejected: "expired" }, user.id);
  return startSession(context, { ...user, email }, key, next);
}

/** Starts a session, or one that waits for a code. */
async function startSession(
  context: Context,
  user: NonNullable<Awaited<ReturnType<typeof findCredentials>>> & { email: string },
  key: Uint8Array,
  next: string,
): Promise<Response> {
  const { email, sealedSecret } = user;
  // Without a readable secret, only a recovery code is accepted.
  const secret = sealedSecret && (open(sealedSecret, key, secretOf(user.id)) ?? createTwoFactorSecret());
  const session = secret ? createWaitingSession(context, user.id, secret) : createSession(context);
  const { device, cookie } = createDevice(context, email, user.isKnownDevice === 1);
  const started = await insertSession(context.env.DB, {
    ...session,
    ...device,
    userId: user.id,
    passwordHash: user.passwordHash ?? "",
    previous: readSessionHash(context) ?? null,
  });
  if (!started) return reject(context, { next, email, rejected: "incorrect" }, user.id);
  if (secret) {
    context.trace.outcome = "code_required";
    return redirectResponse(`/login/code?${new URLSearchParams({ next })}`, session.cookie);
  }
  const response = redirectResponse(next, session.cookie);
  response.headers.append("set-cookie", cookie);
  return response;
}

/** Recorded after the response, which takes as long for an unknown user. */
function reject(
  context: Context,
  form: SignInForm & { rejected: "incorrect" | "expired" },
  userId: number | undefined,
): Promise<Response> {
  const isExpired = form.rejected === "expired";
  context.trace.outcome = isExpired ? "password_expired" : "wrong_password";
  if (userId !== undefined)
    context.afterResponse(recordFailure(context, userId, isExpired ? "expired password" : "wrong password"));
  return signInPage(context, form);
}

export async function signOut(context: Context): Promise<Response> {
  rejectCrossSite(context);
  const idHash = readSessionHash(context);
  const user = idHash ? await deleteSession(context.env.DB, { idHash, now: context.now }) : undefined;
  context.trace.userId = user?.userId;
  const notice = user?.hasPassword === 0 ? "signed-out-here" : "signed-out";
  return SIGN_IN_NOTICES.redirect("/login", notice, endedCookie(context));
}
