/** Migrations of local databases. wrangler, which migrates deployed ones, starts a server for each migration. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describeReplaced, NOTE_REPLACEMENT } from "../db/upkeep/replaced-migrations.ts";
import { CommandError } from "./command.ts";

/** As wrangler has it, so that `wrangler d1 migrations` knows what was applied. */
const APPLIED = `CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`;

/**
 * Applies the migrations of a folder that a local database does not have, each in one transaction. Throws CommandError if one
 * fails, and before the first one if the database cannot continue with them.
 */
export async function migrateLocal(db: D1Database, folder: string): Promise<void> {
  await db.prepare(APPLIED).run();
  await db.prepare(NOTE_REPLACEMENT).run();
  const { results } = await db.prepare("SELECT name FROM d1_migrations").all<{ name: string }>();
  const applied = new Set(results.map(({ name }) => name));
  const problem = describeReplaced("The local database", [...applied]);
  if (problem) throw new CommandError(problem);
  const names = readdirSync(folder).filter((name) => /^\d.*\.sql$/.test(name) && !applied.has(name));
  for (const name of names.sort()) {
    // As one text, which the local D1 accepts: each statement would be a request of its own.
    const migration = db.prepare(readFileSync(join(folder, name), "utf8"));
    const note = db.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(name);
    await db.batch([migration, note]).catch((error) => {
      throw new CommandError(`The migration ${name} of the local database failed. ${error}`);
    });
  }
}
