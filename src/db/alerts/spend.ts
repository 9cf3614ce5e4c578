/** Sums the spend of apps, links and partners for the rules of alerts, all of them with one call to each database. */
import { type SQL, sql } from "drizzle-orm";
import { type SpendSums, sumSpend } from "../../domain/money.ts";
import { moneyOf } from "../cost-types.ts";
import { alias, as, query } from "../query.ts";
import { adjustments, dailyTotals, links } from "../schema.ts";
import { type Bound, chunk, runBatch } from "../statement.ts";
import { namesOfLinks } from "./subjects.ts";

/** What a rule of spend looks at. */
export interface SpendOf {
  /** The days of each sum. */
  periods: { key: string; from: number; to: number }[];
  /** Null: all apps. */
  app: string | null;
  currency: string;
  partnerId: number | null;
  /** With the links below it; null for all. It has an app. */
  linkToken: string | null;
}

const p = (name: string) => sql.placeholder(name);
const t = alias(dailyTotals, "t");
const a = alias(adjustments, "a");
/** The sums that rules look at, the links of those that have one, and the apps, each with the days that any of its sums has. */
const asked = sql`WITH q AS MATERIALIZED (
    SELECT j.key AS number, i.value ->> 'key' AS key, i.value ->> 'from' AS first, i.value ->> 'to' AS last,
      coalesce(j.value ->> 'app', '') AS app, j.value ->> 'currency' AS currency, j.value ->> 'partnerId' AS partner_id,
      j.value ->> 'linkToken' IS NOT NULL AS has_links
    FROM json_each(${p("rules")}) j CROSS JOIN json_each(j.value -> 'periods') i
  ), chosen AS MATERIALIZED (
    SELECT o.key AS number, i.value AS id FROM json_each(${p("links")}) o CROSS JOIN json_each(o.value) i
  ), scopes AS (
    SELECT app, app AS of_app, min(first) AS first, max(last) AS last FROM q WHERE app <> '' GROUP BY 1
    UNION ALL SELECT j.value, '', s.first, s.last FROM
      (SELECT min(first) AS first, max(last) AS last FROM q WHERE app = '') s CROSS JOIN json_each(${p("apps")}) j
  )`;
const sumsOf = (from: typeof t | typeof a, condition: SQL) =>
  sql`FROM scopes s CROSS JOIN ${as(from)} ON ${from.appToken} = s.app AND ${from.day} BETWEEN s.first AND s.last
    CROSS JOIN q ON q.app = s.of_app AND ${from.day} BETWEEN q.first AND q.last AND q.currency = ${from.currency}
      AND (q.partner_id IS NULL OR q.partner_id = ${from.partnerId})
      AND (NOT q.has_links OR (q.number, ${from.linkId}) IN (SELECT number, id FROM chosen))
    WHERE ${condition} GROUP BY q.key`;
const key = sql<string>`q.key`;
const { whole, rest } = moneyOf(t.costType, t.amount);
const costs = query(
  {
    key,
    costsWhole: sql<string>`cast(sum(${whole}) AS TEXT)`,
    costsRest: sql<string>`cast(sum(${rest}) AS TEXT)`,
  },
  sumsOf(t, sql`${t.state} = 'matched'`),
  asked,
);
const adjusted = query(
  {
    key,
    adjustedWhole: sql<string>`cast(sum(${a.amount} / 100000000) AS TEXT)`,
    adjustedRest: sql<string>`cast(sum(${a.amount} % 100000000) AS TEXT)`,
  },
  sumsOf(a, sql`true`),
  asked,
);

/** A link below which there are more counts with the first ones of them. */
const MAX_LINKS = 20_000;
const below = query(
  { ids: sql<string>`json_group_array(id)` },
  sql`FROM (SELECT id FROM below LIMIT ${sql.raw(String(MAX_LINKS))})`,
  sql`WITH RECURSIVE below(id) AS (
    SELECT ${links.id} FROM ${links} WHERE ${links.token} = ${p("linkToken")} AND ${links.appToken} = ${p("app")}
    UNION ALL
    SELECT l.id FROM below CROSS JOIN ${links} l INDEXED BY links_by_parent ON l.app_token = ${p("app")} AND l.parent_id = below.id
  )`,
);

/** A bound value holds at most 2 MB: the links of so many rules, and so many rules without one. */
const RULES_WITH_LINK = 8;
const RULES = 2_500;

type SumsRow = SpendSums & { key: string };

/**
 * Prepares what reads the sums in a batch on every database, and finds the names of the links of the rules. One call, if a rule has a
 * link. `apps`: all of them.
 */
export async function prepareSpend(control: D1Database, rules: SpendOf[], apps: string[]) {
  const withLink = rules.filter(({ linkToken }) => linkToken !== null);
  const tokens = JSON.stringify(withLink.map(({ linkToken }) => linkToken));
  const [names, ...ids] =
    withLink.length > 0
      ? await runBatch(
          control,
          namesOfLinks(control, { tokens }),
          ...withLink.map(({ app, linkToken }) => below(control, { app, linkToken })),
        )
      : [[]];
  const linksOf = new Map(withLink.map((rule, index) => [rule, ids[index]?.[0]?.ids]));
  const others = rules.filter(({ linkToken }) => linkToken === null);
  const values = [...chunk(withLink, RULES_WITH_LINK), ...chunk(others, RULES)].map((part) => ({
    rules: JSON.stringify(part),
    links: `[${part.map((rule) => linksOf.get(rule) ?? "[]").join()}]`,
    apps: JSON.stringify(part.some(({ app }) => app === null) ? apps : []),
  }));
  return {
    linkNames: new Map(names.map(({ token, name }) => [token, name])),
    // Adjustments are in DB only.
    sumsIn: (db: D1Database) =>
      (db === control ? [costs, adjusted] : [costs]).flatMap((sums) =>
        values.map((part) => sums(db, part) as Bound<SumsRow>),
      ),
  };
}

/** By the keys of periods, in units of 0.00000001. */
export const addSpend = (rows: SumsRow[]): Map<string, bigint> =>
  new Map([...Map.groupBy(rows, ({ key }) => key)].map(([key, of]) => [key, sumSpend(of)]));
