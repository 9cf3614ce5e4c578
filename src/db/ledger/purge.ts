/** Purges the ledger's rows that are forgotten, one slice of keys per transaction. A stored position lets it resume. */
import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core/alias";
import { as, names, returning } from "../query.ts";
import { ledgerEntries, purgePositions } from "../schema.ts";
import { statement } from "../statement.ts";
import { type Ledger, runGated } from "./shards.ts";

export interface PurgeBounds {
  /** Rows that are remembered only until before this are deleted. */
  cutOff: number;
  now: number;
  /** Number of keys per transaction. */
  slice: number;
}

const FIRST_KEY = sql.raw("-1");
const LAST_KEY = sql.raw("9223372036854775807");

const p = alias(purgePositions, "p");
const e = alias(ledgerEntries, "e");
const { afterPartnerId, afterCostId, untilPartnerId, untilCostId, walkedAt } = purgePositions;
/** The last key of the slice before; the position before the first key at the start of a walk. */
const reached = sql`coalesce(${untilPartnerId}, ${FIRST_KEY}), coalesce(${untilCostId}, '')`;

/** Advances the stored slice by `slice` keys, up to the end of the table, and from there back to its start. */
const advance = returning(
  sql`UPDATE ${purgePositions} SET
    (${names(afterPartnerId, afterCostId)}) = (${reached}),
    (${names(untilPartnerId, untilCostId)}) = (
      SELECT ${e.partnerId}, ${e.costId} FROM ${as(e)} WHERE (${e.partnerId}, ${e.costId}) > (${reached})
      ORDER BY ${e.partnerId}, ${e.costId} LIMIT 1 OFFSET ${sql.placeholder("slice")} - 1
    ),
    ${names(walkedAt)} = ${sql.placeholder("now")}
  WHERE ${purgePositions.ledgerTable} = 'ledger_entries'`,
  { finished: sql<number>`${untilPartnerId} IS NULL` },
);

// The unary plus removes the column's affinity. Otherwise SQLite would use only the partner part of the key and read a partner
// from its first key for every slice.
const key = sql`(${ledgerEntries.partnerId}, ${ledgerEntries.costId})`;
const position = (columns: typeof p) =>
  sql`FROM ${as(columns)} WHERE ${columns.ledgerTable} = 'ledger_entries'`;
const remove = statement(sql`
  DELETE FROM ${ledgerEntries}
  WHERE ${key} > (SELECT +${p.afterPartnerId}, +${p.afterCostId} ${position(p)})
    AND ${key} <= (SELECT coalesce(${p.untilPartnerId}, ${LAST_KEY}), coalesce(${p.untilCostId}, '') ${position(p)})
    AND ${ledgerEntries.rememberedUntil} < ${sql.placeholder("cutOff")}
`);

/** Purges the next slice in one transaction. Returns whether it was the last slice. Keeps the daily totals. */
export async function purgeSlice(ledger: Ledger, db: D1Database, bounds: PurgeBounds): Promise<boolean> {
  const values = { ...bounds };
  const [[slice]] = await runGated(ledger, db, [advance(db, values), remove(db, values)]);
  return slice?.finished !== 0;
}
