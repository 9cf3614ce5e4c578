/** Above the chart of the Performance page: the figures of the total, whether they are final, and who is paid in other currencies. */
import { html } from "hono/html";
import { tiles } from "../../pages/elements.ts";
import { withQuery } from "../../pages/lists/query.ts";
import { NONE, showCount, showPlural } from "../../pages/locale.ts";
import type { Markup } from "../../pages/markup.ts";
import { finality } from "../../pages/periods.ts";
import { isFinal, type Performance } from "../../usecases/performance/read.ts";
import { type Compared, change, SHOWN } from "./cells.ts";
import { DEFAULT_COLUMNS, METRICS, type Metric, metrics } from "./query.ts";
import { type PerformancePage, shownMetric } from "./view.ts";

export const summary = (url: URL, page: PerformancePage, compared: Compared, now: number): Markup =>
  html`<div class="summary">${figures(url, page, compared)}${state(url, page, now)}</div>`;

function figures(url: URL, page: PerformancePage, compared: Compared): Markup {
  const { query, report } = page;
  const { total, currency } = report;
  const current = shownMetric(page);
  const shown = metrics.filter(
    (metric) => metric === current || DEFAULT_COLUMNS.includes(metric) || query.columns.includes(metric),
  );
  return tiles(
    "Figures",
    shown
      .filter((metric) => (metric !== "clicks" && metric !== "impressions") || total.now[metric] !== null)
      .map((metric) => {
        const { of, show, short = show } = SHOWN[metric];
        const value = of(total.now);
        const note = report.isPartial
          ? "partial"
          : compared.isCompared
            ? change(metric, total, compared)
            : "";
        return {
          name: html`${METRICS[metric]}${baseOf(metric, report)}`,
          value: value === null ? NONE : short(value, currency ?? "USD"),
          href: withQuery(url, { metric }),
          isCurrent: metric === current,
          note,
        };
      }),
  );
}

/** What coverage is a part of, and how many of the clicks belong to the spend, where partners are paid in several currencies. */
function baseOf(metric: Metric, { currency, rowsBy, total }: Performance): Markup | "" {
  if (metric === "coverage" && total.now.coverage !== null)
    return html` <span class="own">of ${showCount(total.recorded)} cost IDs</span>`;
  if (metric !== "clicks" || total.now.otherCurrencies.length === 0) return "";
  const own = rowsBy("partner").filter(({ now }) => now.spend !== 0n || now.matched > 0n);
  const clicks = own.reduce((sum, { now }) => sum + (now.clicks ?? 0n), 0n);
  return html` <span class="own">${showCount(clicks)} from ${currency} partners</span>`;
}

/** The menu has the others. */
const MOST_CURRENCIES = 2;
/** What the figures leave out: costs that can still arrive, and partners that are paid in other currencies. */
function state(url: URL, { report, period }: PerformancePage, now: number): Markup {
  const partners = report.rowsBy("partner");
  const others = report.currencies
    .map((currency) => ({
      currency,
      paid: partners.filter(({ now }) => now.otherCurrencies.includes(currency)).length,
    }))
    .filter(({ paid }) => paid > 0);
  const hrefOf = (currency: string) =>
    withQuery(url, {
      currency,
      group_by: "partner",
      level: null,
      sort: null,
      open: null,
      rows: null,
      q: null,
    });
  return html`
    <div class="state ${isFinal(period, now) ? "" : "open"}">
      <p>${finality(period, now)}</p>
      ${others
        .slice(0, MOST_CURRENCIES)
        .map(
          ({ currency, paid }) =>
            html`<p><a href="${hrefOf(currency)}">${showPlural(paid, "partner")}</a> paid in ${currency}</p>`,
        )}
    </div>`;
}
