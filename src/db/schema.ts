/**
 * Every table, which a folder of files defines by subject. Times are integer milliseconds since 1970, bound by the caller. Money is an
 * integer count of 0.00001 currency units. STRICT, WITHOUT ROWID, triggers and views are in the migrations, because Drizzle cannot
 * express them.
 */
export * from "./schema/accounts.ts";
export * from "./schema/alerts.ts";
export * from "./schema/apps.ts";
export * from "./schema/audit.ts";
export * from "./schema/doors.ts";
export * from "./schema/ledger.ts";
export * from "./schema/links.ts";
export * from "./schema/memberships.ts";
export * from "./schema/partners.ts";
export * from "./schema/totals.ts";
export * from "./schema/upkeep.ts";
