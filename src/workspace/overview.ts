/** The Overview page of an app: its figures for some days, its spend by day, and what needs attention. */
import { html } from "hono/html";
import * as z from "zod/mini";
import { HIDDEN_DAYS } from "../db/workspace/hidden-attention.ts";
import { currenciesOf, sumOf } from "../domain/figures/performance.ts";
import { dayOf, formatDate } from "../domain/time.ts";
import { currency as currencyCode } from "../http/input/fields.ts";
import { readInput } from "../http/input/input.ts";
import { sentenceOf } from "../pages/alerts/sentences.ts";
import { type ChartEvent, chartScript } from "../pages/chart/chart.ts";
import {
  card,
  countLinks,
  emptyState,
  pageHead,
  type Tile,
  tiles,
  unpricedCount,
} from "../pages/elements.ts";
import { form } from "../pages/forms/form.ts";
import { cardStyles } from "../pages/frame.ts";
import { describeDay, describeDays, showCount, showPlural } from "../pages/locale.ts";
import type { Markup } from "../pages/markup.ts";
import { changeText, moneyText } from "../pages/money.ts";
import { showNotice } from "../pages/notice.ts";
import {
  cutNotice,
  daysBefore,
  finality,
  NOT_OVER,
  NOT_READ,
  periodChecks,
  periodFields,
  periodPicker,
  periodQuery,
  toPeriod,
} from "../pages/periods.ts";
import type { AppPage, Member, Show } from "./frame.ts";
import { DEFAULT_COLUMNS, metrics } from "./performance/query.ts";
import { adjustedNote } from "./reports/adjusted.ts";
import { findProblems, missingCondition, NO_COSTS } from "./reports/attention.ts";
import { overviewChanges } from "./reports/changed.ts";
import { currencyChoices } from "./reports/currencies.ts";
import { countChart, spendCharts } from "./reports/day-charts.ts";
import { findingText } from "./reports/finding.ts";
import { OVERVIEW_NOTICES } from "./reports/hide.ts";
import { ignoredHref } from "./reports/ignored.ts";
import { addUp, type Row, type Sums } from "./reports/lines.ts";
import { type Counts, type Overview, readOverview } from "./reports/overview-view.ts";
import { workspaceStyles } from "./script.ts";
import { isNew, readFirstDay, readStart, type Start, startCard } from "./start.ts";

const overviewQuery = z
  .strictObject({
    ...periodFields,
    currency: z.optional(currencyCode),
    notice: z.optional(z.enum(OVERVIEW_NOTICES.names, "is unknown")),
  })
  .check(...periodChecks);

export const overviewPage: Show = async (context, member) => {
  const { query } = await readInput(context, { query: overviewQuery });
  const { app } = member;
  const startPage = (start: Start): AppPage => ({
    title: "Overview",
    body: html`${pageHead("Overview")}${startCard(member, start)}`,
  });
  const start = app.firstDay === null ? await readStart(context, member) : undefined;
  if (start) return startPage(start);
  const period = toPeriod(query, context.now, app.firstDay);
  const read = await readOverview(context, member, period);
  const costs = [...read.spend, ...read.recent.costs];
  const firstDay = costs.length > 0 ? app.firstDay : await readFirstDay(context, member);
  const tested = firstDay === null && app.firstDay !== null ? await readStart(context, member) : undefined;
  if (tested) return startPage(tested);
  const currencies = currenciesOf(read.spend, read.spendBefore);
  const totals = currencies.map((currency) => {
    const isOfCurrency = (row: Row) => row.currency === currency;
    return addUp(currency, read.spend.filter(isOfCurrency), read.spendBefore.filter(isOfCurrency));
  });
  const overview = { ...read, currency: query.currency ?? currencies[0] ?? null };
  const { explanation, events, most } = overviewChanges(member, overview, context.now);
  return {
    title: "Overview",
    scripts: [chartScript.href],
    styles: [workspaceStyles.href, cardStyles.href],
    body: html`
      ${pageHead("Overview", html`${periodPicker(context.url, period)}${currencyChoices(context.url, currencies, overview.currency)}`)}
      ${showNotice(OVERVIEW_NOTICES, context)}
      ${isNew(firstDay, context.now, costs) ? startCard(member, { ...overview, firstDay, link: undefined }) : ""}
      ${cutNotice(period, overview.period.from)}
      ${figures(member, overview, totals, context.now)}
      ${adjustedNote(member, totals, overview.adjustments, overview.partners)}
      ${explanation}
      ${charts(overview, member, dayOf(context.now), events)}
      ${openAlerts(member, overview)}
      ${attention(member, overview)}
      ${most}`,
  };
};

const withImpressions = metrics.filter((one) => one === "impressions" || DEFAULT_COLUMNS.includes(one));

function figures({ path, app }: Member, overview: Overview, totals: Sums[], now: number): Markup {
  const { engagements, engagementsBefore, spendBefore, unpriced, dropped, period, performanceHref, isCut } =
    overview;
  const countOf = (counts: Counts, kind: string) =>
    sumOf(counts, (row) => (row.kind === kind ? row.count : 0));
  const days = daysBefore(period);
  const isEmptyBefore = engagementsBefore.length + spendBefore.length === 0;
  const since =
    isEmptyBefore && !isCut && app.firstDay !== null && app.firstDay > days.to ? app.firstDay : undefined;
  const isCompared = period.to < dayOf(now) && since === undefined && !isCut;
  const noteOf = (now: bigint, before: bigint) => (isCompared ? { note: changeText(now, before) } : {});
  const count = (name: string, href: string, now: number, before: number): Tile => ({
    name,
    href,
    value: showCount(now),
    ...noteOf(BigInt(now), BigInt(before)),
  });
  const spent = totals.map(
    ({ currency, spend, previous }): Tile => ({
      name: `Spend in ${currency}`,
      href: performanceHref({ currency }),
      value: moneyText(spend, currency),
      ...noteOf(spend, previous),
    }),
  );
  return html`
    ${tiles("Figures", [
      ...(totals.length === 0 ? [{ name: "Spend", href: performanceHref({}), value: "None" }] : spent),
      count(
        "Clicks",
        performanceHref({ metric: "clicks" }),
        countOf(engagements, "click"),
        countOf(engagementsBefore, "click"),
      ),
      count(
        "Impressions",
        performanceHref({ metric: "impressions", columns: withImpressions.join() }),
        countOf(engagements, "impression"),
        countOf(engagementsBefore, "impression"),
      ),
    ])}
    <p class="hint">${isCompared ? `Compared with ${describeDays(days)}.` : isCut ? NOT_READ : since === undefined ? NOT_OVER : `There is no data before ${describeDay(since)} to compare with.`} ${finality(period, now)}
${countLinks(unpricedCount(unpriced, `${overview.partnersHref}&sort=-unpriced`), [
  sumOf(dropped, (link) => link.count),
  ...(["dropped URL parameter", "dropped URL parameters"] as const),
  ignoredHref({ path }, period),
])}</p>`;
}

/** The first ones are shown. */
const MOST_FINDINGS = 3;

function openAlerts({ path }: Member, { alerts }: Overview): Markup | "" {
  if (alerts.length === 0) return "";
  return card(
    {
      ...{ id: "alerts", title: `Open alerts (${alerts.length})`, kind: "attention" },
      aside: html`<a href="${path}/alerts">All alerts</a>`,
    },
    html`<ul>${alerts.slice(0, MOST_FINDINGS).map((alert) => html`<li>${sentenceOf(alert)}</li>`)}</ul>`,
  );
}

function attention({ path, env, ...member }: Member, overview: Overview): Markup | "" {
  const { hidden, period, currency } = overview;
  const days = periodQuery(period);
  const query = new URLSearchParams({ ...days, ...(currency && { currency }) }).toString();
  const problems = findProblems({ path, env, ...member }, overview);
  const hiddenUntil = new Map(hidden.map(({ key, hiddenUntil }) => [key, hiddenUntil]));
  const items = problems
    .filter(({ key }) => !hiddenUntil.has(key))
    .map((found, index) => {
      const { key, fix, otherFix } = found;
      const fixes = [fix, ...(otherFix ? [otherFix] : [])];
      return html`
        <li>
          <span>${findingText({ env, path }, found, `?${new URLSearchParams(days)}`)}${fixes.map(([name, href]) => html` <a href="${href}">${name}</a>`)}</span>
          ${form({
            action: `${path}/attention/hide`,
            hidden: { item: key, query },
            button: html`<span>Hide<span class="wide-only"> for ${HIDDEN_DAYS} days</span></span><span class="visually-hidden">: item ${index + 1}</span>`,
            kind: "small secondary",
          })}
        </li>`;
    });
  const ends = problems.flatMap(({ key }) => hiddenUntil.get(key) ?? []);
  if (items.length + ends.length === 0) return "";
  const more = items.slice(MOST_FINDINGS);
  return card(
    {
      ...{ id: "attention", title: "Needs attention", kind: "attention" },
      aside:
        period.preset && period.preset !== "today" && overview.rejected.length > 0
          ? html`<p class="hint">Covers ${describeDays(period)}. Rejected costs include those of today.</p>`
          : "",
    },
    html`<ul>${items.slice(0, MOST_FINDINGS)}</ul>`,
    more.length === 0 ? "" : html`<details><summary>${more.length} more</summary><ul>${more}</ul></details>`,
    ends.length === 0
      ? ""
      : form({
          action: `${path}/attention/show`,
          hidden: { query },
          more: html`<span class="hint">${showPlural(ends.length, "item")} hidden until ${describeDay(dayOf(Math.min(...ends)))}${ends.length > 1 ? " or later" : ""}</span>`,
          button: html`Show<span class="visually-hidden"> hidden items</span>`,
          kind: "small secondary",
        }),
  );
}

function charts(overview: Overview, member: Member, today: number, events: ChartEvent[]): Markup {
  const { period, spend, currency, performanceHref, isCut } = overview;
  const shown = {
    days: period,
    today,
    firstDay: member.app.firstDay,
    now: { spend: spend.filter((row) => row.currency === currency), counts: overview.engagements },
    before:
      period.to < today && !isCut
        ? { spend: overview.spendBefore, counts: overview.engagementsBefore }
        : undefined,
    by: "partner" as const,
    currencies: currency === null ? [] : [currency],
    hrefOf: (day: number) =>
      performanceHref({
        ...{ from: formatDate(day), to: formatDate(day) },
        ...(currency && { currency }),
      }).replace(/period=\w+&/, ""),
    eventsOf: () => events,
  };
  const ofSpend = spendCharts(shown);
  const chart = ofSpend.length > 0 ? ofSpend : countChart(shown);
  const missing = ofSpend.length > 0 ? undefined : missingCondition(member, overview);
  const why = missing ? findingText(member, missing) : NO_COSTS;
  if (chart === "") return emptyState("No spend in this period", why);
  return html`
    <section class="card charts" aria-label="Chart">
      <h2 class="visually-hidden">Chart</h2>
      ${ofSpend.length > 0 ? "" : html`<p>No spend${currency ? ` in ${currency}` : ""} in this period. ${why}</p>`}
      ${chart}
    </section>`;
}
