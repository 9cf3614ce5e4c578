/** Restores databases to an earlier state. Resetting and migrating them takes five times as long. */

/** What `restoreAll` needs. */
export interface Kept {
  /** All tables, indexes, views and triggers. */
  schema: string;
  /** The statements that restore the rows. */
  statements: string[];
}

const SCHEMA = `SELECT type, name, sql FROM sqlite_master
  WHERE sql IS NOT NULL AND name NOT LIKE '\\_cf%' ESCAPE '\\' AND name NOT LIKE 'sqlite%'`;
/** D1 accepts statements of 100 KB. */
const MAX_LENGTH = 90_000;

/** The names of the tables that the migrations created. */
export async function tableNames(db: D1Database): Promise<string[]> {
  const { results } = await db.prepare(`${SCHEMA} AND type = 'table' ORDER BY rowid`).all<{ name: string }>();
  return results.map(({ name }) => name).filter((name) => name !== "d1_migrations");
}

/** Reads all rows of tables in one call, by the names of the tables. */
export async function readTables(
  db: D1Database,
  names: string[],
): Promise<Record<string, Record<string, unknown>[]>> {
  const found = await db.batch<Record<string, unknown>>(
    names.map((name) => db.prepare(`SELECT * FROM ${name}`)),
  );
  return Object.fromEntries(found.map(({ results }, index) => [names[index], results]));
}

/** Reads a database, so that `restoreAll` can restore it. */
export async function keep(db: D1Database): Promise<Kept> {
  const { results: triggers } = await db
    .prepare(`${SCHEMA} AND type = 'trigger' ORDER BY rowid`)
    .all<{ name: string; sql: string }>();
  // An INSERT can change sqlite_sequence, so that comes last.
  const names = [...(await tableNames(db)), "d1_migrations", "sqlite_sequence"];
  const rows = await Promise.all(names.map((name) => insertsOf(db, name)));
  const statements = [
    "PRAGMA defer_foreign_keys = true",
    ...triggers.map(({ name }) => `DROP TRIGGER ${name}`),
    ...names.flatMap((name, index) => [`DELETE FROM ${name}`, ...(rows[index] ?? [])]),
    ...triggers.map(({ sql }) => sql),
  ];
  return { schema: await readSchema(db), statements };
}

/**
 * Restores each database to what `keep` read. Returns false, and changes nothing, if a table, index, view or trigger of one is
 * another one now, or if nothing was kept.
 */
export async function restoreAll(databases: D1Database[], kept: Kept[]): Promise<boolean> {
  const schemas = await Promise.all(databases.map(readSchema));
  if (!schemas.every((schema, index) => schema === kept[index]?.schema)) return false;
  const restored = kept.map(({ statements }, index) => {
    const db = databases[index] as D1Database;
    return db.batch(statements.map((sql) => db.prepare(sql)));
  });
  await Promise.all(restored);
  return true;
}

async function readSchema(db: D1Database): Promise<string> {
  const { results } = await db.prepare(`${SCHEMA} ORDER BY type, name`).all();
  return JSON.stringify(results);
}

/** Statements that insert the rows of a table. */
async function insertsOf(db: D1Database, table: string): Promise<string[]> {
  const { results: columns } = await db.prepare(`PRAGMA table_info(${table})`).all<{ name: string }>();
  const names = columns.map(({ name }) => name);
  const row = names.map((name) => `quote(${name})`).join(" || ', ' || ");
  const { results } = await db.prepare(`SELECT ${row} AS cells FROM ${table}`).all<{ cells: string }>();
  const into = `INSERT INTO ${table} (${names.join(", ")}) VALUES `;
  const statements: string[] = [];
  let values: string[] = [];
  let length = 0;
  const flush = () => {
    if (values.length > 0) statements.push(into + values.join(", "));
    values = [];
    length = 0;
  };
  for (const { cells } of results) {
    if (length + cells.length > MAX_LENGTH) flush();
    values.push(`(${cells})`);
    length += cells.length + 4;
  }
  flush();
  return statements;
}
