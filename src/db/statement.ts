/** SQL compiled once an isolate, bound and run many times; every call to D1 goes through here. */
import { is, Placeholder, type SQL } from "drizzle-orm";
import { CasingCache } from "drizzle-orm/casing";
import { withDeadline } from "../deadline.ts";

/** SQLite's way to write a query. Drizzle's own dialect brings its query builder along, which nothing here needs. */
const SQLITE = {
  casing: new CasingCache(),
  escapeName: (name: string) => `"${name.replaceAll('"', '""')}"`,
  escapeParam: () => "?",
  escapeString: (text: string) => `'${text.replaceAll("'", "''")}'`,
};

declare const row: unique symbol;

/** A bound statement that knows the shape of its rows. */
export type Bound<Row> = D1PreparedStatement & { readonly [row]?: Row };

export type Value = string | number | null;

/**
 * A Drizzle template whose parameters are named placeholders. It is compiled when it is first used, and once: building one
 * takes longer than running it, and an isolate that starts for a click needs none of the others.
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
    if (!is(param, Placeholder)) throw new Error("a parameter of a statement is no placeholder");
    return param.name;
  });
  return { sql, names };
}

function pick(values: Record<string, Value>, name: string): Value {
  const value = values[name];
  if (value === undefined) throw new Error(`a statement got no value for ${name}`);
  return value;
}

/** Rows in their order, so many for each statement: one parameter holds 2 MB. */
export function chunk<Row>(rows: Row[], size: number): Row[][] {
  return Array.from({ length: Math.ceil(rows.length / size) }, (_, index) =>
    rows.slice(index * size, (index + 1) * size),
  );
}

type Rows<Statements extends Bound<unknown>[]> = {
  [Index in keyof Statements]: Statements[Index] extends Bound<infer Row> ? Row[] : never;
};

/** D1 is told to stall for seconds at times. Who waited this long is told to come again; nothing was told as done. */
const DEADLINE_MS = 10_000;

/** One round trip and one transaction: all statements or none. Every one of them runs, so each is gated in its SQL. */
export async function runBatch<Statements extends Bound<unknown>[]>(
  db: D1Database,
  ...statements: Statements
): Promise<Rows<Statements>> {
  const results = await withDeadline(db.batch(statements), DEADLINE_MS, "D1");
  return results.map((result) => result.results) as Rows<Statements>;
}

/**
 * As `runBatch`, for statements that may run twice: a lost connection can mean that the batch was committed, so only what
 * finds its own work done the second time may be sent again.
 */
export async function runIdempotent<Statements extends Bound<unknown>[]>(
  db: D1Database,
  ...statements: Statements
): Promise<Rows<Statements>> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await runBatch(db, ...statements);
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !CONNECTION_LOST.test(String(error))) throw error;
      await scheduler.wait(attempt * 50 * (0.5 + Math.random()));
    }
  }
}

const MAX_ATTEMPTS = 3;
const CONNECTION_LOST =
  /Network connection lost|storage caused object to be reset|reset because its code was updated/;
const TRY_LATER =
  /transient issue|overloaded|timeout|deadline|internal error|limit and was reset|SQLITE_BUSY|database is locked/i;

/** Whether the same request may succeed in a moment. */
export function isTransient(error: unknown): boolean {
  return CONNECTION_LOST.test(String(error)) || TRY_LATER.test(String(error));
}

/** Whether the database has no tables yet. */
export function isNotMigrated(error: unknown): boolean {
  return String(error).includes("no such table");
}
