/** The parameters of the Performance page, which are its view. A contract file. */
import * as z from "zod/mini";
import type { PriceName } from "../../domain/cost-types.ts";
import { isByCostType, REPORT_GROUPS } from "../../domain/figures/groups.ts";
import type { FigureName } from "../../domain/figures/names.ts";
import type { InputError } from "../../errors.ts";
import { costType, countryCode, currency, idText, platformName, readAs } from "../../http/input/fields.ts";
import { parsePairs, readPairs } from "../../http/input/pairs.ts";
import { invalidRequest } from "../../http/input/parse.ts";
import { noticesOf } from "../../http/notices.ts";
import { withQuery } from "../../pages/lists/query.ts";
import { periodChecks, periodFields } from "../../pages/periods.ts";
import { readTokens, searchWords } from "../links/query.ts";

const groups = REPORT_GROUPS.performance;

/** The figures of each row, in the order of their columns. Tiles and the chart show them too. */
export const METRICS = {
  spend: "Spend",
  clicks: "Clicks",
  impressions: "Impressions",
  cost_per_click: "Cost per click",
  cost_per_install: "Cost per install",
  cost_per_event: "Cost per event",
  cost_per_mille: "Cost per 1,000 impressions",
  matched: "Matched costs",
  coverage: "Coverage",
} as const satisfies Partial<Record<FigureName | PriceName, string>>;
export type Metric = keyof typeof METRICS;
export const metrics = Object.keys(METRICS) as Metric[];
/** Those that pages show unless others are chosen. */
export const DEFAULT_COLUMNS: Metric[] = ["spend", "clicks", "cost_per_click", "coverage"];

type Changing = Exclude<Metric, "matched" | "coverage">;
/** Whether a column with its change follows. */
export const hasChange = (metric: Metric): metric is Changing =>
  metric !== "matched" && metric !== "coverage";
/** The columns that the rows can be sorted by. */
const COLUMNS = [
  "name",
  ...metrics.flatMap((metric): (Metric | `${Changing}_change`)[] =>
    hasChange(metric) ? [metric, `${metric}_change`] : [metric],
  ),
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
    /** Only what is recorded on the link itself. Says nothing without a link. */
    direct: z.optional(z.literal("1", "must be 1")),
    partner_id: z.optional(idText),
    cost_type: z.optional(costType),
    country: z.optional(countryCode),
    platform: z.optional(platformName),
    /** Words in the names of rows. */
    q: z.optional(searchWords),
    currency: z.optional(currency),
    /** Whether the changes from the days before are shown. */
    compare: z.optional(z.literal("0", "must be 0")),
    metric: z._default(z.enum(metrics, `must be one of ${metrics.join(", ")}`), "spend"),
    sort: z.optional(
      readAs(z.string(), (value, reject): PageSort => {
        const column = COLUMNS.find((one) => one === value.replace(/^-/, ""));
        if (!column) reject(`must be one of ${COLUMNS.join(", ")}, with - before it for descending order`);
        return { column: column ?? "spend", isDescending: value.startsWith("-") };
      }),
    ),
    columns: z._default(
      readAs(z.string(), (value, reject): Metric[] => {
        const names = value.split(",");
        if (!names.every((name) => Object.hasOwn(METRICS, name)))
          reject(`must be some of ${metrics.join(", ")}, separated by commas`);
        return metrics.filter((metric) => names.includes(metric));
      }),
      DEFAULT_COLUMNS,
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

/** Engagements have no cost type, so each type would have those of all, and a coverage that the others add to. */
export const columnsOf = ({ columns, group_by, cost_type }: PerformanceView): Metric[] =>
  isByCostType(group_by) || cost_type !== undefined
    ? columns.filter((metric) => !["clicks", "impressions", "coverage"].includes(metric))
    : columns;

/** The address with a column more or less. */
export function withColumn(url: URL, { columns }: PerformanceView, metric: Metric): string {
  const chosen = metrics.filter((one) => columns.includes(one) !== (one === metric));
  const isDefault = chosen.join() === DEFAULT_COLUMNS.join();
  return withQuery(url, { columns: isDefault ? null : chosen.join() });
}

/**
 * Reads the query of the page or of a view. An empty value counts as absent, because forms send their empty fields. Throws
 * invalid_request.
 */
export function readPerformanceQuery(search: string): PerformanceView {
  const errors: InputError[] = [];
  const pairs = readPairs(search).filter(({ value }) => value !== "");
  const query = parsePairs(performancePageQuery, pairs, "same text", errors);
  if (!query || errors.length > 0) throw invalidRequest(errors);
  return query;
}
