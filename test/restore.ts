/**
 * Restores databases to an earlier state, and reads them again. Both take only the tables that were written, which is most of the
 * time of a test. Resetting and migrating a database takes five times as long as restoring all of it.
 */
import { type Writes, watchWrites, writtenBy } from "./writes.ts";

interface Trigger {
  name: string;
  sql: string;
  /** The table or view that it belongs to. */
  on: string;
}

/** What `restoreAll` needs. */
export interface Kept {
  /** All tables, indexes, views and triggers. */
  schema: string;
  triggers: Trigger[];
  /** For each table, the statements that restore its rows. */
  tables: [name: string, statements: string[]][];
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

/**
 * Returns a function that reads the rows of all tables. After the first time it reads only the tables that were written; the rows of
 * the others are the same arrays as before.
 */
export function tableReader(db: D1Database): () => Promise<Record<string, Record<string, unknown>[]>> {
  const writes = watchWrites();
  let triggers: Trigger[] = [];
  let last: Record<string, Record<string, unknown>[]> | undefined;
  return async () => {
    if (!last || writes.schema) {
      triggers = await readTriggers(db);
      last = await readTables(db, await tableNames(db));
    } else {
      const written = closure(triggers, writes.tablesOf(db));
      const names = Object.keys(last).filter((name) => written.has(name));
      if (names.length > 0) last = { ...last, ...(await readTables(db, names)) };
    }
    writes.forget();
    return last;
  };
}

/** Reads a database, so that `restoreAll` can restore it. */
export async function keep(db: D1Database): Promise<Kept> {
  // An INSERT can change sqlite_sequence, so that comes last.
  const names = [...(await tableNames(db)), "d1_migrations", "sqlite_sequence"];
  const statements = await Promise.all(names.map((name) => insertsOf(db, name)));
  return {
    schema: await readSchema(db),
    triggers: await readTriggers(db),
    tables: names.map((name, index) => [name, [`DELETE FROM ${name}`, ...(statements[index] ?? [])]]),
  };
}

/** Notes the tables in which two kept states differ as written, so that they are restored. */
export function noteDifferences(databases: D1Database[], writes: Writes, from: Kept[], to: Kept[]): void {
  for (const [index, { tables }] of to.entries()) {
    const others = new Map(from[index]?.tables);
    for (const [name, statements] of tables)
      if (others.get(name)?.join() !== statements.join())
        writes.tablesOf(databases[index] as D1Database).add(name);
  }
}

/**
 * Restores the written tables of each database to what `keep` read. Returns false, and changes nothing, if a table, index, view or
 * trigger of one is another one now, or if nothing was kept. The caller forgets the writes, with those of the restoration.
 */
export async function restoreAll(databases: D1Database[], kept: Kept[], writes: Writes): Promise<boolean> {
  if (kept.length === 0) return false;
  if (writes.schema) {
    const schemas = await Promise.all(databases.map(readSchema));
    if (!schemas.every((schema, index) => schema === kept[index]?.schema)) return false;
  }
  const restored = kept.map(async (one, index) => {
    const db = databases[index] as D1Database;
    const statements = restoring(one, writes.schema ? undefined : writes.tablesOf(db));
    if (statements.length > 0) await db.batch(statements.map((sql) => db.prepare(sql)));
  });
  await Promise.all(restored);
  return true;
}

/** Without `noted`, everything is restored. */
function restoring({ triggers, tables }: Kept, noted: ReadonlySet<string> | undefined): string[] {
  const written = noted && closure(triggers, noted);
  const chosen = tables.filter(([name]) => !written || written.has(name));
  if (chosen.length === 0) return [];
  const firing = triggers.filter(({ on }) => chosen.some(([name]) => name === on));
  return joined([
    "PRAGMA defer_foreign_keys = true",
    ...firing.map(({ name }) => `DROP TRIGGER ${name}`),
    ...chosen.flatMap(([, statements]) => statements),
    ...firing.map(({ sql }) => sql),
  ]);
}

/** The written tables, those that their triggers write, and the last IDs. */
function closure(triggers: Trigger[], written: ReadonlySet<string>): Set<string> {
  const found = new Set(written);
  // A set visits what is added to it meanwhile.
  for (const name of found) {
    for (const { on, sql } of triggers) {
      if (on === name) for (const table of writtenBy(sql.slice(sql.indexOf("BEGIN")))) found.add(table);
    }
  }
  if (found.size > 0) found.add("sqlite_sequence");
  return found;
}

/** Puts several statements into one string, which the local D1 accepts. Each string takes a millisecond. */
function joined(statements: string[]): string[] {
  const strings: string[] = [];
  for (const sql of statements) {
    const last = strings.at(-1);
    if (last !== undefined && last.length + sql.length < MAX_LENGTH)
      strings.push(`${strings.pop()};\n${sql}`);
    else strings.push(sql);
  }
  return strings;
}

async function readTriggers(db: D1Database): Promise<Trigger[]> {
  const { results } = await db
    .prepare(`SELECT name, sql, tbl_name AS "on" FROM sqlite_master WHERE type = 'trigger' ORDER BY rowid`)
    .all<Trigger & Record<string, unknown>>();
  return results;
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
