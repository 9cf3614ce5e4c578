/** The table of the Performance page: its rows open in place into the level below, and every heading sorts. */

import { html } from "hono/html";
import { daysOf, filterOf, lengthOf, within } from "../../domain/figures/groups.ts";
import { isInOtherCurrencies, shareOf } from "../../domain/figures/performance.ts";
import { type DayRange, formatDate } from "../../domain/time.ts";
import { daysWithData } from "../../pages/chart/chart.ts";
import { sparkline } from "../../pages/chart/sparkline.ts";
import { coverageBadge } from "../../pages/costs/states.ts";
import { badge, nameText, pathText } from "../../pages/elements.ts";
import { withQuery } from "../../pages/lists/query.ts";
import { firstRows, MORE_FIGURES, table } from "../../pages/lists/table.ts";
import { describeDays, NONE, showPlural } from "../../pages/locale.ts";
import type { Markup } from "../../pages/markup.ts";
import type { PerformanceRow } from "../../usecases/performance/rows.ts";
import type { Member } from "../frame.ts";
import { partnerHref } from "../partners/link.ts";
import { type Compared, change, figure, SHOWN, signal, spendIn } from "./cells.ts";
import { DIRECT, describeRow, groupName, isAdjustments, onlyLink } from "./groups.ts";
import { type Column, columnsOf, hasChange, METRICS, type Metric } from "./query.ts";
import { type PerformancePage, type ShownRow, shownMetric } from "./view.ts";

export function performanceTable(
  url: URL,
  member: Member,
  page: PerformancePage,
  compared: Compared,
): Markup {
  const { query, report, rows } = page;
  const { currency } = report;
  const shown = firstRows(url, rows);
  const sumOf = (row: PerformanceRow): ShownRow => ({ row, depth: 0, isOpen: undefined, isOwn: false });
  const total = sumOf(report.total);
  const subtotal = page.found && page.found.length > 1 ? sumOf(report.totalOf(page.found)) : undefined;
  const isSum = (one: ShownRow) => one === total || one === subtotal;
  const everywhere = currenciesOfAll(rows);
  const course = coursesOf(member, page, shown.rows);
  const sortable = (heading: string, column: Column, kind?: "number") => ({
    heading,
    ...sorting(url, page, column),
    ...(kind && { kind }),
  });
  const number = (
    heading: string,
    column: Column,
    cell: (row: PerformanceRow, isSum: boolean) => Markup | string,
  ) => ({
    ...sortable(heading, column, "number"),
    ...(column === "spend" && everywhere && { note: `+ ${everywhere.join(" + ")}` }),
    cell: (one: ShownRow) => {
      // Nothing but money can be adjusted.
      const isNone = isAdjusted(one) && (column !== "spend" || one.row.now.spend === 0n);
      return isNone ? NONE : cell(one.row, isSum(one));
    },
  });
  const columns = columnsOf(query);
  const hasCoverage = columns.includes("coverage");
  const onPhone = columns
    .toSorted((one, other) => Number(isMain(other)) - Number(isMain(one)))
    .slice(0, compared.isCompared ? 2 : 4);
  const isAdjusted = (one: ShownRow) => !isSum(one) && isAdjustments(query.group_by, one.row);
  const signalIn = (one: ShownRow) =>
    isSum(one) || isAdjusted(one) ? "" : signal(one.row, compared, hasCoverage);
  const cell = (metric: Metric, row: PerformanceRow, isSum: boolean) =>
    metric === "spend"
      ? // The total has its other currencies beside the tiles, and those of all rows are in the heading.
        spendIn(
          row.now,
          currency,
          (one) => withQuery(url, { currency: one, rows: null }),
          !isSum && !everywhere,
        )
      : metric === "coverage" && !isSum
        ? coverageBadge(shareOf(row.now.coverage), Number(row.recorded))
        : figure(metric, row.now, currency);
  return html`
    ${table<ShownRow>({
      label: `Performance by ${groupName(query).toLowerCase()}`,
      hasHeading: true,
      rows: shown.rows,
      total,
      subtotal,
      layout: "figures-in-row",
      idOf: ({ row, isOwn }) => (row.key && !isOwn ? `row-${row.key}` : undefined),
      classOf: ({ depth }) => (depth > 0 ? `level-${depth + 1}` : ""),
      columns: [
        {
          ...sortable(groupName(query), "name"),
          cell: (one) =>
            html`<div class="name">${one === total ? totalName(page) : one === subtotal ? `Total of ${showPlural(page.found?.length ?? 0, "row")}` : name(url, member, page, one)}${isSum(one) ? "" : course(one)}</div>${MORE_FIGURES}`,
        },
        ...columns.flatMap((metric) =>
          [
            number(METRICS[metric], metric, (row, isSum) => cell(metric, row, isSum)),
            compared.isCompared &&
              hasChange(metric) &&
              number("Change", `${metric}_change`, (row) => change(metric, row, compared)),
          ].map((column) => column && { ...column, isFolded: !onPhone.includes(metric) }),
        ),
        (page.sort.column === "signal" || shown.rows.some((one) => signalIn(one) !== "")) && {
          ...sortable("Signal", "signal"),
          cell: signalIn,
        },
      ],
    })}
    ${shown.more}`;
}

/** What a phone shows first. */
const isMain = (metric: Metric) => metric === "spend" || metric === "cost_per_click";

/** The other currencies of the spend, if they are the same ones for all of some rows. */
function currenciesOfAll(rows: ShownRow[]): string[] | undefined {
  const [first = "", ...others] = new Set(
    rows.map(({ row }) => (isInOtherCurrencies(row.now) ? "" : row.now.otherCurrencies.toSorted().join())),
  );
  return rows.length > 1 && first !== "" && others.length === 0 ? first.split(",") : undefined;
}

/** Rows of days have no line beside their name, and those of creatives leave its room to the names above them. */
export const hasCourses = ({ group_by, level }: PerformancePage["query"]): boolean =>
  !daysOf(group_by) && level < 4;

/** The line beside the name of a row: the course of the figure in the chart, of the same days. */
function coursesOf(
  { app: { firstDay } }: Member,
  page: PerformancePage,
  rows: ShownRow[],
): (row: ShownRow) => Markup | "" {
  const { query, report } = page;
  if (!hasCourses(query)) return () => "";
  const { of, isRatio = false } = SHOWN[shownMetric(page)];
  const days = daysWithData({ days: report.now, firstDay });
  const courses = new Map(
    [...Map.groupBy(rows, ({ depth }) => depth)].map(([depth, same]) => [
      depth,
      report.courses(
        same.map(({ row }) => row),
        of,
        query.level + depth,
        days,
      ),
    ]),
  );
  return ({ row, depth }) => sparkline(courses.get(depth)?.get(row.key) ?? [], isRatio);
}

const totalName = ({ query, report }: PerformancePage) =>
  report.isTooMany
    ? "Total"
    : `Total, ${query.q === undefined ? "" : "all "}${showPlural(report.rows.length, "row")}`;

/** The first click on a heading puts the highest number or the first name at the top, the next one turns it around. */
export function sorting(url: URL, { sort }: PerformancePage, column: Column) {
  const isSorted = sort.column === column;
  const isDescending = isSorted ? !sort.isDescending : column !== "name";
  const href = withQuery(url, { sort: `${isDescending ? "-" : ""}${column}`, rows: null });
  return {
    href,
    inPlace: `sort-${column}`,
    ...(isSorted && { sorted: sort.isDescending ? ("descending" as const) : ("ascending" as const) }),
  };
}

function name(url: URL, member: Member, page: PerformancePage, shown: ShownRow): Markup | string {
  const { group_by } = page.query;
  const { row } = shown;
  const rowDays = daysOf(group_by)?.(row.key);
  if (row.level !== undefined) return linkName(url, member, page, shown);
  if (rowDays) return daysName(url, rowDays, page.report.now);
  const text = describeRow(group_by, row);
  const filter = filterOf(group_by);
  if (row.key === "" || !filter) return text;
  const href =
    group_by === "partner"
      ? partnerHref(member, Number(row.key), `?${new URLSearchParams(shownDays(page))}`)
      : withQuery(url, { [filter]: row.key, group_by: null, level: null, rows: null });
  return html`<a href="${href}">${nameText(text)}</a>`;
}

/** A longer path can be cut. */
const ROOM = 10;

/** Opens the link, and what is below it in place; of a direct row, its own figures. */
function linkName(url: URL, member: Member, page: PerformancePage, shown: ShownRow): Markup {
  const { row, isOpen, isOwn, depth } = shown;
  const names = String(row.fields.link_name ?? "").split("::");
  const above = depth === 0 ? names.slice(0, -1) : [];
  const path = above.join(" › ");
  const label = String(row.fields.link_label ?? "");
  const only = { level: null, sort: null, open: null, rows: null, q: null, ...onlyLink(row.key, 0) };
  const href = isOwn
    ? withQuery(url, only)
    : `${member.path}/links/${row.key}?${new URLSearchParams(shownDays(page))}`;
  return html`${isOpen === undefined ? "" : toggle(url, page.query.open, row.key, isOpen, label)}<a href="${href}">${nameText(label)}</a>${isOwn ? DIRECT : ""}${above.length > 0 ? html` <span class="path muted"${path.length > ROOM ? html` title="${path}"` : ""}>${pathText(above)}</span>` : ""}${row.isTest ? html` ${badge("Test")}` : ""}`;
}

/** Shows the campaigns of the days. Says how many they are, if the report does not have all of them. */
function daysName(url: URL, days: DayRange, now: DayRange): Markup {
  const own = within(days, now);
  const isPart = lengthOf(own) < lengthOf(days);
  return html`<a class="day" href="${ofDays(url, own)}">${describeDays(own)}</a>${isPart ? html` <span class="muted">${showPlural(lengthOf(own), "day")}</span>` : ""}`;
}

/** The days of the page, for another one. */
const shownDays = ({ query, report }: PerformancePage): Record<string, string> =>
  query.from === undefined ? { period: query.period ?? "7d" } : toDates(report.now);

const toDates = ({ from, to }: DayRange) => ({ from: formatDate(from), to: formatDate(to) });

/** The campaigns of some days. */
export const ofDays = (url: URL, days: DayRange): string =>
  withQuery(url, { period: null, ...toDates(days), group_by: null, sort: null, open: null, rows: null });

function toggle(url: URL, open: string[], token: string, isOpen: boolean, label: string): Markup {
  const tokens = isOpen ? open.filter((one) => one !== token) : [...open, token];
  const href = withQuery(url, { open: tokens.length > 0 ? tokens.join() : null });
  return html`<span class="toggle"><a id="toggle-${token}" href="${href}#row-${token}" data-in-place><span aria-hidden="true">${isOpen ? "▾" : "▸"}</span><span class="visually-hidden">${isOpen ? "Close" : "Open"} ${label}</span></a></span>`;
}
