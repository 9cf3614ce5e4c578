/** The chart of the Performance page: the metric of the chosen tile by day, for the rows that have most of it. */
import { daysOf } from "../../domain/figures/groups.ts";
import type { Figures } from "../../domain/figures/performance.ts";
import { dailyChart } from "../../pages/chart/chart.ts";
import type { Series } from "../../pages/chart/plot.ts";
import { countUnit, moneyUnit, percentUnit, priceUnit, type Unit } from "../../pages/chart/units.ts";
import { chartEvents } from "../../pages/events.ts";
import { showCount } from "../../pages/locale.ts";
import type { Markup } from "../../pages/markup.ts";
import type { PerformanceRow } from "../../usecases/performance/rows.ts";
import { change, SHOWN } from "./cells.ts";
import { groupName, rowName } from "./groups.ts";
import { METRICS, type Metric } from "./query.ts";
import { type Compared, ofDays } from "./table.ts";
import type { PerformancePage } from "./view.ts";

const MOST = 5;

const UNITS: Record<Metric, (currency: string) => Unit> = {
  spend: moneyUnit,
  clicks: () => countUnit,
  cost_per_click: priceUnit,
  coverage: () => percentUnit,
};

export function performanceChart(
  url: URL,
  { query, report, explained }: PerformancePage,
  compared: Compared,
  today: number,
): Markup {
  const { metric, group_by } = query;
  const { of } = SHOWN[metric];
  const byDate = daysOf(group_by) !== undefined;
  const top = byDate ? [] : topRows(report.rows, metric);
  const daily = report.daily(top);
  const valuesOf = (figures: Map<number, Figures> = new Map()) =>
    new Map(
      [...figures].flatMap(([day, one]) => {
        const value = of(one);
        return value === null ? [] : [[day, value] as const];
      }),
    );
  const total = valuesOf(daily.total);
  const before = valuesOf(daily.before);
  const rows: Series[] = top.map((row) => ({
    name: rowName(group_by, row),
    values: valuesOf(daily.rows.get(row.key)),
    total: of(row.now),
    change: change(metric, row, compared),
  }));
  const addsUp = metric === "spend" || metric === "clicks";
  const rest = addsUp && !byDate ? restOf(total, rows, report.rows.length - top.length) : [];
  return dailyChart({
    id: "performance-chart",
    title: `${METRICS[metric]} by day${rows.length > 1 ? ` and ${groupName(query).toLowerCase()}` : ""}`,
    days: report.now,
    unit: UNITS[metric](report.currency ?? "USD"),
    series: byDate && addsUp ? [{ name: "", values: total }] : [...rows, ...rest],
    ...(!addsUp && {
      whole: {
        name: "All",
        values: total,
        total: of(report.total.now),
        change: change(metric, report.total, compared),
      },
    }),
    before: compared.isCompared && before.size > 0 ? before : undefined,
    today,
    hrefOf: (day) => ofDays(url, { from: day, to: day }),
    events: chartEvents(explained.events, report.partners),
  });
}

/** Rates are shown of the rows with most spend or clicks: that of a row with three clicks says nothing. */
function topRows(rows: PerformanceRow[], metric: Metric): PerformanceRow[] {
  const weight = ({ now }: PerformanceRow) =>
    metric === "clicks" || metric === "coverage" ? (now.clicks ?? now.matched) : now.spend;
  return rows
    .filter((row) => weight(row) > 0n)
    .sort((left, right) => (weight(left) === weight(right) ? 0 : weight(left) > weight(right) ? -1 : 1))
    .slice(0, MOST);
}

/** What the other rows have. */
function restOf(total: Map<number, bigint>, rows: Series[], count: number): Series[] {
  const values = new Map(
    [...total].flatMap(([day, value]) => {
      const rest = rows.reduce((left, row) => left - (row.values.get(day) ?? 0n), value);
      return rest === 0n ? [] : [[day, rest] as const];
    }),
  );
  return values.size > 0
    ? [{ name: count === 1 ? "1 other" : `${showCount(count)} others`, values, isRest: true }]
    : [];
}
