/** Shows what a page says after a redirect. */
import { html } from "hono/html";
import { confirmationPath } from "../auth/single-sign-on/settings.ts";
import type { Context, Env } from "../env.ts";
import { notice } from "./elements.ts";
import type { Markup } from "./markup.ts";

export function showNotice(
  notices: { readDone: (context: Context) => string | undefined },
  context: Context,
): Markup | "" {
  const text = notices.readDone(context);
  return text === undefined ? "" : notice(text, "ok", { announced: true });
}

/** Asks a user without a password to sign in again, and leads back to the page `next`. */
export function signInAgain(env: Env, next: string): Markup {
  const path = confirmationPath(env, next);
  const how = path === undefined ? "sign out and sign in again" : html`<a href="${path}">sign in again</a>`;
  return notice(html`To continue, ${how}. You can do this for 10 minutes after that.`);
}
