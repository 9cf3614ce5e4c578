/**
 * Every table, once. Times are integer milliseconds since 1970 bound by the caller, money is an integer count of
 * 0.00001 currency units. What Drizzle cannot say (STRICT, WITHOUT ROWID, triggers, views) stands in the migration.
 */
import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

const flag = (name: string) => integer(name, { mode: "boolean" });

export const users = sqliteTable("users", {
  id: integer().primaryKey(),
  email: text().notNull().unique(),
  role: text({ enum: ["member", "operator"] }).notNull(),
  createdAt: integer("created_at").notNull(),
});

/** One API token a user; the row goes with a reset, so what is not here is dead. */
export const apiTokens = sqliteTable("api_tokens", {
  tokenHash: text("token_hash").primaryKey(),
  userId: integer("user_id")
    .notNull()
    .unique()
    .references(() => users.id),
  hint: text().notNull(),
  createdAt: integer("created_at").notNull(),
});

export const apps = sqliteTable("apps", {
  token: text().primaryKey(),
  name: text().notNull(),
  defaultUrl: text("default_url").notNull(),
  iosUrl: text("ios_url"),
  androidUrl: text("android_url"),
  /** JSON array of host names that a click may redirect to over http(s). */
  redirectHosts: text("redirect_hosts", { mode: "json" }).$type<string[]>().notNull(),
  /** JSON array of URL schemes, without the colon. */
  redirectSchemes: text("redirect_schemes", { mode: "json" }).$type<string[]>().notNull(),
  /** Level-1 links, kept by a trigger. */
  linkCount: integer("link_count").notNull().default(0),
  createdAt: integer("created_at").notNull(),
});

export const memberships = sqliteTable(
  "memberships",
  {
    userId: integer("user_id")
      .notNull()
      .references(() => users.id),
    appToken: text("app_token")
      .notNull()
      .references(() => apps.token),
  },
  (table) => [primaryKey({ columns: [table.userId, table.appToken] })],
);

export const partners = sqliteTable("partners", {
  id: integer().primaryKey(),
  displayName: text("display_name").notNull(),
  supportsCostData: flag("supports_cost_data").notNull(),
  /** Sends engagements from its own servers, so impression URLs carry `s2s=1`. */
  serverToServer: flag("server_to_server").notNull(),
  /** Raw query templates, kept byte for byte. */
  clickParameters: text("click_parameters").notNull(),
  impressionParameters: text("impression_parameters").notNull(),
  costParameters: text("cost_parameters").notNull(),
  createdAt: integer("created_at").notNull(),
});

/** One row: how many partners there are, and a mark that changes with any of them. Kept by triggers. */
export const partnerCatalogue = sqliteTable(
  "partner_catalogue",
  {
    id: integer().primaryKey(),
    partnerCount: integer("partner_count").notNull(),
    revision: text().notNull(),
  },
  (table) => [check("one_row", sql`${table.id} = 1`)],
);

export const links = sqliteTable(
  "links",
  {
    /** Creation order, hence the order of every list. */
    id: integer().primaryKey(),
    token: text().notNull().unique(),
    appToken: text("app_token")
      .notNull()
      .references(() => apps.token),
    parentId: integer("parent_id"),
    level: integer().notNull(),
    label: text().notNull(),
    archived: flag("archived").notNull().default(false),
    /** The link's own; null inherits the nearest ancestor's. */
    partnerId: integer("partner_id").references(() => partners.id),
    costSwitch: flag("cost_switch"),
    /** Kept by a trigger. */
    childCount: integer("child_count").notNull().default(0),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    index("links_by_parent").on(table.appToken, table.parentId),
    check("four_levels", sql`${table.level} BETWEEN 1 AND 4`),
  ],
);

/** What a partner sends to the cost interface. Revoked ones stay, to be told from unknown ones. */
export const credentials = sqliteTable("credentials", {
  tokenHash: text("token_hash").primaryKey(),
  partnerId: integer("partner_id")
    .notNull()
    .references(() => partners.id),
  mode: text({ enum: ["live", "test"] }).notNull(),
  /** Comma-separated, for instance `cpc,cpi`. */
  costTypes: text("cost_types").notNull(),
  hint: text().notNull(),
  createdAt: integer("created_at").notNull(),
  revokedAt: integer("revoked_at"),
});

/** The ledger, first table. The key is the rule: the first of a (partner, cost id, kind) stands. */
export const engagements = sqliteTable(
  "engagements",
  {
    partnerId: integer("partner_id").notNull(),
    costId: text("cost_id").notNull(),
    kind: text({ enum: ["click", "impression"] }).notNull(),
    appToken: text("app_token").notNull(),
    linkId: integer("link_id").notNull(),
    occurredAt: integer("occurred_at").notNull(),
    /** Whether cost data was on for the link at that moment. */
    eligible: flag("eligible").notNull(),
    urlCostType: text("url_cost_type"),
    urlCurrency: text("url_currency"),
    urlAmount: integer("url_amount"),
  },
  (table) => [primaryKey({ columns: [table.partnerId, table.costId, table.kind] })],
);

/** The ledger, second table: one cost per (partner, cost id). Its match is derived, see the view `cost_states`. */
export const costs = sqliteTable(
  "costs",
  {
    partnerId: integer("partner_id").notNull(),
    costId: text("cost_id").notNull(),
    costType: text("cost_type").notNull(),
    currency: text().notNull(),
    /** Null until someone says it. */
    amount: integer(),
    tag: text(),
    source: text({ enum: ["call", "url"] }).notNull(),
    receivedAt: integer("received_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.partnerId, table.costId] })],
);

/** What the ledger adds up to, kept by triggers, untouched by the purge. A pending cost has no app yet: '' and 0. */
export const dailyTotals = sqliteTable(
  "daily_totals",
  {
    appToken: text("app_token").notNull(),
    /** Days since 1970 in UTC, of the engagement; of the cost's arrival while it is pending. */
    day: integer().notNull(),
    linkId: integer("link_id").notNull(),
    partnerId: integer("partner_id").notNull(),
    costType: text("cost_type").notNull(),
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

/** Cost parameters on a URL that were dropped because they were bad: how many, by link, day and parameter. */
export const droppedParameters = sqliteTable(
  "dropped_parameters",
  {
    linkId: integer("link_id").notNull(),
    day: integer().notNull(),
    param: text().notNull(),
    count: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.linkId, table.day, table.param] })],
);

/** The slice that the purge walked last in each ledger table: after one key, until another, null for the end. */
export const purgePositions = sqliteTable("purge_positions", {
  ledgerTable: text("ledger_table", {
    enum: ["costs", "engagements"],
  }).primaryKey(),
  afterPartnerId: integer("after_partner_id").notNull(),
  afterCostId: text("after_cost_id").notNull(),
  untilPartnerId: integer("until_partner_id"),
  untilCostId: text("until_cost_id"),
  walkedAt: integer("walked_at").notNull(),
});
