/** The saved views of the Performance page: the links to them, and the forms that save and delete them. */
import { html } from "hono/html";
import type { View } from "../../db/workspace/views.ts";
import type { Context } from "../../env.ts";
import { choices, menu, nameText as shownName } from "../../pages/elements.ts";
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

/** The links to the views, and a menu to save the present one and to delete others. */
export function viewsBar(context: Context, member: Member, views: View[], rejected?: RejectedForm): Markup {
  const kept = keptOf(context);
  const action = `${pathOf(member)}/views`;
  const links = choices(
    "Views",
    views.map(({ id, name, query }) => [
      shownName(name),
      `${pathOf(member)}?${query}${query && "&"}view=${id}`,
      query === kept && context.url.searchParams.get("view") === String(id),
    ]),
  );
  const save = form(
    {
      action,
      id: "save-view",
      fields: {
        name: { label: "Name of the view", required: true },
        shared: { label: "Share it with the members of this app", box: true },
      },
      hidden: { query: kept },
      button: "Save view",
      kind: "secondary",
    },
    rejected,
  );
  const deletions = views.map(({ id, name, isShared }) =>
    form({
      action: `${action}/${id}/delete`,
      more: html`<span>${shownName(name)}${isShared ? html` <span class="muted">shared</span>` : ""}</span>`,
      button: html`Delete<span class="visually-hidden"> ${name}</span>`,
      kind: "small secondary",
    }),
  );
  return html`
    <div class="toolbar views">
      ${views.length > 0 ? links : ""}
      ${menu("Save view", [save, ...deletions], "", rejected !== undefined)}
    </div>`;
}
