-- Generated from src/db/schema.ts. STRICT and WITHOUT ROWID were added manually, because Drizzle cannot express them.
CREATE TABLE `authenticators` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`sealed` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_step` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `devices` (
	`user_id` integer NOT NULL,
	`id_hash` text NOT NULL,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `id_hash`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `failed_sign_ins` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`hour` integer NOT NULL,
	`count` integer NOT NULL,
	`codes` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `recovery_codes` (
	`user_id` integer NOT NULL,
	`code_hash` text NOT NULL,
	PRIMARY KEY(`user_id`, `code_hash`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `api_tokens` ADD `role` text DEFAULT 'member' NOT NULL;--> statement-breakpoint
ALTER TABLE `apps` ADD `max_links` integer DEFAULT 100000 NOT NULL;--> statement-breakpoint
ALTER TABLE `apps` ADD `created_link_count` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `apps` ADD `stored_length` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `waiting_secret` text;--> statement-breakpoint
ALTER TABLE `sessions` ADD `browser` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `last_seen_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `password_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `password_expires_at` integer;
--> statement-breakpoint
UPDATE api_tokens SET role = (SELECT role FROM users WHERE users.id = api_tokens.user_id);
--> statement-breakpoint
-- `apps.link_count` counts level 1, `apps.created_link_count` what users created at any level.
DROP TRIGGER links_counted;
--> statement-breakpoint
CREATE TRIGGER links_counted AFTER INSERT ON links BEGIN
  UPDATE apps SET link_count = link_count + (NEW.parent_id IS NULL), created_link_count = created_link_count + (NEW.from_engagement = 0)
  WHERE token = NEW.app_token AND (NEW.parent_id IS NULL OR NEW.from_engagement = 0);
  UPDATE links SET child_count = child_count + 1 WHERE id = NEW.parent_id;
END;
--> statement-breakpoint
UPDATE apps SET created_link_count = (SELECT count(*) FROM links WHERE links.app_token = apps.token AND links.from_engagement = 0);
--> statement-breakpoint
CREATE TRIGGER responses_stored AFTER INSERT ON idempotency_keys BEGIN
  UPDATE apps SET stored_length = stored_length + length(NEW.answer) WHERE token = NEW.app_token;
END;
--> statement-breakpoint
CREATE TRIGGER responses_deleted AFTER DELETE ON idempotency_keys BEGIN
  UPDATE apps SET stored_length = stored_length - length(OLD.answer) WHERE token = OLD.app_token;
END;
--> statement-breakpoint
UPDATE apps SET stored_length = (SELECT coalesce(sum(length(answer)), 0) FROM idempotency_keys WHERE app_token = apps.token);
--> statement-breakpoint
-- A password that an operator sets, or takes away, makes the two-factor secret unreadable. The user sets it up again.
CREATE TRIGGER users_reset AFTER UPDATE OF password_hash ON users
WHEN NEW.password_hash IS NOT OLD.password_hash AND (NEW.password_hash IS NULL OR NEW.password_expires_at IS NOT NULL) BEGIN
  DELETE FROM authenticators WHERE user_id = NEW.id;
  DELETE FROM recovery_codes WHERE user_id = NEW.id;
END;
--> statement-breakpoint
-- The audit log only grows.
CREATE TRIGGER audit_log_added BEFORE INSERT ON audit_log WHEN EXISTS (SELECT 1 FROM audit_log WHERE id = NEW.id) BEGIN
  SELECT RAISE(ABORT, 'An entry of the audit log cannot be replaced.');
END;
--> statement-breakpoint
CREATE TRIGGER audit_log_changed BEFORE UPDATE ON audit_log BEGIN
  SELECT RAISE(ABORT, 'An entry of the audit log cannot be changed.');
END;
--> statement-breakpoint
CREATE TRIGGER audit_log_deleted BEFORE DELETE ON audit_log BEGIN
  SELECT RAISE(ABORT, 'An entry of the audit log cannot be deleted.');
END;
