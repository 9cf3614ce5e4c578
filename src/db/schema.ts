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
  /** Self-describing scrypt hash; null for a user of single sign-on. */
  passwordHash: text("password_hash"),
  /** A disabled user has neither API token nor session: a trigger takes them away. */
  disabledAt: integer("disabled_at"),
  createdAt: integer("created_at").notNull(),
});

/** A signed-in browser. The cookie holds the id, this its SHA-256. */
export const sessions = sqliteTable(
  "sessions",
  {
    idHash: text("id_hash").primaryKey(),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [index("sessions_by_user").on(table.userId)],
);

/** One API token a user; the row goes with a reset, so what is not here is dead. */
export const apiTokens = sqliteTable("api_tokens", {
  tokenHash: text("token_hash").primaryKey(),
  userId: integer("user_id")
    .notNull()
    .unique()
    .references(() => users.id),
  hint: text().notNull(),
  /** The token itself, readable with the user's password alone; null where an operator issued it. */
  sealed: text(),
  createdAt: integer("created_at").notNull(),
  /** Days since 1970 in UTC; null before the first use. */
  lastUsedDay: integer("last_used_day"),
});

export const apps = sqliteTable("apps", {
  /** Creation order, hence the order of the operators' list. */
  id: integer().primaryKey(),
  token: text().notNull().unique(),
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
  /** The cost types that passed an integration round, comma-separated; some as soon as `supports_cost_data`. */
  integratedTypes: text("integrated_types").notNull().default(""),
  createdAt: integer("created_at").notNull(),
});

/** One row: how many partners there are, and a mark that changes with any of them. Kept by triggers. */
export const partnerCatalog = sqliteTable(
  "partner_catalog",
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
    // For lists under a filter. The partial ones cost nothing until a link is archived or has a partner.
    index("links_by_label").on(table.appToken, table.parentId, sql`${table.label} COLLATE NOCASE`),
    index("archived_links").on(table.appToken, table.parentId).where(sql`${table.archived} = 1`),
    index("links_by_partner")
      .on(table.appToken, table.parentId, table.partnerId)
      .where(sql`${table.partnerId} IS NOT NULL`),
    check("four_levels", sql`${table.level} BETWEEN 1 AND 4`),
  ],
);

/** The answers to requests that were sent with an Idempotency-Key, for a day. */
export const idempotencyKeys = sqliteTable(
  "idempotency_keys",
  {
    userId: integer("user_id").notNull(),
    appToken: text("app_token").notNull(),
    operation: text({ enum: ["create_link", "create_links"] }).notNull(),
    key: text().notNull(),
    createdAt: integer("created_at").notNull(),
    /** Of the request that was answered. */
    requestId: text("request_id").notNull(),
    /** SHA-256 of what was asked, to tell another request with the same key. */
    bodyHash: text("body_hash").notNull(),
    status: integer().notNull(),
    location: text(),
    /** The body of the answer, byte for byte. */
    answer: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.appToken, table.operation, table.key] })],
);

/** What a partner sends to the cost interface. Revoked ones stay, to be told from unknown ones. */
export const credentials = sqliteTable("credentials", {
  id: integer().primaryKey(),
  tokenHash: text("token_hash").notNull().unique(),
  partnerId: integer("partner_id")
    .notNull()
    .references(() => partners.id),
  mode: text({ enum: ["live", "test"] }).notNull(),
  /** Comma-separated, for instance `cpc,cpi`. */
  costTypes: text("cost_types").notNull(),
  /** Of a test credential: the integration round that it posts into. */
  roundId: integer("round_id").references(() => rounds.id),
  hint: text().notNull(),
  createdAt: integer("created_at").notNull(),
  revokedAt: integer("revoked_at"),
});

/** Integration rounds: a partner tries out some cost types. At most one open round for each partner and cost type. */
export const rounds = sqliteTable(
  "rounds",
  {
    id: integer().primaryKey(),
    partnerId: integer("partner_id")
      .notNull()
      .references(() => partners.id),
    /** Comma-separated, for instance `cpc,cpi`. */
    costTypes: text("cost_types").notNull(),
    state: text({ enum: ["open", "closed", "approved"] }).notNull(),
    openedAt: integer("opened_at").notNull(),
    endedAt: integer("ended_at"),
    /** Kept by a trigger. */
    entryCount: integer("entry_count").notNull().default(0),
    /** The report as it stood when the round ended, JSON: the engagements that it judged are forgotten by and by. */
    finalReport: text("final_report"),
  },
  (table) => [index("rounds_by_partner").on(table.partnerId)],
);

/** What was sent with a test credential. It never becomes a cost. */
export const roundEntries = sqliteTable(
  "round_entries",
  {
    roundId: integer("round_id")
      .notNull()
      .references(() => rounds.id),
    /** 1, 2, 3 … within the round, in the order of arrival. */
    number: integer().notNull(),
    receivedAt: integer("received_at").notNull(),
    /** The cost ID as it was sent, cut to what a cost ID may hold; null where there was none. */
    costId: text("cost_id"),
    /** JSON of the rest: what was sent, its faults or the cost that it made, the engagements at that time, the answer. */
    record: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.roundId, table.number] })],
);

/** Mismatches that an operator let pass: `entry 12`, or `click` or `impression` and a cost ID. */
export const roundDismissals = sqliteTable(
  "round_dismissals",
  {
    roundId: integer("round_id")
      .notNull()
      .references(() => rounds.id),
    finding: text().notNull(),
    dismissedAt: integer("dismissed_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.roundId, table.finding] })],
);

/** What operators changed: who, what, when, and never a secret. */
export const auditLog = sqliteTable("audit_log", {
  id: integer().primaryKey(),
  happenedAt: integer("happened_at").notNull(),
  /** Null for the script that makes the first operator. */
  userId: integer("user_id").references(() => users.id),
  action: text().notNull(),
  /** What was changed, for instance `partner 3`. */
  subject: text().notNull(),
  /** JSON of the values that were set. */
  detail: text().notNull(),
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

/** One row: what a database of the ledger was told last. See ledger-map.ts and ledger-credentials.ts. */
export const ledgerFence = sqliteTable(
  "ledger_fence",
  {
    id: integer().primaryKey(),
    /** Ids that were placed by fewer shards than these are not written here any more. */
    size: integer().notNull(),
    /** On a shard: the audit entry as of which it has the credentials. */
    credentialsAsOf: integer("credentials_as_of").notNull(),
  },
  (table) => [check("one_fence", sql`${table.id} = 1`)],
);
