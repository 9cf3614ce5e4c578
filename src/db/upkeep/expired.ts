/**
 * Deletes the rows that expire: sessions of users and of partners, access tokens, what single sign-on keeps for a while, the
 * responses stored for idempotency keys, what the workspace changed of links, closed alerts, events and their deliveries,
 * rejected costs, and their counts, those of dropped parameters, and the sums of prices on URLs.
 */
import { type SQL, sql, type Table } from "drizzle-orm";
import { DAY_MS, HOUR_MS, KEPT_COUNTS_MS, KEPT_REJECTIONS_MS } from "../../domain/time.ts";
import { ATTEMPT_MS } from "../accounts/identities.ts";
import { KEPT_ALERTS_MS } from "../alerts/alerts.ts";
import { KEY_LIFE_MS } from "../idempotency.ts";
import { pairsOf, prices } from "../ledger/rejections.ts";
import { UNDO_MS } from "../links/changes.ts";
import { alias, as, limitTo, names } from "../query.ts";
import {
  accessTokens,
  alerts,
  dailyRejections,
  dailyUrlPrices,
  droppedParameters,
  idempotencyKeys,
  linkChanges,
  partnerSessions,
  partners,
  recentRejections,
  sessions,
  signInAttempts,
  usedStates,
  webhookDeliveries,
  webhookEvents,
} from "../schema.ts";
import { runBatch, statement } from "../statement.ts";

const now = sql.placeholder("now");
const { userId, appToken, operation, key, createdAt } = idempotencyKeys;

/** How long the list of a user shows that an access token has expired. */
const EXPIRED_TOKEN_MS = 30 * DAY_MS;

const removalOf = (table: Table, primaryKey: SQL, expired: SQL) =>
  statement(
    sql`DELETE FROM ${table} WHERE (${primaryKey}) IN ( ${expired} ${limitTo("slice")} ) RETURNING 1`,
  );

const removalIf = (table: Table, primaryKey: SQL, isExpired: SQL) =>
  removalOf(table, primaryKey, sql`SELECT ${primaryKey} FROM ${table} WHERE ${isExpired}`);

/**
 * The counts have no index by day, because each would cost one more written row. A run looks at those of a part of the links, and at
 * the next part an hour later. The number is prime, so a cron that runs once a day reaches all parts too.
 */
const PARTS = 23;
const d = alias(droppedParameters, "d");
const time = sql`CAST(${now} AS INTEGER)`;
const part = sql`${time} / ${sql.raw(String(HOUR_MS))} % ${sql.raw(String(PARTS))}`;
/** The first day whose counts are kept. */
const firstKept = sql`(${time} - ${sql.raw(String(KEPT_COUNTS_MS))}) / ${sql.raw(String(DAY_MS))}`;
const borderOf = (index: SQL) =>
  sql`(SELECT max(${names(d.linkId)}) FROM ${droppedParameters}) * (${index}) / ${sql.raw(String(PARTS))}`;
/** The links that have counts, one search each: a shard has no list of links. */
const nextLink = (after: SQL) =>
  sql`(SELECT min(${d.linkId}) FROM ${as(d)} WHERE ${d.linkId} > ${after} AND ${d.linkId} <= ${borderOf(sql`${part} + 1`)})`;
const expiredCounts = sql`SELECT ${d.linkId}, ${d.day}, ${d.param}, ${d.reason} FROM (
    WITH RECURSIVE counted(id) AS (
      SELECT ${nextLink(borderOf(part))} UNION ALL SELECT ${nextLink(sql`counted.id`)} FROM counted WHERE counted.id IS NOT NULL
    ) SELECT id FROM counted
  ) ids CROSS JOIN ${as(d)} ON ${d.linkId} = ids.id AND ${d.day} < ${firstKept}`;

const { partnerId, appToken: app, day, code } = dailyRejections;
const rejectionKey = names(partnerId, app, day, code);
const expiredRejections = sql`${pairsOf(sql`${partners.id}`, sql`FROM ${partners}`)}
  SELECT ${partnerId}, ${app}, ${day}, ${code} FROM pairs CROSS JOIN ${dailyRejections} ON ${partnerId} = pairs.partner_id AND ${app} = pairs.app
    AND ${day} < ${firstKept}`;

const expiredPrices = sql`${pairsOf(sql`${partners.id}`, sql`FROM ${partners}`, prices)}
  SELECT ${prices.partnerId}, ${prices.appToken}, ${prices.day}, ${prices.currency}
  FROM pairs CROSS JOIN ${as(prices)} ON ${prices.partnerId} = pairs.partner_id AND ${prices.appToken} = pairs.app AND ${prices.day} < ${firstKept}`;

const k = alias(recentRejections, "k");
const w = alias(webhookDeliveries, "w");
/** Longer than a delivery is tried. */
const KEPT_EVENTS_MS = 30 * DAY_MS;
const isOldEvent = sql`${webhookEvents.happenedAt} <= ${now} - ${sql.raw(String(KEPT_EVENTS_MS))}`;

const remove = {
  sessions: removalIf(sessions, names(sessions.idHash), sql`${sessions.expiresAt} <= ${now}`),
  partner_sessions: removalIf(
    partnerSessions,
    names(partnerSessions.idHash),
    sql`${partnerSessions.expiresAt} <= ${now}`,
  ),
  access_tokens: removalIf(
    accessTokens,
    names(accessTokens.tokenHash),
    sql`${accessTokens.expiresAt} <= ${now} - ${sql.raw(String(EXPIRED_TOKEN_MS))}`,
  ),
  link_changes: removalIf(
    linkChanges,
    names(linkChanges.id),
    sql`${linkChanges.changedAt} <= ${now} - ${sql.raw(String(UNDO_MS))}`,
  ),
  used_states: removalIf(usedStates, names(usedStates.stateHash), sql`${usedStates.expiresAt} <= ${now}`),
  sign_in_attempts: removalIf(
    signInAttempts,
    names(signInAttempts.id),
    sql`${signInAttempts.attemptedAt} <= ${now} - ${sql.raw(String(ATTEMPT_MS))}`,
  ),
  idempotency_keys: removalIf(
    idempotencyKeys,
    names(userId, appToken, operation, key),
    sql`${createdAt} <= ${now} - ${sql.raw(String(KEY_LIFE_MS))}`,
  ),
  alerts: removalIf(
    alerts,
    names(alerts.id),
    sql`${alerts.closedAt} <= ${now} - ${sql.raw(String(KEPT_ALERTS_MS))}`,
  ),
  // Those of an event are gone before the event, and one that is not spread yet has none.
  webhook_deliveries: removalOf(
    webhookDeliveries,
    names(webhookDeliveries.id),
    sql`SELECT ${w.id} FROM ${webhookEvents} CROSS JOIN ${as(w)} ON ${w.eventId} = ${webhookEvents.id} WHERE ${isOldEvent}`,
  ),
  webhook_events: removalOf(
    webhookEvents,
    names(webhookEvents.id),
    sql`SELECT ${webhookEvents.id} FROM ${webhookEvents}
      WHERE ${isOldEvent} AND NOT EXISTS (SELECT 1 FROM ${as(w)} WHERE ${w.eventId} = ${webhookEvents.id})`,
  ),
  dropped_parameters: removalOf(
    droppedParameters,
    names(droppedParameters.linkId, droppedParameters.day, droppedParameters.param, droppedParameters.reason),
    expiredCounts,
  ),
  daily_rejections: removalOf(dailyRejections, rejectionKey, expiredRejections),
  daily_url_prices: removalOf(
    dailyUrlPrices,
    names(dailyUrlPrices.partnerId, dailyUrlPrices.appToken, dailyUrlPrices.day, dailyUrlPrices.currency),
    expiredPrices,
  ),
  recent_rejections: removalOf(
    recentRejections,
    names(recentRejections.partnerId, recentRejections.code, recentRejections.number),
    sql`SELECT ${k.partnerId}, ${k.code}, ${k.number} FROM ${partners} CROSS JOIN ${as(k)} ON ${k.partnerId} = ${partners.id}
      AND ${k.rejectedAt} < ${now} - ${sql.raw(String(KEPT_REJECTIONS_MS))}`,
  ),
};

export type ExpiringTable = keyof typeof remove;

/** Deletes at most `slice` expired rows. Returns whether there may be more. */
export async function deleteExpired(
  db: D1Database,
  table: ExpiringTable,
  at: number,
  slice: number,
): Promise<boolean> {
  const [deleted] = await runBatch(db, remove[table](db, { now: at, slice }));
  return deleted.length === slice;
}
