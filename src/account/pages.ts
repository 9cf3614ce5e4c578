/** The HTML of the account pages. The caller decides what the user may see. */

import { html } from "hono/html";
import type { Session } from "../auth/sessions.ts";
import type { Account } from "../db/accounts/account.ts";
import type { ListedSession } from "../db/accounts/sessions.ts";
import { dayOf } from "../domain/time.ts";
import type { Context } from "../env.ts";
import { buttonLink, facts } from "../pages/elements.ts";
import { errorSummary, type RejectedForm } from "../pages/forms/fields.ts";
import { form } from "../pages/forms/form.ts";
import { pageResponse } from "../pages/frame.ts";
import { describeDay } from "../pages/locale.ts";
import type { Markup } from "../pages/markup.ts";
import { countCodes } from "./rules.ts";
import { script } from "./script.ts";
import { SESSION_NOTICES, sessionsSection } from "./sessions/pages.ts";
import { ENDED_BY_DEFAULT, endedTokenFields, issuedToken, tokenSection } from "./token-pages.ts";

export interface Shown {
  /** Shown in the status line. Default: the notice in the address. */
  message?: string;
  /** The API token in plain text. */
  token?: string;
  headers?: Record<string, string>;
}

type AccountData = { account: Account; sessions: ListedSession[] };

export function accountPage(
  context: Context,
  session: Session,
  { account, sessions }: AccountData,
  shown: Shown = {},
): Promise<Response> {
  const hasPassword = account.passwordHash !== null;
  return pageResponse(context, {
    title: "Account",
    user: session,
    scripts: [script.href],
    headers: shown.headers ?? {},
    body: html`
      <h1>Account</h1>
      <p class="status notice ok" role="status">${shown.message ?? SESSION_NOTICES.readDone(context) ?? ""}</p>
      <section class="card">
        <h2>Profile</h2>
        ${facts(
          ["Email", session.email],
          ["Role", session.role === "operator" ? "Operator" : "Member"],
          ["Member since", describeDay(dayOf(account.createdAt))],
        )}
        <hr>
        <h3>API token</h3>
        ${hasPassword ? tokenSection(context, account, shown.token) : issuedToken(context, session, account, shown.token)}
        <hr>
        <h3>Access tokens</h3>
        <p>Give each of your programs its own token, with read-only access if that is enough. Each token expires.</p>
        <p>${buttonLink("/account/tokens", "Access tokens")}</p>
      </section>
      <section class="card">
        <h2>Password and sessions</h2>
        ${
          hasPassword
            ? html`<details>
                <summary>Change password</summary>
                ${passwordForm("/account")}
              </details>
              ${twoFactorSummary(account)}`
            : ""
        }
        <hr>
        ${sessionsSection(context, session, account, sessions)}
      </section>`,
  });
}

function twoFactorSummary({ sealedSecret, recoveryCodesLeft }: Account): Markup {
  const isOn = sealedSecret !== null;
  return html`
    <hr>
    <h3>Two-factor authentication</h3>
    <p>${isOn ? `On. ${countCodes(recoveryCodesLeft)}` : "Off. Turn it on so that your password is not enough to sign in."}</p>
    <p>${buttonLink("/account/two-factor", isOn ? "Manage two-factor authentication" : "Set up two-factor authentication")}</p>`;
}

/** The Change password form, also after a rejected attempt: 400 for an invalid form, 403 for a wrong password. */
export function passwordPage(
  context: Context,
  session: Session,
  shown: { next: string; rejected?: RejectedForm; status?: 400 | 403 },
): Promise<Response> {
  const { next, rejected, status = 200 } = shown;
  const isTemporary = session.mustChangePassword === 1;
  // Before the summary, which links to its fields.
  const newPassword = passwordForm(next, rejected, isTemporary);
  return pageResponse(context, {
    title: rejected ? "Error: Change password" : "Change password",
    status,
    user: session,
    narrow: true,
    body: html`
      <section class="card">
        <h1>${isTemporary ? "Choose your password" : "Change password"}</h1>
        ${rejected ? errorSummary(rejected, "Password not changed. Fix the errors below and try again.") : ""}
        ${isTemporary ? html`<p>You signed in with a temporary password. Choose your own password to continue.</p>` : ""}
        ${newPassword}
        ${isTemporary ? "" : html`<p class="hint"><a href="/account">Back to your account</a></p>`}
      </section>`,
  });
}

function passwordForm(next: string, rejected?: RejectedForm, isTemporary = false): Markup {
  const password = (label: string, autocomplete: string, subject = `The ${label.toLowerCase()}`) =>
    ({ label, subject, type: "password", autocomplete, required: true }) as const;
  return form(
    {
      action: "/account/password",
      hidden: { next },
      fields: {
        current_password: password(
          isTemporary ? "Temporary password" : "Current password",
          "current-password",
        ),
        new_password: {
          ...password("New password", "new-password"),
          hint: "Use at least 12 characters. A few unrelated words are stronger than one word with symbols.",
        },
        repeat_password: password("Confirm new password", "new-password", "The confirmation"),
        ...(!isTemporary && endedTokenFields({ passwordHash: "" })),
      },
      values: ENDED_BY_DEFAULT,
      more: html`<p class="hint">You'll be signed out on other devices.</p>`,
      button: "Change password",
    },
    rejected,
  );
}
