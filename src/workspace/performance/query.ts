/** The parameters of the Performance page, which are its view. A contract file. */
import * as z from "zod/mini";
import { REPORT_GROUPS } from "../../domain/figures/groups.ts";
import type { InputError } from "../../errors.ts";
import { costType, countryCode, currency, idText, platformName, readAs } from "../../http/input/fields.ts";
import { parsePairs, readPairs } from "../../http/input/pairs.ts";
import { invalidRequest } from "../../http/input/parse.ts";
import { noticesOf } from "../../http/notices.ts";
import { periodChecks, periodFields } from "../../pages/periods.ts";
import { readTokens, searchWords } from "../links/query.ts";

const groups = REPORT_GROUPS.performance;

/** What the chart can show. */
export const METRICS = {
  spend: "Spend",
  clicks: "Clicks",
  cost_per_click: "Cost per click",
  coverage: "Coverage",
} as const;
export type Metric = keyof typeof METRICS;
const metrics = Object.keys(METRICS) as Metric[];

/** The columns that the rows can be sorted by. */
const COLUMNS = [
  "name",
  "spend",
  "spend_change",
  "clicks",
  "clicks_change",
  "cost_per_click",
  "cost_per_click_change",
  "matched",
  "coverage",
  "signal",
] as const;
export type Column = (typeof COLUMNS)[number];
export interface PageSort {
  column: Column;
  isDescending: boolean;
}

/** Rows that are open in place. */
const MAX_OPEN = 20;

/** What a form did that led to the page. */
export const PERFORMANCE_NOTICES = noticesOf({ saved: "View saved.", deleted: "View deleted." });

const performancePageQuery = z
  .strictObject({
    ...periodFields,
    group_by: z._default(z.enum(groups, `must be one of ${groups.join(", ")}`), "link"),
    level: z._default(readAs(z.string().check(z.regex(/^[1-4]$/, "must be 1, 2, 3 or 4")), Number), 2),
    link: z.optional(z.string()),
    partner_id: z.optional(idText),
    cost_type: z.optional(costType),
    country: z.optional(countryCode),
    platform: z.optional(platformName),
    /** Words in the names of rows. */
    q: z.optional(searchWords),
    currency: z.optional(currency),
    metric: z._default(z.enum(metrics, `must be one of ${metrics.join(", ")}`), "spend"),
    sort: z.optional(
      readAs(z.string(), (value, reject): PageSort => {
        const column = COLUMNS.find((one) => one === value.replace(/^-/, ""));
        if (!column) reject(`must be one of ${COLUMNS.join(", ")}, with - before it for descending order`);
        return { column: column ?? "spend", isDescending: value.startsWith("-") };
      }),
    ),
    open: z._default(
      readAs(z.string(), (value, reject) => readTokens(value, reject, MAX_OPEN)),
      [],
    ),
    rows: z.optional(z.string()),
    /** The saved view that leads here. */
    view: z.optional(idText),
    notice: z.optional(z.enum(PERFORMANCE_NOTICES.names, "is unknown")),
  })
  .check(...periodChecks);

export type PerformanceView = z.output<typeof performancePageQuery>;

/** Reads the query of the page or of a view. An empty value counts as absent, because forms send their empty fields. Throws invalid_request. */
export function readPerformanceQuery(search: string): PerformanceView {
  const errors: InputError[] = [];
  const pairs = readPairs(search).filter(({ value }) => value !== "");
  const query = parsePairs(performancePageQuery, pairs, "same text", errors);
  if (!query || errors.length > 0) throw invalidRequest(errors);
  return query;
}
