/**
 * Finds when the last cost and the last click of each partner came. Activity is an increase, since the run before, of the number of
 * costs in any state and of rejections: a move between states is none, and a void can hide one cost of the same hour. A price on a URL
 * counts as a cost that came.
 */
import { sql } from "drizzle-orm";
import { sumOf } from "../../domain/figures/performance.ts";
import { judgeRound } from "../../domain/rounds/report.ts";
import { COUNTED_DAYS, DAY_MS, dayOf, HOUR_MS, hourOf, MAX_PAUSE_DAYS } from "../../domain/time.ts";
import { pairsOf } from "../ledger/rejections.ts";
import { databasesOf, type Ledger, runGated } from "../ledger/shards.ts";
import {
  alias,
  as,
  excluded,
  insertInto,
  jsonValues,
  limitTo,
  names,
  query,
  type RowOf,
  type Sent,
} from "../query.ts";
import {
  apps,
  dailyEngagements,
  dailyRejections,
  dailyTotals,
  partnerActivity,
  partners,
  rounds,
} from "../schema.ts";
import { chunk, runBatch, statement } from "../statement.ts";
import { findRound } from "./rounds/rounds.ts";

/** The calls for the reports of open rounds, which are the largest reads of the run; the newest round is always read. */
const MAX_ROUND_CALLS = 16;

const { partnerId, hour, firstDay, costs, clicks, lastCostAt, lastClickAt, openMismatches } = partnerActivity;
const stored = { partnerId, hour, firstDay, costs, clicks, lastCostAt, lastClickAt, openMismatches };

const allStored = query(stored, sql`FROM ${partnerActivity}`);
/** When the last cost and the last click of each partner came, in all apps. For a caller that was checked before. */
export const lastActivity = query({ partnerId, lastCostAt, lastClickAt }, sql`FROM ${partnerActivity}`);
const allPartners = query({ id: partners.id }, sql`FROM ${partners}`);
const allApps = query({ token: apps.token }, sql`FROM ${apps}`);
const openRounds = query(
  { id: rounds.id, partnerId: rounds.partnerId },
  sql`FROM ${rounds} WHERE ${rounds.state} = 'open' ORDER BY ${rounds.id} DESC ${limitTo("limit")}`,
);

const from = sql.placeholder("from");
const t = alias(dailyTotals, "t");
const g = alias(dailyEngagements, "g");
const r = alias(dailyRejections, "r");
const countFields = { partnerId: t.partnerId, day: t.day, count: sql<number>`sum(${t.count})` };
const costsOf = query(
  countFields,
  sql`FROM json_each(${sql.placeholder("apps")}) j CROSS JOIN ${as(t)} ON ${t.appToken} = j.value AND ${t.day} >= ${from} GROUP BY 1, 2`,
);
const clicksOf = query(
  { partnerId: g.partnerId, day: g.day, count: sql<number>`sum(${g.count})` },
  sql`FROM json_each(${sql.placeholder("apps")}) j CROSS JOIN ${as(g)} ON ${g.appToken} = j.value AND ${g.day} >= ${from}
    WHERE ${g.kind} = 'click' AND ${g.partnerId} <> 0 GROUP BY 1, 2`,
);
const rejectionsOf = query(
  { partnerId: r.partnerId, day: r.day, count: sql<number>`sum(${r.count})` },
  sql`FROM (
    ${pairsOf(sql`${partners.id}`, sql`FROM ${partners}`)} SELECT partner_id, app FROM pairs
  ) q CROSS JOIN ${as(r)} ON ${r.partnerId} = q.partner_id AND ${r.appToken} = q.app AND ${r.day} >= ${from} GROUP BY 1, 2`,
);
type Count = RowOf<typeof countFields>;

const sent = jsonValues(
  "partnerId",
  "hour",
  "firstDay",
  "costs",
  "clicks",
  "lastCostAt",
  "lastClickAt",
  "openMismatches",
);
/** A run that was overtaken writes nothing. */
const write = statement(sql`
  ${insertInto(partnerActivity, sent)} FROM json_each(${sql.placeholder("rows")}) j WHERE true
  ON CONFLICT (${names(partnerId)}) DO UPDATE SET
    ${excluded(hour, firstDay, costs, clicks, lastCostAt, lastClickAt, openMismatches)}
  WHERE excluded.hour > ${hour}
`);

/** For the cron, which runs every hour. */
export async function storeActivity(ledger: Ledger, now: number): Promise<void> {
  const { control } = ledger;
  const [before, known, found, open] = await runBatch(
    control,
    allStored(control, {}),
    allPartners(control, {}),
    allApps(control, {}),
    openRounds(control, { limit: Math.max(1, Math.floor(MAX_ROUND_CALLS / databasesOf(ledger).length)) }),
  );
  const first = dayOf(now) - COUNTED_DAYS;
  // The days of the run before are counted too, so that a day that leaves the range is no change.
  const from = Math.max(dayOf(now) - MAX_PAUSE_DAYS, Math.min(first, ...before.map((row) => row.firstDay)));
  const values = { apps: JSON.stringify(["", ...found.map(({ token }) => token)]), from };
  const parts = await Promise.all(
    databasesOf(ledger).map((db) =>
      runGated(ledger, db, [costsOf(db, values), clicksOf(db, values), rejectionsOf(db, values)]),
    ),
  );
  const costs = parts.flatMap(([accepted, , rejected]) => [...accepted, ...rejected]);
  const clicks = parts.flatMap(([, recorded]) => recorded);
  const mismatches = new Map<number, number>();
  for (const { id, partnerId } of open) {
    const round = await findRound(ledger, id, now);
    const count = round ? countOpen(judgeRound(round.record)) : 0;
    mismatches.set(partnerId, (mismatches.get(partnerId) ?? 0) + count);
  }
  const earlier = new Map(before.map((row) => [row.partnerId, row]));
  const costsOfPartner = Map.groupBy(costs, (row) => row.partnerId);
  const clicksOfPartner = Map.groupBy(clicks, (row) => row.partnerId);
  const rows = known.map(({ id }): Sent<typeof sent> => {
    const [ofCosts, ofClicks] = [costsOfPartner.get(id) ?? [], clicksOfPartner.get(id) ?? []];
    const last = earlier.get(id);
    const isComparable = last !== undefined && last.firstDay >= from;
    return {
      partnerId: id,
      hour: hourOf(now),
      firstDay: first,
      costs: sumSince(ofCosts, first),
      clicks: sumSince(ofClicks, first),
      lastCostAt: lastAt(
        ofCosts,
        isComparable ? [last.firstDay, last.costs, last.lastCostAt] : undefined,
        now,
      ),
      lastClickAt: lastAt(
        ofClicks,
        isComparable ? [last.firstDay, last.clicks, last.lastClickAt] : undefined,
        now,
      ),
      openMismatches: mismatches.get(id) ?? 0,
    };
  });
  for (const part of chunk(rows, ROWS_PER_CALL))
    await runBatch(control, write(control, { rows: JSON.stringify(part) }));
}

const ROWS_PER_CALL = 1_000;

const sumSince = (counts: Count[], day: number) =>
  counts.reduce((sum, row) => (row.day >= day ? sum + row.count : sum), 0);

/** `before`: the first day, the number and the time of the run before. Without it, the newest day that has any decides. */
function lastAt(
  counts: Count[],
  before: [firstDay: number, count: number, at: number | null] | undefined,
  now: number,
): number | null {
  const thisHour = hourOf(now) * HOUR_MS;
  if (before) {
    const [firstDay, count, at] = before;
    return sumSince(counts, firstDay) > count ? thisHour : at;
  }
  const days = counts.filter((row) => row.count > 0).map((row) => row.day);
  return days.length === 0 ? null : Math.min(thisHour, (Math.max(...days) + 1) * DAY_MS - HOUR_MS);
}

const countOpen = ({ types, others }: ReturnType<typeof judgeRound>) =>
  sumOf(types, ({ open }) => open) + others.filter(({ state }) => state === "open").length;

/** What the last run found of a partner, for a subquery. */
export const activityOf = {
  lastCostAt: sql<
    number | null
  >`(SELECT ${lastCostAt} FROM ${partnerActivity} WHERE ${partnerId} = ${partners.id})`,
  lastClickAt: sql<
    number | null
  >`(SELECT ${lastClickAt} FROM ${partnerActivity} WHERE ${partnerId} = ${partners.id})`,
  openMismatches: sql<
    number | null
  >`(SELECT ${openMismatches} FROM ${partnerActivity} WHERE ${partnerId} = ${partners.id})`,
};
