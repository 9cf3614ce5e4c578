/** Clicks and impressions whose cost ID came in another app before, so that they cannot match a cost: by link, for operators. */
import { sql } from "drizzle-orm";
import { dayOf } from "../../domain/time.ts";
import { ancestors, l1, l2, l3 } from "../links/links.ts";
import { link as l } from "../links/lists.ts";
import { alias, as, query, type RowOf } from "../query.ts";
import { apps, droppedParameters } from "../schema.ts";
import type { Bound } from "../statement.ts";

/** So many days are added up, with today. */
export const OTHER_APP_DAYS = 7;
/** So many counts of a link and day are read, and so many links returned, those with most first. */
const MOST_COUNTS = 20_000;
const MOST_LINKS = 1_000;

const d = alias(droppedParameters, "d");
const fields = {
  linkId: sql<number>`s.linkId`,
  count: sql<number>`sum(s.count)`,
  /** The first of the days. */
  since: sql<number>`min(s.day)`,
};
type OtherApp = RowOf<typeof fields>;
const ofLinks = query(
  fields,
  sql`FROM (
    SELECT ${d.linkId} AS linkId, ${d.count} AS count, ${d.day} AS day FROM ${as(d)} INDEXED BY other_app_ids
    WHERE ${d.reason} = 'other_app' AND ${d.day} >= ${sql.placeholder("from")} LIMIT ${sql.raw(String(MOST_COUNTS))}
  ) s GROUP BY 1 ORDER BY 2 DESC LIMIT ${sql.raw(String(MOST_LINKS))}`,
);

/** Those of one database. For a batch. */
export const findOtherApps = (db: D1Database, now: number): Bound<OtherApp> =>
  ofLinks(db, { from: dayOf(now) - OTHER_APP_DAYS + 1 });

const a = alias(apps, "a");
const owner = {
  linkId: l.id,
  appToken: l.appToken,
  appName: a.name,
  partnerId: sql<number | null>`coalesce(${l.partnerId}, ${l1.partnerId}, ${l2.partnerId}, ${l3.partnerId})`,
};
export type LinkOwner = RowOf<typeof owner>;
/** The app and the partner in effect of links. */
export const linkOwners = query(
  owner,
  sql`FROM json_each(${sql.placeholder("ids")}) j CROSS JOIN ${as(l)} ON ${l.id} = j.value ${ancestors}
    CROSS JOIN ${as(a)} ON ${a.token} = ${l.appToken}`,
);
