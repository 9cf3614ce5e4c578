/**
 * Reads reports: sums of the daily totals, added up over DB and every shard. One call to each database; above MAX_COVERED rows one for
 * each range of days, the newest first, with time for the ledger between them.
 */
import type { AppAccess, Viewer } from "../../accounts/viewers.ts";
import { catalogStatement, type Partners } from "../../links/partner-catalog.ts";
import { type Batch, type NamedRows, runBatch } from "../../statement.ts";
import { onEachShard } from "../run.ts";
import { type Ledger, runNamed } from "../shards.ts";
import { addUp } from "./add-up.ts";
import { findChains, findSubtree, type LinkChain, targetsAt } from "./report-links.ts";
import { type DaySeries, seriesOf } from "./series.ts";
import type { AnyRow, Group, ReportName, ReportRow } from "./sources.ts";
import {
  ALLOWED,
  access,
  audienceOf,
  type DayRange,
  everyApp,
  type Filters,
  judgementFor,
  type Links,
  linksFor,
  MAX_ROWS,
  newestDaysFor,
  oneApp,
  sumsFor,
  toValues,
} from "./statements.ts";
import { MAX_CALLS, MAX_COVERED, TooLargeError, unlessTooLarge } from "./too-large.ts";

/** A report of some days, and the groups that its sums have. */
export type Part = {
  [R in ReportName]: DayRange & { report: R; groups: readonly Group<R>[]; isOptional?: boolean };
}[ReportName];
type Parts = Record<string, Part>;

/** The link of the filter. */
export type FilterLink = { level: number; label: string };

/** Whose apps: one of a viewer, all of a viewer, or, for operators, these. The first two are checked in every call to DB. */
export type Whose =
  | { viewer: Viewer; appToken: string }
  | { viewer: Viewer; apps: string[] }
  | { apps: string[] };

export interface SumsRequest<P extends Parts> {
  whose: Whose;
  /** By names of the caller's choice. */
  parts: P;
  filters?: Filters;
  /** Whether each sum also has its days, for a chart. */
  hasSeries?: boolean;
  /** Whether to read what there is while shards don't answer. */
  isPartialAllowed?: boolean;
  /** For a page: if there is too much, the newest days that fit are read. Otherwise it throws TooLargeError. */
  canBeCut?: boolean;
}

export interface Sums<P extends Parts, More extends Batch> {
  /** Undefined for an unknown token, without an app for a user who is not a member: there are no rows then. */
  access: AppAccess | undefined;
  /** Undefined if the app does not have the link that the reports are filtered by: there are no rows then. */
  link: FilterLink | undefined;
  partners: Partners;
  /** The first day that was read. */
  from: number;
  /** A shard did not answer, so its costs and clicks are missing. */
  isPartial: boolean;
  /** Whether a part has more than MAX_ROWS rows, so that not all of them were read. */
  isTooMany: (name: keyof P) => boolean;
  /** The rows of a part, ordered by their keys. By link, each is added to the one of this level above it. */
  rowsOf: <Name extends keyof P>(name: Name, level?: number) => ReportRow<P[Name]["report"]>[];
  /** The rows of a part before they are added up, with their days if they were asked for, and with the names of their links. */
  seriesOf: (name: keyof P, level?: number) => DaySeries[];
  /** The links of the rows, with those above them. */
  links: LinkChain[];
  more: NamedRows<More>;
}

/** How long the ledger has the database between two calls of a report, in milliseconds. */
const PAUSE_MS = 20;
/** The most rows that a call reads, unless one day has more. */
const MAX_READ = 600_000;
/** How often a sum reads a row of totals: from the table, by its key, and by its group. Twice as often by country, which looks for the links first. */
const READS_OF_SUM = 3;

/** Reads sums, and what other statements of the viewer read. Throws TooLargeError. */
export async function readSums<const P extends Parts, More extends Batch = Record<never, never>>(
  ledger: Ledger,
  {
    whose,
    parts,
    filters = {},
    hasSeries = false,
    isPartialAllowed = false,
    canBeCut = false,
  }: SumsRequest<P>,
  more: More = {} as More,
): Promise<Sums<P, More>> {
  const { control, shards } = ledger;
  const viewer = "viewer" in whose ? whose.viewer : undefined;
  const appToken = "appToken" in whose ? whose.appToken : undefined;
  const all = Object.entries<Part>(parts);
  const days = {
    from: Math.min(...all.map(([, { from }]) => from)),
    to: Math.max(...all.map(([, { to }]) => to)),
  };
  const groups = all.flatMap(([, part]): string[] => [...part.groups]);
  const reports = [...new Set(all.map(([, { report }]) => report))];
  const scope = {
    reports,
    apps: !viewer ? ALLOWED : appToken === undefined ? everyApp(viewer) : oneApp(viewer),
    links: (filters.link === undefined ? "all" : "below") as Links,
    audience: audienceOf(groups, filters),
  };
  const onShard = { ...scope, apps: ALLOWED, links: (filters.link === undefined ? "all" : "known") as Links };
  const passes = passesOf(all.map(([, part]) => part));
  // The newest days of those before are counted in the same call, and one day more.
  const reads = scope.audience ? 2 * READS_OF_SUM : READS_OF_SUM;
  const most = Math.floor(MAX_READ / (reads * passes + 2));
  const mostOfAll = passes > 1 || scope.audience || groups.includes("link") ? most : MAX_COVERED;
  const shared = {
    ...toValues(filters),
    ...viewer,
    appToken: appToken ?? null,
    most,
    apps: "apps" in whose ? JSON.stringify(whose.apps) : "[]",
  };
  const catalog = viewer && catalogStatement(control, viewer);

  const sumsIn = (db: D1Database, at: typeof scope, values: typeof shared, range: DayRange) =>
    Object.fromEntries(
      all.map(([name, { report, groups, from, to }]) => {
        const own = { from: Math.max(from, range.from), to: Math.min(to, range.to) };
        // The days of one day are that day.
        const isDaily = hasSeries && own.from < own.to;
        const bound =
          own.from <= own.to ? sumsFor(at, report, groups, isDaily)(db, { ...values, ...own }) : undefined;
        return [name, bound];
      }),
    );
  const own = {
    access: viewer && appToken !== undefined ? access(viewer)(control, shared) : undefined,
    partners: catalog?.bound,
    below: filters.link !== undefined && shards.length > 0 ? findSubtree(control, shared) : undefined,
  };

  let isPartial = false;
  let found: NamedRows<typeof own> = { access: [], partners: [], below: [] };
  let added = {} as NamedRows<More>;
  let links: LinkChain[] = [];
  /** What was read, by part, and the parts with more rows than were read. */
  let rows = new Map<string, AnyRow[]>();
  let tooMany = new Set<string>();
  const isFound = () => filters.link === undefined || found.access[0]?.level != null;
  const allowed = () =>
    appToken === undefined
      ? "apps" in whose
        ? whose.apps
        : []
      : found.access[0]?.appToken && isFound()
        ? [appToken]
        : [];
  /** Reads something of every shard for the apps that DB allowed. */
  const readShards = async <Found>(read: (db: D1Database, values: typeof shared) => Promise<Found>) => {
    const apps = allowed();
    if (apps.length === 0) return [];
    const ids = JSON.stringify(found.below.map(({ id }) => id));
    const values = { ...shared, apps: JSON.stringify(apps), ids };
    const result = await onEachShard(ledger, (db) => read(db, values), isPartialAllowed);
    isPartial ||= result.isPartial;
    return result.found;
  };
  /** Adds what databases returned to what was read before. Returns whether a part that is not optional has too many rows. */
  const collect = (results: Record<string, unknown[]>[], range: DayRange, isRange: boolean) => {
    const next = new Map(rows);
    const over = new Set(tooMany);
    for (const [name, { report, from }] of all) {
      const parts = results.map((result) => (result[name] ?? []) as AnyRow[]);
      if (hasSeries)
        for (const row of parts.flat()) row.series ??= seriesOf(report, row, Math.max(from, range.from));
      const together = [...(rows.get(name) ?? []), ...parts.flat()];
      const sums = isRange ? addUp(report, together) : together;
      if (
        over.has(name) ||
        parts.some(({ length }) => length > MAX_ROWS) ||
        (isRange && sums.length > MAX_ROWS)
      )
        over.add(name);
      next.set(name, over.has(name) ? [] : sums);
    }
    const isOver = all.some(([name, { isOptional }]) => over.has(name) && !isOptional);
    const keep = () => {
      rows = next;
      tooMany = over;
    };
    return { isOver, keep };
  };

  /** Reads all days in one call to each database. Returns false if that is too much. */
  async function readAll(): Promise<boolean> {
    const isByLink = groups.includes("link");
    const values = { ...shared, ...days, most: mostOfAll };
    const batch = runNamed(ledger, control, {
      own,
      judged: {
        links: isByLink ? linksFor(scope)(control, values) : undefined,
        judgement: isByLink ? undefined : judgementFor(scope)(control, values),
      },
      sums: sumsIn(control, scope, shared, days),
      more,
    });
    const read = await unlessTooLarge(batch);
    if (!read) return false;
    ({ own: found, more: added } = read);
    links = read.judged.links;
    const inShards = await unlessTooLarge(
      readShards((db, values) =>
        runNamed(ledger, db, {
          judged: { judgement: judgementFor(onShard)(db, { ...values, ...days, most: mostOfAll }) },
          sums: sumsIn(db, onShard, values, days),
        }),
      ),
    );
    if (!inShards) return false;
    const { isOver, keep } = collect([read.sums, ...inShards.map(({ sums }) => sums)], days, false);
    if (isOver && canBeCut && days.from < days.to) return false;
    keep();
    return true;
  }

  /** Reads ranges of days. Returns the first day that was read. */
  async function readRanges(): Promise<number> {
    const newest = (
      db: D1Database,
      at: typeof scope,
      values: typeof shared,
      range: DayRange | undefined,
    ) => ({
      days: range && newestDaysFor(at)(db, { ...values, ...range }),
    });
    const firstOf = (all: { newest: { days: { first: number }[] } }[]) =>
      Math.max(...all.map(({ newest }) => newest.days[0]?.first ?? 0));
    const findNewest = async (range: DayRange) =>
      firstOf(
        await Promise.all([
          runNamed(ledger, control, { newest: newest(control, scope, shared, range) }),
          ...(await readShards((db, values) =>
            runNamed(ledger, db, { newest: newest(db, onShard, values, range) }),
          )),
        ]),
      );
    const begun = await runNamed(ledger, control, {
      own,
      newest: newest(control, scope, shared, days),
      more,
    });
    ({ own: found, more: added } = begun);
    links = [];
    if (allowed().length === 0) return days.from;
    const starts = await readShards((db, values) =>
      runNamed(ledger, db, { newest: newest(db, onShard, values, days) }),
    );
    let to = days.to;
    let first: number | undefined = firstOf([begun, ...starts]);
    for (let calls = 2; calls < MAX_CALLS; calls++) {
      await scheduler.wait(PAUSE_MS);
      const start: number = first ?? (await findNewest({ from: days.from, to }));
      // A day that is more than a call reads has a call of its own, which does not count the days before it.
      const isLarge = start > to;
      const range = { from: Math.min(Math.max(start, days.from), to), to };
      const rest = range.from > days.from && !isLarge ? { from: days.from, to: range.from - 1 } : undefined;
      const read = (db: D1Database, at: typeof scope, values: typeof shared) =>
        runNamed(ledger, db, { sums: sumsIn(db, at, values, range), newest: newest(db, at, values, rest) });
      const one = await read(control, scope, shared);
      const results = [one, ...(await readShards((db, values) => read(db, onShard, values)))];
      const { isOver, keep } = collect(
        results.map(({ sums }) => sums),
        range,
        true,
      );
      const isNewest = to === days.to;
      if (isOver && canBeCut && range.from < to && isNewest) {
        first = to - Math.floor((to - range.from) / 2);
        continue;
      }
      if (isOver && canBeCut && !isNewest) break;
      keep();
      to = range.from - 1;
      if (to < days.from) break;
      first = isLarge ? undefined : firstOf(results);
      // The count of the days before is a call too.
      if (isLarge) calls++;
    }
    return to + 1;
  }

  const from = (await readAll()) ? days.from : await readRanges();
  if (from > days.from && !canBeCut) throw new TooLargeError(days.to - from + 1);
  links = await withMissing(control, links, rows);
  const partners: Partners = catalog?.read(found.partners) ?? new Map();
  const [viewed] = found.access;
  return {
    access: viewed,
    link: viewed?.level == null ? undefined : { level: viewed.level, label: viewed.label ?? "" },
    partners,
    from,
    isPartial,
    links,
    more: added,
    isTooMany: (name) => tooMany.has(String(name)),
    rowsOf: (name, level = 4) => {
      const { report } = parts[name] as Part;
      const sums = addUp(report, rows.get(String(name)) ?? [], targetsAt(level, links));
      for (const row of sums) row.partnerName = partners.get(row.partnerId ?? 0)?.displayName ?? null;
      return sums as unknown as ReportRow<P[typeof name]["report"]>[];
    },
    seriesOf: (name, level = 4) => {
      const targetOf = new Map(targetsAt(level, links).map((target) => [target.linkId, target]));
      return (rows.get(String(name)) ?? []).map(
        (sum) => ({ ...sum, ...targetOf.get(sum.linkId ?? 0) }) as unknown as DaySeries,
      );
    },
  };
}

/** How often most days are read for one report. What is by one group is about few days. */
function passesOf(parts: Part[]): number {
  const large = parts.filter(({ groups }) => groups.length > 1);
  const at = (day: number, name: ReportName) =>
    large.filter(({ report, from, to }) => report === name && from <= day && day <= to).length;
  return Math.max(1, ...large.map(({ report, from }) => at(from, report)));
}

/** The links of the rows with those that only a shard or a range of days has. */
async function withMissing(
  db: D1Database,
  links: LinkChain[],
  rows: Map<string, AnyRow[]>,
): Promise<LinkChain[]> {
  const known = new Set(links.map(({ linkId }) => linkId));
  const missing = new Set(
    [...rows.values()].flat().flatMap(({ linkId }) => (linkId === null || known.has(linkId) ? [] : [linkId])),
  );
  if (missing.size === 0) return links;
  const [others] = await runBatch(db, findChains(db, { ids: JSON.stringify([...missing]) }));
  return [...links, ...others];
}
