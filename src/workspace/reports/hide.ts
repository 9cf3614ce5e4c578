/** Hides an item of "Needs attention" for a while, and shows all hidden items again. Both lead back to the Overview page. */
import * as z from "zod/mini";
import { HIDDEN_DAYS, hideItem, MAX_HIDDEN, showHidden } from "../../db/workspace/hidden-attention.ts";
import { readForm } from "../../http/input/form.ts";
import { invalidRequest } from "../../http/input/parse.ts";
import { noticesOf } from "../../http/notices.ts";
import { redirectResponse } from "../../http/redirect.ts";
import { actorOf, type Member, type Show } from "../frame.ts";
import { KEY } from "./attention.ts";

export const OVERVIEW_NOTICES = noticesOf({
  hidden: `Item hidden for ${HIDDEN_DAYS} days.`,
  shown: "Hidden items shown.",
});

const item = z.string().check(z.maxLength(40, "is too long"), z.regex(KEY, "is unknown"));
const fields = {
  query: z
    .string()
    .check(z.maxLength(200, "is too long"), z.regex(/^[\w=&-]*$/, "must be the days of the page")),
};
const hideForm = z.object({ item, ...fields });
const showForm = z.object(fields);

const pathOf = ({ path }: Member, query: string) => `${path}${query && `?${query}`}#attention`;

export const backToOverview: Show = async (_, { path }) => redirectResponse(path);

export const submitHidden: Show = async (context, member) => {
  const read = await readForm(context, hideForm);
  if ("errors" in read) throw invalidRequest(read.errors);
  const { item, query } = read.fields;
  if (!(await hideItem(context.env.DB, actorOf(context, member), member.app.token, item))) {
    const message = `cannot be hidden: ${MAX_HIDDEN} items are hidden already. Show them again first.`;
    throw invalidRequest([{ param: "item", message }]);
  }
  return OVERVIEW_NOTICES.redirect(pathOf(member, query), "hidden");
};

export const submitShown: Show = async (context, member) => {
  const read = await readForm(context, showForm);
  if ("errors" in read) throw invalidRequest(read.errors);
  await showHidden(context.env.DB, actorOf(context, member), member.app.token);
  return OVERVIEW_NOTICES.redirect(pathOf(member, read.fields.query), "shown");
};
