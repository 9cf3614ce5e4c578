/** The statements of reports: for the apps of a viewer or the apps that DB allowed, and for all links or some of them. */
import { type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core/alias";
import { membership as m, perViewer } from "../../accounts/viewers.ts";
import { as, optional, query } from "../../query.ts";
import { links } from "../../schema.ts";
import type { Value } from "../../statement.ts";
import { BELOW, IDS, IDS_BELOW, linkChainsOf } from "./report-links.ts";
import type { ReportName } from "./sources.ts";
import { type AudienceMode, judgementOf, newestDaysOf, sumsOf } from "./totals.ts";

/** Days since 1970 in UTC, both inclusive. */
export interface DayRange {
  from: number;
  to: number;
}

/** Which totals reports sum. An undefined value does not filter. */
export interface Filters {
  /** The token of a link: only this link and everything below it. */
  link?: string | undefined;
  partnerId?: number | undefined;
  costType?: string | undefined;
  currency?: string | undefined;
  kind?: string | undefined;
  country?: string | undefined;
  platform?: string | undefined;
}

/** Which counts by country and platform a report needs; undefined for none. */
export function audienceOf(
  groups: readonly string[],
  { country, platform }: Filters,
): AudienceMode | undefined {
  if (country !== undefined || platform !== undefined) return "filtered";
  return groups.includes("country") || groups.includes("platform") ? "grouped" : undefined;
}

/** Which apps a statement sums. `name` identifies it. */
export interface Apps {
  name: string;
  sql: SQL;
}
// With `=`, SQLite knows that the totals are in order, and reads them without sorting.
export const oneApp = perViewer(
  ({ name, from, isMember, isViewer }): Apps => ({
    name,
    sql: sql`= (SELECT ${m.appToken} FROM ${from} CROSS JOIN ${as(m)} ON ${isMember} WHERE ${isViewer})`,
  }),
);
export const everyApp = perViewer(
  ({ name, from, isOwn, isViewer }): Apps => ({
    name: `all of ${name}`,
    sql: sql`IN (SELECT ${m.appToken} FROM ${from} CROSS JOIN ${as(m)} ON ${isOwn} WHERE ${isViewer})`,
  }),
);
/** Those that DB allowed, for a shard, which has no users, and for operators. */
export const ALLOWED: Apps = {
  name: "allowed",
  sql: sql`IN (SELECT value FROM json_each(${sql.placeholder("apps")}))`,
};
export const LINKS = {
  below: { links: sql`IN (${IDS_BELOW})`, cte: BELOW },
  known: { links: sql`IN (${IDS})` },
  all: {},
};

const f = alias(links, "f");
const joinFilter = sql`LEFT JOIN ${as(f)} ON ${f.token} = ${sql.placeholder("link")} AND ${f.appToken} = ${m.appToken}`;
const foundLink = optional({ level: f.level, label: f.label });
export const access = perViewer(({ appAccess, from, isMember, isViewer }) =>
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

export type Links = keyof typeof LINKS;

/** What the statements of reports that are read together have in common. */
export interface Scope {
  reports: readonly ReportName[];
  apps: Apps;
  links: Links;
  audience: AudienceMode | undefined;
}

const selectionOf = ({ apps, links, audience }: Scope) => ({ apps: apps.sql, ...LINKS[links], audience });
const nameOf = ({ reports, apps, links, audience }: Scope) => [...reports, apps.name, links, audience].join();

export const sumsFor = (scope: Scope, report: ReportName, groups: readonly string[], hasSeries: boolean) =>
  once([nameOf({ ...scope, reports: [report] }), hasSeries, ...groups].join(), () =>
    sumsOf(report, groups, { ...selectionOf(scope), hasSeries }),
  );
/** The links of reports. Judges the reports too. */
export const linksFor = (scope: Scope) =>
  once(`${nameOf(scope)} links`, () => linkChainsOf(scope.reports, selectionOf(scope)));

/** Judges reports together. Only of the audience, the links make the rows fewer. */
export const judgementFor = (scope: Scope) =>
  once(`${nameOf(scope)} judgement`, () =>
    judgementOf(scope.reports, scope.audience ? selectionOf(scope) : { apps: scope.apps.sql }),
  );
/** The newest days that one call reads. */
export const newestDaysFor = (scope: Scope) =>
  once(`${nameOf(scope)} days`, () =>
    newestDaysOf(scope.reports, scope.audience ? selectionOf(scope) : { apps: scope.apps.sql }),
  );

/** The most sums that a report reads from one database, and the most rows that it can have. */
export const MAX_ROWS = 50_000;

export function toValues(filters: Filters): Record<string, Value> {
  const none = {
    ...{ link: null, partnerId: null, costType: null, currency: null, kind: null },
    ...{ country: null, platform: null },
  };
  const given = Object.entries(filters).filter(([, value]) => value !== undefined);
  return { ...none, ...Object.fromEntries(given), limit: MAX_ROWS + 1 };
}
