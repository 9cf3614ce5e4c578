/** The rows of the performance report: the sums of both periods by their group, and the figures of each. */
import type { ReportRow } from "../../db/ledger/reports/sources.ts";
import type { Partners } from "../../db/links/partner-catalog.ts";
import { COST_TYPES, type CostType } from "../../domain/cost-types.ts";
import {
  daysOf,
  fieldsOf,
  GROUPS,
  isByCostType,
  keyOf,
  lengthOf,
  type PerformanceGroup,
} from "../../domain/figures/groups.ts";
import { FIGURE_NAMES } from "../../domain/figures/names.ts";
import { type Figures, formatFigure, type Measured, toFigures } from "../../domain/figures/performance.ts";
import type { DayRange } from "../../domain/time.ts";
import type { Cell } from "../../http/csv.ts";

/** The sums of a period. */
export type PeriodSums = { spend: ReportRow<"spend">[]; engagements: ReportRow<"engagements">[] };
export type BothSums = Record<"now" | "before", PeriodSums>;

type SpendRow = PeriodSums["spend"][number];
type CountRow = PeriodSums["engagements"][number];
export type AnySum = SpendRow | CountRow;

export interface PerformanceRow extends Measured {
  /**
   * Identifies the row: a token, an ID, a cost type, a date, a country or a platform. Empty for the total, and for adjustments by
   * country and platform.
   */
  key: string;
  /** The fields of the group, as the API has them. */
  fields: Record<string, string | number | null>;
  /** Of a row by link: its level, and the link above it. */
  level?: number | undefined;
  parentToken?: string | null | undefined;
  /** Whether its link was created to test a partner, and has no cost data yet. */
  isTest?: boolean;
  /** Of a row by cost type. */
  costType?: CostType | undefined;
}

export interface RowScope {
  group: PerformanceGroup | undefined;
  currency: string | null;
  /** The cost type that the report is filtered by. */
  costType: CostType | undefined;
  now: DayRange;
  partners: Partners;
}

/** Days that lie in the same place of both periods are in the same row. `isOf`: of these sums only. */
export function toRows(
  sums: BothSums,
  scope: RowScope,
  isOf: (sum: AnySum) => boolean = () => true,
): PerformanceRow[] {
  const only = ({ spend, engagements }: PeriodSums) => ({
    spend: spend.filter(isOf),
    engagements: engagements.filter(isOf),
  });
  const [now, before] = [only(sums.now), only(sums.before)];
  const { group, now: days, partners } = scope;
  const shift = lengthOf(days);
  const moved = <S extends AnySum>(sums: S[]): S[] =>
    daysOf(group) ? sums.map((sum) => ({ ...sum, day: (sum.day ?? 0) + shift })) : sums;
  const keyIn = keyOf(group, days);
  const groups = {
    spend: Map.groupBy(now.spend, keyIn),
    spendBefore: Map.groupBy(moved(before.spend), keyIn),
    engagements: Map.groupBy(now.engagements, keyIn),
    engagementsBefore: Map.groupBy(moved(before.engagements), keyIn),
  };
  const isByType = isByCostType(group);
  const { engagements, engagementsBefore, ...costs } = groups;
  const keys = new Set(
    (isByType ? Object.values(costs) : Object.values(groups)).flatMap((sums) => [...sums.keys()]),
  );
  if (group === undefined) keys.add("");
  const fields = fieldsOf(group ? [group] : [], days);
  const whyNoCosts = group && GROUPS[group].whyNoCosts;
  return [...keys].map((key) => {
    const found = {
      spend: groups.spend.get(key) ?? [],
      spendBefore: groups.spendBefore.get(key) ?? [],
      engagements: isByType ? now.engagements : (engagements.get(key) ?? []),
      engagementsBefore: isByType ? before.engagements : (engagementsBefore.get(key) ?? []),
    };
    const [first] = [found.spend, found.spendBefore, found.engagements, found.engagementsBefore].flat();
    const costType = isByType ? COST_TYPES.find((type) => type === key) : scope.costType;
    return {
      key,
      fields: first ? fields(first) : {},
      level: first?.level,
      parentToken: first?.parentToken,
      isTest: first?.roundId != null && !first.costSwitch,
      costType,
      now: toFigures(scope.currency, found.spend, found.engagements, costType),
      before: toFigures(scope.currency, found.spendBefore, found.engagementsBefore, costType),
      recorded: recordedClicks(found.engagements),
      whyNoCosts: first && whyNoCosts?.(first, partners),
    };
  });
}

/** The total of some rows of the group. Engagements, which have no cost type, are those of all. */
export function toTotal(sums: BothSums, scope: RowScope, rows: PerformanceRow[]): PerformanceRow {
  const { group, now } = scope;
  const keyIn = keyOf(group, now);
  const keys = new Set(rows.map(({ key }) => key));
  const shift = daysOf(group) ? lengthOf(now) : 0;
  const isOf = (sum: AnySum) =>
    (isByCostType(group) && "kind" in sum) ||
    keys.has(keyIn((sum.day ?? now.from) < now.from ? { ...sum, day: (sum.day ?? 0) + shift } : sum));
  const [total] = toRows(sums, { ...scope, group: undefined }, isOf) as [PerformanceRow];
  return total;
}

const recordedClicks = (rows: CountRow[]) =>
  BigInt(rows.reduce((sum, { kind, recorded }) => sum + (kind === "click" ? recorded : 0), 0));

const formatFigures = (figures: Figures) => ({
  ...Object.fromEntries(FIGURE_NAMES.map((name) => [name, formatFigure(figures, name)])),
  other_currencies: figures.otherCurrencies.length > 0,
});

/** The row as JSON. */
export function toItem({ fields, now, before }: PerformanceRow) {
  return { ...fields, ...formatFigures(now), previous: formatFigures(before) };
}

/** The row as a line of CSV, with the currency of its amounts. */
export function toLine(
  { fields, now, before }: PerformanceRow,
  currency: string | null,
): Record<string, Cell> {
  const toCells = (figures: Figures, prefix: string) => {
    const entries = Object.entries(formatFigures(figures));
    return entries.map(([name, value]): [string, Cell] => [
      prefix + name,
      typeof value === "boolean" ? String(value) : value,
    ]);
  };
  return {
    ...fields,
    currency,
    ...Object.fromEntries([...toCells(now, ""), ...toCells(before, "previous_")]),
  };
}
