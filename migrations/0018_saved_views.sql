CREATE TABLE `views` (
	`id` integer PRIMARY KEY NOT NULL,
	`app_token` text NOT NULL,
	`user_id` integer,
	`name` text NOT NULL,
	`query` text NOT NULL,
	FOREIGN KEY (`app_token`) REFERENCES `apps`(`token`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`,`app_token`) REFERENCES `memberships`(`user_id`,`app_token`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `views_by_app` ON `views` (`app_token`,`user_id`);