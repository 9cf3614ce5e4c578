/** The tables of partners, their credentials and their integration rounds. */
import { sql } from "drizzle-orm";
import type { CostType } from "../../domain/cost-types.ts";
import { apps } from "./apps.ts";
import { check, flag, index, integer, primaryKey, reference, sqliteTable, text } from "./columns.ts";

export const partners = sqliteTable("partners", {
  id: integer().primaryKey(),
  displayName: text().notNull(),
  supportsCostData: flag().notNull(),
  /** Sends engagements from its own servers, so impression URLs carry `s2s=1`. */
  serverToServer: flag().notNull(),
  /** Raw query templates, stored byte for byte. */
  clickParameters: text().notNull(),
  impressionParameters: text().notNull(),
  costParameters: text().notNull(),
  /** The cost types that passed an integration round, as a bit mask; never 0 when `supports_cost_data` is set. */
  integratedTypes: integer().notNull().default(0),
  /** Since when an operator keeps this partner from sending costs; null if it may send them. */
  stoppedAt: integer(),
  /**
   * The highest price that a URL can carry, in units of 0.00001 of any currency, because anyone can write to a public URL. Every
   * insert gives it.
   */
  maxUrlAmount: integer().notNull().default(1_000_000_000),
  createdAt: integer().notNull(),
  /**
   * To how much the prices on URLs of one app, currency and day can add up until they are held, in units of 0.00001. Null: without
   * limit.
   */
  maxUrlSpend: integer(),
  /** The macros of the templates that our parameters have, as `listMacros` writes them. */
  macros: text().notNull().default(""),
});

/** One row: the number of partners, and a revision that changes with every change to a partner. Maintained by triggers. */
export const partnerCatalog = sqliteTable(
  "partner_catalog",
  {
    id: integer().primaryKey(),
    partnerCount: integer().notNull(),
    revision: text().notNull(),
  },
  (table) => [check("one_row", sql`${table.id} = 1`)],
);

/** The credentials with which partners call the cost API. Revoked ones are kept to distinguish them from unknown ones. */
export const credentials = sqliteTable("credentials", {
  id: integer().primaryKey(),
  tokenHash: text("token_hash").notNull().unique(),
  partnerId: reference(() => partners.id),
  mode: text({ enum: ["live", "test"] }).notNull(),
  /** A bit mask; see domain/cost-types.ts. */
  costTypes: integer().notNull(),
  /** For a test credential: the integration round that its costs go to. */
  roundId: integer().references(() => rounds.id),
  hint: text().notNull(),
  createdAt: integer().notNull(),
  revokedAt: integer(),
});

/** A browser that is signed in with a credential, which every request checks again. The cookie holds the session ID. */
export const partnerSessions = sqliteTable("partner_sessions", {
  idHash: text().primaryKey(),
  /** The `token_hash` of the credential. */
  tokenHash: text().notNull(),
  createdAt: integer().notNull(),
  expiresAt: integer().notNull(),
});

/** The rates of a partner's integrated cost types, as the cron counts them once a day. See domain/figures/rates.ts. */
export const partnerRates = sqliteTable(
  "partner_rates",
  {
    partnerId: reference(() => partners.id),
    costType: text().$type<CostType>().notNull(),
    computedAt: integer().notNull(),
    matched: integer().notNull(),
    /** Null if there were too many to count. */
    recorded: integer(),
    /** Null for cost types without a discrepancy. */
    expected: integer(),
    agreeing: integer(),
  },
  (table) => [primaryKey({ columns: [table.partnerId, table.costType] })],
);

/** The discrepancy of a partner in each app, as the cron counts it once a day. */
export const appRates = sqliteTable(
  "app_rates",
  {
    appToken: text()
      .notNull()
      .references(() => apps.token),
    partnerId: reference(() => partners.id),
    costType: text().$type<CostType>().notNull(),
    expected: integer().notNull(),
    agreeing: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.appToken, table.partnerId, table.costType] }),
    index("app_rates_by_partner").on(table.partnerId),
  ],
);

/**
 * When the last cost and the last click of each partner came, as the hourly cron finds it: there is no row for each, so it compares
 * the counts of the last days with those of the run before.
 */
export const partnerActivity = sqliteTable("partner_activity", {
  partnerId: integer()
    .primaryKey()
    .references(() => partners.id),
  /** The hour of the run, in hours since 1970. */
  hour: integer().notNull(),
  /** The first day of the counts. */
  firstDay: integer().notNull(),
  /** Costs in any state and rejections since then. */
  costs: integer().notNull(),
  clicks: integer().notNull(),
  /** The hour of the run that found it, or the end of its day if the first run did. */
  lastCostAt: integer(),
  lastClickAt: integer(),
  /** Of the partner's open rounds, at the time of the run. */
  openMismatches: integer().notNull(),
});

/** Integration rounds, in which a partner tests some cost types. At most one open round per partner and cost type. */
export const rounds = sqliteTable(
  "rounds",
  {
    id: integer().primaryKey(),
    partnerId: reference(() => partners.id),
    /** A bit mask; see domain/cost-types.ts. */
    costTypes: integer().notNull(),
    state: text({ enum: ["open", "closed", "approved"] }).notNull(),
    openedAt: integer().notNull(),
    endedAt: integer(),
    /** Maintained by a trigger. */
    entryCount: integer().notNull().default(0),
    /** The report at the end of the round, as JSON, because the purge later deletes the engagements that it covers. */
    finalReport: text(),
    /** The cost types that went live, as a bit mask; null unless approved, and for all of the round's. */
    approvedTypes: integer(),
  },
  (table) => [index("rounds_by_partner").on(table.partnerId)],
);

/** The submissions with a test credential. They never become costs. */
export const roundEntries = sqliteTable(
  "round_entries",
  {
    roundId: reference(() => rounds.id),
    /** 1, 2, 3 … within the round, in the order of arrival. */
    number: integer().notNull(),
    receivedAt: integer().notNull(),
    /** The cost ID as sent, truncated to the maximum length of a cost ID; null when it was missing. */
    costId: text(),
    /** The rest, as JSON: the parameters, their errors or the parsed cost, the engagements at that time, the result. */
    record: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.roundId, table.number] })],
);

/** Mismatches that an operator dismissed: `entry 12`, or `click` or `impression` and a cost ID. */
export const roundDismissals = sqliteTable(
  "round_dismissals",
  {
    roundId: reference(() => rounds.id),
    finding: text().notNull(),
    dismissedAt: integer().notNull(),
    reason: text(),
  },
  (table) => [primaryKey({ columns: [table.roundId, table.finding] })],
);
