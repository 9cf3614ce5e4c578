/** Looks up API tokens in D1, which is authoritative. Every statement on a user's behalf joins the token's row first. */
import { sql } from "drizzle-orm";
import { runBatch, runIdempotent, statement } from "../statement.ts";

const access = statement<{ user_id: number }>(
  sql`SELECT user_id FROM api_tokens WHERE token_hash = ${sql.placeholder("tokenHash")}`,
);

/** Returns undefined for a token that is unknown or was reset. */
export async function findAccess(
  db: D1Database,
  tokenHash: string,
): Promise<{ user_id: number } | undefined> {
  const [rows] = await runBatch(db, access(db, { tokenHash }));
  return rows[0];
}

const use = statement(sql`
  UPDATE api_tokens SET last_used_day = ${sql.placeholder("day")}
  WHERE token_hash = ${sql.placeholder("tokenHash")} AND coalesce(last_used_day, 0) < ${sql.placeholder("day")}
`);

/** Records when a token was last used. `day` counts days since 1970 in UTC. */
export async function updateLastUse(db: D1Database, tokenHash: string, day: number): Promise<void> {
  await runIdempotent(db, use(db, { tokenHash, day }));
}

/** `app_token` is null when the app does not exist or the user is not a member of it. */
export interface AppAccess {
  user_id: number;
  app_token: string | null;
}
