CREATE TABLE `hidden_attention` (
	`app_token` text NOT NULL,
	`key` text NOT NULL,
	`hidden_until` integer NOT NULL,
	PRIMARY KEY(`app_token`, `key`),
	FOREIGN KEY (`app_token`) REFERENCES `apps`(`token`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
