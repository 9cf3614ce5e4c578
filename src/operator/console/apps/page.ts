/** The page of an app: its links and spend in short, its members, its destinations, and the switch that archives it. */
import { html } from "hono/html";
import * as z from "zod/mini";
import { toPage } from "../../../db/keyset.ts";
import { readSums } from "../../../db/ledger/reports/sums.ts";
import { isMember, listMembers } from "../../../db/operator/apps.ts";
import { findUserByEmail } from "../../../db/operator/users/users.ts";
import { currenciesOf } from "../../../domain/figures/performance.ts";
import { sumSpend } from "../../../domain/money.ts";
import { dayOf } from "../../../domain/time.ts";
import type { Context } from "../../../env.ts";
import { email as emailField } from "../../../http/input/fields.ts";
import { parseOrThrow } from "../../../http/input/parse.ts";
import { archivedBadge } from "../../../pages/costs/states.ts";
import { buttonLink, card, facts, nameText, pageHead } from "../../../pages/elements.ts";
import { confirmation, type Fields, form } from "../../../pages/forms/form.ts";
import { table } from "../../../pages/lists/table.ts";
import { showCount } from "../../../pages/locale.ts";
import { type Markup, time } from "../../../pages/markup.ts";
import { moneyText } from "../../../pages/money.ts";
import { type AppItem, readApp, updateApp } from "../../api/apps/apps.ts";
import { addMember, removeMember } from "../../api/apps/members.ts";
import { badField } from "../../api/common.ts";
import { type Act, done, type Show } from "../layout.ts";
import { ROLE_NAMES } from "../users/common.ts";
import { appFields, toBody } from "./fields.ts";

const DAYS = 30;
const MOST_MEMBERS = 100;

/** The app token in the path. */
const tokenOf = ({ params }: Context) => params.token ?? "";

/** Reads the members after the `after` parameter of the query. */
async function readMembers({ env, url }: Context, appToken: string) {
  const after = url.searchParams.get("after") ?? "";
  const range = { after: /^\d{1,15}$/.test(after) ? Number(after) : null, before: null, limit: MOST_MEMBERS };
  return toPage(range, (await listMembers(env.DB, range, { appToken })).rows);
}

export const submitApp: Act = async (context, session, sent) => {
  const path = { token: tokenOf(context) };
  await updateApp.submit(context, session, { path, body: toBody(sent) });
  return done(`/operator/apps/${path.token}`, "app-updated");
};

export const appPage: Show = async (context, rejected, session) => {
  const token = tokenOf(context);
  const to = dayOf(context.now);
  const days = { from: to - DAYS + 1, to };
  const [app, page, found, own] = await Promise.all([
    readApp.handle(context, session, { path: { token } }),
    readMembers(context, token),
    readSums(context.ledger, {
      whose: { apps: [token] },
      parts: { spend: { report: "spend", ...days, groups: [] } },
      canBeCut: true,
    }),
    isMember(context.env.DB, token, session.userId),
  ]);
  const path = `/operator/apps/${token}`;
  const rejectedAt = (end: string) => (context.url.pathname.endsWith(end) ? rejected : undefined);
  const spend = found.rowsOf("spend");
  const total =
    spend.length === 0
      ? "None"
      : html`${currenciesOf(spend).map((currency) => html`<div>${moneyText(sumSpend(spend.filter((row) => row.currency === currency)), currency)}</div>`)}`;
  return {
    title: app.name,
    section: "Apps",
    body: html`
      ${pageHead(html`${nameText(app.name)} ${archivedBadge(app.archived_at !== null)}`, html`<code>${app.token}</code>`)}
      ${card(
        { id: "links", title: "Links and spend" },
        facts(
          [
            "Links",
            `${showCount(app.created_link_count)}, ${showCount(app.link_count)} of them network links`,
          ],
          [`Spend, last ${to - found.from + 1} days`, total],
          ["Created", time(app.created_at)],
        ),
        own
          ? html`<p class="actions">${buttonLink(`/apps/${token}/links`, "Search links in the workspace")} <a href="/apps/${token}/performance">Performance</a> <a href="/operator/adjustments/new?app_token=${token}">Adjust spend</a></p>`
          : html`
            <p class="muted">The workspace shows links and reports to members of the app.</p>
            ${form({ action: `${path}/members`, hidden: { email: session.user.email }, button: "Add yourself as a member", kind: "secondary" })}`,
      )}
      ${card(
        { id: "members", title: "Members" },
        memberTable(app, page.items),
        page.next === null ? "" : html`<p><a href="${path}?after=${page.next}">Next page</a></p>`,
        form(
          { action: `${path}/members`, fields: MEMBER_FIELDS, button: "Add member" },
          rejectedAt("/members"),
        ),
      )}
      ${card(
        { id: "settings", title: "Name and destinations" },
        form({ action: path, ...appFields(app), button: "Save changes" }, rejectedAt(token)),
      )}
      ${archiving(app)}`,
  };
};

const MEMBER_FIELDS = {
  email: { label: "Add member by email", subject: "The email address", type: "email", required: true },
} satisfies Fields;

function archiving({ token, archived_at }: AppItem): Markup {
  const action = `/operator/apps/${token}/archive`;
  if (archived_at !== null) {
    return card(
      { id: "archive", title: "App archived", kind: "danger" },
      html`<p>Archived ${time(archived_at)}. Its links still redirect and record.</p>`,
      form({ action, hidden: { archived: "no" }, button: "Restore app" }),
    );
  }
  return card(
    { id: "archive", title: "Archive app", kind: "danger" },
    confirmation({
      action,
      hidden: { archived: "yes" },
      summary: "Archive app",
      explanation:
        "The app disappears from the lists of its members. Its links keep redirecting and recording, and its reports stay. You can restore it.",
      button: "Archive app",
    }),
  );
}

export const submitArchiving: Act = async (context, session, form) => {
  const token = tokenOf(context);
  const archived = form.get("archived");
  const body = { archived: archived === null ? undefined : archived === "yes" };
  const app = await updateApp.submit(context, session, { path: { token }, body });
  return done(`/operator/apps/${token}`, app.archived_at === null ? "app-restored" : "app-archived");
};

type Member = Awaited<ReturnType<typeof listMembers>>["rows"][number];

const memberTable = (app: AppItem, rows: Member[]) =>
  table({
    label: "Member list",
    rows,
    empty: html`<p class="muted">No members yet. Add one below.</p>`,
    columns: [
      { heading: "User", cell: ({ id, email }) => html`<a href="/operator/users/${id}">${email}</a>` },
      { heading: "Role", cell: ({ role }) => ROLE_NAMES[role] },
      {
        heading: "Action",
        kind: "action",
        cell: ({ id, email }) =>
          confirmation({
            action: `/operator/apps/${app.token}/members/remove`,
            hidden: { user_id: String(id) },
            summary: html`Remove<span class="visually-hidden"> ${email}</span>`,
            explanation: html`${email} will lose access to ${nameText(app.name)} immediately.`,
            button: "Remove member",
          }),
      },
    ],
  });

export const submitMember: Act = async (context, session, form) => {
  const token = tokenOf(context);
  const { email } = parseOrThrow(emailForm, { email: form.get("email") });
  const user = await findUserByEmail(context.env.DB, email);
  if (!user) return done("/operator/users/new", "user-unknown", { email, app_token: token });
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
