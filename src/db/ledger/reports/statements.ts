/**
 * What a report reads, as a plan and as the statements of a database: for the apps of a viewer or those that DB allowed, and for
 * all links or some of them.
 */
import { type SQL, sql } from "drizzle-orm";
import { isByAudience } from "../../../domain/figures/groups.ts";
import type { DayRange } from "../../../domain/time.ts";
import { membership as m, perViewer, type Viewer } from "../../accounts/viewers.ts";
import { catalogStatement } from "../../links/partner-catalog.ts";
import { alias, as, optional, query } from "../../query.ts";
import { links } from "../../schema.ts";
import { type Bound, MAX_COVERED, type NamedRows, type Value } from "../../statement.ts";
import type { Ledger } from "../shards.ts";
import type { AnyRow, Group, ReportName } from "./sources.ts";
import {
  type AudienceMode,
  BELOW,
  findSubtree,
  IDS,
  IDS_BELOW,
  judgementOf,
  linkChainsOf,
  newestDaysOf,
  sumsOf,
} from "./totals.ts";

/** Which totals reports sum. An undefined value does not filter. */
export interface Filters {
  /** The token of a link: only this link and everything below it, or with `direct` only the link itself. */
  link?: string | undefined;
  direct?: "1" | undefined;
  partnerId?: number | undefined;
  costType?: string | undefined;
  currency?: string | undefined;
  kind?: string | undefined;
  country?: string | undefined;
  platform?: string | undefined;
}

/** A report of some days, and the groups that its sums have. */
export type Part = {
  [R in ReportName]: DayRange & { report: R; groups: readonly Group<R>[]; isOptional?: boolean };
}[ReportName];
export type Parts = Record<string, Part>;

/** Whose apps: one of a viewer, all of a viewer, or, for operators, these. The first two are checked in every call to DB. */
type Whose = { viewer: Viewer; appToken: string } | { viewer: Viewer; apps: string[] } | { apps: string[] };

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

/** The most sums that a report reads from one database, and the most rows that it can have. */
export const MAX_ROWS = 50_000;
/** The most rows that a call reads, unless one day has more. */
const MAX_READ = 600_000;
/**
 * How often a sum reads a row of totals: from the table, by its key, and by its group. Twice as often by country, which looks for
 * the links first.
 */
const READS_OF_SUM = 3;

/** What a request reads, and what its statements need in DB. */
export function toPlan(ledger: Ledger, request: SumsRequest<Parts>) {
  const { whose, filters = {}, hasSeries = false, isPartialAllowed = false, canBeCut = false } = request;
  const viewer = "viewer" in whose ? whose.viewer : undefined;
  const appToken = "appToken" in whose ? whose.appToken : undefined;
  const parts = Object.entries<Part>(request.parts);
  const groups = parts.flatMap(([, part]): string[] => [...part.groups]);
  const isByLink = groups.includes("link");
  const audience = audienceOf(groups, filters);
  // The newest days of those before are counted in the same call, and one day more.
  const reads = audience ? 2 * READS_OF_SUM : READS_OF_SUM;
  const passes = passesOf(parts.map(([, part]) => part));
  const most = Math.floor(MAX_READ / (reads * passes + 2));
  const scope: Scope = {
    reports: [...new Set(parts.map(([, { report }]) => report))],
    apps: !viewer ? ALLOWED : appToken === undefined ? everyApp(viewer) : oneApp(viewer),
    links: filters.link === undefined ? "all" : "below",
    audience,
  };
  const values = {
    ...toValues(filters),
    ...viewer,
    appToken: appToken ?? null,
    most,
    apps: "apps" in whose ? JSON.stringify(whose.apps) : "[]",
  };
  return {
    ...{ ledger, whose, viewer, appToken, filters, parts, hasSeries, isPartialAllowed, canBeCut, isByLink },
    days: {
      from: Math.min(...parts.map(([, { from }]) => from)),
      to: Math.max(...parts.map(([, { to }]) => to)),
    },
    /** The most rows that a call covers if it reads all days. */
    mostOfAll: passes > 1 || audience || isByLink ? most : MAX_COVERED,
    control: { db: ledger.control, scope, values } as Place,
    catalog: viewer && catalogStatement(ledger.control, viewer),
  };
}
export type Plan = ReturnType<typeof toPlan>;

/** How often most days are read for one report. What is by one group is about few days. */
function passesOf(parts: Part[]): number {
  const large = parts.filter(({ groups }) => groups.length > 1);
  const at = (day: number, name: ReportName) =>
    large.filter(({ report, from, to }) => report === name && from <= day && day <= to).length;
  return Math.max(1, ...large.map(({ report, from }) => at(from, report)));
}

/** A database of a report, and what its statements need there. */
export type Place = { db: D1Database; scope: Scope; values: Record<string, Value> };

/** What the first call to DB reads beside the totals. */
export const viewOf = ({ ledger, control: { db, values }, viewer, appToken, filters, catalog }: Plan) => ({
  access: viewer && appToken !== undefined ? access(viewer)(db, values) : undefined,
  partners: catalog?.bound,
  below: filters.link !== undefined && ledger.shards.length > 0 ? findSubtree(db, values) : undefined,
});
export type View = NamedRows<ReturnType<typeof viewOf>>;

/** The apps that DB allowed. */
export function appsOf({ whose, appToken, filters }: Plan, [viewed]: View["access"]): string[] {
  if (appToken === undefined) return "apps" in whose ? whose.apps : [];
  const isFound = filters.link === undefined || viewed?.level != null;
  return viewed?.appToken && isFound ? [appToken] : [];
}

/** The shards, which have neither users nor links; none if DB allowed no app. */
export function shardsOf(plan: Plan, { access, below }: View): Place[] {
  const { ledger, filters, control } = plan;
  const apps = appsOf(plan, access);
  if (apps.length === 0) return [];
  const scope = {
    ...control.scope,
    apps: ALLOWED,
    links: filters.link === undefined ? "all" : "known",
  } as const;
  const ids = JSON.stringify(below.map(({ id }) => id));
  return ledger.shards.map((db) => ({
    db,
    scope,
    values: { ...control.values, apps: JSON.stringify(apps), ids },
  }));
}

/** The sums of each part in some days, by its name. */
export function sumsIn({ parts, hasSeries }: Plan, { db, scope, values }: Place, days: DayRange) {
  const statements = parts.map(([name, { report, groups, from, to }]) => {
    const own = { from: Math.max(from, days.from), to: Math.min(to, days.to) };
    // The days of one day are that day.
    const isDaily = hasSeries && own.from < own.to;
    const bound =
      own.from <= own.to ? sumsFor(scope, report, groups, isDaily)(db, { ...values, ...own }) : undefined;
    return [name, bound] as const;
  });
  return Object.fromEntries<Bound<AnyRow> | undefined>(statements);
}

/** The first of the newest days of these that one call reads. */
export const newestIn = ({ db, scope, values }: Place, days: DayRange | undefined) => ({
  days: days && newestDaysFor(scope)(db, { ...values, ...days }),
});

/** Aborts the batch of a place if the days have more rows than one call reads. By link, the links do that in DB. */
export const judgementIn = ({ db, scope, values }: Place, { days, mostOfAll: most }: Plan) =>
  judgementFor(scope)(db, { ...values, ...days, most });
export const linksIn = ({ db, scope, values }: Place, { days, mostOfAll: most }: Plan) =>
  linksFor(scope)(db, { ...values, ...days, most });

/** Which counts by country and platform a report needs; undefined for none. */
function audienceOf(groups: readonly string[], { country, platform }: Filters): AudienceMode | undefined {
  if (country !== undefined || platform !== undefined) return "filtered";
  return isByAudience(groups) ? "grouped" : undefined;
}

/** Which apps a statement sums. `name` identifies it. */
type Apps = { name: string; sql: SQL };
// With `=`, SQLite knows that the totals are in order, and reads them without sorting.
const oneApp = perViewer(
  ({ name, from, isMember, isViewer }): Apps => ({
    name,
    sql: sql`= (SELECT ${m.appToken} FROM ${from} CROSS JOIN ${as(m)} ON ${isMember} WHERE ${isViewer})`,
  }),
);
const everyApp = perViewer(
  ({ name, from, isOwn, isViewer }): Apps => ({
    name: `all of ${name}`,
    sql: sql`IN (SELECT ${m.appToken} FROM ${from} CROSS JOIN ${as(m)} ON ${isOwn} WHERE ${isViewer})`,
  }),
);
/** Those that DB allowed, for a shard, which has no users, and for operators. */
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
const foundLink = optional({ level: f.level, label: f.label });
const access = perViewer(({ appAccess, from, isMember, isViewer }) =>
  query(
    { ...appAccess, ...foundLink },
    sql`FROM ${from} LEFT JOIN ${as(m)} ON ${isMember} ${joinFilter} WHERE ${isViewer}`,
  ),
);

const built = new Map<string, unknown>();

/** Builds a statement on first use: there are many combinations, and most are never used. */
function once<S>(name: string, build: () => S): S {
  const found = (built.get(name) as S | undefined) ?? build();
  built.set(name, found);
  return found;
}

type Links = keyof typeof LINKS;

/** What the statements of reports that are read together have in common. */
type Scope = { reports: readonly ReportName[]; apps: Apps; links: Links; audience: AudienceMode | undefined };

const selectionOf = ({ apps, links, audience }: Scope) => ({ apps: apps.sql, ...LINKS[links], audience });
const nameOf = ({ reports, apps, links, audience }: Scope) => [...reports, apps.name, links, audience].join();

const sumsFor = (scope: Scope, report: ReportName, groups: readonly string[], hasSeries: boolean) =>
  once([nameOf({ ...scope, reports: [report] }), hasSeries, ...groups].join(), () =>
    sumsOf(report, groups, { ...selectionOf(scope), hasSeries }),
  );
/** The links of the totals of reports, with those above them. Judges the reports too. */
const linksFor = (scope: Scope) =>
  once(`${nameOf(scope)} links`, () => linkChainsOf(scope.reports, selectionOf(scope)));

/** Judges reports together. Only of the audience, the links make the rows fewer. */
const judgementFor = (scope: Scope) =>
  once(`${nameOf(scope)} judgement`, () =>
    judgementOf(scope.reports, scope.audience ? selectionOf(scope) : { apps: scope.apps.sql }),
  );
/** The newest days that one call reads. */
const newestDaysFor = (scope: Scope) =>
  once(`${nameOf(scope)} days`, () =>
    newestDaysOf(scope.reports, scope.audience ? selectionOf(scope) : { apps: scope.apps.sql }),
  );

export function toValues(filters: Filters): Record<string, Value> {
  const none = {
    ...{ link: null, direct: null, partnerId: null, costType: null, currency: null, kind: null },
    ...{ country: null, platform: null },
  };
  const given = Object.entries(filters).filter(([, value]) => value !== undefined);
  return { ...none, ...Object.fromEntries(given), limit: MAX_ROWS + 1 };
}
