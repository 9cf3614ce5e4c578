DROP TRIGGER users_disabled;--> statement-breakpoint
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
-- A disabled user has no token and no session.
CREATE TRIGGER users_disabled AFTER UPDATE OF disabled_at ON users WHEN NEW.disabled_at IS NOT NULL BEGIN
  DELETE FROM api_tokens WHERE user_id = NEW.id;
  DELETE FROM access_tokens WHERE user_id = NEW.id;
  DELETE FROM sessions WHERE user_id = NEW.id;
END;--> statement-breakpoint
-- Another sign-in method ends what began with the one before. An API token stays, but can no longer be shown.
CREATE TRIGGER users_sign_in_changed AFTER UPDATE OF password_hash ON users
WHEN (NEW.password_hash IS NULL) <> (OLD.password_hash IS NULL) BEGIN
  DELETE FROM access_tokens WHERE user_id = NEW.id;
  DELETE FROM sessions WHERE user_id = NEW.id;
  UPDATE api_tokens SET sealed = NULL WHERE user_id = NEW.id;
END;
