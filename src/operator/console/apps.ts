/** The console's pages for apps: destinations, members, and the link tree. */
import { html } from "hono/html";
import { toPage } from "../../db/keyset.ts";
import { type App, findApp, listApps, listMembers, type MemberRow } from "../../db/operator/apps.ts";
import { listTree, MAX_SHOWN_LINKS, type TreeLink } from "../../db/operator/console.ts";
import { findUserByEmail } from "../../db/operator/users.ts";
import type { Context } from "../../env.ts";
import type { Markup } from "../../http/pages.ts";
import * as actions from "../actions.ts";
import * as contract from "../contract.ts";
import { confirmStep, field, orNull, toLines } from "./fields.ts";
import {
  consolePage,
  done,
  type Form,
  type FormError,
  nextLink,
  type OperatorSession,
  parse,
  rangeOf,
} from "./layout.ts";

export async function appsPage(
  context: Context,
  operatorSession: OperatorSession,
  formError?: FormError,
): Promise<Response> {
  const range = rangeOf(context);
  const found = await listApps(context.env.DB, operatorSession.actor, range);
  operatorSession.authorize(found.access);
  const page = toPage(range, found.rows);
  return consolePage(context, operatorSession, {
    title: "Apps",
    section: "Apps",
    formError,
    body: html`
      <h1>Apps</h1>
      ${
        page.items.length === 0
          ? html`<p class="notice">No apps yet. Create the first one below, then add its members.</p>`
          : html`<div class="table" tabindex="0" role="region" aria-label="Apps"><table>
              <thead><tr><th scope="col">App</th><th scope="col">Token</th><th scope="col">Default URL</th><th scope="col" class="number">Network links</th></tr></thead>
              <tbody>${page.items.map((app) => html`<tr><th scope="row"><a href="/operator/apps/${app.token}">${app.name}</a></th><td><code>${app.token}</code></td><td>${app.defaultUrl}</td><td class="number">${app.linkCount}</td></tr>`)}</tbody>
            </table></div>`
      }
      ${nextLink("/operator/apps", page.next)}
      <section class="card" aria-labelledby="new">
        <h2 id="new">New app</h2>
        <form method="post" action="/operator/apps">${appFields({}, formError)}<button>Create app</button></form>
      </section>`,
  });
}

function appFields(app: Partial<App>, formError?: FormError): Markup {
  return html`
    ${field({ name: "name", label: "Name", value: app.name ?? "", required: true }, formError)}
    ${field({ name: "default_url", label: "Default URL", type: "url", value: app.defaultUrl ?? "", required: true, hint: "Used when no other destination matches." }, formError)}
    ${field({ name: "ios_url", label: "App Store URL", type: "url", value: app.iosUrl ?? "" }, formError)}
    ${field({ name: "android_url", label: "Google Play URL", type: "url", value: app.androidUrl ?? "" }, formError)}
    ${field({ name: "redirect_hosts", label: "Allowed redirect hosts", rows: 3, value: app.redirectHosts?.join("\n") ?? "", hint: "One per line, e.g. shop.example.com" }, formError)}
    ${field({ name: "redirect_schemes", label: "Allowed redirect URL schemes", rows: 2, value: app.redirectSchemes?.join("\n") ?? "", hint: "One per line, e.g. https or your app's own scheme" }, formError)}`;
}

function toBody(form: Form) {
  return {
    name: form.get("name") ?? undefined,
    default_url: form.get("default_url") ?? undefined,
    ios_url: orNull(form.get("ios_url")),
    android_url: orNull(form.get("android_url")),
    redirect_hosts: toLines(form.get("redirect_hosts")),
    redirect_schemes: toLines(form.get("redirect_schemes")),
  };
}

export async function createApp(
  context: Context,
  operatorSession: OperatorSession,
  form: Form,
): Promise<Response> {
  const app = await actions.createApp(context, operatorSession, parse(contract.createApp.body, toBody(form)));
  return done(context, `/operator/apps/${app.token}`, "app-created");
}

export async function updateApp(
  context: Context,
  operatorSession: OperatorSession,
  form: Form,
): Promise<Response> {
  const token = tokenOf(context);
  await actions.updateApp(context, operatorSession, token, parse(contract.updateApp.body, toBody(form)));
  return done(context, `/operator/apps/${token}`, "app-updated");
}

export async function appPage(
  context: Context,
  operatorSession: OperatorSession,
  formError?: FormError,
): Promise<Response> {
  const token = tokenOf(context);
  const { DB } = context.env;
  const range = rangeOf(context);
  const [{ access, app }, members, { links }] = await Promise.all([
    findApp(DB, operatorSession.actor, token),
    listMembers(DB, operatorSession.actor, range, { token }),
    listTree(DB, operatorSession.actor, token),
  ]);
  operatorSession.authorize(access);
  if (!app) throw actions.notFound("app");
  const page = toPage(range, members.rows);
  return consolePage(context, operatorSession, {
    title: app.name,
    section: "Apps",
    formError,
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
        ${
          page.items.length === 0
            ? html`<p class="muted">No members yet. Add one below.</p>`
            : html`<div class="table" tabindex="0" role="region" aria-label="Member list"><table>
                <thead><tr><th scope="col">User</th><th scope="col">Role</th><th scope="col"><span class="visually-hidden">Action</span></th></tr></thead>
                <tbody>${page.items.map((member) => memberRow(app, member))}</tbody>
              </table></div>`
        }
        ${nextLink(`/operator/apps/${token}`, page.next)}
        <form method="post" action="/operator/apps/${token}/members">
          ${field({ name: "email", label: "Add member by email", type: "email", required: true }, formError)}
          <button>Add member</button>
        </form>
      </section>
      <section class="card" aria-labelledby="settings">
        <h2 id="settings">Name and destinations</h2>
        <form method="post" action="/operator/apps/${token}">${appFields(app, formError)}<button>Save changes</button></form>
      </section>`,
  });
}

/** The children of a link as a nested list. `parent` is null for the top level. */
function linkTree(links: TreeLink[], parent: number | null): Markup | "" {
  const children = links.filter((link) => link.parent_id === parent);
  if (children.length === 0) return "";
  return html`<ul>${children.map(
    (link) => html`
      <li>
        ${link.label} <code>${link.token}</code>
        ${link.partner ? html`<span class="badge">${link.partner}</span>` : ""}
        ${link.cost_switch === 1 ? html`<span class="badge ok">cost data on</span>` : ""}
        ${link.archived ? html`<span class="badge">archived</span>` : ""}
        ${linkTree(links, link.id)}
      </li>`,
  )}</ul>`;
}

function memberRow(app: App, member: MemberRow): Markup {
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

export async function addMember(
  context: Context,
  operatorSession: OperatorSession,
  form: Form,
): Promise<Response> {
  const token = tokenOf(context);
  const { email } = parse(contract.emailForm, { email: form.get("email") });
  const { access, user } = await findUserByEmail(context.env.DB, operatorSession.actor, email);
  operatorSession.authorize(access);
  if (!user) throw actions.badField("email", "does not belong to a user; create the user first");
  await actions.addMember(context, operatorSession, { appToken: token, userId: user.id });
  return done(context, `/operator/apps/${token}`, "member-added");
}

export async function removeMember(
  context: Context,
  operatorSession: OperatorSession,
  form: Form,
): Promise<Response> {
  const token = tokenOf(context);
  const userId = Number(form.get("user_id"));
  if (!Number.isSafeInteger(userId)) throw actions.badField("user_id", "must be the ID of an existing user");
  await actions.removeMember(context, operatorSession, { appToken: token, userId });
  return done(context, `/operator/apps/${token}`, "member-removed");
}

function tokenOf(context: Context): string {
  return context.params.token ?? "";
}
