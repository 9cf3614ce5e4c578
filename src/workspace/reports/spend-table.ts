/** The table of the Spend page. Its amounts are exact. */
import { html } from "hono/html";
import { formatDate } from "../../domain/time.ts";
import { describeDay, showChange, showCount, showExact, showShare } from "../../pages/locale.ts";
import type { Markup } from "../../pages/markup.ts";
import { withQuery } from "../../pages/query.ts";
import { type Line, nameOf, type Sums } from "./lines.ts";
import { GROUPS } from "./spend-query.ts";
import type { SpendView } from "./spend-view.ts";

/** The lines in one currency. `sums` are their total. */
export function spendTable(url: URL, view: SpendView, sums: Sums): Markup {
  const { query } = view;
  const { currency } = sums;
  const lines = view.lines.filter((line) => line.currency === currency);
  const columns = columnsOf(view, sums);
  const heads = columns.map(([name]) => html`<th scope="col" class="number">${name}</th>`);
  const cells = (sums: Sums) =>
    columns.map(([name, cell]) => html`<td class="number" data-label="${name}">${cell(sums)}</td>`);
  return html`
    <div class="table stacked figures-in-row" tabindex="0" role="region" aria-label="Spend in ${currency} as a table">
      <table>
        <thead><tr><th scope="col">${GROUPS[query.by]}</th>${heads}</tr></thead>
        <tbody>
          ${lines.map((line) => html`<tr><th scope="row">${rowHead(url, view, line)}</th>${cells(line)}</tr>`)}
        </tbody>
        <tfoot><tr><th scope="row">Total</th>${cells(sums)}</tr></tfoot>
      </table>
    </div>`;
}

type Column = [name: string, cell: (sums: Sums) => string];

function columnsOf({ period, lines }: SpendView, total: Sums): Column[] {
  const compares = period.previous !== undefined;
  const { currency } = total;
  const columns: (Column | false)[] = [
    [`Spend, ${currency}`, ({ spend }) => showExact(spend, currency)],
    ["Share", ({ spend }) => showShare(spend, total.spend)],
    compares && ["Before", ({ previous }) => showExact(previous, currency)],
    compares && ["Change", ({ spend, previous }) => showChange(spend, previous)],
    lines.some(({ adjusted }) => adjusted !== 0n) && [
      "Adjusted",
      ({ adjusted }) => showExact(adjusted, currency),
    ],
    ["Matched", ({ matched }) => showCount(matched)],
    ["Unpriced", ({ unpriced }) => showCount(unpriced)],
  ];
  return columns.filter((column) => column !== false);
}

/** The name of a line, as a link to what it consists of. */
function rowHead(url: URL, { query }: SpendView, { row }: Line): Markup {
  const { by } = query;
  if (by === "day") {
    const date = formatDate(row.day ?? 0);
    const href = withQuery(url, { period: null, compare: null, from: date, to: date, by: "link" });
    return html`<a class="day" href="${href}">${describeDay(row.day ?? 0)}</a>`;
  }
  const name = nameOf(by, row);
  if (by === "cost_type")
    return html`<a href="${withQuery(url, { cost_type: row.costType, by: "link" })}">${name}</a>`;
  if (by === "partner") {
    return row.partnerId
      ? html`<a href="${withQuery(url, { partner: String(row.partnerId), by: "link" })}">${name}</a>`
      : html`${name}`;
  }
  const token = row.linkToken ?? "";
  // Its own spend, without the links below it, which have rows of their own.
  if (token === query.link) return html`${name} <span class="muted">(own spend)</span>`;
  const level = (row.linkName ?? "").split("::").length;
  const below = level < 4 ? { by: "link", level: String(level + 1) } : { by: "day", level: null };
  return html`<a href="${withQuery(url, { link: token, ...below })}">${name}</a>`;
}
