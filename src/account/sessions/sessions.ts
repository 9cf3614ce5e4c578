/** Ends sessions of the user: one from the list, or all. Both ask for the password, or for a new sign-in at the provider. */
import { endedCookie, type Session, SIGN_IN_NOTICES } from "../../auth/sessions.ts";
import { markTokenReset } from "../../auth/tokens.ts";
import { deleteSessions, endOwnSession } from "../../db/accounts/sign-out.ts";
import type { Context } from "../../env.ts";
import { readForm } from "../../http/input/form.ts";
import { invalidRequest } from "../../http/input/parse.ts";
import { rejectedWith } from "../../pages/forms/fields.ts";
import { confirmOwn, load } from "../confirm.ts";
import * as contract from "../contract.ts";
import { tickedOf, toEnding } from "../rules.ts";
import { confirmPage, SESSION_NOTICES } from "./pages.ts";

export async function signOutEverywhere(context: Context, session: Session): Promise<Response> {
  const { env, now, afterResponse } = context;
  const form = await readForm(context, contract.signOutEverywhere);
  const { account } = await load(context, session);
  const sent = "errors" in form ? form.sent : tickedOf(form.fields);
  if ("errors" in form)
    return confirmPage(context, session, account, "all", rejectedWith(form.errors, sent), 400);
  const confirmed = await confirmOwn(context, session, account, form.fields.password);
  if ("rejected" in confirmed) {
    const rejected = rejectedWith([confirmed.rejected], sent);
    return confirmPage(context, session, account, "all", rejected, confirmed.status);
  }
  const ended = await deleteSessions(env.DB, { ...session, ...confirmed, now }, toEnding(form.fields));
  for (const tokenHash of ended) afterResponse(markTokenReset(env.TOKENS, tokenHash, now));
  const notice = session.hasPassword ? "signed-out-everywhere" : "signed-out-here";
  return SIGN_IN_NOTICES.redirect("/login", notice, endedCookie(context));
}

/** Ends one session of the user, from the list on the account page. */
export async function endSession(context: Context, session: Session): Promise<Response> {
  const form = await readForm(context, contract.endSession);
  if ("errors" in form) throw invalidRequest(form.errors);
  const { session: reference, password } = form.fields;
  const { account } = await load(context, session);
  const confirmed = await confirmOwn(context, session, account, password);
  if ("rejected" in confirmed) {
    const rejected = rejectedWith([confirmed.rejected], new URLSearchParams({ session: reference }));
    return confirmPage(context, session, account, "one", rejected, confirmed.status);
  }
  await endOwnSession(context.env.DB, { userId: session.userId, reference, now: context.now });
  return SESSION_NOTICES.redirect("/account", "session-ended");
}
