/** Reads and updates links. Every statement joins the API token's row first, so an unknown token finds no links. */
import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { appAccess, isCaller, isMember, m, t } from "../accounts/api-tokens.ts";
import type { Range } from "../keyset.ts";
import { as, names, optional, query, type RowOf, returning } from "../query.ts";
import { apps, droppedParameters, links, partners } from "../schema.ts";
import { runBatch, runIdempotent } from "../statement.ts";
import {
  countStatement,
  type LinkFilter,
  type LinkRow,
  l,
  linkFields,
  pageStatement,
  toTotal,
} from "./lists.ts";
import { catalogStatement } from "./partner-catalog.ts";

const [l1, l2, l3] = [alias(links, "l1"), alias(links, "l2"), alias(links, "l3")];

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
};
export type Inherited = RowOf<typeof inheritedFields>;
export const ancestors = sql`
  LEFT JOIN ${as(l1)} ON ${l1.id} = ${l.parentId}
  LEFT JOIN ${as(l2)} ON ${l2.id} = ${l1.parentId}
  LEFT JOIN ${as(l3)} ON ${l3.id} = ${l2.parentId}
`;

const linkToken = sql.placeholder("linkToken");
const a = alias(apps, "a");

const linkCount = query(
  { ...appAccess, ...optional({ linkCount: a.linkCount }) },
  sql`FROM ${as(t)}
    LEFT JOIN ${as(m)} ON ${isMember}
    LEFT JOIN ${as(a)} ON ${a.token} = ${m.appToken}
    WHERE ${isCaller}`,
);

/** The access to an app and a link of it, as null columns where there is none. */
const linkAccess = query(
  { ...appAccess, ...optional(linkFields), ...inheritedFields },
  sql`FROM ${as(t)}
    LEFT JOIN ${as(m)} ON ${isMember}
    LEFT JOIN ${as(l)} ON ${l.token} = ${linkToken} AND ${l.appToken} = ${m.appToken}
    ${ancestors}
    WHERE ${isCaller}`,
);
type LinkAccess = RowOf<typeof appAccess> & Inherited & { [K in keyof LinkRow]: LinkRow[K] | null };

/** Separates the access to the app from the link, which is undefined if the app does not have it. */
function splitAccess(row: LinkAccess | undefined) {
  const link = row && row.id !== null ? (row as LinkAccess & LinkRow) : undefined;
  return { access: row, link };
}

export interface AppScope {
  tokenHash: string;
  appToken: string;
}

/** Reads one page of an app's level-1 links, in creation order, and their total number. */
export async function listLevelOne(db: D1Database, scope: AppScope, filter: LinkFilter, range: Range) {
  const catalog = catalogStatement(db, scope.tokenHash);
  const [[access], rows, [counted], partnerRows] = await runBatch(
    db,
    linkCount(db, { ...scope }),
    pageStatement(db, { ...scope, linkToken: null }, filter, range),
    countStatement(db, { ...scope, linkToken: null }, filter),
    catalog.bound,
  );
  return {
    access,
    rows,
    total: toTotal(filter, access?.linkCount ?? 0, counted),
    partners: catalog.read(partnerRows).partners,
  };
}

/** Reads one page of a link's direct sub-links. `parent` is undefined if the app has no such link. */
export async function listChildren(
  db: D1Database,
  scope: AppScope,
  linkToken: string,
  filter: LinkFilter,
  range: Range,
) {
  const catalog = catalogStatement(db, scope.tokenHash);
  const [[found], rows, [counted], partnerRows] = await runBatch(
    db,
    linkAccess(db, { ...scope, linkToken }),
    pageStatement(db, { ...scope, linkToken }, filter, range),
    countStatement(db, { ...scope, linkToken }, filter),
    catalog.bound,
  );
  const { access, link: parent } = splitAccess(found);
  return {
    access,
    parent,
    rows,
    total: toTotal(filter, parent?.childCount ?? 0, counted),
    partners: catalog.read(partnerRows).partners,
  };
}

/** Reads one link; `link` is undefined if the app has none with this token. */
export async function findLink(db: D1Database, scope: AppScope, linkToken: string) {
  const catalog = catalogStatement(db, scope.tokenHash);
  const [[found], partnerRows] = await runBatch(db, linkAccess(db, { ...scope, linkToken }), catalog.bound);
  return { ...splitAccess(found), partners: catalog.read(partnerRows).partners };
}

const d = alias(droppedParameters, "d");
const dropped = query(
  { day: d.day, param: d.param, count: d.count },
  sql`FROM ${as(t)} CROSS JOIN ${as(m)} ON ${isMember}
    CROSS JOIN ${as(l)} ON ${l.token} = ${linkToken} AND ${l.appToken} = ${m.appToken}
    CROSS JOIN ${as(d)} ON ${d.linkId} = ${l.id} AND ${d.day} >= ${sql.placeholder("firstDay")}
    WHERE ${isCaller}
    ORDER BY ${d.day} DESC, ${d.param}`,
);

/** Lists the invalid parameters of a link's URLs since a day (days since 1970 in UTC). `link` is undefined if there is none. */
export async function listDropped(db: D1Database, scope: AppScope, linkToken: string, firstDay: number) {
  const values = { ...scope, linkToken, firstDay };
  const [[found], rows] = await runBatch(db, linkAccess(db, values), dropped(db, values));
  return { ...splitAccess(found), rows };
}

const update = returning(
  sql`UPDATE ${links} SET
      ${names(links.label)} = coalesce(${sql.placeholder("label")}, ${links.label}),
      ${names(links.archived)} = coalesce(${sql.placeholder("archived")}, ${links.archived}),
      ${names(links.partnerId)} = iif(${sql.placeholder("setPartner")}, ${sql.placeholder("partnerId")}, ${links.partnerId}),
      ${names(links.costSwitch)} = coalesce(${sql.placeholder("costSwitch")}, ${links.costSwitch})
    WHERE ${links.token} = ${linkToken} AND ${links.appToken} = (
      SELECT ${m.appToken} FROM ${as(t)} JOIN ${as(m)} ON ${isMember} WHERE ${isCaller}
    )`,
  {
    id: links.id,
    token: links.token,
    level: links.level,
    label: links.label,
    archived: links.archived,
    partnerId: links.partnerId,
    costSwitch: links.costSwitch,
    childCount: links.childCount,
  },
);

/** The values to set on a link. An undefined value is not changed. */
export interface LinkChange {
  label?: string | undefined;
  archived?: boolean | undefined;
  partnerId?: number | null | undefined;
  costSwitch?: boolean | undefined;
}

/** Returns the updated link; undefined if the caller no longer has such a link. */
export async function updateLink(
  db: D1Database,
  scope: AppScope,
  linkToken: string,
  change: LinkChange,
): Promise<LinkRow | undefined> {
  const bound = update(db, {
    ...scope,
    linkToken,
    label: change.label ?? null,
    archived: toFlag(change.archived),
    setPartner: Number(change.partnerId !== undefined),
    partnerId: change.partnerId ?? null,
    costSwitch: toFlag(change.costSwitch),
  });
  const [[updated]] = await runBatch(db, bound);
  return updated;
}

function toFlag(value: boolean | undefined): number | null {
  return value === undefined ? null : Number(value);
}

const p = alias(partners, "p");
const recording = query(
  {
    linkId: l.id,
    appToken: l.appToken,
    ...optional({ partnerId: p.id }),
    eligible: sql<number>`coalesce(${l.costSwitch}, ${inheritedFields.inheritedSwitch}, 0) AND ${p.supportsCostData}`,
  },
  sql`FROM ${as(l)} ${ancestors}
    LEFT JOIN ${as(p)} ON ${p.id} = coalesce(${l.partnerId}, ${inheritedFields.inheritedPartner})
    WHERE ${l.token} = ${linkToken}`,
);

/**
 * Finds the partner and the cost switch in effect for an engagement. The caller is public, so there is no token. Reads D1,
 * because a cache may be a minute old and this decides about money. Returns undefined if no link has this token.
 */
export async function findRecording(db: D1Database, token: string) {
  const [[row]] = await runIdempotent(db, recording(db, { linkToken: token }));
  return row;
}
