/** What imports changed of links. It is stored in the transaction of the change, and forgotten after 24 hours or when it is undone. */
import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core/alias";
import { DAY_MS } from "../../domain/time.ts";
import { as, limitTo, names, query } from "../query.ts";
import { linkImports } from "../schema.ts";
import { type Bound, runBatch, statement } from "../statement.ts";
import type { AppScope } from "./lists.ts";
import type { LinkSettings } from "./updates.ts";

export const UNDO_MS = DAY_MS;

/** What an import changed of one link. */
export interface LinkChange {
  token: string;
  before: LinkSettings;
  after: LinkSettings;
}

const { appToken, importedAt, changes } = linkImports;

/** Follows the update of the links in its batch, which runs on one connection: without an update it stores nothing. */
const insert = statement<{ id: number }>(
  sql`INSERT INTO ${linkImports} (${names(appToken, importedAt, changes)})
    SELECT ${sql.placeholder("appToken")}, ${sql.placeholder("now")}, ${sql.placeholder("changes")}
    WHERE changes() > 0 RETURNING ${names(linkImports.id)}`,
);
/** The same for what undoes it. */
const remove = statement<{ id: number }>(
  sql`DELETE FROM ${linkImports} WHERE ${linkImports.id} = ${sql.placeholder("id")}
    AND ${appToken} = ${sql.placeholder("appToken")} AND changes() > 0 RETURNING ${names(linkImports.id)}`,
);

export const importStatement = (db: D1Database, scope: AppScope, now: number, changed: LinkChange[]) =>
  insert(db, { appToken: scope.appToken, now, changes: JSON.stringify(changed) });
export const removalStatement = (db: D1Database, scope: AppScope, id: number): Bound<{ id: number }> =>
  remove(db, { appToken: scope.appToken, id });

const i = alias(linkImports, "i");
const isUndoable = sql`${i.appToken} = ${sql.placeholder("appToken")} AND ${i.importedAt} > ${sql.placeholder("since")}`;
const list = query(
  { id: i.id, importedAt: i.importedAt, count: sql<number>`json_array_length(${i.changes})` },
  sql`FROM ${as(i)} WHERE ${isUndoable} ORDER BY ${i.importedAt} DESC ${limitTo("limit")}`,
);
const find = query(
  { changes: i.changes },
  sql`FROM ${as(i)} WHERE ${i.id} = ${sql.placeholder("id")} AND ${isUndoable}`,
);

const MOST_LISTED = 20;

export interface LinkImport {
  id: number;
  importedAt: number;
  /** Of links. */
  count: number;
}

/** The latest imports that can still be undone, newest first. The page has checked who asks. */
export async function listImports(db: D1Database, appToken: string, now: number): Promise<LinkImport[]> {
  const [rows] = await runBatch(db, list(db, { appToken, since: now - UNDO_MS, limit: MOST_LISTED }));
  return rows;
}

/** What an import changed; undefined if the app has no such import of the last 24 hours. The page has checked who asks. */
export async function findImport(
  db: D1Database,
  appToken: string,
  id: number,
  now: number,
): Promise<LinkChange[] | undefined> {
  const [[row]] = await runBatch(db, find(db, { appToken, id, since: now - UNDO_MS }));
  return row && (JSON.parse(row.changes) as LinkChange[]);
}
