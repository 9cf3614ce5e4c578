-- Generated from src/db/schema.ts. STRICT, WITHOUT ROWID, the view and the triggers were added manually, because Drizzle cannot express them.
CREATE TABLE `archive_objects` (
	`ledger_table` text NOT NULL,
	`walk` integer NOT NULL,
	`first_partner_id` integer NOT NULL,
	`first_cost_id` text NOT NULL,
	`last_partner_id` integer NOT NULL,
	`last_cost_id` text NOT NULL,
	`first_day` integer NOT NULL,
	`last_day` integer NOT NULL,
	`row_count` integer NOT NULL,
	PRIMARY KEY(`ledger_table`, `walk`, `first_partner_id`, `first_cost_id`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `archive_state` (
	`id` integer PRIMARY KEY NOT NULL,
	`is_on` integer NOT NULL,
	`failing_since` integer,
	CONSTRAINT "one_archive" CHECK("archive_state"."id" = 1)
) STRICT;
--> statement-breakpoint
CREATE TABLE `superseded` (
	`partner_id` integer NOT NULL,
	`cost_id` text NOT NULL,
	`number` integer NOT NULL,
	`walk` integer NOT NULL,
	`record` text NOT NULL,
	PRIMARY KEY(`partner_id`, `cost_id`, `number`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `purge_positions` ADD `walk` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `purge_positions` ADD `attempts` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
INSERT INTO archive_state (id, is_on) VALUES (1, 0);
--> statement-breakpoint
INSERT INTO purge_positions (ledger_table, after_partner_id, after_cost_id, walked_at) VALUES ('superseded', -1, '', 0);
--> statement-breakpoint
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
FROM ledger_entries;
--> statement-breakpoint
-- With an archive, a row leaves the ledger only into the archive: by the purge, which switches this off in its transaction, or here.
CREATE TRIGGER entries_deleted BEFORE DELETE ON ledger_entries WHEN (SELECT is_on FROM archive_state WHERE id = 1) BEGIN
  INSERT INTO superseded (partner_id, cost_id, number, walk, record)
  SELECT partner_id, cost_id,
    coalesce((SELECT max(number) FROM superseded WHERE partner_id = OLD.partner_id AND cost_id = OLD.cost_id), 0) + 1,
    (SELECT walk FROM purge_positions WHERE ledger_table = 'superseded'), record
  FROM entry_records WHERE partner_id = OLD.partner_id AND cost_id = OLD.cost_id;
END;
--> statement-breakpoint
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
