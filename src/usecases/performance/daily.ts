/** The figures of a performance report by day, for its chart. */
import { type DaySeries, sumDays } from "../../db/ledger/reports/add-up.ts";
import type { ReportRow } from "../../db/ledger/reports/sources.ts";
import type { CostType } from "../../domain/cost-types.ts";
import { isByCostType, keyOf, lengthOf, type PerformanceGroup } from "../../domain/figures/groups.ts";
import { type Figures, toFigures } from "../../domain/figures/performance.ts";
import type { DayRange } from "../../domain/time.ts";
import type { PerformanceRow } from "./rows.ts";

type ByDay = Map<number, Figures>;
type Series = Record<"spend" | "engagements", DaySeries[]>;

export interface Daily {
  total: ByDay;
  /** Of the days before, as if they were the present ones. */
  before: ByDay;
  /** Of each row, by its key. */
  rows: Map<string, ByDay>;
}

interface Report {
  now: DayRange;
  rows: PerformanceRow[];
  group: PerformanceGroup | undefined;
  currency: string | null;
  costType: CostType | undefined;
}

/** The figures by day, or by a part of the days; or of so many days that end with each. */
function figuresBy(
  at: (day: number) => number,
  { spend, engagements }: Series,
  currency: string | null,
  type: CostType | undefined,
  span = 1,
): ByDay {
  const by = ({ day }: { day: number | null }) => at(day ?? 0);
  const costs = Map.groupBy(sumDays("spend", spend) as unknown as ReportRow<"spend">[], by);
  const opened = Map.groupBy(
    sumDays("engagements", engagements) as unknown as ReportRow<"engagements">[],
    by,
  );
  const days = new Set([...costs.keys(), ...opened.keys()]);
  const until = <Row>(rows: Map<number, Row[]>, day: number) =>
    Array.from({ length: span }, (_, ago) => rows.get(day - ago) ?? []).flat();
  return new Map(
    [...days].map((day) => [day, toFigures(currency, until(costs, day), until(opened, day), type)]),
  );
}

/** The series of each row by its key. */
function seriesOfRows(
  { spend, engagements }: Series,
  { now, group }: Report,
): (row: PerformanceRow) => Series {
  const keyIn = keyOf(group, now);
  const [costs, opened] = [Map.groupBy(spend, keyIn), Map.groupBy(engagements, keyIn)];
  return ({ key }) => ({
    spend: costs.get(key) ?? [],
    engagements: isByCostType(group) ? engagements : (opened.get(key) ?? []),
  });
}

/**
 * The figures of everything, and of these rows, which are not rows of days or weeks. With `span`, those of so many days that end with
 * each day, also of days before the period: money and clicks are added up first, so that a ratio is weighted.
 */
export function toDaily(
  { now: own, before }: Record<"now" | "before", Series>,
  report: Report,
  span = 1,
): Daily {
  const { now, rows, currency, costType } = report;
  const same = (day: number) => day;
  const series =
    span === 1
      ? own
      : {
          spend: [...before.spend, ...own.spend],
          engagements: [...before.engagements, ...own.engagements],
        };
  const seriesOf = seriesOfRows(series, report);
  return {
    total: figuresBy(same, series, currency, costType, span),
    before: figuresBy((day) => day + lengthOf(now), before, currency, costType, span),
    rows: new Map(
      rows.map((row) => [row.key, figuresBy(same, seriesOf(row), currency, row.costType ?? costType, span)]),
    ),
  };
}

/** The last day with a cost of a partner; undefined without any. */
export function lastCostOf(
  partnerId: number,
  costs: Pick<ReportRow<"spend">, "day" | "partnerId" | "matched" | "unpriced">[],
): number | undefined {
  const own = costs.filter((row) => row.partnerId === partnerId && row.matched + row.unpriced > 0);
  return own.length === 0 ? undefined : Math.max(...own.map(({ day }) => day ?? 0));
}

const MOST_STEPS = 30;

/** The course of a figure for each row, by its key: for each day, or for as many days as give at most 30 steps. */
export function toCourses(
  series: Series,
  report: Report,
  of: (figures: Figures) => bigint | null,
): Map<string, (bigint | null)[]> {
  const { now, rows, currency, costType } = report;
  const days = Math.ceil(lengthOf(now) / MOST_STEPS);
  const seriesOf = seriesOfRows(series, report);
  return new Map(
    rows.map((row) => {
      const steps = figuresBy(
        (day) => Math.floor((day - now.from) / days),
        seriesOf(row),
        currency,
        row.costType ?? costType,
      );
      const none = toFigures(currency, [], []);
      return [
        row.key,
        Array.from({ length: Math.ceil(lengthOf(now) / days) }, (_, step) => of(steps.get(step) ?? none)),
      ];
    }),
  );
}
