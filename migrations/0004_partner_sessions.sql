-- Generated from src/db/schema.ts. STRICT and WITHOUT ROWID were added manually, because Drizzle cannot express them.
CREATE TABLE `partner_sessions` (
	`id_hash` text PRIMARY KEY NOT NULL,
	`token_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
) STRICT, WITHOUT ROWID;
