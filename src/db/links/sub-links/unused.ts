/** Archives sub-links that engagements created and that have no cost, a part at a time. */
import { sql } from "drizzle-orm";
import { membership as m, perViewer } from "../../accounts/viewers.ts";
import { insertEntry } from "../../audit.ts";
import { type Ledger, rowDatabasesOf, runGated } from "../../ledger/shards.ts";
import { alias, as, limitTo, names, optional, query, returning } from "../../query.ts";
import { adjustments, dailyAudienceSpend, links } from "../../schema.ts";
import { runBatch, statement } from "../../statement.ts";
import { insertArchiving } from "../changes.ts";
import { ancestors, l1, l2, l3 } from "../links.ts";
import { type AppScope, link as l } from "../lists.ts";

const n = alias(links, "n");
const r = alias(links, "r");
const f = alias(links, "f");
const c = alias(links, "c");
const network = sql.placeholder("network");

const place = perViewer(({ appAccess, from, isMember, isViewer }) =>
  query(
    {
      ...appAccess,
      ...optional({ label: n.label }),
      places: sql<number>`(
        SELECT coalesce(sum(${r.fromEngagementCount}), 0) FROM ${as(r)} INDEXED BY links_by_parent
        WHERE ${r.appToken} = ${m.appToken} AND ${r.parentId} IS NULL AND (${network} IS NULL OR ${r.id} = ${n.id})
      )`,
    },
    sql`FROM ${from} LEFT JOIN ${as(m)} ON ${isMember}
      LEFT JOIN ${as(n)} ON ${n.token} = ${network} AND ${n.appToken} = ${m.appToken} AND ${n.parentId} IS NULL
      WHERE ${isViewer}`,
  ),
);

/** Which sub-links: of one network, or of the whole app (null). */
export type UnusedScope = AppScope & { network: string | null };

/** The network's name, and how many places (see rules.sql) its sub-links or those of the app take. */
export async function readPlaces(db: D1Database, scope: UnusedScope) {
  const [[found]] = await runBatch(db, place(scope)(db, scope));
  return found;
}

/** What a link above it keeps: it must not be archived with sub-links that stay. */
const hasSubLinks = (link: typeof l | typeof links) => sql`EXISTS (
  SELECT 1 FROM ${as(c)} INDEXED BY links_by_parent
  WHERE ${c.appToken} = ${link.appToken} AND ${c.parentId} = ${link.id} AND ${c.archived} = 0
)`;
const name = sql`${l.label} COLLATE NOCASE`;
const start = sql`coalesce(${f.label}, '')`;

const candidates = perViewer(({ from, isMember, isViewer }) =>
  query(
    { id: l.id, token: l.token },
    sql`FROM ${from} CROSS JOIN ${as(m)} ON ${isMember}
      LEFT JOIN ${as(f)} ON ${f.token} = ${sql.placeholder("after")} AND ${f.appToken} = ${m.appToken}
      CROSS JOIN ${as(l)} INDEXED BY links_by_level
        ON ${l.appToken} = ${m.appToken} AND ${l.parentId} IS NOT NULL AND ${l.level} = ${sql.placeholder("level")}
      ${ancestors}
      WHERE ${isViewer} AND ${name} >= ${start} AND (${name} > ${start} OR ${l.id} > coalesce(${f.id}, 0))
        AND ${l.fromEngagement} = 1 AND ${l.archived} = 0 AND NOT ${hasSubLinks(l)}
        AND (${network} IS NULL OR coalesce(${l3.token}, ${l2.token}, ${l1.token}) = ${network})
      ORDER BY ${name}, ${l.id} ${limitTo("limit")}`,
  ),
);

/** Where the walk is: in a level (2 to 4), after the link with this token. */
export type UnusedPosition = { level: number; after: string | null };

/** Links of a level that engagements created, in the order of names, without archived ones and those with sub-links that are not. */
export async function readCandidates(
  db: D1Database,
  scope: UnusedScope,
  position: UnusedPosition,
  limit: number,
) {
  const [found] = await runBatch(db, candidates(scope)(db, { ...scope, ...position, limit }));
  return found;
}

const s = dailyAudienceSpend;
const ids = sql`json_each(${sql.placeholder("ids")}) j`;
const ofApp = sql.placeholder("appToken");
const withCosts = query(
  { id: sql<number>`j.value` },
  sql`FROM ${ids} WHERE EXISTS (
    SELECT 1 FROM ${s} WHERE ${s.appToken} = ${ofApp} AND ${s.linkId} = j.value AND ${s.count} <> 0
  )`,
);
const adjusted = query(
  { id: adjustments.linkId },
  sql`FROM ${adjustments} INDEXED BY adjustments_by_app
    WHERE ${adjustments.appToken} = ${ofApp} AND ${adjustments.linkId} IN (SELECT j.value FROM ${ids})`,
);

/** Those of the links that have a cost with an engagement, or an adjustment. */
export async function findWithCosts(ledger: Ledger, appToken: string, linkIds: number[]) {
  const values = { appToken, ids: JSON.stringify(linkIds) };
  const { control } = ledger;
  const found = await Promise.all([
    ...rowDatabasesOf(ledger).map((db) => runGated(ledger, db, [withCosts(db, values)])),
    runBatch(control, adjusted(control, values)),
  ]);
  return new Set(found.flat(2).map(({ id }) => id));
}

const archive = perViewer(({ from, isMember, isViewer }) => {
  const isArchived = sql`${links.id} IN (SELECT j.value FROM ${ids}) AND +${links.appToken} = ${ofApp}
    AND ${links.fromEngagement} = 1 AND ${links.archived} = 0 AND NOT ${hasSubLinks(links)}
    AND EXISTS (SELECT 1 FROM ${from} CROSS JOIN ${as(m)} ON ${isMember} WHERE ${isViewer})`;
  return {
    store: insertArchiving(isArchived),
    archive: returning(
      sql`UPDATE ${links} SET ${names(links.archived)} = 1, ${names(links.archivedThrough)} = (SELECT max(${l.id}) FROM ${as(l)}) WHERE ${isArchived}`,
      { token: links.token },
    ),
  };
});

/** Follows `archive` in its batch, which runs on one connection, so changes() is the number of links. */
const audit = perViewer(({ from, isMember, isViewer, userId }) =>
  statement<never>(sql`
    ${insertEntry("archive sub-links", {
      userId,
      subject: sql`'app ' || ${m.appToken}`,
      detail: sql`json_object('count', changes(), 'network', ${network})`,
    })}
    FROM ${from} CROSS JOIN ${as(m)} ON ${isMember} WHERE ${isViewer} AND changes() > 0`),
);

/**
 * Archives these links, as far as they are still candidates, with one entry of the audit log, and so that it can be undone.
 * Returns how many are archived.
 */
export async function archiveCandidates(
  db: D1Database,
  scope: UnusedScope,
  linkIds: number[],
  now: number,
): Promise<number> {
  const values = { ...scope, ids: JSON.stringify(linkIds), now, source: "bulk", partOf: null };
  const statements = archive(scope);
  const [, archived] = await runBatch(
    db,
    statements.store(db, values),
    statements.archive(db, values),
    audit(scope)(db, values),
  );
  return archived.length;
}
