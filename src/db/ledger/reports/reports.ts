/**
 * Reads reports: sums of the daily totals, added up over DB and every shard, and over the links below a level. The names of links
 * and partners are in DB.
 */
import { sql } from "drizzle-orm";
import type { AppAccess, Viewer } from "../../accounts/viewers.ts";
import { catalogStatement, type Partners } from "../../links/partner-catalog.ts";
import { query } from "../../query.ts";
import { dailyEngagements } from "../../schema.ts";
import { type Bound, type Rows, runBatch } from "../../statement.ts";
import { runOnEveryShard } from "../run.ts";
import { type Ledger, runGated } from "../shards.ts";
import { findSubtree, findTargets, type Target } from "./report-links.ts";
import { type AnyRow, type Group, type ReportName, type ReportRow, SOURCES } from "./sources.ts";
import {
  ALLOWED,
  access,
  audienceOf,
  type DayRange,
  everyApp,
  judgementsOf,
  linksFor,
  MAX_ROWS,
  nothing,
  oneApp,
  type ReportScope,
  sumsFor,
  toValues,
} from "./statements.ts";
import { unlessTooLarge } from "./too-large.ts";
import type { AudienceMode } from "./totals.ts";

export type { Group, ReportName, ReportRow };

/** One of the reports that are read together. */
export type Part = {
  [R in ReportName]: { report: R; scope: ReportScope & { groups: readonly Group<R>[] } };
}[ReportName];

/** The rows of each part, ordered by their keys: app, day, link, partner, and the rest. Undefined for more than MAX_ROWS. */
type PartRows<Parts extends readonly Part[]> = {
  [Index in keyof Parts]: ReportRow<Parts[Index]["report"]>[] | undefined;
};

/** The link of the filter. */
export type FilterLink = { level: number; label: string };

/**
 * Reads reports of an app, and what other statements of the viewer read, in one call; with shards, one to each and another to DB
 * for the names of links. `access` is undefined for an unknown token and for a user who is not a member, and `link` is undefined
 * if the app does not have the link that the reports are filtered by: there are no rows then. Throws TooLargeError.
 */
export async function findReports<
  const Parts extends readonly [Part, ...Part[]],
  More extends Bound<unknown>[] = [],
>(
  ledger: Ledger,
  viewer: Viewer,
  appToken: string,
  parts: Parts,
  ...more: More
): Promise<{
  access: AppAccess | undefined;
  link: FilterLink | undefined;
  partners: Partners;
  rows: PartRows<Parts>;
  /** The links of the parts by link, before they are added to those of a level. */
  linkIds: Set<number>;
  more: Rows<More>;
}> {
  const { control, shards } = ledger;
  const isSharded = shards.length > 0;
  const { link } = parts[0].scope;
  const filter = link === undefined ? "all" : "below";
  const valuesOf = (scope: ReportScope) => ({ ...toValues(scope), ...viewer, appToken });
  const shared = valuesOf(parts[0].scope);
  const catalog = catalogStatement(control, viewer);
  const app = oneApp(viewer);
  const isNamed = (scope: ReportScope) => isByLink(scope) && !isSharded;
  const judged = parts.map(({ report, scope }) => ({
    report,
    scope,
    isJudged: isNamed(scope),
  }));
  const judgements = judgementsOf(control, app, judged, shared, filter);
  const batch = runGated(ledger, control, [
    access(viewer)(control, shared),
    catalog.bound,
    filter === "below" && isSharded ? findSubtree(control, shared) : nothing(control, {}),
    ...judgements,
    ...parts.map(
      ({ report, scope }): Bound<unknown> =>
        isNamed(scope)
          ? linksFor(report, app, filter, audienceOf(scope))(control, valuesOf(scope))
          : nothing(control, {}),
    ),
    ...parts.map(
      ({ report, scope }): Bound<unknown> => sumsFor(report, scope, app, filter)(control, valuesOf(scope)),
    ),
    ...more,
  ]);
  const [[found], partners, below, ...rest] = await unlessTooLarge(batch);
  const results = rest.slice(judgements.length);
  const isFound = link === undefined || found?.level != null;
  const apps = found?.appToken && isFound ? [found.appToken] : [];
  const ids = filter === "below" ? below.map(({ id }) => id) : undefined;
  const inShards = await findInShards(ledger, parts, apps, ids);
  const sums = parts.map((_, index) => [
    results[parts.length + index] as AnyRow[],
    ...inShards.map((shard) => shard[index] ?? []),
  ]);
  const targets = isSharded
    ? await findTargetsOf(control, parts, sums)
    : parts.map((_, index) => results[index] as Target[]);
  const names = catalog.read(partners);
  const rows = parts.map(({ report, scope }, index) => {
    const read = sums[index] ?? [];
    if (read.some((rows) => rows.length > MAX_ROWS)) return undefined;
    const added = withPartners(toRows(report, read.flat(), targets[index] ?? [], audienceOf(scope)), names);
    return added.length > MAX_ROWS ? undefined : added;
  });
  return {
    access: found,
    link: found?.level == null ? undefined : { level: found.level, label: found.label ?? "" },
    partners: names,
    rows: rows as unknown as PartRows<Parts>,
    linkIds: new Set(targets.flatMap((of) => of?.map(({ linkId }) => linkId) ?? [])),
    more: results.slice(parts.length * 2) as Rows<More>,
  };
}

const isByLink = ({ groups }: ReportScope) => groups.includes("link");

/** For every shard, the sums of each part. Throws TooLargeError. `apps` are those that DB allowed the viewer to see; `ids` are the links of the filter. */
export async function findInShards(
  ledger: Ledger,
  parts: readonly { report: ReportName; scope: ReportScope }[],
  apps: string[],
  ids: number[] | undefined,
): Promise<AnyRow[][][]> {
  if (apps.length === 0) return [];
  const given = { apps: JSON.stringify(apps), ids: JSON.stringify(ids ?? []) };
  const batches = runOnEveryShard(ledger, (db) => [
    ...judgementsOf(db, ALLOWED, parts, given, ids ? "known" : "all"),
    ...parts.map(({ report, scope }) =>
      sumsFor(report, scope, ALLOWED, ids ? "known" : "all")(db, { ...toValues(scope), ...given }),
    ),
  ]);
  const rows: AnyRow[][][] = await unlessTooLarge(batches);
  return rows.map((batch) => batch.slice(-parts.length));
}

const anEngagement = query(
  { day: dailyEngagements.day },
  sql`FROM ${dailyEngagements} WHERE ${dailyEngagements.appToken} = ${sql.placeholder("appToken")} LIMIT 1`,
);

/** Whether a shard has a click or an impression of an app. `OwnApp.firstDay` says it of DB. */
export async function hasEngagementInShard(ledger: Ledger, appToken: string): Promise<boolean> {
  const found = await runOnEveryShard(ledger, (db) => [anEngagement(db, { appToken })]);
  return found.flat(2).length > 0;
}

/** The links of each part, with shards. */
async function findTargetsOf(
  db: D1Database,
  parts: readonly Part[],
  sums: AnyRow[][][],
): Promise<Target[][]> {
  if (!parts.some(({ scope }) => isByLink(scope))) return [];
  const statements = parts.map(({ scope }, index) => {
    const linkIds = (sums[index] ?? []).flat().map(({ linkId }) => linkId);
    const ids = JSON.stringify(isByLink(scope) ? [...new Set(linkIds)] : []);
    return findTargets(db, { ...toValues(scope), ids });
  });
  return runBatch(db, ...statements);
}

/** Puts each link into its target, and adds up the rows that have the same keys then. */
export function toRows(
  report: ReportName,
  sums: AnyRow[],
  targets: Target[],
  audience?: AudienceMode,
): AnyRow[] {
  const keys = [...Object.keys(SOURCES[report].keys), ...(audience ? ["country", "platform"] : [])];
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
}

function compare(keys: string[], left: AnyRow, right: AnyRow): number {
  const key = keys.find((name) => left[name] !== right[name]);
  return key === undefined ? 0 : (left[key] ?? "") < (right[key] ?? "") ? -1 : 1;
}

function withPartners(rows: AnyRow[], partners: Partners): AnyRow[] {
  for (const row of rows) row.partnerName = partners.get(row.partnerId ?? 0)?.displayName ?? null;
  return rows;
}

/** The spend of apps, or of one partner in them, by app, currency and these groups. For operators: it checks no membership. Throws TooLargeError. */
export async function findSpendOfApps(
  ledger: Ledger,
  days: DayRange & { partnerId?: number | undefined },
  groups: Group<"spend">[],
  apps: string[],
): Promise<ReportRow<"spend">[]> {
  const { control } = ledger;
  const part = { report: "spend", scope: { ...days, groups } } as const;
  const values = { ...toValues(part.scope), apps: JSON.stringify(apps) };
  const batch = runGated(ledger, control, [
    ...judgementsOf(control, ALLOWED, [part], values),
    sumsFor("spend", { groups }, ALLOWED, "all")(control, values),
  ]);
  const own = (await unlessTooLarge(batch)).slice(-1);
  const all = [own, ...(await findInShards(ledger, [part], apps, undefined))];
  return toRows("spend", all.flat(2), []) as unknown as ReportRow<"spend">[];
}

export type OwnTotals = Awaited<ReturnType<typeof findOwnTotals>>;

/** The totals of every app of a user by day, by app and currency, and by app and kind. `apps` are the user's apps. Throws TooLargeError. */
export async function findOwnTotals(ledger: Ledger, viewer: Viewer, days: DayRange, apps: string[]) {
  const parts = [
    { report: "spend", scope: { ...days, groups: ["day"] } },
    { report: "engagements", scope: { ...days, groups: ["day", "kind"] } },
  ] as const;
  const { control } = ledger;
  const own = await unlessTooLarge(
    runGated(ledger, control, [
      ...judgementsOf(control, everyApp(viewer), parts, { ...viewer }),
      ...parts.map(({ report, scope }) =>
        sumsFor(report, scope, everyApp(viewer), "all")(control, { ...toValues(scope), ...viewer }),
      ),
    ]),
  );
  const all = [own.slice(-parts.length), ...(await findInShards(ledger, parts, apps, undefined))];
  const [spend, engagements] = parts.map(({ report }, index) =>
    toRows(
      report,
      all.flatMap((rows) => rows[index] ?? []),
      [],
    ),
  ) as unknown as [ReportRow<"spend">[], ReportRow<"engagements">[]];
  return { spend, engagements };
}
