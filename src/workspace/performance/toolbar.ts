/** What the Performance page shows, as menus: its days, comparison and currency, the groups of its rows, and their columns. */
import { html } from "hono/html";
import { choices, menu } from "../../pages/elements.ts";
import { withQuery } from "../../pages/lists/query.ts";
import { describeDays } from "../../pages/locale.ts";
import type { Markup } from "../../pages/markup.ts";
import { periodMenu, presetName } from "../../pages/periods.ts";
import { currencyLinks } from "../reports/currencies.ts";
import { GROUP_CHOICES, groupName, hasLevels } from "./groups.ts";
import { type Column, columnsOf, hasChange, METRICS, metrics, withColumn } from "./query.ts";
import { sorting } from "./table.ts";
import type { PerformancePage } from "./view.ts";

type Choice = [name: string, href: string, isCurrent: boolean];

/** A menu of links of which one is chosen. */
const linkMenu = (summary: Markup | string, links: Choice[], className = ""): Markup =>
  menu(
    summary,
    links.map(
      ([name, href, isCurrent]) =>
        html`<a href="${href}"${isCurrent ? html` aria-current="true"` : ""}>${name}</a>`,
    ),
    className,
  );

/** `isOver`: whether the days can be compared with those before. */
export function viewMenus(url: URL, page: PerformancePage, isOver: boolean): Markup {
  const { period } = page;
  const name = presetName(period);
  const days = `${describeDays(period)}, UTC`;
  return html`
    <section class="period" aria-label="Dates">${periodMenu(url, period, name ? html`${name} <span>${days}</span>` : days)}</section>
    ${isOver ? comparisonMenu(url, page) : ""}
    ${currencyMenu(url, page)}`;
}

function currencyMenu(url: URL, { report }: PerformancePage): Markup | "" {
  const { currency, currencies } = report;
  const links = currencyLinks(url, currencies, currency);
  return links.length === 0
    ? ""
    : linkMenu(html`<span class="visually-hidden">Currency: </span>${currency}`, links);
}

/** Whether the figures are compared with those of the days before. */
function comparisonMenu(url: URL, { query, report }: PerformancePage): Markup {
  const isCompared = query.compare === undefined;
  const days = describeDays(report.before);
  return linkMenu(isCompared ? html`vs <span>${days}</span>` : "Not compared", [
    [`The days before, ${days}`, withQuery(url, { compare: null }), isCompared],
    ["No comparison", withQuery(url, { compare: "0" }), !isCompared],
  ]);
}

export function columnsMenu(url: URL, { query }: PerformancePage): Markup {
  return menu(
    "Columns",
    metrics.map((metric) => {
      const isShown = query.columns.includes(metric);
      return html`<a id="column-${metric}" href="${withColumn(url, query, metric)}" data-in-place><span class="visually-hidden">${isShown ? "Hide" : "Show"}</span><span class="mark" aria-hidden="true">${isShown ? "✓" : ""}</span> ${METRICS[metric]}</a>`;
    }),
    "end",
  );
}

/** For a phone, whose table has few headings: the orders of the rows. */
export function orderMenu(url: URL, page: PerformancePage): Markup {
  const { query } = page;
  const figures = columnsOf(query).flatMap((metric): [string, Column][] => [
    [METRICS[metric], metric],
    ...(hasChange(metric) ? [[`${METRICS[metric]}, change`, `${metric}_change`] as [string, Column]] : []),
  ]);
  const all: [string, Column][] = [[groupName(query), "name"], ...figures];
  return linkMenu(
    "Sort",
    all.map(([name, column]) => {
      const { href, sorted } = sorting(url, page, column);
      return [sorted ? `${name} ${sorted === "ascending" ? "▲" : "▼"}` : name, href, sorted !== undefined];
    }),
    "end order",
  );
}

/** The groups that are beside each other. The menu after them has the others. */
const FIRST = ["Campaign", "Creative", "Partner", "Day"];

export function groupChoices(url: URL, { query, report }: PerformancePage): Markup {
  const all = GROUP_CHOICES.filter(
    ({ group_by, level }) => !hasLevels(group_by) || level >= (report.link?.level ?? 1),
  ).map((choice): Choice => {
    const level = hasLevels(choice.group_by) ? String(choice.level) : null;
    const href = withQuery(url, { group_by: choice.group_by, level, sort: null, open: null, rows: null });
    return [groupName(choice), href, groupName(choice) === groupName(query)];
  });
  const [first = [], others = []] = [true, false].map((isFirst) =>
    all.filter(([name]) => FIRST.includes(name) === isFirst),
  );
  const current = others.find(([, , isCurrent]) => isCurrent);
  return html`<div class="by" data-arrows>${choices("Break down by", first)}${linkMenu(current ? html`<strong>${current[0]}</strong>` : "More", others)}</div>`;
}
