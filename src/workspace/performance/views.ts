/** Saves and deletes views of the Performance page. A rejected form shows the page with what was entered. */
import * as z from "zod/mini";
import { asReport, userKey } from "../../auth/report-limits.ts";
import { deleteView, MAX_VIEWS, saveView } from "../../db/workspace/views.ts";
import type { Context } from "../../env.ts";
import { idText, nameText } from "../../http/input/fields.ts";
import { readForm } from "../../http/input/form.ts";
import { readInput } from "../../http/input/input.ts";
import { redirectResponse } from "../../http/redirect.ts";
import { type RejectedForm, rejectedWith } from "../../pages/forms/fields.ts";
import { actorOf, type Member, type Show } from "../frame.ts";
import { showPerformance } from "./page.ts";
import { PERFORMANCE_NOTICES, readPerformanceQuery } from "./query.ts";
import { pathOf } from "./views-bar.ts";

const MAX_QUERY = 2_000;

const viewForm = z.object({
  name: z.string().check(z.trim(), nameText(1, 60)),
  shared: z.optional(z.literal("yes", "must be yes")),
  replace: z.optional(z.literal("yes", "must be yes")),
  // The page without a query has none to send.
  query: z._default(z.string().check(z.maxLength(MAX_QUERY, `can have at most ${MAX_QUERY} characters`)), ""),
});

export const backToPerformance: Show = async (_, member) => redirectResponse(pathOf(member));

export const submitView: Show = async (context, member) => {
  const read = await readForm(context, viewForm);
  if ("errors" in read) return showRejected(context, member, rejectedWith(read.errors, read.sent));
  const { name, shared, replace, query } = read.fields;
  readPerformanceQuery(query);
  const isShared = shared === "yes";
  const added = { name, query, isShared, isReplacing: replace === "yes" };
  const actor = actorOf(context, member);
  const { isSaved, before } = await saveView(context.env.DB, actor, member.app.token, added);
  const existing = before.find((view) => view.name === name && Boolean(view.isShared) === isShared);
  // The same view is saved already, for example by a form that was sent twice.
  if (isSaved || existing?.query === query)
    return PERFORMANCE_NOTICES.redirect(`${pathOf(member)}${query && `?${query}`}`, "saved");
  const sent = new URLSearchParams({ name, query, ...(shared && { shared }) });
  const errors = [{ param: "name", message: explain(isShared, existing !== undefined) }];
  return showRejected(context, member, rejectedWith(errors, sent));
};

function explain(isShared: boolean, isUsed: boolean): string {
  const whose = isShared ? "The members of this app share" : "You have";
  return isUsed
    ? `${whose} a view with this name. Choose another name, or replace that view.`
    : `${whose} ${MAX_VIEWS} views. Delete one to save another.`;
}

/** The page whose view was not saved, with the name that was entered. Throws invalid_request if there is no such page. */
function showRejected(context: Context, member: Member, rejected: RejectedForm) {
  const query = rejected.form.get("query") ?? "";
  if (rejected.error.errors.some(({ param }) => param === "query")) throw rejected.error;
  const url = new URL(`${pathOf(member)}${query && `?${query}`}`, context.url);
  return asReport(context, userKey(member.session.userId), () =>
    showPerformance({ ...context, url }, member, { view: rejected }),
  );
}

const noFields = z.object({});
const viewPath = z.object({ view_id: idText });

export const submitDeletion: Show = async (context, member) => {
  const { path } = await readInput(context, { path: viewPath });
  await readForm(context, noFields);
  await deleteView(context.env.DB, actorOf(context, member), member.app.token, path.view_id);
  // A view that somebody else has just deleted is deleted.
  return PERFORMANCE_NOTICES.redirect(pathOf(member), "deleted");
};
