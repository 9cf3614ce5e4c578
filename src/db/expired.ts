/** Deletes the rows that expire: sessions, and the responses stored for idempotency keys. */
import { sql } from "drizzle-orm";
import { KEY_LIFE_MS } from "./links/creation.ts";
import { runBatch, statement } from "./statement.ts";

const now = sql.placeholder("now");
const slice = sql.placeholder("slice");

const remove = {
  sessions: statement(sql`
    DELETE FROM sessions
    WHERE id_hash IN (SELECT id_hash FROM sessions WHERE expires_at <= ${now} LIMIT ${slice})
    RETURNING 1
  `),
  idempotency_keys: statement(sql`
    DELETE FROM idempotency_keys WHERE (user_id, app_token, operation, key) IN (
      SELECT user_id, app_token, operation, key FROM idempotency_keys
      WHERE created_at <= ${now} - ${sql.raw(String(KEY_LIFE_MS))} LIMIT ${slice}
    )
    RETURNING 1
  `),
};

export type ExpiringTable = keyof typeof remove;

/** Deletes at most `slice` expired rows. Returns whether there may be more. */
export async function deleteExpired(
  db: D1Database,
  table: ExpiringTable,
  at: number,
  slice: number,
): Promise<boolean> {
  const [deleted] = await runBatch(db, remove[table](db, { now: at, slice }));
  return deleted.length === slice;
}
