/** The Performance page of an app: which campaign costs what, and whether that is better than in the days before. */
import { html } from "hono/html";
import { daysOf, filterOf } from "../../domain/figures/groups.ts";
import { type DayRange, dayOf } from "../../domain/time.ts";
import type { Context } from "../../env.ts";
import { ERRORS } from "../../errors.ts";
import { MAX_AUDIENCE_DAYS, maxDaysOf } from "../../http/input/report-fields.ts";
import { chartScript } from "../../pages/chart/chart.ts";
import { buttonLink, emptyState, nameText, notice, pathText } from "../../pages/elements.ts";
import { errorSummary, type RejectedForm } from "../../pages/forms/fields.ts";
import { withQuery } from "../../pages/lists/query.ts";
import { describeDay, describeDays, showPlural } from "../../pages/locale.ts";
import type { Markup } from "../../pages/markup.ts";
import { showNotice } from "../../pages/notice.ts";
import { cutNotice, NOT_OVER, NOT_READ, rejectedDates, toPeriod } from "../../pages/periods.ts";
import { changedMost } from "../../usecases/performance/changes.ts";
import { performanceCsv as toCsv } from "../../usecases/performance/csv.ts";
import type { Performance } from "../../usecases/performance/read.ts";
import type { AppPage, Member, Show } from "../frame.ts";
import { keepDays } from "../links/cells.ts";
import { adjustedNote } from "../reports/adjusted.ts";
import { missingCondition, NO_COSTS } from "../reports/attention.ts";
import { findingText } from "../reports/finding.ts";
import { whatChanged } from "../reports/what-changed.ts";
import { performanceStyles, workspaceScript } from "../script.ts";
import { COVERAGE, type Compared, INKS, SHOWN } from "./cells.ts";
import { performanceChart } from "./chart.ts";
import { FILTERS, filterChips, filterMenu, rowSearch, withCountryCode, without } from "./filters.ts";
import { DIRECT, isDirect, onlyLink, rowName } from "./groups.ts";
import { METRICS, PERFORMANCE_NOTICES, type PerformanceView, readPerformanceQuery } from "./query.ts";
import { summary } from "./summary.ts";
import { hasCourses, ofDays, performanceTable } from "./table.ts";
import { columnsMenu, groupChoices, orderMenu, viewMenus } from "./toolbar.ts";
import { type PerformancePage, readPage, shownMetric } from "./view.ts";
import { viewsMenu } from "./views-bar.ts";

export const performancePage: Show = (context, member) => {
  const { url, rejected } = withCountryCode(context.url);
  return showPerformance({ ...context, url }, member, { filters: rejected });
};

const NOT_FILTERED = html`<strong>Filter not applied.</strong> Fix the error below and try again.`;

/** The page, also after a view was not saved or a filter was not applied. Throws invalid_request for the query. */
export async function showPerformance(
  context: Context,
  member: Member,
  { view, filters }: { view?: RejectedForm; filters?: RejectedForm | undefined } = {},
): Promise<AppPage> {
  const { url, now } = context;
  const query = readPerformanceQuery(url.search.slice(1));
  const most = maxDaysOf(query);
  const asked = toPeriod(query, now, member.app.firstDay);
  if (asked.to - asked.from >= most) return tooManyDays(url, query, asked, most);
  const page = await readPage(context, member, query, true);
  const { report, period } = page;
  const rejected = view ?? filters;
  const isOver = period.to < dayOf(now) && !report.isPartial && !report.isCut;
  const compared = {
    isCompared: isOver && query.compare === undefined && !hadNothing(report),
  };
  return {
    title: `${rejected ? "Error: " : ""}Performance`,
    ...(rejected && { status: ERRORS[rejected.error.code].status }),
    scripts: [chartScript.href, workspaceScript.href],
    styles: [performanceStyles.href],
    body: html`
      <div data-part>
      <div class="head">
        <h1>Performance</h1>
        <div class="toolbar">
          ${viewMenus(url, page, isOver)}
          ${isEmpty(page) ? "" : filterMenu(url, page, filters)}
          ${viewsMenu(context, member, page.views, view)}
          ${buttonLink(`${url.pathname}.csv${url.search}`, html`<span class="visually-hidden">Download </span>CSV`)}
        </div>
      </div>
      ${rejected ? errorSummary(rejected, filters && NOT_FILTERED) : showNotice(PERFORMANCE_NOTICES, context)}
      ${gone(page)}
      ${report.isPartial ? notice(PARTIAL, "warn") : ""}
      ${cutNotice(period, report.now.from)}
      ${report.isTooMany ? notice(TOO_MANY, "warn") : ""}
      ${filterChips(url, page)}
      ${
        isEmpty(page)
          ? [explanation(url, member, page, compared), nothing(context, member, page)]
          : html`
              ${report.total.now.spend === 0n && report.total.now.matched === 0n && report.currency ? notice(`No matched costs in ${report.currency} in this period.`) : ""}
              ${summary(url, page, compared, now)}
              <div class="why">${explanation(url, member, page, compared)}${comparison(page, compared)}</div>
              <section class="card charts" aria-label="Chart"><h2 class="visually-hidden">Chart</h2>${performanceChart(url, page, compared, { today: dayOf(now), firstDay: member.app.firstDay })}</section>
              <div class="toolbar rows">${groupChoices(url, page)}${report.rows.length > 1 || query.q !== undefined ? rowSearch(url, page) : ""}${columnsMenu(url, page)}${orderMenu(url, page)}</div>
              <div class="performance" id="performance">${page.rows.length === 0 && query.q !== undefined ? noRows(url, query.q) : performanceTable(url, member, page, compared)}</div>
              ${report.currency ? adjustedNote(member, [{ currency: report.currency, adjusted: report.total.now.adjusted }], page.adjustments, report.partners) : ""}
              <p class="hint">${compared.isCompared ? `${INKS} ` : ""}Costs count on the day of their click. Cost per click is that of cpc costs. ${COVERAGE}${hasCourses(query) ? html`<span> The line beside a name: ${METRICS[shownMetric(page)].toLowerCase()} by day.</span>` : ""}${linesHint(page)}</p>`
      }
      </div>`,
  };
}

const linesHint = (page: PerformancePage) =>
  SHOWN[shownMetric(page)].isRatio && daysOf(page.query.group_by) === undefined
    ? " In the chart, rows with nearly the same value as another line are left out."
    : "";

const noRows = (url: URL, words: string) =>
  notice(`No rows match “${words}”.`, "", { action: buttonLink(without(url, "q"), "Show all rows") });

/** By country and platform, and filtered by them, fewer days are shown. */
function tooManyDays(url: URL, query: PerformanceView, { from, to }: DayRange, most: number): AppPage {
  const isOfLink = query.link !== undefined;
  const nearest = { from: to - most + 1, to };
  const preset = most > 90 ? "90d" : "30d";
  const limit = `By country and platform, Performance shows at most ${showPlural(most, "day")}${isOfLink ? "" : " of an app"}. You chose ${showPlural(to - from + 1, "day")}.`;
  return {
    title: "Too many days",
    status: 400,
    body: html`
      <div class="head"><h1>Performance</h1></div>
      ${emptyState(
        "Too many days for countries and platforms",
        isOfLink ? limit : `${limit} Of one link, it shows ${MAX_AUDIENCE_DAYS.link} days.`,
        buttonLink(ofDays(url, nearest), `Show ${describeDays(nearest)}`, ""),
        buttonLink(
          withQuery(url, { period: preset, from: null, to: null }),
          `Show the last ${preset.slice(0, 2)} days`,
        ),
        buttonLink(without(url, "group_by", "level", "country", "platform"), "Show campaigns"),
      )}`,
  };
}

const TOO_MANY = "There are too many rows to list. Choose another breakdown, or filter by a link.";
const PARTIAL =
  "A part of the data can't be read right now, so all figures are partial. Reload the page in a minute.";

function gone({ isLinkGone, isPartnerGone }: PerformancePage): Markup | "" {
  const names = [...(isLinkGone ? ["link"] : []), ...(isPartnerGone ? ["partner"] : [])];
  if (names.length === 0) return "";
  const text = `The ${names.join(" and the ")} of this view no longer ${names.length === 1 ? "exists" : "exist"}. The view shows everything else.`;
  return notice(text, "warn");
}

/** The rows that the page shows, with those of open rows. */
export const performanceCsv: Show = async (context, member) => {
  const rejected = rejectedDates(context.url);
  if (rejected) throw rejected.error;
  const query = readPerformanceQuery(context.url.search.slice(1));
  const { report, rows } = await readPage(context, member, query, false);
  return toCsv(
    member.app.token,
    report,
    rows.map(({ row }) => row),
  );
};

const hadNothing = ({ total: { before } }: Performance) =>
  before.spend === 0n && !before.clicks && !before.impressions;

/** Why changes aren't shown. */
function comparison({ query, report }: PerformancePage, { isCompared }: Compared): Markup | "" {
  if (isCompared || query.compare) return "";
  const why = report.isPartial
    ? "Partial figures aren't compared."
    : report.isCut
      ? NOT_READ
      : hadNothing(report)
        ? `No data in the previous period, ${describeDays(report.before)}.`
        : NOT_OVER;
  return html`<p class="hint">${why}</p>`;
}

/** Why spend changed. The rows that changed most lead to their own figures. */
function explanation(url: URL, member: Member, page: PerformancePage, compared: Compared): Markup | "" {
  const { query, report, explained } = page;
  const { rows, partners } = report;
  const { group_by, level } = query;
  const filter = filterOf(group_by);
  const most = (filter ? changedMost(rows, 3) : []).flatMap((row) => {
    if (!filter || row.key === "") return [];
    const direct = isDirect(row, level);
    const only =
      group_by === "link"
        ? onlyLink(row.key, direct ? 0 : (row.level ?? level) + 1)
        : { group_by: null, [filter]: row.key };
    const href = withQuery(url, {
      ...(direct && { level: null, sort: null }),
      open: null,
      rows: null,
      q: null,
      ...only,
    });
    const name = html`<a href="${href}">${pathText(rowName(group_by, row).split(" › "))}</a>${direct ? DIRECT : ""}`;
    return [{ name, row }];
  });
  const since = partners.get(query.partner_id ?? 0)?.stoppedAt ?? null;
  // A stop in the days is an event.
  const isEvent = explained.shown.some(({ type }) => type === "partner_stopped");
  return whatChanged(
    {
      explained,
      report,
      isCompared: compared.isCompared && /^(spend|cost)/.test(shownMetric(page)),
      most,
      state:
        since === null || isEvent
          ? ""
          : html`<p>${nameText(partners.get(query.partner_id ?? 0)?.displayName ?? "")} has been stopped by an operator since <span class="whole">${describeDay(dayOf(since))}.</span></p>`,
    },
    member,
    keepDays(url),
  );
}

const isEmpty = ({ rows, report: { total, isTooMany } }: PerformancePage) =>
  !isTooMany && rows.length === 0 && total.now.spend === 0n && total.before.spend === 0n;

function nothing({ url }: Context, member: Member, page: PerformancePage): Markup {
  const { query, report, attachments } = page;
  if (FILTERS.some((name) => query[name] !== undefined)) {
    const clear = buttonLink(without(url, ...FILTERS), "Clear filters", "");
    return emptyState("No clicks or costs match these filters", "", clear);
  }
  const missing = missingCondition(member, { attachments, partners: report.partners });
  if (missing)
    return emptyState(
      "No clicks or costs yet",
      findingText(member, missing),
      buttonLink(missing.fix[1], missing.fix[0], ""),
    );
  const wider = withQuery(url, { period: "30d", from: null, to: null });
  return emptyState(
    "No clicks or costs in this period",
    NO_COSTS,
    buttonLink(wider, "Show the last 30 days", ""),
  );
}
