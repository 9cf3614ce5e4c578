/** `GET …/performance`: what the links of an app cost, and how that changed. Beyond the specification. */
import * as z from "zod/mini";
import { userOperation } from "../auth/guards.ts";
import { CURRENCY_CODES } from "../domain/money.ts";
import { COST_WINDOW } from "../domain/texts.ts";
import { type DayRange, formatDate } from "../domain/time.ts";
import { prefers } from "../http/accept.ts";
import { NOT_OF_LIST } from "../http/cursors.ts";
import { envelopeV1, jsonResponse } from "../http/envelope.ts";
import { invalidRequest } from "../http/input/parse.ts";
import { isWithinLimits, performanceQuery } from "../http/input/report-fields.ts";
import { pagingV2 as toPaging } from "../http/paging.ts";
import { reportV1 } from "../http/response-schemas.ts";
import { performanceCsv } from "../usecases/performance/csv.ts";
import { isFinal, type Performance, readPerformance as read, toDays } from "../usecases/performance/read.ts";
import { toItem } from "../usecases/performance/rows.ts";
import {
  fromText,
  type Position,
  positionOf,
  rowsAfter,
  sortRows,
  toText,
} from "../usecases/performance/sort.ts";
import { appPath, authorizeApp, linkNotFound } from "./common.ts";
import { groupFields } from "./report.ts";

const decimal = (description: string) => z.nullable(z.string()).with(z.describe(description));
const count = (description: string) => z.nullable(z.int()).with(z.describe(description));
const date = z.string().with(z.meta({ format: "date" }));

/** What is true of both periods. */
export const periods = {
  from: date,
  to: date,
  previous_from: date,
  previous_to: date,
  currency: z
    .nullable(z.string())
    .with(z.describe("The currency of all amounts; null if there is no cost in either period")),
  final: z
    .boolean()
    .with(
      z.describe(
        `Whether the figures are final: false for ${COST_WINDOW} after \`to\`, while costs can still arrive`,
      ),
    ),
};
export const toPeriods = ({ now: days, before, currency }: Performance, now: number) => ({
  from: formatDate(days.from),
  to: formatDate(days.to),
  previous_from: formatDate(before.from),
  previous_to: formatDate(before.to),
  currency,
  final: isFinal(days, now),
});

/** The figures of a row in one period. */
const figures = {
  spend: z.string().with(z.describe("Spend in `currency` with adjustments, an exact decimal number")),
  clicks: count("null by cost type, because a click has none"),
  impressions: count("null by cost type"),
  matched: z.int().with(z.describe("Costs in `currency` with an engagement and an amount")),
  cost_per_click: decimal(
    "Spend of cpc costs without adjustments ÷ their number, rounded to 8 places, half away from zero; null without any",
  ),
  effective_cost_per_click: decimal(
    "All spend ÷ all clicks, rounded in the same way; null without clicks, by cost type, and if there is spend in another currency",
  ),
  coverage: decimal(
    "Matched cpc, cpi and cpe costs in any currency, with or without an amount ÷ recorded clicks, cut to four places; null without recorded clicks, and for cpm",
  ),
  impression_coverage: decimal(
    "The same of cpm costs and recorded impressions; null for another cost type than cpm",
  ),
  other_currencies: z
    .boolean()
    .with(z.describe("Whether there is spend in another currency too, whose sum is not zero")),
};

export const readPerformance = userOperation({
  method: "GET",
  path: "/public/v1/apps/:app_token/performance",
  id: "readPerformance",
  summary: "Read what links cost, and how that changed",
  description: `Spend, clicks, cost per click and coverage of some days and of as many days before them, in one currency. There is a row for each group that has a cost, a click or an impression in either of the two periods. By day and week, \`previous\` is about the days in the same place of the period before. Clicks, impressions and coverage do not depend on the currency. Send \`Accept: text/csv\` to get all rows as CSV, with \`previous_\` in front of the names of the period before.`,
  input: { path: appPath, query: performanceQuery, paged: "by text" as const },
  responses: {
    200: {
      description: "A page of rows",
      alsoAs: "text/csv",
      schema: reportV1(
        periods,
        z.strictObject({
          ...groupFields("performance"),
          ...figures,
          previous: z.strictObject(figures).with(z.describe("The same figures for the period before")),
        }),
      ),
    },
  },
  errors: ["not_found", "report_too_large"],
  isReport: true,
  async handle(context, caller, { path, query, range }) {
    const { ledger, now } = context;
    const { sort } = query;
    const start = range.after === null ? undefined : readStart(range.after, sort.field);
    const report = await read(ledger, caller.viewer, {
      appToken: path.app_token,
      days: start?.days ?? toDays(query, now),
      query: { ...query, ...(start?.currency && { currency: start.currency }) },
    });
    authorizeApp(caller, report.access);
    if (query.link !== undefined && !report.link) throw linkNotFound();
    const sorted = sortRows(report.rows, sort);
    if (prefers(context.request, "text/csv")) return performanceCsv(path.app_token, report, sorted);
    const following = start ? rowsAfter(sorted, sort, start.after) : sorted;
    const rows = following.slice(0, range.limit);
    const last = rows.at(-1);
    const next =
      last && following.length > range.limit
        ? writeStart({ days: report.now, currency: report.currency, after: positionOf(last, sort.field) })
        : null;
    const paging = toPaging(context, range, { next });
    return jsonResponse(envelopeV1(context, rows.map(toItem), paging, toPeriods(report, now)), 200, {
      vary: "Accept",
    });
  },
});

/** Where a page starts. A cursor keeps the days and the currency of its report, so that a day or a cost later its pages still fit. */
type Start = { days: DayRange; currency: string | null; after: Position };

/** The text of a cursor, for a list by text. */
const writeStart = ({ days, currency, after }: Start): string =>
  JSON.stringify([days.from, days.to, currency, toText(after), after.key]);

/** Throws invalid_request for a text that `writeStart` didn't write for a list in the order of this field. */
function readStart(text: string, field: string): Start {
  const start = parse(text, field);
  if (!start || writeStart(start) !== text) throw invalidRequest([{ param: "cursor", message: NOT_OF_LIST }]);
  return start;
}

function parse(text: string, field: string): Start | undefined {
  try {
    const [from, to, currency, value, key] = JSON.parse(text);
    const isPeriod = Number.isSafeInteger(from) && Number.isSafeInteger(to) && isWithinLimits(from, to);
    const isCurrency = currency === null || CURRENCY_CODES.has(currency);
    const read = value === null || typeof value === "string" ? fromText(value, field) : undefined;
    if (!isPeriod || !isCurrency || !read || typeof key !== "string") return undefined;
    return { days: { from, to }, currency, after: { ...read, key } };
  } catch {
    return undefined;
  }
}
