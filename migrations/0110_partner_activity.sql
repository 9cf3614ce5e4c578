CREATE TABLE `partner_activity` (
	`partner_id` integer PRIMARY KEY NOT NULL,
	`hour` integer NOT NULL,
	`first_day` integer NOT NULL,
	`costs` integer NOT NULL,
	`clicks` integer NOT NULL,
	`last_cost_at` integer,
	`last_click_at` integer,
	`open_mismatches` integer NOT NULL,
	FOREIGN KEY (`partner_id`) REFERENCES `partners`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
