/** Finds where links lead. Clicks are public, so there is no token; who changes a link or an app has been checked. */
import { type SQL, sql } from "drizzle-orm";
import { type Destination, toIds } from "../../domain/engagements/click-target.ts";
import { alias, as, pick, query, type RowOf } from "../query.ts";
import { apps, links } from "../schema.ts";
import { runBatch, runGroupedIdempotent } from "../statement.ts";

const l = alias(links, "l");
const a = alias(apps, "a");
const t = alias(links, "t");
const [p1, p2] = [alias(links, "p1"), alias(links, "p2")];

const ofApp = sql`INDEXED BY links_with_target WHERE ${t.appToken} = ${a.token} AND ${t.target} IS NOT NULL`;
export const appFields = pick(a, "defaultUrl", "iosUrl", "androidUrl", "redirectHosts", "redirectSchemes");
export const destinationFields = {
  ...appFields,
  targets: sql<string>`(SELECT json_group_object(${t.id}, ${t.target}) FROM ${as(t)} ${ofApp})`,
};

/** The IDs of a link and of the links above it, upwards, with points between them. They never change. */
const idsFrom = (id: SQL, parentId: SQL) => sql<string>`${id} || coalesce('.' || ${parentId} || coalesce((
  SELECT '.' || ${p1.parentId} || coalesce((SELECT '.' || ${p2.parentId} FROM ${as(p2)} WHERE ${p2.id} = ${p1.parentId}), '')
  FROM ${as(p1)} WHERE ${p1.id} = ${parentId}), ''), '')`;
/** For the RETURNING of a statement that inserts links. */
export const idsOfInserted = idsFrom(sql`${links.id}`, sql`${links.parentId}`);

const ofLink = query(
  { appToken: l.appToken, ids: idsFrom(sql`${l.id}`, sql`${l.parentId}`), ...destinationFields },
  sql`FROM ${as(l)} JOIN ${as(a)} ON ${a.token} = ${l.appToken} WHERE ${l.token} = ${sql.placeholder("linkToken")}`,
);

/** A link as clicks know it. */
export interface ClickedLink {
  appToken: string;
  /** Its own and those of the links above it, upwards. */
  ids: number[];
}

/** Returns undefined if no link has this token. */
export async function findDestination(
  db: D1Database,
  linkToken: string,
): Promise<{ link: ClickedLink; destination: Destination } | undefined> {
  const [[row]] = await runGroupedIdempotent()(db, ofLink(db, { linkToken }));
  return row && { link: { appToken: row.appToken, ids: toIds(row.ids) }, destination: toDestination(row) };
}

const destinationOfApp = query(
  destinationFields,
  sql`FROM ${as(a)} WHERE ${a.token} = ${sql.placeholder("appToken")}`,
);

/** Where the links of an app lead. The caller was checked. Undefined if there is no such app. */
export async function readDestination(db: D1Database, appToken: string): Promise<Destination | undefined> {
  const [[row]] = await runBatch(db, destinationOfApp(db, { appToken }));
  return row && toDestination(row);
}

export function toDestination(app: RowOf<typeof appFields> & { targets?: string }): Destination {
  const { defaultUrl, iosUrl, androidUrl, redirectHosts, redirectSchemes, targets = "{}" } = app;
  return {
    defaultUrl,
    iosUrl,
    androidUrl,
    redirectHosts: JSON.parse(redirectHosts),
    redirectSchemes: JSON.parse(redirectSchemes),
    targets: JSON.parse(targets),
  };
}
