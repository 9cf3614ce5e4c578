CREATE TABLE `partner_rates` (
	`partner_id` integer NOT NULL,
	`cost_type` text NOT NULL,
	`computed_at` integer NOT NULL,
	`matched` integer NOT NULL,
	`recorded` integer,
	`expected` integer,
	`agreeing` integer,
	PRIMARY KEY(`partner_id`, `cost_type`),
	FOREIGN KEY (`partner_id`) REFERENCES `partners`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
