/**
 * Records engagements: each is counted, and kept in the ledger if it has an ID. The trigger of the view `recordings` does both,
 * and updates the totals of the costs that it matches. One call to D1; with shards one to DB and one to the shard of the ID.
 */
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core/alias";
import type { Kind } from "../../domain/cost-types.ts";
import type { Engagement, OpenedLink } from "../../domain/costs.ts";
import { likenessOf, merge } from "../../domain/engagements/alike.ts";
import type { Audience } from "../../domain/engagements/audience.ts";
import { LEVEL_PARAMETERS } from "../../domain/engagements/sub-links.ts";
import { expectDefined } from "../../domain/expect-defined.ts";
import { DAY_MS, RETENTION_MS } from "../../domain/time.ts";
import { foundPaths } from "../isolate-memory.ts";
import { creationStatements, depthOf, message, resolved, target } from "../links/sub-links.ts";
import { as, insertInto, jsonObject, names, type RowOf, returning } from "../query.ts";
import { droppedParameters, ledgerEntries, links, plainRecordings, recordings } from "../schema.ts";
import {
  type Bound,
  joinWaiting,
  type Run,
  runGrouped,
  runGroupedIdempotent,
  runIdempotent,
  statement,
} from "../statement.ts";
import { byDatabase, isInPlace, type Ledger, placeOf, runInPlace } from "./shards.ts";

/** An engagement with an ID, whose link and partner are known. */
export interface NewEngagement extends Engagement, Audience {
  partnerId: number;
  costId: string;
  kind: Kind;
  appToken: string;
  linkId: number;
  /** As in `recordings`. Undefined: without limit. */
  maxUrlSpend?: number | null;
}

const now = sql.placeholder("now");
const costDataOn = sql<number | null>`${target.costSwitch} AND ${target.takesCosts}`;
const priceCounts = sql<number | null>`coalesce(${costDataOn} AND ${target.takesPrice}, 0)`;

const dropsPrice = sql`iif(${target.hasMacroId} AND ${target.isPriced}, 'cost_id_dropped', NULL)`;

type Reasons = [parameter: string, reason: SQL][];
/** Why an engagement does not use the names of sub-links that its URL has, or NULL. */
const NAME_REASONS: Reasons = [
  [LEVEL_PARAMETERS[0], target.reason2],
  [LEVEL_PARAMETERS[1], target.reason3],
  [LEVEL_PARAMETERS[2], target.reason4],
];
/** The same of the ID and the price. Without an ID there is no price. */
const ID_REASONS: Reasons = [
  ["cost_id", sql`iif(${target.hasMacroId}, 'unfilled_macro', NULL)`],
  ["cost_type", dropsPrice],
  ["cost_amount", dropsPrice],
  [
    "cost_currency",
    sql`iif(${target.hasMacroId}, ${dropsPrice}, iif(${costDataOn}, ${target.currencyReason}, NULL))`,
  ],
];
/** The dropped parameters, with those that the URL alone shows. Inserting at `$`, which is there, changes nothing. */
const droppedFor = (reasons: Reasons) =>
  sql`json_insert(${message("dropped")}, ${sql.join(
    reasons.map(
      ([parameter, reason]) =>
        sql`iif(${reason} IS NULL, '$', '$[#]'), json_array('${sql.raw(parameter)}', ${reason})`,
    ),
    sql`, `,
  )})`;

const costId = sql<
  string | null
>`iif(${target.partnerId} IS NULL OR ${target.hasMacroId} OR (${message("isGenerated")} AND NOT ${priceCounts}),
  NULL, ${message("costId")})`;

/** The columns of an engagement that `resolved` provides as the row `x`. */
const counted = {
  appToken: target.appToken,
  linkId: target.linkId,
  partnerId: target.partnerId,
  kind: message("kind"),
  occurredAt: message("occurredAt"),
  costDataOn,
  country: message("country"),
  platform: message("platform"),
};
/** The columns of `recordings`. */
const recorded = {
  ...counted,
  costId,
  urlCostType: message("urlCostType"),
  urlCurrency: message("urlCurrency"),
  urlAmount: message("urlAmount"),
  priceCounts,
  dropped: droppedFor([...ID_REASONS, ...NAME_REASONS]),
  recordedAt: now,
  isElsewhere: sql`${sql.placeholder("isSharded")} AND ${costId} IS NOT NULL`,
  maxUrlSpend: target.maxUrlSpend,
};

const e = alias(ledgerEntries, "e");
const l = alias(links, "l");
/**
 * Of the engagement that the ledger keeps for this ID and kind: its time, and whether its price is held, as JSON, because each column
 * would read the row again.
 */
const kept = sql<string | null>`(SELECT iif(${recordings.kind} = 'click',
    json_array(${e.clickAt}, ${e.clickPriceCounts} IS 2), json_array(${e.impressionAt}, ${e.impressionPriceCounts} IS 2))
  FROM ${as(e)} WHERE ${e.partnerId} = ${recordings.partnerId} AND ${e.costId} = ${recordings.costId})`;
/** What a shard needs to record an engagement. */
const engagement = {
  appToken: recordings.appToken,
  linkId: recordings.linkId,
  partnerId: recordings.partnerId,
  kind: recordings.kind,
  occurredAt: recordings.occurredAt,
  costId: recordings.costId,
  costDataOn: recordings.costDataOn,
  urlCostType: recordings.urlCostType,
  urlCurrency: recordings.urlCurrency,
  urlAmount: recordings.urlAmount,
  priceCounts: recordings.priceCounts,
  country: recordings.country,
  platform: recordings.platform,
  maxUrlSpend: recordings.maxUrlSpend,
};
const levelOf = (linkId: SQLWrapper) =>
  sql<number>`(SELECT ${l.level} FROM ${as(l)} WHERE ${l.id} = ${linkId})`;
const result = {
  costId: recordings.costId,
  partnerId: recordings.partnerId,
  costDataOn: recordings.costDataOn,
  dropped: recordings.dropped,
  level: levelOf(recordings.linkId),
  kept,
  /** A `NewEngagement` as JSON, if a shard records it. */
  elsewhere: sql<string | null>`iif(${recordings.isElsewhere}, ${jsonObject(engagement)}, NULL)`,
};
type Row = RowOf<typeof result>;

/**
 * The statements for opened links whose URLs name sub-links down to a level, in the order of the opened links. With
 * `onlyComplete`, they record nothing for a link whose sub-links are not all found.
 */
function downTo<Result extends { level: SQL }>(insertion: SQL, result: Result) {
  return [1, 2, 3, 4].map((depth) =>
    returning(
      sql`${insertion} FROM (${resolved(depth)}) x
      WHERE ${isInPlace} AND (${target.level} = ${sql.raw(String(depth))} OR NOT ${sql.placeholder("onlyComplete")})
      ORDER BY ${message("occurredAt")}`,
      depth === 1 ? { ...result, level: sql<number>`1` } : result,
    ),
  );
}
const recordDownTo = downTo(insertInto(recordings, recorded), result);
/** The same for those without an ID. */
const countDownTo = downTo(
  insertInto(plainRecordings, {
    ...counted,
    dropped: droppedFor(NAME_REASONS),
    count: sql`coalesce(${message("count")}, 1)`,
  }),
  {
    costId: sql<string | null>`NULL`,
    partnerId: plainRecordings.partnerId,
    costDataOn: plainRecordings.costDataOn,
    dropped: plainRecordings.dropped,
    level: levelOf(plainRecordings.linkId),
    kept: sql<string | null>`NULL`,
    elsewhere: sql<string | null>`NULL`,
  },
);

/** Counts engagements that are not recorded, on their opened links and the day on which they are dropped. */
const countUnrecorded = statement<never>(
  sql`${insertInto(droppedParameters, {
    linkId: l.id,
    day: sql`CAST(${now} / ${sql.raw(String(DAY_MS))} AS INTEGER)`,
    param: sql`'engagement'`,
    reason: sql.placeholder("reason"),
    count: sql`coalesce(j.value ->> 'count', 1)`,
  })} FROM json_each(${sql.placeholder("opened")}) j CROSS JOIN ${as(l)} ON ${l.token} = j.value ->> 'linkToken' WHERE ${isInPlace}
    ON CONFLICT DO UPDATE SET ${names(droppedParameters.count)} = ${names(droppedParameters.count)} + excluded.${names(droppedParameters.count)}`,
);

const fromJson = (key: string) => sql.raw(`j.value ->> '${key}'`);
const insertion = returning(
  sql`${insertInto(recordings, {
    ...Object.fromEntries(Object.keys(engagement).map((key) => [key, fromJson(key)])),
    dropped: sql`'[]'`,
    recordedAt: now,
    isElsewhere: sql`0`,
  })}
    FROM json_each(${sql.placeholder("engagements")}) j
    WHERE ${isInPlace} AND ${fromJson("occurredAt")} >= ${now} - ${sql.raw(String(RETENTION_MS))}
    ORDER BY ${fromJson("occurredAt")}`,
  { costId: recordings.costId, kept },
);

/**
 * Records engagements with one call per database. A call can be repeated. Returns the rows of each database, or the error, with the
 * engagements that it is for. `now` in milliseconds since 1970.
 */
export function insertEngagements(ledger: Ledger, added: NewEngagement[], now: number) {
  return Promise.all(
    byDatabase(ledger, added).map(async ([db, items]) => {
      const values = { engagements: JSON.stringify(items), now, ...placeOf(ledger, db) };
      const run = runGroupedIdempotent(items.length);
      try {
        const [rows] = await runInPlace(ledger, db, [insertion(db, values)], run);
        return { items, rows };
      } catch (error) {
        return { items, error };
      }
    }),
  );
}

/**
 * Records engagements whose links and partners it looks up. Creates the sub-links that they name, or with `onlyComplete` records
 * nothing for a link whose sub-links are not all found. Alike ones become one row. While one with a `likeness` waits for its call,
 * others can join it. `rows` has the results, `failed` the engagements of each shard that failed, and `tooOld` those that are dropped.
 * Throws if DB fails.
 */
export async function recordAll(
  ledger: Ledger,
  delivered: OpenedLink[],
  now: number,
  { onlyComplete = false, likeness }: { onlyComplete?: boolean; likeness?: string | undefined } = {},
): Promise<{
  rows: Pick<Row, "costDataOn" | "costId" | "partnerId" | "level" | "dropped" | "kept">[];
  failed: Failed[];
  tooOld: OpenedLink[];
}> {
  const isTooOld = ({ occurredAt }: OpenedLink) => occurredAt < now - RETENTION_MS;
  const tooOld = delivered.filter(isTooOld);
  const opened = merge(delivered.filter((one) => !isTooOld(one)));
  const db = ledger.control;
  const isSharded = ledger.shards.length > 0;
  const values = (links: OpenedLink[]) => ({
    opened: JSON.stringify(links),
    now,
    isSharded: Number(isSharded),
    onlyComplete: Number(onlyComplete),
    ...placeOf(ledger, db),
  });
  const depth = depthOf(opened);
  const [withoutId, withId] = [opened.filter(isOnlyCounted), opened.filter((one) => !isOnlyCounted(one))];
  const parts = [
    { links: withId, statement: expectDefined(recordDownTo[depth - 1]) },
    { links: withoutId, statement: expectDefined(countDownTo[depth - 1]) },
  ].filter(({ links }) => links.length > 0);
  const unrecorded = { opened: JSON.stringify(tooOld), reason: "too_old", now, ...placeOf(ledger, db) };
  const drops = tooOld.length > 0 ? [countUnrecorded(db, unrecorded)] : [];
  const bind = () => [
    ...drops,
    ...(onlyComplete ? [] : creationStatements(db, depth, values(opened))),
    ...parts.map(({ links, statement }) => statement(db, values(links))),
  ];
  const batch = await runInPlace(ledger, db, bind(), runFor(delivered, likeness, bind));
  const rows = batch.slice(batch.length - parts.length).flat() as Row[];
  if (!isSharded) return { rows, failed: [], tooOld };
  const onShards = rows.flatMap(({ elsewhere }) =>
    elsewhere ? [JSON.parse(elsewhere) as NewEngagement] : [],
  );
  const onEachShard = await insertEngagements(ledger, onShards, now);
  const onShard = new Map(
    onEachShard.flatMap((part) => ("rows" in part ? part.rows.map((row) => [row.costId, row]) : [])),
  );
  return {
    rows: rows.map((row) => ({ ...row, kept: null, ...onShard.get(row.costId) })),
    failed: onEachShard.flatMap((part) =>
      "error" in part ? [{ opened: openedOf(part.items, opened), error: part.error }] : [],
    ),
    tooOld,
  };
}

const isOnlyCounted = ({ costId }: OpenedLink) => costId === null;

/** An engagement without an ID would be counted again if its call was repeated. The queue delivers messages again anyway. */
function runFor(
  [first, second]: OpenedLink[],
  likeness: string | undefined,
  bind: () => Bound<unknown>[],
): Run {
  if (second || !first) return runIdempotent;
  if (first.costId !== null) return runGroupedIdempotent();
  return runGrouped(0, likeness === undefined ? undefined : { key: likeness, item: first, bind });
}

/** The opened links of a database that failed. */
interface Failed {
  opened: OpenedLink[];
  error: unknown;
}

/** The opened links that became these engagements. */
function openedOf(engagements: NewEngagement[], opened: OpenedLink[]): OpenedLink[] {
  const keyOf = ({ costId, kind }: OpenedLink | NewEngagement) => `${kind} ${costId}`;
  const keys = new Set(engagements.map(keyOf));
  return opened.filter((one) => keys.has(keyOf(one)));
}

/** What became of an engagement. */
export interface Recorded {
  /** The ID in the ledger; null if the engagement was only counted. */
  costId: string | null;
  partnerId: number | null;
  /** The ledger already had an engagement with this partner, ID and kind. */
  isDuplicate: boolean;
  /** The names of the parameters that were dropped. */
  dropped: string[];
  /** Whether cost data was on for the link. */
  hasCostData: boolean;
}

/** The opened link and the sub-links that the URL names. */
export const pathOf = ({ linkToken, subLinks }: OpenedLink) =>
  [linkToken, ...subLinks.map(({ name }) => name ?? "")].join("::");

/**
 * Records the engagement of a person, for whom nobody waits. One without an ID is added to an alike one that waits for its call: in
 * that row, so never twice, and lost if that one is. Throws if it is lost, with those in its count.
 */
export async function recordInPassing(ledger: Ledger, opened: OpenedLink, now: number): Promise<void> {
  const likeness = likenessOf(opened);
  if (likeness === undefined || !joinWaiting(ledger.control, likeness))
    await recordOne(ledger, opened, now, likeness);
}

/** Bots are counted while there is room: what people and partners send comes first. */
const MAX_BEFORE_BOTS = 500;

/**
 * Counts that a bot opened a link, in one row with others that wait. Nothing else of its request is used. Throws TooManyWaitingError
 * if it is left out.
 */
export async function countBot(ledger: Ledger, linkToken: string, now: number): Promise<void> {
  const db = ledger.control;
  const key = JSON.stringify(["bot", linkToken, Math.floor(now / DAY_MS)]);
  if (joinWaiting(db, key)) return;
  const item = { linkToken, count: 1 };
  const values = () => ({ opened: JSON.stringify([item]), reason: "bot", now, ...placeOf(ledger, db) });
  const bind = () => [countUnrecorded(db, values())];
  await runInPlace(ledger, db, bind(), runGrouped(0, { key, item, bind, maxWaiting: MAX_BEFORE_BOTS }));
}

/** Records one engagement. Returns undefined if its link does not exist. `now` in milliseconds since 1970. */
export async function recordOne(
  ledger: Ledger,
  opened: OpenedLink,
  now: number,
  likeness?: string,
): Promise<Recorded | undefined> {
  const path = pathOf(opened);
  const isKnown = foundPaths.has(path, now);
  const { rows, failed } = await recordAll(ledger, [opened], now, { onlyComplete: isKnown, likeness });
  if (failed[0]) throw failed[0].error;
  const [row] = rows;
  if (!row && isKnown) {
    foundPaths.delete(path);
    return recordOne(ledger, opened, now, likeness);
  }
  if (!row) return undefined;
  const depth = depthOf([opened]);
  if (depth > 1 && row.level === depth) foundPaths.set(path, true, now);
  const [keptAt, isHeld] = JSON.parse(row.kept ?? "[]") as [number?, number?];
  const isDuplicate = row.costId !== null && keptAt !== opened.occurredAt;
  const dropped = (JSON.parse(row.dropped) as [string, string][]).map(([parameter]) => parameter);
  if (isDuplicate) dropped.push("cost_id");
  else if (isHeld) dropped.push("cost_amount");
  return {
    costId: row.costId,
    partnerId: row.partnerId,
    isDuplicate,
    hasCostData: row.costDataOn === 1,
    dropped,
  };
}
