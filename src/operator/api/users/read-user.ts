import { operatorOperation } from "../../../auth/operations.ts";
import { findUser } from "../../../db/operator/users.ts";
import { notFound } from "../../errors.ts";
import { byId } from "../../resources/common.ts";
import { toUserItem, user } from "../../resources/users.ts";
import { itemOf, itemResponse } from "../responses.ts";

export const readUserOperation = operatorOperation({
  method: "GET",
  path: "/operator/v1/users/:id",
  id: "readUser",
  summary: "Get a user",
  input: { path: byId },
  responses: itemOf(user),
  errors: ["not_found"],
  handle: async (context, _operator, { path }) => {
    const found = await findUser(context.env.DB, path.id);
    if (!found) throw notFound("user");
    return itemResponse(context, toUserItem(found));
  },
});
