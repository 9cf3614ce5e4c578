/** The figures of a performance report by day, for its chart. */
import { type DaySeries, sumDays } from "../../db/ledger/reports/add-up.ts";
import type { ReportRow } from "../../db/ledger/reports/sources.ts";
import type { DayRange } from "../../db/ledger/reports/statements.ts";
import type { CostType } from "../../domain/cost-types.ts";
import { isByCostType, keyOf, type PerformanceGroup } from "../../domain/figures/groups.ts";
import { type Figures, toFigures } from "../../domain/figures/performance.ts";
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

/** The figures of everything, and of these rows, which are not rows of days or weeks. */
export function toDaily(
  series: Record<"now" | "before", Series>,
  { now, rows, group, currency, costType }: Report,
): Daily {
  const byDay = ({ spend, engagements }: Series, type = costType, shift = 0): ByDay => {
    const dayOf = ({ day }: { day: number | null }) => (day ?? 0) + shift;
    const costs = Map.groupBy(sumDays("spend", spend) as unknown as ReportRow<"spend">[], dayOf);
    const opened = Map.groupBy(
      sumDays("engagements", engagements) as unknown as ReportRow<"engagements">[],
      dayOf,
    );
    const days = new Set([...costs.keys(), ...opened.keys()]);
    return new Map(
      [...days].map((day) => [day, toFigures(currency, costs.get(day) ?? [], opened.get(day) ?? [], type)]),
    );
  };
  const keyIn = keyOf(group, now);
  const spend = Map.groupBy(series.now.spend, keyIn);
  const engagements = Map.groupBy(series.now.engagements, keyIn);
  const rowOf = ({ key, costType: type }: PerformanceRow): ByDay =>
    byDay(
      {
        spend: spend.get(key) ?? [],
        engagements: isByCostType(group) ? series.now.engagements : (engagements.get(key) ?? []),
      },
      type,
    );
  return {
    total: byDay(series.now),
    before: byDay(series.before, costType, now.to - now.from + 1),
    rows: new Map(rows.map((row) => [row.key, rowOf(row)])),
  };
}
