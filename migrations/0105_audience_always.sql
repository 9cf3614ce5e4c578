DROP TRIGGER engagement_recorded;--> statement-breakpoint
DROP TRIGGER places_changed;--> statement-breakpoint
DROP TRIGGER places_full;--> statement-breakpoint
DROP TRIGGER places_counted;--> statement-breakpoint
DROP TRIGGER responses_deleted;--> statement-breakpoint
DROP TRIGGER responses_stored;--> statement-breakpoint
DROP TRIGGER links_counted;--> statement-breakpoint
DROP TRIGGER cost_counted;--> statement-breakpoint
CREATE TABLE `audience_keys` (
	`app_token` text NOT NULL,
	`day` integer NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`app_token`, `day`)
) STRICT, WITHOUT ROWID;--> statement-breakpoint
ALTER TABLE `apps` DROP COLUMN `audience`;--> statement-breakpoint
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
END;--> statement-breakpoint
-- Judges an engagement, or several alike without an ID, and counts its dropped parameters. A message that the queue delivers twice has
-- the time of the kept engagement and is counted once. Above the most rows by country and platform of an app on a day, what would need
-- another one is unknown.
CREATE TRIGGER engagement_recorded INSTEAD OF INSERT ON recordings BEGIN
  DELETE FROM ledger_entries
  WHERE partner_id = NEW.partner_id AND cost_id = NEW.cost_id AND remembered_until < NEW.recorded_at AND NOT NEW.is_elsewhere;
  INSERT INTO judged_recordings (
    app_token, link_id, partner_id, kind, occurred_at, day, cost_id, cost_data_on,
    url_cost_type, url_currency, url_amount, price_counts, country, platform, count, is_first
  )
  SELECT NEW.app_token, NEW.link_id, NEW.partner_id, NEW.kind, NEW.occurred_at, NEW.occurred_at / 86400000, NEW.cost_id, NEW.cost_data_on,
    NEW.url_cost_type, NEW.url_currency, NEW.url_amount, NEW.price_counts,
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
-- The door for judged engagements. Nothing is stored under this name. With it, what was judged is read once for all tables.
CREATE VIEW judged_recordings AS
SELECT '' AS app_token, 0 AS link_id, 0 AS partner_id, '' AS kind, 0 AS occurred_at, 0 AS day, '' AS cost_id, 0 AS cost_data_on,
  '' AS url_cost_type, '' AS url_currency, 0 AS url_amount, 0 AS price_counts, '' AS country, '' AS platform, 0 AS count,
  0 AS is_first
WHERE false;--> statement-breakpoint
-- Counts an engagement, in total and by country and platform, and keeps it in the ledger if it has an ID and is the first of its kind.
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
END;--> statement-breakpoint
-- The rows of an app's day by country and platform, whose number is limited. What is unknown is not: it is one row a link, partner and kind.
CREATE TRIGGER audience_keys_counted AFTER INSERT ON daily_audience WHEN (NEW.country, NEW.platform) <> ('XX', 'other') BEGIN
  INSERT INTO audience_keys (app_token, day, count) VALUES (NEW.app_token, NEW.day, 1)
  ON CONFLICT DO UPDATE SET count = count + 1;
END;--> statement-breakpoint
-- `apps.link_count` counts level 1, `apps.created_link_count` what users created at any level, `links.child_count` the sub-links.
CREATE TRIGGER links_counted AFTER INSERT ON links BEGIN
  UPDATE apps SET link_count = link_count + (NEW.parent_id IS NULL), created_link_count = created_link_count + (NEW.from_engagement = 0)
  WHERE token = NEW.app_token AND (NEW.parent_id IS NULL OR NEW.from_engagement = 0);
  UPDATE links SET child_count = child_count + 1 WHERE id = NEW.parent_id;
END;--> statement-breakpoint
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
END;--> statement-breakpoint
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
END;--> statement-breakpoint
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
END;--> statement-breakpoint
-- The length of the responses that an app has stored for its idempotency keys, which is limited.
CREATE TRIGGER responses_stored AFTER INSERT ON idempotency_keys BEGIN
  UPDATE apps SET stored_length = stored_length + length(NEW.answer) WHERE token = NEW.app_token;
END;--> statement-breakpoint
-- An expired response makes room for others.
CREATE TRIGGER responses_deleted AFTER DELETE ON idempotency_keys BEGIN
  UPDATE apps SET stored_length = stored_length - length(OLD.answer) WHERE token = OLD.app_token;
END;--> statement-breakpoint
-- What was not counted by country and platform is unknown from now on, so that both tables add up to those without them, and a void
-- subtracts from a row that is there.
INSERT INTO daily_audience (app_token, link_id, day, partner_id, kind, country, platform, count, recorded)
SELECT app_token, link_id, day, partner_id, kind, 'XX', 'other', count - known ->> 0, recorded - known ->> 1
FROM (
  SELECT e.*, (
    SELECT json_array(coalesce(sum(a.count), 0), coalesce(sum(a.recorded), 0)) FROM daily_audience a
    WHERE (a.app_token, a.link_id, a.day, a.partner_id, a.kind) = (e.app_token, e.link_id, e.day, e.partner_id, e.kind)
  ) AS known
  FROM daily_engagements e
)
WHERE count > known ->> 0
ON CONFLICT DO UPDATE SET count = count + excluded.count, recorded = recorded + excluded.recorded;--> statement-breakpoint
INSERT INTO daily_audience_spend (app_token, link_id, day, partner_id, cost_type, currency, state, country, platform, count, amount)
SELECT app_token, link_id, day, partner_id, cost_type, currency, state, 'XX', 'other', count - known ->> 0, amount - known ->> 1
FROM (
  SELECT t.*, (
    SELECT json_array(coalesce(sum(s.count), 0), coalesce(sum(s.amount), 0)) FROM daily_audience_spend s
    WHERE (s.app_token, s.link_id, s.day, s.partner_id, s.cost_type, s.currency, s.state)
      = (t.app_token, t.link_id, t.day, t.partner_id, t.cost_type, t.currency, t.state)
  ) AS known
  FROM daily_totals t WHERE t.state <> 'pending'
)
WHERE count > known ->> 0
ON CONFLICT DO UPDATE SET count = count + excluded.count, amount = amount + excluded.amount;
