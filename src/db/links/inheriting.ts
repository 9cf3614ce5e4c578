/** Counts the links that inherit a setting from links above them. The page has checked who asks. */
import { sql } from "drizzle-orm";
import { alias, as, limitTo, query } from "../query.ts";
import { links } from "../schema.ts";
import { runBatch } from "../statement.ts";

export const INHERITED = ["partnerId", "costSwitch", "target"] as const;
type Inheritable = (typeof INHERITED)[number];

const l = alias(links, "l");
const below = alias(links, "below");

/** Down to those that have a setting of their own. A link that is below several of the others counts once. */
const countOf = (setting: Inheritable) =>
  query(
    { count: sql<number>`count(*) - json_array_length(${sql.placeholder("ids")})` },
    sql`FROM inheriting`,
    sql`WITH RECURSIVE inheriting(id) AS (
      SELECT value FROM json_each(${sql.placeholder("ids")})
      UNION
      SELECT ${below.id} FROM inheriting CROSS JOIN ${as(l)} ON ${l.id} = inheriting.id
        CROSS JOIN ${as(below)} INDEXED BY links_by_parent
          ON ${below.appToken} = ${l.appToken} AND ${below.parentId} = ${l.id} AND ${below[setting]} IS NULL
      ${limitTo("limit")}
    )`,
  );
const counts = {
  partnerId: countOf("partnerId"),
  costSwitch: countOf("costSwitch"),
  target: countOf("target"),
};

/** More are not counted. */
export const MOST_COUNTED = 10_000;

/** How many links below those with these IDs inherit the setting; at most one more than `MOST_COUNTED`. */
export async function countInheriting(db: D1Database, ids: number[], setting: Inheritable): Promise<number> {
  const limit = ids.length + MOST_COUNTED + 1;
  const [[row]] = await runBatch(db, counts[setting](db, { ids: JSON.stringify(ids), limit }));
  return row?.count ?? 0;
}
