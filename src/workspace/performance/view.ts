/** Reads what the Performance page and its CSV show. */
import { type Attachment, findAttachments } from "../../db/ledger/attention.ts";
import { findRejectionsInShards } from "../../db/ledger/rejections.ts";
import type { Adjustment } from "../../db/ledger/reports/adjustments.ts";
import { findViews, type View } from "../../db/workspace/views.ts";
import type { CostType } from "../../domain/cost-types.ts";
import { daysOf, GROUPS } from "../../domain/figures/groups.ts";
import { isInOtherCurrencies } from "../../domain/figures/performance.ts";
import type { Context } from "../../env.ts";
import { AppError } from "../../errors.ts";
import { type Period, toPeriod } from "../../pages/periods.ts";
import { hasWords } from "../../usecases/links/search.ts";
import { type Explained, eventStatements, explain } from "../../usecases/performance/changes.ts";
import { type Performance, readPerformance } from "../../usecases/performance/read.ts";
import type { PerformanceRow } from "../../usecases/performance/rows.ts";
import { OTHER_SIGNAL, sortRows } from "../../usecases/performance/sort.ts";
import { authorizeApp, type Member } from "../frame.ts";
import { isAdjustments, isDirect, rowName } from "./groups.ts";
import { columnsOf, type Metric, type PageSort, type PerformanceView } from "./query.ts";

/** A row with its place in the table. */
export interface ShownRow {
  row: PerformanceRow;
  /** How many open rows it is below. */
  depth: number;
  /** Whether its children are shown; undefined if it has none to show. */
  isOpen: boolean | undefined;
  /** The figures of a link without what is below it, in the rows below it. */
  isOwn: boolean;
}

export interface PerformancePage {
  query: PerformanceView;
  period: Period;
  sort: PageSort;
  report: Performance;
  /** Sorted, with the rows below those that are open. */
  rows: ShownRow[];
  /** Of a search: those that it found, without the rows below them. */
  found: PerformanceRow[] | undefined;
  partnerName: string | undefined;
  attachments: Attachment[];
  views: View[];
  adjustments: Adjustment[];
  explained: Explained;
  /** What a saved view was filtered by. */
  isLinkGone?: boolean;
  isPartnerGone?: boolean;
}

/** Clicks where there is no spend to show. */
export function shownMetric({
  query: { metric },
  report: { total },
}: Pick<PerformancePage, "query" | "report">): Metric {
  const hasSpend = total.now.spend !== 0n || total.before.spend !== 0n;
  return metric === "spend" && !hasSpend && total.now.clicks ? "clicks" : metric;
}

/** If `isPartialAllowed`, without the shards that do not answer now. Throws not_found for a link or a partner that does not exist. */
export async function readPage(
  context: Context,
  member: Member,
  query: PerformanceView,
  isPartialAllowed: boolean,
): Promise<PerformancePage> {
  const { viewer, app, session } = member;
  const { ledger, now } = context;
  const period = toPeriod(query, now, app.firstDay);
  const filters = { ...query, cost_type: query.cost_type as CostType | undefined };
  const reading = readPerformance(
    ledger,
    viewer,
    {
      appToken: app.token,
      days: period,
      query: filters,
      isPartialAllowed,
      canBeCut: true,
      // The page has a chart, which the file does not.
      isDaily: isPartialAllowed,
    },
    {
      attachments: findAttachments(ledger.control, viewer, app.token),
      views: findViews(ledger.control, session.userId, app.token),
      ...eventStatements(ledger.control, viewer, app.token, period, filters),
    },
  );
  // The file shows no events.
  const inShards = isPartialAllowed ? findRejectionsInShards(ledger, app.token, period, true) : [];
  const [{ more, ...read }, rejected] = await Promise.all([reading, inShards]);
  // Adjustments that are of other days, or in other currencies, have no figure.
  const isShown = (row: PerformanceRow) => row.now.spend !== 0n || !isAdjustments(query.group_by, row);
  const report = { ...read, rows: read.rows.filter(isShown) };
  authorizeApp(report.access);
  const isLinkGone = query.link !== undefined && !report.link;
  const isPartnerGone = query.partner_id !== undefined && !report.partners.has(query.partner_id);
  if (query.view !== undefined && (isLinkGone || isPartnerGone)) {
    // A saved view shows the rest.
    const rest = {
      ...query,
      ...(isLinkGone && { link: undefined }),
      ...(isPartnerGone && { partner_id: undefined }),
    };
    return { ...(await readPage(context, member, rest, isPartialAllowed)), isLinkGone, isPartnerGone };
  }
  if (isLinkGone) throw new AppError("not_found", "This app has no link with this token.");
  const partnerName =
    query.partner_id === undefined ? undefined : report.partners.get(query.partner_id)?.displayName;
  if (isPartnerGone) throw new AppError("not_found", "There is no partner with this ID.");
  const sort =
    query.sort ??
    (daysOf(query.group_by)
      ? { column: "name", isDescending: false }
      : { column: shownMetric({ query, report }), isDescending: true });
  const isSearched = hasWords(query.q ?? "");
  const found = report.rows.filter((row) => isSearched(rowName(query.group_by, row)));
  const rows = withOpenRows(report, found, query, sort, 0);
  const explained = explain(report, { ...more, rejected: [...more.rejected, ...rejected] }, filters, {
    isDaily: isPartialAllowed,
    isOfMoney: query.metric === "spend" || query.metric.startsWith("cost_per"),
  });
  return {
    query,
    period,
    sort,
    report,
    rows,
    found: query.q === undefined ? undefined : found,
    partnerName,
    explained,
    ...more,
  };
}

function withOpenRows(
  report: Performance,
  rows: PerformanceRow[],
  query: PerformanceView,
  sort: PageSort,
  depth: number,
  parent?: string,
): ShownRow[] {
  const byCoverage = sort.column === "signal" && columnsOf(query).includes("coverage");
  const field =
    sort.column === "name" ? GROUPS[query.group_by].name : byCoverage ? OTHER_SIGNAL : sort.column;
  const sorted = sortRows(rows, { field, isDescending: sort.isDescending });
  // A spend of zero is the lowest, and not that of rows with spend in other currencies.
  const isLast = ({ now }: PerformanceRow) => sort.column === "spend" && isInOtherCurrencies(now);
  const ordered = [...sorted.filter((row) => !isLast(row)), ...sorted.filter(isLast)];
  return ordered.flatMap((row) => {
    const isOwn = row.key === parent || (query.link !== undefined && query.direct !== undefined);
    // Only links have levels.
    const level = row.level ?? 4;
    if (level === 4 || isOwn || isDirect(row, query.level))
      return [{ row, depth, isOpen: undefined, isOwn: isOwn || isDirect(row, query.level) }];
    const isOpen = query.open.includes(row.key);
    const below = isOpen
      ? report.rowsAt(level + 1).filter(({ key, parentToken }) => parentToken === row.key || key === row.key)
      : [];
    return [
      { row, depth, isOpen, isOwn: false },
      ...withOpenRows(report, below, query, sort, depth + 1, row.key),
    ];
  });
}
