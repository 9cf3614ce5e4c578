/** Reads the database's migrations, its last purge and its place in the ledger for the readiness check. */
import { sql } from "drizzle-orm";
import journal from "../../../migrations/meta/_journal.json" with { type: "json" };
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
  /** File names. */
  appliedMigrations: string[];
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
      ...toMigrations(applied),
      purgedAt: last?.purgedAt || null,
      archiveFailingSince: archived?.failingSince ?? null,
      identity: stored,
    };
  } catch (error) {
    if (!isNotMigrated(error)) throw error;
    return { ...(await readMigrations(db)), purgedAt: null, archiveFailingSince: null, identity: undefined };
  }
}

type Migrations = Pick<DatabaseHealth, "appliedMigrations" | "missingMigrations">;

/** Of a database without some of the tables. */
async function readMigrations(db: D1Database): Promise<Migrations> {
  try {
    const [applied] = await runBatch(db, appliedMigrations(db, {}));
    return toMigrations(applied);
  } catch (error) {
    if (isNotMigrated(error)) return toMigrations([]);
    throw error;
  }
}

function toMigrations(applied: { name: string }[]): Migrations {
  const names = new Set(applied.map(({ name }) => name));
  return {
    appliedMigrations: [...names],
    missingMigrations: EXPECTED_MIGRATIONS.filter((name) => !names.has(name)),
  };
}
