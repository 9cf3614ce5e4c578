/** The sessions on the account page, and the forms that end them. */
import { html } from "hono/html";
import { isRecentlyConfirmed, type Session } from "../../auth/sessions.ts";
import type { Account } from "../../db/accounts/account.ts";
import type { ListedSession } from "../../db/accounts/sessions.ts";
import { toReference } from "../../db/accounts/sign-out.ts";
import { toIso } from "../../domain/time.ts";
import type { Context } from "../../env.ts";
import { noticesOf } from "../../http/notices.ts";
import { badge } from "../../pages/elements.ts";
import { errorSummary, ownPasswordField, type RejectedForm } from "../../pages/forms/fields.ts";
import { form } from "../../pages/forms/form.ts";
import { pageResponse } from "../../pages/frame.ts";
import { table } from "../../pages/lists/table.ts";
import { describeTime } from "../../pages/locale.ts";
import { type Markup, time } from "../../pages/markup.ts";
import { signInAgain } from "../../pages/notice.ts";
import { formatAgo } from "../rules.ts";
import { ENDED_BY_DEFAULT, endedTokenFields } from "../token-pages.ts";

export const SESSION_NOTICES = noticesOf({ "session-ended": "Session ended." });

export function sessionsSection(
  context: Context,
  session: Session,
  account: Account,
  sessions: ListedSession[],
): Markup {
  return html`
    <h3>Sessions</h3>
    ${sessionsTable(context, session, sessions)}
    <details>
      <summary>Sign out everywhere</summary>
      <p>${ENDING.all.text}</p>
      ${endForm(context, session, account, "all")}
    </details>`;
}

/** This session ends with the button in the navigation. */
const sessionsTable = (context: Context, session: Session, sessions: ListedSession[]) =>
  table({
    label: "Sessions",
    rows: sessions,
    columns: [
      { heading: "Browser", cell: ({ browser }) => browser || "Unknown browser" },
      { heading: "Signed in", cell: ({ createdAt }) => time(toIso(createdAt)) },
      { heading: "Last used", cell: ({ lastSeenAt }) => formatAgo(lastSeenAt, context.now) },
      {
        heading: "Action",
        kind: "action",
        cell: (listed) =>
          listed.idHash === session.idHash ? badge("This session", "ok") : endOne(context, session, listed),
      },
    ],
  });

function endOne(context: Context, session: Session, { idHash, browser, createdAt }: ListedSession): Markup {
  const reference = toReference(idHash);
  const which = html`<span class="visually-hidden">: ${browser || "Unknown browser"}, signed in ${describeTime(createdAt)}</span>`;
  return html`
    <details>
      <summary>End session${which}</summary>
      ${form({
        action: "/account/sessions/end",
        hidden: { session: reference },
        more: passwordOf(context, session, `session-${reference}`),
        button: html`End session${which}`,
        kind: "small secondary",
      })}
    </details>`;
}

/** What confirms the form: the password, or for a user without one a new sign-in, unless that was a short time ago. */
function passwordOf(context: Context, session: Session, id: string, rejected?: RejectedForm): Markup | "" {
  if (session.hasPassword) return ownPasswordField(rejected, `${id}-password`);
  return isRecentlyConfirmed(session, context.now) ? "" : signInAgain(context.env, "/account");
}

const ENDING = {
  one: {
    title: "End session",
    action: "/account/sessions/end",
    text: "The browser is signed out immediately.",
    lead: "Session not ended. Fix the error below and try again.",
  },
  all: {
    title: "Sign out everywhere",
    action: "/account/sign-out-everywhere",
    text: "Signs out on all devices, including this one.",
    lead: "You're not signed out. Fix the error below and try again.",
  },
} as const;

function endForm(
  context: Context,
  session: Session,
  account: Account,
  which: keyof typeof ENDING,
  rejected?: RejectedForm,
): Markup {
  const { title: button, action } = ENDING[which];
  const reference = rejected?.form.get("session");
  return form(
    {
      action,
      ...(reference && { hidden: { session: reference } }),
      ...(which === "all" && { fields: endedTokenFields(account), values: ENDED_BY_DEFAULT }),
      more: passwordOf(context, session, which, rejected),
      button,
      kind: "secondary",
      ...(rejected && { cancel: "/account" }),
    },
    rejected,
  );
}

/** The form as its own page, after a rejected attempt. */
export function confirmPage(
  context: Context,
  session: Session,
  account: Account,
  which: keyof typeof ENDING,
  rejected: RejectedForm,
  status: 400 | 403,
): Promise<Response> {
  const { title, text, lead } = ENDING[which];
  // Before the summary, which links to its fields.
  const again = endForm(context, session, account, which, rejected);
  return pageResponse(context, {
    title: `Error: ${title}`,
    status,
    user: session,
    narrow: true,
    body: html`
      <section class="card">
        <h1>${title}</h1>
        ${errorSummary(rejected, lead)}
        <p>${text}</p>
        ${again}
      </section>`,
  });
}
