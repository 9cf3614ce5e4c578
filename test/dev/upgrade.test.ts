/** A database with data from before 0100_tables.sql gets every later migration and keeps its data. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { CommandError } from "../../src/dev/command.ts";
import { migrateLocal } from "../../src/dev/local-migrations.ts";
import { queriesOf } from "../databases.ts";
import { ROOT } from "./run.ts";

/** What later migrations removed or changed on purpose, as `findLost` names it. */
const ON_PURPOSE = [
  // Since 0102, the places below a network: an archived link takes none.
  "links.from_engagement_count [1]",
  // Since 0105, each app counts its audience.
  "apps.audience",
  // Since 0116, all changes of links can be undone, and those of the last 24 hours before it no longer.
  "link_imports",
];

const FOLDER = join(ROOT, "migrations");
const MIGRATIONS = readdirSync(FOLDER)
  .filter((file) => /^\d.*\.sql$/.test(file))
  .sort();
/** Only their number matters: the files are gone. */
const REPLACED = Array.from({ length: 23 }, (_, index) => `${String(index).padStart(4, "0")}_replaced.sql`);

/** A database as these migrations left it, with data in every table. */
function createEarlier(replaced: string[]): D1Database {
  const database = new DatabaseSync(":memory:");
  const files = ["0100_tables.sql", "0101_rules.sql"].map((file) => join(FOLDER, file));
  for (const file of [...files, join(import.meta.dirname, "upgrade-data.sql")])
    database.exec(readFileSync(file, "utf8"));
  database.exec(`
    CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TEXT);
    INSERT INTO d1_migrations (name) VALUES ${replaced.map((name) => `('${name}')`)}`);
  return queriesOf(database) as D1Database;
}

type Row = Record<string, unknown>;
async function read(db: D1Database, sql: string): Promise<Row[]> {
  return (await db.prepare(sql).all<Row>()).results;
}
const appliedTo = async (db: D1Database) =>
  (await read(db, "SELECT name FROM d1_migrations ORDER BY name")).map(({ name }) => name);

/** The rows of each table by their keys. Computed columns are not among them. */
async function readTables(db: D1Database) {
  const tables = await read(db, "SELECT name FROM sqlite_master WHERE type = 'table'");
  const names = tables.map(({ name }) => String(name)).filter((name) => !/^(sqlite_|d1_)/.test(name));
  const found = new Map<string, Map<string, Row>>();
  for (const name of names) {
    const columns = await read(db, `SELECT name, pk FROM pragma_table_info('${name}')`);
    const keys = columns.filter(({ pk }) => Number(pk) > 0).map((column) => String(column.name));
    const rows = await read(db, `SELECT ${columns.map((column) => `"${column.name}"`)} FROM ${name}`);
    found.set(name, new Map(rows.map((row) => [JSON.stringify(keys.map((key) => row[key])), row])));
  }
  return found;
}

/** What an upgrade lost: tables, columns, rows, and values. A migration may add rows, and fill what was null. */
function findLost(before: Map<string, Map<string, Row>>, after: Map<string, Map<string, Row>>): string[] {
  return [...before].flatMap(([table, rows]) => {
    if (!after.has(table)) return table;
    return [...rows].flatMap(([key, row]) => {
      const now = after.get(table)?.get(key);
      if (!now) return `${table} ${key}`;
      const lost = Object.keys(row).filter((column) => row[column] !== null && now[column] !== row[column]);
      return lost.map((column) => (column in now ? `${table}.${column} ${key}` : `${table}.${column}`));
    });
  });
}

/** What the totals have, or what counts in the ledger. */
const totalsOf = (db: D1Database, rows: string, count: string) =>
  read(
    db,
    `SELECT app_token, day, link_id, partner_id, cost_type, currency, state, sum(${count}) AS costs, total(amount) AS spend
      FROM ${rows} GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING costs <> 0 OR spend <> 0 ORDER BY 1, 2, 3, 4, 5, 6, 7`,
  );

test("with all migrations that 0100_tables.sql replaced", async () => {
  const db = createEarlier(REPLACED);
  const before = await readTables(db);
  expect([...before].filter(([, rows]) => rows.size === 0)).toEqual([]);
  await migrateLocal(db, FOLDER);
  expect(await appliedTo(db)).toEqual([...REPLACED, ...MIGRATIONS]);
  const lost = findLost(before, await readTables(db));
  expect(lost.filter((what) => !ON_PURPOSE.includes(what))).toEqual([]);
  expect(await totalsOf(db, "daily_totals", "count")).toEqual(await totalsOf(db, "cost_states", "1"));
  await migrateLocal(db, FOLDER);
  expect(await appliedTo(db)).toEqual([...REPLACED, ...MIGRATIONS]);
});

test("with only some of them is rejected, and nothing changes", async () => {
  const some = REPLACED.slice(0, 22);
  const db = createEarlier(some);
  const before = await readTables(db);
  const error = await migrateLocal(db, FOLDER).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(CommandError);
  expect(error.message).toMatch(/^The local database has 22 of the 23 migrations before 0100_tables\.sql/);
  expect(await appliedTo(db)).toEqual(some);
  expect(await readTables(db)).toEqual(before);
});
