/** Saved views of the Performance page: those of a user, and those that the members of an app share. */
import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core/alias";
import { type AppAccess, m, perViewer, type Viewer } from "./accounts/viewers.ts";
import { insertEntry } from "./audit.ts";
import { as, insertInto, query, type RowOf } from "./query.ts";
import { views } from "./schema.ts";
import { runBatch, statement } from "./statement.ts";

/** A user's own views in an app, and the shared ones of an app. */
export const MAX_VIEWS = 20;

const v = alias(views, "v");
const viewFields = {
  id: v.id,
  name: v.name,
  query: v.query,
  isShared: sql<number>`${v.userId} IS NULL`,
};
export type View = RowOf<typeof viewFields>;

const p = (name: string) => sql`${sql.placeholder(name)}`;

const statements = perViewer(({ from, userId, isMember, isViewer, appAccess }) => {
  const fromMember = sql`FROM ${from} CROSS JOIN ${as(m)} ON ${isMember}`;
  const owner = sql`iif(${p("isShared")}, NULL, ${userId})`;
  const isOfOwner = sql`${v.appToken} = ${m.appToken} AND ${v.userId} IS ${owner}`;
  const isSeen = sql`${v.appToken} = ${m.appToken} AND (${v.userId} IS NULL OR ${v.userId} = ${userId})`;
  const detail = (name: typeof v.name | ReturnType<typeof p>, isShared: ReturnType<typeof p>) =>
    sql`json_object('name', ${name}, 'shared', json(iif(${isShared}, 'true', 'false')))`;
  const subject = sql`'app ' || ${m.appToken}`;
  return {
    access: query(appAccess, sql`FROM ${from} LEFT JOIN ${as(m)} ON ${isMember} WHERE ${isViewer}`),
    list: query(
      viewFields,
      sql`${fromMember} CROSS JOIN ${as(v)} ON ${isSeen} WHERE ${isViewer} ORDER BY ${v.userId} IS NULL, ${v.name}, ${v.id}`,
    ),
    insert: statement<unknown>(
      sql`${insertInto(views, { appToken: m.appToken, userId: owner, name: p("name"), query: p("query") })}
        ${fromMember} WHERE ${isViewer}
          AND (SELECT count(*) FROM ${as(v)} WHERE ${isOfOwner}) < ${sql.raw(String(MAX_VIEWS))}
          AND NOT EXISTS (SELECT 1 FROM ${as(v)} WHERE ${isOfOwner} AND ${v.name} = ${p("name")})`,
    ),
    // Follows the insert in its batch, so changes() is the number of new rows.
    auditInsert: statement<{ id: number }>(
      sql`${insertEntry("save view", { userId, subject, detail: detail(p("name"), p("isShared")) })}
        ${fromMember} WHERE ${isViewer} AND changes() > 0 RETURNING id`,
    ),
    auditDelete: statement<{ id: number }>(
      sql`${insertEntry("delete view", { userId, subject, detail: detail(v.name, sql`${v.userId} IS NULL`) })}
        ${fromMember} CROSS JOIN ${as(v)} ON ${v.id} = ${p("id")} AND ${isSeen} WHERE ${isViewer} RETURNING id`,
    ),
  };
});
// Follows its entry, which is written only if the viewer may delete the view.
const remove = statement<unknown>(
  sql`DELETE FROM ${views} WHERE changes() > 0 AND ${sql.identifier("id")} = ${p("id")}`,
);

/** Reads the views that a member sees, their own first. For a batch of the viewer. */
export const findViews = (db: D1Database, viewer: Viewer, appToken: string) =>
  statements(viewer).list(db, { ...viewer, appToken });

interface NewView {
  name: string;
  query: string;
  isShared: boolean;
  /** In milliseconds since 1970. */
  now: number;
}

/** Saves a view, unless the owner has one with this name or MAX_VIEWS. Returns the views that there were. */
export async function saveView(
  db: D1Database,
  viewer: Viewer,
  appToken: string,
  { name, query, isShared, now }: NewView,
): Promise<{ access: AppAccess | undefined; isSaved: boolean; before: View[] }> {
  const { access, list, insert, auditInsert } = statements(viewer);
  const values = { ...viewer, appToken, name, query, isShared: isShared ? 1 : 0, now };
  const [[found], before, , saved] = await runBatch(
    db,
    access(db, values),
    list(db, values),
    insert(db, values),
    auditInsert(db, values),
  );
  return { access: found, isSaved: saved.length > 0, before };
}

/** Deletes a view of the user or a shared one. Returns whether there was one. */
export async function deleteView(
  db: D1Database,
  viewer: Viewer,
  appToken: string,
  { id, now }: { id: number; now: number },
): Promise<{ access: AppAccess | undefined; isDeleted: boolean }> {
  const { access, auditDelete } = statements(viewer);
  const values = { ...viewer, appToken, id, now };
  const [[found], deleted] = await runBatch(
    db,
    access(db, values),
    auditDelete(db, values),
    remove(db, { id }),
  );
  return { access: found, isDeleted: deleted.length > 0 };
}
