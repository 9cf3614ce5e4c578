/** The Overview page of an app: its figures for some days, its spend by day, and what needs attention. */
import { html } from "hono/html";
import * as z from "zod/mini";
import { type AlertRow, findOpenAlerts } from "../db/alerts/alerts.ts";
import { findAttachments, findDropped, findProblemsInShards } from "../db/ledger/attention.ts";
import { findRejectionsInApp } from "../db/ledger/rejections.ts";
import { findAdjustments } from "../db/ledger/reports/adjustments.ts";
import { findEvents } from "../db/ledger/reports/events.ts";
import type { ReportRow } from "../db/ledger/reports/sources.ts";
import type { DayRange } from "../db/ledger/reports/statements.ts";
import { readSums } from "../db/ledger/reports/sums.ts";
import { findFullNetworks } from "../db/links/sub-links/limits.ts";
import { findHidden, HIDDEN_DAYS } from "../db/workspace/hidden-attention.ts";
import { currenciesOf } from "../domain/figures/performance.ts";
import { dayOf, formatDate } from "../domain/time.ts";
import type { Context } from "../env.ts";
import { readInput } from "../http/input/input.ts";
import { sentenceOf } from "../pages/alerts/sentences.ts";
import { type ChartEvent, chartScript, dailyChart } from "../pages/chart/chart.ts";
import { moneyUnit } from "../pages/chart/units.ts";
import { card, emptyState, pageHead, type Tile, tiles } from "../pages/elements.ts";
import { form } from "../pages/forms/form.ts";
import { describeDay, describeDays, showChange, showCount, showPlural } from "../pages/locale.ts";
import type { Markup } from "../pages/markup.ts";
import { moneyText } from "../pages/money.ts";
import { showNotice } from "../pages/notice.ts";
import {
  cutNotice,
  daysBefore,
  NOT_OVER,
  NOT_READ,
  type Period,
  periodChecks,
  periodFields,
  periodPicker,
  periodQuery,
  toPeriod,
} from "../pages/periods.ts";
import type { EventRows } from "../usecases/events.ts";
import type { BothSums } from "../usecases/performance/rows.ts";
import { type AppPage, authorizeApp, type Member, type Show } from "./frame.ts";
import { adjustedNote } from "./reports/adjusted.ts";
import { findProblems, missingCondition, NO_COSTS, type Signals } from "./reports/attention.ts";
import { changedMost } from "./reports/changed.ts";
import { findingText } from "./reports/finding.ts";
import { OVERVIEW_NOTICES } from "./reports/hide.ts";
import { addUp, type Row, type Sums, toSeries } from "./reports/lines.ts";
import { overviewChanges } from "./reports/overview-changes.ts";
import { isNew, readFirstDay, readStart, type Start, startCard } from "./start.ts";

const overviewQuery = z
  .strictObject({
    ...periodFields,
    notice: z.optional(z.enum(OVERVIEW_NOTICES.names, "is unknown")),
  })
  .check(...periodChecks);

type Counts = ReportRow<"engagements">[];

/** What the page shows of its days, and of the same number of days before. */
interface Overview extends Signals, Omit<EventRows, "rejected"> {
  /** The days that were read. */
  period: Period;
  /** The days before were not read, and perhaps not the first days either: there is too much. */
  isCut: boolean;
  spend: Row[];
  spendBefore: Row[];
  engagements: Counts;
  engagementsBefore: Counts;
  hidden: { key: string; hiddenUntil: number }[];
  /** Those that are open, the newest first. */
  alerts: AlertRow[];
  /** By campaign. Undefined if there are too many links to read. */
  changes: BothSums | undefined;
  /** Where the Performance page shows the same days. */
  performanceHref: (query: Record<string, string>) => string;
}

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
  const overview = await readOverview(context, member, period);
  const costs = [...overview.spend, ...overview.recent.costs];
  const firstDay = costs.length > 0 ? app.firstDay : await readFirstDay(context, member);
  const tested = firstDay === null && app.firstDay !== null ? await readStart(context, member) : undefined;
  if (tested) return startPage(tested);
  const totals = currenciesOf(overview.spend, overview.spendBefore).map((currency) => {
    const isOfCurrency = (row: Row) => row.currency === currency;
    return addUp(currency, overview.spend.filter(isOfCurrency), overview.spendBefore.filter(isOfCurrency));
  });
  const { explanations, eventsOf } = overviewChanges(
    overview,
    totals.map(({ currency }) => currency),
    context.now,
  );
  return {
    title: "Overview",
    scripts: [chartScript.href],
    body: html`
      ${pageHead("Overview")}
      ${showNotice(OVERVIEW_NOTICES, context)}
      ${isNew(firstDay, context.now, costs) ? startCard(member, { ...overview, firstDay, link: undefined }) : ""}
      ${periodPicker(context.url, period)}
      ${cutNotice(period, overview.period.from)}
      ${figures(member, overview, totals, dayOf(context.now))}
      ${adjustedNote(member, totals, overview.adjustments, overview.partners)}
      ${explanations}
      ${openAlerts(member, overview)}
      ${attention(member, overview)}
      ${charts(overview, totals, member, dayOf(context.now), eventsOf)}
      ${changedMost(overview, context.now)}`,
  };
};

async function readOverview({ ledger, now }: Context, member: Member, asked: Period): Promise<Overview> {
  const { viewer, app, path } = member;
  const { from, to } = asked;
  const before = daysBefore(asked);
  const both = { from: before.from, to };
  const today = dayOf(now);
  // What is rejected today needs attention today.
  const upToNow = { from, to: asked.preset ? today : to };
  const byLink = { report: "spend", groups: ["link", "partner", "cost_type"], isOptional: true } as const;
  const openedByLink = {
    report: "engagements",
    groups: ["link", "partner", "kind"],
    isOptional: true,
  } as const;
  const lastDays = (days: DayRange) =>
    ({
      recent: { report: "spend", ...days, groups: ["partner"] },
      recentEngagements: { report: "engagements", ...days, groups: ["partner"] },
    }) as const;
  const whose = { viewer, appToken: app.token };
  const recent = { from: today - 1, to: today };
  // Long ago, the last days are not beside the others.
  const isNear = to >= today - 2;
  const found = await readSums(
    ledger,
    {
      whose,
      parts: {
        spend: { report: "spend", ...both, groups: ["day", "partner"] },
        engagements: { report: "engagements", ...both, groups: ["day", "partner", "kind"] },
        campaigns: { ...byLink, from, to },
        opened: { ...openedByLink, from, to },
        campaignsBefore: { ...byLink, ...before },
        openedBefore: { ...openedByLink, ...before },
        ...lastDays(isNear ? recent : { from: to, to }),
      },
      canBeCut: true,
    },
    {
      attachments: findAttachments(ledger.control, viewer, app.token),
      dropped: findDropped(ledger.control, viewer, app.token, asked),
      rejected: findRejectionsInApp(ledger.control, viewer, app.token, upToNow),
      hidden: findHidden(ledger.control, app.token, now),
      alerts: findOpenAlerts(ledger.control, app.token),
      adjustments: findAdjustments(ledger.control, viewer, app.token, asked),
      ...findEvents(ledger.control, viewer, app.token, { changed: both, voided: asked }),
      ...findFullNetworks(ledger.control, viewer, app.token, now),
    },
  );
  authorizeApp(found.access);
  const last = isNear ? found : await readSums(ledger, { whose, parts: lastDays(recent), canBeCut: true });
  const { more, partners } = found;
  const isSharded = ledger.shards.length > 0;
  const ids = new Set(
    [...found.rowsOf("campaigns"), ...found.rowsOf("opened")].map(({ linkId }) => linkId ?? 0),
  );
  const period = { ...asked, from: Math.max(from, found.from) };
  // Of the days before, all count or none.
  const isCut = found.from > before.from;
  const isNow = ({ day }: { day: number | null }) => (day ?? 0) >= from;
  const split = <R extends { day: number | null }>(rows: R[]) => ({
    now: rows.filter(isNow),
    before: isCut ? [] : rows.filter((row) => !isNow(row)),
  });
  const spend = split(found.rowsOf("spend"));
  const engagements = split(found.rowsOf("engagements"));
  const isRead = !(["campaigns", "opened", "campaignsBefore", "openedBefore"] as const).some(found.isTooMany);
  return {
    ...more,
    period,
    isCut,
    spend: spend.now,
    spendBefore: spend.before,
    engagements: engagements.now,
    engagementsBefore: engagements.before,
    changes: isRead
      ? {
          now: { spend: found.rowsOf("campaigns", 2), engagements: found.rowsOf("opened", 2) },
          before: isCut
            ? { spend: [], engagements: [] }
            : { spend: found.rowsOf("campaignsBefore", 2), engagements: found.rowsOf("openedBefore", 2) },
        }
      : undefined,
    partners,
    ...(isSharded &&
      (await findProblemsInShards(
        ledger,
        { appToken: app.token, days: upToNow },
        { linkIds: [...ids], days: asked },
      ))),
    unpriced: spend.now.reduce((sum, row) => sum + row.unpriced, 0),
    recent: { costs: last.rowsOf("recent"), engagements: last.rowsOf("recentEngagements") },
    partnersHref: `${path}/partners?${new URLSearchParams(periodQuery(asked))}`,
    performanceHref: (query) =>
      `${path}/performance?${new URLSearchParams({ ...periodQuery(asked), ...query })}`,
  };
}

function figures({ path, app }: Member, overview: Overview, totals: Sums[], today: number): Markup {
  const { engagements, engagementsBefore, spendBefore, unpriced, dropped, period, performanceHref, isCut } =
    overview;
  const countOf = (counts: Counts, kind: string) =>
    counts.reduce((sum, row) => sum + (row.kind === kind ? row.count : 0), 0);
  const linksHref = `${path}/links?${new URLSearchParams(periodQuery(period))}`;
  const days = daysBefore(period);
  const isEmptyBefore = engagementsBefore.length + spendBefore.length === 0;
  const since =
    isEmptyBefore && !isCut && app.firstDay !== null && app.firstDay > days.to ? app.firstDay : undefined;
  const isCompared = period.to < today && since === undefined && !isCut;
  const noteOf = (now: bigint, before: bigint) => (isCompared ? { note: showChange(now, before) } : {});
  const count = (name: string, href: string, now: number, before?: number): Tile => ({
    name,
    href,
    value: showCount(now),
    ...(before !== undefined && noteOf(BigInt(now), BigInt(before))),
  });
  const unpricedBefore = spendBefore.reduce((sum, row) => sum + row.unpriced, 0);
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
        `${linksHref}&sort=-clicks`,
        countOf(engagements, "click"),
        countOf(engagementsBefore, "click"),
      ),
      count(
        "Impressions",
        performanceHref({}),
        countOf(engagements, "impression"),
        countOf(engagementsBefore, "impression"),
      ),
      count("Unpriced costs", overview.partnersHref, unpriced, unpricedBefore),
      // The reasons are on the page of each link: this leads to the one with most of them.
      count(
        "Dropped parameters",
        dropped[0] ? `${path}/links/${dropped[0].token}#problems` : linksHref,
        dropped.reduce((sum, link) => sum + link.count, 0),
      ),
    ])}
    <p class="hint">${isCompared ? `Compared with ${describeDays(days)}.` : isCut ? NOT_READ : since === undefined ? NOT_OVER : `There is no data before ${describeDay(since)} to compare with.`}</p>`;
}

/** The first ones are shown. */
const MOST_FINDINGS = 5;

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
  const { hidden, period } = overview;
  const query = new URLSearchParams(periodQuery(period)).toString();
  const problems = findProblems({ path, env, ...member }, overview);
  const hiddenUntil = new Map(hidden.map(({ key, hiddenUntil }) => [key, hiddenUntil]));
  const items = problems
    .filter(({ key }) => !hiddenUntil.has(key))
    .map((found, index) => {
      const { key, fix, otherFix } = found;
      const fixes = [fix, ...(otherFix ? [otherFix] : [])];
      return html`
        <li>
          <span>${findingText({ env, path }, found, `?${query}`)}${fixes.map(([name, href]) => html` <a href="${href}">${name}</a>`)}</span>
          ${form({
            action: `${path}/attention/hide`,
            hidden: { item: key, query },
            button: html`Hide for ${HIDDEN_DAYS} days<span class="visually-hidden">: item ${index + 1}</span>`,
            kind: "small secondary",
          })}
        </li>`;
    });
  const ends = problems.flatMap(({ key }) => hiddenUntil.get(key) ?? []);
  if (items.length + ends.length === 0) return "";
  const more = items.slice(MOST_FINDINGS);
  return card(
    { id: "attention", title: "Needs attention", kind: "attention" },
    html`<ul>${items.slice(0, MOST_FINDINGS)}</ul>`,
    more.length === 0
      ? ""
      : html`<details><summary>Show ${more.length} more</summary><ul>${more}</ul></details>`,
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

function charts(
  { period, spend, performanceHref, ...signals }: Overview,
  totals: Sums[],
  member: Member,
  today: number,
  eventsOf: (currency: string) => ChartEvent[],
): Markup {
  if (spend.length === 0) {
    const missing = missingCondition(member, signals);
    return emptyState("No spend in this period", missing ? findingText(member, missing) : NO_COSTS);
  }
  const hrefOf = (day: number, currency: string) =>
    performanceHref({ from: formatDate(day), to: formatDate(day), currency }).replace(/period=\w+&/, "");
  return html`
    <section class="card charts" aria-label="Charts">
      ${totals.map(({ currency }) => {
        const series = toSeries("partner", spend, currency).filter(({ values }) => values.size > 0);
        return dailyChart({
          id: `spend-${currency}`,
          title: `Spend in ${currency} by day${series.length > 1 ? " and partner" : ""}`,
          days: period,
          series,
          unit: moneyUnit(currency),
          today,
          hrefOf: (day) => hrefOf(day, currency),
          events: eventsOf(currency),
        });
      })}
    </section>`;
}
