/** Reads links. */
import { sql } from "drizzle-orm";
import { type AppAccess, membership as m, perViewer } from "../accounts/viewers.ts";
import type { Range } from "../keyset.ts";
import { alias, as, optional, query, type RowOf } from "../query.ts";
import { apps, droppedParameters, links } from "../schema.ts";
import { runBatch, runGrouped } from "../statement.ts";
import {
  type AppScope,
  type LinkFilter,
  type LinkRow,
  type LinkScope,
  link as l,
  linkFields,
  listStatements,
  toTotal,
} from "./lists.ts";
import { runWithPartners } from "./partner-catalog.ts";

export const [l1, l2, l3] = [alias(links, "l1"), alias(links, "l2"), alias(links, "l3")];

/**
 * The values that the link `l` inherits from its ancestors. Null at level 1 and when no ancestor sets them. Joining at most
 * three rows here means that a rename updates one row only.
 */
export const inheritedFields = {
  inheritedName: sql<
    string | null
  >`coalesce(${l3.label} || '::', '') || coalesce(${l2.label} || '::', '') || ${l1.label}`,
  inheritedPartner: sql<number | null>`coalesce(${l1.partnerId}, ${l2.partnerId}, ${l3.partnerId})`,
  inheritedSwitch: sql<number | null>`coalesce(${l1.costSwitch}, ${l2.costSwitch}, ${l3.costSwitch})`,
  inheritedTarget: sql<string | null>`coalesce(${l1.target}, ${l2.target}, ${l3.target})`,
};
export type Inherited = RowOf<typeof inheritedFields>;
export const ancestors = sql`
  LEFT JOIN ${as(l1)} ON ${l1.id} = ${l.parentId}
  LEFT JOIN ${as(l2)} ON ${l2.id} = ${l1.parentId}
  LEFT JOIN ${as(l3)} ON ${l3.id} = ${l2.parentId}
`;

/** Of a link and its ancestors: it was created to test a partner, and nobody has turned on cost data for it since. */
export const isTest = sql<number>`(coalesce(${l.roundId}, ${l1.roundId}, ${l2.roundId}, ${l3.roundId}) IS NOT NULL
  AND NOT coalesce(${l.costSwitch}, ${l1.costSwitch}, ${l2.costSwitch}, ${l3.costSwitch}, 0))`;

const linkToken = sql.placeholder("linkToken");
const a = alias(apps, "a");

const linkCount = perViewer(({ appAccess, from, isMember, isViewer }) =>
  query(
    { ...appAccess, ...optional({ linkCount: a.linkCount }) },
    sql`FROM ${from}
      LEFT JOIN ${as(m)} ON ${isMember}
      LEFT JOIN ${as(a)} ON ${a.token} = ${m.appToken}
      WHERE ${isViewer}`,
  ),
);

/** The access to an app and a link of it, as null columns where there is none. */
const linkAccess = perViewer(({ appAccess, from, isMember, isViewer }) =>
  query(
    { ...appAccess, ...optional(linkFields), ...inheritedFields },
    sql`FROM ${from}
      LEFT JOIN ${as(m)} ON ${isMember}
      LEFT JOIN ${as(l)} ON ${l.token} = ${linkToken} AND ${l.appToken} = ${m.appToken}
      ${ancestors}
      WHERE ${isViewer}`,
  ),
);
type LinkAccess = AppAccess & Inherited & { [K in keyof LinkRow]: LinkRow[K] | null };

/** Separates the access to the app from the link, which is undefined if the app does not have it. */
function splitAccess(row: LinkAccess | undefined) {
  const link = row && row.id !== null ? (row as LinkAccess & LinkRow) : undefined;
  return { access: row, link };
}

/** Reads one page of an app's level-1 links, in creation order, and their total number. */
export async function listLevelOne(db: D1Database, scope: AppScope, filter: LinkFilter, range: Range) {
  const list = { ...scope, linkToken: null };
  const [partners, [access], rows, counted] = await runWithPartners(
    runGrouped(range.limit),
    db,
    scope,
    linkCount(scope)(db, scope),
    ...listStatements(db, list, filter, range),
  );
  return { access, rows, total: toTotal(filter, access?.linkCount ?? 0, counted), partners };
}

/** Reads one page of a link's direct sub-links. `link` is undefined if the app does not have it. */
export async function listChildren(db: D1Database, scope: LinkScope, filter: LinkFilter, range: Range) {
  const [partners, [found], rows, counted] = await runWithPartners(
    runGrouped(range.limit),
    db,
    scope,
    linkAccess(scope)(db, scope),
    ...listStatements(db, scope, filter, range),
  );
  const { access, link } = splitAccess(found);
  return { access, link, rows, total: toTotal(filter, link?.childCount ?? 0, counted), partners };
}

/** Reads one link; `link` is undefined if the app has none with this token. */
export async function findLink(db: D1Database, scope: LinkScope) {
  const [partners, [found]] = await runWithPartners(runGrouped(), db, scope, linkAccess(scope)(db, scope));
  return { ...splitAccess(found), partners };
}

const d = alias(droppedParameters, "d");
export const dropped = perViewer(({ from, isMember, isViewer }) =>
  query(
    { day: d.day, param: d.param, reason: d.reason, count: d.count },
    sql`FROM ${from} CROSS JOIN ${as(m)} ON ${isMember}
      CROSS JOIN ${as(l)} ON ${l.token} = ${linkToken} AND ${l.appToken} = ${m.appToken}
      CROSS JOIN ${as(d)} ON ${d.linkId} = ${l.id} AND ${d.day} >= ${sql.placeholder("firstDay")}
      WHERE ${isViewer}
      ORDER BY ${d.day} DESC, ${d.param}, ${d.reason}`,
  ),
);

/** Lists the invalid parameters of a link's URLs since a day (days since 1970 in UTC). `link` is undefined if there is none. */
export async function listDropped(db: D1Database, scope: LinkScope, firstDay: number) {
  const [[found], rows] = await runBatch(
    db,
    linkAccess(scope)(db, scope),
    dropped(scope)(db, { ...scope, firstDay }),
  );
  return { ...splitAccess(found), rows };
}

const idOfToken = query({ id: l.id }, sql`FROM ${as(l)} WHERE ${l.token} = ${linkToken}`);

/** The ID of a link of any app, for operators. */
export async function findLinkId(db: D1Database, token: string): Promise<number | undefined> {
  const [[row]] = await runBatch(db, idOfToken(db, { linkToken: token }));
  return row?.id;
}
