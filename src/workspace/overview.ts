/** The Overview page of an app: its figures for some days, its spend by day, and what needs attention. */
import { html } from "hono/html";
import * as z from "zod/mini";
import { findHidden, HIDDEN_DAYS } from "../db/hidden-attention.ts";
import { type Dropped, findAttachments, findDropped, findDroppedAt } from "../db/ledger/attention.ts";
import { findRejectionsInApp, findRejectionsInShards } from "../db/ledger/rejections.ts";
import { type Adjustment, findAdjustments } from "../db/ledger/reports/adjustments.ts";
import type { BothSums } from "../db/ledger/reports/performance.ts";
import { findReports, type ReportRow } from "../db/ledger/reports/reports.ts";
import { currenciesOf } from "../domain/figures/performance.ts";
import { dayOf, formatDate } from "../domain/time.ts";
import type { Context } from "../env.ts";
import { readInput } from "../http/input/input.ts";
import { chartScript, dailyChart } from "../pages/chart/chart.ts";
import { moneyUnit } from "../pages/chart/units.ts";
import { withContact } from "../pages/contact.ts";
import { card, emptyState, pageHead, type Tile, tiles } from "../pages/elements.ts";
import { form } from "../pages/forms/form.ts";
import { describeDay, describeDays, showChange, showCount, showPlural } from "../pages/locale.ts";
import type { Markup } from "../pages/markup.ts";
import { moneyText } from "../pages/money.ts";
import { showNotice } from "../pages/notice.ts";
import {
  daysBefore,
  NOT_OVER,
  type Period,
  periodChecks,
  periodFields,
  periodPicker,
  periodQuery,
  toPeriod,
} from "../pages/periods.ts";
import { tooManyRows } from "../usecases/reports.ts";
import { authorizeApp, type Member, type Show } from "./frame.ts";
import { adjustedNote } from "./reports/adjusted.ts";
import { findProblems, missingCondition, NO_COSTS, type Signals } from "./reports/attention.ts";
import { changedMost } from "./reports/changed.ts";
import { OVERVIEW_NOTICES } from "./reports/hide.ts";
import { addUp, type Row, type Sums, toSeries } from "./reports/lines.ts";
import { isNew, readStart, startCard } from "./start.ts";

const overviewQuery = z
  .strictObject({
    ...periodFields,
    notice: z.optional(z.enum(OVERVIEW_NOTICES.names, "is unknown")),
  })
  .check(...periodChecks);

type Counts = ReportRow<"engagements">[];

/** What the page shows of its days, and of the same number of days before. */
interface Overview extends Signals {
  period: Period;
  spend: Row[];
  spendBefore: Row[];
  engagements: Counts;
  engagementsBefore: Counts;
  hidden: { key: string; hiddenUntil: number }[];
  /** By campaign. Undefined if there are too many links to read. */
  changes: BothSums | undefined;
  adjustments: Adjustment[];
  /** Where the Performance page shows the same days. */
  performanceHref: (query: Record<string, string>) => string;
}

export const overviewPage: Show = async (context, member) => {
  const { query } = await readInput(context, { query: overviewQuery });
  const start = await readStart(context, member);
  if (start) return { title: "Overview", body: html`${pageHead("Overview")}${startCard(member, start)}` };
  const period = toPeriod(query, context.now, member.app.firstDay);
  const overview = await readOverview(context, member, period);
  const totals = currenciesOf(overview.spend, overview.spendBefore).map((currency) => {
    const isOfCurrency = (row: Row) => row.currency === currency;
    return addUp(currency, overview.spend.filter(isOfCurrency), overview.spendBefore.filter(isOfCurrency));
  });
  return {
    title: "Overview",
    scripts: [chartScript.href],
    body: html`
      ${pageHead("Overview")}
      ${showNotice(OVERVIEW_NOTICES, context)}
      ${isNew(member, context.now, [...overview.spend, ...overview.recent.costs]) ? startCard(member, { ...overview, link: undefined }) : ""}
      ${periodPicker(context.url, period)}
      ${figures(member, overview, totals, dayOf(context.now))}
      ${adjustedNote(member, totals, overview.adjustments, overview.partners)}
      ${attention(member, overview)}
      ${charts(overview, totals, member, dayOf(context.now))}
      ${changedMost(overview, context.now)}`,
  };
};

async function readOverview({ ledger, now }: Context, member: Member, period: Period): Promise<Overview> {
  const { viewer, app, path } = member;
  const { from, to } = period;
  const before = daysBefore(period);
  const both = { from: before.from, to };
  const campaigns = { groups: ["link", "cost_type"], level: 2 } as const;
  const opened = { groups: ["link", "kind"], level: 2 } as const;
  const today = dayOf(now);
  const recent = { from: today - 1, to: today };
  // What is rejected today needs attention today.
  const upToNow = { from, to: period.preset ? today : to };
  const isSharded = ledger.shards.length > 0;
  const found = await findReports(
    ledger,
    viewer,
    app.token,
    [
      { report: "spend", scope: { ...both, groups: ["day", "partner"] } },
      { report: "engagements", scope: { ...both, groups: ["day", "partner", "kind"] } },
      { report: "spend", scope: { ...campaigns, ...period } },
      { report: "engagements", scope: { ...opened, ...period } },
      { report: "spend", scope: { ...campaigns, ...before } },
      { report: "engagements", scope: { ...opened, ...before } },
      { report: "spend", scope: { ...recent, groups: ["partner"] } },
      { report: "engagements", scope: { ...recent, groups: ["partner"] } },
    ],
    findAttachments(ledger.control, viewer, app.token),
    findDropped(ledger.control, viewer, app.token, period),
    findRejectionsInApp(ledger.control, viewer, app.token, upToNow),
    findHidden(ledger.control, app.token, now),
    findAdjustments(ledger.control, viewer, app.token, period),
  );
  authorizeApp(found.access);
  const [spend, engagements, ...more] = found.rows;
  const [costs, counts, costsBefore, countsBefore, recentCosts, recentEngagements] = more;
  const isRead = costs && counts && costsBefore && countsBefore;
  if (!spend || !engagements || !recentCosts || !recentEngagements) throw tooManyRows();
  const [attachments, droppedInOne, rejectedInOne, hidden, adjustments] = found.more;
  const dropped: Dropped[] = isSharded
    ? await findDroppedAt(ledger.control, [...found.linkIds], period)
    : droppedInOne;
  const rejected = isSharded ? await findRejectionsInShards(ledger, app.token, upToNow) : rejectedInOne;
  const isNow = ({ day }: { day: number | null }) => (day ?? 0) >= from;
  const current = spend.filter(isNow);
  return {
    period,
    spend: current,
    spendBefore: spend.filter((row) => !isNow(row)),
    engagements: engagements.filter(isNow),
    engagementsBefore: engagements.filter((row) => !isNow(row)),
    changes: isRead && {
      now: { spend: costs, engagements: counts },
      before: { spend: costsBefore, engagements: countsBefore },
    },
    partners: found.partners,
    attachments,
    dropped,
    rejected,
    hidden,
    adjustments,
    unpriced: current.reduce((sum, row) => sum + row.unpriced, 0),
    recent: { costs: recentCosts, engagements: recentEngagements },
    partnersHref: `${path}/partners?${new URLSearchParams(periodQuery(period))}`,
    performanceHref: (query) =>
      `${path}/performance?${new URLSearchParams({ ...periodQuery(period), ...query })}`,
  };
}

function figures({ path, app }: Member, overview: Overview, totals: Sums[], today: number): Markup {
  const { engagements, engagementsBefore, spendBefore, unpriced, dropped, period, performanceHref } =
    overview;
  const countOf = (counts: Counts, kind: string) =>
    counts.reduce((sum, row) => sum + (row.kind === kind ? row.count : 0), 0);
  const linksHref = `${path}/links?${new URLSearchParams(periodQuery(period))}`;
  const days = daysBefore(period);
  const isEmptyBefore = engagementsBefore.length + spendBefore.length === 0;
  const since = isEmptyBefore && app.firstDay !== null && app.firstDay > days.to ? app.firstDay : undefined;
  const isCompared = period.to < today && since === undefined;
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
    <p class="hint">${isCompared ? `Compared with ${describeDays(days)}.` : since === undefined ? NOT_OVER : `There is no data before ${describeDay(since)} to compare with.`}</p>`;
}

/** The first ones are shown. */
const MOST_FINDINGS = 5;

function attention({ path, env, ...member }: Member, overview: Overview): Markup | "" {
  const { hidden, period } = overview;
  const query = new URLSearchParams(periodQuery(period)).toString();
  const problems = findProblems({ path, env, ...member }, overview);
  const hiddenUntil = new Map(hidden.map(({ key, hiddenUntil }) => [key, hiddenUntil]));
  const items = problems
    .filter(({ key }) => !hiddenUntil.has(key))
    .map(
      ({ key, text, fix: [name, href] }, index) => html`
        <li>
          <span>${withContact(env, text)} <a href="${href}">${name}</a></span>
          ${form({
            action: `${path}/attention/hide`,
            hidden: { item: key, query },
            button: html`Hide for ${HIDDEN_DAYS} days<span class="visually-hidden">: item ${index + 1}</span>`,
            kind: "small secondary",
          })}
        </li>`,
    );
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
): Markup {
  if (spend.length === 0) {
    const text = missingCondition(member, signals)?.text ?? NO_COSTS;
    return emptyState("No spend in this period", withContact(member.env, text));
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
        });
      })}
    </section>`;
}
