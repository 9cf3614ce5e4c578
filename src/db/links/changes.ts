/**
 * What the workspace changed of links. It is stored in the transaction of the change, and forgotten after 24 hours or when it is
 * undone.
 */
import { type SQL, sql } from "drizzle-orm";
import { DAY_MS } from "../../domain/time.ts";
import { alias, as, limitTo, names, query, type RowOf } from "../query.ts";
import { auditLog, linkChanges, links } from "../schema.ts";
import { REQUEST_ID, runBatch, statement } from "../statement.ts";
import { type AppScope, LINK_SETTINGS, type LinkSetting } from "./lists.ts";
import type { LinkSettings } from "./updates.ts";

export const UNDO_MS = DAY_MS;

/** What was changed of one link: the settings that differ. Before its creation, a link is as if it were archived. */
export type LinkChange = { token: string; before: Partial<LinkSettings>; after: Partial<LinkSettings> };
export type ChangeSource = RowOf<{ source: typeof linkChanges.source }>["source"];

const { appToken, changedAt, requestId, source, count, changes, lastEntry, undoId } = linkChanges;
const f = alias(linkChanges, "f");
const log = alias(auditLog, "log");
const newestEntry = sql<number>`(SELECT coalesce(max(${log.id}), 0) FROM ${as(log)})`;

/** The import that a part of a file continues. */
const firstPart = sql`(SELECT ${f.undoId} FROM ${as(f)} INDEXED BY link_changes_by_undo WHERE ${f.appToken} = ${sql.placeholder("appToken")}
  AND ${f.undoId} = ${sql.placeholder("partOf")} AND ${f.source} = 'import' AND ${f.changedAt} > ${sql.placeholder("now")} - ${sql.raw(String(UNDO_MS))} LIMIT 1)`;
const insertOf = (counted: SQL, changed: SQL, from: SQL) =>
  statement<{ id: number }>(
    sql`INSERT INTO ${linkChanges} (${names(appToken, changedAt, requestId, source, count, lastEntry, changes, undoId)})
      SELECT ${sql.placeholder("appToken")}, ${sql.placeholder("now")}, ${sql.placeholder(REQUEST_ID)}, ${sql.placeholder("source")},
        ${counted}, ${newestEntry}, ${changed}, coalesce(${firstPart}, ${sql.placeholder(REQUEST_ID)}) ${from} RETURNING ${names(linkChanges.id)}`,
  );
/** Follows in its batch, which runs on one connection, what changed the links: without a change it stores nothing. */
const insertAfter = (changed: SQL) => insertOf(sql`changes()`, changed, sql`WHERE changes() > 0`);
const insert = insertAfter(sql`${sql.placeholder("changes")}`);
const state = (archived: number) => sql.raw(`json_object('archived', ${archived})`);
const archivedFrom = (from: 0 | 1, link: SQL | typeof links.token) =>
  sql`json_group_array(json_object('token', ${link}, 'before', ${state(from)}, 'after', ${state(1 - from)}))`;
const insertCreated = insertAfter(
  sql`(SELECT ${archivedFrom(1, sql`t.value`)}
    FROM json_each(${sql.placeholder("tokens")}) t CROSS JOIN ${links} ON ${links.token} = t.value)`,
);
/** Before the links are archived for which this is true. */
export const insertArchiving = (isArchived: SQL) =>
  insertOf(
    sql`count(*)`,
    archivedFrom(0, links.token),
    sql`FROM ${links} WHERE ${isArchived} HAVING count(*) > 0`,
  );
/** The same for what undoes it. */
const remove = statement<{ id: number }>(
  sql`DELETE FROM ${linkChanges} WHERE ${linkChanges.id} IN (SELECT value FROM json_each(${sql.placeholder("ids")}))
    AND +${appToken} = ${sql.placeholder("appToken")} AND changes() > 0 RETURNING ${names(linkChanges.id)}`,
);

/** `partOf`: the undo ID of the import that this one continues. */
export type Recording = { source: ChangeSource; partOf?: string | null };
/** Who changes links where, when and how. */
type Changing = Recording & { appToken: string; now: number };
export const changesStatement = (db: D1Database, how: Changing, changed: LinkChange[]) =>
  insert(db, { partOf: null, ...how, changes: JSON.stringify(changed) });
/** Follows the entries of the links that were created. `tokens` is a list in JSON, also of links that were not. */
export const creationsStatement = (db: D1Database, how: Changing, tokens: string) =>
  insertCreated(db, { partOf: null, ...how, tokens });
export const removalStatement = (db: D1Database, { appToken }: AppScope, ids: number[]) =>
  remove(db, { appToken, ids: JSON.stringify(ids) });

const c = alias(linkChanges, "c");
const isUndoable = sql`${c.appToken} = ${sql.placeholder("appToken")} AND ${c.changedAt} > ${sql.placeholder("since")}`;
const listFields = {
  undoId: c.undoId,
  changedAt: sql<number>`max(${c.changedAt})`,
  source: c.source,
  /** Of links. */
  count: sql<number>`sum(${c.count})`,
};
const list = query(
  listFields,
  sql`FROM ${as(c)} WHERE ${isUndoable} GROUP BY ${c.undoId} ORDER BY max(${c.id}) DESC ${limitTo("limit")}`,
);
/** The most parts of a change that one request undoes. */
const MAX_PARTS = 100;
/** The first of its parts that are not undone. */
const parts = sql`${as(c)} INDEXED BY link_changes_by_undo WHERE ${isUndoable} AND ${c.undoId} = ${sql.placeholder("of")} ORDER BY ${c.id}`;
const find = query(
  { id: c.id, changes: c.changes, newestEntry },
  sql`FROM ${parts} LIMIT ${sql.raw(String(MAX_PARTS + 1))}`,
);

/**
 * How often others changed a setting of a link after the change. A change that was undone and its undo do not count: they have an
 * entry each.
 */
const changesOf = (setting: LinkSetting) =>
  sql<number>`sum(iif(json_type(${log.detail}, ${sql.raw(`'$.${setting}'`)}) IS NULL, 0, iif(${log.action} = 'undo change', -1, 1)))`;
const token = sql<string>`(j.value ->> '$.token')`;
const counts = Object.fromEntries(
  Object.entries(LINK_SETTINGS).map(([key, setting]) => [key, changesOf(setting)]),
) as Record<keyof typeof LINK_SETTINGS, ReturnType<typeof changesOf>>;
/** One row for each link of the change that has entries after it. */
const changesSince = query(
  { token, ...counts },
  sql`FROM (SELECT ${c.changes}, ${c.lastEntry} FROM ${parts} LIMIT ${sql.raw(String(MAX_PARTS))}) c CROSS JOIN json_each(${c.changes}) j
    CROSS JOIN ${as(log)} INDEXED BY audit_by_subject ON ${log.subject} = 'link ' || ${token} AND ${log.id} > ${c.lastEntry}
    GROUP BY ${token}`,
);

const MOST_LISTED = 50;

export type UndoableChange = RowOf<typeof listFields>;

/** The latest changes that can still be undone, newest first. The page has checked who asks. */
export async function listChanges(db: D1Database, appToken: string, now: number): Promise<UndoableChange[]> {
  const [rows] = await runBatch(db, list(db, { appToken, since: now - UNDO_MS, limit: MOST_LISTED }));
  return rows;
}

/**
 * What was changed under an undo ID, in the parts in which it was stored, and by the token of a link, how often others changed
 * its settings until the entry `until` of the audit log; undefined if the app has no such change of the last 24 hours. `isMore`:
 * it has more parts. The page has checked who asks.
 */
export async function findChanges(db: D1Database, appToken: string, of: string, now: number) {
  const values = { appToken, of, since: now - UNDO_MS };
  const [rows, since] = await runBatch(db, find(db, values), changesSince(db, values));
  const [first] = rows;
  return (
    first && {
      isMore: rows.length > MAX_PARTS,
      parts: rows
        .slice(0, MAX_PARTS)
        .map(({ id, changes }) => ({ id, changes: JSON.parse(changes) as LinkChange[] })),
      since: new Map(since.map((counted) => [counted.token, counted])),
      until: first.newestEntry,
    }
  );
}
