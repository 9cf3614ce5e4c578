import type * as z from "zod/mini";
import { operatorOperation } from "../../../auth/operations.ts";
import type { Operator } from "../../../db/operator/audit.ts";
import * as users from "../../../db/operator/users.ts";
import type { Context } from "../../../env.ts";
import { AppError } from "../../../errors.ts";
import { notFound } from "../../errors.ts";
import { byId } from "../../resources/common.ts";
import { toUserItem, type UserItem, user, userChange } from "../../resources/users.ts";
import { itemOf, itemResponse } from "../responses.ts";

export async function updateUser(
  { env: { DB } }: Context,
  operator: Operator,
  id: number,
  { role, disabled, sign_in }: z.output<typeof userChange>,
): Promise<UserItem> {
  const change = { role, disabled, ...(sign_in && { passwordHash: null }) };
  const updated = await users.updateUser(DB, operator, id, change);
  if (updated) return toUserItem(updated);
  throw (await users.findUser(DB, id)) ? new AppError("last_operator") : notFound("user");
}

export const updateUserOperation = operatorOperation({
  method: "PATCH",
  path: "/operator/v1/users/:id",
  id: "updateUser",
  summary: "Update a user: change the role or sign-in method, disable or enable",
  input: { path: byId, body: userChange },
  responses: itemOf(user),
  errors: ["not_found", "last_operator"],
  handle: async (context, operator, { path, body }) =>
    itemResponse(context, await updateUser(context, operator, path.id, body)),
});
