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
  appToken: text("app_token").notNull(),
  linkId: integer("link_id").notNull(),
  partnerId: integer("partner_id"),
  kind: text("kind", { enum: ["click", "impression"] }).notNull(),
  occurredAt: integer("occurred_at").notNull(),
  costId: text("cost_id"),
  costDataOn: flag("cost_data_on"),
  urlCostType: text("url_cost_type"),
  urlCurrency: text("url_currency"),
  urlAmount: integer("url_amount"),
  priceCounts: flag("price_counts"),
  /** A JSON array of [parameter, reason]. */
  dropped: text("dropped").notNull(),
  recordedAt: integer("recorded_at").notNull(),
  /** In DB, of a sharded ledger: the shard of the ID records the engagement, and DB only counts its dropped parameters. */
  isElsewhere: flag("is_elsewhere").notNull(),
  country: text("country").notNull(),
  platform: text("platform").$type<Platform>().notNull(),
  /** In units of 0.00001; null for none. With shards, that of one. */
  maxUrlSpend: integer("max_url_spend"),
}).existing();

/** The door for engagements without an ID, for which SQLite compiles less. One row can be several alike. */
export const plainRecordings = sqliteView("plain_recordings", {
  appToken: text("app_token").notNull(),
  linkId: integer("link_id").notNull(),
  partnerId: integer("partner_id"),
  kind: text("kind", { enum: ["click", "impression"] }).notNull(),
  occurredAt: integer("occurred_at").notNull(),
  /** Is only returned. */
  costDataOn: flag("cost_data_on"),
  /** As in `recordings`. */
  dropped: text("dropped").notNull(),
  country: text("country").notNull(),
  platform: text("platform").$type<Platform>().notNull(),
  count: integer("count").notNull(),
}).existing();

/** The door for what engagements add to `daily_engagements` and `daily_audience`. */
export const engagementCounts = sqliteView("engagement_counts", {
  appToken: text("app_token").notNull(),
  linkId: integer("link_id").notNull(),
  partnerId: integer("partner_id"),
  kind: text("kind", { enum: ["click", "impression"] }).notNull(),
  day: integer("day").notNull(),
  country: text("country").notNull(),
  platform: text("platform").$type<Platform>().notNull(),
  count: integer("count").notNull(),
  /** How many of them the ledger keeps. */
  recorded: integer("recorded").notNull(),
}).existing();

/** The door for the parameters that engagements do not use: a row inserted into this view is added to `dropped_parameters`. */
export const drops = sqliteView("drops", {
  linkId: integer("link_id").notNull(),
  day: integer("day").notNull(),
  /** As in `recordings`. */
  dropped: text("dropped").notNull(),
  count: integer("count").notNull(),
}).existing();

/**
 * The door for engagements that `recordings` judged: their day, the country and platform that count, and whether each is the first of
 * its ID and kind. A view of the migrations with a trigger, so that what was judged is read once for all tables.
 */
export const judgedRecordings = sqliteView("judged_recordings", {
  appToken: text("app_token").notNull(),
  linkId: integer("link_id").notNull(),
  partnerId: integer("partner_id"),
  kind: text("kind", { enum: ["click", "impression"] }).notNull(),
  occurredAt: integer("occurred_at").notNull(),
  day: integer().notNull(),
  costId: text("cost_id"),
  costDataOn: flag("cost_data_on"),
  urlCostType: text("url_cost_type"),
  urlCurrency: text("url_currency"),
  urlAmount: integer("url_amount"),
  priceCounts: integer("price_counts"),
  country: text("country").notNull(),
  platform: text("platform").$type<Platform>().notNull(),
  isFirst: flag("is_first").notNull(),
}).existing();

/**
 * The door for calls that begin to count or end: a row inserted into this view is added to `countings`, or subtracted. A view of the
 * migrations with a trigger, so that what counts of a call is written once.
 */
export const callCounts = sqliteView("call_counts", {
  partnerId: integer("partner_id").notNull(),
  /** 1 adds, -1 subtracts. */
  sign: integer("sign").notNull(),
  state: text("state", { enum: ["voided", "pending", "unpriced", "matched"] }),
  costType: text("cost_type").$type<CostType>(),
  currency: text("currency"),
  amount: integer("amount"),
  matchedKind: text("matched_kind", { enum: ["click", "impression"] }),
  receivedAt: integer("received_at"),
  clickAppToken: text("click_app_token"),
  clickLinkId: integer("click_link_id"),
  clickAt: integer("click_at"),
  clickCountry: text("click_country"),
  clickPlatform: text("click_platform").$type<Platform>(),
  impressionAppToken: text("impression_app_token"),
  impressionLinkId: integer("impression_link_id"),
  impressionAt: integer("impression_at"),
  impressionCountry: text("impression_country"),
  impressionPlatform: text("impression_platform").$type<Platform>(),
}).existing();

/** The same for the price on a URL that counts. */
export const priceCounts = sqliteView("price_counts", {
  partnerId: integer("partner_id").notNull(),
  sign: integer("sign").notNull(),
  countingPrice: text("counting_price", { enum: ["click", "impression"] }),
  clickAppToken: text("click_app_token"),
  clickLinkId: integer("click_link_id"),
  clickAt: integer("click_at"),
  clickCountry: text("click_country"),
  clickPlatform: text("click_platform").$type<Platform>(),
  clickUrlCostType: text("click_url_cost_type"),
  clickUrlCurrency: text("click_url_currency"),
  clickUrlAmount: integer("click_url_amount"),
  impressionAppToken: text("impression_app_token"),
  impressionLinkId: integer("impression_link_id"),
  impressionAt: integer("impression_at"),
  impressionCountry: text("impression_country"),
  impressionPlatform: text("impression_platform").$type<Platform>(),
  impressionUrlCostType: text("impression_url_cost_type"),
  impressionUrlCurrency: text("impression_url_currency"),
  impressionUrlAmount: integer("impression_url_amount"),
}).existing();

/**
 * The door for totals: a row inserted into this view is added to `daily_totals`, and to `daily_audience_spend` if it is not pending.
 * A view of the migrations with a trigger, so that what counts of an ID is read once for both.
 */
export const countings = sqliteView("countings", {
  appToken: text("app_token").notNull(),
  day: integer("day").notNull(),
  linkId: integer("link_id").notNull(),
  partnerId: integer("partner_id").notNull(),
  costType: text("cost_type").$type<CostType>().notNull(),
  currency: text("currency").notNull(),
  state: text("state", { enum: ["pending", "unpriced", "matched"] }).notNull(),
  count: integer("count").notNull(),
  amount: integer("amount").notNull(),
  country: text("country"),
  platform: text("platform").$type<Platform>(),
}).existing();

/**
 * The door for costs: a row inserted into this view is stored in the ledger if its verdict is `store`. A view of the migrations with
 * a trigger, so that one statement judges costs, stores them and returns what became of each.
 */
export const submissions = sqliteView("submissions", {
  partnerId: integer("partner_id").notNull(),
  costId: text("cost_id").notNull(),
  costType: text("cost_type").$type<CostType>().notNull(),
  currency: text().notNull(),
  amount: integer(),
  tag: text().notNull(),
  receivedAt: integer("received_at").notNull(),
  voidState: text("void_state", { enum: ["voided", "lifted"] }),
  verdict: text().$type<"store" | "duplicate" | "credential_revoked" | RejectionCode>().notNull(),
  submittedAt: integer("submitted_at").notNull(),
  /** The app of an engagement that has the ID and fits the type; empty if there is none. */
  appToken: text("app_token").notNull(),
}).existing();

/** The door for rejected costs of live credentials, whose trigger is in migrations/rules.sql. Nothing is stored under this name. */
export const rejections = sqliteView("rejections", {
  partnerId: integer("partner_id").notNull(),
  appToken: text("app_token").notNull(),
  code: text().$type<RejectionCode>().notNull(),
  rejectedAt: integer("rejected_at").notNull(),
  costId: text("cost_id"),
  tag: text(),
  params: text(),
}).existing();
