/**
 * Updates one or many links in one round trip. SQL judges each link by the rules of `judgeUpdate`, in the transaction that changes
 * it and writes its entry of the audit log.
 */
import { type AnyColumn, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core/alias";
import { type AppAccess, type Gate, m, perViewer } from "../accounts/viewers.ts";
import { auditUpdate, given } from "../audit.ts";
import { type Change, setGiven, toValues } from "../changes.ts";
import { as, names, optional, query, returning } from "../query.ts";
import { auditLog, links, partners } from "../schema.ts";
import { ancestors, type Inherited, inheritedFields, l1, l2, l3 } from "./links.ts";
import { type AppScope, type LinkRow, l, linkFields } from "./lists.ts";
import { type Partners, runWithPartners } from "./partner-catalog.ts";

/** What an update asks for. An undefined value keeps the current one. */
export type LinkChange = Change<typeof links, "label" | "archived" | "partnerId" | "costSwitch">;

/** The values that a person saw before they decided on the update. The link is not changed if one of them is another now. */
export type SeenLink = Partial<Pick<LinkRow, "label" | "archived" | "partnerId" | "costSwitch">>;
/** By token. */
export type SeenLinks = Record<string, SeenLink>;

const p = alias(partners, "p");
const tokens = sql`json_each(${sql.placeholder("linkTokens")}) j`;
const partnerId = sql.placeholder("partnerId");

/** One row per link before the update. There is also a row when the app, the membership or every link is missing. */
const before = perViewer(({ appAccess, from, isMember, isViewer }) =>
  query(
    { ...appAccess, ...optional(linkFields), ...inheritedFields },
    sql`FROM ${from}
      LEFT JOIN ${as(m)} ON ${isMember}
      LEFT JOIN ${tokens}
      LEFT JOIN ${as(l)} ON ${l.token} = j.value AND ${l.appToken} = ${m.appToken}
      ${ancestors}
      WHERE ${isViewer}`,
  ),
);

const costSwitch = sql.placeholder("costSwitch");
const newPartnerId = given("partnerId", l.partnerId);
/** Whether the partner in effect after the update supports cost data. Inherited partners are read only for a link that gets cost data. */
const isSupported = sql`coalesce(${p.supportsCostData}, 0)`;
const inherited = sql`
  LEFT JOIN ${as(l1)} ON ${costSwitch} = 1 AND ${newPartnerId} IS NULL AND ${l1.id} = ${l.parentId}
  LEFT JOIN ${as(l2)} ON ${l2.id} = ${l1.parentId}
  LEFT JOIN ${as(l3)} ON ${l3.id} = ${l2.parentId}
  LEFT JOIN ${as(p)} ON ${p.id} = coalesce(${newPartnerId}, ${l1.partnerId}, ${l2.partnerId}, ${l3.partnerId})`;

/**
 * Detaching the link's own partner, or attaching one without support, switches cost data off. `supported`: whether the given partner
 * has it.
 */
const switchTo = (current: AnyColumn | SQL, own: AnyColumn | SQL, supported: SQL) =>
  given(
    "costSwitch",
    sql`iif(${sql.placeholder("isGiven.partnerId")} AND iif(${partnerId} IS NULL, ${own} IS NOT NULL, NOT ${supported}), 0, ${current})`,
  );
const givenSupport = sql`coalesce((SELECT ${p.supportsCostData} FROM ${as(p)} WHERE ${p.id} = ${partnerId}), 0)`;

const after = {
  label: given("label", l.label),
  archived: given("archived", l.archived),
  partnerId: newPartnerId,
  costSwitch: switchTo(l.costSwitch, l.partnerId, isSupported),
};

/** `seen` is SeenLinks as JSON. A value that it does not have was not seen. */
const isSeen = (key: keyof SeenLink) => {
  const path = sql`'$."' || ${l.token} || ${sql.raw(`'".${key}'`)}`;
  const seen = sql.placeholder("seen");
  return sql`(json_type(${seen}, ${path}) IS NULL OR ${seen} ->> (${path}) IS ${l[key]})`;
};

const audit = perViewer(({ from, isMember, isViewer, userId }: Gate) => {
  /** The links of the request whose update is accepted. */
  const accepted = sql`FROM ${from} CROSS JOIN ${as(m)} ON ${isMember} CROSS JOIN ${tokens}
    CROSS JOIN ${as(l)} ON ${l.token} = j.value AND ${l.appToken} = ${m.appToken}
    ${inherited}
    WHERE ${isViewer} AND (${partnerId} IS NULL OR ${p.id} IS NOT NULL) AND (NOT coalesce(${costSwitch}, 0) OR ${isSupported})
      AND ${isSeen("label")} AND ${isSeen("archived")} AND ${isSeen("partnerId")} AND ${isSeen("costSwitch")}`;
  return auditUpdate({
    action: "update link",
    subject: sql`'link ' || ${l.token}`,
    by: userId,
    row: accepted,
    fields: {
      name: { column: links.label, from: l.label, to: after.label },
      archived: { column: links.archived, from: l.archived, to: after.archived },
      partner_id: { column: links.partnerId, from: l.partnerId, to: after.partnerId },
      cost_data_enabled: { column: links.costSwitch, from: l.costSwitch, to: after.costSwitch },
    },
  });
});

const e = alias(auditLog, "e");
/**
 * Changes exactly the links of the entries that the statement before it has added, so no link changes without its entry. A batch
 * runs on one connection, so changes() and last_insert_rowid() are those of that statement.
 */
const update = returning(
  sql`UPDATE ${links} SET ${setGiven(links, "label", "archived", "partnerId")},
      ${names(links.costSwitch)} = ${switchTo(names(links.costSwitch), names(links.partnerId), givenSupport)},
      ${names(links.firstLabel)} = iif(${sql.placeholder("isGiven.label")} AND ${sql.placeholder("label")} <> ${names(links.label)},
        ${names(links.matchName)}, ${names(links.firstLabel)})
    FROM json_each(iif(changes() > 0, ${sql.placeholder("linkTokens")}, '[]')) j
    CROSS JOIN ${as(e)} ON ${e.subject} = 'link ' || j.value AND ${e.id} > last_insert_rowid() - changes() AND ${e.id} <= last_insert_rowid()
    WHERE ${links.token} = j.value`,
  { token: links.token },
);

/** Reads the links of an app with these tokens. */
export async function readLinks(db: D1Database, scope: AppScope, linkTokens: string[]) {
  const values = { ...scope, linkTokens: JSON.stringify(linkTokens) };
  const [catalog, rows] = await runWithPartners(db, scope, before(scope)(db, values));
  return { access: rows[0], partners: catalog, links: byToken(rows) };
}

function byToken(rows: { id: number | null }[]): Map<string, LinkRow & Inherited> {
  const found = rows.filter((row) => row.id !== null) as (LinkRow & Inherited)[];
  return new Map(found.map((row) => [row.token, row]));
}

/**
 * Updates the links that the app has and for which the update is accepted. `before` has the links as they were, by token, and
 * `updated` the tokens of those that are different now.
 */
export async function updateLinks(
  db: D1Database,
  scope: AppScope,
  linkTokens: string[],
  change: LinkChange,
  { now, seen = {} }: { now: number; seen?: SeenLinks | undefined },
): Promise<{
  access: AppAccess | undefined;
  partners: Partners;
  before: Map<string, LinkRow & Inherited>;
  updated: string[];
}> {
  const values = {
    ...scope,
    ...toValues(change),
    linkTokens: JSON.stringify(linkTokens),
    seen: JSON.stringify(seen),
    now,
  };
  const [catalog, rows, , updated] = await runWithPartners(
    db,
    scope,
    before(scope)(db, values),
    audit(scope)(db, values),
    update(db, values),
  );
  return {
    access: rows[0],
    partners: catalog,
    before: byToken(rows),
    updated: updated.map(({ token }) => token),
  };
}
