ALTER TABLE `alerts` ADD `email_due_at` integer;--> statement-breakpoint
CREATE INDEX `alerts_to_send` ON `alerts` (`email_due_at`) WHERE "alerts"."email_due_at" IS NOT NULL;