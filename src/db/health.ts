/** Reads the database's migrations and its last purge for the readiness check. */
import { sql } from "drizzle-orm";
import journal from "../../migrations/meta/_journal.json";
import { isNotMigrated, runBatch, statement } from "./statement.ts";

/** The file names of the migrations that this code expects, oldest first, as D1 records them. */
const EXPECTED_MIGRATIONS = journal.entries.map(({ tag }) => `${tag}.sql`);

const appliedMigrations = statement<{ name: string }>(sql`SELECT name FROM d1_migrations`);
const oldestPurge = statement<{ walked_at: number }>(
  sql`SELECT min(walked_at) AS walked_at FROM purge_positions`,
);

export interface DatabaseHealth {
  /** File names, oldest first. */
  missingMigrations: string[];
  /** When the purge last processed both ledger tables, in milliseconds since 1970; null before its first run. */
  purgedAt: number | null;
}

/** Throws if the database does not respond. */
export async function readHealth(db: D1Database): Promise<DatabaseHealth> {
  try {
    const [applied, [oldest]] = await runBatch(db, appliedMigrations(db, {}), oldestPurge(db, {}));
    const names = new Set(applied.map((row) => row.name));
    return {
      missingMigrations: EXPECTED_MIGRATIONS.filter((name) => !names.has(name)),
      purgedAt: oldest?.walked_at || null,
    };
  } catch (error) {
    if (isNotMigrated(error)) return { missingMigrations: EXPECTED_MIGRATIONS, purgedAt: null };
    throw error;
  }
}
