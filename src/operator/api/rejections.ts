/** How many costs of a partner were rejected, and why, and the newest of them. */
import * as z from "zod/mini";
import { operatorOperation } from "../../auth/guards.ts";
import { listRecentRejections } from "../../db/ledger/recent-rejections.ts";
import { findRejections, type Rejected } from "../../db/ledger/rejections.ts";
import { findPartner } from "../../db/operator/partners.ts";
import { sumOf } from "../../domain/figures/performance.ts";
import { formatDate } from "../../domain/time.ts";
import { envelopeV1, jsonResponse } from "../../http/envelope.ts";
import { appToken, nextPage } from "../../http/input/fields.ts";
import { dayChecks, groupBy, reportDays } from "../../http/input/report-fields.ts";
import { pagingV2 } from "../../http/paging.ts";
import { itemsV1, reportV1 } from "../../http/response-schemas.ts";
import {
  ABOUT_REJECTIONS,
  checkPosition,
  rejectionItem,
  toRejectionItem,
} from "../../usecases/costs/rejection-item.ts";
import { toDays } from "../../usecases/reports.ts";
import { byId, checkFilters, notFound } from "./common.ts";

const rejections = z
  .strictObject({
    day: z.optional(z.string().with(z.meta({ format: "date" }))),
    code: z.optional(z.string().with(z.describe("The error code that the partner got"))),
    count: z.int().with(z.describe("Rejected costs")),
  })
  .with(z.meta({ id: "Rejections" }));

const recentRejection = z
  .strictObject({
    ...rejectionItem,
    app_token: z
      .nullable(z.string())
      .with(z.describe("The app of the click or impression with this ID, if the cost type fits it")),
  })
  .with(z.meta({ id: "RecentRejection" }));

const OF_APP = "Only costs whose ID is that of a click or impression of this app, if the cost type fits it";

const readRejections = operatorOperation({
  method: "GET",
  path: "/operator/v1/partners/:id/rejections",
  id: "readPartnerRejections",
  summary: "Count the rejected costs of a partner",
  description:
    "Costs that got 400 or 403 with a live credential, by the UTC day on which they were sent. A batch that cannot be read counts as one cost.",
  input: {
    path: byId,
    query: z
      .strictObject({
        ...reportDays,
        app_token: z.optional(appToken).with(z.describe(OF_APP)),
        group_by: groupBy(["day", "code"]),
      })
      .check(...dayChecks),
  },
  responses: { 200: { description: "A row for each combination of groups", schema: itemsV1(rejections) } },
  errors: ["not_found", "report_too_large"],
  isReport: true,
  async handle(context, _operator, { path: { id }, query }) {
    const { env, ledger, now } = context;
    await checkFilters(context, query);
    const [partner, found] = await Promise.all([
      findPartner(env.DB, id),
      findRejections(ledger, id, toDays(query, now), query.app_token),
    ]);
    if (!partner) throw notFound("partner");
    return jsonResponse(envelopeV1(context, toItems(found, query.group_by)));
  },
});

function toItems(found: Rejected[], groups: readonly ("day" | "code")[]) {
  const keyOf = ({ day, code }: Rejected) => ({
    ...(groups.includes("day") && { day: formatDate(day) }),
    ...(groups.includes("code") && { code }),
  });
  return [...Map.groupBy(found, (row) => JSON.stringify(keyOf(row)))]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, same]) => ({ ...JSON.parse(key), count: sumOf(same, ({ count }) => count) }));
}

export const listRejections = operatorOperation({
  method: "GET",
  path: "/operator/v1/partners/:id/rejections/recent",
  id: "listPartnerRejections",
  summary: "List the newest rejected costs of a partner",
  description: `${ABOUT_REJECTIONS}, of costs that got 400 or 403 with a live credential. To look for one ID, read the cost with it.`,
  input: {
    path: byId,
    query: z.strictObject({
      ...nextPage,
      app_token: z.optional(appToken).with(z.describe(OF_APP)),
    }),
    paged: "by text" as const,
  },
  responses: { 200: { description: "A page of rejected costs", schema: reportV1({}, recentRejection) } },
  errors: ["not_found"],
  async handle(context, _operator, { path: { id }, query, range }) {
    const { env, ledger, now } = context;
    await checkFilters(context, query);
    const [partner, { items, next }] = await Promise.all([
      findPartner(env.DB, id),
      listRecentRejections(ledger, id, query.app_token ?? null, checkPosition(range), now),
    ]);
    if (!partner) throw notFound("partner");
    const shown = items.map((item) => ({ ...toRejectionItem(item), app_token: item.appToken || null }));
    return jsonResponse(envelopeV1(context, shown, pagingV2(context, range, { next })));
  },
});

export const operations = [readRejections, listRejections];
