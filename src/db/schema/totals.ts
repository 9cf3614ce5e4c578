/** What the ledger adds up for reports. */
import { sql } from "drizzle-orm";
import type { CostType } from "../../domain/cost-types.ts";
import type { Platform } from "../../domain/engagements/audience.ts";
import type { DropReason } from "../../domain/engagements/sub-links.ts";
import type { RejectionCode } from "../../domain/matching.ts";
import { users } from "./accounts.ts";
import { apps } from "./apps.ts";
import { index, integer, primaryKey, reference, sqliteTable, sqliteView, text } from "./columns.ts";
import { links } from "./links.ts";
import { partners } from "./partners.ts";

/** The ledger's totals, maintained by triggers. The purge keeps them. A pending cost has no app and link yet: '' and 0. */
export const dailyTotals = sqliteTable(
  "daily_totals",
  {
    appToken: text().notNull(),
    /** The day of the engagement, or of the cost's arrival while it is pending. Days since 1970 in UTC. */
    day: integer().notNull(),
    linkId: integer().notNull(),
    partnerId: integer().notNull(),
    costType: text().$type<CostType>().notNull(),
    currency: text().notNull(),
    state: text({ enum: ["matched", "pending", "unpriced"] }).notNull(),
    count: integer().notNull(),
    amount: integer().notNull(),
  },
  (table) => [
    primaryKey({
      columns: [
        table.appToken,
        table.day,
        table.linkId,
        table.partnerId,
        table.costType,
        table.currency,
        table.state,
      ],
    }),
  ],
);

/** Corrections of spend by operators, in DB only. Reports add them to the totals. */
export const adjustments = sqliteTable(
  "adjustments",
  {
    id: integer().primaryKey(),
    appToken: text()
      .notNull()
      .references(() => apps.token),
    /** Days since 1970 in UTC. */
    day: integer().notNull(),
    linkId: reference(() => links.id),
    partnerId: reference(() => partners.id),
    costType: text().$type<CostType>().notNull(),
    currency: text().notNull(),
    /** Money in units of 0.00000001, negative or positive. Of types per mille too: not a price of 1,000 impressions. */
    amount: integer().notNull(),
    reason: text().notNull(),
    userId: reference(() => users.id),
    createdAt: integer().notNull(),
  },
  (table) => [
    index("adjustments_by_app").on(table.appToken),
    // All that reports read.
    index("adjustments_by_day").on(
      table.appToken,
      table.day,
      table.linkId,
      table.partnerId,
      table.costType,
      table.currency,
      table.amount,
    ),
  ],
);

/** The number of clicks and impressions of people, with and without a cost ID. The purge keeps it. */
export const dailyEngagements = sqliteTable(
  "daily_engagements",
  {
    appToken: text().notNull(),
    /** Days since 1970 in UTC. */
    day: integer().notNull(),
    linkId: integer().notNull(),
    /** The partner in effect; 0 if there was none. */
    partnerId: integer().notNull(),
    kind: text({ enum: ["click", "impression"] }).notNull(),
    count: integer().notNull(),
    /** How many of them went to the ledger. */
    recorded: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.appToken, table.day, table.linkId, table.partnerId, table.kind] }),
  ],
);

/** ISO 3166-1 alpha-2, or `XX` if it is not known. */
const country = () => text().notNull();
const platform = () => text().$type<Platform>().notNull();

/**
 * The clicks and impressions of `daily_engagements` by country and platform. The link comes before the day, because reports are about
 * a link or its sub-links. The purge deletes old days.
 */
export const dailyAudience = sqliteTable(
  "daily_audience",
  {
    appToken: text().notNull(),
    linkId: integer().notNull(),
    /** Days since 1970 in UTC. */
    day: integer().notNull(),
    /** The partner in effect; 0 if there was none. */
    partnerId: integer().notNull(),
    kind: text({ enum: ["click", "impression"] }).notNull(),
    country: country(),
    platform: platform(),
    count: integer().notNull(),
    /** How many of them went to the ledger. */
    recorded: integer().notNull(),
  },
  ({ appToken, linkId, day, partnerId, kind, country, platform }) => [
    primaryKey({ columns: [appToken, linkId, day, partnerId, kind, country, platform] }),
  ],
);

/**
 * How many rows of `daily_audience` an app has on a day in this database, without those that are unknown. Maintained by a trigger.
 * From MAX_AUDIENCE_KEYS on, an engagement that would need another row is counted as unknown.
 */
export const audienceKeys = sqliteTable(
  "audience_keys",
  {
    appToken: text().notNull(),
    /** Days since 1970 in UTC. */
    day: integer().notNull(),
    count: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.appToken, table.day] })],
);

/** The matched and unpriced costs of `daily_totals` by country and platform of their click or impression. */
export const dailyAudienceSpend = sqliteTable(
  "daily_audience_spend",
  {
    appToken: text().notNull(),
    linkId: integer().notNull(),
    /** The day of the engagement. Days since 1970 in UTC. */
    day: integer().notNull(),
    partnerId: integer().notNull(),
    costType: text().$type<CostType>().notNull(),
    currency: text().notNull(),
    state: text({ enum: ["matched", "unpriced"] }).notNull(),
    country: country(),
    platform: platform(),
    count: integer().notNull(),
    amount: integer().notNull(),
  },
  ({ appToken, linkId, day, partnerId, costType, currency, state, country, platform }) => [
    primaryKey({ columns: [appToken, linkId, day, partnerId, costType, currency, state, country, platform] }),
  ],
);

/** The days on which an app has the most rows of `daily_audience`. */
export const fullAudiences = sqliteView("full_audiences", {
  appToken: text().notNull(),
  day: integer().notNull(),
}).existing();

/**
 * The costs of live credentials that were rejected. Costs that were judged are counted where their ID is, by a trigger, and invalid
 * ones in DB.
 */
export const dailyRejections = sqliteTable(
  "daily_rejections",
  {
    partnerId: integer().notNull(),
    /** As in `submissions`. Empty for an invalid cost. */
    appToken: text().notNull(),
    /** Days since 1970 in UTC. */
    day: integer().notNull(),
    code: text().$type<RejectionCode>().notNull(),
    count: integer().notNull(),
  },
  // In this order, the rows of a partner, and those of a partner and an app, are beside each other.
  (table) => [primaryKey({ columns: [table.partnerId, table.appToken, table.day, table.code] })],
);

/**
 * The newest rejected costs of each partner and code, for a week: at most `MOST_RECENT` in a database, because a trigger writes the
 * next one in the place of the oldest.
 */
export const recentRejections = sqliteTable(
  "recent_rejections",
  {
    partnerId: integer().notNull(),
    code: text().$type<RejectionCode>().notNull(),
    /** In the order in which they were rejected. */
    number: integer().notNull(),
    rejectedAt: integer().notNull(),
    /** As it was sent, without what is invisible at its ends, up to its greatest length. Null if there was none, or if the cost could not be read. */
    costId: text(),
    tag: text(),
    /** As in `daily_rejections`. */
    appToken: text().notNull(),
    /** The parameters that were wrong, with a space between them. Null for other codes than invalid_request. */
    params: text(),
  },
  (table) => [primaryKey({ columns: [table.partnerId, table.code, table.number] })],
);

/** Counts the parameters that were dropped from URLs, by link, day, parameter and reason. */
export const droppedParameters = sqliteTable(
  "dropped_parameters",
  {
    linkId: integer().notNull(),
    day: integer().notNull(),
    param: text().notNull(),
    reason: text().$type<DropReason>().notNull(),
    count: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.linkId, table.day, table.param, table.reason] }),
    // Costs nothing until a cost ID comes in two apps.
    index("other_app_ids").on(table.day).where(sql`${table.reason} = 'other_app'`),
  ],
);
