/** `GET /cost`: a partner lists its own costs by ID. Beyond the specification. */
import * as z from "zod/mini";
import { costOperation } from "../auth/operations.ts";
import { listCosts as findCosts, MATCHES, MAX_KEYS } from "../db/ledger/cost-list.ts";
import { AppError } from "../errors.ts";
import { prefers } from "../http/accept.ts";
import { type Cell, csvResponse, toCsv } from "../http/csv.ts";
import { jsonResponse } from "../http/envelope.ts";
import { pageQuery } from "../http/fields.ts";
import { pagingV2 as toPaging } from "../http/paging.ts";
import { pagingV2 } from "../http/response-schemas.ts";
import { costItem, TEST_COSTS, toCostItem } from "./cost-item.ts";

export const listCosts = costOperation({
  method: "GET",
  path: "/cost",
  id: "listCosts",
  summary: "List your costs",
  description: `Costs and prices on URLs by ID, in the order of its UTF-8 bytes, as long as they are kept. A page reads at most ${MAX_KEYS} IDs, so it can have fewer items than \`limit\`, or none, before the end: \`next\` is null only on the last page. Send \`Accept: text/csv\` to get the page as CSV; its \`Link\` header has the next page. In CSV, an ID that a spreadsheet would run as a formula starts with an apostrophe.`,
  input: {
    query: z.object({
      limit: pageQuery.shape.limit,
      cursor: z.optional(z.string()).with(z.describe("The page starts after this cursor")),
      match: z
        .optional(z.enum(MATCHES, `must be one of ${MATCHES.join(", ")}`))
        .with(z.describe("Only costs in this state")),
    }),
    paged: "by text" as const,
  },
  responses: {
    200: {
      description: "A page of costs",
      schema: z.strictObject({
        items: z.array(z.strictObject(costItem)),
        paging: pagingV2,
        request_id: z.string(),
      }),
      alsoAs: "text/csv",
    },
  },
  errors: ["credential_revoked", "test_credential"],
  async handle(context, caller, { query, range }) {
    const { ledger, now } = context;
    const found = await findCosts(ledger, caller.tokenHash, query.match ?? null, range, now);
    if (caller.authorize(found.credential).mode === "test") {
      throw new AppError("test_credential", TEST_COSTS);
    }
    const items = found.items.map((cost) => toCostItem(cost.costId, cost, now));
    const paging = toPaging(context, range, found);
    if (prefers(context.request, "text/csv")) {
      return csvResponse(
        toCsv(
          Object.keys(COLUMNS),
          items.map((item) => Object.values(COLUMNS).map((read) => read(item))),
        ),
        "costs.csv",
        paging.next === null ? {} : { link: `<${paging.next}>; rel="next"` },
      );
    }
    return jsonResponse({ items, paging, request_id: context.requestId }, 200, { vary: "Accept" });
  },
});

type Item = ReturnType<typeof toCostItem>;
const COLUMNS: Record<string, (item: Item) => Cell> = {
  cost_id: (item) => item.cost_id,
  cost_type: (item) => item.cost_type ?? null,
  cost_currency: (item) => item.cost_currency ?? null,
  amount: (item) => item.amount ?? null,
  tag: (item) => item.tag,
  source: (item) => item.source,
  received_at: (item) => item.received_at ?? null,
  match: (item) => item.match,
  may_match_until: (item) => item.may_match_until,
  mismatch: (item) => item.mismatch,
  url_cost_type: (item) => item.url_price?.cost_type ?? null,
  url_cost_currency: (item) => item.url_price?.cost_currency ?? null,
  url_amount: (item) => item.url_price?.amount ?? null,
  engagement_kind: (item) => item.engagement?.kind ?? null,
  engagement_at: (item) => item.engagement?.occurred_at ?? null,
  link_token: (item) => item.engagement?.link_token ?? null,
};
