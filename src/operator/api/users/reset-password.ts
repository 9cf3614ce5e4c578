import { operatorOperation } from "../../../auth/operations.ts";
import { createPassword, hashPassword } from "../../../auth/passwords.ts";
import type { Operator } from "../../../db/operator/audit.ts";
import { updateUser } from "../../../db/operator/users.ts";
import type { Context } from "../../../env.ts";
import { notFound } from "../../errors.ts";
import { byId } from "../../resources/common.ts";
import { toUserItem, user } from "../../resources/users.ts";
import { itemOf, itemResponse } from "../responses.ts";

/** Sets a new password and returns it, only here. The user's sessions end, and a sealed API token can no longer be shown. */
export async function resetPassword({ env }: Context, operator: Operator, id: number) {
  const password = createPassword();
  const updated = await updateUser(env.DB, operator, id, { passwordHash: await hashPassword(password) });
  if (!updated) throw notFound("user");
  return { ...toUserItem(updated), temporary_password: password };
}

export const resetPasswordOperation = operatorOperation({
  method: "POST",
  path: "/operator/v1/users/:id/password",
  id: "resetPassword",
  summary: "Reset a user's password to a temporary password",
  input: { path: byId },
  responses: itemOf(user, "The user with the password"),
  errors: ["not_found"],
  handle: async (context, operator, { path }) =>
    itemResponse(context, await resetPassword(context, operator, path.id)),
});
