/**
 * The definition of every table. Times are integer milliseconds since 1970, bound by the caller. Money is an integer count of
 * 0.00001 currency units. STRICT, WITHOUT ROWID, triggers and views are in the migrations, because Drizzle cannot express them.
 */
import { type AnyColumn, sql } from "drizzle-orm";
// Not from drizzle-orm/sqlite-core, which brings the query builders too: 10 KiB gzip.
import { check } from "drizzle-orm/sqlite-core/checks";
import { integer } from "drizzle-orm/sqlite-core/columns/integer";
import { text } from "drizzle-orm/sqlite-core/columns/text";
import { foreignKey } from "drizzle-orm/sqlite-core/foreign-keys";
import { index, uniqueIndex } from "drizzle-orm/sqlite-core/indexes";
import { primaryKey } from "drizzle-orm/sqlite-core/primary-keys";
import { sqliteTable } from "drizzle-orm/sqlite-core/table";
import { sqliteView } from "drizzle-orm/sqlite-core/view";
import type { AlertKind, EventType } from "../domain/alerts/kinds.ts";
import type { AuditAction } from "../domain/audit-actions.ts";
import type { CostType } from "../domain/cost-types.ts";
import type { Platform } from "../domain/engagements/audience.ts";
import {
  DEFAULT_MAX_LINKS,
  DEFAULT_MAX_NEW_SUB_LINKS,
  type DropReason,
} from "../domain/engagements/sub-links.ts";
import type { RejectionCode } from "../domain/matching.ts";
import { COST_WINDOW_MS, RETENTION_MS } from "../domain/time.ts";
import { fits } from "./cost-types.ts";

const WINDOW = sql.raw(String(COST_WINDOW_MS));
const RETENTION = sql.raw(String(RETENTION_MS));
/** SQLite computes the column from the others of its row, and stores nothing. */
const VIRTUAL = { mode: "virtual" } as const;

const flag = (name: string) => integer(name, { mode: "boolean" });

export const users = sqliteTable("users", {
  id: integer().primaryKey(),
  email: text().notNull().unique(),
  role: text({ enum: ["member", "operator"] }).notNull(),
  /** Self-describing scrypt hash; null for a user who signs in with single sign-on. */
  passwordHash: text("password_hash"),
  /** A disabled user has no API token and no session: a trigger deletes them. */
  disabledAt: integer("disabled_at"),
  createdAt: integer("created_at").notNull(),
  /** Until when a temporary password can be used; null for a password that the user chose. */
  passwordExpiresAt: integer("password_expires_at"),
});

/** A signed-in browser. The cookie holds the session id; this row holds its SHA-256. */
export const sessions = sqliteTable(
  "sessions",
  {
    idHash: text("id_hash").primaryKey(),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
    /**
     * While a sign-in waits for its code: the two-factor secret, sealed with the session's ID. Such a session grants nothing
     * else.
     */
    waitingSecret: text("waiting_secret"),
    /** Such as `Firefox on Windows`. */
    browser: text().notNull().default(""),
    /** When the browser last sent a request, to within five minutes. */
    lastSeenAt: integer("last_seen_at").notNull().default(0),
    /** When the password was last entered in this session, or the user last signed in at the provider to confirm; 0 for never. */
    passwordAt: integer("password_at").notNull().default(0),
    /** 1: of single sign-on, and the provider said that only a password was entered there. */
    onlyPassword: integer("only_password").notNull().default(0),
  },
  (table) => [index("sessions_by_user").on(table.userId)],
);

/** Two-factor authentication: one authenticator app per user. */
export const authenticators = sqliteTable("authenticators", {
  userId: integer("user_id")
    .primaryKey()
    .references(() => users.id),
  /** The secret of the app, sealed with the user's password. */
  sealed: text().notNull(),
  createdAt: integer("created_at").notNull(),
  /** The 30-second step of the last code, because a code is valid once. */
  lastStep: integer("last_step").notNull(),
});

/** What was entered wrong for a user, in the last hour in which anything was. */
export const failedSignIns = sqliteTable("failed_sign_ins", {
  userId: integer("user_id")
    .primaryKey()
    .references(() => users.id),
  /** Hours since 1970. */
  hour: integer().notNull(),
  /** The passwords of sign-ins. */
  count: integer().notNull(),
  /** For the limit: the codes from browsers that are not known. A code is counted before it is judged. */
  codes: integer().notNull(),
  /** The codes, from all browsers. */
  wrongCodes: integer("wrong_codes").notNull().default(0),
  /** The passwords that were asked for after the sign-in. */
  wrongConfirmations: integer("wrong_confirmations").notNull().default(0),
});

/** The recovery codes that are left, each under its SHA-256. */
export const recoveryCodes = sqliteTable(
  "recovery_codes",
  {
    userId: integer("user_id")
      .notNull()
      .references(() => users.id),
    codeHash: text("code_hash").notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.codeHash] })],
);

/**
 * The browsers that have signed in as a user. The cookie holds a random ID; the row holds its SHA-256. Triggers delete the rows when
 * the password changes, and when two-factor authentication is turned on or off.
 */
export const devices = sqliteTable(
  "devices",
  {
    userId: integer("user_id")
      .notNull()
      .references(() => users.id),
    idHash: text("id_hash").notNull(),
    expiresAt: integer("expires_at").notNull(),
    /** The hour of the last wrong code from this browser. Hours since 1970. */
    codesHour: integer("codes_hour").notNull().default(0),
    /** The codes of that hour. A code is counted before it is judged. */
    codes: integer().notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.userId, table.idHash] })],
);

/** One API token per user. A reset replaces the row, so a token without a row here is invalid. */
export const apiTokens = sqliteTable("api_tokens", {
  tokenHash: text("token_hash").primaryKey(),
  userId: integer("user_id")
    .notNull()
    .unique()
    .references(() => users.id),
  hint: text().notNull(),
  /** The token itself, encrypted with the user's password; null when an operator issued it. */
  sealed: text(),
  createdAt: integer("created_at").notNull(),
  /** Days since 1970 in UTC; null before the first use. */
  lastUsedDay: integer("last_used_day"),
  /** The user's role when the token was issued. The token never grants more than this. */
  role: text({ enum: ["member", "operator"] })
    .notNull()
    .default("member"),
});

/**
 * Tokens that a user creates for programs, beside the API token, each with a scope and an end. Ending one deletes its row, and so
 * does a trigger when the user is disabled.
 */
export const accessTokens = sqliteTable(
  "access_tokens",
  {
    tokenHash: text("token_hash").primaryKey(),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id),
    name: text().notNull(),
    hint: text().notNull(),
    /** The prefix of the token says the same, and its hash proves it. */
    scope: text({ enum: ["read", "write"] }).notNull(),
    /** The only app that it is for; null for every app of the user. */
    appToken: text("app_token").references(() => apps.token),
    /** The user's role when the token was created. The token never grants more than this. */
    role: text({ enum: ["member", "operator"] }).notNull(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
    /** Days since 1970 in UTC; null before the first use. */
    lastUsedDay: integer("last_used_day"),
  },
  (table) => [index("access_tokens_by_user").on(table.userId)],
);

/** Who a user is at the provider of single sign-on. Triggers and statements delete it when the user gets a password or is erased. */
export const identities = sqliteTable(
  "identities",
  {
    issuer: text().notNull(),
    subject: text().notNull(),
    userId: integer("user_id")
      .notNull()
      .unique()
      .references(() => users.id),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.issuer, table.subject] })],
);

/** Somebody whom the provider knows by the email address of a user, but who was not signed in. An operator can link them. */
export const signInAttempts = sqliteTable(
  "sign_in_attempts",
  {
    id: integer().primaryKey(),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id),
    issuer: text().notNull(),
    subject: text().notNull(),
    email: text().notNull(),
    attemptedAt: integer("attempted_at").notNull(),
    /** 1: the provider said that the address is verified. 0: it did not say. */
    isVerified: integer("is_verified").notNull().default(0),
    /** Shown to who signed in, so that an operator can ask for it. Such as `K7F2QX`. */
    code: text().notNull().default(""),
  },
  (table) => [uniqueIndex("attempts_by_user").on(table.userId, table.issuer, table.subject)],
);

/** The SHA-256 of each state whose code was exchanged at the provider, so that no callback is accepted twice. */
export const usedStates = sqliteTable("used_states", {
  stateHash: text("state_hash").primaryKey(),
  /** Later than the cookie that belongs to it. */
  expiresAt: integer("expires_at").notNull(),
});

export const apps = sqliteTable("apps", {
  /** In creation order, which is the order of the operators' list. */
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
  /** Number of level-1 links, maintained by a trigger. */
  linkCount: integer("link_count").notNull().default(0),
  createdAt: integer("created_at").notNull(),
  /** How many links users can create in the app, at all levels. */
  maxLinks: integer("max_links").notNull().default(DEFAULT_MAX_LINKS),
  /** The links that users created, at all levels. Maintained by a trigger. */
  createdLinkCount: integer("created_link_count").notNull().default(0),
  /** The length of the responses stored for idempotency keys, in characters. Maintained by triggers. */
  storedLength: integer("stored_length").notNull().default(0),
  /** Since when the app is hidden from lists; its links keep working. */
  archivedAt: integer("archived_at"),
  /** How many sub-links engagements can create below a network on one day; a multiple of it in the app. */
  maxNewSubLinks: integer("max_new_sub_links").notNull().default(DEFAULT_MAX_NEW_SUB_LINKS),
  /** The last day on which engagements created sub-links, and those of that day that have a place. Maintained by triggers. */
  newSubLinkDay: integer("new_sub_link_day").notNull().default(0),
  newSubLinkCount: integer("new_sub_link_count").notNull().default(0),
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

/** Saved views of the Performance page. The views of a user end with the membership. */
export const views = sqliteTable(
  "views",
  {
    id: integer().primaryKey(),
    appToken: text("app_token")
      .notNull()
      .references(() => apps.token),
    /** Null: the members of the app share it. */
    userId: integer("user_id"),
    name: text().notNull(),
    /** The parameters of the page. */
    query: text().notNull(),
  },
  (table) => [
    index("views_by_app").on(table.appToken, table.userId),
    foreignKey({
      columns: [table.userId, table.appToken],
      foreignColumns: [memberships.userId, memberships.appToken],
    }).onDelete("cascade"),
  ],
);

/** Items that "Needs attention" of an app does not show for a while. */
export const hiddenAttention = sqliteTable(
  "hidden_attention",
  {
    appToken: text("app_token")
      .notNull()
      .references(() => apps.token),
    /** Which kind of item, and of which partner. */
    key: text().notNull(),
    hiddenUntil: integer("hidden_until").notNull(),
  },
  (table) => [primaryKey({ columns: [table.appToken, table.key] })],
);

export const partners = sqliteTable("partners", {
  id: integer().primaryKey(),
  displayName: text("display_name").notNull(),
  supportsCostData: flag("supports_cost_data").notNull(),
  /** Sends engagements from its own servers, so impression URLs carry `s2s=1`. */
  serverToServer: flag("server_to_server").notNull(),
  /** Raw query templates, stored byte for byte. */
  clickParameters: text("click_parameters").notNull(),
  impressionParameters: text("impression_parameters").notNull(),
  costParameters: text("cost_parameters").notNull(),
  /** The cost types that passed an integration round, as a bit mask; never 0 when `supports_cost_data` is set. */
  integratedTypes: integer("integrated_types").notNull().default(0),
  /** Since when an operator keeps this partner from sending costs; null if it may send them. */
  stoppedAt: integer("stopped_at"),
  /**
   * The highest price that a URL can carry, in units of 0.00001 of any currency, because anyone can write to a public URL. Every
   * insert gives it.
   */
  maxUrlAmount: integer("max_url_amount").notNull().default(1_000_000_000),
  createdAt: integer("created_at").notNull(),
  /**
   * To how much the prices on URLs of one app, currency and day can add up until they are held, in units of 0.00001. Null: without
   * limit.
   */
  maxUrlSpend: integer("max_url_spend"),
  /** The macros of the templates that our parameters have, as `listMacros` writes them. */
  macros: text().notNull().default(""),
});

/** One row: the number of partners, and a revision that changes with every change to a partner. Maintained by triggers. */
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
    /** In creation order, which is the order of every list. */
    id: integer().primaryKey(),
    token: text().notNull().unique(),
    appToken: text("app_token")
      .notNull()
      .references(() => apps.token),
    parentId: integer("parent_id"),
    level: integer().notNull(),
    label: text().notNull(),
    archived: flag("archived").notNull().default(false),
    /** The link's own partner and switch; null inherits from the nearest ancestor. */
    partnerId: integer("partner_id").references(() => partners.id),
    costSwitch: flag("cost_switch"),
    /** Maintained by a trigger. */
    childCount: integer("child_count").notNull().default(0),
    createdAt: integer("created_at").notNull(),
    /** The label at the creation, once the link was renamed. */
    firstLabel: text("first_label"),
    /** Created by a click or an impression whose URL named it. */
    fromEngagement: flag("from_engagement").notNull().default(false),
    /** At level 1: the links below it that engagements created and that have a place. Maintained by triggers, see rules.sql. */
    fromEngagementCount: integer("from_engagement_count").notNull().default(0),
    /** The name by which an engagement finds the link, which renaming does not change. */
    matchName: text("match_name").generatedAlwaysAs(sql`coalesce(first_label, label)`, VIRTUAL),
    /** At level 1: as in `apps`. */
    newSubLinkDay: integer("new_sub_link_day").notNull().default(0),
    newSubLinkCount: integer("new_sub_link_count").notNull().default(0),
    /** While the link is archived: the highest ID when it was. Sub-links up to it have no place; later ones have. */
    archivedThrough: integer("archived_through"),
    /** Where clicks lead; null inherits from the nearest ancestor, "" leads to the URLs of the app. */
    target: text("target"),
    /** At level 1: the round that it was created for, to test a partner. */
    roundId: integer("round_id"),
  },
  (table) => [
    // Costs nothing until a link has its own target.
    index("links_with_target").on(table.appToken).where(sql`${table.target} IS NOT NULL`),
    index("links_by_parent").on(table.appToken, table.parentId),
    // For filtered lists. The partial indexes cost nothing until a link is archived or has a partner.
    index("links_by_label").on(table.appToken, table.parentId, sql`${table.label} COLLATE NOCASE`),
    index("links_by_match_name").on(table.appToken, table.parentId, table.matchName),
    index("archived_links").on(table.appToken, table.parentId).where(sql`${table.archived} = 1`),
    index("links_by_partner")
      .on(table.appToken, table.parentId, table.partnerId)
      .where(sql`${table.partnerId} IS NOT NULL`),
    // For search over all levels. Those of level 1 are in links_by_label.
    index("links_by_level")
      .on(table.appToken, table.level, sql`${table.label} COLLATE NOCASE`)
      .where(sql`${table.parentId} IS NOT NULL`),
    // Costs nothing until a link has its own partner or switch.
    index("links_with_settings")
      .on(table.appToken, table.level, sql`${table.label} COLLATE NOCASE`)
      .where(sql`${table.partnerId} IS NOT NULL OR ${table.costSwitch} IS NOT NULL`),
    check("four_levels", sql`${table.level} BETWEEN 1 AND 4`),
  ],
);

/**
 * The door for places: a row inserted into this view is added to the counts of its network and its app. A view of the migrations
 * with a trigger.
 */
export const places = sqliteView("places", {
  appToken: text("app_token").notNull(),
  /** The link of level 1. */
  rootId: integer("root_id").notNull(),
  /** Days since 1970 in UTC. */
  day: integer("day").notNull(),
  count: integer("count").notNull(),
}).existing();

/** The links at and below `topId` that engagements created and that have a place unless something from it up takes it away. */
export const placeTakers = sqliteView("place_takers", {
  topId: integer("top_id").notNull(),
  id: integer("id").notNull(),
  createdAt: integer("created_at").notNull(),
}).existing();

/** What requests of the workspace changed of links, kept for 24 hours, in which it can be undone. A request can have several rows. */
export const linkChanges = sqliteTable(
  "link_changes",
  {
    id: integer().primaryKey(),
    appToken: text("app_token")
      .notNull()
      .references(() => apps.token),
    /** The time and the ID of the request, as in its entries of the audit log. */
    changedAt: integer("changed_at").notNull(),
    requestId: text("request_id").notNull(),
    source: text({ enum: ["import", "bulk", "settings"] }).notNull(),
    /** Of links. */
    count: integer().notNull(),
    /** The newest entry of the audit log after the change, which has entries itself. */
    lastEntry: integer("last_entry").notNull(),
    /** A list of changes in JSON: see links/changes.ts. */
    changes: text().notNull(),
    /** What is undone together: the ID of the request, or of the one that sent the first part of a file. */
    undoId: text("undo_id").notNull().default(""),
  },
  (table) => [
    index("link_changes_by_app").on(table.appToken, table.changedAt, table.requestId),
    index("link_changes_by_undo").on(table.appToken, table.undoId),
    index("link_changes_by_time").on(table.changedAt),
  ],
);

/** The responses to requests with an Idempotency-Key, kept for 24 hours. */
export const idempotencyKeys = sqliteTable(
  "idempotency_keys",
  {
    userId: integer("user_id").notNull(),
    appToken: text("app_token").notNull(),
    operation: text({ enum: ["create_link", "create_links"] }).notNull(),
    key: text().notNull(),
    createdAt: integer("created_at").notNull(),
    /** The id of the request that got this response. */
    requestId: text("request_id").notNull(),
    /** SHA-256 of the request body, to detect a different request with the same key. */
    bodyHash: text("body_hash").notNull(),
    status: integer().notNull(),
    location: text(),
    /** The response body, byte for byte. */
    answer: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.appToken, table.operation, table.key] })],
);

/** The credentials with which partners call the cost API. Revoked ones are kept to distinguish them from unknown ones. */
export const credentials = sqliteTable("credentials", {
  id: integer().primaryKey(),
  tokenHash: text("token_hash").notNull().unique(),
  partnerId: integer("partner_id")
    .notNull()
    .references(() => partners.id),
  mode: text({ enum: ["live", "test"] }).notNull(),
  /** A bit mask; see domain/cost-types.ts. */
  costTypes: integer("cost_types").notNull(),
  /** For a test credential: the integration round that its costs go to. */
  roundId: integer("round_id").references(() => rounds.id),
  hint: text().notNull(),
  createdAt: integer("created_at").notNull(),
  revokedAt: integer("revoked_at"),
});

/** A browser that is signed in with a credential, which every request checks again. The cookie holds the session ID. */
export const partnerSessions = sqliteTable("partner_sessions", {
  idHash: text("id_hash").primaryKey(),
  /** The `token_hash` of the credential. */
  tokenHash: text("token_hash").notNull(),
  createdAt: integer("created_at").notNull(),
  expiresAt: integer("expires_at").notNull(),
});

/** The rates of a partner's integrated cost types, as the cron counts them once a day. See domain/figures/rates.ts. */
export const partnerRates = sqliteTable(
  "partner_rates",
  {
    partnerId: integer("partner_id")
      .notNull()
      .references(() => partners.id),
    costType: text("cost_type").$type<CostType>().notNull(),
    computedAt: integer("computed_at").notNull(),
    matched: integer().notNull(),
    /** Null if there were too many to count. */
    recorded: integer(),
    /** Null for cost types without a discrepancy. */
    expected: integer(),
    agreeing: integer(),
  },
  (table) => [primaryKey({ columns: [table.partnerId, table.costType] })],
);

/**
 * When the last cost and the last click of each partner came, as the hourly cron finds it: there is no row for each, so it compares
 * the counts of the last days with those of the run before.
 */
export const partnerActivity = sqliteTable("partner_activity", {
  partnerId: integer("partner_id")
    .primaryKey()
    .references(() => partners.id),
  /** The hour of the run, in hours since 1970. */
  hour: integer().notNull(),
  /** The first day of the counts. */
  firstDay: integer("first_day").notNull(),
  /** Costs in any state and rejections since then. */
  costs: integer().notNull(),
  clicks: integer().notNull(),
  /** The hour of the run that found it, or the end of its day if the first run did. */
  lastCostAt: integer("last_cost_at"),
  lastClickAt: integer("last_click_at"),
  /** Of the partner's open rounds, at the time of the run. */
  openMismatches: integer("open_mismatches").notNull(),
});

/** Integration rounds, in which a partner tests some cost types. At most one open round per partner and cost type. */
export const rounds = sqliteTable(
  "rounds",
  {
    id: integer().primaryKey(),
    partnerId: integer("partner_id")
      .notNull()
      .references(() => partners.id),
    /** A bit mask; see domain/cost-types.ts. */
    costTypes: integer("cost_types").notNull(),
    state: text({ enum: ["open", "closed", "approved"] }).notNull(),
    openedAt: integer("opened_at").notNull(),
    endedAt: integer("ended_at"),
    /** Maintained by a trigger. */
    entryCount: integer("entry_count").notNull().default(0),
    /** The report at the end of the round, as JSON, because the purge later deletes the engagements that it covers. */
    finalReport: text("final_report"),
    /** The cost types that went live, as a bit mask; null unless approved, and for all of the round's. */
    approvedTypes: integer("approved_types"),
  },
  (table) => [index("rounds_by_partner").on(table.partnerId)],
);

/** The submissions with a test credential. They never become costs. */
export const roundEntries = sqliteTable(
  "round_entries",
  {
    roundId: integer("round_id")
      .notNull()
      .references(() => rounds.id),
    /** 1, 2, 3 … within the round, in the order of arrival. */
    number: integer().notNull(),
    receivedAt: integer("received_at").notNull(),
    /** The cost ID as sent, truncated to the maximum length of a cost ID; null when it was missing. */
    costId: text("cost_id"),
    /** The rest, as JSON: the parameters, their errors or the parsed cost, the engagements at that time, the result. */
    record: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.roundId, table.number] })],
);

/** Mismatches that an operator dismissed: `entry 12`, or `click` or `impression` and a cost ID. */
export const roundDismissals = sqliteTable(
  "round_dismissals",
  {
    roundId: integer("round_id")
      .notNull()
      .references(() => rounds.id),
    finding: text().notNull(),
    dismissedAt: integer("dismissed_at").notNull(),
    reason: text(),
  },
  (table) => [primaryKey({ columns: [table.roundId, table.finding] })],
);

type AuditColumns = Record<"action" | "detail", AnyColumn>;
/** What operators changed of a partner, or approved. */
export const isPartnerEvent = ({ action }: AuditColumns) =>
  sql`${action} IN ('update partner', 'approve round')`;
/** A link's own cost data was switched. */
export const isCostSwitch = ({ action, detail }: AuditColumns) =>
  sql`${action} IN ('update link', 'undo import') AND ${detail} -> 'cost_data_enabled' IS NOT NULL`;
/** What counted in an app was voided. */
export const isVoid = ({ action, detail }: AuditColumns) =>
  sql`${action} IN ('void cost', 'void prices') AND ${detail} ->> 'app_token' IS NOT NULL`;

/**
 * Sign-ins, and the changes by operators and of accounts: who did what and when. Contains no secrets. Triggers reject every change
 * of an entry.
 */
export const auditLog = sqliteTable(
  "audit_log",
  {
    id: integer().primaryKey(),
    happenedAt: integer("happened_at").notNull(),
    /** Null for the command that creates the first operator, for a failed sign-in, and for what a partner does. */
    userId: integer("user_id").references(() => users.id),
    action: text().$type<AuditAction>().notNull(),
    /** The changed object, for example `partner 3`. */
    subject: text().notNull(),
    /** The new values as JSON, and for a change also the old ones. */
    detail: text().notNull(),
    /** The request that did it, which can have several entries. Null: no request did it. */
    requestId: text("request_id"),
  },
  (table) => [
    // The entries of one subject, newest first: the key is the last column of every index.
    index("audit_by_subject").on(table.subject),
    // What explains figures (reports/events.ts), by time. Other entries cost nothing here.
    index("partner_events").on(table.happenedAt).where(isPartnerEvent(table)),
    index("cost_switches").on(table.happenedAt).where(isCostSwitch(table)),
    index("voids_by_app").on(sql`${table.detail} ->> 'app_token'`, table.happenedAt).where(isVoid(table)),
  ],
);

/**
 * The rules of alerts: those that the members of an app set, and those of operators, which are about all apps. The migration adds
 * those that operators have at first.
 */
export const alertRules = sqliteTable(
  "alert_rules",
  {
    id: integer().primaryKey(),
    /** Null: of operators. */
    appToken: text("app_token").references(() => apps.token),
    kind: text().$type<AlertKind>().notNull(),
    /** The thresholds in JSON, see domain/alerts/rules.ts. */
    settings: text().notNull(),
  },
  (table) => [index("alert_rules_by_app").on(table.appToken)],
);

/** What a rule found. At most one is open for a rule and what it is about. */
export const alerts = sqliteTable(
  "alerts",
  {
    id: integer().primaryKey(),
    /** 0: of no rule. A deleted rule leaves its closed alerts. */
    ruleId: integer("rule_id").notNull(),
    /** Of the rule. */
    appToken: text("app_token"),
    kind: text().$type<AlertKind>().notNull(),
    /** For example `partner 3`. */
    subject: text().notNull(),
    /** What was found when it was opened, in JSON: the values of the event. */
    data: text().notNull(),
    openedAt: integer("opened_at").notNull(),
    closedAt: integer("closed_at"),
    /** When to send it by email; null if it was sent, or is not sent at all. A run that sends it moves this ahead first. */
    emailDueAt: integer("email_due_at"),
  },
  (table) => [
    uniqueIndex("open_alerts").on(table.ruleId, table.subject).where(sql`${table.closedAt} IS NULL`),
    index("alerts_by_app").on(table.appToken),
    index("open_alerts_by_app").on(table.appToken).where(sql`${table.closedAt} IS NULL`),
    index("alerts_to_send").on(table.emailDueAt).where(sql`${table.emailDueAt} IS NOT NULL`),
    index("alerts_by_end").on(table.closedAt).where(sql`${table.closedAt} IS NOT NULL`),
  ],
);

/**
 * The costs, rejected costs and recorded engagements of a partner in an app, as the hourly cron finds them for the rules of alerts: it
 * compares the counts of the last days with those of the run before, as for `partner_activity`. All rows of an app are of one run.
 */
export const costActivity = sqliteTable(
  "cost_activity",
  {
    /** Empty: in all apps, pending costs included, for the rules of operators. */
    appToken: text("app_token").notNull(),
    partnerId: integer("partner_id").notNull(),
    /** The hour of the run, in hours since 1970. */
    hour: integer().notNull(),
    /** The first day of the counts. */
    firstDay: integer("first_day").notNull(),
    /** Since then. */
    accepted: integer().notNull(),
    rejected: integer().notNull(),
    recorded: integer().notNull(),
    /** Since the run before, which was so many hours ago; 0 for the first run. */
    newAccepted: integer("new_accepted").notNull(),
    newRejected: integer("new_rejected").notNull(),
    hours: integer().notNull(),
    /** The hour of the run that found the last cost, accepted or rejected. Null: none yet. */
    lastCostAt: integer("last_cost_at"),
    /** Since when recorded engagements wait for a cost of the partner, whichever: the hour of the run that found them. */
    waitingSince: integer("waiting_since"),
  },
  (table) => [primaryKey({ columns: [table.appToken, table.partnerId] })],
);

/** Where events are sent to: of an app, or of operators. */
export const webhooks = sqliteTable(
  "webhooks",
  {
    id: integer().primaryKey(),
    /** Null: of operators. */
    appToken: text("app_token").references(() => apps.token),
    url: text().notNull(),
    /** Sealed with WEBHOOK_KEY. The old ones, with spaces between them, sign too until their end. */
    secret: text().notNull(),
    oldSecret: text("old_secret"),
    oldSecretUntil: integer("old_secret_until"),
    createdAt: integer("created_at").notNull(),
    /** The first of the failures without a success after it. */
    failingSince: integer("failing_since"),
    /** How long the last call took, in milliseconds. */
    lastDuration: integer("last_duration"),
    /** `gone`: the receiver answered 410. `failing`: for days. */
    endedAt: integer("ended_at"),
    endedBecause: text("ended_because", { enum: ["gone", "failing"] }),
  },
  (table) => [index("webhooks_by_app").on(table.appToken)],
);

/** The outbox: an event is added in the transaction of its cause, and spread to the webhooks later. */
export const webhookEvents = sqliteTable(
  "webhook_events",
  {
    id: integer().primaryKey(),
    /** The `webhook-id`, the same in every attempt. */
    messageId: text("message_id").notNull().unique(),
    type: text().$type<EventType>().notNull(),
    /** The only app whose webhooks get it. */
    appToken: text("app_token"),
    /** The partner whose apps get it, and operators. Without app, partner and webhook: operators. */
    partnerId: integer("partner_id"),
    /** The only webhook that gets it. */
    webhookId: integer("webhook_id"),
    /** The JSON that is sent. */
    body: text().notNull(),
    happenedAt: integer("happened_at").notNull(),
    /** When its deliveries were added. */
    spreadAt: integer("spread_at"),
  },
  (table) => [
    index("events_to_spread").on(table.id).where(sql`${table.spreadAt} IS NULL`),
    index("events_by_time").on(table.happenedAt),
  ],
);

/** An event on its way to a webhook. */
export const webhookDeliveries = sqliteTable(
  "webhook_deliveries",
  {
    id: integer().primaryKey(),
    webhookId: integer("webhook_id")
      .notNull()
      .references(() => webhooks.id),
    eventId: integer("event_id")
      .notNull()
      .references(() => webhookEvents.id),
    /** Those of alerts are sent first: 0. */
    rank: integer().notNull(),
    /** Null: it is not sent again. A run that sends it moves this ahead first. */
    dueAt: integer("due_at"),
    attempts: integer().notNull().default(0),
    /** What became of the last attempt. */
    attemptedAt: integer("attempted_at"),
    status: integer(),
    error: text(),
    duration: integer(),
    deliveredAt: integer("delivered_at"),
  },
  (table) => [
    index("deliveries_due")
      .on(table.webhookId, table.rank, table.dueAt)
      .where(sql`${table.dueAt} IS NOT NULL`),
    index("deliveries_by_webhook").on(table.webhookId, table.id),
    index("deliveries_by_event").on(table.eventId),
  ],
);

/** One row: how far the sub-links that engagements created were added to the audit log. See links/sub-links/audit.ts. */
export const subLinkAudit = sqliteTable(
  "sub_link_audit",
  {
    id: integer().primaryKey(),
    /** Days since 1970: the first day that was not written yet. */
    day: integer().notNull(),
    /** The links of the last run: those after `afterId`, up to `untilId`. */
    afterId: integer("after_id").notNull(),
    untilId: integer("until_id").notNull(),
  },
  (table) => [check("one_sub_link_audit", sql`${table.id} = 1`)],
);

/**
 * The ledger: one row for each ID of a partner, with its call, its click and its impression. The computed columns are the
 * matching rules (see domain/matching.ts for the same rules on a round), so the match is always a function of the row.
 */
export const ledgerEntries = sqliteTable(
  "ledger_entries",
  {
    partnerId: integer("partner_id").notNull(),
    costId: text("cost_id").notNull(),
    /** The call; null if there was none. After a void, the values that it removed. */
    costType: text("cost_type").$type<CostType>(),
    currency: text(),
    /** Null when the call had no amount. */
    amount: integer(),
    tag: text(),
    /** The arrival of the call. Null for a void of a price on a URL. */
    receivedAt: integer("received_at"),
    /** `voided`: nothing counts. `lifted`: a call counts again, prices on URLs do not. */
    voidState: text("void_state", { enum: ["voided", "lifted"] }),
    /** The first recorded click. */
    clickAppToken: text("click_app_token"),
    clickLinkId: integer("click_link_id"),
    clickAt: integer("click_at"),
    /** Whether cost data was on at the time of the click. */
    clickCostDataOn: flag("click_cost_data_on"),
    clickUrlCostType: text("click_url_cost_type"),
    clickUrlCurrency: text("click_url_currency"),
    clickUrlAmount: integer("click_url_amount"),
    /** Whether the price on the URL is a cost by itself, as decided when the click was recorded. 2: it is held until an operator decides. */
    clickPriceCounts: integer("click_price_counts"),
    /** The first recorded impression. */
    impressionAppToken: text("impression_app_token"),
    impressionLinkId: integer("impression_link_id"),
    impressionAt: integer("impression_at"),
    impressionCostDataOn: flag("impression_cost_data_on"),
    impressionUrlCostType: text("impression_url_cost_type"),
    impressionUrlCurrency: text("impression_url_currency"),
    impressionUrlAmount: integer("impression_url_amount"),
    impressionPriceCounts: integer("impression_price_counts"),
    /** The engagement whose price the void removed. Null: it removed a call, or there was none. */
    voidKind: text("void_kind", { enum: ["click", "impression"] }),
    /** Of two engagements, whether the click comes first: it happened before the impression or within the cost window after it. */
    clickFirst: integer("click_first").generatedAlwaysAs(
      sql`coalesce(click_at <= impression_at + ${WINDOW}, 1)`,
      VIRTUAL,
    ),
    clickUsable: integer("click_usable").generatedAlwaysAs(
      sql`coalesce(${fits("click", "cost_type")} AND click_cost_data_on AND abs(received_at - click_at) <= ${WINDOW}, 0)`,
      VIRTUAL,
    ),
    impressionUsable: integer("impression_usable").generatedAlwaysAs(
      sql`coalesce(${fits("impression", "cost_type")} AND impression_cost_data_on AND abs(received_at - impression_at) <= ${WINDOW}, 0)`,
      VIRTUAL,
    ),
    /** The engagement that the call matches. */
    matchedKind: text("matched_kind", { enum: ["click", "impression"] }).generatedAlwaysAs(
      sql`CASE WHEN click_usable AND (click_first OR NOT impression_usable) THEN 'click' WHEN impression_usable THEN 'impression' END`,
      VIRTUAL,
    ),
    matchedAt: integer("matched_at").generatedAlwaysAs(
      sql`CASE matched_kind WHEN 'click' THEN click_at WHEN 'impression' THEN impression_at END`,
      VIRTUAL,
    ),
    /** After this, the row counts as absent: see RETENTION_MS. A matched call is never newer than its engagement by more than the window. */
    rememberedUntil: integer("remembered_until").generatedAlwaysAs(
      sql`max(coalesce(click_at, 0), coalesce(impression_at, 0), iif(matched_kind IS NULL, coalesce(received_at, 0), 0)) + ${RETENTION}`,
      VIRTUAL,
    ),
    /** The prices that a call without an amount can take. */
    clickPrice: integer("click_price").generatedAlwaysAs(
      sql`CASE WHEN click_usable AND click_price_counts = 1 AND void_state IS NULL AND click_url_cost_type = cost_type AND click_url_currency = currency THEN click_url_amount END`,
      VIRTUAL,
    ),
    impressionPrice: integer("impression_price").generatedAlwaysAs(
      sql`CASE WHEN impression_usable AND impression_price_counts = 1 AND void_state IS NULL AND impression_url_cost_type = cost_type AND impression_url_currency = currency THEN impression_url_amount END`,
      VIRTUAL,
    ),
    /** The amount of the call, else the price of the matched engagement, else of the other one. Null: unpriced. */
    amountInEffect: integer("amount_in_effect").generatedAlwaysAs(
      sql`coalesce(amount, iif(matched_kind = 'click', click_price, impression_price), click_price, impression_price)`,
      VIRTUAL,
    ),
    /** The state of the call. */
    state: text("state", { enum: ["voided", "pending", "unpriced", "matched"] }).generatedAlwaysAs(
      sql`CASE WHEN cost_type IS NULL THEN NULL WHEN void_state = 'voided' THEN 'voided' WHEN matched_kind IS NULL THEN 'pending' WHEN amount_in_effect IS NULL THEN 'unpriced' ELSE 'matched' END`,
      VIRTUAL,
    ),
    /** The engagement whose price counts by itself: no call matches, and the ID was never voided. */
    countingPrice: text("counting_price", { enum: ["click", "impression"] }).generatedAlwaysAs(
      sql`CASE WHEN matched_kind IS NOT NULL OR void_state IS NOT NULL THEN NULL WHEN click_price_counts = 1 AND (click_first OR coalesce(impression_price_counts, 0) <> 1) THEN 'click' WHEN impression_price_counts = 1 THEN 'impression' END`,
      VIRTUAL,
    ),
    /** Where the click and the impression came from, as `daily_audience` counted them. Null in rows from before this was always counted. */
    clickCountry: text("click_country"),
    clickPlatform: text("click_platform").$type<Platform>(),
    impressionCountry: text("impression_country"),
    impressionPlatform: text("impression_platform").$type<Platform>(),
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
    partnerId: integer("partner_id").notNull(),
    appToken: text("app_token").notNull(),
    /** The day of the click or impression. Days since 1970 in UTC. */
    day: integer().notNull(),
    currency: text().notNull(),
    counted: integer().notNull(),
    held: integer().notNull(),
    heldCount: integer("held_count").notNull(),
  },
  (table) => [primaryKey({ columns: [table.partnerId, table.appToken, table.day, table.currency] })],
);

/** What counts of each ID: its call, and a price on a URL. A view of the migrations. */
export const costStates = sqliteView("cost_states", {
  partnerId: integer("partner_id").notNull(),
  costId: text("cost_id").notNull(),
  source: text("source", { enum: ["call", "url"] }).notNull(),
  costType: text("cost_type").$type<CostType>().notNull(),
  currency: text("currency").notNull(),
  amount: integer("amount"),
  state: text("state", { enum: ["pending", "unpriced", "matched"] }).notNull(),
  kind: text("kind", { enum: ["click", "impression"] }),
  appToken: text("app_token").notNull(),
  linkId: integer("link_id").notNull(),
  day: integer("day").notNull(),
  country: text("country"),
  platform: text("platform").$type<Platform>(),
}).existing();

/** The ledger's totals, maintained by triggers. The purge keeps them. A pending cost has no app and link yet: '' and 0. */
export const dailyTotals = sqliteTable(
  "daily_totals",
  {
    appToken: text("app_token").notNull(),
    /** The day of the engagement, or of the cost's arrival while it is pending. Days since 1970 in UTC. */
    day: integer().notNull(),
    linkId: integer("link_id").notNull(),
    partnerId: integer("partner_id").notNull(),
    costType: text("cost_type").$type<CostType>().notNull(),
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
    appToken: text("app_token")
      .notNull()
      .references(() => apps.token),
    /** Days since 1970 in UTC. */
    day: integer().notNull(),
    linkId: integer("link_id")
      .notNull()
      .references(() => links.id),
    partnerId: integer("partner_id")
      .notNull()
      .references(() => partners.id),
    costType: text("cost_type").$type<CostType>().notNull(),
    currency: text().notNull(),
    /** Money in units of 0.00000001, negative or positive. Of types per mille too: not a price of 1,000 impressions. */
    amount: integer().notNull(),
    reason: text().notNull(),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id),
    createdAt: integer("created_at").notNull(),
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
    appToken: text("app_token").notNull(),
    /** Days since 1970 in UTC. */
    day: integer().notNull(),
    linkId: integer("link_id").notNull(),
    /** The partner in effect; 0 if there was none. */
    partnerId: integer("partner_id").notNull(),
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
const country = () => text("country").notNull();
const platform = () => text("platform").$type<Platform>().notNull();

/**
 * The clicks and impressions of `daily_engagements` by country and platform. The link comes before the day, because reports are about
 * a link or its sub-links. The purge deletes old days.
 */
export const dailyAudience = sqliteTable(
  "daily_audience",
  {
    appToken: text("app_token").notNull(),
    linkId: integer("link_id").notNull(),
    /** Days since 1970 in UTC. */
    day: integer().notNull(),
    /** The partner in effect; 0 if there was none. */
    partnerId: integer("partner_id").notNull(),
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
    appToken: text("app_token").notNull(),
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
    appToken: text("app_token").notNull(),
    linkId: integer("link_id").notNull(),
    /** The day of the engagement. Days since 1970 in UTC. */
    day: integer().notNull(),
    partnerId: integer("partner_id").notNull(),
    costType: text("cost_type").$type<CostType>().notNull(),
    currency: text().notNull(),
    state: text({ enum: ["matched", "unpriced"] }).notNull(),
    country: country(),
    platform: platform(),
    count: integer().notNull(),
    amount: integer().notNull(),
  },
  ({ appToken, linkId, day, partnerId, costType, currency, state, country, platform }) => [
    primaryKey({
      columns: [appToken, linkId, day, partnerId, costType, currency, state, country, platform],
    }),
  ],
);

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

/** The days on which an app has the most rows of `daily_audience`. */
export const fullAudiences = sqliteView("full_audiences", {
  appToken: text("app_token").notNull(),
  day: integer("day").notNull(),
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

/**
 * The costs of live credentials that were rejected. Costs that were judged are counted where their ID is, by a trigger, and invalid
 * ones in DB.
 */
export const dailyRejections = sqliteTable(
  "daily_rejections",
  {
    partnerId: integer("partner_id").notNull(),
    /** As in `submissions`. Empty for an invalid cost. */
    appToken: text("app_token").notNull(),
    /** Days since 1970 in UTC. */
    day: integer().notNull(),
    code: text().$type<RejectionCode>().notNull(),
    count: integer().notNull(),
  },
  // In this order, the rows of a partner, and those of a partner and an app, are beside each other.
  (table) => [primaryKey({ columns: [table.partnerId, table.appToken, table.day, table.code] })],
);

/** The door for rejected costs of live credentials, whose trigger is in migrations/rules.sql. Nothing is stored under this name. */
export const rejections = sqliteView("rejections", {
  partnerId: integer("partner_id").notNull(),
  appToken: text("app_token").notNull(),
  code: text().$type<RejectionCode>().notNull(),
  rejectedAt: integer("rejected_at").notNull(),
  costId: text("cost_id"),
  tag: text(),
}).existing();

/**
 * The newest rejected costs of each partner and code, for a week: at most `MOST_RECENT` in a database, because a trigger writes the
 * next one in the place of the oldest.
 */
export const recentRejections = sqliteTable(
  "recent_rejections",
  {
    partnerId: integer("partner_id").notNull(),
    code: text().$type<RejectionCode>().notNull(),
    /** In the order in which they were rejected. */
    number: integer().notNull(),
    rejectedAt: integer("rejected_at").notNull(),
    /** As it was sent, up to its greatest length. Null if there was none, or if the cost could not be read. */
    costId: text("cost_id"),
    tag: text(),
    /** As in `daily_rejections`. */
    appToken: text("app_token").notNull(),
  },
  (table) => [primaryKey({ columns: [table.partnerId, table.code, table.number] })],
);

/** Counts the parameters that were dropped from URLs, by link, day, parameter and reason. */
export const droppedParameters = sqliteTable(
  "dropped_parameters",
  {
    linkId: integer("link_id").notNull(),
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

/** The last slice that the purge began in each ledger table: after one key, up to another; null for the end. */
export const purgePositions = sqliteTable("purge_positions", {
  ledgerTable: text("ledger_table", {
    enum: ["ledger_entries", "superseded"],
  }).primaryKey(),
  afterPartnerId: integer("after_partner_id").notNull(),
  afterCostId: text("after_cost_id").notNull(),
  untilPartnerId: integer("until_partner_id"),
  untilCostId: text("until_cost_id"),
  walkedAt: integer("walked_at").notNull(),
  /** The cut-off of this walk through the table, in milliseconds since 1970. With the archive, no two walks have the same. */
  walk: integer().notNull().default(0),
  /** With the archive: how often the slice was begun; 0 when it is complete. */
  attempts: integer().notNull().default(0),
});

/** Rows that left the ledger before the purge came, because their ID was used again. With the archive only. */
export const superseded = sqliteTable(
  "superseded",
  {
    partnerId: integer("partner_id").notNull(),
    costId: text("cost_id").notNull(),
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
  partnerId: integer("partner_id").notNull(),
  costId: text("cost_id").notNull(),
  rememberedUntil: integer("remembered_until").notNull(),
  /** JSON. */
  record: text().notNull(),
}).existing();

/** The objects in the archive that have rows of this database: one for each slice of a walk in which rows were purged. */
export const archiveObjects = sqliteTable(
  "archive_objects",
  {
    ledgerTable: text("ledger_table", { enum: ["ledger_entries", "superseded"] }).notNull(),
    walk: integer().notNull(),
    /** The slice starts after this key. The object's name is made from it. */
    firstPartnerId: integer("first_partner_id").notNull(),
    firstCostId: text("first_cost_id").notNull(),
    /** The last row of the object. */
    lastPartnerId: integer("last_partner_id").notNull(),
    lastCostId: text("last_cost_id").notNull(),
    /** The days on which the calls, clicks and impressions of the object happened. Days since 1970 in UTC. */
    firstDay: integer("first_day").notNull(),
    lastDay: integer("last_day").notNull(),
    rowCount: integer("row_count").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.ledgerTable, table.walk, table.firstPartnerId, table.firstCostId] }),
  ],
);

/** One row: whether the purge of this database writes to an archive. */
export const archiveState = sqliteTable(
  "archive_state",
  {
    id: integer().primaryKey(),
    /** Set by the purge. While it is on, triggers keep in `superseded` what leaves the ledger by other ways. */
    isOn: flag("is_on").notNull(),
    /** Since when the bucket rejects objects; null while it accepts them. */
    failingSince: integer("failing_since"),
  },
  (table) => [check("one_archive", sql`${table.id} = 1`)],
);

/** One row: the place of this database in the ledger. See ledger/shards.ts and ledger/credential-copies.ts. */
export const shardIdentity = sqliteTable(
  "shard_identity",
  {
    id: integer().primaryKey(),
    /** The number of shards, 0 until it is set; the same in DB and in every shard. */
    shards: integer().notNull(),
    /** From 0; null in DB. */
    shardIndex: integer("shard_index"),
    /** On a shard: the newest audit entry that its copy of the credentials includes. */
    credentialsAsOf: integer("credentials_as_of").notNull(),
  },
  (table) => [check("one_identity", sql`${table.id} = 1`)],
);
