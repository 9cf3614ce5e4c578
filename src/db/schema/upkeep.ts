/** How far the purge and the archive are, and which database of the ledger this is. */
import { sql } from "drizzle-orm";
import { check, flag, integer, primaryKey, sqliteTable, text } from "./columns.ts";

/** The last slice that the purge began in each ledger table: after one key, up to another; null for the end. */
export const purgePositions = sqliteTable("purge_positions", {
  ledgerTable: text({ enum: ["ledger_entries", "superseded"] }).primaryKey(),
  afterPartnerId: integer().notNull(),
  afterCostId: text().notNull(),
  untilPartnerId: integer(),
  untilCostId: text(),
  walkedAt: integer().notNull(),
  /** The cut-off of this walk through the table, in milliseconds since 1970. With the archive, no two walks have the same. */
  walk: integer().notNull().default(0),
  /** With the archive: how often the slice was begun; 0 when it is complete. */
  attempts: integer().notNull().default(0),
});

/** The objects in the archive that have rows of this database: one for each slice of a walk in which rows were purged. */
export const archiveObjects = sqliteTable(
  "archive_objects",
  {
    ledgerTable: text({ enum: ["ledger_entries", "superseded"] }).notNull(),
    walk: integer().notNull(),
    /** The slice starts after this key. The object's name is made from it. */
    firstPartnerId: integer().notNull(),
    firstCostId: text().notNull(),
    /** The last row of the object. */
    lastPartnerId: integer().notNull(),
    lastCostId: text().notNull(),
    /** The days on which the calls, clicks and impressions of the object happened. Days since 1970 in UTC. */
    firstDay: integer().notNull(),
    lastDay: integer().notNull(),
    rowCount: integer().notNull(),
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
    isOn: flag().notNull(),
    /** Since when the bucket rejects objects; null while it accepts them. */
    failingSince: integer(),
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
    shardIndex: integer(),
    /** On a shard: the newest audit entry that its copy of the credentials includes. */
    credentialsAsOf: integer().notNull(),
  },
  (table) => [check("one_identity", sql`${table.id} = 1`)],
);
