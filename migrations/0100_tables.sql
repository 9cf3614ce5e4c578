-- Generated from src/db/schema.ts. STRICT and WITHOUT ROWID were added manually, because Drizzle cannot express them.
CREATE TABLE `access_tokens` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`name` text NOT NULL,
	`hint` text NOT NULL,
	`scope` text NOT NULL,
	`app_token` text,
	`role` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`last_used_day` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`app_token`) REFERENCES `apps`(`token`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;--> statement-breakpoint
CREATE INDEX `access_tokens_by_user` ON `access_tokens` (`user_id`);--> statement-breakpoint
CREATE TABLE `adjustments` (
	`id` integer PRIMARY KEY NOT NULL,
	`app_token` text NOT NULL,
	`day` integer NOT NULL,
	`link_id` integer NOT NULL,
	`partner_id` integer NOT NULL,
	`cost_type` text NOT NULL,
	`currency` text NOT NULL,
	`amount` integer NOT NULL,
	`reason` text NOT NULL,
	`user_id` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`app_token`) REFERENCES `apps`(`token`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`link_id`) REFERENCES `links`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`partner_id`) REFERENCES `partners`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE INDEX `adjustments_by_app` ON `adjustments` (`app_token`);--> statement-breakpoint
CREATE INDEX `adjustments_by_day` ON `adjustments` (`app_token`,`day`,`link_id`,`partner_id`,`cost_type`,`currency`,`amount`);--> statement-breakpoint
CREATE TABLE `api_tokens` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`hint` text NOT NULL,
	`sealed` text,
	`created_at` integer NOT NULL,
	`last_used_day` integer,
	`role` text DEFAULT 'member' NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;--> statement-breakpoint
CREATE UNIQUE INDEX `api_tokens_user_id_unique` ON `api_tokens` (`user_id`);--> statement-breakpoint
CREATE TABLE `apps` (
	`id` integer PRIMARY KEY NOT NULL,
	`token` text NOT NULL,
	`name` text NOT NULL,
	`default_url` text NOT NULL,
	`ios_url` text,
	`android_url` text,
	`redirect_hosts` text NOT NULL,
	`redirect_schemes` text NOT NULL,
	`link_count` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`max_links` integer DEFAULT 100000 NOT NULL,
	`created_link_count` integer DEFAULT 0 NOT NULL,
	`stored_length` integer DEFAULT 0 NOT NULL,
	`archived_at` integer,
	`audience` integer DEFAULT true NOT NULL
) STRICT;--> statement-breakpoint
CREATE UNIQUE INDEX `apps_token_unique` ON `apps` (`token`);--> statement-breakpoint
CREATE TABLE `archive_objects` (
	`ledger_table` text NOT NULL,
	`walk` integer NOT NULL,
	`first_partner_id` integer NOT NULL,
	`first_cost_id` text NOT NULL,
	`last_partner_id` integer NOT NULL,
	`last_cost_id` text NOT NULL,
	`first_day` integer NOT NULL,
	`last_day` integer NOT NULL,
	`row_count` integer NOT NULL,
	PRIMARY KEY(`ledger_table`, `walk`, `first_partner_id`, `first_cost_id`)
) STRICT, WITHOUT ROWID;--> statement-breakpoint
CREATE TABLE `archive_state` (
	`id` integer PRIMARY KEY NOT NULL,
	`is_on` integer NOT NULL,
	`failing_since` integer,
	CONSTRAINT "one_archive" CHECK("archive_state"."id" = 1)
) STRICT;--> statement-breakpoint
CREATE TABLE `audit_log` (
	`id` integer PRIMARY KEY NOT NULL,
	`happened_at` integer NOT NULL,
	`user_id` integer,
	`action` text NOT NULL,
	`subject` text NOT NULL,
	`detail` text NOT NULL,
	`request_id` text,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE INDEX `audit_by_subject` ON `audit_log` (`subject`);--> statement-breakpoint
CREATE TABLE `authenticators` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`sealed` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_step` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE TABLE `credentials` (
	`id` integer PRIMARY KEY NOT NULL,
	`token_hash` text NOT NULL,
	`partner_id` integer NOT NULL,
	`mode` text NOT NULL,
	`cost_types` integer NOT NULL,
	`round_id` integer,
	`hint` text NOT NULL,
	`created_at` integer NOT NULL,
	`revoked_at` integer,
	FOREIGN KEY (`partner_id`) REFERENCES `partners`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`round_id`) REFERENCES `rounds`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE UNIQUE INDEX `credentials_token_hash_unique` ON `credentials` (`token_hash`);--> statement-breakpoint
CREATE TABLE `daily_audience` (
	`app_token` text NOT NULL,
	`link_id` integer NOT NULL,
	`day` integer NOT NULL,
	`partner_id` integer NOT NULL,
	`kind` text NOT NULL,
	`country` text NOT NULL,
	`platform` text NOT NULL,
	`count` integer NOT NULL,
	`recorded` integer NOT NULL,
	PRIMARY KEY(`app_token`, `link_id`, `day`, `partner_id`, `kind`, `country`, `platform`)
) STRICT, WITHOUT ROWID;--> statement-breakpoint
CREATE TABLE `daily_audience_spend` (
	`app_token` text NOT NULL,
	`link_id` integer NOT NULL,
	`day` integer NOT NULL,
	`partner_id` integer NOT NULL,
	`cost_type` text NOT NULL,
	`currency` text NOT NULL,
	`state` text NOT NULL,
	`country` text NOT NULL,
	`platform` text NOT NULL,
	`count` integer NOT NULL,
	`amount` integer NOT NULL,
	PRIMARY KEY(`app_token`, `link_id`, `day`, `partner_id`, `cost_type`, `currency`, `state`, `country`, `platform`)
) STRICT, WITHOUT ROWID;--> statement-breakpoint
CREATE TABLE `daily_engagements` (
	`app_token` text NOT NULL,
	`day` integer NOT NULL,
	`link_id` integer NOT NULL,
	`partner_id` integer NOT NULL,
	`kind` text NOT NULL,
	`count` integer NOT NULL,
	`recorded` integer NOT NULL,
	PRIMARY KEY(`app_token`, `day`, `link_id`, `partner_id`, `kind`)
) STRICT, WITHOUT ROWID;--> statement-breakpoint
CREATE TABLE `daily_rejections` (
	`partner_id` integer NOT NULL,
	`app_token` text NOT NULL,
	`day` integer NOT NULL,
	`code` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`partner_id`, `app_token`, `day`, `code`)
) STRICT, WITHOUT ROWID;--> statement-breakpoint
CREATE TABLE `daily_totals` (
	`app_token` text NOT NULL,
	`day` integer NOT NULL,
	`link_id` integer NOT NULL,
	`partner_id` integer NOT NULL,
	`cost_type` text NOT NULL,
	`currency` text NOT NULL,
	`state` text NOT NULL,
	`count` integer NOT NULL,
	`amount` integer NOT NULL,
	PRIMARY KEY(`app_token`, `day`, `link_id`, `partner_id`, `cost_type`, `currency`, `state`)
) STRICT, WITHOUT ROWID;--> statement-breakpoint
CREATE TABLE `devices` (
	`user_id` integer NOT NULL,
	`id_hash` text NOT NULL,
	`expires_at` integer NOT NULL,
	`codes_hour` integer DEFAULT 0 NOT NULL,
	`codes` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`user_id`, `id_hash`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;--> statement-breakpoint
CREATE TABLE `dropped_parameters` (
	`link_id` integer NOT NULL,
	`day` integer NOT NULL,
	`param` text NOT NULL,
	`reason` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`link_id`, `day`, `param`, `reason`)
) STRICT, WITHOUT ROWID;--> statement-breakpoint
CREATE TABLE `failed_sign_ins` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`hour` integer NOT NULL,
	`count` integer NOT NULL,
	`codes` integer NOT NULL,
	`wrong_codes` integer DEFAULT 0 NOT NULL,
	`wrong_confirmations` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE TABLE `hidden_attention` (
	`app_token` text NOT NULL,
	`key` text NOT NULL,
	`hidden_until` integer NOT NULL,
	PRIMARY KEY(`app_token`, `key`),
	FOREIGN KEY (`app_token`) REFERENCES `apps`(`token`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;--> statement-breakpoint
CREATE TABLE `idempotency_keys` (
	`user_id` integer NOT NULL,
	`app_token` text NOT NULL,
	`operation` text NOT NULL,
	`key` text NOT NULL,
	`created_at` integer NOT NULL,
	`request_id` text NOT NULL,
	`body_hash` text NOT NULL,
	`status` integer NOT NULL,
	`location` text,
	`answer` text NOT NULL,
	PRIMARY KEY(`user_id`, `app_token`, `operation`, `key`)
) STRICT, WITHOUT ROWID;--> statement-breakpoint
CREATE TABLE `identities` (
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`user_id` integer NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`issuer`, `subject`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;--> statement-breakpoint
CREATE UNIQUE INDEX `identities_user_id_unique` ON `identities` (`user_id`);--> statement-breakpoint
CREATE TABLE `ledger_entries` (
	`partner_id` integer NOT NULL,
	`cost_id` text NOT NULL,
	`cost_type` text,
	`currency` text,
	`amount` integer,
	`tag` text,
	`received_at` integer,
	`void_state` text,
	`click_app_token` text,
	`click_link_id` integer,
	`click_at` integer,
	`click_cost_data_on` integer,
	`click_url_cost_type` text,
	`click_url_currency` text,
	`click_url_amount` integer,
	`click_price_counts` integer,
	`impression_app_token` text,
	`impression_link_id` integer,
	`impression_at` integer,
	`impression_cost_data_on` integer,
	`impression_url_cost_type` text,
	`impression_url_currency` text,
	`impression_url_amount` integer,
	`impression_price_counts` integer,
	`void_kind` text,
	`click_first` integer GENERATED ALWAYS AS (coalesce(click_at <= impression_at + 604800000, 1)) VIRTUAL,
	`click_usable` integer GENERATED ALWAYS AS (coalesce(cost_type <> 'cpm' AND click_cost_data_on AND abs(received_at - click_at) <= 604800000, 0)) VIRTUAL,
	`impression_usable` integer GENERATED ALWAYS AS (coalesce(cost_type <> 'cpc' AND impression_cost_data_on AND abs(received_at - impression_at) <= 604800000, 0)) VIRTUAL,
	`matched_kind` text GENERATED ALWAYS AS (CASE WHEN click_usable AND (click_first OR NOT impression_usable) THEN 'click' WHEN impression_usable THEN 'impression' END) VIRTUAL,
	`matched_at` integer GENERATED ALWAYS AS (CASE matched_kind WHEN 'click' THEN click_at WHEN 'impression' THEN impression_at END) VIRTUAL,
	`remembered_until` integer GENERATED ALWAYS AS (max(coalesce(click_at, 0), coalesce(impression_at, 0), iif(matched_kind IS NULL, coalesce(received_at, 0), 0)) + 1209600000) VIRTUAL,
	`click_price` integer GENERATED ALWAYS AS (CASE WHEN click_usable AND click_price_counts AND void_state IS NULL AND click_url_cost_type = cost_type AND click_url_currency = currency THEN click_url_amount END) VIRTUAL,
	`impression_price` integer GENERATED ALWAYS AS (CASE WHEN impression_usable AND impression_price_counts AND void_state IS NULL AND impression_url_cost_type = cost_type AND impression_url_currency = currency THEN impression_url_amount END) VIRTUAL,
	`amount_in_effect` integer GENERATED ALWAYS AS (coalesce(amount, iif(matched_kind = 'click', click_price, impression_price), click_price, impression_price)) VIRTUAL,
	`state` text GENERATED ALWAYS AS (CASE WHEN cost_type IS NULL THEN NULL WHEN void_state = 'voided' THEN 'voided' WHEN matched_kind IS NULL THEN 'pending' WHEN amount_in_effect IS NULL THEN 'unpriced' ELSE 'matched' END) VIRTUAL,
	`counting_price` text GENERATED ALWAYS AS (CASE WHEN matched_kind IS NOT NULL OR void_state IS NOT NULL THEN NULL WHEN click_price_counts AND (click_first OR NOT coalesce(impression_price_counts, 0)) THEN 'click' WHEN impression_price_counts THEN 'impression' END) VIRTUAL,
	`click_country` text,
	`click_platform` text,
	`impression_country` text,
	`impression_platform` text,
	PRIMARY KEY(`partner_id`, `cost_id`)
) STRICT, WITHOUT ROWID;--> statement-breakpoint
CREATE TABLE `link_imports` (
	`id` integer PRIMARY KEY NOT NULL,
	`app_token` text NOT NULL,
	`imported_at` integer NOT NULL,
	`changes` text NOT NULL,
	FOREIGN KEY (`app_token`) REFERENCES `apps`(`token`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE INDEX `link_imports_by_app` ON `link_imports` (`app_token`,`imported_at`);--> statement-breakpoint
CREATE INDEX `link_imports_by_time` ON `link_imports` (`imported_at`);--> statement-breakpoint
CREATE TABLE `links` (
	`id` integer PRIMARY KEY NOT NULL,
	`token` text NOT NULL,
	`app_token` text NOT NULL,
	`parent_id` integer,
	`level` integer NOT NULL,
	`label` text NOT NULL,
	`archived` integer DEFAULT false NOT NULL,
	`partner_id` integer,
	`cost_switch` integer,
	`child_count` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`first_label` text,
	`from_engagement` integer DEFAULT false NOT NULL,
	`from_engagement_count` integer DEFAULT 0 NOT NULL,
	`match_name` text GENERATED ALWAYS AS (coalesce(first_label, label)) VIRTUAL,
	FOREIGN KEY (`app_token`) REFERENCES `apps`(`token`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`partner_id`) REFERENCES `partners`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "four_levels" CHECK("links"."level" BETWEEN 1 AND 4)
) STRICT;--> statement-breakpoint
CREATE UNIQUE INDEX `links_token_unique` ON `links` (`token`);--> statement-breakpoint
CREATE INDEX `links_by_parent` ON `links` (`app_token`,`parent_id`);--> statement-breakpoint
CREATE INDEX `links_by_label` ON `links` (`app_token`,`parent_id`,"label" COLLATE NOCASE);--> statement-breakpoint
CREATE INDEX `links_by_match_name` ON `links` (`app_token`,`parent_id`,`match_name`);--> statement-breakpoint
CREATE INDEX `archived_links` ON `links` (`app_token`,`parent_id`) WHERE "links"."archived" = 1;--> statement-breakpoint
CREATE INDEX `links_by_partner` ON `links` (`app_token`,`parent_id`,`partner_id`) WHERE "links"."partner_id" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `links_by_level` ON `links` (`app_token`,`level`,"label" COLLATE NOCASE) WHERE "links"."parent_id" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `links_with_settings` ON `links` (`app_token`,`level`,"label" COLLATE NOCASE) WHERE "links"."partner_id" IS NOT NULL OR "links"."cost_switch" IS NOT NULL;--> statement-breakpoint
CREATE TABLE `memberships` (
	`user_id` integer NOT NULL,
	`app_token` text NOT NULL,
	PRIMARY KEY(`user_id`, `app_token`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`app_token`) REFERENCES `apps`(`token`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;--> statement-breakpoint
CREATE TABLE `partner_catalog` (
	`id` integer PRIMARY KEY NOT NULL,
	`partner_count` integer NOT NULL,
	`revision` text NOT NULL,
	CONSTRAINT "one_row" CHECK("partner_catalog"."id" = 1)
) STRICT;--> statement-breakpoint
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
) STRICT, WITHOUT ROWID;--> statement-breakpoint
CREATE TABLE `partner_sessions` (
	`id_hash` text PRIMARY KEY NOT NULL,
	`token_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
) STRICT, WITHOUT ROWID;--> statement-breakpoint
CREATE TABLE `partners` (
	`id` integer PRIMARY KEY NOT NULL,
	`display_name` text NOT NULL,
	`supports_cost_data` integer NOT NULL,
	`server_to_server` integer NOT NULL,
	`click_parameters` text NOT NULL,
	`impression_parameters` text NOT NULL,
	`cost_parameters` text NOT NULL,
	`integrated_types` integer DEFAULT 0 NOT NULL,
	`stopped_at` integer,
	`max_url_amount` integer DEFAULT 1000000000 NOT NULL,
	`created_at` integer NOT NULL
) STRICT;--> statement-breakpoint
CREATE TABLE `purge_positions` (
	`ledger_table` text PRIMARY KEY NOT NULL,
	`after_partner_id` integer NOT NULL,
	`after_cost_id` text NOT NULL,
	`until_partner_id` integer,
	`until_cost_id` text,
	`walked_at` integer NOT NULL,
	`walk` integer DEFAULT 0 NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL
) STRICT, WITHOUT ROWID;--> statement-breakpoint
CREATE TABLE `recovery_codes` (
	`user_id` integer NOT NULL,
	`code_hash` text NOT NULL,
	PRIMARY KEY(`user_id`, `code_hash`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;--> statement-breakpoint
CREATE TABLE `round_dismissals` (
	`round_id` integer NOT NULL,
	`finding` text NOT NULL,
	`dismissed_at` integer NOT NULL,
	`reason` text,
	PRIMARY KEY(`round_id`, `finding`),
	FOREIGN KEY (`round_id`) REFERENCES `rounds`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;--> statement-breakpoint
CREATE TABLE `round_entries` (
	`round_id` integer NOT NULL,
	`number` integer NOT NULL,
	`received_at` integer NOT NULL,
	`cost_id` text,
	`record` text NOT NULL,
	PRIMARY KEY(`round_id`, `number`),
	FOREIGN KEY (`round_id`) REFERENCES `rounds`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;--> statement-breakpoint
CREATE TABLE `rounds` (
	`id` integer PRIMARY KEY NOT NULL,
	`partner_id` integer NOT NULL,
	`cost_types` integer NOT NULL,
	`state` text NOT NULL,
	`opened_at` integer NOT NULL,
	`ended_at` integer,
	`entry_count` integer DEFAULT 0 NOT NULL,
	`final_report` text,
	`approved_types` integer,
	FOREIGN KEY (`partner_id`) REFERENCES `partners`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE INDEX `rounds_by_partner` ON `rounds` (`partner_id`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`id_hash` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`waiting_secret` text,
	`browser` text DEFAULT '' NOT NULL,
	`last_seen_at` integer DEFAULT 0 NOT NULL,
	`password_at` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;--> statement-breakpoint
CREATE INDEX `sessions_by_user` ON `sessions` (`user_id`);--> statement-breakpoint
CREATE TABLE `shard_identity` (
	`id` integer PRIMARY KEY NOT NULL,
	`shards` integer NOT NULL,
	`shard_index` integer,
	`credentials_as_of` integer NOT NULL,
	CONSTRAINT "one_identity" CHECK("shard_identity"."id" = 1)
) STRICT;--> statement-breakpoint
CREATE TABLE `sign_in_attempts` (
	`id` integer PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`email` text NOT NULL,
	`attempted_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE UNIQUE INDEX `attempts_by_user` ON `sign_in_attempts` (`user_id`,`issuer`,`subject`);--> statement-breakpoint
CREATE TABLE `sub_link_audit` (
	`id` integer PRIMARY KEY NOT NULL,
	`day` integer NOT NULL,
	`after_id` integer NOT NULL,
	`until_id` integer NOT NULL,
	CONSTRAINT "one_sub_link_audit" CHECK("sub_link_audit"."id" = 1)
) STRICT;--> statement-breakpoint
CREATE TABLE `superseded` (
	`partner_id` integer NOT NULL,
	`cost_id` text NOT NULL,
	`number` integer NOT NULL,
	`walk` integer NOT NULL,
	`record` text NOT NULL,
	PRIMARY KEY(`partner_id`, `cost_id`, `number`)
) STRICT, WITHOUT ROWID;--> statement-breakpoint
CREATE TABLE `used_states` (
	`state_hash` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
) STRICT, WITHOUT ROWID;--> statement-breakpoint
CREATE TABLE `users` (
	`id` integer PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`role` text NOT NULL,
	`password_hash` text,
	`disabled_at` integer,
	`created_at` integer NOT NULL,
	`password_expires_at` integer
) STRICT;--> statement-breakpoint
CREATE UNIQUE INDEX `users_email_unique` ON `users` (`email`);--> statement-breakpoint
CREATE TABLE `views` (
	`id` integer PRIMARY KEY NOT NULL,
	`app_token` text NOT NULL,
	`user_id` integer,
	`name` text NOT NULL,
	`query` text NOT NULL,
	FOREIGN KEY (`app_token`) REFERENCES `apps`(`token`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`,`app_token`) REFERENCES `memberships`(`user_id`,`app_token`) ON UPDATE no action ON DELETE cascade
) STRICT;--> statement-breakpoint
CREATE INDEX `views_by_app` ON `views` (`app_token`,`user_id`);
