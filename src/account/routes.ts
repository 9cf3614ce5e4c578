/** The routes of the account pages (spec §5.2, §5.3): sign in, show and reset the API token, change the password, sign out. */
import { limitAttempts } from "../auth/attempts.ts";
import { hashPassword, verifyPassword } from "../auth/passwords.ts";
import { openToken, sealToken } from "../auth/sealed.ts";
import { createToken, hashToken, hintOf } from "../auth/secrets.ts";
import {
  createSession,
  currentSession,
  endedCookie,
  readSessionHash,
  rejectCrossSite,
  type Session,
  withSession,
} from "../auth/sessions.ts";
import { markTokenReset, rememberToken } from "../auth/tokens.ts";
import * as accounts from "../db/accounts/account.ts";
import { swapToken, updatePassword } from "../db/accounts/changes.ts";
import { deleteSession, deleteSessions, insertSession } from "../db/accounts/sessions.ts";
import type { Context } from "../env.ts";
import { AppError, type InputError } from "../errors.ts";
import { readForm } from "../http/form.ts";
import { redirectResponse } from "../http/pages.ts";
import type { Route } from "../http/router.ts";
import * as contract from "./contract.ts";
import { signInPage } from "./entry-pages.ts";
import { landingPage } from "./landing.ts";
import * as pages from "./pages.ts";
import { chooseNext } from "./rules.ts";
import { script } from "./script.ts";

export const accountRoutes: Route[] = [
  script.route,
  { path: "/", methods: { GET: readLanding } },
  { path: "/login", methods: { GET: readSignIn, POST: signIn } },
  { path: "/logout", methods: { POST: signOut } },
  { path: "/account", methods: { GET: withSession(readAccount) } },
  { path: "/account/apps/:app_token/spend.csv", methods: { GET: redirectSpend } },
  { path: "/account/token/show", methods: { POST: withSession(showToken) } },
  { path: "/account/token/reset", methods: { POST: withSession(resetToken) } },
  { path: "/account/password", methods: { POST: withSession(changePassword) } },
  { path: "/account/sign-out-everywhere", methods: { POST: withSession(signOutEverywhere) } },
];

/** What the service is for visitors. A signed-in person continues where they work. */
async function readLanding(context: Context): Promise<Response> {
  const session = await currentSession(context);
  if (!session) return landingPage(context);
  const worksInConsole = session.role === "operator" && session.apps.length === 0;
  return redirectResponse(context, worksInConsole ? "/operator" : "/apps");
}

async function readSignIn(context: Context): Promise<Response> {
  const next = chooseNext(context.url.searchParams.get("next"), context.url.origin);
  if (await currentSession(context)) return redirectResponse(context, next);
  return signInPage(context, { next });
}

async function signIn(context: Context): Promise<Response> {
  rejectCrossSite(context);
  const form = await readForm(context, contract.signIn);
  if ("errors" in form) {
    const { errors, sent } = form;
    const next = chooseNext(sent.get("next"), context.url.origin);
    return signInPage(context, { next, email: sent.get("email") ?? "", errors });
  }
  const { email, password } = form.fields;
  const next = chooseNext(form.fields.next, context.url.origin);
  await limitAttempts(context, email);
  const user = await accounts.findCredentials(context.env.DB, email);
  const isCorrect = await verifyPassword(password, user?.passwordHash);
  const session = createSession(context);
  const previous = readSessionHash(context) ?? null;
  const started =
    isCorrect &&
    user?.passwordHash != null &&
    (await insertSession(context.env.DB, {
      ...session,
      userId: user.id,
      passwordHash: user.passwordHash,
      previous,
    }));
  if (!started) return signInPage(context, { next, email, rejected: true });
  return redirectResponse(context, next, session.cookie);
}

async function signOut(context: Context): Promise<Response> {
  rejectCrossSite(context);
  const idHash = readSessionHash(context);
  if (idHash) await deleteSession(context.env.DB, idHash);
  return redirectResponse(context, "/login?notice=signed-out", endedCookie(context));
}

async function signOutEverywhere(context: Context, session: Session): Promise<Response> {
  await deleteSessions(context.env.DB, session.userId);
  return redirectResponse(context, "/login?notice=signed-out-everywhere", endedCookie(context));
}

async function readAccount(context: Context, session: Session): Promise<Response> {
  return pages.accountPage(context, session, await load(context, session));
}

async function showToken(context: Context, session: Session): Promise<Response> {
  const confirmed = await confirm(context, session, "show");
  if (confirmed instanceof Response) return confirmed;
  const { account, password } = confirmed;
  const token = account.sealed === null ? undefined : await openToken(account.sealed, password);
  const shown =
    token === undefined
      ? { message: "This token can't be shown. Reset it to get one that you can view." }
      : { message: "Your API token is shown below.", token };
  return pages.accountPage(context, session, confirmed, shown);
}

/**
 * The old token stops working when D1 has swapped the rows, because every use of a token is checked in D1. KV is updated
 * afterwards, so that a reset that lost a race never marks a valid token as reset. A missing KV entry changes only the cost
 * of rejecting the old token.
 */
async function resetToken(context: Context, session: Session): Promise<Response> {
  const confirmed = await confirm(context, session, "reset");
  if (confirmed instanceof Response) return confirmed;
  const { account, password, passwordHash, replaces } = confirmed;
  if (replaces !== undefined && replaces !== account.hint) throw new AppError("account_changed");
  const token = createToken("api");
  const newHash = hashToken(token, ["api"]) ?? "";
  const renewed = createSession(context);
  const swapped = await swapToken(
    context.env.DB,
    { userId: session.userId, passwordHash, tokenHash: account.tokenHash },
    { newHash, hint: hintOf(token), sealed: await sealToken(token, password) },
    renewed,
  );
  if (!swapped) throw new AppError("account_changed");
  if (account.tokenHash !== null) {
    context.afterResponse(markTokenReset(context.env.TOKENS, account.tokenHash, context.now));
  }
  context.afterResponse(rememberToken(context.env.TOKENS, newHash, session.userId));
  return pages.accountPage(context, session, await load(context, { ...session, idHash: renewed.idHash }), {
    message:
      account.tokenHash === null
        ? "API token created."
        : "API token reset. The old token no longer works. Update every integration that used it.",
    token,
    headers: renewed.cookie,
  });
}

async function changePassword(context: Context, session: Session): Promise<Response> {
  const form = await readForm(context, contract.changePassword);
  if ("errors" in form) return pages.passwordPage(context, session, form.errors, 400);
  const { current_password, new_password } = form.fields;
  const { account } = await load(context, session);
  const passwordHash = await checkPassword(context, session, account, current_password);
  if (passwordHash === undefined) {
    return pages.passwordPage(context, session, [WRONG_CURRENT_PASSWORD], 403);
  }
  const token = account.sealed === null ? undefined : await openToken(account.sealed, current_password);
  const renewed = createSession(context);
  const changed = await updatePassword(
    context.env.DB,
    { userId: session.userId, passwordHash, tokenHash: account.tokenHash },
    {
      newHash: await hashPassword(new_password),
      sealed: token === undefined ? null : await sealToken(token, new_password),
    },
    renewed,
  );
  if (!changed) throw new AppError("account_changed");
  return pages.accountPage(context, session, await load(context, { ...session, idHash: renewed.idHash }), {
    message: "Password changed.",
    headers: renewed.cookie,
  });
}

const WRONG_CURRENT_PASSWORD: InputError = { param: "current_password", message: "is incorrect" };

/** The account and the password that the form confirmed, or the page that shows why the form was rejected. */
async function confirm(context: Context, session: Session, name: "show" | "reset") {
  const form = await readForm(context, contract.confirm);
  if ("errors" in form) {
    const [error] = form.errors;
    const message = `The ${error?.param} ${error?.message}.`;
    return pages.confirmPage(context, session, name, message, 400, form.sent.get("replaces"));
  }
  const { password, replaces } = form.fields;
  const loaded = await load(context, session);
  const passwordHash = await checkPassword(context, session, loaded.account, password);
  if (passwordHash === undefined) {
    return pages.confirmPage(context, session, name, "Incorrect password.", 403, replaces ?? null);
  }
  return { ...loaded, password, passwordHash, replaces };
}

/** The stored hash if the password matches it, otherwise undefined. Counts the attempt. */
async function checkPassword(
  context: Context,
  session: Session,
  { passwordHash }: accounts.Account,
  password: string,
): Promise<string | undefined> {
  await limitAttempts(context, session.idHash);
  return (await verifyPassword(password, passwordHash)) && passwordHash !== null ? passwordHash : undefined;
}

async function load({ ledger, now }: Context, { idHash }: Session) {
  const account = await accounts.readAccount(ledger.control, { idHash, now });
  if (!account) throw new AppError("session_ended");
  return { account };
}

/** The spend that this address had is part of the workspace. */
function redirectSpend(context: Context): Response {
  const days = new URLSearchParams(
    [...context.url.searchParams].filter(([name]) => /^(from|to)$/.test(name)),
  );
  const app = encodeURIComponent(context.params.app_token ?? "");
  return redirectResponse(context, `/apps/${app}/spend${days.size > 0 ? `?${days}` : ""}`);
}
