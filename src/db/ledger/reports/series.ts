/** The days of sums: each sum of a chart's report has what it adds up as text, so that the totals are read once for both. */
import { type AnyRow, type ReportName, SOURCES } from "./sources.ts";

/** The days of one sum. */
export interface DaySeries extends AnyRow {
  /** `day value value …`, separated by commas, with the money and the counts of the report in their order. */
  series: string;
}

/** The sums of these series by day, and by what figures need: the cost type and the currency, or the kind. */
export function sumDays(report: ReportName, series: DaySeries[]): AnyRow[] {
  const money = Object.keys(SOURCES[report].money);
  const names = [...money, ...Object.keys(SOURCES[report].counts)];
  const days = new Map<string, { row: AnyRow; sums: bigint[] }>();
  for (const { series: text, ...row } of series) {
    const key = [row.costType, row.currency, row.kind].join();
    for (const entry of text.split(",")) {
      const [day = "", ...values] = entry.split(" ");
      const sum = days.get(day + key) ?? { row: { ...row, day: Number(day) }, sums: names.map(() => 0n) };
      days.set(day + key, sum);
      values.forEach((value, index) => {
        if (value !== "0") sum.sums[index] = (sum.sums[index] ?? 0n) + BigInt(value);
      });
    }
  }
  return [...days.values()].map(({ row, sums }) => {
    for (const [index, name] of names.entries()) {
      const value = sums[index] ?? 0n;
      row[name] = index < money.length ? String(value) : Number(value);
    }
    return row;
  });
}

/** The series of a sum of one day. */
export const seriesOf = (report: ReportName, row: AnyRow, day: number): string =>
  [
    day,
    ...[...Object.keys(SOURCES[report].money), ...Object.keys(SOURCES[report].counts)].map(
      (name) => row[name],
    ),
  ].join(" ");
