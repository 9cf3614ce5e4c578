/** The page of a user's access tokens, and the page that shows a new one. */
import { html } from "hono/html";
import { isRecentlyConfirmed, type Session } from "../../auth/sessions.ts";
import { type ListedToken, MAX_ACCESS_TOKENS, toTokenReference } from "../../db/accounts/access-tokens.ts";
import { toIso } from "../../domain/time.ts";
import type { Context } from "../../env.ts";
import { noticesOf } from "../../http/notices.ts";
import { badge, buttonLink, card, copyable, nameText, notice, pageHead } from "../../pages/elements.ts";
import { errorSummary, type Option, ownPasswordField, type RejectedForm } from "../../pages/forms/fields.ts";
import { form } from "../../pages/forms/form.ts";
import { pageResponse } from "../../pages/frame.ts";
import { table } from "../../pages/lists/table.ts";
import { type Markup, time } from "../../pages/markup.ts";
import { showNotice, signInAgain } from "../../pages/notice.ts";
import { MAX_TOKEN_DAYS } from "../contract.ts";
import { formatLastUse } from "../rules.ts";

export const TOKEN_NOTICES = noticesOf({ ended: "Access token ended. It no longer works." });

const DEFAULT_DAYS = "90";
const SCOPES: Option[] = [
  ["read", "Read: changes nothing"],
  ["write", "Write: everything that you can do"],
];

export function tokensPage(
  context: Context,
  session: Session,
  tokens: ListedToken[],
  { rejected, status = 200 }: { rejected?: RejectedForm; status?: 200 | 400 | 403 } = {},
): Promise<Response> {
  // Before the summary, which links to its fields.
  const newToken = createForm(context, session, rejected);
  return pageResponse(context, {
    title: rejected ? "Error: Access tokens" : "Access tokens",
    status,
    user: session,
    body: html`
      ${pageHead("Access tokens")}
      ${showNotice(TOKEN_NOTICES, context)}
      ${rejected ? errorSummary(rejected, "Access token not created. Fix the errors below and try again.") : ""}
      ${card({ id: "tokens", title: "Your access tokens" }, listOf(context, tokens))}
      ${card(
        { id: "new", title: "Create access token" },
        html`<p>A program sends it like the API token. It never has more access than you. You can have ${MAX_ACCESS_TOKENS} at the same time.</p>`,
        newToken,
      )}
      <p class="hint"><a href="/account">Back to your account</a></p>`,
  });
}

const listOf = ({ now }: Context, tokens: ListedToken[]) =>
  table({
    label: "Access tokens by expiration date",
    rows: tokens,
    empty: html`<p class="muted">You don't have any access tokens yet.</p>`,
    columns: [
      { heading: "Token", cell: ({ name, hint }) => html`${nameText(name)}<br><code>${hint}</code>` },
      { heading: "Scope", cell: ({ scope }) => (scope === "read" ? "Read" : "Write") },
      { heading: "Apps", cell: ({ appName }) => (appName === null ? "All your apps" : nameText(appName)) },
      { heading: "Expires", cell: ({ expiresAt }) => time(toIso(expiresAt)) },
      { heading: "Last used", cell: ({ lastUsedDay }) => formatLastUse(lastUsedDay, now) },
      {
        heading: "End token",
        kind: "action",
        cell: ({ tokenHash, name, expiresAt }) =>
          expiresAt <= now
            ? badge("expired")
            : form({
                action: "/account/tokens/end",
                hidden: { token: toTokenReference(tokenHash) },
                button: html`End token<span class="visually-hidden">: ${name}</span>`,
                kind: "small secondary",
              }),
      },
    ],
  });

function createForm(context: Context, session: Session, rejected: RejectedForm | undefined): Markup {
  const isReady = isRecentlyConfirmed(session, context.now);
  const again = isReady ? "" : signInAgain(context.env, "/account/tokens");
  const apps: Option[] = session.apps.map(({ token, name }) => [token, name]);
  return form(
    {
      action: "/account/tokens",
      fields: {
        name: {
          label: "Name",
          subject: "The name",
          required: true,
          maxlength: 100,
          hint: "A name that helps you recognize it, for example the program that uses it.",
        },
        scope: { label: "Scope", options: SCOPES },
        app_token: {
          label: "Apps",
          options: [["", "All your apps"], ...apps],
          hint: "With one app, it can't be used for operator paths.",
        },
        days: {
          label: "Days until it expires",
          subject: "The number of days",
          required: true,
          hint: `At most ${MAX_TOKEN_DAYS}.`,
        },
      },
      values: { scope: "read", days: DEFAULT_DAYS },
      more: session.hasPassword ? ownPasswordField(rejected) : again,
      button: "Create token",
    },
    rejected,
  );
}

export function newTokenPage(
  context: Context,
  session: Session,
  created: { name: string; token: string },
): Promise<Response> {
  return pageResponse(context, {
    title: "Access token",
    user: session,
    body: html`
      ${pageHead("Access token")}
      ${notice("Access token created.", "ok", { announced: true })}
      ${card(
        { id: "token", title: nameText(created.name) },
        notice("Copy this now. You won't be able to see it again.", "warn"),
        html`<p>${copyable("token-text", created.token, "the access token")}</p>
          <p>Send it as <code>Authorization: Token token=…</code>.</p>
          <p>${buttonLink("/account/tokens", "Done", "")}</p>`,
      )}`,
  });
}
