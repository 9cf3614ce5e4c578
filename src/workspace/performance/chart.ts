/** The chart of the Performance page: the metric of the chosen tile by day, in total and of the first rows of the table. */
import { daysOf } from "../../domain/figures/groups.ts";
import { type Figures, hasTooFewClicks } from "../../domain/figures/performance.ts";
import { type Chart, dailyChart } from "../../pages/chart/chart.ts";
import { max, type Series } from "../../pages/chart/series.ts";
import { countUnit, moneyUnit, percentUnit, priceUnit, type Unit } from "../../pages/chart/units.ts";
import { chartEvents } from "../../pages/events.ts";
import { showCount } from "../../pages/locale.ts";
import type { Markup } from "../../pages/markup.ts";
import type { PerformanceRow } from "../../usecases/performance/rows.ts";
import { type Compared, change, SHOWN } from "./cells.ts";
import { groupName, isDirect, rowName } from "./groups.ts";
import { METRICS, type Metric } from "./query.ts";
import { ofDays } from "./table.ts";
import { type PerformancePage, shownMetric } from "./view.ts";

const MOST = 5;

/** Lines of so many days are of averages: single days would be a tangle. */
const LONG = 35;

const UNITS: Record<Metric, (currency: string) => Unit> = {
  spend: moneyUnit,
  clicks: () => countUnit,
  impressions: () => countUnit,
  cost_per_click: priceUnit,
  cost_per_install: priceUnit,
  cost_per_event: priceUnit,
  cost_per_mille: priceUnit,
  matched: () => ({ ...countUnit, isOfCosts: true }),
  coverage: () => percentUnit,
};

export function performanceChart(
  url: URL,
  page: PerformancePage,
  compared: Compared,
  { today, firstDay }: Pick<Chart, "today" | "firstDay">,
): Markup {
  const { query, report, explained } = page;
  const { group_by } = query;
  const metric = shownMetric(page);
  const currency = report.currency ?? "USD";
  const { of, short } = SHOWN[metric];
  const unit = {
    ...UNITS[metric](currency),
    ...(short && { short: (value: bigint) => short(value, currency) }),
  };
  const byDate = daysOf(group_by) !== undefined;
  // The rate of a row with three clicks says nothing.
  const isShown = (row: PerformanceRow) =>
    Boolean(of(row.now)) && !(unit.isRatio && hasTooFewClicks(row.now));
  const shown = byDate
    ? []
    : page.rows.flatMap(({ row, depth }) => (depth === 0 && isShown(row) ? [row] : []));
  const top = unit.isRatio
    ? apart(shown, (row) => of(row.now) ?? 0n, of(report.total.now) ?? 0n)
    : shown.slice(0, MOST);
  const { from, to } = report.now;
  const isAverage = unit.isRatio && to - Math.max(from, firstDay ?? from) + 1 >= LONG;
  const daily = report.daily(top, isAverage ? 7 : 1);
  const valuesOf = (figures: Map<number, Figures> = new Map()) =>
    new Map(
      [...figures].flatMap(([day, one]) => {
        const value = of(one);
        return value === null ? [] : [[day, value] as const];
      }),
    );
  const total = valuesOf(daily.total);
  const before = valuesOf(daily.before);
  const changeOf = (row: PerformanceRow) =>
    compared.isCompared ? { change: change(metric, row, compared) } : {};
  const rows: Series[] = top.map((row) => ({
    name: rowName(group_by, row) + (isDirect(row, query.level) ? " direct" : ""),
    key: row.key,
    values: valuesOf(daily.rows.get(row.key)),
    total: of(row.now),
    ...changeOf(row),
  }));
  const others = report.rows.filter(isShown).length - top.length;
  const isTotal = byDate && !unit.isRatio;
  return dailyChart({
    id: "performance-chart",
    title: `${METRICS[metric]} by day`,
    by: groupName(query).toLowerCase(),
    days: report.now,
    unit,
    ...(isAverage && { kind: "7-day average" }),
    series: isTotal
      ? [{ name: "", values: total }]
      : [...rows, ...(unit.isRatio ? [] : restOf(total, rows, others))],
    whole: {
      name: unit.isRatio ? "All" : "Total",
      values: total,
      total: of(report.total.now),
      ...changeOf(report.total),
    },
    before: compared.isCompared && before.size > 0 ? before : undefined,
    today,
    firstDay,
    hrefOf: (day) => ofDays(url, { from: day, to: day }),
    events: chartEvents(explained.shown, report.partners),
  });
}

/** The first rows whose ratios are a tenth apart, of them or of their range, and from that of all: other lines would cover each other. */
function apart(
  rows: PerformanceRow[],
  ratioOf: (row: PerformanceRow) => bigint,
  all: bigint,
): PerformanceRow[] {
  const gap = (one: bigint, other: bigint) => (one > other ? one - other : other - one);
  const range = rows.reduce((most, row) => max(most, gap(ratioOf(row), all)), 0n);
  const ratios = [all];
  return rows.filter((row) => {
    const ratio = ratioOf(row);
    const isApart = ratios.every((other) => 10n * gap(ratio, other) > (other < range ? other : range));
    return isApart && ratios.push(ratio) <= MOST + 1;
  });
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
