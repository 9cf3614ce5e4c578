/** What the prices on URLs of the last days added up to, of every partner, app and currency. */
import { sql } from "drizzle-orm";
import { type UrlPriceDays, USUAL_DAYS } from "../../../domain/figures/url-prices.ts";
import { query, type RowOf } from "../../query.ts";
import { dailyUrlPrices } from "../../schema.ts";
import { type Bound, MAX_COVERED } from "../../statement.ts";

/** So many are returned of each database, those with the highest of today and yesterday first. */
const MOST_SUMS = 5_000;

const u = dailyUrlPrices;
const { partnerId, appToken } = u;
const least = (column: typeof partnerId | typeof appToken, where: string) =>
  sql`(SELECT min(${column}) FROM ${u} WHERE ${sql.raw(where)})`;
const fields = {
  partnerId: sql<number>`s.partnerId`,
  appToken: sql<string>`s.appToken`,
  currency: sql<string>`s.currency`,
  /** JSON: each day and its sum, as text because it may exceed 2^53. */
  days: sql<string>`json_group_array(json_array(s.day, CAST(s.counted AS TEXT)))`,
};
// The key begins with the partner and the app, so both are found one after the other.
const sums = query(
  fields,
  sql`FROM (
    WITH RECURSIVE partner(id) AS (
      SELECT ${least(partnerId, "true")} UNION ALL
      SELECT ${least(partnerId, "partner_id > partner.id")} FROM partner WHERE partner.id IS NOT NULL
    ), found AS (
      SELECT id, ${least(appToken, "partner_id = partner.id")} AS app FROM partner WHERE id IS NOT NULL UNION ALL
      SELECT id, ${least(appToken, "partner_id = found.id AND app_token > found.app")} FROM found WHERE found.app IS NOT NULL
    )
    SELECT ${partnerId} AS partnerId, ${appToken} AS appToken, ${u.currency} AS currency, ${u.day} AS day, ${u.counted} AS counted
    FROM found CROSS JOIN ${u} ON ${partnerId} = found.id AND ${appToken} = found.app
      AND ${u.day} BETWEEN ${sql.placeholder("from")} AND ${sql.placeholder("today")}
    LIMIT ${sql.raw(String(MAX_COVERED))}
  ) s GROUP BY 1, 2, 3
  ORDER BY max(iif(s.day >= ${sql.placeholder("today")} - 1, s.counted, 0)) DESC LIMIT ${sql.raw(String(MOST_SUMS))}`,
);

/** Those of one database, of as many days as `judgeUrlPrices` looks at. For a batch. */
export function findUrlPriceDays(db: D1Database, today: number): Bound<RowOf<typeof fields>> {
  return sums(db, { from: today - 1 - USUAL_DAYS, today });
}

/** The sums of all databases. */
export function addUrlPriceDays(rows: RowOf<typeof fields>[]): UrlPriceDays[] {
  const found = new Map<string, UrlPriceDays & { counted: Map<number, bigint> }>();
  for (const { partnerId, appToken, currency, days } of rows) {
    const key = `${partnerId} ${appToken} ${currency}`;
    const counted = found.get(key)?.counted ?? new Map<number, bigint>();
    for (const [day, sum] of JSON.parse(days) as [number, string][])
      counted.set(day, (counted.get(day) ?? 0n) + BigInt(sum));
    found.set(key, { partnerId, appToken, currency, counted });
  }
  return [...found.values()];
}
