import { operatorOperation } from "../../../auth/operations.ts";
import { markTokenReset } from "../../../auth/tokens.ts";
import type { Operator } from "../../../db/operator/audit.ts";
import { replaceToken } from "../../../db/operator/users.ts";
import type { Context } from "../../../env.ts";
import { AppError } from "../../../errors.ts";
import { notFound } from "../../errors.ts";
import { byId, createSecret } from "../../resources/common.ts";
import { toUserItem, user } from "../../resources/users.ts";
import { itemOf, itemResponse } from "../responses.ts";

/** Replaces the user's API token and returns the new one, only here. */
export async function issueToken({ env, now, afterResponse }: Context, operator: Operator, id: number) {
  const { secret, stored } = createSecret("api");
  const { user, replaced, oldHash } = await replaceToken(env.DB, operator, id, stored);
  if (!user) throw notFound("user");
  if (!replaced) throw new AppError("user_disabled");
  if (oldHash) afterResponse(markTokenReset(env.TOKENS, oldHash, now));
  return { ...toUserItem(user), api_token: secret };
}

export const issueTokenOperation = operatorOperation({
  method: "POST",
  path: "/operator/v1/users/:id/token",
  id: "issueToken",
  summary: "Replace a user's API token",
  input: { path: byId },
  responses: itemOf(user, "The user with the token"),
  errors: ["not_found", "user_disabled"],
  handle: async (context, operator, { path }) =>
    itemResponse(context, await issueToken(context, operator, path.id)),
});
