/**
 * Voids: removes what counts of an ID, and keeps the values, so that the same cost does not bring it back. Each void has an entry in
 * the audit log. With one database, both are one transaction. With shards the log is in another database: an entry before the void
 * says `requested`, and another one `not carried out` if the shard then had something else to void.
 */

import { type SQL, sql } from "drizzle-orm";
import type { CostType } from "../../domain/cost-types.ts";
import type { Credential } from "../../domain/costs.ts";
import { expectDefined } from "../../domain/expect-defined.ts";
import { COST_WINDOW_MS } from "../../domain/time.ts";
import { insertEntry, type Operator, partnerEntry } from "../audit.ts";
import { as, type Fields, names, query, type RowOf, returning } from "../query.ts";
import { ledgerEntries } from "../schema.ts";
import { type Bound, runBatch, statement, type Value } from "../statement.ts";
import { credentialFields, toCredential } from "./costs.ts";
import { COLUMNS, credential as c, entry as e, isCredential, isRemembered } from "./entries.ts";
import {
  findPartnerId,
  isInPlace,
  type Ledger,
  type LedgerKey,
  placeOf,
  runForCredential,
  runInPlace,
  shardFor,
} from "./shards.ts";

const now = sql.placeholder("now");
const window = sql.raw(String(COST_WINDOW_MS));
const p = (name: string) => sql`${sql.placeholder(name)}`;

/** When the window of the ID began: with the matched or priced engagement, or with the call while it waits for one. */
const windowStart = sql`coalesce(${e.matchedAt},
  CASE ${e.countingPrice} WHEN 'click' THEN ${e.clickAt} WHEN 'impression' THEN ${e.impressionAt} END, ${e.receivedAt})`;

/** `not_found`: the ID has no call and no price that counts. */
type Judgement = "void" | "duplicate" | "window_closed" | "not_found";
/** `changed`: the cost changed each time before it could be voided. */
export type VoidVerdict = Judgement | "changed";
const verdict = sql<Judgement>`CASE
  WHEN ${e.state} = 'voided' THEN 'duplicate'
  WHEN ${e.state} IS NULL AND ${e.countingPrice} IS NULL THEN 'not_found'
  WHEN ${p("isLimited")} AND ${now} - ${windowStart} > ${window} THEN 'window_closed'
  ELSE 'void'
END`;

/** A value of the price that counts. */
const ofPrice = (key: "urlCostType" | "urlCurrency" | "urlAmount") =>
  sql`iif(${e.countingPrice} = 'click', ${COLUMNS.click[key]}, ${COLUMNS.impression[key]})`;
/** What counts of an entry, which a void removes: the call, else the price on the URL. Of a void entry, what was removed. */
const counting = {
  costType: sql<CostType>`coalesce(${e.costType}, ${ofPrice("urlCostType")})`,
  currency: sql<string>`coalesce(${e.currency}, ${ofPrice("urlCurrency")})`,
  amount: sql<number | null>`iif(${e.costType} IS NULL, ${ofPrice("urlAmount")}, ${e.amountInEffect})`,
};
const { click, impression } = COLUMNS;
/** As `countingPrice`, also after a void. */
const priceKind = sql`CASE WHEN ${click.priceCounts} = 1 AND (${e.clickFirst} OR coalesce(${impression.priceCounts}, 0) <> 1) THEN 'click'
  WHEN ${impression.priceCounts} = 1 THEN 'impression' END`;
/** The app whose figures the void changes: that of the matched engagement or of the price. Null while there is neither. */
const appToken = sql<string | null>`CASE coalesce(${e.matchedKind}, ${priceKind})
  WHEN 'click' THEN ${click.appToken} WHEN 'impression' THEN ${impression.appToken} END`;
/** The values that a void removes. The amount is null for an unpriced cost. */
type Removed = RowOf<typeof counting & { appToken: typeof appToken }>;

const isSame = sql`(${counting.costType}, ${counting.currency}, ${counting.amount})
  IS (${p("costType")}, ${p("currency")}, ${p("amount")})`;

/** An amount as `formatAmount` writes it. */
const decimal = (units: SQL) => sql`rtrim(rtrim(
  printf('%d.%05d', CAST(${units} AS INTEGER) / 100000, CAST(${units} AS INTEGER) % 100000), '0'), '.')`;
const detailOf = ({ costType, currency, amount, appToken }: Record<keyof Removed, SQL>) =>
  sql`'cost_id', ${p("costId")}, 'cost_type', ${costType}, 'currency', ${currency},
    'amount', iif(${amount} IS NULL, NULL, ${decimal(amount)}), 'app_token', ${appToken}`;

interface Gate<F extends Fields> {
  /** One row for a voider who is known, and what the judgement returns about them. */
  from: SQL;
  isVoider: SQL;
  fields: F;
  /** The partner whose costs they may void; null if there is none. */
  partner: SQL;
  /** What is in every entry of theirs, around these names and values of its detail. */
  entry: (detail: SQL) => { userId: SQL; subject: SQL; detail: SQL };
}

/** The statements of one kind of voider. */
function statementsFor<F extends Fields>({ from, isVoider, fields, partner, entry }: Gate<F>) {
  const isEntry = sql`${e.partnerId} = ${partner} AND ${e.costId} = ${p("costId")} AND ${isRemembered}`;
  const { partnerId, costId, costType, currency, amount, voidState, voidKind } = ledgerEntries;
  const insertVoid = (detail: SQL) => sql`${insertEntry("void cost", entry(detail))} FROM ${from}`;
  const stored = {
    costType: sql`${e.costType}`,
    currency: sql`${e.currency}`,
    amount: sql`${e.amount}`,
    appToken,
  };
  const read = {
    costType: p("costType"),
    currency: p("currency"),
    amount: p("amount"),
    appToken: p("appToken"),
  };
  return {
    judge: query(
      {
        ...fields,
        verdict: sql<Judgement>`iif(${e.costId} IS NULL, 'not_found', ${verdict})`,
        ...counting,
        appToken,
      },
      sql`FROM ${from} LEFT JOIN ${as(e)} ON ${isEntry} WHERE ${isVoider} AND ${isInPlace}`,
    ),
    /** Keeps the values that it removes: those of the row, or only those that the caller read before. */
    void: returning(
      sql`UPDATE ${ledgerEntries} SET ${names(voidState)} = 'voided',
        ${names(voidKind)} = iif(${e.costType} IS NULL, ${e.countingPrice}, NULL), ${names(costType)} = ${counting.costType},
        ${names(currency)} = ${counting.currency}, ${names(amount)} = ${counting.amount}
      FROM ${as(e)}
      WHERE ${partnerId} = ${partner} AND ${costId} = ${p("costId")} AND ${isEntry} AND ${verdict} = 'void' AND ${isInPlace}
        AND (${p("isAny")} OR ${isSame})`,
      { costId },
    ),
    // A batch runs on one connection, so changes() are those of the void just before it.
    record: statement<unknown>(
      sql`${insertVoid(detailOf(stored))} CROSS JOIN ${as(e)} ON ${isEntry} WHERE ${isVoider} AND changes() > 0`,
    ),
    /** With shards: what was read there, and `requested` or `not carried out`. */
    recordOutcome: statement<unknown>(
      sql`${insertVoid(sql`${detailOf(read)}, 'outcome', ${p("outcome")}`)} WHERE ${isVoider}`,
    ),
  };
}

const byCredential = statementsFor({
  from: as(c),
  isVoider: isCredential,
  fields: credentialFields,
  partner: sql`(SELECT ${c.partnerId} FROM ${as(c)} WHERE ${isCredential} AND ${c.revokedAt} IS NULL AND ${c.mode} = 'live')`,
  entry: (detail) => partnerEntry(c, detail),
});

const byOperator = statementsFor({
  from: sql`(SELECT 1)`,
  isVoider: sql`true`,
  fields: {},
  partner: p("partnerId"),
  entry: (detail) => ({
    userId: p("userId"),
    subject: sql`'partner ' || CAST(${p("partnerId")} AS INTEGER)`,
    detail: sql`json_object(${detail}, 'reason', ${p("reason")})`,
  }),
});

/** A cost on a shard can change between reading and voiding it, but only a few times: it matches, gets its amount, or is replaced. */
const MAX_ATTEMPTS = 5;

type Statement<Row> = (db: D1Database, values: Record<string, Value>) => Bound<Row>;
type Statements<Row> = { judge: Statement<Row> } & Record<
  "void" | "record" | "recordOutcome",
  Statement<unknown>
>;

/** Judges a void and carries it out. `judged` is undefined if the voider is not known. */
async function carryOut<Row extends Removed & { verdict: Judgement }>(
  ledger: Ledger,
  { judge, void: remove, record, recordOutcome }: Statements<Row>,
  key: LedgerKey,
  given: Record<string, Value>,
) {
  const { control } = ledger;
  const db = shardFor(ledger, key);
  const values = { ...given, costId: key.costId, ...placeOf(ledger, db) };
  const run = async (...others: Bound<unknown>[]) => {
    const [[judged]] = await runForCredential(ledger, db, [judge(db, values), ...others]);
    const verdict: VoidVerdict = judged?.verdict ?? "not_found";
    return { judged, verdict };
  };
  if (db === control) {
    const any = { ...values, isAny: 1, costType: null, currency: null, amount: null };
    return run(remove(db, any), record(db, values));
  }
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const judgement = await run();
    if (judgement.verdict !== "void") return judgement;
    const { costType, currency, amount, appToken } = expectDefined(judgement.judged);
    const read = { ...values, isAny: 0, costType, currency, amount, appToken };
    await runBatch(control, recordOutcome(control, { ...read, outcome: "requested" }));
    // Not repeated after a lost connection: a repetition could not tell its own void from another one.
    const [voided] = await runInPlace(ledger, db, [remove(db, read)]);
    if (voided.length > 0) return judgement;
    await runBatch(control, recordOutcome(control, { ...read, outcome: "not carried out" }));
  }
  const { judged } = await run();
  return { judged, verdict: "changed" as const };
}

/** A partner voids its own cost, in the window of its engagement. `at` in milliseconds since 1970. */
export async function voidOwnCost(
  ledger: Ledger,
  tokenHash: string,
  costId: string,
  at: number,
): Promise<{ credential: Credential | undefined; verdict: VoidVerdict }> {
  const partnerId = await findPartnerId(ledger, tokenHash);
  if (partnerId === undefined) return { credential: undefined, verdict: "not_found" as const };
  const values = { tokenHash, now: at, isLimited: 1 };
  const { judged, verdict } = await carryOut(ledger, byCredential, { partnerId, costId }, values);
  return { credential: judged && toCredential(judged), verdict };
}

/** An operator voids a cost of a partner, until the cost is forgotten. */
export async function voidForPartner(
  ledger: Ledger,
  { userId, now }: Operator,
  key: LedgerKey,
  reason: string,
): Promise<VoidVerdict> {
  const values = { partnerId: key.partnerId, now, isLimited: 0, userId, reason };
  return (await carryOut(ledger, byOperator, key, values)).verdict;
}
