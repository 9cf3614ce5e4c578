/** The second step of a sign-in with two-factor authentication: a code from the app, or a recovery code. */
import { rateLimited } from "../../auth/rate-limits.ts";
import {
  createSession,
  openWaitingSecret,
  readSessionHash,
  rejectCrossSite,
  SIGN_IN_NOTICES,
} from "../../auth/sessions.ts";
import { limitKnownBrowser } from "../../auth/sign-in/attempts.ts";
import { recordFailure } from "../../auth/sign-in/confirm-password.ts";
import { createDevice, readDeviceHash } from "../../auth/sign-in/devices.ts";
import { hashRecoveryCode } from "../../auth/sign-in/recovery-codes.ts";
import { findStep } from "../../auth/sign-in/totp.ts";
import { isDeviceKnown } from "../../db/accounts/devices.ts";
import {
  type EnteredCode,
  findWaitingSignIn,
  finishSignIn,
  type WaitingSignIn,
} from "../../db/accounts/two-factor.ts";
import { HOUR_MS, hourOf } from "../../domain/time.ts";
import type { Context } from "../../env.ts";
import { readForm } from "../../http/input/form.ts";
import { redirectResponse } from "../../http/redirect.ts";
import { rejectedWith } from "../../pages/forms/fields.ts";
import * as contract from "../contract.ts";
import { chooseNext } from "../rules.ts";
import { codePage } from "./code-page.ts";

type Waiting = WaitingSignIn & { idHash: string };

export async function readCode(context: Context): Promise<Response> {
  const next = chooseNext(context.url.searchParams.get("next"), context.url.origin);
  return (await findWaiting(context)) ? codePage(context, { next }) : startOver(next);
}

export async function submitCode(context: Context): Promise<Response> {
  rejectCrossSite(context);
  const form = await readForm(context, contract.enterCode);
  const sentNext = "errors" in form ? form.sent.get("next") : form.fields.next;
  const next = chooseNext(sentNext, context.url.origin);
  const waiting = await findWaiting(context);
  if (!waiting) return startOver(next);
  context.trace.userId = waiting.userId;
  if ("errors" in form) context.trace.outcome = "invalid_request";
  if ("errors" in form) return codePage(context, { next, status: 400, rejected: rejectedWith(form.errors) });
  await limitKnownBrowser(context, waiting.idHash);
  const isKnown = await isKnownBrowser(context, waiting);
  const session = createSession(context);
  const { device, cookie } = createDevice(context, waiting.email, isKnown);
  const { userId, idHash: previous } = waiting;
  const outcome = await finishSignIn(context.env.DB, toEntered(context, waiting, form.fields.code), {
    ...session,
    ...device,
    ...{ userId, isKnown, previous, hour: hourOf(context.now) },
  });
  if (outcome === "limited") throw rateLimited(HOUR_MS - (context.now % HOUR_MS));
  if (outcome === "wrong") {
    context.trace.outcome = "wrong_code";
    context.afterResponse(recordFailure(context, userId, "wrong code"));
    return codePage(context, { next, status: 401, rejected: rejectedWith([WRONG_CODE]) });
  }
  const response = redirectResponse(next, session.cookie);
  response.headers.append("set-cookie", cookie);
  return response;
}

const WRONG_CODE = { param: "code", message: "That code is incorrect or was used before." };

async function findWaiting(context: Context): Promise<Waiting | undefined> {
  const idHash = readSessionHash(context);
  const found = idHash && (await findWaitingSignIn(context.env.DB, idHash, context.now));
  return found ? { ...found, idHash } : undefined;
}

/** The password must be entered again. */
function startOver(next: string): Response {
  return SIGN_IN_NOTICES.redirect(`/login?${new URLSearchParams({ next })}`, "ended");
}

async function isKnownBrowser(context: Context, { userId, email }: Waiting): Promise<boolean> {
  const deviceHash = readDeviceHash(context, email);
  const { env, now } = context;
  return deviceHash !== undefined && isDeviceKnown(env.DB, { userId, deviceHash, now });
}

/** Six digits are a code of the app. What the app does not show now is looked up as a recovery code and not found. */
function toEntered(context: Context, waiting: Waiting, code: string): EnteredCode {
  const digits = code.replaceAll(/\s/g, "");
  const secret = openWaitingSecret(context, waiting.userId, waiting.waitingSecret ?? "");
  const step = secret && /^\d{6}$/.test(digits) ? findStep(secret, digits, context.now) : undefined;
  return step ? { step } : { codeHash: hashRecoveryCode(code) };
}
