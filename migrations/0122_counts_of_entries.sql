DROP TRIGGER engagement_counted;--> statement-breakpoint
DROP VIEW judged_recordings;--> statement-breakpoint
DROP TRIGGER engagement_recorded;--> statement-breakpoint
DROP VIEW recordings;--> statement-breakpoint
DROP TRIGGER entries_changed;--> statement-breakpoint
DROP TRIGGER entries_changing;--> statement-breakpoint
DROP TRIGGER entries_added;--> statement-breakpoint
-- The door for calls that begin to count or end. Nothing is stored under this name. As in `cost_states`, of which SQLite would compile
-- each computed column again wherever a rule reads it.
CREATE VIEW call_counts AS
SELECT 0 AS partner_id, 0 AS sign, '' AS state, '' AS cost_type, '' AS currency, 0 AS amount, '' AS matched_kind, 0 AS received_at,
  '' AS click_app_token, 0 AS click_link_id, 0 AS click_at, '' AS click_country, '' AS click_platform,
  '' AS impression_app_token, 0 AS impression_link_id, 0 AS impression_at, '' AS impression_country, '' AS impression_platform
WHERE false;--> statement-breakpoint
-- A voided call counts nothing.
CREATE TRIGGER call_counted INSTEAD OF INSERT ON call_counts WHEN NEW.state <> 'voided' BEGIN
  INSERT INTO countings (app_token, day, link_id, partner_id, cost_type, currency, state, count, amount, country, platform)
  VALUES (
    CASE NEW.matched_kind WHEN 'click' THEN NEW.click_app_token WHEN 'impression' THEN NEW.impression_app_token ELSE '' END,
    CASE NEW.matched_kind WHEN 'click' THEN NEW.click_at WHEN 'impression' THEN NEW.impression_at ELSE NEW.received_at END / 86400000,
    CASE NEW.matched_kind WHEN 'click' THEN NEW.click_link_id WHEN 'impression' THEN NEW.impression_link_id ELSE 0 END,
    NEW.partner_id, NEW.cost_type, NEW.currency, NEW.state, NEW.sign, NEW.sign * coalesce(NEW.amount, 0),
    iif(NEW.matched_kind = 'click', NEW.click_country, NEW.impression_country),
    iif(NEW.matched_kind = 'click', NEW.click_platform, NEW.impression_platform)
  );
END;--> statement-breakpoint
-- The same for the price on a URL that counts.
CREATE VIEW price_counts AS
SELECT 0 AS partner_id, 0 AS sign, '' AS counting_price,
  '' AS click_app_token, 0 AS click_link_id, 0 AS click_at, '' AS click_country, '' AS click_platform, '' AS click_url_cost_type, '' AS click_url_currency, 0 AS click_url_amount,
  '' AS impression_app_token, 0 AS impression_link_id, 0 AS impression_at, '' AS impression_country, '' AS impression_platform, '' AS impression_url_cost_type, '' AS impression_url_currency, 0 AS impression_url_amount
WHERE false;--> statement-breakpoint
-- Of two prices, one counts.
CREATE TRIGGER price_counted INSTEAD OF INSERT ON price_counts WHEN NEW.counting_price IS NOT NULL BEGIN
  INSERT INTO countings (app_token, day, link_id, partner_id, cost_type, currency, state, count, amount, country, platform)
  VALUES (
    iif(NEW.counting_price = 'click', NEW.click_app_token, NEW.impression_app_token),
    iif(NEW.counting_price = 'click', NEW.click_at, NEW.impression_at) / 86400000,
    iif(NEW.counting_price = 'click', NEW.click_link_id, NEW.impression_link_id),
    NEW.partner_id,
    iif(NEW.counting_price = 'click', NEW.click_url_cost_type, NEW.impression_url_cost_type),
    iif(NEW.counting_price = 'click', NEW.click_url_currency, NEW.impression_url_currency),
    'matched', NEW.sign,
    NEW.sign * iif(NEW.counting_price = 'click', NEW.click_url_amount, NEW.impression_url_amount),
    iif(NEW.counting_price = 'click', NEW.click_country, NEW.impression_country),
    iif(NEW.counting_price = 'click', NEW.click_platform, NEW.impression_platform)
  );
END;--> statement-breakpoint
-- The daily totals: every change of an ID subtracts what counted before it and adds what counts after it. There is no trigger for
-- DELETE, so the totals remain after the purge. Most engagements count nothing.
CREATE TRIGGER call_added AFTER INSERT ON ledger_entries WHEN NEW.state NOT IN ('pending', 'voided') BEGIN
  INSERT INTO call_counts (
    partner_id, sign, state, cost_type, currency, amount, matched_kind, received_at,
    click_app_token, click_link_id, click_at, click_country, click_platform,
    impression_app_token, impression_link_id, impression_at, impression_country, impression_platform
  )
  VALUES (
    NEW.partner_id, 1, NEW.state, NEW.cost_type, NEW.currency, NEW.amount_in_effect, NEW.matched_kind, NEW.received_at,
    NEW.click_app_token, NEW.click_link_id, NEW.click_at, NEW.click_country, NEW.click_platform,
    NEW.impression_app_token, NEW.impression_link_id, NEW.impression_at, NEW.impression_country, NEW.impression_platform
  );
END;--> statement-breakpoint
-- A change can leave what counts equal: an engagement never changes once it is recorded.
CREATE TRIGGER call_changed AFTER UPDATE ON ledger_entries
WHEN (OLD.cost_type, OLD.currency, OLD.amount_in_effect, OLD.state, OLD.matched_kind, OLD.received_at)
  IS NOT (NEW.cost_type, NEW.currency, NEW.amount_in_effect, NEW.state, NEW.matched_kind, NEW.received_at) BEGIN
  INSERT INTO call_counts (
    partner_id, sign, state, cost_type, currency, amount, matched_kind, received_at,
    click_app_token, click_link_id, click_at, click_country, click_platform,
    impression_app_token, impression_link_id, impression_at, impression_country, impression_platform
  )
  VALUES (
    OLD.partner_id, -1, OLD.state, OLD.cost_type, OLD.currency, OLD.amount_in_effect, OLD.matched_kind, OLD.received_at,
    OLD.click_app_token, OLD.click_link_id, OLD.click_at, OLD.click_country, OLD.click_platform,
    OLD.impression_app_token, OLD.impression_link_id, OLD.impression_at, OLD.impression_country, OLD.impression_platform
  );
  INSERT INTO call_counts (
    partner_id, sign, state, cost_type, currency, amount, matched_kind, received_at,
    click_app_token, click_link_id, click_at, click_country, click_platform,
    impression_app_token, impression_link_id, impression_at, impression_country, impression_platform
  )
  VALUES (
    NEW.partner_id, 1, NEW.state, NEW.cost_type, NEW.currency, NEW.amount_in_effect, NEW.matched_kind, NEW.received_at,
    NEW.click_app_token, NEW.click_link_id, NEW.click_at, NEW.click_country, NEW.click_platform,
    NEW.impression_app_token, NEW.impression_link_id, NEW.impression_at, NEW.impression_country, NEW.impression_platform
  );
END;--> statement-breakpoint
-- A price counts without a call.
CREATE TRIGGER price_added AFTER INSERT ON ledger_entries WHEN NEW.counting_price IS NOT NULL BEGIN
  INSERT INTO price_counts (
    partner_id, sign, counting_price,
    click_app_token, click_link_id, click_at, click_country, click_platform, click_url_cost_type, click_url_currency, click_url_amount,
    impression_app_token, impression_link_id, impression_at, impression_country, impression_platform, impression_url_cost_type, impression_url_currency, impression_url_amount
  )
  VALUES (
    NEW.partner_id, 1, NEW.counting_price,
    NEW.click_app_token, NEW.click_link_id, NEW.click_at, NEW.click_country, NEW.click_platform, NEW.click_url_cost_type, NEW.click_url_currency, NEW.click_url_amount,
    NEW.impression_app_token, NEW.impression_link_id, NEW.impression_at, NEW.impression_country, NEW.impression_platform, NEW.impression_url_cost_type, NEW.impression_url_currency, NEW.impression_url_amount
  );
END;--> statement-breakpoint
-- A call takes the place of a price, and the click's price that of the impression's.
CREATE TRIGGER price_changed AFTER UPDATE ON ledger_entries WHEN OLD.counting_price IS NOT NEW.counting_price BEGIN
  INSERT INTO price_counts (
    partner_id, sign, counting_price,
    click_app_token, click_link_id, click_at, click_country, click_platform, click_url_cost_type, click_url_currency, click_url_amount,
    impression_app_token, impression_link_id, impression_at, impression_country, impression_platform, impression_url_cost_type, impression_url_currency, impression_url_amount
  )
  VALUES (
    OLD.partner_id, -1, OLD.counting_price,
    OLD.click_app_token, OLD.click_link_id, OLD.click_at, OLD.click_country, OLD.click_platform, OLD.click_url_cost_type, OLD.click_url_currency, OLD.click_url_amount,
    OLD.impression_app_token, OLD.impression_link_id, OLD.impression_at, OLD.impression_country, OLD.impression_platform, OLD.impression_url_cost_type, OLD.impression_url_currency, OLD.impression_url_amount
  );
  INSERT INTO price_counts (
    partner_id, sign, counting_price,
    click_app_token, click_link_id, click_at, click_country, click_platform, click_url_cost_type, click_url_currency, click_url_amount,
    impression_app_token, impression_link_id, impression_at, impression_country, impression_platform, impression_url_cost_type, impression_url_currency, impression_url_amount
  )
  VALUES (
    NEW.partner_id, 1, NEW.counting_price,
    NEW.click_app_token, NEW.click_link_id, NEW.click_at, NEW.click_country, NEW.click_platform, NEW.click_url_cost_type, NEW.click_url_currency, NEW.click_url_amount,
    NEW.impression_app_token, NEW.impression_link_id, NEW.impression_at, NEW.impression_country, NEW.impression_platform, NEW.impression_url_cost_type, NEW.impression_url_currency, NEW.impression_url_amount
  );
END;--> statement-breakpoint
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
