/** Reads integration rounds and their entries: lists for operators, and the columns that every reader of a round selects. */
import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core/alias";
import type { RoundEntry } from "../../../domain/rounds/findings.ts";
import type { Range } from "../../keyset.ts";
import { as, type RowOf } from "../../query.ts";
import { partners, roundEntries, rounds } from "../../schema.ts";
import { pagedList } from "../paged-list.ts";

export const x = alias(rounds, "x");
export const n = alias(roundEntries, "n");
const p = alias(partners, "p");

export const roundFields = {
  id: x.id,
  partnerId: x.partnerId,
  partner: sql<string>`(SELECT ${p.displayName} FROM ${as(p)} WHERE ${p.id} = ${x.partnerId})`,
  costTypes: x.costTypes,
  state: x.state,
  openedAt: x.openedAt,
  endedAt: x.endedAt,
  entryCount: x.entryCount,
  /** Null unless the round was approved, and for all of its cost types. */
  approvedTypes: x.approvedTypes,
};

/** A round with the name of its partner. Its cost types are a bit mask. */
export type RoundRow = RowOf<typeof roundFields>;

export const listRounds = pagedList(roundFields, { from: x });
/** Takes `partnerId`. */
export const listRoundsOfPartner = pagedList(roundFields, {
  from: x,
  where: sql`${x.partnerId} = ${sql.placeholder("partnerId")}`,
});

export const entryFields = { number: n.number, receivedAt: n.receivedAt, costId: n.costId, record: n.record };
export type EntryRow = RowOf<typeof entryFields>;

const listEntryRows = pagedList(
  { id: n.number, ...entryFields },
  {
    from: n,
    where: sql`${n.roundId} = ${sql.placeholder("roundId")}`,
    within: sql`EXISTS (SELECT 1 FROM ${as(x)} WHERE ${x.id} = ${sql.placeholder("roundId")})`,
  },
);

/** Reads one page of a round's entries. The total is undefined if there is no such round. */
export async function listEntries(db: D1Database, range: Range, roundId: number) {
  const { rows, total } = await listEntryRows(db, range, { roundId });
  return { total, rows: rows.map((row) => ({ id: row.id, ...toEntry(row) })) };
}

export function toEntry({ record, number, receivedAt, costId }: EntryRow): RoundEntry {
  const stored: Omit<RoundEntry, "number" | "receivedAt" | "costId"> = JSON.parse(record);
  // The stored number is authoritative: concurrent submissions are numbered when they are inserted.
  return { ...stored, number, receivedAt, costId };
}
