DROP TRIGGER engagement_counted;--> statement-breakpoint
-- Counts an engagement, in total and by country and platform, and keeps it in the ledger if it has an ID and is the first of its kind.
-- Only then its price is added to those of the day. One that is held is a dropped parameter, and so is an ID that was kept before.
CREATE TRIGGER engagement_counted INSTEAD OF INSERT ON judged_recordings BEGIN
  INSERT INTO daily_engagements (app_token, day, link_id, partner_id, kind, count, recorded)
  VALUES (NEW.app_token, NEW.day, NEW.link_id, coalesce(NEW.partner_id, 0), NEW.kind, NEW.count, NEW.is_first)
  ON CONFLICT DO UPDATE SET count = count + excluded.count, recorded = recorded + excluded.recorded;
  INSERT INTO daily_audience (app_token, link_id, day, partner_id, kind, country, platform, count, recorded)
  VALUES (NEW.app_token, NEW.link_id, NEW.day, coalesce(NEW.partner_id, 0), NEW.kind, NEW.country, NEW.platform, NEW.count, NEW.is_first)
  ON CONFLICT DO UPDATE SET count = count + excluded.count, recorded = recorded + excluded.recorded;
  INSERT INTO ledger_entries (
    partner_id, cost_id, click_app_token, click_link_id, click_at, click_cost_data_on,
    click_url_cost_type, click_url_currency, click_url_amount, click_price_counts, click_country, click_platform
  )
  SELECT NEW.partner_id, NEW.cost_id, NEW.app_token, NEW.link_id, NEW.occurred_at, NEW.cost_data_on,
    NEW.url_cost_type, NEW.url_currency, NEW.url_amount, NEW.price_counts, NEW.country, NEW.platform
  WHERE NEW.cost_id IS NOT NULL AND NEW.kind = 'click'
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
  WHERE NEW.cost_id IS NOT NULL AND NEW.kind = 'impression'
  ON CONFLICT DO UPDATE SET
    impression_app_token = excluded.impression_app_token, impression_link_id = excluded.impression_link_id, impression_at = excluded.impression_at,
    impression_cost_data_on = excluded.impression_cost_data_on, impression_url_cost_type = excluded.impression_url_cost_type, impression_url_currency = excluded.impression_url_currency,
    impression_url_amount = excluded.impression_url_amount, impression_price_counts = excluded.impression_price_counts,
    impression_country = excluded.impression_country, impression_platform = excluded.impression_platform
  WHERE impression_at IS NULL;
  INSERT INTO daily_url_prices (partner_id, app_token, day, currency, counted, held, held_count)
  SELECT NEW.partner_id, NEW.app_token, NEW.day, NEW.url_currency, iif(NEW.price_counts = 1, money, 0),
    iif(NEW.price_counts = 2, money, 0), NEW.price_counts = 2
  FROM (SELECT NEW.url_amount * iif(NEW.url_cost_type = 'cpm', 1, 1000) AS money)
  WHERE NEW.price_counts > 0 AND NEW.is_first
  ON CONFLICT DO UPDATE SET counted = CAST(min(counted + excluded.counted, 9e18) AS INTEGER),
    held = CAST(min(held + excluded.held, 9e18) AS INTEGER), held_count = held_count + excluded.held_count;
  INSERT INTO dropped_parameters (link_id, day, param, reason, count)
  SELECT NEW.link_id, NEW.day, iif(NEW.is_first, 'cost_amount', 'cost_id'), iif(NEW.is_first, 'daily_limit', iif(NEW.app_token = (
    SELECT iif(NEW.kind = 'click', click_app_token, impression_app_token) FROM ledger_entries
    WHERE partner_id = NEW.partner_id AND cost_id = NEW.cost_id
  ), 'repeated_id', 'other_app')), 1
  WHERE iif(NEW.is_first, NEW.price_counts = 2, NEW.cost_id IS NOT NULL)
  ON CONFLICT DO UPDATE SET count = count + 1;
END;
