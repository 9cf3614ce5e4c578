/** How full the databases are. */
import { databasesOf, type Ledger, nameOf } from "../ledger/shards.ts";
import { sizeOf } from "../statement.ts";

/** What one D1 can hold (Cloudflare's limit). */
export const MAX_DATABASE_BYTES = 10e9;
/** What an ID with a click and its cost takes after weeks of purging (test/bench/growth.ts). */
export const BYTES_OF_ROW = 144;
/** From this size on, somebody should look. */
export const LARGE_DATABASE_BYTES = 7e9;

/** The size of each database, as its last answer to this isolate said: it costs no call. A database that has not answered is left out. */
export function sizesOf(ledger: Ledger): { name: string; bytes: number }[] {
  return databasesOf(ledger).flatMap((db) => {
    const bytes = sizeOf(db);
    return bytes === undefined ? [] : [{ name: nameOf(ledger, db), bytes }];
  });
}
