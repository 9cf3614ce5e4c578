ALTER TABLE `links` ADD `target` text;--> statement-breakpoint
CREATE INDEX `links_with_target` ON `links` (`app_token`) WHERE "links"."target" IS NOT NULL;