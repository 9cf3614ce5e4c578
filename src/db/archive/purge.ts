/**
 * The purge with an archive: writes the forgotten rows of a slice to the bucket, and deletes them only after the bucket has them.
 * A crash at any point is repaired by the next run, which begins the same slice again and overwrites its object.
 */
import { sql } from "drizzle-orm";
import { expectDefined } from "../../domain/expect-defined.ts";
import type { PurgeBounds } from "../ledger/purge/entries.ts";
import { type Ledger, nameOf } from "../ledger/shards.ts";
import { as, query } from "../query.ts";
import { links } from "../schema.ts";
import { runBatch } from "../statement.ts";
import { ArchiveError, deleteObject, nameOfObject, writeObject } from "./objects.ts";
import { daysOf, linksWithoutToken, type RawRecord, toArchivedCost } from "./record.ts";
import { beginSlice, completeSlice, type LedgerTable, type Slice, storeFailure } from "./slices.ts";

/** The calls to D1 and to the bucket for one slice, and one for the links of a shard. */
const CALLS_PER_SLICE = 4;

/** What the walks of one run share. */
export interface ArchiveRun extends PurgeBounds {
  bucket: R2Bucket;
  /** Tokens of links by ID, for shards, which have no links. */
  tokens: Map<number, string>;
}

/**
 * Archives and purges a table of a database, from where the last run stopped to the end of its walk at most, with at most
 * `maxCalls` calls. Returns their number. Throws if the database or the bucket fails; the next run continues.
 */
export async function archiveTable(
  ledger: Ledger,
  db: D1Database,
  table: LedgerTable,
  run: ArchiveRun,
  maxCalls: number,
): Promise<number> {
  let previous: Slice | undefined;
  let calls = 0;
  while (calls + CALLS_PER_SLICE <= maxCalls) {
    const slice = await beginSlice(ledger, db, table, run, previous);
    calls++;
    if (!slice) return calls;
    const place = { shard: nameOf(ledger, db), ledgerTable: table, walk: slice.walk, first: slice.first };
    const name = nameOfObject(place);
    previous = undefined;
    if (slice.rows.length > 0) {
      const raw = slice.rows.map(({ record }) => JSON.parse(record) as RawRecord);
      await findTokens(ledger, raw, run.tokens);
      await toBucket(ledger, db, run, () =>
        writeObject(
          run.bucket,
          name,
          raw.map((row) => JSON.stringify(toArchivedCost(row, run.tokens))),
        ),
      );
      const days = raw.flatMap(daysOf);
      const object = {
        last: expectDefined(slice.rows.at(-1)),
        firstDay: days.reduce((first, day) => Math.min(first, day)),
        lastDay: days.reduce((last, day) => Math.max(last, day)),
      };
      calls += CALLS_PER_SLICE - 1;
      if (!(await completeSlice(ledger, db, table, slice, object))) continue;
    } else {
      if (slice.isRepeated) await toBucket(ledger, db, run, () => deleteObject(run.bucket, name));
      calls += Number(slice.isRepeated);
      previous = slice;
    }
    if (!slice.isLast) continue;
    if (previous) await completeSlice(ledger, db, table, slice, undefined);
    return calls + 1;
  }
  return calls;
}

/** Stores that the bucket failed, for /readyz, and throws the error. */
async function toBucket(ledger: Ledger, db: D1Database, { now }: ArchiveRun, write: () => Promise<void>) {
  try {
    await write();
  } catch (error) {
    if (error instanceof ArchiveError) await storeFailure(ledger, db, now);
    throw error;
  }
}

const linkTokens = query(
  { id: links.id, token: links.token },
  sql`FROM json_each(${sql.placeholder("ids")}) j CROSS JOIN ${as(links)} ON ${links.id} = j.value`,
);

/** Reads the tokens of links that a shard does not have, and that this run has not read yet. */
async function findTokens({ control }: Ledger, rows: RawRecord[], tokens: Map<number, string>) {
  const ids = new Set(rows.flatMap(linksWithoutToken).filter((id) => !tokens.has(id)));
  if (ids.size === 0) return;
  const [found] = await runBatch(control, linkTokens(control, { ids: JSON.stringify([...ids]) }));
  for (const { id, token } of found) tokens.set(id, token);
}
