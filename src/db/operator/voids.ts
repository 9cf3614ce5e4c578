/** Voids by operators, each with its audit entry. */
import { sql } from "drizzle-orm";
import { formatAmount } from "../../domain/money.ts";
import { auditChange, auditFirst, type Operator } from "../audit.ts";
import { e } from "../ledger/entries.ts";
import { type Ledger, type LedgerKey, runGated, shardFor } from "../ledger/shards.ts";
import { counting, isEntry, type Removed, type VoidVerdict, verdict, voidOf } from "../ledger/voids.ts";
import { as, query } from "../query.ts";
import { runBatch, runIdempotent } from "../statement.ts";

const partnerId = sql.placeholder("partnerId");
const judge = query(
  { verdict, ...counting },
  sql`FROM ${as(e)} WHERE ${e.partnerId} = ${partnerId} AND ${isEntry}`,
);
const placeholder = (name: keyof Removed) => sql`${sql.placeholder(name)}`;
// The audit entry names the values, so nothing is voided if they changed after they were read.
const voidValues = voidOf(
  partnerId,
  sql`(${counting.costType}, ${counting.currency}, ${counting.amount})
    IS (${placeholder("costType")}, ${placeholder("currency")}, ${placeholder("amount")})`,
);

/** An ID of a partner, and what counts of it or what a void removed; undefined if there is neither. */
export async function readCounting(
  ledger: Ledger,
  key: LedgerKey,
  now: number,
): Promise<{ verdict: VoidVerdict; values: Removed | undefined }> {
  const db = shardFor(ledger, key);
  const bound = judge(db, { ...key, now, isLimited: 0 });
  const [[row]] = await runGated(ledger, db, [bound], runIdempotent);
  if (!row || row.verdict === "not_found") return { verdict: "not_found", values: undefined };
  const { verdict, ...values } = row;
  return { verdict, values };
}

/**
 * Voids a cost if these values count, and writes the audit entry: in the same transaction or, with shards, before it. Returns
 * whether they counted.
 */
export async function voidCounting(
  ledger: Ledger,
  operator: Operator,
  key: LedgerKey,
  values: Removed,
  reason: string,
): Promise<boolean> {
  const { control } = ledger;
  const db = shardFor(ledger, key);
  const { partnerId, costId } = key;
  const amount = values.amount === null ? null : formatAmount(values.amount);
  const entry = ["void cost", "partner", partnerId, { costId, reason, ...values, amount }] as const;
  const bound = voidValues(db, { ...key, ...values, now: operator.now, isLimited: 0 });
  if (db !== control) await runBatch(control, auditFirst(control, operator, ...entry));
  const entries = db === control ? [auditChange(db, operator, ...entry)] : [];
  const [voided] = await runGated(ledger, db, [bound, ...entries], runIdempotent);
  return voided.length > 0;
}
