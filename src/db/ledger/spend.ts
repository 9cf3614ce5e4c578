/**
 * Spend reports from the daily totals, so that a report's reads do not grow with the number of costs and a purge does not change
 * it. The totals of a sharded ledger are added up from DB and every shard; the names of links and partners are in DB.
 */
import { type AnyColumn, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { SpendGroup } from "../../domain/cost-types.ts";
import { type AppAccess, appAccess, isCaller, isMember, m, t } from "../accounts/api-tokens.ts";
import { as, columnsOf, list, optional, query, type RowOf } from "../query.ts";
import { dailyTotals, links, partners } from "../schema.ts";
import { type Bound, runBatch } from "../statement.ts";
import { runOnEveryShard } from "./run.ts";
import { type Ledger, runGated } from "./shards.ts";

const d = alias(dailyTotals, "d");
const l = alias(links, "l");
const p = alias(partners, "p");

/** The keys of a report's rows, in the order in which the rows are sorted. The report has NULL for those it does not group by. */
function keysOf(groups: readonly SpendGroup[]) {
  const by = <C extends AnyColumn>(group: SpendGroup, column: C) =>
    (groups.includes(group) ? column : sql`NULL`) as SQL<RowOf<{ column: C }>["column"] | null>;
  return {
    appToken: d.appToken,
    /** Days since 1970 in UTC. */
    day: by("day", d.day),
    linkId: by("link", d.linkId),
    partnerId: by("partner", d.partnerId),
    costType: by("cost_type", d.costType),
    currency: d.currency,
  };
}
const KEYS = ["appToken", "day", "linkId", "partnerId", "costType", "currency"] as const;

const isMatched = sql`${d.state} = 'matched'`;
const sums = {
  // In units of 0.00001 of the currency, as text because they may exceed 2^53. Those of cpm are prices per 1,000 impressions.
  flat: sql<string>`CAST(sum(iif(${isMatched} AND ${d.costType} <> 'cpm', ${d.amount}, 0)) AS TEXT)`,
  perMille: sql<string>`CAST(sum(iif(${isMatched} AND ${d.costType} = 'cpm', ${d.amount}, 0)) AS TEXT)`,
  // Numbers of costs with an engagement: those with an amount, and those without.
  matched: sql<number>`sum(iif(${isMatched}, ${d.count}, 0))`,
  unpriced: sql<number>`sum(iif(${d.state} = 'unpriced', ${d.count}, 0))`,
};

/** The names are null in a report that does not group by the link or the partner. `linkLabel` is the link's own name. */
const linkNames = { linkToken: l.token, linkLabel: l.label };
const partnerNames = { partnerName: p.displayName };
const noNames = {
  linkToken: sql<string | null>`NULL`,
  linkLabel: sql<string | null>`NULL`,
  partnerName: sql<string | null>`NULL`,
};

/** The sums of the apps that `apps` selects: the fields, and what follows SELECT. */
function sumsOf(apps: SQL, groups: readonly SpendGroup[]) {
  const keys = keysOf(groups);
  const rest = sql`FROM ${as(d)}
    WHERE ${d.appToken} IN (${apps}) AND ${d.day} BETWEEN ${sql.placeholder("from")} AND ${sql.placeholder("to")}
    GROUP BY ${sql.join(Object.values(keys), sql`, `)}
    HAVING matched > 0 OR unpriced > 0`;
  return { fields: { ...keys, ...sums }, rest };
}

const inOrder = sql`ORDER BY ${sql.raw(KEYS.join(", "))} LIMIT ${sql.placeholder("limit")}`;

function reportOf(apps: SQL, groups: readonly SpendGroup[]) {
  const { fields, rest } = sumsOf(apps, groups);
  const g = columnsOf("g", fields);
  return query(
    { ...g, ...optional({ ...linkNames, ...partnerNames }) },
    sql`FROM (SELECT ${list(fields)} ${rest}) g
      LEFT JOIN ${as(l)} ON ${l.id} = ${g.linkId} LEFT JOIN ${as(p)} ON ${p.id} = ${g.partnerId} ${inOrder}`,
  );
}
type Report = ReturnType<typeof reportOf>;
export type SpendRow = ReturnType<Report> extends Bound<infer Row> ? Row : never;

/** For a shard, which has no users, links and partners. `apps` are those that DB allowed. */
function shardReportOf(groups: readonly SpendGroup[]): Report {
  const { fields, rest } = sumsOf(sql`SELECT value FROM json_each(${sql.placeholder("apps")})`, groups);
  return query({ ...fields, ...noNames }, sql`${rest} ${inOrder}`);
}

/** Days since 1970 in UTC, both inclusive. */
export interface DayRange {
  from: number;
  to: number;
}

/** The caller: the hash of an API token, or a user whose session was checked. */
export type Viewer = { kind: "token"; hash: string } | { kind: "user"; userId: number };

const isUser = sql`${m.userId} = ${sql.placeholder("userId")}`;
const isUsersApp = sql`${isUser} AND ${m.appToken} = ${sql.placeholder("appToken")}`;
const APPS = {
  token: sql`SELECT ${m.appToken} FROM ${as(t)} CROSS JOIN ${as(m)} ON ${isMember} WHERE ${isCaller}`,
  user: sql`SELECT ${m.appToken} FROM ${as(m)} WHERE ${isUsersApp}`,
  allOfUser: sql`SELECT ${m.appToken} FROM ${as(m)} WHERE ${isUser}`,
};
const access = {
  token: query(appAccess, sql`FROM ${as(t)} LEFT JOIN ${as(m)} ON ${isMember} WHERE ${isCaller}`),
  user: query(
    { userId: m.userId, ...optional({ appToken: m.appToken }) },
    sql`FROM ${as(m)} WHERE ${isUsersApp}`,
  ),
};

const reports = new Map<string, Report>();

/** Builds a report on first use. There are 15 for each way to select the apps. */
function reportFor(apps: keyof typeof APPS, groups: readonly SpendGroup[]): Report {
  const name = [apps, ...groups].join();
  const report = reports.get(name) ?? reportOf(APPS[apps], groups);
  reports.set(name, report);
  return report;
}

/**
 * Reads an app's spend, grouped and ordered by `groups`. Returns at most `limit` rows, and none without access. `access` is
 * undefined for an unknown token and for a user who is not a member.
 */
export async function findSpend(
  ledger: Ledger,
  viewer: Viewer,
  { groups, ...range }: DayRange & { appToken: string; groups: readonly SpendGroup[]; limit: number },
): Promise<{ access: AppAccess | undefined; rows: SpendRow[] }> {
  const { control } = ledger;
  const values = {
    ...range,
    ...(viewer.kind === "token" ? { tokenHash: viewer.hash } : { userId: viewer.userId }),
  };
  const [[found], rows] = await runGated(ledger, control, [
    access[viewer.kind](control, values),
    reportFor(viewer.kind, groups)(control, values),
  ]);
  const apps = found?.appToken ? [found.appToken] : [];
  return { access: found, rows: await addShards(ledger, rows, { ...range, apps, groups }) };
}

const OWN_GROUPS = ["day", "partner"] as const;

/** A statement for the batch of a page: the spend in DB of every app of a user, by day and partner. */
export function ownSpendStatement(db: D1Database, userId: number, days: DayRange): Bound<SpendRow> {
  return reportFor("allOfUser", OWN_GROUPS)(db, { ...days, userId, limit: -1 });
}

/** Adds the spend of the shards to the rows of `ownSpendStatement`. `apps` are the user's apps from the same batch. */
export function addOwnSpend(
  ledger: Ledger,
  found: SpendRow[],
  days: DayRange,
  apps: string[],
): Promise<SpendRow[]> {
  return addShards(ledger, found, { ...days, apps, groups: OWN_GROUPS, limit: -1 });
}

/**
 * Merges the rows of DB and of every shard by their keys, sorts them by the keys, and returns at most `limit` of them (-1 for
 * all). Returns `found` unchanged when the ledger is in DB. `apps` are those that DB allowed the viewer to see.
 */
async function addShards(
  ledger: Ledger,
  found: SpendRow[],
  { apps, groups, ...range }: DayRange & { apps: string[]; groups: readonly SpendGroup[]; limit: number },
): Promise<SpendRow[]> {
  if (ledger.shards.length === 0 || apps.length === 0) return found;
  const report = shardReportOf(groups);
  const values = { ...range, apps: JSON.stringify(apps) };
  const added = await runOnEveryShard(ledger, (db) => [report(db, values)]);
  const byKeys = Map.groupBy([...found, ...added.flat(2)], (row) =>
    JSON.stringify(KEYS.map((key) => row[key])),
  );
  const rows = [...byKeys.values()].map((same) => same.reduce(addUp)).sort(compare);
  return withNames(ledger, range.limit < 0 ? rows : rows.slice(0, range.limit));
}

function addUp(sum: SpendRow, row: SpendRow): SpendRow {
  return {
    ...sum,
    flat: String(BigInt(sum.flat) + BigInt(row.flat)),
    perMille: String(BigInt(sum.perMille) + BigInt(row.perMille)),
    matched: sum.matched + row.matched,
    unpriced: sum.unpriced + row.unpriced,
  };
}

function compare(left: SpendRow, right: SpendRow): number {
  for (const key of KEYS) {
    const [before, after] = [left[key] ?? "", right[key] ?? ""];
    if (before !== after) return before < after ? -1 : 1;
  }
  return 0;
}

const ids = sql`json_each(${sql.placeholder("ids")}) j`;
const findLinks = query(
  { linkId: l.id, ...linkNames },
  sql`FROM ${ids} CROSS JOIN ${as(l)} ON ${l.id} = j.value`,
);
const findPartners = query(
  { partnerId: p.id, ...partnerNames },
  sql`FROM ${ids} CROSS JOIN ${as(p)} ON ${p.id} = j.value`,
);

async function withNames({ control }: Ledger, rows: SpendRow[]): Promise<SpendRow[]> {
  const idsOf = (key: "linkId" | "partnerId") => [...new Set(rows.flatMap((row) => row[key] ?? []))];
  const [linkIds, partnerIds] = [idsOf("linkId"), idsOf("partnerId")];
  if (linkIds.length === 0 && partnerIds.length === 0) return rows;
  const [links, partners] = await runBatch(
    control,
    findLinks(control, { ids: JSON.stringify(linkIds) }),
    findPartners(control, { ids: JSON.stringify(partnerIds) }),
  );
  const linkOf = new Map(links.map((link) => [link.linkId, link]));
  const partnerOf = new Map(partners.map((partner) => [partner.partnerId, partner]));
  return rows.map((row) => ({
    ...row,
    ...linkOf.get(row.linkId ?? 0),
    ...partnerOf.get(row.partnerId ?? 0),
  }));
}
