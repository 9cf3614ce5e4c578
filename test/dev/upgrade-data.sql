-- What a deployed database had at 0101_rules.sql: rows in every table. It never changes: the statements fit that schema only.
INSERT INTO users (id, email, role, password_hash, disabled_at, created_at, password_expires_at) VALUES
  (1, 'ada@example.com', 'member', 'scrypt$16384$8$5$salt$hash', NULL, 1777680000000, NULL),
  (2, 'operator@example.com', 'operator', NULL, NULL, 1777680000001, NULL),
  (3, 'erased user', 'member', 'scrypt$16384$8$5$salt$other', 1777680000003, 1777680000002, 1777680000009);

INSERT INTO apps (id, token, name, default_url, ios_url, android_url, redirect_hosts, redirect_schemes, created_at, audience, archived_at) VALUES
  (1, 'app000000001', 'One', 'https://example.com/', 'https://apps.apple.com/app/id1', NULL, '["example.com"]', '["https","one"]', 1777680000000, 1, NULL),
  (2, 'app000000002', 'Two', 'https://example.org/', NULL, NULL, '["example.org"]', '["https"]', 1777680000000, 0, 1777690000000);

INSERT INTO memberships (user_id, app_token) VALUES (1, 'app000000001'), (2, 'app000000001'), (1, 'app000000002');

INSERT INTO partners (id, display_name, supports_cost_data, server_to_server, click_parameters, impression_parameters, cost_parameters, integrated_types, stopped_at, max_url_amount, created_at) VALUES
  (1, 'Acme Ads', 1, 1, 'campaign={c}', '', 'cost_id={id}', 15, NULL, 10000000, 1777680000000),
  (2, 'Beacon', 0, 0, '', '', '', 0, 1777690000000, 1000000000, 1777680000000);

INSERT INTO links (id, token, app_token, parent_id, level, label, partner_id, cost_switch, created_at, first_label, from_engagement, archived) VALUES
  (1, 'link000001', 'app000000001', NULL, 1, 'Spring', 1, 1, 1777680000000, NULL, 0, 0),
  (2, 'link000002', 'app000000001', 1, 2, 'Video', NULL, NULL, 1777680000000, 'video', 0, 0),
  (3, 'link000003', 'app000000001', 2, 3, 'Été', NULL, NULL, 1777680000000, NULL, 1, 1),
  (4, 'link000004', 'app000000002', NULL, 1, 'Two', 1, 1, 1777680000000, NULL, 0, 0);

INSERT INTO rounds (id, partner_id, cost_types, state, opened_at, ended_at, final_report, approved_types) VALUES
  (1, 1, 15, 'approved', 1777680000000, 1777690000000, '{"entries":1}', 3), (2, 1, 1, 'open', 1777690000000, NULL, NULL, NULL);

INSERT INTO round_entries (round_id, number, received_at, cost_id, record) VALUES (2, 1, 1777690000001, 'round-1', '{"sent":{}}'), (2, 2, 1777690000002, NULL, '{}');

INSERT INTO round_dismissals (round_id, finding, dismissed_at, reason) VALUES (2, 'unmatched:round-1', 1777690000003, 'Known'), (1, 'x', 1, NULL);

INSERT INTO credentials (id, token_hash, partner_id, mode, cost_types, round_id, hint, created_at, revoked_at) VALUES
  (1, 'a1', 1, 'live', 15, NULL, 'll_live_…aaaa', 1777680000000, NULL), (2, 'a2', 1, 'test', 1, 2, 'll_test_…bbbb', 1777680000000, 1777690000000);

INSERT INTO api_tokens (token_hash, user_id, hint, sealed, created_at, last_used_day, role) VALUES
  ('b1', 1, 'll_api_…cccc', '2.sealed', 1777680000000, 20600, 'member'), ('b2', 2, 'll_api_…dddd', NULL, 1777680000000, NULL, 'operator');

INSERT INTO access_tokens (token_hash, user_id, name, hint, scope, app_token, role, created_at, expires_at, last_used_day) VALUES
  ('c1', 1, 'CI', 'll_pat_…eeee', 'read', 'app000000001', 'member', 1777680000000, 1800000000000, 20600);

INSERT INTO sessions (id_hash, user_id, created_at, expires_at, waiting_secret, browser, last_seen_at, password_at) VALUES
  ('d1', 1, 1777680000000, 1777780000000, NULL, 'Firefox on Linux', 1777690000000, 1777680000000), ('d2', 2, 1, 2, 'sealed', '', 0, 0);

INSERT INTO partner_sessions (id_hash, token_hash, created_at, expires_at) VALUES ('e1', 'a1', 1777680000000, 1777780000000);

INSERT INTO authenticators (user_id, sealed, created_at, last_step) VALUES (1, '2.secret', 1777680000000, 59256000);

INSERT INTO recovery_codes (user_id, code_hash) VALUES (1, 'f1'), (1, 'f2');

INSERT INTO devices (user_id, id_hash, expires_at, codes_hour, codes) VALUES (1, 'g1', 1800000000000, 493800, 2);

INSERT INTO failed_sign_ins (user_id, hour, count, codes, wrong_codes, wrong_confirmations) VALUES (1, 493800, 3, 1, 2, 1);

INSERT INTO identities (issuer, subject, user_id, created_at) VALUES ('https://id.example.com', 'subject-2', 2, 1777680000000);

INSERT INTO sign_in_attempts (id, user_id, issuer, subject, email, attempted_at) VALUES (1, 1, 'https://id.example.com', 'subject-1', 'ada@example.com', 1777690000000);

INSERT INTO used_states (state_hash, expires_at) VALUES ('h1', 1777690000000);

INSERT INTO audit_log (id, happened_at, user_id, action, subject, detail, request_id) VALUES
  (1, 1777680000000, 2, 'create app', 'app000000001', '{"name":"One"}', 'request-1'), (2, 1777680000001, NULL, 'void cost', 'partner:1', '{}', NULL);

INSERT INTO idempotency_keys (user_id, app_token, operation, key, created_at, request_id, body_hash, status, location, answer) VALUES
  (1, 'app000000001', 'createLink', 'key-1', 1777690000000, 'request-2', 'i1', 201, '/public/v1/links/link000001', '{"data":{}}');

INSERT INTO views (id, app_token, user_id, name, query) VALUES (1, 'app000000001', 1, 'Mine', 'group_by=day'), (2, 'app000000001', NULL, 'Shared', 'group_by=partner');

INSERT INTO hidden_attention (app_token, key, hidden_until) VALUES ('app000000001', 'dropped', 1800000000000);

INSERT INTO link_imports (id, app_token, imported_at, changes) VALUES (1, 'app000000001', 1777690000000, '[]');

INSERT INTO partner_rates (partner_id, cost_type, computed_at, matched, recorded, expected, agreeing) VALUES (1, 'cpc', 1777690000000, 3, 4, 5, 2), (1, 'cpi', 1777690000000, 0, NULL, NULL, NULL);

INSERT INTO daily_rejections (partner_id, app_token, day, code, count) VALUES (1, 'app000000001', 20576, 'duplicate_cost', 2), (1, '', 20577, 'invalid_request', 1);

INSERT INTO adjustments (id, app_token, day, link_id, partner_id, cost_type, currency, amount, reason, user_id, created_at) VALUES
  (1, 'app000000001', 20576, 1, 1, 'cpc', 'USD', -150001, 'Fraud', 2, 1777690000000);

INSERT INTO archive_objects (ledger_table, walk, first_partner_id, first_cost_id, last_partner_id, last_cost_id, first_day, last_day, row_count) VALUES
  ('ledger_entries', 3, 1, 'a', 1, 'z', 20500, 20510, 17);

INSERT INTO superseded (partner_id, cost_id, number, walk, record) VALUES (1, 'gone-1', 1, 0, '{"v":1}');

-- The ledger, through its doors: plain clicks, with and without a country; prices on URLs; costs that match, wait, are voided or have no price.
INSERT INTO recordings (app_token, link_id, partner_id, kind, occurred_at, cost_id, cost_data_on, url_cost_type, url_currency, url_amount, price_counts, dropped, recorded_at, is_elsewhere, country, platform) VALUES
  ('app000000001', 1, 1, 'click', 1777700000000, NULL, 0, NULL, NULL, NULL, 0, '[["deep","too_long"]]', 1777700000000, 0, 'DE', 'ios'),
  ('app000000002', 4, 1, 'click', 1777700000000, NULL, 0, NULL, NULL, NULL, 0, '[]', 1777700000000, 0, NULL, NULL),
  ('app000000001', 3, NULL, 'impression', 1777700000000, NULL, 0, NULL, NULL, NULL, 0, '[]', 1777700000000, 0, 'XX', 'other'),
  ('app000000001', 1, 1, 'click', 1777700000001, 'matched', 1, NULL, NULL, NULL, 0, '[]', 1777700000001, 0, 'BR', 'android'),
  ('app000000001', 2, 1, 'click', 1777700000002, 'on-url', 1, 'cpc', 'EUR', 230, 1, '[]', 1777700000002, 0, 'FR', 'ios'),
  ('app000000002', 4, 1, 'impression', 1777700000003, 'unpriced', 1, NULL, NULL, NULL, 0, '[]', 1777700000003, 0, NULL, NULL),
  ('app000000002', 4, 1, 'click', 1777700000004, 'without-audience', 1, NULL, NULL, NULL, 0, '[]', 1777700000004, 0, NULL, NULL),
  ('app000000001', 1, 1, 'click', 1777700000005, 'voided', 1, 'cpc', 'USD', 99, 1, '[]', 1777700000005, 0, 'DE', 'other');

INSERT INTO ledger_entries (partner_id, cost_id, cost_type, currency, amount, tag, received_at) VALUES
  (1, 'matched', 'cpc', 'USD', 12345, 'tag', 1777700010000),
  (1, 'unpriced', 'cpm', 'USD', NULL, '', 1777700010000),
  (1, 'without-audience', 'cpi', 'EUR', 700, '', 1777700010000),
  (1, 'voided', 'cpc', 'USD', 100, '', 1777700010000),
  (1, 'waits', 'cpe', 'JPY', 5000000, '', 1777700010000)
ON CONFLICT DO UPDATE SET cost_type = excluded.cost_type, currency = excluded.currency, amount = excluded.amount,
  tag = excluded.tag, received_at = excluded.received_at;

UPDATE ledger_entries SET void_state = 'voided', void_kind = 'click' WHERE cost_id = 'voided';
