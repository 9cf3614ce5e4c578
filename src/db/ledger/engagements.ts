/**
 * The statements that record engagements: each is counted, and kept in the ledger if it has an ID. The trigger of the view `recordings`
 * does both, and updates the totals of the costs that it matches.
 */
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Kind } from "../../domain/cost-types.ts";
import type { Engagement, OpenedLink } from "../../domain/costs.ts";
import type { Audience } from "../../domain/engagements/audience.ts";
import { LEVEL_PARAMETERS } from "../../domain/engagements/sub-links.ts";
import { DAY_MS, RETENTION_MS } from "../../domain/time.ts";
import { message, resolved, target } from "../links/sub-links/resolve.ts";
import { alias, as, insertInto, jsonObject, jsonRows, names, pick, type RowOf, returning } from "../query.ts";
import { droppedParameters, ledgerEntries, links, plainRecordings, recordings } from "../schema.ts";
import { runGroupedIdempotent, statement } from "../statement.ts";
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

/** Of a parameter of a price: it is invalid, or the price is not used with the cost ID, or does not count. */
const priceReason = (reason: SQL) => sql`CASE WHEN ${reason} IN ('unfilled_macro', 'invalid') THEN ${reason}
  WHEN ${target.hasMacroId} THEN iif(${target.isPriced}, 'cost_id_dropped', NULL) WHEN ${costDataOn} THEN ${reason} END`;

type Reasons = [parameter: string, reason: SQL][];
/** Why an engagement does not use the names of sub-links that its URL has, or NULL. */
const NAME_REASONS: Reasons = [
  [LEVEL_PARAMETERS[0], target.reason2],
  [LEVEL_PARAMETERS[1], target.reason3],
  [LEVEL_PARAMETERS[2], target.reason4],
];
const PRICE_REASONS: Reasons = [
  ["cost_type", priceReason(target.typeReason)],
  ["cost_amount", priceReason(target.amountReason)],
  ["cost_currency", priceReason(target.currencyReason)],
];
/** The same of the ID and the price. Without an ID there is no price, but its parameters can be macros. */
const ID_REASONS: Reasons = [
  ["cost_id", sql`iif(${target.hasMacroId}, 'unfilled_macro', NULL)`],
  ...PRICE_REASONS,
];
/** The dropped parameters, with those that the URL shows by itself. Inserting at `$`, which is there, changes nothing. */
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
export const recorded = {
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
  ...pick(recordings, "costId", "partnerId", "costDataOn", "dropped"),
  level: levelOf(recordings.linkId),
  kept,
  /** A `NewEngagement` as JSON, if a shard records it. */
  elsewhere: sql<string | null>`iif(${recordings.isElsewhere}, ${jsonObject(engagement)}, NULL)`,
};
/** What a statement of these returns of an engagement. */
export type RecordedRow = RowOf<typeof result>;

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
export const recordDownTo = downTo(insertInto(recordings, recorded), result);
/** The same for those without an ID. */
const countWith = (reasons: Reasons) =>
  downTo(
    insertInto(plainRecordings, {
      ...counted,
      dropped: droppedFor(reasons),
      count: sql`coalesce(${message("count")}, 1)`,
    }),
    {
      costId: sql<string | null>`NULL`,
      ...pick(plainRecordings, "partnerId", "costDataOn", "dropped"),
      level: levelOf(plainRecordings.linkId),
      kept: sql<string | null>`NULL`,
      elsewhere: sql<string | null>`NULL`,
    },
  );
export const countDownTo = countWith(NAME_REASONS);
export const countWithMacrosDownTo = countWith([...PRICE_REASONS, ...NAME_REASONS]);

/** Counts engagements that are not recorded, on their opened links and the day on which they are dropped. */
export const countUnrecorded = statement<never>(
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
  sql`WITH ${jsonRows("engagements")} ${insertInto(recordings, {
    ...Object.fromEntries(Object.keys(engagement).map((key) => [key, fromJson(key)])),
    dropped: sql`'[]'`,
    recordedAt: now,
    isElsewhere: sql`0`,
  })}
    FROM j
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

/** Whether a value of its price can be a macro of the partner. */
export const hasPriceMacro = ({ otherForms }: OpenedLink) =>
  otherForms !== undefined && PRICE_REASONS.some(([parameter]) => parameter in otherForms);
