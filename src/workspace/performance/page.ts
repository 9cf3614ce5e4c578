/** The Performance page of an app: which campaign costs what, and whether that is better than in the days before. */
import { html } from "hono/html";
import { dayOf } from "../../domain/time.ts";
import type { Context } from "../../env.ts";
import { chartScript } from "../../pages/chart.ts";
import { buttonLink, chips, choices, emptyState, notice, tiles } from "../../pages/elements.ts";
import { describeDay, describeDays, NONE } from "../../pages/locale.ts";
import type { Markup } from "../../pages/markup.ts";
import { showNotice } from "../../pages/notice.ts";
import { periodPicker } from "../../pages/periods.ts";
import { withQuery } from "../../pages/query.ts";
import { performanceCsv as toCsv } from "../../usecases/performance/csv.ts";
import { isFinal, lastArrival } from "../../usecases/performance/read.ts";
import type { Member, Show } from "../frame.ts";
import { missingCondition, NO_COSTS } from "../reports/attention.ts";
import { describeType } from "../reports/lines.ts";
import { change, SHOWN } from "./cells.ts";
import { performanceChart } from "./chart.ts";
import { GROUP_CHOICES, groupName, METRICS, type Metric, PERFORMANCE_NOTICES } from "./query.ts";
import { type Compared, performanceTable } from "./table.ts";
import { type PerformancePage, readPage } from "./view.ts";
import { viewsBar } from "./views.ts";

export const performancePage: Show = async (context, member) => {
  const page = await readPage(context, member, true);
  const { report, period } = page;
  const { url, now } = context;
  const compared = {
    isCompared: period.to < dayOf(now) && !report.isPartial,
    isOpen: !isFinal(period, now),
  };
  return {
    title: "Performance",
    scripts: [chartScript.href],
    body: html`
      <div class="head"><h1>Performance</h1>${buttonLink(`${url.pathname}.csv${url.search}`, "Download CSV")}</div>
      ${showNotice(PERFORMANCE_NOTICES, context)}
      ${gone(page)}
      ${report.isPartial ? notice(PARTIAL, "warn") : ""}
      ${viewsBar(context, member, page.views)}
      ${periodPicker(url, period)}
      <div class="toolbar">${currencyChoices(url, page)}</div>
      ${filters(url, page)}
      ${
        isEmpty(page)
          ? nothing(context, member, page)
          : html`
              ${report.total.now.spend === 0n && report.total.now.matched === 0n && report.currency ? notice(`No matched costs in ${report.currency} in this period.`) : ""}
              ${summary(url, page, compared)}
              ${comparison(page, compared)}
              <section class="card charts" aria-label="Chart">${await performanceChart(url, page, compared, dayOf(now))}</section>
              <div class="toolbar">${groupChoices(url, page)}</div>
              <div class="performance" id="performance">${performanceTable(url, member, page, compared)}</div>
              <p class="hint">Days are in UTC. Costs count on the day of their click or impression. Cost per click is the spend of cpc costs by their number. Coverage is the part of the recorded clicks that have a cost, in any currency.</p>`
      }`,
  };
};

const PARTIAL =
  "A part of the data can't be read right now, so all figures are partial. Load the page again in a minute.";

function gone({ isLinkGone, isPartnerGone }: PerformancePage): Markup | "" {
  const names = [...(isLinkGone ? ["link"] : []), ...(isPartnerGone ? ["partner"] : [])];
  if (names.length === 0) return "";
  const text = `The ${names.join(" and the ")} of this view ${names.length === 1 ? "doesn't" : "don't"} exist any more. The view shows everything else.`;
  return notice(text, "warn");
}

/** The rows that the page shows, with those of open rows. */
export const performanceCsv: Show = async (context, member) => {
  const { report, rows } = await readPage(context, member, false);
  return toCsv(
    member.app.token,
    report,
    rows.map(({ row }) => row),
  );
};

function currencyChoices(url: URL, { report }: PerformancePage): Markup | "" {
  const { currency, currencies } = report;
  const all = currency === null || currencies.includes(currency) ? currencies : [currency, ...currencies];
  if (all.length < 2) return "";
  return choices(
    "Currency",
    all.map((one) => [one, withQuery(url, { currency: one }), one === currency]),
  );
}

function groupChoices(url: URL, { query, report }: PerformancePage): Markup {
  return choices(
    "Break down by",
    GROUP_CHOICES.filter(
      ({ group_by, level }) => group_by !== "link" || level >= (report.link?.level ?? 1),
    ).map((choice) => [
      groupName(choice),
      withQuery(url, {
        group_by: choice.group_by,
        level: choice.group_by === "link" ? String(choice.level) : null,
        sort: null,
        open: null,
        rows: null,
      }),
      groupName(choice) === groupName(query),
    ]),
  );
}

function filters(url: URL, { query, report, partnerName }: PerformancePage): Markup | "" {
  const without = (...names: string[]) =>
    withQuery(url, Object.fromEntries([...names, "open", "rows"].map((name) => [name, null])));
  const found: [string, string | false | undefined][] = [
    ["link", report.link && `Link: ${report.link.label} and everything below it`],
    ["partner_id", partnerName !== undefined && `Partner: ${partnerName}`],
    ["cost_type", query.cost_type && `Cost type: ${describeType(query.cost_type as never)}`],
  ];
  const given = found.filter((filter): filter is [string, string] => Boolean(filter[1]));
  return chips(
    given.map(([param, label]) => [label, without(param)]),
    without(...given.map(([param]) => param)),
  );
}

function summary(url: URL, { query, report }: PerformancePage, compared: Compared): Markup {
  const { total, currency } = report;
  const metrics = (Object.keys(METRICS) as Metric[]).filter(
    (metric) => metric !== "clicks" || total.now.clicks !== null,
  );
  return tiles(
    "Figures",
    metrics.map((metric) => {
      const { of, show, short = show, exact } = SHOWN[metric];
      const value = of(total.now);
      return {
        name: METRICS[metric],
        value: value === null ? NONE : short(value, currency ?? "USD"),
        ...(value !== null && exact && { title: exact(value, currency ?? "USD") }),
        href: withQuery(url, { metric }),
        isCurrent: metric === query.metric,
        note: report.isPartial ? "partial" : change(metric, total, compared),
      };
    }),
  );
}

/** What the changes are about, and why some aren't shown or are muted. */
function comparison({ report, period }: PerformancePage, { isCompared, isOpen }: Compared): Markup {
  const { before, total } = report;
  const hadNothing = total.before.spend === 0n && !total.before.clicks && !total.before.impressions;
  const text = !isCompared
    ? report.isPartial
      ? "Partial figures aren't compared."
      : "Today so far isn't compared."
    : hadNothing
      ? `No data in the days before, ${describeDays(before)}.`
      : `Compared with ${describeDays(before)}.`;
  const open = isOpen
    ? ` Costs for these days can still arrive until ${describeDay(lastArrival(period))}.`
    : "";
  return html`<p class="hint">${text}${open}</p>`;
}

const isEmpty = ({ rows, report: { total } }: PerformancePage) =>
  rows.length === 0 && total.now.spend === 0n && total.before.spend === 0n;

function nothing({ url }: Context, member: Member, page: PerformancePage): Markup {
  const { query, report, attachments } = page;
  const names = ["link", "partner_id", "cost_type"] as const;
  if (names.some((name) => query[name] !== undefined)) {
    const clear = withQuery(url, Object.fromEntries(names.map((name) => [name, null])));
    return emptyState("No clicks or costs match these filters", "", buttonLink(clear, "Clear filters", ""));
  }
  const missing = missingCondition(member, { attachments, partners: report.partners });
  if (missing)
    return emptyState("No clicks or costs yet", missing.text, buttonLink(missing.fix[1], missing.fix[0], ""));
  const wider = withQuery(url, { period: "30d", from: null, to: null });
  return emptyState(
    "No clicks or costs in this period",
    NO_COSTS,
    buttonLink(wider, "Show the last 30 days", ""),
  );
}
