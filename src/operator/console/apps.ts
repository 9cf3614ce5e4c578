/** The console's pages for apps: destinations, members, and the link tree. */
import { html } from "hono/html";
import * as z from "zod/mini";
import { listApps, listMembers } from "../../db/operator/apps.ts";
import { listTree, MAX_SHOWN_LINKS, type TreeLink } from "../../db/operator/console.ts";
import { findUserByEmail } from "../../db/operator/users.ts";
import { DEFAULT_MAX_LINKS } from "../../domain/quotas.ts";
import { email as emailField } from "../../http/fields.ts";
import { parseOrThrow } from "../../http/input.ts";
import type { Markup } from "../../http/pages.ts";
import { type AppItem, addMember, createApp, readApp, removeMember, updateApp } from "../api/apps.ts";
import { badField } from "../api/common.ts";
import { confirmStep, field, numberColumn, orNull, pick, table, toLines } from "./elements.ts";
import {
  type Act,
  done,
  type Form,
  type FormError,
  nextLink,
  readPage,
  type Show,
  tokenOf,
} from "./layout.ts";

export const appsPage: Show = async (context, formError) => {
  const page = await readPage(context, listApps);
  const columns = ["App", "Token", "Default URL", numberColumn("Network links")];
  const rows = page.items.map(
    (app) =>
      html`<tr><th scope="row"><a href="/operator/apps/${app.token}">${app.name}</a></th><td><code>${app.token}</code></td><td>${app.defaultUrl}</td><td class="number">${app.linkCount}</td></tr>`,
  );
  return {
    section: "Apps",
    body: html`
      <h1>Apps</h1>
      ${table("Apps", columns, rows, html`<p class="notice">No apps yet. Create the first one below, then add its members.</p>`)}
      ${nextLink("/operator/apps", page.next)}
      <section class="card" aria-labelledby="new">
        <h2 id="new">New app</h2>
        <form method="post" action="/operator/apps">${appFields({}, formError)}<button>Create app</button></form>
      </section>`,
  };
};

function appFields(app: Partial<AppItem>, formError?: FormError): Markup {
  return html`
    ${field({ name: "name", label: "Name", value: app.name ?? "", required: true }, formError)}
    ${field({ name: "default_url", label: "Default URL", type: "url", value: app.default_url ?? "", required: true, hint: "Used when no other destination matches." }, formError)}
    ${field({ name: "ios_url", label: "App Store URL", type: "url", value: app.ios_url ?? "" }, formError)}
    ${field({ name: "android_url", label: "Google Play URL", type: "url", value: app.android_url ?? "" }, formError)}
    ${field({ name: "redirect_hosts", label: "Allowed redirect hosts", rows: 3, value: app.redirect_hosts?.join("\n") ?? "", hint: "One per line, e.g. shop.example.com" }, formError)}
    ${field({ name: "redirect_schemes", label: "Allowed redirect URL schemes", rows: 2, value: app.redirect_schemes?.join("\n") ?? "", hint: "One per line, e.g. https or your app's own scheme" }, formError)}
    ${field({ name: "max_links", label: "Maximum number of links", value: String(app.max_links ?? DEFAULT_MAX_LINKS), required: true, hint: `Links that users create, at all levels. ${app.created_link_count === undefined ? "" : `The app has ${app.created_link_count.toLocaleString("en-US")} now.`}` }, formError)}`;
}

function toBody(form: Form) {
  return {
    ...pick(form, "name", "default_url"),
    ios_url: orNull(form.get("ios_url")),
    android_url: orNull(form.get("android_url")),
    redirect_hosts: toLines(form.get("redirect_hosts")),
    redirect_schemes: toLines(form.get("redirect_schemes")),
    ...(form.has("max_links") && { max_links: Number(form.get("max_links")) }),
  };
}

export const submitNewApp: Act = async (context, session, form) => {
  const app = await createApp.submit(context, session, { body: toBody(form) });
  return done(`/operator/apps/${app.token}`, "app-created");
};

export const submitApp: Act = async (context, session, form) => {
  const path = { token: tokenOf(context) };
  await updateApp.submit(context, session, { path, body: toBody(form) });
  return done(`/operator/apps/${path.token}`, "app-updated");
};

export const appPage: Show = async (context, formError, session) => {
  const token = tokenOf(context);
  const [app, page, links] = await Promise.all([
    readApp.handle(context, session, { path: { token } }),
    readPage(context, listMembers, { appToken: token }),
    listTree(context.env.DB, token),
  ]);
  const path = `/operator/apps/${token}`;
  const members = page.items.map((member) => memberRow(app, member));
  return {
    title: app.name,
    section: "Apps",
    body: html`
      <div class="head"><h1>${app.name}</h1><code>${app.token}</code></div>
      <section class="card" aria-labelledby="links">
        <h2 id="links">Links</h2>
        ${
          links.length === 0
            ? html`<p class="muted">No links yet. A member can create the first one: <code>POST /public/v1/apps/${app.token}/trackers</code>.</p>`
            : html`<div class="tree">${linkTree(links, null)}</div>`
        }
        ${links.length > MAX_SHOWN_LINKS ? html`<p class="muted">Showing the first ${MAX_SHOWN_LINKS} links. The campaign API lists all of them.</p>` : ""}
      </section>
      <section class="card" aria-labelledby="members">
        <h2 id="members">Members</h2>
        ${table("Member list", MEMBER_COLUMNS, members, html`<p class="muted">No members yet. Add one below.</p>`)}
        ${nextLink(path, page.next)}
        <form method="post" action="${path}/members">
          ${field({ name: "email", label: "Add member by email", type: "email", required: true }, formError)}
          <button>Add member</button>
        </form>
      </section>
      <section class="card" aria-labelledby="settings">
        <h2 id="settings">Name and destinations</h2>
        <form method="post" action="${path}">${appFields(app, formError)}<button>Save changes</button></form>
      </section>`,
  };
};

/** The children of a link as a nested list. `parent` is null for the top level. */
function linkTree(links: TreeLink[], parent: number | null): Markup | "" {
  const children = links.filter((link) => link.parentId === parent);
  if (children.length === 0) return "";
  return html`<ul>${children.map(
    (link) => html`
      <li>
        ${link.label} <code>${link.token}</code>
        ${link.partner ? html`<span class="badge">${link.partner}</span>` : ""}
        ${link.costSwitch === 1 ? html`<span class="badge ok">cost data on</span>` : ""}
        ${link.archived ? html`<span class="badge">archived</span>` : ""}
        ${linkTree(links, link.id)}
      </li>`,
  )}</ul>`;
}

const MEMBER_COLUMNS = [
  "User",
  "Role",
  html`<th scope="col"><span class="visually-hidden">Action</span></th>`,
];

function memberRow(app: AppItem, member: { id: number; email: string; role: string }): Markup {
  return html`
    <tr>
      <th scope="row"><a href="/operator/users/${member.id}">${member.email}</a></th>
      <td>${member.role}</td>
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
