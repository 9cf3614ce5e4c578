/**
 * The purge, once an hour: costs past the acceptance window and engagements past their memory, slice by slice;
 * sessions that have ended, and the answers of idempotency keys.
 */

import { deleteExpired, type ExpiringTable } from "./db/expired.ts";
import { ENGAGEMENT_RETENTION_MS, type LedgerTable, purgeSlice } from "./db/ledger/purge.ts";
import type { Ledger } from "./db/ledger/shards.ts";
import { COST_WINDOW_MS } from "./domain/matching.ts";

/**
 * The purge stays behind what a request may still accept, whatever the clocks of two machines differ by: a cost purged
 * too early could be sent, and counted, again.
 */
const PURGE_MARGIN_MS = 3600 * 1000;

const SLICE_KEYS = 5_000;
/** One invocation may make 1,000 calls to D1; what is left waits for the next run. */
const MAX_CALLS = 900;
/** Of the tables beside the ledger: 2,000 rows a call, 40 calls each. */
const EXPIRED_SLICE = 2_000;
const MAX_EXPIRED_SLICES = 40;

/**
 * Walks both tables of every database of the ledger from where the last run stopped, at most once to the end each, and
 * forgets what has expired beside it. Whatever fails leaves the rest purged; its error is thrown at the end.
 */
export async function purge(
  ledger: Ledger,
  now: number,
  slice = SLICE_KEYS,
  maxSlices = Math.floor(MAX_CALLS / (2 * ledger.databases.size)),
): Promise<void> {
  const bounds = {
    closedBefore: now - COST_WINDOW_MS - PURGE_MARGIN_MS,
    deleteBefore: now - ENGAGEMENT_RETENTION_MS - PURGE_MARGIN_MS,
    now,
    slice,
  };
  const walk = async (db: D1Database) => {
    // Costs first: one that stands on an engagement goes before it.
    for (const table of ["costs", "engagements"] satisfies LedgerTable[]) {
      for (let slices = 0; slices < maxSlices; slices++) {
        if (await purgeSlice(db, table, bounds)) break;
      }
    }
  };
  const forget = async (table: ExpiringTable) => {
    for (let slices = 0; slices < MAX_EXPIRED_SLICES; slices++) {
      if (!(await deleteExpired(ledger.control, table, now, EXPIRED_SLICE))) break;
    }
  };
  const walks = await Promise.allSettled([
    ...[...ledger.databases.values()].map(walk),
    forget("sessions"),
    forget("idempotency_keys"),
  ]);
  const failed = walks.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
}
