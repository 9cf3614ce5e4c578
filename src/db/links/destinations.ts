/** Finds the destination of a link and counts invalid parameters on its URLs. The callers are public, so there is no token. */
import { sql } from "drizzle-orm";
import type { Destination } from "../../domain/click-target.ts";
import { runBatch, runIdempotent, statement } from "../statement.ts";

interface DestinationRow {
  app_token: string;
  default_url: string;
  ios_url: string | null;
  android_url: string | null;
  redirect_hosts: string;
  redirect_schemes: string;
}

const destination = statement<DestinationRow>(sql`
  SELECT l.app_token, a.default_url, a.ios_url, a.android_url, a.redirect_hosts, a.redirect_schemes
  FROM links l JOIN apps a ON a.token = l.app_token
  WHERE l.token = ${sql.placeholder("linkToken")}
`);

/** Returns undefined if no link has this token. */
export async function findDestination(
  db: D1Database,
  linkToken: string,
): Promise<{ appToken: string; destination: Destination } | undefined> {
  const [[row]] = await runIdempotent(db, destination(db, { linkToken }));
  if (!row) return undefined;
  return {
    appToken: row.app_token,
    destination: {
      defaultUrl: row.default_url,
      iosUrl: row.ios_url,
      androidUrl: row.android_url,
      redirectHosts: JSON.parse(row.redirect_hosts),
      redirectSchemes: JSON.parse(row.redirect_schemes),
    },
  };
}

const dropped = statement(sql`
  INSERT INTO dropped_parameters (link_id, day, param, count)
  SELECT ${sql.placeholder("linkId")}, ${sql.placeholder("day")}, value, 1 FROM json_each(${sql.placeholder("params")})
  WHERE true
  ON CONFLICT DO UPDATE SET count = count + 1
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
