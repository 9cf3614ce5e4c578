/** What the overview of an app needs to name problems: its partners' links, and the parameters dropped from URLs. */
import { type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core/alias";
import { membership as m, perViewer, type Viewer } from "../accounts/viewers.ts";
import { link as l } from "../links/lists.ts";
import { as, query, type RowOf } from "../query.ts";
import { dailyEngagements, droppedParameters, rounds } from "../schema.ts";
import { runBatch } from "../statement.ts";
import { IDS } from "./reports/report-links.ts";
import type { DayRange } from "./reports/statements.ts";
import { runOnEveryShard } from "./run.ts";
import type { Ledger } from "./shards.ts";

/** The number of links with a partner of their own that are read, those of level 1 first. */
const MOST_LINKS = 500;

const attachmentFields = {
  partnerId: sql<number>`partner_id`,
  links: sql<number>`count(*)`,
  /** Those that record engagements for costs. */
  costDataOn: sql<number>`sum(cost_switch IS 1)`,
};
/** A partner with its links in an app. */
export type Attachment = RowOf<typeof attachmentFields>;

const attachments = perViewer(({ from, isMember, isViewer }) =>
  query(
    attachmentFields,
    sql`FROM (
      SELECT ${l.partnerId} AS partner_id, ${l.costSwitch} AS cost_switch
      FROM ${from} CROSS JOIN ${as(m)} ON ${isMember}
      CROSS JOIN ${as(l)} INDEXED BY links_by_partner ON ${l.appToken} = ${m.appToken} AND ${l.partnerId} IS NOT NULL
      WHERE ${isViewer} AND ${l.archived} = 0
      LIMIT ${sql.raw(String(MOST_LINKS))}
    ) GROUP BY partner_id`,
  ),
);

const r = alias(rounds, "r");
const openRounds = perViewer(({ from, isMember, isViewer }) =>
  query(
    { partnerId: r.partnerId, costTypes: r.costTypes },
    sql`FROM (
      SELECT DISTINCT ${l.partnerId} AS partner_id FROM ${from} CROSS JOIN ${as(m)} ON ${isMember}
      CROSS JOIN ${as(l)} INDEXED BY links_by_partner ON ${l.appToken} = ${m.appToken} AND ${l.partnerId} IS NOT NULL
      WHERE ${isViewer}
    ) attached CROSS JOIN ${as(r)} ON ${r.partnerId} = attached.partner_id AND ${r.state} = 'open'`,
  ),
);

/** Reads the open integration rounds of the partners that an app's links have. For a batch of the viewer. */
export function findOpenRounds(db: D1Database, viewer: Viewer, appToken: string) {
  return openRounds(viewer)(db, { ...viewer, appToken });
}

/** Reads the partners of an app's links, from the first links that have one. For a batch of the viewer. */
export function findAttachments(db: D1Database, viewer: Viewer, appToken: string) {
  return attachments(viewer)(db, { ...viewer, appToken });
}

const e = alias(dailyEngagements, "e");
const d = alias(droppedParameters, "d");
const isInDays = (column: typeof e.day | typeof d.day) =>
  sql`${column} BETWEEN ${sql.placeholder("from")} AND ${sql.placeholder("to")}`;

const droppedFields = { token: l.token, label: l.label, count: sql<number>`sum(${d.count})` };
/** A link with the number of parameters that were dropped from its URLs. What bots open is nobody's error. */
export type Dropped = RowOf<typeof droppedFields>;

const droppedAt = (ids: SQL) =>
  query(
    droppedFields,
    sql`FROM (${ids}) ids CROSS JOIN ${as(d)} ON ${d.linkId} = ids.id AND ${isInDays(d.day)} AND ${d.reason} <> 'bot'
      CROSS JOIN ${as(l)} ON ${l.id} = ids.id
      GROUP BY ids.id ORDER BY sum(${d.count}) DESC, ids.id`,
  );
const droppedAtActive = perViewer(({ from, isMember, isViewer }) =>
  droppedAt(sql`SELECT DISTINCT ${e.linkId} AS id FROM ${as(e)}
    WHERE ${e.appToken} = (SELECT ${m.appToken} FROM ${from} CROSS JOIN ${as(m)} ON ${isMember} WHERE ${isViewer})
      AND ${isInDays(e.day)}`),
);
const droppedAtKnown = droppedAt(IDS);

/** Reads the links whose URLs had dropped parameters, most first. For a batch of the viewer, if DB has all of the ledger. */
export function findDropped(db: D1Database, viewer: Viewer, appToken: string, { from, to }: DayRange) {
  return droppedAtActive(viewer)(db, { ...viewer, appToken, from, to });
}

/** The same with shards, of the links that a report found. */
export async function findDroppedAt(
  db: D1Database,
  linkIds: number[],
  { from, to }: DayRange,
): Promise<Dropped[]> {
  const [rows] = await runBatch(db, droppedAtKnown(db, { ids: JSON.stringify(linkIds), from, to }));
  return rows;
}

const anEngagement = query(
  { day: dailyEngagements.day },
  sql`FROM ${dailyEngagements} WHERE ${dailyEngagements.appToken} = ${sql.placeholder("appToken")} LIMIT 1`,
);

/** Whether a shard has a click or an impression of an app. `OwnApp.firstDay` says it of DB. */
export async function hasEngagementInShard(ledger: Ledger, appToken: string): Promise<boolean> {
  const found = await runOnEveryShard(ledger, (db) => [anEngagement(db, { appToken })]);
  return found.flat(2).length > 0;
}
