/** The spend section of the account page: charts by day, their tables, the match rate, and the CSV downloads. */
import { html } from "hono/html";
import type { OwnApp } from "../db/accounts/account.ts";
import type { DayRange, ReportRow } from "../db/ledger/reports.ts";
import { formatAdjusted, formatSpend } from "../domain/money.ts";
import { DAY_MS, dayOf, formatDate } from "../domain/time.ts";
import type { Markup } from "../http/pages.ts";
import { formatDay } from "./rules.ts";

/** The number of partners with their own color. The others share one. */
const OWN_COLORS = 5;
/** The width of a day and the height of the plot, in SVG units. The SVG is stretched to the width of the page. */
const SLOT = 10;
const HEIGHT = 100;

const PAGE_DAYS = 30;

/** The days that the account page shows: the last 30 days in UTC, including today. */
export function lastDays(now: number): DayRange {
  const today = dayOf(now);
  return { from: today - PAGE_DAYS + 1, to: today };
}

/** `rows` are the spend of all apps of the user, by day and partner. */
export function spendSection(app: OwnApp, days: DayRange, rows: ReportRow<"spend">[]): Markup {
  const spend = toAppSpend(rows.filter((row) => row.appToken === app.token));
  const id = `spend-${app.token}`;
  return html`
    <section class="card" aria-labelledby="${id}">
      <div class="head">
        <h2 id="${id}">${app.name} spend</h2>
        <p class="muted">${formatDayNumber(days.from)} to ${formatDayNumber(days.to)}, UTC</p>
      </div>
      ${
        spend.currencies.length === 0
          ? html`<p>No matched costs in this period.</p>`
          : html`
              ${spend.currencies.map((currency) => figure(app, days, currency, spend.partnerIds))}
              ${matchedCosts(spend)}`
      }
      ${csvLinks(app, days)}
    </section>`;
}

/** Pending costs are not included, because they belong to no app until they match. */
function matchedCosts({ matched, unpriced, currencies }: AppSpend): Markup {
  const costs = matched + unpriced;
  const priced = costs > 0 ? `${Math.floor((matched * 1000) / costs) / 10}% priced. ` : "";
  const adjusted = currencies.filter(({ adjusted }) => adjusted !== "0");
  return html`
    <dl class="details">
      <dt>Matched costs</dt>
      <dd>${costs} <span class="muted">· ${priced}Pending costs aren't included until they match.</span></dd>
      ${adjusted.map(({ currency, adjusted }) => html`<dt>Adjustments</dt><dd>${currency} ${adjusted} <span class="muted">· Included in the spend above.</span></dd>`)}
    </dl>`;
}

function csvLinks(app: OwnApp, { from, to }: DayRange): Markup {
  const link = (groups: string, name: string) => {
    const query = new URLSearchParams({ from: formatDate(from), to: formatDate(to), group_by: groups });
    return html`<li><a href="/account/apps/${app.token}/spend.csv?${query.toString()}" download>${name}</a></li>`;
  };
  return html`
    <h3>Download as CSV</h3>
    <ul class="legend">
      ${link("day", "By day")}
      ${link("link", "By link")}
      ${link("partner", "By partner")}
      ${link("day,link,partner,cost_type", "All dimensions")}
    </ul>`;
}

function figure(app: OwnApp, days: DayRange, spend: CurrencySpend, partnerIds: number[]): Markup {
  const colorOf = (id: number) => `series-${Math.min(partnerIds.indexOf(id), OWN_COLORS) + 1}`;
  const name = `${app.token}-${spend.currency}`;
  const scaleTop = roundUp(Math.max(...spend.days.map(({ total }) => Number(total))));
  const highest = spend.days.reduce((best, day) => (Number(day.total) > Number(best.total) ? day : best));
  const summary = `Spend by day in ${spend.currency}: ${spend.total} in total. Highest on ${formatDayNumber(highest.day)}: ${highest.total}. The table lists every day.`;
  return html`
    <figure class="chart" aria-labelledby="caption-${name}">
      <figcaption id="caption-${name}">${spend.currency} ${spend.total}</figcaption>
      <div class="scale" aria-hidden="true"><span>${spend.currency} ${formatScaleTop(scaleTop)}</span></div>
      ${plot(days, spend, scaleTop, summary, colorOf)}
      <div class="scale" aria-hidden="true"><span>${formatShortDay(days.from)}</span><span>${formatShortDay(days.to)}</span></div>
      ${legend(spend, colorOf)}
    </figure>
    <details>
      <summary>View ${spend.currency} as a table</summary>
      ${table(name, spend)}
    </details>`;
}

type ColorOf = (partnerId: number) => string;

function plot(
  days: DayRange,
  spend: CurrencySpend,
  scaleTop: number,
  summary: string,
  colorOf: ColorOf,
): Markup {
  const width = (days.to - days.from + 1) * SLOT;
  const bars = spend.days.map(({ day, amounts }) => {
    let y = HEIGHT;
    return spend.partners.map((partner) => {
      const amount = amounts.get(partner.id) ?? "0";
      // An adjustment can make an amount negative. It has no bar, and the table shows it.
      const height = Math.max((Number(amount) / scaleTop) * HEIGHT, 0);
      y -= height;
      return height > 0
        ? html`<rect class="${colorOf(partner.id)}" x="${(day - days.from) * SLOT + 1}" y="${y.toFixed(3)}" width="${SLOT - 2}" height="${height.toFixed(3)}"><title>${formatDayNumber(day)}, ${partner.name}: ${spend.currency} ${amount}</title></rect>`
        : "";
    });
  });
  return html`
    <svg class="plot" viewBox="0 0 ${width} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${summary}">
      <line x1="0" y1="${HEIGHT / 2}" x2="${width}" y2="${HEIGHT / 2}"/>
      ${bars}
    </svg>`;
}

function legend({ currency, partners }: CurrencySpend, colorOf: ColorOf): Markup {
  return html`
    <ul class="legend">
      ${partners.map(
        ({ id, name, total }) => html`
          <li><svg viewBox="0 0 1 1" aria-hidden="true"><rect class="${colorOf(id)}" width="1" height="1"/></svg>${name} <span class="muted">${currency} ${total}</span></li>`,
      )}
    </ul>`;
}

function table(name: string, { currency, partners, days, total }: CurrencySpend): Markup {
  return html`
    <div class="table" tabindex="0" role="region" aria-labelledby="caption-${name}">
      <table>
        <thead>
          <tr>
            <th scope="col">Day</th>
            ${partners.map((partner) => html`<th scope="col" class="number">${partner.name}</th>`)}
            <th scope="col" class="number">Total, ${currency}</th>
          </tr>
        </thead>
        <tbody>
          ${days.map(
            (day) => html`
              <tr>
                <th scope="row" class="day">${formatDate(day.day)}</th>
                ${partners.map(({ id }) => html`<td class="number">${day.amounts.get(id) ?? "0"}</td>`)}
                <td class="number">${day.total}</td>
              </tr>`,
          )}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">All days</th>
            ${partners.map((partner) => html`<td class="number">${partner.total}</td>`)}
            <td class="number">${total}</td>
          </tr>
        </tfoot>
      </table>
    </div>`;
}

/** Rounds up to a readable number for the top of the scale. The highest bar takes at least two thirds of the scale. */
function roundUp(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find((step) => step * power >= value) ?? 10;
  return Number((factor * power).toPrecision(2));
}

/** Plain decimal text, never in exponent notation. */
function formatScaleTop(scaleTop: number): string {
  return scaleTop.toLocaleString("en", { useGrouping: false, maximumFractionDigits: 8 });
}

/** `day` counts days since 1970 in UTC. */
function formatDayNumber(day: number): string {
  return formatDay(day * DAY_MS);
}

function formatShortDay(day: number): string {
  return new Date(day * DAY_MS).toLocaleDateString("en-GB", {
    day: "numeric",
    month: "short",
    timeZone: "UTC",
  });
}

/** Spend in one currency: amounts by day and partner with their totals, as decimal text. */
interface CurrencySpend {
  currency: string;
  total: string;
  /** The part of the total that operators added or removed. */
  adjusted: string;
  partners: { id: number; name: string; total: string }[];
  /** The days with spend in ascending order. */
  days: { day: number; total: string; amounts: Map<number, string> }[];
}

interface AppSpend {
  matched: number;
  unpriced: number;
  /** In the order of their colors, which is the same for every currency. */
  partnerIds: number[];
  currencies: CurrencySpend[];
}

function toAppSpend(rows: ReportRow<"spend">[]): AppSpend {
  return {
    matched: rows.reduce((sum, row) => sum + row.matched, 0),
    unpriced: rows.reduce((sum, row) => sum + row.unpriced, 0),
    partnerIds: [...new Set(rows.map((row) => row.partnerId ?? 0))].sort((left, right) => left - right),
    currencies: [...Map.groupBy(rows, (row) => row.currency)]
      .map(([currency, group]) => toCurrencySpend(currency, group))
      .sort((left, right) => left.currency.localeCompare(right.currency)),
  };
}

function toCurrencySpend(currency: string, rows: ReportRow<"spend">[]): CurrencySpend {
  return {
    currency,
    total: formatSpend(rows),
    adjusted: formatAdjusted(rows),
    partners: [...Map.groupBy(rows, (row) => row.partnerId ?? 0)]
      .map(([id, group]) => ({ id, name: group[0]?.partnerName ?? "", total: formatSpend(group) }))
      .sort((left, right) => left.id - right.id),
    days: [...Map.groupBy(rows, (row) => row.day ?? 0)].map(([day, group]) => ({
      day,
      total: formatSpend(group),
      amounts: new Map(group.map((row) => [row.partnerId ?? 0, formatSpend([row])])),
    })),
  };
}
