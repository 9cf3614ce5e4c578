/**
 * Reads reports: sums of the daily totals, added up over DB and every shard, and over the links below a level. The names of links
 * and partners are in DB.
 */
import { type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { type AppAccess, m, perViewer, type Viewer } from "../accounts/viewers.ts";
import { catalogStatement, type Partners } from "../links/partner-catalog.ts";
import { as, optional, query } from "../query.ts";
import { links } from "../schema.ts";
import { runBatch, statement, type Value } from "../statement.ts";
import { runOnEveryShard } from "./run.ts";
import { type Ledger, runGated } from "./shards.ts";
import {
  type AnyRow,
  BELOW,
  findSubtree,
  findTargets,
  type Group,
  IDS,
  IDS_BELOW,
  linksOf,
  type ReportName,
  type ReportRow,
  SOURCES,
  sumsOf,
  type Target,
} from "./totals.ts";

export type { Group, ReportName, ReportRow };

/** Days since 1970 in UTC, both inclusive. */
export interface DayRange {
  from: number;
  to: number;
}

/** What a report covers. An undefined value does not filter. */
export interface ReportScope extends DayRange {
  groups: readonly string[];
  /** The token of a link: only this link and everything below it. */
  link?: string | undefined;
  /** Sums each link into its ancestor of this level. Links above it keep their own rows. */
  level?: number | undefined;
  partnerId?: number | undefined;
  costType?: string | undefined;
  currency?: string | undefined;
  kind?: string | undefined;
}

/** Which apps a statement sums. `name` identifies it. */
interface Apps {
  name: string;
  sql: SQL;
}
// With `=`, SQLite knows that the totals are in order, and reads them without sorting.
const oneApp = perViewer(
  ({ name, from, isMember, isViewer }): Apps => ({
    name,
    sql: sql`= (SELECT ${m.appToken} FROM ${from} CROSS JOIN ${as(m)} ON ${isMember} WHERE ${isViewer})`,
  }),
);
const everyApp = perViewer(
  ({ name, from, userId, isViewer }): Apps => ({
    name: `all of ${name}`,
    sql: sql`IN (SELECT ${m.appToken} FROM ${from} CROSS JOIN ${as(m)} ON ${m.userId} = ${userId} WHERE ${isViewer})`,
  }),
);
/** For a shard, which has no users: those that DB allowed. */
const ALLOWED: Apps = {
  name: "allowed",
  sql: sql`IN (SELECT value FROM json_each(${sql.placeholder("apps")}))`,
};
const LINKS = {
  below: { links: sql`IN (${IDS_BELOW})`, cte: BELOW },
  known: { links: sql`IN (${IDS})` },
  all: {},
};

const f = alias(links, "f");
const joinFilter = sql`LEFT JOIN ${as(f)} ON ${f.token} = ${sql.placeholder("link")} AND ${f.appToken} = ${m.appToken}`;
const foundLink = optional({ linkId: f.id });
const access = perViewer(({ appAccess, from, isMember, isViewer }) =>
  query(
    { ...appAccess, ...foundLink },
    sql`FROM ${from} LEFT JOIN ${as(m)} ON ${isMember} ${joinFilter} WHERE ${isViewer}`,
  ),
);

const built = new Map<string, unknown>();

/** Builds a statement on first use: there are many combinations, and most are never used. */
function once<S>(name: string, build: () => S): S {
  const statement = (built.get(name) as S | undefined) ?? build();
  built.set(name, statement);
  return statement;
}

type Links = keyof typeof LINKS;

function sumsFor(report: ReportName, groups: readonly string[], apps: Apps, links: Links) {
  const selection = { apps: apps.sql, ...LINKS[links] };
  return once([report, apps.name, links, ...groups].join(), () => sumsOf(report, groups, selection));
}
function linksFor(report: ReportName, apps: Apps, links: Links) {
  const selection = { apps: apps.sql, ...LINKS[links] };
  return once([report, apps.name, links, "links"].join(), () => linksOf(report, selection));
}

/** The most sums that a report reads from one database, and the most rows that it can have. */
export const MAX_ROWS = 50_000;

function toValues({ groups: _, ...scope }: ReportScope): Record<string, Value> {
  const none = { link: null, level: null, partnerId: null, costType: null, currency: null, kind: null };
  const given = Object.entries(scope).filter(([, value]) => value !== undefined);
  return { ...none, ...Object.fromEntries(given), limit: MAX_ROWS + 1 };
}

/** In the place of a statement that a report does not need. */
const nothing = statement<never>(sql`SELECT NULL WHERE false`);

/**
 * Reads a report of an app, ordered by its keys: app, day, link, partner, and the rest. One call; with shards, one to each and
 * another to DB for the names of links. `access` is undefined for an unknown token and for a user who is not a member, and
 * `hasLink` is false if the app does not have the link of the filter: there are no rows then. `rows` is undefined if there are
 * more than MAX_ROWS.
 */
export async function findReport<R extends ReportName>(
  ledger: Ledger,
  viewer: Viewer,
  report: R,
  appToken: string,
  scope: ReportScope & { groups: readonly Group<R>[] },
): Promise<{ access: AppAccess | undefined; hasLink: boolean; rows: ReportRow<R>[] | undefined }> {
  const { control, shards } = ledger;
  const values = { ...toValues(scope), ...viewer, appToken };
  const isSharded = shards.length > 0;
  const filter = scope.link === undefined ? "all" : "below";
  const catalog = catalogStatement(control, viewer);
  const [[found], sums, targets, below, partners] = await runGated(ledger, control, [
    access(viewer)(control, values),
    sumsFor(report, scope.groups, oneApp(viewer), filter)(control, values),
    isByLink(scope) && !isSharded
      ? linksFor(report, oneApp(viewer), filter)(control, values)
      : nothing(control, {}),
    filter === "below" && isSharded ? findSubtree(control, values) : nothing(control, {}),
    catalog.bound,
  ]);
  const hasLink = scope.link === undefined || found?.linkId != null;
  const apps = found?.appToken && hasLink ? [found.appToken] : [];
  const ids = filter === "below" ? below.map(({ id }) => id) : undefined;
  const parts = [sums, ...(await findInShards(ledger, report, scope, apps, ids))];
  if (parts.some((rows) => rows.length > MAX_ROWS)) return { access: found, hasLink, rows: undefined };
  const all = parts.flat();
  const added = isByLink(scope) && isSharded ? await findTargetsOf(control, all, scope) : targets;
  const rows = withPartners(toRows(report, all, added), catalog.read(partners));
  return {
    access: found,
    hasLink,
    rows: rows.length > MAX_ROWS ? undefined : (rows as unknown[] as ReportRow<R>[]),
  };
}

const isByLink = ({ groups }: ReportScope) => groups.includes("link");

/** The sums of every shard. `apps` are those that DB allowed the viewer to see; `ids` are the links of the filter. */
async function findInShards(
  ledger: Ledger,
  report: ReportName,
  scope: ReportScope,
  apps: string[],
  ids: number[] | undefined,
): Promise<AnyRow[][]> {
  if (apps.length === 0) return [];
  const sums = sumsFor(report, scope.groups, ALLOWED, ids ? "known" : "all");
  const values = { ...toValues(scope), apps: JSON.stringify(apps), ids: JSON.stringify(ids ?? []) };
  return (await runOnEveryShard(ledger, (db) => [sums(db, values)])).map(([rows]) => rows);
}

async function findTargetsOf(db: D1Database, rows: AnyRow[], scope: ReportScope): Promise<Target[]> {
  const ids = JSON.stringify([...new Set(rows.map(({ linkId }) => linkId))]);
  const [targets] = await runBatch(db, findTargets(db, { ...toValues(scope), ids }));
  return targets;
}

/** Puts each link into its target, and adds up the rows that have the same keys then. */
function toRows(report: ReportName, sums: AnyRow[], targets: Target[]): AnyRow[] {
  const keys = Object.keys(SOURCES[report].keys);
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

function addTo(sum: AnyRow, row: AnyRow, report: ReportName): void {
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

/** The totals of every app of a user, by app and currency, and by app and kind. `apps` are the user's apps. */
export async function findOwnTotals(ledger: Ledger, viewer: Viewer, days: DayRange, apps: string[]) {
  const { control } = ledger;
  const sumsOfAll = (report: ReportName, groups: string[]) =>
    sumsFor(
      report,
      groups,
      everyApp(viewer),
      "all",
    )(control, { ...toValues({ ...days, groups }), ...viewer });
  const [spend, engagements] = await runGated(ledger, control, [
    sumsOfAll("spend", []),
    sumsOfAll("engagements", ["kind"]),
  ]);
  const inShards = async (report: ReportName, groups: string[]) =>
    (await findInShards(ledger, report, { ...days, groups }, apps, undefined)).flat();
  return {
    spend: toRows(
      "spend",
      [...spend, ...(await inShards("spend", []))],
      [],
    ) as unknown[] as ReportRow<"spend">[],
    engagements: toRows(
      "engagements",
      [...engagements, ...(await inShards("engagements", ["kind"]))],
      [],
    ) as unknown[] as ReportRow<"engagements">[],
  };
}
