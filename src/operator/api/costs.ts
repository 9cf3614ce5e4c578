/** The costs of a partner: an operator lists them, and looks at one. */
import * as z from "zod/mini";
import { operatorOperation } from "../../auth/guards.ts";
import { MATCHES } from "../../db/ledger/cost-list.ts";
import { findCostOfPartner } from "../../db/ledger/costs.ts";
import { MAX_KEYS } from "../../db/ledger/key-pages.ts";
import { MAX_PAGES } from "../../db/ledger/key-walk.ts";
import { MOST_OF_ID } from "../../db/ledger/rejections-of-id.ts";
import { findLinkId } from "../../db/links/links.ts";
import { findPartner } from "../../db/operator/partners.ts";
import { toTypes } from "../../domain/cost-types.ts";
import { inEnglish, RETENTION } from "../../domain/texts.ts";
import type { Context } from "../../env.ts";
import { envelopeV1, jsonResponse } from "../../http/envelope.ts";
import { amount, appToken, costType, nextPage, storedCostId, utcDate } from "../../http/input/fields.ts";
import { pagingV2 } from "../../http/paging.ts";
import { reportV1 } from "../../http/response-schemas.ts";
import { costItem, toCostItem } from "../../usecases/costs/item.ts";
import { searchCosts } from "../../usecases/costs/listed.ts";
import { lookUp, toStoredId } from "../../usecases/costs/read.ts";
import { rejectionItem, toRejectionItem } from "../../usecases/costs/rejection-item.ts";
import { findUnaccepted, noAcceptedCost } from "../../usecases/costs/unaccepted.ts";
import { badField, byId, checkFilters, notFound } from "./common.ts";
import { itemOperation } from "./item-operations.ts";

const partnerCost = z
  .strictObject({
    ...costItem,
    app_token: z
      .nullable(z.string())
      .with(z.describe("The app of the click or impression with this ID; null if there is none")),
    link: z
      .nullable(z.strictObject({ token: z.string(), label: z.string() }))
      .with(z.describe("The link of the click or impression with this ID")),
    rejections: z
      .array(z.strictObject(rejectionItem))
      .with(
        z.describe(
          `Costs with this ID that were rejected, for example because the accepted one has another amount. The newest first, at most ${MOST_OF_ID}`,
        ),
      ),
  })
  .with(z.meta({ id: "PartnerCost" }));

/** The cost of a partner with an ID, or else what is known of the ID. Throws not_found if there is no such partner. */
export async function findPartnerCost(context: Context, partnerId: number, sent: string) {
  const { env, ledger, now } = context;
  const known = await lookUp(sent, (costId) => findCostOfPartner(ledger, { partnerId, costId }, now));
  if (known) {
    const { costId, found: cost } = known;
    return {
      cost: {
        ...toCostItem(costId, cost, now),
        app_token: cost.appToken,
        link: cost.link ?? null,
        rejections: cost.rejections.map(toRejectionItem),
      },
    };
  }
  const partner = await findPartner(env.DB, partnerId);
  if (!partner) throw notFound("partner");
  const key = { partnerId, costId: toStoredId(sent) };
  return { unaccepted: await findUnaccepted(context, key, toTypes(partner.integratedTypes)) };
}

const listedCost = z
  .strictObject({
    ...costItem,
    app_token: z.nullable(z.string()).with(z.describe("The app of the click or impression of the cost")),
  })
  .with(z.meta({ id: "ListedCost" }));

/** Those that only operators have. */
export const costFilters = {
  match: z
    .optional(z.enum(MATCHES, `must be one of ${MATCHES.join(", ")}`))
    .with(z.describe("Only costs in this state")),
  app_token: z.optional(appToken).with(z.describe("Only costs of this app")),
  link_token: z
    .optional(
      z
        .string()
        .check(z.minLength(1, "must not be empty"), z.maxLength(64, "must have at most 64 characters")),
    )
    .with(z.describe("Only costs of this link")),
};
const ownFilters = z.strictObject(costFilters);
const filters = z.extend(ownFilters, {
  day: z
    .optional(utcDate)
    .with(
      z.describe("Only costs of this day in reports: that of the click or impression, or of the arrival"),
    ),
  cost_type: z.optional(costType).with(z.describe("Only costs of this type")),
  amount_over: z.optional(amount).with(z.describe("Only costs above this amount, in any currency")),
});

/** The most IDs that one request reads. */
const MOST_READ = MAX_PAGES * MAX_KEYS;

/** The partner, and the filters with the ID of the link. Throws not_found if there is no such partner. */
export async function readCostFilter(
  context: Context,
  partnerId: number,
  { match, app_token, link_token }: z.output<typeof ownFilters>,
) {
  const { DB } = context.env;
  const [partner, linkId] = await Promise.all([
    findPartner(DB, partnerId),
    link_token === undefined ? null : findLinkId(DB, link_token),
    checkFilters(context, { app_token }),
  ]);
  if (!partner) throw notFound("partner");
  if (linkId === undefined) throw badField("link_token", "must be the token of an existing link");
  return { partner, filter: { match: match ?? null, appToken: app_token ?? null, linkId } };
}

const listPartnerCostItems = operatorOperation({
  method: "GET",
  path: "/operator/v1/partners/:id/costs",
  id: "listPartnerCosts",
  summary: "List the costs of a partner",
  description: `In the order of their IDs, because costs have no index by time. A request reads at most ${inEnglish(MOST_READ)} IDs, so it can have fewer items than \`limit\`, or none, before the end: \`next\` is null only on the last page. \`searched\` says how far it came in their order. Rejected costs are in a list of their own.`,
  input: {
    path: byId,
    query: z.extend(filters, {
      ...nextPage,
    }),
    paged: "by text" as const,
  },
  responses: {
    200: {
      description: "A page of costs",
      schema: reportV1(
        {
          searched: z
            .number()
            .with(
              z.describe(
                "From 0 to 1, the position in the order of IDs, by their letters: no share of their number, because most can begin alike",
              ),
            ),
          read: z.int().with(z.describe("The IDs that this request read")),
          expected: z
            .nullable(z.int())
            .with(
              z.describe(
                `How many such costs there are, whatever their amount: for matched costs with a \`day\` in the last ${RETENTION}, and for pending costs (without a \`day\`, at most this many); null if it is not known`,
              ),
            ),
        },
        listedCost,
      ),
    },
  },
  errors: ["not_found"],
  isReport: true,
  async handle(context, _operator, { path: { id }, query, range }) {
    const { day = null, cost_type: costType = null, amount_over: amountOver = null } = query;
    const { filter } = await readCostFilter(context, id, query);
    const all = { ...filter, day, costType, amountOver, prefix: "" };
    const known = range.after === null ? 0 : undefined;
    const { items, next, searched, read, expected } = await searchCosts(context, id, all, range, known);
    const about = { searched, read, expected };
    return jsonResponse(envelopeV1(context, items, pagingV2(context, range, { next }), about));
  },
});

export const readPartnerCost = itemOperation({
  method: "GET",
  path: "/operator/v1/partners/:id/costs/:cost_id",
  id: "readPartnerCost",
  summary: "Read a cost of a partner",
  description:
    "Costs are found until they are forgotten. Look at a cost before you void it. If there is no accepted cost, the detail of the 404 says when costs with this ID were rejected, which click or impression has it, and what a cost would get now.",
  input: { path: z.extend(byId, { cost_id: storedCostId }) },
  item: partnerCost,
  returns: "The current state of the cost",
  errors: ["not_found"],
  async handle(context, _operator, { path }) {
    const found = await findPartnerCost(context, path.id, path.cost_id);
    if (found.unaccepted) throw noAcceptedCost("This partner has", found.unaccepted);
    return found.cost as z.output<typeof partnerCost>;
  },
});

export const operations = [listPartnerCostItems, readPartnerCost];
