DROP TRIGGER engagement_counted;--> statement-breakpoint
DROP TRIGGER engagement_recorded;--> statement-breakpoint
DROP VIEW recordings;--> statement-breakpoint
DROP TRIGGER entries_replaced;--> statement-breakpoint
DROP TRIGGER entries_deleted;--> statement-breakpoint
DROP VIEW entry_records;--> statement-breakpoint
DROP TRIGGER cost_submitted;--> statement-breakpoint
DROP TRIGGER entries_changed;--> statement-breakpoint
DROP TRIGGER entries_changing;--> statement-breakpoint
DROP TRIGGER pending_added;--> statement-breakpoint
DROP TRIGGER entries_added;--> statement-breakpoint
DROP TRIGGER entries_forgotten;--> statement-breakpoint
DROP VIEW cost_states;--> statement-breakpoint
ALTER TABLE `ledger_entries` DROP COLUMN `counting_price`;--> statement-breakpoint
ALTER TABLE `ledger_entries` DROP COLUMN `state`;--> statement-breakpoint
ALTER TABLE `ledger_entries` DROP COLUMN `amount_in_effect`;--> statement-breakpoint
ALTER TABLE `ledger_entries` DROP COLUMN `impression_price`;--> statement-breakpoint
ALTER TABLE `ledger_entries` DROP COLUMN `click_price`;--> statement-breakpoint
CREATE TABLE `daily_url_prices` (
	`partner_id` integer NOT NULL,
	`app_token` text NOT NULL,
	`day` integer NOT NULL,
	`currency` text NOT NULL,
	`counted` integer NOT NULL,
	`held` integer NOT NULL,
	`held_count` integer NOT NULL,
	PRIMARY KEY(`partner_id`, `app_token`, `day`, `currency`)
) STRICT, WITHOUT ROWID;--> statement-breakpoint
CREATE INDEX `held_clicks` ON `ledger_entries` (`partner_id`,`click_app_token`,`click_at`) WHERE "ledger_entries"."click_price_counts" = 2;--> statement-breakpoint
CREATE INDEX `held_impressions` ON `ledger_entries` (`partner_id`,`impression_app_token`,`impression_at`) WHERE "ledger_entries"."impression_price_counts" = 2;--> statement-breakpoint
ALTER TABLE `partners` ADD `max_url_spend` integer;--> statement-breakpoint
ALTER TABLE `ledger_entries` ADD `click_price` integer GENERATED ALWAYS AS (CASE WHEN click_usable AND click_price_counts = 1 AND void_state IS NULL AND click_url_cost_type = cost_type AND click_url_currency = currency THEN click_url_amount END) VIRTUAL;--> statement-breakpoint
ALTER TABLE `ledger_entries` ADD `impression_price` integer GENERATED ALWAYS AS (CASE WHEN impression_usable AND impression_price_counts = 1 AND void_state IS NULL AND impression_url_cost_type = cost_type AND impression_url_currency = currency THEN impression_url_amount END) VIRTUAL;--> statement-breakpoint
ALTER TABLE `ledger_entries` ADD `amount_in_effect` integer GENERATED ALWAYS AS (coalesce(amount, iif(matched_kind = 'click', click_price, impression_price), click_price, impression_price)) VIRTUAL;--> statement-breakpoint
ALTER TABLE `ledger_entries` ADD `state` text GENERATED ALWAYS AS (CASE WHEN cost_type IS NULL THEN NULL WHEN void_state = 'voided' THEN 'voided' WHEN matched_kind IS NULL THEN 'pending' WHEN amount_in_effect IS NULL THEN 'unpriced' ELSE 'matched' END) VIRTUAL;--> statement-breakpoint
ALTER TABLE `ledger_entries` ADD `counting_price` text GENERATED ALWAYS AS (CASE WHEN matched_kind IS NOT NULL OR void_state IS NOT NULL THEN NULL WHEN click_price_counts = 1 AND (click_first OR coalesce(impression_price_counts, 0) <> 1) THEN 'click' WHEN impression_price_counts = 1 THEN 'impression' END) VIRTUAL;--> statement-breakpoint
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
FROM ledger_entries WHERE counting_price IS NOT NULL;--> statement-breakpoint
-- A call replaces a row that is forgotten but not purged yet. Engagements do the same in `engagement_recorded`.
CREATE TRIGGER entries_forgotten BEFORE INSERT ON ledger_entries WHEN NEW.received_at IS NOT NULL BEGIN
  DELETE FROM ledger_entries
  WHERE partner_id = NEW.partner_id AND cost_id = NEW.cost_id AND remembered_until < NEW.received_at;
END;--> statement-breakpoint
-- The daily totals: every change of an ID subtracts what counted before it and adds what counts after it. There is no trigger for
-- DELETE, so the totals remain after the purge. Most engagements count nothing, so the conditions save reading what counts.
CREATE TRIGGER entries_added AFTER INSERT ON ledger_entries
WHEN NEW.state NOT IN ('pending', 'voided') OR NEW.counting_price IS NOT NULL BEGIN
  INSERT INTO countings (app_token, day, link_id, partner_id, cost_type, currency, state, count, amount, country, platform)
  SELECT app_token, day, link_id, partner_id, cost_type, currency, state, 1, coalesce(amount, 0), country, platform
  FROM cost_states WHERE partner_id = NEW.partner_id AND cost_id = NEW.cost_id AND state <> 'pending';
END;--> statement-breakpoint
-- The same for a call that waits, which most new rows are: as in `cost_states`, but without the views, which take a third of its time.
CREATE TRIGGER pending_added AFTER INSERT ON ledger_entries WHEN NEW.state = 'pending' BEGIN
  INSERT INTO daily_totals (app_token, day, link_id, partner_id, cost_type, currency, state, count, amount)
  VALUES ('', NEW.received_at / 86400000, 0, NEW.partner_id, NEW.cost_type, NEW.currency, NEW.state, 1, coalesce(NEW.amount_in_effect, 0))
  ON CONFLICT DO UPDATE SET count = count + 1, amount = amount + excluded.amount;
END;--> statement-breakpoint
-- Subtracts what counted, unless the change leaves it equal: an engagement never changes once it is recorded.
CREATE TRIGGER entries_changing BEFORE UPDATE ON ledger_entries WHEN OLD.state <> 'voided' OR OLD.counting_price IS NOT NULL BEGIN
  INSERT INTO countings (app_token, day, link_id, partner_id, cost_type, currency, state, count, amount, country, platform)
  SELECT app_token, day, link_id, partner_id, cost_type, currency, state, -1, -coalesce(amount, 0), country, platform
  FROM cost_states WHERE partner_id = OLD.partner_id AND cost_id = OLD.cost_id
    AND iif(source = 'call',
      (OLD.cost_type, OLD.currency, OLD.amount_in_effect, OLD.state, OLD.matched_kind, OLD.received_at)
        IS NOT (NEW.cost_type, NEW.currency, NEW.amount_in_effect, NEW.state, NEW.matched_kind, NEW.received_at),
      OLD.counting_price IS NOT NEW.counting_price);
END;--> statement-breakpoint
-- Adds what counts after the change, under the same condition.
CREATE TRIGGER entries_changed AFTER UPDATE ON ledger_entries WHEN NEW.state <> 'voided' OR NEW.counting_price IS NOT NULL BEGIN
  INSERT INTO countings (app_token, day, link_id, partner_id, cost_type, currency, state, count, amount, country, platform)
  SELECT app_token, day, link_id, partner_id, cost_type, currency, state, 1, coalesce(amount, 0), country, platform
  FROM cost_states WHERE partner_id = NEW.partner_id AND cost_id = NEW.cost_id
    AND iif(source = 'call',
      (OLD.cost_type, OLD.currency, OLD.amount_in_effect, OLD.state, OLD.matched_kind, OLD.received_at)
        IS NOT (NEW.cost_type, NEW.currency, NEW.amount_in_effect, NEW.state, NEW.matched_kind, NEW.received_at),
      OLD.counting_price IS NOT NEW.counting_price);
END;--> statement-breakpoint
-- The door for engagements. Nothing is stored under this name. With shards, an engagement with an ID is elsewhere: DB counts only
-- its dropped parameters.
CREATE VIEW recordings AS
SELECT '' AS app_token, 0 AS link_id, 0 AS partner_id, '' AS kind, 0 AS occurred_at, '' AS cost_id, 0 AS cost_data_on,
  '' AS url_cost_type, '' AS url_currency, 0 AS url_amount, 0 AS price_counts, '' AS dropped, 0 AS recorded_at, 0 AS is_elsewhere,
  '' AS country, '' AS platform, 0 AS count, 0 AS max_url_spend
WHERE false;--> statement-breakpoint
-- Judges an engagement, or several alike without an ID, and counts its dropped parameters. A message that the queue delivers twice has
-- the time of the kept engagement and is counted once. Above the most rows by country and platform of an app on a day, what would need
-- another one is unknown. A price is held if those of its partner, app, currency and day would be above their limit with it, or if it
-- is in a fourth currency of the day.
CREATE TRIGGER engagement_recorded INSTEAD OF INSERT ON recordings BEGIN
  DELETE FROM ledger_entries
  WHERE partner_id = NEW.partner_id AND cost_id = NEW.cost_id AND remembered_until < NEW.recorded_at AND NOT NEW.is_elsewhere;
  INSERT INTO judged_recordings (
    app_token, link_id, partner_id, kind, occurred_at, day, cost_id, cost_data_on,
    url_cost_type, url_currency, url_amount, price_counts, country, platform, count, is_first
  )
  SELECT NEW.app_token, NEW.link_id, NEW.partner_id, NEW.kind, NEW.occurred_at, NEW.occurred_at / 86400000, NEW.cost_id, NEW.cost_data_on,
    NEW.url_cost_type, NEW.url_currency, NEW.url_amount,
    iif(NEW.price_counts AND NEW.max_url_spend * 1000 < NEW.url_amount * iif(NEW.url_cost_type = 'cpm', 1, 1000) + (
      SELECT coalesce(max(iif(currency = NEW.url_currency, counted, NULL)), iif(count(*) < 3, 0, NEW.max_url_spend * 1000 + 1))
      FROM daily_url_prices
      WHERE partner_id = NEW.partner_id AND app_token = NEW.app_token AND day = NEW.occurred_at / 86400000 AND counted > 0
    ), 2, NEW.price_counts),
    iif(is_known, NEW.country, 'XX'), iif(is_known, NEW.platform, 'other'), coalesce(NEW.count, 1),
    NEW.cost_id IS NOT NULL AND kept_at IS NULL
  FROM (SELECT (
    SELECT iif(NEW.kind = 'click', click_at, impression_at) FROM ledger_entries
    WHERE partner_id = NEW.partner_id AND cost_id = NEW.cost_id
  ) AS kept_at, iif(
    coalesce((SELECT count FROM audience_keys WHERE app_token = NEW.app_token AND day = NEW.occurred_at / 86400000), 0) < 20000,
    1,
    EXISTS (
      SELECT 1 FROM daily_audience
      WHERE app_token = NEW.app_token AND link_id = NEW.link_id AND day = NEW.occurred_at / 86400000
        AND partner_id = coalesce(NEW.partner_id, 0) AND kind = NEW.kind AND country = NEW.country AND platform = NEW.platform
    )
  ) AS is_known)
  WHERE kept_at IS NOT NEW.occurred_at AND NOT NEW.is_elsewhere;
  INSERT INTO dropped_parameters (link_id, day, param, reason, count)
  SELECT NEW.link_id, NEW.occurred_at / 86400000, value ->> 0, value ->> 1, coalesce(NEW.count, 1) FROM json_each(NEW.dropped)
  WHERE NEW.dropped <> '[]'
  ON CONFLICT DO UPDATE SET count = count + excluded.count;
END;--> statement-breakpoint
-- Counts an engagement, in total and by country and platform, and keeps it in the ledger if it has an ID and is the first of its kind.
-- Only then its price is added to those of the day. One that is held is a dropped parameter.
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
  SELECT NEW.link_id, NEW.day, 'cost_amount', 'daily_limit', 1 WHERE NEW.price_counts = 2 AND NEW.is_first
  ON CONFLICT DO UPDATE SET count = count + 1;
END;--> statement-breakpoint
-- Stores a call in the row of its ID: beside the engagements, in the place of an earlier call.
CREATE TRIGGER cost_submitted INSTEAD OF INSERT ON submissions WHEN NEW.verdict = 'store' BEGIN
  INSERT INTO ledger_entries (partner_id, cost_id, cost_type, currency, amount, tag, received_at, void_state)
  VALUES (NEW.partner_id, NEW.cost_id, NEW.cost_type, NEW.currency, NEW.amount, NEW.tag, NEW.received_at, NEW.void_state)
  ON CONFLICT DO UPDATE SET
    cost_type = excluded.cost_type, currency = excluded.currency, amount = excluded.amount, tag = excluded.tag,
    received_at = excluded.received_at, void_state = excluded.void_state;
END;--> statement-breakpoint
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
FROM ledger_entries;--> statement-breakpoint
-- With an archive, a row leaves the ledger only into the archive: by the purge, which switches this off in its transaction, or here.
CREATE TRIGGER entries_deleted BEFORE DELETE ON ledger_entries WHEN (SELECT is_on FROM archive_state WHERE id = 1) BEGIN
  INSERT INTO superseded (partner_id, cost_id, number, walk, record)
  SELECT partner_id, cost_id,
    coalesce((SELECT max(number) FROM superseded WHERE partner_id = OLD.partner_id AND cost_id = OLD.cost_id), 0) + 1,
    (SELECT walk FROM purge_positions WHERE ledger_table = 'superseded'), record
  FROM entry_records WHERE partner_id = OLD.partner_id AND cost_id = OLD.cost_id;
END;--> statement-breakpoint
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
