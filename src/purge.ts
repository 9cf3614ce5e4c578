/** The hourly purge. It deletes, in slices, forgotten rows of the ledger and what else expires. */

import { archiveTable } from "./db/archive/purge.ts";
import { LEDGER_TABLES } from "./db/archive/slices.ts";
import { purgeAudience } from "./db/ledger/purge/audience.ts";
import { type PurgeBounds, purgeSlice } from "./db/ledger/purge/entries.ts";
import { databasesOf, type Ledger } from "./db/ledger/shards.ts";
import { deleteExpired, type ExpiringTable } from "./db/upkeep/expired.ts";
import { HOUR_MS } from "./domain/time.ts";

/** Allows for clocks that differ between machines: a row is deleted only when no machine still remembers it. */
const PURGE_MARGIN_MS = HOUR_MS;

const SLICE_KEYS = 5_000;
/** How many calls to D1 and R2 the walk through the ledger makes, unless the caller says how many are left, as the cron does. */
const MAX_CALLS = 500;
/** For each of the ten expiring tables of DB, and the four that all databases have: 4,000 rows in a call, about 20 calls. */
const EXPIRED_SLICE = 4_000;
const MAX_EXPIRED_SLICES = 20;
/** The counts by country and platform of all databases: 10,000 rows in a call. */
const AUDIENCE_SLICE = 10_000;
const MAX_AUDIENCE_CALLS = 99;

/**
 * Purges the ledger of every database, from where the last run stopped to its end at most, and expired sessions, access tokens,
 * idempotency keys, what imports changed, closed alerts, events, counts of dropped parameters, rejected costs and prices on URLs,
 * and those by country and platform. `left` says how many calls the walk through the ledger can make; the next run continues where
 * it stops. With an archive, the rows of the ledger are written there first. A failure does not stop the other deletions; the first
 * error is thrown at the end.
 */
export async function purge(
  ledger: Ledger,
  now: number,
  slice = SLICE_KEYS,
  left = () => MAX_CALLS,
): Promise<void> {
  const bounds = { cutOff: now - PURGE_MARGIN_MS, now, slice };
  const walk = async (db: D1Database, maxCalls: number) => {
    for (let slices = 0; slices < maxCalls; slices++) {
      if (await purgeSlice(ledger, db, bounds)) break;
    }
  };
  const deleteAllExpired = async (table: ExpiringTable, db = ledger.control, most = MAX_EXPIRED_SLICES) => {
    for (let slices = 0; slices < most; slices++) {
      if (!(await deleteExpired(db, table, now, EXPIRED_SLICE))) break;
    }
  };
  const expired = await Promise.allSettled([
    purgeAudience(ledger, now, AUDIENCE_SLICE, Math.ceil(MAX_AUDIENCE_CALLS / (1 + ledger.shards.length))),
    deleteAllExpired("sessions"),
    deleteAllExpired("partner_sessions"),
    deleteAllExpired("access_tokens"),
    deleteAllExpired("used_states"),
    deleteAllExpired("sign_in_attempts"),
    deleteAllExpired("idempotency_keys"),
    deleteAllExpired("link_changes"),
    deleteAllExpired("alerts"),
    deleteAllExpired("webhook_deliveries").then(() => deleteAllExpired("webhook_events")),
    ...(["dropped_parameters", "daily_rejections", "recent_rejections", "daily_url_prices"] as const).flatMap(
      (table) =>
        databasesOf(ledger).map((db, _, all) =>
          deleteAllExpired(table, db, Math.ceil(MAX_EXPIRED_SLICES / all.length)),
        ),
    ),
  ]);
  // The walk takes what the others left.
  const databases = databasesOf(ledger);
  const maxCalls = Math.floor(left() / databases.length);
  const walks = await Promise.allSettled(
    ledger.archive
      ? [archiveAll(ledger, ledger.archive, bounds, maxCalls)]
      : databases.map((db) => walk(db, maxCalls)),
  );
  const failed = [...walks, ...expired].find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
}

/** One database after the other, because the rows of a slice can take 10 MB of the isolate's memory. */
async function archiveAll(ledger: Ledger, bucket: R2Bucket, bounds: PurgeBounds, maxCalls: number) {
  const run = { ...bounds, bucket, tokens: new Map<number, string>() };
  const errors: unknown[] = [];
  for (const db of databasesOf(ledger)) {
    let left = maxCalls;
    for (const table of LEDGER_TABLES) {
      try {
        left -= await archiveTable(ledger, db, table, run, left);
      } catch (error) {
        errors.push(error);
      }
    }
  }
  if (errors.length > 0) throw errors[0];
}
