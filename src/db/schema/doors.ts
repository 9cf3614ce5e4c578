/** The doors of the ledger: views into which rows are inserted, with triggers that store them elsewhere. */
import type { CostType } from "../../domain/cost-types.ts";
import type { Platform } from "../../domain/engagements/audience.ts";
import type { RejectionCode } from "../../domain/matching.ts";
import { flag, integer, sqliteView, text } from "./columns.ts";

/**
 * The door for engagements: a row inserted into this view is counted, kept in the ledger if it has an ID and is the first of its
 * kind, and its dropped parameters are counted. A view of the migrations with a trigger, so that all of it is one statement.
 */
export const recordings = sqliteView("recordings", {
  appToken: text().notNull(),
  linkId: integer().notNull(),
  partnerId: integer(),
  kind: text({ enum: ["click", "impression"] }).notNull(),
  occurredAt: integer().notNull(),
  costId: text(),
  costDataOn: flag(),
  urlCostType: text(),
  urlCurrency: text(),
  urlAmount: integer(),
  priceCounts: flag(),
  /** A JSON array of [parameter, reason]. */
  dropped: text().notNull(),
  recordedAt: integer().notNull(),
  /** In DB, of a sharded ledger: the shard of the ID records the engagement, and DB only counts its dropped parameters. */
  isElsewhere: flag().notNull(),
  country: text().notNull(),
  platform: text().$type<Platform>().notNull(),
  /** In units of 0.00001; null for none. With shards, that of one. */
  maxUrlSpend: integer(),
}).existing();

/** The door for engagements without an ID, for which SQLite compiles less. One row can be several alike. */
export const plainRecordings = sqliteView("plain_recordings", {
  appToken: text().notNull(),
  linkId: integer().notNull(),
  partnerId: integer(),
  kind: text({ enum: ["click", "impression"] }).notNull(),
  occurredAt: integer().notNull(),
  /** Is only returned. */
  costDataOn: flag(),
  /** As in `recordings`. */
  dropped: text().notNull(),
  country: text().notNull(),
  platform: text().$type<Platform>().notNull(),
  count: integer().notNull(),
}).existing();

/** The door for what engagements add to `daily_engagements` and `daily_audience`. */
export const engagementCounts = sqliteView("engagement_counts", {
  appToken: text().notNull(),
  linkId: integer().notNull(),
  partnerId: integer(),
  kind: text({ enum: ["click", "impression"] }).notNull(),
  day: integer().notNull(),
  country: text().notNull(),
  platform: text().$type<Platform>().notNull(),
  count: integer().notNull(),
  /** How many of them the ledger keeps. */
  recorded: integer().notNull(),
}).existing();

/** The door for the parameters that engagements do not use: a row inserted into this view is added to `dropped_parameters`. */
export const drops = sqliteView("drops", {
  linkId: integer().notNull(),
  day: integer().notNull(),
  /** As in `recordings`. */
  dropped: text().notNull(),
  count: integer().notNull(),
}).existing();

/**
 * The door for engagements that `recordings` judged: their day, the country and platform that count, and whether each is the first of
 * its ID and kind. A view of the migrations with a trigger, so that what was judged is read once for all tables.
 */
export const judgedRecordings = sqliteView("judged_recordings", {
  appToken: text().notNull(),
  linkId: integer().notNull(),
  partnerId: integer(),
  kind: text({ enum: ["click", "impression"] }).notNull(),
  occurredAt: integer().notNull(),
  day: integer().notNull(),
  costId: text(),
  costDataOn: flag(),
  urlCostType: text(),
  urlCurrency: text(),
  urlAmount: integer(),
  priceCounts: integer(),
  country: text().notNull(),
  platform: text().$type<Platform>().notNull(),
  isFirst: flag().notNull(),
}).existing();

/**
 * The door for calls that begin to count or end: a row inserted into this view is added to `countings`, or subtracted. A view of the
 * migrations with a trigger, so that what counts of a call is written once.
 */
export const callCounts = sqliteView("call_counts", {
  partnerId: integer().notNull(),
  /** 1 adds, -1 subtracts. */
  sign: integer().notNull(),
  state: text({ enum: ["voided", "pending", "unpriced", "matched"] }),
  costType: text().$type<CostType>(),
  currency: text(),
  amount: integer(),
  matchedKind: text({ enum: ["click", "impression"] }),
  receivedAt: integer(),
  clickAppToken: text(),
  clickLinkId: integer(),
  clickAt: integer(),
  clickCountry: text(),
  clickPlatform: text().$type<Platform>(),
  impressionAppToken: text(),
  impressionLinkId: integer(),
  impressionAt: integer(),
  impressionCountry: text(),
  impressionPlatform: text().$type<Platform>(),
}).existing();

/** The same for the price on a URL that counts. */
export const priceCounts = sqliteView("price_counts", {
  partnerId: integer().notNull(),
  sign: integer().notNull(),
  countingPrice: text({ enum: ["click", "impression"] }),
  clickAppToken: text(),
  clickLinkId: integer(),
  clickAt: integer(),
  clickCountry: text(),
  clickPlatform: text().$type<Platform>(),
  clickUrlCostType: text(),
  clickUrlCurrency: text(),
  clickUrlAmount: integer(),
  impressionAppToken: text(),
  impressionLinkId: integer(),
  impressionAt: integer(),
  impressionCountry: text(),
  impressionPlatform: text().$type<Platform>(),
  impressionUrlCostType: text(),
  impressionUrlCurrency: text(),
  impressionUrlAmount: integer(),
}).existing();

/**
 * The door for totals: a row inserted into this view is added to `daily_totals`, and to `daily_audience_spend` if it is not pending.
 * A view of the migrations with a trigger, so that what counts of an ID is read once for both.
 */
export const countings = sqliteView("countings", {
  appToken: text().notNull(),
  day: integer().notNull(),
  linkId: integer().notNull(),
  partnerId: integer().notNull(),
  costType: text().$type<CostType>().notNull(),
  currency: text().notNull(),
  state: text({ enum: ["pending", "unpriced", "matched"] }).notNull(),
  count: integer().notNull(),
  amount: integer().notNull(),
  country: text(),
  platform: text().$type<Platform>(),
}).existing();

/**
 * The door for costs: a row inserted into this view is stored in the ledger if its verdict is `store`. A view of the migrations with
 * a trigger, so that one statement judges costs, stores them and returns what became of each.
 */
export const submissions = sqliteView("submissions", {
  partnerId: integer().notNull(),
  costId: text().notNull(),
  costType: text().$type<CostType>().notNull(),
  currency: text().notNull(),
  amount: integer(),
  tag: text().notNull(),
  receivedAt: integer().notNull(),
  voidState: text({ enum: ["voided", "lifted"] }),
  verdict: text().$type<"store" | "duplicate" | "credential_revoked" | RejectionCode>().notNull(),
  submittedAt: integer().notNull(),
  /** The app of an engagement that has the ID and fits the type; empty if there is none. */
  appToken: text().notNull(),
}).existing();

/** The door for rejected costs of live credentials, whose trigger is in migrations/rules.sql. Nothing is stored under this name. */
export const rejections = sqliteView("rejections", {
  partnerId: integer().notNull(),
  appToken: text().notNull(),
  code: text().$type<RejectionCode>().notNull(),
  rejectedAt: integer().notNull(),
  costId: text(),
  tag: text(),
  params: text(),
}).existing();
