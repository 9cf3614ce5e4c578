DROP TRIGGER cost_submitted;--> statement-breakpoint
DROP VIEW submissions;--> statement-breakpoint
CREATE TABLE `daily_rejections` (
	`partner_id` integer NOT NULL,
	`app_token` text NOT NULL,
	`day` integer NOT NULL,
	`code` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`partner_id`, `app_token`, `day`, `code`)
) STRICT, WITHOUT ROWID;--> statement-breakpoint
-- The door for costs. Nothing is stored under this name: its trigger stores the costs whose verdict is `store`, so that one statement
-- judges costs, stores them and returns what became of each.
CREATE VIEW submissions AS
SELECT 0 AS partner_id, '' AS cost_id, '' AS cost_type, '' AS currency, 0 AS amount, '' AS tag, 0 AS received_at,
  '' AS void_state, '' AS verdict, 0 AS submitted_at, '' AS app_token
WHERE false;--> statement-breakpoint
-- Stores a call in the row of its ID: beside the engagements, in the place of an earlier call.
CREATE TRIGGER cost_submitted INSTEAD OF INSERT ON submissions WHEN NEW.verdict = 'store' BEGIN
  INSERT INTO ledger_entries (partner_id, cost_id, cost_type, currency, amount, tag, received_at, void_state)
  VALUES (NEW.partner_id, NEW.cost_id, NEW.cost_type, NEW.currency, NEW.amount, NEW.tag, NEW.received_at, NEW.void_state)
  ON CONFLICT DO UPDATE SET
    cost_type = excluded.cost_type, currency = excluded.currency, amount = excluded.amount, tag = excluded.tag,
    received_at = excluded.received_at, void_state = excluded.void_state;
END;--> statement-breakpoint
-- Counts a rejected cost of a credential that is valid. Code that was deployed before this rule sets no `submitted_at`.
CREATE TRIGGER cost_rejected INSTEAD OF INSERT ON submissions
WHEN NEW.verdict NOT IN ('store', 'duplicate', 'credential_revoked') AND NEW.submitted_at IS NOT NULL BEGIN
  INSERT INTO daily_rejections (partner_id, app_token, day, code, count)
  VALUES (NEW.partner_id, NEW.app_token, CAST(NEW.submitted_at AS INTEGER) / 86400000, NEW.verdict, 1)
  ON CONFLICT DO UPDATE SET count = count + 1;
END;
