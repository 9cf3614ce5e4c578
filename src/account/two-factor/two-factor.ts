/** Sets up two-factor authentication, replaces its recovery codes, and turns it off. Each change asks for the password. */

import { seal } from "../../auth/sealed.ts";
import { mustUseTwoFactor, type Session } from "../../auth/sessions.ts";
import { createRecoveryCodes, hashRecoveryCode } from "../../auth/sign-in/recovery-codes.ts";
import { createTwoFactorSecret, findStep } from "../../auth/sign-in/totp.ts";
import * as db from "../../db/accounts/two-factor.ts";
import type { Context } from "../../env.ts";
import { AppError, type InputError } from "../../errors.ts";
import { readForm } from "../../http/input/form.ts";
import { rejectedWith } from "../../pages/forms/fields.ts";
import { checkPassword, load, renewBrowser, secretOf } from "../confirm.ts";
import * as contract from "../contract.ts";
import { chooseNext } from "../rules.ts";
import { codesPage, setUpPage, twoFactorPage } from "./pages.ts";

export async function readTwoFactor(context: Context, session: Session): Promise<Response> {
  const { account } = await load(context, session);
  if (account.passwordHash === null) throw withoutPassword();
  if (account.sealedSecret !== null) return twoFactorPage(context, session, account);
  return setUpPage(context, session, { secret: createTwoFactorSecret(), next: nextOf(context) });
}

/** Requires a code of the new secret, so that nobody is locked out by an app that did not read it. */
export async function turnOnTwoFactor(context: Context, session: Session): Promise<Response> {
  const form = await readForm(context, contract.turnOnTwoFactor);
  const { account } = await load(context, session);
  if (account.passwordHash === null) throw withoutPassword();
  const reject = (secret: string, next: string, errors: InputError[], status: 400 | 403) =>
    setUpPage(context, session, { secret, next, rejected: rejectedWith(errors), status });
  if ("errors" in form) {
    const { errors, sent } = form;
    const isKept = !errors.some(({ param }) => param === "secret");
    const secret = (isKept && sent.get("secret")) || createTwoFactorSecret();
    return reject(secret, chooseNext(sent.get("next"), context.url.origin), errors, 400);
  }
  const { secret, code, password } = form.fields;
  const next = chooseNext(form.fields.next, context.url.origin);
  const step = findStep(secret, code.replaceAll(/\s/g, ""), context.now);
  if (step === undefined) return reject(secret, next, [WRONG_CODE], 400);
  const checked = await checkPassword(context, session, account, password);
  if (!checked) return reject(secret, next, [WRONG_PASSWORD], 403);
  const codes = createRecoveryCodes();
  const renewed = renewBrowser(context, session);
  const isTurnedOn = await db.turnOn(
    context.env.DB,
    { userId: session.userId, passwordHash: checked.passwordHash, now: context.now },
    {
      sealed: seal(secret, checked.key, secretOf(session.userId)),
      step,
      codeHashes: codes.map(hashRecoveryCode),
    },
    renewed.row,
  );
  if (!isTurnedOn) throw new AppError("account_changed");
  const message = "Two-factor authentication is on. From now on, you enter a code when you sign in.";
  return renewed.respond(codesPage(context, session, { message, codes, next }));
}

export async function createCodes(context: Context, session: Session): Promise<Response> {
  const confirmed = await confirm(context, session, "codes");
  if (confirmed instanceof Response) return confirmed;
  const codes = createRecoveryCodes();
  const hashes = codes.map(hashRecoveryCode);
  const replaced = await db.replaceRecoveryCodes(context.env.DB, confirmed, hashes);
  if (!replaced) throw new AppError("account_changed");
  const message = "New recovery codes created. The old codes no longer work.";
  return codesPage(context, session, { message, codes, next: "/account/two-factor" });
}

export async function turnOffTwoFactor(context: Context, session: Session): Promise<Response> {
  if (mustUseTwoFactor(context, session)) throw new AppError("two_factor_required");
  const confirmed = await confirm(context, session, "off");
  if (confirmed instanceof Response) return confirmed;
  const renewed = renewBrowser(context, session);
  const removed = await db.turnOff(context.env.DB, confirmed, renewed.row);
  if (!removed) throw new AppError("account_changed");
  const message = "Two-factor authentication is off.";
  return renewed.respond(
    setUpPage(context, session, { message, secret: createTwoFactorSecret(), next: "/account" }),
  );
}

/** What the form confirmed, or the page that shows why it was rejected. */
async function confirm(context: Context, session: Session, form: "codes" | "off") {
  const { account } = await load(context, session);
  if (account.passwordHash === null) throw withoutPassword();
  const read = await readForm(context, contract.confirm);
  if ("errors" in read)
    return twoFactorPage(context, session, account, {
      form,
      rejected: rejectedWith(read.errors),
      status: 400,
    });
  const checked = await checkPassword(context, session, account, read.fields.password);
  if (checked) return { userId: session.userId, passwordHash: checked.passwordHash, now: context.now };
  return twoFactorPage(context, session, account, {
    form,
    rejected: rejectedWith([WRONG_PASSWORD]),
    status: 403,
  });
}

const WRONG_CODE: InputError = {
  param: "code",
  message:
    "is not the one that the app shows now; check that you scanned this QR code and that your phone's clock is right",
};
const WRONG_PASSWORD: InputError = { param: "password", message: "is incorrect" };

const nextOf = ({ url }: Context): string => chooseNext(url.searchParams.get("next"), url.origin);

/** Single sign-on has its own second factor. */
function withoutPassword(): AppError {
  return new AppError(
    "not_found",
    "You sign in with single sign-on, so two-factor authentication is set up there.",
  );
}
