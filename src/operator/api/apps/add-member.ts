import * as z from "zod/mini";
import { operatorOperation } from "../../../auth/operations.ts";
import { changeMembership, findApp, type Membership } from "../../../db/operator/apps.ts";
import type { Operator } from "../../../db/operator/audit.ts";
import { findUser } from "../../../db/operator/users.ts";
import type { Context } from "../../../env.ts";
import { AppError } from "../../../errors.ts";
import { idNumber } from "../../../http/fields.ts";
import { itemsV1 } from "../../../http/response-schemas.ts";
import { badField, notFound } from "../../errors.ts";
import { byToken, membership } from "../../resources/apps.ts";
import { itemResponse } from "../responses.ts";

export async function addMember({ env: { DB } }: Context, operator: Operator, added: Membership) {
  if (await changeMembership(DB, operator, "add member", added)) return;
  if (!(await findApp(DB, added.appToken))) throw notFound("app");
  if (!(await findUser(DB, added.userId))) throw badField("user_id", "must be the ID of an existing user");
  throw new AppError("already_member");
}

export const addMemberOperation = operatorOperation({
  method: "POST",
  path: "/operator/v1/apps/:token/members",
  id: "addMember",
  summary: "Add a member to an app",
  input: { path: byToken, body: z.strictObject({ user_id: idNumber }) },
  responses: { 201: { description: "Added", schema: itemsV1(membership) } },
  errors: ["not_found", "already_member"],
  handle: async (context, operator, { path: { token }, body: { user_id } }) => {
    await addMember(context, operator, { appToken: token, userId: user_id });
    return itemResponse(context, { app_token: token, user_id }, 201);
  },
});
