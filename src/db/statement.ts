/**
 * Compiles SQL once per isolate and runs it with bound values. Every call to D1 goes through this file. An isolate is one
 * running instance of the Worker with its own memory; Cloudflare runs many in parallel and may discard any of them.
 *
 * Drizzle's query builder is not used. In `drizzle-orm` 0.45.4, a prepared query with placeholders throws D1_TYPE_ERROR in a batch
 * (drizzle-team/drizzle-orm issue 2197), and columns with the same name get the values of others (6038). Building a query for each
 * request takes 80 to 290 µs instead. Where that does not matter, the builder still adds 13.3 KiB gzip, and the lines that it saves
 * are saved by checking first and acting second.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { type Column, is, Placeholder, type SQL } from "drizzle-orm";
import { CasingCache } from "drizzle-orm/casing";
import { withDeadline } from "../deadline.ts";
import { DEADLINE_MS, GroupCommit, type Shared } from "./group-commit.ts";

const CASING = new CasingCache("snake_case");
/** The name of a column in the database: its key in the schema, in snake_case. */
export const nameOf = (column: Column): string => CASING.getColumnCasing(column);

/** SQLite's syntax. Drizzle's own dialect object would bundle its query builder, which this code does not use. */
const SQLITE = {
  casing: CASING,
  // Every name comes from schema.ts or from code, and none needs quotes.
  escapeName: (name: string) => name,
  escapeParam: () => "?",
  escapeString: (text: string) => `'${text.replaceAll("'", "''")}'`,
};

declare const row: unique symbol;

/** A bound statement, typed with the shape of its rows. */
export type Bound<Row> = D1PreparedStatement & { readonly [row]?: Row };

export type Value = string | number | null;

/**
 * Takes a Drizzle template with named placeholders as its only parameters. Compiles it on first use and only once: compiling
 * takes longer than running, and an isolate that starts for a click does not need the other statements.
 */
export function statement<Row>(query: SQL): (db: D1Database, values: Record<string, Value>) => Bound<Row> {
  let compiled: { sql: string; names: string[] } | undefined;
  return (db, values) => {
    compiled ??= compile(query);
    return db.prepare(compiled.sql).bind(...compiled.names.map((name) => pick(values, name)));
  };
}

function compile(query: SQL): { sql: string; names: string[] } {
  const { sql, params } = query.toQuery(SQLITE);
  const names = params.map((param) => {
    if (!is(param, Placeholder)) throw new Error("A statement has a parameter that is not a placeholder.");
    return param.name;
  });
  return { sql, names };
}

/** The placeholder for the ID of the present request. Statements get it by themselves, so that each audit entry has it. */
export const REQUEST_ID = "requestId";
const request = new AsyncLocalStorage<string>();

/** Handles a request whose changes are audited. */
export const inRequest = <T>(requestId: string, handle: () => T): T => request.run(requestId, handle);

function pick(values: Record<string, Value>, name: string): Value {
  if (name === REQUEST_ID) return request.getStore() ?? null;
  const value = values[name];
  if (value === undefined) throw new Error(`The statement has no value for the placeholder ${name}.`);
  return value;
}

/** The most rows of totals that a call adds up, unless one day has more: more would keep everybody else waiting. */
export const MAX_COVERED = 200_000;

/** What was asked for covers more rows than its calls read. */
export class TooLargeError extends Error {
  /** How many days, up to the last one, fit; undefined if that was not looked at. */
  readonly days: number | undefined;
  constructor(days?: number) {
    super("too large");
    this.days = days;
  }
}

/** Splits rows into chunks of `size`, one per statement, because one bound parameter holds at most 2 MB. */
export function chunk<Row>(rows: Row[], size: number): Row[][] {
  return Array.from({ length: Math.ceil(rows.length / size) }, (_, index) =>
    rows.slice(index * size, (index + 1) * size),
  );
}

/** The rows of each statement of a batch. */
export type Rows<Statements extends Bound<unknown>[]> = {
  [Index in keyof Statements]: Statements[Index] extends Bound<infer Row> ? Row[] : never;
};

/** Statements by name. One that is undefined is left out. */
export type Batch = Record<string, Bound<unknown> | undefined>;
/** The rows of each statement of a batch, by its name. One that was left out has none. */
export type NamedRows<B extends Batch> = {
  [Name in keyof B]: NonNullable<B[Name]> extends Bound<infer Row> ? Row[] : never;
};

/** Runs the statements in one transaction, with one call to D1: all of them commit or none. */
export type Run = <Statements extends Bound<unknown>[]>(
  db: D1Database,
  ...statements: Statements
) => Promise<Rows<Statements>>;

/**
 * Runs the statements as a D1 batch, which is one round trip and one transaction. All of them run, whatever the first ones return,
 * so each statement of a hot path checks access in its own SQL.
 */
export const runBatch = runner({ attempts: 1 });

const MAX_ATTEMPTS = 3;

/**
 * Like `runBatch`, but repeats the batch after a lost connection. The lost batch may have been committed, so use this only for
 * statements that have no further effect when they run again.
 */
export const runIdempotent = runner({ attempts: MAX_ATTEMPTS });

/**
 * Like `runBatch`, in a call that may carry the statements of other requests (group-commit.ts). For what is small and frequent:
 * a group waits for its slowest statement. `rows` is how many rows it returns or items it stores at most, if that can be many.
 */
export const runGrouped = (rows = 0, shared?: Shared): Run => runner({ attempts: 1, rows, shared });

/** Lets statements that wait, and stand for alike requests, stand for one more. Returns false if there are none with this key. */
export const joinWaiting = (db: D1Database, key: string): boolean => groups.get(db)?.join(key) ?? false;

/** Like `runGrouped`, and repeats like `runIdempotent`. */
export const runGroupedIdempotent = (rows = 0): Run => runner({ attempts: MAX_ATTEMPTS, rows });

/** More than this have a call of their own. */
const MAX_GROUPED_ROWS = 100;
/** In a group, so many rows weigh as much as a statement. */
const ROWS_OF_STATEMENT = 10;

function runner({
  attempts,
  rows,
  shared,
}: {
  attempts: number;
  rows?: number;
  shared?: Shared | undefined;
}): Run {
  return async (db, ...statements) => {
    const group = rows === undefined || rows > MAX_GROUPED_ROWS ? undefined : groups.get(db);
    const until = group ? group.clock() + DEADLINE_MS : 0;
    const weight = Math.max(statements.length, Math.ceil((rows ?? 0) / ROWS_OF_STATEMENT));
    let isOver = false;
    const work = async () => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await (group ? group.run(statements, weight, until, shared) : db.batch(statements));
        } catch (error) {
          if (isOver || attempt === attempts || !CONNECTION_LOST.test(String(error))) throw error;
          await scheduler.wait(attempt * 50 * (0.5 + Math.random()));
        }
      }
    };
    try {
      const results = await (group ? work() : withDeadline(work(), DEADLINE_MS, "D1"));
      const size = results.at(-1)?.meta?.size_after;
      if (size !== undefined) sizes.set(db, size);
      return results.map((result) => result.results) as Rows<typeof statements>;
    } finally {
      isOver = true;
    }
  };
}

/** Runs the statements like `runBatch`. Returns the first row of the first one. */
export async function runForRow<Row>(
  db: D1Database,
  first: Bound<Row>,
  ...others: Bound<unknown>[]
): Promise<Row | undefined> {
  const [[row]] = await runBatch(db, first, ...others);
  return row;
}

const groups = new WeakMap<D1Database, GroupCommit>();

/** Of each database, in bytes, as its last answer to this isolate said. For people and alerts only: nothing is decided by it. */
const sizes = new WeakMap<D1Database, number>();
export const sizeOf = (db: D1Database): number | undefined => sizes.get(db);

/** Sets the most calls to each of these databases in flight that requests share. 0: each request has its own calls. */
export function groupCalls(databases: D1Database[], maxCalls: number, clock: () => number): void {
  for (const db of databases) {
    if (maxCalls === 0) groups.delete(db);
    else if (groups.get(db)?.maxCalls !== maxCalls)
      groups.set(db, new GroupCommit(db, { maxCalls, clock, isSqlError }));
  }
}

const CONNECTION_LOST =
  /Network connection lost|storage caused object to be reset|reset because its code was updated/;
const TRY_LATER =
  /transient issue|overloaded|timeout|deadline|internal error|limit and was reset|SQLITE_BUSY|database is locked/i;

/** Whether the same request may succeed when it is repeated. */
export function isTransient(error: unknown): boolean {
  return CONNECTION_LOST.test(String(error)) || TRY_LATER.test(String(error));
}

/** Whether the database lacks a migration: it has no tables yet, or not all tables, columns and indexes. */
export function isNotMigrated(error: unknown): boolean {
  return /no such (table|column|index)|has no column named/.test(String(error));
}

/** Whether a statement was wrong, so that its batch was rolled back. Without tables, all of them are. */
function isSqlError(error: unknown): boolean {
  const text = String(error);
  return text.includes("SQLITE_") && !isTransient(error) && !text.includes("no such table");
}
