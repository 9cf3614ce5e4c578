/** The console's list of apps, and the form that creates one. */
import { html } from "hono/html";
import { searchApps } from "../../../db/operator/apps.ts";
import { archivedBadge } from "../../../pages/costs/states.ts";
import { buttonLink, card, nameText, notice, pageHead } from "../../../pages/elements.ts";
import type { Option } from "../../../pages/forms/fields.ts";
import { form } from "../../../pages/forms/form.ts";
import { noRows, readListView } from "../../../pages/lists/list.ts";
import { table } from "../../../pages/lists/table.ts";
import { showCount } from "../../../pages/locale.ts";
import { createApp } from "../../api/apps/apps.ts";
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
      ] as Option[],
    },
  ],
};

export const appsPage: Show = async (context) => {
  const list = await readListView(context, LIST, searchApps);
  const none = notice(
    html`No apps yet. <a href="/operator/apps/new">Create the first one</a>, then add its members.`,
  );
  return {
    section: "Apps",
    body: html`
      ${pageHead("Apps", buttonLink("/operator/apps/new", "New app", ""))}
      ${list.controls}
      ${table({
        label: "Apps",
        rows: list.rows,
        empty: noRows(list, none, "apps"),
        columns: [
          {
            heading: "App",
            ...list.heading("name"),
            cell: ({ token, name, archivedAt }) =>
              html`<a href="/operator/apps/${token}">${nameText(name)}</a> ${archivedBadge(archivedAt !== null)}`,
          },
          { heading: "Token", cell: ({ token }) => html`<code>${token}</code>` },
          { heading: "Default URL", cell: ({ defaultUrl }) => defaultUrl },
          {
            heading: "Links",
            kind: "number",
            ...list.heading("links"),
            cell: ({ createdLinkCount }) => showCount(createdLinkCount),
          },
        ],
      })}
      ${list.pager}`,
  };
};

export const newAppPage: Show = async (_context, rejected) => ({
  title: "New app",
  section: "Apps",
  body: html`
    ${pageHead("New app")}
    ${card(
      { id: "settings", title: "Name and destinations" },
      form({ action: "/operator/apps/new", ...appFields(), button: "Create app" }, rejected),
    )}`,
});

export const submitNewApp: Act = async (context, session, form) => {
  const app = await createApp.submit(context, session, { body: toBody(form) });
  return done(`/operator/apps/${app.token}`, "app-created");
};
