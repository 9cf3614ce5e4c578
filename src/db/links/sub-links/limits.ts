/**
 * The networks and apps in which engagements created nearly as many links as they can, for "Needs attention". The counts are kept by
 * triggers (`places` in rules.sql).
 */
import { type AnyColumn, type SQL, sql } from "drizzle-orm";
import { MAX_FROM_ENGAGEMENTS, NETWORKS_OF_NEW_SUB_LINKS } from "../../../domain/engagements/sub-links.ts";
import { dayOf } from "../../../domain/time.ts";
import { membership as m, perViewer, type Viewer } from "../../accounts/viewers.ts";
import { alias, as, query, type RowOf } from "../../query.ts";
import { apps } from "../../schema.ts";
import { link as l } from "../lists.ts";

/** So many networks of an app are read, the oldest first: no index has their counts. */
const MOST_NETWORKS = 500;

const a = alias(apps, "a");
const newLinksOf = ({ newSubLinkDay, newSubLinkCount }: typeof a | typeof l) =>
  sql<number>`iif(${newSubLinkDay} >= ${sql.placeholder("today")}, ${newSubLinkCount}, 0)`;
/** At least 80% of what is possible. */
const isNear = (count: AnyColumn | SQL, most: AnyColumn | SQL) =>
  sql`(${most} > 0 AND 5 * ${count} >= 4 * ${most})`;

const ofNetwork = {
  id: l.id,
  token: l.token,
  label: l.label,
  /** Of today (UTC). */
  newLinks: newLinksOf(l),
  maxNewLinks: a.maxNewSubLinks,
  /** Those that are not archived. */
  links: l.fromEngagementCount,
};
const ofApp = {
  newLinks: newLinksOf(a),
  maxNewLinks: sql<number>`${a.maxNewSubLinks} * ${sql.raw(String(NETWORKS_OF_NEW_SUB_LINKS))}`,
};
/** A network that has 80% of its new links of a day, or of its links. */
export type FullNetwork = RowOf<typeof ofNetwork>;
/** An app that has 80% of its new links of a day. */
export type FullApp = RowOf<typeof ofApp>;

const most = sql.raw(String(MAX_FROM_ENGAGEMENTS));
const statements = perViewer(({ from, isMember, isViewer }) => ({
  networks: query(
    ofNetwork,
    sql`FROM (
        SELECT l.* FROM ${from} CROSS JOIN ${as(m)} ON ${isMember}
        CROSS JOIN ${as(l)} INDEXED BY links_by_parent ON ${l.appToken} = ${m.appToken} AND ${l.parentId} IS NULL
        WHERE ${isViewer} LIMIT ${sql.raw(String(MOST_NETWORKS))}
      ) l CROSS JOIN ${as(a)} ON ${a.token} = ${l.appToken}
      WHERE ${isNear(newLinksOf(l), a.maxNewSubLinks)} OR ${isNear(l.fromEngagementCount, most)}`,
  ),
  app: query(
    ofApp,
    sql`FROM ${from} CROSS JOIN ${as(m)} ON ${isMember} CROSS JOIN ${as(a)} ON ${a.token} = ${m.appToken}
      WHERE ${isViewer} AND ${isNear(ofApp.newLinks, ofApp.maxNewLinks)}`,
  ),
}));

/** Of an app, for a batch of the viewer: the networks, and the app or nothing. */
export function findFullNetworks(db: D1Database, viewer: Viewer, appToken: string, now: number) {
  const { networks, app } = statements(viewer);
  const values = { ...viewer, appToken, today: dayOf(now) };
  return { fullNetworks: networks(db, values), fullApp: app(db, values) };
}
