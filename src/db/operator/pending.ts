/** Sums the pending costs of all partners. */
import { sql } from "drizzle-orm";
import { sumOf } from "../../domain/figures/performance.ts";
import { COST_WINDOW_MS, DAY_MS } from "../../domain/time.ts";
import { moneyOf } from "../cost-types.ts";
import { databasesOf, type Ledger, runGated } from "../ledger/shards.ts";
import { query } from "../query.ts";
import { dailyTotals, partners } from "../schema.ts";
import { runBatch } from "../statement.ts";

const { partnerId, currency, costType, amount, count, appToken, day } = dailyTotals;
/** Costs that arrived on an earlier day have lapsed. */
const firstDay = sql`cast((${sql.placeholder("now")} - ${sql.raw(String(COST_WINDOW_MS))}) / ${sql.raw(String(DAY_MS))} AS INTEGER)`;

const waiting = moneyOf(costType, amount);

/** Sums the costs that have not lapsed, exact to the day. The sums are text because they may exceed 2^53. */
export const pending = query(
  {
    partnerId,
    currency,
    count: sql<number>`sum(${count})`,
    costsWhole: sql<string>`cast(sum(${waiting.whole}) AS TEXT)`,
    costsRest: sql<string>`cast(sum(${waiting.rest}) AS TEXT)`,
  },
  sql`FROM ${dailyTotals}
    WHERE ${appToken} = '' AND ${day} >= ${firstDay}
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
  return [...Map.groupBy(rows, ({ partnerId }) => partnerId)].flatMap(([partnerId, ofPartner]) =>
    [...Map.groupBy(ofPartner, ({ currency }) => currency)].map(([currency, ofCurrency]) => ({
      partnerId,
      partner: nameOf.get(partnerId) ?? "",
      currency,
      count: sumOf(ofCurrency, ({ count }) => count),
      rows: ofCurrency,
    })),
  );
}
