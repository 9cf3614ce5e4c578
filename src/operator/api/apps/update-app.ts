import type * as z from "zod/mini";
import { operatorOperation } from "../../../auth/operations.ts";
import { putDestination } from "../../../db/links/destination-cache.ts";
import * as apps from "../../../db/operator/apps.ts";
import type { Operator } from "../../../db/operator/audit.ts";
import type { Context } from "../../../env.ts";
import { notFound } from "../../errors.ts";
import { app, appChange, byToken, toAppChange, toAppItem } from "../../resources/apps.ts";
import { itemOf, itemResponse } from "../responses.ts";

export async function updateApp(
  { env, afterResponse }: Context,
  operator: Operator,
  token: string,
  body: z.output<typeof appChange>,
) {
  const updated = await apps.updateApp(env.DB, operator, token, toAppChange(body));
  if (!updated) throw notFound("app");
  const item = toAppItem(updated);
  const destination = {
    defaultUrl: item.default_url,
    iosUrl: item.ios_url,
    androidUrl: item.android_url,
    redirectHosts: item.redirect_hosts,
    redirectSchemes: item.redirect_schemes,
  };
  afterResponse(putDestination(env.LINKS, token, destination));
  return item;
}

export const updateAppOperation = operatorOperation({
  method: "PATCH",
  path: "/operator/v1/apps/:token",
  id: "updateApp",
  summary: "Update an app and its destinations",
  input: { path: byToken, body: appChange },
  responses: itemOf(app),
  errors: ["not_found"],
  handle: async (context, operator, { path, body }) =>
    itemResponse(context, await updateApp(context, operator, path.token, body)),
});
