/** Reads what the performance report adds up: spend and engagements of two periods, from one read of the totals. */
import type { AppAccess, Viewer } from "../../accounts/viewers.ts";
import { catalogStatement, type Partners } from "../../links/partner-catalog.ts";
import { type Bound, type Rows, runBatch } from "../../statement.ts";
import { runOnEveryShard } from "../run.ts";
import { type Ledger, runGated } from "../shards.ts";
import { findSettledTargets, findSubtree, type SettledTarget, settledLinksOf } from "./report-links.ts";
import { type FilterLink, type Group, type ReportRow, toRows } from "./reports.ts";
import {
  ALLOWED,
  access,
  type DayRange,
  judgementFor,
  LINKS,
  MAX_ROWS,
  nothing,
  once,
  oneApp,
  type ReportScope,
  sumsFor,
  toValues,
} from "./statements.ts";
import { unlessTooLarge } from "./too-large.ts";
import { type AnyRow, BOTH_REPORTS } from "./totals.ts";

/** What the rows by link have in addition: the level of the link, and its cost data in effect; null: it has none. */
type Settled = Partial<Pick<SettledTarget, "level" | "costSwitch">>;

/** The sums of a period. */
export interface PeriodSums {
  spend: (ReportRow<"spend"> & Settled)[];
  engagements: (ReportRow<"engagements"> & Settled)[];
}

export interface PerformanceScope extends Pick<ReportScope, "link" | "level" | "partnerId" | "costType"> {
  /** Directly after each other. */
  before: DayRange;
  now: DayRange;
  group: Group<"spend"> | undefined;
}

/** The groups of the sums: costs always by their type, and engagements by their kind. */
const GROUPS = {
  spend: (group: string | undefined) => [...new Set([...(group ? [group] : []), "cost_type"])],
  engagements: (group: string | undefined) => [...(group && group !== "cost_type" ? [group] : []), "kind"],
};

type Links = keyof typeof LINKS;
const settledLinksFor = (viewer: Viewer, links: Links) => {
  const apps = oneApp(viewer);
  return once(["settled", apps.name, links].join(), () =>
    settledLinksOf({ apps: apps.sql, ...LINKS[links] }),
  );
};

/**
 * Reads the sums of both periods, and what other statements of the viewer read, in one call; with shards, one to each and another
 * to DB for the names of links. `access` and `link` are as in `findReports`. `sums` is undefined for more than MAX_ROWS. Throws TooLargeError.
 */
export async function findPerformance<More extends Bound<unknown>[] = []>(
  ledger: Ledger,
  viewer: Viewer,
  appToken: string,
  scope: PerformanceScope,
  ...more: More
): Promise<{
  access: AppAccess | undefined;
  link: FilterLink | undefined;
  partners: Partners;
  sums: { now: PeriodSums; before: PeriodSums } | undefined;
  more: Rows<More>;
}> {
  const { control, shards } = ledger;
  const isSharded = shards.length > 0;
  const filter = scope.link === undefined ? "all" : "below";
  const app = oneApp(viewer);
  const { before, now, group, ...filters } = scope;
  const parts = [now, before].flatMap((days) =>
    BOTH_REPORTS.map((report) => ({
      report,
      scope: { ...filters, ...days, groups: GROUPS[report](group) } satisfies ReportScope,
    })),
  );
  const valuesOf = (scope: ReportScope) => ({ ...toValues(scope), ...viewer, appToken });
  const both = valuesOf({ ...filters, from: before.from, to: now.to, groups: [] });
  const catalog = catalogStatement(control, viewer);
  const isNamed = group === "link" && !isSharded;
  const batch = runGated(ledger, control, [
    access(viewer)(control, both),
    catalog.bound,
    filter === "below" && isSharded ? findSubtree(control, both) : nothing(control, {}),
    isNamed ? settledLinksFor(viewer, filter)(control, both) : nothing(control, {}),
    isNamed ? nothing(control, {}) : judgementFor(BOTH_REPORTS, app)(control, both),
    ...parts.map(
      ({ report, scope }): Bound<unknown> =>
        sumsFor(report, scope.groups, app, filter)(control, valuesOf(scope)),
    ),
    ...more,
  ]);
  const [[found], partners, below, named, , ...rest] = await unlessTooLarge(batch);
  const isFound = scope.link === undefined || found?.level != null;
  const apps = found?.appToken && isFound ? [found.appToken] : [];
  const ids = filter === "below" ? below.map(({ id }) => id) : undefined;
  const inShards = await findInShards(ledger, parts, both, apps, ids);
  const own = rest.slice(0, parts.length) as AnyRow[][];
  const read = parts.map((_, index) => [own, ...inShards].flatMap((sums) => sums[index] ?? []));
  const isTooMany = [own, ...inShards].some((sums) => sums.some((rows) => rows.length > MAX_ROWS));
  const targets =
    group === "link" && isSharded && !isTooMany ? await findTargetsOf(ledger, scope, read) : named;
  const [spend, engagements, spendBefore, engagementsBefore] = parts.map(({ report }, index) =>
    toRows(report, read[index] ?? [], targets),
  );
  return {
    access: found,
    link: found?.level == null ? undefined : { level: found.level, label: found.label ?? "" },
    partners: catalog.read(partners),
    sums: isTooMany
      ? undefined
      : ({
          now: { spend, engagements },
          before: { spend: spendBefore, engagements: engagementsBefore },
        } as unknown as { now: PeriodSums; before: PeriodSums }),
    more: rest.slice(parts.length) as Rows<More>,
  };
}

/** The sums of each part, for every shard. Each judges both reports together. */
async function findInShards(
  ledger: Ledger,
  parts: { report: (typeof BOTH_REPORTS)[number]; scope: ReportScope }[],
  { from, to }: Record<string, string | number | null>,
  apps: string[],
  ids: number[] | undefined,
): Promise<AnyRow[][][]> {
  if (apps.length === 0) return [];
  const given = { apps: JSON.stringify(apps), ids: JSON.stringify(ids ?? []) };
  const batches = runOnEveryShard(ledger, (db) => [
    judgementFor(BOTH_REPORTS, ALLOWED)(db, { ...given, from: from ?? null, to: to ?? null }),
    ...parts.map(({ report, scope }) =>
      sumsFor(report, scope.groups, ALLOWED, ids ? "known" : "all")(db, { ...toValues(scope), ...given }),
    ),
  ]);
  return (await unlessTooLarge(batches)).map(([, ...sums]) => sums);
}

/** The links of the sums, with shards. */
async function findTargetsOf(
  { control }: Ledger,
  { level }: PerformanceScope,
  read: AnyRow[][],
): Promise<SettledTarget[]> {
  const ids = JSON.stringify([...new Set(read.flat().map(({ linkId }) => linkId))]);
  const [targets] = await runBatch(control, findSettledTargets(control, { ids, level: level ?? null }));
  return targets;
}
