/** Charts of what costs add up to by day: one for each currency, with a series for each cost type, partner or app. */
import { html } from "hono/html";
import { type SpendSums, sumSpend } from "../../domain/money.ts";
import type { DayRange } from "../../domain/time.ts";
import { type ChartEvent, dailyChart } from "../chart/chart.ts";
import type { Values } from "../chart/series.ts";
import { moneyUnit } from "../chart/units.ts";
import type { Markup } from "../markup.ts";

interface DayOfCosts extends SpendSums {
  day: number | null;
  currency: string;
}

interface DayCharts<Row> {
  /** Of what: `Spend`. */
  name: string;
  /** What a series is: `cost type`. */
  by: string;
  /** By its key. */
  nameOf: (key: string) => string;
  keyOf: (row: Row) => string;
  days: DayRange;
  today: number;
  rows: Row[];
  /** Those of as many days before. */
  before?: Row[] | undefined;
  /** One chart each, in this order, as far as there is room for them. */
  currencies: string[];
  /** The page that a day leads to. */
  hrefOf: (day: number) => string;
  events?: ChartEvent[];
}

/** How many charts a page has room for: a day takes about 80 bytes of it. */
export const mostCharts = ({ from, to }: DayRange): number => (to - from > 92 ? 1 : 3);

export function costCharts<Row extends DayOfCosts>(given: DayCharts<Row>): Markup | "" {
  const { name, nameOf, keyOf, days, rows, before, ...shown } = given;
  const currencies = given.currencies.slice(0, mostCharts(days));
  const byCurrency = Map.groupBy(rows, ({ currency }) => currency);
  const earlier = Map.groupBy(before ?? [], ({ currency }) => currency);
  const ofEach = currencies.map((currency) => Map.groupBy(byCurrency.get(currency) ?? [], keyOf));
  // The same for all charts, so that a series has one color on a page.
  const keys = new Set(ofEach.flatMap((series) => [...series].sort(bySpend).map(([key]) => key)));
  const charts = currencies.map((currency, index) => {
    const last = earlier.get(currency);
    return dailyChart({
      ...shown,
      days,
      id: `chart-${currency}`,
      title: `${name} in ${currency} by day`,
      series: [...keys].map((key) => ({
        name: nameOf(key),
        key,
        values: byDay(ofEach[index]?.get(key) ?? []),
      })),
      unit: moneyUnit(currency),
      before: last && byDay(last, days.to - days.from + 1),
    });
  });
  return charts.length === 0 ? "" : html`<div class="charts"><div class="day-charts">${charts}</div></div>`;
}

/** The highest first. */
function bySpend([, one]: [string, SpendSums[]], [, other]: [string, SpendSums[]]): number {
  const difference = sumSpend(other) - sumSpend(one);
  return difference > 0n ? 1 : difference < 0n ? -1 : 0;
}

/** `later`: so many days later. */
const byDay = (rows: DayOfCosts[], later = 0): Values =>
  new Map([...Map.groupBy(rows, ({ day }) => (day ?? 0) + later)].map(([day, of]) => [day, sumSpend(of)]));
