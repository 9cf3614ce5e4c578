/**
 * Lists a partner's own costs by ID. Rows that are not in the list (engagements without a cost, forgotten rows, other states) lie
 * between those that are, so a page reads a limited number of keys and can end before it is full.
 */
import { sql } from "drizzle-orm";
import type { Credential } from "../../domain/costs.ts";
import { COST_WINDOW_MS } from "../../domain/time.ts";
import { as, columnsOf } from "../query.ts";
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
import { credential as c, entry as e, isCredential, isRemembered } from "./entries.ts";
import { isAfter, mergePages, pageOfKeys, toPageValues } from "./key-pages.ts";
import { findPartnerId, type Ledger, placeOf, rowDatabasesOf, runForCredential, runGated } from "./shards.ts";

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
const keysOfCredential = sql`FROM ${as(c)} CROSS JOIN ${as(e)}
  WHERE ${isCredential} AND ${c.revokedAt} IS NULL AND ${c.mode} = 'live'
    AND ${e.partnerId} = ${c.partnerId} AND ${isAfter}`;
const keysOfPartner = sql`FROM ${as(e)} WHERE ${e.partnerId} = ${sql.placeholder("partnerId")} AND ${isAfter}`;

const k = columnsOf("k", keyFields);
const links = sql`LEFT JOIN ${as(l)} ON ${l.id} = ${k.linkId}`;
type LinkFields = typeof linkFields;
const noLinks: LinkFields = { linkToken: sql`NULL` };

const page = pageOfKeys(keyFields, keysOfCredential, linkFields, links);
const pageOfShard = pageOfKeys(keyFields, keysOfCredential, noLinks, sql``);
// A pending cost has no link.
const pageOfPartner = pageOfKeys(keyFields, keysOfPartner, noLinks, sql``);

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
  const results = await Promise.all(
    rowDatabasesOf(ledger).map((db) => {
      const known = credentialInPlace(db, { ...values, ...placeOf(ledger, db) });
      const rows = (db === ledger.control ? page : pageOfShard)(db, values);
      return runForCredential(ledger, db, [known, rows], limit);
    }),
  );
  const credentials = results.map(([[row]]) => row && toCredential(row));
  const { items, next } = mergePages(
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
  const run = runGroupedIdempotent(page.limit);
  const results = await Promise.all(
    rowDatabasesOf(ledger).map((db) => runGated(ledger, db, [pageOfPartner(db, values)], run)),
  );
  const { items, next } = mergePages(
    results.map(([rows]) => rows),
    page.limit,
  );
  return { items: await toRecords(ledger, items), next };
}

function toValues(
  ledger: Ledger,
  match: MatchFilter | null,
  range: { after: string | null; limit: number },
  now: number,
) {
  return { ...toPageValues(ledger, range), match, now, lapsedBefore: now - COST_WINDOW_MS };
}
