/** Reads all links of an app, each once, for a search by words: what matches can be anywhere in the names above a link. */

import { sql } from "drizzle-orm";
import { type AppAccess, membership as m, perViewer, type Viewer } from "../accounts/viewers.ts";
import { alias, as, limitTo, query, type RowOf } from "../query.ts";
import { links } from "../schema.ts";
import { runBatch } from "../statement.ts";
import { linkFields } from "./lists.ts";
import { type Partners, runWithPartners } from "./partner-catalog.ts";

/** A search reads the links that were created first, up to this number. */
export const MAX_SEARCHED = 20_000;

const l = alias(links, "l");
const fields = { ...linkFields, parentId: l.parentId, createdAt: l.createdAt, roundId: l.roundId };
export type AppLink = RowOf<typeof fields>;

const allLinks = perViewer(({ from, isMember, isViewer }) =>
  query(
    fields,
    sql`FROM ${from} CROSS JOIN ${as(m)} ON ${isMember}
      CROSS JOIN ${as(l)} INDEXED BY links_by_parent ON ${l.appToken} = ${m.appToken} WHERE ${isViewer} ${limitTo("limit")}`,
  ),
);
const access = perViewer(({ appAccess, from, isMember, isViewer }) =>
  query(appAccess, sql`FROM ${from} LEFT JOIN ${as(m)} ON ${isMember} WHERE ${isViewer}`),
);

/** `links` has one more than MAX_SEARCHED if the app has more. `access` is undefined if the viewer's session or token has ended. */
export async function readAllLinks(
  db: D1Database,
  viewer: Viewer,
  appToken: string,
): Promise<{ access: AppAccess | undefined; links: AppLink[]; partners: Partners }> {
  const values = { ...viewer, appToken };
  const [partners, [found], rows] = await runWithPartners(
    runBatch,
    db,
    viewer,
    access(viewer)(db, values),
    allLinks(viewer)(db, { ...values, limit: MAX_SEARCHED + 1 }),
  );
  return { access: found, links: rows, partners };
}
