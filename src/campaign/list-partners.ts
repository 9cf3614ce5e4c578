/** `GET /public/v1/partners` (spec §4.1). */
import * as z from "zod/mini";
import { userOperation } from "../auth/guards.ts";
import { toPage } from "../db/keyset.ts";
import * as db from "../db/links/partner-catalog.ts";
import { envelopeV1, jsonResponse } from "../http/envelope.ts";
import { pageQuery } from "../http/input/fields.ts";
import { pagingV1 } from "../http/paging.ts";
import { listV1 } from "../http/response-schemas.ts";

const partner = z
  .strictObject({ id: z.int(), display_name: z.string(), supports_cost_data: z.boolean() })
  .with(z.meta({ id: "Partner" }));

export const listPartners = userOperation({
  method: "GET",
  path: "/public/v1/partners",
  id: "listPartners",
  summary: "List partners",
  input: { query: pageQuery, paged: true as const },
  responses: { 200: { description: "A page of partners", schema: listV1(partner) } },
  errors: [],
  async handle(context, caller, { range }) {
    const { access, rows } = await db.listPartners(context.env.DB, caller.viewer, range);
    const { partnerCount } = caller.authorize(access);
    const page = toPage(range, rows);
    const items = page.items.map(({ id, displayName, supportsCostData }) => ({
      id,
      display_name: displayName,
      supports_cost_data: supportsCostData === 1,
    }));
    return jsonResponse(envelopeV1(context, items, pagingV1(context, range, page, partnerCount)));
  },
});
