/** `GET …/performance/changes`: why spend differs from that of the days before. Beyond the specification. */
import * as z from "zod/mini";
import { userOperation } from "../auth/guards.ts";
import { COST_TYPES } from "../domain/cost-types.ts";
import { MOST_EVENTS } from "../domain/events.ts";
import type { TypeChange } from "../domain/figures/change.ts";
import { formatMoney } from "../domain/money.ts";
import { envelopeV1, jsonResponse } from "../http/envelope.ts";
import { changesQuery } from "../http/input/report-fields.ts";
import { itemsV1 } from "../http/response-schemas.ts";
import { eventItem, toEventItem } from "../usecases/events.ts";
import { readChanges as read } from "../usecases/performance/changes.ts";
import { toDays } from "../usecases/performance/read.ts";
import type { PerformanceRow } from "../usecases/performance/rows.ts";
import { appPath, authorizeApp, linkNotFound } from "./common.ts";
import { periods, toPeriods } from "./read-performance.ts";

const text = (description: string) => z.string().with(z.describe(description));

/** What a part of the spend is in both periods. */
const both = {
  spend: text("An exact decimal number"),
  previous_spend: text("The spend of the period before"),
  change: text("`spend` − `previous_spend`"),
};

export const readChanges = userOperation({
  method: "GET",
  path: "/public/v1/apps/:app_token/performance/changes",
  id: "readChanges",
  summary: "Read what changed",
  description: `The change of spend between some days and as many days before them, split into parts that add up to it: \`volume\` + \`price\` + \`rest\`. With \`final: false\`, it can still change. \`events\` say what happened in these days, and what operators changed in the days before too. What does not happen is not an event, such as a partner that sends nothing.`,
  input: { path: appPath, query: changesQuery },
  responses: {
    200: {
      description: "The change, as one item",
      schema: itemsV1(
        z.strictObject({
          ...both,
          spend: text("As in the performance report, an exact decimal number"),
          too_few_clicks: z
            .boolean()
            .with(
              z.describe(
                "Whether both periods have fewer than 20 clicks (for cpm, impressions), too few to say why spend changed",
              ),
            ),
          volume: text(
            "The change of the number of matched costs (not of clicks) × the price before, of each cost type",
          ),
          price: text("The change of the average price × the number of matched costs now"),
          rest: text("Cost types that only one period has, and `adjustments`"),
          adjustments: text("The change of adjustments"),
          cost_types: z.array(
            z.strictObject({
              cost_type: z.enum(COST_TYPES),
              state: z
                .enum(["continued", "new", "ended"])
                .with(z.describe("`new` and `ended`: only one period has it, and its change is in `rest`")),
              ...both,
              spend: text("Without adjustments"),
              matched: z.int(),
              previous_matched: z.int(),
              volume: z.string(),
              price: z.string(),
            }),
          ),
          links: z
            .nullable(
              z.array(
                z.strictObject({
                  link_token: z.string(),
                  link_label: text("The link's own name"),
                  link_name: text("The names of the links above it and its own, joined by ::"),
                  ...both,
                }),
              ),
            )
            .with(
              z.describe(
                "The three campaigns whose spend changed most, or with `link` what is below it; null if there are too many links",
              ),
            ),
          events: z
            .array(eventItem)
            .with(z.describe(`What happened, the newest first, at most ${MOST_EVENTS}`)),
          more_events: z.boolean().with(z.describe("Whether there were more events")),
        }),
        periods,
      ),
    },
  },
  errors: ["not_found", "report_too_large"],
  isReport: true,
  async handle(context, caller, { path, query }) {
    const { ledger, now } = context;
    const { report, explained, links } = await read(ledger, caller.viewer, {
      appToken: path.app_token,
      days: toDays(query, now),
      query,
    });
    authorizeApp(caller, report.access);
    if (query.link !== undefined && !report.link) throw linkNotFound();
    const { total, partners } = report;
    const { volume, price, rest, adjustments, types, events } = explained;
    const item = {
      ...toBoth(total.now.spend, total.before.spend),
      too_few_clicks: explained.isTooFew,
      volume: formatMoney(volume),
      price: formatMoney(price),
      rest: formatMoney(rest),
      adjustments: formatMoney(adjustments),
      cost_types: types.map(toType),
      links: links?.map(toLink) ?? null,
      events: events.map((event) => toEventItem(event, partners)),
      more_events: explained.hasMoreEvents,
    };
    return jsonResponse(envelopeV1(context, [item], undefined, toPeriods(report, now)));
  },
});

const toBoth = (now: bigint, before: bigint) => ({
  spend: formatMoney(now),
  previous_spend: formatMoney(before),
  change: formatMoney(now - before),
});

const toType = ({ costType, state, now, before, volume, price }: TypeChange) => ({
  cost_type: costType,
  state,
  ...toBoth(now.spend, before.spend),
  matched: Number(now.matched),
  previous_matched: Number(before.matched),
  volume: formatMoney(volume),
  price: formatMoney(price),
});

const toLink = ({ fields, now, before }: PerformanceRow) => ({
  ...fields,
  ...toBoth(now.spend, before.spend),
});
