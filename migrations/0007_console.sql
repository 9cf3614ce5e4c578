-- Generated from src/db/schema.ts.
ALTER TABLE `apps` ADD `archived_at` integer;--> statement-breakpoint
ALTER TABLE `round_dismissals` ADD `reason` text;--> statement-breakpoint
ALTER TABLE `rounds` ADD `approved_types` integer;
