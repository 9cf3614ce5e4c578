/** What the workspace changed of links. It is stored in the transaction of the change, and forgotten after 24 hours or when it is undone. */
import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core/alias";
import { DAY_MS } from "../../domain/time.ts";
import { as, limitTo, names, query, type RowOf } from "../query.ts";
import { auditLog, linkChanges, links } from "../schema.ts";
import { type Bound, REQUEST_ID, runBatch, statement } from "../statement.ts";
import { type AppScope, LINK_SETTINGS, type LinkSetting } from "./lists.ts";
import type { LinkSettings } from "./updates.ts";

export const UNDO_MS = DAY_MS;

/** What was changed of one link: the settings that differ. Before its creation, a link is as if it were archived. */
export interface LinkChange {
  token: string;
  before: Partial<LinkSettings>;
  after: Partial<LinkSettings>;
}
export type ChangeSource = RowOf<{ source: typeof linkChanges.source }>["source"];

const { appToken, changedAt, requestId, source, count, changes, lastEntry } = linkChanges;
const log = alias(auditLog, "log");
const newestEntry = sql<number>`(SELECT coalesce(max(${log.id}), 0) FROM ${as(log)})`;

/** Follows in its batch, which runs on one connection, what changed the links: without a change it stores nothing. */
const insertOf = (changed: ReturnType<typeof sql>) =>
  statement<{ id: number }>(
    sql`INSERT INTO ${linkChanges} (${names(appToken, changedAt, requestId, source, count, lastEntry, changes)})
      SELECT ${sql.placeholder("appToken")}, ${sql.placeholder("now")}, ${sql.placeholder(REQUEST_ID)}, ${sql.placeholder("source")},
        changes(), ${newestEntry}, ${changed}
      WHERE changes() > 0 RETURNING ${names(linkChanges.id)}`,
  );
const insert = insertOf(sql`${sql.placeholder("changes")}`);
const insertCreated = insertOf(
  sql`(SELECT json_group_array(json_object('token', t.value, 'before', json('{"archived":1}'), 'after', json('{"archived":0}')))
    FROM json_each(${sql.placeholder("tokens")}) t CROSS JOIN ${links} ON ${links.token} = t.value)`,
);
/** The same for what undoes it. */
const remove = statement<{ id: number }>(
  sql`DELETE FROM ${linkChanges} WHERE ${linkChanges.id} IN (SELECT value FROM json_each(${sql.placeholder("ids")}))
    AND ${appToken} = ${sql.placeholder("appToken")} AND changes() > 0 RETURNING ${names(linkChanges.id)}`,
);

/** Who changes links where, when and how. */
export type Changing = { appToken: string; now: number; source: ChangeSource };
export const changesStatement = (
  db: D1Database,
  { appToken, now, source }: Changing,
  changed: LinkChange[],
): Bound<{ id: number }> => insert(db, { appToken, now, source, changes: JSON.stringify(changed) });
/** Follows the entries of the links that were created. `tokens` is a list in JSON, also of links that were not. */
export const creationsStatement = (db: D1Database, { appToken, now, source }: Changing, tokens: string) =>
  insertCreated(db, { appToken, now, source, tokens });
export const removalStatement = (db: D1Database, { appToken }: AppScope, ids: number[]) =>
  remove(db, { appToken, ids: JSON.stringify(ids) });

const c = alias(linkChanges, "c");
const isUndoable = sql`${c.appToken} = ${sql.placeholder("appToken")} AND ${c.changedAt} > ${sql.placeholder("since")}`;
const listFields = {
  requestId: c.requestId,
  changedAt: c.changedAt,
  source: c.source,
  /** Of links. */
  count: sql<number>`sum(${c.count})`,
};
const list = query(
  listFields,
  sql`FROM ${as(c)} WHERE ${isUndoable} GROUP BY ${c.changedAt}, ${c.requestId} ORDER BY max(${c.id}) DESC ${limitTo("limit")}`,
);
const isOfRequest = sql`${isUndoable} AND ${c.requestId} = ${sql.placeholder("of")}`;
const find = query(
  { id: c.id, changes: c.changes, newestEntry },
  sql`FROM ${as(c)} WHERE ${isOfRequest} ORDER BY ${c.id}`,
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
  sql`FROM ${as(c)} CROSS JOIN json_each(${c.changes}) j
    CROSS JOIN ${as(log)} INDEXED BY audit_by_subject ON ${log.subject} = 'link ' || ${token} AND ${log.id} > ${c.lastEntry}
    WHERE ${isOfRequest} GROUP BY ${token}`,
);

const MOST_LISTED = 50;

export type UndoableChange = RowOf<typeof listFields>;

/** The latest changes that can still be undone, newest first. The page has checked who asks. */
export async function listChanges(db: D1Database, appToken: string, now: number): Promise<UndoableChange[]> {
  const [rows] = await runBatch(db, list(db, { appToken, since: now - UNDO_MS, limit: MOST_LISTED }));
  return rows;
}

/**
 * What a request changed, in the parts in which it was stored, and by the token of a link, how often others changed its settings until
 * the entry `until` of the audit log; undefined if the app has no such change of the last 24 hours. The page has checked who asks.
 */
export async function findChanges(db: D1Database, appToken: string, of: string, now: number) {
  const values = { appToken, of, since: now - UNDO_MS };
  const [rows, since] = await runBatch(db, find(db, values), changesSince(db, values));
  const [first] = rows;
  return (
    first && {
      parts: rows.map(({ id, changes }) => ({ id, changes: JSON.parse(changes) as LinkChange[] })),
      since: new Map(since.map((counted) => [counted.token, counted])),
      until: first.newestEntry,
    }
  );
}
