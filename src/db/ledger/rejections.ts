/**
 * Counts and keeps invalid costs, and reads the counts of rejected ones. A trigger does so with those that were judged
 * (migrations/rules.sql).
 */
import { type SQL, sql } from "drizzle-orm";
import type { RejectionCode } from "../../domain/matching.ts";
import type { DayRange } from "../../domain/time.ts";
import { membership as m, perViewer, type Viewer } from "../accounts/viewers.ts";
import { alias, as, insertInto, jsonValues, query, type RowOf, type Sent } from "../query.ts";
import { dailyRejections, dailyUrlPrices, partners, rejections } from "../schema.ts";
import { MAX_COVERED, runGrouped, statement, TooLargeError } from "../statement.ts";
import { databasesOf, type Ledger, readShards, runGated } from "./shards.ts";

const p = (name: string) => sql`${sql.placeholder(name)}`;
const sent = jsonValues("costId", "tag", "params");
/** Of an invalid cost, what was sent as its ID and its tag, and which parameters were wrong. */
export type InvalidCost = Sent<typeof sent>;

const add = statement<unknown>(
  sql`${insertInto(rejections, {
    partnerId: p("partnerId"),
    appToken: sql`''`,
    code: sql`'invalid_request'`,
    rejectedAt: p("now"),
    ...sent,
  })} FROM json_each(${p("costs")}) j`,
);

/** Counts and keeps invalid costs of a partner. Not repeated after a lost connection, which could count them twice. */
export async function addInvalid({ control }: Ledger, partnerId: number, costs: InvalidCost[], now: number) {
  const values = { partnerId, costs: JSON.stringify(costs), now };
  await runGrouped(costs.length)(control, add(control, values));
}

const r = alias(dailyRejections, "r");
export const prices = alias(dailyUrlPrices, "u");
const isInDays = sql`${r.day} BETWEEN ${p("from")} AND ${p("to")}`;

/**
 * The pairs of a partner and an app that have rows in `counts`, whose key begins with them, of the partners that `from` selects, each
 * found with one step in the key.
 */
export const pairsOf = (partnerId: SQL, from: SQL, counts: typeof r | typeof prices = r) => {
  const next = (id: SQL, isLater = sql``) =>
    sql`(SELECT min(${counts.appToken}) FROM ${as(counts)} WHERE ${counts.partnerId} = ${id} ${isLater})`;
  return sql`WITH RECURSIVE pairs(partner_id, app) AS (
    SELECT ${partnerId}, ${next(partnerId)} ${from}
    UNION ALL
    SELECT partner_id, ${next(sql`pairs.partner_id`, sql`AND ${counts.appToken} > pairs.app`)} FROM pairs WHERE app IS NOT NULL
  )`;
};

const ofPartner = query(
  {
    day: sql<number>`day`,
    code: sql<RejectionCode>`code`,
    count: sql<number>`sum(count)`,
    scanned: sql<number>`count(*)`,
  },
  sql`FROM (
    ${pairsOf(p("partnerId"), sql``)}
    SELECT ${r.day} AS day, ${r.code} AS code, ${r.count} AS count
    FROM pairs CROSS JOIN ${as(r)} ON ${r.partnerId} = pairs.partner_id AND ${r.appToken} = pairs.app AND ${isInDays}
    WHERE pairs.app = coalesce(${p("appToken")}, pairs.app)
    LIMIT ${sql.raw(String(MAX_COVERED + 1))}
  ) GROUP BY day, code`,
);

/** How many costs of a partner were rejected on a day with one code. */
export interface Rejected {
  /** Days since 1970 in UTC. */
  day: number;
  code: RejectionCode;
  count: number;
}

/** `appToken` null: in all apps and outside of any. Throws TooLargeError. */
export async function findRejections(
  ledger: Ledger,
  partnerId: number,
  days: DayRange,
  appToken: string | null = null,
): Promise<Rejected[]> {
  const parts = await Promise.all(
    databasesOf(ledger).map((db) => runGated(ledger, db, [rejectionsOf(db, partnerId, days, appToken)])),
  );
  return addRejections(parts.map(([found]) => found));
}

/** Reads what `addRejections` adds up, for a batch on every database. */
export function rejectionsOf(
  db: D1Database,
  partnerId: number,
  { from, to }: DayRange,
  appToken: string | null = null,
) {
  return ofPartner(db, { partnerId, from, to, appToken });
}

/** The counts of all databases by day and code, in this order. Throws TooLargeError. */
export function addRejections(parts: (Rejected & { scanned: number })[][]): Rejected[] {
  if (parts.some((rows) => rows.reduce((sum, row) => sum + row.scanned, 0) > MAX_COVERED))
    throw new TooLargeError();
  const sums = new Map<string, Rejected>();
  for (const { day, code, count } of parts.flat()) {
    const key = `${day} ${code}`;
    sums.set(key, { day, code, count: count + (sums.get(key)?.count ?? 0) });
  }
  return [...sums].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, sum]) => sum);
}

const isLater = sql<number>`${r.day} > ${p("until")}`;
const ofAppFields = {
  partnerId: r.partnerId,
  code: r.code,
  /** 1: after the day `until`. */
  isLater,
  count: sql<number>`sum(${r.count})`,
  /** Days since 1970 in UTC. */
  first: sql<number>`min(${r.day})`,
  last: sql<number>`max(${r.day})`,
};
/** The rejected costs of a partner for the engagements of an app, with one code, up to a day or after it. */
export type RejectedInApp = RowOf<typeof ofAppFields>;

const ofApp = (app: SQL) =>
  query(
    ofAppFields,
    sql`FROM ${partners} CROSS JOIN ${as(r)} ON ${r.partnerId} = ${partners.id} AND ${r.appToken} = ${app} AND ${isInDays}
      GROUP BY ${r.partnerId}, ${r.code}, ${isLater}`,
  );
const ofOwnApp = perViewer(({ from, isMember, isViewer }) =>
  ofApp(sql`(SELECT ${m.appToken} FROM ${from} CROSS JOIN ${as(m)} ON ${isMember} WHERE ${isViewer})`),
);
const ofAllowedApp = ofApp(p("appToken"));

/** `until` splits the days: the counts of those after it have rows of their own. */
type SplitDays = DayRange & { until?: number };

/** Reads the rejected costs of an app by partner and code. For a batch of the viewer, if DB has all of the ledger. */
export function findRejectionsInApp(
  db: D1Database,
  viewer: Viewer,
  appToken: string,
  { from, to, until = to }: SplitDays,
) {
  return ofOwnApp(viewer)(db, { ...viewer, appToken, from, to, until });
}

/** The same in a shard, for a viewer whom DB allowed to see the app. */
export const findRejectionsInShard = (
  db: D1Database,
  appToken: string,
  { from, to, until = to }: SplitDays,
) => ofAllowedApp(db, { appToken, from, to, until });

/** The same in all shards, of those that answer if `isPartialAllowed`; nothing when the ledger is in DB. */
export async function findRejectionsInShards(
  ledger: Ledger,
  appToken: string,
  days: DayRange,
  isPartialAllowed = false,
): Promise<RejectedInApp[]> {
  const read = async (db: D1Database) => {
    const [found] = await runGated(ledger, db, [findRejectionsInShard(db, appToken, days)]);
    return found;
  };
  return (await readShards(ledger.shards, read, isPartialAllowed)).found.flat();
}
