/** The second step of a sign-in with two-factor authentication: a code from the app, or a recovery code. */
import { rateLimited } from "../../auth/rate-limits.ts";
import { createSession, openWaitingSecret, readSessionHash, rejectCrossSite } from "../../auth/sessions.ts";
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
import { rejectedWith } from "../../http/input/form-fields.ts";
import { redirectResponse } from "../../http/pages.ts";
import * as contract from "../contract.ts";
import { chooseNext } from "../rules.ts";
import { codePage } from "./code-page.ts";

/**
 * The wrong codes for an account that browsers may enter in an hour which have not signed in to it before. All of them know
 * the password. A guess is right with a probability of 3 in a million.
 */
const MAX_WRONG_CODES = 20;

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
  const device = await findDevice(context, waiting);
  await limitCodes(context, waiting, device.isKnown);
  const session = createSession(context);
  const { device: remembered, cookie } = createDevice(context, waiting.email, device.isKnown);
  const finished = await finishSignIn(context.env.DB, toEntered(context, waiting, form.fields.code), {
    ...session,
    ...remembered,
    userId: waiting.userId,
    previous: waiting.idHash,
  });
  if (!finished) {
    context.trace.outcome = "wrong_code";
    // Before the response, because the next attempt is limited by it.
    await recordFailure(context, waiting.userId, "wrong code");
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
  return redirectResponse(`/login?${new URLSearchParams({ next, notice: "ended" })}`);
}

async function findDevice(context: Context, { userId, email }: Waiting): Promise<{ isKnown: boolean }> {
  const deviceHash = readDeviceHash(context, email);
  const { DB } = context.env;
  return {
    isKnown: deviceHash !== undefined && (await isDeviceKnown(DB, { userId, deviceHash, now: context.now })),
  };
}

/** Throws rate_limited after too many codes: in this sign-in, or for the account in this hour. */
async function limitCodes(context: Context, waiting: Waiting, isKnown: boolean): Promise<void> {
  await limitKnownBrowser(context, waiting.idHash);
  const failed = waiting.failedHour === hourOf(context.now) ? (waiting.failedCodes ?? 0) : 0;
  if (!isKnown && failed >= MAX_WRONG_CODES) throw rateLimited(HOUR_MS - (context.now % HOUR_MS));
}

/** Six digits are a code of the app. What the app does not show now is looked up as a recovery code and not found. */
function toEntered(context: Context, waiting: Waiting, code: string): EnteredCode {
  const digits = code.replaceAll(/\s/g, "");
  const secret = openWaitingSecret(context, waiting.userId, waiting.waitingSecret ?? "");
  const step = secret && /^\d{6}$/.test(digits) ? findStep(secret, digits, context.now) : undefined;
  return step ? { step } : { codeHash: hashRecoveryCode(code) };
}
