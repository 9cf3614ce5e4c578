/** Reads and updates links. Every statement joins the API token's row first, so an unknown token finds no links. */
import { sql } from "drizzle-orm";
import type { AppAccess } from "../accounts/api-tokens.ts";
import type { Range } from "../keyset.ts";
import { runBatch, runIdempotent, statement } from "../statement.ts";
import {
  countStatement,
  type LinkFilter,
  type LinkRow,
  linkColumns,
  pageStatement,
  toTotal,
} from "./lists.ts";
import { catalogStatement } from "./partner-catalog.ts";

/** The values that a link inherits from its ancestors. Null at level 1 and when no ancestor sets them. */
export interface InheritedRow {
  inherited_name: string | null;
  inherited_partner: number | null;
  inherited_switch: number | null;
}

/** The inherited values of the link `l`. Joining at most three rows here means that a rename updates one row only. */
export const inheritedColumns = sql`
  coalesce(l3.label || '::', '') || coalesce(l2.label || '::', '') || l1.label AS inherited_name,
  coalesce(l1.partner_id, l2.partner_id, l3.partner_id) AS inherited_partner,
  coalesce(l1.cost_switch, l2.cost_switch, l3.cost_switch) AS inherited_switch
`;
export const ancestors = sql`
  LEFT JOIN links l1 ON l1.id = l.parent_id
  LEFT JOIN links l2 ON l2.id = l1.parent_id
  LEFT JOIN links l3 ON l3.id = l2.parent_id
`;

const tokenHash = sql.placeholder("tokenHash");
const appToken = sql.placeholder("appToken");
const linkToken = sql.placeholder("linkToken");

const linkCount = statement<{
  user_id: number;
  app_token: string | null;
  link_count: number | null;
}>(sql`
  SELECT t.user_id, m.app_token, a.link_count
  FROM api_tokens t
  LEFT JOIN memberships m ON m.user_id = t.user_id AND m.app_token = ${appToken}
  LEFT JOIN apps a ON a.token = m.app_token
  WHERE t.token_hash = ${tokenHash}
`);

type LinkAccess = AppAccess & {
  [Column in keyof (LinkRow & InheritedRow)]: (LinkRow & InheritedRow)[Column] | null;
};

/** The access to an app and one of its links. The columns are null if the app or the link is missing. */
const linkAccess = statement<LinkAccess>(sql`
  SELECT t.user_id, m.app_token, ${linkColumns}, ${inheritedColumns}
  FROM api_tokens t
  LEFT JOIN memberships m ON m.user_id = t.user_id AND m.app_token = ${appToken}
  LEFT JOIN links l ON l.token = ${linkToken} AND l.app_token = m.app_token
  ${ancestors}
  WHERE t.token_hash = ${tokenHash}
`);

/** Separates the access to the app from the link, which is undefined if the app does not have it. */
function splitAccess(row: LinkAccess | undefined) {
  const link = row && row.id !== null ? (row as AppAccess & LinkRow & InheritedRow) : undefined;
  return { access: row as AppAccess | undefined, link };
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
    total: toTotal(filter, access?.link_count ?? 0, counted),
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
    total: toTotal(filter, parent?.child_count ?? 0, counted),
    partners: catalog.read(partnerRows).partners,
  };
}

/** Reads one link; `link` is undefined if the app has none with this token. */
export async function findLink(db: D1Database, scope: AppScope, linkToken: string) {
  const catalog = catalogStatement(db, scope.tokenHash);
  const [[found], partnerRows] = await runBatch(db, linkAccess(db, { ...scope, linkToken }), catalog.bound);
  return { ...splitAccess(found), partners: catalog.read(partnerRows).partners };
}

const dropped = statement<{ day: number; param: string; count: number }>(sql`
  SELECT d.day, d.param, d.count
  FROM api_tokens t CROSS JOIN memberships m ON m.user_id = t.user_id AND m.app_token = ${appToken}
  CROSS JOIN links l ON l.token = ${linkToken} AND l.app_token = m.app_token
  CROSS JOIN dropped_parameters d ON d.link_id = l.id AND d.day >= ${sql.placeholder("firstDay")}
  WHERE t.token_hash = ${tokenHash}
  ORDER BY d.day DESC, d.param
`);

/** Lists the invalid parameters of a link's URLs since a day (days since 1970 in UTC). `link` is undefined if there is none. */
export async function listDropped(db: D1Database, scope: AppScope, linkToken: string, firstDay: number) {
  const values = { ...scope, linkToken, firstDay };
  const [[found], rows] = await runBatch(db, linkAccess(db, values), dropped(db, values));
  return { ...splitAccess(found), rows };
}

const update = statement<LinkRow>(sql`
  UPDATE links SET
    label = coalesce(${sql.placeholder("label")}, label),
    archived = coalesce(${sql.placeholder("archived")}, archived),
    partner_id = iif(${sql.placeholder("setPartner")}, ${sql.placeholder("partnerId")}, partner_id),
    cost_switch = coalesce(${sql.placeholder("costSwitch")}, cost_switch)
  WHERE token = ${linkToken} AND app_token = (
    SELECT m.app_token FROM api_tokens t JOIN memberships m ON m.user_id = t.user_id
    WHERE t.token_hash = ${tokenHash} AND m.app_token = ${appToken}
  )
  RETURNING id, token, level, label, archived, partner_id, cost_switch, child_count
`);

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

interface RecordingRow {
  link_id: number;
  app_token: string;
  partner_id: number | null;
  eligible: number;
}

const recording = statement<RecordingRow>(sql`
  SELECT link_id, app_token, p.id AS partner_id, coalesce(own_switch, inherited_switch, 0) AND p.supports_cost_data AS eligible
  FROM (
    SELECT l.id AS link_id, l.app_token, l.partner_id AS own_partner, l.cost_switch AS own_switch, ${inheritedColumns}
    FROM links l ${ancestors}
    WHERE l.token = ${linkToken}
  )
  LEFT JOIN partners p ON p.id = coalesce(own_partner, inherited_partner)
`);

/**
 * Finds the partner and the cost switch in effect for an engagement. The caller is public, so there is no token. Reads D1,
 * because a cache may be a minute old and this decides about money. Returns undefined if no link has this token.
 */
export async function findRecording(db: D1Database, token: string): Promise<RecordingRow | undefined> {
  const [[row]] = await runIdempotent(db, recording(db, { linkToken: token }));
  return row;
}
