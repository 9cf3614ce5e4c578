/** What imports changed of links. It is stored in the transaction of the change, and forgotten after 24 hours or when it is undone. */
import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core/alias";
import { DAY_MS } from "../../domain/time.ts";
import { m, perViewer } from "../accounts/viewers.ts";
import { as, limitTo, names, optional, query } from "../query.ts";
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
const fields = { id: i.id, importedAt: i.importedAt, count: sql<number>`json_array_length(${i.changes})` };
/** The latest imports that can still be undone, newest first. There is also a row without one, for the access. */
const list = perViewer(({ appAccess, from, isMember, isViewer }) =>
  query(
    { ...appAccess, ...optional(fields) },
    sql`FROM ${from} LEFT JOIN ${as(m)} ON ${isMember}
      LEFT JOIN ${as(i)} ON ${i.appToken} = ${m.appToken} AND ${i.importedAt} > ${sql.placeholder("since")}
      WHERE ${isViewer} ORDER BY ${i.importedAt} DESC ${limitTo("limit")}`,
  ),
);
const find = perViewer(({ appAccess, from, isMember, isViewer }) =>
  query(
    { ...appAccess, ...optional({ changes: i.changes }) },
    sql`FROM ${from} LEFT JOIN ${as(m)} ON ${isMember}
      LEFT JOIN ${as(i)} ON ${i.id} = ${sql.placeholder("id")} AND ${i.appToken} = ${m.appToken}
        AND ${i.importedAt} > ${sql.placeholder("since")}
      WHERE ${isViewer}`,
  ),
);

const MOST_LISTED = 20;

export interface LinkImport {
  id: number;
  importedAt: number;
  /** Of links. */
  count: number;
}

export async function listImports(db: D1Database, scope: AppScope, now: number) {
  const values = { ...scope, since: now - UNDO_MS, limit: MOST_LISTED };
  const [rows] = await runBatch(db, list(scope)(db, values));
  const imports = rows.filter((row): row is typeof row & LinkImport => row.id !== null);
  return { access: rows[0], imports };
}

/** What an import changed; undefined if the app has no such import of the last 24 hours. */
export async function findImport(db: D1Database, scope: AppScope, id: number, now: number) {
  const [[row]] = await runBatch(db, find(scope)(db, { ...scope, id, since: now - UNDO_MS }));
  return { access: row, changes: row?.changes ? (JSON.parse(row.changes) as LinkChange[]) : undefined };
}
