/** The console's list of apps, and the form that creates one. */

import { html } from "hono/html";
import { type AppRow, searchApps } from "../../../db/operator/apps.ts";
import { noRows, readListView } from "../../../pages/list.ts";
import { showCount } from "../../../pages/locale.ts";
import type { Markup } from "../../../pages/markup.ts";
import { createApp } from "../../api/apps.ts";
import { numberColumn, table } from "../elements.ts";
import { type Act, done, type Show } from "../layout.ts";
import { appFields, toBody } from "./fields.ts";

const LIST = {
  path: "/operator/apps",
  nouns: ["app", "apps"] as [string, string],
  search: "Name or token contains",
  sorts: { name: "Name", "-created": "Newest first", "-links": "Most links" },
  filters: [
    {
      name: "archived",
      label: "Archived",
      default: "no",
      options: [
        ["no", "Hide archived"],
        ["yes", "Only archived"],
      ] as [string, string][],
    },
  ],
};

const NO_APPS = html`<p class="notice">No apps yet. <a href="/operator/apps/new">Create the first one</a>, then add its members.</p>`;

export const appsPage: Show = async (context) => {
  const list = await readListView(context, LIST, searchApps);
  const columns = ["App", "Token", "Default URL", numberColumn("Links")];
  return {
    section: "Apps",
    body: html`
      <div class="head"><h1>Apps</h1><a class="button" href="/operator/apps/new">New app</a></div>
      ${list.controls}
      ${table("Apps", columns, list.rows.map(appRow), noRows(list, NO_APPS, "apps"))}
      ${list.pager}`,
  };
};

const appRow = (app: AppRow): Markup => html`
  <tr>
    <th scope="row"><a href="/operator/apps/${app.token}">${app.name}</a>${app.archivedAt === null ? "" : html` <span class="badge">Archived</span>`}</th>
    <td data-label="Token"><code>${app.token}</code></td>
    <td data-label="Default URL">${app.defaultUrl}</td>
    <td data-label="Links" class="number">${showCount(app.createdLinkCount)}</td>
  </tr>`;

export const newAppPage: Show = async (_context, formError) => ({
  title: "New app",
  section: "Apps",
  body: html`
    <h1>New app</h1>
    <section class="card">
      <form method="post" action="/operator/apps/new">${appFields({}, formError)}<button>Create app</button></form>
    </section>`,
});

export const submitNewApp: Act = async (context, session, form) => {
  const app = await createApp.submit(context, session, { body: toBody(form) });
  return done(`/operator/apps/${app.token}`, "app-created");
};
