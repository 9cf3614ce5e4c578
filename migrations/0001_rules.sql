-- The rules that every reader and writer of the tables shares: counters, the match of a cost, and the daily totals.

CREATE TRIGGER links_counted AFTER INSERT ON links BEGIN
  UPDATE apps SET link_count = link_count + 1 WHERE token = NEW.app_token AND NEW.parent_id IS NULL;
  UPDATE links SET child_count = child_count + 1 WHERE id = NEW.parent_id;
END;
--> statement-breakpoint
INSERT INTO partner_catalog (id, partner_count, revision) VALUES (1, 0, lower(hex(randomblob(8))));
--> statement-breakpoint
CREATE TRIGGER partners_counted AFTER INSERT ON partners BEGIN
  UPDATE partner_catalog SET partner_count = partner_count + 1, revision = lower(hex(randomblob(8)));
END;
--> statement-breakpoint
CREATE TRIGGER partners_revised AFTER UPDATE ON partners BEGIN
  UPDATE partner_catalog SET revision = lower(hex(randomblob(8)));
END;
--> statement-breakpoint
-- The state of each cost. A cost can match an engagement when the engagement's kind fits the cost type, cost data was on for
-- its link, and the two are at most seven days (604,800,000 ms) apart. A click takes precedence over an impression. The match
-- depends only on the rows, not on the order in which they arrived. `judgeCost` and `matchOf` in src/domain/matching.ts apply
-- the same rules; a property test compares the two.
CREATE VIEW cost_states AS
SELECT *,
  CASE WHEN kind IS NULL THEN 'pending' WHEN amount IS NULL THEN 'unpriced' ELSE 'matched' END AS state,
  coalesce(occurred_at, received_at) / 86400000 AS day
FROM (
  SELECT c.partner_id, c.cost_id, c.cost_type, c.currency, c.tag, c.source, c.received_at,
    coalesce(k.kind, i.kind) AS kind,
    coalesce(k.app_token, i.app_token, '') AS app_token,
    coalesce(k.link_id, i.link_id, 0) AS link_id,
    coalesce(k.occurred_at, i.occurred_at) AS occurred_at,
    -- The amount in the call, otherwise the one on the URL of a matching engagement, the click first, unless that URL names
    -- another cost type or currency. An impression's amount therefore still counts when a click without one takes the match.
    coalesce(
      c.amount,
      CASE WHEN coalesce(k.url_cost_type, c.cost_type) = c.cost_type
        AND coalesce(k.url_currency, c.currency) = c.currency THEN k.url_amount END,
      CASE WHEN coalesce(i.url_cost_type, c.cost_type) = c.cost_type
        AND coalesce(i.url_currency, c.currency) = c.currency THEN i.url_amount END
    ) AS amount
  FROM costs c
  -- Skips engagements that can neither match the cost nor supply its amount.
  LEFT JOIN engagements k ON k.partner_id = c.partner_id AND k.cost_id = c.cost_id
    AND k.kind = iif(c.cost_type = 'cpm', NULL, 'click')
    AND k.eligible AND abs(c.received_at - k.occurred_at) <= 604800000
  LEFT JOIN engagements i ON i.partner_id = c.partner_id AND i.cost_id = c.cost_id
    AND i.kind = iif(c.cost_type = 'cpc' OR (k.kind IS NOT NULL AND c.amount IS NOT NULL), NULL, 'impression')
    AND i.eligible AND abs(c.received_at - i.occurred_at) <= 604800000
);
--> statement-breakpoint
-- The daily totals: every change of a cost's state subtracts its old contribution and adds its new one.
CREATE TRIGGER costs_added AFTER INSERT ON costs BEGIN
  INSERT INTO daily_totals (app_token, day, link_id, partner_id, cost_type, currency, state, count, amount)
  SELECT app_token, day, link_id, partner_id, cost_type, currency, state, 1, coalesce(amount, 0)
  FROM cost_states WHERE partner_id = NEW.partner_id AND cost_id = NEW.cost_id
  ON CONFLICT DO UPDATE SET count = count + excluded.count, amount = amount + excluded.amount;
END;
--> statement-breakpoint
CREATE TRIGGER costs_changing BEFORE UPDATE ON costs BEGIN
  INSERT INTO daily_totals (app_token, day, link_id, partner_id, cost_type, currency, state, count, amount)
  SELECT app_token, day, link_id, partner_id, cost_type, currency, state, -1, -coalesce(amount, 0)
  FROM cost_states WHERE partner_id = OLD.partner_id AND cost_id = OLD.cost_id
  ON CONFLICT DO UPDATE SET count = count + excluded.count, amount = amount + excluded.amount;
END;
--> statement-breakpoint
CREATE TRIGGER costs_changed AFTER UPDATE ON costs BEGIN
  INSERT INTO daily_totals (app_token, day, link_id, partner_id, cost_type, currency, state, count, amount)
  SELECT app_token, day, link_id, partner_id, cost_type, currency, state, 1, coalesce(amount, 0)
  FROM cost_states WHERE partner_id = NEW.partner_id AND cost_id = NEW.cost_id
  ON CONFLICT DO UPDATE SET count = count + excluded.count, amount = amount + excluded.amount;
END;
--> statement-breakpoint
-- BEFORE INSERT also fires for a row that ON CONFLICT then discards. The condition limits it to the first engagement.
CREATE TRIGGER engagements_arriving BEFORE INSERT ON engagements
WHEN NEW.eligible AND NOT EXISTS (
  SELECT 1 FROM engagements WHERE partner_id = NEW.partner_id AND cost_id = NEW.cost_id AND kind = NEW.kind
) BEGIN
  INSERT INTO daily_totals (app_token, day, link_id, partner_id, cost_type, currency, state, count, amount)
  SELECT app_token, day, link_id, partner_id, cost_type, currency, state, -1, -coalesce(amount, 0)
  FROM cost_states WHERE partner_id = NEW.partner_id AND cost_id = NEW.cost_id
    AND cost_type <> iif(NEW.kind = 'click', 'cpm', 'cpc')
  ON CONFLICT DO UPDATE SET count = count + excluded.count, amount = amount + excluded.amount;
END;
--> statement-breakpoint
CREATE TRIGGER engagements_arrived AFTER INSERT ON engagements WHEN NEW.eligible BEGIN
  INSERT INTO daily_totals (app_token, day, link_id, partner_id, cost_type, currency, state, count, amount)
  SELECT app_token, day, link_id, partner_id, cost_type, currency, state, 1, coalesce(amount, 0)
  FROM cost_states WHERE partner_id = NEW.partner_id AND cost_id = NEW.cost_id
    AND cost_type <> iif(NEW.kind = 'click', 'cpm', 'cpc')
  ON CONFLICT DO UPDATE SET count = count + excluded.count, amount = amount + excluded.amount;
  -- A URL with a complete cost creates that cost, unless a cost with this ID exists and has not lapsed, or the partner has not
  -- passed a round with this cost type: the cost API rejects such a call, and a URL must not bypass that. `hasLapsed` in
  -- src/domain/matching.ts applies the same rule. The view already includes the new engagement, which is too far from a lapsed
  -- cost to match it.
  INSERT INTO costs (partner_id, cost_id, cost_type, currency, amount, source, received_at)
  SELECT NEW.partner_id, NEW.cost_id, NEW.url_cost_type, NEW.url_currency, NEW.url_amount, 'url', NEW.occurred_at
  WHERE NEW.url_cost_type IS NOT NULL AND NEW.url_currency IS NOT NULL AND NEW.url_amount IS NOT NULL AND EXISTS (
    SELECT 1 FROM partners p
    WHERE p.id = NEW.partner_id
      -- The bits of src/domain/cost-types.ts.
      AND p.integrated_types & CASE NEW.url_cost_type WHEN 'cpc' THEN 1 WHEN 'cpi' THEN 2 WHEN 'cpe' THEN 4 WHEN 'cpm' THEN 8 END
  )
  ON CONFLICT (partner_id, cost_id) DO UPDATE SET
    cost_type = excluded.cost_type, currency = excluded.currency, amount = excluded.amount, tag = excluded.tag,
    source = excluded.source, received_at = excluded.received_at
  WHERE costs.received_at < excluded.received_at - 604800000 AND EXISTS (
    SELECT 1 FROM cost_states s
    WHERE s.partner_id = excluded.partner_id AND s.cost_id = excluded.cost_id AND s.state = 'pending'
  );
END;
--> statement-breakpoint
INSERT INTO purge_positions (ledger_table, after_partner_id, after_cost_id, walked_at)
VALUES ('costs', -1, '', 0), ('engagements', -1, '', 0);
--> statement-breakpoint
INSERT INTO ledger_fence (id, size, credentials_as_of) VALUES (1, 0, 0);
--> statement-breakpoint
CREATE TRIGGER round_entries_counted AFTER INSERT ON round_entries BEGIN
  UPDATE rounds SET entry_count = entry_count + 1 WHERE id = NEW.round_id;
END;
--> statement-breakpoint
CREATE TRIGGER users_disabled AFTER UPDATE OF disabled_at ON users WHEN NEW.disabled_at IS NOT NULL BEGIN
  DELETE FROM api_tokens WHERE user_id = NEW.id;
  DELETE FROM sessions WHERE user_id = NEW.id;
END;
