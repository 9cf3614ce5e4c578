/** Reads integration rounds and their entries: lists for operators, and the columns that every reader of a round selects. */
import { sql } from "drizzle-orm";
import type { RoundEntry } from "../../../domain/rounds/findings.ts";
import type { Range } from "../../keyset.ts";
import { alias, as, pick, type RowOf } from "../../query.ts";
import { partners, roundEntries, rounds } from "../../schema.ts";
import { pagedList } from "../lists/paged.ts";

export const round = alias(rounds, "x");
export const roundEntry = alias(roundEntries, "n");
const p = alias(partners, "p");

export const roundFields = {
  id: round.id,
  partnerId: round.partnerId,
  partner: sql<string>`(SELECT ${p.displayName} FROM ${as(p)} WHERE ${p.id} = ${round.partnerId})`,
  ...pick(round, "costTypes", "state", "openedAt", "endedAt", "entryCount"),
  /** Null unless the round was approved, and for all of its cost types. */
  approvedTypes: round.approvedTypes,
};

/** A round with the name of its partner. Its cost types are a bit mask. */
export type RoundRow = RowOf<typeof roundFields>;

export const listRounds = pagedList(roundFields, { from: round });
/** Takes `partnerId`. */
export const listRoundsOfPartner = pagedList(roundFields, {
  from: round,
  where: sql`${round.partnerId} = ${sql.placeholder("partnerId")}`,
});

export const entryFields = pick(roundEntry, "number", "receivedAt", "costId", "record");
export type EntryRow = RowOf<typeof entryFields>;

const listEntryRows = pagedList(
  { id: roundEntry.number, ...entryFields },
  {
    from: roundEntry,
    where: sql`${roundEntry.roundId} = ${sql.placeholder("roundId")}`,
    within: sql`EXISTS (SELECT 1 FROM ${as(round)} WHERE ${round.id} = ${sql.placeholder("roundId")})`,
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
