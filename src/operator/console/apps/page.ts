/** The page of an app: its links and spend in short, its members, its destinations, and the switch that archives it. */
import { html } from "hono/html";
import * as z from "zod/mini";
import { findSpendOfApps } from "../../../db/ledger/reports/reports.ts";
import { ifNotTooLarge } from "../../../db/ledger/reports/too-large.ts";
import { isMember, listMembers } from "../../../db/operator/apps.ts";
import { findUserByEmail } from "../../../db/operator/users.ts";
import { sumSpend } from "../../../domain/money.ts";
import { dayOf } from "../../../domain/time.ts";
import { email as emailField } from "../../../http/input/fields.ts";
import { parseOrThrow } from "../../../http/input/parse.ts";
import { showCount, showMoney } from "../../../pages/locale.ts";
import { type Markup, time } from "../../../pages/markup.ts";
import { type AppItem, addMember, readApp, removeMember, updateApp } from "../../api/apps.ts";
import { badField } from "../../api/common.ts";
import { confirmStep, field, table } from "../elements.ts";
import { type Act, done, nextLink, readPage, type Show, tokenOf } from "../layout.ts";
import { appFields, toBody } from "./fields.ts";

const DAYS = 30;

export const submitApp: Act = async (context, session, form) => {
  const path = { token: tokenOf(context) };
  await updateApp.submit(context, session, { path, body: toBody(form) });
  return done(`/operator/apps/${path.token}`, "app-updated");
};

export const appPage: Show = async (context, formError, session) => {
  const token = tokenOf(context);
  const to = dayOf(context.now);
  const days = { from: to - DAYS + 1, to };
  const [app, page, spend, own] = await Promise.all([
    readApp.handle(context, session, { path: { token } }),
    readPage(context, listMembers, { appToken: token }),
    ifNotTooLarge(findSpendOfApps(context.ledger, days, [], [token])),
    isMember(context.env.DB, token, session.userId),
  ]);
  const path = `/operator/apps/${token}`;
  const members = page.items.map((member) => memberRow(app, member));
  return {
    title: app.name,
    section: "Apps",
    body: html`
      <div class="head"><h1>${app.name}${app.archived_at === null ? "" : html` <span class="badge">Archived</span>`}</h1><code>${app.token}</code></div>
      <section class="card" aria-labelledby="links">
        <h2 id="links">Links and spend</h2>
        <dl class="details">
          <dt>Links</dt><dd>${showCount(app.created_link_count)}, ${showCount(app.link_count)} of them network links</dd>
          <dt>Spend, last ${DAYS} days</dt>
          <dd>${!spend ? "Too many costs to add them up here" : spend.length === 0 ? "None" : spend.map((row) => html`<div>${showMoney(sumSpend([row]), row.currency)}</div>`)}</dd>
          <dt>Created</dt><dd>${time(app.created_at)}</dd>
        </dl>
        ${
          own
            ? html`<p class="actions"><a class="button secondary" href="/apps/${app.token}/links">Search links in the workspace</a> <a href="/apps/${app.token}/spend">Spend report</a></p>`
            : html`
              <p class="muted">The workspace shows links and reports to members of the app.</p>
              <form method="post" action="${path}/members"><input type="hidden" name="email" value="${session.user.email}"><button class="secondary">Add yourself as a member</button></form>`
        }
      </section>
      <section class="card" aria-labelledby="members">
        <h2 id="members">Members</h2>
        ${table("Member list", MEMBER_COLUMNS, members, html`<p class="muted">No members yet. Add one below.</p>`)}
        ${nextLink(path, page.next)}
        <form method="post" action="${path}/members">
          ${field({ name: "email", label: "Add member by email", subject: "The email address", type: "email", required: true }, formError)}
          <button>Add member</button>
        </form>
      </section>
      <section class="card" aria-labelledby="settings">
        <h2 id="settings">Name and destinations</h2>
        <form method="post" action="${path}">${appFields(app, formError)}<button>Save changes</button></form>
      </section>
      ${archiving(app)}`,
  };
};

function archiving({ token, archived_at }: AppItem): Markup {
  const action = `/operator/apps/${token}/archive`;
  return html`
    <section class="card danger" aria-labelledby="archive">
      <h2 id="archive">${archived_at === null ? "Archive app" : "App archived"}</h2>
      ${
        archived_at === null
          ? confirmStep({
              action,
              summary: "Archive app",
              explanation:
                "The app disappears from the lists of its members. Its links keep redirecting and recording, and its reports stay. You can restore it.",
              button: "Archive app",
              fields: html`<input type="hidden" name="archived" value="yes">`,
            })
          : html`
            <p>Archived ${time(archived_at)}. Its links still redirect and record.</p>
            <form method="post" action="${action}"><input type="hidden" name="archived" value="no"><button>Restore app</button></form>`
      }
    </section>`;
}

export const submitArchiving: Act = async (context, session, form) => {
  const token = tokenOf(context);
  const archived = form.get("archived");
  const body = { archived: archived === null ? undefined : archived === "yes" };
  const app = await updateApp.submit(context, session, { path: { token }, body });
  return done(`/operator/apps/${token}`, app.archived_at === null ? "app-restored" : "app-archived");
};

const MEMBER_COLUMNS = [
  "User",
  "Role",
  html`<th scope="col"><span class="visually-hidden">Action</span></th>`,
];

function memberRow(app: AppItem, member: { id: number; email: string; role: string }): Markup {
  return html`
    <tr>
      <th scope="row"><a href="/operator/users/${member.id}">${member.email}</a></th>
      <td data-label="Role">${member.role}</td>
      <td>${confirmStep({
        action: `/operator/apps/${app.token}/members/remove`,
        summary: "Remove",
        explanation: `${member.email} will lose access to ${app.name} immediately.`,
        button: "Remove member",
        fields: html`<input type="hidden" name="user_id" value="${member.id}">`,
      })}</td>
    </tr>`;
}

export const submitMember: Act = async (context, session, form) => {
  const token = tokenOf(context);
  const { email } = parseOrThrow(emailForm, { email: form.get("email") });
  const user = await findUserByEmail(context.env.DB, email);
  if (!user) throw badField("email", "does not belong to a user; create the user first");
  await addMember.handle(context, session, { path: { token }, body: { user_id: user.id } });
  return done(`/operator/apps/${token}`, "member-added");
};

const emailForm = z.object({ email: emailField });

export const submitRemoval: Act = async (context, session, form) => {
  const token = tokenOf(context);
  const user_id = Number(form.get("user_id"));
  if (!Number.isSafeInteger(user_id)) throw badField("user_id", "must be the ID of an existing user");
  await removeMember.handle(context, session, { path: { token, user_id } });
  return done(`/operator/apps/${token}`, "member-removed");
};
