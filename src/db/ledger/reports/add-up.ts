/** Adds up the sums of several databases and ranges of days, and of the links below a level. */
import type { Target } from "./report-links.ts";
import { type AnyRow, type ReportName, SOURCES } from "./sources.ts";

/** Puts each link into its target, and adds up the rows that have the same keys then. Ordered by the keys: app, day, link, partner, … */
export function addUp(report: ReportName, sums: AnyRow[], targets: Target[] = []): AnyRow[] {
  const keys = [...Object.keys(SOURCES[report].keys), "country", "platform"];
  const targetOf = new Map(
    targets.map(({ linkId, targetId, ...names }) => [linkId, { linkId: targetId, ...names }]),
  );
  const rows = new Map<string, AnyRow>();
  for (const sum of sums) {
    const row: AnyRow = { ...sum, ...targetOf.get(sum.linkId ?? 0) };
    const key = JSON.stringify(keys.map((name) => row[name]));
    const same = rows.get(key);
    if (same) addTo(same, row, report);
    else rows.set(key, row);
  }
  return [...rows.values()].sort((left, right) => compare(keys, left, right));
}

export function addTo(sum: AnyRow, row: AnyRow, report: ReportName): void {
  const { money, counts } = SOURCES[report];
  for (const name of Object.keys(money)) sum[name] = String(BigInt(sum[name] ?? 0) + BigInt(row[name] ?? 0));
  for (const name of Object.keys(counts)) sum[name] = Number(sum[name]) + Number(row[name]);
  if (sum.series !== undefined) sum.series = `${sum.series},${row.series}`;
}

function compare(keys: string[], left: AnyRow, right: AnyRow): number {
  const key = keys.find((name) => left[name] !== right[name]);
  return key === undefined ? 0 : (left[key] ?? "") < (right[key] ?? "") ? -1 : 1;
}
