/** Shows and resets the user's own API token (spec §5.2, §5.3). Both ask for the password, or for a new sign-in at the provider. */
import { open, seal } from "../auth/sealed.ts";
import { createToken, hashToken, hintOf } from "../auth/secrets.ts";
import { createSession, type Session } from "../auth/sessions.ts";
import { markTokenReset, rememberToken } from "../auth/tokens.ts";
import { recordActivity } from "../db/accounts/activity.ts";
import { swapToken } from "../db/accounts/changes.ts";
import type { Context } from "../env.ts";
import { AppError } from "../errors.ts";
import { confirm, confirmBySignIn, load, tokenOf } from "./confirm.ts";
import * as pages from "./pages.ts";

export async function showToken(context: Context, session: Session): Promise<Response> {
  const confirmed = await confirm(context, session, "show");
  if (confirmed instanceof Response) return confirmed;
  const { account, key } = confirmed;
  const token = account.sealed === null ? undefined : open(account.sealed, key, tokenOf(session));
  if (token !== undefined)
    await recordActivity(context.env.DB, { userId: session.userId, now: context.now }, "show API token");
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
export async function resetToken(context: Context, session: Session): Promise<Response> {
  const confirmed = session.hasPassword
    ? await confirm(context, session, "reset")
    : await confirmBySignIn(context, session);
  if (confirmed instanceof Response) return confirmed;
  const { account, key, passwordHash, replaces, endsAccessTokens } = confirmed;
  if (replaces !== undefined && replaces !== account.hint) throw new AppError("account_changed");
  const token = createToken("api");
  const newHash = hashToken(token, ["api"]) ?? "";
  // What confirmed the reset of a user without a password does not confirm more, or longer, than before.
  const renewed = createSession(context, session.hasPassword ? context.now : session.passwordAt);
  const ended = await swapToken(
    context.env.DB,
    { userId: session.userId, passwordHash, tokenHash: account.tokenHash },
    {
      newHash,
      hint: hintOf(token),
      sealed: key ? seal(token, key, tokenOf(session)) : null,
      endsAccessTokens,
    },
    renewed,
  );
  if (!ended) throw new AppError("account_changed");
  for (const oldHash of [account.tokenHash ?? [], ended].flat()) {
    context.afterResponse(markTokenReset(context.env.TOKENS, oldHash, context.now));
  }
  context.afterResponse(rememberToken(context.env.TOKENS, newHash, session.userId));
  return pages.accountPage(context, session, await load(context, { ...session, idHash: renewed.idHash }), {
    message:
      account.tokenHash === null
        ? "API token created."
        : `API token reset. The old token no longer works${endsAccessTokens ? ", and neither do your access tokens" : ""}. Update every integration that used it.`,
    token,
    headers: renewed.cookie,
  });
}
