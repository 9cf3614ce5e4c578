CREATE TABLE `alert_rules` (
	`id` integer PRIMARY KEY NOT NULL,
	`app_token` text,
	`kind` text NOT NULL,
	`settings` text NOT NULL,
	FOREIGN KEY (`app_token`) REFERENCES `apps`(`token`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `alert_rules_by_app` ON `alert_rules` (`app_token`);--> statement-breakpoint
CREATE TABLE `alerts` (
	`id` integer PRIMARY KEY NOT NULL,
	`rule_id` integer NOT NULL,
	`app_token` text,
	`kind` text NOT NULL,
	`subject` text NOT NULL,
	`data` text NOT NULL,
	`opened_at` integer NOT NULL,
	`closed_at` integer
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `open_alerts` ON `alerts` (`rule_id`,`subject`) WHERE "alerts"."closed_at" IS NULL;--> statement-breakpoint
CREATE INDEX `alerts_by_app` ON `alerts` (`app_token`);--> statement-breakpoint
CREATE INDEX `open_alerts_by_app` ON `alerts` (`app_token`) WHERE "alerts"."closed_at" IS NULL;--> statement-breakpoint
CREATE INDEX `alerts_by_end` ON `alerts` (`closed_at`) WHERE "alerts"."closed_at" IS NOT NULL;--> statement-breakpoint
CREATE TABLE `cost_activity` (
	`app_token` text NOT NULL,
	`partner_id` integer NOT NULL,
	`hour` integer NOT NULL,
	`first_day` integer NOT NULL,
	`accepted` integer NOT NULL,
	`rejected` integer NOT NULL,
	`recorded` integer NOT NULL,
	`new_accepted` integer NOT NULL,
	`new_rejected` integer NOT NULL,
	`hours` integer NOT NULL,
	`last_cost_at` integer,
	`waiting_since` integer,
	PRIMARY KEY(`app_token`, `partner_id`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `webhook_deliveries` (
	`id` integer PRIMARY KEY NOT NULL,
	`webhook_id` integer NOT NULL,
	`event_id` integer NOT NULL,
	`rank` integer NOT NULL,
	`due_at` integer,
	`attempts` integer DEFAULT 0 NOT NULL,
	`attempted_at` integer,
	`status` integer,
	`error` text,
	`duration` integer,
	`delivered_at` integer,
	FOREIGN KEY (`webhook_id`) REFERENCES `webhooks`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`event_id`) REFERENCES `webhook_events`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `deliveries_due` ON `webhook_deliveries` (`webhook_id`,`rank`,`due_at`) WHERE "webhook_deliveries"."due_at" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `deliveries_by_webhook` ON `webhook_deliveries` (`webhook_id`,`id`);--> statement-breakpoint
CREATE INDEX `deliveries_by_event` ON `webhook_deliveries` (`event_id`);--> statement-breakpoint
CREATE TABLE `webhook_events` (
	`id` integer PRIMARY KEY NOT NULL,
	`message_id` text NOT NULL,
	`type` text NOT NULL,
	`app_token` text,
	`partner_id` integer,
	`webhook_id` integer,
	`body` text NOT NULL,
	`happened_at` integer NOT NULL,
	`spread_at` integer
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `webhook_events_message_id_unique` ON `webhook_events` (`message_id`);--> statement-breakpoint
CREATE INDEX `events_to_spread` ON `webhook_events` (`id`) WHERE "webhook_events"."spread_at" IS NULL;--> statement-breakpoint
CREATE INDEX `events_by_time` ON `webhook_events` (`happened_at`);--> statement-breakpoint
CREATE TABLE `webhooks` (
	`id` integer PRIMARY KEY NOT NULL,
	`app_token` text,
	`url` text NOT NULL,
	`secret` text NOT NULL,
	`old_secret` text,
	`old_secret_until` integer,
	`created_at` integer NOT NULL,
	`failing_since` integer,
	`last_duration` integer,
	`ended_at` integer,
	`ended_because` text,
	FOREIGN KEY (`app_token`) REFERENCES `apps`(`token`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `webhooks_by_app` ON `webhooks` (`app_token`);--> statement-breakpoint
-- The rules of operators of a new deployment. They can change and delete them.
INSERT INTO alert_rules (app_token, kind, settings) VALUES
  (NULL, 'partner_silent', '{"hours":24}'),
  (NULL, 'costs_rejected', '{"count":10,"percent":5}'),
  (NULL, 'discrepancy', '{"percent":5}'),
  (NULL, 'purge_late', '{"hours":3}'),
  (NULL, 'database_large', '{"gigabytes":7}'),
  (NULL, 'url_prices_limited', '{}'),
  (NULL, 'sub_links_full', '{}');
