/**
 * The SQL of reports, over the daily totals: a report's reads do not grow with the number of costs and engagements, and a purge
 * does not change it. SQL sums the totals of each link, and reports.ts adds up links: joining links to totals in SQL would read
 * several rows more for each total.
 */
import { type AnyColumn, type SQL, sql, type Table } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { ancestors, l1, l2, l3 } from "../links/links.ts";
import { l } from "../links/lists.ts";
import { as, type Fields, list, query, type RowOf } from "../query.ts";
import { dailyEngagements, dailyTotals, links } from "../schema.ts";
import { statement } from "../statement.ts";

const d = alias(dailyTotals, "d");
const e = alias(dailyEngagements, "e");

const equals = (column: AnyColumn, value: string) =>
  sql`(${sql.placeholder(value)} IS NULL OR ${column} = ${sql.placeholder(value)})`;

/** A table of totals and what a report says about it. */
interface Source {
  table: Table;
  /** The keys of a row, in the order in which rows are sorted. */
  keys: Fields & Record<"appToken" | "day" | "linkId" | "partnerId", AnyColumn>;
  /** The key of each group. A report has NULL for those it does not group by. */
  groups: Record<string, string>;
  /** The filters in addition to the app, the days, the partner and the link. */
  filter: SQL;
  /** Sums that may exceed 2^53, so a row has them as text. */
  money: Fields;
  counts: Fields;
  /** The rows that a report shows. */
  having: SQL;
}

const isMatched = sql`${d.state} = 'matched'`;

export const SOURCES = {
  spend: {
    table: d,
    keys: {
      appToken: d.appToken,
      /** Days since 1970 in UTC. */
      day: d.day,
      linkId: d.linkId,
      partnerId: d.partnerId,
      costType: d.costType,
      currency: d.currency,
    },
    groups: { day: "day", link: "linkId", partner: "partnerId", cost_type: "costType" } as const,
    filter: sql`${equals(d.costType, "costType")} AND ${equals(d.currency, "currency")}`,
    // In units of 0.00001 of the currency. Those of cpm are prices per 1,000 impressions.
    money: {
      flat: sql<number>`sum(iif(${isMatched} AND ${d.costType} <> 'cpm', ${d.amount}, 0))`,
      perMille: sql<number>`sum(iif(${isMatched} AND ${d.costType} = 'cpm', ${d.amount}, 0))`,
    },
    // Numbers of costs with an engagement: those with an amount, and those without.
    counts: {
      matched: sql<number>`sum(iif(${isMatched}, ${d.count}, 0))`,
      unpriced: sql<number>`sum(iif(${d.state} = 'unpriced', ${d.count}, 0))`,
    },
    having: sql`matched > 0 OR unpriced > 0`,
  },
  engagements: {
    table: e,
    keys: { appToken: e.appToken, day: e.day, linkId: e.linkId, partnerId: e.partnerId, kind: e.kind },
    groups: { day: "day", link: "linkId", partner: "partnerId", kind: "kind" } as const,
    filter: equals(e.kind, "kind"),
    money: {},
    counts: { count: sql<number>`sum(${e.count})`, recorded: sql<number>`sum(${e.recorded})` },
    having: sql`true`,
  },
} satisfies Record<string, Source>;

export type ReportName = keyof typeof SOURCES;
export type Group<R extends ReportName> = keyof (typeof SOURCES)[R]["groups"] & string;

type Keys<R extends ReportName> = RowOf<(typeof SOURCES)[R]["keys"]>;
type Grouped<R extends ReportName> = (typeof SOURCES)[R]["groups"][Group<R>] & keyof Keys<R>;

/** A row of a report. The keys that it does not group by are null, and so are the names that belong to them. */
export type ReportRow<R extends ReportName> = Omit<Keys<R>, Grouped<R>> & {
  [K in Grouped<R>]: Keys<R>[K] | null;
} & Record<keyof (typeof SOURCES)[R]["money"], string> &
  Record<keyof (typeof SOURCES)[R]["counts"], number> &
  Names;

interface Names {
  linkToken?: string | null;
  /** The link's own name. */
  linkLabel?: string | null;
  /** With the names of the links above it. */
  linkName?: string | null;
  partnerName?: string | null;
}

/** What the rows of all reports have, and a row's other keys and sums by name. */
export interface AnyRow extends Names {
  appToken: string;
  day: number | null;
  linkId: number | null;
  partnerId: number | null;
  [name: string]: string | number | null | undefined;
}

/** Which totals a statement sums: those of some apps, of all links or of some. Each is what follows the column in SQL. */
export interface Selection {
  apps: SQL;
  links?: SQL | undefined;
}

const NULL = sql`NULL`;
const comma = sql`, `;

const isSelected = ({ keys, filter }: Source, { apps, links }: Selection) => sql`${keys.appToken} ${apps}
  AND ${keys.day} BETWEEN ${sql.placeholder("from")} AND ${sql.placeholder("to")}
  AND ${equals(keys.partnerId, "partnerId")} AND ${filter} ${links ? sql`AND ${keys.linkId} ${links}` : sql``}`;

/** The sums of the totals by the keys of the groups, without names. */
export function sumsOf(report: ReportName, groups: readonly string[], selection: Selection) {
  const source: Source = SOURCES[report];
  const { table, keys, money, counts, having } = source;
  const grouped = groups.map((group) => source.groups[group]);
  const isNull = (key: string) => Object.values(source.groups).includes(key) && !grouped.includes(key);
  const shown = Object.entries(keys).filter(([key]) => !isNull(key));
  const fields: Fields = {
    ...Object.fromEntries(Object.keys(keys).map((key) => [key, NULL])),
    ...Object.fromEntries(shown),
    ...Object.fromEntries(Object.entries(money).map(([name, sum]) => [name, sql`CAST(${sum} AS TEXT)`])),
    ...counts,
  };
  const inOrder = sql.join(
    shown.map(([, column]) => column),
    comma,
  );
  return statement<AnyRow>(sql`SELECT ${list(fields)} FROM ${as(table)} WHERE ${isSelected(source, selection)}
    GROUP BY ${inOrder} HAVING ${having} ORDER BY ${inOrder} LIMIT ${sql.placeholder("limit")}`);
}

/** A value of the link that `l` is added to: its ancestor of the level, or itself if it is not below that level. */
const ofTarget = (...values: [own: SQL | AnyColumn, ...above: (SQL | AnyColumn)[]]) => {
  const cases = values.map((value, distance) => sql` WHEN ${sql.raw(String(distance))} THEN ${value}`);
  return sql<string>`CASE max(${l.level} - coalesce(${sql.placeholder("level")}, 4), 0)${sql.join(cases)} END`;
};
const prefix = (label: AnyColumn) => sql`coalesce(${label} || '::', '')`;

const targetFields = {
  linkId: l.id,
  targetId: sql<number>`${ofTarget(l.id, l1.id, l2.id, l3.id)}`,
  linkToken: ofTarget(l.token, l1.token, l2.token, l3.token),
  linkLabel: ofTarget(l.label, l1.label, l2.label, l3.label),
  linkName: ofTarget(
    sql`${prefix(l3.label)} || ${prefix(l2.label)} || ${prefix(l1.label)} || ${l.label}`,
    sql`${prefix(l3.label)} || ${prefix(l2.label)} || ${l1.label}`,
    sql`${prefix(l3.label)} || ${l2.label}`,
    l3.label,
  ),
};
/** A link of a report, and the link that it is added to. */
export type Target = RowOf<typeof targetFields>;

const targetsOf = (ids: SQL) =>
  query(targetFields, sql`FROM (${ids}) ids CROSS JOIN ${as(l)} ON ${l.id} = ids.id ${ancestors}`);

/** The links of the totals. */
export function linksOf(report: ReportName, selection: Selection) {
  const source: Source = SOURCES[report];
  const { table, keys } = source;
  return targetsOf(
    sql`SELECT DISTINCT ${keys.linkId} AS id FROM ${as(table)} WHERE ${isSelected(source, selection)}`,
  );
}

export const IDS = sql`SELECT value AS id FROM json_each(${sql.placeholder("ids")})`;
/** The links with these IDs. */
export const findTargets = targetsOf(IDS);

const c = alias(links, "c");
/** The link of the filter and everything below it. */
export const SUBTREE = sql`WITH RECURSIVE below(id) AS (
    SELECT ${c.id} FROM ${as(c)} WHERE ${c.token} = ${sql.placeholder("link")} AND ${c.appToken} = ${sql.placeholder("appToken")}
    UNION ALL SELECT ${c.id} FROM below CROSS JOIN ${as(c)} INDEXED BY links_by_parent
      ON ${c.appToken} = ${sql.placeholder("appToken")} AND ${c.parentId} = below.id
  ) SELECT id FROM below`;
export const findSubtree = statement<{ id: number }>(SUBTREE);
