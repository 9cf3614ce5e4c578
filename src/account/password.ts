/** Changes the user's own password. A temporary password must be changed before anything else. */
import { explainWeakness } from "../auth/password-rules.ts";
import { hashPassword } from "../auth/passwords.ts";
import { open, type Purpose, seal } from "../auth/sealed.ts";
import { findRequiredStep, redirectToStep, type Session } from "../auth/sessions.ts";
import { markTokenReset } from "../auth/tokens.ts";
import { updatePassword } from "../db/accounts/changes.ts";
import type { EndedTokens } from "../db/accounts/ended-tokens.ts";
import type { Context } from "../env.ts";
import { AppError, type InputError } from "../errors.ts";
import { readForm } from "../http/input/form.ts";
import { redirectResponse } from "../http/redirect.ts";
import { rejectedWith } from "../pages/forms/fields.ts";
import { checkPassword, load, renewBrowser, secretOf, tokenOf } from "./confirm.ts";
import * as contract from "./contract.ts";
import * as pages from "./pages.ts";
import { chooseNext, tickedOf, toEnding } from "./rules.ts";

export function readPassword(context: Context, session: Session): Promise<Response> {
  const { searchParams, origin } = context.url;
  return pages.passwordPage(context, session, { next: chooseNext(searchParams.get("next"), origin) });
}

export async function changePassword(context: Context, session: Session): Promise<Response> {
  const form = await readForm(context, contract.changePassword);
  const errors = "errors" in form ? form.errors : [];
  const sent = "errors" in form ? form.sent : tickedOf(form.fields);
  const sentNext = "errors" in form ? form.sent.get("next") : form.fields.next;
  const next = chooseNext(sentNext, context.url.origin);
  const chosen = "errors" in form ? form.sent.get("new_password") : form.fields.new_password;
  errors.push(...findWeakness(context, session, chosen, errors));
  if ("errors" in form || errors.length > 0)
    return pages.passwordPage(context, session, { next, rejected: rejectedWith(errors, sent), status: 400 });
  const { current_password, new_password } = form.fields;
  const { account } = await load(context, session);
  const checked = await checkPassword(context, session, account, current_password);
  if (!checked) {
    const rejected = rejectedWith([WRONG_CURRENT_PASSWORD], sent);
    return pages.passwordPage(context, session, { next, rejected, status: 403 });
  }
  const { hash, key } = await hashPassword(new_password);
  const sealAgain = (sealed: string | null, purpose: Purpose) => {
    const text = sealed === null ? undefined : open(sealed, checked.key, purpose);
    return text === undefined ? null : seal(text, key, purpose);
  };
  const renewed = renewBrowser(context, session);
  const ending = toEnding(form.fields);
  const ended = await updatePassword(
    context.env.DB,
    { userId: session.userId, passwordHash: checked.passwordHash, tokenHash: account.tokenHash },
    {
      newHash: hash,
      sealed: sealAgain(account.sealed, tokenOf(session)),
      sealedSecret: sealAgain(account.sealedSecret, secretOf(session.userId)),
    },
    ending,
    renewed.row,
  );
  if (!ended) throw new AppError("account_changed");
  for (const tokenHash of ended)
    context.afterResponse(markTokenReset(context.env.TOKENS, tokenHash, context.now));
  const current = { ...session, idHash: renewed.row.idHash, mustChangePassword: 0 };
  const step = findRequiredStep(context, current);
  if (step) return renewed.respond(redirectToStep(step, next));
  // A temporary password was in the way of another page.
  if (session.mustChangePassword) return renewed.respond(redirectResponse(next));
  const loaded = await load(context, current);
  return renewed.respond(pages.accountPage(context, current, loaded, { message: messageOf(ending) }));
}

/** Checked only for a password that is not invalid already. */
function findWeakness(context: Context, { email }: Session, chosen: string | null, errors: InputError[]) {
  if (chosen === null || errors.some(({ param }) => param === "new_password")) return [];
  const message = explainWeakness(chosen, { email, host: context.url.hostname });
  return message === undefined ? [] : [{ param: "new_password", message }];
}

function messageOf({ endsAccessTokens, endsApiToken }: EndedTokens): string {
  const tokens = [
    ...(endsAccessTokens ? ["Your access tokens"] : []),
    ...(endsApiToken ? ["your API token"] : []),
  ];
  if (tokens.length === 0) return "Password changed.";
  const sentence = tokens.join(" and ");
  return `Password changed. ${sentence.charAt(0).toUpperCase()}${sentence.slice(1)} no longer work${endsAccessTokens ? "" : "s"}.`;
}

const WRONG_CURRENT_PASSWORD: InputError = { param: "current_password", message: "is incorrect" };
