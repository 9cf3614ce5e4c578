/** The charts of spend and of clicks by day: of an app, of a link, and of a partner. */
import type { ReportRow } from "../../db/ledger/reports/sources.ts";
import { sumOf } from "../../domain/figures/performance.ts";
import type { DayRange } from "../../domain/time.ts";
import { type ChartEvent, dailyChart } from "../../pages/chart/chart.ts";
import type { Values } from "../../pages/chart/series.ts";
import { countUnit, moneyUnit } from "../../pages/chart/units.ts";
import type { Markup } from "../../pages/markup.ts";
import { type Row, spendByDay, toSeries } from "./lines.ts";

export type Count = Pick<ReportRow<"engagements">, "day" | "kind" | "count">;

interface Sums {
  spend: Row[];
  counts: Count[];
}

interface DayCharts {
  days: DayRange;
  today: number;
  /** The first day with data of the app. */
  firstDay: number | null;
  now: Sums;
  /** Those of as many days before; undefined if they are not compared. */
  before?: Sums | undefined;
  by: "partner" | "cost_type";
  /** One chart each, in this order. */
  currencies: string[];
  hrefOf: (day: number, currency?: string) => string;
  eventsOf?: (currency?: string) => ChartEvent[];
}

/** Of each currency that has spend. */
export const spendCharts = ({ currencies, now, before, by, ...shown }: DayCharts): Markup[] =>
  currencies
    .filter((currency) => hasValues(spendByDay(now.spend, currency)))
    .map((currency) =>
      dailyChart({
        ...common(shown, currency),
        id: `spend-${currency}`,
        title: `Spend in ${currency} by day`,
        by: by.replace("_", " "),
        series: toSeries(by, now.spend, currency),
        unit: moneyUnit(currency),
        before: before && shifted(spendByDay(before.spend, currency), shown),
      }),
    );

/** Of clicks, or of impressions where there are only these. */
export function countChart({ now, before, ...shown }: DayCharts): Markup | "" {
  const kinds = [
    ["click", "Clicks"],
    ["impression", "Impressions"],
  ] as const;
  const [found] = kinds.flatMap(([kind, name]) => {
    const values = countsByDay(now.counts, kind);
    return hasValues(values) ? [{ kind, name, values }] : [];
  });
  if (!found) return "";
  return dailyChart({
    ...common(shown),
    id: `${found.kind}s`,
    title: `${found.name} by day`,
    series: [{ name: "", values: found.values }],
    unit: countUnit,
    before: before && shifted(countsByDay(before.counts, found.kind), shown),
  });
}

const common = (
  { days, today, firstDay, hrefOf, eventsOf }: Omit<DayCharts, "now" | "by" | "currencies">,
  currency?: string,
) => ({
  days,
  today,
  firstDay,
  hrefOf: (day: number) => hrefOf(day, currency),
  ...(eventsOf && { events: eventsOf(currency) }),
});

const hasValues = (values: Values) => [...values.values()].some((value) => value !== 0n);

function countsByDay(counts: Count[], kind: string): Values {
  const own = Map.groupBy(
    counts.filter((row) => row.kind === kind),
    ({ day }) => day ?? 0,
  );
  return new Map([...own].map(([day, rows]) => [day, BigInt(sumOf(rows, ({ count }) => count))]));
}

/** The days before in the places of the days; undefined without any. */
const shifted = (values: Values, { days: { from, to } }: Pick<DayCharts, "days">): Values | undefined =>
  values.size > 0 ? new Map([...values].map(([day, value]) => [day + to - from + 1, value])) : undefined;
