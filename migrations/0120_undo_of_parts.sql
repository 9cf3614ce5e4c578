ALTER TABLE `link_changes` ADD `undo_id` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `link_changes_by_undo` ON `link_changes` (`app_token`,`undo_id`);--> statement-breakpoint
UPDATE `link_changes` SET `undo_id` = `request_id`;
