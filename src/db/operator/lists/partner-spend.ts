/** The spend of each partner in the last complete days over all apps, and in as many days before. */
import { sql } from "drizzle-orm";
import type { CostSums } from "../../../domain/money.ts";
import { dayOf } from "../../../domain/time.ts";
import { moneyOf } from "../../cost-types.ts";
import { alias, as, query } from "../../query.ts";
import { adjustments, dailyTotals } from "../../schema.ts";
import { MAX_COVERED } from "../../statement.ts";

/** The page compares so many complete days with as many before. */
export const SPEND_DAYS = 7;

const d = alias(dailyTotals, "d");
const { whole, rest } = moneyOf(d.costType, d.amount);
const first = (after: string) =>
  sql`(SELECT min(${dailyTotals.appToken}) FROM ${dailyTotals} WHERE ${dailyTotals.appToken} > ${sql.raw(after)})`;
const [from, middle, to] = [sql.placeholder("from"), sql.placeholder("middle"), sql.placeholder("to")];
/** The spend of the days and of those before. The key of the totals begins with the app, so the apps are found one after the other. */
const spend = query(
  {
    partnerId: sql<number>`s.partnerId`,
    currency: sql<string>`s.currency`,
    isBefore: sql<number>`s.isBefore`,
    count: sql<number>`sum(s.count)`,
    costsWhole: sql<string>`cast(sum(s.whole) AS TEXT)`,
    costsRest: sql<string>`cast(sum(s.rest) AS TEXT)`,
    scanned: sql<number>`count(*)`,
  },
  sql`FROM (
    WITH RECURSIVE found(app) AS (
      SELECT ${first("''")} UNION ALL SELECT ${first("found.app")} FROM found WHERE found.app IS NOT NULL
    )
    SELECT ${d.partnerId} AS partnerId, ${d.currency} AS currency, ${d.day} < ${middle} AS isBefore,
      ${d.count} AS count, ${whole} AS whole, ${rest} AS rest
    FROM found CROSS JOIN ${as(d)} ON ${d.appToken} = found.app AND ${d.day} BETWEEN ${from} AND ${to}
    WHERE ${d.state} = 'matched' LIMIT ${sql.raw(String(MAX_COVERED))} + 1
  ) s GROUP BY 1, 2, 3`,
);
const a = alias(adjustments, "a");
const adjusted = query(
  {
    partnerId: a.partnerId,
    currency: a.currency,
    isBefore: sql<number>`${a.day} < ${middle}`,
    adjustedWhole: sql<string>`cast(sum(${a.amount} / 100000000) AS TEXT)`,
    adjustedRest: sql<string>`cast(sum(${a.amount} % 100000000) AS TEXT)`,
  },
  sql`FROM ${as(a)} WHERE ${a.day} BETWEEN ${from} AND ${to} GROUP BY 1, 2, 3`,
);

/** Sums of a partner in a currency: of the days, or of those before. */
export interface SpendRow extends Partial<CostSums> {
  partnerId: number;
  currency: string;
  isBefore: number;
  /** Matched costs. */
  count?: number;
  adjustedWhole?: string;
  adjustedRest?: string;
}

const daysOf = (now: number) => {
  const to = dayOf(now) - 1;
  return { from: to - 2 * SPEND_DAYS + 1, middle: to - SPEND_DAYS + 1, to };
};

/** The days that are compared with those before. */
export function spendDays(now: number): { from: number; to: number } {
  const { middle, to } = daysOf(now);
  return { from: middle, to };
}

/** Of one database. For a batch. */
export const findSpend = (db: D1Database, now: number) => spend(db, daysOf(now));
/** Of DB. For a batch. */
export const findAdjusted = (db: D1Database, now: number) => adjusted(db, daysOf(now));

/** Whether all costs of a database were added up. */
export const isAddedUp = (rows: { scanned: number }[]) =>
  rows.reduce((sum, { scanned }) => sum + scanned, 0) <= MAX_COVERED;
