/** Voids: removes what counts of an ID, and keeps the values, so that the same cost does not bring it back. */
import { type Placeholder, type SQL, sql } from "drizzle-orm";
import type { CostType } from "../../domain/cost-types.ts";
import type { Credential } from "../../domain/costs.ts";
import { COST_WINDOW_MS } from "../../domain/time.ts";
import { as, names, query, type RowOf, returning } from "../query.ts";
import { ledgerEntries } from "../schema.ts";
import { c, credentialFields, isCredential, toCredential } from "./costs.ts";
import { findPartnerId } from "./credential-copies.ts";
import { COLUMNS, e, isRemembered } from "./entries.ts";
import { onlyResult, runOnShards } from "./run.ts";
import { isInPlace, type Ledger } from "./shards.ts";

const now = sql.placeholder("now");
const costId = sql.placeholder("costId");
const window = sql.raw(String(COST_WINDOW_MS));

/** When the window of the ID began: with the matched or priced engagement, or with the call while it waits for one. */
const windowStart = sql`coalesce(${e.matchedAt},
  CASE ${e.countingPrice} WHEN 'click' THEN ${e.clickAt} WHEN 'impression' THEN ${e.impressionAt} END, ${e.receivedAt})`;

/** `not_found`: the ID has no call and no price that counts. */
export type VoidVerdict = "void" | "duplicate" | "window_closed" | "not_found";
export const verdict = sql<VoidVerdict>`CASE
  WHEN ${e.state} = 'voided' THEN 'duplicate'
  WHEN ${e.state} IS NULL AND ${e.countingPrice} IS NULL THEN 'not_found'
  WHEN ${sql.placeholder("isLimited")} AND ${now} - ${windowStart} > ${window} THEN 'window_closed'
  ELSE 'void'
END`;
export const isEntry = sql`${e.costId} = ${costId} AND ${isRemembered}`;

const byCredential = {
  judge: query(
    { ...credentialFields, verdict: sql<VoidVerdict>`iif(${e.costId} IS NULL, 'not_found', ${verdict})` },
    sql`FROM ${as(c)} LEFT JOIN ${as(e)} ON ${e.partnerId} = ${c.partnerId} AND ${isEntry} WHERE ${isCredential}`,
  ),
  partner: sql`(SELECT ${c.partnerId} FROM ${as(c)} WHERE ${isCredential} AND ${c.revokedAt} IS NULL AND ${c.mode} = 'live')`,
};

/** A value of the price that counts. */
const ofPrice = (key: "urlCostType" | "urlCurrency" | "urlAmount") =>
  sql`iif(${e.countingPrice} = 'click', ${COLUMNS.click[key]}, ${COLUMNS.impression[key]})`;
/** What counts of an entry, which a void removes: the call, else the price on the URL. Of a void entry, what was removed. */
export const counting = {
  costType: sql<CostType>`coalesce(${e.costType}, ${ofPrice("urlCostType")})`,
  currency: sql<string>`coalesce(${e.currency}, ${ofPrice("urlCurrency")})`,
  amount: sql<number | null>`iif(${e.costType} IS NULL, ${ofPrice("urlAmount")}, ${e.amountInEffect})`,
};
/** The values that a void removes. The amount is null for an unpriced cost. */
export type Removed = RowOf<typeof counting>;

const { partnerId, costType, currency, amount, voidState } = ledgerEntries;
/** Keeps the values that it removes. */
export const voidOf = (partner: SQL | Placeholder, condition = sql`true`) =>
  returning(
    sql`UPDATE ${ledgerEntries} SET ${names(voidState)} = 'voided', ${names(costType)} = ${counting.costType},
      ${names(currency)} = ${counting.currency}, ${names(amount)} = ${counting.amount}
    FROM ${as(e)}
    WHERE ${partnerId} = ${partner} AND ${ledgerEntries.costId} = ${costId}
      AND ${e.partnerId} = ${partnerId} AND ${isEntry} AND ${verdict} = 'void' AND ${condition}`,
    { costType, currency, amount },
  );
const voidByCredential = voidOf(byCredential.partner, isInPlace);

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
    (db, _, place) => [byCredential.judge(db, values), voidByCredential(db, { ...values, ...place })],
    ([judged]) => judged.length > 0,
  );
  const [[judged]] = onlyResult(parts);
  return { credential: judged && toCredential(judged), verdict: judged?.verdict ?? "not_found" };
}
