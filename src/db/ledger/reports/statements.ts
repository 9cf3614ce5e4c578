/** The statements of reports: for the apps of a viewer or the apps that DB allowed, and for all links or some of them. */
import { type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core/alias";
import { membership as m, perViewer } from "../../accounts/viewers.ts";
import { as, optional, query } from "../../query.ts";
import { links } from "../../schema.ts";
import { type Bound, statement, type Value } from "../../statement.ts";
import { BELOW, IDS, IDS_BELOW, linksOf } from "./report-links.ts";
import type { ReportName } from "./sources.ts";
import { type AudienceMode, judgementOf, sumsOf } from "./totals.ts";

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
  country?: string | undefined;
  platform?: string | undefined;
}

/** Which counts by country and platform a report needs; undefined for none. */
export function audienceOf({
  groups = [],
  country,
  platform,
}: Partial<ReportScope>): AudienceMode | undefined {
  if (country !== undefined || platform !== undefined) return "filtered";
  return groups.includes("country") || groups.includes("platform") ? "grouped" : undefined;
}

/** Which apps a statement sums. `name` identifies it. */
interface Apps {
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
export function once<S>(name: string, build: () => S): S {
  const statement = (built.get(name) as S | undefined) ?? build();
  built.set(name, statement);
  return statement;
}

type Links = keyof typeof LINKS;

export function sumsFor(
  report: ReportName,
  scope: Pick<ReportScope, "groups" | "country" | "platform">,
  apps: Apps,
  links: Links,
  hasSeries = false,
) {
  const { groups } = scope;
  const audience = audienceOf(scope);
  const selection = { apps: apps.sql, ...LINKS[links], audience, hasSeries };
  return once([report, apps.name, links, audience, hasSeries, ...groups].join(), () =>
    sumsOf(report, groups, selection),
  );
}
/** The links of a report. Judges the report too. */
export function linksFor(report: ReportName, apps: Apps, links: Links, audience?: AudienceMode) {
  const selection = { apps: apps.sql, ...LINKS[links], audience };
  return once([report, apps.name, links, audience, "links"].join(), () => linksOf(report, selection));
}

/** Judges reports that are read together. Only by country and platform, the links make the rows fewer. */
export function judgementFor(
  reports: readonly ReportName[],
  apps: Apps,
  links: Links = "all",
  audience?: AudienceMode,
) {
  const selection = audience ? { apps: apps.sql, ...LINKS[links], audience } : { apps: apps.sql };
  return once([...reports, apps.name, audience && links, audience, "judgement"].join(), () =>
    judgementOf(reports, selection),
  );
}

/** A report and its days. `isJudged`: another statement of the batch judges it. */
interface Covering {
  report: ReportName;
  scope: DayRange & Partial<ReportScope>;
  isJudged?: boolean;
}

/**
 * The judgements of reports, for their batch, before the statements that sum: a report that covers too many rows aborts it. The
 * days of a report that are within those of another one need no judgement of their own.
 */
export function judgementsOf(
  db: D1Database,
  apps: Apps,
  reports: readonly Covering[],
  values: Record<string, Value>,
  links: Links = "all",
): Bound<never>[] {
  const covers = (one: Covering, other: Covering) =>
    one.report === other.report &&
    audienceOf(one.scope) === audienceOf(other.scope) &&
    one.scope.from <= other.scope.from &&
    one.scope.to >= other.scope.to;
  return reports
    .filter((one, index) => {
      const isWithin = (other: Covering, at: number) =>
        at !== index && covers(other, one) && (!covers(one, other) || other.isJudged || at < index);
      return !one.isJudged && !reports.some(isWithin);
    })
    .map(({ report, scope }) => {
      const { from, to } = scope;
      return judgementFor([report], apps, links, audienceOf(scope))(db, { ...values, from, to });
    });
}

/** The most sums that a report reads from one database, and the most rows that it can have. */
export const MAX_ROWS = 50_000;

export function toValues({ groups: _, ...scope }: ReportScope): Record<string, Value> {
  const none = {
    ...{ link: null, level: null, partnerId: null, costType: null, currency: null, kind: null },
    ...{ country: null, platform: null },
  };
  const given = Object.entries(scope).filter(([, value]) => value !== undefined);
  return { ...none, ...Object.fromEntries(given), limit: MAX_ROWS + 1 };
}

/** In the place of a statement that a report does not need. */
export const nothing = statement<never>(sql`SELECT NULL WHERE false`);
