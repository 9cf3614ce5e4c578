-- Generated from src/db/schema.ts. The rest was added manually.
ALTER TABLE `devices` ADD `codes_hour` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `devices` ADD `codes` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `failed_sign_ins` ADD `wrong_codes` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `failed_sign_ins` ADD `wrong_confirmations` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
-- A known browser may enter codes while strangers may not, so it is known only as long as the password and the second factor
-- under which it signed in.
CREATE TRIGGER browsers_of_old_password AFTER UPDATE OF password_hash ON users WHEN NEW.password_hash IS NOT OLD.password_hash BEGIN
  DELETE FROM devices WHERE user_id = NEW.id;
END;
--> statement-breakpoint
CREATE TRIGGER browsers_before_two_factor AFTER INSERT ON authenticators BEGIN
  DELETE FROM devices WHERE user_id = NEW.user_id;
END;
--> statement-breakpoint
CREATE TRIGGER browsers_after_two_factor AFTER DELETE ON authenticators BEGIN
  DELETE FROM devices WHERE user_id = OLD.user_id;
END;
--> statement-breakpoint
-- Those that signed in before these triggers, perhaps before two-factor authentication was turned on.
DELETE FROM devices WHERE user_id IN (SELECT user_id FROM authenticators);
