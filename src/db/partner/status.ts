/**
 * What the page and the operation about a partner in an app read beside the sums of reports: its rounds and when it was last active, and
 * why clicks and impressions have no cost. The reads are bounded.
 */
import { type SQL, sql } from "drizzle-orm";
import { type CostType, KINDS, type Kind, TYPES_WITH_DISCREPANCY } from "../../domain/cost-types.ts";
import type { IdLoss, MatchLoss } from "../../domain/figures/funnel.ts";
import { RATE_DAYS } from "../../domain/figures/rates.ts";
import { DAY_MS, type DayRange, dayOf, KEPT_REJECTIONS_MS } from "../../domain/time.ts";
import { membership as m, perViewer, type Viewer } from "../accounts/viewers.ts";
import { COLUMNS, entry as e, isRemembered } from "../ledger/entries.ts";
import { addRejections, type Rejected, rejectionsOf } from "../ledger/rejections.ts";
import { databasesOf, type Ledger, runGated } from "../ledger/shards.ts";
import { expectationOf, MAX_IDS } from "../operator/discrepancy.ts";
import { alias, as, query, type RowOf } from "../query.ts";
import {
  dailyEngagements,
  droppedParameters,
  ledgerEntries,
  partnerActivity,
  recentRejections,
  rounds,
} from "../schema.ts";
import { MAX_COVERED } from "../statement.ts";

const p = (name: string) => sql`${sql.placeholder(name)}`;

const a = alias(partnerActivity, "a");
const activityFields = { lastCostAt: a.lastCostAt, lastClickAt: a.lastClickAt, hour: a.hour };
const activity = perViewer(({ from, isMember, isViewer }) =>
  query(
    activityFields,
    sql`FROM ${from} CROSS JOIN ${as(m)} ON ${isMember} CROSS JOIN ${as(a)} ON ${a.partnerId} = ${p("partnerId")} WHERE ${isViewer}`,
  ),
);
/** What the last run of the cron found of a partner, to the hour, in milliseconds since 1970. `hour`: of the run, in hours. */
export type FoundActivity = RowOf<typeof activityFields>;

const r = alias(rounds, "r");
const MOST_ROUNDS = 200;
const roundFields = {
  state: r.state,
  /** A bit mask: of an approved round, the types that went live. */
  costTypes: sql<number>`coalesce(${r.approvedTypes}, ${r.costTypes})`,
  openedAt: r.openedAt,
  endedAt: r.endedAt,
};
const roundsOfPartner = perViewer(({ from, isMember, isViewer }) =>
  query(
    roundFields,
    sql`FROM ${from} CROSS JOIN ${as(m)} ON ${isMember} CROSS JOIN ${as(r)} ON ${r.partnerId} = ${p("partnerId")} AND ${r.state} <> 'closed'
      WHERE ${isViewer} ORDER BY ${r.id} DESC LIMIT ${sql.raw(String(MOST_ROUNDS))}`,
  ),
);
/** A round that is open or was approved. */
export type FoundRound = RowOf<typeof roundFields>;

const openRounds = perViewer(({ from, isMember, isViewer }) =>
  query(
    { partnerId: r.partnerId, costTypes: r.costTypes },
    sql`FROM ${from} CROSS JOIN ${as(m)} ON ${isMember} CROSS JOIN ${as(r)} WHERE ${isViewer} AND ${r.state} = 'open'`,
  ),
);

/** The last activity of a partner, and its open and approved rounds, the newest first. For a batch of a member of the app. */
export const partnerStatements = (db: D1Database, viewer: Viewer, appToken: string, partnerId: number) => ({
  activity: activity(viewer)(db, { ...viewer, appToken, partnerId }),
  rounds: roundsOfPartner(viewer)(db, { ...viewer, appToken, partnerId }),
});

/** The open rounds of all partners. For a batch of a member of the app. */
export const findOpenRounds = (db: D1Database, viewer: Viewer, appToken: string) =>
  openRounds(viewer)(db, { ...viewer, appToken });

const g = alias(dailyEngagements, "g");
const d = alias(droppedParameters, "d");
/** The links and days of the partner. A database counts the dropped parameters of those engagements that it counts itself. */
const linkDays = sql`SELECT link_id, day, max(partner_id <> ${p("partnerId")}) AS is_mixed,
    sum(iif(partner_id = ${p("partnerId")}, count - recorded, 0)) AS lost, sum(scanned) AS scanned
  FROM (
    SELECT ${g.linkId} AS link_id, ${g.day} AS day, ${g.partnerId} AS partner_id, ${g.count} AS count, ${g.recorded} AS recorded, 1 AS scanned
    FROM ${as(g)} WHERE ${g.appToken} = ${p("appToken")} AND ${g.day} BETWEEN ${p("from")} AND ${p("to")}
    LIMIT ${sql.raw(String(MAX_COVERED + 1))}
  ) GROUP BY link_id, day`;
/** `scanned` is the number of counts that were read, in the row without a reason. */
const droppedIds = query(
  { reason: sql<IdLoss | null>`reason`, count: sql<number>`sum(count)`, scanned: sql<number>`sum(scanned)` },
  sql`FROM (
    SELECT ${d.reason} AS reason, ${d.count} AS count, 0 AS scanned FROM own CROSS JOIN ${as(d)}
      ON ${d.linkId} = own.link_id AND ${d.day} = own.day AND ${d.param} = 'cost_id' WHERE own.lost > 0 AND NOT own.is_mixed
    UNION ALL SELECT 'partner_changed', own.lost, 0 FROM own WHERE own.lost > 0 AND own.is_mixed
    UNION ALL SELECT NULL, 0, own.scanned FROM own
  ) GROUP BY reason`,
  sql`WITH own AS MATERIALIZED (${linkDays})`,
);

const x = alias(recentRejections, "x");
const wasRejected = sql`${e.costId} IN (
  SELECT ${x.costId} FROM ${as(x)} WHERE ${x.partnerId} = ${p("partnerId")} AND ${x.rejectedAt} >= ${p("now")} - ${sql.raw(String(KEPT_REJECTIONS_MS))}
)`;
const isCall = sql`coalesce(${e.state} IN ('matched', 'unpriced'), 0)`;
const reason = (name: MatchLoss) => sql.raw(`'${name}'`);

/** What became of the click or the impression of an ID: 'matched', or why it has no cost. NULL: it is not of these days and this app. */
function outcomeOf(kind: Kind): SQL {
  const at = COLUMNS[kind];
  const own = sql.raw(`'${kind}'`);
  return sql`CASE
    WHEN NOT coalesce(${isRemembered} AND ${at.appToken} = ${p("appToken")} AND ${at.occurredAt} >= ${p("since")} AND ${at.occurredAt} < ${p("until")}, 0) THEN NULL
    WHEN (${isCall} AND ${e.matchedKind} = ${own}) OR coalesce(${e.countingPrice} = ${own}, 0) THEN 'matched'
    WHEN ${isCall} OR ${e.countingPrice} IS NOT NULL THEN ${reason("other_engagement")}
    WHEN coalesce(${e.voidState} = 'voided', 0) THEN ${reason("voided")}
    WHEN NOT coalesce(${at.costDataOn}, 0) THEN ${reason("cost_data_off")}
    WHEN coalesce(${at.priceCounts} = 2, 0) THEN ${reason("price_held")}
    WHEN ${e.receivedAt} IS NOT NULL THEN ${reason("does_not_fit")}
    WHEN ${wasRejected} THEN ${reason("rejected")}
    ELSE ${reason("no_cost")} END`;
}

const discrepancies = TYPES_WITH_DISCREPANCY.map((type) => {
  const { kind, isExpected, isAgreeing } = expectationOf(type);
  const isOfApp = sql`${isExpected} AND ${COLUMNS[kind].appToken} = ${p("appToken")}`;
  const name = sql.raw(`'${type}'`);
  return sql`${name}, json_object('expected', coalesce(sum(iif(${isOfApp}, 1, 0)), 0), 'agreeing', coalesce(sum(iif(${isOfApp} AND ${isAgreeing}, 1, 0)), 0))`;
});
/** The first IDs of the partner, by the outcomes of their click and impression. */
const outcomes = query(
  {
    click: sql<MatchLoss | "matched" | null>`${outcomeOf("click")}`,
    impression: sql<MatchLoss | "matched" | null>`${outcomeOf("impression")}`,
    count: sql<number>`count(*)`,
    /** JSON with the counts of each cost type, over the last `RATE_DAYS` days with today. */
    discrepancies: sql<string>`json_object(${sql.join(discrepancies, sql`, `)})`,
  },
  sql`FROM (
    SELECT * FROM ${ledgerEntries} WHERE ${ledgerEntries.partnerId} = ${p("partnerId")}
    ORDER BY ${ledgerEntries.costId} LIMIT ${p("maxIds")} + 1
  ) e GROUP BY 1, 2`,
);

export interface FoundLosses {
  idLosses: Partial<Record<IdLoss, number>>;
  /** Of the IDs that were read: those of the last days, in which they are remembered. */
  matchLosses: Partial<Record<MatchLoss, number>>;
  /** By day and code, for engagements of the app. */
  rejected: Rejected[];
  discrepancies: { costType: CostType; expected: number; agreeing: number }[];
  /** Whether all counts of the days were read, and all IDs of the partner. */
  isIdComplete: boolean;
  isComplete: boolean;
}

/** Finds why clicks and impressions of an app have no cost, with one call to each database. Throws TooLargeError. */
export async function findLosses(
  ledger: Ledger,
  { appToken, partnerId, days }: { appToken: string; partnerId: number; days: DayRange },
  now: number,
  maxIds: number = MAX_IDS,
): Promise<FoundLosses> {
  const { from, to } = days;
  // Discrepancies are of their own days.
  const start = (dayOf(now) - RATE_DAYS + 1) * DAY_MS;
  const values = { appToken, partnerId, from, to, now, maxIds, start };
  const times = { since: from * DAY_MS, until: (to + 1) * DAY_MS };
  const parts = await Promise.all(
    databasesOf(ledger).map((db) =>
      runGated(ledger, db, [
        droppedIds(db, values),
        outcomes(db, { ...values, ...times }),
        rejectionsOf(db, partnerId, days, appToken),
      ]),
    ),
  );
  const idLosses: FoundLosses["idLosses"] = {};
  for (const { reason, count } of parts.flatMap(([dropped]) => dropped))
    if (reason !== null && count > 0) idLosses[reason] = (idLosses[reason] ?? 0) + count;
  const rows = parts.flatMap(([, found]) => found);
  const matchLosses: FoundLosses["matchLosses"] = {};
  for (const row of rows)
    for (const outcome of KINDS.map((kind) => row[kind]))
      if (outcome !== null && outcome !== "matched")
        matchLosses[outcome] = (matchLosses[outcome] ?? 0) + row.count;
  const counted = rows.map(
    (row): Record<string, { expected: number; agreeing: number }> => JSON.parse(row.discrepancies),
  );
  const sumOf = (type: CostType, name: "expected" | "agreeing") =>
    counted.reduce((sum, one) => sum + (one[type]?.[name] ?? 0), 0);
  const isWithin = (most: number, of: (part: (typeof parts)[number]) => number) =>
    parts.every((part) => of(part) <= most);
  return {
    idLosses,
    matchLosses,
    rejected: addRejections(parts.map(([, , rejected]) => rejected)),
    discrepancies: TYPES_WITH_DISCREPANCY.map((costType) => ({
      costType,
      expected: sumOf(costType, "expected"),
      agreeing: sumOf(costType, "agreeing"),
    })),
    isIdComplete: isWithin(MAX_COVERED, ([dropped]) => dropped.reduce((sum, row) => sum + row.scanned, 0)),
    isComplete: isWithin(maxIds, ([, found]) => found.reduce((sum, row) => sum + row.count, 0)),
  };
}
