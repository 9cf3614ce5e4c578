ALTER TABLE `links` ADD `round_id` integer;--> statement-breakpoint
UPDATE links SET round_id = (
  SELECT detail ->> 'roundId' FROM audit_log WHERE subject = 'link ' || links.token AND action = 'create test link'
) WHERE token IN (SELECT substr(subject, 6) FROM audit_log WHERE action = 'create test link');
