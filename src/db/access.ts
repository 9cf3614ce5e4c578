/** What D1, the authority, says of an API token. Every statement on a user's behalf starts from the token's row. */
import { sql } from "drizzle-orm";
import { runBatch, statement } from "./statement.ts";

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

/** `app_token` is null where the app does not exist or is not the user's. */
export interface AppAccess {
  user_id: number;
  app_token: string | null;
}
