/** Adds up the sums of several databases and ranges of days, of the links below a level, and of days. Pure functions. */
import type { DayRange } from "../../../domain/time.ts";
import { type AnyRow, type ReportName, SOURCES } from "./sources.ts";
import { MAX_ROWS, type Plan } from "./statements.ts";
import type { LinkChain } from "./totals.ts";

/** The rows of each part, by its name. Undefined: more than MAX_ROWS, so they were not all read. */
export type Rows = Map<string, AnyRow[] | undefined>;

/** Adds what databases returned for some days to the rows before. Between ranges it adds up, so that there are never many rows. */
export function collect(
  { parts, hasSeries }: Plan,
  before: Rows,
  results: { sums: Record<string, AnyRow[]> }[],
  days: DayRange,
  isRange = false,
): Rows {
  return new Map(
    parts.map(([name, { report, from }]) => {
      const added = results.map(({ sums }) => sums[name] ?? []);
      if (hasSeries)
        for (const row of added.flat()) row.series ??= seriesOf(report, row, Math.max(from, days.from));
      const earlier = before.size === 0 ? [] : before.get(name);
      if (!earlier || added.some(({ length }) => length > MAX_ROWS)) return [name, undefined];
      const together = [...earlier, ...added.flat()];
      const rows = isRange ? addUp(report, together) : together;
      return [name, isRange && rows.length > MAX_ROWS ? undefined : rows];
    }),
  );
}

/** Whether there are too many rows of a part that is not optional. */
export const isOver = ({ parts }: Plan, rows: Rows): boolean =>
  parts.some(([name, { isOptional }]) => !isOptional && rows.get(name) === undefined);

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

/** A link of the totals, and the link that it is added to, with the names of that link. */
export interface Target {
  linkId: number;
  targetId: number;
  linkToken: string;
  /** The link's own name. */
  linkLabel: string;
  /** With the names of the links above it. */
  linkName: string;
  level: number;
  /** Of the link above it. */
  parentToken: string | null;
  /** Whether cost data is on, by the nearest setting; null: nothing sets it. */
  costSwitch: number | null;
  /** The round that it, or a link above it, was created for. */
  roundId: number | null;
}

/** Each link is added to the link of this level above it, or to itself. */
export function targetsAt(level: number, links: LinkChain[]): Target[] {
  return links.map((link) => {
    const chain = [
      {
        id: link.linkId,
        token: link.token,
        label: link.label,
        costSwitch: link.costSwitch,
        round: link.round,
      },
      { id: link.id1, token: link.token1, label: link.label1, costSwitch: link.switch1, round: link.round1 },
      { id: link.id2, token: link.token2, label: link.label2, costSwitch: link.switch2, round: link.round2 },
      { id: link.id3, token: link.token3, label: link.label3, costSwitch: link.switch3, round: link.round3 },
    ].slice(Math.max(link.level - level, 0), link.level);
    const [target] = chain;
    return {
      linkId: link.linkId,
      targetId: target?.id ?? link.linkId,
      linkToken: target?.token ?? link.token,
      linkLabel: target?.label ?? link.label,
      linkName: chain
        .map(({ label }) => label)
        .toReversed()
        .join("::"),
      level: Math.min(level, link.level),
      parentToken: chain[1]?.token ?? null,
      costSwitch: chain.find(({ costSwitch }) => costSwitch !== null)?.costSwitch ?? null,
      roundId: chain.find(({ round }) => round !== null)?.round ?? null,
    };
  });
}

/** The days of one sum. */
export interface DaySeries extends AnyRow {
  /** `day value value …`, separated by commas, with the money and the counts of the report in their order. */
  series: string;
}

/** The sums of these series by day, and by what figures need: the cost type and the currency, or the kind. */
export function sumDays(report: ReportName, series: DaySeries[]): AnyRow[] {
  const money = Object.keys(SOURCES[report].money);
  const counts = Object.keys(SOURCES[report].counts);
  type Sums = { row: AnyRow; money: bigint[]; counts: number[] };
  const groups = new Map<string, Map<string, Sums>>();
  for (const row of series) {
    const key = [row.costType, row.currency, row.kind].join();
    const days = groups.get(key) ?? new Map<string, Sums>();
    groups.set(key, days);
    for (const entry of row.series.split(",")) {
      const values = entry.split(" ");
      const day = values[0] ?? "";
      let sums = days.get(day);
      if (!sums) {
        const { series: _, ...own } = row;
        sums = { row: { ...own, day: Number(day) }, money: money.map(() => 0n), counts: counts.map(() => 0) };
        days.set(day, sums);
      }
      for (let at = 1; at < values.length; at++) {
        const value = values[at] ?? "0";
        const place = at - 1 - money.length;
        if (value === "0") continue;
        if (place < 0) sums.money[at - 1] = (sums.money[at - 1] ?? 0n) + BigInt(value);
        else sums.counts[place] = (sums.counts[place] ?? 0) + Number(value);
      }
    }
  }
  return [...groups.values()].flatMap((days) =>
    [...days.values()].map((sums) => {
      for (const [at, name] of money.entries()) sums.row[name] = String(sums.money[at]);
      for (const [at, name] of counts.entries()) sums.row[name] = sums.counts[at] ?? 0;
      return sums.row;
    }),
  );
}

/** The series of a sum of one day. */
export const seriesOf = (report: ReportName, row: AnyRow, day: number): string =>
  [
    day,
    ...[...Object.keys(SOURCES[report].money), ...Object.keys(SOURCES[report].counts)].map(
      (name) => row[name],
    ),
  ].join(" ");
