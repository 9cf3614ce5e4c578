import { operatorOperation } from "../../../auth/operations.ts";
import { listUsers } from "../../../db/operator/users.ts";
import { pageQuery } from "../../../http/fields.ts";
import { toUserItem, user } from "../../resources/users.ts";
import { pageOf, pageResponse } from "../responses.ts";

export const listUsersOperation = operatorOperation({
  method: "GET",
  path: "/operator/v1/users",
  id: "listUsers",
  summary: "List users",
  input: { query: pageQuery, paged: true as const },
  responses: pageOf(user),
  errors: [],
  handle: async (context, _operator, { range }) =>
    pageResponse(context, range, await listUsers(context.env.DB, range), toUserItem),
});
