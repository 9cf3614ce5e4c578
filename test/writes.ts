/**
 * Notes what the tests and the Worker write, so that only that is restored and read again. It wraps the methods of D1, KV and R2
 * once in a process, whichever modules the test files load.
 */
import { env } from "cloudflare:workers";
import { once } from "./once.ts";

/** What was written since it was last forgotten. */
export class Writes {
  readonly #tables = new Map<object, Set<string>>();
  /** A statement may have changed a table, view or trigger, or all rows. */
  schema = false;
  /** The keys of each namespace in Workers KV. */
  readonly keys = new Map<KVNamespace, Set<string>>();
  /** The bucket. */
  objects = false;

  /** Tables and views of a database, by the texts of the statements. `closure` in restore.ts adds what triggers write. */
  tablesOf(db: D1Database): Set<string> {
    return this.of(sessionOf(db));
  }

  of(session: object): Set<string> {
    const known = this.#tables.get(session) ?? new Set();
    this.#tables.set(session, known);
    return known;
  }

  forget(): void {
    this.#tables.clear();
    this.schema = false;
    this.keys.clear();
    this.objects = false;
  }
}

const watchers = once("writes", install);

/** Notes all writes from now on. */
export function watchWrites(): Writes {
  const writes = new Writes();
  watchers.add(writes);
  return writes;
}

/** Notes that every table may have changed and that namespaces are empty, as after `reset()`. */
export function noteReset(): void {
  for (const writes of watchers) {
    writes.schema = true;
    writes.keys.clear();
    writes.objects = true;
  }
}

interface Statement {
  statement: string;
  dbSession: object;
}

/** What a database and its statements have in common. */
const sessionOf = (db: D1Database) =>
  (db as unknown as { alwaysPrimarySession: object }).alwaysPrimarySession;

function install(): Set<Writes> {
  const installed = new Set<Writes>();
  const seen = new Map<string, { tables: string[]; schema: boolean }>();
  const note = (query: string, session: object) => {
    let found = seen.get(query);
    found ??= { tables: writtenBy(query), schema: CHANGES_SCHEMA.test(query) };
    seen.set(query, found);
    for (const writes of installed) {
      for (const name of found.tables) writes.of(session).add(name);
      if (found.schema) writes.schema = true;
    }
  };
  const noteObjects = () => {
    for (const writes of installed) writes.objects = true;
  };
  const { DB, TOKENS, TEST_BUCKET } = env as unknown as {
    DB: D1Database;
    TOKENS: KVNamespace;
    TEST_BUCKET: R2Bucket;
  };
  before(DB, "batch", (statements) => {
    for (const { statement, dbSession } of statements as Statement[]) note(statement, dbSession);
  });
  before(DB, "exec", (query, self) => note(query as string, sessionOf(self as D1Database)));
  const statement = DB.prepare("SELECT 1");
  for (const name of ["run", "all", "first", "raw"]) {
    before(statement, name, (_, self) => note((self as Statement).statement, (self as Statement).dbSession));
  }
  before(TOKENS, "put", (key, self) => {
    const namespace = self as KVNamespace;
    for (const { keys } of installed)
      keys.set(namespace, (keys.get(namespace) ?? new Set()).add(key as string));
  });
  for (const name of ["put", "createMultipartUpload"]) before(TEST_BUCKET, name, noteObjects);
  return installed;
}

/** Calls `note` before each call of a method, with its first argument. */
function before(binding: object, name: string, note: (argument: unknown, self: unknown) => void): void {
  const prototype = Object.getPrototypeOf(binding);
  const method = prototype[name] as (...values: unknown[]) => unknown;
  prototype[name] = function (this: unknown, ...values: unknown[]) {
    note(values[0], this);
    return method.apply(this, values);
  };
}

const WRITTEN =
  /\b(?:INSERT(?:\s+OR\s+\w+)?\s+INTO|UPDATE|DELETE\s+FROM|REPLACE\s+INTO)\s+[`"]?(?!SET\b)(\w+)/gi;
const CHANGES_SCHEMA = /\b(?:CREATE|DROP|ALTER)\s+(?:TEMP\w*\s+|UNIQUE\s+)?(?:TABLE|VIEW|INDEX|TRIGGER)\b/i;

/** The tables and views that a statement writes by itself, by its text. */
export const writtenBy = (query: string): string[] =>
  [...query.matchAll(WRITTEN)].map(([, name]) => name as string);
