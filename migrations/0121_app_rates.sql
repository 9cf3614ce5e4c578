CREATE TABLE `app_rates` (
	`app_token` text NOT NULL,
	`partner_id` integer NOT NULL,
	`cost_type` text NOT NULL,
	`expected` integer NOT NULL,
	`agreeing` integer NOT NULL,
	PRIMARY KEY(`app_token`, `partner_id`, `cost_type`),
	FOREIGN KEY (`app_token`) REFERENCES `apps`(`token`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`partner_id`) REFERENCES `partners`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `app_rates_by_partner` ON `app_rates` (`partner_id`);