/** `GET /public/v1/apps`: the caller's apps. Beyond the specification. */
import * as z from "zod/mini";
import { userOperation } from "../auth/guards.ts";
import { listOwnApps } from "../db/accounts/own-apps.ts";
import { toPage } from "../db/keyset.ts";
import { toIso } from "../domain/time.ts";
import { envelopeV1, jsonResponse } from "../http/envelope.ts";
import { pageQuery } from "../http/input/fields.ts";
import { pagingV1 } from "../http/paging.ts";
import { listV1, timestamp } from "../http/response-schemas.ts";

const ownApp = z
  .strictObject({
    token: z.string().with(z.describe("The app token in the paths of this API")),
    name: z.string(),
    link_count: z.int().with(z.describe("Links of level 1, archived ones included")),
    created_at: timestamp,
  })
  .with(z.meta({ id: "OwnApp" }));

export const listApps = userOperation({
  method: "GET",
  path: "/public/v1/apps",
  id: "listOwnApps",
  summary: "List your apps",
  input: { query: pageQuery, paged: true as const },
  responses: { 200: { description: "A page of the apps that you are a member of", schema: listV1(ownApp) } },
  errors: [],
  async handle(context, caller, { range }) {
    const { access, rows } = await listOwnApps(context.env.DB, caller.viewer, range);
    const { appCount } = caller.authorize(access);
    const page = toPage(range, rows);
    const items = page.items.map(({ token, name, linkCount, createdAt }) => ({
      token,
      name,
      link_count: linkCount,
      created_at: toIso(createdAt),
    }));
    return jsonResponse(envelopeV1(context, items, pagingV1(context, range, page, appCount)));
  },
});
