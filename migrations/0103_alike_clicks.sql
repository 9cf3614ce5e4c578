DROP TRIGGER engagement_recorded;--> statement-breakpoint
DROP VIEW recordings;--> statement-breakpoint
-- The door for engagements. Nothing is stored under this name. With shards, an engagement with an ID is elsewhere: DB counts only
-- its dropped parameters.
CREATE VIEW recordings AS
SELECT '' AS app_token, 0 AS link_id, 0 AS partner_id, '' AS kind, 0 AS occurred_at, '' AS cost_id, 0 AS cost_data_on,
  '' AS url_cost_type, '' AS url_currency, 0 AS url_amount, 0 AS price_counts, '' AS dropped, 0 AS recorded_at, 0 AS is_elsewhere,
  '' AS country, '' AS platform, 0 AS count
WHERE false;--> statement-breakpoint
-- Counts an engagement, or several alike without an ID, and its dropped parameters, and keeps it in the ledger if it has an ID and is
-- the first of its kind.
CREATE TRIGGER engagement_recorded INSTEAD OF INSERT ON recordings BEGIN
  DELETE FROM ledger_entries
  WHERE partner_id = NEW.partner_id AND cost_id = NEW.cost_id AND remembered_until < NEW.recorded_at AND NOT NEW.is_elsewhere;
  -- A message that the queue delivers twice has the time of the kept engagement and is counted once.
  INSERT INTO daily_engagements (app_token, day, link_id, partner_id, kind, count, recorded)
  SELECT NEW.app_token, NEW.occurred_at / 86400000, NEW.link_id, coalesce(NEW.partner_id, 0), NEW.kind,
    coalesce(NEW.count, 1), NEW.cost_id IS NOT NULL AND kept_at IS NULL
  FROM (SELECT (
    SELECT iif(NEW.kind = 'click', click_at, impression_at) FROM ledger_entries
    WHERE partner_id = NEW.partner_id AND cost_id = NEW.cost_id
  ) AS kept_at)
  WHERE kept_at IS NOT NEW.occurred_at AND NOT NEW.is_elsewhere
  ON CONFLICT DO UPDATE SET count = count + excluded.count, recorded = recorded + excluded.recorded;
  -- The same by country and platform, if the app counts its audience.
  INSERT INTO daily_audience (app_token, link_id, day, partner_id, kind, country, platform, count, recorded)
  SELECT NEW.app_token, NEW.link_id, NEW.occurred_at / 86400000, coalesce(NEW.partner_id, 0), NEW.kind, NEW.country, NEW.platform,
    coalesce(NEW.count, 1), NEW.cost_id IS NOT NULL AND kept_at IS NULL
  FROM (SELECT (
    SELECT iif(NEW.kind = 'click', click_at, impression_at) FROM ledger_entries
    WHERE partner_id = NEW.partner_id AND cost_id = NEW.cost_id
  ) AS kept_at)
  WHERE NEW.country IS NOT NULL AND kept_at IS NOT NEW.occurred_at AND NOT NEW.is_elsewhere
  ON CONFLICT DO UPDATE SET count = count + excluded.count, recorded = recorded + excluded.recorded;
  -- The first engagement of an ID and kind is kept.
  INSERT INTO ledger_entries (
    partner_id, cost_id, click_app_token, click_link_id, click_at, click_cost_data_on,
    click_url_cost_type, click_url_currency, click_url_amount, click_price_counts, click_country, click_platform
  )
  SELECT NEW.partner_id, NEW.cost_id, NEW.app_token, NEW.link_id, NEW.occurred_at, NEW.cost_data_on,
    NEW.url_cost_type, NEW.url_currency, NEW.url_amount, NEW.price_counts, NEW.country, NEW.platform
  WHERE NEW.cost_id IS NOT NULL AND NEW.kind = 'click' AND NOT NEW.is_elsewhere
  ON CONFLICT DO UPDATE SET
    click_app_token = excluded.click_app_token, click_link_id = excluded.click_link_id, click_at = excluded.click_at,
    click_cost_data_on = excluded.click_cost_data_on, click_url_cost_type = excluded.click_url_cost_type, click_url_currency = excluded.click_url_currency,
    click_url_amount = excluded.click_url_amount, click_price_counts = excluded.click_price_counts,
    click_country = excluded.click_country, click_platform = excluded.click_platform
  WHERE click_at IS NULL;
  INSERT INTO ledger_entries (
    partner_id, cost_id, impression_app_token, impression_link_id, impression_at, impression_cost_data_on,
    impression_url_cost_type, impression_url_currency, impression_url_amount, impression_price_counts, impression_country, impression_platform
  )
  SELECT NEW.partner_id, NEW.cost_id, NEW.app_token, NEW.link_id, NEW.occurred_at, NEW.cost_data_on,
    NEW.url_cost_type, NEW.url_currency, NEW.url_amount, NEW.price_counts, NEW.country, NEW.platform
  WHERE NEW.cost_id IS NOT NULL AND NEW.kind = 'impression' AND NOT NEW.is_elsewhere
  ON CONFLICT DO UPDATE SET
    impression_app_token = excluded.impression_app_token, impression_link_id = excluded.impression_link_id, impression_at = excluded.impression_at,
    impression_cost_data_on = excluded.impression_cost_data_on, impression_url_cost_type = excluded.impression_url_cost_type, impression_url_currency = excluded.impression_url_currency,
    impression_url_amount = excluded.impression_url_amount, impression_price_counts = excluded.impression_price_counts,
    impression_country = excluded.impression_country, impression_platform = excluded.impression_platform
  WHERE impression_at IS NULL;
  INSERT INTO dropped_parameters (link_id, day, param, reason, count)
  SELECT NEW.link_id, NEW.occurred_at / 86400000, value ->> 0, value ->> 1, coalesce(NEW.count, 1) FROM json_each(NEW.dropped)
  WHERE NEW.dropped <> '[]'
  ON CONFLICT DO UPDATE SET count = count + excluded.count;
END;
