/**
 * The SQL of the purge with an archive. A slice is begun, its rows are written to the bucket, and then it is completed: its rows
 * are deleted if they are still the same. The rows of a slice are fixed by its walk and can only become fewer.
 */
import { type AnyColumn, type SQL, sql } from "drizzle-orm";
import { HOUR_MS } from "../../domain/time.ts";
import { advanceOf, isInSlice, type PurgeBounds } from "../ledger/purge/entries.ts";
import { isAbortedBySql, type Ledger, type LedgerKey, runGated } from "../ledger/shards.ts";
import { as, names, query, type RowOf } from "../query.ts";
import {
  archiveObjects,
  archiveState,
  entryRecords,
  ledgerEntries,
  purgePositions,
  superseded,
} from "../schema.ts";
import { statement } from "../statement.ts";

/** The tables that the purge walks through, in this order. */
export const LEDGER_TABLES = ["superseded", "ledger_entries"] as const;
export type LedgerTable = (typeof LEDGER_TABLES)[number];

/** A walk begins at most once a day, so that few objects can have a given cost. An hour less, because the cron is not exact. */
const WALK_PAUSE = sql.raw(String(23 * HOUR_MS));

const { walk, attempts, walkedAt, untilPartnerId, afterPartnerId, afterCostId } = purgePositions;
const now = sql.placeholder("now");
const cutOff = sql.placeholder("cutOff");

const { isOn, failingSince } = archiveState;
const switchOn = statement(
  sql`UPDATE ${archiveState} SET ${names(isOn)} = 1 WHERE ${archiveState.id} = 1 AND NOT ${isOn}`,
);
const fail = statement(
  sql`UPDATE ${archiveState} SET ${names(failingSince)} = ${now} WHERE ${archiveState.id} = 1 AND ${failingSince} IS NULL`,
);
const withoutTrigger = statement(
  sql`UPDATE ${archiveState} SET ${names(isOn)} = 0 WHERE ${archiveState.id} = 1`,
);
const withTrigger = statement(
  sql`UPDATE ${archiveState} SET ${names(isOn)} = 1, ${names(failingSince)} = NULL WHERE ${archiveState.id} = 1`,
);
/** Aborts the batch, like the gate of every batch, if the statement before it did not delete this number of rows. */
const expectChanges = statement(
  sql`SELECT json(iif(changes() = ${sql.placeholder("rowCount")}, 'true', 'other rows'))`,
);

const place = {
  walk,
  attempts,
  firstPartnerId: afterPartnerId,
  firstCostId: afterCostId,
  isLast: sql<number>`${untilPartnerId} IS NULL`,
};
const OBJECT_VALUES = [
  "walk",
  "firstPartnerId",
  "firstCostId",
  "lastPartnerId",
  "lastCostId",
  "firstDay",
  "lastDay",
  "rowCount",
].map((value) => sql`${sql.placeholder(value)}`);
const objectColumns = [
  archiveObjects.ledgerTable,
  archiveObjects.walk,
  archiveObjects.firstPartnerId,
  archiveObjects.firstCostId,
  archiveObjects.lastPartnerId,
  archiveObjects.lastCostId,
  archiveObjects.firstDay,
  archiveObjects.lastDay,
  archiveObjects.rowCount,
];

interface Walked {
  table: typeof ledgerEntries | typeof superseded;
  due: AnyColumn;
  record: typeof superseded.record | typeof entryRecords.record;
  /** The view that has the record, if the table does not. */
  view?: SQL;
}

/** The statements for a table. A walk takes the rows whose `due` is before it. */
function statementsFor(name: LedgerTable, { table, due, record, view = sql`` }: Walked) {
  const text = sql.raw(`'${name}'`);
  const isHere = sql`${purgePositions.ledgerTable} = ${text}`;
  const currentWalk = sql`(SELECT ${walk} FROM ${purgePositions} WHERE ${isHere})`;
  const isSlice = sql`${isHere} AND ${attempts} > 0 AND ${walk} = ${sql.placeholder("walk")}
    AND (${afterPartnerId}, ${afterCostId}) = (${sql.placeholder("firstPartnerId")}, ${sql.placeholder("firstCostId")})`;
  const start = sql`${names(walk)} = iif(${untilPartnerId} IS NULL, ${cutOff}, ${walk}), ${names(attempts)} = 1`;
  return {
    touch: statement(sql`UPDATE ${purgePositions}
      SET ${names(walkedAt)} = ${now}, ${names(attempts)} = ${attempts} + (${attempts} > 0) WHERE ${isHere}`),
    advance: statement(sql`${advanceOf(table, text, start)}
      AND ${attempts} = 0 AND (${untilPartnerId} IS NOT NULL OR ${walk} <= ${cutOff} - ${WALK_PAUSE})`),
    position: query(place, sql`FROM ${purgePositions} WHERE ${isHere} AND ${attempts} > 0`),
    read: query(
      { partnerId: table.partnerId, costId: table.costId, record: sql<string>`${record}` },
      sql`FROM ${as(table)} ${view} WHERE ${isInSlice(table, text)} AND ${due} < ${currentWalk}
        AND EXISTS (SELECT 1 FROM ${purgePositions} WHERE ${isHere} AND ${attempts} > 0)
        ORDER BY ${table.partnerId}, ${table.costId}`,
    ),
    remove: statement(sql`DELETE FROM ${table} WHERE ${isInSlice(table, text)} AND ${due} < ${currentWalk}
      AND EXISTS (SELECT 1 FROM ${purgePositions} WHERE ${isSlice})`),
    complete: statement(sql`UPDATE ${purgePositions} SET ${names(attempts)} = 0 WHERE ${isSlice}`),
    addObject: statement(sql`INSERT INTO ${archiveObjects} (${names(...objectColumns)})
      VALUES (${text}, ${sql.join(OBJECT_VALUES, sql`, `)})`),
  };
}

const STATEMENTS = {
  superseded: statementsFor("superseded", {
    table: superseded,
    due: superseded.walk,
    record: superseded.record,
  }),
  ledger_entries: statementsFor("ledger_entries", {
    table: ledgerEntries,
    due: ledgerEntries.rememberedUntil,
    record: entryRecords.record,
    view: sql`CROSS JOIN ${as(entryRecords)} ON ${entryRecords.partnerId} = ${ledgerEntries.partnerId}
      AND ${entryRecords.costId} = ${ledgerEntries.costId}`,
  }),
};

/** A slice that was begun, with its rows. */
export interface Slice {
  walk: number;
  /** The slice starts after this key. */
  first: LedgerKey;
  /** The slice was begun before, so its object can exist. */
  isRepeated: boolean;
  /** Whether the walk ends with it. */
  isLast: boolean;
  rows: { partnerId: number; costId: string; record: string }[];
}

const valuesOf = ({ walk, first }: Slice) => ({
  walk,
  firstPartnerId: first.partnerId,
  firstCostId: first.costId,
});

/**
 * Begins the next slice of a table, or again the one that was begun and not completed. `previous` was found without rows and is
 * complete. Returns undefined at the end of the walk.
 */
export async function beginSlice(
  ledger: Ledger,
  db: D1Database,
  table: LedgerTable,
  bounds: PurgeBounds,
  previous: Slice | undefined,
): Promise<Slice | undefined> {
  const { touch, advance, position, read, complete } = STATEMENTS[table];
  const values = { ...bounds };
  const results = await runGated(ledger, db, [
    switchOn(db, values),
    ...(previous ? [complete(db, valuesOf(previous))] : []),
    touch(db, values),
    advance(db, values),
    position(db, values),
    read(db, values),
  ]);
  const [[found], rows] = results.slice(-2) as [RowOf<typeof place>[], Slice["rows"]];
  return (
    found && {
      walk: found.walk,
      first: { partnerId: found.firstPartnerId, costId: found.firstCostId },
      isRepeated: found.attempts > 1,
      isLast: found.isLast === 1,
      rows,
    }
  );
}

/** What `archive_objects` has of an object. */
export type ObjectEntry = { last: LedgerKey; firstDay: number; lastDay: number };

/**
 * Completes a slice: deletes its rows, which are in the object, in one transaction. Returns false, and changes nothing, if
 * another request or another purge changed the slice since it was begun.
 */
export async function completeSlice(
  ledger: Ledger,
  db: D1Database,
  table: LedgerTable,
  slice: Slice,
  object: ObjectEntry | undefined,
): Promise<boolean> {
  const { remove, addObject, complete } = STATEMENTS[table];
  const values = { ...valuesOf(slice), rowCount: slice.rows.length };
  const statements = object
    ? [
        withoutTrigger(db, values),
        remove(db, values),
        expectChanges(db, values),
        addObject(db, {
          ...values,
          lastPartnerId: object.last.partnerId,
          lastCostId: object.last.costId,
          firstDay: object.firstDay,
          lastDay: object.lastDay,
        }),
        withTrigger(db, values),
      ]
    : [];
  try {
    await runGated(ledger, db, [...statements, complete(db, values)]);
    return true;
  } catch (error) {
    if (isAbortedBySql(error)) return false;
    throw error;
  }
}

/** Stores since when the bucket rejects objects. */
export async function storeFailure(ledger: Ledger, db: D1Database, at: number): Promise<void> {
  await runGated(ledger, db, [fail(db, { now: at })]);
}
