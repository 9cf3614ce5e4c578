DROP TRIGGER cost_rejected;--> statement-breakpoint
-- Counts a rejected cost of a credential that is valid.
CREATE TRIGGER cost_rejected INSTEAD OF INSERT ON submissions
WHEN NEW.verdict NOT IN ('store', 'duplicate', 'credential_revoked') BEGIN
  INSERT INTO daily_rejections (partner_id, app_token, day, code, count)
  VALUES (NEW.partner_id, NEW.app_token, CAST(NEW.submitted_at AS INTEGER) / 86400000, NEW.verdict, 1)
  ON CONFLICT DO UPDATE SET count = count + 1;
END;
