/** Apps, where their links lead, who may see them, and their link tree. */
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
          ? html`<p class="notice">There is no app yet. Make the first one below, then add its users.</p>`
          : html`<div class="table" tabindex="0" role="region" aria-label="Apps"><table>
              <thead><tr><th scope="col">App</th><th scope="col">Token</th><th scope="col">Default URL</th><th scope="col" class="number">Networks</th></tr></thead>
              <tbody>${page.items.map((app) => html`<tr><th scope="row"><a href="/operator/apps/${app.token}">${app.name}</a></th><td><code>${app.token}</code></td><td>${app.defaultUrl}</td><td class="number">${app.linkCount}</td></tr>`)}</tbody>
            </table></div>`
      }
      ${nextLink("/operator/apps", page.next)}
      <section class="card" aria-labelledby="new">
        <h2 id="new">New app</h2>
        <form method="post" action="/operator/apps">${appFields({}, formError)}<button>Make app</button></form>
      </section>`,
  });
}

function appFields(app: Partial<App>, formError?: FormError): Markup {
  return html`
    ${field({ name: "name", label: "Name", value: app.name ?? "", required: true }, formError)}
    ${field({ name: "default_url", label: "Default URL", type: "url", value: app.defaultUrl ?? "", required: true, hint: "Where a click leads when nothing else fits." }, formError)}
    ${field({ name: "ios_url", label: "App Store URL", type: "url", value: app.iosUrl ?? "" }, formError)}
    ${field({ name: "android_url", label: "Google Play URL", type: "url", value: app.androidUrl ?? "" }, formError)}
    ${field({ name: "redirect_hosts", label: "Hosts that a click may name", rows: 3, value: app.redirectHosts?.join("\n") ?? "", hint: "One a line, for instance shop.example.com" }, formError)}
    ${field({ name: "redirect_schemes", label: "Schemes that a click may name", rows: 2, value: app.redirectSchemes?.join("\n") ?? "", hint: "One a line, for instance https, or the app's own" }, formError)}`;
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
  return done(context, `/operator/apps/${app.token}`, "made");
}

export async function updateApp(
  context: Context,
  operatorSession: OperatorSession,
  form: Form,
): Promise<Response> {
  const token = tokenOf(context);
  await actions.updateApp(context, operatorSession, token, parse(contract.updateApp.body, toBody(form)));
  return done(context, `/operator/apps/${token}`, "saved");
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
            ? html`<p class="muted">No link yet. A member makes the first one: <code>POST /public/v1/apps/${app.token}/trackers</code>.</p>`
            : html`<div class="tree">${linkTree(links, null)}</div>`
        }
        ${links.length > MAX_SHOWN_LINKS ? html`<p class="muted">These are the first ${MAX_SHOWN_LINKS}. The campaign interface lists all.</p>` : ""}
      </section>
      <section class="card" aria-labelledby="members">
        <h2 id="members">Who may see it</h2>
        ${
          page.items.length === 0
            ? html`<p class="muted">Nobody yet. Add a user below.</p>`
            : html`<div class="table" tabindex="0" role="region" aria-label="Members"><table>
                <thead><tr><th scope="col">User</th><th scope="col">Role</th><th scope="col"><span class="visually-hidden">Action</span></th></tr></thead>
                <tbody>${page.items.map((member) => memberRow(app, member))}</tbody>
              </table></div>`
        }
        ${nextLink(`/operator/apps/${token}`, page.next)}
        <form method="post" action="/operator/apps/${token}/members">
          ${field({ name: "email", label: "E-mail of the user to add", type: "email", required: true }, formError)}
          <button>Add user</button>
        </form>
      </section>
      <section class="card" aria-labelledby="settings">
        <h2 id="settings">Name and destinations</h2>
        <form method="post" action="/operator/apps/${token}">${appFields(app, formError)}<button>Save</button></form>
      </section>`,
  });
}

/** The links right below one, each with its own below it. */
function linkTree(links: TreeLink[], parent: number | null): Markup | "" {
  const below = links.filter((link) => link.parent_id === parent);
  if (below.length === 0) return "";
  return html`<ul>${below.map(
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
        open: "Remove",
        explain: `${member.email} no longer sees ${app.name} from that moment on.`,
        button: "Remove from the app",
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
  if (!user) throw actions.badField("email", "belongs to no user yet: make the user first, under Users");
  await actions.addMember(context, operatorSession, { appToken: token, userId: user.id });
  return done(context, `/operator/apps/${token}`, "added");
}

export async function removeMember(
  context: Context,
  operatorSession: OperatorSession,
  form: Form,
): Promise<Response> {
  const token = tokenOf(context);
  const userId = Number(form.get("user_id"));
  if (!Number.isSafeInteger(userId)) throw actions.badField("user_id", "is not a user");
  await actions.removeMember(context, operatorSession, { appToken: token, userId });
  return done(context, `/operator/apps/${token}`, "removed");
}

function tokenOf(context: Context): string {
  return context.params.token ?? "";
}
