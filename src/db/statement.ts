/** SQL compiled once an isolate, bound and run many times; every call to D1 goes through here. */
import { fillPlaceholders, type SQL } from "drizzle-orm";
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";

const dialect = new SQLiteSyncDialect();

declare const row: unique symbol;

/** A bound statement that knows the shape of its rows. */
export type Bound<Row> = D1PreparedStatement & { readonly [row]?: Row };

export type Value = string | number | null;

/** Compiles a Drizzle template whose parameters are named placeholders. Building one takes longer than running it. */
export function statement<Row>(query: SQL): (db: D1Database, values: Record<string, Value>) => Bound<Row> {
  const { sql, params } = dialect.sqlToQuery(query);
  return (db, values) => db.prepare(sql).bind(...fillPlaceholders(params, values));
}

type Rows<Statements extends Bound<unknown>[]> = {
  [Index in keyof Statements]: Statements[Index] extends Bound<infer Row> ? Row[] : never;
};

/** One round trip and one transaction: all statements or none. Every one of them runs, so each is gated in its SQL. */
export async function runBatch<Statements extends Bound<unknown>[]>(
  db: D1Database,
  ...statements: Statements
): Promise<Rows<Statements>> {
  const results = await db.batch(statements);
  return results.map((result) => result.results) as Rows<Statements>;
}
