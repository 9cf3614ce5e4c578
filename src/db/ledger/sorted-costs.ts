/**
 * A partner's costs for people, the newest or the highest first, with their sums. Costs have no index by time or amount, because that
 * would be one more row written for each. So all IDs of the partner are read, if there are not too many.
 */
import { sql } from "drizzle-orm";
import { TYPES_PER_MILLE } from "../../domain/cost-types.ts";
import type { Credential } from "../../domain/costs.ts";
import { as, columnsOf, limitTo, list, query } from "../query.ts";
import {
  type CostFilter,
  type ListedCost,
  listedFields,
  MATCHES,
  type MatchFilter,
  stateOfCost,
  timesAt,
  valuesOfCost,
} from "./cost-list.ts";
import { credentialInPlace, costLink as l, toCredential, toRecords } from "./costs.ts";
import { credential as c, entry as e, isCredential } from "./entries.ts";
import { AFTER_ALL, compareIds, justBefore } from "./key-pages.ts";
import { type Ledger, placeOf, rowDatabasesOf, runForCredential, runGated } from "./shards.ts";

/** The most IDs that can be sorted. */
export const MOST_SORTED = 10_000;
export const COST_ORDERS = ["newest", "highest", "cost_id"] as const;
export type CostOrder = (typeof COST_ORDERS)[number];

const p = (name: string) => sql.placeholder(name);
const isOrder = (order: CostOrder) => sql`${p("order")} = ${sql.raw(`'${order}'`)}`;
const { costType, currency, amount } = valuesOfCost;
const isPerMille = sql`${costType} IN (${sql.raw(TYPES_PER_MILLE.map((type) => `'${type}'`).join())})`;
/** What a cost adds to spend, in units of 0.00000001. */
const spend = sql`${amount} * iif(${isPerMille}, 1, 1000)`;
/** Without the hash of a credential, the caller was checked before. */
const isAllowed = sql`(${p("tokenHash")} IS NULL OR EXISTS (
  SELECT 1 FROM ${as(c)} WHERE ${isCredential} AND ${c.partnerId} = ${p("partnerId")} AND ${c.mode} = 'live' AND ${c.revokedAt} IS NULL))`;
const read = sql`FROM ${as(e)} WHERE ${isAllowed} AND ${e.partnerId} = ${p("partnerId")} AND ${e.costId} > ${p("after")} AND ${e.costId} < ${p("before")}
  ORDER BY ${e.costId} ${limitTo("most")}`;

/** Amounts of one currency can be compared. One without an amount is the last. */
const sortKeys = {
  unit: sql<string>`iif(${isOrder("highest")}, coalesce(${currency}, ''), '')`,
  rank: sql<number>`CASE ${p("order")} WHEN 'highest' THEN coalesce(-${spend}, 1) WHEN 'newest' THEN -${valuesOfCost.arrivedAt} ELSE 0 END`,
};
const found = { costId: e.costId, isListed: listedFields.isListed, ...sortKeys };
const f = columnsOf("f", found);
const order = sql`ORDER BY ${f.unit}, ${f.rank}, ${f.costId}`;
const sorted = query(
  {
    ...listedFields,
    linkToken: sql<string | null>`(SELECT ${l.token} FROM ${as(l)} WHERE ${l.id} = ${listedFields.linkId})`,
    unit: f.unit,
    rank: f.rank,
  },
  sql`FROM (SELECT * FROM (SELECT ${list(found)} ${read}) f WHERE ${f.isListed} ${order} ${limitTo("limit")} OFFSET ${p("offset")}) f
    CROSS JOIN ${as(e)} ON ${e.partnerId} = ${p("partnerId")} AND ${e.costId} = ${f.costId} ${order}`,
);

const summed = {
  match: sql<MatchFilter | null>`iif(${listedFields.isListed}, ${stateOfCost}, NULL)`,
  currency: sql<string | null>`${currency}`,
};
const s = columnsOf("s", summed);
const sums = query(
  { ...s, count: sql<number>`count(*)`, amount: sql<string | null>`cast(sum(s.amount) AS TEXT)` },
  sql`FROM (SELECT ${list({ ...summed, amount: spend })} ${read}) s GROUP BY ${s.match}, ${s.currency}`,
);

/** The costs of one state and currency. `amount`: what they add to spend, in units of 0.00000001. */
export interface CostSum {
  match: MatchFilter;
  currency: string | null;
  count: number;
  amount: bigint;
}

/** `prefix`: only IDs that begin with it. */
export interface SortedFilter extends CostFilter {
  prefix: string;
}
export interface SortedRange {
  order: CostOrder;
  limit: number;
  offset: number;
}

/** Who asks: an operator, or the partner itself with a credential. */
export interface CostOwner {
  partnerId: number;
  tokenHash: string | null;
}

/**
 * With one call to each database; with shards, one more to DB for the links. `found` is undefined if there are more than `MOST_SORTED` IDs.
 * `now` in milliseconds since 1970.
 */
export async function sortCosts(
  ledger: Ledger,
  owner: CostOwner,
  { prefix, ...filter }: SortedFilter,
  { order, limit, offset }: SortedRange,
  now: number,
): Promise<{ credential: Credential | undefined; found?: { items: ListedCost[]; sums: CostSum[] } }> {
  const databases = rowDatabasesOf(ledger);
  // A shard has about its share of them.
  const most = 1 + Math.ceil(MOST_SORTED / databases.length) * (databases.length > 1 ? 2 : 1);
  const values = {
    ...{ ...filter, ...owner, order, most, ...timesAt(now) },
    ...{ after: justBefore(prefix), before: `${prefix}${AFTER_ALL}` },
    // A shard can have all of the page.
    ...(databases.length > 1 ? { limit: limit + offset, offset: 0 } : { limit, offset }),
  };
  const { tokenHash } = owner;
  const parts = await Promise.all(
    databases.map(async (db) => {
      const statements = [sums(db, values), sorted(db, values)] as const;
      if (tokenHash === null) return [[], ...(await runGated(ledger, db, [...statements]))] as const;
      const known = credentialInPlace(db, { tokenHash, ...placeOf(ledger, db) });
      return runForCredential(ledger, db, [known, ...statements], limit);
    }),
  );
  const credentials = parts.map(([[row]]) => row && toCredential(row));
  // While a revocation spreads, only some databases know it.
  const credential = credentials.find((one) => one?.revoked) ?? credentials[0];
  const counts = parts.map(([, counted]) => counted.reduce((sum, { count }) => sum + count, 0));
  const isOver =
    counts.some((count) => count >= most) || counts.reduce((sum, count) => sum + count) > MOST_SORTED;
  if (isOver) return { credential };
  const rows = parts.flatMap(([, , found]) => found).sort(compareRows);
  const first = databases.length > 1 ? offset : 0;
  const items = await toRecords(ledger, rows.slice(first, first + limit));
  return { credential, found: { items, sums: addUp(parts.flatMap(([, counted]) => counted)) } };
}

type SortedRow = { unit: string; rank: number; costId: string };

/** As the databases sort them: codes of currencies have only letters of ASCII. */
function compareRows(left: SortedRow, right: SortedRow): number {
  if (left.unit !== right.unit) return left.unit < right.unit ? -1 : 1;
  return left.rank - right.rank || compareIds(left.costId, right.costId);
}

/** Those of all databases, in the order of the states. */
function addUp(
  rows: { match: MatchFilter | null; currency: string | null; count: number; amount: string | null }[],
): CostSum[] {
  return MATCHES.flatMap((match) => {
    const ofState = rows.filter((row) => row.match === match);
    return [...Map.groupBy(ofState, ({ currency }) => currency)].map(([currency, same]) => ({
      ...{ match, currency },
      count: same.reduce((sum, { count }) => sum + count, 0),
      amount: same.reduce((sum, { amount }) => sum + BigInt(amount ?? 0), 0n),
    }));
  });
}
