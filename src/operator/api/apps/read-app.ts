import { operatorOperation } from "../../../auth/operations.ts";
import { findApp } from "../../../db/operator/apps.ts";
import { notFound } from "../../errors.ts";
import { app, byToken, toAppItem } from "../../resources/apps.ts";
import { itemOf, itemResponse } from "../responses.ts";

export const readAppOperation = operatorOperation({
  method: "GET",
  path: "/operator/v1/apps/:token",
  id: "readApp",
  summary: "Get an app",
  input: { path: byToken },
  responses: itemOf(app),
  errors: ["not_found"],
  handle: async (context, _operator, { path }) => {
    const found = await findApp(context.env.DB, path.token);
    if (!found) throw notFound("app");
    return itemResponse(context, toAppItem(found));
  },
});
