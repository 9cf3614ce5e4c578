DROP TRIGGER users_sign_in_changed;--> statement-breakpoint
CREATE TABLE `identities` (
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`user_id` integer NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`issuer`, `subject`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;--> statement-breakpoint
CREATE UNIQUE INDEX `identities_user_id_unique` ON `identities` (`user_id`);--> statement-breakpoint
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
CREATE TABLE `used_states` (
	`state_hash` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
) STRICT, WITHOUT ROWID;--> statement-breakpoint
-- Another sign-in method ends what began with the one before. An API token stays, but can no longer be shown.
CREATE TRIGGER users_sign_in_changed AFTER UPDATE OF password_hash ON users
WHEN (NEW.password_hash IS NULL) <> (OLD.password_hash IS NULL) BEGIN
  DELETE FROM access_tokens WHERE user_id = NEW.id;
  DELETE FROM identities WHERE user_id = NEW.id;
  DELETE FROM sign_in_attempts WHERE user_id = NEW.id;
  DELETE FROM sessions WHERE user_id = NEW.id;
  UPDATE api_tokens SET sealed = NULL WHERE user_id = NEW.id;
END;
