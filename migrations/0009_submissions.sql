-- The door for costs. Nothing is stored under this name: its trigger stores the costs whose verdict is `store`, so that one statement
-- judges costs, stores them and returns what became of each.
CREATE VIEW submissions AS
SELECT 0 AS partner_id, '' AS cost_id, '' AS cost_type, '' AS currency, 0 AS amount, '' AS tag, 0 AS received_at,
  '' AS void_state, '' AS verdict
WHERE false;
--> statement-breakpoint
CREATE TRIGGER cost_submitted INSTEAD OF INSERT ON submissions WHEN NEW.verdict = 'store' BEGIN
  INSERT INTO ledger_entries (partner_id, cost_id, cost_type, currency, amount, tag, received_at, void_state)
  VALUES (NEW.partner_id, NEW.cost_id, NEW.cost_type, NEW.currency, NEW.amount, NEW.tag, NEW.received_at, NEW.void_state)
  ON CONFLICT DO UPDATE SET
    cost_type = excluded.cost_type, currency = excluded.currency, amount = excluded.amount, tag = excluded.tag,
    received_at = excluded.received_at, void_state = excluded.void_state;
END;
