/** The ledger: what partners sent and what links recorded, by ID. */
import { sql } from "drizzle-orm";
import type { CostType } from "../../domain/cost-types.ts";
import type { Platform } from "../../domain/engagements/audience.ts";
import { COST_WINDOW_MS, RETENTION_MS } from "../../domain/time.ts";
import { fits } from "../cost-types.ts";
import { flag, index, integer, primaryKey, sqliteTable, sqliteView, text, VIRTUAL } from "./columns.ts";

const WINDOW = sql.raw(String(COST_WINDOW_MS));
const RETENTION = sql.raw(String(RETENTION_MS));

/**
 * The ledger: one row for each ID of a partner, with its call, its click and its impression. The computed columns are the
 * matching rules (see domain/matching.ts for the same rules on a round), so the match is always a function of the row.
 */
export const ledgerEntries = sqliteTable(
  "ledger_entries",
  {
    partnerId: integer().notNull(),
    costId: text().notNull(),
    /** The call; null if there was none. After a void, the values that it removed. */
    costType: text().$type<CostType>(),
    currency: text(),
    /** Null when the call had no amount. */
    amount: integer(),
    tag: text(),
    /** The arrival of the call. Null for a void of a price on a URL. */
    receivedAt: integer(),
    /** `voided`: nothing counts. `lifted`: a call counts again, prices on URLs do not. */
    voidState: text({ enum: ["voided", "lifted"] }),
    /** The first recorded click. */
    clickAppToken: text(),
    clickLinkId: integer(),
    clickAt: integer(),
    /** Whether cost data was on at the time of the click. */
    clickCostDataOn: flag(),
    clickUrlCostType: text(),
    clickUrlCurrency: text(),
    clickUrlAmount: integer(),
    /**
     * Whether the price on the URL is a cost by itself, as decided when the click was recorded. 2: it is held until an operator
     * decides.
     */
    clickPriceCounts: integer(),
    /** The first recorded impression. */
    impressionAppToken: text(),
    impressionLinkId: integer(),
    impressionAt: integer(),
    impressionCostDataOn: flag(),
    impressionUrlCostType: text(),
    impressionUrlCurrency: text(),
    impressionUrlAmount: integer(),
    impressionPriceCounts: integer(),
    /** The engagement whose price the void removed. Null: it removed a call, or there was none. */
    voidKind: text({ enum: ["click", "impression"] }),
    /** Of two engagements, whether the click comes first: it happened before the impression or within the cost window after it. */
    clickFirst: integer().generatedAlwaysAs(sql`coalesce(click_at <= impression_at + ${WINDOW}, 1)`, VIRTUAL),
    clickUsable: integer().generatedAlwaysAs(
      sql`coalesce(${fits("click", "cost_type")} AND click_cost_data_on AND abs(received_at - click_at) <= ${WINDOW}, 0)`,
      VIRTUAL,
    ),
    impressionUsable: integer().generatedAlwaysAs(
      sql`coalesce(${fits("impression", "cost_type")} AND impression_cost_data_on AND abs(received_at - impression_at) <= ${WINDOW}, 0)`,
      VIRTUAL,
    ),
    /** The engagement that the call matches. */
    matchedKind: text({ enum: ["click", "impression"] }).generatedAlwaysAs(
      sql`CASE WHEN click_usable AND (click_first OR NOT impression_usable) THEN 'click' WHEN impression_usable THEN 'impression' END`,
      VIRTUAL,
    ),
    matchedAt: integer().generatedAlwaysAs(
      sql`CASE matched_kind WHEN 'click' THEN click_at WHEN 'impression' THEN impression_at END`,
      VIRTUAL,
    ),
    /**
     * After this, the row counts as absent: see RETENTION_MS. A matched call is never newer than its engagement by more than the
     * window.
     */
    rememberedUntil: integer().generatedAlwaysAs(
      sql`max(coalesce(click_at, 0), coalesce(impression_at, 0), iif(matched_kind IS NULL, coalesce(received_at, 0), 0)) + ${RETENTION}`,
      VIRTUAL,
    ),
    /** The prices that a call without an amount can take. */
    clickPrice: integer().generatedAlwaysAs(
      sql`CASE WHEN click_usable AND click_price_counts = 1 AND void_state IS NULL AND click_url_cost_type = cost_type AND click_url_currency = currency THEN click_url_amount END`,
      VIRTUAL,
    ),
    impressionPrice: integer().generatedAlwaysAs(
      sql`CASE WHEN impression_usable AND impression_price_counts = 1 AND void_state IS NULL AND impression_url_cost_type = cost_type AND impression_url_currency = currency THEN impression_url_amount END`,
      VIRTUAL,
    ),
    /** The amount of the call, else the price of the matched engagement, else of the other one. Null: unpriced. */
    amountInEffect: integer().generatedAlwaysAs(
      sql`coalesce(amount, iif(matched_kind = 'click', click_price, impression_price), click_price, impression_price)`,
      VIRTUAL,
    ),
    /** The state of the call. */
    state: text({ enum: ["voided", "pending", "unpriced", "matched"] }).generatedAlwaysAs(
      sql`CASE WHEN cost_type IS NULL THEN NULL WHEN void_state = 'voided' THEN 'voided' WHEN matched_kind IS NULL THEN 'pending' WHEN amount_in_effect IS NULL THEN 'unpriced' ELSE 'matched' END`,
      VIRTUAL,
    ),
    /** The engagement whose price counts by itself: no call matches, and the ID was never voided. */
    countingPrice: text({ enum: ["click", "impression"] }).generatedAlwaysAs(
      sql`CASE WHEN matched_kind IS NOT NULL OR void_state IS NOT NULL THEN NULL WHEN click_price_counts = 1 AND (click_first OR coalesce(impression_price_counts, 0) <> 1) THEN 'click' WHEN impression_price_counts = 1 THEN 'impression' END`,
      VIRTUAL,
    ),
    /** Where the click and the impression came from, as `daily_audience` counted them. Null in rows from before this was always counted. */
    clickCountry: text(),
    clickPlatform: text().$type<Platform>(),
    impressionCountry: text(),
    impressionPlatform: text().$type<Platform>(),
  },
  (table) => [
    primaryKey({ columns: [table.partnerId, table.costId] }),
    // Prices that are held. They cost nothing until one is.
    index("held_clicks")
      .on(table.partnerId, table.clickAppToken, table.clickAt)
      .where(sql`${table.clickPriceCounts} = 2`),
    index("held_impressions")
      .on(table.partnerId, table.impressionAppToken, table.impressionAt)
      .where(sql`${table.impressionPriceCounts} = 2`),
  ],
);

/**
 * To what the prices on URLs add up that were counted or held, so that they can be limited. Voids and calls give nothing back. With
 * shards, each has its own. Money in units of 0.00000001, and not a price of 1,000 impressions.
 */
export const dailyUrlPrices = sqliteTable(
  "daily_url_prices",
  {
    partnerId: integer().notNull(),
    appToken: text().notNull(),
    /** The day of the click or impression. Days since 1970 in UTC. */
    day: integer().notNull(),
    currency: text().notNull(),
    counted: integer().notNull(),
    held: integer().notNull(),
    heldCount: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.partnerId, table.appToken, table.day, table.currency] })],
);

/** What counts of each ID: its call, and a price on a URL. A view of the migrations. */
export const costStates = sqliteView("cost_states", {
  partnerId: integer().notNull(),
  costId: text().notNull(),
  source: text({ enum: ["call", "url"] }).notNull(),
  costType: text().$type<CostType>().notNull(),
  currency: text().notNull(),
  amount: integer(),
  state: text({ enum: ["pending", "unpriced", "matched"] }).notNull(),
  kind: text({ enum: ["click", "impression"] }),
  appToken: text().notNull(),
  linkId: integer().notNull(),
  day: integer().notNull(),
  country: text(),
  platform: text().$type<Platform>(),
}).existing();

/** Rows that left the ledger before the purge came, because their ID was used again. With the archive only. */
export const superseded = sqliteTable(
  "superseded",
  {
    partnerId: integer().notNull(),
    costId: text().notNull(),
    /** 1, 2, 3 … among the rows of the ID. */
    number: integer().notNull(),
    /** The walk during which the row was added. A later walk archives it, so what a walk archives never grows. */
    walk: integer().notNull(),
    /** As `entry_records` has it. */
    record: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.partnerId, table.costId, table.number] })],
);

/** The rows of the ledger as the archive keeps them, see archive/record.ts. A view of the migrations. */
export const entryRecords = sqliteView("entry_records", {
  partnerId: integer().notNull(),
  costId: text().notNull(),
  rememberedUntil: integer().notNull(),
  /** JSON. */
  record: text().notNull(),
}).existing();
