/** What the database says of its own condition. */
import { sql } from "drizzle-orm";
import journal from "../../migrations/meta/_journal.json";
import { isNotMigrated, runBatch, statement } from "./statement.ts";

/** The migrations that this code was written for, oldest first, as D1 records their names. */
const EXPECTED_MIGRATIONS = journal.entries.map(({ tag }) => `${tag}.sql`);

const appliedMigrations = statement<{ name: string }>(sql`SELECT name FROM d1_migrations`);
const oldestWalk = statement<{ walked_at: number }>(
  sql`SELECT min(walked_at) AS walked_at FROM purge_positions`,
);

export interface DatabaseHealth {
  /** File names, oldest first. */
  missingMigrations: string[];
  /** When the purge last walked both ledger tables, milliseconds since 1970; null before its first run. */
  purgedAt: number | null;
}

/** Throws where the database does not answer. */
export async function readHealth(db: D1Database): Promise<DatabaseHealth> {
  try {
    const [applied, [walk]] = await runBatch(db, appliedMigrations(db, {}), oldestWalk(db, {}));
    const names = new Set(applied.map((row) => row.name));
    return {
      missingMigrations: EXPECTED_MIGRATIONS.filter((name) => !names.has(name)),
      purgedAt: walk?.walked_at || null,
    };
  } catch (error) {
    if (isNotMigrated(error)) return { missingMigrations: EXPECTED_MIGRATIONS, purgedAt: null };
    throw error;
  }
}
