import type * as z from "zod/mini";
import { operatorOperation } from "../../../auth/operations.ts";
import { createPassword, hashPassword } from "../../../auth/passwords.ts";
import type { Operator } from "../../../db/operator/audit.ts";
import { insertUser } from "../../../db/operator/users.ts";
import type { Context } from "../../../env.ts";
import { AppError } from "../../../errors.ts";
import { newUser, toUserItem, type UserItem, user } from "../../resources/users.ts";
import { createdOf, createdResponse } from "../responses.ts";

/** The password is returned only here. A single sign-on user has none. */
export async function createUser(
  { env }: Context,
  operator: Operator,
  { email, role, sign_in }: z.output<typeof newUser>,
): Promise<UserItem> {
  const password = sign_in === "password" ? createPassword() : null;
  const passwordHash = password && (await hashPassword(password));
  const inserted = await insertUser(env.DB, operator, { email, role, passwordHash });
  if (!inserted) throw new AppError("email_taken");
  return { ...toUserItem(inserted), ...(password && { temporary_password: password }) };
}

export const createUserOperation = operatorOperation({
  method: "POST",
  path: "/operator/v1/users",
  id: "createUser",
  summary: "Create a user with a temporary password or for single sign-on",
  input: { body: newUser },
  responses: createdOf(user),
  errors: ["email_taken"],
  handle: async (context, operator, { body }) => {
    const item = await createUser(context, operator, body);
    return createdResponse(context, item, item.id);
  },
});
