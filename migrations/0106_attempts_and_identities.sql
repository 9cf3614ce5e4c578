DROP TRIGGER users_role_changed;--> statement-breakpoint
ALTER TABLE `link_imports` ADD `last_entry` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `only_password` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `sign_in_attempts` ADD `is_verified` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `sign_in_attempts` ADD `code` text DEFAULT '' NOT NULL;--> statement-breakpoint
-- A user who gets another role signs in again, from a browser that is not known. An operator links operators, so nobody who was
-- linked before is one.
CREATE TRIGGER users_role_changed AFTER UPDATE OF role ON users WHEN NEW.role IS NOT OLD.role BEGIN
  DELETE FROM sessions WHERE user_id = NEW.id;
  DELETE FROM devices WHERE user_id = NEW.id;
  DELETE FROM identities WHERE user_id = NEW.id AND NEW.role = 'operator';
END;--> statement-breakpoint
-- Who was linked to a user, or tried to sign in, was so by the address of then.
CREATE TRIGGER users_email_changed AFTER UPDATE OF email ON users WHEN NEW.email IS NOT OLD.email BEGIN
  DELETE FROM sessions WHERE user_id = NEW.id AND EXISTS (SELECT 1 FROM identities WHERE user_id = NEW.id);
  DELETE FROM identities WHERE user_id = NEW.id;
  DELETE FROM sign_in_attempts WHERE user_id = NEW.id;
END;
