/**
 * Lists a partner's own costs by ID. Rows that are not in the list (engagements without a cost, forgotten rows, other states) lie
 * between those that are, so a page reads a limited number of keys and can end before it is full.
 */
import { Buffer } from "node:buffer";
import { type SQL, sql } from "drizzle-orm";
import type { Credential } from "../../domain/costs.ts";
import { COST_WINDOW_MS } from "../../domain/time.ts";
import { as, columnsOf, limitTo, list, query, type RowOf } from "../query.ts";
import {
  type CostRecord,
  c,
  costFields,
  credential,
  isCredential,
  l,
  linkFields,
  toCredential,
  toRecords,
} from "./costs.ts";
import { findPartnerId } from "./credential-copies.ts";
import { e, isRemembered } from "./entries.ts";
import { runOnAll } from "./run.ts";
import type { Ledger } from "./shards.ts";

/** The states of a partner's cost. */
export const MATCHES = ["matched", "pending", "lapsed", "voided"] as const;
export type MatchFilter = (typeof MATCHES)[number];

const match = sql.placeholder("match");

/** The state of a row's cost, null if it has none. A price on a URL beside a pending call does not change its state. */
const stateOfCost = sql`CASE
  WHEN NOT ${isRemembered} THEN NULL
  WHEN ${e.state} = 'pending' THEN iif(${e.receivedAt} < ${sql.placeholder("lapsedBefore")}, 'lapsed', 'pending')
  WHEN ${e.state} = 'voided' THEN 'voided'
  WHEN ${e.state} IS NOT NULL OR ${e.countingPrice} IS NOT NULL THEN 'matched'
END`;
const isListed = sql`coalesce(${stateOfCost} = coalesce(${match}, ${stateOfCost}), 0)`;

const keyFields = { ...costFields, costId: e.costId, isListed: sql<0 | 1>`${isListed}` };
const isAfter = sql`${e.costId} > ${sql.placeholder("after")} ORDER BY ${e.costId}`;
const keysOfCredential = sql`FROM ${as(c)} CROSS JOIN ${as(e)}
  WHERE ${isCredential} AND ${c.revokedAt} IS NULL AND ${c.mode} = 'live'
    AND ${e.partnerId} = ${c.partnerId} AND ${isAfter}`;
const keysOfPartner = sql`FROM ${as(e)} WHERE ${e.partnerId} = ${sql.placeholder("partnerId")} AND ${isAfter}`;

const k = columnsOf("k", keyFields);
const links = sql`LEFT JOIN ${as(l)} ON ${l.id} = ${k.linkId}`;
type LinkFields = typeof linkFields;
const noLinks: LinkFields = { linkToken: sql`NULL` };

/**
 * The listed rows among the first `maxKeys` keys after `after`, and then the last of these keys as a row that is not listed. A
 * page that is full before does not read that row, and nothing behind its own last row.
 */
function pageWith(keys: SQL, linkFields: LinkFields, joins: SQL) {
  const fields = { ...k, ...linkFields };
  const mark = {
    ...Object.fromEntries(Object.keys(fields).map((name) => [name, sql`NULL`])),
    costId: e.costId,
    isListed: sql`0`,
  };
  return query(
    columnsOf("p", fields),
    sql`FROM (
        SELECT ${list(fields)} FROM (SELECT ${list(keyFields)} ${keys} ${limitTo("maxKeys")}) k
        ${joins} WHERE ${k.isListed} ORDER BY ${k.costId} ${limitTo("limit")}
      ) p
      UNION ALL SELECT * FROM (SELECT ${list(mark)} ${keys} LIMIT 1 OFFSET ${sql.placeholder("maxKeys")} - 1)
      ${limitTo("limit")}`,
  );
}
const page = pageWith(keysOfCredential, linkFields, links);
const pageOfShard = pageWith(keysOfCredential, noLinks, sql``);
// A pending cost has no link.
const pageOfPartner = pageWith(keysOfPartner, noLinks, sql``);
type PageRow = RowOf<typeof k & LinkFields>;

/** The most keys that a page reads. A page that is not full reads each of its keys twice. */
export const MAX_KEYS = 5_000;

/**
 * Lists a partner's costs with a live credential, with one call for each database; with shards, one more to DB for the links.
 * Throws if a database fails. `now` in milliseconds since 1970.
 */
export async function listCosts(
  ledger: Ledger,
  hash: string,
  filter: MatchFilter | null,
  { after, limit }: { after: string | null; limit: number },
  now: number,
): Promise<{
  credential: Credential | undefined;
  items: (CostRecord & { costId: string })[];
  next: string | null;
}> {
  if ((await findPartnerId(ledger, hash)) === undefined)
    return { credential: undefined, items: [], next: null };
  const values = { tokenHash: hash, ...toValues(ledger, filter, { after, limit }, now) };
  const results = await runOnAll(
    ledger,
    (db) => [credential(db, values), (db === ledger.control ? page : pageOfShard)(db, values)],
    ([known]) => known.length > 0,
    limit,
  );
  const credentials = results.map(([[row]]) => row && toCredential(row));
  const { items, next } = merge(
    results.map(([, rows]) => rows),
    limit,
  );
  return {
    // While a revocation spreads, only some databases know it.
    credential: credentials.find((one) => one?.revoked) ?? credentials[0],
    items: await toRecords(ledger, items),
    next,
  };
}

/** Lists a partner's pending costs for an operator, with one call for each database. `now` in milliseconds since 1970. */
export async function listPendingCosts(
  ledger: Ledger,
  partnerId: number,
  page: { after: string | null; limit: number },
  now: number,
): Promise<{ items: (CostRecord & { costId: string })[]; next: string | null }> {
  const values = { partnerId, ...toValues(ledger, "pending", page, now) };
  const results = await runOnAll(
    ledger,
    (db) => [pageOfPartner(db, values)],
    () => true,
    page.limit,
  );
  const { items, next } = merge(
    results.map(([rows]) => rows),
    page.limit,
  );
  return { items: await toRecords(ledger, items), next };
}

function toValues(
  ledger: Ledger,
  match: MatchFilter | null,
  { after, limit }: { after: string | null; limit: number },
  now: number,
) {
  const maxKeys = Math.floor(MAX_KEYS / 2 / Math.max(1, ledger.shards.length));
  return { after: after ?? "", match, maxKeys, limit: limit + 1, now, lapsedBefore: now - COST_WINDOW_MS };
}

/** The listed rows of all databases up to where each of them was read, and the ID after which the list continues. */
function merge(results: PageRow[][], limit: number): { items: PageRow[]; next: string | null } {
  const parts = results.map((rows) => toPart(rows, limit));
  const ends = parts.flatMap(({ end }) => (end === null ? [] : [end]));
  const end = ends.sort(compareIds)[0] ?? null;
  const covered = parts
    .flatMap(({ rows }) => rows)
    .filter(({ costId }) => end === null || compareIds(costId, end) <= 0)
    .sort((left, right) => compareIds(left.costId, right.costId));
  const items = covered.slice(0, limit);
  return { items, next: covered.length > limit ? (items.at(-1)?.costId ?? null) : end };
}

/** The listed rows of a database, and the last ID that they cover, null if they reach the end. */
function toPart(rows: PageRow[], limit: number) {
  const listed = rows.filter((row) => row.isListed);
  const last = rows.at(-1);
  // SQLite runs the parts of a UNION ALL one after the other. In another order, the page would lack a cost.
  if (listed.length < rows.length && last?.isListed !== 0) throw new Error("A page of costs has no order.");
  const isCut = rows.length > limit || last?.isListed === 0;
  return { rows: listed, end: (isCut && last?.costId) || null };
}

/** The order of SQLite: by the bytes of UTF-8. JavaScript compares UTF-16, where some characters have another order. */
export function compareIds(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
