/** Reads the database's migrations, its last purge and its place in the ledger for the readiness check. */
import { sql } from "drizzle-orm";
import journal from "../../../migrations/meta/_journal.json";
import { identity, type Place } from "../ledger/shards.ts";
import { query } from "../query.ts";
import { archiveState, purgePositions } from "../schema.ts";
import { isNotMigrated, runBatch } from "../statement.ts";

/** The file names of the migrations that this code expects, oldest first, as D1 records them. */
const EXPECTED_MIGRATIONS = journal.entries.map(({ tag }) => `${tag}.sql`);

/** D1 maintains this table, so it is not in schema.ts. */
const appliedMigrations = query({ name: sql<string>`name` }, sql`FROM d1_migrations`);
export const lastPurge = query(
  { purgedAt: purgePositions.walkedAt },
  sql`FROM ${purgePositions} WHERE ${purgePositions.ledgerTable} = 'ledger_entries'`,
);
export const archive = query(
  { failingSince: archiveState.failingSince },
  sql`FROM ${archiveState} WHERE ${archiveState.id} = 1`,
);

export interface DatabaseHealth {
  /** File names, oldest first. */
  missingMigrations: string[];
  /** Null before the first purge. */
  purgedAt: number | null;
  /** Since when the archive rejects objects; null while it accepts them. */
  archiveFailingSince: number | null;
  /** Undefined without the tables. */
  identity: Place | undefined;
}

/** Throws if the database does not respond. */
export async function readHealth(db: D1Database): Promise<DatabaseHealth> {
  try {
    const [applied, [last], [stored], [archived]] = await runBatch(
      db,
      appliedMigrations(db, {}),
      lastPurge(db, {}),
      identity(db, {}),
      archive(db, {}),
    );
    return {
      missingMigrations: missingFrom(applied),
      purgedAt: last?.purgedAt || null,
      archiveFailingSince: archived?.failingSince ?? null,
      identity: stored,
    };
  } catch (error) {
    if (!isNotMigrated(error)) throw error;
    const missingMigrations = await findMissing(db);
    return { missingMigrations, purgedAt: null, archiveFailingSince: null, identity: undefined };
  }
}

/** Of a database without some of the tables. */
async function findMissing(db: D1Database): Promise<string[]> {
  try {
    const [applied] = await runBatch(db, appliedMigrations(db, {}));
    return missingFrom(applied);
  } catch (error) {
    if (isNotMigrated(error)) return EXPECTED_MIGRATIONS;
    throw error;
  }
}

function missingFrom(applied: { name: string }[]): string[] {
  const names = new Set(applied.map(({ name }) => name));
  return EXPECTED_MIGRATIONS.filter((name) => !names.has(name));
}
