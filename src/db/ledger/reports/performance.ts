/** Reads what the performance report adds up: spend and engagements of two periods, from one read of the totals. */
import type { AppAccess, Viewer } from "../../accounts/viewers.ts";
import { catalogStatement, type Partners } from "../../links/partner-catalog.ts";
import { type Bound, type Rows, runBatch } from "../../statement.ts";
import { runOnEachShard } from "../run.ts";
import { type Ledger, runGated } from "../shards.ts";
import {
  findChains,
  findSubtree,
  type LinkChain,
  linkChainsOf,
  type SettledTarget,
  settleAt,
} from "./report-links.ts";
import { type FilterLink, type Group, type ReportRow, toRows } from "./reports.ts";
import type { DaySeries } from "./series.ts";
import { type AnyRow, BOTH_REPORTS } from "./sources.ts";
import {
  ALLOWED,
  access,
  audienceOf,
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
import type { AudienceMode } from "./totals.ts";

/** What the rows by link have in addition. */
type Settled = Partial<Pick<SettledTarget, "level" | "parentToken" | "costSwitch">>;
type Spend = (ReportRow<"spend"> & Settled)[];
type Engagements = (ReportRow<"engagements"> & Settled)[];

/** The sums of a period. */
export interface PeriodSums {
  spend: Spend;
  engagements: Engagements;
}

export type Series = Record<(typeof BOTH_REPORTS)[number], DaySeries[]>;

/** The sums of both periods. */
export interface BothSums {
  now: PeriodSums;
  before: PeriodSums;
}

export interface PerformanceScope
  extends Pick<ReportScope, "link" | "partnerId" | "costType" | "country" | "platform"> {
  /** Directly after each other. */
  before: DayRange;
  now: DayRange;
  group: Group<"spend"> | undefined;
  /** Whether to read what there is while shards don't answer. */
  isPartialAllowed?: boolean | undefined;
  /** Whether to read the days of the sums too, for a chart. */
  hasSeries?: boolean | undefined;
}

/** The groups of the sums: costs always by their type, and engagements by their kind. */
const GROUPS = {
  spend: (group: string | undefined) => [...new Set([...(group ? [group] : []), "cost_type"])],
  engagements: (group: string | undefined) => [...(group && group !== "cost_type" ? [group] : []), "kind"],
};

type Links = keyof typeof LINKS;
const linkChainsFor = (viewer: Viewer, links: Links, audience: AudienceMode | undefined) => {
  const apps = oneApp(viewer);
  const selection = { apps: apps.sql, ...LINKS[links], audience };
  return once(["chains", apps.name, links, audience].join(), () => linkChainsOf(selection));
};

/**
 * Reads the sums of both periods, and what other statements of the viewer read, in one call; with shards, one to each and another
 * to DB for the names of links. `access` and `link` are as in `findReports`. `sumsAt` is undefined for more than MAX_ROWS. Throws TooLargeError.
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
  /** By link, each link is added to the one of this level above it. */
  sumsAt: ((level: number) => BothSums) | undefined;
  /** The days of the sums, with the names of the links that they are added to. */
  seriesAt: (level: number) => Record<"now" | "before", Series>;
  /** A shard did not answer, so its costs and clicks are missing. */
  isPartial: boolean;
  more: Rows<More>;
}> {
  const { control, shards } = ledger;
  const isSharded = shards.length > 0;
  const filter = scope.link === undefined ? "all" : "below";
  const app = oneApp(viewer);
  const { before, now, group, isPartialAllowed, hasSeries = false, ...filters } = scope;
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
  const audience = audienceOf({ ...filters, groups: group ? [group] : [] });
  const batch = runGated(ledger, control, [
    access(viewer)(control, both),
    catalog.bound,
    filter === "below" && isSharded ? findSubtree(control, both) : nothing(control, {}),
    isNamed ? linkChainsFor(viewer, filter, audience)(control, both) : nothing(control, {}),
    isNamed ? nothing(control, {}) : judgementFor(BOTH_REPORTS, app, filter, audience)(control, both),
    ...parts.map(
      ({ report, scope }): Bound<unknown> =>
        sumsFor(report, scope, app, filter, hasSeries)(control, valuesOf(scope)),
    ),
    ...more,
  ]);
  const [[found], partners, below, named, , ...rest] = await unlessTooLarge(batch);
  const isFound = scope.link === undefined || found?.level != null;
  const apps = found?.appToken && isFound ? [found.appToken] : [];
  const ids = filter === "below" ? below.map(({ id }) => id) : undefined;
  const { inShards, isPartial } = await findInShards(ledger, parts, both, apps, {
    ids,
    audience,
    isPartialAllowed: isPartialAllowed ?? false,
    hasSeries,
  });
  const own = rest.slice(0, parts.length) as AnyRow[][];
  const read = parts.map((_, index) => [own, ...inShards].flatMap((sums) => sums[index] ?? []));
  const isTooMany = [own, ...inShards].some((sums) => sums.some((rows) => rows.length > MAX_ROWS));
  const links = group === "link" && isSharded && !isTooMany ? await findLinksOf(ledger, read) : named;
  const sumsAt = (level: number): BothSums => {
    const targets = settleAt(level, links);
    const [spend, engagements, spendBefore, engagementsBefore] = parts.map(({ report }, index) =>
      toRows(report, read[index] ?? [], targets, audience),
    ) as unknown[] as [Spend, Engagements, Spend, Engagements];
    return { now: { spend, engagements }, before: { spend: spendBefore, engagements: engagementsBefore } };
  };
  const seriesAt = (level: number) => {
    const targetOf = new Map(settleAt(level, links).map((target) => [target.linkId, target]));
    const [spend = [], engagements = [], spendBefore = [], engagementsBefore = []] = read.map((sums) => {
      return sums.map((sum) => ({ ...sum, ...targetOf.get(sum.linkId ?? 0) }) as DaySeries);
    });
    return { now: { spend, engagements }, before: { spend: spendBefore, engagements: engagementsBefore } };
  };
  return {
    access: found,
    link: found?.level == null ? undefined : { level: found.level, label: found.label ?? "" },
    partners: catalog.read(partners),
    sumsAt: isTooMany ? undefined : sumsAt,
    seriesAt,
    isPartial,
    more: rest.slice(parts.length) as Rows<More>,
  };
}

/** The sums of each part, for every shard. Each judges both reports together. */
async function findInShards(
  ledger: Ledger,
  parts: { report: (typeof BOTH_REPORTS)[number]; scope: ReportScope }[],
  { from, to }: Record<string, string | number | null>,
  apps: string[],
  {
    ids,
    audience,
    isPartialAllowed,
    hasSeries,
  }: {
    ids: number[] | undefined;
    audience: AudienceMode | undefined;
    isPartialAllowed: boolean;
    hasSeries: boolean;
  },
): Promise<{ inShards: AnyRow[][][]; isPartial: boolean }> {
  if (apps.length === 0) return { inShards: [], isPartial: false };
  const given = { apps: JSON.stringify(apps), ids: JSON.stringify(ids ?? []) };
  const batchFor = (db: D1Database): Bound<unknown>[] => [
    judgementFor(
      BOTH_REPORTS,
      ALLOWED,
      ids ? "known" : "all",
      audience,
    )(db, { ...given, from: from ?? null, to: to ?? null }),
    ...parts.map(({ report, scope }) =>
      sumsFor(report, scope, ALLOWED, ids ? "known" : "all", hasSeries)(db, { ...toValues(scope), ...given }),
    ),
  ];
  const toSums = (rows: unknown[][][]) => rows.map(([, ...sums]) => sums as AnyRow[][]);
  const { rows, isPartial } = await unlessTooLarge(runOnEachShard(ledger, batchFor, isPartialAllowed));
  return { inShards: toSums(rows), isPartial };
}

/** The links of the sums, with shards. */
async function findLinksOf({ control }: Ledger, read: AnyRow[][]): Promise<LinkChain[]> {
  const ids = JSON.stringify([...new Set(read.flat().map(({ linkId }) => linkId))]);
  const [links] = await runBatch(control, findChains(control, { ids }));
  return links;
}
