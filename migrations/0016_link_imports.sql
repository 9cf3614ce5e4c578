CREATE TABLE `link_imports` (
	`id` integer PRIMARY KEY NOT NULL,
	`app_token` text NOT NULL,
	`imported_at` integer NOT NULL,
	`changes` text NOT NULL,
	FOREIGN KEY (`app_token`) REFERENCES `apps`(`token`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE INDEX `link_imports_by_app` ON `link_imports` (`app_token`,`imported_at`);--> statement-breakpoint
CREATE INDEX `link_imports_by_time` ON `link_imports` (`imported_at`);