/** Deletes the rows that expire: sessions of users and of partners, and the responses stored for idempotency keys. */
import { type SQL, sql, type Table } from "drizzle-orm";
import { KEY_LIFE_MS } from "./idempotency.ts";
import { limitTo, names } from "./query.ts";
import { idempotencyKeys, partnerSessions, sessions } from "./schema.ts";
import { runBatch, statement } from "./statement.ts";

const now = sql.placeholder("now");
const { userId, appToken, operation, key, createdAt } = idempotencyKeys;

const removalOf = (table: Table, primaryKey: SQL, isExpired: SQL) =>
  statement(sql`
    DELETE FROM ${table} WHERE (${primaryKey}) IN (
      SELECT ${primaryKey} FROM ${table} WHERE ${isExpired} ${limitTo("slice")}
    )
    RETURNING 1
  `);

const remove = {
  sessions: removalOf(sessions, names(sessions.idHash), sql`${sessions.expiresAt} <= ${now}`),
  partner_sessions: removalOf(
    partnerSessions,
    names(partnerSessions.idHash),
    sql`${partnerSessions.expiresAt} <= ${now}`,
  ),
  idempotency_keys: removalOf(
    idempotencyKeys,
    names(userId, appToken, operation, key),
    sql`${createdAt} <= ${now} - ${sql.raw(String(KEY_LIFE_MS))}`,
  ),
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
