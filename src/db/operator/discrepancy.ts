/** Counts which engagements of a partner should have a cost, and how many of them have one that agrees. */
import { sql } from "drizzle-orm";
import { COST_TYPE, type CostType, TYPES_WITH_DISCREPANCY } from "../../domain/cost-types.ts";
import { COLUMNS, entry as e, isRemembered } from "../ledger/entries.ts";
import { ledgerEntries } from "../schema.ts";

/** How many IDs of a partner are read from each database. */
export const MAX_IDS = 20_000;

const partnerId = sql.placeholder("partnerId");

/**
 * Whether an engagement of the last days should have a cost of the type, which it should unless its URL, or its cost, has another
 * type; and whether it has one that agrees with it.
 */
export function expectationOf(costType: CostType) {
  const kind = COST_TYPE[costType].fits[0];
  const at = COLUMNS[kind];
  const type = sql.raw(`'${costType}'`);
  const isExpected = sql`${isRemembered} AND ${at.costDataOn} AND ${at.occurredAt} >= ${sql.placeholder("start")}
    AND coalesce(${at.urlCostType} = ${type}, 1)
    AND NOT (coalesce(${e.state} IN ('matched', 'unpriced'), 0) AND ${e.costType} <> ${type})`;
  const isCall = sql`${e.state} = 'matched' AND ${e.costType} = ${type}
    AND coalesce(${e.currency} = ${at.urlCurrency}, 1) AND coalesce(${e.amountInEffect} = ${at.urlAmount}, 1)`;
  const isPrice = sql`${e.countingPrice} = ${sql.raw(`'${kind}'`)}`;
  return { kind, isExpected, isAgreeing: sql`(coalesce(${isCall}, 0) OR coalesce(${isPrice}, 0))` };
}

function discrepancyOf(costType: CostType) {
  const { isExpected, isAgreeing } = expectationOf(costType);
  return sql`json_object(
    'expected', coalesce(sum(iif(${isExpected}, 1, 0)), 0),
    'agreeing', coalesce(sum(iif(${isExpected} AND ${isAgreeing}, 1, 0)), 0)
  )`;
}

const discrepancies = TYPES_WITH_DISCREPANCY.map(
  (type) => sql`${sql.raw(`'${type}'`)}, ${discrepancyOf(type)}`,
);
/** JSON with the counts of each type. */
export const countDiscrepancies = sql<string>`json_object(${sql.join(discrepancies, sql`, `)})`;
export type Discrepancies = Partial<Record<CostType, { expected: number; agreeing: number }>>;
/** The first IDs of the partner, as rows `e`. */
export const firstIds = sql`(
    SELECT * FROM ${ledgerEntries} WHERE ${ledgerEntries.partnerId} = ${partnerId}
    ORDER BY ${ledgerEntries.costId} LIMIT ${sql.placeholder("maxIds")} + 1
  ) e`;
