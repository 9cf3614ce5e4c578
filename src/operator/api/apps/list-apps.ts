import { operatorOperation } from "../../../auth/operations.ts";
import { listApps } from "../../../db/operator/apps.ts";
import { pageQuery } from "../../../http/fields.ts";
import { app, toAppItem } from "../../resources/apps.ts";
import { pageOf, pageResponse } from "../responses.ts";

export const listAppsOperation = operatorOperation({
  method: "GET",
  path: "/operator/v1/apps",
  id: "listApps",
  summary: "List apps",
  input: { query: pageQuery, paged: true as const },
  responses: pageOf(app),
  errors: [],
  handle: async (context, _operator, { range }) =>
    pageResponse(context, range, await listApps(context.env.DB, range), toAppItem),
});
