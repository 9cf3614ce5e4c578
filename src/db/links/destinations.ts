/** Finds the destination of a link and counts invalid parameters on its URLs. The callers are public, so there is no token. */
import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { Destination } from "../../domain/click-target.ts";
import { as, names, query, type RowOf } from "../query.ts";
import { apps, droppedParameters, links } from "../schema.ts";
import { runBatch, runIdempotent, statement } from "../statement.ts";

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
  const [[row]] = await runIdempotent(db, destination(db, { linkToken }));
  return row && { appToken: row.appToken, destination: toDestination(row) };
}

export function toDestination(app: RowOf<typeof destinationFields>): Destination {
  const { defaultUrl, iosUrl, androidUrl, redirectHosts, redirectSchemes } = app;
  const lists = { redirectHosts: JSON.parse(redirectHosts), redirectSchemes: JSON.parse(redirectSchemes) };
  return { defaultUrl, iosUrl, androidUrl, ...lists };
}

const { linkId, day, param, count } = droppedParameters;
const dropped = statement(sql`
  INSERT INTO ${droppedParameters} (${names(linkId, day, param, count)})
  SELECT ${sql.placeholder("linkId")}, ${sql.placeholder("day")}, value, 1 FROM json_each(${sql.placeholder("params")})
  WHERE true
  ON CONFLICT DO UPDATE SET ${names(count)} = ${names(count)} + 1
`);

/** Counts the invalid cost parameters of a URL. `day` counts days since 1970 in UTC. */
export async function countDropped(
  db: D1Database,
  linkId: number,
  day: number,
  params: string[],
): Promise<void> {
  await runBatch(db, dropped(db, { linkId, day, params: JSON.stringify(params) }));
}
