/**
 * Databases of the built Worker, which are migrated and read as files in this process. Through miniflare, a migrated database takes a
 * second, and each `prepare` and `bind` is a request of its own.
 */
import { createHash, createHmac } from "node:crypto";
import { copyFileSync, mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { inject } from "vitest";
import { runStatements } from "../../../src/dev/demo/rows.ts";
import { demoStatements } from "../../../src/dev/demo.ts";
import { migrateLocal } from "../../../src/dev/local-migrations.ts";
import { ROOT } from "../run.ts";

/** The part of a D1 database that its callers use. */
export type Queries = Pick<D1Database, "prepare" | "batch">;

/** Runs statements on a file, as D1 does. */
export function queriesOf(database: DatabaseSync): Queries {
  const prepare = (sql: string, values: SQLInputValue[] = []) => {
    const rows = () => database.prepare(sql).all(...values);
    return {
      bind: (...bound: SQLInputValue[]) => prepare(sql, bound),
      all: async () => ({ results: rows() }),
      // Without values it can be several statements.
      run: async () => ({ results: values.length > 0 ? rows() : database.exec(sql) }),
      first: async (column?: string) => {
        const [row = null] = rows();
        return column === undefined ? row : (row?.[column] ?? null);
      },
    };
  };
  const batch = async (statements: ReturnType<typeof prepare>[]) => {
    database.exec("BEGIN");
    const results = [];
    for (const statement of statements) results.push(await statement.run());
    database.exec("COMMIT");
    return results;
  };
  return { prepare, batch } as unknown as Queries;
}

/** The databases in a directory of miniflare. */
const FOLDER = "d1/miniflare-D1DatabaseObject";

/** The file of a database in a directory of miniflare, which is v3 in one of wrangler. */
export function fileOf(state: string, binding: string): string {
  const key = createHash("sha256").update("miniflare-D1DatabaseObject").digest();
  const hash = (value: string | Buffer) => createHmac("sha256", key).update(value).digest().subarray(0, 16);
  const name = hash(binding);
  return join(state, FOLDER, `${Buffer.concat([name, hash(name)]).toString("hex")}.sqlite`);
}

function open(file: string): DatabaseSync {
  const database = new DatabaseSync(file);
  database.exec("PRAGMA synchronous = OFF; PRAGMA journal_mode = WAL");
  return database;
}

/** Migrates a database, and adds the demo data to a copy. */
async function createTemplates() {
  const folder = mkdtempSync(join(inject("state"), "templates-"));
  const [migrated, filled] = [join(folder, "migrated.sqlite"), join(folder, "filled.sqlite")];
  const empty = open(migrated);
  await migrateLocal(queriesOf(empty) as D1Database, join(ROOT, "migrations"));
  empty.close();
  copyFileSync(migrated, filled);
  const demo = open(filled);
  await runStatements(queriesOf(demo) as D1Database, demoStatements(Date.now()));
  demo.close();
  return { migrated, filled };
}
let templates: ReturnType<typeof createTemplates> | undefined;

/** Returns a new directory for miniflare, with DB, which has the demo data, and the others, which are empty. */
export async function createState(others: string[] = []): Promise<string> {
  templates ??= createTemplates();
  const { migrated, filled } = await templates;
  const state = mkdtempSync(join(inject("state"), "miniflare-"));
  mkdirSync(join(state, FOLDER), { recursive: true });
  copyFileSync(filled, fileOf(state, "DB"));
  for (const name of others) copyFileSync(migrated, fileOf(state, name));
  return state;
}

/**
 * Reads DB while a Worker uses it, if called before that starts: the program that opens the file first locks it for a moment. Changes
 * go through the Worker or miniflare, because the Worker does not wait for the lock of another process.
 */
export function readState(state: string): Queries {
  const database = open(fileOf(state, "DB"));
  database.exec("PRAGMA query_only = ON; PRAGMA busy_timeout = 10000");
  return queriesOf(database);
}

/** Prepares and binds a statement once, because miniflare sends a request for each `prepare` and each `bind`. */
export function remember(db: D1Database): Queries {
  const known = new Map<string, D1PreparedStatement>();
  const once = (key: string, create: () => D1PreparedStatement) => {
    const statement = known.get(key) ?? create();
    known.set(key, statement);
    return {
      statement,
      bind: (...values: unknown[]) => once(JSON.stringify([key, values]), () => statement.bind(...values)),
      run: () => statement.run(),
    };
  };
  const prepare = (sql: string) => once(sql, () => db.prepare(sql));
  const batch = (some: ReturnType<typeof prepare>[]) => db.batch(some.map(({ statement }) => statement));
  return { prepare, batch } as unknown as Queries;
}
