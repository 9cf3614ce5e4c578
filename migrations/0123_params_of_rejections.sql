DROP TRIGGER cost_rejected;--> statement-breakpoint
DROP TRIGGER rejection_counted;--> statement-breakpoint
DROP VIEW rejections;--> statement-breakpoint
ALTER TABLE `recent_rejections` ADD `params` text;--> statement-breakpoint
-- The door for rejected costs of credentials that are valid. Nothing is stored under this name.
CREATE VIEW rejections AS
SELECT 0 AS partner_id, '' AS app_token, '' AS code, 0 AS rejected_at, '' AS cost_id, '' AS tag, '' AS params
WHERE false;--> statement-breakpoint
-- Counts a rejected cost, and keeps it. From the 200th of a partner and code on, it is kept in the row of the oldest, which is one
-- written row as well.
CREATE TRIGGER rejection_counted INSTEAD OF INSERT ON rejections BEGIN
  INSERT INTO daily_rejections (partner_id, app_token, day, code, count)
  VALUES (NEW.partner_id, NEW.app_token, CAST(NEW.rejected_at AS INTEGER) / 86400000, NEW.code, 1)
  ON CONFLICT DO UPDATE SET count = count + 1;
  UPDATE recent_rejections SET number = number + 200, rejected_at = NEW.rejected_at, cost_id = NEW.cost_id, tag = NEW.tag,
    app_token = NEW.app_token, params = NEW.params
  WHERE partner_id = NEW.partner_id AND code = NEW.code
    AND number = (SELECT max(number) FROM recent_rejections WHERE partner_id = NEW.partner_id AND code = NEW.code) - 199;
  INSERT INTO recent_rejections (partner_id, code, number, rejected_at, cost_id, tag, app_token, params)
  SELECT NEW.partner_id, NEW.code,
    coalesce((SELECT max(number) FROM recent_rejections WHERE partner_id = NEW.partner_id AND code = NEW.code), 0) + 1,
    NEW.rejected_at, NEW.cost_id, NEW.tag, NEW.app_token, NEW.params
  WHERE changes() = 0;
END;--> statement-breakpoint
-- A cost that was judged and rejected.
CREATE TRIGGER cost_rejected INSTEAD OF INSERT ON submissions
WHEN NEW.verdict NOT IN ('store', 'duplicate', 'credential_revoked') BEGIN
  INSERT INTO rejections (partner_id, app_token, code, rejected_at, cost_id, tag)
  VALUES (NEW.partner_id, NEW.app_token, NEW.verdict, NEW.submitted_at, NEW.cost_id, NEW.tag);
END;
