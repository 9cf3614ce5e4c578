/** What the members of an app have hidden from "Needs attention" for a while. */
import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core/alias";
import { DAY_MS } from "../domain/time.ts";
import { type AppAccess, m, perViewer, type Viewer } from "./accounts/viewers.ts";
import { insertEntry } from "./audit.ts";
import { as, insertInto, query } from "./query.ts";
import { hiddenAttention } from "./schema.ts";
import { runBatch, statement } from "./statement.ts";

export const HIDDEN_DAYS = 30;
/** An app can hide this many items at the same time. */
export const MAX_HIDDEN = 200;

const h = alias(hiddenAttention, "h");
const key = sql`${sql.placeholder("key")}`;
const now = sql.placeholder("now");
const { appToken, hiddenUntil } = hiddenAttention;
const isHidden = sql`${h.appToken} = ${m.appToken} AND ${h.hiddenUntil} > ${now}`;

const statements = perViewer(({ from, userId, isMember, isViewer, appAccess }) => {
  const fromMember = sql`FROM ${from} CROSS JOIN ${as(m)} ON ${isMember}`;
  const app = sql`(SELECT ${m.appToken} ${fromMember} WHERE ${isViewer})`;
  const subject = sql`'app ' || ${m.appToken}`;
  const entry = (action: "hide item" | "show hidden items", detail: ReturnType<typeof sql>) =>
    statement<{ id: number }>(
      sql`${insertEntry(action, { userId, subject, detail })} ${fromMember} WHERE ${isViewer} AND changes() > 0 RETURNING id`,
    );
  return {
    access: query(appAccess, sql`FROM ${from} LEFT JOIN ${as(m)} ON ${isMember} WHERE ${isViewer}`),
    list: query(
      { key: h.key, hiddenUntil: h.hiddenUntil },
      sql`${fromMember} CROSS JOIN ${as(h)} ON ${isHidden} WHERE ${isViewer}`,
    ),
    // So an app has at most MAX_HIDDEN rows.
    forget: statement<unknown>(
      sql`DELETE FROM ${hiddenAttention} WHERE ${appToken} = ${app} AND ${hiddenUntil} <= ${now}`,
    ),
    hide: statement<unknown>(
      sql`${insertInto(hiddenAttention, { appToken: m.appToken, key, hiddenUntil: sql`${now} + ${sql.raw(String(HIDDEN_DAYS * DAY_MS))}` })}
        ${fromMember} WHERE ${isViewer}
          AND (SELECT count(*) FROM ${as(h)} WHERE ${isHidden}) < ${sql.raw(String(MAX_HIDDEN))}
        ON CONFLICT DO NOTHING`,
    ),
    showAll: statement<unknown>(
      sql`DELETE FROM ${hiddenAttention} WHERE ${appToken} = ${app} AND ${hiddenUntil} > ${now}`,
    ),
    // Each follows its change in a batch.
    auditHide: entry("hide item", sql`json_object('item', ${key})`),
    auditShow: entry("show hidden items", sql`json_object()`),
  };
});

/** Reads what is hidden now, for a batch of the viewer. */
export const findHidden = (db: D1Database, viewer: Viewer, appToken: string) =>
  statements(viewer).list(db, { ...viewer, appToken });

/** Hides an item for HIDDEN_DAYS. `isFull`: the app hides MAX_HIDDEN items already. Hiding it again changes nothing. */
export async function hideItem(
  db: D1Database,
  viewer: Viewer,
  appToken: string,
  key: string,
): Promise<{ access: AppAccess | undefined; isFull: boolean }> {
  const { access, list, forget, hide, auditHide } = statements(viewer);
  const values = { ...viewer, appToken, key };
  const [[found], hidden] = await runBatch(
    db,
    access(db, values),
    list(db, values),
    forget(db, values),
    hide(db, values),
    auditHide(db, values),
  );
  return { access: found, isFull: hidden.length >= MAX_HIDDEN && !hidden.some((one) => one.key === key) };
}

/** Shows all hidden items of an app again. */
export async function showHidden(
  db: D1Database,
  viewer: Viewer,
  appToken: string,
): Promise<AppAccess | undefined> {
  const { access, showAll, auditShow } = statements(viewer);
  const values = { ...viewer, appToken };
  const [[found]] = await runBatch(db, access(db, values), showAll(db, values), auditShow(db, values));
  return found;
}
