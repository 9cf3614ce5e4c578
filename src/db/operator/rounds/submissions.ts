/** Stores submissions with a test credential in its integration round, up to a limit and separate from the ledger's costs. */
import { sql } from "drizzle-orm";
import type { RoundEntry } from "../../../domain/rounds/findings.ts";
import { groupEngagements } from "../../../domain/rounds/report.ts";
import { type Ledger, runGated } from "../../ledger/shards.ts";
import { alias, as, jsonValues, names, query, returning, type Sent } from "../../query.ts";
import { credentials, roundEntries } from "../../schema.ts";
import { chunk, runBatch } from "../../statement.ts";
import { engagementsOfIds, findOnShards, toRoundEngagements } from "./engagements.ts";
import { entryFields, roundEntry as n, toEntry, round as x } from "./lists.ts";
import { ofCredential, testCredential, toCredential } from "./rounds.ts";

/** A round stores at most this many entries and discards later ones. */
export const MAX_ROUND_ENTRIES = 1_000;

const c = alias(credentials, "c");

const entriesOfIds = query(
  entryFields,
  sql`FROM ${ofCredential} CROSS JOIN ${as(n)} ON ${n.roundId} = ${x.id}
    WHERE ${n.costId} IN (SELECT value FROM json_each(${sql.placeholder("costIds")}))
    ORDER BY ${n.number}`,
);
const engagementsOfSent = engagementsOfIds(ofCredential);

/**
 * Reads the entries and engagements of cost IDs sent with a test credential; `credential` is undefined if it is unknown. `now` in
 * milliseconds since 1970.
 */
export async function findTestContext(ledger: Ledger, hash: string, ids: string[], now: number) {
  const db = ledger.control;
  const values = { tokenHash: hash, costIds: JSON.stringify(ids), now };
  const [[row], entries, engagements] = await runGated(ledger, db, [
    testCredential(db, values),
    entriesOfIds(db, values),
    engagementsOfSent(db, values),
  ]);
  const onShards = row ? await findOnShards(ledger, row.partnerId, ids, now) : [];
  const found = [...engagements, ...onShards].flatMap(toRoundEngagements);
  return {
    credential: row && toCredential(row),
    /** The macros of the partner's templates. */
    macros: row?.macros ?? "",
    entries: entries.map(toEntry),
    /** By cost ID, as they count in a round. */
    engagements: groupEngagements(found, row ?? { highestUrlAmount: -1, urlCurrency: null }),
  };
}

const { roundId, number, receivedAt, costId, record } = roundEntries;
const sent = jsonValues("costId", "record");
const entryInserts = returning(
  sql`INSERT INTO ${roundEntries} (${names(roundId, number, receivedAt, costId, record)})
    SELECT ${x.id}, ${x.entryCount} + j.key + 1, ${sql.placeholder("now")}, ${sent.costId}, ${sent.record}
    FROM ${ofCredential} CROSS JOIN json_each(${sql.placeholder("entries")}) j
    WHERE ${c.revokedAt} IS NULL AND ${x.state} = 'open'
      AND ${x.entryCount} + j.key < ${sql.raw(String(MAX_ROUND_ENTRIES))}`,
  { number },
);

/** An entry may have 10 KB, and one parameter holds 2 MB. */
const ENTRIES_PER_STATEMENT = 100;

/** Stores submissions in their order, up to the limit of the round. Returns how many were stored. */
export async function insertEntries(
  db: D1Database,
  hash: string,
  entries: Omit<RoundEntry, "number" | "receivedAt">[],
  now: number,
): Promise<number> {
  const rows = entries.map(
    ({ costId, ...record }): Sent<typeof sent> => ({ costId, record: JSON.stringify(record) }),
  );
  const inserts = chunk(rows, ENTRIES_PER_STATEMENT).map((part) =>
    entryInserts(db, { tokenHash: hash, entries: JSON.stringify(part), now }),
  );
  return (await runBatch(db, ...inserts)).flat().length;
}
