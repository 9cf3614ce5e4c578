/** Lists, creates and ends the user's access tokens. Creating one asks for the password. */
import { createToken, hashToken, hintOf } from "../../auth/secrets.ts";
import type { Session } from "../../auth/sessions.ts";
import { markTokenReset, rememberToken } from "../../auth/tokens.ts";
import * as db from "../../db/accounts/access-tokens.ts";
import { DAY_MS } from "../../domain/time.ts";
import type { Context } from "../../env.ts";
import { AppError, type InputError } from "../../errors.ts";
import { readForm } from "../../http/input/form.ts";
import { invalidRequest } from "../../http/input/parse.ts";
import { rejectedWith } from "../../pages/forms/fields.ts";
import { confirmOwn, load } from "../confirm.ts";
import * as contract from "../contract.ts";
import { newTokenPage, TOKEN_NOTICES, tokensPage } from "./pages.ts";

export async function readAccessTokens(context: Context, session: Session): Promise<Response> {
  return tokensPage(context, session, await db.listAccessTokens(context.env.DB, session.userId));
}

/** The token is stored only as its hash, so this response is the only one that shows it. */
export async function createAccessToken(context: Context, session: Session): Promise<Response> {
  const { env, now } = context;
  const { userId } = session;
  const form = await readForm(context, contract.createAccessToken);
  const tokens = await db.listAccessTokens(env.DB, userId);
  const sent = "errors" in form ? form.sent : toSent(form.fields);
  const reject = (errors: InputError[], status: 400 | 403 = 400) =>
    tokensPage(context, session, tokens, { rejected: rejectedWith(errors, sent), status });
  const errors = "errors" in form ? form.errors : [];
  const app = sent.get("app_token") || null;
  if (app !== null && !errors.some(({ param }) => param === "app_token")) {
    if (!session.apps.some(({ token }) => token === app)) errors.push(NO_APP);
  }
  if ("errors" in form || errors.length > 0) return reject(errors);
  if (tokens.filter(({ expiresAt }) => expiresAt > now).length >= db.MAX_ACCESS_TOKENS) return reject([FULL]);
  const { name, scope, days, password } = form.fields;
  const { account } = await load(context, session);
  const confirmed = await confirmOwn(context, session, account, password);
  if ("rejected" in confirmed) return reject([confirmed.rejected], confirmed.status);
  const token = createToken(scope);
  const tokenHash = hashToken(token, [scope]) ?? "";
  const added = {
    tokenHash,
    name,
    hint: hintOf(token),
    scope,
    appToken: app,
    expiresAt: now + days * DAY_MS,
  };
  const inserted = await db.insertAccessToken(env.DB, { userId, now, ...confirmed }, added);
  if (!inserted) throw new AppError("account_changed");
  context.afterResponse(rememberToken(env.TOKENS, tokenHash, userId));
  return newTokenPage(context, session, { name, token });
}

const NO_APP: InputError = { param: "app_token", message: "must be one of your apps" };
const FULL: InputError = {
  param: "name",
  message: `You have ${db.MAX_ACCESS_TOKENS} access tokens. End one first.`,
};

/** A form that was valid, as it was sent. */
function toSent({
  name,
  scope,
  app_token,
  days,
}: {
  name: string;
  scope: string;
  app_token: string;
  days: number;
}) {
  return new URLSearchParams({ name, scope, app_token, days: String(days) });
}

/** D1 rejects the token from now on. KV is updated afterwards, which changes only the cost of rejecting it. */
export async function endAccessToken(context: Context, session: Session): Promise<Response> {
  const form = await readForm(context, contract.endAccessToken);
  if ("errors" in form) throw invalidRequest(form.errors);
  const { env, now } = context;
  const reference = form.fields.token;
  const tokenHash = await db.endAccessToken(env.DB, { userId: session.userId, reference, now });
  if (tokenHash) context.afterResponse(markTokenReset(env.TOKENS, tokenHash, now));
  return TOKEN_NOTICES.redirect("/account/tokens", "ended");
}
