/**
 * Restores databases to an earlier state, and reads them again. Both take only the tables that were written, which is most of the
 * time of a test. Resetting and migrating a database takes five times as long as restoring all of it. To drop a trigger, or to defer
 * foreign keys, makes SQLite prepare every statement again, so what only the ledger wrote is restored without either.
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
  tables: KeptTable[];
}

interface KeptTable {
  name: string;
  /** Statements that replace all rows. */
  replacing: string[];
  /** Statements that change only the rows that differ, while triggers fire. */
  correcting: string[];
  /** Whether rows of other tables refer to its rows. */
  isParent: boolean;
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
  const parents = await readParents(db, names);
  return {
    schema: await readSchema(db),
    triggers: await readTriggers(db),
    tables: await Promise.all(
      names.map(async (name) => ({ ...(await keepRows(db, name)), isParent: parents.has(name) })),
    ),
  };
}

/** Notes the tables in which two kept states differ as written, so that they are restored. */
export function noteDifferences(databases: D1Database[], writes: Writes, from: Kept[], to: Kept[]): void {
  for (const [index, { tables }] of to.entries()) {
    const others = new Map(from[index]?.tables.map(({ name, replacing }) => [name, replacing.join()]));
    for (const { name, replacing } of tables)
      if (others.get(name) !== replacing.join()) writes.tablesOf(databases[index] as D1Database).add(name);
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
  const chosen = tables.filter(({ name }) => !written || written.has(name));
  if (chosen.length === 0) return [];
  const firing = triggers.filter(({ on }) => chosen.some(({ name }) => name === on));
  if (chosen.every(({ isParent }) => !isParent) && firing.every(({ sql }) => !sql.includes("RAISE"))) {
    // What the triggers change is restored afterwards.
    const [first, last] = [true, false].map((fires) =>
      chosen.filter(({ name }) => firing.some(({ on }) => on === name) === fires),
    ) as [KeptTable[], KeptTable[]];
    return joined([
      ...first.flatMap((table) => table.correcting),
      ...last.flatMap((table) => table.replacing),
    ]);
  }
  return joined([
    "PRAGMA defer_foreign_keys = true",
    ...firing.map(({ name }) => `DROP TRIGGER ${name}`),
    ...chosen.flatMap((table) => table.replacing),
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

/** The tables to whose rows others refer. */
async function readParents(db: D1Database, names: string[]): Promise<Set<string>> {
  const found = await db.batch<{ table: string }>(
    names.map((name) => db.prepare(`PRAGMA foreign_key_list(${name})`)),
  );
  return new Set(found.flatMap(({ results }) => results.map(({ table }) => table)));
}

/** Reads the rows of a table, as statements. */
async function keepRows(db: D1Database, name: string): Promise<Omit<KeptTable, "isParent">> {
  const { results: columns } = await db
    .prepare(`PRAGMA table_info(${name})`)
    .all<{ name: string; pk: number }>();
  const names = columns.map((column) => column.name);
  const key = columns.filter(({ pk }) => pk > 0).map((column) => column.name);
  const quoted = (some: string[]) => some.map((column) => `quote(${column})`).join(" || ', ' || ");
  const { results } = await db
    .prepare(`SELECT ${quoted(names)} AS cells, ${quoted(key) || "''"} AS key FROM ${name}`)
    .all<{ cells: string; key: string }>();
  const into = `INSERT INTO ${name} (${names.join(", ")})`;
  const lists = listsOf(results.map(({ cells }) => cells));
  const equal = `(${names.join(", ")}) IS (${names.map((_, index) => `column${index + 1}`).join(", ")})`;
  const change = names.map((column) => `${column} = excluded.${column}`).join(", ");
  const keys = results.map((row) => `(${row.key})`).join(", ");
  return {
    name,
    replacing: [`DELETE FROM ${name}`, ...lists.map((list) => `${into} ${list}`)],
    correcting: [
      `DELETE FROM ${name}${keys && ` WHERE (${key.join(", ")}) NOT IN (VALUES ${keys})`}`,
      ...lists.map(
        (list) => `${into} SELECT * FROM (${list})
          WHERE NOT EXISTS (SELECT 1 FROM ${name} WHERE ${equal}) ON CONFLICT DO UPDATE SET ${change}`,
      ),
    ],
  };
}

/** The rows as `VALUES`, each not longer than a statement may be. */
function listsOf(rows: string[]): string[] {
  const lists: string[][] = [];
  let length = MAX_LENGTH;
  for (const cells of rows) {
    length += cells.length + 4;
    if (length > MAX_LENGTH) {
      lists.push([]);
      length = cells.length + 4;
    }
    lists.at(-1)?.push(`(${cells})`);
  }
  return lists.map((list) => `VALUES ${list.join(", ")}`);
}
