import { operatorOperation } from "../../../auth/operations.ts";
import { listPartners } from "../../../db/operator/partners.ts";
import { pageQuery } from "../../../http/fields.ts";
import { partner, toPartnerItem } from "../../resources/partners.ts";
import { pageOf, pageResponse } from "../responses.ts";

export const listPartnersOperation = operatorOperation({
  method: "GET",
  path: "/operator/v1/partners",
  id: "listPartnerRecords",
  summary: "List partners with their templates",
  input: { query: pageQuery, paged: true as const },
  responses: pageOf(partner),
  errors: [],
  handle: async (context, _operator, { range }) =>
    pageResponse(context, range, await listPartners(context.env.DB, range), toPartnerItem),
});
