/** The rows of the performance report: the sums of both periods by their group, and the figures of each. */
import type { ReportRow } from "../../db/ledger/reports/sources.ts";
import type { DayRange } from "../../db/ledger/reports/statements.ts";
import type { Partners } from "../../db/links/partner-catalog.ts";
import { COST_TYPES, type CostType } from "../../domain/cost-types.ts";
import { FIGURE_NAMES } from "../../domain/figures/names.ts";
import { type Figures, formatFigure, type Measured, toFigures } from "../../domain/figures/performance.ts";
import { DAY_MS, formatDate } from "../../domain/time.ts";
import type { Cell } from "../../http/csv.ts";
import type { PerformanceGroup } from "../../http/input/report-fields.ts";

/** The sums of a period. */
export interface PeriodSums {
  spend: ReportRow<"spend">[];
  engagements: ReportRow<"engagements">[];
}
export type BothSums = Record<"now" | "before", PeriodSums>;

type SpendRow = PeriodSums["spend"][number];
type CountRow = PeriodSums["engagements"][number];
type AnySum = SpendRow | CountRow;

export interface PerformanceRow extends Measured {
  /** Identifies the row: a token, an ID, a cost type, a date, a country or a platform. Empty for the total, and for adjustments by country and platform. */
  key: string;
  /** The fields of the group, as the API has them. */
  fields: Record<string, string | number | null>;
  /** Of a row by link: its level, and the link above it. */
  level?: number | undefined;
  parentToken?: string | null | undefined;
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

/** Days that lie in the same place of both periods are in the same row. */
export function toRows({ now, before }: BothSums, scope: RowScope): PerformanceRow[] {
  const shift = scope.now.to - scope.now.from + 1;
  const keyOf = (sum: AnySum, days: number) => keyIn(scope.group, sum, (sum.day ?? 0) + days);
  const group = <S extends AnySum>(sums: S[], days: number) => Map.groupBy(sums, (sum) => keyOf(sum, days));
  const groups = {
    spend: group(now.spend, 0),
    spendBefore: group(before.spend, shift),
    engagements: group(now.engagements, 0),
    engagementsBefore: group(before.engagements, shift),
  };
  // Engagements have no cost type, so they are the same for each.
  const isByType = scope.group === "cost_type";
  const { engagements, engagementsBefore, ...costs } = groups;
  const keys = new Set(
    (isByType ? Object.values(costs) : Object.values(groups)).flatMap((sums) => [...sums.keys()]),
  );
  if (scope.group === undefined) keys.add("");
  return [...keys].map((key) => {
    const found = {
      spend: groups.spend.get(key) ?? [],
      spendBefore: groups.spendBefore.get(key) ?? [],
      engagements: isByType ? now.engagements : (engagements.get(key) ?? []),
      engagementsBefore: isByType ? before.engagements : (engagementsBefore.get(key) ?? []),
    };
    const [first] = [found.spend, found.engagements, found.spendBefore, found.engagementsBefore].flat();
    const costType = isByType ? COST_TYPES.find((type) => type === key) : scope.costType;
    return {
      key,
      fields: fieldsOf(scope, key, first),
      level: first?.level,
      parentToken: first?.parentToken,
      costType,
      now: toFigures(scope.currency, found.spend, found.engagements, costType),
      before: toFigures(scope.currency, found.spendBefore, found.engagementsBefore, costType),
      recorded: recordedClicks(found.engagements),
      hasCostData: hasCostData(scope, first),
    };
  });
}

const recordedClicks = (rows: CountRow[]) =>
  BigInt(rows.reduce((sum, { kind, recorded }) => sum + (kind === "click" ? recorded : 0), 0));

export function keyIn(group: PerformanceGroup | undefined, sum: AnySum, day: number): string {
  if (group === "link") return sum.linkToken ?? "";
  if (group === "partner") return String(sum.partnerId ?? 0);
  if (group === "cost_type") return "costType" in sum ? (sum.costType ?? "") : "";
  if (group === "country" || group === "platform") return sum[group] ?? "";
  if (group === "day") return formatDate(day);
  return group === "week" ? formatDate(mondayOf(day)) : "";
}

/** The first day of a day's week. 1 January 1970 was a Thursday. */
export const mondayOf = (day: number) => day - ((day + 3) % 7);

function fieldsOf({ group, now, partners }: RowScope, key: string, sum?: AnySum): PerformanceRow["fields"] {
  switch (group) {
    case "link":
      return { link_token: key, link_label: sum?.linkLabel ?? null, link_name: sum?.linkName ?? null };
    case "partner":
      return {
        partner_id: Number(key) || null,
        partner_name: partners.get(Number(key))?.displayName ?? null,
      };
    case "cost_type":
      return { cost_type: key };
    case "day":
      return { day: key };
    case "country":
    case "platform":
      return { [group]: key || null };
    case "week":
      return { week: key, days: daysInWeek(key, now) };
    default:
      return {};
  }
}

/** How many days of the week are in the period. */
function daysInWeek(monday: string, { from, to }: DayRange): number {
  const first = Date.parse(monday) / DAY_MS;
  return Math.min(first + 6, to) - Math.max(first, from) + 1;
}

/** Whether costs can arrive for what the row is about; undefined if that isn't one partner or one link. */
function hasCostData({ group, partners }: RowScope, sum?: AnySum): boolean | undefined {
  if (group === "link") return sum?.costSwitch === undefined ? undefined : sum.costSwitch === 1;
  if (group !== "partner") return undefined;
  const partner = partners.get(sum?.partnerId ?? 0);
  return partner?.supportsCostData === 1 && partner.stoppedAt === null;
}

const formatFigures = (figures: Figures) => ({
  ...Object.fromEntries(FIGURE_NAMES.map((name) => [name, formatFigure(figures, name)])),
  other_currencies: figures.otherCurrencies,
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
