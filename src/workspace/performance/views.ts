/** Saved views of the Performance page: the links to them, and the forms that save and delete them. */
import { html } from "hono/html";
import * as z from "zod/mini";
import { deleteView, MAX_VIEWS, saveView, type View } from "../../db/views.ts";
import type { Context } from "../../env.ts";
import type { AppError, InputError } from "../../errors.ts";
import { idText, nameText } from "../../http/input/fields.ts";
import { readForm } from "../../http/input/form.ts";
import { readInput } from "../../http/input/input.ts";
import { parsePairs, readPairs } from "../../http/input/pairs.ts";
import { invalidRequest } from "../../http/input/parse.ts";
import { redirectResponse } from "../../http/redirect.ts";
import { choices, menu, nameText as shownName } from "../../pages/elements.ts";
import { form } from "../../pages/form.ts";
import type { Markup } from "../../pages/markup.ts";
import { authorizeApp, type Member, type Show } from "../frame.ts";
import { PERFORMANCE_NOTICES, performancePageQuery } from "./query.ts";

const MAX_QUERY = 2_000;
/** What is not part of a view. */
const PASSING = ["notice", "view", "rows"];

const viewForm = z.object({
  name: z.string().check(z.trim(), nameText(1, 60)),
  shared: z.optional(z.literal("yes", "must be yes")),
  query: z.string().check(z.maxLength(MAX_QUERY, `can have at most ${MAX_QUERY} characters`)),
});

const pathOf = ({ path }: Member) => `${path}/performance`;

export const backToPerformance: Show = async (_, member) => redirectResponse(pathOf(member));

export const submitView: Show = async (context, member) => {
  const sent = await readForm(context, viewForm);
  if ("errors" in sent) throw invalidRequest(sent.errors);
  const { name, shared, query } = sent.fields;
  const errors: InputError[] = [];
  parsePairs(performancePageQuery, readPairs(query), "rejected", errors);
  if (errors.length > 0) throw invalidRequest(errors);
  const isShared = shared === "yes";
  const { access, isSaved, before } = await saveView(context.env.DB, member.viewer, member.app.token, {
    name,
    query,
    isShared,
    now: context.now,
  });
  authorizeApp(access);
  const existing = before.find((view) => view.name === name && Boolean(view.isShared) === isShared);
  // The same view is saved already, for example by a form that was sent twice.
  if (!isSaved && existing?.query !== query) throw rejection(isShared, existing !== undefined);
  return PERFORMANCE_NOTICES.redirect(`${pathOf(member)}${query && `?${query}`}`, "saved");
};

function rejection(isShared: boolean, isUsed: boolean): AppError {
  const whose = isShared ? "The members of this app share" : "You have";
  const message = isUsed
    ? `${whose} a view with this name. Choose another name, or delete that view.`
    : `${whose} ${MAX_VIEWS} views. Delete one to save another.`;
  return invalidRequest([{ param: "name", message }]);
}

const noFields = z.object({});
const viewPath = z.object({ view_id: idText });

export const submitDeletion: Show = async (context, member) => {
  const { path } = await readInput(context, { path: viewPath });
  await readForm(context, noFields);
  const { access } = await deleteView(context.env.DB, member.viewer, member.app.token, {
    id: path.view_id,
    now: context.now,
  });
  authorizeApp(access);
  // A view that somebody else has just deleted is deleted.
  return PERFORMANCE_NOTICES.redirect(pathOf(member), "deleted");
};

/** The parameters of the page that a view keeps. */
function keptOf({ url }: Context): string {
  const query = new URLSearchParams(url.search);
  for (const name of PASSING) query.delete(name);
  return query.toString();
}

/** The links to the views, and a menu to save the present one and to delete others. */
export function viewsBar(context: Context, member: Member, views: View[]): Markup {
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
  const save = form({
    action,
    id: "save-view",
    fields: {
      name: { label: "Name of the view", required: true },
      shared: { label: "Share it with the members of this app", box: true },
    },
    hidden: { query: kept },
    button: "Save view",
  });
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
      ${menu("Save view", [save, ...deletions])}
    </div>`;
}
