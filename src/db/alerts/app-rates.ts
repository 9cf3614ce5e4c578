/** The discrepancy of each partner in each app, for the lists and the rules of apps: counted by the cron once a day. */
import { sql } from "drizzle-orm";
import { COST_TYPE, type CostType, TYPES_WITH_DISCREPANCY } from "../../domain/cost-types.ts";
import { RATE_DAYS } from "../../domain/figures/rates.ts";
import { DAY_MS, dayOf } from "../../domain/time.ts";
import { COLUMNS } from "../ledger/entries.ts";
import { databasesOf, type Ledger, runGated } from "../ledger/shards.ts";
import { countDiscrepancies, type Discrepancies, firstIds, MAX_IDS } from "../operator/discrepancy.ts";
import { alias, as, insertInto, jsonValues, pick, query, type Sent } from "../query.ts";
import { appRates } from "../schema.ts";
import { type Bound, chunk, statement } from "../statement.ts";

const counts = query(
  {
    click: COLUMNS.click.appToken,
    impression: COLUMNS.impression.appToken,
    discrepancies: countDiscrepancies,
  },
  sql`FROM ${firstIds} GROUP BY 1, 2`,
);

type AppRate = { appToken: string; costType: CostType; expected: number; agreeing: number };

/** Counts over the same days and IDs as the rates of the partner, with one call to each database. */
export async function findAppRates(ledger: Ledger, partnerId: number, now: number): Promise<AppRate[]> {
  const start = (dayOf(now) - RATE_DAYS + 1) * DAY_MS;
  const values = { partnerId, now, start, maxIds: MAX_IDS };
  const parts = await Promise.all(
    databasesOf(ledger).map((db) => runGated(ledger, db, [counts(db, values)])),
  );
  const rates = new Map<string, AppRate>();
  for (const { discrepancies, ...apps } of parts.flat(2)) {
    const found: Discrepancies = JSON.parse(discrepancies);
    for (const costType of TYPES_WITH_DISCREPANCY) {
      const appToken = apps[COST_TYPE[costType].fits[0]];
      const { expected = 0, agreeing = 0 } = found[costType] ?? {};
      if (appToken === null || expected === 0) continue;
      const before = rates.get(`${appToken} ${costType}`) ?? { expected: 0, agreeing: 0 };
      rates.set(`${appToken} ${costType}`, {
        ...{ appToken, costType },
        expected: before.expected + expected,
        agreeing: before.agreeing + agreeing,
      });
    }
  }
  return [...rates.values()];
}

const sent = jsonValues("appToken", "costType", "expected", "agreeing");
const partnerId = sql.placeholder("partnerId");
const remove = statement<unknown>(sql`DELETE FROM ${appRates} WHERE ${appRates.partnerId} = ${partnerId}`);
const add = statement<unknown>(
  sql`${insertInto(appRates, { ...sent, partnerId })} FROM json_each(${sql.placeholder("rates")}) j`,
);
const ROWS_PER_STATEMENT = 10_000;

/** Replaces those of a partner: for a batch. */
export function storeAppRates(db: D1Database, partner: number, rates: AppRate[]): Bound<unknown>[] {
  const rows: Sent<typeof sent>[] = rates.map((rate) => ({ ...rate }));
  return [
    remove(db, { partnerId: partner }),
    ...chunk(rows, ROWS_PER_STATEMENT).map((part) =>
      add(db, { partnerId: partner, rates: JSON.stringify(part) }),
    ),
  ];
}

const r = alias(appRates, "r");
/** Those of these apps. */
export const ratesOfApps = query(
  pick(r, "appToken", "partnerId", "costType", "expected", "agreeing"),
  sql`FROM json_each(${sql.placeholder("apps")}) j CROSS JOIN ${as(r)} ON ${r.appToken} = j.value`,
);
