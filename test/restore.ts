/**
 * Restores databases to an earlier state, and reads them again. Both take only the tables that were written, which is most of the
 * time of a test. Resetting and migrating a database takes five times as long as restoring all of it. To drop a trigger, or to defer
 * foreign keys, makes SQLite prepare every statement again, so rows are restored without either, unless that fails.
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
  /** What `changing` returned, by the names of the tables. */
  changes: Map<string, string[]>;
}

interface KeptTable {
  name: string;
  /** The tables to whose rows its rows refer. */
  parents: string[];
  /** Whether rows of other tables refer to its rows. */
  isParent: boolean;
  /** Deletes the rows that there were not. */
  deleting: string;
  /** Add or change the rows that differ. */
  correcting: string[];
  /** Add all rows. */
  inserting: string[];
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

/** Reads a database, so that `restoreAll` can restore it. From now on, a restoration can delete entries of the audit log. */
export async function keep(db: D1Database): Promise<Kept> {
  const known = (await readTriggers(db)).find(({ name }) => name === "audit_log_deleted");
  if (known && !known.sql.includes(UNLESS_RESTORING)) {
    const sql = known.sql.replace(" BEGIN", `${UNLESS_RESTORING} BEGIN`);
    await db.batch([db.prepare(`DROP TRIGGER ${known.name}`), db.prepare(sql)]);
  }
  // An INSERT can change sqlite_sequence, so that comes last.
  const names = [...(await tableNames(db)), "d1_migrations", "sqlite_sequence"];
  const parents = await readParents(db, names);
  const isParent = (name: string) => [...parents.values()].some((all) => all.includes(name));
  return {
    schema: await readSchema(db),
    triggers: await readTriggers(db),
    changes: new Map(),
    tables: (await keepRows(db, names)).map((table) => ({
      ...table,
      parents: parents.get(table.name) ?? [],
      isParent: isParent(table.name),
    })),
  };
}

/** There is such a row only during a restoration. */
const RESTORING = "d1_migrations WHERE name = 'restoring'";
const UNLESS_RESTORING = ` WHEN NOT EXISTS (SELECT 1 FROM ${RESTORING})`;

/** Notes the tables in which two kept states differ as written, so that they are restored. */
export function noteDifferences(databases: D1Database[], writes: Writes, from: Kept[], to: Kept[]): void {
  for (const [index, { tables }] of to.entries()) {
    const others = new Map(from[index]?.tables.map(({ name, inserting }) => [name, inserting.join()]));
    for (const { name, inserting } of tables)
      if (others.get(name) !== inserting.join()) writes.tablesOf(databases[index] as D1Database).add(name);
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
    const run = (statements: string[]) => db.batch(statements.map((sql) => db.prepare(sql)));
    if (writes.schema) return run(replacing(one));
    const noted = writes.tablesOf(db);
    if (noted.size === 0) return;
    const written = closure(one.triggers, noted);
    const key = [...noted].sort().join();
    const statements = one.changes.get(key) ?? changing(one, written);
    one.changes.set(key, statements);
    await run(statements).catch(() => run(replacing(one, written)));
  });
  await Promise.all(restored);
  return true;
}

/** Replaces all rows of some tables, or of all, without triggers. */
function replacing({ triggers, tables }: Kept, written?: ReadonlySet<string>): string[] {
  const chosen = tables.filter(({ name }) => !written || written.has(name));
  const firing = triggers.filter(({ on }) => chosen.some(({ name }) => name === on));
  return joined([
    "PRAGMA defer_foreign_keys = true",
    ...firing.map(({ name }) => `DROP TRIGGER ${name}`),
    ...chosen.flatMap(({ name, inserting }) => [`DELETE FROM ${name}`, ...inserting]),
    ...firing.map(({ sql }) => sql),
  ]);
}

/**
 * Restores some tables while triggers fire. Rows that others refer to, or whose triggers write, are changed only where they differ. What
 * triggers write is corrected after them, and tables without either come last.
 */
function changing({ triggers, tables }: Kept, written: ReadonlySet<string>): string[] {
  const chosen = tables.filter(({ name }) => written.has(name));
  const effects = new Map(
    chosen.map(({ name }) => [
      name,
      closure(
        triggers,
        new Set(triggers.flatMap(({ on, sql }) => (on === name ? writtenBy(bodyOf(sql)) : []))),
      ),
    ]),
  );
  const [special, plain] = [true, false].map((is) =>
    chosen.filter((table) => (table.isParent || triggers.some(({ on }) => on === table.name)) === is),
  ) as [KeptTable[], KeptTable[]];
  const parentsFirst = inOrder(chosen, (table) => table.parents);
  const causesOf = ({ name }: KeptTable) =>
    special.filter((cause) => effects.get(cause.name)?.has(name)).map((cause) => cause.name);
  const causesFirst = inOrder(special, causesOf);
  return joined([
    `INSERT INTO d1_migrations (name) SELECT 'restoring' WHERE NOT EXISTS (SELECT 1 FROM ${RESTORING})`,
    ...parentsFirst.toReversed().map((table) => (special.includes(table) ? table.deleting : clear(table))),
    ...parentsFirst.filter((table) => special.includes(table)).flatMap(({ correcting }) => correcting),
    ...causesFirst
      .filter((table) => causesOf(table).length > 0)
      .flatMap(({ deleting, correcting }) => [deleting, ...correcting]),
    `DELETE FROM ${RESTORING}`,
    ...plain.flatMap((table) => [clear(table), ...table.inserting]),
  ]);
}

const clear = ({ name }: KeptTable) => `DELETE FROM ${name}`;

/** Tables in an order in which each follows those that `before` names, unless they follow it too. */
function inOrder(tables: KeptTable[], before: (table: KeptTable) => string[]): KeptTable[] {
  const ordered = new Set<KeptTable>();
  const seen = new Set<KeptTable>();
  const visit = (table: KeptTable) => {
    if (seen.has(table)) return;
    seen.add(table);
    const names = before(table);
    tables.filter(({ name }) => names.includes(name)).forEach(visit);
    ordered.add(table);
  };
  tables.forEach(visit);
  return [...ordered];
}

const bodyOf = (trigger: string) => trigger.slice(trigger.indexOf("BEGIN"));

/** The written tables, those that their triggers write, and the last IDs. */
function closure(triggers: Trigger[], written: ReadonlySet<string>): Set<string> {
  const found = new Set(written);
  // A set visits what is added to it meanwhile.
  for (const name of found) {
    for (const { on, sql } of triggers) {
      if (on === name) for (const table of writtenBy(bodyOf(sql))) found.add(table);
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
  return JSON.stringify(results).replace(UNLESS_RESTORING, "");
}

/** For each table, the tables to whose rows its rows refer. */
async function readParents(db: D1Database, names: string[]): Promise<Map<string, string[]>> {
  const found = await db.batch<{ table: string }>(
    names.map((name) => db.prepare(`PRAGMA foreign_key_list(${name})`)),
  );
  return new Map(found.map(({ results }, index) => [names[index] ?? "", results.map(({ table }) => table)]));
}

interface Column {
  name: string;
  /** Its place in the primary key, from 1, or 0. */
  pk: number;
}

const keyOf = (columns: Column[]) => columns.filter(({ pk }) => pk > 0);
const quoted = (columns: Column[]) =>
  columns.map(({ name }) => `quote(${name})`).join(" || ', ' || ") || "''";

/** Reads the rows of tables, as statements. */
async function keepRows(db: D1Database, names: string[]): Promise<Omit<KeptTable, "parents" | "isParent">[]> {
  const columns = (await db.batch<Column>(names.map((name) => db.prepare(`PRAGMA table_info(${name})`)))).map(
    ({ results }) => results,
  );
  const rows = await db.batch<{ cells: string; key: string }>(
    columns.map((all, index) =>
      db.prepare(`SELECT ${quoted(all)} AS cells, ${quoted(keyOf(all))} AS key FROM ${names[index]}`),
    ),
  );
  return columns.map((all, index) => statementsOf(names[index] ?? "", all, rows[index]?.results ?? []));
}

/** The statements that restore the rows of a table. */
function statementsOf(
  name: string,
  columns: Column[],
  rows: { cells: string; key: string }[],
): Omit<KeptTable, "parents" | "isParent"> {
  const all = columns.map((column) => column.name);
  const key = keyOf(columns).map((column) => column.name);
  const into = `INSERT INTO ${name} (${all.join(", ")})`;
  const lists = listsOf(rows.map(({ cells }) => cells));
  const equal = `(${all.join(", ")}) IS (${all.map((_, index) => `column${index + 1}`).join(", ")})`;
  const change = all.map((column) => `${column} = excluded.${column}`).join(", ");
  const keys = rows.map((row) => `(${row.key})`).join(", ");
  return {
    name,
    inserting: lists.map((list) => `${into} ${list}`),
    deleting: `DELETE FROM ${name}${keys && ` WHERE (${key.join(", ")}) NOT IN (VALUES ${keys})`}`,
    correcting: lists.map(
      (list) => `${into} SELECT * FROM (${list})
        WHERE NOT EXISTS (SELECT 1 FROM ${name} WHERE ${equal}) ON CONFLICT DO UPDATE SET ${change}`,
    ),
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
