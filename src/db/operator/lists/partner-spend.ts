/** The spend of each partner in the last complete days over all apps, and in as many days before; and how complete its costs are. */
import { sql } from "drizzle-orm";
import type { CostType, Kind } from "../../../domain/cost-types.ts";
import { sumOf } from "../../../domain/figures/performance.ts";
import type { CostSums } from "../../../domain/money.ts";
import { type DayRange, dayOf } from "../../../domain/time.ts";
import { moneyOf } from "../../cost-types.ts";
import { alias, as, query } from "../../query.ts";
import { adjustments, dailyEngagements, dailyTotals } from "../../schema.ts";
import { MAX_COVERED } from "../../statement.ts";
import { appsOf } from "../rates.ts";

/** The page compares so many complete days with as many before. */
export const SPEND_DAYS = 7;

const d = alias(dailyTotals, "d");
const g = alias(dailyEngagements, "g");
const { whole, rest } = moneyOf(d.costType, d.amount);
const [from, middle, to] = [sql.placeholder("from"), sql.placeholder("middle"), sql.placeholder("to")];
const limit = sql.raw(`LIMIT ${MAX_COVERED} + 1`);
const isPriced = sql`${d.state} = 'matched'`;
/** The spend of the days and of those before. */
const spend = query(
  {
    partnerId: sql<number>`s.partnerId`,
    currency: sql<string>`s.currency`,
    isBefore: sql<number>`s.isBefore`,
    costType: sql<CostType>`s.costType`,
    count: sql<number>`sum(s.count)`,
    unpriced: sql<number>`sum(s.unpriced)`,
    costsWhole: sql<string>`cast(sum(s.whole) AS TEXT)`,
    costsRest: sql<string>`cast(sum(s.rest) AS TEXT)`,
    scanned: sql<number>`count(*)`,
  },
  sql`FROM (
    ${appsOf(d)}
    SELECT ${d.partnerId} AS partnerId, ${d.currency} AS currency, ${d.day} < ${middle} AS isBefore, ${d.costType} AS costType,
      iif(${isPriced}, ${d.count}, 0) AS count, iif(${isPriced}, 0, ${d.count}) AS unpriced,
      iif(${isPriced}, ${whole}, 0) AS whole, iif(${isPriced}, ${rest}, 0) AS rest
    FROM found CROSS JOIN ${as(d)} ON ${d.appToken} = found.app AND ${d.day} BETWEEN ${from} AND ${to}
    WHERE ${d.state} IN ('matched', 'unpriced') ${limit}
  ) s GROUP BY 1, 2, 3, 4`,
);
/** The clicks and impressions with a cost ID, of the days only. */
const recorded = query(
  {
    partnerId: sql<number | null>`s.partnerId`,
    kind: sql<Kind>`s.kind`,
    recorded: sql<number>`sum(s.recorded)`,
    scanned: sql<number>`count(*)`,
  },
  sql`FROM (
    ${appsOf(g)}
    SELECT ${g.partnerId} AS partnerId, ${g.kind} AS kind, ${g.recorded} AS recorded
    FROM found CROSS JOIN ${as(g)} ON ${g.appToken} = found.app AND ${g.day} BETWEEN ${middle} AND ${to} ${limit}
  ) s GROUP BY 1, 2`,
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
  /** Absent of adjustments. */
  costType?: CostType;
  /** Matched costs with an amount, and those without. */
  count?: number;
  unpriced?: number;
  adjustedWhole?: string;
  adjustedRest?: string;
}

const daysOf = (now: number) => {
  const to = dayOf(now) - 1;
  return { from: to - 2 * SPEND_DAYS + 1, middle: to - SPEND_DAYS + 1, to };
};

/** The days that are compared with those before. */
export function spendDays(now: number): DayRange {
  const { middle, to } = daysOf(now);
  return { from: middle, to };
}

/** Of one database. For a batch. */
export const findSpend = (db: D1Database, now: number) => spend(db, daysOf(now));
/** Of one database. For a batch. */
export const findRecorded = (db: D1Database, now: number) => recorded(db, daysOf(now));
/** Of DB. For a batch. */
export const findAdjusted = (db: D1Database, now: number) => adjusted(db, daysOf(now));

/** The clicks or impressions of a partner, or of none, with a cost ID. */
export interface RecordedRow {
  partnerId: number | null;
  kind: Kind;
  recorded: number;
}

/** Whether all costs of a database were added up. */
export const isAddedUp = (rows: { scanned: number }[]) =>
  sumOf(rows, ({ scanned }) => scanned) <= MAX_COVERED;
