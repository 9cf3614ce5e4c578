/**
 * Databases of the built Worker, which are migrated and read as files in this process. Through miniflare, a migrated database takes a
 * second, and each `prepare` and `bind` is a request of its own.
 */
import { createHash, createHmac } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { runStatements } from "../src/dev/demo/rows.ts";
import { demoStatements } from "../src/dev/demo.ts";
import { migrateLocal } from "../src/dev/local-migrations.ts";
import { dayOf } from "../src/domain/time.ts";

const ROOT = join(import.meta.dirname, "..");

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

/** The bytes of a database that was changed as a file. */
async function fileWith(earlier: Uint8Array, change: (db: D1Database) => Promise<void>): Promise<Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), "linkledger-template-"));
  const file = join(folder, "database.sqlite");
  writeFileSync(file, earlier);
  const database = open(file);
  await change(queriesOf(database) as D1Database);
  database.close();
  const bytes = readFileSync(file);
  rmSync(folder, { recursive: true });
  return bytes;
}

/** Made once in a process, by their keys. */
const templates = new Map<string, Promise<Uint8Array>>();
function template(key: string, make: () => Promise<Uint8Array>): Promise<Uint8Array> {
  const known = templates.get(key) ?? make();
  templates.set(key, known);
  return known;
}
const migrated = (root: string) =>
  template(root, () => fileWith(new Uint8Array(), (db) => migrateLocal(db, join(root, "migrations"))));
/** Of the day, because its rows are of the days before. */
const filled = (root: string) =>
  template(`${root} ${dayOf(Date.now())}`, async () =>
    fileWith(await migrated(root), (db) => runStatements(db, demoStatements(Date.now()))),
  );

/** What the databases of a Worker have. */
export interface Content {
  /** The checkout whose migrations apply. Default: this one. */
  root?: string;
  /** The statements that fill DB. Default: the demo data. */
  seed?: string[];
  /** The names of more databases, which stay empty. */
  databases?: string[];
}

/** Creates the databases in a directory of miniflare, unless it has them. */
export async function createDatabases(
  state: string,
  { root = ROOT, seed, databases = [] }: Content = {},
): Promise<void> {
  if (existsSync(fileOf(state, "DB"))) return;
  mkdirSync(join(state, FOLDER), { recursive: true });
  const bytes = seed
    ? await fileWith(await migrated(root), (db) => runStatements(db, seed))
    : await filled(root);
  writeFileSync(fileOf(state, "DB"), bytes);
  for (const name of databases) writeFileSync(fileOf(state, name), await migrated(root));
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
