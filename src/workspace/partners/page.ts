/** The page of a partner in an app: its state, its figures, where clicks are lost on the way to a cost, rejected costs, and its links. */
import { html } from "hono/html";
import { toMask } from "../../domain/cost-types.ts";
import { type Figures, shareOf, sumOf, toFigures } from "../../domain/figures/performance.ts";
import { RATE_DAYS, worstOf } from "../../domain/figures/rates.ts";
import { DAY_MS, dayOf, formatDate, KEPT_REJECTIONS_MS } from "../../domain/time.ts";
import { chartScript } from "../../pages/chart/chart.ts";
import { DISCREPANCY, discrepancyBadge } from "../../pages/costs/rates.ts";
import { reasonLink } from "../../pages/costs/rejections.ts";
import { coverageBadge, partnerSignals } from "../../pages/costs/states.ts";
import {
  breadcrumb,
  card,
  countLinks,
  nameText,
  pageHead,
  pathText,
  type Tile,
  tiles,
  unpricedCount,
} from "../../pages/elements.ts";
import { chartEvents, eventList } from "../../pages/events.ts";
import { cardStyles } from "../../pages/frame.ts";
import { table } from "../../pages/lists/table.ts";
import { NONE, showCount, showPercent, showPlural } from "../../pages/locale.ts";
import type { Markup } from "../../pages/markup.ts";
import { moneyText } from "../../pages/money.ts";
import { aboutChanges, cutNotice, finality, periodPicker } from "../../pages/periods.ts";
import { type PerformanceRow, toRows } from "../../usecases/performance/rows.ts";
import type { Show } from "../frame.ts";
import { keepDays } from "../links/cells.ts";
import { COVERAGE, change, figure, spendIn } from "../performance/cells.ts";
import type { Metric } from "../performance/query.ts";
import { countChart, spendCharts } from "../reports/day-charts.ts";
import { workspaceStyles } from "../script.ts";
import { funnelSection } from "./funnel.ts";
import { REJECTION_COLUMNS } from "./rejections.ts";
import { stateNotices, stateSection } from "./state.ts";
import { readView, type View } from "./view.ts";

const MOST_LINKS = 10;
const MOST_CHARTS = 2;
/** Campaigns, as on Performance. */
const LEVEL = 2;

export const partnerPage: Show = async (context, member) => {
  const view = await readView(context, member);
  const { status, period } = view;
  const { displayName } = status.partner;
  return {
    title: displayName,
    scripts: [chartScript.href],
    styles: [workspaceStyles.href, cardStyles.href],
    body: html`
      ${breadcrumb([["Partners", `${member.path}/partners${keepDays(context.url)}`]], displayName)}
      ${pageHead(nameText(displayName), signals(status))}
      ${stateNotices(member, status)}
      ${periodPicker(context.url, period)}
      ${cutNotice(period, status.from)}
      ${figures(view, context.now)}
      ${charts(view, dayOf(context.now), member.app.firstDay)}
      ${stateSection(status)}
      ${funnelSection(status.funnel, status.isComplete, {
        linksWithoutCostData: view.hrefOf("links", { partner: String(status.partner.id), cost: "off" }),
        rejections: view.hrefOf(`partners/${status.partner.id}/rejections`),
      })}
      ${rejections(view)}
      ${links(view)}`,
  };
};

/** As in the list of partners. */
function signals({ partner, types, silentSince, rates, figures }: View["status"]): Markup {
  const typesInRound = toMask(
    types.flatMap(({ state, costType }) => (state === "in_round" ? [costType] : [])),
  );
  return partnerSignals(
    { ...partner, typesInRound },
    {
      ...{ silentSince, worst: worstOf(rates) },
      ...{ coverage: shareOf(figures.coverage), recorded: Number(figures.recorded.click) },
    },
  );
}

function figures({ status, period, compared, hrefOf }: View, now: number): Markup {
  const { spend, figures, partner, rates, before = { spend: [], counts: [] } } = status;
  const ofPartner = { partner_id: String(partner.id) };
  const highest = worstOf(rates);
  const noteOf = (metric: Metric, own: Figures, currency: string | null) => {
    const measured = {
      now: own,
      before: toFigures(currency, before.spend, before.counts),
      recorded: own.recorded.click,
    };
    const changed = change(metric, measured, compared);
    return changed === NONE ? {} : { note: changed };
  };
  const count = (name: string, metric: "clicks" | "impressions"): Tile => ({
    name,
    value: figure(metric, figures, null),
    ...noteOf(metric, figures, null),
  });
  const money = spend.flatMap(({ currency, figures: own }): Tile[] => [
    {
      name: `Spend in ${currency}`,
      value: moneyText(own.spend, currency),
      href: hrefOf("performance", { ...ofPartner, currency }),
      ...noteOf("spend", own, currency),
    },
    {
      name: `Cost per click in ${currency}`,
      value: figure("cost_per_click", own, currency),
      ...noteOf("cost_per_click", own, currency),
    },
  ]);
  const { recorded, impressionCoverage } = figures;
  return html`
    ${tiles("Figures", [
      ...(money.length === 0 ? [{ name: "Spend", value: "None" }] : money),
      count("Clicks", "clicks"),
      count("Impressions", "impressions"),
      {
        name: "Coverage",
        value: coverageBadge(shareOf(figures.coverage), Number(recorded.click)),
        note: `of ${showPlural(Number(recorded.click), "click")}`,
      },
      {
        name: "Discrepancy",
        value: highest ? discrepancyBadge(highest.discrepancyRate, highest.isWithinThreshold) : NONE,
        ...(highest && { note: `${highest.costType}, last ${RATE_DAYS} days` }),
      },
    ])}
    <p class="hint">${aboutChanges(period, compared.isCompared, status.before !== undefined)} ${finality(period, now)} ${COVERAGE} ${impressionCoverage === null ? "" : `Coverage of ${showPlural(Number(recorded.impression), "impression")}: ${showPercent(shareOf(impressionCoverage) ?? 0)}.`} ${DISCREPANCY} ${countLinks(
      unpricedCount(
        sumOf(spend, ({ unpriced }) => unpriced),
        "#funnel",
      ),
    )}</p>`;
}

function charts(
  { status, period, compared, hrefOf, eventsOf }: View,
  today: number,
  firstDay: number | null,
): Markup | "" {
  const { partner, partners } = status;
  const shown = {
    days: { from: status.from, to: period.to },
    today,
    firstDay,
    now: { spend: status.spendRows, counts: status.counts },
    before: compared.isCompared ? status.before : undefined,
    by: "cost_type" as const,
    currencies: status.spend.map(({ currency }) => currency),
    eventsOf: (currency = "") => chartEvents(eventsOf(currency), partners),
    hrefOf: (day: number, currency = "") =>
      hrefOf("performance", {
        ...{ partner_id: String(partner.id), from: formatDate(day), to: formatDate(day) },
        ...(currency && { currency }),
      }).replace(/period=\w+&/, ""),
  };
  const ofSpend = spendCharts(shown).slice(0, MOST_CHARTS);
  const drawn = ofSpend.length > 0 ? ofSpend : countChart(shown);
  const events = eventList(eventsOf(status.spend[0]?.currency ?? ""), partners);
  return drawn === ""
    ? events
    : html`
    <section class="card" aria-label="Charts">
      <h2 class="visually-hidden">Charts</h2>
      <div class="charts">${drawn}</div>
      ${events}
    </section>`;
}

function rejections({ status, hrefOf, rejected }: View): Markup {
  const href = hrefOf(`partners/${status.partner.id}/rejections`);
  const codes = status.rejections;
  return card(
    {
      id: "rejections",
      title: "Rejected costs",
      aside: rejected.length > 0 ? html`<a href="${href}">Show all</a>` : "",
    },
    codes.length === 0
      ? rejected.length > 0
        ? ""
        : html`<p class="muted">No costs for this app were rejected in these days.</p>`
      : html`<ul>${codes.map(({ code, count }) => html`<li>${showPlural(count, "cost", "costs")}: ${reasonLink(code)}</li>`)}</ul>`,
    rejected.length === 0
      ? ""
      : html`
        <h3>The newest of the last ${KEPT_REJECTIONS_MS / DAY_MS} days</h3>
        ${table({ label: "Newest rejected costs", columns: REJECTION_COLUMNS, rows: rejected })}`,
  );
}

function links({ status, period, hrefOf }: View): Markup {
  const { partner, partners, from } = status;
  const ofPartner = { partner_id: String(partner.id) };
  const sums = status.linksAt(LEVEL);
  const head = {
    id: "links",
    title: "Links",
    aside: html`<p class="actions"><a href="${hrefOf("performance", { ...ofPartner, group_by: "link" })}">Show all in Performance</a> <a href="${hrefOf("links", { partner: String(partner.id) })}">Show its links</a></p>`,
  };
  if (!sums)
    return card(head, html`<p>Too many links had spend or clicks to list them. Choose fewer days.</p>`);
  const [{ currency } = { currency: null }] = status.spend;
  const heading = (name: string) => (currency === null ? name : `${name} in ${currency}`);
  const rows = toRows(
    { now: sums, before: { spend: [], engagements: [] } },
    { group: "link", currency, costType: undefined, now: { from, to: period.to }, partners },
  ).sort(
    (one, other) =>
      Number(other.now.spend - one.now.spend) ||
      Number((other.now.clicks ?? 0n) - (one.now.clicks ?? 0n)) ||
      (one.key < other.key ? -1 : 1),
  );
  return card(
    head,
    table<PerformanceRow>({
      label: "Links of the partner",
      layout: "figures-in-row",
      rows: rows.slice(0, MOST_LINKS),
      empty: html`<p class="muted">No link of this partner had spend or clicks in these days.</p>`,
      columns: [
        {
          heading: "Campaign",
          cell: ({ key, fields }) =>
            html`<a class="path" href="${hrefOf(`links/${key}`)}">${pathText(String(fields.link_name ?? "").split("::"))}</a>`,
        },
        {
          heading: heading("Spend"),
          kind: "number",
          onPhone: 4,
          cell: ({ key, now }) =>
            spendIn(
              now,
              currency,
              (one) => hrefOf("performance", { ...ofPartner, link: key, currency: one }),
              true,
            ),
        },
        { heading: "Clicks", kind: "number", cell: (row) => figure("clicks", row.now, currency) },
        {
          heading: heading("Cost per click"),
          kind: "number",
          onPhone: 4,
          cell: (row) => figure("cost_per_click", row.now, currency),
        },
        {
          heading: "Coverage",
          kind: "number",
          onPhone: 4,
          cell: ({ now }) => coverageBadge(shareOf(now.coverage), Number(now.recorded.click)),
        },
      ],
    }),
    rows.length > MOST_LINKS
      ? html`<p class="hint">The ${MOST_LINKS} with the highest spend${currency ? ` in ${currency}` : ""}, of ${showCount(rows.length)}.</p>`
      : "",
  );
}
