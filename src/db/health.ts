/** Reads the database's migrations, its last purge and its place in the ledger for the readiness check. */
import { sql } from "drizzle-orm";
import journal from "../../migrations/meta/_journal.json";
import { type Identity, identity } from "./ledger/shards.ts";
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

export interface DatabaseHealth {
  /** File names, oldest first. */
  missingMigrations: string[];
  /** Null before the first purge of both ledger tables. */
  purgedAt: number | null;
  /** Undefined without the tables. */
  identity: Identity | undefined;
}

/** Throws if the database does not respond. */
export async function readHealth(db: D1Database): Promise<DatabaseHealth> {
  try {
    const [applied, [oldest], [stored]] = await runBatch(
      db,
      appliedMigrations(db, {}),
      oldestPurge(db, {}),
      identity(db, {}),
    );
    const names = new Set(applied.map((row) => row.name));
    return {
      missingMigrations: EXPECTED_MIGRATIONS.filter((name) => !names.has(name)),
      purgedAt: oldest?.purgedAt || null,
      identity: stored,
    };
  } catch (error) {
    if (isNotMigrated(error))
      return { missingMigrations: EXPECTED_MIGRATIONS, purgedAt: null, identity: undefined };
    throw error;
  }
}
