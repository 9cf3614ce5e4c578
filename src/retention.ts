/**
 * The purge, once an hour: costs past the acceptance window and engagements past their memory, slice by slice, and the
 * answers of idempotency keys.
 */
import { COST_WINDOW_MS } from "./cost/rules.ts";
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
/** One invocation may make 1,000 calls to D1; what is left waits for the next hour. */
const MAX_SLICES = 450;

/** Walks both ledger tables from where the last run stopped, at most once to the end each; then forgets old keys. */
export async function purge(
  db: D1Database,
  now: number,
  slice = SLICE_KEYS,
  maxSlices = MAX_SLICES,
): Promise<void> {
  const bounds = {
    closedBefore: now - COST_WINDOW_MS - PURGE_MARGIN_MS,
    forgetBefore: now - ENGAGEMENT_MEMORY_MS - PURGE_MARGIN_MS,
    now,
    slice,
  };
  // Costs first: one that stands on an engagement goes before it.
  for (const table of ["costs", "engagements"] satisfies LedgerTable[]) {
    for (let slices = 0; slices < maxSlices; slices++) {
      if (await purgeSlice(db, table, bounds)) break;
    }
  }
  await purgeIdempotencyKeys(db, now);
}
