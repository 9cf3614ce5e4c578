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
ALTER TABLE `sessions` ADD `waiting_secret` text;--> statement-breakpoint
ALTER TABLE `users` ADD `password_expires_at` integer;
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
