/** The tables of links, and of what requests did to them. */
import { sql } from "drizzle-orm";
import { apps } from "./apps.ts";
import {
  check,
  flag,
  index,
  integer,
  primaryKey,
  sqliteTable,
  sqliteView,
  text,
  VIRTUAL,
} from "./columns.ts";
import { partners } from "./partners.ts";

export const links = sqliteTable(
  "links",
  {
    /** In creation order, which is the order of every list. */
    id: integer().primaryKey(),
    token: text().notNull().unique(),
    appToken: text()
      .notNull()
      .references(() => apps.token),
    parentId: integer(),
    level: integer().notNull(),
    label: text().notNull(),
    archived: flag().notNull().default(false),
    /** The link's own partner and switch; null inherits from the nearest ancestor. */
    partnerId: integer().references(() => partners.id),
    costSwitch: flag(),
    /** Maintained by a trigger. */
    childCount: integer().notNull().default(0),
    createdAt: integer().notNull(),
    /** The label at the creation, once the link was renamed. */
    firstLabel: text(),
    /** Created by a click or an impression whose URL named it. */
    fromEngagement: flag().notNull().default(false),
    /** At level 1: the links below it that engagements created and that have a place. Maintained by triggers, see rules.sql. */
    fromEngagementCount: integer().notNull().default(0),
    /** The name by which an engagement finds the link, which renaming does not change. */
    matchName: text().generatedAlwaysAs(sql`coalesce(first_label, label)`, VIRTUAL),
    /** At level 1: as in `apps`. */
    newSubLinkDay: integer().notNull().default(0),
    newSubLinkCount: integer().notNull().default(0),
    /** While the link is archived: the highest ID when it was. Sub-links up to it have no place; later ones have. */
    archivedThrough: integer(),
    /** Where clicks lead; null inherits from the nearest ancestor, "" leads to the URLs of the app. */
    target: text(),
    /** At level 1: the round that it was created for, to test a partner. */
    roundId: integer(),
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
  appToken: text().notNull(),
  /** The link of level 1. */
  rootId: integer().notNull(),
  /** Days since 1970 in UTC. */
  day: integer().notNull(),
  count: integer().notNull(),
}).existing();

/** The links at and below `topId` that engagements created and that have a place unless something from it up takes it away. */
export const placeTakers = sqliteView("place_takers", {
  topId: integer().notNull(),
  id: integer().notNull(),
  createdAt: integer().notNull(),
}).existing();

/** What requests of the workspace changed of links, kept for 24 hours, in which it can be undone. A request can have several rows. */
export const linkChanges = sqliteTable(
  "link_changes",
  {
    id: integer().primaryKey(),
    appToken: text()
      .notNull()
      .references(() => apps.token),
    /** The time and the ID of the request, as in its entries of the audit log. */
    changedAt: integer().notNull(),
    requestId: text().notNull(),
    source: text({ enum: ["import", "bulk", "settings", "create"] }).notNull(),
    /** Of links. */
    count: integer().notNull(),
    /** The newest entry of the audit log after the change, which has entries itself. */
    lastEntry: integer().notNull(),
    /** A list of changes in JSON: see links/changes.ts. */
    changes: text().notNull(),
    /** What is undone together: the ID of the request, or of the one that sent the first part of a file. */
    undoId: text().notNull().default(""),
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
    userId: integer().notNull(),
    appToken: text().notNull(),
    operation: text({ enum: ["create_link", "create_links"] }).notNull(),
    key: text().notNull(),
    createdAt: integer().notNull(),
    /** The id of the request that got this response. */
    requestId: text().notNull(),
    /** SHA-256 of the request body, to detect a different request with the same key. */
    bodyHash: text().notNull(),
    status: integer().notNull(),
    location: text(),
    /** The response body, byte for byte. */
    answer: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.appToken, table.operation, table.key] })],
);

/** One row: how far the sub-links that engagements created were added to the audit log. See links/sub-links/audit.ts. */
export const subLinkAudit = sqliteTable(
  "sub_link_audit",
  {
    id: integer().primaryKey(),
    /** Days since 1970: the first day that was not written yet. */
    day: integer().notNull(),
    /** The links of the last run: those after `afterId`, up to `untilId`. */
    afterId: integer().notNull(),
    untilId: integer().notNull(),
  },
  (table) => [check("one_sub_link_audit", sql`${table.id} = 1`)],
);
