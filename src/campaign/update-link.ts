/** `PATCH …/trackers/{link_token}` (spec §4.5). */
import { userOperation } from "../auth/guards.ts";
import { AppError, type InputError } from "../errors.ts";
import { envelopeV1, jsonResponse } from "../http/envelope.ts";
import { linkUpdate, toLinkWithOwn } from "../usecases/links/link.ts";
import { changeLinks, type UpdateRejection } from "../usecases/links/updates.ts";
import { authorizeLink, linkPath, oneLinkWithOwn, toScope } from "./common.ts";

const REJECTIONS: Partial<Record<UpdateRejection, InputError>> = {
  unknown_partner: { param: "partner_id", message: "is not the ID of a partner" },
  partner_without_cost_data: {
    param: "cost_data_enabled",
    message: "requires a partner that supports cost data",
  },
};

const toErrors = (rejection: UpdateRejection) => {
  const error = REJECTIONS[rejection];
  return error ? [error] : [];
};

export const updateLink = userOperation({
  method: "PATCH",
  path: "/public/v1/apps/:app_token/trackers/:link_token",
  id: "updateLink",
  summary: "Update a link: partner, cost data, target, name, archived",
  input: { path: linkPath, body: linkUpdate },
  requestExample: { partner_id: 1, cost_data_enabled: true },
  responses: { 200: oneLinkWithOwn("The updated link") },
  errors: ["not_found", "unknown_partner", "partner_without_cost_data", "limit_reached"],
  async handle(context, caller, { path, body }) {
    const { access, partners, results } = await changeLinks(
      context,
      toScope(caller, path),
      [path.link_token],
      () => body,
    );
    const result = authorizeLink(caller, { access, link: results.get(path.link_token) });
    const { after, rejection, targetError } = result;
    if (targetError) throw targetError;
    if (rejection) throw new AppError(rejection, undefined, { errors: toErrors(rejection) });
    return jsonResponse(envelopeV1(context, [toLinkWithOwn(after, partners, context)]));
  },
});
