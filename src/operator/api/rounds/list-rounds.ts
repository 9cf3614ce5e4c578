import { operatorOperation } from "../../../auth/operations.ts";
import { listRounds, listRoundsOfPartner } from "../../../db/operator/round-lists.ts";
import { round } from "../../../usecases/rounds/schemas.ts";
import { toRoundItem } from "../../../usecases/rounds/serialize.ts";
import { partnerQuery } from "../../resources/common.ts";
import { pageOf, pageResponse } from "../responses.ts";

export const listRoundsOperation = operatorOperation({
  method: "GET",
  path: "/operator/v1/rounds",
  id: "listRounds",
  summary: "List integration rounds",
  input: { query: partnerQuery, paged: true as const },
  responses: pageOf(round),
  errors: [],
  handle: async (context, _operator, { query: { partner_id: partnerId }, range }) => {
    const { DB } = context.env;
    const found =
      partnerId === undefined
        ? await listRounds(DB, range)
        : await listRoundsOfPartner(DB, range, { partnerId });
    return pageResponse(context, range, found, toRoundItem);
  },
});
