/** What the prices on URLs of a partner add up to by day. */
import { sql } from "drizzle-orm";
import { query } from "../../query.ts";
import { dailyUrlPrices } from "../../schema.ts";
import { type Ledger, rowDatabasesOf, runGated } from "../shards.ts";

/** So many rows of a database are read. */
const MAX_ROWS = 20_000;

const d = dailyUrlPrices;
const days = query(
  {
    appToken: d.appToken,
    day: d.day,
    currency: d.currency,
    counted: sql<string>`CAST(${d.counted} AS TEXT)`,
    held: sql<string>`CAST(${d.held} AS TEXT)`,
    heldCount: d.heldCount,
  },
  sql`FROM ${d} WHERE ${d.partnerId} = ${sql.placeholder("partnerId")} AND ${d.day} >= ${sql.placeholder("from")} LIMIT ${sql.raw(String(MAX_ROWS))}`,
);

/** The sums of a partner's prices on URLs by app, day and currency, from a day on, the newest first. Money in units of 0.00000001. */
export async function listUrlPrices(ledger: Ledger, partnerId: number, from: number) {
  const parts = await Promise.all(
    rowDatabasesOf(ledger).map((db) => runGated(ledger, db, [days(db, { partnerId, from })])),
  );
  const rows = parts.flatMap(([found]) => found);
  const byKey = Map.groupBy(rows, ({ appToken, day, currency }) => `${day} ${appToken} ${currency}`);
  return [...byKey.values()]
    .flatMap((same) => {
      const [first] = same;
      const sum = (key: "counted" | "held") => same.reduce((total, row) => total + BigInt(row[key]), 0n);
      const heldCount = same.reduce((total, row) => total + row.heldCount, 0);
      return first ? [{ ...first, counted: sum("counted"), held: sum("held"), heldCount }] : [];
    })
    .sort((one, other) => other.day - one.day || one.appToken.localeCompare(other.appToken));
}
