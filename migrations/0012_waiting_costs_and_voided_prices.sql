DROP TRIGGER cost_submitted;--> statement-breakpoint
DROP TRIGGER entries_replaced;--> statement-breakpoint
DROP TRIGGER entries_deleted;--> statement-breakpoint
DROP VIEW entry_records;--> statement-breakpoint
DROP TRIGGER engagement_recorded;--> statement-breakpoint
DROP TRIGGER entries_changed;--> statement-breakpoint
DROP TRIGGER entries_changing;--> statement-breakpoint
DROP TRIGGER entries_added;--> statement-breakpoint
DROP TRIGGER entries_forgotten;--> statement-breakpoint
DROP VIEW cost_states;--> statement-breakpoint
ALTER TABLE `ledger_entries` DROP COLUMN `counting_price`;--> statement-breakpoint
ALTER TABLE `ledger_entries` DROP COLUMN `state`;--> statement-breakpoint
ALTER TABLE `ledger_entries` DROP COLUMN `amount_in_effect`;--> statement-breakpoint
ALTER TABLE `ledger_entries` DROP COLUMN `impression_price`;--> statement-breakpoint
ALTER TABLE `ledger_entries` DROP COLUMN `click_price`;--> statement-breakpoint
ALTER TABLE `ledger_entries` DROP COLUMN `matched_at`;--> statement-breakpoint
ALTER TABLE `ledger_entries` DROP COLUMN `matched_kind`;--> statement-breakpoint
ALTER TABLE `ledger_entries` DROP COLUMN `impression_usable`;--> statement-breakpoint
ALTER TABLE `ledger_entries` DROP COLUMN `click_usable`;--> statement-breakpoint
ALTER TABLE `ledger_entries` DROP COLUMN `click_first`;--> statement-breakpoint
ALTER TABLE `ledger_entries` DROP COLUMN `remembered_until`;--> statement-breakpoint
ALTER TABLE `ledger_entries` ADD `void_kind` text;--> statement-breakpoint
ALTER TABLE `ledger_entries` ADD `click_first` integer GENERATED ALWAYS AS (coalesce(click_at <= impression_at + 604800000, 1)) VIRTUAL;--> statement-breakpoint
ALTER TABLE `ledger_entries` ADD `click_usable` integer GENERATED ALWAYS AS (coalesce(cost_type <> 'cpm' AND click_cost_data_on AND abs(received_at - click_at) <= 604800000, 0)) VIRTUAL;--> statement-breakpoint
ALTER TABLE `ledger_entries` ADD `impression_usable` integer GENERATED ALWAYS AS (coalesce(cost_type <> 'cpc' AND impression_cost_data_on AND abs(received_at - impression_at) <= 604800000, 0)) VIRTUAL;--> statement-breakpoint
ALTER TABLE `ledger_entries` ADD `matched_kind` text GENERATED ALWAYS AS (CASE WHEN click_usable AND (click_first OR NOT impression_usable) THEN 'click' WHEN impression_usable THEN 'impression' END) VIRTUAL;--> statement-breakpoint
ALTER TABLE `ledger_entries` ADD `matched_at` integer GENERATED ALWAYS AS (CASE matched_kind WHEN 'click' THEN click_at WHEN 'impression' THEN impression_at END) VIRTUAL;--> statement-breakpoint
ALTER TABLE `ledger_entries` ADD `remembered_until` integer GENERATED ALWAYS AS (max(coalesce(click_at, 0), coalesce(impression_at, 0), iif(matched_kind IS NULL, coalesce(received_at, 0), 0)) + 1209600000) VIRTUAL;--> statement-breakpoint
ALTER TABLE `ledger_entries` ADD `click_price` integer GENERATED ALWAYS AS (CASE WHEN click_usable AND click_price_counts AND void_state IS NULL AND click_url_cost_type = cost_type AND click_url_currency = currency THEN click_url_amount END) VIRTUAL;--> statement-breakpoint
ALTER TABLE `ledger_entries` ADD `impression_price` integer GENERATED ALWAYS AS (CASE WHEN impression_usable AND impression_price_counts AND void_state IS NULL AND impression_url_cost_type = cost_type AND impression_url_currency = currency THEN impression_url_amount END) VIRTUAL;--> statement-breakpoint
ALTER TABLE `ledger_entries` ADD `amount_in_effect` integer GENERATED ALWAYS AS (coalesce(amount, iif(matched_kind = 'click', click_price, impression_price), click_price, impression_price)) VIRTUAL;--> statement-breakpoint
ALTER TABLE `ledger_entries` ADD `state` text GENERATED ALWAYS AS (CASE WHEN cost_type IS NULL THEN NULL WHEN void_state = 'voided' THEN 'voided' WHEN matched_kind IS NULL THEN 'pending' WHEN amount_in_effect IS NULL THEN 'unpriced' ELSE 'matched' END) VIRTUAL;--> statement-breakpoint
ALTER TABLE `ledger_entries` ADD `counting_price` text GENERATED ALWAYS AS (CASE WHEN matched_kind IS NOT NULL OR void_state IS NOT NULL THEN NULL WHEN click_price_counts AND (click_first OR NOT coalesce(impression_price_counts, 0)) THEN 'click' WHEN impression_price_counts THEN 'impression' END) VIRTUAL;--> statement-breakpoint
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
FROM ledger_entries WHERE counting_price IS NOT NULL;--> statement-breakpoint
-- A call replaces a row that is forgotten but not purged yet. Engagements do the same in `engagement_recorded`.
CREATE TRIGGER entries_forgotten BEFORE INSERT ON ledger_entries WHEN NEW.received_at IS NOT NULL BEGIN
  DELETE FROM ledger_entries
  WHERE partner_id = NEW.partner_id AND cost_id = NEW.cost_id AND remembered_until < NEW.received_at;
END;--> statement-breakpoint
-- The daily totals: every change of an ID subtracts what counted before it and adds what counts after it. There is no trigger for
-- DELETE, so the totals remain after the purge.
CREATE TRIGGER entries_added AFTER INSERT ON ledger_entries BEGIN
  INSERT INTO daily_totals (app_token, day, link_id, partner_id, cost_type, currency, state, count, amount)
  SELECT app_token, day, link_id, partner_id, cost_type, currency, state, 1, coalesce(amount, 0)
  FROM cost_states WHERE partner_id = NEW.partner_id AND cost_id = NEW.cost_id
  ON CONFLICT DO UPDATE SET count = count + excluded.count, amount = amount + excluded.amount;
END;--> statement-breakpoint
-- Subtracts what counted, unless the change leaves it equal: an engagement never changes once it is recorded.
CREATE TRIGGER entries_changing BEFORE UPDATE ON ledger_entries BEGIN
  INSERT INTO daily_totals (app_token, day, link_id, partner_id, cost_type, currency, state, count, amount)
  SELECT app_token, day, link_id, partner_id, cost_type, currency, state, -1, -coalesce(amount, 0)
  FROM cost_states WHERE partner_id = OLD.partner_id AND cost_id = OLD.cost_id
    AND iif(source = 'call',
      (OLD.cost_type, OLD.currency, OLD.amount_in_effect, OLD.state, OLD.matched_kind, OLD.received_at)
        IS NOT (NEW.cost_type, NEW.currency, NEW.amount_in_effect, NEW.state, NEW.matched_kind, NEW.received_at),
      OLD.counting_price IS NOT NEW.counting_price)
  ON CONFLICT DO UPDATE SET count = count + excluded.count, amount = amount + excluded.amount;
END;--> statement-breakpoint
-- Adds what counts after the change, under the same condition.
CREATE TRIGGER entries_changed AFTER UPDATE ON ledger_entries BEGIN
  INSERT INTO daily_totals (app_token, day, link_id, partner_id, cost_type, currency, state, count, amount)
  SELECT app_token, day, link_id, partner_id, cost_type, currency, state, 1, coalesce(amount, 0)
  FROM cost_states WHERE partner_id = NEW.partner_id AND cost_id = NEW.cost_id
    AND iif(source = 'call',
      (OLD.cost_type, OLD.currency, OLD.amount_in_effect, OLD.state, OLD.matched_kind, OLD.received_at)
        IS NOT (NEW.cost_type, NEW.currency, NEW.amount_in_effect, NEW.state, NEW.matched_kind, NEW.received_at),
      OLD.counting_price IS NOT NEW.counting_price)
  ON CONFLICT DO UPDATE SET count = count + excluded.count, amount = amount + excluded.amount;
END;--> statement-breakpoint
-- Counts an engagement and its dropped parameters, and keeps it in the ledger if it has an ID and is the first of its kind.
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
    'urlCurrency', click_url_currency, 'urlAmount', click_url_amount, 'priceCounts', click_price_counts
  ))),
  'impression', json(iif(impression_at IS NULL, 'null', json_object(
    'appToken', impression_app_token, 'linkId', impression_link_id, 'linkToken', (SELECT token FROM links WHERE id = impression_link_id),
    'occurredAt', impression_at, 'costDataOn', impression_cost_data_on, 'urlCostType', impression_url_cost_type,
    'urlCurrency', impression_url_currency, 'urlAmount', impression_url_amount, 'priceCounts', impression_price_counts
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
--> statement-breakpoint
-- The voids of prices on URLs so far: the engagement that has the values of the void, which was the guess until now.
UPDATE ledger_entries SET void_kind = iif((click_url_cost_type, click_url_currency, click_url_amount) = (cost_type, currency, amount), 'click', 'impression')
WHERE void_state = 'voided' AND received_at IS NULL;
