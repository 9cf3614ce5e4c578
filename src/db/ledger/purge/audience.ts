/** Deletes the counts by country and platform that are older than they are kept. The totals without them stay. */
import { type SQL, sql } from "drizzle-orm";
import { AUDIENCE_MONTHS, dayOf, HOUR_MS, monthsBefore, RETENTION_MS } from "../../../domain/time.ts";
import { alias, as, limitTo, names, query } from "../../query.ts";
import { apps, audienceKeys, dailyAudience, dailyAudienceSpend, links } from "../../schema.ts";
import { runBatch, statement } from "../../statement.ts";
import { databasesOf, type Ledger, runGated } from "../shards.ts";

/**
 * The counts have no index by day, because each would cost one more written row. A run looks at those of a part of the links, and at
 * the next part an hour later. The number is prime, so a cron that runs once a day reaches all parts too.
 */
const PARTS = 23;

/** A shard has no apps and no links. */
const walked = query(
  {
    apps: sql<string>`(SELECT json_group_array(${apps.token}) FROM ${apps})`,
    links: sql<number>`coalesce(max(${links.id}), 0)`,
  },
  sql`FROM ${links}`,
);

type Counts = typeof dailyAudience | typeof dailyAudienceSpend;
/** Steps from one link that has counts to the next, so it reads none of the days that stay. */
function removalOf(table: Counts, key: SQL) {
  const d = alias(table, "d");
  const next = (app: SQL, after: SQL) =>
    sql`(SELECT min(${d.linkId}) FROM ${as(d)} WHERE ${d.appToken} = ${app} AND ${d.linkId} > ${after})`;
  return statement(sql`DELETE FROM ${table} WHERE (${key}) IN (
    WITH RECURSIVE counted(app, link) AS (
      SELECT j.value, ${next(sql`j.value`, sql`${sql.placeholder("after")}`)} FROM json_each(${sql.placeholder("apps")}) j
      UNION ALL
      SELECT app, ${next(sql`counted.app`, sql`counted.link`)} FROM counted WHERE link <= ${sql.placeholder("until")}
    )
    SELECT ${key} FROM counted CROSS JOIN ${as(d)} ON ${d.appToken} = counted.app AND ${d.linkId} = counted.link
      AND ${d.day} < ${sql.placeholder("day")}
    WHERE counted.link <= ${sql.placeholder("until")} ${limitTo("slice")}
  ) RETURNING 1`);
}

const a = dailyAudience;
const s = dailyAudienceSpend;
const removals = [
  removalOf(a, names(a.appToken, a.linkId, a.day, a.partnerId, a.kind, a.country, a.platform)),
  removalOf(
    s,
    names(s.appToken, s.linkId, s.day, s.partnerId, s.costType, s.currency, s.state, s.country, s.platform),
  ),
];

/** No engagement is recorded on an earlier day. */
const removeKeys = statement<never>(sql`DELETE FROM ${audienceKeys}
  WHERE ${audienceKeys.appToken} IN (SELECT value FROM json_each(${sql.placeholder("apps")}))
    AND ${audienceKeys.day} < ${sql.placeholder("firstDay")}`);

/** Deletes at most `slice` rows of each table in a call, with at most `calls` calls to each database. */
export async function purgeAudience(ledger: Ledger, now: number, slice: number, calls: number) {
  const [[found]] = await runBatch(ledger.control, walked(ledger.control, {}));
  if (!found) return;
  const part = Math.floor(now / HOUR_MS) % PARTS;
  const borderOf = (index: number) => Math.floor((found.links * index) / PARTS);
  const values = {
    apps: found.apps,
    after: borderOf(part),
    until: borderOf(part + 1),
    day: dayOf(monthsBefore(now, AUDIENCE_MONTHS)),
    firstDay: dayOf(now - RETENTION_MS) - 1,
    slice,
  };
  const walk = async (db: D1Database) => {
    for (let call = 0; call < calls; call++) {
      const deleted = await runGated(ledger, db, [
        ...removals.map((remove) => remove(db, values)),
        ...(call === 0 ? [removeKeys(db, values)] : []),
      ]);
      if (deleted.every((rows) => rows.length < slice)) break;
    }
  };
  await Promise.all(databasesOf(ledger).map(walk));
}
