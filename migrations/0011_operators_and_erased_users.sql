-- A user who gets another role signs in again, from a browser that is not known.
CREATE TRIGGER users_role_changed AFTER UPDATE OF role ON users WHEN NEW.role IS NOT OLD.role BEGIN
  DELETE FROM sessions WHERE user_id = NEW.id;
  DELETE FROM devices WHERE user_id = NEW.id;
END;
--> statement-breakpoint
-- Entries of the audit log name users by ID only, so that an erased user has no email address there. This is the only change of
-- entries: it removes the addresses from those that were written before.
DROP TRIGGER audit_log_changed;
--> statement-breakpoint
UPDATE audit_log SET detail = json_remove(detail, '$.email') WHERE action = 'create user';
--> statement-breakpoint
UPDATE audit_log SET detail = json_set(detail, '$.email', 'changed')
WHERE action = 'update user' AND json_type(detail, '$.email') = 'object';
--> statement-breakpoint
CREATE TRIGGER audit_log_changed BEFORE UPDATE ON audit_log BEGIN
  SELECT RAISE(ABORT, 'An entry of the audit log cannot be changed.');
END;
