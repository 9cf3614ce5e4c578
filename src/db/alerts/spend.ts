/** Sums the spend of an app, a link or a partner for the rules of alerts. */
import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core/alias";
import { type SpendSums, sumSpend } from "../../domain/money.ts";
import { moneyOf } from "../cost-types.ts";
import { databasesOf, type Ledger, runGated } from "../ledger/shards.ts";
import { as, query } from "../query.ts";
import { adjustments, dailyTotals, links } from "../schema.ts";
import { type Bound, chunk, runBatch } from "../statement.ts";

/** What a rule of spend looks at. */
export interface SpendOf {
  /** All that count. */
  apps: string[];
  /** The days of each sum. */
  periods: { key: string; from: number; to: number }[];
  currency: string;
  partnerId: number | null;
  /** With the links below it; null for all. */
  linkToken: string | null;
}

const p = (name: string) => sql.placeholder(name);
const apps = sql`json_each(${p("apps")}) j`;
const t = alias(dailyTotals, "t");
const a = alias(adjustments, "a");
const isOf = ({ currency, partnerId, linkId }: typeof t | typeof a) =>
  sql`${currency} = ${p("currency")} AND (${p("partnerId")} IS NULL OR ${partnerId} = ${p("partnerId")})
    AND (${p("links")} IS NULL OR ${linkId} IN (SELECT value FROM json_each(${p("links")})))`;
const { whole, rest } = moneyOf(t.costType, t.amount);
const costs = query(
  {
    day: t.day,
    costsWhole: sql<string>`cast(sum(${whole}) AS TEXT)`,
    costsRest: sql<string>`cast(sum(${rest}) AS TEXT)`,
  },
  sql`FROM ${apps} CROSS JOIN ${as(t)} ON ${t.appToken} = j.value AND ${t.day} BETWEEN ${p("from")} AND ${p("to")}
    WHERE ${t.state} = 'matched' AND ${isOf(t)} GROUP BY ${t.day}`,
);
const adjusted = query(
  {
    day: a.day,
    adjustedWhole: sql<string>`cast(sum(${a.amount} / 100000000) AS TEXT)`,
    adjustedRest: sql<string>`cast(sum(${a.amount} % 100000000) AS TEXT)`,
  },
  sql`FROM ${apps} CROSS JOIN ${as(a)} ON ${a.appToken} = j.value AND ${a.day} BETWEEN ${p("from")} AND ${p("to")}
    WHERE ${isOf(a)} GROUP BY ${a.day}`,
);

/** A link below which there are more counts with the first ones of them. */
const MAX_LINKS = 20_000;
const below = query(
  { ids: sql<string>`json_group_array(id)` },
  sql`FROM (SELECT id FROM below LIMIT ${sql.raw(String(MAX_LINKS))})`,
  sql`WITH RECURSIVE below(id) AS (
    SELECT ${links.id} FROM ${links} WHERE ${links.token} = ${p("linkToken")}
      AND ${links.appToken} IN (SELECT value FROM json_each(${p("apps")}))
    UNION ALL
    SELECT l.id FROM below CROSS JOIN ${links} l INDEXED BY links_by_parent
      ON l.app_token IN (SELECT value FROM json_each(${p("apps")})) AND l.parent_id = below.id
  )`,
);

/** The statements of one call. */
const IN_CALL = 40;

type SumsOfDay = SpendSums & { day: number };

/** By the key of a period, in units of 0.00000001. */
export async function readSpend(ledger: Ledger, rules: SpendOf[]): Promise<Map<string, bigint>> {
  const { control } = ledger;
  const found = new Map<string, bigint>();
  for (const some of chunk(rules, IN_CALL)) {
    const withLink = some.filter(({ linkToken }) => linkToken !== null);
    const ids = withLink.length
      ? await runBatch(
          control,
          ...withLink.map(({ apps, linkToken }) => below(control, { apps: JSON.stringify(apps), linkToken })),
        )
      : [];
    const linksOf = new Map(withLink.map((rule, index) => [rule, ids[index]?.[0]?.ids ?? "[]"]));
    const values = some.map((rule) => ({
      apps: JSON.stringify(rule.apps),
      ...{ currency: rule.currency, partnerId: rule.partnerId },
      from: Math.min(...rule.periods.map(({ from }) => from)),
      to: Math.max(...rule.periods.map(({ to }) => to)),
      links: linksOf.get(rule) ?? null,
    }));
    const parts: SumsOfDay[][][] = await Promise.all([
      ...databasesOf(ledger).map((db) =>
        runGated(
          ledger,
          db,
          values.map((value): Bound<SumsOfDay> => costs(db, value)),
        ),
      ),
      runBatch(control, ...values.map((value): Bound<SumsOfDay> => adjusted(control, value) as never)),
    ]);
    some.forEach(({ periods }, index) => {
      const rows = parts.flatMap((part) => part[index] ?? []);
      for (const { key, from, to } of periods)
        found.set(key, sumSpend(rows.filter(({ day }) => from <= day && day <= to)));
    });
  }
  return found;
}
