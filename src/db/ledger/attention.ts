/** What the overview of an app needs to name problems: its partners' links, and the parameters dropped from URLs. */
import { sql } from "drizzle-orm";
import type { DayRange } from "../../domain/time.ts";
import { membership as m, perViewer, type Viewer } from "../accounts/viewers.ts";
import { ancestors, isTest, l1, l2, l3 } from "../links/links.ts";
import { link as l } from "../links/lists.ts";
import { alias, as, query, type RowOf } from "../query.ts";
import { dailyEngagements, droppedParameters } from "../schema.ts";
import { runBatch } from "../statement.ts";
import { findRejectionsInShard, type RejectedInApp } from "./rejections.ts";
import { IDS } from "./reports/totals.ts";
import { type Ledger, runOnEveryShard } from "./shards.ts";

/** The number of links with a partner of their own that are read, those of level 1 first. */
const MOST_LINKS = 500;

const attachmentFields = {
  partnerId: sql<number>`partner_id`,
  links: sql<number>`count(*)`,
  /** Those that record engagements for costs. */
  costDataOn: sql<number>`sum(cost_switch)`,
};
/** A partner with its links in an app, without those that only test it. */
export type Attachment = RowOf<typeof attachmentFields>;

const attachments = perViewer(({ from, isMember, isViewer }) =>
  query(
    attachmentFields,
    sql`FROM (
      SELECT ${l.partnerId} AS partner_id,
        coalesce(${l.costSwitch}, ${l1.costSwitch}, ${l2.costSwitch}, ${l3.costSwitch}, 0) AS cost_switch
      FROM ${from} CROSS JOIN ${as(m)} ON ${isMember}
      CROSS JOIN ${as(l)} INDEXED BY links_by_partner ON ${l.appToken} = ${m.appToken} AND ${l.partnerId} IS NOT NULL
      ${ancestors} WHERE ${isViewer} AND ${l.archived} = 0 AND NOT ${isTest}
      LIMIT ${sql.raw(String(MOST_LINKS))}
    ) GROUP BY partner_id`,
  ),
);

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

const droppedAtActive = perViewer(({ from, isMember, isViewer }) =>
  query(
    droppedFields,
    sql`FROM (
        SELECT DISTINCT ${e.linkId} AS id FROM ${as(e)}
        WHERE ${e.appToken} = (SELECT ${m.appToken} FROM ${from} CROSS JOIN ${as(m)} ON ${isMember} WHERE ${isViewer})
          AND ${isInDays(e.day)}
      ) ids CROSS JOIN ${as(d)} ON ${d.linkId} = ids.id AND ${isInDays(d.day)} AND ${d.reason} <> 'bot'
      CROSS JOIN ${as(l)} ON ${l.id} = ids.id
      GROUP BY ids.id ORDER BY sum(${d.count}) DESC, ids.id`,
  ),
);

const counted = (key: "linkId" | "count") => sql.raw(`counted.value ->> '${key}'`);
const total = sql<number>`coalesce(sum(${d.count}), 0) + ${counted("count")}`;
const droppedAtCounted = query(
  { ...droppedFields, count: total },
  sql`FROM json_each(${sql.placeholder("counted")}) counted
    LEFT JOIN ${as(d)} ON ${d.linkId} = ${counted("linkId")} AND ${isInDays(d.day)} AND ${d.reason} <> 'bot'
    CROSS JOIN ${as(l)} ON ${l.id} = ${counted("linkId")}
    GROUP BY ${l.id} HAVING ${total} > 0 ORDER BY ${total} DESC, ${l.id}`,
);

/** Reads the links whose URLs had dropped parameters, most first. For a batch of the viewer, if DB has all of the ledger. */
export function findDropped(db: D1Database, viewer: Viewer, appToken: string, { from, to }: DayRange) {
  return droppedAtActive(viewer)(db, { ...viewer, appToken, from, to });
}

const droppedOn = { day: d.day, param: d.param, reason: d.reason, count: d.count };
/** The parameters of a link that were dropped for a reason on a day. */
export type DroppedOn = RowOf<typeof droppedOn>;
const droppedInShard = query(
  { linkId: d.linkId, ...droppedOn },
  sql`FROM (${IDS}) ids CROSS JOIN ${as(d)} ON ${d.linkId} = ids.id AND ${isInDays(d.day)}`,
);

/** What a shard dropped by its own decision, because DB does not know which IDs and prices it keeps. */
const findDroppedInShard = (db: D1Database, linkIds: number[], { from, to }: DayRange) =>
  droppedInShard(db, { ids: JSON.stringify(linkIds), from, to });

/** With shards, what they rejected of an app, and the dropped parameters of the links that a report found, in DB too. */
export async function findProblemsInShards(
  ledger: Ledger,
  rejectedOf: { appToken: string; days: DayRange },
  droppedOf: { linkIds: number[]; days: DayRange },
): Promise<{ rejected: RejectedInApp[]; dropped: Dropped[] }> {
  const { linkIds, days } = droppedOf;
  const parts = await runOnEveryShard(ledger, (db) => [
    findRejectionsInShard(db, rejectedOf.appToken, rejectedOf.days),
    findDroppedInShard(db, linkIds, days),
  ]);
  const counts = new Map(linkIds.map((linkId) => [linkId, 0]));
  for (const { linkId, count } of parts.flatMap(([, dropped]) => dropped))
    counts.set(linkId, (counts.get(linkId) ?? 0) + count);
  const { control } = ledger;
  const counted = JSON.stringify([...counts].map(([linkId, count]) => ({ linkId, count })));
  const [dropped] = await runBatch(control, droppedAtCounted(control, { counted, ...days }));
  return { rejected: parts.flatMap(([rejected]) => rejected), dropped };
}

/** Adds to the rows of DB what the shards dropped from the URLs of a link, latest day first. */
export async function addDroppedInShards(
  ledger: Ledger,
  linkId: number,
  days: DayRange,
  rows: DroppedOn[],
): Promise<DroppedOn[]> {
  if (ledger.shards.length === 0) return rows;
  const parts = await runOnEveryShard(ledger, (db) => [findDroppedInShard(db, [linkId], days)]);
  const all = [...rows, ...parts.flat(2).map(({ linkId: _, ...row }) => row)];
  const keyOf = ({ day, param, reason }: DroppedOn) => JSON.stringify([-day, param, reason]);
  return [...Map.groupBy(all, keyOf).values()]
    .map((alike) => ({ ...(alike[0] as DroppedOn), count: alike.reduce((sum, { count }) => sum + count, 0) }))
    .sort((a, b) => b.day - a.day || (a.param + a.reason < b.param + b.reason ? -1 : 1));
}

const ownDay = query(
  { day: e.day },
  sql`FROM ${as(e)} CROSS JOIN ${as(l)} ON ${l.id} = ${e.linkId} ${ancestors}
    WHERE ${e.appToken} = ${sql.placeholder("appToken")} AND NOT ${isTest} ORDER BY ${e.day} LIMIT 1`,
);
/** A shard has no links. It is asked for those of the first rows of the app: others follow tests soon. */
const daysInShard = query(
  { linkId: sql<number>`link_id`, day: sql<number>`min(day)` },
  sql`FROM (SELECT ${e.linkId}, ${e.day} FROM ${as(e)} WHERE ${e.appToken} = ${sql.placeholder("appToken")} ORDER BY ${e.day} LIMIT 1000)
    GROUP BY link_id`,
);
const firstDay = sql.raw("j.value ->> 'day'");
const ownDayOf = query(
  { day: sql<number>`${firstDay}` },
  sql`FROM json_each(${sql.placeholder("days")}) j CROSS JOIN ${as(l)} ON ${l.id} = j.value ->> 'linkId' ${ancestors}
    WHERE NOT ${isTest} ORDER BY ${firstDay} LIMIT 1`,
);

/** The first day with a click or an impression of an app on a link that does not only test a partner; null if there is none. */
export async function findFirstDay(ledger: Ledger, appToken: string): Promise<number | null> {
  const { control } = ledger;
  const [[[own]], parts] = await Promise.all([
    runBatch(control, ownDay(control, { appToken })),
    runOnEveryShard(ledger, (db) => [daysInShard(db, { appToken })]),
  ]);
  const days = parts.flat(2);
  const [[inShard]] =
    days.length > 0 ? await runBatch(control, ownDayOf(control, { days: JSON.stringify(days) })) : [[]];
  const found = [own, inShard].flatMap((row) => row?.day ?? []);
  return found.length > 0 ? Math.min(...found) : null;
}
