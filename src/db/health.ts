/** Reads the database's migrations and its last purge for the readiness check. */
import { sql } from "drizzle-orm";
import journal from "../../migrations/meta/_journal.json";
import { query } from "./query.ts";
import { purgePositions } from "./schema.ts";
import { isNotMigrated, runBatch } from "./statement.ts";

/** The file names of the migrations that this code expects, oldest first, as D1 records them. */
const EXPECTED_MIGRATIONS = journal.entries.map(({ tag }) => `${tag}.sql`);

/** D1 maintains this table, so it is not in schema.ts. */
const appliedMigrations = query({ name: sql<string>`name` }, sql`FROM d1_migrations`);
const oldestPurge = query(
  { purgedAt: sql<number | null>`min(${purgePositions.walkedAt})` },
  sql`FROM ${purgePositions}`,
);

/** `missingMigrations` are file names, oldest first. `purgedAt` is null before the first purge of both ledger tables. */
export type DatabaseHealth = Awaited<ReturnType<typeof readHealth>>;

/** Throws if the database does not respond. */
export async function readHealth(db: D1Database) {
  try {
    const [applied, [oldest]] = await runBatch(db, appliedMigrations(db, {}), oldestPurge(db, {}));
    const names = new Set(applied.map((row) => row.name));
    return {
      missingMigrations: EXPECTED_MIGRATIONS.filter((name) => !names.has(name)),
      purgedAt: oldest?.purgedAt || null,
    };
  } catch (error) {
    if (isNotMigrated(error)) return { missingMigrations: EXPECTED_MIGRATIONS, purgedAt: null };
    throw error;
  }
}
