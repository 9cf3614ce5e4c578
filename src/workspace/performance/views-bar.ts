/** The saved views of the Performance page: the links to them, and the forms that save and delete them. */
import { html } from "hono/html";
import type { View } from "../../db/workspace/views.ts";
import type { Context } from "../../env.ts";
import { choices, copyButton, menu, nameText as shownName } from "../../pages/elements.ts";
import type { RejectedForm } from "../../pages/forms/fields.ts";
import { form } from "../../pages/forms/form.ts";
import type { Markup } from "../../pages/markup.ts";
import type { Member } from "../frame.ts";

/** What is not part of a view. */
const PASSING = ["notice", "view", "rows"];

export const pathOf = ({ path }: Member) => `${path}/performance`;

/** The parameters of the page that a view keeps. */
function keptOf({ url }: Context): string {
  const query = new URLSearchParams(url.search);
  for (const name of PASSING) query.delete(name);
  return query.toString();
}

/** The menu of the views: links to them, and the forms that save the present one, also in place of another, and delete others. */
export function viewsMenu(context: Context, member: Member, views: View[], rejected?: RejectedForm): Markup {
  const kept = keptOf(context);
  const action = `${pathOf(member)}/views`;
  const chosen = context.url.searchParams.get("view");
  const opened = views.find(({ id }) => chosen === String(id));
  const named = rejected ? rejected.form.get("name")?.trim() : opened?.name;
  const hrefOf = ({ id, query }: View) => `${pathOf(member)}?${query}${query && "&"}view=${id}`;
  const isShown = ({ id, query }: View) => query === kept && (chosen === null || chosen === String(id));
  const links = choices(
    "Views",
    views.map((view) => [shownName(view.name), hrefOf(view), isShown(view)]),
  );
  const save = form(
    {
      action,
      id: "save-view",
      fields: {
        name: { label: "Name of the view", required: true },
        shared: { label: "Share it with the members of this app", box: true },
        ...(views.some(({ name }) => name === named) && {
          replace: { label: "Replace the view with this name", box: true },
        }),
      },
      values: opened ? { name: opened.name, shared: Boolean(opened.isShared) } : {},
      hidden: { query: kept },
      button: "Save view",
      kind: "secondary",
    },
    rejected,
  );
  const deletions = views.map((view) =>
    form({
      action: `${action}/${view.id}/delete`,
      className: "view",
      more: html`<span>${shownName(view.name)}${view.isShared ? html` <span class="muted">shared</span>` : ""}</span>${copyButton(context.url.origin + hrefOf(view), `of ${view.name}`, "Copy link")}`,
      button: html`Delete<span class="visually-hidden"> ${view.name}</span>`,
      kind: "small secondary",
    }),
  );
  const shown = views.find(isShown);
  return menu(
    shown ? shownName(shown.name) : "Views",
    [...(views.length > 0 ? [links] : []), save, ...deletions],
    "",
    rejected !== undefined,
  );
}
