import { operatorOperation } from "../../../auth/operations.ts";
import { listEntries } from "../../../db/operator/round-lists.ts";
import { pageQuery } from "../../../http/fields.ts";
import { byId } from "../../resources/common.ts";
import { entry, toEntryItem } from "../../resources/rounds.ts";
import { pageOf, pageResponse } from "../responses.ts";

export const listEntriesOperation = operatorOperation({
  method: "GET",
  path: "/operator/v1/rounds/:id/entries",
  id: "listRoundEntries",
  summary: "List the entries of a round",
  input: { path: byId, query: pageQuery, paged: true as const },
  responses: pageOf(entry),
  errors: ["not_found"],
  handle: async (context, _operator, { path, range }) =>
    pageResponse(context, range, await listEntries(context.env.DB, range, path.id), toEntryItem),
});
