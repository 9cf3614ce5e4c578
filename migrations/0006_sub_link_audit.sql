CREATE TABLE `sub_link_audit` (
	`id` integer PRIMARY KEY NOT NULL,
	`day` integer NOT NULL,
	`after_id` integer NOT NULL,
	`until_id` integer NOT NULL,
	CONSTRAINT "one_sub_link_audit" CHECK("sub_link_audit"."id" = 1)
) STRICT;
--> statement-breakpoint
INSERT INTO sub_link_audit (id, day, after_id, until_id) VALUES (1, 0, 0, 0);
