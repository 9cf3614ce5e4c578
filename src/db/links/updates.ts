/**
 * Reads links, and writes updates that usecases/links/updates.ts judged. A write is made only while everything that it was judged
 * by is as it was read, so that a rule of an update is stated only in TypeScript.
 */
import { sql } from "drizzle-orm";
import type { AuditAction } from "../../domain/audit-actions.ts";
import { type Gate, membership as m, perViewer } from "../accounts/viewers.ts";
import { insertEntry } from "../audit.ts";
import { alias, as, jsonValues, names, optional, query, returning } from "../query.ts";
import { auditLog, links, partners } from "../schema.ts";
import { type Bound, runGrouped, statement } from "../statement.ts";
import { ancestors, type Inherited, inheritedFields, l1, l2, l3 } from "./links.ts";
import { type AppScope, LINK_SETTINGS, type LinkRow, link as l, linkFields } from "./lists.ts";
import { runWithPartners } from "./partner-catalog.ts";

const p = alias(partners, "p");

/** One row per link. There is also a row when the app, the membership or every link is missing. */
const found = perViewer(({ appAccess, from, isMember, isViewer }) =>
  query(
    { ...appAccess, ...optional(linkFields), ...inheritedFields },
    sql`FROM ${from}
      LEFT JOIN ${as(m)} ON ${isMember}
      LEFT JOIN json_each(${sql.placeholder("linkTokens")}) j
      LEFT JOIN ${as(l)} ON ${l.token} = j.value AND ${l.appToken} = ${m.appToken}
      ${ancestors}
      WHERE ${isViewer}`,
  ),
);

/** Reads the links of an app with these tokens. */
export async function readLinks(db: D1Database, scope: AppScope, linkTokens: string[]) {
  const values = { ...scope, linkTokens: JSON.stringify(linkTokens) };
  const [catalog, rows] = await runWithPartners(
    runGrouped(linkTokens.length),
    db,
    scope,
    found(scope)(db, values),
  );
  const ofApp = rows.filter((row) => row.id !== null) as (LinkRow & Inherited)[];
  return { access: rows[0], partners: catalog, links: new Map(ofApp.map((row) => [row.token, row])) };
}

/** What an update changes of a link. */
export type LinkSettings = Pick<LinkRow, keyof typeof LINK_SETTINGS>;
export const SETTINGS = Object.keys(LINK_SETTINGS) as (keyof LinkSettings)[];

/** An update of a link that was judged. */
export interface LinkWrite {
  token: string;
  before: LinkSettings;
  after: LinkSettings;
  /** Whether the partner in effect after the update supports cost data. */
  isSupported: boolean;
  /** The detail of its entry of the audit log. */
  detail: object;
}

const sent = jsonValues("token", "isSupported", "detail");
const settingIn = (state: "before" | "after", key: keyof LinkSettings) =>
  sql.raw(`(j.value ->> '$.${state}.${key}')`);
const isAsRead = SETTINGS.map((key) => sql`${l[key]} IS ${settingIn("before", key)}`);
const toSet = SETTINGS.map((key) => sql`${names(links[key])} = ${settingIn("after", key)}`);
const writes = sql`json_each(${sql.placeholder("writes")}) j`;

/** How many of the links have what their updates were judged by: their own settings, and the support of the partner in effect. */
const asRead = sql`(
  SELECT count(*) FROM ${writes}
  CROSS JOIN ${as(l)} ON ${l.token} = ${sent.token} AND ${l.appToken} = ${sql.placeholder("appToken")}
  ${ancestors}
  LEFT JOIN ${as(p)} ON ${p.id} = coalesce(${settingIn("after", "partnerId")}, ${l1.partnerId}, ${l2.partnerId}, ${l3.partnerId})
  WHERE ${sql.join(isAsRead, sql` AND `)}
    AND coalesce(${p.supportsCostData}, 0) = ${sent.isSupported}
)`;

const log = alias(auditLog, "log");
const until = sql.placeholder("until");
/** No link has an entry after this one. Values can be the same again after others changed them, so they do not say that. */
const isUntouched = sql`(${until} IS NULL OR NOT EXISTS (
  SELECT 1 FROM ${writes} CROSS JOIN ${as(log)} INDEXED BY audit_by_subject ON ${log.subject} = 'link ' || ${sent.token} AND ${log.id} > ${until}
))`;

/** One entry for each link, or none if one of the links is not as it was read. */
const audit = perViewer(({ from, isMember, isViewer, userId }: Gate) =>
  statement<unknown>(sql`
    ${insertEntry(sql.placeholder("action"), { userId, subject: sql`'link ' || ${sent.token}`, detail: sent.detail })}
    FROM ${from} CROSS JOIN ${as(m)} ON ${isMember} CROSS JOIN ${writes}
    WHERE ${isViewer} AND ${asRead} = ${sql.placeholder("count")} AND ${isUntouched}`),
);

/** Which sub-links lose their place with the link, see rules.sql. A link that is archived already keeps it. */
const archivedThrough = sql`CASE
  WHEN NOT ${settingIn("after", "archived")} THEN NULL
  WHEN ${names(links.archived)} THEN ${names(links.archivedThrough)}
  ELSE (SELECT max(${l.id}) FROM ${as(l)})
END`;

/** Follows `audit` in its batch, which runs on one connection, so changes() is the number of entries: no link changes without one. */
const update = returning(
  sql`UPDATE ${links} SET ${sql.join(toSet, sql`, `)}, ${names(links.archivedThrough)} = ${archivedThrough},
      ${names(links.firstLabel)} = iif(${settingIn("after", "label")} <> ${names(links.label)}, ${names(links.matchName)}, ${names(links.firstLabel)})
    FROM json_each(iif(changes() > 0, ${sql.placeholder("writes")}, '[]')) j
    WHERE ${links.token} = ${sent.token}`,
  { token: links.token },
);

/** How updates are written. */
export interface Writing {
  /** In milliseconds since 1970. */
  now: number;
  /** That of the entries. Default: `update link`. */
  action?: AuditAction;
  /** Nothing is written if a link has an entry after this one. */
  until?: number;
}

/**
 * Writes all of the updates with their entries of the audit log, or nothing if access was lost or one of the links is not as it was
 * read. Returns whether they are written. `after` runs in the same transaction, after the update.
 */
export async function writeLinks(
  db: D1Database,
  scope: AppScope,
  updates: LinkWrite[],
  { now, action = "update link", until }: Writing,
  after: Bound<unknown>[] = [],
): Promise<boolean> {
  const sent = { writes: JSON.stringify(updates), count: updates.length };
  const values = { ...scope, ...sent, now, action, until: until ?? null };
  const [, written] = await runGrouped(updates.length)(
    db,
    audit(scope)(db, values),
    update(db, values),
    ...after,
  );
  return written.length > 0;
}
