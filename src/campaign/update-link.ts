/** `PATCH …/trackers/{link_token}` (spec §4.5). */
import { userOperation } from "../auth/operations.ts";
import { findAccess } from "../db/accounts/api-tokens.ts";
import * as db from "../db/links/links.ts";
import { AppError } from "../errors.ts";
import { envelopeV1, jsonResponse } from "../http/envelope.ts";
import { judgeUpdate, linkUpdate, toLink } from "../usecases/links.ts";
import { authorizeLink, linkNotFound, linkPath, oneLink, toLinkScope } from "./link.ts";

const REJECTIONS = {
  unknown_partner: { param: "partner_id", message: "is not the ID of a partner" },
  partner_without_cost_data: {
    param: "cost_data_enabled",
    message: "requires a partner that supports cost data",
  },
};

export const updateLink = userOperation({
  method: "PATCH",
  path: "/public/v1/apps/:app_token/trackers/:link_token",
  id: "updateLink",
  summary: "Update a link: partner, cost data, name, archived",
  input: { path: linkPath, body: linkUpdate },
  requestExample: { partner_id: 1, cost_data_enabled: true },
  responses: { 200: oneLink("The updated link") },
  errors: ["not_found", "unknown_partner", "partner_without_cost_data"],
  async handle(context, caller, { path, body }) {
    const { DB } = context.env;
    const scope = toLinkScope(caller, path);
    const { partners, ...found } = await db.findLink(DB, scope);
    const link = authorizeLink(caller, found);
    const judged = judgeUpdate(link, body, partners);
    if (typeof judged === "string") throw new AppError(judged, undefined, { errors: [REJECTIONS[judged]] });
    const updated = await db.updateLink(DB, scope, judged);
    if (!updated) {
      // The token was reset or the access to the app was removed after the first query.
      caller.authorize(await findAccess(DB, caller.tokenHash));
      throw linkNotFound();
    }
    return jsonResponse(envelopeV1(context, [toLink({ ...link, ...updated }, partners, context)]));
  },
});
