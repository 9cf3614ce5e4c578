import { operatorOperation } from "../../../auth/operations.ts";
import { listCredentials, listCredentialsOfPartner } from "../../../db/operator/credentials.ts";
import { partnerQuery } from "../../resources/common.ts";
import { credential, toCredentialItem } from "../../resources/credentials.ts";
import { pageOf, pageResponse } from "../responses.ts";

export const listCredentialsOperation = operatorOperation({
  method: "GET",
  path: "/operator/v1/credentials",
  id: "listCredentials",
  summary: "List cost credentials",
  input: { query: partnerQuery, paged: true as const },
  responses: pageOf(credential),
  errors: [],
  handle: async (context, _operator, { query: { partner_id: partnerId }, range }) => {
    const { DB } = context.env;
    const found =
      partnerId === undefined
        ? await listCredentials(DB, range)
        : await listCredentialsOfPartner(DB, range, { partnerId });
    return pageResponse(context, range, found, toCredentialItem);
  },
});
