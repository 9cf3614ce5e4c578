/** Purges the ledger's rows that are forgotten, one slice of keys per transaction. A stored position lets it resume. */
import { type AnyColumn, type SQL, sql } from "drizzle-orm";
import { alias, as, names, returning } from "../../query.ts";
import { archiveState, ledgerEntries, purgePositions, type superseded } from "../../schema.ts";
import { statement } from "../../statement.ts";
import { type Ledger, runGated } from "../shards.ts";

export interface PurgeBounds {
  /** Rows that are remembered only until before this are deleted. */
  cutOff: number;
  now: number;
  /** Number of keys per transaction. */
  slice: number;
}

/** A table that the purge walks through. */
type Walked = typeof ledgerEntries | typeof superseded;

const FIRST_KEY = sql.raw("-1");
const LAST_KEY = sql.raw("9223372036854775807");
const cutOff = sql.placeholder("cutOff");

const p = alias(purgePositions, "p");
const { ledgerTable, afterPartnerId, afterCostId, untilPartnerId, untilCostId, walkedAt, walk, attempts } =
  purgePositions;
/** The last key of the slice before; the position before the first key at the start of a walk. */
const reached = sql`coalesce(${untilPartnerId}, ${FIRST_KEY}), coalesce(${untilCostId}, '')`;

/** Advances the stored slice of a table by `slice` keys, up to the end of the table, and from there back to its start. */
export const advanceOf = (table: Walked, name: SQL, set: SQL) => {
  const e = alias(table, "e");
  return sql`UPDATE ${purgePositions} SET
    (${names(afterPartnerId, afterCostId)}) = (${reached}),
    (${names(untilPartnerId, untilCostId)}) = (
      SELECT ${e.partnerId}, ${e.costId} FROM ${as(e)} WHERE (${e.partnerId}, ${e.costId}) > (${reached})
      ORDER BY ${e.partnerId}, ${e.costId} LIMIT 1 OFFSET ${sql.placeholder("slice")} - 1
    ), ${set}
  WHERE ${ledgerTable} = ${name}`;
};

/** Whether a key is in the stored slice of a table. */
export const isInSlice = (table: { partnerId: AnyColumn; costId: AnyColumn }, name: SQL) => {
  const position = sql`FROM ${as(p)} WHERE ${p.ledgerTable} = ${name}`;
  const key = sql`(${table.partnerId}, ${table.costId})`;
  // The unary plus removes the column's affinity. Otherwise SQLite would use only the partner part of the key and read a partner
  // from its first key for every slice.
  return sql`${key} > (SELECT +${p.afterPartnerId}, +${p.afterCostId} ${position})
    AND ${key} <= (SELECT coalesce(${p.untilPartnerId}, ${LAST_KEY}), coalesce(${p.untilCostId}, '') ${position})`;
};

const entries = sql`'ledger_entries'`;
const advance = returning(
  advanceOf(
    ledgerEntries,
    entries,
    // An archive that is bound later must not repeat the name of an object.
    sql`${names(walkedAt)} = ${sql.placeholder("now")}, ${names(walk)} = max(${walk}, ${cutOff}), ${names(attempts)} = 0`,
  ),
  { finished: sql<number>`${untilPartnerId} IS NULL` },
);
const remove = statement(sql`
  DELETE FROM ${ledgerEntries} WHERE ${isInSlice(ledgerEntries, entries)} AND ${ledgerEntries.rememberedUntil} < ${cutOff}
`);
const leaveArchive = statement(sql`
  UPDATE ${archiveState} SET ${names(archiveState.isOn)} = 0, ${names(archiveState.failingSince)} = NULL
  WHERE ${archiveState.id} = 1 AND ${archiveState.isOn}
`);

/** Purges the next slice in one transaction. Returns whether it was the last slice. Keeps the daily totals. */
export async function purgeSlice(ledger: Ledger, db: D1Database, bounds: PurgeBounds): Promise<boolean> {
  const values = { ...bounds };
  const batch = [advance(db, values), leaveArchive(db, values), remove(db, values)] as const;
  const [[slice]] = await runGated(ledger, db, [...batch]);
  return slice?.finished !== 0;
}
