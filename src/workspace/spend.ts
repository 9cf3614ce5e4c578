/** The Spend page of an app, and its CSV: what the links cost, by day, link, partner or cost type. */
import { html } from "hono/html";
import { formatDate } from "../domain/time.ts";
import { showChange, showCount, showMoney } from "../pages/locale.ts";
import type { Markup } from "../pages/markup.ts";
import { periodPicker } from "../pages/periods.ts";
import { withQuery } from "../pages/query.ts";
import { chartScript, dailyChart, moneyUnit } from "./chart.ts";
import type { Show } from "./frame.ts";
import { emptySpend } from "./reports/attention.ts";
import { describeType, type Sums, toSeries } from "./reports/lines.ts";
import { GROUPS, LEVELS, levels, type SpendGroup } from "./reports/spend-query.ts";
import { spendTable } from "./reports/spend-table.ts";
import { readSpendView, type SpendView, spendCsvResponse } from "./reports/spend-view.ts";

export const spendPage: Show = async (context, member) => {
  const view = await readSpendView(context, member);
  const { url } = context;
  return {
    title: "Spend",
    scripts: [chartScript.href],
    body: html`
      <h1>Spend</h1>
      ${periodPicker(url, view.period, true)}
      <div class="toolbar">
        ${groupChoices(url, view)}
        ${view.lines.length > 0 ? html`<a class="button secondary" href="${csvHref(url)}" download>Download CSV</a>` : ""}
      </div>
      ${filterChips(url, view)}
      ${
        view.lines.length === 0
          ? emptySpend(url, member, view)
          : html`
              ${totals(url, view)}
              ${view.totals.map((sums, index) => currencySection(url, view, sums, index < MOST_CHARTS))}
              <p class="hint">Matched costs by the UTC day of their click or impression. Pending costs aren't included until they match.</p>`
      }`,
  };
};

export const spendCsv: Show = async (context, member) =>
  spendCsvResponse(member.app.token, await readSpendView(context, member));

function csvHref(url: URL): string {
  return `${url.pathname}.csv${url.search}`;
}

function choices(label: string, options: [name: string, href: string, isCurrent: boolean][]): Markup {
  const items = options.map(
    ([name, href, isCurrent]) =>
      html`<li><a href="${href}" ${isCurrent ? html`aria-current="true"` : ""}>${name}</a></li>`,
  );
  return html`
    <nav class="choice" aria-label="${label}">
      <span class="muted" aria-hidden="true">${label}</span> <ul class="choices">${items}</ul>
    </nav>`;
}

function groupChoices(url: URL, { query, link }: SpendView): Markup {
  const groups = Object.entries(GROUPS) as [SpendGroup, string][];
  return html`
    ${choices(
      "Group by",
      groups.map(([by, name]) => [name, withQuery(url, { by, level: null }), by === query.by]),
    )}
    ${
      query.by === "link"
        ? choices(
            "Level",
            levels
              .filter((level) => !link || level === "own" || Number(level) >= link.level)
              .map((level) => [LEVELS[level], withQuery(url, { level }), level === query.level]),
          )
        : ""
    }`;
}

/** The filters in use; each is a link that removes it. */
function filterChips(url: URL, { query, link, partnerName }: SpendView): Markup | "" {
  const filters: [param: string, label: string][] = [];
  if (query.link !== undefined) filters.push(["link", `Link: ${link?.label} and everything below it`]);
  if (query.partner !== undefined) filters.push(["partner", `Partner: ${partnerName}`]);
  if (query.cost_type) filters.push(["cost_type", `Cost type: ${describeType(query.cost_type)}`]);
  if (query.currency) filters.push(["currency", `Currency: ${query.currency}`]);
  if (filters.length === 0) return "";
  const without = (...params: string[]) =>
    withQuery(url, Object.fromEntries(params.map((param) => [param, null])));
  return html`
    <ul class="chips" aria-label="Filters">
      ${filters.map(
        ([param, label]) =>
          html`<li><a href="${without(param)}"><span class="visually-hidden">Remove filter </span>${label} <span aria-hidden="true">×</span></a></li>`,
      )}
      ${filters.length > 1 ? html`<li><a href="${without(...filters.map(([param]) => param))}">Clear filters</a></li>` : ""}
    </ul>`;
}

function totals(url: URL, { totals, period, query }: SpendView): Markup {
  return html`
    <ul class="figures">
      ${totals.map(({ currency, spend, previous, matched, unpriced }) => {
        const amount = showMoney(spend, currency);
        return html`
          <li>
            <span class="name">Spend in ${currency}</span>
            <strong>${query.currency || totals.length === 1 ? amount : html`<a href="${withQuery(url, { currency })}">${amount}</a>`}</strong>
            ${period.previous ? html`<span>${showChange(spend, previous)}${previous === 0n ? "" : html` <span class="muted">from ${showMoney(previous, currency)}</span>`}</span>` : ""}
            <span class="muted">${showCount(matched)} matched${unpriced > 0 ? `, ${showCount(unpriced)} unpriced` : ""}</span>
          </li>`;
      })}
    </ul>`;
}

const MOST_CHARTS = 3;

function currencySection(url: URL, view: SpendView, sums: Sums, hasChart: boolean): Markup {
  return html`
    <section class="card" aria-label="Spend in ${sums.currency}">
      ${hasChart ? chart(url, view, sums.currency) : ""}
      ${spendTable(url, view, sums)}
    </section>`;
}

function chart(url: URL, { period, daily, query }: SpendView, currency: string): Markup {
  const by = query.by === "cost_type" ? "cost_type" : "partner";
  const name = by === "partner" ? "partner" : "cost type";
  return dailyChart({
    id: `spend-${currency}`,
    title: `Spend in ${currency} by day and ${name}`,
    days: period,
    series: toSeries(by, daily, currency),
    unit: moneyUnit(currency),
    hrefOf: (day) =>
      withQuery(url, {
        period: null,
        compare: null,
        from: formatDate(day),
        to: formatDate(day),
        by: query.by === "day" ? "link" : query.by,
      }),
  });
}
