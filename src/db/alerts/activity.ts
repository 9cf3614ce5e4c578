/** Reads and stores `cost_activity`, for the hourly cron. */
import { sql } from "drizzle-orm";
import { type Activity, type Counts, NOBODY, type Pair } from "../../domain/alerts/activity.ts";
import { pairsOf } from "../ledger/rejections.ts";
import { alias, as, excluded, insertInto, jsonValues, names, query, type Sent } from "../query.ts";
import {
  apps,
  costActivity,
  dailyEngagements,
  dailyRejections,
  dailyTotals,
  links,
  partners,
} from "../schema.ts";
import { type Bound, chunk, statement } from "../statement.ts";

const { appToken, partnerId, hour, firstDay, accepted, rejected, recorded } = costActivity;
const { newAccepted, newRejected, hours, lastCostAt, waitingSince } = costActivity;
const counted = { hour, firstDay, accepted, rejected, recorded, newAccepted, newRejected, hours };
const stored = { appToken, partnerId, ...counted, lastCostAt, waitingSince };

/** The row of a partner in an app; '' is that of operators. */
export type OfApp = Activity & { appToken: string };
/** The rows of these apps. */
export const storedActivity = query(
  stored,
  sql`FROM json_each(${sql.placeholder("apps")}) j CROSS JOIN ${costActivity} ON ${appToken} = j.value`,
);

/** An app whose totals are read: for itself, or for operators (''), from a day on. */
export interface Scope {
  app: string;
  of: string;
  /** The first day that is counted now, and that of the run before. */
  first: number;
  since: number;
}

const t = alias(dailyTotals, "t");
const g = alias(dailyEngagements, "g");
const r = alias(dailyRejections, "r");
const scope = jsonValues("app", "of", "first", "since");
const scopes = sql`json_each(${sql.placeholder("scopes")}) j`;
const [first, since] = [sql.placeholder("first"), sql.placeholder("since")];

const costs = query(
  {
    of: sql<string>`${scope.of}`,
    partnerId: t.partnerId,
    now: sql<number>`sum(iif(${t.day} >= ${scope.first}, ${t.count}, 0))`,
    since: sql<number>`sum(${t.count})`,
  },
  sql`FROM ${scopes} CROSS JOIN ${as(t)} ON ${t.appToken} = ${scope.app} AND ${t.day} >= ${scope.since} GROUP BY 1, 2`,
);
const engagements = query(
  {
    of: sql<string>`${scope.of}`,
    partnerId: g.partnerId,
    now: sql<number>`sum(iif(${g.day} >= ${scope.first}, ${g.recorded}, 0))`,
    since: sql<number>`sum(${g.recorded})`,
  },
  sql`FROM ${scopes} CROSS JOIN ${as(g)} ON ${g.appToken} = ${scope.app} AND ${g.day} >= ${scope.since}
    WHERE ${g.partnerId} <> 0 GROUP BY 1, 2`,
);
const rejectionsInApps = query(
  {
    of: sql<string>`${scope.of}`,
    partnerId: r.partnerId,
    now: sql<number>`sum(iif(${r.day} >= ${scope.first}, ${r.count}, 0))`,
    since: sql<number>`sum(${r.count})`,
  },
  sql`FROM ${scopes} CROSS JOIN ${partners}
    CROSS JOIN ${as(r)} ON ${r.partnerId} = ${partners.id} AND ${r.appToken} = ${scope.app} AND ${r.day} >= ${scope.since}
    GROUP BY 1, 2`,
);
const allRejections = query(
  {
    of: sql<string>`''`,
    partnerId: r.partnerId,
    now: sql<number>`sum(iif(${r.day} >= ${first}, ${r.count}, 0))`,
    since: sql<number>`sum(${r.count})`,
  },
  sql`FROM (
    ${pairsOf(sql`${partners.id}`, sql`FROM ${partners}`)} SELECT partner_id, app FROM pairs
  ) q CROSS JOIN ${as(r)} ON ${r.partnerId} = q.partner_id AND ${r.appToken} = q.app AND ${r.day} >= ${since} GROUP BY 1, 2`,
);
export type CountRow = { of: string; partnerId: number; now: number; since: number };

/** Reads the counts of scopes, all of which are of operators or none: three statements, for a batch on every database. */
export function countsOf(db: D1Database, all: Scope[]): Bound<CountRow>[] {
  const [one] = all;
  const values = { scopes: JSON.stringify(all) };
  const rejections =
    one?.of === "" ? allRejections(db, { first: one.first, since: one.since }) : rejectionsInApps(db, values);
  return [costs(db, values), engagements(db, values), rejections] as Bound<CountRow>[];
}

/** The counts of all databases, by whom they are for. */
export function addCounts(parts: CountRow[][][]): Map<string, Counts[]> {
  const found = new Map<string, Map<number, Counts>>();
  for (const part of parts)
    part.forEach((rows, index) => {
      const name = (["accepted", "recorded", "rejected"] as const)[index] ?? "accepted";
      for (const { of, partnerId, now, since } of rows) {
        const ofScope = found.get(of) ?? new Map<number, Counts>();
        found.set(of, ofScope);
        const zero = (): Pair => [0, 0];
        const counts = ofScope.get(partnerId) ?? {
          ...{ partnerId, accepted: zero(), rejected: zero(), recorded: zero() },
        };
        counts[name] = [counts[name][0] + now, counts[name][1] + since];
        ofScope.set(partnerId, counts);
      }
    });
  return new Map([...found].map(([of, rows]) => [of, [...rows.values()]]));
}

const pair = jsonValues("app", "partner");
const l = alias(links, "l");
const isOn = sql`${l.partnerId} = ${pair.partner} AND ${l.costSwitch} = 1 AND ${l.archived} = 0`;
const pairFields = { app: sql<string>`${pair.app}`, partner: sql<number>`${pair.partner}` };
const pairs = sql`FROM json_each(${sql.placeholder("pairs")}) j`;
/** Of these pairs, those with a link whose cost data is on. */
export const expectedInApps = query(
  pairFields,
  sql`${pairs} WHERE EXISTS (
    SELECT 1 FROM ${as(l)} INDEXED BY links_by_partner WHERE ${l.appToken} = ${pair.app} AND ${isOn}
  )`,
);
/** The same in any app. */
export const expectedAnywhere = query(
  pairFields,
  sql`${pairs} WHERE EXISTS (
    SELECT 1 FROM ${apps} CROSS JOIN ${as(l)} INDEXED BY links_by_partner ON ${l.appToken} = ${apps.token} AND ${isOn}
  )`,
);

const sent = jsonValues(
  ...(["appToken", "partnerId", "hour", "firstDay", "accepted", "rejected", "recorded"] as const),
  ...(["newAccepted", "newRejected", "hours", "lastCostAt", "waitingSince"] as const),
);
/** A run that was overtaken writes nothing. */
const write = statement<unknown>(sql`
  ${insertInto(costActivity, sent)} FROM json_each(${sql.placeholder("rows")}) j WHERE true
  ON CONFLICT (${names(appToken, partnerId)}) DO UPDATE SET
    ${excluded(hour, firstDay, accepted, rejected, recorded, newAccepted, newRejected, hours, lastCostAt, waitingSince)}
  WHERE excluded.hour > ${hour}
`);
/** When the rules of an app, or of operators (null), were checked: in hours since 1970; no row before the first time. */
const checked = query(
  { hour: costActivity.hour },
  sql`FROM ${costActivity} WHERE ${costActivity.appToken} = ${sql.placeholder("appToken")} AND ${costActivity.partnerId} = ${sql.raw(String(NOBODY))}`,
);
export const findCheckedHour = (db: D1Database, app: string | null) => checked(db, { appToken: app ?? "" });

const ROWS_PER_STATEMENT = 5_000;

export function storeActivity(db: D1Database, rows: OfApp[]): Bound<unknown>[] {
  const all: Sent<typeof sent>[] = rows;
  return chunk(all, ROWS_PER_STATEMENT).map((part) => write(db, { rows: JSON.stringify(part) }));
}
