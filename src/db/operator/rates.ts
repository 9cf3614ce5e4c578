/** Counts what the rates of a partner are made of, over its last days. The reads are bounded. */
import { type AnyColumn, type SQL, sql } from "drizzle-orm";
import {
  COST_TYPE,
  COST_TYPES,
  type CostType,
  type Kind,
  TYPES_WITH_DISCREPANCY,
} from "../../domain/cost-types.ts";
import { sumOf } from "../../domain/figures/performance.ts";
import { type CoverageCounts, RATE_DAYS, type RateCounts } from "../../domain/figures/rates.ts";
import type { CostSums } from "../../domain/money.ts";
import { COST_WINDOW_MS, DAY_MS, type DayRange, dayOf } from "../../domain/time.ts";
import { moneyOf } from "../cost-types.ts";
import { COLUMNS, entry as e, isRemembered } from "../ledger/entries.ts";
import { addRejections, type Rejected, rejectionsOf } from "../ledger/rejections.ts";
import { databasesOf, type Ledger, runGated } from "../ledger/shards.ts";
import { alias, as, type Fields, query, type RowOf } from "../query.ts";
import { dailyEngagements, dailyTotals } from "../schema.ts";
import { MAX_COVERED } from "../statement.ts";
import { countDiscrepancies, type Discrepancies, firstIds, MAX_IDS } from "./discrepancy.ts";

/** How many totals and counts of all partners are read from each database. */
const MAX_TOTALS = 50_000;

const d = alias(dailyTotals, "d");
const g = alias(dailyEngagements, "g");
const partnerId = sql.placeholder("partnerId");
const maxTotals = sql`${sql.placeholder("maxTotals")} + 1`;

/** The apps of a table as rows `found`. Its key begins with the app, so they are found one after the other. Pending costs have none. */
export function appsOf(table: typeof d | typeof g): SQL {
  const first = (after: SQL) =>
    sql`(SELECT min(${table.appToken}) FROM ${as(table)} WHERE ${table.appToken} > ${after})`;
  return sql`WITH RECURSIVE found(app) AS (
    SELECT ${first(sql`''`)} UNION ALL SELECT ${first(sql`found.app`)} FROM found WHERE found.app IS NOT NULL
  )`;
}

/** The sums of the partner over the rows of all apps and days, and the number of rows that were read for them. */
function sumsBy<F extends Fields, S extends Fields>(
  table: typeof d | typeof g,
  key: F,
  values: Record<string, SQL | AnyColumn>,
  sums: S,
) {
  const named = Object.entries(key).map(([name, column]) => sql`${column} AS ${sql.identifier(name)}`);
  const keys = Object.keys(key).map((name) => [name, sql.raw(`s.${name}`)]);
  const isOfPartner = sql`${table.partnerId} = ${partnerId}`;
  const added = Object.entries(values).map(
    ([name, value]) => sql`iif(${isOfPartner}, ${value}, 0) AS ${sql.identifier(name)}`,
  );
  return query(
    {
      ...(Object.fromEntries(keys) as { [K in keyof F]: SQL<RowOf<F>[K]> }),
      ...sums,
      scanned: sql<number>`count(*)`,
    },
    sql`FROM (
      ${appsOf(table)} SELECT ${sql.join([...named, ...added], sql`, `)}
      FROM found CROSS JOIN ${as(table)} ON ${table.appToken} = found.app
        AND ${table.day} BETWEEN ${sql.placeholder("from")} AND ${sql.placeholder("to")}
      LIMIT ${maxTotals}
    ) s GROUP BY ${sql.join(
      keys.map(([, column]) => column as SQL),
      sql`, `,
    )}`,
  );
}

const { whole, rest } = moneyOf(d.costType, d.amount);
const isPriced = sql`${d.state} = 'matched'`;
/** What was matched on each day, with the money of costs that have an amount. Pending costs have no app. */
const matched = sumsBy(
  d,
  { day: d.day, costType: d.costType, currency: d.currency },
  {
    count: d.count,
    unpriced: sql`iif(${d.state} = 'unpriced', ${d.count}, 0)`,
    whole: sql`iif(${isPriced}, ${whole}, 0)`,
    rest: sql`iif(${isPriced}, ${rest}, 0)`,
  },
  {
    sum: sql<number>`sum(s.count)`,
    unpriced: sql<number>`sum(s.unpriced)`,
    // Text, because the sums may exceed 2^53.
    costsWhole: sql<string>`cast(sum(s.whole) AS TEXT)`,
    costsRest: sql<string>`cast(sum(s.rest) AS TEXT)`,
  },
);

/** The costs of a partner that matched on a day, priced or not. */
export interface MatchedSums extends CostSums {
  /** Days since 1970 in UTC. */
  day: number;
  costType: CostType;
  currency: string;
  sum: number;
  unpriced: number;
}

const recorded = sumsBy(
  g,
  { day: g.day, kind: g.kind },
  { recorded: g.recorded },
  { sum: sql<number>`sum(s.recorded)` },
);

/**
 * The matched costs of a partner in these days, with one call to each database. `complete` is false if there are more totals of all
 * partners than are read.
 */
export async function findMatched(
  ledger: Ledger,
  partnerId: number,
  days: DayRange,
  maxTotals: number = MAX_COVERED,
): Promise<{ matched: MatchedSums[]; complete: boolean }> {
  const parts = await Promise.all(
    databasesOf(ledger).map((db) => runGated(ledger, db, [matched(db, { partnerId, ...days, maxTotals })])),
  );
  const rows = parts.flat(2);
  const scanned = parts.map(([sums]) => sumOf(sums, (row) => row.scanned));
  return {
    matched: rows.filter(({ sum }) => sum !== 0),
    complete: scanned.every((count) => count <= maxTotals),
  };
}

const { click, impression } = COLUMNS;
const hasCost = sql`(coalesce(${e.state} IN ('matched', 'unpriced'), 0) OR ${e.countingPrice} IS NOT NULL)`;
const isOn = sql`(coalesce(${click.costDataOn}, 0) OR coalesce(${impression.costDataOn}, 0))`;
const opened = sql`coalesce(${click.occurredAt}, ${impression.occurredAt})`;
const isWithout = sql`${opened} IS NOT NULL AND NOT ${hasCost}`;
const lapsedAt = sql`(${e.receivedAt} + ${sql.raw(String(COST_WINDOW_MS))})`;
const countIf = (condition: SQL) => sql<number>`sum(iif(${isRemembered} AND ${condition}, 1, 0))`;
/** Why IDs have no cost that counts. */
const reasons = {
  costDataOff: countIf(sql`${isWithout} AND ${e.state} IS NOT 'voided' AND NOT ${isOn}`),
  noCost: countIf(sql`${isWithout} AND ${e.state} IS NOT 'voided' AND ${isOn}`),
  voided: countIf(sql`${isWithout} AND ${e.state} IS 'voided'`),
  pending: countIf(sql`${e.state} IS 'pending' AND ${lapsedAt} >= ${sql.placeholder("now")}`),
  lapsed: countIf(
    sql`${opened} IS NULL AND ${e.state} IS 'pending' AND ${lapsedAt} < ${sql.placeholder("now")}`,
  ),
};
const entries = query(
  {
    /** The day of the engagement; of a cost without one, the day on which it lapses. */
    day: sql<number>`coalesce(${opened}, ${lapsedAt}) / ${sql.raw(String(DAY_MS))}`,
    ...reasons,
    discrepancies: countDiscrepancies,
    scanned: sql<number>`count(*)`,
  },
  sql`FROM ${firstIds} GROUP BY 1`,
);

export interface FoundRates {
  /** Days since 1970 in UTC, both inclusive. */
  from: number;
  to: number;
  /** False if there is more than is read: discrepancies are then of the first IDs, and coverage is unknown. */
  complete: boolean;
  /** For each cost type. */
  counts: RateCounts[];
  /** What was matched, by day, type and currency. */
  matched: MatchedSums[];
  /** Costs that wait for a click or impression. */
  pending: number;
  /** For each day, the newest first. */
  days: DayOfRates[];
}

/** A day of a partner. The reasons count IDs of clicks and impressions of the day, and costs that lapsed on it. */
export interface DayOfRates extends CoverageCounts, Record<Exclude<keyof typeof reasons, "pending">, number> {
  /** Days since 1970 in UTC. */
  day: number;
  rejected: Rejected[];
}

/** Counts over RATE_DAYS days with today, with one call to each database. `now` in milliseconds since 1970. */
export async function findRates(
  ledger: Ledger,
  partnerId: number,
  now: number,
  { maxTotals, maxIds } = { maxTotals: MAX_TOTALS, maxIds: MAX_IDS },
): Promise<FoundRates> {
  const to = dayOf(now);
  const from = to - RATE_DAYS + 1;
  const values = { partnerId, from, to, now, start: from * DAY_MS, maxTotals, maxIds };
  const parts = await Promise.all(
    databasesOf(ledger).map((db) =>
      runGated(ledger, db, [
        matched(db, values),
        recorded(db, values),
        entries(db, values),
        rejectionsOf(db, partnerId, values),
      ]),
    ),
  );
  const sum = (of: (part: (typeof parts)[number]) => number) => sumOf(parts, of);
  const isCounted = parts.every((part) =>
    [part[0], part[1]].every(
      (rows) => sumOf<{ scanned: number }>(rows, ({ scanned }) => scanned) <= maxTotals,
    ),
  );
  const isScanned = parts.every(([, , found]) => sumOf(found, ({ scanned }) => scanned) <= maxIds);
  const recordedOf = (kind: Kind) =>
    sum(([, rows]) => sumOf(rows, (row) => (row.kind === kind ? row.sum : 0)));
  const found = parts.flatMap(([, , rows]) =>
    rows.map((row): Discrepancies => JSON.parse(row.discrepancies)),
  );
  const discrepancyOf = (type: CostType) => ({
    expected: sumOf(found, (row) => row[type]?.expected ?? 0),
    agreeing: sumOf(found, (row) => row[type]?.agreeing ?? 0),
  });
  const counts = COST_TYPES.map(
    (costType): RateCounts => ({
      costType,
      matched: sum(([rows]) => sumOf(rows, (row) => (row.costType === costType ? row.sum : 0))),
      recorded: isCounted ? recordedOf(COST_TYPE[costType].fits[0]) : null,
      discrepancy: TYPES_WITH_DISCREPANCY.includes(costType) ? discrepancyOf(costType) : null,
    }),
  );
  const rejected = addRejections(parts.map(([, , , rows]) => rows));
  const days = Array.from({ length: RATE_DAYS }, (_, index): DayOfRates => {
    const day = to - index;
    const isOfDay = (row: { day: number }) => row.day === day;
    const matchedOf = (kind: Kind) =>
      sum(([rows]) =>
        sumOf(rows.filter(isOfDay), (row) => (COST_TYPE[row.costType].fits[0] === kind ? row.sum : 0)),
      );
    const recordedAs = (kind: Kind) =>
      isCounted
        ? sum(([, rows]) => sumOf(rows.filter(isOfDay), (row) => (row.kind === kind ? row.sum : 0)))
        : null;
    const reason = (name: keyof typeof reasons) =>
      sum(([, , rows]) => sumOf(rows.filter(isOfDay), (row) => row[name]));
    return {
      day,
      matched: { click: matchedOf("click"), impression: matchedOf("impression") },
      recorded: { click: recordedAs("click"), impression: recordedAs("impression") },
      costDataOff: reason("costDataOff"),
      noCost: reason("noCost"),
      voided: reason("voided"),
      lapsed: reason("lapsed"),
      rejected: rejected.filter(isOfDay),
    };
  });
  return {
    from,
    to,
    complete: isCounted && isScanned,
    counts,
    // Without the groups that only other partners have.
    matched: parts.flatMap(([rows]) => rows.filter((row) => row.sum !== 0)),
    pending: sum(([, , rows]) => sumOf(rows, (row) => row.pending)),
    days,
  };
}
