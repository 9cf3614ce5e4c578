/** Finds the destination of a link. The caller is public, so there is no token. */
import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core/alias";
import type { Destination } from "../../domain/engagements/click-target.ts";
import { as, query, type RowOf } from "../query.ts";
import { apps, links } from "../schema.ts";
import { runGroupedIdempotent } from "../statement.ts";

const l = alias(links, "l");
const a = alias(apps, "a");
const destinationFields = {
  defaultUrl: a.defaultUrl,
  iosUrl: a.iosUrl,
  androidUrl: a.androidUrl,
  redirectHosts: a.redirectHosts,
  redirectSchemes: a.redirectSchemes,
};
const destination = query(
  { appToken: l.appToken, ...destinationFields },
  sql`FROM ${as(l)} JOIN ${as(a)} ON ${a.token} = ${l.appToken} WHERE ${l.token} = ${sql.placeholder("linkToken")}`,
);

/** Returns undefined if no link has this token. */
export async function findDestination(
  db: D1Database,
  linkToken: string,
): Promise<{ appToken: string; destination: Destination } | undefined> {
  const [[row]] = await runGroupedIdempotent()(db, destination(db, { linkToken }));
  return row && { appToken: row.appToken, destination: toDestination(row) };
}

export function toDestination(app: RowOf<typeof destinationFields>): Destination {
  const { defaultUrl, iosUrl, androidUrl, redirectHosts, redirectSchemes } = app;
  const lists = { redirectHosts: JSON.parse(redirectHosts), redirectSchemes: JSON.parse(redirectSchemes) };
  return { defaultUrl, iosUrl, androidUrl, ...lists };
}
