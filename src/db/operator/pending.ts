/** Sums the pending costs of all partners. */
import { sql } from "drizzle-orm";
import { databasesOf, type Ledger, runGated } from "../ledger/shards.ts";
import { query } from "../query.ts";
import { dailyTotals, partners } from "../schema.ts";
import { runBatch } from "../statement.ts";

const { partnerId, currency, costType, amount, count, appToken, day } = dailyTotals;

/**
 * Sums the costs that have not lapsed, which they do after seven days. Exact to the day. The sums are of 0.00001 currency units,
 * as text because they may exceed 2^53: `perMille` of cpm amounts, which are prices per 1,000 impressions, `flat` of all others.
 */
const pending = query(
  {
    partnerId,
    currency,
    count: sql<number>`sum(${count})`,
    flat: sql<string>`cast(sum(iif(${costType} = 'cpm', 0, ${amount})) AS TEXT)`,
    perMille: sql<string>`cast(sum(iif(${costType} = 'cpm', ${amount}, 0)) AS TEXT)`,
  },
  sql`FROM ${dailyTotals}
    WHERE ${appToken} = '' AND ${day} >= cast((${sql.placeholder("now")} - 604800000) / 86400000 AS INTEGER)
    GROUP BY ${partnerId}, ${currency} HAVING sum(${count}) <> 0`,
);
const partnerNames = query(
  { id: partners.id, name: partners.displayName },
  sql`FROM json_each(${sql.placeholder("ids")}) j CROSS JOIN ${partners} ON ${partners.id} = j.value`,
);

export type PendingSpend = Awaited<ReturnType<typeof listPendingSpend>>[number];

/** Sums the costs whose engagement may still arrive, by partner and currency. `rows` has one row of sums per database. */
export async function listPendingSpend(ledger: Ledger, now: number) {
  const { control } = ledger;
  const found = await Promise.all(
    databasesOf(ledger).map((db) => runGated(ledger, db, [pending(db, { now })])),
  );
  const rows = found
    .flat(2)
    .sort((left, right) => left.partnerId - right.partnerId || left.currency.localeCompare(right.currency));
  if (rows.length === 0) return [];
  const ids = JSON.stringify([...new Set(rows.map((row) => row.partnerId))]);
  const [partnerRows] = await runBatch(control, partnerNames(control, { ids }));
  const nameOf = new Map(partnerRows.map(({ id, name }) => [id, name]));
  return [...Map.groupBy(rows, (row) => `${row.partnerId} ${row.currency}`).values()].flatMap((some) =>
    some.slice(0, 1).map(({ partnerId, currency }) => ({
      partnerId,
      partner: nameOf.get(partnerId) ?? "",
      currency,
      count: some.reduce((sum, row) => sum + row.count, 0),
      rows: some,
    })),
  );
}
