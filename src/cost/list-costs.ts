/** `GET /cost`: a partner lists its own costs by ID, or those that were rejected. Beyond the specification. */
import * as z from "zod/mini";
import { costOperation } from "../auth/guards.ts";
import { MATCHES } from "../db/ledger/cost-list.ts";
import { MAX_KEYS } from "../db/ledger/key-pages.ts";
import { inEnglish } from "../domain/texts.ts";
import { prefers } from "../http/accept.ts";
import { toCsvAsSent } from "../http/csv.ts";
import { jsonResponse } from "../http/envelope.ts";
import { nextPage } from "../http/input/fields.ts";
import { pagingV2 as toPaging } from "../http/paging.ts";
import { pagingV2 } from "../http/response-schemas.ts";
import { costItem, costsResponse, isTest } from "../usecases/costs/item.ts";
import { listOwnCosts, listOwnRejections, markTest } from "../usecases/costs/read.ts";
import {
  ABOUT_REJECTIONS,
  checkPosition,
  rejectionItem,
  rejectionsResponse,
} from "../usecases/costs/rejection-item.ts";
import { costInput } from "../usecases/costs/submit.ts";

const FILTERS = [...MATCHES, "rejected"] as const;

export const listCosts = costOperation({
  method: "GET",
  path: "/cost",
  id: "listCosts",
  summary: "List your costs",
  description: `Costs and prices on URLs by ID, in the order of its UTF-8 bytes, as long as they are kept. A page reads at most ${inEnglish(MAX_KEYS)} IDs, so it can have fewer items than \`limit\`, or none, before the end: \`next\` is null only on the last page. Send \`Accept: text/csv\` to get the page as CSV; its \`Link\` header has the next page. In CSV, IDs and tags are as they were sent, also those that a spreadsheet would run as a formula; /partner/costs has a file for spreadsheets. With a test credential: the costs of its integration round.

\`match=rejected\` is a list of its own: costs that got 400 or 403. ${ABOUT_REJECTIONS}. They are in no other list.`,
  input: {
    query: z.strictObject({
      ...nextPage,
      match: z
        .optional(z.enum(FILTERS, `must be one of ${FILTERS.join(", ")}`))
        .with(z.describe("Only costs in this state; without it, all that were accepted")),
    }),
    misplaced: {
      names: Object.keys(costInput.shape),
      message: "is a parameter of a cost, and GET only lists costs: send it with POST",
    },
    paged: "by text" as const,
  },
  responses: {
    200: {
      description: "A page of costs",
      schema: z.strictObject({
        items: z.array(z.union([z.strictObject(costItem), z.strictObject(rejectionItem)])),
        paging: pagingV2,
        test: isTest,
        request_id: z.string(),
      }),
      alsoAs: "text/csv",
    },
  },
  errors: ["credential_revoked"],
  async handle(context, caller, { query: { match = null }, range }) {
    const { next, json, csv } =
      match === "rejected"
        ? toAnswers(await listOwnRejections(context, caller, checkPosition(range)), rejectionsResponse)
        : toAnswers(await listOwnCosts(context, caller, { match, day: null }, range), costsResponse);
    const paging = toPaging(context, range, { next });
    if (prefers(context.request, "text/csv"))
      return csv(paging.next === null ? {} : { link: `<${paging.next}>; rel="next"` });
    return jsonResponse({ items: json, paging, ...markTest(caller), request_id: context.requestId }, 200, {
      vary: "Accept",
    });
  },
});

/** A page of one of the lists, in both forms. */
function toAnswers<Item>(
  { items, next }: { items: Item[]; next: string | null },
  toFile: (items: Item[], write: typeof toCsvAsSent, headers: Record<string, string>) => Response,
) {
  return {
    next,
    json: items as unknown[],
    csv: (headers: Record<string, string>) => toFile(items, toCsvAsSent, headers),
  };
}
