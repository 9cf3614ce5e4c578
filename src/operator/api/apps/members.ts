/** The members of apps in the operator API. */
import * as z from "zod/mini";
import { changeMembership, findApp, listMembers as list } from "../../../db/operator/apps.ts";
import { findUser } from "../../../db/operator/users/users.ts";
import { AppError } from "../../../errors.ts";
import { appToken, idNumber, idText } from "../../../http/input/fields.ts";
import { badField, notFound, page } from "../common.ts";
import { itemOperation, listOperation } from "../item-operations.ts";
import { role } from "../users/users.ts";

const byToken = z.object({ token: appToken });

const listMembers = listOperation({
  path: "/operator/v1/apps/:token/members",
  id: "listMembers",
  summary: "List the members of an app",
  input: { path: byToken, ...page },
  item: z.strictObject({ user_id: z.int(), email: z.string(), role }).with(z.meta({ id: "Member" })),
  errors: ["not_found"],
  list: ({ env }, { path, range }) => list(env.DB, range, { appToken: path.token }),
  toItem: ({ id, email, role }) => ({ user_id: id, email, role }),
});

const membership = z.strictObject({ app_token: z.string(), user_id: z.int() });

export const addMember = itemOperation({
  method: "POST",
  path: "/operator/v1/apps/:token/members",
  id: "addMember",
  summary: "Add a member to an app",
  input: { path: byToken, body: z.strictObject({ user_id: idNumber }) },
  item: membership,
  status: 201,
  returns: "The new membership",
  errors: ["not_found", "already_member", "user_erased"],
  async handle({ env: { DB } }, operator, { path: { token }, body: { user_id } }) {
    const added = await changeMembership(DB, operator, "add member", { appToken: token, userId: user_id });
    if (added) return { app_token: token, user_id };
    if (!(await findApp(DB, token))) throw notFound("app");
    const user = await findUser(DB, user_id);
    if (!user) throw badField("user_id", "must be the ID of an existing user");
    throw new AppError(user.isErased ? "user_erased" : "already_member");
  },
});

export const removeMember = itemOperation({
  method: "DELETE",
  path: "/operator/v1/apps/:token/members/:user_id",
  id: "removeMember",
  summary: "Remove a member from an app",
  input: { path: z.extend(byToken, { user_id: idText.with(z.describe("The ID of the user")) }) },
  item: membership,
  returns: "Removed: the membership as it was",
  errors: ["not_found"],
  async handle({ env }, operator, { path: { token, user_id } }) {
    const removed = { appToken: token, userId: user_id };
    if (!(await changeMembership(env.DB, operator, "remove member", removed))) throw notFound("membership");
    return { app_token: token, user_id };
  },
});

export const operations = [listMembers, addMember, removeMember];
