/**
 * Adds to the audit log which sub-links engagements created: one entry for each parent and day, after the day has ended. The log
 * does not get an entry for each sub-link, because anyone can create them by opening URLs.
 */
import { sql } from "drizzle-orm";
import { DAY_MS, dayOf } from "../../../domain/time.ts";
import { insertEntry } from "../../audit.ts";
import { alias, as, names } from "../../query.ts";
import { links, subLinkAudit } from "../../schema.ts";
import { runBatch, statement } from "../../statement.ts";

const { day, afterId, untilId } = subLinkAudit;
const today = sql.placeholder("today");
const dayLength = sql.raw(String(DAY_MS));

// Clocks differ between machines, so a link of today can have a lower ID than one of yesterday. The next run continues before
// the first link of today, so it finds the other one.
const advance = statement(sql`
  UPDATE ${subLinkAudit} SET
    ${names(afterId)} = ${untilId},
    ${names(untilId)} = coalesce(
      (SELECT min(${links.id}) - 1 FROM ${links} WHERE ${links.id} > ${untilId} AND ${links.createdAt} >= ${today} * ${dayLength}),
      (SELECT max(${links.id}) FROM ${links}),
      0
    ),
    ${names(day)} = ${today}
  WHERE ${subLinkAudit.id} = 1 AND ${day} < ${today}
`);

const l = alias(links, "l");
const parent = alias(links, "parent");
const entry = {
  userId: sql`NULL`,
  subject: sql`'link ' || ${parent.token}`,
  detail: sql`json_object('day', date(${l.createdAt} / 1000, 'unixepoch'), 'count', count(*))`,
};
const add = statement(sql`
  ${insertEntry("create sub-links", entry)}
  FROM ${subLinkAudit}
  CROSS JOIN ${as(l)} ON ${l.id} > ${afterId} AND ${l.id} <= ${untilId}
  CROSS JOIN ${as(parent)} ON ${parent.id} = ${l.parentId}
  WHERE changes() > 0 AND ${subLinkAudit.id} = 1 AND ${l.fromEngagement} = 1
  GROUP BY ${l.createdAt} / ${dayLength}, ${l.parentId}
`);

/** For the cron. Does nothing if the days before that of `now` were added already. */
export async function auditSubLinks(db: D1Database, now: number): Promise<void> {
  const values = { now, today: dayOf(now) };
  await runBatch(db, advance(db, values), add(db, values));
}
