/** Lists the apps of a user that are not archived. */
import { sql } from "drizzle-orm";
import { keysetQuery, type Range } from "../keyset.ts";
import { alias, as, query } from "../query.ts";
import { apps } from "../schema.ts";
import { runGrouped } from "../statement.ts";
import { membership as m, perViewer, type Viewer } from "./viewers.ts";

const a = alias(apps, "a");

const isListed = sql`${a.token} = ${m.appToken} AND ${a.archivedAt} IS NULL`;
const statements = perViewer(({ from, userId, isOwn, isViewer }) => ({
  header: query(
    {
      userId,
      appCount: sql<number>`(SELECT count(*) FROM ${as(m)} CROSS JOIN ${as(a)} ON ${isListed} WHERE ${isOwn})`,
    },
    sql`FROM ${from} WHERE ${isViewer}`,
  ),
  page: keysetQuery(
    { id: a.id, token: a.token, name: a.name, linkCount: a.linkCount, createdAt: a.createdAt },
    sql`FROM ${from} CROSS JOIN ${as(m)} ON ${isOwn}
      CROSS JOIN ${as(a)} ON ${isListed} WHERE ${isViewer}`,
  ),
}));

/** Reads one page of the caller's apps in creation order, with one extra row when there are more. Reads each of the user's apps. */
export async function listOwnApps(db: D1Database, viewer: Viewer, range: Range) {
  const { header, page } = statements(viewer);
  const [[access], rows] = await runGrouped(range.limit)(db, header(db, viewer), page(db, range, viewer));
  return { access, rows };
}
