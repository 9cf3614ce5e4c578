DROP TRIGGER engagement_counted;--> statement-breakpoint
DROP TRIGGER engagement_recorded;--> statement-breakpoint
DROP VIEW recordings;--> statement-breakpoint
DROP VIEW judged_recordings;--> statement-breakpoint
-- The door for engagements. Nothing is stored under this name. With shards, an engagement with an ID is elsewhere: DB counts only
-- its dropped parameters.
CREATE VIEW recordings AS
SELECT '' AS app_token, 0 AS link_id, 0 AS partner_id, '' AS kind, 0 AS occurred_at, '' AS cost_id, 0 AS cost_data_on,
  '' AS url_cost_type, '' AS url_currency, 0 AS url_amount, 0 AS price_counts, '' AS dropped, 0 AS recorded_at, 0 AS is_elsewhere,
  '' AS country, '' AS platform, 0 AS max_url_spend
WHERE false;--> statement-breakpoint
-- Judges an engagement, and counts its dropped parameters. A message that the queue delivers twice has
-- the time of the kept engagement and is counted once. Above the most rows by country and platform of an app on a day, what would need
-- another one is unknown. A price is held if those of its partner, app, currency and day would be above their limit with it, or if it
-- is in a fourth currency of the day.
CREATE TRIGGER engagement_recorded INSTEAD OF INSERT ON recordings BEGIN
  DELETE FROM ledger_entries
  WHERE partner_id = NEW.partner_id AND cost_id = NEW.cost_id AND remembered_until < NEW.recorded_at AND NOT NEW.is_elsewhere;
  INSERT INTO judged_recordings (
    app_token, link_id, partner_id, kind, occurred_at, day, cost_id, cost_data_on,
    url_cost_type, url_currency, url_amount, price_counts, country, platform, is_first
  )
  SELECT NEW.app_token, NEW.link_id, NEW.partner_id, NEW.kind, NEW.occurred_at, NEW.occurred_at / 86400000, NEW.cost_id, NEW.cost_data_on,
    NEW.url_cost_type, NEW.url_currency, NEW.url_amount,
    iif(NEW.price_counts AND NEW.max_url_spend * 1000 < NEW.url_amount * iif(NEW.url_cost_type = 'cpm', 1, 1000) + (
      SELECT coalesce(max(iif(currency = NEW.url_currency, counted, NULL)), iif(count(*) < 3, 0, NEW.max_url_spend * 1000 + 1))
      FROM daily_url_prices
      WHERE partner_id = NEW.partner_id AND app_token = NEW.app_token AND day = NEW.occurred_at / 86400000 AND counted > 0
    ), 2, NEW.price_counts),
    iif(is_known, NEW.country, 'XX'), iif(is_known, NEW.platform, 'other'),
    NEW.cost_id IS NOT NULL AND kept_at IS NULL
  FROM (SELECT (
    SELECT iif(NEW.kind = 'click', click_at, impression_at) FROM ledger_entries
    WHERE partner_id = NEW.partner_id AND cost_id = NEW.cost_id
  ) AS kept_at, iif(
    EXISTS (SELECT 1 FROM full_audiences WHERE app_token = NEW.app_token AND day = NEW.occurred_at / 86400000),
    EXISTS (
      SELECT 1 FROM daily_audience
      WHERE app_token = NEW.app_token AND link_id = NEW.link_id AND day = NEW.occurred_at / 86400000
        AND partner_id = coalesce(NEW.partner_id, 0) AND kind = NEW.kind AND country = NEW.country AND platform = NEW.platform
    ),
    1
  ) AS is_known)
  WHERE kept_at IS NOT NEW.occurred_at AND NOT NEW.is_elsewhere;
  INSERT INTO drops (link_id, day, dropped, count) VALUES (NEW.link_id, NEW.occurred_at / 86400000, NEW.dropped, 1);
END;--> statement-breakpoint
-- The door for engagements without an ID, one row for several alike. Nothing is stored under this name. SQLite compiles what a door does
-- for each statement, and of `recordings` that is six times as much.
CREATE VIEW plain_recordings AS
SELECT '' AS app_token, 0 AS link_id, 0 AS partner_id, '' AS kind, 0 AS occurred_at, 0 AS cost_data_on, '' AS dropped,
  '' AS country, '' AS platform, 0 AS count
WHERE false;--> statement-breakpoint
-- Counts engagements and their dropped parameters. The audience is judged as in `engagement_recorded`.
CREATE TRIGGER plain_engagement_recorded INSTEAD OF INSERT ON plain_recordings BEGIN
  INSERT INTO engagement_counts (app_token, link_id, partner_id, kind, day, country, platform, count, recorded)
  SELECT NEW.app_token, NEW.link_id, NEW.partner_id, NEW.kind, NEW.occurred_at / 86400000,
    iif(is_known, NEW.country, 'XX'), iif(is_known, NEW.platform, 'other'), NEW.count, 0
  FROM (SELECT iif(
    EXISTS (SELECT 1 FROM full_audiences WHERE app_token = NEW.app_token AND day = NEW.occurred_at / 86400000),
    EXISTS (
      SELECT 1 FROM daily_audience
      WHERE app_token = NEW.app_token AND link_id = NEW.link_id AND day = NEW.occurred_at / 86400000
        AND partner_id = coalesce(NEW.partner_id, 0) AND kind = NEW.kind AND country = NEW.country AND platform = NEW.platform
    ),
    1
  ) AS is_known);
  INSERT INTO drops (link_id, day, dropped, count) VALUES (NEW.link_id, NEW.occurred_at / 86400000, NEW.dropped, NEW.count);
END;--> statement-breakpoint
-- The days on which an app has the most rows by country and platform.
CREATE VIEW full_audiences AS
SELECT app_token, day FROM audience_keys WHERE count >= 20000;--> statement-breakpoint
-- The door for what engagements add to the counts. Nothing is stored under this name.
CREATE VIEW engagement_counts AS
SELECT '' AS app_token, 0 AS link_id, 0 AS partner_id, '' AS kind, 0 AS day, '' AS country, '' AS platform, 0 AS count, 0 AS recorded
WHERE false;--> statement-breakpoint
-- Counts engagements in total, and by country and platform.
CREATE TRIGGER engagements_counted INSTEAD OF INSERT ON engagement_counts BEGIN
  INSERT INTO daily_engagements (app_token, day, link_id, partner_id, kind, count, recorded)
  VALUES (NEW.app_token, NEW.day, NEW.link_id, coalesce(NEW.partner_id, 0), NEW.kind, NEW.count, NEW.recorded)
  ON CONFLICT DO UPDATE SET count = count + excluded.count, recorded = recorded + excluded.recorded;
  INSERT INTO daily_audience (app_token, link_id, day, partner_id, kind, country, platform, count, recorded)
  VALUES (NEW.app_token, NEW.link_id, NEW.day, coalesce(NEW.partner_id, 0), NEW.kind, NEW.country, NEW.platform, NEW.count, NEW.recorded)
  ON CONFLICT DO UPDATE SET count = count + excluded.count, recorded = recorded + excluded.recorded;
END;--> statement-breakpoint
-- The door for the parameters that engagements do not use, as JSON. Nothing is stored under this name.
CREATE VIEW drops AS
SELECT 0 AS link_id, 0 AS day, '' AS dropped, 0 AS count
WHERE false;--> statement-breakpoint
-- Counts dropped parameters.
CREATE TRIGGER drops_counted INSTEAD OF INSERT ON drops WHEN NEW.dropped <> '[]' BEGIN
  INSERT INTO dropped_parameters (link_id, day, param, reason, count)
  SELECT NEW.link_id, NEW.day, value ->> 0, value ->> 1, NEW.count FROM json_each(NEW.dropped) WHERE true
  ON CONFLICT DO UPDATE SET count = count + excluded.count;
END;--> statement-breakpoint
-- The door for judged engagements. Nothing is stored under this name. With it, what was judged is read once for all tables.
CREATE VIEW judged_recordings AS
SELECT '' AS app_token, 0 AS link_id, 0 AS partner_id, '' AS kind, 0 AS occurred_at, 0 AS day, '' AS cost_id, 0 AS cost_data_on,
  '' AS url_cost_type, '' AS url_currency, 0 AS url_amount, 0 AS price_counts, '' AS country, '' AS platform, 0 AS is_first
WHERE false;--> statement-breakpoint
-- Counts an engagement, and keeps it in the ledger if it has an ID and is the first of its kind.
-- Only then its price is added to those of the day. One that is held is a dropped parameter, and so is an ID that was kept before.
CREATE TRIGGER engagement_counted INSTEAD OF INSERT ON judged_recordings BEGIN
  INSERT INTO engagement_counts (app_token, link_id, partner_id, kind, day, country, platform, count, recorded)
  VALUES (NEW.app_token, NEW.link_id, NEW.partner_id, NEW.kind, NEW.day, NEW.country, NEW.platform, 1, NEW.is_first);
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
