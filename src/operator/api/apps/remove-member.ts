import * as z from "zod/mini";
import { operatorOperation } from "../../../auth/operations.ts";
import { changeMembership, type Membership } from "../../../db/operator/apps.ts";
import type { Operator } from "../../../db/operator/audit.ts";
import type { Context } from "../../../env.ts";
import { idText } from "../../../http/fields.ts";
import { notFound } from "../../errors.ts";
import { byToken, membership } from "../../resources/apps.ts";
import { itemOf, itemResponse } from "../responses.ts";

export async function removeMember({ env }: Context, operator: Operator, removed: Membership) {
  if (!(await changeMembership(env.DB, operator, "remove member", removed))) throw notFound("membership");
}

export const removeMemberOperation = operatorOperation({
  method: "DELETE",
  path: "/operator/v1/apps/:token/members/:user_id",
  id: "removeMember",
  summary: "Remove a member from an app",
  input: { path: z.extend(byToken, { user_id: idText }) },
  responses: itemOf(membership, "Removed"),
  errors: ["not_found"],
  handle: async (context, operator, { path: { token, user_id } }) => {
    await removeMember(context, operator, { appToken: token, userId: user_id });
    return itemResponse(context, { app_token: token, user_id });
  },
});
