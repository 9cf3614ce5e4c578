/**
 * The hourly purge. It deletes, in slices, costs whose window has closed, expired engagements, expired sessions and expired
 * idempotency keys.
 */

import { deleteExpired, type ExpiringTable } from "./db/expired.ts";
import { ENGAGEMENT_RETENTION_MS, type LedgerTable, purgeSlice } from "./db/ledger/purge.ts";
import type { Ledger } from "./db/ledger/shards.ts";
import { COST_WINDOW_MS } from "./domain/matching.ts";
import { HOUR_MS } from "./domain/time.ts";

/**
 * Allows for clocks that differ between machines. A cost that is purged while requests can still accept it could be sent and
 * counted again.
 */
const PURGE_MARGIN_MS = HOUR_MS;

const SLICE_KEYS = 5_000;
/** An invocation can make 1,000 calls to D1. The next run continues where this one stops. */
const MAX_CALLS = 900;
/** For each expiring table outside the ledger: 2,000 rows in a call, at most 40 calls. */
const EXPIRED_SLICE = 2_000;
const MAX_EXPIRED_SLICES = 40;

/**
 * Purges both ledger tables in every database, each from where the last run stopped to its end at most, and the expired
 * sessions and idempotency keys. A failure does not stop the other deletions; the first error is thrown at the end.
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
    // Costs first: a cost must be deleted before the engagement that it matches.
    for (const table of ["costs", "engagements"] satisfies LedgerTable[]) {
      for (let slices = 0; slices < maxSlices; slices++) {
        if (await purgeSlice(db, table, bounds)) break;
      }
    }
  };
  const deleteAllExpired = async (table: ExpiringTable) => {
    for (let slices = 0; slices < MAX_EXPIRED_SLICES; slices++) {
      if (!(await deleteExpired(ledger.control, table, now, EXPIRED_SLICE))) break;
    }
  };
  const walks = await Promise.allSettled([
    ...[...ledger.databases.values()].map(walk),
    deleteAllExpired("sessions"),
    deleteAllExpired("idempotency_keys"),
  ]);
  const failed = walks.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
}
