/**
 * Lists a partner's own costs by ID. Rows that are not in the list (engagements without a cost, forgotten rows, other states) lie
 * between those that are, so a page reads a limited number of keys and can end before it is full.
 */
import { type AnyColumn, type SQL, sql } from "drizzle-orm";
import type { CostType } from "../../domain/cost-types.ts";
import type { Credential } from "../../domain/costs.ts";
import { COST_WINDOW_MS, DAY_MS } from "../../domain/time.ts";
import { as, columnsOf, query } from "../query.ts";
import { runGroupedIdempotent } from "../statement.ts";
import {
  type CostRecord,
  costFields,
  credentialInPlace,
  costLink as l,
  linkFields,
  toCredential,
  toRecords,
} from "./costs.ts";
import { COLUMNS, credential as c, entry as e, isCredential, isRemembered } from "./entries.ts";
import {
  AFTER_ALL,
  compareIds,
  isAfter,
  MAX_KEYS,
  mergePages,
  pageOfKeys,
  toPageValues,
} from "./key-pages.ts";
import { shareOf, walk } from "./key-walk.ts";
import { findPartnerId, type Ledger, placeOf, rowDatabasesOf, runForCredential, runGated } from "./shards.ts";

/** The states of a partner's cost. */
export const MATCHES = ["matched", "pending", "lapsed", "voided"] as const;
export type MatchFilter = (typeof MATCHES)[number];

const match = sql.placeholder("match");

/** The state of a row's cost, null if it has none. A price on a URL beside a pending call does not change its state. */
export const stateOfCost = sql`CASE
  WHEN NOT ${isRemembered} THEN NULL
  WHEN ${e.state} = 'pending' THEN iif(${e.receivedAt} < ${sql.placeholder("lapsedBefore")}, 'lapsed', 'pending')
  WHEN ${e.state} = 'voided' THEN 'voided'
  WHEN ${e.state} IS NOT NULL OR ${e.countingPrice} IS NOT NULL THEN 'matched'
END`;
const isListed = sql`coalesce(${stateOfCost} = coalesce(${match}, ${stateOfCost}), 0)`;
const keysOfCredential = sql`FROM ${as(c)} CROSS JOIN ${as(e)}
  WHERE ${isCredential} AND ${c.revokedAt} IS NULL AND ${c.mode} = 'live'
    AND ${e.partnerId} = ${c.partnerId} AND ${isAfter}`;
const ofPartner = sql`${e.partnerId} = ${sql.placeholder("partnerId")}`;
const keysOfPartner = sql`FROM ${as(e)} WHERE ${ofPartner} AND ${isAfter}`;

/** Of the click or impression of a cost, null without one. */
const ofEngagement = (key: "occurredAt" | "appToken" | "urlCostType" | "urlCurrency" | "urlAmount") =>
  sql`CASE ${costFields.kind} WHEN 'click' THEN ${COLUMNS.click[key]} WHEN 'impression' THEN ${COLUMNS.impression[key]} END`;
const isCall = sql`${e.receivedAt} IS NOT NULL`;
const appToken = sql<string | null>`${ofEngagement("appToken")}`;
const fitting = (name: string, value: SQL | AnyColumn) =>
  sql`(${sql.placeholder(name)} IS NULL OR ${value} = ${sql.placeholder(name)})`;
/** The values of the call, else those of the URL. */
export const valuesOfCost = {
  costType: sql`iif(${isCall}, ${e.costType}, ${ofEngagement("urlCostType")})`,
  currency: sql`iif(${isCall}, ${e.currency}, ${ofEngagement("urlCurrency")})`,
  amount: sql`iif(${isCall}, ${e.amountInEffect}, ${ofEngagement("urlAmount")})`,
  arrivedAt: sql`coalesce(${e.receivedAt}, ${ofEngagement("occurredAt")})`,
};
/** The day is that of reports. */
const isOfDay = fitting(
  "day",
  sql`coalesce(${ofEngagement("occurredAt")}, ${e.receivedAt}) / ${sql.raw(String(DAY_MS))}`,
);
const keyFields = { ...costFields, costId: e.costId, isListed: sql<0 | 1>`(${isListed} AND ${isOfDay})` };
/** What operators filter by, as the cost has it. */
const fits = [
  isOfDay,
  fitting("appToken", appToken),
  fitting("linkId", costFields.linkId),
  fitting("costType", valuesOfCost.costType),
];
const amountOver = sql.placeholder("amountOver");
const isAbove = sql`(${amountOver} IS NULL OR ${valuesOfCost.amount} > ${amountOver})`;
export const listedFields = {
  ...costFields,
  costId: e.costId,
  appToken,
  isListed: sql<0 | 1>`coalesce(${isListed} AND ${sql.join([...fits, isAbove], sql` AND `)}, 0)`,
};

const k = columnsOf("k", keyFields);
const links = sql`LEFT JOIN ${as(l)} ON ${l.id} = ${k.linkId}`;
type LinkFields = typeof linkFields;
const noLinks: LinkFields = { linkToken: sql`NULL` };

const ofOwn = pageOfKeys(keyFields, keysOfCredential, linkFields, links);
const ofOwnShard = pageOfKeys(keyFields, keysOfCredential, noLinks, sql``);
const pageOfPartner = pageOfKeys(listedFields, keysOfPartner, noLinks, sql``);
/** What a request read: how many IDs, and how many costs that pass the filters other than that of the amount. */
const reading = query(
  {
    first: sql<string | null>`(SELECT min(${e.costId}) FROM ${as(e)} WHERE ${ofPartner})`,
    last: sql<string | null>`(SELECT max(${e.costId}) FROM ${as(e)} WHERE ${ofPartner})`,
    read: sql<number>`count(*)`,
    fitting: sql<number>`coalesce(sum(${isListed} AND ${sql.join(fits, sql` AND `)}), 0)`,
  },
  sql`FROM ${as(e)} WHERE ${ofPartner} AND ${e.costId} > ${sql.placeholder("after")} AND ${e.costId} <= ${sql.placeholder("until")}`,
);

/** Null: not filtered by it. `day` in days since 1970: that of reports. */
export type OwnFilter = { match: MatchFilter | null; day: number | null };

/**
 * Lists a partner's costs with a live credential, with one call for each database; with shards, one more to DB for the links.
 * Throws if a database fails. `now` in milliseconds since 1970.
 */
export async function listCosts(
  ledger: Ledger,
  hash: string,
  { match, day }: OwnFilter,
  page: { after: string | null; limit: number },
  now: number,
): Promise<{
  credential: Credential | undefined;
  items: (CostRecord & { costId: string })[];
  next: string | null;
}> {
  if ((await findPartnerId(ledger, hash)) === undefined)
    return { credential: undefined, items: [], next: null };
  const values = { tokenHash: hash, day, ...toValues(ledger, match, page, now) };
  const results = await Promise.all(
    rowDatabasesOf(ledger).map((db) => {
      const known = credentialInPlace(db, { ...values, ...placeOf(ledger, db) });
      const rows = (db === ledger.control ? ofOwn : ofOwnShard)(db, values);
      return runForCredential(ledger, db, [known, rows], page.limit);
    }),
  );
  const credentials = results.map(([[row]]) => row && toCredential(row));
  const { items, next } = mergePages(
    results.map(([, rows]) => rows),
    page.limit,
  );
  return {
    // While a revocation spreads, only some databases know it.
    credential: credentials.find((one) => one?.revoked) ?? credentials[0],
    items: await toRecords(ledger, items),
    next,
  };
}

/** Null: not filtered by it. `amountOver` in units of 0.00001 of the currency. */
export interface CostFilter extends OwnFilter {
  appToken: string | null;
  linkId: number | null;
  costType: CostType | null;
  amountOver: number | null;
}

/**
 * Lists a partner's costs for an operator, in the order of their IDs, with at most `MAX_PAGES` calls of MAX_KEYS for each database, one
 * more, and one for the links. `now` in milliseconds since 1970.
 */
export async function listPartnerCosts(
  ledger: Ledger,
  partnerId: number,
  filter: CostFilter,
  page: { after: string | null; limit: number },
  now: number,
): Promise<{ items: ListedCost[]; next: string | null } & Reading> {
  const databases = rowDatabasesOf(ledger);
  const { items, next } = await walk(page, async (range) => {
    const values = { ...filter, partnerId, ...toValues(ledger, filter.match, range, now, MAX_KEYS) };
    const run = runGroupedIdempotent(range.limit);
    const results = await Promise.all(
      databases.map((db) => runGated(ledger, db, [pageOfPartner(db, values)], run)),
    );
    return mergePages(
      results.map(([rows]) => rows),
      range.limit,
    );
  });
  const found = await toRecords(ledger, items);
  const { match } = filter;
  const values = {
    ...filter,
    ...{ partnerId, match, ...timesAt(now) },
    ...{ after: page.after ?? "", until: next ?? AFTER_ALL },
  };
  const ranges = await Promise.all(databases.map((db) => runGated(ledger, db, [reading(db, values)])));
  const parts = ranges.flat(2);
  const sorted = parts
    .flatMap(({ first, last }) => [first, last])
    .filter((id) => id !== null)
    .sort(compareIds);
  return {
    items: found,
    next,
    searched: next === null ? 1 : shareOf(sorted[0] ?? next, sorted.at(-1) ?? next, next),
    read: parts.reduce((sum, { read }) => sum + read, 0),
    fitting: parts.reduce((sum, { fitting }) => sum + fitting, 0),
  };
}

/** How far a request came. */
export interface Reading {
  /** The share of the range of IDs up to the end of the page. */
  searched: number;
  /** The IDs that this request read. */
  read: number;
  /** The costs among them that pass the filters other than that of the amount. */
  fitting: number;
}
export type ListedCost = CostRecord & { costId: string; appToken: string | null };

function toValues(
  ledger: Ledger,
  match: MatchFilter | null,
  range: { after: string | null; limit: number },
  now: number,
  keys?: number,
) {
  return { ...toPageValues(ledger, range, keys), match, ...timesAt(now) };
}

/** What the states of costs depend on. */
export const timesAt = (now: number) => ({ now, lapsedBefore: now - COST_WINDOW_MS });
