/** Reads credentials, and a partner's own costs. */
import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { toTypes } from "../../domain/cost-types.ts";
import type { Credential, Engagements } from "../../domain/costs.ts";
import { as, optional, query, type RowOf } from "../query.ts";
import { credentials, links } from "../schema.ts";
import { runBatch } from "../statement.ts";
import { findPartnerId } from "./credential-copies.ts";
import { e, engagementFields, isRemembered, toEngagements } from "./entries.ts";
import { onlyResult, runOnShards } from "./run.ts";
import type { Ledger } from "./shards.ts";

const tokenHash = sql.placeholder("tokenHash");

export const c = alias(credentials, "c");
const [clickLink, impressionLink] = [alias(links, "k"), alias(links, "i")];
export const isCredential = sql`${c.tokenHash} = ${tokenHash}`;

export const credentialFields = {
  partnerId: c.partnerId,
  mode: c.mode,
  costTypes: c.costTypes,
  revokedAt: c.revokedAt,
};
const credential = query(credentialFields, sql`FROM ${as(c)} WHERE ${isCredential}`);

/** Returns undefined for an unknown credential. */
export async function findCredential({ control }: Ledger, hash: string): Promise<Credential | undefined> {
  const [[row]] = await runBatch(control, credential(control, { tokenHash: hash }));
  return row && toCredential(row);
}

export function toCredential(row: RowOf<typeof credentialFields>): Credential {
  return {
    partnerId: row.partnerId,
    mode: row.mode,
    costTypes: toTypes(row.costTypes),
    revoked: row.revokedAt !== null,
  };
}

const costFields = {
  costType: e.costType,
  currency: e.currency,
  amount: e.amountInEffect,
  tag: e.tag,
  receivedAt: e.receivedAt,
  state: e.state,
  matchedKind: e.matchedKind,
  countingPrice: e.countingPrice,
  clickLinkId: e.clickLinkId,
  impressionLinkId: e.impressionLinkId,
  ...optional({ clickLink: clickLink.token, impressionLink: impressionLink.token }),
};
const costRecord = query(
  { ...costFields, ...engagementFields },
  sql`FROM ${as(c)} CROSS JOIN ${as(e)}
    LEFT JOIN ${as(clickLink)} ON ${clickLink.id} = ${e.clickLinkId}
    LEFT JOIN ${as(impressionLink)} ON ${impressionLink.id} = ${e.impressionLinkId}
    WHERE ${isCredential} AND ${c.revokedAt} IS NULL AND ${c.mode} = 'live'
      AND ${e.partnerId} = ${c.partnerId} AND ${e.costId} = ${sql.placeholder("costId")} AND ${isRemembered}
      AND (${e.state} IS NOT NULL OR ${e.countingPrice} IS NOT NULL)`,
);

/**
 * A call, or a price on a URL that counts without one, or both: then the call is pending. `state` and the values of the call are
 * null without a call; `amount` is the amount in effect, null for an unpriced call.
 */
export type CostRecord = RowOf<typeof costFields> & { engagements: Engagements };

const linkTokens = query(
  { id: links.id, token: links.token },
  sql`FROM json_each(${sql.placeholder("ids")}) j CROSS JOIN ${links} ON ${links.id} = j.value`,
);

/** Finds a partner's own cost with a live credential. `now` in milliseconds since 1970. */
export async function findCost(
  ledger: Ledger,
  hash: string,
  costId: string,
  now: number,
): Promise<{ credential: Credential | undefined; cost: CostRecord | undefined }> {
  const partnerId = await findPartnerId(ledger, hash);
  if (partnerId === undefined) return { credential: undefined, cost: undefined };
  const values = { tokenHash: hash, costId, now };
  const parts = await runOnShards(
    ledger,
    [{ partnerId, costId }],
    (db) => [credential(db, values), costRecord(db, values)],
    ([known]) => known.length > 0,
  );
  const [[known], [row]] = onlyResult(parts);
  return {
    credential: known && toCredential(known),
    cost: row && { ...(await withLinks(ledger, row)), engagements: toEngagements(row) },
  };
}

type Row = RowOf<typeof costFields>;

/** Reads the tokens of the links from DB if the cost is on a shard, which stores no links. A call without a match needs none. */
async function withLinks<R extends Row>({ control }: Ledger, row: R): Promise<R> {
  const ids = [row.clickLinkId, row.impressionLinkId].filter((id) => id !== null);
  const isUnmatchedCall = row.matchedKind === null && row.receivedAt !== null;
  if (isUnmatchedCall || ids.length === 0 || row.clickLink !== null || row.impressionLink !== null)
    return row;
  const [found] = await runBatch(control, linkTokens(control, { ids: JSON.stringify(ids) }));
  const tokenOf = (id: number | null) => found.find((link) => link.id === id)?.token ?? null;
  return { ...row, clickLink: tokenOf(row.clickLinkId), impressionLink: tokenOf(row.impressionLinkId) };
}
