/**
 * The purge, once an hour: costs past the acceptance window and engagements past their memory, slice by slice, and the
 * answers of idempotency keys.
 */
import { COST_WINDOW_MS } from "./cost/rules.ts";
import type { Ledger } from "./db/ledger-map.ts";
import { type LedgerTable, purgeSlice } from "./db/ledger-purge.ts";
import { purgeIdempotencyKeys } from "./db/link-creation.ts";

/** Engagements are remembered twice as long as costs for them are accepted, so a late cost is told that it is late. */
const ENGAGEMENT_MEMORY_MS = 2 * COST_WINDOW_MS;
/**
 * The purge stays behind what a request may still accept, whatever the clocks of two machines differ by: a cost purged
 * too early could be sent, and counted, again.
 */
const PURGE_MARGIN_MS = 3600 * 1000;

const SLICE_KEYS = 5_000;
/** One invocation may make 1,000 calls to D1; what is left waits for the next run. */
const MAX_CALLS = 900;

/**
 * Walks both tables of every database of the ledger from where the last run stopped, at most once to the end each; then
 * forgets old keys. A database that fails leaves the others purged; its error is thrown at the end.
 */
export async function purge(
  ledger: Ledger,
  now: number,
  slice = SLICE_KEYS,
  maxSlices = Math.floor(MAX_CALLS / (2 * ledger.databases.size)),
): Promise<void> {
  const bounds = {
    closedBefore: now - COST_WINDOW_MS - PURGE_MARGIN_MS,
    forgetBefore: now - ENGAGEMENT_MEMORY_MS - PURGE_MARGIN_MS,
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
  const walks = await Promise.allSettled([...ledger.databases.values()].map(walk));
  const failed = walks.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
  await purgeIdempotencyKeys(ledger.control, now);
}
