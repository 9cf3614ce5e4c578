import { operatorOperation } from "../../../auth/operations.ts";
import { listMembers } from "../../../db/operator/apps.ts";
import { pageQuery } from "../../../http/fields.ts";
import { byToken, member } from "../../resources/apps.ts";
import { pageOf, pageResponse } from "../responses.ts";

export const listMembersOperation = operatorOperation({
  method: "GET",
  path: "/operator/v1/apps/:token/members",
  id: "listMembers",
  summary: "List the members of an app",
  input: { path: byToken, query: pageQuery, paged: true as const },
  responses: pageOf(member),
  errors: ["not_found"],
  handle: async (context, _operator, { path, range }) => {
    const found = await listMembers(context.env.DB, range, { appToken: path.token });
    return pageResponse(context, range, found, ({ id, email, role }) => ({ user_id: id, email, role }));
  },
});
