/** Reads a report of an app and formats its rows for JSON and CSV. */
import type { AppAccess, Viewer } from "../db/accounts/viewers.ts";
import type { Group, ReportName, ReportRow } from "../db/ledger/reports/sources.ts";
import { MAX_ROWS, type Part } from "../db/ledger/reports/statements.ts";
import { readSums } from "../db/ledger/reports/sums.ts";
import type { Ledger } from "../db/ledger/shards.ts";
import { fieldNames, fieldsOf } from "../domain/figures/groups.ts";
import { formatAdjusted, formatSpend } from "../domain/money.ts";
import { inEnglish } from "../domain/texts.ts";
import { type DayRange, dayOf, formatDate } from "../domain/time.ts";
import { AppError } from "../errors.ts";
import { type Cell, csvResponse, toCsv } from "../http/csv.ts";
import { invalidRequest } from "../http/input/parse.ts";
import { MAX_DAYS, maxDaysOf, tooManyDays } from "../http/input/report-fields.ts";

/** The days of the query. */
export type GivenDays = { from?: number | undefined; to?: number | undefined };

/** The parameters of a report, as `spendQuery` and `engagementsQuery` parse them. */
interface ReportQuery<R extends ReportName> extends GivenDays {
  group_by: readonly Group<R>[];
  link?: string | undefined;
  level?: number | undefined;
  partner_id?: number | undefined;
  cost_type?: string | undefined;
  currency?: string | undefined;
  kind?: string | undefined;
  country?: string | undefined;
  platform?: string | undefined;
}

export interface ReportRequest<R extends ReportName> {
  report: R;
  appToken: string;
  query: ReportQuery<R>;
  /** In milliseconds since 1970. */
  now: number;
}

/** A row of the report: the values that it is grouped by, then its sums. */
type ReportItem = Record<string, Cell>;

export interface Report {
  /** Undefined, or without an app, if the viewer may not see the app. There are no items then. */
  access: AppAccess | undefined;
  /** False if the app does not have the link of the filter. There are no items then. */
  hasLink: boolean;
  items: ReportItem[];
  /** The names of an item's values. */
  header: string[];
  fileName: string;
}

/** Reads a report. Throws invalid_request for one with too many rows, and for too many days up to today. */
export async function readReport<R extends ReportName>(
  ledger: Ledger,
  viewer: Viewer,
  { report, appToken, query, now }: ReportRequest<R>,
): Promise<Report> {
  const {
    group_by: groups,
    partner_id: partnerId,
    cost_type: costType,
    level,
    from: _,
    to: __,
    ...more
  } = query;
  const days = toDays(query, now);
  checkAudienceDays({ ...query, groups }, days);
  const found = await readSums(ledger, {
    whose: { viewer, appToken },
    parts: { own: { report, ...days, groups } as Part },
    filters: { ...more, partnerId, costType },
  });
  const rows = found.rowsOf("own", level);
  if (found.isTooMany("own") || rows.length > MAX_ROWS) throw tooManyRows();
  const fields = fieldsOf(groups, days);
  const sums = SUMS[report] as Columns<ReportRow<ReportName>>;
  return {
    access: found.access,
    hasLink: query.link === undefined || found.link !== undefined,
    items: rows.map((row) => ({
      ...fields(row),
      ...Object.fromEntries(Object.entries(sums).map(([name, read]) => [name, read(row)])),
    })),
    header: [...fieldNames(groups), ...Object.keys(sums)],
    fileName: fileNameOf(report, appToken, days, groups),
  };
}

/** Names the report, the app, the days and the groups. It needs no escaping. */
export function fileNameOf(
  report: ReportName | "performance",
  appToken: string,
  { from, to }: DayRange,
  groups: readonly string[],
): string {
  return `${report}-${appToken}-${formatDate(from)}-${formatDate(to)}-by-${groups.join("-")}.csv`;
}

export function reportCsvResponse({
  header,
  items,
  fileName,
}: Pick<Report, "header" | "items" | "fileName">): Response {
  const cells = items.map((item) => header.map((name) => item[name] ?? null));
  return csvResponse(toCsv(header, cells, MONEY), fileName);
}

/** The columns with exact decimal numbers, which adjustments can make negative. */
const MONEY = [
  "spend",
  "adjusted",
  "effective_cost_per_click",
  "previous_spend",
  "previous_effective_cost_per_click",
];

const DEFAULT_DAYS = 30;

/** The days of a report: by default the last 30, up to today. */
export const toDays = (query: GivenDays, now: number) =>
  completeDays(query, { days: DEFAULT_DAYS, to: dayOf(now), name: "today" });

/** The days of a query, by default so many, up to a day with this name. Throws invalid_request for days that are no period. */
export function completeDays(query: GivenDays, last: { days: number; to: number; name: string }): DayRange {
  const to = query.to ?? last.to;
  const from = query.from ?? to - last.days + 1;
  // With both days in the query, this is checked already.
  if (from > to)
    throw invalidRequest([{ param: "from", message: `must not be after ${last.name}; send to as well` }]);
  if (to - from >= MAX_DAYS) {
    const message = `is too early: the report covers at most ${MAX_DAYS} days, and without to it ends ${last.name}`;
    throw invalidRequest([{ param: "from", message }]);
  }
  return { from, to };
}

/** A report by country and platform covers fewer days. Throws invalid_request for more. */
export function checkAudienceDays(
  query: {
    groups: readonly string[];
    link?: string | undefined;
    country?: string | undefined;
    platform?: string | undefined;
  },
  { from, to }: DayRange,
): void {
  const most = maxDaysOf({ ...query, group_by: query.groups });
  if (to - from >= most)
    throw invalidRequest([{ param: "from", message: tooManyDays("is too early", most) }]);
}

/** How to read each sum of an item from a row. */
type Columns<Row> = Record<string, (row: Row) => Cell>;

const SUMS: { [R in ReportName]: Columns<ReportRow<R>> } = {
  spend: {
    currency: (row) => row.currency,
    spend: (row) => formatSpend([row]),
    adjusted: (row) => formatAdjusted([row]),
    matched: (row) => row.matched,
    unpriced: (row) => row.unpriced,
  },
  engagements: { count: (row) => row.count, recorded: (row) => row.recorded },
};

/** The error for a report with more than MAX_ROWS rows, or that adds up more than that. */
export function tooManyRows(): AppError {
  const message = `gives more than ${inEnglish(MAX_ROWS)} rows; use fewer groups or fewer days`;
  return new AppError("invalid_request", `group_by ${message}.`, {
    errors: [{ param: "group_by", message }],
  });
}
