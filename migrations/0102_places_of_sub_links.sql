DROP TRIGGER links_counted_from_engagements;--> statement-breakpoint
ALTER TABLE `apps` ADD `max_new_sub_links` integer DEFAULT 1000 NOT NULL;--> statement-breakpoint
ALTER TABLE `apps` ADD `new_sub_link_day` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `apps` ADD `new_sub_link_count` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `links` ADD `new_sub_link_day` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `links` ADD `new_sub_link_count` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `links` ADD `archived_through` integer;--> statement-breakpoint
-- The door for places, which links that engagements create take. Nothing is stored under this name. `day` is the day of their
-- creation, or 0 for an earlier one than the last.
CREATE VIEW places AS
SELECT '' AS app_token, 0 AS root_id, 0 AS day, 0 AS count
WHERE false;--> statement-breakpoint
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
-- A link that an engagement created takes a place.
CREATE TRIGGER places_taken AFTER INSERT ON links WHEN NEW.from_engagement BEGIN
  INSERT INTO places (app_token, root_id, day, count)
  SELECT NEW.app_token, coalesce(l3.id, l2.id, l1.id), NEW.created_at / 86400000, 1 FROM links l1
  LEFT JOIN links l2 ON l2.id = l1.parent_id LEFT JOIN links l3 ON l3.id = l2.parent_id
  WHERE l1.id = NEW.parent_id;
END;--> statement-breakpoint
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
  AND NOT (b.archived AND coalesce(b.archived_through, 0) >= c.id);--> statement-breakpoint
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
UPDATE links SET archived_through = (SELECT max(id) FROM links) WHERE archived;--> statement-breakpoint
UPDATE links SET from_engagement_count = (SELECT count(*) FROM place_takers WHERE top_id = links.id)
WHERE parent_id IS NULL AND from_engagement_count > 0;
