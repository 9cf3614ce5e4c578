/** Lists the apps of the user behind an API token. */
import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core/alias";
import { keysetQuery, type Range } from "../keyset.ts";
import { as, query } from "../query.ts";
import { apps } from "../schema.ts";
import { runBatch } from "../statement.ts";
import { isCaller, m, t } from "./api-tokens.ts";

const a = alias(apps, "a");

const header = query(
  {
    userId: t.userId,
    appCount: sql<number>`(SELECT count(*) FROM ${as(m)} WHERE ${m.userId} = ${t.userId})`,
  },
  sql`FROM ${as(t)} WHERE ${isCaller}`,
);

const page = keysetQuery(
  { id: a.id, token: a.token, name: a.name, linkCount: a.linkCount, createdAt: a.createdAt },
  sql`FROM ${as(t)} CROSS JOIN ${as(m)} ON ${m.userId} = ${t.userId} CROSS JOIN ${as(a)} ON ${a.token} = ${m.appToken}
    WHERE ${isCaller}`,
);

/** Reads one page of the caller's apps in creation order, with one extra row when there are more. Reads each of the user's apps. */
export async function listOwnApps(db: D1Database, tokenHash: string, range: Range) {
  const values = { tokenHash };
  const [[access], rows] = await runBatch(db, header(db, values), page(db, range, values));
  return { access, rows };
}
