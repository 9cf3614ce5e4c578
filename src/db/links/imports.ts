/** What imports changed of links. It is stored in the transaction of the change, and forgotten after 24 hours or when it is undone. */
import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core/alias";
import { DAY_MS } from "../../domain/time.ts";
import { as, limitTo, names, query } from "../query.ts";
import { auditLog, linkImports } from "../schema.ts";
import { type Bound, runBatch, statement } from "../statement.ts";
import type { AppScope, LinkSetting } from "./lists.ts";
import type { LinkSettings } from "./updates.ts";

export const UNDO_MS = DAY_MS;

/** What an import changed of one link. */
export interface LinkChange {
  token: string;
  before: LinkSettings;
  after: LinkSettings;
}

const { appToken, importedAt, changes, lastEntry } = linkImports;
const log = alias(auditLog, "log");
const newestEntry = sql<number>`(SELECT coalesce(max(${log.id}), 0) FROM ${as(log)})`;

/** Follows the update of the links in its batch, which runs on one connection: without an update it stores nothing. */
const insert = statement<{ id: number }>(
  sql`INSERT INTO ${linkImports} (${names(appToken, importedAt, changes, lastEntry)})
    SELECT ${sql.placeholder("appToken")}, ${sql.placeholder("now")}, ${sql.placeholder("changes")}, ${newestEntry}
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
  { changes: i.changes, newestEntry },
  sql`FROM ${as(i)} WHERE ${i.id} = ${sql.placeholder("id")} AND ${isUndoable}`,
);

/**
 * How often others changed a setting of a link after the import. An import that was undone and its undo do not count: they have an
 * entry each.
 */
const changesOf = (setting: LinkSetting) =>
  sql<number>`sum(iif(json_type(${log.detail}, ${sql.raw(`'$.${setting}'`)}) IS NULL, 0, iif(${log.action} = 'undo import', -1, 1)))`;
const token = sql<string>`(j.value ->> '$.token')`;
/** One row for each link of the import that has entries after it. */
const changesSince = query(
  {
    token,
    archived: changesOf("archived"),
    partnerId: changesOf("partner_id"),
    costSwitch: changesOf("cost_data_enabled"),
    target: changesOf("target"),
  },
  sql`FROM ${as(i)} CROSS JOIN json_each(${i.changes}) j
    CROSS JOIN ${as(log)} INDEXED BY audit_by_subject ON ${log.subject} = 'link ' || ${token} AND ${log.id} > ${i.lastEntry}
    WHERE ${i.id} = ${sql.placeholder("id")} AND ${isUndoable} GROUP BY ${token}`,
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

/**
 * What an import changed, and by the token of a link, how often others changed its settings until the entry `until` of the audit log;
 * undefined if the app has no such import of the last 24 hours. The page has checked who asks.
 */
export async function findImport(db: D1Database, appToken: string, id: number, now: number) {
  const values = { appToken, id, since: now - UNDO_MS };
  const [[row], since] = await runBatch(db, find(db, values), changesSince(db, values));
  return (
    row && {
      changes: JSON.parse(row.changes) as LinkChange[],
      since: new Map(since.map((counts) => [counts.token, counts])),
      until: row.newestEntry,
    }
  );
}
