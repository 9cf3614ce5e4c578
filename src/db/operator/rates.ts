/** Counts what the rates of a partner are made of, over its last seven days. The reads are bounded. */
import { type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core/alias";
import { COST_TYPES, type CostType, type Kind } from "../../domain/cost-types.ts";
import { countedKind, type RateCounts, TYPES_WITH_DISCREPANCY } from "../../domain/rates.ts";
import { COST_WINDOW_MS, DAY_MS, dayOf } from "../../domain/time.ts";
import { COLUMNS, e, isRemembered } from "../ledger/entries.ts";
import { databasesOf, type Ledger, runGated } from "../ledger/shards.ts";
import { as, type Fields, query, type RowOf } from "../query.ts";
import { dailyEngagements, dailyTotals, ledgerEntries } from "../schema.ts";

/** How many totals and counts of all partners, and how many IDs of this one, are read from each database. */
export const MAX_TOTALS = 50_000;
export const MAX_IDS = 20_000;

const DAYS = COST_WINDOW_MS / DAY_MS;

const d = alias(dailyTotals, "d");
const g = alias(dailyEngagements, "g");
const partnerId = sql.placeholder("partnerId");
const maxTotals = sql`${sql.placeholder("maxTotals")} + 1`;

/** The sums of the partner over the rows of all apps and days, and the number of rows that were read for them. */
function sumsBy<F extends Fields>(table: typeof d | typeof g, key: F, value: SQL<number>) {
  const first = (after: SQL) =>
    sql`(SELECT min(${table.appToken}) FROM ${as(table)} WHERE ${table.appToken} > ${after})`;
  // The key of both tables begins with the app, so the apps are found one after the other. Pending costs have none.
  const apps = sql`WITH RECURSIVE found(app) AS (
    SELECT ${first(sql`''`)} UNION ALL SELECT ${first(sql`found.app`)} FROM found WHERE found.app IS NOT NULL
  )`;
  const named = Object.entries(key).map(([name, column]) => sql`${column} AS ${sql.identifier(name)}`);
  const keys = Object.keys(key).map((name) => [name, sql.raw(`s.${name}`)]);
  return query(
    {
      ...(Object.fromEntries(keys) as { [K in keyof F]: SQL<RowOf<F>[K]> }),
      sum: sql<number>`sum(s.value)`,
      scanned: sql<number>`count(*)`,
    },
    sql`FROM (
      ${apps} SELECT ${sql.join(named, sql`, `)}, iif(${table.partnerId} = ${partnerId}, ${value}, 0) AS value
      FROM found CROSS JOIN ${as(table)} ON ${table.appToken} = found.app
        AND ${table.day} BETWEEN ${sql.placeholder("from")} AND ${sql.placeholder("to")}
      LIMIT ${maxTotals}
    ) s GROUP BY ${sql.join(
      keys.map(([, column]) => column as SQL),
      sql`, `,
    )}`,
  );
}

const matched = sumsBy(d, { costType: d.costType }, sql`iif(${d.state} = 'pending', 0, ${d.count})`);
const recorded = sumsBy(g, { kind: g.kind }, sql`${g.recorded}`);

/** An engagement should have a cost of the type unless its URL, or its cost, has another type. */
function discrepancyOf(costType: CostType) {
  const kind = countedKind(costType);
  const at = COLUMNS[kind];
  const type = sql.raw(`'${costType}'`);
  const isExpected = sql`${isRemembered} AND ${at.costDataOn} AND ${at.occurredAt} >= ${sql.placeholder("start")}
    AND coalesce(${at.urlCostType} = ${type}, 1)
    AND NOT (coalesce(${e.state} IN ('matched', 'unpriced'), 0) AND ${e.costType} <> ${type})`;
  const isCall = sql`${e.state} = 'matched' AND ${e.costType} = ${type}
    AND coalesce(${e.currency} = ${at.urlCurrency}, 1) AND coalesce(${e.amountInEffect} = ${at.urlAmount}, 1)`;
  const isPrice = sql`${e.countingPrice} = ${sql.raw(`'${kind}'`)}`;
  return {
    expected: sql<number>`coalesce(sum(iif(${isExpected}, 1, 0)), 0)`,
    agreeing: sql<number>`coalesce(sum(iif(${isExpected} AND (coalesce(${isCall}, 0) OR coalesce(${isPrice}, 0)), 1, 0)), 0)`,
  };
}

const [cpc, cpm] = [discrepancyOf("cpc"), discrepancyOf("cpm")];
const entries = query(
  {
    cpcExpected: cpc.expected,
    cpcAgreeing: cpc.agreeing,
    cpmExpected: cpm.expected,
    cpmAgreeing: cpm.agreeing,
    scanned: sql<number>`count(*)`,
  },
  sql`FROM (
    SELECT * FROM ${ledgerEntries} WHERE ${ledgerEntries.partnerId} = ${partnerId}
    ORDER BY ${ledgerEntries.costId} LIMIT ${sql.placeholder("maxIds")} + 1
  ) e`,
);

export interface FoundRates {
  /** Days since 1970 in UTC, both inclusive. */
  from: number;
  to: number;
  /** False if there is more than is read: discrepancies are then of the first IDs, and coverage is unknown. */
  complete: boolean;
  /** For each cost type. */
  counts: RateCounts[];
}

/** Counts over today and the six days before it, with one call to each database. `now` in milliseconds since 1970. */
export async function findRates(
  ledger: Ledger,
  partnerId: number,
  now: number,
  { maxTotals, maxIds } = { maxTotals: MAX_TOTALS, maxIds: MAX_IDS },
): Promise<FoundRates> {
  const to = dayOf(now);
  const from = to - DAYS + 1;
  const values = { partnerId, from, to, now, start: from * DAY_MS, maxTotals, maxIds };
  const parts = await Promise.all(
    databasesOf(ledger).map((db) =>
      runGated(ledger, db, [matched(db, values), recorded(db, values), entries(db, values)]),
    ),
  );
  const sum = (of: (part: (typeof parts)[number]) => number) =>
    parts.reduce((total, part) => total + of(part), 0);
  const add = <Row>(rows: Row[], of: (row: Row) => number) => rows.reduce((total, row) => total + of(row), 0);
  const isCounted = parts.every((part) =>
    [part[0], part[1]].every((rows) => add<{ scanned: number }>(rows, ({ scanned }) => scanned) <= maxTotals),
  );
  const isScanned = parts.every(([, , found]) => add(found, ({ scanned }) => scanned) <= maxIds);
  const recordedOf = (kind: Kind) => sum(([, rows]) => add(rows, (row) => (row.kind === kind ? row.sum : 0)));
  const discrepancyOf = (type: (typeof TYPES_WITH_DISCREPANCY)[number]) => ({
    expected: sum(([, , rows]) => add(rows, (row) => row[`${type}Expected`])),
    agreeing: sum(([, , rows]) => add(rows, (row) => row[`${type}Agreeing`])),
  });
  const counts = COST_TYPES.map((costType): RateCounts => {
    const judged = TYPES_WITH_DISCREPANCY.find((type) => type === costType);
    return {
      costType,
      matched: sum(([rows]) => add(rows, (row) => (row.costType === costType ? row.sum : 0))),
      recorded: isCounted ? recordedOf(countedKind(costType)) : null,
      discrepancy: judged ? discrepancyOf(judged) : null,
    };
  });
  return { from, to, complete: isCounted && isScanned, counts };
}
