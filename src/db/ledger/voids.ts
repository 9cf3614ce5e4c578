/** Voids: removes what counts of an ID, and keeps the values, so that the same cost does not bring it back. */
import { sql } from "drizzle-orm";
import type { Credential } from "../../domain/costs.ts";
import { COST_WINDOW_MS } from "../../domain/time.ts";
import { as, names, query, returning } from "../query.ts";
import { ledgerEntries } from "../schema.ts";
import { runIdempotent } from "../statement.ts";
import { c, credentialFields, isCredential, toCredential } from "./costs.ts";
import { findPartnerId } from "./credential-copies.ts";
import { e, isRemembered, TABLE_COLUMNS } from "./entries.ts";
import { onlyResult, runOnShards } from "./run.ts";
import { type Ledger, runGated, shardFor } from "./shards.ts";

const now = sql.placeholder("now");
const costId = sql.placeholder("costId");
const partnerId = sql.placeholder("partnerId");
const window = sql.raw(String(COST_WINDOW_MS));

/** When the window of the ID began: with the matched or priced engagement, or with the call while it waits for one. */
const windowStart = sql`coalesce(${e.matchedAt},
  CASE ${e.countingPrice} WHEN 'click' THEN ${e.clickAt} WHEN 'impression' THEN ${e.impressionAt} END, ${e.receivedAt})`;

/** `not_found`: the ID has no call and no price that counts. */
export type VoidVerdict = "void" | "duplicate" | "window_closed" | "not_found";
const verdict = sql<VoidVerdict>`CASE
  WHEN ${e.state} = 'voided' THEN 'duplicate'
  WHEN ${e.state} IS NULL AND ${e.countingPrice} IS NULL THEN 'not_found'
  WHEN ${sql.placeholder("isLimited")} AND ${now} - ${windowStart} > ${window} THEN 'window_closed'
  ELSE 'void'
END`;
const isEntry = sql`${e.costId} = ${costId} AND ${isRemembered}`;

const byCredential = {
  judge: query(
    { ...credentialFields, verdict: sql<VoidVerdict>`iif(${e.costId} IS NULL, 'not_found', ${verdict})` },
    sql`FROM ${as(c)} LEFT JOIN ${as(e)} ON ${e.partnerId} = ${c.partnerId} AND ${isEntry} WHERE ${isCredential}`,
  ),
  partner: sql`(SELECT ${c.partnerId} FROM ${as(c)} WHERE ${isCredential} AND ${c.revokedAt} IS NULL AND ${c.mode} = 'live')`,
};
const judgeForOperator = query(
  { verdict },
  sql`FROM ${as(e)} WHERE ${e.partnerId} = ${partnerId} AND ${isEntry}`,
);

const { costType, currency, amount, voidState, countingPrice } = ledgerEntries;
/** A value of the price that counts. */
const ofPrice = (key: "urlCostType" | "urlCurrency" | "urlAmount") =>
  sql`iif(${countingPrice} = 'click', ${TABLE_COLUMNS.click[key]}, ${TABLE_COLUMNS.impression[key]})`;
/** Keeps the values of the call, else those of the price on the URL. */
const voidOf = (partner: typeof partnerId | typeof byCredential.partner) =>
  returning(
    sql`UPDATE ${ledgerEntries} SET
      ${names(voidState)} = 'voided',
      ${names(amount)} = iif(${costType} IS NULL, ${ofPrice("urlAmount")}, ${ledgerEntries.amountInEffect}),
      ${names(costType)} = coalesce(${costType}, ${ofPrice("urlCostType")}),
      ${names(currency)} = coalesce(${currency}, ${ofPrice("urlCurrency")})
    WHERE ${ledgerEntries.partnerId} = ${partner} AND ${ledgerEntries.costId} = ${costId}
      AND EXISTS (
        SELECT 1 FROM ${as(e)} WHERE ${e.partnerId} = ${ledgerEntries.partnerId} AND ${isEntry} AND ${verdict} = 'void'
      )`,
    { costType, currency, amount },
  );
const voidByCredential = voidOf(byCredential.partner);
const voidForOperator = voidOf(partnerId);

/** A partner voids its own cost, in the window of its engagement. `now` in milliseconds since 1970. */
export async function voidOwnCost(
  ledger: Ledger,
  hash: string,
  id: string,
  at: number,
): Promise<{ credential: Credential | undefined; verdict: VoidVerdict }> {
  const partner = await findPartnerId(ledger, hash);
  if (partner === undefined) return { credential: undefined, verdict: "not_found" };
  const values = { tokenHash: hash, costId: id, now: at, isLimited: 1 };
  const parts = await runOnShards(
    ledger,
    [{ partnerId: partner, costId: id }],
    (db) => [byCredential.judge(db, values), voidByCredential(db, values)],
    ([judged]) => judged.length > 0,
  );
  const [[judged]] = onlyResult(parts);
  return { credential: judged && toCredential(judged), verdict: judged?.verdict ?? "not_found" };
}

/**
 * An operator voids a cost of a partner, as long as its row is remembered. Returns the values that no longer count, if the void
 * is new.
 */
export async function voidCostOf(ledger: Ledger, key: { partnerId: number; costId: string }, at: number) {
  const db = shardFor(ledger, key);
  const values = { ...key, now: at, isLimited: 0 };
  const [[judged], [voided]] = await runGated(
    ledger,
    db,
    [judgeForOperator(db, values), voidForOperator(db, values)],
    runIdempotent,
  );
  return { verdict: judged?.verdict ?? ("not_found" as const), voided };
}
