CREATE TABLE `link_changes` (
	`id` integer PRIMARY KEY NOT NULL,
	`app_token` text NOT NULL,
	`changed_at` integer NOT NULL,
	`request_id` text NOT NULL,
	`source` text NOT NULL,
	`count` integer NOT NULL,
	`last_entry` integer NOT NULL,
	`changes` text NOT NULL,
	FOREIGN KEY (`app_token`) REFERENCES `apps`(`token`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `link_changes_by_app` ON `link_changes` (`app_token`,`changed_at`,`request_id`);--> statement-breakpoint
CREATE INDEX `link_changes_by_time` ON `link_changes` (`changed_at`);--> statement-breakpoint
DROP TABLE `link_imports`;
