-- The present views and triggers: what the database does by itself, from top to bottom. Computed columns are in src/db/schema/ledger.ts.
-- Migrations are written from this file (README.md, "Change a rule"), which is not one itself. A blank line ends a rule.

-- What counts of each ID: the call, unless it is voided, and the price on a URL if no call matches.
CREATE VIEW cost_states AS
SELECT partner_id, cost_id, 'call' AS source, cost_type, currency, amount_in_effect AS amount, state, matched_kind AS kind,
  coalesce(CASE matched_kind WHEN 'click' THEN click_app_token WHEN 'impression' THEN impression_app_token END, '') AS app_token,
  coalesce(CASE matched_kind WHEN 'click' THEN click_link_id WHEN 'impression' THEN impression_link_id END, 0) AS link_id,
  coalesce(matched_at, received_at) / 86400000 AS day,
  CASE matched_kind WHEN 'click' THEN click_country WHEN 'impression' THEN impression_country END AS country,
  CASE matched_kind WHEN 'click' THEN click_platform WHEN 'impression' THEN impression_platform END AS platform
FROM ledger_entries WHERE state <> 'voided'
UNION ALL
SELECT partner_id, cost_id, 'url', iif(counting_price = 'click', click_url_cost_type, impression_url_cost_type),
  iif(counting_price = 'click', click_url_currency, impression_url_currency),
  iif(counting_price = 'click', click_url_amount, impression_url_amount), 'matched', counting_price,
  iif(counting_price = 'click', click_app_token, impression_app_token),
  iif(counting_price = 'click', click_link_id, impression_link_id),
  iif(counting_price = 'click', click_at, impression_at) / 86400000,
  iif(counting_price = 'click', click_country, impression_country),
  iif(counting_price = 'click', click_platform, impression_platform)
FROM ledger_entries WHERE counting_price IS NOT NULL;

-- The door for totals. Nothing is stored under this name. With it, what counts of an ID is read once for both tables.
CREATE VIEW countings AS
SELECT '' AS app_token, 0 AS day, 0 AS link_id, 0 AS partner_id, '' AS cost_type, '' AS currency, '' AS state, 0 AS count, 0 AS amount,
  '' AS country, '' AS platform
WHERE false;

-- Adds to the daily totals, and to the same by country and platform. A pending cost has none, and neither has an engagement that was
-- recorded while the app did not count them: a migration counted its costs as unknown.
CREATE TRIGGER cost_counted INSTEAD OF INSERT ON countings BEGIN
  INSERT INTO daily_totals (app_token, day, link_id, partner_id, cost_type, currency, state, count, amount)
  VALUES (NEW.app_token, NEW.day, NEW.link_id, NEW.partner_id, NEW.cost_type, NEW.currency, NEW.state, NEW.count, NEW.amount)
  ON CONFLICT DO UPDATE SET count = count + excluded.count, amount = amount + excluded.amount;
  INSERT INTO daily_audience_spend (
    app_token, link_id, day, partner_id, cost_type, currency, state, country, platform, count, amount
  )
  SELECT NEW.app_token, NEW.link_id, NEW.day, NEW.partner_id, NEW.cost_type, NEW.currency, NEW.state,
    coalesce(NEW.country, 'XX'), coalesce(NEW.platform, 'other'), NEW.count, NEW.amount
  WHERE NEW.state <> 'pending'
  ON CONFLICT DO UPDATE SET count = count + excluded.count, amount = amount + excluded.amount;
END;

-- A call replaces a row that is forgotten but not purged yet. Engagements do the same in `engagement_recorded`.
CREATE TRIGGER entries_forgotten BEFORE INSERT ON ledger_entries WHEN NEW.received_at IS NOT NULL BEGIN
  DELETE FROM ledger_entries
  WHERE partner_id = NEW.partner_id AND cost_id = NEW.cost_id AND remembered_until < NEW.received_at;
END;

-- The door for calls that begin to count or end. Nothing is stored under this name. As in `cost_states`, of which SQLite would compile
-- each computed column again wherever a rule reads it.
CREATE VIEW call_counts AS
SELECT 0 AS partner_id, 0 AS sign, '' AS state, '' AS cost_type, '' AS currency, 0 AS amount, '' AS matched_kind, 0 AS received_at,
  '' AS click_app_token, 0 AS click_link_id, 0 AS click_at, '' AS click_country, '' AS click_platform,
  '' AS impression_app_token, 0 AS impression_link_id, 0 AS impression_at, '' AS impression_country, '' AS impression_platform
WHERE false;

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
END;

-- The same for the price on a URL that counts.
CREATE VIEW price_counts AS
SELECT 0 AS partner_id, 0 AS sign, '' AS counting_price,
  '' AS click_app_token, 0 AS click_link_id, 0 AS click_at, '' AS click_country, '' AS click_platform, '' AS click_url_cost_type, '' AS click_url_currency, 0 AS click_url_amount,
  '' AS impression_app_token, 0 AS impression_link_id, 0 AS impression_at, '' AS impression_country, '' AS impression_platform, '' AS impression_url_cost_type, '' AS impression_url_currency, 0 AS impression_url_amount
WHERE false;

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
END;

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
END;

-- The same for a call that waits, which most new rows are.
CREATE TRIGGER pending_added AFTER INSERT ON ledger_entries WHEN NEW.state = 'pending' BEGIN
  INSERT INTO daily_totals (app_token, day, link_id, partner_id, cost_type, currency, state, count, amount)
  VALUES ('', NEW.received_at / 86400000, 0, NEW.partner_id, NEW.cost_type, NEW.currency, NEW.state, 1, coalesce(NEW.amount_in_effect, 0))
  ON CONFLICT DO UPDATE SET count = count + 1, amount = amount + excluded.amount;
END;

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
END;

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
END;

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
END;

-- The door for engagements. Nothing is stored under this name. With shards, an engagement with an ID is elsewhere: DB counts only
-- its dropped parameters.
CREATE VIEW recordings AS
SELECT '' AS app_token, 0 AS link_id, 0 AS partner_id, '' AS kind, 0 AS occurred_at, '' AS cost_id, 0 AS cost_data_on,
  '' AS url_cost_type, '' AS url_currency, 0 AS url_amount, 0 AS price_counts, '' AS dropped, 0 AS recorded_at, 0 AS is_elsewhere,
  '' AS country, '' AS platform, 0 AS max_url_spend
WHERE false;

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
END;

-- The door for engagements without an ID, one row for several alike. Nothing is stored under this name. SQLite compiles what a door does
-- for each statement, and of `recordings` that is six times as much.
CREATE VIEW plain_recordings AS
SELECT '' AS app_token, 0 AS link_id, 0 AS partner_id, '' AS kind, 0 AS occurred_at, 0 AS cost_data_on, '' AS dropped,
  '' AS country, '' AS platform, 0 AS count
WHERE false;

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
END;

-- The days on which an app has the most rows by country and platform.
CREATE VIEW full_audiences AS
SELECT app_token, day FROM audience_keys WHERE count >= 20000;

-- The door for what engagements add to the counts. Nothing is stored under this name.
CREATE VIEW engagement_counts AS
SELECT '' AS app_token, 0 AS link_id, 0 AS partner_id, '' AS kind, 0 AS day, '' AS country, '' AS platform, 0 AS count, 0 AS recorded
WHERE false;

-- Counts engagements in total, and by country and platform.
CREATE TRIGGER engagements_counted INSTEAD OF INSERT ON engagement_counts BEGIN
  INSERT INTO daily_engagements (app_token, day, link_id, partner_id, kind, count, recorded)
  VALUES (NEW.app_token, NEW.day, NEW.link_id, coalesce(NEW.partner_id, 0), NEW.kind, NEW.count, NEW.recorded)
  ON CONFLICT DO UPDATE SET count = count + excluded.count, recorded = recorded + excluded.recorded;
  INSERT INTO daily_audience (app_token, link_id, day, partner_id, kind, country, platform, count, recorded)
  VALUES (NEW.app_token, NEW.link_id, NEW.day, coalesce(NEW.partner_id, 0), NEW.kind, NEW.country, NEW.platform, NEW.count, NEW.recorded)
  ON CONFLICT DO UPDATE SET count = count + excluded.count, recorded = recorded + excluded.recorded;
END;

-- The door for the parameters that engagements do not use, as JSON. Nothing is stored under this name.
CREATE VIEW drops AS
SELECT 0 AS link_id, 0 AS day, '' AS dropped, 0 AS count
WHERE false;

-- Counts dropped parameters.
CREATE TRIGGER drops_counted INSTEAD OF INSERT ON drops WHEN NEW.dropped <> '[]' BEGIN
  INSERT INTO dropped_parameters (link_id, day, param, reason, count)
  SELECT NEW.link_id, NEW.day, value ->> 0, value ->> 1, NEW.count FROM json_each(NEW.dropped) WHERE true
  ON CONFLICT DO UPDATE SET count = count + excluded.count;
END;

-- The door for judged engagements. Nothing is stored under this name. With it, what was judged is read once for all tables.
CREATE VIEW judged_recordings AS
SELECT '' AS app_token, 0 AS link_id, 0 AS partner_id, '' AS kind, 0 AS occurred_at, 0 AS day, '' AS cost_id, 0 AS cost_data_on,
  '' AS url_cost_type, '' AS url_currency, 0 AS url_amount, 0 AS price_counts, '' AS country, '' AS platform, 0 AS is_first
WHERE false;

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

-- The rows of an app's day by country and platform, whose number is limited. What is unknown is not: it is one row a link, partner and kind.
CREATE TRIGGER audience_keys_counted AFTER INSERT ON daily_audience WHEN (NEW.country, NEW.platform) <> ('XX', 'other') BEGIN
  INSERT INTO audience_keys (app_token, day, count) VALUES (NEW.app_token, NEW.day, 1)
  ON CONFLICT DO UPDATE SET count = count + 1;
END;

-- The door for costs. Nothing is stored under this name: its trigger stores the costs whose verdict is `store`, so that one statement
-- judges costs, stores them and returns what became of each.
CREATE VIEW submissions AS
SELECT 0 AS partner_id, '' AS cost_id, '' AS cost_type, '' AS currency, 0 AS amount, '' AS tag, 0 AS received_at,
  '' AS void_state, '' AS verdict, 0 AS submitted_at, '' AS app_token
WHERE false;

-- Stores a call in the row of its ID: beside the engagements, in the place of an earlier call.
CREATE TRIGGER cost_submitted INSTEAD OF INSERT ON submissions WHEN NEW.verdict = 'store' BEGIN
  INSERT INTO ledger_entries (partner_id, cost_id, cost_type, currency, amount, tag, received_at, void_state)
  VALUES (NEW.partner_id, NEW.cost_id, NEW.cost_type, NEW.currency, NEW.amount, NEW.tag, NEW.received_at, NEW.void_state)
  ON CONFLICT DO UPDATE SET
    cost_type = excluded.cost_type, currency = excluded.currency, amount = excluded.amount, tag = excluded.tag,
    received_at = excluded.received_at, void_state = excluded.void_state;
END;

-- The door for rejected costs of credentials that are valid. Nothing is stored under this name.
CREATE VIEW rejections AS
SELECT 0 AS partner_id, '' AS app_token, '' AS code, 0 AS rejected_at, '' AS cost_id, '' AS tag, '' AS params
WHERE false;

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
END;

-- A cost that was judged and rejected.
CREATE TRIGGER cost_rejected INSTEAD OF INSERT ON submissions
WHEN NEW.verdict NOT IN ('store', 'duplicate', 'credential_revoked') BEGIN
  INSERT INTO rejections (partner_id, app_token, code, rejected_at, cost_id, tag)
  VALUES (NEW.partner_id, NEW.app_token, NEW.verdict, NEW.submitted_at, NEW.cost_id, NEW.tag);
END;

-- The rows of the ledger with everything that proves what counts of them. A shard has no links, so it has no tokens of links.
CREATE VIEW entry_records AS
SELECT partner_id, cost_id, remembered_until, json_object(
  'partnerId', partner_id, 'costId', cost_id, 'costType', cost_type, 'currency', currency, 'amount', amount, 'tag', tag,
  'receivedAt', received_at, 'voidState', void_state,
  'click', json(iif(click_at IS NULL, 'null', json_object(
    'appToken', click_app_token, 'linkId', click_link_id, 'linkToken', (SELECT token FROM links WHERE id = click_link_id),
    'occurredAt', click_at, 'costDataOn', click_cost_data_on, 'urlCostType', click_url_cost_type,
    'urlCurrency', click_url_currency, 'urlAmount', click_url_amount, 'priceCounts', click_price_counts,
    'country', click_country, 'platform', click_platform
  ))),
  'impression', json(iif(impression_at IS NULL, 'null', json_object(
    'appToken', impression_app_token, 'linkId', impression_link_id, 'linkToken', (SELECT token FROM links WHERE id = impression_link_id),
    'occurredAt', impression_at, 'costDataOn', impression_cost_data_on, 'urlCostType', impression_url_cost_type,
    'urlCurrency', impression_url_currency, 'urlAmount', impression_url_amount, 'priceCounts', impression_price_counts,
    'country', impression_country, 'platform', impression_platform
  ))),
  'state', state, 'matchedKind', matched_kind, 'amountInEffect', amount_in_effect, 'countingPrice', counting_price,
  'rememberedUntil', remembered_until, 'replacedAt', NULL
) AS record
FROM ledger_entries;

-- With an archive, a row leaves the ledger only into the archive: by the purge, which switches this off in its transaction, or here.
CREATE TRIGGER entries_deleted BEFORE DELETE ON ledger_entries WHEN (SELECT is_on FROM archive_state WHERE id = 1) BEGIN
  INSERT INTO superseded (partner_id, cost_id, number, walk, record)
  SELECT partner_id, cost_id,
    coalesce((SELECT max(number) FROM superseded WHERE partner_id = OLD.partner_id AND cost_id = OLD.cost_id), 0) + 1,
    (SELECT walk FROM purge_positions WHERE ledger_table = 'superseded'), record
  FROM entry_records WHERE partner_id = OLD.partner_id AND cost_id = OLD.cost_id;
END;

-- A call replaces a lapsed or a voided one, whose values would be lost. It counts nothing any more.
CREATE TRIGGER entries_replaced BEFORE UPDATE ON ledger_entries
WHEN OLD.cost_type IS NOT NULL
  AND (OLD.received_at IS NOT NEW.received_at OR (OLD.void_state IS 'voided' AND NEW.void_state IS 'lifted'))
  AND (SELECT is_on FROM archive_state WHERE id = 1)
BEGIN
  INSERT INTO superseded (partner_id, cost_id, number, walk, record)
  SELECT partner_id, cost_id,
    coalesce((SELECT max(number) FROM superseded WHERE partner_id = OLD.partner_id AND cost_id = OLD.cost_id), 0) + 1,
    (SELECT walk FROM purge_positions WHERE ledger_table = 'superseded'),
    json_set(record, '$.replacedAt', NEW.received_at)
  FROM entry_records WHERE partner_id = OLD.partner_id AND cost_id = OLD.cost_id;
END;

-- `apps.link_count` counts level 1, `apps.created_link_count` what users created at any level, `links.child_count` the sub-links.
CREATE TRIGGER links_counted AFTER INSERT ON links BEGIN
  UPDATE apps SET link_count = link_count + (NEW.parent_id IS NULL), created_link_count = created_link_count + (NEW.from_engagement = 0)
  WHERE token = NEW.app_token AND (NEW.parent_id IS NULL OR NEW.from_engagement = 0);
  UPDATE links SET child_count = child_count + 1 WHERE id = NEW.parent_id;
END;

-- The door for places, which links that engagements create take. Nothing is stored under this name. `day` is the day of their
-- creation, or 0 for an earlier one than the last.
CREATE VIEW places AS
SELECT '' AS app_token, 0 AS root_id, 0 AS day, 0 AS count
WHERE false;

-- Adds to the counts of the network and of its app. Those of a day begin again with the first link of a later day.
CREATE TRIGGER places_counted INSTEAD OF INSERT ON places BEGIN
  UPDATE links SET
    from_engagement_count = from_engagement_count + NEW.count,
    new_sub_link_count = iif(NEW.day < new_sub_link_day, new_sub_link_count,
      max(0, iif(NEW.day = new_sub_link_day, new_sub_link_count, 0) + NEW.count)),
    new_sub_link_day = max(new_sub_link_day, NEW.day)
  WHERE id = NEW.root_id;
  UPDATE apps SET
    new_sub_link_count = max(0, iif(NEW.day = new_sub_link_day, new_sub_link_count, 0) + NEW.count),
    new_sub_link_day = NEW.day
  WHERE token = NEW.app_token AND NEW.day >= new_sub_link_day;
END;

-- Engagements create no more links than there are places: below a network 10,000 in all and `max_new_sub_links` on a day, and five
-- times as many on a day in the app. The numbers are in src/domain/engagements/sub-links.ts too.
CREATE TRIGGER places_full BEFORE INSERT ON links WHEN NEW.from_engagement BEGIN
  SELECT RAISE(IGNORE) FROM links l1
  LEFT JOIN links l2 ON l2.id = l1.parent_id LEFT JOIN links l3 ON l3.id = l2.parent_id
  CROSS JOIN links n ON n.id = coalesce(l3.id, l2.id, l1.id) CROSS JOIN apps a ON a.token = NEW.app_token
  WHERE l1.id = NEW.parent_id AND (
    n.from_engagement_count >= 10000
    OR iif(n.new_sub_link_day >= NEW.created_at / 86400000, n.new_sub_link_count, 0) >= a.max_new_sub_links
    OR iif(a.new_sub_link_day >= NEW.created_at / 86400000, a.new_sub_link_count, 0) >= 5 * a.max_new_sub_links
  );
END;

-- A link that an engagement created takes a place.
CREATE TRIGGER places_taken AFTER INSERT ON links WHEN NEW.from_engagement BEGIN
  INSERT INTO places (app_token, root_id, day, count)
  SELECT NEW.app_token, coalesce(l3.id, l2.id, l1.id), NEW.created_at / 86400000, 1 FROM links l1
  LEFT JOIN links l2 ON l2.id = l1.parent_id LEFT JOIN links l3 ON l3.id = l2.parent_id
  WHERE l1.id = NEW.parent_id;
END;

-- For each link, itself and what is below it: those that engagements created and that have a place, unless `top_id` or a link above
-- takes it away.
CREATE VIEW place_takers AS
SELECT id AS top_id, id, created_at FROM links WHERE from_engagement
UNION ALL
SELECT t.id, a.id, a.created_at FROM links t CROSS JOIN links a ON a.app_token = t.app_token AND a.parent_id = t.id
WHERE a.from_engagement AND NOT a.archived
UNION ALL
SELECT t.id, b.id, b.created_at FROM links t CROSS JOIN links a ON a.app_token = t.app_token AND a.parent_id = t.id
CROSS JOIN links b ON b.app_token = a.app_token AND b.parent_id = a.id
WHERE b.from_engagement AND NOT b.archived AND NOT (a.archived AND coalesce(a.archived_through, 0) >= b.id)
UNION ALL
SELECT t.id, c.id, c.created_at FROM links t CROSS JOIN links a ON a.app_token = t.app_token AND a.parent_id = t.id
CROSS JOIN links b ON b.app_token = a.app_token AND b.parent_id = a.id
CROSS JOIN links c ON c.app_token = b.app_token AND c.parent_id = b.id
WHERE c.from_engagement AND NOT c.archived AND NOT (a.archived AND coalesce(a.archived_through, 0) >= c.id)
  AND NOT (b.archived AND coalesce(b.archived_through, 0) >= c.id);

-- Archiving a link below level 1 frees its place and those of all that was below it. Links that clicks create below it later take
-- places of their own. Unarchiving takes the same places again, above a limit too.
CREATE TRIGGER places_changed AFTER UPDATE OF archived ON links
WHEN NEW.archived <> OLD.archived AND NEW.level > 1 AND (NEW.from_engagement OR NEW.child_count > 0) BEGIN
  INSERT INTO places (app_token, root_id, day, count)
  SELECT NEW.app_token, coalesce(l3.id, l2.id, l1.id),
    iif(k.created_at / 86400000 = a.new_sub_link_day, a.new_sub_link_day, 0) AS day, count(*) * iif(NEW.archived, -1, 1)
  FROM place_takers k CROSS JOIN apps a ON a.token = NEW.app_token
  CROSS JOIN links l1 ON l1.id = NEW.parent_id
  LEFT JOIN links l2 ON l2.id = l1.parent_id LEFT JOIN links l3 ON l3.id = l2.parent_id
  WHERE k.top_id = NEW.id AND (k.id = NEW.id OR k.id <= coalesce(NEW.archived_through, OLD.archived_through))
    AND NOT (l1.level > 1 AND l1.archived AND coalesce(l1.archived_through, 0) >= k.id)
    AND NOT coalesce(l2.level > 1 AND l2.archived AND coalesce(l2.archived_through, 0) >= k.id, 0)
  GROUP BY day;
END;

-- The number of partners, and a revision: a new one makes every isolate read the partners again.
CREATE TRIGGER partners_counted AFTER INSERT ON partners BEGIN
  UPDATE partner_catalog SET partner_count = partner_count + 1, revision = lower(hex(randomblob(8)));
END;

-- A changed partner needs a new revision too.
CREATE TRIGGER partners_revised AFTER UPDATE ON partners BEGIN
  UPDATE partner_catalog SET revision = lower(hex(randomblob(8)));
END;

-- The number of entries of a round.
CREATE TRIGGER round_entries_counted AFTER INSERT ON round_entries BEGIN
  UPDATE rounds SET entry_count = entry_count + 1 WHERE id = NEW.round_id;
END;

-- The length of the responses that an app has stored for its idempotency keys, which is limited.
CREATE TRIGGER responses_stored AFTER INSERT ON idempotency_keys BEGIN
  UPDATE apps SET stored_length = stored_length + length(NEW.answer) WHERE token = NEW.app_token;
END;

-- An expired response makes room for others.
CREATE TRIGGER responses_deleted AFTER DELETE ON idempotency_keys BEGIN
  UPDATE apps SET stored_length = stored_length - length(OLD.answer) WHERE token = OLD.app_token;
END;

-- A disabled user has no token and no session.
CREATE TRIGGER users_disabled AFTER UPDATE OF disabled_at ON users WHEN NEW.disabled_at IS NOT NULL BEGIN
  DELETE FROM api_tokens WHERE user_id = NEW.id;
  DELETE FROM access_tokens WHERE user_id = NEW.id;
  DELETE FROM sessions WHERE user_id = NEW.id;
END;

-- A user who gets another role signs in again, from a browser that is not known. An operator links operators, so nobody who was
-- linked before is one.
CREATE TRIGGER users_role_changed AFTER UPDATE OF role ON users WHEN NEW.role IS NOT OLD.role BEGIN
  DELETE FROM sessions WHERE user_id = NEW.id;
  DELETE FROM devices WHERE user_id = NEW.id;
  DELETE FROM identities WHERE user_id = NEW.id AND NEW.role = 'operator';
END;

-- Who was linked to a user, or tried to sign in, was so by the address of then.
CREATE TRIGGER users_email_changed AFTER UPDATE OF email ON users WHEN NEW.email IS NOT OLD.email BEGIN
  DELETE FROM sessions WHERE user_id = NEW.id AND EXISTS (SELECT 1 FROM identities WHERE user_id = NEW.id);
  DELETE FROM identities WHERE user_id = NEW.id;
  DELETE FROM sign_in_attempts WHERE user_id = NEW.id;
END;

-- Another sign-in method ends what began with the one before. An API token stays, but can no longer be shown.
CREATE TRIGGER users_sign_in_changed AFTER UPDATE OF password_hash ON users
WHEN (NEW.password_hash IS NULL) <> (OLD.password_hash IS NULL) BEGIN
  DELETE FROM access_tokens WHERE user_id = NEW.id;
  DELETE FROM identities WHERE user_id = NEW.id;
  DELETE FROM sign_in_attempts WHERE user_id = NEW.id;
  DELETE FROM sessions WHERE user_id = NEW.id;
  UPDATE api_tokens SET sealed = NULL WHERE user_id = NEW.id;
END;

-- A password that an operator sets, or takes away, makes the two-factor secret unreadable. The user sets it up again.
CREATE TRIGGER users_reset AFTER UPDATE OF password_hash ON users
WHEN NEW.password_hash IS NOT OLD.password_hash AND (NEW.password_hash IS NULL OR NEW.password_expires_at IS NOT NULL) BEGIN
  DELETE FROM authenticators WHERE user_id = NEW.id;
  DELETE FROM recovery_codes WHERE user_id = NEW.id;
END;

-- A known browser may enter codes while strangers may not, so it is known only as long as the password and the second factor
-- under which it signed in.
CREATE TRIGGER browsers_of_old_password AFTER UPDATE OF password_hash ON users WHEN NEW.password_hash IS NOT OLD.password_hash BEGIN
  DELETE FROM devices WHERE user_id = NEW.id;
END;

-- The same when the second factor is turned on.
CREATE TRIGGER browsers_before_two_factor AFTER INSERT ON authenticators BEGIN
  DELETE FROM devices WHERE user_id = NEW.user_id;
END;

-- The same when it is turned off.
CREATE TRIGGER browsers_after_two_factor AFTER DELETE ON authenticators BEGIN
  DELETE FROM devices WHERE user_id = OLD.user_id;
END;

-- The audit log only grows: no entry is replaced.
CREATE TRIGGER audit_log_added BEFORE INSERT ON audit_log WHEN EXISTS (SELECT 1 FROM audit_log WHERE id = NEW.id) BEGIN
  SELECT RAISE(ABORT, 'An entry of the audit log cannot be replaced.');
END;

-- No entry is changed.
CREATE TRIGGER audit_log_changed BEFORE UPDATE ON audit_log BEGIN
  SELECT RAISE(ABORT, 'An entry of the audit log cannot be changed.');
END;

-- No entry is deleted.
CREATE TRIGGER audit_log_deleted BEFORE DELETE ON audit_log BEGIN
  SELECT RAISE(ABORT, 'An entry of the audit log cannot be deleted.');
END;
