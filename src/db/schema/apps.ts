/** The table of apps. */
import { DEFAULT_MAX_LINKS, DEFAULT_MAX_NEW_SUB_LINKS } from "../../domain/engagements/sub-links.ts";
import { integer, sqliteTable, text } from "./columns.ts";

export const apps = sqliteTable("apps", {
  /** In creation order, which is the order of the operators' list. */
  id: integer().primaryKey(),
  token: text().notNull().unique(),
  name: text().notNull(),
  defaultUrl: text().notNull(),
  iosUrl: text(),
  androidUrl: text(),
  /** JSON array of host names that a click may redirect to over http(s). */
  redirectHosts: text({ mode: "json" }).$type<string[]>().notNull(),
  /** JSON array of URL schemes, without the colon. */
  redirectSchemes: text({ mode: "json" }).$type<string[]>().notNull(),
  /** Number of level-1 links, maintained by a trigger. */
  linkCount: integer().notNull().default(0),
  createdAt: integer().notNull(),
  /** How many links users can create in the app, at all levels. */
  maxLinks: integer().notNull().default(DEFAULT_MAX_LINKS),
  /** The links that users created, at all levels. Maintained by a trigger. */
  createdLinkCount: integer().notNull().default(0),
  /** The length of the responses stored for idempotency keys, in characters. Maintained by triggers. */
  storedLength: integer().notNull().default(0),
  /** Since when the app is hidden from lists; its links keep working. */
  archivedAt: integer(),
  /** How many sub-links engagements can create below a network on one day; a multiple of it in the app. */
  maxNewSubLinks: integer().notNull().default(DEFAULT_MAX_NEW_SUB_LINKS),
  /** The last day on which engagements created sub-links, and those of that day that have a place. Maintained by triggers. */
  newSubLinkDay: integer().notNull().default(0),
  newSubLinkCount: integer().notNull().default(0),
});
