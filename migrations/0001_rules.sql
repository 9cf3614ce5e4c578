-- The rules that every reader and writer of the tables shares: counters, the match of a cost, and the daily totals.

CREATE TRIGGER links_counted AFTER INSERT ON links BEGIN
  UPDATE apps SET link_count = link_count + 1 WHERE token = NEW.app_token AND NEW.parent_id IS NULL;
  UPDATE links SET child_count = child_count + 1 WHERE id = NEW.parent_id;
END;
--> statement-breakpoint
CREATE TRIGGER links_counted_from_engagements AFTER INSERT ON links WHEN NEW.from_engagement BEGIN
  UPDATE links SET from_engagement_count = from_engagement_count + 1 WHERE id = (
    SELECT coalesce(l3.id, l2.id, l1.id) FROM links l1
    LEFT JOIN links l2 ON l2.id = l1.parent_id LEFT JOIN links l3 ON l3.id = l2.parent_id
    WHERE l1.id = NEW.parent_id
  );
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
-- What counts of each ID: the call, unless it is voided, and the price on a URL if no call matches.
CREATE VIEW cost_states AS
SELECT partner_id, cost_id, 'call' AS source, cost_type, currency, amount_in_effect AS amount, state, matched_kind AS kind,
  iif(matched_kind IS NULL, '', iif(matched_kind = 'click', click_app_token, impression_app_token)) AS app_token,
  iif(matched_kind IS NULL, 0, iif(matched_kind = 'click', click_link_id, impression_link_id)) AS link_id,
  coalesce(matched_at, received_at) / 86400000 AS day
FROM ledger_entries WHERE state <> 'voided'
UNION ALL
SELECT partner_id, cost_id, 'url', iif(counting_price = 'click', click_url_cost_type, impression_url_cost_type),
  iif(counting_price = 'click', click_url_currency, impression_url_currency),
  iif(counting_price = 'click', click_url_amount, impression_url_amount), 'matched', counting_price,
  iif(counting_price = 'click', click_app_token, impression_app_token),
  iif(counting_price = 'click', click_link_id, impression_link_id),
  iif(counting_price = 'click', click_at, impression_at) / 86400000
FROM ledger_entries WHERE counting_price IS NOT NULL;
--> statement-breakpoint
-- A call replaces a row that is forgotten but not purged yet. Engagements do the same in `engagement_recorded`.
CREATE TRIGGER entries_forgotten BEFORE INSERT ON ledger_entries WHEN NEW.received_at IS NOT NULL BEGIN
  DELETE FROM ledger_entries
  WHERE partner_id = NEW.partner_id AND cost_id = NEW.cost_id AND remembered_until < NEW.received_at;
END;
--> statement-breakpoint
-- The daily totals: every change of an ID subtracts what counted before it and adds what counts after it, unless the
-- two are equal: an engagement never changes once it is recorded. There is no trigger for DELETE, so the totals remain after the purge.
CREATE TRIGGER entries_added AFTER INSERT ON ledger_entries BEGIN
  INSERT INTO daily_totals (app_token, day, link_id, partner_id, cost_type, currency, state, count, amount)
  SELECT app_token, day, link_id, partner_id, cost_type, currency, state, 1, coalesce(amount, 0)
  FROM cost_states WHERE partner_id = NEW.partner_id AND cost_id = NEW.cost_id
  ON CONFLICT DO UPDATE SET count = count + excluded.count, amount = amount + excluded.amount;
END;
--> statement-breakpoint
CREATE TRIGGER entries_changing BEFORE UPDATE ON ledger_entries BEGIN
  INSERT INTO daily_totals (app_token, day, link_id, partner_id, cost_type, currency, state, count, amount)
  SELECT app_token, day, link_id, partner_id, cost_type, currency, state, -1, -coalesce(amount, 0)
  FROM cost_states WHERE partner_id = OLD.partner_id AND cost_id = OLD.cost_id
    AND iif(source = 'call',
      (OLD.cost_type, OLD.currency, OLD.amount_in_effect, OLD.state, OLD.matched_kind, OLD.received_at)
        IS NOT (NEW.cost_type, NEW.currency, NEW.amount_in_effect, NEW.state, NEW.matched_kind, NEW.received_at),
      OLD.counting_price IS NOT NEW.counting_price)
  ON CONFLICT DO UPDATE SET count = count + excluded.count, amount = amount + excluded.amount;
END;
--> statement-breakpoint
CREATE TRIGGER entries_changed AFTER UPDATE ON ledger_entries BEGIN
  INSERT INTO daily_totals (app_token, day, link_id, partner_id, cost_type, currency, state, count, amount)
  SELECT app_token, day, link_id, partner_id, cost_type, currency, state, 1, coalesce(amount, 0)
  FROM cost_states WHERE partner_id = NEW.partner_id AND cost_id = NEW.cost_id
    AND iif(source = 'call',
      (OLD.cost_type, OLD.currency, OLD.amount_in_effect, OLD.state, OLD.matched_kind, OLD.received_at)
        IS NOT (NEW.cost_type, NEW.currency, NEW.amount_in_effect, NEW.state, NEW.matched_kind, NEW.received_at),
      OLD.counting_price IS NOT NEW.counting_price)
  ON CONFLICT DO UPDATE SET count = count + excluded.count, amount = amount + excluded.amount;
END;
--> statement-breakpoint
-- The door for engagements. Nothing is stored under this name. With shards, an engagement with an ID is elsewhere: DB counts only
-- its dropped parameters.
CREATE VIEW recordings AS
SELECT '' AS app_token, 0 AS link_id, 0 AS partner_id, '' AS kind, 0 AS occurred_at, '' AS cost_id, 0 AS cost_data_on,
  '' AS url_cost_type, '' AS url_currency, 0 AS url_amount, 0 AS price_counts, '' AS dropped, 0 AS recorded_at, 0 AS is_elsewhere
WHERE false;
--> statement-breakpoint
CREATE TRIGGER engagement_recorded INSTEAD OF INSERT ON recordings BEGIN
  DELETE FROM ledger_entries
  WHERE partner_id = NEW.partner_id AND cost_id = NEW.cost_id AND remembered_until < NEW.recorded_at AND NOT NEW.is_elsewhere;
  -- A message that the queue delivers twice has the time of the kept engagement and is counted once.
  INSERT INTO daily_engagements (app_token, day, link_id, partner_id, kind, count, recorded)
  SELECT NEW.app_token, NEW.occurred_at / 86400000, NEW.link_id, coalesce(NEW.partner_id, 0), NEW.kind, 1,
    NEW.cost_id IS NOT NULL AND kept_at IS NULL
  FROM (SELECT (
    SELECT iif(NEW.kind = 'click', click_at, impression_at) FROM ledger_entries
    WHERE partner_id = NEW.partner_id AND cost_id = NEW.cost_id
  ) AS kept_at)
  WHERE kept_at IS NOT NEW.occurred_at AND NOT NEW.is_elsewhere
  ON CONFLICT DO UPDATE SET count = count + 1, recorded = recorded + excluded.recorded;
  -- The first engagement of an ID and kind is kept.
  INSERT INTO ledger_entries (
    partner_id, cost_id, click_app_token, click_link_id, click_at, click_cost_data_on,
    click_url_cost_type, click_url_currency, click_url_amount, click_price_counts
  )
  SELECT NEW.partner_id, NEW.cost_id, NEW.app_token, NEW.link_id, NEW.occurred_at, NEW.cost_data_on,
    NEW.url_cost_type, NEW.url_currency, NEW.url_amount, NEW.price_counts
  WHERE NEW.cost_id IS NOT NULL AND NEW.kind = 'click' AND NOT NEW.is_elsewhere
  ON CONFLICT DO UPDATE SET
    click_app_token = excluded.click_app_token, click_link_id = excluded.click_link_id, click_at = excluded.click_at,
    click_cost_data_on = excluded.click_cost_data_on, click_url_cost_type = excluded.click_url_cost_type, click_url_currency = excluded.click_url_currency,
    click_url_amount = excluded.click_url_amount, click_price_counts = excluded.click_price_counts
  WHERE click_at IS NULL;
  INSERT INTO ledger_entries (
    partner_id, cost_id, impression_app_token, impression_link_id, impression_at, impression_cost_data_on,
    impression_url_cost_type, impression_url_currency, impression_url_amount, impression_price_counts
  )
  SELECT NEW.partner_id, NEW.cost_id, NEW.app_token, NEW.link_id, NEW.occurred_at, NEW.cost_data_on,
    NEW.url_cost_type, NEW.url_currency, NEW.url_amount, NEW.price_counts
  WHERE NEW.cost_id IS NOT NULL AND NEW.kind = 'impression' AND NOT NEW.is_elsewhere
  ON CONFLICT DO UPDATE SET
    impression_app_token = excluded.impression_app_token, impression_link_id = excluded.impression_link_id, impression_at = excluded.impression_at,
    impression_cost_data_on = excluded.impression_cost_data_on, impression_url_cost_type = excluded.impression_url_cost_type, impression_url_currency = excluded.impression_url_currency,
    impression_url_amount = excluded.impression_url_amount, impression_price_counts = excluded.impression_price_counts
  WHERE impression_at IS NULL;
  INSERT INTO dropped_parameters (link_id, day, param, reason, count)
  SELECT NEW.link_id, NEW.occurred_at / 86400000, value ->> 0, value ->> 1, 1 FROM json_each(NEW.dropped) WHERE true
  ON CONFLICT DO UPDATE SET count = count + 1;
END;
--> statement-breakpoint
INSERT INTO purge_positions (ledger_table, after_partner_id, after_cost_id, walked_at)
VALUES ('ledger_entries', -1, '', 0);
--> statement-breakpoint
INSERT INTO shard_identity (id, shards, shard_index, credentials_as_of) VALUES (1, 0, NULL, 0);
--> statement-breakpoint
CREATE TRIGGER round_entries_counted AFTER INSERT ON round_entries BEGIN
  UPDATE rounds SET entry_count = entry_count + 1 WHERE id = NEW.round_id;
END;
--> statement-breakpoint
CREATE TRIGGER users_disabled AFTER UPDATE OF disabled_at ON users WHEN NEW.disabled_at IS NOT NULL BEGIN
  DELETE FROM api_tokens WHERE user_id = NEW.id;
  DELETE FROM sessions WHERE user_id = NEW.id;
END;
