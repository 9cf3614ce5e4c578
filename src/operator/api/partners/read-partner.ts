import { operatorOperation } from "../../../auth/operations.ts";
import { findPartner } from "../../../db/operator/partners.ts";
import { notFound } from "../../errors.ts";
import { byId } from "../../resources/common.ts";
import { partner, toPartnerItem } from "../../resources/partners.ts";
import { itemOf, itemResponse } from "../responses.ts";

export const readPartnerOperation = operatorOperation({
  method: "GET",
  path: "/operator/v1/partners/:id",
  id: "readPartner",
  summary: "Get a partner",
  input: { path: byId },
  responses: itemOf(partner),
  errors: ["not_found"],
  handle: async (context, _operator, { path }) => {
    const found = await findPartner(context.env.DB, path.id);
    if (!found) throw notFound("partner");
    return itemResponse(context, toPartnerItem(found));
  },
});
