/** What D1, the authority, says of an API token. Every statement on a user's behalf starts from the token's row. */
import { sql } from "drizzle-orm";
import { runBatch, runIdempotent, statement } from "../statement.ts";

const access = statement<{ user_id: number }>(
  sql`SELECT user_id FROM api_tokens WHERE token_hash = ${sql.placeholder("tokenHash")}`,
);

/** undefined for a token that is unknown or reset. */
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

/** Notes when a token was last used. `day` counts days since 1970 in UTC. */
export async function updateLastUse(db: D1Database, tokenHash: string, day: number): Promise<void> {
  await runIdempotent(db, use(db, { tokenHash, day }));
}

/** `app_token` is null where the app does not exist or is not the user's. */
export interface AppAccess {
  user_id: number;
  app_token: string | null;
}
