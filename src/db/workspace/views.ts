/**
 * Saved views of the Performance page: those of a user, and those that the members of an app share. The page has checked who asks.
 */
import { sql } from "drizzle-orm";
import { type Actor, auditChange } from "../audit.ts";
import { alias, as, insertInto, names, pick, query, type RowOf, returning } from "../query.ts";
import { views } from "../schema.ts";
import { runBatch } from "../statement.ts";

/** A user's own views in an app, and the shared ones of an app. */
export const MAX_VIEWS = 20;

const v = alias(views, "v");
const viewFields = { ...pick(v, "id", "name", "query"), isShared: sql<number>`${v.userId} IS NULL` };
export type View = RowOf<typeof viewFields>;

const p = (name: string) => sql`${sql.placeholder(name)}`;
const isSeen = sql`${v.appToken} = ${p("appToken")} AND (${v.userId} IS NULL OR ${v.userId} = ${p("userId")})`;
const isOfOwner = sql`${v.appToken} = ${p("appToken")} AND ${v.userId} IS ${p("owner")}`;

const list = query(
  viewFields,
  sql`FROM ${as(v)} WHERE ${isSeen} ORDER BY ${v.userId} IS NULL, ${v.name}, ${v.id}`,
);
const find = query(viewFields, sql`FROM ${as(v)} WHERE ${v.id} = ${p("id")} AND ${isSeen}`);
const insert = returning(
  sql`${insertInto(views, { appToken: p("appToken"), userId: p("owner"), name: p("name"), query: p("query") })}
    WHERE (SELECT count(*) FROM ${as(v)} WHERE ${isOfOwner}) < ${sql.raw(String(MAX_VIEWS))}
      AND NOT EXISTS (SELECT 1 FROM ${as(v)} WHERE ${isOfOwner} AND ${v.name} = ${p("name")})`,
  { id: views.id },
);
const replace = returning(
  sql`UPDATE ${views} SET ${names(views.query)} = ${p("query")}
    WHERE ${views.id} = (SELECT ${v.id} FROM ${as(v)} WHERE ${isOfOwner} AND ${v.name} = ${p("name")}) AND ${views.query} <> ${p("query")}`,
  { id: views.id },
);
const remove = returning(sql`DELETE FROM ${views} WHERE ${views.id} = ${p("id")}`, { id: views.id });

/** Reads the views that a member sees, their own first. For a batch. */
export const findViews = (db: D1Database, userId: number, appToken: string) => list(db, { userId, appToken });

interface NewView {
  name: string;
  query: string;
  isShared: boolean;
  /** Whether it takes the place of the owner's view with this name. */
  isReplacing: boolean;
}

/** Saves a view, unless the owner has another one with this name or MAX_VIEWS. Returns the views that there were. */
export async function saveView(
  db: D1Database,
  actor: Actor,
  appToken: string,
  { name, query, isShared, isReplacing }: NewView,
): Promise<{ isSaved: boolean; before: View[] }> {
  const { userId } = actor;
  const view = { appToken, owner: isShared ? null : userId, name, query };
  const audit = auditChange(db, actor, "save view", "app", appToken, { name, shared: isShared });
  const [before, saved] = await runBatch(db, list(db, { userId, appToken }), insert(db, view), audit);
  if (saved.length > 0 || !isReplacing) return { isSaved: saved.length > 0, before };
  const [replaced] = await runBatch(db, replace(db, view), audit);
  return { isSaved: replaced.length > 0, before };
}

/** Deletes a view of the user or a shared one. Does nothing if there is none. */
export async function deleteView(db: D1Database, actor: Actor, appToken: string, id: number): Promise<void> {
  const [[found]] = await runBatch(db, find(db, { userId: actor.userId, appToken, id }));
  if (!found) return;
  const detail = { name: found.name, shared: found.isShared === 1 };
  await runBatch(db, remove(db, { id }), auditChange(db, actor, "delete view", "app", appToken, detail));
}
