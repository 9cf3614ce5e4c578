/** `GET …/trackers/{link_token}`: one link. Beyond the specification. */
import { userOperation } from "../auth/guards.ts";
import { findLink } from "../db/links/links.ts";
import { envelopeV1, jsonResponse } from "../http/envelope.ts";
import { toLinkWithOwn } from "../usecases/links/link.ts";
import { authorizeLink, linkPath, oneLinkWithOwn, toLinkScope } from "./common.ts";

export const readLink = userOperation({
  method: "GET",
  path: "/public/v1/apps/:app_token/trackers/:link_token",
  id: "readLink",
  summary: "Read a link",
  input: { path: linkPath },
  responses: { 200: oneLinkWithOwn("The link") },
  errors: ["not_found"],
  async handle(context, caller, { path }) {
    const found = await findLink(context.env.DB, toLinkScope(caller, path));
    const link = authorizeLink(caller, found);
    return jsonResponse(envelopeV1(context, [toLinkWithOwn(link, found.partners, context)]));
  },
});
