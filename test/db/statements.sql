-- src/db/accounts/access-tokens.ts: rows read 4, written 2
-- SEARCH x USING INDEX access_tokens_by_user (user_id=?)
INSERT INTO audit_log (happened_at, user_id, action, subject, detail, request_id)
SELECT ?, x.user_id, 'end access token', 'user ' || x.user_id, json_object('hint', x.hint), ?
FROM access_tokens x
WHERE x.user_id = ?
AND substr(x.token_hash, 1, 16) = ?;

-- src/db/accounts/access-tokens.ts: rows read 5, written 1
-- SEARCH access_tokens USING PRIMARY KEY (token_hash=?)
-- LIST SUBQUERY 1
--   SEARCH x USING COVERING INDEX access_tokens_by_user (user_id=?)
DELETE
FROM access_tokens
WHERE access_tokens.token_hash IN (SELECT x.token_hash
  FROM access_tokens x
  WHERE x.user_id = ?
  AND substr(x.token_hash, 1, 16) = ?)
RETURNING token_hash AS tokenHash;

-- src/db/accounts/access-tokens.ts: rows read 6, written 2
-- SEARCH u USING INTEGER PRIMARY KEY (rowid=?)
-- SCALAR SUBQUERY 1
--   SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
-- SCALAR SUBQUERY 2
--   SEARCH x USING INDEX access_tokens_by_user (user_id=?)
INSERT INTO access_tokens (token_hash, user_id, name, hint, scope, app_token, role, created_at, expires_at)
SELECT ?, u.id, ?, ?, ?, ?, u.role, ?, ?
FROM users u
WHERE u.id = ?
AND u.password_hash IS ?
AND u.disabled_at IS NULL
AND (? IS NULL OR EXISTS (SELECT 1
    FROM memberships m
    WHERE m.user_id = ?
    AND m.app_token = ?))
AND (SELECT count(*)
  FROM access_tokens x
  WHERE x.user_id = ?
  AND x.expires_at > ?) < 20
RETURNING user_id AS userId;

-- src/db/accounts/access-tokens.ts: rows read 2, written 0
-- SEARCH x USING INDEX access_tokens_by_user (user_id=?)
-- SEARCH a USING INDEX apps_token_unique (token=?) LEFT-JOIN
-- USE TEMP B-TREE FOR ORDER BY
SELECT x.token_hash AS tokenHash,
  x.name AS name,
  x.hint AS hint,
  x.scope AS scope,
  x.app_token AS appToken,
  a.name AS appName,
  x.created_at AS createdAt,
  x.expires_at AS expiresAt,
  x.last_used_day AS lastUsedDay
FROM access_tokens x
LEFT JOIN apps a ON a.token = x.app_token
WHERE x.user_id = ?
ORDER BY x.expires_at DESC, x.token_hash
LIMIT 100;

-- src/db/accounts/account.ts: rows read 7, written 0
-- SEARCH s USING INDEX sessions_by_user (user_id=?)
-- USE TEMP B-TREE FOR ORDER BY
SELECT s.id_hash AS idHash, s.browser AS browser, s.created_at AS createdAt, s.last_seen_at AS lastSeenAt
FROM sessions s
WHERE s.user_id = ?
AND s.expires_at > ?
AND s.last_seen_at > ? - 7200000
AND s.waiting_secret IS NULL
ORDER BY s.last_seen_at DESC, s.created_at DESC;

-- src/db/accounts/account.ts: rows read 3, written 0
-- SEARCH u USING INDEX users_email_unique (email=?)
-- SEARCH f USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH d USING PRIMARY KEY (user_id=? AND id_hash=?)
SELECT u.id AS id, u.password_hash AS passwordHash, u.password_expires_at AS passwordExpiresAt, EXISTS (
  SELECT 1
  FROM devices d
  WHERE d.user_id = u.id
  AND d.id_hash = ?
  AND d.expires_at > ? ) AS isKnownDevice, f.sealed AS sealedSecret
FROM users u
LEFT JOIN authenticators f ON f.user_id = u.id
WHERE u.email = ?
AND u.disabled_at IS NULL;

-- src/db/accounts/account.ts: rows read 5, written 0
-- SEARCH s USING PRIMARY KEY (id_hash=?)
-- SEARCH u USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH t USING INDEX api_tokens_user_id_unique (user_id=?) LEFT-JOIN
-- SEARCH f USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH r USING PRIMARY KEY (user_id=?)
SELECT u.password_hash AS passwordHash, u.created_at AS createdAt, (SELECT count(*)
  FROM recovery_codes r
  WHERE r.user_id = u.id) AS recoveryCodesLeft,
  t.token_hash AS tokenHash,
  t.hint AS hint,
  t.sealed AS sealed,
  t.created_at AS tokenCreatedAt,
  t.last_used_day AS lastUsedDay,
  f.sealed AS sealedSecret
FROM sessions s JOIN users u ON u.id = s.user_id
LEFT JOIN api_tokens t ON t.user_id = u.id
LEFT JOIN authenticators f ON f.user_id = u.id
WHERE s.id_hash = ?
AND s.expires_at > ?
AND s.last_seen_at > ? - 7200000
AND s.waiting_secret IS NULL;

-- src/db/accounts/api-tokens.ts: rows read 1, written 1
-- SEARCH api_tokens USING PRIMARY KEY (token_hash=?)
UPDATE api_tokens SET last_used_day = ?
WHERE api_tokens.token_hash = ?
AND coalesce(api_tokens.last_used_day, 0) < ?;

-- src/db/accounts/api-tokens.ts: rows read 2, written 0
-- SEARCH t USING PRIMARY KEY (token_hash=?)
-- SEARCH u USING INTEGER PRIMARY KEY (rowid=?)
SELECT t.user_id AS userId, u.role AS role, t.role AS issuedAs, NULL AS onlyApp
FROM api_tokens t JOIN users u ON u.id = t.user_id
WHERE t.token_hash = ?;

-- src/db/accounts/changes.ts: rows read 2, written 1
-- SEARCH api_tokens USING COVERING INDEX api_tokens_user_id_unique (user_id=?)
-- SCALAR SUBQUERY 1
--   SEARCH u USING INTEGER PRIMARY KEY (rowid=?)
UPDATE api_tokens SET sealed = ?
WHERE api_tokens.user_id = ?
AND EXISTS (SELECT 1
  FROM users u
  WHERE u.id = ?
  AND u.password_hash = ?);

-- src/db/accounts/changes.ts: rows read 1, written 0
-- SEARCH authenticators USING INTEGER PRIMARY KEY (rowid=?)
-- SCALAR SUBQUERY 1
--   SEARCH u USING INTEGER PRIMARY KEY (rowid=?)
UPDATE authenticators SET sealed = coalesce(?, authenticators.sealed)
WHERE authenticators.user_id = ?
AND EXISTS (SELECT 1
  FROM users u
  WHERE u.id = ?
  AND u.password_hash = ?);

-- src/db/accounts/changes.ts: rows read 2, written 0
-- SEARCH access_tokens USING INDEX access_tokens_by_user (user_id=?)
-- SCALAR SUBQUERY 1
--   SEARCH t USING COVERING INDEX api_tokens_user_id_unique (user_id=?)
DELETE
FROM access_tokens
WHERE access_tokens.user_id = ?
AND ?
AND EXISTS (SELECT 1
  FROM api_tokens t
  WHERE t.token_hash = ?
  AND t.user_id = ?)
RETURNING token_hash AS tokenHash;

-- src/db/accounts/changes.ts: rows read 6, written 2
-- SEARCH u USING INTEGER PRIMARY KEY (rowid=?)
-- SCALAR SUBQUERY 2
--   SEARCH t USING COVERING INDEX api_tokens_user_id_unique (user_id=?)
-- SEARCH u EXISTS USING INTEGER PRIMARY KEY (rowid=?)
INSERT OR REPLACE INTO api_tokens (token_hash, user_id, hint, sealed, created_at, role)
SELECT ?, u.id, ?, ?, ?, u.role
FROM users u
WHERE u.id = ?
AND EXISTS (
  SELECT 1
  FROM users u
  WHERE u.id = ?
  AND u.password_hash IS ?
  AND u.disabled_at IS NULL )
AND (SELECT t.token_hash
  FROM api_tokens t
  WHERE t.user_id = ?) IS ?
RETURNING user_id AS userId;

-- src/db/accounts/changes.ts: rows read 5, written 1
-- SEARCH users USING INTEGER PRIMARY KEY (rowid=?)
-- SCALAR SUBQUERY 1
--   SEARCH u USING INTEGER PRIMARY KEY (rowid=?)
-- SCALAR SUBQUERY 2
--   SEARCH t USING COVERING INDEX api_tokens_user_id_unique (user_id=?)
UPDATE users SET password_hash = ?, password_expires_at = NULL
WHERE users.id = ?
AND EXISTS (
  SELECT 1
  FROM users u
  WHERE u.id = ?
  AND u.password_hash IS ?
  AND u.disabled_at IS NULL )
AND (SELECT t.token_hash
  FROM api_tokens t
  WHERE t.user_id = ?) IS ?
RETURNING id AS id;

-- src/db/accounts/devices.ts: rows read 2, written 1
-- SEARCH f EXISTS USING INTEGER PRIMARY KEY (rowid=?)
INSERT INTO devices (user_id, id_hash, expires_at)
SELECT ?, ?, ?
WHERE EXISTS (
  SELECT 1
  FROM authenticators f
  WHERE f.user_id = ?
  AND f.sealed = ? )
ON CONFLICT DO UPDATE SET expires_at = excluded.expires_at;

-- src/db/accounts/devices.ts: rows read 2, written 1
-- SEARCH s EXISTS USING PRIMARY KEY (id_hash=?)
INSERT INTO devices (user_id, id_hash, expires_at)
SELECT ?, ?, ?
WHERE EXISTS (
  SELECT 1
  FROM sessions s
  WHERE s.id_hash = ?
  AND s.user_id = ?
  AND s.waiting_secret IS NULL )
ON CONFLICT DO UPDATE SET expires_at = excluded.expires_at;

-- src/db/accounts/devices.ts: rows read 3, written 1
-- SEARCH u EXISTS USING INTEGER PRIMARY KEY (rowid=?)
-- SCALAR SUBQUERY 2
--   SEARCH f USING INTEGER PRIMARY KEY (rowid=?)
INSERT INTO devices (user_id, id_hash, expires_at)
SELECT ?, ?, ?
WHERE EXISTS (
  SELECT 1
  FROM users u
  WHERE u.id = ?
  AND u.password_hash IS ?
  AND u.disabled_at IS NULL )
AND NOT EXISTS (SELECT 1
  FROM authenticators f
  WHERE f.user_id = ?)
ON CONFLICT DO UPDATE SET expires_at = excluded.expires_at;

-- src/db/accounts/devices.ts: rows read 2, written 1
-- SEARCH u EXISTS USING INTEGER PRIMARY KEY (rowid=?)
INSERT INTO devices (user_id, id_hash, expires_at)
SELECT ?, ?, ?
WHERE EXISTS (SELECT 1
  FROM users u
  WHERE u.id = ?
  AND u.password_hash = ?)
ON CONFLICT DO UPDATE SET expires_at = excluded.expires_at;

-- src/db/accounts/devices.ts: rows read 4, written 0
-- SEARCH devices USING PRIMARY KEY (user_id=?)
-- LIST SUBQUERY 1
--   SEARCH d USING PRIMARY KEY (user_id=?)
--   USE TEMP B-TREE FOR ORDER BY
DELETE
FROM devices
WHERE devices.user_id = ?
AND (devices.expires_at <= ? OR devices.id_hash IN (
    SELECT d.id_hash
    FROM devices d
    WHERE d.user_id = ?
    ORDER BY d.expires_at DESC
    LIMIT -1 OFFSET 50 ));

-- src/db/accounts/devices.ts: rows read 1, written 0
-- SCAN CONSTANT ROW
-- SCALAR SUBQUERY 1
--   SEARCH d USING PRIMARY KEY (user_id=? AND id_hash=?)
SELECT EXISTS (
  SELECT 1
  FROM devices d
  WHERE d.user_id = ?
  AND d.id_hash = ?
  AND d.expires_at > ? ) AS isKnown;

-- src/db/accounts/failures.ts: rows read 2, written 1
-- SEARCH devices USING PRIMARY KEY (user_id=? AND id_hash=?)
-- SCALAR SUBQUERY 1
--   SEARCH s USING PRIMARY KEY (id_hash=?)
UPDATE devices SET codes = devices.codes - 1
WHERE devices.user_id = ?
AND devices.id_hash = ?
AND devices.codes_hour = ?
AND EXISTS (
  SELECT 1
  FROM sessions s
  WHERE s.id_hash = ?
  AND s.user_id = ?
  AND s.waiting_secret IS NULL );

-- src/db/accounts/failures.ts: rows read 2, written 1
-- SEARCH failed_sign_ins USING INTEGER PRIMARY KEY (rowid=?)
-- SCALAR SUBQUERY 1
--   SEARCH s USING PRIMARY KEY (id_hash=?)
UPDATE failed_sign_ins SET codes = failed_sign_ins.codes - 1
WHERE failed_sign_ins.user_id = ?
AND failed_sign_ins.hour = ?
AND EXISTS (
  SELECT 1
  FROM sessions s
  WHERE s.id_hash = ?
  AND s.user_id = ?
  AND s.waiting_secret IS NULL );

-- src/db/accounts/failures.ts: rows read 2, written 1
INSERT INTO failed_sign_ins (user_id, hour, count, codes, wrong_codes, wrong_confirmations)
VALUES (?, ?, 0, 0, 0, 1)
ON CONFLICT DO UPDATE SET hour = max(failed_sign_ins.hour,
    excluded.hour),
  count = iif(failed_sign_ins.hour < excluded.hour,
    0,
    failed_sign_ins.count) + 0,
  codes = iif(failed_sign_ins.hour < excluded.hour,
    0,
    failed_sign_ins.codes) + 0,
  wrong_codes = iif(failed_sign_ins.hour < excluded.hour,
    0,
    failed_sign_ins.wrong_codes) + 0,
  wrong_confirmations = iif(failed_sign_ins.hour < excluded.hour,
    0,
    failed_sign_ins.wrong_confirmations) + 1
WHERE true;

-- src/db/accounts/failures.ts: rows read 2, written 1
INSERT INTO failed_sign_ins (user_id, hour, count, codes, wrong_codes, wrong_confirmations)
VALUES (?, ?, 0, 0, 1, 0)
ON CONFLICT DO UPDATE SET hour = max(failed_sign_ins.hour,
    excluded.hour),
  count = iif(failed_sign_ins.hour < excluded.hour,
    0,
    failed_sign_ins.count) + 0,
  codes = iif(failed_sign_ins.hour < excluded.hour,
    0,
    failed_sign_ins.codes) + 0,
  wrong_codes = iif(failed_sign_ins.hour < excluded.hour,
    0,
    failed_sign_ins.wrong_codes) + 1,
  wrong_confirmations = iif(failed_sign_ins.hour < excluded.hour,
    0,
    failed_sign_ins.wrong_confirmations) + 0
WHERE true;

-- src/db/accounts/failures.ts: rows read 3, written 1
INSERT INTO failed_sign_ins (user_id, hour, count, codes, wrong_codes, wrong_confirmations)
VALUES (?, ?, 0, 1, 0, 0)
ON CONFLICT DO UPDATE SET hour = max(failed_sign_ins.hour,
    excluded.hour),
  count = iif(failed_sign_ins.hour < excluded.hour,
    0,
    failed_sign_ins.count) + 0,
  codes = iif(failed_sign_ins.hour < excluded.hour,
    0,
    failed_sign_ins.codes) + 1,
  wrong_codes = iif(failed_sign_ins.hour < excluded.hour,
    0,
    failed_sign_ins.wrong_codes) + 0,
  wrong_confirmations = iif(failed_sign_ins.hour < excluded.hour,
    0,
    failed_sign_ins.wrong_confirmations) + 0
WHERE iif(failed_sign_ins.hour < excluded.hour, 0, failed_sign_ins.codes) < 20
RETURNING 1 AS counted;

-- src/db/accounts/failures.ts: rows read 2, written 1
INSERT INTO failed_sign_ins (user_id, hour, count, codes, wrong_codes, wrong_confirmations)
VALUES (?, ?, 1, 0, 0, 0)
ON CONFLICT DO UPDATE SET hour = max(failed_sign_ins.hour,
    excluded.hour),
  count = iif(failed_sign_ins.hour < excluded.hour,
    0,
    failed_sign_ins.count) + 1,
  codes = iif(failed_sign_ins.hour < excluded.hour,
    0,
    failed_sign_ins.codes) + 0,
  wrong_codes = iif(failed_sign_ins.hour < excluded.hour,
    0,
    failed_sign_ins.wrong_codes) + 0,
  wrong_confirmations = iif(failed_sign_ins.hour < excluded.hour,
    0,
    failed_sign_ins.wrong_confirmations) + 0
WHERE true;

-- src/db/accounts/failures.ts: rows read 2, written 1
-- SEARCH devices USING PRIMARY KEY (user_id=? AND id_hash=?)
UPDATE devices SET codes = iif(devices.codes_hour < ?, 0, devices.codes) + 1, codes_hour = max(devices.codes_hour, ?)
WHERE devices.user_id = ?
AND devices.id_hash = ?
AND iif(devices.codes_hour < ?, 0, devices.codes) < 20
RETURNING 1 AS counted;

-- src/db/accounts/identities.ts: rows read 4, written 2
-- SEARCH i USING PRIMARY KEY (issuer=? AND subject=?)
INSERT INTO audit_log (happened_at, user_id, action, subject, detail, request_id)
SELECT ?, i.user_id, 'link identity', 'user ' || i.user_id, json_object('by', 'first sign-in'), ?
FROM identities i
WHERE i.issuer = ?
AND i.subject = ?
AND changes() > 0;

-- src/db/accounts/identities.ts: rows read 5, written 2
-- SCAN CONSTANT ROW
-- SCALAR SUBQUERY 1
--   SEARCH i USING COVERING INDEX identities_user_id_unique (user_id=? AND issuer=? AND subject=?)
--   SEARCH u USING INTEGER PRIMARY KEY (rowid=?)
INSERT INTO sessions (id_hash, user_id, created_at, expires_at, waiting_secret, browser, last_seen_at, password_at)
SELECT ?, ?, ?, ?, ?, ?, ?, ?
WHERE EXISTS (
  SELECT 1
  FROM identities i JOIN users u ON u.id = i.user_id
  WHERE i.issuer = ?
  AND i.subject = ?
  AND i.user_id = ?
  AND u.password_hash IS NULL
  AND u.disabled_at IS NULL )
RETURNING 1 AS started;

-- src/db/accounts/identities.ts: rows read 2, written 1
-- SEARCH identities USING COVERING INDEX identities_user_id_unique (user_id=?)
DELETE
FROM identities
WHERE identities.user_id = ?
RETURNING user_id AS userId;

-- src/db/accounts/identities.ts: rows read 2, written 0
-- SEARCH sessions USING INDEX sessions_by_user (user_id=?)
-- SCALAR SUBQUERY 1
--   SEARCH u USING INTEGER PRIMARY KEY (rowid=?)
DELETE
FROM sessions
WHERE sessions.user_id = (SELECT u.id
  FROM users u
  WHERE u.id = ?
  AND u.password_hash IS NULL);

-- src/db/accounts/identities.ts: rows read 6, written 0
-- SEARCH sign_in_attempts USING INTEGER PRIMARY KEY (rowid=?)
-- LIST SUBQUERY 1
--   SEARCH u USING COVERING INDEX users_email_unique (email=?)
--   SEARCH a USING INDEX attempts_by_user (user_id=?)
--   USE TEMP B-TREE FOR ORDER BY
DELETE
FROM sign_in_attempts
WHERE sign_in_attempts.id IN (
  SELECT a.id
  FROM sign_in_attempts a JOIN users u ON u.id = a.user_id
  WHERE u.email = ?
  ORDER BY a.attempted_at DESC, a.id DESC
  LIMIT -1 OFFSET 5 );

-- src/db/accounts/identities.ts: rows read 3, written 1
-- SEARCH sign_in_attempts USING COVERING INDEX attempts_by_user (user_id=?)
-- SCALAR SUBQUERY 1
--   SEARCH i USING COVERING INDEX identities_user_id_unique (user_id=?)
DELETE
FROM sign_in_attempts
WHERE sign_in_attempts.user_id = ?
AND EXISTS (SELECT 1
  FROM identities i
  WHERE i.user_id = ?);

-- src/db/accounts/identities.ts: rows read 2, written 2
-- SEARCH u USING INDEX users_email_unique (email=?)
INSERT INTO identities (issuer, subject, user_id, created_at)
SELECT ?, ?, u.id, ?
FROM users u
WHERE u.email = ?
AND u.role = 'member'
AND u.password_hash IS NULL
AND u.disabled_at IS NULL
ON CONFLICT DO NOTHING;

-- src/db/accounts/identities.ts: rows read 5, written 2
-- SEARCH a USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH u USING INTEGER PRIMARY KEY (rowid=?)
INSERT INTO identities (issuer, subject, user_id, created_at)
SELECT a.issuer, a.subject, a.user_id, ?
FROM sign_in_attempts a JOIN users u ON u.id = a.user_id
WHERE a.id = ?
AND a.user_id = ?
AND u.password_hash IS NULL
AND u.disabled_at IS NULL
AND a.attempted_at > ? - 604800000
ON CONFLICT DO NOTHING
RETURNING user_id AS userId;

-- src/db/accounts/identities.ts: rows read 4, written 2
-- SEARCH u USING INDEX users_email_unique (email=?)
INSERT INTO sign_in_attempts (user_id, issuer, subject, email, attempted_at)
SELECT u.id, ?, ?, u.email, ?
FROM users u
WHERE u.email = ?
AND u.password_hash IS NULL
AND u.disabled_at IS NULL
ON CONFLICT (user_id, issuer, subject) DO UPDATE SET attempted_at = excluded.attempted_at
RETURNING user_id AS userId;

-- src/db/accounts/identities.ts: rows read 1, written 1
INSERT INTO used_states (state_hash, expires_at)
VALUES (?, ?)
ON CONFLICT DO NOTHING
RETURNING state_hash AS stateHash;

-- src/db/accounts/identities.ts: rows read 1, written 0
-- SEARCH a USING INDEX attempts_by_user (user_id=?)
-- USE TEMP B-TREE FOR ORDER BY
SELECT a.id AS id, a.issuer AS issuer, a.subject AS subject, a.email AS email, a.attempted_at AS attemptedAt
FROM sign_in_attempts a
WHERE a.user_id = ?
AND a.attempted_at > ? - 604800000
ORDER BY a.attempted_at DESC, a.id DESC
LIMIT 5;

-- src/db/accounts/identities.ts: rows read 0, written 0
-- SEARCH i USING INDEX identities_user_id_unique (user_id=?)
SELECT i.issuer AS issuer, i.subject AS subject, i.created_at AS createdAt
FROM identities i
WHERE i.user_id = ?;

-- src/db/accounts/identities.ts: rows read 2, written 0
-- SEARCH i USING PRIMARY KEY (issuer=? AND subject=?)
-- SEARCH u USING INTEGER PRIMARY KEY (rowid=?)
SELECT i.user_id AS userId, (u.password_hash IS NULL
  AND u.disabled_at IS NULL) AS isEnabled
FROM identities i JOIN users u ON u.id = i.user_id
WHERE i.issuer = ?
AND i.subject = ?;

-- src/db/accounts/identities.ts: rows read 3, written 2
-- SEARCH sessions USING PRIMARY KEY (id_hash=?)
-- SCALAR SUBQUERY 1
--   SEARCH i USING PRIMARY KEY (issuer=? AND subject=?)
UPDATE sessions SET id_hash = ?, password_at = ?
WHERE sessions.id_hash = ?
AND sessions.user_id = (SELECT i.user_id
  FROM identities i
  WHERE i.issuer = ?
  AND i.subject = ?)
RETURNING expires_at AS expiresAt;

-- src/db/accounts/own-apps.ts: rows read 5, written 0
-- SEARCH t USING PRIMARY KEY (token_hash=?)
-- SEARCH m USING PRIMARY KEY (user_id=?)
-- SEARCH a USING INDEX apps_token_unique (token=? AND rowid>? AND rowid<?)
-- USE TEMP B-TREE FOR ORDER BY
SELECT a.id AS id, a.token AS token, a.name AS name, a.link_count AS linkCount, a.created_at AS createdAt
FROM api_tokens t
CROSS JOIN memberships m ON m.user_id = t.user_id
CROSS JOIN apps a ON a.token = m.app_token
AND a.archived_at IS NULL
WHERE t.token_hash = ?
AND a.id > ?
AND a.id < ?
ORDER BY a.id ASC
LIMIT ? + 0;

-- src/db/accounts/own-apps.ts: rows read 4, written 0
-- SEARCH t USING PRIMARY KEY (token_hash=?)
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH m USING PRIMARY KEY (user_id=?)
--   SEARCH a USING INDEX apps_token_unique (token=?)
SELECT t.user_id AS userId, (SELECT count(*)
  FROM memberships m
  CROSS JOIN apps a ON a.token = m.app_token
  AND a.archived_at IS NULL
  WHERE m.user_id = t.user_id) AS appCount
FROM api_tokens t
WHERE t.token_hash = ?;

-- src/db/accounts/sessions.ts: rows read 5, written 2
-- SEARCH s USING PRIMARY KEY (id_hash=?)
INSERT INTO audit_log (happened_at, user_id, action, subject, detail, request_id)
SELECT ?, s.user_id, 'sign out everywhere', 'user ' || s.user_id, '{}', ?
FROM sessions s
WHERE s.id_hash = ?
AND s.expires_at > ?
AND s.last_seen_at > ? - 7200000
AND s.waiting_secret IS NULL
RETURNING user_id AS userId;

-- src/db/accounts/sessions.ts: rows read 5, written 2
-- SEARCH s USING PRIMARY KEY (id_hash=?)
INSERT INTO audit_log (happened_at, user_id, action, subject, detail, request_id)
SELECT ?, s.user_id, 'sign out', 'user ' || s.user_id, '{}', ?
FROM sessions s
WHERE s.id_hash = ?
AND s.expires_at > ?
AND s.last_seen_at > ? - 7200000
AND s.waiting_secret IS NULL
RETURNING user_id AS userId;

-- src/db/accounts/sessions.ts: rows read 4, written 2
-- SEARCH f EXISTS USING INTEGER PRIMARY KEY (rowid=?)
INSERT INTO sessions (id_hash, user_id, created_at, expires_at, waiting_secret, browser, last_seen_at, password_at)
SELECT ?, ?, ?, ?, ?, ?, ?, ?
WHERE EXISTS (
  SELECT 1
  FROM authenticators f
  WHERE f.user_id = ?
  AND f.sealed = ? )
RETURNING 1 AS started;

-- src/db/accounts/sessions.ts: rows read 4, written 2
-- SEARCH u EXISTS USING INTEGER PRIMARY KEY (rowid=?)
INSERT INTO sessions (id_hash, user_id, created_at, expires_at, waiting_secret, browser, last_seen_at, password_at)
SELECT ?, ?, ?, ?, ?, ?, ?, ?
WHERE EXISTS (
  SELECT 1
  FROM users u
  WHERE u.id = ?
  AND u.password_hash IS ?
  AND u.disabled_at IS NULL )
RETURNING 1 AS started;

-- src/db/accounts/sessions.ts: rows read 5, written 2
-- SEARCH u EXISTS USING INTEGER PRIMARY KEY (rowid=?)
-- SCALAR SUBQUERY 2
--   SEARCH f USING INTEGER PRIMARY KEY (rowid=?)
INSERT INTO sessions (id_hash, user_id, created_at, expires_at, waiting_secret, browser, last_seen_at, password_at)
SELECT ?, ?, ?, ?, ?, ?, ?, ?
WHERE EXISTS (
  SELECT 1
  FROM users u
  WHERE u.id = ?
  AND u.password_hash IS ?
  AND u.disabled_at IS NULL )
AND NOT EXISTS (SELECT 1
  FROM authenticators f
  WHERE f.user_id = ?)
RETURNING 1 AS started;

-- src/db/accounts/sessions.ts: rows read 4, written 2
-- SEARCH t EXISTS USING COVERING INDEX api_tokens_user_id_unique (user_id=?)
INSERT INTO sessions (id_hash, user_id, created_at, expires_at, waiting_secret, browser, last_seen_at, password_at)
SELECT ?, ?, ?, ?, ?, ?, ?, ?
WHERE EXISTS (SELECT 1
  FROM api_tokens t
  WHERE t.token_hash = ?
  AND t.user_id = ?)
RETURNING 1 AS started;

-- src/db/accounts/sessions.ts: rows read 4, written 2
-- SEARCH u EXISTS USING INTEGER PRIMARY KEY (rowid=?)
INSERT INTO sessions (id_hash, user_id, created_at, expires_at, waiting_secret, browser, last_seen_at, password_at)
SELECT ?, ?, ?, ?, ?, ?, ?, ?
WHERE EXISTS (SELECT 1
  FROM users u
  WHERE u.id = ?
  AND u.password_hash = ?)
RETURNING 1 AS started;

-- src/db/accounts/sessions.ts: rows read 7, written 2
-- MULTI-INDEX OR
--   INDEX 1
--     SEARCH sessions USING PRIMARY KEY (id_hash=?)
--   INDEX 2
--     SEARCH sessions USING INDEX sessions_by_user (user_id=?)
DELETE
FROM sessions
WHERE sessions.id_hash = ? OR sessions.user_id = ?
AND (sessions.expires_at <= ? OR sessions.last_seen_at <= ? - 7200000);

-- src/db/accounts/sessions.ts: rows read 5, written 1
-- SEARCH sessions USING INDEX sessions_by_user (user_id=?)
DELETE
FROM sessions
WHERE sessions.user_id = ?
AND substr(sessions.id_hash, 1, 16) = ?;

-- src/db/accounts/sessions.ts: rows read 1, written 1
-- SEARCH sessions USING PRIMARY KEY (id_hash=?)
UPDATE sessions SET last_seen_at = ?
WHERE sessions.id_hash = ?
AND sessions.last_seen_at <= ? - 300000;

-- src/db/accounts/sessions.ts: rows read 1, written 0
-- SEARCH devices USING PRIMARY KEY (user_id=?)
DELETE
FROM devices
WHERE devices.user_id = ?;

-- src/db/accounts/sessions.ts: rows read 1, written 1
-- SEARCH sessions USING PRIMARY KEY (id_hash=?)
DELETE
FROM sessions
WHERE sessions.id_hash = ?;

-- src/db/accounts/sessions.ts: rows read 7, written 3
-- SEARCH sessions USING INDEX sessions_by_user (user_id=?)
DELETE
FROM sessions
WHERE sessions.user_id = ?;

-- src/db/accounts/sessions.ts: rows read 8, written 3
-- SEARCH sessions USING INDEX sessions_by_user (user_id=?)
-- SCALAR SUBQUERY 1
--   SEARCH f USING INTEGER PRIMARY KEY (rowid=?)
DELETE
FROM sessions
WHERE sessions.user_id = ?
AND EXISTS (
  SELECT 1
  FROM authenticators f
  WHERE f.user_id = ?
  AND f.sealed = ? );

-- src/db/accounts/sessions.ts: rows read 6, written 2
-- SEARCH sessions USING INDEX sessions_by_user (user_id=?)
-- SCALAR SUBQUERY 1
--   SEARCH u USING INTEGER PRIMARY KEY (rowid=?)
-- SCALAR SUBQUERY 2
--   SEARCH f USING INTEGER PRIMARY KEY (rowid=?)
DELETE
FROM sessions
WHERE sessions.user_id = ?
AND EXISTS (
  SELECT 1
  FROM users u
  WHERE u.id = ?
  AND u.password_hash IS ?
  AND u.disabled_at IS NULL )
AND NOT EXISTS (SELECT 1
  FROM authenticators f
  WHERE f.user_id = ?);

-- src/db/accounts/sessions.ts: rows read 8, written 3
-- SEARCH sessions USING INDEX sessions_by_user (user_id=?)
-- SCALAR SUBQUERY 1
--   SEARCH t USING COVERING INDEX api_tokens_user_id_unique (user_id=?)
DELETE
FROM sessions
WHERE sessions.user_id = ?
AND EXISTS (SELECT 1
  FROM api_tokens t
  WHERE t.token_hash = ?
  AND t.user_id = ?);

-- src/db/accounts/sessions.ts: rows read 8, written 3
-- SEARCH sessions USING INDEX sessions_by_user (user_id=?)
-- SCALAR SUBQUERY 1
--   SEARCH u USING INTEGER PRIMARY KEY (rowid=?)
DELETE
FROM sessions
WHERE sessions.user_id = ?
AND EXISTS (SELECT 1
  FROM users u
  WHERE u.id = ?
  AND u.password_hash = ?);

-- src/db/accounts/sessions.ts: rows read 9, written 0
-- SEARCH s USING PRIMARY KEY (id_hash=?)
-- SEARCH m USING PRIMARY KEY (user_id=?)
-- SEARCH a USING INDEX apps_token_unique (token=?)
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH daily_engagements USING PRIMARY KEY (app_token=?)
-- USE TEMP B-TREE FOR ORDER BY
SELECT a.token AS token,
  a.name AS name,
  a.link_count AS linkCount,
  a.archived_at AS archivedAt,
  (SELECT min(daily_engagements.day)
  FROM daily_engagements
  WHERE daily_engagements.app_token = a.token) AS firstDay
FROM sessions s
CROSS JOIN memberships m ON m.user_id = s.user_id
CROSS JOIN apps a ON a.token = m.app_token
WHERE s.id_hash = ?
AND s.expires_at > ?
AND s.last_seen_at > ? - 7200000
AND s.waiting_secret IS NULL
ORDER BY a.name COLLATE NOCASE, a.token;

-- src/db/accounts/sessions.ts: rows read 3, written 0
-- SEARCH s USING PRIMARY KEY (id_hash=?)
-- SEARCH u USING INTEGER PRIMARY KEY (rowid=?)
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH f USING INTEGER PRIMARY KEY (rowid=?)
SELECT s.user_id AS userId,
  u.email AS email,
  u.role AS role,
  u.password_hash IS NOT NULL AS hasPassword,
  u.password_expires_at IS NOT NULL AS mustChangePassword,
  s.last_seen_at AS lastSeenAt,
  s.password_at AS passwordAt,
  EXISTS (SELECT 1
  FROM authenticators f
  WHERE f.user_id = u.id) AS hasTwoFactor
FROM sessions s JOIN users u ON u.id = s.user_id
WHERE s.id_hash = ?
AND s.expires_at > ?
AND s.last_seen_at > ? - 7200000
AND s.waiting_secret IS NULL;

-- src/db/accounts/sessions.ts: rows read 2, written 0
-- SEARCH s USING PRIMARY KEY (id_hash=?)
-- SEARCH u USING INTEGER PRIMARY KEY (rowid=?)
SELECT s.user_id AS userId, u.password_hash IS NOT NULL AS hasPassword
FROM sessions s JOIN users u ON u.id = s.user_id
WHERE s.id_hash = ?
AND s.expires_at > ?
AND s.last_seen_at > ? - 7200000
AND s.waiting_secret IS NULL;

-- src/db/accounts/two-factor.ts: rows read 17, written 8
-- SEARCH f EXISTS USING INTEGER PRIMARY KEY (rowid=?)
-- SCAN json_each VIRTUAL TABLE INDEX 1:
INSERT INTO recovery_codes (user_id, code_hash)
SELECT ?, value
FROM json_each(?)
WHERE EXISTS (
  SELECT 1
  FROM authenticators f
  WHERE f.user_id = ?
  AND f.sealed = ? );

-- src/db/accounts/two-factor.ts: rows read 18, written 8
-- SEARCH u EXISTS USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH f EXISTS USING INTEGER PRIMARY KEY (rowid=?)
-- SCAN json_each VIRTUAL TABLE INDEX 1:
INSERT INTO recovery_codes (user_id, code_hash)
SELECT ?, value
FROM json_each(?)
WHERE EXISTS (
  SELECT 1
  FROM users u
  WHERE u.id = ?
  AND u.password_hash IS ?
  AND u.disabled_at IS NULL )
AND EXISTS (SELECT 1
  FROM authenticators f
  WHERE f.user_id = ?);

-- src/db/accounts/two-factor.ts: rows read 3, written 2
-- SCAN CONSTANT ROW
INSERT INTO sessions (id_hash, user_id, created_at, expires_at, waiting_secret, browser, last_seen_at, password_at)
SELECT ?, ?, ?, ?, ?, ?, ?, ?
WHERE changes() > 0
RETURNING 1 AS started;

-- src/db/accounts/two-factor.ts: rows read 2, written 1
-- SEARCH recovery_codes USING PRIMARY KEY (user_id=? AND code_hash=?)
-- SCALAR SUBQUERY 1
--   SEARCH s USING PRIMARY KEY (id_hash=?)
DELETE
FROM recovery_codes
WHERE recovery_codes.user_id = ?
AND recovery_codes.code_hash = ?
AND EXISTS (
  SELECT 1
  FROM sessions s
  WHERE s.id_hash = ?
  AND s.expires_at > ?
  AND s.waiting_secret IS NOT NULL
  AND s.user_id = ? )
AND changes() > 0;

-- src/db/accounts/two-factor.ts: rows read 2, written 1
-- SEARCH sessions USING PRIMARY KEY (id_hash=?)
-- SCALAR SUBQUERY 1
--   SEARCH s USING PRIMARY KEY (id_hash=?)
DELETE
FROM sessions
WHERE sessions.id_hash = ?
AND EXISTS (
  SELECT 1
  FROM sessions s
  WHERE s.id_hash = ?
  AND s.user_id = ?
  AND s.waiting_secret IS NULL );

-- src/db/accounts/two-factor.ts: rows read 2, written 1
-- SEARCH authenticators USING INTEGER PRIMARY KEY (rowid=?)
-- SCALAR SUBQUERY 1
--   SEARCH s USING PRIMARY KEY (id_hash=?)
UPDATE authenticators SET last_step = ?
WHERE authenticators.user_id = ?
AND authenticators.last_step < ?
AND EXISTS (
  SELECT 1
  FROM sessions s
  WHERE s.id_hash = ?
  AND s.expires_at > ?
  AND s.waiting_secret IS NOT NULL
  AND s.user_id = ? )
AND changes() > 0;

-- src/db/accounts/two-factor.ts: rows read 4, written 1
-- SEARCH authenticators USING INTEGER PRIMARY KEY (rowid=?)
-- SCALAR SUBQUERY 1
--   SEARCH u USING INTEGER PRIMARY KEY (rowid=?)
DELETE
FROM authenticators
WHERE authenticators.user_id = ?
AND EXISTS (
  SELECT 1
  FROM users u
  WHERE u.id = ?
  AND u.password_hash IS ?
  AND u.disabled_at IS NULL )
RETURNING user_id AS userId;

-- src/db/accounts/two-factor.ts: rows read 3, written 1
-- SEARCH recovery_codes USING PRIMARY KEY (user_id=?)
-- SCALAR SUBQUERY 1
--   SEARCH u USING INTEGER PRIMARY KEY (rowid=?)
DELETE
FROM recovery_codes
WHERE recovery_codes.user_id = ?
AND EXISTS (
  SELECT 1
  FROM users u
  WHERE u.id = ?
  AND u.password_hash IS ?
  AND u.disabled_at IS NULL );

-- src/db/accounts/two-factor.ts: rows read 7, written 2
-- SEARCH u EXISTS USING INTEGER PRIMARY KEY (rowid=?)
INSERT INTO authenticators (user_id, sealed, created_at, last_step)
SELECT ?, ?, ?, ?
WHERE EXISTS (
  SELECT 1
  FROM users u
  WHERE u.id = ?
  AND u.password_hash IS ?
  AND u.disabled_at IS NULL )
ON CONFLICT DO NOTHING
RETURNING user_id AS userId;

-- src/db/accounts/two-factor.ts: rows read 2, written 0
-- SCAN CONSTANT ROW
-- SCALAR SUBQUERY 1
--   SEARCH u USING INTEGER PRIMARY KEY (rowid=?)
-- SCALAR SUBQUERY 2
--   SEARCH f USING INTEGER PRIMARY KEY (rowid=?)
SELECT EXISTS (
  SELECT 1
  FROM users u
  WHERE u.id = ?
  AND u.password_hash IS ?
  AND u.disabled_at IS NULL )
AND EXISTS (SELECT 1
  FROM authenticators f
  WHERE f.user_id = ?) AS isOn;

-- src/db/accounts/two-factor.ts: rows read 2, written 0
-- SEARCH s USING PRIMARY KEY (id_hash=?)
-- SEARCH u USING INTEGER PRIMARY KEY (rowid=?)
SELECT s.user_id AS userId, u.email AS email, s.waiting_secret AS waitingSecret
FROM sessions s JOIN users u ON u.id = s.user_id
WHERE s.id_hash = ?
AND s.expires_at > ?
AND s.waiting_secret IS NOT NULL;

-- src/db/archive/find.ts: rows read 12, written 0
-- CO-ROUTINE walks
--   SETUP
--     SCAN j VIRTUAL TABLE INDEX 1:
--     CORRELATED SCALAR SUBQUERY 1
--       SEARCH next USING PRIMARY KEY (ledger_table=? AND walk>?)
--   RECURSIVE STEP
--     SCAN walks
--     CORRELATED SCALAR SUBQUERY 3
--       SEARCH next USING PRIMARY KEY (ledger_table=? AND walk>?)
-- SCAN walks
-- SEARCH o USING PRIMARY KEY (ledger_table=? AND walk=? AND first_partner_id=? AND first_cost_id=?)
-- CORRELATED SCALAR SUBQUERY 6
--   SEARCH first USING PRIMARY KEY (ledger_table=? AND walk=? AND (first_partner_id,first_cost_id)<(?,?))
-- USE TEMP B-TREE FOR ORDER BY
SELECT o.ledger_table AS ledgerTable,
  o.walk AS walk,
  o.first_partner_id AS firstPartnerId,
  o.first_cost_id AS firstCostId
FROM ( WITH RECURSIVE walks (ledger_table, walk) AS (
    SELECT j.value, (
      SELECT min(next.walk)
      FROM archive_objects next
      WHERE next.ledger_table = j.value
      AND next.walk > ? )
    FROM json_each(?) j
    UNION ALL
    SELECT walks.ledger_table, (
      SELECT min(next.walk)
      FROM archive_objects next
      WHERE next.ledger_table = walks.ledger_table
      AND next.walk > walks.walk )
    FROM walks
    WHERE walks.walk IS NOT NULL )
  SELECT ledger_table, walk
  FROM walks
  WHERE walk IS NOT NULL ) w
CROSS JOIN archive_objects o ON o.ledger_table = w.ledger_table
AND o.walk = w.walk
AND (o.first_partner_id, o.first_cost_id) = (
  SELECT first.first_partner_id, first.first_cost_id
  FROM archive_objects first
  WHERE first.ledger_table = w.ledger_table
  AND first.walk = w.walk
  AND (first.first_partner_id, first.first_cost_id) < (?, ?)
  ORDER BY first.first_partner_id DESC, first.first_cost_id DESC
  LIMIT 1 )
WHERE (o.last_partner_id, o.last_cost_id) >= (?, ?)
AND (? IS NULL OR ? BETWEEN o.first_day AND o.last_day)
ORDER BY o.walk DESC
LIMIT 401;

-- src/db/archive/slices.ts: rows read 128, written 41
-- SEARCH ledger_entries USING PRIMARY KEY ((partner_id,cost_id)>(?,?) AND (partner_id,cost_id)<(?,?))
-- SCALAR SUBQUERY 1
--   SEARCH p USING PRIMARY KEY (ledger_table=?)
-- SCALAR SUBQUERY 2
--   SEARCH p USING PRIMARY KEY (ledger_table=?)
-- REUSE SUBQUERY 1
-- REUSE SUBQUERY 2
-- SCALAR SUBQUERY 3
--   SEARCH purge_positions USING PRIMARY KEY (ledger_table=?)
-- SCALAR SUBQUERY 4
--   SEARCH purge_positions USING PRIMARY KEY (ledger_table=?)
DELETE
FROM ledger_entries
WHERE (ledger_entries.partner_id, ledger_entries.cost_id) > (SELECT +p.after_partner_id, +p.after_cost_id
  FROM purge_positions p
  WHERE p.ledger_table = 'ledger_entries')
AND (ledger_entries.partner_id,
    ledger_entries.cost_id) <= (SELECT coalesce(p.until_partner_id,
      9223372036854775807),
    coalesce(p.until_cost_id,
      '')
  FROM purge_positions p
  WHERE p.ledger_table = 'ledger_entries')
AND ledger_entries.remembered_until < (SELECT purge_positions.walk
  FROM purge_positions
  WHERE purge_positions.ledger_table = 'ledger_entries')
AND EXISTS (SELECT 1
  FROM purge_positions
  WHERE purge_positions.ledger_table = 'ledger_entries'
  AND purge_positions.attempts > 0
  AND purge_positions.walk = ?
  AND (purge_positions.after_partner_id, purge_positions.after_cost_id) = (?, ?));

-- src/db/archive/slices.ts: rows read 6, written 1
-- SEARCH superseded USING PRIMARY KEY ((partner_id,cost_id)>(?,?) AND (partner_id,cost_id)<(?,?))
-- SCALAR SUBQUERY 1
--   SEARCH p USING PRIMARY KEY (ledger_table=?)
-- SCALAR SUBQUERY 2
--   SEARCH p USING PRIMARY KEY (ledger_table=?)
-- REUSE SUBQUERY 1
-- REUSE SUBQUERY 2
-- SCALAR SUBQUERY 3
--   SEARCH purge_positions USING PRIMARY KEY (ledger_table=?)
-- SCALAR SUBQUERY 4
--   SEARCH purge_positions USING PRIMARY KEY (ledger_table=?)
DELETE
FROM superseded
WHERE (superseded.partner_id, superseded.cost_id) > (SELECT +p.after_partner_id, +p.after_cost_id
  FROM purge_positions p
  WHERE p.ledger_table = 'superseded')
AND (superseded.partner_id,
    superseded.cost_id) <= (SELECT coalesce(p.until_partner_id,
      9223372036854775807),
    coalesce(p.until_cost_id,
      '')
  FROM purge_positions p
  WHERE p.ledger_table = 'superseded')
AND superseded.walk < (SELECT purge_positions.walk
  FROM purge_positions
  WHERE purge_positions.ledger_table = 'superseded')
AND EXISTS (SELECT 1
  FROM purge_positions
  WHERE purge_positions.ledger_table = 'superseded'
  AND purge_positions.attempts > 0
  AND purge_positions.walk = ?
  AND (purge_positions.after_partner_id, purge_positions.after_cost_id) = (?, ?));

-- src/db/archive/slices.ts: rows read 0, written 1
INSERT INTO archive_objects (ledger_table,
    walk,
    first_partner_id,
    first_cost_id,
    last_partner_id,
    last_cost_id,
    first_day,
    last_day,
    row_count)
VALUES ('ledger_entries', ?, ?, ?, ?, ?, ?, ?, ?);

-- src/db/archive/slices.ts: rows read 0, written 1
INSERT INTO archive_objects (ledger_table,
    walk,
    first_partner_id,
    first_cost_id,
    last_partner_id,
    last_cost_id,
    first_day,
    last_day,
    row_count)
VALUES ('superseded', ?, ?, ?, ?, ?, ?, ?, ?);

-- src/db/archive/slices.ts: rows read 0, written 0
-- SCAN CONSTANT ROW
SELECT json(iif(changes() = ?, 'true', 'other rows'));

-- src/db/archive/slices.ts: rows read 168, written 0
-- SEARCH ledger_entries USING PRIMARY KEY ((partner_id,cost_id)>(?,?) AND (partner_id,cost_id)<(?,?))
-- SCALAR SUBQUERY 1
--   SEARCH p USING PRIMARY KEY (ledger_table=?)
-- SCALAR SUBQUERY 2
--   SEARCH p USING PRIMARY KEY (ledger_table=?)
-- REUSE SUBQUERY 1
-- REUSE SUBQUERY 2
-- SCALAR SUBQUERY 3
--   SEARCH purge_positions USING PRIMARY KEY (ledger_table=?)
-- SEARCH ledger_entries USING PRIMARY KEY (partner_id=? AND cost_id=?)
-- SEARCH purge_positions EXISTS USING PRIMARY KEY (ledger_table=?)
-- CORRELATED SCALAR SUBQUERY 7
--   SEARCH links USING INTEGER PRIMARY KEY (rowid=?)
-- CORRELATED SCALAR SUBQUERY 8
--   SEARCH links USING INTEGER PRIMARY KEY (rowid=?)
SELECT ledger_entries.partner_id AS partnerId, ledger_entries.cost_id AS costId, entry_records.record AS record
FROM ledger_entries ledger_entries
CROSS JOIN entry_records entry_records ON entry_records.partner_id = ledger_entries.partner_id
AND entry_records.cost_id = ledger_entries.cost_id
WHERE (ledger_entries.partner_id, ledger_entries.cost_id) > (SELECT +p.after_partner_id, +p.after_cost_id
  FROM purge_positions p
  WHERE p.ledger_table = 'ledger_entries')
AND (ledger_entries.partner_id,
    ledger_entries.cost_id) <= (SELECT coalesce(p.until_partner_id,
      9223372036854775807),
    coalesce(p.until_cost_id,
      '')
  FROM purge_positions p
  WHERE p.ledger_table = 'ledger_entries')
AND ledger_entries.remembered_until < (SELECT purge_positions.walk
  FROM purge_positions
  WHERE purge_positions.ledger_table = 'ledger_entries')
AND EXISTS (SELECT 1
  FROM purge_positions
  WHERE purge_positions.ledger_table = 'ledger_entries'
  AND purge_positions.attempts > 0)
ORDER BY ledger_entries.partner_id, ledger_entries.cost_id;

-- src/db/archive/slices.ts: rows read 1, written 0
-- SEARCH purge_positions USING PRIMARY KEY (ledger_table=?)
SELECT purge_positions.walk AS walk,
  purge_positions.attempts AS attempts,
  purge_positions.after_partner_id AS firstPartnerId,
  purge_positions.after_cost_id AS firstCostId,
  purge_positions.until_partner_id IS NULL AS isLast
FROM purge_positions
WHERE purge_positions.ledger_table = 'ledger_entries'
AND purge_positions.attempts > 0;

-- src/db/archive/slices.ts: rows read 1, written 0
-- SEARCH purge_positions USING PRIMARY KEY (ledger_table=?)
SELECT purge_positions.walk AS walk,
  purge_positions.attempts AS attempts,
  purge_positions.after_partner_id AS firstPartnerId,
  purge_positions.after_cost_id AS firstCostId,
  purge_positions.until_partner_id IS NULL AS isLast
FROM purge_positions
WHERE purge_positions.ledger_table = 'superseded'
AND purge_positions.attempts > 0;

-- src/db/archive/slices.ts: rows read 5, written 0
-- SEARCH purge_positions EXISTS USING PRIMARY KEY (ledger_table=?)
-- SEARCH superseded USING PRIMARY KEY ((partner_id,cost_id)>(?,?) AND (partner_id,cost_id)<(?,?))
-- SCALAR SUBQUERY 1
--   SEARCH p USING PRIMARY KEY (ledger_table=?)
-- SCALAR SUBQUERY 2
--   SEARCH p USING PRIMARY KEY (ledger_table=?)
-- REUSE SUBQUERY 1
-- REUSE SUBQUERY 2
-- SCALAR SUBQUERY 3
--   SEARCH purge_positions USING PRIMARY KEY (ledger_table=?)
SELECT superseded.partner_id AS partnerId, superseded.cost_id AS costId, superseded.record AS record
FROM superseded superseded
WHERE (superseded.partner_id, superseded.cost_id) > (SELECT +p.after_partner_id, +p.after_cost_id
  FROM purge_positions p
  WHERE p.ledger_table = 'superseded')
AND (superseded.partner_id,
    superseded.cost_id) <= (SELECT coalesce(p.until_partner_id,
      9223372036854775807),
    coalesce(p.until_cost_id,
      '')
  FROM purge_positions p
  WHERE p.ledger_table = 'superseded')
AND superseded.walk < (SELECT purge_positions.walk
  FROM purge_positions
  WHERE purge_positions.ledger_table = 'superseded')
AND EXISTS (SELECT 1
  FROM purge_positions
  WHERE purge_positions.ledger_table = 'superseded'
  AND purge_positions.attempts > 0)
ORDER BY superseded.partner_id, superseded.cost_id;

-- src/db/archive/slices.ts: rows read 1, written 1
-- SEARCH archive_state USING INTEGER PRIMARY KEY (rowid=?)
UPDATE archive_state SET failing_since = ?
WHERE archive_state.id = 1
AND archive_state.failing_since IS NULL;

-- src/db/archive/slices.ts: rows read 1, written 1
-- SEARCH archive_state USING INTEGER PRIMARY KEY (rowid=?)
UPDATE archive_state SET is_on = 0
WHERE archive_state.id = 1;

-- src/db/archive/slices.ts: rows read 1, written 1
-- SEARCH archive_state USING INTEGER PRIMARY KEY (rowid=?)
UPDATE archive_state SET is_on = 1
WHERE archive_state.id = 1
AND NOT archive_state.is_on;

-- src/db/archive/slices.ts: rows read 1, written 1
-- SEARCH archive_state USING INTEGER PRIMARY KEY (rowid=?)
UPDATE archive_state SET is_on = 1, failing_since = NULL
WHERE archive_state.id = 1;

-- src/db/archive/slices.ts: rows read 1, written 1
-- SEARCH purge_positions USING PRIMARY KEY (ledger_table=?)
UPDATE purge_positions SET walked_at = ?, attempts = purge_positions.attempts + (purge_positions.attempts > 0)
WHERE purge_positions.ledger_table = 'ledger_entries';

-- src/db/archive/slices.ts: rows read 1, written 1
-- SEARCH purge_positions USING PRIMARY KEY (ledger_table=?)
UPDATE purge_positions SET walked_at = ?, attempts = purge_positions.attempts + (purge_positions.attempts > 0)
WHERE purge_positions.ledger_table = 'superseded';

-- src/db/archive/slices.ts: rows read 43, written 1
-- SEARCH purge_positions USING PRIMARY KEY (ledger_table=?)
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH e USING PRIMARY KEY ((partner_id,cost_id)>(?,?))
UPDATE purge_positions SET (after_partner_id,
    after_cost_id) = (coalesce(purge_positions.until_partner_id,
      -1),
    coalesce(purge_positions.until_cost_id,
      '')),
  (until_partner_id,
    until_cost_id) = (
  SELECT e.partner_id, e.cost_id
  FROM ledger_entries e
  WHERE (e.partner_id,
      e.cost_id) > (coalesce(purge_positions.until_partner_id,
        -1),
      coalesce(purge_positions.until_cost_id,
        ''))
  ORDER BY e.partner_id, e.cost_id
  LIMIT 1 OFFSET ? - 1 ), walk = iif(purge_positions.until_partner_id IS NULL, ?, purge_positions.walk), attempts = 1
WHERE purge_positions.ledger_table = 'ledger_entries'
AND purge_positions.attempts = 0
AND (purge_positions.until_partner_id IS NOT NULL OR purge_positions.walk <= ? - 82800000);

-- src/db/archive/slices.ts: rows read 2, written 1
-- SEARCH purge_positions USING PRIMARY KEY (ledger_table=?)
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH e USING PRIMARY KEY ((partner_id,cost_id)>(?,?))
UPDATE purge_positions SET (after_partner_id,
    after_cost_id) = (coalesce(purge_positions.until_partner_id,
      -1),
    coalesce(purge_positions.until_cost_id,
      '')),
  (until_partner_id,
    until_cost_id) = (
  SELECT e.partner_id, e.cost_id
  FROM superseded e
  WHERE (e.partner_id,
      e.cost_id) > (coalesce(purge_positions.until_partner_id,
        -1),
      coalesce(purge_positions.until_cost_id,
        ''))
  ORDER BY e.partner_id, e.cost_id
  LIMIT 1 OFFSET ? - 1 ), walk = iif(purge_positions.until_partner_id IS NULL, ?, purge_positions.walk), attempts = 1
WHERE purge_positions.ledger_table = 'superseded'
AND purge_positions.attempts = 0
AND (purge_positions.until_partner_id IS NOT NULL OR purge_positions.walk <= ? - 82800000);

-- src/db/archive/slices.ts: rows read 1, written 1
-- SEARCH purge_positions USING PRIMARY KEY (ledger_table=?)
UPDATE purge_positions SET attempts = 0
WHERE purge_positions.ledger_table = 'ledger_entries'
AND purge_positions.attempts > 0
AND purge_positions.walk = ?
AND (purge_positions.after_partner_id, purge_positions.after_cost_id) = (?, ?);

-- src/db/archive/slices.ts: rows read 1, written 1
-- SEARCH purge_positions USING PRIMARY KEY (ledger_table=?)
UPDATE purge_positions SET attempts = 0
WHERE purge_positions.ledger_table = 'superseded'
AND purge_positions.attempts > 0
AND purge_positions.walk = ?
AND (purge_positions.after_partner_id, purge_positions.after_cost_id) = (?, ?);

-- src/db/audit.ts: rows read 3, written 2
-- SCAN CONSTANT ROW
-- SCALAR SUBQUERY 1
--   SEARCH f USING INTEGER PRIMARY KEY (rowid=?)
INSERT INTO audit_log (happened_at, user_id, action, subject, detail, request_id)
SELECT ?, ?, ?, ? || ' ' || coalesce(?, last_insert_rowid()), ?, ?
WHERE (
  SELECT f.count
  FROM failed_sign_ins f
  WHERE f.user_id = ? ) <= 10;

-- src/db/audit.ts: rows read 3, written 2
-- SCAN CONSTANT ROW
-- SCALAR SUBQUERY 1
--   SEARCH f USING INTEGER PRIMARY KEY (rowid=?)
INSERT INTO audit_log (happened_at, user_id, action, subject, detail, request_id)
SELECT ?, ?, ?, ? || ' ' || coalesce(?, last_insert_rowid()), ?, ?
WHERE (
  SELECT f.wrong_codes
  FROM failed_sign_ins f
  WHERE f.user_id = ? ) <= 10;

-- src/db/audit.ts: rows read 4, written 2
-- SCAN CONSTANT ROW
-- SCALAR SUBQUERY 1
--   SEARCH f USING INTEGER PRIMARY KEY (rowid=?)
INSERT INTO audit_log (happened_at, user_id, action, subject, detail, request_id)
SELECT ?, ?, ?, ? || ' ' || coalesce(?, last_insert_rowid()), ?, ?
WHERE (
  SELECT f.wrong_confirmations
  FROM failed_sign_ins f
  WHERE f.user_id = ? ) <= 10;

-- src/db/audit.ts: rows read 3, written 2
-- SCAN CONSTANT ROW
INSERT INTO audit_log (happened_at, user_id, action, subject, detail, request_id)
SELECT ?, ?, ?, ? || ' ' || coalesce(?, last_insert_rowid()), ?, ?
WHERE changes() > 0;

-- src/db/audit.ts: rows read 3, written 2
-- SCAN CONSTANT ROW
INSERT INTO audit_log (happened_at, user_id, action, subject, detail, request_id)
SELECT ?, ?, ?, ? || ' ' || coalesce(?, last_insert_rowid()), ?, ?
WHERE true;

-- src/db/hidden-attention.ts: rows read 2, written 0
-- SEARCH hidden_attention USING PRIMARY KEY (app_token=?)
DELETE
FROM hidden_attention
WHERE hidden_attention.app_token = ?
AND hidden_attention.hidden_until <= ?;

-- src/db/hidden-attention.ts: rows read 2, written 1
-- SEARCH hidden_attention USING PRIMARY KEY (app_token=?)
DELETE
FROM hidden_attention
WHERE hidden_attention.app_token = ?
AND hidden_attention.hidden_until > ?;

-- src/db/hidden-attention.ts: rows read 2, written 1
-- SCAN CONSTANT ROW
-- SCALAR SUBQUERY 1
--   SEARCH h USING PRIMARY KEY (app_token=?)
INSERT INTO hidden_attention (app_token, key, hidden_until)
SELECT ?, ?, ?
WHERE (SELECT count(*)
  FROM hidden_attention h
  WHERE h.app_token = ?
  AND h.hidden_until > ?) < 200
ON CONFLICT DO NOTHING;

-- src/db/hidden-attention.ts: rows read 2, written 0
-- SEARCH h USING PRIMARY KEY (app_token=?)
SELECT h.key AS key, h.hidden_until AS hiddenUntil
FROM hidden_attention h
WHERE h.app_token = ?
AND h.hidden_until > ?;

-- src/db/ledger/attention.ts: rows read 5, written 0
-- CO-ROUTINE ids
--   SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--   SCALAR SUBQUERY 1
--     SEARCH s USING PRIMARY KEY (id_hash=?)
--     SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--   USE TEMP B-TREE FOR DISTINCT
-- SCAN ids
-- SEARCH d USING PRIMARY KEY (link_id=? AND day>? AND day<?)
-- SEARCH l USING INTEGER PRIMARY KEY (rowid=?)
-- USE TEMP B-TREE FOR GROUP BY
-- USE TEMP B-TREE FOR ORDER BY
SELECT l.token AS token, l.label AS label, sum(d.count) AS count
FROM (SELECT DISTINCT e.link_id AS id
  FROM daily_engagements e
  WHERE e.app_token = (SELECT m.app_token
    FROM sessions s
    CROSS JOIN memberships m ON m.user_id = s.user_id
    AND m.app_token = ?
    WHERE s.id_hash = ?
    AND s.expires_at > ?
    AND s.last_seen_at > ? - 7200000
    AND s.waiting_secret IS NULL)
  AND e.day BETWEEN ? AND ?) ids
CROSS JOIN dropped_parameters d ON d.link_id = ids.id
AND d.day BETWEEN ? AND ?
CROSS JOIN links l ON l.id = ids.id
GROUP BY ids.id
ORDER BY sum(d.count) DESC, ids.id;

-- src/db/ledger/attention.ts: rows read 12, written 0
-- CO-ROUTINE (subquery-1)
--   SEARCH s USING PRIMARY KEY (id_hash=?)
--   SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--   SEARCH l USING INDEX links_by_partner (app_token=?)
-- SCAN (subquery-1)
-- USE TEMP B-TREE FOR GROUP BY
SELECT partner_id AS partnerId, count(*) AS links, sum(cost_switch IS 1) AS costDataOn
FROM (
  SELECT l.partner_id AS partner_id, l.cost_switch AS cost_switch
  FROM sessions s
  CROSS JOIN memberships m ON m.user_id = s.user_id
  AND m.app_token = ?
  CROSS JOIN links l INDEXED BY links_by_partner ON l.app_token = m.app_token
  AND l.partner_id IS NOT NULL
  WHERE s.id_hash = ?
  AND s.expires_at > ?
  AND s.last_seen_at > ? - 7200000
  AND s.waiting_secret IS NULL
  AND l.archived = 0
  LIMIT 500 )
GROUP BY partner_id;

-- src/db/ledger/attention.ts: rows read 10, written 0
-- CO-ROUTINE attached
--   SEARCH s USING PRIMARY KEY (id_hash=?)
--   SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--   SEARCH l USING COVERING INDEX links_by_partner (app_token=?)
--   USE TEMP B-TREE FOR DISTINCT
-- SCAN attached
-- SEARCH r USING INDEX rounds_by_partner (partner_id=?)
SELECT r.partner_id AS partnerId, r.cost_types AS costTypes
FROM (
  SELECT DISTINCT l.partner_id AS partner_id
  FROM sessions s
  CROSS JOIN memberships m ON m.user_id = s.user_id
  AND m.app_token = ?
  CROSS JOIN links l INDEXED BY links_by_partner ON l.app_token = m.app_token
  AND l.partner_id IS NOT NULL
  WHERE s.id_hash = ?
  AND s.expires_at > ?
  AND s.last_seen_at > ? - 7200000
  AND s.waiting_secret IS NULL ) attached
CROSS JOIN rounds r ON r.partner_id = attached.partner_id
AND r.state = 'open';

-- src/db/ledger/cost-list.ts: rows read 2, written 0
-- SEARCH c USING INDEX credentials_token_hash_unique (token_hash=?)
-- SCALAR SUBQUERY 1
--   SEARCH shard_identity USING INTEGER PRIMARY KEY (rowid=?)
SELECT c.partner_id AS partnerId, c.mode AS mode, c.cost_types AS costTypes, c.revoked_at AS revokedAt
FROM credentials c
WHERE c.token_hash = ?
AND json(iif(EXISTS (
      SELECT 1
      FROM shard_identity
      WHERE shard_identity.id = 1
      AND shard_identity.shards = ?
      AND shard_identity.shard_index IS ? ), 'true', 'another shard')) = 'true';

-- src/db/ledger/cost-list.ts: rows read 54, written 0
-- COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--     CO-ROUTINE p
--       CO-ROUTINE k
--         SEARCH e USING PRIMARY KEY (partner_id=? AND cost_id>?)
--       SCAN k
--     SCAN p
--   UNION ALL
--     CO-ROUTINE (subquery-4)
--       SEARCH e USING PRIMARY KEY (partner_id=? AND cost_id>?)
--     SCAN (subquery-4)
SELECT p.costType AS costType,
  p.currency AS currency,
  p.amount AS amount,
  p.tag AS tag,
  p.receivedAt AS receivedAt,
  p.state AS state,
  p.countingPrice AS countingPrice,
  p.kind AS kind,
  p.linkId AS linkId,
  p.click AS click,
  p.impression AS impression,
  p.costId AS costId,
  p.isListed AS isListed,
  p.linkToken AS linkToken
FROM (
  SELECT k.costType AS costType,
    k.currency AS currency,
    k.amount AS amount,
    k.tag AS tag,
    k.receivedAt AS receivedAt,
    k.state AS state,
    k.countingPrice AS countingPrice,
    k.kind AS kind,
    k.linkId AS linkId,
    k.click AS click,
    k.impression AS impression,
    k.costId AS costId,
    k.isListed AS isListed,
    NULL AS linkToken
  FROM (SELECT e.cost_type AS costType,
      e.currency AS currency,
      e.amount_in_effect AS amount,
      e.tag AS tag,
      e.received_at AS receivedAt,
      e.state AS state,
      e.counting_price AS countingPrice,
      iif(e.received_at IS NOT NULL,
        e.matched_kind,
        coalesce(e.counting_price,
          e.void_kind)) AS kind,
      CASE iif(e.received_at IS NOT NULL,
        e.matched_kind,
        coalesce(e.counting_price,
          e.void_kind)) WHEN 'click' THEN e.click_link_id WHEN 'impression' THEN e.impression_link_id END AS linkId,
      iif(e.click_at IS NULL,
        NULL,
        json_object( 'occurredAt',
          e.click_at,
          'costDataOn',
          json(iif(e.click_cost_data_on,
              'true',
              'false')),
          'urlCostType',
          e.click_url_cost_type,
          'urlCurrency',
          e.click_url_currency,
          'urlAmount',
          e.click_url_amount,
          'priceCounts',
          json(iif(e.click_price_counts,
              'true',
              'false')) )) AS click,
      iif(e.impression_at IS NULL,
        NULL,
        json_object( 'occurredAt',
          e.impression_at,
          'costDataOn',
          json(iif(e.impression_cost_data_on,
              'true',
              'false')),
          'urlCostType',
          e.impression_url_cost_type,
          'urlCurrency',
          e.impression_url_currency,
          'urlAmount',
          e.impression_url_amount,
          'priceCounts',
          json(iif(e.impression_price_counts,
              'true',
              'false')) )) AS impression,
      e.cost_id AS costId,
      coalesce(CASE WHEN NOT e.remembered_until >= ? THEN NULL WHEN e.state = 'pending' THEN iif(e.received_at < ?,
          'lapsed',
          'pending') WHEN e.state = 'voided' THEN 'voided' WHEN e.state IS NOT NULL OR e.counting_price IS NOT NULL THEN 'matched' END = coalesce(?,
          CASE WHEN NOT e.remembered_until >= ? THEN NULL WHEN e.state = 'pending' THEN iif(e.received_at < ?,
            'lapsed',
            'pending') WHEN e.state = 'voided' THEN 'voided' WHEN e.state IS NOT NULL OR e.counting_price IS NOT NULL THEN 'matched' END),
        0) AS isListed
    FROM ledger_entries e
    WHERE e.partner_id = ?
    AND e.cost_id > ?
    ORDER BY e.cost_id
    LIMIT ? + 0) k
  WHERE k.isListed
  ORDER BY k.costId
  LIMIT ? + 0 ) p
UNION ALL
SELECT *
FROM (SELECT NULL AS costType,
    NULL AS currency,
    NULL AS amount,
    NULL AS tag,
    NULL AS receivedAt,
    NULL AS state,
    NULL AS countingPrice,
    NULL AS kind,
    NULL AS linkId,
    NULL AS click,
    NULL AS impression,
    e.cost_id AS costId,
    0 AS isListed,
    NULL AS linkToken
  FROM ledger_entries e
  WHERE e.partner_id = ?
  AND e.cost_id > ?
  ORDER BY e.cost_id
  LIMIT 1 OFFSET ? - 1)
LIMIT ? + 0;

-- src/db/ledger/cost-list.ts: rows read 79, written 0
-- COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--     CO-ROUTINE p
--       CO-ROUTINE k
--         SEARCH c USING INDEX credentials_token_hash_unique (token_hash=?)
--         SEARCH e USING PRIMARY KEY (partner_id=? AND cost_id>?)
--       SCAN k
--       SEARCH l USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
--     SCAN p
--   UNION ALL
--     CO-ROUTINE (subquery-4)
--       SEARCH c USING INDEX credentials_token_hash_unique (token_hash=?)
--       SEARCH e USING PRIMARY KEY (partner_id=? AND cost_id>?)
--     SCAN (subquery-4)
SELECT p.costType AS costType,
  p.currency AS currency,
  p.amount AS amount,
  p.tag AS tag,
  p.receivedAt AS receivedAt,
  p.state AS state,
  p.countingPrice AS countingPrice,
  p.kind AS kind,
  p.linkId AS linkId,
  p.click AS click,
  p.impression AS impression,
  p.costId AS costId,
  p.isListed AS isListed,
  p.linkToken AS linkToken
FROM (
  SELECT k.costType AS costType,
    k.currency AS currency,
    k.amount AS amount,
    k.tag AS tag,
    k.receivedAt AS receivedAt,
    k.state AS state,
    k.countingPrice AS countingPrice,
    k.kind AS kind,
    k.linkId AS linkId,
    k.click AS click,
    k.impression AS impression,
    k.costId AS costId,
    k.isListed AS isListed,
    l.token AS linkToken
  FROM (SELECT e.cost_type AS costType,
      e.currency AS currency,
      e.amount_in_effect AS amount,
      e.tag AS tag,
      e.received_at AS receivedAt,
      e.state AS state,
      e.counting_price AS countingPrice,
      iif(e.received_at IS NOT NULL,
        e.matched_kind,
        coalesce(e.counting_price,
          e.void_kind)) AS kind,
      CASE iif(e.received_at IS NOT NULL,
        e.matched_kind,
        coalesce(e.counting_price,
          e.void_kind)) WHEN 'click' THEN e.click_link_id WHEN 'impression' THEN e.impression_link_id END AS linkId,
      iif(e.click_at IS NULL,
        NULL,
        json_object( 'occurredAt',
          e.click_at,
          'costDataOn',
          json(iif(e.click_cost_data_on,
              'true',
              'false')),
          'urlCostType',
          e.click_url_cost_type,
          'urlCurrency',
          e.click_url_currency,
          'urlAmount',
          e.click_url_amount,
          'priceCounts',
          json(iif(e.click_price_counts,
              'true',
              'false')) )) AS click,
      iif(e.impression_at IS NULL,
        NULL,
        json_object( 'occurredAt',
          e.impression_at,
          'costDataOn',
          json(iif(e.impression_cost_data_on,
              'true',
              'false')),
          'urlCostType',
          e.impression_url_cost_type,
          'urlCurrency',
          e.impression_url_currency,
          'urlAmount',
          e.impression_url_amount,
          'priceCounts',
          json(iif(e.impression_price_counts,
              'true',
              'false')) )) AS impression,
      e.cost_id AS costId,
      coalesce(CASE WHEN NOT e.remembered_until >= ? THEN NULL WHEN e.state = 'pending' THEN iif(e.received_at < ?,
          'lapsed',
          'pending') WHEN e.state = 'voided' THEN 'voided' WHEN e.state IS NOT NULL OR e.counting_price IS NOT NULL THEN 'matched' END = coalesce(?,
          CASE WHEN NOT e.remembered_until >= ? THEN NULL WHEN e.state = 'pending' THEN iif(e.received_at < ?,
            'lapsed',
            'pending') WHEN e.state = 'voided' THEN 'voided' WHEN e.state IS NOT NULL OR e.counting_price IS NOT NULL THEN 'matched' END),
        0) AS isListed
    FROM credentials c
    CROSS JOIN ledger_entries e
    WHERE c.token_hash = ?
    AND c.revoked_at IS NULL
    AND c.mode = 'live'
    AND e.partner_id = c.partner_id
    AND e.cost_id > ?
    ORDER BY e.cost_id
    LIMIT ? + 0) k
  LEFT JOIN links l ON l.id = k.linkId
  WHERE k.isListed
  ORDER BY k.costId
  LIMIT ? + 0 ) p
UNION ALL
SELECT *
FROM (SELECT NULL AS costType,
    NULL AS currency,
    NULL AS amount,
    NULL AS tag,
    NULL AS receivedAt,
    NULL AS state,
    NULL AS countingPrice,
    NULL AS kind,
    NULL AS linkId,
    NULL AS click,
    NULL AS impression,
    e.cost_id AS costId,
    0 AS isListed,
    NULL AS linkToken
  FROM credentials c
  CROSS JOIN ledger_entries e
  WHERE c.token_hash = ?
  AND c.revoked_at IS NULL
  AND c.mode = 'live'
  AND e.partner_id = c.partner_id
  AND e.cost_id > ?
  ORDER BY e.cost_id
  LIMIT 1 OFFSET ? - 1)
LIMIT ? + 0;

-- src/db/ledger/costs.ts: rows read 1, written 0
-- SEARCH c USING INDEX credentials_token_hash_unique (token_hash=?)
SELECT c.partner_id AS partnerId, c.mode AS mode, c.cost_types AS costTypes, c.revoked_at AS revokedAt
FROM credentials c
WHERE c.token_hash = ?;

-- src/db/ledger/costs.ts: rows read 2, written 0
-- SEARCH e USING PRIMARY KEY (partner_id=? AND cost_id=?)
-- SCALAR SUBQUERY 1
--   SEARCH shard_identity USING INTEGER PRIMARY KEY (rowid=?)
SELECT e.cost_type AS costType,
  e.currency AS currency,
  e.amount_in_effect AS amount,
  e.tag AS tag,
  e.received_at AS receivedAt,
  e.state AS state,
  e.counting_price AS countingPrice,
  iif(e.received_at IS NOT NULL,
    e.matched_kind,
    coalesce(e.counting_price,
      e.void_kind)) AS kind,
  CASE iif(e.received_at IS NOT NULL,
    e.matched_kind,
    coalesce(e.counting_price,
      e.void_kind)) WHEN 'click' THEN e.click_link_id WHEN 'impression' THEN e.impression_link_id END AS linkId,
  iif(e.click_at IS NULL,
    NULL,
    json_object( 'occurredAt',
      e.click_at,
      'costDataOn',
      json(iif(e.click_cost_data_on,
          'true',
          'false')),
      'urlCostType',
      e.click_url_cost_type,
      'urlCurrency',
      e.click_url_currency,
      'urlAmount',
      e.click_url_amount,
      'priceCounts',
      json(iif(e.click_price_counts,
          'true',
          'false')) )) AS click,
  iif(e.impression_at IS NULL,
    NULL,
    json_object( 'occurredAt',
      e.impression_at,
      'costDataOn',
      json(iif(e.impression_cost_data_on,
          'true',
          'false')),
      'urlCostType',
      e.impression_url_cost_type,
      'urlCurrency',
      e.impression_url_currency,
      'urlAmount',
      e.impression_url_amount,
      'priceCounts',
      json(iif(e.impression_price_counts,
          'true',
          'false')) )) AS impression,
  NULL AS linkToken,
  CASE coalesce(iif(e.received_at IS NOT NULL,
      e.matched_kind,
      coalesce(e.counting_price,
        e.void_kind)),
    e.counting_price) WHEN 'click' THEN e.click_app_token WHEN 'impression' THEN e.impression_app_token ELSE coalesce(e.click_app_token,
    e.impression_app_token) END AS appToken,
  CASE coalesce(iif(e.received_at IS NOT NULL,
      e.matched_kind,
      coalesce(e.counting_price,
        e.void_kind)),
    e.counting_price) WHEN 'click' THEN e.click_link_id WHEN 'impression' THEN e.impression_link_id ELSE coalesce(e.click_link_id,
    e.impression_link_id) END AS engagedLinkId
FROM ledger_entries e
WHERE e.partner_id = ?
AND e.cost_id = ?
AND e.remembered_until >= ?
AND (e.state IS NOT NULL OR e.counting_price IS NOT NULL)
AND json(iif(EXISTS (
      SELECT 1
      FROM shard_identity
      WHERE shard_identity.id = 1
      AND shard_identity.shards = ?
      AND shard_identity.shard_index IS ? ), 'true', 'another shard')) = 'true';

-- src/db/ledger/costs.ts: rows read 4, written 0
-- SEARCH c USING INDEX credentials_token_hash_unique (token_hash=?)
-- SCALAR SUBQUERY 1
--   SEARCH shard_identity USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH e USING PRIMARY KEY (partner_id=? AND cost_id=?)
-- SEARCH l USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
SELECT e.cost_type AS costType,
  e.currency AS currency,
  e.amount_in_effect AS amount,
  e.tag AS tag,
  e.received_at AS receivedAt,
  e.state AS state,
  e.counting_price AS countingPrice,
  iif(e.received_at IS NOT NULL,
    e.matched_kind,
    coalesce(e.counting_price,
      e.void_kind)) AS kind,
  CASE iif(e.received_at IS NOT NULL,
    e.matched_kind,
    coalesce(e.counting_price,
      e.void_kind)) WHEN 'click' THEN e.click_link_id WHEN 'impression' THEN e.impression_link_id END AS linkId,
  iif(e.click_at IS NULL,
    NULL,
    json_object( 'occurredAt',
      e.click_at,
      'costDataOn',
      json(iif(e.click_cost_data_on,
          'true',
          'false')),
      'urlCostType',
      e.click_url_cost_type,
      'urlCurrency',
      e.click_url_currency,
      'urlAmount',
      e.click_url_amount,
      'priceCounts',
      json(iif(e.click_price_counts,
          'true',
          'false')) )) AS click,
  iif(e.impression_at IS NULL,
    NULL,
    json_object( 'occurredAt',
      e.impression_at,
      'costDataOn',
      json(iif(e.impression_cost_data_on,
          'true',
          'false')),
      'urlCostType',
      e.impression_url_cost_type,
      'urlCurrency',
      e.impression_url_currency,
      'urlAmount',
      e.impression_url_amount,
      'priceCounts',
      json(iif(e.impression_price_counts,
          'true',
          'false')) )) AS impression,
  l.token AS linkToken
FROM credentials c
CROSS JOIN ledger_entries e
LEFT JOIN links l ON l.id = CASE iif(e.received_at IS NOT NULL,
    e.matched_kind,
    coalesce(e.counting_price,
      e.void_kind)) WHEN 'click' THEN e.click_link_id WHEN 'impression' THEN e.impression_link_id END
WHERE c.token_hash = ?
AND c.revoked_at IS NULL
AND c.mode = 'live'
AND e.partner_id = c.partner_id
AND e.cost_id = ?
AND e.remembered_until >= ?
AND (e.state IS NOT NULL OR e.counting_price IS NOT NULL)
AND json(iif(EXISTS (
      SELECT 1
      FROM shard_identity
      WHERE shard_identity.id = 1
      AND shard_identity.shards = ?
      AND shard_identity.shard_index IS ? ), 'true', 'another shard')) = 'true';

-- src/db/ledger/costs.ts: rows read 1, written 0
-- SEARCH l USING INTEGER PRIMARY KEY (rowid=?)
SELECT l.token AS token, l.label AS label
FROM links l
WHERE l.id = ?;

-- src/db/ledger/engagements.ts: rows read 3, written 1
-- SCAN j VIRTUAL TABLE INDEX 1:
-- SCALAR SUBQUERY 1
--   SEARCH shard_identity USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH l USING COVERING INDEX links_token_unique (token=?)
INSERT INTO dropped_parameters (link_id, day, param, reason, count)
SELECT l.id, CAST(? / 86400000 AS INTEGER), 'engagement', 'too_old', 1
FROM json_each(?) j
CROSS JOIN links l ON l.token = j.value
WHERE json(iif(EXISTS (
      SELECT 1
      FROM shard_identity
      WHERE shard_identity.id = 1
      AND shard_identity.shards = ?
      AND shard_identity.shard_index IS ? ), 'true', 'another shard')) = 'true'
ON CONFLICT DO UPDATE SET count = count + 1;

-- src/db/ledger/engagements.ts: rows read 14, written 5
-- SCAN j VIRTUAL TABLE INDEX 1:
-- SCALAR SUBQUERY 3
--   SEARCH shard_identity USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH o USING INDEX links_token_unique (token=?)
-- SEARCH l1 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l2 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l3 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH p USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH a USING INDEX apps_token_unique (token=?)
-- USE TEMP B-TREE FOR ORDER BY
-- CORRELATED SCALAR SUBQUERY 5
--   SEARCH e USING PRIMARY KEY (partner_id=? AND cost_id=?)
INSERT INTO recordings (app_token,
    link_id,
    partner_id,
    kind,
    occurred_at,
    cost_id,
    cost_data_on,
    url_cost_type,
    url_currency,
    url_amount,
    price_counts,
    dropped,
    recorded_at,
    is_elsewhere,
    country,
    platform,
    count)
SELECT x.appToken,
  x.linkId,
  x.partnerId,
  (x.message ->> 'kind'),
  (x.message ->> 'occurredAt'),
  iif(x.partnerId IS NULL OR ((x.message ->> 'isGenerated')
    AND NOT coalesce(x.costSwitch
      AND x.takesCosts
      AND x.takesPrice, 0)), NULL, (x.message ->> 'costId')), x.costSwitch
AND x.takesCosts,
  (x.message ->> 'urlCostType'),
  (x.message ->> 'urlCurrency'),
  (x.message ->> 'urlAmount'),
  coalesce(x.costSwitch
  AND x.takesCosts
  AND x.takesPrice, 0), json_insert((x.message ->> 'dropped'), iif(iif(x.costSwitch
      AND x.takesCosts, x.currencyReason, NULL) IS NULL, '$', '$[#]'), json_array('cost_currency', iif(x.costSwitch
      AND x.takesCosts,
        x.currencyReason,
        NULL)),
    iif(x.reason2 IS NULL,
      '$',
      '$[#]'),
    json_array('campaign',
      x.reason2),
    iif(x.reason3 IS NULL,
      '$',
      '$[#]'),
    json_array('adgroup',
      x.reason3),
    iif(x.reason4 IS NULL,
      '$',
      '$[#]'),
    json_array('creative',
      x.reason4)),
  ?,
  ?
AND iif(x.partnerId IS NULL OR ((x.message ->> 'isGenerated')
    AND NOT coalesce(x.costSwitch
      AND x.takesCosts
      AND x.takesPrice,
        0)),
    NULL,
    (x.message ->> 'costId')) IS NOT NULL,
  iif(a.audience,
    coalesce((x.message ->> 'country'),
      'XX'),
    NULL),
  iif(a.audience,
    coalesce((x.message ->> 'platform'),
      'other'),
    NULL),
  (x.message ->> 'count')
FROM (WITH level1 AS (
    SELECT j.value AS message,
      o.id AS linkId,
      o.level AS level,
      o.level AS openedLevel,
      o.app_token AS appToken,
      p.id AS partnerId,
      coalesce(o.cost_switch,
        l1.cost_switch,
        l2.cost_switch,
        l3.cost_switch,
        0) AS costSwitch,
      p.supports_cost_data
    AND p.stopped_at IS NULL AS takesCosts,
      p.integrated_types & CASE j.value ->> 'urlCostType' WHEN 'cpc' THEN 1 WHEN 'cpi' THEN 2 WHEN 'cpe' THEN 4 WHEN 'cpm' THEN 8 END
    AND (j.value ->> 'urlAmount') <= iif(instr('&' || p.cost_parameters, '&cost_amount='), p.max_url_amount, -1)
    AND (j.value ->> 'urlCostType' IS NOT NULL
      AND j.value ->> 'urlCurrency' IS NOT NULL
      AND j.value ->> 'urlAmount' IS NOT NULL)
    AND NOT ((j.value ->> 'urlCostType' IS NOT NULL
        AND j.value ->> 'urlCurrency' IS NOT NULL
        AND j.value ->> 'urlAmount' IS NOT NULL)
      AND coalesce((j.value ->> 'urlCurrency') <> iif(instr('&' || p.cost_parameters || '&', '&cost_currency=')
          AND substr('&' || p.cost_parameters || '&',
              instr('&' || p.cost_parameters || '&',
                '&cost_currency=') + 15,
              4) GLOB '[A-Za-z][A-Za-z][A-Za-z]&',
            upper(substr('&' || p.cost_parameters || '&',
                instr('&' || p.cost_parameters || '&',
                  '&cost_currency=') + 15,
                3)),
            NULL),
          0)) AS takesPrice,
      iif(((j.value ->> 'urlCostType' IS NOT NULL
          AND j.value ->> 'urlCurrency' IS NOT NULL
          AND j.value ->> 'urlAmount' IS NOT NULL)
        AND coalesce((j.value ->> 'urlCurrency') <> iif(instr('&' || p.cost_parameters || '&', '&cost_currency=')
            AND substr('&' || p.cost_parameters || '&',
                instr('&' || p.cost_parameters || '&',
                  '&cost_currency=') + 15,
                4) GLOB '[A-Za-z][A-Za-z][A-Za-z]&',
              upper(substr('&' || p.cost_parameters || '&',
                  instr('&' || p.cost_parameters || '&',
                    '&cost_currency=') + 15,
                  3)),
              NULL),
            0)),
        'not_agreed',
        NULL) AS currencyReason,
      coalesce(instr('&' || iif((j.value ->> 'kind') = 'click',
            p.click_parameters,
            p.impression_parameters),
          '&campaign='),
        0) > 0 AS named2,
      coalesce(instr('&' || iif((j.value ->> 'kind') = 'click',
            p.click_parameters,
            p.impression_parameters),
          '&adgroup='),
        0) > 0 AS named3,
      coalesce(instr('&' || iif((j.value ->> 'kind') = 'click',
            p.click_parameters,
            p.impression_parameters),
          '&creative='),
        0) > 0 AS named4,
      NULL AS reason2,
      NULL AS reason3,
      NULL AS reason4
    FROM json_each(?) j
    CROSS JOIN links o ON o.token = (j.value ->> 'linkToken')
    LEFT JOIN links l1 ON l1.id = o.parent_id
    LEFT JOIN links l2 ON l2.id = l1.parent_id
    LEFT JOIN links l3 ON l3.id = l2.parent_id
    LEFT JOIN partners p ON p.id = coalesce(o.partner_id, l1.partner_id, l2.partner_id, l3.partner_id) )
  SELECT *
  FROM level1) x
CROSS JOIN apps a ON a.token = x.appToken
WHERE json(iif(EXISTS (
      SELECT 1
      FROM shard_identity
      WHERE shard_identity.id = 1
      AND shard_identity.shards = ?
      AND shard_identity.shard_index IS ? ), 'true', 'another shard')) = 'true'
AND (x.level = 1 OR NOT ?)
ORDER BY (x.message ->> 'occurredAt')
RETURNING cost_id AS costId,
  cost_data_on AS costDataOn,
  dropped AS dropped,
  1 AS level,
  (SELECT iif(recordings.kind = 'click',
      e.click_at,
      e.impression_at)
  FROM ledger_entries e
  WHERE e.partner_id = recordings.partner_id
  AND e.cost_id = recordings.cost_id) AS keptAt,
  iif(recordings.is_elsewhere,
    json_object('appToken',
      recordings.app_token,
      'linkId',
      recordings.link_id,
      'partnerId',
      recordings.partner_id,
      'kind',
      recordings.kind,
      'occurredAt',
      recordings.occurred_at,
      'costId',
      recordings.cost_id,
      'costDataOn',
      recordings.cost_data_on,
      'urlCostType',
      recordings.url_cost_type,
      'urlCurrency',
      recordings.url_currency,
      'urlAmount',
      recordings.url_amount,
      'priceCounts',
      recordings.price_counts,
      'country',
      recordings.country,
      'platform',
      recordings.platform),
    NULL) AS elsewhere;

-- src/db/ledger/engagements.ts: rows read 13, written 2
-- SCAN j VIRTUAL TABLE INDEX 1:
-- SCALAR SUBQUERY 5
--   SEARCH shard_identity USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH o USING INDEX links_token_unique (token=?)
-- SEARCH l1 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l2 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l3 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH p USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH c USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- CORRELATED SCALAR SUBQUERY 2
--   SEARCH s USING INDEX links_by_match_name (app_token=? AND parent_id=? AND match_name=?)
-- SEARCH a USING INDEX apps_token_unique (token=?)
-- USE TEMP B-TREE FOR ORDER BY
-- CORRELATED SCALAR SUBQUERY 7
--   SEARCH l USING INTEGER PRIMARY KEY (rowid=?)
-- CORRELATED SCALAR SUBQUERY 8
--   SEARCH e USING PRIMARY KEY (partner_id=? AND cost_id=?)
INSERT INTO recordings (app_token,
    link_id,
    partner_id,
    kind,
    occurred_at,
    cost_id,
    cost_data_on,
    url_cost_type,
    url_currency,
    url_amount,
    price_counts,
    dropped,
    recorded_at,
    is_elsewhere,
    country,
    platform,
    count)
SELECT x.appToken,
  x.linkId,
  x.partnerId,
  (x.message ->> 'kind'),
  (x.message ->> 'occurredAt'),
  iif(x.partnerId IS NULL OR ((x.message ->> 'isGenerated')
    AND NOT coalesce(x.costSwitch
      AND x.takesCosts
      AND x.takesPrice, 0)), NULL, (x.message ->> 'costId')), x.costSwitch
AND x.takesCosts,
  (x.message ->> 'urlCostType'),
  (x.message ->> 'urlCurrency'),
  (x.message ->> 'urlAmount'),
  coalesce(x.costSwitch
  AND x.takesCosts
  AND x.takesPrice, 0), json_insert((x.message ->> 'dropped'), iif(iif(x.costSwitch
      AND x.takesCosts, x.currencyReason, NULL) IS NULL, '$', '$[#]'), json_array('cost_currency', iif(x.costSwitch
      AND x.takesCosts,
        x.currencyReason,
        NULL)),
    iif(x.reason2 IS NULL,
      '$',
      '$[#]'),
    json_array('campaign',
      x.reason2),
    iif(x.reason3 IS NULL,
      '$',
      '$[#]'),
    json_array('adgroup',
      x.reason3),
    iif(x.reason4 IS NULL,
      '$',
      '$[#]'),
    json_array('creative',
      x.reason4)),
  ?,
  ?
AND iif(x.partnerId IS NULL OR ((x.message ->> 'isGenerated')
    AND NOT coalesce(x.costSwitch
      AND x.takesCosts
      AND x.takesPrice,
        0)),
    NULL,
    (x.message ->> 'costId')) IS NOT NULL,
  iif(a.audience,
    coalesce((x.message ->> 'country'),
      'XX'),
    NULL),
  iif(a.audience,
    coalesce((x.message ->> 'platform'),
      'other'),
    NULL),
  (x.message ->> 'count')
FROM (WITH level1 AS (
    SELECT j.value AS message,
      o.id AS linkId,
      o.level AS level,
      o.level AS openedLevel,
      o.app_token AS appToken,
      p.id AS partnerId,
      coalesce(o.cost_switch,
        l1.cost_switch,
        l2.cost_switch,
        l3.cost_switch,
        0) AS costSwitch,
      p.supports_cost_data
    AND p.stopped_at IS NULL AS takesCosts,
      p.integrated_types & CASE j.value ->> 'urlCostType' WHEN 'cpc' THEN 1 WHEN 'cpi' THEN 2 WHEN 'cpe' THEN 4 WHEN 'cpm' THEN 8 END
    AND (j.value ->> 'urlAmount') <= iif(instr('&' || p.cost_parameters, '&cost_amount='), p.max_url_amount, -1)
    AND (j.value ->> 'urlCostType' IS NOT NULL
      AND j.value ->> 'urlCurrency' IS NOT NULL
      AND j.value ->> 'urlAmount' IS NOT NULL)
    AND NOT ((j.value ->> 'urlCostType' IS NOT NULL
        AND j.value ->> 'urlCurrency' IS NOT NULL
        AND j.value ->> 'urlAmount' IS NOT NULL)
      AND coalesce((j.value ->> 'urlCurrency') <> iif(instr('&' || p.cost_parameters || '&', '&cost_currency=')
          AND substr('&' || p.cost_parameters || '&',
              instr('&' || p.cost_parameters || '&',
                '&cost_currency=') + 15,
              4) GLOB '[A-Za-z][A-Za-z][A-Za-z]&',
            upper(substr('&' || p.cost_parameters || '&',
                instr('&' || p.cost_parameters || '&',
                  '&cost_currency=') + 15,
                3)),
            NULL),
          0)) AS takesPrice,
      iif(((j.value ->> 'urlCostType' IS NOT NULL
          AND j.value ->> 'urlCurrency' IS NOT NULL
          AND j.value ->> 'urlAmount' IS NOT NULL)
        AND coalesce((j.value ->> 'urlCurrency') <> iif(instr('&' || p.cost_parameters || '&', '&cost_currency=')
            AND substr('&' || p.cost_parameters || '&',
                instr('&' || p.cost_parameters || '&',
                  '&cost_currency=') + 15,
                4) GLOB '[A-Za-z][A-Za-z][A-Za-z]&',
              upper(substr('&' || p.cost_parameters || '&',
                  instr('&' || p.cost_parameters || '&',
                    '&cost_currency=') + 15,
                  3)),
              NULL),
            0)),
        'not_agreed',
        NULL) AS currencyReason,
      coalesce(instr('&' || iif((j.value ->> 'kind') = 'click',
            p.click_parameters,
            p.impression_parameters),
          '&campaign='),
        0) > 0 AS named2,
      coalesce(instr('&' || iif((j.value ->> 'kind') = 'click',
            p.click_parameters,
            p.impression_parameters),
          '&adgroup='),
        0) > 0 AS named3,
      coalesce(instr('&' || iif((j.value ->> 'kind') = 'click',
            p.click_parameters,
            p.impression_parameters),
          '&creative='),
        0) > 0 AS named4,
      NULL AS reason2,
      NULL AS reason3,
      NULL AS reason4
    FROM json_each(?) j
    CROSS JOIN links o ON o.token = (j.value ->> 'linkToken')
    LEFT JOIN links l1 ON l1.id = o.parent_id
    LEFT JOIN links l2 ON l2.id = l1.parent_id
    LEFT JOIN links l3 ON l3.id = l2.parent_id
    LEFT JOIN partners p ON p.id = coalesce(o.partner_id, l1.partner_id, l2.partner_id, l3.partner_id) ), level2 AS (
    SELECT x.message AS message, iif((c.id IS NOT NULL
        AND c.partner_id IS NULL OR c.partner_id = x.partnerId), c.id, x.linkId) AS linkId, iif((c.id IS NOT NULL
        AND c.partner_id IS NULL OR c.partner_id = x.partnerId),
        c.level,
        x.level) AS level,
      x.openedLevel AS openedLevel,
      x.appToken AS appToken,
      x.partnerId AS partnerId,
      iif((c.id IS NOT NULL
        AND c.partner_id IS NULL OR c.partner_id = x.partnerId),
        coalesce(c.cost_switch,
          x.costSwitch),
        x.costSwitch) AS costSwitch,
      x.takesCosts AS takesCosts,
      x.takesPrice AS takesPrice,
      x.currencyReason AS currencyReason,
      x.named2 AS named2,
      x.named3 AS named3,
      x.named4 AS named4,
      CASE WHEN x.openedLevel > 1 OR NOT x.named2 THEN NULL WHEN (x.message ->> '$.subLinks[0].reason') IS NOT NULL THEN (x.message ->> '$.subLinks[0].reason') WHEN iif(x.named2,
        (x.message ->> '$.subLinks[0].name'),
        NULL) IS NULL THEN NULL WHEN x.level < 1 THEN 'missing_level' WHEN c.id IS NULL THEN 'too_many_links' WHEN NOT (c.id IS NOT NULL
      AND c.partner_id IS NULL OR c.partner_id = x.partnerId) THEN 'other_partner' END AS reason2,
      x.reason3 AS reason3,
      x.reason4 AS reason4
    FROM level1 x
    LEFT JOIN links c ON c.id = (
      SELECT min(s.id)
      FROM links s INDEXED BY links_by_match_name
      WHERE s.app_token = x.appToken
      AND s.parent_id = x.linkId
      AND s.match_name = iif(x.named2, (x.message ->> '$.subLinks[0].name'), NULL) )
    AND x.level = 1 )
  SELECT *
  FROM level2) x
CROSS JOIN apps a ON a.token = x.appToken
WHERE json(iif(EXISTS (
      SELECT 1
      FROM shard_identity
      WHERE shard_identity.id = 1
      AND shard_identity.shards = ?
      AND shard_identity.shard_index IS ? ), 'true', 'another shard')) = 'true'
AND (x.level = 2 OR NOT ?)
ORDER BY (x.message ->> 'occurredAt')
RETURNING cost_id AS costId, cost_data_on AS costDataOn, dropped AS dropped, (SELECT l.level
  FROM links l
  WHERE l.id = recordings.link_id) AS level, (SELECT iif(recordings.kind = 'click', e.click_at, e.impression_at)
  FROM ledger_entries e
  WHERE e.partner_id = recordings.partner_id
  AND e.cost_id = recordings.cost_id) AS keptAt,
  iif(recordings.is_elsewhere,
    json_object('appToken',
      recordings.app_token,
      'linkId',
      recordings.link_id,
      'partnerId',
      recordings.partner_id,
      'kind',
      recordings.kind,
      'occurredAt',
      recordings.occurred_at,
      'costId',
      recordings.cost_id,
      'costDataOn',
      recordings.cost_data_on,
      'urlCostType',
      recordings.url_cost_type,
      'urlCurrency',
      recordings.url_currency,
      'urlAmount',
      recordings.url_amount,
      'priceCounts',
      recordings.price_counts,
      'country',
      recordings.country,
      'platform',
      recordings.platform),
    NULL) AS elsewhere;

-- src/db/ledger/engagements.ts: rows read 15, written 2
-- SCAN j VIRTUAL TABLE INDEX 1:
-- SCALAR SUBQUERY 7
--   SEARCH shard_identity USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH o USING INDEX links_token_unique (token=?)
-- SEARCH l1 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l2 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l3 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH p USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH c USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- CORRELATED SCALAR SUBQUERY 2
--   SEARCH s USING INDEX links_by_match_name (app_token=? AND parent_id=? AND match_name=?)
-- SEARCH c USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- CORRELATED SCALAR SUBQUERY 4
--   SEARCH s USING INDEX links_by_match_name (app_token=? AND parent_id=? AND match_name=?)
-- SEARCH a USING INDEX apps_token_unique (token=?)
-- USE TEMP B-TREE FOR ORDER BY
-- CORRELATED SCALAR SUBQUERY 9
--   SEARCH l USING INTEGER PRIMARY KEY (rowid=?)
-- CORRELATED SCALAR SUBQUERY 10
--   SEARCH e USING PRIMARY KEY (partner_id=? AND cost_id=?)
INSERT INTO recordings (app_token,
    link_id,
    partner_id,
    kind,
    occurred_at,
    cost_id,
    cost_data_on,
    url_cost_type,
    url_currency,
    url_amount,
    price_counts,
    dropped,
    recorded_at,
    is_elsewhere,
    country,
    platform,
    count)
SELECT x.appToken,
  x.linkId,
  x.partnerId,
  (x.message ->> 'kind'),
  (x.message ->> 'occurredAt'),
  iif(x.partnerId IS NULL OR ((x.message ->> 'isGenerated')
    AND NOT coalesce(x.costSwitch
      AND x.takesCosts
      AND x.takesPrice, 0)), NULL, (x.message ->> 'costId')), x.costSwitch
AND x.takesCosts,
  (x.message ->> 'urlCostType'),
  (x.message ->> 'urlCurrency'),
  (x.message ->> 'urlAmount'),
  coalesce(x.costSwitch
  AND x.takesCosts
  AND x.takesPrice, 0), json_insert((x.message ->> 'dropped'), iif(iif(x.costSwitch
      AND x.takesCosts, x.currencyReason, NULL) IS NULL, '$', '$[#]'), json_array('cost_currency', iif(x.costSwitch
      AND x.takesCosts,
        x.currencyReason,
        NULL)),
    iif(x.reason2 IS NULL,
      '$',
      '$[#]'),
    json_array('campaign',
      x.reason2),
    iif(x.reason3 IS NULL,
      '$',
      '$[#]'),
    json_array('adgroup',
      x.reason3),
    iif(x.reason4 IS NULL,
      '$',
      '$[#]'),
    json_array('creative',
      x.reason4)),
  ?,
  ?
AND iif(x.partnerId IS NULL OR ((x.message ->> 'isGenerated')
    AND NOT coalesce(x.costSwitch
      AND x.takesCosts
      AND x.takesPrice,
        0)),
    NULL,
    (x.message ->> 'costId')) IS NOT NULL,
  iif(a.audience,
    coalesce((x.message ->> 'country'),
      'XX'),
    NULL),
  iif(a.audience,
    coalesce((x.message ->> 'platform'),
      'other'),
    NULL),
  (x.message ->> 'count')
FROM (WITH level1 AS (
    SELECT j.value AS message,
      o.id AS linkId,
      o.level AS level,
      o.level AS openedLevel,
      o.app_token AS appToken,
      p.id AS partnerId,
      coalesce(o.cost_switch,
        l1.cost_switch,
        l2.cost_switch,
        l3.cost_switch,
        0) AS costSwitch,
      p.supports_cost_data
    AND p.stopped_at IS NULL AS takesCosts,
      p.integrated_types & CASE j.value ->> 'urlCostType' WHEN 'cpc' THEN 1 WHEN 'cpi' THEN 2 WHEN 'cpe' THEN 4 WHEN 'cpm' THEN 8 END
    AND (j.value ->> 'urlAmount') <= iif(instr('&' || p.cost_parameters, '&cost_amount='), p.max_url_amount, -1)
    AND (j.value ->> 'urlCostType' IS NOT NULL
      AND j.value ->> 'urlCurrency' IS NOT NULL
      AND j.value ->> 'urlAmount' IS NOT NULL)
    AND NOT ((j.value ->> 'urlCostType' IS NOT NULL
        AND j.value ->> 'urlCurrency' IS NOT NULL
        AND j.value ->> 'urlAmount' IS NOT NULL)
      AND coalesce((j.value ->> 'urlCurrency') <> iif(instr('&' || p.cost_parameters || '&', '&cost_currency=')
          AND substr('&' || p.cost_parameters || '&',
              instr('&' || p.cost_parameters || '&',
                '&cost_currency=') + 15,
              4) GLOB '[A-Za-z][A-Za-z][A-Za-z]&',
            upper(substr('&' || p.cost_parameters || '&',
                instr('&' || p.cost_parameters || '&',
                  '&cost_currency=') + 15,
                3)),
            NULL),
          0)) AS takesPrice,
      iif(((j.value ->> 'urlCostType' IS NOT NULL
          AND j.value ->> 'urlCurrency' IS NOT NULL
          AND j.value ->> 'urlAmount' IS NOT NULL)
        AND coalesce((j.value ->> 'urlCurrency') <> iif(instr('&' || p.cost_parameters || '&', '&cost_currency=')
            AND substr('&' || p.cost_parameters || '&',
                instr('&' || p.cost_parameters || '&',
                  '&cost_currency=') + 15,
                4) GLOB '[A-Za-z][A-Za-z][A-Za-z]&',
              upper(substr('&' || p.cost_parameters || '&',
                  instr('&' || p.cost_parameters || '&',
                    '&cost_currency=') + 15,
                  3)),
              NULL),
            0)),
        'not_agreed',
        NULL) AS currencyReason,
      coalesce(instr('&' || iif((j.value ->> 'kind') = 'click',
            p.click_parameters,
            p.impression_parameters),
          '&campaign='),
        0) > 0 AS named2,
      coalesce(instr('&' || iif((j.value ->> 'kind') = 'click',
            p.click_parameters,
            p.impression_parameters),
          '&adgroup='),
        0) > 0 AS named3,
      coalesce(instr('&' || iif((j.value ->> 'kind') = 'click',
            p.click_parameters,
            p.impression_parameters),
          '&creative='),
        0) > 0 AS named4,
      NULL AS reason2,
      NULL AS reason3,
      NULL AS reason4
    FROM json_each(?) j
    CROSS JOIN links o ON o.token = (j.value ->> 'linkToken')
    LEFT JOIN links l1 ON l1.id = o.parent_id
    LEFT JOIN links l2 ON l2.id = l1.parent_id
    LEFT JOIN links l3 ON l3.id = l2.parent_id
    LEFT JOIN partners p ON p.id = coalesce(o.partner_id, l1.partner_id, l2.partner_id, l3.partner_id) ), level2 AS (
    SELECT x.message AS message, iif((c.id IS NOT NULL
        AND c.partner_id IS NULL OR c.partner_id = x.partnerId), c.id, x.linkId) AS linkId, iif((c.id IS NOT NULL
        AND c.partner_id IS NULL OR c.partner_id = x.partnerId),
        c.level,
        x.level) AS level,
      x.openedLevel AS openedLevel,
      x.appToken AS appToken,
      x.partnerId AS partnerId,
      iif((c.id IS NOT NULL
        AND c.partner_id IS NULL OR c.partner_id = x.partnerId),
        coalesce(c.cost_switch,
          x.costSwitch),
        x.costSwitch) AS costSwitch,
      x.takesCosts AS takesCosts,
      x.takesPrice AS takesPrice,
      x.currencyReason AS currencyReason,
      x.named2 AS named2,
      x.named3 AS named3,
      x.named4 AS named4,
      CASE WHEN x.openedLevel > 1 OR NOT x.named2 THEN NULL WHEN (x.message ->> '$.subLinks[0].reason') IS NOT NULL THEN (x.message ->> '$.subLinks[0].reason') WHEN iif(x.named2,
        (x.message ->> '$.subLinks[0].name'),
        NULL) IS NULL THEN NULL WHEN x.level < 1 THEN 'missing_level' WHEN c.id IS NULL THEN 'too_many_links' WHEN NOT (c.id IS NOT NULL
      AND c.partner_id IS NULL OR c.partner_id = x.partnerId) THEN 'other_partner' END AS reason2,
      x.reason3 AS reason3,
      x.reason4 AS reason4
    FROM level1 x
    LEFT JOIN links c ON c.id = (
      SELECT min(s.id)
      FROM links s INDEXED BY links_by_match_name
      WHERE s.app_token = x.appToken
      AND s.parent_id = x.linkId
      AND s.match_name = iif(x.named2, (x.message ->> '$.subLinks[0].name'), NULL) )
    AND x.level = 1 ), level3 AS (
    SELECT x.message AS message, iif((c.id IS NOT NULL
        AND c.partner_id IS NULL OR c.partner_id = x.partnerId), c.id, x.linkId) AS linkId, iif((c.id IS NOT NULL
        AND c.partner_id IS NULL OR c.partner_id = x.partnerId),
        c.level,
        x.level) AS level,
      x.openedLevel AS openedLevel,
      x.appToken AS appToken,
      x.partnerId AS partnerId,
      iif((c.id IS NOT NULL
        AND c.partner_id IS NULL OR c.partner_id = x.partnerId),
        coalesce(c.cost_switch,
          x.costSwitch),
        x.costSwitch) AS costSwitch,
      x.takesCosts AS takesCosts,
      x.takesPrice AS takesPrice,
      x.currencyReason AS currencyReason,
      x.named2 AS named2,
      x.named3 AS named3,
      x.named4 AS named4,
      x.reason2 AS reason2,
      CASE WHEN x.openedLevel > 2 OR NOT x.named3 THEN NULL WHEN (x.message ->> '$.subLinks[1].reason') IS NOT NULL THEN (x.message ->> '$.subLinks[1].reason') WHEN iif(x.named3,
        (x.message ->> '$.subLinks[1].name'),
        NULL) IS NULL THEN NULL WHEN x.level < 2 THEN 'missing_level' WHEN c.id IS NULL THEN 'too_many_links' WHEN NOT (c.id IS NOT NULL
      AND c.partner_id IS NULL OR c.partner_id = x.partnerId) THEN 'other_partner' END AS reason3, x.reason4 AS reason4
    FROM level2 x
    LEFT JOIN links c ON c.id = (
      SELECT min(s.id)
      FROM links s INDEXED BY links_by_match_name
      WHERE s.app_token = x.appToken
      AND s.parent_id = x.linkId
      AND s.match_name = iif(x.named3, (x.message ->> '$.subLinks[1].name'), NULL) )
    AND x.level = 2 )
  SELECT *
  FROM level3) x
CROSS JOIN apps a ON a.token = x.appToken
WHERE json(iif(EXISTS (
      SELECT 1
      FROM shard_identity
      WHERE shard_identity.id = 1
      AND shard_identity.shards = ?
      AND shard_identity.shard_index IS ? ), 'true', 'another shard')) = 'true'
AND (x.level = 3 OR NOT ?)
ORDER BY (x.message ->> 'occurredAt')
RETURNING cost_id AS costId, cost_data_on AS costDataOn, dropped AS dropped, (SELECT l.level
  FROM links l
  WHERE l.id = recordings.link_id) AS level, (SELECT iif(recordings.kind = 'click', e.click_at, e.impression_at)
  FROM ledger_entries e
  WHERE e.partner_id = recordings.partner_id
  AND e.cost_id = recordings.cost_id) AS keptAt,
  iif(recordings.is_elsewhere,
    json_object('appToken',
      recordings.app_token,
      'linkId',
      recordings.link_id,
      'partnerId',
      recordings.partner_id,
      'kind',
      recordings.kind,
      'occurredAt',
      recordings.occurred_at,
      'costId',
      recordings.cost_id,
      'costDataOn',
      recordings.cost_data_on,
      'urlCostType',
      recordings.url_cost_type,
      'urlCurrency',
      recordings.url_currency,
      'urlAmount',
      recordings.url_amount,
      'priceCounts',
      recordings.price_counts,
      'country',
      recordings.country,
      'platform',
      recordings.platform),
    NULL) AS elsewhere;

-- src/db/ledger/purge/audience.ts: rows read 12, written 0
-- SEARCH daily_audience USING PRIMARY KEY (app_token=? AND link_id=? AND day=? AND partner_id=? AND kind=? AND country=? AND platform=?)
-- LIST SUBQUERY 6
--   MATERIALIZE counted
--     SETUP
--       SCAN j VIRTUAL TABLE INDEX 1:
--       CORRELATED SCALAR SUBQUERY 1
--         SEARCH d USING PRIMARY KEY (app_token=? AND link_id>?)
--     RECURSIVE STEP
--       SCAN counted
--       CORRELATED SCALAR SUBQUERY 3
--         SEARCH d USING PRIMARY KEY (app_token=? AND link_id>?)
--   SCAN counted
--   SEARCH d USING PRIMARY KEY (app_token=? AND link_id=? AND day<?)
DELETE
FROM daily_audience
WHERE (app_token, link_id, day, partner_id, kind, country, platform) IN ( WITH RECURSIVE counted(app, link) AS (
    SELECT j.value, (SELECT min(d.link_id)
      FROM daily_audience d
      WHERE d.app_token = j.value
      AND d.link_id > ?)
    FROM json_each(?) j
    UNION ALL
    SELECT app, (SELECT min(d.link_id)
      FROM daily_audience d
      WHERE d.app_token = counted.app
      AND d.link_id > counted.link)
    FROM counted
    WHERE link <= ? )
  SELECT app_token, link_id, day, partner_id, kind, country, platform
  FROM counted
  CROSS JOIN daily_audience d ON d.app_token = counted.app
  AND d.link_id = counted.link
  AND d.day < ?
  WHERE counted.link <= ?
  LIMIT ? + 0 )
RETURNING 1;

-- src/db/ledger/purge/audience.ts: rows read 12, written 0
-- SEARCH daily_audience_spend USING PRIMARY KEY (app_token=? AND link_id=? AND day=? AND partner_id=? AND cost_type=? AND currency=? AND state=? AND country=? AND platform=?)
-- LIST SUBQUERY 6
--   MATERIALIZE counted
--     SETUP
--       SCAN j VIRTUAL TABLE INDEX 1:
--       CORRELATED SCALAR SUBQUERY 1
--         SEARCH d USING PRIMARY KEY (app_token=? AND link_id>?)
--     RECURSIVE STEP
--       SCAN counted
--       CORRELATED SCALAR SUBQUERY 3
--         SEARCH d USING PRIMARY KEY (app_token=? AND link_id>?)
--   SCAN counted
--   SEARCH d USING PRIMARY KEY (app_token=? AND link_id=? AND day<?)
DELETE
FROM daily_audience_spend
WHERE (app_token,
    link_id,
    day,
    partner_id,
    cost_type,
    currency,
    state,
    country,
    platform) IN ( WITH RECURSIVE counted(app,
      link) AS (
    SELECT j.value, (SELECT min(d.link_id)
      FROM daily_audience_spend d
      WHERE d.app_token = j.value
      AND d.link_id > ?)
    FROM json_each(?) j
    UNION ALL
    SELECT app, (SELECT min(d.link_id)
      FROM daily_audience_spend d
      WHERE d.app_token = counted.app
      AND d.link_id > counted.link)
    FROM counted
    WHERE link <= ? )
  SELECT app_token, link_id, day, partner_id, cost_type, currency, state, country, platform
  FROM counted
  CROSS JOIN daily_audience_spend d ON d.app_token = counted.app
  AND d.link_id = counted.link
  AND d.day < ?
  WHERE counted.link <= ?
  LIMIT ? + 0 )
RETURNING 1;

-- src/db/ledger/purge/audience.ts: rows read 3, written 0
-- SEARCH links
-- SCALAR SUBQUERY 1
--   SCAN apps USING COVERING INDEX apps_token_unique
SELECT (SELECT json_group_array(apps.token)
  FROM apps) AS apps, coalesce(max(links.id), 0) AS links
FROM links;

-- src/db/ledger/purge/entries.ts: rows read 128, written 42
-- SEARCH ledger_entries USING PRIMARY KEY ((partner_id,cost_id)>(?,?) AND (partner_id,cost_id)<(?,?))
-- SCALAR SUBQUERY 1
--   SEARCH p USING PRIMARY KEY (ledger_table=?)
-- SCALAR SUBQUERY 2
--   SEARCH p USING PRIMARY KEY (ledger_table=?)
-- REUSE SUBQUERY 1
-- REUSE SUBQUERY 2
DELETE
FROM ledger_entries
WHERE (ledger_entries.partner_id, ledger_entries.cost_id) > (SELECT +p.after_partner_id, +p.after_cost_id
  FROM purge_positions p
  WHERE p.ledger_table = 'ledger_entries')
AND (ledger_entries.partner_id,
    ledger_entries.cost_id) <= (SELECT coalesce(p.until_partner_id,
      9223372036854775807),
    coalesce(p.until_cost_id,
      '')
  FROM purge_positions p
  WHERE p.ledger_table = 'ledger_entries')
AND ledger_entries.remembered_until < ?;

-- src/db/ledger/purge/entries.ts: rows read 1, written 1
-- SEARCH archive_state USING INTEGER PRIMARY KEY (rowid=?)
UPDATE archive_state SET is_on = 0, failing_since = NULL
WHERE archive_state.id = 1
AND archive_state.is_on;

-- src/db/ledger/purge/entries.ts: rows read 44, written 1
-- SEARCH purge_positions USING PRIMARY KEY (ledger_table=?)
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH e USING PRIMARY KEY ((partner_id,cost_id)>(?,?))
UPDATE purge_positions SET (after_partner_id,
    after_cost_id) = (coalesce(purge_positions.until_partner_id,
      -1),
    coalesce(purge_positions.until_cost_id,
      '')),
  (until_partner_id,
    until_cost_id) = (
  SELECT e.partner_id, e.cost_id
  FROM ledger_entries e
  WHERE (e.partner_id,
      e.cost_id) > (coalesce(purge_positions.until_partner_id,
        -1),
      coalesce(purge_positions.until_cost_id,
        ''))
  ORDER BY e.partner_id, e.cost_id
  LIMIT 1 OFFSET ? - 1 ), walked_at = ?, walk = max(purge_positions.walk, ?), attempts = 0
WHERE purge_positions.ledger_table = 'ledger_entries'
RETURNING purge_positions.until_partner_id IS NULL AS finished;

-- src/db/ledger/rejections.ts: rows read 0, written 1
-- SCAN CONSTANT ROW
INSERT INTO daily_rejections (partner_id, app_token, day, code, count)
SELECT ?, '', ?, 'invalid_request', ?
WHERE true
ON CONFLICT DO UPDATE SET count = count + excluded.count;

-- src/db/ledger/rejections.ts: rows read 4, written 0
-- CO-ROUTINE (subquery-5)
--   CO-ROUTINE pairs
--     SETUP
--       SCAN CONSTANT ROW
--       SCALAR SUBQUERY 1
--         SEARCH r USING PRIMARY KEY (partner_id=?)
--     RECURSIVE STEP
--       SCAN pairs
--       CORRELATED SCALAR SUBQUERY 3
--         SEARCH r USING PRIMARY KEY (partner_id=? AND app_token>?)
--   SCAN pairs
--   SEARCH r USING PRIMARY KEY (partner_id=? AND app_token=? AND day>? AND day<?)
-- SCAN (subquery-5)
-- USE TEMP B-TREE FOR GROUP BY
SELECT day AS day, code AS code, sum(count) AS count, count(*) AS scanned
FROM ( WITH RECURSIVE pairs(partner_id, app) AS (
    SELECT ?, (SELECT min(r.app_token)
      FROM daily_rejections r
      WHERE r.partner_id = ? )
    UNION ALL
    SELECT partner_id, (SELECT min(r.app_token)
      FROM daily_rejections r
      WHERE r.partner_id = pairs.partner_id
      AND r.app_token > pairs.app)
    FROM pairs
    WHERE app IS NOT NULL )
  SELECT r.day AS day, r.code AS code, r.count AS count
  FROM pairs
  CROSS JOIN daily_rejections r ON r.partner_id = pairs.partner_id
  AND r.app_token = pairs.app
  AND r.day BETWEEN ? AND ?
  WHERE pairs.app = coalesce(?, pairs.app)
  LIMIT 200001 )
GROUP BY day, code;

-- src/db/ledger/rejections.ts: rows read 13, written 0
-- SCAN partners
-- SEARCH r USING PRIMARY KEY (partner_id=? AND app_token=? AND day>? AND day<?)
-- SCALAR SUBQUERY 1
--   SEARCH s USING PRIMARY KEY (id_hash=?)
--   SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
-- USE TEMP B-TREE FOR GROUP BY
SELECT r.partner_id AS partnerId, r.code AS code, sum(r.count) AS count
FROM partners
CROSS JOIN daily_rejections r ON r.partner_id = partners.id
AND r.app_token = (SELECT m.app_token
  FROM sessions s
  CROSS JOIN memberships m ON m.user_id = s.user_id
  AND m.app_token = ?
  WHERE s.id_hash = ?
  AND s.expires_at > ?
  AND s.last_seen_at > ? - 7200000
  AND s.waiting_secret IS NULL)
AND r.day BETWEEN ? AND ?
GROUP BY r.partner_id, r.code;

-- src/db/ledger/reports/adjustments.ts: rows read 4, written 0
-- SEARCH s USING PRIMARY KEY (id_hash=?)
-- SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
-- SEARCH a USING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
-- SEARCH l USING INTEGER PRIMARY KEY (rowid=?)
-- USE TEMP B-TREE FOR LAST TERM OF ORDER BY
SELECT a.day AS day,
  l.token AS token,
  l.label AS label,
  a.partner_id AS partnerId,
  a.cost_type AS costType,
  a.currency AS currency,
  CAST(a.amount AS TEXT) AS amount,
  a.reason AS reason
FROM sessions s
CROSS JOIN memberships m ON m.user_id = s.user_id
AND m.app_token = ?
CROSS JOIN adjustments a ON a.app_token = m.app_token
AND a.day BETWEEN ? AND ?
AND (? IS NULL OR a.partner_id = ?)
AND (? IS NULL OR a.cost_type = ?)
CROSS JOIN links l ON l.id = a.link_id
WHERE s.id_hash = ?
AND s.expires_at > ?
AND s.last_seen_at > ? - 7200000
AND s.waiting_secret IS NULL
ORDER BY a.day DESC, a.id DESC
LIMIT 100;

-- src/db/ledger/reports/adjustments.ts: rows read 4, written 0
-- SEARCH s USING PRIMARY KEY (id_hash=?)
-- SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
-- SEARCH a USING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
-- LIST SUBQUERY 3
--   MATERIALIZE below
--     SETUP
--       SEARCH c USING INDEX links_token_unique (token=?)
--     RECURSIVE STEP
--       SCAN below
--       SEARCH c USING COVERING INDEX links_by_parent (app_token=? AND parent_id=?)
--   SCAN below
--   CREATE BLOOM FILTER
-- SEARCH l USING INTEGER PRIMARY KEY (rowid=?)
-- USE TEMP B-TREE FOR LAST TERM OF ORDER BY
SELECT a.day AS day,
  l.token AS token,
  l.label AS label,
  a.partner_id AS partnerId,
  a.cost_type AS costType,
  a.currency AS currency,
  CAST(a.amount AS TEXT) AS amount,
  a.reason AS reason
FROM sessions s
CROSS JOIN memberships m ON m.user_id = s.user_id
AND m.app_token = ?
CROSS JOIN adjustments a ON a.app_token = m.app_token
AND a.day BETWEEN ? AND ?
AND (? IS NULL OR a.partner_id = ?)
AND (? IS NULL OR a.cost_type = ?)
AND a.link_id IN (WITH RECURSIVE below(id) AS (
    SELECT c.id
    FROM links c
    WHERE c.token = ?
    AND c.app_token = ?
    UNION ALL
    SELECT c.id
    FROM below
    CROSS JOIN links c INDEXED BY links_by_parent ON c.app_token = ?
    AND c.parent_id = below.id )
  SELECT id
  FROM below)
CROSS JOIN links l ON l.id = a.link_id
WHERE s.id_hash = ?
AND s.expires_at > ?
AND s.last_seen_at > ? - 7200000
AND s.waiting_secret IS NULL
ORDER BY a.day DESC, a.id DESC
LIMIT 100;

-- src/db/ledger/reports/link-figures.ts: rows read 12, written 0
-- CO-ROUTINE covered
--   CO-ROUTINE (subquery-6)
--     COMPOUND QUERY
--       LEFT-MOST SUBQUERY
--         SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 1
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       UNION ALL
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 3
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       UNION ALL
--         SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 5
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--   USE TEMP B-TREE FOR json_group_array(DISTINCT)
--   SCAN (subquery-6)
-- SCAN covered
-- SCAN j VIRTUAL TABLE INDEX 1:
-- SEARCH l USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH l1 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l2 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l3 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
SELECT l.id AS id, l.level AS level, l1.id AS id1, l2.id AS id2, l3.id AS id3
FROM (
  SELECT j.value AS id
  FROM (
    SELECT count(*) AS size , json_group_array(DISTINCT id) FILTER (WHERE id IS NOT NULL) AS ids
    FROM (SELECT iif((? IS NULL OR d.partner_id = ?)
        AND (? IS NULL OR d.cost_type = ?)
        AND (? IS NULL OR d.currency = ?) , d.link_id, NULL) AS id
      FROM daily_totals d
      WHERE d.app_token = (SELECT m.app_token
        FROM sessions s
        CROSS JOIN memberships m ON m.user_id = s.user_id
        AND m.app_token = ?
        WHERE s.id_hash = ?
        AND s.expires_at > ?
        AND s.last_seen_at > ? - 7200000
        AND s.waiting_secret IS NULL)
      AND d.day BETWEEN ? AND ?
      UNION ALL
      SELECT iif((? IS NULL OR a.partner_id = ?)
        AND (? IS NULL OR a.cost_type = ?)
        AND (? IS NULL OR a.currency = ?) , a.link_id, NULL) AS id
      FROM adjustments a
      WHERE a.app_token = (SELECT m.app_token
        FROM sessions s
        CROSS JOIN memberships m ON m.user_id = s.user_id
        AND m.app_token = ?
        WHERE s.id_hash = ?
        AND s.expires_at > ?
        AND s.last_seen_at > ? - 7200000
        AND s.waiting_secret IS NULL)
      AND a.day BETWEEN ? AND ?
      UNION ALL
      SELECT iif((? IS NULL OR e.partner_id = ?)
        AND (? IS NULL OR e.kind = ?) , e.link_id, NULL) AS id
      FROM daily_engagements e
      WHERE e.app_token = (SELECT m.app_token
        FROM sessions s
        CROSS JOIN memberships m ON m.user_id = s.user_id
        AND m.app_token = ?
        WHERE s.id_hash = ?
        AND s.expires_at > ?
        AND s.last_seen_at > ? - 7200000
        AND s.waiting_secret IS NULL)
      AND e.day BETWEEN ? AND ?
      LIMIT 200000 + 1) ) covered
  CROSS JOIN json_each(json_extract(covered.ids, iif(covered.size > 200000, 'report_too_large', '$'))) j) ids
CROSS JOIN links l ON l.id = ids.id
LEFT JOIN links l1 ON l1.id = l.parent_id
LEFT JOIN links l2 ON l2.id = l1.parent_id
LEFT JOIN links l3 ON l3.id = l2.parent_id;

-- src/db/ledger/reports/link-figures.ts: rows read 46, written 0
-- CO-ROUTINE covered
--   CO-ROUTINE (subquery-11)
--     COMPOUND QUERY
--       LEFT-MOST SUBQUERY
--         SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 4
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--         LIST SUBQUERY 3
--           MATERIALIZE below
--             SETUP
--               SEARCH c USING INDEX links_token_unique (token=?)
--             RECURSIVE STEP
--               SCAN below
--               SEARCH c USING COVERING INDEX links_by_parent (app_token=? AND parent_id=?)
--           SCAN below
--           CREATE BLOOM FILTER
--       UNION ALL
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 7
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--         LIST SUBQUERY 6
--           SCAN below
--           CREATE BLOOM FILTER
--       UNION ALL
--         SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 10
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--         LIST SUBQUERY 9
--           SCAN below
--           CREATE BLOOM FILTER
--   USE TEMP B-TREE FOR json_group_array(DISTINCT)
--   SCAN (subquery-11)
-- SCAN covered
-- SCAN j VIRTUAL TABLE INDEX 1:
-- SEARCH l USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH l1 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l2 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l3 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
SELECT l.id AS id, l.level AS level, l1.id AS id1, l2.id AS id2, l3.id AS id3
FROM (WITH RECURSIVE below(id) AS (
    SELECT c.id
    FROM links c
    WHERE c.token = ?
    AND c.app_token = ?
    UNION ALL
    SELECT c.id
    FROM below
    CROSS JOIN links c INDEXED BY links_by_parent ON c.app_token = ?
    AND c.parent_id = below.id )
  SELECT j.value AS id
  FROM (
    SELECT count(*) AS size , json_group_array(DISTINCT id) FILTER (WHERE id IS NOT NULL) AS ids
    FROM (SELECT iif((? IS NULL OR d.partner_id = ?)
        AND (? IS NULL OR d.cost_type = ?)
        AND (? IS NULL OR d.currency = ?)
        AND d.link_id IN (SELECT id
          FROM below), d.link_id, NULL) AS id
      FROM daily_totals d
      WHERE d.app_token = (SELECT m.app_token
        FROM sessions s
        CROSS JOIN memberships m ON m.user_id = s.user_id
        AND m.app_token = ?
        WHERE s.id_hash = ?
        AND s.expires_at > ?
        AND s.last_seen_at > ? - 7200000
        AND s.waiting_secret IS NULL)
      AND d.day BETWEEN ? AND ?
      UNION ALL
      SELECT iif((? IS NULL OR a.partner_id = ?)
        AND (? IS NULL OR a.cost_type = ?)
        AND (? IS NULL OR a.currency = ?)
        AND a.link_id IN (SELECT id
          FROM below), a.link_id, NULL) AS id
      FROM adjustments a
      WHERE a.app_token = (SELECT m.app_token
        FROM sessions s
        CROSS JOIN memberships m ON m.user_id = s.user_id
        AND m.app_token = ?
        WHERE s.id_hash = ?
        AND s.expires_at > ?
        AND s.last_seen_at > ? - 7200000
        AND s.waiting_secret IS NULL)
      AND a.day BETWEEN ? AND ?
      UNION ALL
      SELECT iif((? IS NULL OR e.partner_id = ?)
        AND (? IS NULL OR e.kind = ?)
        AND e.link_id IN (SELECT id
          FROM below), e.link_id, NULL) AS id
      FROM daily_engagements e
      WHERE e.app_token = (SELECT m.app_token
        FROM sessions s
        CROSS JOIN memberships m ON m.user_id = s.user_id
        AND m.app_token = ?
        WHERE s.id_hash = ?
        AND s.expires_at > ?
        AND s.last_seen_at > ? - 7200000
        AND s.waiting_secret IS NULL)
      AND e.day BETWEEN ? AND ?
      LIMIT 200000 + 1) ) covered
  CROSS JOIN json_each(json_extract(covered.ids, iif(covered.size > 200000, 'report_too_large', '$'))) j) ids
CROSS JOIN links l ON l.id = ids.id
LEFT JOIN links l1 ON l1.id = l.parent_id
LEFT JOIN links l2 ON l2.id = l1.parent_id
LEFT JOIN links l3 ON l3.id = l2.parent_id;

-- src/db/ledger/reports/link-figures.ts: rows read 2, written 0
-- SCAN j VIRTUAL TABLE INDEX 1:
-- SEARCH links USING INDEX links_token_unique (token=?)
SELECT links.id AS id, links.token AS token
FROM json_each(?) j
CROSS JOIN links ON links.token = j.value
AND links.app_token = ?;

-- src/db/ledger/reports/link-figures.ts: rows read 45, written 0
-- COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--     CO-ROUTINE (subquery-6)
--       CO-ROUTINE (subquery-5)
--         SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 3
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--         LIST SUBQUERY 4
--           MATERIALIZE below
--             SETUP
--               SEARCH c USING INDEX links_token_unique (token=?)
--             RECURSIVE STEP
--               SCAN below
--               SEARCH c USING COVERING INDEX links_by_parent (app_token=? AND parent_id=?)
--           SCAN below
--           CREATE BLOOM FILTER
--       SCAN (subquery-5)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-6)
--   UNION ALL
--     CO-ROUTINE (subquery-11)
--       CO-ROUTINE (subquery-10)
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 8
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--         LIST SUBQUERY 9
--           SCAN below
--           CREATE BLOOM FILTER
--       SCAN (subquery-10)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-11)
WITH RECURSIVE below(id) AS (
  SELECT c.id
  FROM links c
  WHERE c.token = ?
  AND c.app_token = ?
  UNION ALL
  SELECT c.id
  FROM below
  CROSS JOIN links c INDEXED BY links_by_parent ON c.app_token = ?
  AND c.parent_id = below.id )
SELECT appToken AS appToken,
  NULL AS day,
  linkId AS linkId,
  NULL AS partnerId,
  costType AS costType,
  currency AS currency,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT appToken,
    linkId,
    costType,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced
  FROM (SELECT d.app_token AS appToken,
      d.day AS day,
      d.link_id AS linkId,
      d.partner_id AS partnerId,
      d.cost_type AS costType,
      d.currency AS currency,
      sum(iif(d.state = 'matched',
          d.amount / iif(d.cost_type IN ('cpm'),
            100000000,
            100000),
          0)) AS costsWhole,
      sum(iif(d.state = 'matched',
          iif(d.cost_type IN ('cpm'),
            d.amount % 100000000,
            d.amount % 100000 * 1000),
          0)) AS costsRest,
      0 AS adjustedWhole,
      0 AS adjustedRest,
      sum(iif(d.state = 'matched',
          d.count,
          0)) AS matched,
      sum(iif(d.state = 'unpriced',
          d.count,
          0)) AS unpriced
    FROM daily_totals d
    WHERE d.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND d.day BETWEEN ? AND ?
    AND (? IS NULL OR d.partner_id = ?)
    AND (? IS NULL OR d.cost_type = ?)
    AND (? IS NULL OR d.currency = ?)
    AND d.link_id IN (SELECT id
      FROM below)
    GROUP BY d.app_token, d.day, d.link_id, d.partner_id, d.cost_type, d.currency)
  GROUP BY appToken, linkId, costType, currency)
WHERE matched > 0 OR unpriced > 0
UNION ALL
SELECT appToken AS appToken,
  NULL AS day,
  linkId AS linkId,
  NULL AS partnerId,
  costType AS costType,
  currency AS currency,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT appToken,
    linkId,
    costType,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced
  FROM (SELECT a.app_token AS appToken,
      a.day AS day,
      a.link_id AS linkId,
      a.partner_id AS partnerId,
      a.cost_type AS costType,
      a.currency AS currency,
      0 AS costsWhole,
      0 AS costsRest,
      sum(a.amount / 100000000) AS adjustedWhole,
      sum(a.amount % 100000000) AS adjustedRest,
      0 AS matched,
      0 AS unpriced
    FROM adjustments a
    WHERE a.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND a.day BETWEEN ? AND ?
    AND (? IS NULL OR a.partner_id = ?)
    AND (? IS NULL OR a.cost_type = ?)
    AND (? IS NULL OR a.currency = ?)
    AND a.link_id IN (SELECT id
      FROM below)
    GROUP BY a.app_token, a.day, a.link_id, a.partner_id, a.cost_type, a.currency)
  GROUP BY appToken, linkId, costType, currency)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/link-figures.ts: rows read 4, written 0
-- CO-ROUTINE (subquery-6)
--   CO-ROUTINE (subquery-5)
--     SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--     SCALAR SUBQUERY 3
--       SEARCH s USING PRIMARY KEY (id_hash=?)
--       SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--     LIST SUBQUERY 4
--       MATERIALIZE below
--         SETUP
--           SEARCH c USING INDEX links_token_unique (token=?)
--         RECURSIVE STEP
--           SCAN below
--           SEARCH c USING COVERING INDEX links_by_parent (app_token=? AND parent_id=?)
--       SCAN below
--       CREATE BLOOM FILTER
--   SCAN (subquery-5)
--   USE TEMP B-TREE FOR GROUP BY
-- SCAN (subquery-6)
WITH RECURSIVE below(id) AS (
  SELECT c.id
  FROM links c
  WHERE c.token = ?
  AND c.app_token = ?
  UNION ALL
  SELECT c.id
  FROM below
  CROSS JOIN links c INDEXED BY links_by_parent ON c.app_token = ?
  AND c.parent_id = below.id )
SELECT appToken AS appToken,
  NULL AS day,
  linkId AS linkId,
  NULL AS partnerId,
  kind AS kind,
  count AS count,
  recorded AS recorded
FROM (SELECT appToken, linkId, kind, sum(count) AS count, sum(recorded) AS recorded
  FROM (SELECT e.app_token AS appToken,
      e.day AS day,
      e.link_id AS linkId,
      e.partner_id AS partnerId,
      e.kind AS kind,
      sum(e.count) AS count,
      sum(e.recorded) AS recorded
    FROM daily_engagements e
    WHERE e.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND e.day BETWEEN ? AND ?
    AND (? IS NULL OR e.partner_id = ?)
    AND (? IS NULL OR e.kind = ?)
    AND e.link_id IN (SELECT id
      FROM below)
    GROUP BY e.app_token, e.day, e.link_id, e.partner_id, e.kind)
  GROUP BY appToken, linkId, kind)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/performance.ts: rows read 9, written 0
-- COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--     CO-ROUTINE (subquery-3)
--       CO-ROUTINE (subquery-2)
--         SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 1
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       SCAN (subquery-2)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-3)
--   UNION ALL
--     CO-ROUTINE (subquery-7)
--       CO-ROUTINE (subquery-6)
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 5
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       SCAN (subquery-6)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-7)
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  NULL AS partnerId,
  costType AS costType,
  currency AS currency,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT appToken,
    costType,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced
  FROM (SELECT d.app_token AS appToken,
      d.day AS day,
      d.link_id AS linkId,
      d.partner_id AS partnerId,
      d.cost_type AS costType,
      d.currency AS currency,
      sum(iif(d.state = 'matched',
          d.amount / iif(d.cost_type IN ('cpm'),
            100000000,
            100000),
          0)) AS costsWhole,
      sum(iif(d.state = 'matched',
          iif(d.cost_type IN ('cpm'),
            d.amount % 100000000,
            d.amount % 100000 * 1000),
          0)) AS costsRest,
      0 AS adjustedWhole,
      0 AS adjustedRest,
      sum(iif(d.state = 'matched',
          d.count,
          0)) AS matched,
      sum(iif(d.state = 'unpriced',
          d.count,
          0)) AS unpriced
    FROM daily_totals d
    WHERE d.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND d.day BETWEEN ? AND ?
    AND (? IS NULL OR d.partner_id = ?)
    AND (? IS NULL OR d.cost_type = ?)
    AND (? IS NULL OR d.currency = ?)
    GROUP BY d.app_token, d.day, d.link_id, d.partner_id, d.cost_type, d.currency)
  GROUP BY appToken, costType, currency)
WHERE matched > 0 OR unpriced > 0
UNION ALL
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  NULL AS partnerId,
  costType AS costType,
  currency AS currency,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT appToken,
    costType,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced
  FROM (SELECT a.app_token AS appToken,
      a.day AS day,
      a.link_id AS linkId,
      a.partner_id AS partnerId,
      a.cost_type AS costType,
      a.currency AS currency,
      0 AS costsWhole,
      0 AS costsRest,
      sum(a.amount / 100000000) AS adjustedWhole,
      sum(a.amount % 100000000) AS adjustedRest,
      0 AS matched,
      0 AS unpriced
    FROM adjustments a
    WHERE a.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND a.day BETWEEN ? AND ?
    AND (? IS NULL OR a.partner_id = ?)
    AND (? IS NULL OR a.cost_type = ?)
    AND (? IS NULL OR a.currency = ?)
    GROUP BY a.app_token, a.day, a.link_id, a.partner_id, a.cost_type, a.currency)
  GROUP BY appToken, costType, currency)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/performance.ts: rows read 4, written 0
-- CO-ROUTINE (subquery-3)
--   CO-ROUTINE (subquery-2)
--     SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--     SCALAR SUBQUERY 1
--       SEARCH t USING PRIMARY KEY (token_hash=?)
--       SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--   SCAN (subquery-2)
--   USE TEMP B-TREE FOR GROUP BY
-- SCAN (subquery-3)
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  NULL AS partnerId,
  kind AS kind,
  count AS count,
  recorded AS recorded
FROM (SELECT appToken, kind, sum(count) AS count, sum(recorded) AS recorded
  FROM (SELECT e.app_token AS appToken,
      e.day AS day,
      e.link_id AS linkId,
      e.partner_id AS partnerId,
      e.kind AS kind,
      sum(e.count) AS count,
      sum(e.recorded) AS recorded
    FROM daily_engagements e
    WHERE e.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND e.day BETWEEN ? AND ?
    AND (? IS NULL OR e.partner_id = ?)
    AND (? IS NULL OR e.kind = ?)
    GROUP BY e.app_token, e.day, e.link_id, e.partner_id, e.kind)
  GROUP BY appToken, kind)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/performance.ts: rows read 9, written 0
-- COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--     CO-ROUTINE (subquery-3)
--       CO-ROUTINE (subquery-2)
--         SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 1
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       SCAN (subquery-2)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-3)
--   UNION ALL
--     CO-ROUTINE (subquery-7)
--       CO-ROUTINE (subquery-6)
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 5
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       SCAN (subquery-6)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-7)
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  partnerId AS partnerId,
  costType AS costType,
  currency AS currency,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced,
  series AS series
FROM (SELECT appToken,
    partnerId,
    costType,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced,
    group_concat(day || ' ' || costsWhole || ' ' || costsRest || ' ' || adjustedWhole || ' ' || adjustedRest || ' ' || matched || ' ' || unpriced) AS series
  FROM (SELECT d.app_token AS appToken,
      d.day AS day,
      d.link_id AS linkId,
      d.partner_id AS partnerId,
      d.cost_type AS costType,
      d.currency AS currency,
      sum(iif(d.state = 'matched',
          d.amount / iif(d.cost_type IN ('cpm'),
            100000000,
            100000),
          0)) AS costsWhole,
      sum(iif(d.state = 'matched',
          iif(d.cost_type IN ('cpm'),
            d.amount % 100000000,
            d.amount % 100000 * 1000),
          0)) AS costsRest,
      0 AS adjustedWhole,
      0 AS adjustedRest,
      sum(iif(d.state = 'matched',
          d.count,
          0)) AS matched,
      sum(iif(d.state = 'unpriced',
          d.count,
          0)) AS unpriced
    FROM daily_totals d
    WHERE d.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND d.day BETWEEN ? AND ?
    AND (? IS NULL OR d.partner_id = ?)
    AND (? IS NULL OR d.cost_type = ?)
    AND (? IS NULL OR d.currency = ?)
    GROUP BY d.app_token, d.day, d.link_id, d.partner_id, d.cost_type, d.currency)
  GROUP BY appToken, partnerId, costType, currency)
WHERE matched > 0 OR unpriced > 0
UNION ALL
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  partnerId AS partnerId,
  costType AS costType,
  currency AS currency,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced,
  series AS series
FROM (SELECT appToken,
    partnerId,
    costType,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced,
    group_concat(day || ' ' || costsWhole || ' ' || costsRest || ' ' || adjustedWhole || ' ' || adjustedRest || ' ' || matched || ' ' || unpriced) AS series
  FROM (SELECT a.app_token AS appToken,
      a.day AS day,
      a.link_id AS linkId,
      a.partner_id AS partnerId,
      a.cost_type AS costType,
      a.currency AS currency,
      0 AS costsWhole,
      0 AS costsRest,
      sum(a.amount / 100000000) AS adjustedWhole,
      sum(a.amount % 100000000) AS adjustedRest,
      0 AS matched,
      0 AS unpriced
    FROM adjustments a
    WHERE a.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND a.day BETWEEN ? AND ?
    AND (? IS NULL OR a.partner_id = ?)
    AND (? IS NULL OR a.cost_type = ?)
    AND (? IS NULL OR a.currency = ?)
    GROUP BY a.app_token, a.day, a.link_id, a.partner_id, a.cost_type, a.currency)
  GROUP BY appToken, partnerId, costType, currency)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/performance.ts: rows read 4, written 0
-- CO-ROUTINE (subquery-3)
--   CO-ROUTINE (subquery-2)
--     SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--     SCALAR SUBQUERY 1
--       SEARCH s USING PRIMARY KEY (id_hash=?)
--       SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--   SCAN (subquery-2)
--   USE TEMP B-TREE FOR GROUP BY
-- SCAN (subquery-3)
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  partnerId AS partnerId,
  kind AS kind,
  count AS count,
  recorded AS recorded,
  series AS series
FROM (SELECT appToken,
    partnerId,
    kind,
    sum(count) AS count,
    sum(recorded) AS recorded,
    group_concat(day || ' ' || count || ' ' || recorded) AS series
  FROM (SELECT e.app_token AS appToken,
      e.day AS day,
      e.link_id AS linkId,
      e.partner_id AS partnerId,
      e.kind AS kind,
      sum(e.count) AS count,
      sum(e.recorded) AS recorded
    FROM daily_engagements e
    WHERE e.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND e.day BETWEEN ? AND ?
    AND (? IS NULL OR e.partner_id = ?)
    AND (? IS NULL OR e.kind = ?)
    GROUP BY e.app_token, e.day, e.link_id, e.partner_id, e.kind)
  GROUP BY appToken, partnerId, kind)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/performance.ts: rows read 9, written 0
-- COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--     CO-ROUTINE (subquery-3)
--       CO-ROUTINE (subquery-2)
--         SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 1
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       SCAN (subquery-2)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-3)
--   UNION ALL
--     CO-ROUTINE (subquery-7)
--       CO-ROUTINE (subquery-6)
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 5
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       SCAN (subquery-6)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-7)
SELECT appToken AS appToken,
  NULL AS day,
  linkId AS linkId,
  NULL AS partnerId,
  costType AS costType,
  currency AS currency,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT appToken,
    linkId,
    costType,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced
  FROM (SELECT d.app_token AS appToken,
      d.day AS day,
      d.link_id AS linkId,
      d.partner_id AS partnerId,
      d.cost_type AS costType,
      d.currency AS currency,
      sum(iif(d.state = 'matched',
          d.amount / iif(d.cost_type IN ('cpm'),
            100000000,
            100000),
          0)) AS costsWhole,
      sum(iif(d.state = 'matched',
          iif(d.cost_type IN ('cpm'),
            d.amount % 100000000,
            d.amount % 100000 * 1000),
          0)) AS costsRest,
      0 AS adjustedWhole,
      0 AS adjustedRest,
      sum(iif(d.state = 'matched',
          d.count,
          0)) AS matched,
      sum(iif(d.state = 'unpriced',
          d.count,
          0)) AS unpriced
    FROM daily_totals d
    WHERE d.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND d.day BETWEEN ? AND ?
    AND (? IS NULL OR d.partner_id = ?)
    AND (? IS NULL OR d.cost_type = ?)
    AND (? IS NULL OR d.currency = ?)
    GROUP BY d.app_token, d.day, d.link_id, d.partner_id, d.cost_type, d.currency)
  GROUP BY appToken, linkId, costType, currency)
WHERE matched > 0 OR unpriced > 0
UNION ALL
SELECT appToken AS appToken,
  NULL AS day,
  linkId AS linkId,
  NULL AS partnerId,
  costType AS costType,
  currency AS currency,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT appToken,
    linkId,
    costType,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced
  FROM (SELECT a.app_token AS appToken,
      a.day AS day,
      a.link_id AS linkId,
      a.partner_id AS partnerId,
      a.cost_type AS costType,
      a.currency AS currency,
      0 AS costsWhole,
      0 AS costsRest,
      sum(a.amount / 100000000) AS adjustedWhole,
      sum(a.amount % 100000000) AS adjustedRest,
      0 AS matched,
      0 AS unpriced
    FROM adjustments a
    WHERE a.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND a.day BETWEEN ? AND ?
    AND (? IS NULL OR a.partner_id = ?)
    AND (? IS NULL OR a.cost_type = ?)
    AND (? IS NULL OR a.currency = ?)
    GROUP BY a.app_token, a.day, a.link_id, a.partner_id, a.cost_type, a.currency)
  GROUP BY appToken, linkId, costType, currency)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/performance.ts: rows read 9, written 0
-- COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--     CO-ROUTINE (subquery-3)
--       CO-ROUTINE (subquery-2)
--         SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 1
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       SCAN (subquery-2)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-3)
--   UNION ALL
--     CO-ROUTINE (subquery-7)
--       CO-ROUTINE (subquery-6)
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 5
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       SCAN (subquery-6)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-7)
SELECT appToken AS appToken,
  NULL AS day,
  linkId AS linkId,
  NULL AS partnerId,
  costType AS costType,
  currency AS currency,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced,
  series AS series
FROM (SELECT appToken,
    linkId,
    costType,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced,
    group_concat(day || ' ' || costsWhole || ' ' || costsRest || ' ' || adjustedWhole || ' ' || adjustedRest || ' ' || matched || ' ' || unpriced) AS series
  FROM (SELECT d.app_token AS appToken,
      d.day AS day,
      d.link_id AS linkId,
      d.partner_id AS partnerId,
      d.cost_type AS costType,
      d.currency AS currency,
      sum(iif(d.state = 'matched',
          d.amount / iif(d.cost_type IN ('cpm'),
            100000000,
            100000),
          0)) AS costsWhole,
      sum(iif(d.state = 'matched',
          iif(d.cost_type IN ('cpm'),
            d.amount % 100000000,
            d.amount % 100000 * 1000),
          0)) AS costsRest,
      0 AS adjustedWhole,
      0 AS adjustedRest,
      sum(iif(d.state = 'matched',
          d.count,
          0)) AS matched,
      sum(iif(d.state = 'unpriced',
          d.count,
          0)) AS unpriced
    FROM daily_totals d
    WHERE d.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND d.day BETWEEN ? AND ?
    AND (? IS NULL OR d.partner_id = ?)
    AND (? IS NULL OR d.cost_type = ?)
    AND (? IS NULL OR d.currency = ?)
    GROUP BY d.app_token, d.day, d.link_id, d.partner_id, d.cost_type, d.currency)
  GROUP BY appToken, linkId, costType, currency)
WHERE matched > 0 OR unpriced > 0
UNION ALL
SELECT appToken AS appToken,
  NULL AS day,
  linkId AS linkId,
  NULL AS partnerId,
  costType AS costType,
  currency AS currency,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced,
  series AS series
FROM (SELECT appToken,
    linkId,
    costType,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced,
    group_concat(day || ' ' || costsWhole || ' ' || costsRest || ' ' || adjustedWhole || ' ' || adjustedRest || ' ' || matched || ' ' || unpriced) AS series
  FROM (SELECT a.app_token AS appToken,
      a.day AS day,
      a.link_id AS linkId,
      a.partner_id AS partnerId,
      a.cost_type AS costType,
      a.currency AS currency,
      0 AS costsWhole,
      0 AS costsRest,
      sum(a.amount / 100000000) AS adjustedWhole,
      sum(a.amount % 100000000) AS adjustedRest,
      0 AS matched,
      0 AS unpriced
    FROM adjustments a
    WHERE a.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND a.day BETWEEN ? AND ?
    AND (? IS NULL OR a.partner_id = ?)
    AND (? IS NULL OR a.cost_type = ?)
    AND (? IS NULL OR a.currency = ?)
    GROUP BY a.app_token, a.day, a.link_id, a.partner_id, a.cost_type, a.currency)
  GROUP BY appToken, linkId, costType, currency)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/performance.ts: rows read 13, written 0
-- CO-ROUTINE (subquery-5)
--   CO-ROUTINE (subquery-4)
--     SEARCH s USING PRIMARY KEY (app_token=? AND link_id=? AND day>? AND day<?)
--     SCALAR SUBQUERY 1
--       SEARCH s USING PRIMARY KEY (id_hash=?)
--       SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--     LIST SUBQUERY 3
--       SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--       SCALAR SUBQUERY 2
--         SEARCH s USING PRIMARY KEY (id_hash=?)
--         SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--     USE TEMP B-TREE FOR GROUP BY
--   SCAN (subquery-4)
--   USE TEMP B-TREE FOR GROUP BY
-- SCAN (subquery-5)
SELECT appToken AS appToken,
  NULL AS day,
  linkId AS linkId,
  NULL AS partnerId,
  costType AS costType,
  currency AS currency,
  NULL AS country,
  NULL AS platform,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced,
  series AS series
FROM (SELECT appToken,
    linkId,
    costType,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced,
    group_concat(day || ' ' || costsWhole || ' ' || costsRest || ' ' || adjustedWhole || ' ' || adjustedRest || ' ' || matched || ' ' || unpriced) AS series
  FROM (SELECT s.app_token AS appToken,
      s.link_id AS linkId,
      s.day AS day,
      s.cost_type AS costType,
      s.currency AS currency,
      sum(iif(s.state = 'matched',
          s.amount / iif(s.cost_type IN ('cpm'),
            100000000,
            100000),
          0)) AS costsWhole,
      sum(iif(s.state = 'matched',
          iif(s.cost_type IN ('cpm'),
            s.amount % 100000000,
            s.amount % 100000 * 1000),
          0)) AS costsRest,
      0 AS adjustedWhole,
      0 AS adjustedRest,
      sum(iif(s.state = 'matched',
          s.count,
          0)) AS matched,
      sum(iif(s.state = 'unpriced',
          s.count,
          0)) AS unpriced
    FROM daily_audience_spend s
    WHERE s.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND s.link_id IN (SELECT d.link_id
      FROM daily_totals d
      WHERE d.app_token = (SELECT m.app_token
        FROM sessions s
        CROSS JOIN memberships m ON m.user_id = s.user_id
        AND m.app_token = ?
        WHERE s.id_hash = ?
        AND s.expires_at > ?
        AND s.last_seen_at > ? - 7200000
        AND s.waiting_secret IS NULL)
      AND d.day BETWEEN ? AND ?)
    AND s.day BETWEEN ? AND ?
    AND (? IS NULL OR s.partner_id = ?)
    AND (? IS NULL OR s.cost_type = ?)
    AND (? IS NULL OR s.currency = ?)
    AND (? IS NULL OR s.country = ?)
    AND (? IS NULL OR s.platform = ?)
    GROUP BY s.app_token, s.link_id, s.day, s.cost_type, s.currency)
  GROUP BY appToken, linkId, costType, currency)
WHERE matched > 0 OR unpriced > 0
LIMIT ? + 0;

-- src/db/ledger/reports/performance.ts: rows read 8, written 0
-- CO-ROUTINE (subquery-5)
--   CO-ROUTINE (subquery-4)
--     SEARCH g USING PRIMARY KEY (app_token=? AND link_id=? AND day>? AND day<?)
--     SCALAR SUBQUERY 1
--       SEARCH s USING PRIMARY KEY (id_hash=?)
--       SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--     LIST SUBQUERY 3
--       SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--       SCALAR SUBQUERY 2
--         SEARCH s USING PRIMARY KEY (id_hash=?)
--         SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--     USE TEMP B-TREE FOR GROUP BY
--   SCAN (subquery-4)
--   USE TEMP B-TREE FOR GROUP BY
-- SCAN (subquery-5)
SELECT appToken AS appToken,
  NULL AS day,
  linkId AS linkId,
  NULL AS partnerId,
  kind AS kind,
  NULL AS country,
  NULL AS platform,
  count AS count,
  recorded AS recorded,
  series AS series
FROM (SELECT appToken,
    linkId,
    kind,
    sum(count) AS count,
    sum(recorded) AS recorded,
    group_concat(day || ' ' || count || ' ' || recorded) AS series
  FROM (SELECT g.app_token AS appToken,
      g.link_id AS linkId,
      g.day AS day,
      g.kind AS kind,
      sum(g.count) AS count,
      sum(g.recorded) AS recorded
    FROM daily_audience g
    WHERE g.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND g.link_id IN (SELECT e.link_id
      FROM daily_engagements e
      WHERE e.app_token = (SELECT m.app_token
        FROM sessions s
        CROSS JOIN memberships m ON m.user_id = s.user_id
        AND m.app_token = ?
        WHERE s.id_hash = ?
        AND s.expires_at > ?
        AND s.last_seen_at > ? - 7200000
        AND s.waiting_secret IS NULL)
      AND e.day BETWEEN ? AND ?)
    AND g.day BETWEEN ? AND ?
    AND (? IS NULL OR g.partner_id = ?)
    AND (? IS NULL OR g.kind = ?)
    AND (? IS NULL OR g.country = ?)
    AND (? IS NULL OR g.platform = ?)
    GROUP BY g.app_token, g.link_id, g.day, g.kind)
  GROUP BY appToken, linkId, kind)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/performance.ts: rows read 4, written 0
-- CO-ROUTINE (subquery-3)
--   CO-ROUTINE (subquery-2)
--     SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--     SCALAR SUBQUERY 1
--       SEARCH t USING PRIMARY KEY (token_hash=?)
--       SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--   SCAN (subquery-2)
--   USE TEMP B-TREE FOR GROUP BY
-- SCAN (subquery-3)
SELECT appToken AS appToken,
  NULL AS day,
  linkId AS linkId,
  NULL AS partnerId,
  kind AS kind,
  count AS count,
  recorded AS recorded
FROM (SELECT appToken, linkId, kind, sum(count) AS count, sum(recorded) AS recorded
  FROM (SELECT e.app_token AS appToken,
      e.day AS day,
      e.link_id AS linkId,
      e.partner_id AS partnerId,
      e.kind AS kind,
      sum(e.count) AS count,
      sum(e.recorded) AS recorded
    FROM daily_engagements e
    WHERE e.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND e.day BETWEEN ? AND ?
    AND (? IS NULL OR e.partner_id = ?)
    AND (? IS NULL OR e.kind = ?)
    GROUP BY e.app_token, e.day, e.link_id, e.partner_id, e.kind)
  GROUP BY appToken, linkId, kind)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/performance.ts: rows read 4, written 0
-- CO-ROUTINE (subquery-3)
--   CO-ROUTINE (subquery-2)
--     SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--     SCALAR SUBQUERY 1
--       SEARCH s USING PRIMARY KEY (id_hash=?)
--       SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--   SCAN (subquery-2)
--   USE TEMP B-TREE FOR GROUP BY
-- SCAN (subquery-3)
SELECT appToken AS appToken,
  NULL AS day,
  linkId AS linkId,
  NULL AS partnerId,
  kind AS kind,
  count AS count,
  recorded AS recorded,
  series AS series
FROM (SELECT appToken,
    linkId,
    kind,
    sum(count) AS count,
    sum(recorded) AS recorded,
    group_concat(day || ' ' || count || ' ' || recorded) AS series
  FROM (SELECT e.app_token AS appToken,
      e.day AS day,
      e.link_id AS linkId,
      e.partner_id AS partnerId,
      e.kind AS kind,
      sum(e.count) AS count,
      sum(e.recorded) AS recorded
    FROM daily_engagements e
    WHERE e.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND e.day BETWEEN ? AND ?
    AND (? IS NULL OR e.partner_id = ?)
    AND (? IS NULL OR e.kind = ?)
    GROUP BY e.app_token, e.day, e.link_id, e.partner_id, e.kind)
  GROUP BY appToken, linkId, kind)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/performance.ts: rows read 10, written 0
-- CO-ROUTINE covered
--   CO-ROUTINE (subquery-6)
--     COMPOUND QUERY
--       LEFT-MOST SUBQUERY
--         SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 1
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       UNION ALL
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 3
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       UNION ALL
--         SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 5
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--   SCAN (subquery-6)
-- SCAN covered
SELECT json_extract('{}', iif(covered.size > 200000, 'report_too_large', '$'))
FROM (
  SELECT count(*) AS size
  FROM (SELECT NULL
    FROM daily_totals d
    WHERE d.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND d.day BETWEEN ? AND ?
    UNION ALL
    SELECT NULL
    FROM adjustments a
    WHERE a.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND a.day BETWEEN ? AND ?
    UNION ALL
    SELECT NULL
    FROM daily_engagements e
    WHERE e.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND e.day BETWEEN ? AND ?
    LIMIT 200000 + 1) ) covered;

-- src/db/ledger/reports/performance.ts: rows read 10, written 0
-- CO-ROUTINE covered
--   CO-ROUTINE (subquery-6)
--     COMPOUND QUERY
--       LEFT-MOST SUBQUERY
--         SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 1
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       UNION ALL
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 3
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       UNION ALL
--         SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 5
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--   SCAN (subquery-6)
-- SCAN covered
SELECT json_extract('{}', iif(covered.size > 200000, 'report_too_large', '$'))
FROM (
  SELECT count(*) AS size
  FROM (SELECT NULL
    FROM daily_totals d
    WHERE d.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND d.day BETWEEN ? AND ?
    UNION ALL
    SELECT NULL
    FROM adjustments a
    WHERE a.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND a.day BETWEEN ? AND ?
    UNION ALL
    SELECT NULL
    FROM daily_engagements e
    WHERE e.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND e.day BETWEEN ? AND ?
    LIMIT 200000 + 1) ) covered;

-- src/db/ledger/reports/performance.ts: rows read 12, written 0
-- CO-ROUTINE covered
--   CO-ROUTINE (subquery-6)
--     COMPOUND QUERY
--       LEFT-MOST SUBQUERY
--         SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 1
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       UNION ALL
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 3
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       UNION ALL
--         SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 5
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--   USE TEMP B-TREE FOR json_group_array(DISTINCT)
--   SCAN (subquery-6)
-- SCAN covered
-- SCAN j VIRTUAL TABLE INDEX 1:
-- SEARCH l USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH l1 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l2 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l3 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
SELECT l.id AS linkId,
  l.level AS level,
  l.token AS token,
  l.label AS label,
  l.cost_switch AS costSwitch,
  l1.id AS id1,
  l1.token AS token1,
  l1.label AS label1,
  l1.cost_switch AS switch1,
  l2.id AS id2,
  l2.token AS token2,
  l2.label AS label2,
  l2.cost_switch AS switch2,
  l3.id AS id3,
  l3.token AS token3,
  l3.label AS label3,
  l3.cost_switch AS switch3
FROM (
  SELECT j.value AS id
  FROM (
    SELECT count(*) AS size , json_group_array(DISTINCT id) FILTER (WHERE id IS NOT NULL) AS ids
    FROM (SELECT iif((? IS NULL OR d.partner_id = ?)
        AND (? IS NULL OR d.cost_type = ?)
        AND (? IS NULL OR d.currency = ?) , d.link_id, NULL) AS id
      FROM daily_totals d
      WHERE d.app_token = (SELECT m.app_token
        FROM api_tokens t
        CROSS JOIN memberships m ON m.user_id = t.user_id
        AND m.app_token = ?
        WHERE t.token_hash = ?)
      AND d.day BETWEEN ? AND ?
      UNION ALL
      SELECT iif((? IS NULL OR a.partner_id = ?)
        AND (? IS NULL OR a.cost_type = ?)
        AND (? IS NULL OR a.currency = ?) , a.link_id, NULL) AS id
      FROM adjustments a
      WHERE a.app_token = (SELECT m.app_token
        FROM api_tokens t
        CROSS JOIN memberships m ON m.user_id = t.user_id
        AND m.app_token = ?
        WHERE t.token_hash = ?)
      AND a.day BETWEEN ? AND ?
      UNION ALL
      SELECT iif((? IS NULL OR e.partner_id = ?)
        AND (? IS NULL OR e.kind = ?) , e.link_id, NULL) AS id
      FROM daily_engagements e
      WHERE e.app_token = (SELECT m.app_token
        FROM api_tokens t
        CROSS JOIN memberships m ON m.user_id = t.user_id
        AND m.app_token = ?
        WHERE t.token_hash = ?)
      AND e.day BETWEEN ? AND ?
      LIMIT 200000 + 1) ) covered
  CROSS JOIN json_each(json_extract(covered.ids, iif(covered.size > 200000, 'report_too_large', '$'))) j) ids
CROSS JOIN links l ON l.id = ids.id
LEFT JOIN links l1 ON l1.id = l.parent_id
LEFT JOIN links l2 ON l2.id = l1.parent_id
LEFT JOIN links l3 ON l3.id = l2.parent_id;

-- src/db/ledger/reports/performance.ts: rows read 12, written 0
-- CO-ROUTINE covered
--   CO-ROUTINE (subquery-6)
--     COMPOUND QUERY
--       LEFT-MOST SUBQUERY
--         SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 1
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       UNION ALL
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 3
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       UNION ALL
--         SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 5
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--   USE TEMP B-TREE FOR json_group_array(DISTINCT)
--   SCAN (subquery-6)
-- SCAN covered
-- SCAN j VIRTUAL TABLE INDEX 1:
-- SEARCH l USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH l1 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l2 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l3 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
SELECT l.id AS linkId,
  l.level AS level,
  l.token AS token,
  l.label AS label,
  l.cost_switch AS costSwitch,
  l1.id AS id1,
  l1.token AS token1,
  l1.label AS label1,
  l1.cost_switch AS switch1,
  l2.id AS id2,
  l2.token AS token2,
  l2.label AS label2,
  l2.cost_switch AS switch2,
  l3.id AS id3,
  l3.token AS token3,
  l3.label AS label3,
  l3.cost_switch AS switch3
FROM (
  SELECT j.value AS id
  FROM (
    SELECT count(*) AS size , json_group_array(DISTINCT id) FILTER (WHERE id IS NOT NULL) AS ids
    FROM (SELECT iif((? IS NULL OR d.partner_id = ?)
        AND (? IS NULL OR d.cost_type = ?)
        AND (? IS NULL OR d.currency = ?) , d.link_id, NULL) AS id
      FROM daily_totals d
      WHERE d.app_token = (SELECT m.app_token
        FROM sessions s
        CROSS JOIN memberships m ON m.user_id = s.user_id
        AND m.app_token = ?
        WHERE s.id_hash = ?
        AND s.expires_at > ?
        AND s.last_seen_at > ? - 7200000
        AND s.waiting_secret IS NULL)
      AND d.day BETWEEN ? AND ?
      UNION ALL
      SELECT iif((? IS NULL OR a.partner_id = ?)
        AND (? IS NULL OR a.cost_type = ?)
        AND (? IS NULL OR a.currency = ?) , a.link_id, NULL) AS id
      FROM adjustments a
      WHERE a.app_token = (SELECT m.app_token
        FROM sessions s
        CROSS JOIN memberships m ON m.user_id = s.user_id
        AND m.app_token = ?
        WHERE s.id_hash = ?
        AND s.expires_at > ?
        AND s.last_seen_at > ? - 7200000
        AND s.waiting_secret IS NULL)
      AND a.day BETWEEN ? AND ?
      UNION ALL
      SELECT iif((? IS NULL OR e.partner_id = ?)
        AND (? IS NULL OR e.kind = ?) , e.link_id, NULL) AS id
      FROM daily_engagements e
      WHERE e.app_token = (SELECT m.app_token
        FROM sessions s
        CROSS JOIN memberships m ON m.user_id = s.user_id
        AND m.app_token = ?
        WHERE s.id_hash = ?
        AND s.expires_at > ?
        AND s.last_seen_at > ? - 7200000
        AND s.waiting_secret IS NULL)
      AND e.day BETWEEN ? AND ?
      LIMIT 200000 + 1) ) covered
  CROSS JOIN json_each(json_extract(covered.ids, iif(covered.size > 200000, 'report_too_large', '$'))) j) ids
CROSS JOIN links l ON l.id = ids.id
LEFT JOIN links l1 ON l1.id = l.parent_id
LEFT JOIN links l2 ON l2.id = l1.parent_id
LEFT JOIN links l3 ON l3.id = l2.parent_id;

-- src/db/ledger/reports/performance.ts: rows read 17, written 0
-- CO-ROUTINE covered
--   CO-ROUTINE (subquery-8)
--     COMPOUND QUERY
--       LEFT-MOST SUBQUERY
--         SEARCH s USING PRIMARY KEY (app_token=? AND link_id=? AND day>? AND day<?)
--         SCALAR SUBQUERY 1
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--         LIST SUBQUERY 3
--           SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--           SCALAR SUBQUERY 2
--             SEARCH s USING PRIMARY KEY (id_hash=?)
--             SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       UNION ALL
--         SEARCH g USING PRIMARY KEY (app_token=? AND link_id=? AND day>? AND day<?)
--         SCALAR SUBQUERY 5
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--         LIST SUBQUERY 7
--           SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--           SCALAR SUBQUERY 6
--             SEARCH s USING PRIMARY KEY (id_hash=?)
--             SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--   USE TEMP B-TREE FOR json_group_array(DISTINCT)
--   SCAN (subquery-8)
-- SCAN covered
-- SCAN j VIRTUAL TABLE INDEX 1:
-- SEARCH l USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH l1 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l2 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l3 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
SELECT l.id AS linkId,
  l.level AS level,
  l.token AS token,
  l.label AS label,
  l.cost_switch AS costSwitch,
  l1.id AS id1,
  l1.token AS token1,
  l1.label AS label1,
  l1.cost_switch AS switch1,
  l2.id AS id2,
  l2.token AS token2,
  l2.label AS label2,
  l2.cost_switch AS switch2,
  l3.id AS id3,
  l3.token AS token3,
  l3.label AS label3,
  l3.cost_switch AS switch3
FROM (
  SELECT j.value AS id
  FROM (
    SELECT count(*) AS size , json_group_array(DISTINCT id) FILTER (WHERE id IS NOT NULL) AS ids
    FROM (SELECT iif((? IS NULL OR s.partner_id = ?)
        AND (? IS NULL OR s.cost_type = ?)
        AND (? IS NULL OR s.currency = ?)
        AND (? IS NULL OR s.country = ?)
        AND (? IS NULL OR s.platform = ?) , s.link_id, NULL) AS id
      FROM daily_audience_spend s
      WHERE s.app_token = (SELECT m.app_token
        FROM sessions s
        CROSS JOIN memberships m ON m.user_id = s.user_id
        AND m.app_token = ?
        WHERE s.id_hash = ?
        AND s.expires_at > ?
        AND s.last_seen_at > ? - 7200000
        AND s.waiting_secret IS NULL)
      AND s.link_id IN (SELECT d.link_id
        FROM daily_totals d
        WHERE d.app_token = (SELECT m.app_token
          FROM sessions s
          CROSS JOIN memberships m ON m.user_id = s.user_id
          AND m.app_token = ?
          WHERE s.id_hash = ?
          AND s.expires_at > ?
          AND s.last_seen_at > ? - 7200000
          AND s.waiting_secret IS NULL)
        AND d.day BETWEEN ? AND ?)
      AND s.day BETWEEN ? AND ?
      UNION ALL
      SELECT iif((? IS NULL OR g.partner_id = ?)
        AND (? IS NULL OR g.kind = ?)
        AND (? IS NULL OR g.country = ?)
        AND (? IS NULL OR g.platform = ?) , g.link_id, NULL) AS id
      FROM daily_audience g
      WHERE g.app_token = (SELECT m.app_token
        FROM sessions s
        CROSS JOIN memberships m ON m.user_id = s.user_id
        AND m.app_token = ?
        WHERE s.id_hash = ?
        AND s.expires_at > ?
        AND s.last_seen_at > ? - 7200000
        AND s.waiting_secret IS NULL)
      AND g.link_id IN (SELECT e.link_id
        FROM daily_engagements e
        WHERE e.app_token = (SELECT m.app_token
          FROM sessions s
          CROSS JOIN memberships m ON m.user_id = s.user_id
          AND m.app_token = ?
          WHERE s.id_hash = ?
          AND s.expires_at > ?
          AND s.last_seen_at > ? - 7200000
          AND s.waiting_secret IS NULL)
        AND e.day BETWEEN ? AND ?)
      AND g.day BETWEEN ? AND ?
      LIMIT 200000 + 1) ) covered
  CROSS JOIN json_each(json_extract(covered.ids, iif(covered.size > 200000, 'report_too_large', '$'))) j) ids
CROSS JOIN links l ON l.id = ids.id
LEFT JOIN links l1 ON l1.id = l.parent_id
LEFT JOIN links l2 ON l2.id = l1.parent_id
LEFT JOIN links l3 ON l3.id = l2.parent_id;

-- src/db/ledger/reports/performance.ts: rows read 46, written 0
-- CO-ROUTINE covered
--   CO-ROUTINE (subquery-11)
--     COMPOUND QUERY
--       LEFT-MOST SUBQUERY
--         SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 4
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--         LIST SUBQUERY 3
--           MATERIALIZE below
--             SETUP
--               SEARCH c USING INDEX links_token_unique (token=?)
--             RECURSIVE STEP
--               SCAN below
--               SEARCH c USING COVERING INDEX links_by_parent (app_token=? AND parent_id=?)
--           SCAN below
--           CREATE BLOOM FILTER
--       UNION ALL
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 7
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--         LIST SUBQUERY 6
--           SCAN below
--           CREATE BLOOM FILTER
--       UNION ALL
--         SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 10
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--         LIST SUBQUERY 9
--           SCAN below
--           CREATE BLOOM FILTER
--   USE TEMP B-TREE FOR json_group_array(DISTINCT)
--   SCAN (subquery-11)
-- SCAN covered
-- SCAN j VIRTUAL TABLE INDEX 1:
-- SEARCH l USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH l1 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l2 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l3 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
SELECT l.id AS linkId,
  l.level AS level,
  l.token AS token,
  l.label AS label,
  l.cost_switch AS costSwitch,
  l1.id AS id1,
  l1.token AS token1,
  l1.label AS label1,
  l1.cost_switch AS switch1,
  l2.id AS id2,
  l2.token AS token2,
  l2.label AS label2,
  l2.cost_switch AS switch2,
  l3.id AS id3,
  l3.token AS token3,
  l3.label AS label3,
  l3.cost_switch AS switch3
FROM (WITH RECURSIVE below(id) AS (
    SELECT c.id
    FROM links c
    WHERE c.token = ?
    AND c.app_token = ?
    UNION ALL
    SELECT c.id
    FROM below
    CROSS JOIN links c INDEXED BY links_by_parent ON c.app_token = ?
    AND c.parent_id = below.id )
  SELECT j.value AS id
  FROM (
    SELECT count(*) AS size , json_group_array(DISTINCT id) FILTER (WHERE id IS NOT NULL) AS ids
    FROM (SELECT iif((? IS NULL OR d.partner_id = ?)
        AND (? IS NULL OR d.cost_type = ?)
        AND (? IS NULL OR d.currency = ?)
        AND d.link_id IN (SELECT id
          FROM below), d.link_id, NULL) AS id
      FROM daily_totals d
      WHERE d.app_token = (SELECT m.app_token
        FROM api_tokens t
        CROSS JOIN memberships m ON m.user_id = t.user_id
        AND m.app_token = ?
        WHERE t.token_hash = ?)
      AND d.day BETWEEN ? AND ?
      UNION ALL
      SELECT iif((? IS NULL OR a.partner_id = ?)
        AND (? IS NULL OR a.cost_type = ?)
        AND (? IS NULL OR a.currency = ?)
        AND a.link_id IN (SELECT id
          FROM below), a.link_id, NULL) AS id
      FROM adjustments a
      WHERE a.app_token = (SELECT m.app_token
        FROM api_tokens t
        CROSS JOIN memberships m ON m.user_id = t.user_id
        AND m.app_token = ?
        WHERE t.token_hash = ?)
      AND a.day BETWEEN ? AND ?
      UNION ALL
      SELECT iif((? IS NULL OR e.partner_id = ?)
        AND (? IS NULL OR e.kind = ?)
        AND e.link_id IN (SELECT id
          FROM below), e.link_id, NULL) AS id
      FROM daily_engagements e
      WHERE e.app_token = (SELECT m.app_token
        FROM api_tokens t
        CROSS JOIN memberships m ON m.user_id = t.user_id
        AND m.app_token = ?
        WHERE t.token_hash = ?)
      AND e.day BETWEEN ? AND ?
      LIMIT 200000 + 1) ) covered
  CROSS JOIN json_each(json_extract(covered.ids, iif(covered.size > 200000, 'report_too_large', '$'))) j) ids
CROSS JOIN links l ON l.id = ids.id
LEFT JOIN links l1 ON l1.id = l.parent_id
LEFT JOIN links l2 ON l2.id = l1.parent_id
LEFT JOIN links l3 ON l3.id = l2.parent_id;

-- src/db/ledger/reports/performance.ts: rows read 46, written 0
-- CO-ROUTINE covered
--   CO-ROUTINE (subquery-11)
--     COMPOUND QUERY
--       LEFT-MOST SUBQUERY
--         SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 4
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--         LIST SUBQUERY 3
--           MATERIALIZE below
--             SETUP
--               SEARCH c USING INDEX links_token_unique (token=?)
--             RECURSIVE STEP
--               SCAN below
--               SEARCH c USING COVERING INDEX links_by_parent (app_token=? AND parent_id=?)
--           SCAN below
--           CREATE BLOOM FILTER
--       UNION ALL
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 7
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--         LIST SUBQUERY 6
--           SCAN below
--           CREATE BLOOM FILTER
--       UNION ALL
--         SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 10
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--         LIST SUBQUERY 9
--           SCAN below
--           CREATE BLOOM FILTER
--   USE TEMP B-TREE FOR json_group_array(DISTINCT)
--   SCAN (subquery-11)
-- SCAN covered
-- SCAN j VIRTUAL TABLE INDEX 1:
-- SEARCH l USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH l1 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l2 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l3 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
SELECT l.id AS linkId,
  l.level AS level,
  l.token AS token,
  l.label AS label,
  l.cost_switch AS costSwitch,
  l1.id AS id1,
  l1.token AS token1,
  l1.label AS label1,
  l1.cost_switch AS switch1,
  l2.id AS id2,
  l2.token AS token2,
  l2.label AS label2,
  l2.cost_switch AS switch2,
  l3.id AS id3,
  l3.token AS token3,
  l3.label AS label3,
  l3.cost_switch AS switch3
FROM (WITH RECURSIVE below(id) AS (
    SELECT c.id
    FROM links c
    WHERE c.token = ?
    AND c.app_token = ?
    UNION ALL
    SELECT c.id
    FROM below
    CROSS JOIN links c INDEXED BY links_by_parent ON c.app_token = ?
    AND c.parent_id = below.id )
  SELECT j.value AS id
  FROM (
    SELECT count(*) AS size , json_group_array(DISTINCT id) FILTER (WHERE id IS NOT NULL) AS ids
    FROM (SELECT iif((? IS NULL OR d.partner_id = ?)
        AND (? IS NULL OR d.cost_type = ?)
        AND (? IS NULL OR d.currency = ?)
        AND d.link_id IN (SELECT id
          FROM below), d.link_id, NULL) AS id
      FROM daily_totals d
      WHERE d.app_token = (SELECT m.app_token
        FROM sessions s
        CROSS JOIN memberships m ON m.user_id = s.user_id
        AND m.app_token = ?
        WHERE s.id_hash = ?
        AND s.expires_at > ?
        AND s.last_seen_at > ? - 7200000
        AND s.waiting_secret IS NULL)
      AND d.day BETWEEN ? AND ?
      UNION ALL
      SELECT iif((? IS NULL OR a.partner_id = ?)
        AND (? IS NULL OR a.cost_type = ?)
        AND (? IS NULL OR a.currency = ?)
        AND a.link_id IN (SELECT id
          FROM below), a.link_id, NULL) AS id
      FROM adjustments a
      WHERE a.app_token = (SELECT m.app_token
        FROM sessions s
        CROSS JOIN memberships m ON m.user_id = s.user_id
        AND m.app_token = ?
        WHERE s.id_hash = ?
        AND s.expires_at > ?
        AND s.last_seen_at > ? - 7200000
        AND s.waiting_secret IS NULL)
      AND a.day BETWEEN ? AND ?
      UNION ALL
      SELECT iif((? IS NULL OR e.partner_id = ?)
        AND (? IS NULL OR e.kind = ?)
        AND e.link_id IN (SELECT id
          FROM below), e.link_id, NULL) AS id
      FROM daily_engagements e
      WHERE e.app_token = (SELECT m.app_token
        FROM sessions s
        CROSS JOIN memberships m ON m.user_id = s.user_id
        AND m.app_token = ?
        WHERE s.id_hash = ?
        AND s.expires_at > ?
        AND s.last_seen_at > ? - 7200000
        AND s.waiting_secret IS NULL)
      AND e.day BETWEEN ? AND ?
      LIMIT 200000 + 1) ) covered
  CROSS JOIN json_each(json_extract(covered.ids, iif(covered.size > 200000, 'report_too_large', '$'))) j) ids
CROSS JOIN links l ON l.id = ids.id
LEFT JOIN links l1 ON l1.id = l.parent_id
LEFT JOIN links l2 ON l2.id = l1.parent_id
LEFT JOIN links l3 ON l3.id = l2.parent_id;

-- src/db/ledger/reports/performance.ts: rows read 45, written 0
-- COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--     CO-ROUTINE (subquery-6)
--       CO-ROUTINE (subquery-5)
--         SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 3
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--         LIST SUBQUERY 4
--           MATERIALIZE below
--             SETUP
--               SEARCH c USING INDEX links_token_unique (token=?)
--             RECURSIVE STEP
--               SCAN below
--               SEARCH c USING COVERING INDEX links_by_parent (app_token=? AND parent_id=?)
--           SCAN below
--           CREATE BLOOM FILTER
--       SCAN (subquery-5)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-6)
--   UNION ALL
--     CO-ROUTINE (subquery-11)
--       CO-ROUTINE (subquery-10)
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 8
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--         LIST SUBQUERY 9
--           SCAN below
--           CREATE BLOOM FILTER
--       SCAN (subquery-10)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-11)
WITH RECURSIVE below(id) AS (
  SELECT c.id
  FROM links c
  WHERE c.token = ?
  AND c.app_token = ?
  UNION ALL
  SELECT c.id
  FROM below
  CROSS JOIN links c INDEXED BY links_by_parent ON c.app_token = ?
  AND c.parent_id = below.id )
SELECT appToken AS appToken,
  NULL AS day,
  linkId AS linkId,
  NULL AS partnerId,
  costType AS costType,
  currency AS currency,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT appToken,
    linkId,
    costType,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced
  FROM (SELECT d.app_token AS appToken,
      d.day AS day,
      d.link_id AS linkId,
      d.partner_id AS partnerId,
      d.cost_type AS costType,
      d.currency AS currency,
      sum(iif(d.state = 'matched',
          d.amount / iif(d.cost_type IN ('cpm'),
            100000000,
            100000),
          0)) AS costsWhole,
      sum(iif(d.state = 'matched',
          iif(d.cost_type IN ('cpm'),
            d.amount % 100000000,
            d.amount % 100000 * 1000),
          0)) AS costsRest,
      0 AS adjustedWhole,
      0 AS adjustedRest,
      sum(iif(d.state = 'matched',
          d.count,
          0)) AS matched,
      sum(iif(d.state = 'unpriced',
          d.count,
          0)) AS unpriced
    FROM daily_totals d
    WHERE d.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND d.day BETWEEN ? AND ?
    AND (? IS NULL OR d.partner_id = ?)
    AND (? IS NULL OR d.cost_type = ?)
    AND (? IS NULL OR d.currency = ?)
    AND d.link_id IN (SELECT id
      FROM below)
    GROUP BY d.app_token, d.day, d.link_id, d.partner_id, d.cost_type, d.currency)
  GROUP BY appToken, linkId, costType, currency)
WHERE matched > 0 OR unpriced > 0
UNION ALL
SELECT appToken AS appToken,
  NULL AS day,
  linkId AS linkId,
  NULL AS partnerId,
  costType AS costType,
  currency AS currency,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT appToken,
    linkId,
    costType,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced
  FROM (SELECT a.app_token AS appToken,
      a.day AS day,
      a.link_id AS linkId,
      a.partner_id AS partnerId,
      a.cost_type AS costType,
      a.currency AS currency,
      0 AS costsWhole,
      0 AS costsRest,
      sum(a.amount / 100000000) AS adjustedWhole,
      sum(a.amount % 100000000) AS adjustedRest,
      0 AS matched,
      0 AS unpriced
    FROM adjustments a
    WHERE a.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND a.day BETWEEN ? AND ?
    AND (? IS NULL OR a.partner_id = ?)
    AND (? IS NULL OR a.cost_type = ?)
    AND (? IS NULL OR a.currency = ?)
    AND a.link_id IN (SELECT id
      FROM below)
    GROUP BY a.app_token, a.day, a.link_id, a.partner_id, a.cost_type, a.currency)
  GROUP BY appToken, linkId, costType, currency)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/performance.ts: rows read 45, written 0
-- COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--     CO-ROUTINE (subquery-6)
--       CO-ROUTINE (subquery-5)
--         SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 3
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--         LIST SUBQUERY 4
--           MATERIALIZE below
--             SETUP
--               SEARCH c USING INDEX links_token_unique (token=?)
--             RECURSIVE STEP
--               SCAN below
--               SEARCH c USING COVERING INDEX links_by_parent (app_token=? AND parent_id=?)
--           SCAN below
--           CREATE BLOOM FILTER
--       SCAN (subquery-5)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-6)
--   UNION ALL
--     CO-ROUTINE (subquery-11)
--       CO-ROUTINE (subquery-10)
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 8
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--         LIST SUBQUERY 9
--           SCAN below
--           CREATE BLOOM FILTER
--       SCAN (subquery-10)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-11)
WITH RECURSIVE below(id) AS (
  SELECT c.id
  FROM links c
  WHERE c.token = ?
  AND c.app_token = ?
  UNION ALL
  SELECT c.id
  FROM below
  CROSS JOIN links c INDEXED BY links_by_parent ON c.app_token = ?
  AND c.parent_id = below.id )
SELECT appToken AS appToken,
  NULL AS day,
  linkId AS linkId,
  NULL AS partnerId,
  costType AS costType,
  currency AS currency,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced,
  series AS series
FROM (SELECT appToken,
    linkId,
    costType,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced,
    group_concat(day || ' ' || costsWhole || ' ' || costsRest || ' ' || adjustedWhole || ' ' || adjustedRest || ' ' || matched || ' ' || unpriced) AS series
  FROM (SELECT d.app_token AS appToken,
      d.day AS day,
      d.link_id AS linkId,
      d.partner_id AS partnerId,
      d.cost_type AS costType,
      d.currency AS currency,
      sum(iif(d.state = 'matched',
          d.amount / iif(d.cost_type IN ('cpm'),
            100000000,
            100000),
          0)) AS costsWhole,
      sum(iif(d.state = 'matched',
          iif(d.cost_type IN ('cpm'),
            d.amount % 100000000,
            d.amount % 100000 * 1000),
          0)) AS costsRest,
      0 AS adjustedWhole,
      0 AS adjustedRest,
      sum(iif(d.state = 'matched',
          d.count,
          0)) AS matched,
      sum(iif(d.state = 'unpriced',
          d.count,
          0)) AS unpriced
    FROM daily_totals d
    WHERE d.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND d.day BETWEEN ? AND ?
    AND (? IS NULL OR d.partner_id = ?)
    AND (? IS NULL OR d.cost_type = ?)
    AND (? IS NULL OR d.currency = ?)
    AND d.link_id IN (SELECT id
      FROM below)
    GROUP BY d.app_token, d.day, d.link_id, d.partner_id, d.cost_type, d.currency)
  GROUP BY appToken, linkId, costType, currency)
WHERE matched > 0 OR unpriced > 0
UNION ALL
SELECT appToken AS appToken,
  NULL AS day,
  linkId AS linkId,
  NULL AS partnerId,
  costType AS costType,
  currency AS currency,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced,
  series AS series
FROM (SELECT appToken,
    linkId,
    costType,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced,
    group_concat(day || ' ' || costsWhole || ' ' || costsRest || ' ' || adjustedWhole || ' ' || adjustedRest || ' ' || matched || ' ' || unpriced) AS series
  FROM (SELECT a.app_token AS appToken,
      a.day AS day,
      a.link_id AS linkId,
      a.partner_id AS partnerId,
      a.cost_type AS costType,
      a.currency AS currency,
      0 AS costsWhole,
      0 AS costsRest,
      sum(a.amount / 100000000) AS adjustedWhole,
      sum(a.amount % 100000000) AS adjustedRest,
      0 AS matched,
      0 AS unpriced
    FROM adjustments a
    WHERE a.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND a.day BETWEEN ? AND ?
    AND (? IS NULL OR a.partner_id = ?)
    AND (? IS NULL OR a.cost_type = ?)
    AND (? IS NULL OR a.currency = ?)
    AND a.link_id IN (SELECT id
      FROM below)
    GROUP BY a.app_token, a.day, a.link_id, a.partner_id, a.cost_type, a.currency)
  GROUP BY appToken, linkId, costType, currency)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/performance.ts: rows read 4, written 0
-- CO-ROUTINE (subquery-6)
--   CO-ROUTINE (subquery-5)
--     SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--     SCALAR SUBQUERY 3
--       SEARCH t USING PRIMARY KEY (token_hash=?)
--       SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--     LIST SUBQUERY 4
--       MATERIALIZE below
--         SETUP
--           SEARCH c USING INDEX links_token_unique (token=?)
--         RECURSIVE STEP
--           SCAN below
--           SEARCH c USING COVERING INDEX links_by_parent (app_token=? AND parent_id=?)
--       SCAN below
--       CREATE BLOOM FILTER
--   SCAN (subquery-5)
--   USE TEMP B-TREE FOR GROUP BY
-- SCAN (subquery-6)
WITH RECURSIVE below(id) AS (
  SELECT c.id
  FROM links c
  WHERE c.token = ?
  AND c.app_token = ?
  UNION ALL
  SELECT c.id
  FROM below
  CROSS JOIN links c INDEXED BY links_by_parent ON c.app_token = ?
  AND c.parent_id = below.id )
SELECT appToken AS appToken,
  NULL AS day,
  linkId AS linkId,
  NULL AS partnerId,
  kind AS kind,
  count AS count,
  recorded AS recorded
FROM (SELECT appToken, linkId, kind, sum(count) AS count, sum(recorded) AS recorded
  FROM (SELECT e.app_token AS appToken,
      e.day AS day,
      e.link_id AS linkId,
      e.partner_id AS partnerId,
      e.kind AS kind,
      sum(e.count) AS count,
      sum(e.recorded) AS recorded
    FROM daily_engagements e
    WHERE e.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND e.day BETWEEN ? AND ?
    AND (? IS NULL OR e.partner_id = ?)
    AND (? IS NULL OR e.kind = ?)
    AND e.link_id IN (SELECT id
      FROM below)
    GROUP BY e.app_token, e.day, e.link_id, e.partner_id, e.kind)
  GROUP BY appToken, linkId, kind)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/performance.ts: rows read 4, written 0
-- CO-ROUTINE (subquery-6)
--   CO-ROUTINE (subquery-5)
--     SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--     SCALAR SUBQUERY 3
--       SEARCH s USING PRIMARY KEY (id_hash=?)
--       SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--     LIST SUBQUERY 4
--       MATERIALIZE below
--         SETUP
--           SEARCH c USING INDEX links_token_unique (token=?)
--         RECURSIVE STEP
--           SCAN below
--           SEARCH c USING COVERING INDEX links_by_parent (app_token=? AND parent_id=?)
--       SCAN below
--       CREATE BLOOM FILTER
--   SCAN (subquery-5)
--   USE TEMP B-TREE FOR GROUP BY
-- SCAN (subquery-6)
WITH RECURSIVE below(id) AS (
  SELECT c.id
  FROM links c
  WHERE c.token = ?
  AND c.app_token = ?
  UNION ALL
  SELECT c.id
  FROM below
  CROSS JOIN links c INDEXED BY links_by_parent ON c.app_token = ?
  AND c.parent_id = below.id )
SELECT appToken AS appToken,
  NULL AS day,
  linkId AS linkId,
  NULL AS partnerId,
  kind AS kind,
  count AS count,
  recorded AS recorded,
  series AS series
FROM (SELECT appToken,
    linkId,
    kind,
    sum(count) AS count,
    sum(recorded) AS recorded,
    group_concat(day || ' ' || count || ' ' || recorded) AS series
  FROM (SELECT e.app_token AS appToken,
      e.day AS day,
      e.link_id AS linkId,
      e.partner_id AS partnerId,
      e.kind AS kind,
      sum(e.count) AS count,
      sum(e.recorded) AS recorded
    FROM daily_engagements e
    WHERE e.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND e.day BETWEEN ? AND ?
    AND (? IS NULL OR e.partner_id = ?)
    AND (? IS NULL OR e.kind = ?)
    AND e.link_id IN (SELECT id
      FROM below)
    GROUP BY e.app_token, e.day, e.link_id, e.partner_id, e.kind)
  GROUP BY appToken, linkId, kind)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/performance.ts: rows read 27, written 0
-- COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--     CO-ROUTINE (subquery-7)
--       CO-ROUTINE (subquery-6)
--         SEARCH s USING PRIMARY KEY (app_token=? AND link_id=? AND day>? AND day<?)
--         SCALAR SUBQUERY 4
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--         LIST SUBQUERY 5
--           MATERIALIZE own
--             CO-ROUTINE (subquery-2)
--               SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--               SCALAR SUBQUERY 1
--                 SEARCH s USING PRIMARY KEY (id_hash=?)
--                 SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--             SCAN (subquery-2)
--             USE TEMP B-TREE FOR GROUP BY
--             USE TEMP B-TREE FOR json_group_array(DISTINCT)
--           SCAN own
--           SCAN j VIRTUAL TABLE INDEX 1:
--         USE TEMP B-TREE FOR GROUP BY
--       SCAN (subquery-6)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-7)
--   UNION ALL
--     SCAN own
--   UNION ALL
--     CO-ROUTINE (subquery-12)
--       CO-ROUTINE (subquery-11)
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 10
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       SCAN (subquery-11)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-12)
WITH own AS MATERIALIZED (SELECT appToken,
    costType,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced,
    group_concat(day || ' ' || costsWhole || ' ' || costsRest || ' ' || adjustedWhole || ' ' || adjustedRest || ' ' || matched || ' ' || unpriced) AS series,
    json_group_array(DISTINCT linkId) AS ids
  FROM (SELECT d.app_token AS appToken,
      d.day AS day,
      d.link_id AS linkId,
      d.partner_id AS partnerId,
      d.cost_type AS costType,
      d.currency AS currency,
      sum(iif(d.state = 'matched',
          d.amount / iif(d.cost_type IN ('cpm'),
            100000000,
            100000),
          0)) AS costsWhole,
      sum(iif(d.state = 'matched',
          iif(d.cost_type IN ('cpm'),
            d.amount % 100000000,
            d.amount % 100000 * 1000),
          0)) AS costsRest,
      0 AS adjustedWhole,
      0 AS adjustedRest,
      sum(iif(d.state = 'matched',
          d.count,
          0)) AS matched,
      sum(iif(d.state = 'unpriced',
          d.count,
          0)) AS unpriced
    FROM daily_totals d
    WHERE d.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND d.day BETWEEN ? AND ?
    AND (? IS NULL OR d.partner_id = ?)
    AND (? IS NULL OR d.cost_type = ?)
    AND (? IS NULL OR d.currency = ?)
    GROUP BY d.app_token, d.day, d.link_id, d.partner_id, d.cost_type, d.currency)
  GROUP BY appToken, costType, currency)
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  NULL AS partnerId,
  costType AS costType,
  currency AS currency,
  country AS country,
  NULL AS platform,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced,
  series AS series
FROM (SELECT appToken,
    costType,
    currency,
    country,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced,
    group_concat(day || ' ' || costsWhole || ' ' || costsRest || ' ' || adjustedWhole || ' ' || adjustedRest || ' ' || matched || ' ' || unpriced) AS series
  FROM (SELECT s.app_token AS appToken,
      s.day AS day,
      s.cost_type AS costType,
      s.currency AS currency,
      s.country AS country,
      sum(iif(s.state = 'matched',
          s.amount / iif(s.cost_type IN ('cpm'),
            100000000,
            100000),
          0)) AS costsWhole,
      sum(iif(s.state = 'matched',
          iif(s.cost_type IN ('cpm'),
            s.amount % 100000000,
            s.amount % 100000 * 1000),
          0)) AS costsRest,
      0 AS adjustedWhole,
      0 AS adjustedRest,
      sum(iif(s.state = 'matched',
          s.count,
          0)) AS matched,
      sum(iif(s.state = 'unpriced',
          s.count,
          0)) AS unpriced
    FROM daily_audience_spend s
    WHERE s.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND s.link_id IN (SELECT j.value
      FROM own
      CROSS JOIN json_each(own.ids) j)
    AND s.day BETWEEN ? AND ?
    AND (? IS NULL OR s.partner_id = ?)
    AND (? IS NULL OR s.cost_type = ?)
    AND (? IS NULL OR s.currency = ?)
    AND (? IS NULL OR s.country = ?)
    AND (? IS NULL OR s.platform = ?)
    GROUP BY s.app_token, s.day, s.cost_type, s.currency, s.country)
  GROUP BY appToken, costType, currency, country)
WHERE matched > 0 OR unpriced > 0
UNION ALL
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  NULL AS partnerId,
  costType AS costType,
  currency AS currency,
  NULL AS country,
  NULL AS platform,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced,
  series AS series
FROM own
WHERE matched > 0 OR unpriced > 0
UNION ALL
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  NULL AS partnerId,
  costType AS costType,
  currency AS currency,
  NULL AS country,
  NULL AS platform,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced,
  series AS series
FROM (SELECT appToken,
    costType,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced,
    group_concat(day || ' ' || costsWhole || ' ' || costsRest || ' ' || adjustedWhole || ' ' || adjustedRest || ' ' || matched || ' ' || unpriced) AS series
  FROM (SELECT a.app_token AS appToken,
      a.day AS day,
      a.link_id AS linkId,
      a.partner_id AS partnerId,
      a.cost_type AS costType,
      a.currency AS currency,
      0 AS costsWhole,
      0 AS costsRest,
      sum(a.amount / 100000000) AS adjustedWhole,
      sum(a.amount % 100000000) AS adjustedRest,
      0 AS matched,
      0 AS unpriced
    FROM adjustments a
    WHERE a.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND a.day BETWEEN ? AND ?
    AND (? IS NULL OR a.partner_id = ?)
    AND (? IS NULL OR a.cost_type = ?)
    AND (? IS NULL OR a.currency = ?)
    GROUP BY a.app_token, a.day, a.link_id, a.partner_id, a.cost_type, a.currency)
  GROUP BY appToken, costType, currency)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/performance.ts: rows read 23, written 0
-- COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--     CO-ROUTINE (subquery-6)
--       SEARCH s USING PRIMARY KEY (app_token=? AND link_id=? AND day>? AND day<?)
--       SCALAR SUBQUERY 4
--         SEARCH t USING PRIMARY KEY (token_hash=?)
--         SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       LIST SUBQUERY 5
--         MATERIALIZE own
--           CO-ROUTINE (subquery-2)
--             SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--             SCALAR SUBQUERY 1
--               SEARCH t USING PRIMARY KEY (token_hash=?)
--               SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--           SCAN (subquery-2)
--           USE TEMP B-TREE FOR GROUP BY
--           USE TEMP B-TREE FOR json_group_array(DISTINCT)
--         SCAN own
--         SCAN j VIRTUAL TABLE INDEX 1:
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-6)
--   UNION ALL
--     SCAN own
--   UNION ALL
--     CO-ROUTINE (subquery-11)
--       CO-ROUTINE (subquery-10)
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 9
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       SCAN (subquery-10)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-11)
WITH own AS MATERIALIZED (SELECT appToken,
    costType,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced,
    json_group_array(DISTINCT linkId) AS ids
  FROM (SELECT d.app_token AS appToken,
      d.day AS day,
      d.link_id AS linkId,
      d.partner_id AS partnerId,
      d.cost_type AS costType,
      d.currency AS currency,
      sum(iif(d.state = 'matched',
          d.amount / iif(d.cost_type IN ('cpm'),
            100000000,
            100000),
          0)) AS costsWhole,
      sum(iif(d.state = 'matched',
          iif(d.cost_type IN ('cpm'),
            d.amount % 100000000,
            d.amount % 100000 * 1000),
          0)) AS costsRest,
      0 AS adjustedWhole,
      0 AS adjustedRest,
      sum(iif(d.state = 'matched',
          d.count,
          0)) AS matched,
      sum(iif(d.state = 'unpriced',
          d.count,
          0)) AS unpriced
    FROM daily_totals d
    WHERE d.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND d.day BETWEEN ? AND ?
    AND (? IS NULL OR d.partner_id = ?)
    AND (? IS NULL OR d.cost_type = ?)
    AND (? IS NULL OR d.currency = ?)
    GROUP BY d.app_token, d.day, d.link_id, d.partner_id, d.cost_type, d.currency)
  GROUP BY appToken, costType, currency)
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  NULL AS partnerId,
  costType AS costType,
  currency AS currency,
  country AS country,
  NULL AS platform,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT s.app_token AS appToken,
    s.cost_type AS costType,
    s.currency AS currency,
    s.country AS country,
    sum(iif(s.state = 'matched',
        s.amount / iif(s.cost_type IN ('cpm'),
          100000000,
          100000),
        0)) AS costsWhole,
    sum(iif(s.state = 'matched',
        iif(s.cost_type IN ('cpm'),
          s.amount % 100000000,
          s.amount % 100000 * 1000),
        0)) AS costsRest,
    0 AS adjustedWhole,
    0 AS adjustedRest,
    sum(iif(s.state = 'matched',
        s.count,
        0)) AS matched,
    sum(iif(s.state = 'unpriced',
        s.count,
        0)) AS unpriced
  FROM daily_audience_spend s
  WHERE s.app_token = (SELECT m.app_token
    FROM api_tokens t
    CROSS JOIN memberships m ON m.user_id = t.user_id
    AND m.app_token = ?
    WHERE t.token_hash = ?)
  AND s.link_id IN (SELECT j.value
    FROM own
    CROSS JOIN json_each(own.ids) j)
  AND s.day BETWEEN ? AND ?
  AND (? IS NULL OR s.partner_id = ?)
  AND (? IS NULL OR s.cost_type = ?)
  AND (? IS NULL OR s.currency = ?)
  AND (? IS NULL OR s.country = ?)
  AND (? IS NULL OR s.platform = ?)
  GROUP BY s.app_token, s.cost_type, s.currency, s.country)
WHERE matched > 0 OR unpriced > 0
UNION ALL
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  NULL AS partnerId,
  costType AS costType,
  currency AS currency,
  NULL AS country,
  NULL AS platform,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM own
WHERE matched > 0 OR unpriced > 0
UNION ALL
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  NULL AS partnerId,
  costType AS costType,
  currency AS currency,
  NULL AS country,
  NULL AS platform,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT appToken,
    costType,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced
  FROM (SELECT a.app_token AS appToken,
      a.day AS day,
      a.link_id AS linkId,
      a.partner_id AS partnerId,
      a.cost_type AS costType,
      a.currency AS currency,
      0 AS costsWhole,
      0 AS costsRest,
      sum(a.amount / 100000000) AS adjustedWhole,
      sum(a.amount % 100000000) AS adjustedRest,
      0 AS matched,
      0 AS unpriced
    FROM adjustments a
    WHERE a.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND a.day BETWEEN ? AND ?
    AND (? IS NULL OR a.partner_id = ?)
    AND (? IS NULL OR a.cost_type = ?)
    AND (? IS NULL OR a.currency = ?)
    GROUP BY a.app_token, a.day, a.link_id, a.partner_id, a.cost_type, a.currency)
  GROUP BY appToken, costType, currency)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/performance.ts: rows read 11, written 0
-- COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--     CO-ROUTINE (subquery-7)
--       CO-ROUTINE (subquery-6)
--         SEARCH g USING PRIMARY KEY (app_token=? AND link_id=? AND day>? AND day<?)
--         SCALAR SUBQUERY 4
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--         LIST SUBQUERY 5
--           MATERIALIZE own
--             CO-ROUTINE (subquery-2)
--               SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--               SCALAR SUBQUERY 1
--                 SEARCH s USING PRIMARY KEY (id_hash=?)
--                 SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--             SCAN (subquery-2)
--             USE TEMP B-TREE FOR GROUP BY
--             USE TEMP B-TREE FOR json_group_array(DISTINCT)
--           SCAN own
--           SCAN j VIRTUAL TABLE INDEX 1:
--         USE TEMP B-TREE FOR GROUP BY
--       SCAN (subquery-6)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-7)
--   UNION ALL
--     SCAN own
WITH own AS MATERIALIZED (SELECT appToken,
    kind,
    sum(count) AS count,
    sum(recorded) AS recorded,
    group_concat(day || ' ' || count || ' ' || recorded) AS series,
    json_group_array(DISTINCT linkId) AS ids
  FROM (SELECT e.app_token AS appToken,
      e.day AS day,
      e.link_id AS linkId,
      e.partner_id AS partnerId,
      e.kind AS kind,
      sum(e.count) AS count,
      sum(e.recorded) AS recorded
    FROM daily_engagements e
    WHERE e.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND e.day BETWEEN ? AND ?
    AND (? IS NULL OR e.partner_id = ?)
    AND (? IS NULL OR e.kind = ?)
    GROUP BY e.app_token, e.day, e.link_id, e.partner_id, e.kind)
  GROUP BY appToken, kind)
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  NULL AS partnerId,
  kind AS kind,
  country AS country,
  NULL AS platform,
  count AS count,
  recorded AS recorded,
  series AS series
FROM (SELECT appToken,
    kind,
    country,
    sum(count) AS count,
    sum(recorded) AS recorded,
    group_concat(day || ' ' || count || ' ' || recorded) AS series
  FROM (SELECT g.app_token AS appToken,
      g.day AS day,
      g.kind AS kind,
      g.country AS country,
      sum(g.count) AS count,
      sum(g.recorded) AS recorded
    FROM daily_audience g
    WHERE g.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND g.link_id IN (SELECT j.value
      FROM own
      CROSS JOIN json_each(own.ids) j)
    AND g.day BETWEEN ? AND ?
    AND (? IS NULL OR g.partner_id = ?)
    AND (? IS NULL OR g.kind = ?)
    AND (? IS NULL OR g.country = ?)
    AND (? IS NULL OR g.platform = ?)
    GROUP BY g.app_token, g.day, g.kind, g.country)
  GROUP BY appToken, kind, country)
WHERE true
UNION ALL
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  NULL AS partnerId,
  kind AS kind,
  NULL AS country,
  NULL AS platform,
  count AS count,
  recorded AS recorded,
  series AS series
FROM own
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/performance.ts: rows read 10, written 0
-- COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--     CO-ROUTINE (subquery-6)
--       SEARCH g USING PRIMARY KEY (app_token=? AND link_id=? AND day>? AND day<?)
--       SCALAR SUBQUERY 4
--         SEARCH t USING PRIMARY KEY (token_hash=?)
--         SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       LIST SUBQUERY 5
--         MATERIALIZE own
--           CO-ROUTINE (subquery-2)
--             SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--             SCALAR SUBQUERY 1
--               SEARCH t USING PRIMARY KEY (token_hash=?)
--               SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--           SCAN (subquery-2)
--           USE TEMP B-TREE FOR GROUP BY
--           USE TEMP B-TREE FOR json_group_array(DISTINCT)
--         SCAN own
--         SCAN j VIRTUAL TABLE INDEX 1:
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-6)
--   UNION ALL
--     SCAN own
WITH own AS MATERIALIZED (SELECT appToken,
    kind,
    sum(count) AS count,
    sum(recorded) AS recorded,
    json_group_array(DISTINCT linkId) AS ids
  FROM (SELECT e.app_token AS appToken,
      e.day AS day,
      e.link_id AS linkId,
      e.partner_id AS partnerId,
      e.kind AS kind,
      sum(e.count) AS count,
      sum(e.recorded) AS recorded
    FROM daily_engagements e
    WHERE e.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND e.day BETWEEN ? AND ?
    AND (? IS NULL OR e.partner_id = ?)
    AND (? IS NULL OR e.kind = ?)
    GROUP BY e.app_token, e.day, e.link_id, e.partner_id, e.kind)
  GROUP BY appToken, kind)
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  NULL AS partnerId,
  kind AS kind,
  country AS country,
  NULL AS platform,
  count AS count,
  recorded AS recorded
FROM (SELECT g.app_token AS appToken,
    g.kind AS kind,
    g.country AS country,
    sum(g.count) AS count,
    sum(g.recorded) AS recorded
  FROM daily_audience g
  WHERE g.app_token = (SELECT m.app_token
    FROM api_tokens t
    CROSS JOIN memberships m ON m.user_id = t.user_id
    AND m.app_token = ?
    WHERE t.token_hash = ?)
  AND g.link_id IN (SELECT j.value
    FROM own
    CROSS JOIN json_each(own.ids) j)
  AND g.day BETWEEN ? AND ?
  AND (? IS NULL OR g.partner_id = ?)
  AND (? IS NULL OR g.kind = ?)
  AND (? IS NULL OR g.country = ?)
  AND (? IS NULL OR g.platform = ?)
  GROUP BY g.app_token, g.kind, g.country)
WHERE true
UNION ALL
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  NULL AS partnerId,
  kind AS kind,
  NULL AS country,
  NULL AS platform,
  count AS count,
  recorded AS recorded
FROM own
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/performance.ts: rows read 27, written 0
-- MATERIALIZE covered
--   SCAN CONSTANT ROW
--   SCALAR SUBQUERY 10
--     MATERIALIZE own_spend
--       CO-ROUTINE (subquery-2)
--         SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 1
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       USE TEMP B-TREE FOR json_group_array(DISTINCT)
--       SCAN (subquery-2)
--     SCAN own_spend
--   SCALAR SUBQUERY 11
--     MATERIALIZE added_spend
--       CO-ROUTINE (subquery-5)
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 4
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       USE TEMP B-TREE FOR json_group_array(DISTINCT)
--       SCAN (subquery-5)
--     SCAN added_spend
--   SCALAR SUBQUERY 12
--     MATERIALIZE own_engagements
--       CO-ROUTINE (subquery-8)
--         SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 7
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       USE TEMP B-TREE FOR json_group_array(DISTINCT)
--       SCAN (subquery-8)
--     SCAN own_engagements
--   SCALAR SUBQUERY 19
--     CO-ROUTINE (subquery-18)
--       COMPOUND QUERY
--         LEFT-MOST SUBQUERY
--           SEARCH s USING PRIMARY KEY (app_token=? AND link_id=? AND day>? AND day<?)
--           SCALAR SUBQUERY 13
--             SEARCH t USING PRIMARY KEY (token_hash=?)
--             SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--           LIST SUBQUERY 14
--             SCAN own_spend
--             SCAN j VIRTUAL TABLE INDEX 1:
--         UNION ALL
--           SEARCH g USING PRIMARY KEY (app_token=? AND link_id=? AND day>? AND day<?)
--           SCALAR SUBQUERY 16
--             SEARCH t USING PRIMARY KEY (token_hash=?)
--             SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--           LIST SUBQUERY 17
--             SCAN own_engagements
--             SCAN j VIRTUAL TABLE INDEX 1:
--     SCAN (subquery-18)
-- SCAN covered
WITH own_spend AS MATERIALIZED (SELECT count(*) AS size, json_group_array(DISTINCT id) AS ids
  FROM (SELECT d.link_id AS id
    FROM daily_totals d
    WHERE d.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND d.day BETWEEN ? AND ?
    LIMIT 200000 + 1)), added_spend AS MATERIALIZED (SELECT count(*) AS size, json_group_array(DISTINCT id) AS ids
  FROM (SELECT a.link_id AS id
    FROM adjustments a
    WHERE a.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND a.day BETWEEN ? AND ?
    LIMIT 200000 + 1)), own_engagements AS MATERIALIZED (SELECT count(*) AS size, json_group_array(DISTINCT id) AS ids
  FROM (SELECT e.link_id AS id
    FROM daily_engagements e
    WHERE e.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND e.day BETWEEN ? AND ?
    LIMIT 200000 + 1)), covered AS MATERIALIZED (SELECT (SELECT size
    FROM own_spend) + (SELECT size
    FROM added_spend) + (SELECT size
    FROM own_engagements) + (SELECT count(*)
    FROM (SELECT NULL
      FROM daily_audience_spend s
      WHERE s.app_token = (SELECT m.app_token
        FROM api_tokens t
        CROSS JOIN memberships m ON m.user_id = t.user_id
        AND m.app_token = ?
        WHERE t.token_hash = ?)
      AND s.link_id IN (SELECT j.value
        FROM own_spend
        CROSS JOIN json_each(own_spend.ids) j)
      AND s.day BETWEEN ? AND ?
      UNION ALL
      SELECT NULL
      FROM daily_audience g
      WHERE g.app_token = (SELECT m.app_token
        FROM api_tokens t
        CROSS JOIN memberships m ON m.user_id = t.user_id
        AND m.app_token = ?
        WHERE t.token_hash = ?)
      AND g.link_id IN (SELECT j.value
        FROM own_engagements
        CROSS JOIN json_each(own_engagements.ids) j)
      AND g.day BETWEEN ? AND ?
      LIMIT 200000 + 1)) AS size)
SELECT json_extract('{}', iif(covered.size > 200000, 'report_too_large', '$'))
FROM covered;

-- src/db/ledger/reports/performance.ts: rows read 27, written 0
-- MATERIALIZE covered
--   SCAN CONSTANT ROW
--   SCALAR SUBQUERY 10
--     MATERIALIZE own_spend
--       CO-ROUTINE (subquery-2)
--         SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 1
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       USE TEMP B-TREE FOR json_group_array(DISTINCT)
--       SCAN (subquery-2)
--     SCAN own_spend
--   SCALAR SUBQUERY 11
--     MATERIALIZE added_spend
--       CO-ROUTINE (subquery-5)
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 4
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       USE TEMP B-TREE FOR json_group_array(DISTINCT)
--       SCAN (subquery-5)
--     SCAN added_spend
--   SCALAR SUBQUERY 12
--     MATERIALIZE own_engagements
--       CO-ROUTINE (subquery-8)
--         SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 7
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       USE TEMP B-TREE FOR json_group_array(DISTINCT)
--       SCAN (subquery-8)
--     SCAN own_engagements
--   SCALAR SUBQUERY 19
--     CO-ROUTINE (subquery-18)
--       COMPOUND QUERY
--         LEFT-MOST SUBQUERY
--           SEARCH s USING PRIMARY KEY (app_token=? AND link_id=? AND day>? AND day<?)
--           SCALAR SUBQUERY 13
--             SEARCH s USING PRIMARY KEY (id_hash=?)
--             SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--           LIST SUBQUERY 14
--             SCAN own_spend
--             SCAN j VIRTUAL TABLE INDEX 1:
--         UNION ALL
--           SEARCH g USING PRIMARY KEY (app_token=? AND link_id=? AND day>? AND day<?)
--           SCALAR SUBQUERY 16
--             SEARCH s USING PRIMARY KEY (id_hash=?)
--             SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--           LIST SUBQUERY 17
--             SCAN own_engagements
--             SCAN j VIRTUAL TABLE INDEX 1:
--     SCAN (subquery-18)
-- SCAN covered
WITH own_spend AS MATERIALIZED (SELECT count(*) AS size, json_group_array(DISTINCT id) AS ids
  FROM (SELECT d.link_id AS id
    FROM daily_totals d
    WHERE d.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND d.day BETWEEN ? AND ?
    LIMIT 200000 + 1)), added_spend AS MATERIALIZED (SELECT count(*) AS size, json_group_array(DISTINCT id) AS ids
  FROM (SELECT a.link_id AS id
    FROM adjustments a
    WHERE a.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND a.day BETWEEN ? AND ?
    LIMIT 200000 + 1)), own_engagements AS MATERIALIZED (SELECT count(*) AS size, json_group_array(DISTINCT id) AS ids
  FROM (SELECT e.link_id AS id
    FROM daily_engagements e
    WHERE e.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND e.day BETWEEN ? AND ?
    LIMIT 200000 + 1)), covered AS MATERIALIZED (SELECT (SELECT size
    FROM own_spend) + (SELECT size
    FROM added_spend) + (SELECT size
    FROM own_engagements) + (SELECT count(*)
    FROM (SELECT NULL
      FROM daily_audience_spend s
      WHERE s.app_token = (SELECT m.app_token
        FROM sessions s
        CROSS JOIN memberships m ON m.user_id = s.user_id
        AND m.app_token = ?
        WHERE s.id_hash = ?
        AND s.expires_at > ?
        AND s.last_seen_at > ? - 7200000
        AND s.waiting_secret IS NULL)
      AND s.link_id IN (SELECT j.value
        FROM own_spend
        CROSS JOIN json_each(own_spend.ids) j)
      AND s.day BETWEEN ? AND ?
      UNION ALL
      SELECT NULL
      FROM daily_audience g
      WHERE g.app_token = (SELECT m.app_token
        FROM sessions s
        CROSS JOIN memberships m ON m.user_id = s.user_id
        AND m.app_token = ?
        WHERE s.id_hash = ?
        AND s.expires_at > ?
        AND s.last_seen_at > ? - 7200000
        AND s.waiting_secret IS NULL)
      AND g.link_id IN (SELECT j.value
        FROM own_engagements
        CROSS JOIN json_each(own_engagements.ids) j)
      AND g.day BETWEEN ? AND ?
      LIMIT 200000 + 1)) AS size)
SELECT json_extract('{}', iif(covered.size > 200000, 'report_too_large', '$'))
FROM covered;

-- src/db/ledger/reports/reports.ts: rows read 24, written 0
-- COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--     CO-ROUTINE (subquery-3)
--       CO-ROUTINE (subquery-2)
--         SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 1
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       SCAN (subquery-2)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-3)
--   UNION ALL
--     CO-ROUTINE (subquery-7)
--       CO-ROUTINE (subquery-6)
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 5
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       SCAN (subquery-6)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-7)
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  NULL AS partnerId,
  NULL AS costType,
  currency AS currency,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT appToken,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced
  FROM (SELECT d.app_token AS appToken,
      d.day AS day,
      d.link_id AS linkId,
      d.partner_id AS partnerId,
      d.cost_type AS costType,
      d.currency AS currency,
      sum(iif(d.state = 'matched',
          d.amount / iif(d.cost_type IN ('cpm'),
            100000000,
            100000),
          0)) AS costsWhole,
      sum(iif(d.state = 'matched',
          iif(d.cost_type IN ('cpm'),
            d.amount % 100000000,
            d.amount % 100000 * 1000),
          0)) AS costsRest,
      0 AS adjustedWhole,
      0 AS adjustedRest,
      sum(iif(d.state = 'matched',
          d.count,
          0)) AS matched,
      sum(iif(d.state = 'unpriced',
          d.count,
          0)) AS unpriced
    FROM daily_totals d
    WHERE d.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND d.day BETWEEN ? AND ?
    AND (? IS NULL OR d.partner_id = ?)
    AND (? IS NULL OR d.cost_type = ?)
    AND (? IS NULL OR d.currency = ?)
    GROUP BY d.app_token, d.day, d.link_id, d.partner_id, d.cost_type, d.currency)
  GROUP BY appToken, currency)
WHERE matched > 0 OR unpriced > 0
UNION ALL
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  NULL AS partnerId,
  NULL AS costType,
  currency AS currency,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT appToken,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced
  FROM (SELECT a.app_token AS appToken,
      a.day AS day,
      a.link_id AS linkId,
      a.partner_id AS partnerId,
      a.cost_type AS costType,
      a.currency AS currency,
      0 AS costsWhole,
      0 AS costsRest,
      sum(a.amount / 100000000) AS adjustedWhole,
      sum(a.amount % 100000000) AS adjustedRest,
      0 AS matched,
      0 AS unpriced
    FROM adjustments a
    WHERE a.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND a.day BETWEEN ? AND ?
    AND (? IS NULL OR a.partner_id = ?)
    AND (? IS NULL OR a.cost_type = ?)
    AND (? IS NULL OR a.currency = ?)
    GROUP BY a.app_token, a.day, a.link_id, a.partner_id, a.cost_type, a.currency)
  GROUP BY appToken, currency)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/reports.ts: rows read 24, written 0
-- COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--     CO-ROUTINE (subquery-3)
--       CO-ROUTINE (subquery-2)
--         SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         LIST SUBQUERY 1
--           SCAN json_each VIRTUAL TABLE INDEX 1:
--       SCAN (subquery-2)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-3)
--   UNION ALL
--     CO-ROUTINE (subquery-7)
--       CO-ROUTINE (subquery-6)
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         LIST SUBQUERY 5
--           SCAN json_each VIRTUAL TABLE INDEX 1:
--       SCAN (subquery-6)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-7)
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  NULL AS partnerId,
  NULL AS costType,
  currency AS currency,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT appToken,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced
  FROM (SELECT d.app_token AS appToken,
      d.day AS day,
      d.link_id AS linkId,
      d.partner_id AS partnerId,
      d.cost_type AS costType,
      d.currency AS currency,
      sum(iif(d.state = 'matched',
          d.amount / iif(d.cost_type IN ('cpm'),
            100000000,
            100000),
          0)) AS costsWhole,
      sum(iif(d.state = 'matched',
          iif(d.cost_type IN ('cpm'),
            d.amount % 100000000,
            d.amount % 100000 * 1000),
          0)) AS costsRest,
      0 AS adjustedWhole,
      0 AS adjustedRest,
      sum(iif(d.state = 'matched',
          d.count,
          0)) AS matched,
      sum(iif(d.state = 'unpriced',
          d.count,
          0)) AS unpriced
    FROM daily_totals d
    WHERE d.app_token IN (SELECT value
      FROM json_each(?))
    AND d.day BETWEEN ? AND ?
    AND (? IS NULL OR d.partner_id = ?)
    AND (? IS NULL OR d.cost_type = ?)
    AND (? IS NULL OR d.currency = ?)
    GROUP BY d.app_token, d.day, d.link_id, d.partner_id, d.cost_type, d.currency)
  GROUP BY appToken, currency)
WHERE matched > 0 OR unpriced > 0
UNION ALL
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  NULL AS partnerId,
  NULL AS costType,
  currency AS currency,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT appToken,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced
  FROM (SELECT a.app_token AS appToken,
      a.day AS day,
      a.link_id AS linkId,
      a.partner_id AS partnerId,
      a.cost_type AS costType,
      a.currency AS currency,
      0 AS costsWhole,
      0 AS costsRest,
      sum(a.amount / 100000000) AS adjustedWhole,
      sum(a.amount % 100000000) AS adjustedRest,
      0 AS matched,
      0 AS unpriced
    FROM adjustments a
    WHERE a.app_token IN (SELECT value
      FROM json_each(?))
    AND a.day BETWEEN ? AND ?
    AND (? IS NULL OR a.partner_id = ?)
    AND (? IS NULL OR a.cost_type = ?)
    AND (? IS NULL OR a.currency = ?)
    GROUP BY a.app_token, a.day, a.link_id, a.partner_id, a.cost_type, a.currency)
  GROUP BY appToken, currency)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/reports.ts: rows read 3, written 0
-- CO-ROUTINE (subquery-2)
--   SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--   SCALAR SUBQUERY 1
--     SEARCH s USING PRIMARY KEY (id_hash=?)
--     SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
-- SCAN (subquery-2)
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  NULL AS partnerId,
  NULL AS kind,
  count AS count,
  recorded AS recorded
FROM (SELECT e.app_token AS appToken, sum(e.count) AS count, sum(e.recorded) AS recorded
  FROM daily_engagements e
  WHERE e.app_token = (SELECT m.app_token
    FROM sessions s
    CROSS JOIN memberships m ON m.user_id = s.user_id
    AND m.app_token = ?
    WHERE s.id_hash = ?
    AND s.expires_at > ?
    AND s.last_seen_at > ? - 7200000
    AND s.waiting_secret IS NULL)
  AND e.day BETWEEN ? AND ?
  AND (? IS NULL OR e.partner_id = ?)
  AND (? IS NULL OR e.kind = ?)
  GROUP BY e.app_token)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/reports.ts: rows read 58, written 0
-- CO-ROUTINE (subquery-4)
--   SEARCH s USING PRIMARY KEY (app_token=? AND link_id=? AND day>? AND day<?)
--   SCALAR SUBQUERY 1
--     SEARCH t USING PRIMARY KEY (token_hash=?)
--     SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--   LIST SUBQUERY 3
--     SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--     SCALAR SUBQUERY 2
--       SEARCH t USING PRIMARY KEY (token_hash=?)
--       SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--   USE TEMP B-TREE FOR GROUP BY
-- SCAN (subquery-4)
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  NULL AS partnerId,
  costType AS costType,
  currency AS currency,
  NULL AS country,
  NULL AS platform,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT s.app_token AS appToken,
    s.cost_type AS costType,
    s.currency AS currency,
    sum(iif(s.state = 'matched',
        s.amount / iif(s.cost_type IN ('cpm'),
          100000000,
          100000),
        0)) AS costsWhole,
    sum(iif(s.state = 'matched',
        iif(s.cost_type IN ('cpm'),
          s.amount % 100000000,
          s.amount % 100000 * 1000),
        0)) AS costsRest,
    0 AS adjustedWhole,
    0 AS adjustedRest,
    sum(iif(s.state = 'matched',
        s.count,
        0)) AS matched,
    sum(iif(s.state = 'unpriced',
        s.count,
        0)) AS unpriced
  FROM daily_audience_spend s
  WHERE s.app_token = (SELECT m.app_token
    FROM api_tokens t
    CROSS JOIN memberships m ON m.user_id = t.user_id
    AND m.app_token = ?
    WHERE t.token_hash = ?)
  AND s.link_id IN (SELECT d.link_id
    FROM daily_totals d
    WHERE d.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND d.day BETWEEN ? AND ?)
  AND s.day BETWEEN ? AND ?
  AND (? IS NULL OR s.partner_id = ?)
  AND (? IS NULL OR s.cost_type = ?)
  AND (? IS NULL OR s.currency = ?)
  AND (? IS NULL OR s.country = ?)
  AND (? IS NULL OR s.platform = ?)
  GROUP BY s.app_token, s.cost_type, s.currency)
WHERE matched > 0 OR unpriced > 0
LIMIT ? + 0;

-- src/db/ledger/reports/reports.ts: rows read 7, written 0
-- CO-ROUTINE (subquery-4)
--   SEARCH g USING PRIMARY KEY (app_token=? AND link_id=? AND day>? AND day<?)
--   SCALAR SUBQUERY 1
--     SEARCH t USING PRIMARY KEY (token_hash=?)
--     SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--   LIST SUBQUERY 3
--     SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--     SCALAR SUBQUERY 2
--       SEARCH t USING PRIMARY KEY (token_hash=?)
--       SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--   USE TEMP B-TREE FOR GROUP BY
-- SCAN (subquery-4)
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  NULL AS partnerId,
  kind AS kind,
  NULL AS country,
  NULL AS platform,
  count AS count,
  recorded AS recorded
FROM (SELECT g.app_token AS appToken, g.kind AS kind, sum(g.count) AS count, sum(g.recorded) AS recorded
  FROM daily_audience g
  WHERE g.app_token = (SELECT m.app_token
    FROM api_tokens t
    CROSS JOIN memberships m ON m.user_id = t.user_id
    AND m.app_token = ?
    WHERE t.token_hash = ?)
  AND g.link_id IN (SELECT e.link_id
    FROM daily_engagements e
    WHERE e.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND e.day BETWEEN ? AND ?)
  AND g.day BETWEEN ? AND ?
  AND (? IS NULL OR g.partner_id = ?)
  AND (? IS NULL OR g.kind = ?)
  AND (? IS NULL OR g.country = ?)
  AND (? IS NULL OR g.platform = ?)
  GROUP BY g.app_token, g.kind)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/reports.ts: rows read 24, written 0
-- COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--     CO-ROUTINE (subquery-3)
--       CO-ROUTINE (subquery-2)
--         SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 1
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       SCAN (subquery-2)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-3)
--   UNION ALL
--     CO-ROUTINE (subquery-7)
--       CO-ROUTINE (subquery-6)
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 5
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       SCAN (subquery-6)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-7)
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  partnerId AS partnerId,
  NULL AS costType,
  currency AS currency,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT appToken,
    partnerId,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced
  FROM (SELECT d.app_token AS appToken,
      d.day AS day,
      d.link_id AS linkId,
      d.partner_id AS partnerId,
      d.cost_type AS costType,
      d.currency AS currency,
      sum(iif(d.state = 'matched',
          d.amount / iif(d.cost_type IN ('cpm'),
            100000000,
            100000),
          0)) AS costsWhole,
      sum(iif(d.state = 'matched',
          iif(d.cost_type IN ('cpm'),
            d.amount % 100000000,
            d.amount % 100000 * 1000),
          0)) AS costsRest,
      0 AS adjustedWhole,
      0 AS adjustedRest,
      sum(iif(d.state = 'matched',
          d.count,
          0)) AS matched,
      sum(iif(d.state = 'unpriced',
          d.count,
          0)) AS unpriced
    FROM daily_totals d
    WHERE d.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND d.day BETWEEN ? AND ?
    AND (? IS NULL OR d.partner_id = ?)
    AND (? IS NULL OR d.cost_type = ?)
    AND (? IS NULL OR d.currency = ?)
    GROUP BY d.app_token, d.day, d.link_id, d.partner_id, d.cost_type, d.currency)
  GROUP BY appToken, partnerId, currency)
WHERE matched > 0 OR unpriced > 0
UNION ALL
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  partnerId AS partnerId,
  NULL AS costType,
  currency AS currency,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT appToken,
    partnerId,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced
  FROM (SELECT a.app_token AS appToken,
      a.day AS day,
      a.link_id AS linkId,
      a.partner_id AS partnerId,
      a.cost_type AS costType,
      a.currency AS currency,
      0 AS costsWhole,
      0 AS costsRest,
      sum(a.amount / 100000000) AS adjustedWhole,
      sum(a.amount % 100000000) AS adjustedRest,
      0 AS matched,
      0 AS unpriced
    FROM adjustments a
    WHERE a.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND a.day BETWEEN ? AND ?
    AND (? IS NULL OR a.partner_id = ?)
    AND (? IS NULL OR a.cost_type = ?)
    AND (? IS NULL OR a.currency = ?)
    GROUP BY a.app_token, a.day, a.link_id, a.partner_id, a.cost_type, a.currency)
  GROUP BY appToken, partnerId, currency)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/reports.ts: rows read 15, written 0
-- COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--     CO-ROUTINE (subquery-3)
--       CO-ROUTINE (subquery-2)
--         SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         LIST SUBQUERY 1
--           SCAN json_each VIRTUAL TABLE INDEX 1:
--       SCAN (subquery-2)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-3)
--   UNION ALL
--     CO-ROUTINE (subquery-7)
--       CO-ROUTINE (subquery-6)
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         LIST SUBQUERY 5
--           SCAN json_each VIRTUAL TABLE INDEX 1:
--       SCAN (subquery-6)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-7)
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  partnerId AS partnerId,
  NULL AS costType,
  currency AS currency,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT appToken,
    partnerId,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced
  FROM (SELECT d.app_token AS appToken,
      d.day AS day,
      d.link_id AS linkId,
      d.partner_id AS partnerId,
      d.cost_type AS costType,
      d.currency AS currency,
      sum(iif(d.state = 'matched',
          d.amount / iif(d.cost_type IN ('cpm'),
            100000000,
            100000),
          0)) AS costsWhole,
      sum(iif(d.state = 'matched',
          iif(d.cost_type IN ('cpm'),
            d.amount % 100000000,
            d.amount % 100000 * 1000),
          0)) AS costsRest,
      0 AS adjustedWhole,
      0 AS adjustedRest,
      sum(iif(d.state = 'matched',
          d.count,
          0)) AS matched,
      sum(iif(d.state = 'unpriced',
          d.count,
          0)) AS unpriced
    FROM daily_totals d
    WHERE d.app_token IN (SELECT value
      FROM json_each(?))
    AND d.day BETWEEN ? AND ?
    AND (? IS NULL OR d.partner_id = ?)
    AND (? IS NULL OR d.cost_type = ?)
    AND (? IS NULL OR d.currency = ?)
    GROUP BY d.app_token, d.day, d.link_id, d.partner_id, d.cost_type, d.currency)
  GROUP BY appToken, partnerId, currency)
WHERE matched > 0 OR unpriced > 0
UNION ALL
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  partnerId AS partnerId,
  NULL AS costType,
  currency AS currency,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT appToken,
    partnerId,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced
  FROM (SELECT a.app_token AS appToken,
      a.day AS day,
      a.link_id AS linkId,
      a.partner_id AS partnerId,
      a.cost_type AS costType,
      a.currency AS currency,
      0 AS costsWhole,
      0 AS costsRest,
      sum(a.amount / 100000000) AS adjustedWhole,
      sum(a.amount % 100000000) AS adjustedRest,
      0 AS matched,
      0 AS unpriced
    FROM adjustments a
    WHERE a.app_token IN (SELECT value
      FROM json_each(?))
    AND a.day BETWEEN ? AND ?
    AND (? IS NULL OR a.partner_id = ?)
    AND (? IS NULL OR a.cost_type = ?)
    AND (? IS NULL OR a.currency = ?)
    GROUP BY a.app_token, a.day, a.link_id, a.partner_id, a.cost_type, a.currency)
  GROUP BY appToken, partnerId, currency)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/reports.ts: rows read 4, written 0
-- CO-ROUTINE (subquery-3)
--   CO-ROUTINE (subquery-2)
--     SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--     SCALAR SUBQUERY 1
--       SEARCH s USING PRIMARY KEY (id_hash=?)
--       SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--   SCAN (subquery-2)
--   USE TEMP B-TREE FOR GROUP BY
-- SCAN (subquery-3)
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  partnerId AS partnerId,
  NULL AS kind,
  count AS count,
  recorded AS recorded
FROM (SELECT appToken, partnerId, sum(count) AS count, sum(recorded) AS recorded
  FROM (SELECT e.app_token AS appToken,
      e.day AS day,
      e.link_id AS linkId,
      e.partner_id AS partnerId,
      sum(e.count) AS count,
      sum(e.recorded) AS recorded
    FROM daily_engagements e
    WHERE e.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND e.day BETWEEN ? AND ?
    AND (? IS NULL OR e.partner_id = ?)
    AND (? IS NULL OR e.kind = ?)
    GROUP BY e.app_token, e.day, e.link_id, e.partner_id)
  GROUP BY appToken, partnerId)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/reports.ts: rows read 9, written 0
-- COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--     CO-ROUTINE (subquery-3)
--       CO-ROUTINE (subquery-2)
--         SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 1
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       SCAN (subquery-2)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-3)
--   UNION ALL
--     CO-ROUTINE (subquery-7)
--       CO-ROUTINE (subquery-6)
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 5
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       SCAN (subquery-6)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-7)
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  partnerId AS partnerId,
  costType AS costType,
  currency AS currency,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT appToken,
    partnerId,
    costType,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced
  FROM (SELECT d.app_token AS appToken,
      d.day AS day,
      d.link_id AS linkId,
      d.partner_id AS partnerId,
      d.cost_type AS costType,
      d.currency AS currency,
      sum(iif(d.state = 'matched',
          d.amount / iif(d.cost_type IN ('cpm'),
            100000000,
            100000),
          0)) AS costsWhole,
      sum(iif(d.state = 'matched',
          iif(d.cost_type IN ('cpm'),
            d.amount % 100000000,
            d.amount % 100000 * 1000),
          0)) AS costsRest,
      0 AS adjustedWhole,
      0 AS adjustedRest,
      sum(iif(d.state = 'matched',
          d.count,
          0)) AS matched,
      sum(iif(d.state = 'unpriced',
          d.count,
          0)) AS unpriced
    FROM daily_totals d
    WHERE d.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND d.day BETWEEN ? AND ?
    AND (? IS NULL OR d.partner_id = ?)
    AND (? IS NULL OR d.cost_type = ?)
    AND (? IS NULL OR d.currency = ?)
    GROUP BY d.app_token, d.day, d.link_id, d.partner_id, d.cost_type, d.currency)
  GROUP BY appToken, partnerId, costType, currency)
WHERE matched > 0 OR unpriced > 0
UNION ALL
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  partnerId AS partnerId,
  costType AS costType,
  currency AS currency,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT appToken,
    partnerId,
    costType,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced
  FROM (SELECT a.app_token AS appToken,
      a.day AS day,
      a.link_id AS linkId,
      a.partner_id AS partnerId,
      a.cost_type AS costType,
      a.currency AS currency,
      0 AS costsWhole,
      0 AS costsRest,
      sum(a.amount / 100000000) AS adjustedWhole,
      sum(a.amount % 100000000) AS adjustedRest,
      0 AS matched,
      0 AS unpriced
    FROM adjustments a
    WHERE a.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND a.day BETWEEN ? AND ?
    AND (? IS NULL OR a.partner_id = ?)
    AND (? IS NULL OR a.cost_type = ?)
    AND (? IS NULL OR a.currency = ?)
    GROUP BY a.app_token, a.day, a.link_id, a.partner_id, a.cost_type, a.currency)
  GROUP BY appToken, partnerId, costType, currency)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/reports.ts: rows read 4, written 0
-- CO-ROUTINE (subquery-3)
--   CO-ROUTINE (subquery-2)
--     SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--     SCALAR SUBQUERY 1
--       SEARCH s USING PRIMARY KEY (id_hash=?)
--       SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--   SCAN (subquery-2)
--   USE TEMP B-TREE FOR GROUP BY
-- SCAN (subquery-3)
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  partnerId AS partnerId,
  kind AS kind,
  count AS count,
  recorded AS recorded
FROM (SELECT appToken, partnerId, kind, sum(count) AS count, sum(recorded) AS recorded
  FROM (SELECT e.app_token AS appToken,
      e.day AS day,
      e.link_id AS linkId,
      e.partner_id AS partnerId,
      e.kind AS kind,
      sum(e.count) AS count,
      sum(e.recorded) AS recorded
    FROM daily_engagements e
    WHERE e.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND e.day BETWEEN ? AND ?
    AND (? IS NULL OR e.partner_id = ?)
    AND (? IS NULL OR e.kind = ?)
    GROUP BY e.app_token, e.day, e.link_id, e.partner_id, e.kind)
  GROUP BY appToken, partnerId, kind)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/reports.ts: rows read 24, written 0
-- COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--     CO-ROUTINE (subquery-3)
--       CO-ROUTINE (subquery-2)
--         SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 1
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       SCAN (subquery-2)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-3)
--   UNION ALL
--     CO-ROUTINE (subquery-7)
--       CO-ROUTINE (subquery-6)
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 5
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       SCAN (subquery-6)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-7)
SELECT appToken AS appToken,
  NULL AS day,
  linkId AS linkId,
  NULL AS partnerId,
  NULL AS costType,
  currency AS currency,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT appToken,
    linkId,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced
  FROM (SELECT d.app_token AS appToken,
      d.day AS day,
      d.link_id AS linkId,
      d.partner_id AS partnerId,
      d.cost_type AS costType,
      d.currency AS currency,
      sum(iif(d.state = 'matched',
          d.amount / iif(d.cost_type IN ('cpm'),
            100000000,
            100000),
          0)) AS costsWhole,
      sum(iif(d.state = 'matched',
          iif(d.cost_type IN ('cpm'),
            d.amount % 100000000,
            d.amount % 100000 * 1000),
          0)) AS costsRest,
      0 AS adjustedWhole,
      0 AS adjustedRest,
      sum(iif(d.state = 'matched',
          d.count,
          0)) AS matched,
      sum(iif(d.state = 'unpriced',
          d.count,
          0)) AS unpriced
    FROM daily_totals d
    WHERE d.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND d.day BETWEEN ? AND ?
    AND (? IS NULL OR d.partner_id = ?)
    AND (? IS NULL OR d.cost_type = ?)
    AND (? IS NULL OR d.currency = ?)
    GROUP BY d.app_token, d.day, d.link_id, d.partner_id, d.cost_type, d.currency)
  GROUP BY appToken, linkId, currency)
WHERE matched > 0 OR unpriced > 0
UNION ALL
SELECT appToken AS appToken,
  NULL AS day,
  linkId AS linkId,
  NULL AS partnerId,
  NULL AS costType,
  currency AS currency,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT appToken,
    linkId,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced
  FROM (SELECT a.app_token AS appToken,
      a.day AS day,
      a.link_id AS linkId,
      a.partner_id AS partnerId,
      a.cost_type AS costType,
      a.currency AS currency,
      0 AS costsWhole,
      0 AS costsRest,
      sum(a.amount / 100000000) AS adjustedWhole,
      sum(a.amount % 100000000) AS adjustedRest,
      0 AS matched,
      0 AS unpriced
    FROM adjustments a
    WHERE a.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND a.day BETWEEN ? AND ?
    AND (? IS NULL OR a.partner_id = ?)
    AND (? IS NULL OR a.cost_type = ?)
    AND (? IS NULL OR a.currency = ?)
    GROUP BY a.app_token, a.day, a.link_id, a.partner_id, a.cost_type, a.currency)
  GROUP BY appToken, linkId, currency)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/reports.ts: rows read 4, written 0
-- CO-ROUTINE (subquery-3)
--   CO-ROUTINE (subquery-2)
--     SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--     SCALAR SUBQUERY 1
--       SEARCH t USING PRIMARY KEY (token_hash=?)
--       SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--   SCAN (subquery-2)
--   USE TEMP B-TREE FOR GROUP BY
-- SCAN (subquery-3)
SELECT appToken AS appToken,
  NULL AS day,
  linkId AS linkId,
  NULL AS partnerId,
  NULL AS kind,
  count AS count,
  recorded AS recorded
FROM (SELECT appToken, linkId, sum(count) AS count, sum(recorded) AS recorded
  FROM (SELECT e.app_token AS appToken,
      e.day AS day,
      e.link_id AS linkId,
      sum(e.count) AS count,
      sum(e.recorded) AS recorded
    FROM daily_engagements e
    WHERE e.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND e.day BETWEEN ? AND ?
    AND (? IS NULL OR e.partner_id = ?)
    AND (? IS NULL OR e.kind = ?)
    GROUP BY e.app_token, e.day, e.link_id)
  GROUP BY appToken, linkId)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/reports.ts: rows read 9, written 0
-- COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--     CO-ROUTINE (subquery-3)
--       CO-ROUTINE (subquery-2)
--         SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 1
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       SCAN (subquery-2)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-3)
--   UNION ALL
--     CO-ROUTINE (subquery-7)
--       CO-ROUTINE (subquery-6)
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 5
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       SCAN (subquery-6)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-7)
SELECT appToken AS appToken,
  NULL AS day,
  linkId AS linkId,
  NULL AS partnerId,
  costType AS costType,
  currency AS currency,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT appToken,
    linkId,
    costType,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced
  FROM (SELECT d.app_token AS appToken,
      d.day AS day,
      d.link_id AS linkId,
      d.partner_id AS partnerId,
      d.cost_type AS costType,
      d.currency AS currency,
      sum(iif(d.state = 'matched',
          d.amount / iif(d.cost_type IN ('cpm'),
            100000000,
            100000),
          0)) AS costsWhole,
      sum(iif(d.state = 'matched',
          iif(d.cost_type IN ('cpm'),
            d.amount % 100000000,
            d.amount % 100000 * 1000),
          0)) AS costsRest,
      0 AS adjustedWhole,
      0 AS adjustedRest,
      sum(iif(d.state = 'matched',
          d.count,
          0)) AS matched,
      sum(iif(d.state = 'unpriced',
          d.count,
          0)) AS unpriced
    FROM daily_totals d
    WHERE d.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND d.day BETWEEN ? AND ?
    AND (? IS NULL OR d.partner_id = ?)
    AND (? IS NULL OR d.cost_type = ?)
    AND (? IS NULL OR d.currency = ?)
    GROUP BY d.app_token, d.day, d.link_id, d.partner_id, d.cost_type, d.currency)
  GROUP BY appToken, linkId, costType, currency)
WHERE matched > 0 OR unpriced > 0
UNION ALL
SELECT appToken AS appToken,
  NULL AS day,
  linkId AS linkId,
  NULL AS partnerId,
  costType AS costType,
  currency AS currency,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT appToken,
    linkId,
    costType,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced
  FROM (SELECT a.app_token AS appToken,
      a.day AS day,
      a.link_id AS linkId,
      a.partner_id AS partnerId,
      a.cost_type AS costType,
      a.currency AS currency,
      0 AS costsWhole,
      0 AS costsRest,
      sum(a.amount / 100000000) AS adjustedWhole,
      sum(a.amount % 100000000) AS adjustedRest,
      0 AS matched,
      0 AS unpriced
    FROM adjustments a
    WHERE a.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND a.day BETWEEN ? AND ?
    AND (? IS NULL OR a.partner_id = ?)
    AND (? IS NULL OR a.cost_type = ?)
    AND (? IS NULL OR a.currency = ?)
    GROUP BY a.app_token, a.day, a.link_id, a.partner_id, a.cost_type, a.currency)
  GROUP BY appToken, linkId, costType, currency)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/reports.ts: rows read 4, written 0
-- CO-ROUTINE (subquery-3)
--   CO-ROUTINE (subquery-2)
--     SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--     SCALAR SUBQUERY 1
--       SEARCH s USING PRIMARY KEY (id_hash=?)
--       SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--   SCAN (subquery-2)
--   USE TEMP B-TREE FOR GROUP BY
-- SCAN (subquery-3)
SELECT appToken AS appToken,
  NULL AS day,
  linkId AS linkId,
  NULL AS partnerId,
  kind AS kind,
  count AS count,
  recorded AS recorded
FROM (SELECT appToken, linkId, kind, sum(count) AS count, sum(recorded) AS recorded
  FROM (SELECT e.app_token AS appToken,
      e.day AS day,
      e.link_id AS linkId,
      e.partner_id AS partnerId,
      e.kind AS kind,
      sum(e.count) AS count,
      sum(e.recorded) AS recorded
    FROM daily_engagements e
    WHERE e.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND e.day BETWEEN ? AND ?
    AND (? IS NULL OR e.partner_id = ?)
    AND (? IS NULL OR e.kind = ?)
    GROUP BY e.app_token, e.day, e.link_id, e.partner_id, e.kind)
  GROUP BY appToken, linkId, kind)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/reports.ts: rows read 24, written 0
-- COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--     CO-ROUTINE (subquery-3)
--       CO-ROUTINE (subquery-2)
--         SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 1
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       SCAN (subquery-2)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-3)
--   UNION ALL
--     CO-ROUTINE (subquery-7)
--       CO-ROUTINE (subquery-6)
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 5
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       SCAN (subquery-6)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-7)
SELECT appToken AS appToken,
  day AS day,
  NULL AS linkId,
  NULL AS partnerId,
  NULL AS costType,
  currency AS currency,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT appToken,
    day,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced
  FROM (SELECT d.app_token AS appToken,
      d.day AS day,
      d.link_id AS linkId,
      d.partner_id AS partnerId,
      d.cost_type AS costType,
      d.currency AS currency,
      sum(iif(d.state = 'matched',
          d.amount / iif(d.cost_type IN ('cpm'),
            100000000,
            100000),
          0)) AS costsWhole,
      sum(iif(d.state = 'matched',
          iif(d.cost_type IN ('cpm'),
            d.amount % 100000000,
            d.amount % 100000 * 1000),
          0)) AS costsRest,
      0 AS adjustedWhole,
      0 AS adjustedRest,
      sum(iif(d.state = 'matched',
          d.count,
          0)) AS matched,
      sum(iif(d.state = 'unpriced',
          d.count,
          0)) AS unpriced
    FROM daily_totals d
    WHERE d.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND d.day BETWEEN ? AND ?
    AND (? IS NULL OR d.partner_id = ?)
    AND (? IS NULL OR d.cost_type = ?)
    AND (? IS NULL OR d.currency = ?)
    GROUP BY d.app_token, d.day, d.link_id, d.partner_id, d.cost_type, d.currency)
  GROUP BY appToken, day, currency)
WHERE matched > 0 OR unpriced > 0
UNION ALL
SELECT appToken AS appToken,
  day AS day,
  NULL AS linkId,
  NULL AS partnerId,
  NULL AS costType,
  currency AS currency,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT appToken,
    day,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced
  FROM (SELECT a.app_token AS appToken,
      a.day AS day,
      a.link_id AS linkId,
      a.partner_id AS partnerId,
      a.cost_type AS costType,
      a.currency AS currency,
      0 AS costsWhole,
      0 AS costsRest,
      sum(a.amount / 100000000) AS adjustedWhole,
      sum(a.amount % 100000000) AS adjustedRest,
      0 AS matched,
      0 AS unpriced
    FROM adjustments a
    WHERE a.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND a.day BETWEEN ? AND ?
    AND (? IS NULL OR a.partner_id = ?)
    AND (? IS NULL OR a.cost_type = ?)
    AND (? IS NULL OR a.currency = ?)
    GROUP BY a.app_token, a.day, a.link_id, a.partner_id, a.cost_type, a.currency)
  GROUP BY appToken, day, currency)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/reports.ts: rows read 32, written 0
-- COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--     CO-ROUTINE (subquery-3)
--       CO-ROUTINE (subquery-2)
--         SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         LIST SUBQUERY 1
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=?)
--       SCAN (subquery-2)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-3)
--   UNION ALL
--     CO-ROUTINE (subquery-7)
--       CO-ROUTINE (subquery-6)
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         LIST SUBQUERY 5
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=?)
--       SCAN (subquery-6)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-7)
SELECT appToken AS appToken,
  day AS day,
  NULL AS linkId,
  NULL AS partnerId,
  NULL AS costType,
  currency AS currency,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT appToken,
    day,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced
  FROM (SELECT d.app_token AS appToken,
      d.day AS day,
      d.link_id AS linkId,
      d.partner_id AS partnerId,
      d.cost_type AS costType,
      d.currency AS currency,
      sum(iif(d.state = 'matched',
          d.amount / iif(d.cost_type IN ('cpm'),
            100000000,
            100000),
          0)) AS costsWhole,
      sum(iif(d.state = 'matched',
          iif(d.cost_type IN ('cpm'),
            d.amount % 100000000,
            d.amount % 100000 * 1000),
          0)) AS costsRest,
      0 AS adjustedWhole,
      0 AS adjustedRest,
      sum(iif(d.state = 'matched',
          d.count,
          0)) AS matched,
      sum(iif(d.state = 'unpriced',
          d.count,
          0)) AS unpriced
    FROM daily_totals d
    WHERE d.app_token IN (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND d.day BETWEEN ? AND ?
    AND (? IS NULL OR d.partner_id = ?)
    AND (? IS NULL OR d.cost_type = ?)
    AND (? IS NULL OR d.currency = ?)
    GROUP BY d.app_token, d.day, d.link_id, d.partner_id, d.cost_type, d.currency)
  GROUP BY appToken, day, currency)
WHERE matched > 0 OR unpriced > 0
UNION ALL
SELECT appToken AS appToken,
  day AS day,
  NULL AS linkId,
  NULL AS partnerId,
  NULL AS costType,
  currency AS currency,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT appToken,
    day,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced
  FROM (SELECT a.app_token AS appToken,
      a.day AS day,
      a.link_id AS linkId,
      a.partner_id AS partnerId,
      a.cost_type AS costType,
      a.currency AS currency,
      0 AS costsWhole,
      0 AS costsRest,
      sum(a.amount / 100000000) AS adjustedWhole,
      sum(a.amount % 100000000) AS adjustedRest,
      0 AS matched,
      0 AS unpriced
    FROM adjustments a
    WHERE a.app_token IN (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND a.day BETWEEN ? AND ?
    AND (? IS NULL OR a.partner_id = ?)
    AND (? IS NULL OR a.cost_type = ?)
    AND (? IS NULL OR a.currency = ?)
    GROUP BY a.app_token, a.day, a.link_id, a.partner_id, a.cost_type, a.currency)
  GROUP BY appToken, day, currency)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/reports.ts: rows read 104, written 0
-- COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--     CO-ROUTINE (subquery-4)
--       SEARCH s USING PRIMARY KEY (app_token=? AND link_id=? AND day>? AND day<?)
--       SCALAR SUBQUERY 1
--         SEARCH t USING PRIMARY KEY (token_hash=?)
--         SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       LIST SUBQUERY 3
--         SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 2
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-4)
--   UNION ALL
--     CO-ROUTINE (subquery-8)
--       CO-ROUTINE (subquery-7)
--         SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 6
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       SCAN (subquery-7)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-8)
--   UNION ALL
--     CO-ROUTINE (subquery-12)
--       CO-ROUTINE (subquery-11)
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 10
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       SCAN (subquery-11)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-12)
SELECT appToken AS appToken,
  day AS day,
  NULL AS linkId,
  NULL AS partnerId,
  NULL AS costType,
  currency AS currency,
  country AS country,
  NULL AS platform,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT s.app_token AS appToken,
    s.day AS day,
    s.currency AS currency,
    s.country AS country,
    sum(iif(s.state = 'matched',
        s.amount / iif(s.cost_type IN ('cpm'),
          100000000,
          100000),
        0)) AS costsWhole,
    sum(iif(s.state = 'matched',
        iif(s.cost_type IN ('cpm'),
          s.amount % 100000000,
          s.amount % 100000 * 1000),
        0)) AS costsRest,
    0 AS adjustedWhole,
    0 AS adjustedRest,
    sum(iif(s.state = 'matched',
        s.count,
        0)) AS matched,
    sum(iif(s.state = 'unpriced',
        s.count,
        0)) AS unpriced
  FROM daily_audience_spend s
  WHERE s.app_token = (SELECT m.app_token
    FROM api_tokens t
    CROSS JOIN memberships m ON m.user_id = t.user_id
    AND m.app_token = ?
    WHERE t.token_hash = ?)
  AND s.link_id IN (SELECT d.link_id
    FROM daily_totals d
    WHERE d.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND d.day BETWEEN ? AND ?)
  AND s.day BETWEEN ? AND ?
  AND (? IS NULL OR s.partner_id = ?)
  AND (? IS NULL OR s.cost_type = ?)
  AND (? IS NULL OR s.currency = ?)
  AND (? IS NULL OR s.country = ?)
  AND (? IS NULL OR s.platform = ?)
  GROUP BY s.app_token, s.day, s.currency, s.country)
WHERE matched > 0 OR unpriced > 0
UNION ALL
SELECT appToken AS appToken,
  day AS day,
  NULL AS linkId,
  NULL AS partnerId,
  NULL AS costType,
  currency AS currency,
  NULL AS country,
  NULL AS platform,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT appToken,
    day,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced
  FROM (SELECT d.app_token AS appToken,
      d.day AS day,
      d.link_id AS linkId,
      d.partner_id AS partnerId,
      d.cost_type AS costType,
      d.currency AS currency,
      sum(iif(d.state = 'matched',
          d.amount / iif(d.cost_type IN ('cpm'),
            100000000,
            100000),
          0)) AS costsWhole,
      sum(iif(d.state = 'matched',
          iif(d.cost_type IN ('cpm'),
            d.amount % 100000000,
            d.amount % 100000 * 1000),
          0)) AS costsRest,
      0 AS adjustedWhole,
      0 AS adjustedRest,
      sum(iif(d.state = 'matched',
          d.count,
          0)) AS matched,
      sum(iif(d.state = 'unpriced',
          d.count,
          0)) AS unpriced
    FROM daily_totals d
    WHERE d.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND d.day BETWEEN ? AND ?
    AND (? IS NULL OR d.partner_id = ?)
    AND (? IS NULL OR d.cost_type = ?)
    AND (? IS NULL OR d.currency = ?)
    GROUP BY d.app_token, d.day, d.link_id, d.partner_id, d.cost_type, d.currency)
  GROUP BY appToken, day, currency)
WHERE matched > 0 OR unpriced > 0
UNION ALL
SELECT appToken AS appToken,
  day AS day,
  NULL AS linkId,
  NULL AS partnerId,
  NULL AS costType,
  currency AS currency,
  NULL AS country,
  NULL AS platform,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT appToken,
    day,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced
  FROM (SELECT a.app_token AS appToken,
      a.day AS day,
      a.link_id AS linkId,
      a.partner_id AS partnerId,
      a.cost_type AS costType,
      a.currency AS currency,
      0 AS costsWhole,
      0 AS costsRest,
      sum(a.amount / 100000000) AS adjustedWhole,
      sum(a.amount % 100000000) AS adjustedRest,
      0 AS matched,
      0 AS unpriced
    FROM adjustments a
    WHERE a.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND a.day BETWEEN ? AND ?
    AND (? IS NULL OR a.partner_id = ?)
    AND (? IS NULL OR a.cost_type = ?)
    AND (? IS NULL OR a.currency = ?)
    GROUP BY a.app_token, a.day, a.link_id, a.partner_id, a.cost_type, a.currency)
  GROUP BY appToken, day, currency)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/reports.ts: rows read 3, written 0
-- CO-ROUTINE (subquery-2)
--   SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--   SCALAR SUBQUERY 1
--     SEARCH t USING PRIMARY KEY (token_hash=?)
--     SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
-- SCAN (subquery-2)
SELECT appToken AS appToken,
  day AS day,
  NULL AS linkId,
  NULL AS partnerId,
  NULL AS kind,
  count AS count,
  recorded AS recorded
FROM (SELECT e.app_token AS appToken, e.day AS day, sum(e.count) AS count, sum(e.recorded) AS recorded
  FROM daily_engagements e
  WHERE e.app_token = (SELECT m.app_token
    FROM api_tokens t
    CROSS JOIN memberships m ON m.user_id = t.user_id
    AND m.app_token = ?
    WHERE t.token_hash = ?)
  AND e.day BETWEEN ? AND ?
  AND (? IS NULL OR e.partner_id = ?)
  AND (? IS NULL OR e.kind = ?)
  GROUP BY e.app_token, e.day)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/reports.ts: rows read 10, written 0
-- COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--     CO-ROUTINE (subquery-4)
--       SEARCH g USING PRIMARY KEY (app_token=? AND link_id=? AND day>? AND day<?)
--       SCALAR SUBQUERY 1
--         SEARCH t USING PRIMARY KEY (token_hash=?)
--         SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       LIST SUBQUERY 3
--         SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 2
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-4)
--   UNION ALL
--     CO-ROUTINE (subquery-7)
--       SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--       SCALAR SUBQUERY 6
--         SEARCH t USING PRIMARY KEY (token_hash=?)
--         SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--     SCAN (subquery-7)
SELECT appToken AS appToken,
  day AS day,
  NULL AS linkId,
  NULL AS partnerId,
  NULL AS kind,
  country AS country,
  NULL AS platform,
  count AS count,
  recorded AS recorded
FROM (SELECT g.app_token AS appToken,
    g.day AS day,
    g.country AS country,
    sum(g.count) AS count,
    sum(g.recorded) AS recorded
  FROM daily_audience g
  WHERE g.app_token = (SELECT m.app_token
    FROM api_tokens t
    CROSS JOIN memberships m ON m.user_id = t.user_id
    AND m.app_token = ?
    WHERE t.token_hash = ?)
  AND g.link_id IN (SELECT e.link_id
    FROM daily_engagements e
    WHERE e.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND e.day BETWEEN ? AND ?)
  AND g.day BETWEEN ? AND ?
  AND (? IS NULL OR g.partner_id = ?)
  AND (? IS NULL OR g.kind = ?)
  AND (? IS NULL OR g.country = ?)
  AND (? IS NULL OR g.platform = ?)
  GROUP BY g.app_token, g.day, g.country)
WHERE true
UNION ALL
SELECT appToken AS appToken,
  day AS day,
  NULL AS linkId,
  NULL AS partnerId,
  NULL AS kind,
  NULL AS country,
  NULL AS platform,
  count AS count,
  recorded AS recorded
FROM (SELECT e.app_token AS appToken, e.day AS day, sum(e.count) AS count, sum(e.recorded) AS recorded
  FROM daily_engagements e
  WHERE e.app_token = (SELECT m.app_token
    FROM api_tokens t
    CROSS JOIN memberships m ON m.user_id = t.user_id
    AND m.app_token = ?
    WHERE t.token_hash = ?)
  AND e.day BETWEEN ? AND ?
  AND (? IS NULL OR e.partner_id = ?)
  AND (? IS NULL OR e.kind = ?)
  GROUP BY e.app_token, e.day)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/reports.ts: rows read 8, written 0
-- CO-ROUTINE (subquery-3)
--   CO-ROUTINE (subquery-2)
--     SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--     LIST SUBQUERY 1
--       SEARCH s USING PRIMARY KEY (id_hash=?)
--       SEARCH m USING PRIMARY KEY (user_id=?)
--   SCAN (subquery-2)
--   USE TEMP B-TREE FOR GROUP BY
-- SCAN (subquery-3)
SELECT appToken AS appToken,
  day AS day,
  NULL AS linkId,
  NULL AS partnerId,
  kind AS kind,
  count AS count,
  recorded AS recorded
FROM (SELECT appToken, day, kind, sum(count) AS count, sum(recorded) AS recorded
  FROM (SELECT e.app_token AS appToken,
      e.day AS day,
      e.link_id AS linkId,
      e.partner_id AS partnerId,
      e.kind AS kind,
      sum(e.count) AS count,
      sum(e.recorded) AS recorded
    FROM daily_engagements e
    WHERE e.app_token IN (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND e.day BETWEEN ? AND ?
    AND (? IS NULL OR e.partner_id = ?)
    AND (? IS NULL OR e.kind = ?)
    GROUP BY e.app_token, e.day, e.link_id, e.partner_id, e.kind)
  GROUP BY appToken, day, kind)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/reports.ts: rows read 9, written 0
-- COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--     CO-ROUTINE (subquery-3)
--       CO-ROUTINE (subquery-2)
--         SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 1
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       SCAN (subquery-2)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-3)
--   UNION ALL
--     CO-ROUTINE (subquery-7)
--       CO-ROUTINE (subquery-6)
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 5
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       SCAN (subquery-6)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-7)
SELECT appToken AS appToken,
  day AS day,
  NULL AS linkId,
  partnerId AS partnerId,
  NULL AS costType,
  currency AS currency,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT appToken,
    day,
    partnerId,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced
  FROM (SELECT d.app_token AS appToken,
      d.day AS day,
      d.link_id AS linkId,
      d.partner_id AS partnerId,
      d.cost_type AS costType,
      d.currency AS currency,
      sum(iif(d.state = 'matched',
          d.amount / iif(d.cost_type IN ('cpm'),
            100000000,
            100000),
          0)) AS costsWhole,
      sum(iif(d.state = 'matched',
          iif(d.cost_type IN ('cpm'),
            d.amount % 100000000,
            d.amount % 100000 * 1000),
          0)) AS costsRest,
      0 AS adjustedWhole,
      0 AS adjustedRest,
      sum(iif(d.state = 'matched',
          d.count,
          0)) AS matched,
      sum(iif(d.state = 'unpriced',
          d.count,
          0)) AS unpriced
    FROM daily_totals d
    WHERE d.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND d.day BETWEEN ? AND ?
    AND (? IS NULL OR d.partner_id = ?)
    AND (? IS NULL OR d.cost_type = ?)
    AND (? IS NULL OR d.currency = ?)
    GROUP BY d.app_token, d.day, d.link_id, d.partner_id, d.cost_type, d.currency)
  GROUP BY appToken, day, partnerId, currency)
WHERE matched > 0 OR unpriced > 0
UNION ALL
SELECT appToken AS appToken,
  day AS day,
  NULL AS linkId,
  partnerId AS partnerId,
  NULL AS costType,
  currency AS currency,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT appToken,
    day,
    partnerId,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced
  FROM (SELECT a.app_token AS appToken,
      a.day AS day,
      a.link_id AS linkId,
      a.partner_id AS partnerId,
      a.cost_type AS costType,
      a.currency AS currency,
      0 AS costsWhole,
      0 AS costsRest,
      sum(a.amount / 100000000) AS adjustedWhole,
      sum(a.amount % 100000000) AS adjustedRest,
      0 AS matched,
      0 AS unpriced
    FROM adjustments a
    WHERE a.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND a.day BETWEEN ? AND ?
    AND (? IS NULL OR a.partner_id = ?)
    AND (? IS NULL OR a.cost_type = ?)
    AND (? IS NULL OR a.currency = ?)
    GROUP BY a.app_token, a.day, a.link_id, a.partner_id, a.cost_type, a.currency)
  GROUP BY appToken, day, partnerId, currency)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/reports.ts: rows read 4, written 0
-- CO-ROUTINE (subquery-3)
--   CO-ROUTINE (subquery-2)
--     SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--     SCALAR SUBQUERY 1
--       SEARCH s USING PRIMARY KEY (id_hash=?)
--       SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--   SCAN (subquery-2)
--   USE TEMP B-TREE FOR GROUP BY
-- SCAN (subquery-3)
SELECT appToken AS appToken,
  day AS day,
  NULL AS linkId,
  partnerId AS partnerId,
  kind AS kind,
  count AS count,
  recorded AS recorded
FROM (SELECT appToken, day, partnerId, kind, sum(count) AS count, sum(recorded) AS recorded
  FROM (SELECT e.app_token AS appToken,
      e.day AS day,
      e.link_id AS linkId,
      e.partner_id AS partnerId,
      e.kind AS kind,
      sum(e.count) AS count,
      sum(e.recorded) AS recorded
    FROM daily_engagements e
    WHERE e.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND e.day BETWEEN ? AND ?
    AND (? IS NULL OR e.partner_id = ?)
    AND (? IS NULL OR e.kind = ?)
    GROUP BY e.app_token, e.day, e.link_id, e.partner_id, e.kind)
  GROUP BY appToken, day, partnerId, kind)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/reports.ts: rows read 14, written 0
-- COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--     CO-ROUTINE (subquery-2)
--       SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--       SCALAR SUBQUERY 1
--         SEARCH t USING PRIMARY KEY (token_hash=?)
--         SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--     SCAN (subquery-2)
--   UNION ALL
--     CO-ROUTINE (subquery-5)
--       SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--       SCALAR SUBQUERY 4
--         SEARCH t USING PRIMARY KEY (token_hash=?)
--         SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--     SCAN (subquery-5)
SELECT appToken AS appToken,
  day AS day,
  linkId AS linkId,
  partnerId AS partnerId,
  costType AS costType,
  currency AS currency,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT d.app_token AS appToken,
    d.day AS day,
    d.link_id AS linkId,
    d.partner_id AS partnerId,
    d.cost_type AS costType,
    d.currency AS currency,
    sum(iif(d.state = 'matched',
        d.amount / iif(d.cost_type IN ('cpm'),
          100000000,
          100000),
        0)) AS costsWhole,
    sum(iif(d.state = 'matched',
        iif(d.cost_type IN ('cpm'),
          d.amount % 100000000,
          d.amount % 100000 * 1000),
        0)) AS costsRest,
    0 AS adjustedWhole,
    0 AS adjustedRest,
    sum(iif(d.state = 'matched',
        d.count,
        0)) AS matched,
    sum(iif(d.state = 'unpriced',
        d.count,
        0)) AS unpriced
  FROM daily_totals d
  WHERE d.app_token = (SELECT m.app_token
    FROM api_tokens t
    CROSS JOIN memberships m ON m.user_id = t.user_id
    AND m.app_token = ?
    WHERE t.token_hash = ?)
  AND d.day BETWEEN ? AND ?
  AND (? IS NULL OR d.partner_id = ?)
  AND (? IS NULL OR d.cost_type = ?)
  AND (? IS NULL OR d.currency = ?)
  GROUP BY d.app_token, d.day, d.link_id, d.partner_id, d.cost_type, d.currency)
WHERE matched > 0 OR unpriced > 0
UNION ALL
SELECT appToken AS appToken,
  day AS day,
  linkId AS linkId,
  partnerId AS partnerId,
  costType AS costType,
  currency AS currency,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT a.app_token AS appToken,
    a.day AS day,
    a.link_id AS linkId,
    a.partner_id AS partnerId,
    a.cost_type AS costType,
    a.currency AS currency,
    0 AS costsWhole,
    0 AS costsRest,
    sum(a.amount / 100000000) AS adjustedWhole,
    sum(a.amount % 100000000) AS adjustedRest,
    0 AS matched,
    0 AS unpriced
  FROM adjustments a
  WHERE a.app_token = (SELECT m.app_token
    FROM api_tokens t
    CROSS JOIN memberships m ON m.user_id = t.user_id
    AND m.app_token = ?
    WHERE t.token_hash = ?)
  AND a.day BETWEEN ? AND ?
  AND (? IS NULL OR a.partner_id = ?)
  AND (? IS NULL OR a.cost_type = ?)
  AND (? IS NULL OR a.currency = ?)
  GROUP BY a.app_token, a.day, a.link_id, a.partner_id, a.cost_type, a.currency)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/reports.ts: rows read 0, written 0
-- SCAN CONSTANT ROW
SELECT NULL
WHERE false;

-- src/db/ledger/reports/reports.ts: rows read 37, written 0
-- CO-ROUTINE covered
--   CO-ROUTINE (subquery-4)
--     COMPOUND QUERY
--       LEFT-MOST SUBQUERY
--         SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 1
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       UNION ALL
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 3
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--   USE TEMP B-TREE FOR json_group_array(DISTINCT)
--   SCAN (subquery-4)
-- SCAN covered
-- SCAN j VIRTUAL TABLE INDEX 1:
-- SEARCH l USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH l1 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l2 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l3 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
SELECT l.id AS linkId,
  CASE max(l.level - coalesce(?,
      4),
    0) WHEN 0 THEN l.id WHEN 1 THEN l1.id WHEN 2 THEN l2.id WHEN 3 THEN l3.id END AS targetId,
  CASE max(l.level - coalesce(?,
      4),
    0) WHEN 0 THEN l.token WHEN 1 THEN l1.token WHEN 2 THEN l2.token WHEN 3 THEN l3.token END AS linkToken,
  CASE max(l.level - coalesce(?,
      4),
    0) WHEN 0 THEN l.label WHEN 1 THEN l1.label WHEN 2 THEN l2.label WHEN 3 THEN l3.label END AS linkLabel,
  CASE max(l.level - coalesce(?,
      4),
    0) WHEN 0 THEN coalesce(l3.label || '::',
    '') || coalesce(l2.label || '::',
    '') || coalesce(l1.label || '::',
    '') || l.label WHEN 1 THEN coalesce(l3.label || '::',
    '') || coalesce(l2.label || '::',
    '') || l1.label WHEN 2 THEN coalesce(l3.label || '::',
    '') || l2.label WHEN 3 THEN l3.label END AS linkName
FROM (
  SELECT j.value AS id
  FROM (
    SELECT count(*) AS size , json_group_array(DISTINCT id) FILTER (WHERE id IS NOT NULL) AS ids
    FROM (SELECT iif((? IS NULL OR d.partner_id = ?)
        AND (? IS NULL OR d.cost_type = ?)
        AND (? IS NULL OR d.currency = ?) , d.link_id, NULL) AS id
      FROM daily_totals d
      WHERE d.app_token = (SELECT m.app_token
        FROM api_tokens t
        CROSS JOIN memberships m ON m.user_id = t.user_id
        AND m.app_token = ?
        WHERE t.token_hash = ?)
      AND d.day BETWEEN ? AND ?
      UNION ALL
      SELECT iif((? IS NULL OR a.partner_id = ?)
        AND (? IS NULL OR a.cost_type = ?)
        AND (? IS NULL OR a.currency = ?) , a.link_id, NULL) AS id
      FROM adjustments a
      WHERE a.app_token = (SELECT m.app_token
        FROM api_tokens t
        CROSS JOIN memberships m ON m.user_id = t.user_id
        AND m.app_token = ?
        WHERE t.token_hash = ?)
      AND a.day BETWEEN ? AND ?
      LIMIT 200000 + 1) ) covered
  CROSS JOIN json_each(json_extract(covered.ids, iif(covered.size > 200000, 'report_too_large', '$'))) j) ids
CROSS JOIN links l ON l.id = ids.id
LEFT JOIN links l1 ON l1.id = l.parent_id
LEFT JOIN links l2 ON l2.id = l1.parent_id
LEFT JOIN links l3 ON l3.id = l2.parent_id;

-- src/db/ledger/reports/reports.ts: rows read 9, written 0
-- CO-ROUTINE covered
--   CO-ROUTINE (subquery-4)
--     COMPOUND QUERY
--       LEFT-MOST SUBQUERY
--         SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 1
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       UNION ALL
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 3
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--   USE TEMP B-TREE FOR json_group_array(DISTINCT)
--   SCAN (subquery-4)
-- SCAN covered
-- SCAN j VIRTUAL TABLE INDEX 1:
-- SEARCH l USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH l1 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l2 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l3 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
SELECT l.id AS linkId,
  CASE max(l.level - coalesce(?,
      4),
    0) WHEN 0 THEN l.id WHEN 1 THEN l1.id WHEN 2 THEN l2.id WHEN 3 THEN l3.id END AS targetId,
  CASE max(l.level - coalesce(?,
      4),
    0) WHEN 0 THEN l.token WHEN 1 THEN l1.token WHEN 2 THEN l2.token WHEN 3 THEN l3.token END AS linkToken,
  CASE max(l.level - coalesce(?,
      4),
    0) WHEN 0 THEN l.label WHEN 1 THEN l1.label WHEN 2 THEN l2.label WHEN 3 THEN l3.label END AS linkLabel,
  CASE max(l.level - coalesce(?,
      4),
    0) WHEN 0 THEN coalesce(l3.label || '::',
    '') || coalesce(l2.label || '::',
    '') || coalesce(l1.label || '::',
    '') || l.label WHEN 1 THEN coalesce(l3.label || '::',
    '') || coalesce(l2.label || '::',
    '') || l1.label WHEN 2 THEN coalesce(l3.label || '::',
    '') || l2.label WHEN 3 THEN l3.label END AS linkName
FROM (
  SELECT j.value AS id
  FROM (
    SELECT count(*) AS size , json_group_array(DISTINCT id) FILTER (WHERE id IS NOT NULL) AS ids
    FROM (SELECT iif((? IS NULL OR d.partner_id = ?)
        AND (? IS NULL OR d.cost_type = ?)
        AND (? IS NULL OR d.currency = ?) , d.link_id, NULL) AS id
      FROM daily_totals d
      WHERE d.app_token = (SELECT m.app_token
        FROM sessions s
        CROSS JOIN memberships m ON m.user_id = s.user_id
        AND m.app_token = ?
        WHERE s.id_hash = ?
        AND s.expires_at > ?
        AND s.last_seen_at > ? - 7200000
        AND s.waiting_secret IS NULL)
      AND d.day BETWEEN ? AND ?
      UNION ALL
      SELECT iif((? IS NULL OR a.partner_id = ?)
        AND (? IS NULL OR a.cost_type = ?)
        AND (? IS NULL OR a.currency = ?) , a.link_id, NULL) AS id
      FROM adjustments a
      WHERE a.app_token = (SELECT m.app_token
        FROM sessions s
        CROSS JOIN memberships m ON m.user_id = s.user_id
        AND m.app_token = ?
        WHERE s.id_hash = ?
        AND s.expires_at > ?
        AND s.last_seen_at > ? - 7200000
        AND s.waiting_secret IS NULL)
      AND a.day BETWEEN ? AND ?
      LIMIT 200000 + 1) ) covered
  CROSS JOIN json_each(json_extract(covered.ids, iif(covered.size > 200000, 'report_too_large', '$'))) j) ids
CROSS JOIN links l ON l.id = ids.id
LEFT JOIN links l1 ON l1.id = l.parent_id
LEFT JOIN links l2 ON l2.id = l1.parent_id
LEFT JOIN links l3 ON l3.id = l2.parent_id;

-- src/db/ledger/reports/reports.ts: rows read 3, written 0
-- CO-ROUTINE covered
--   CO-ROUTINE (subquery-2)
--     SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--     SCALAR SUBQUERY 1
--       SEARCH t USING PRIMARY KEY (token_hash=?)
--       SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--   USE TEMP B-TREE FOR json_group_array(DISTINCT)
--   SCAN (subquery-2)
-- SCAN covered
-- SCAN j VIRTUAL TABLE INDEX 1:
-- SEARCH l USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH l1 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l2 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l3 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
SELECT l.id AS linkId,
  CASE max(l.level - coalesce(?,
      4),
    0) WHEN 0 THEN l.id WHEN 1 THEN l1.id WHEN 2 THEN l2.id WHEN 3 THEN l3.id END AS targetId,
  CASE max(l.level - coalesce(?,
      4),
    0) WHEN 0 THEN l.token WHEN 1 THEN l1.token WHEN 2 THEN l2.token WHEN 3 THEN l3.token END AS linkToken,
  CASE max(l.level - coalesce(?,
      4),
    0) WHEN 0 THEN l.label WHEN 1 THEN l1.label WHEN 2 THEN l2.label WHEN 3 THEN l3.label END AS linkLabel,
  CASE max(l.level - coalesce(?,
      4),
    0) WHEN 0 THEN coalesce(l3.label || '::',
    '') || coalesce(l2.label || '::',
    '') || coalesce(l1.label || '::',
    '') || l.label WHEN 1 THEN coalesce(l3.label || '::',
    '') || coalesce(l2.label || '::',
    '') || l1.label WHEN 2 THEN coalesce(l3.label || '::',
    '') || l2.label WHEN 3 THEN l3.label END AS linkName
FROM (
  SELECT j.value AS id
  FROM (
    SELECT count(*) AS size , json_group_array(DISTINCT id) FILTER (WHERE id IS NOT NULL) AS ids
    FROM (SELECT iif((? IS NULL OR e.partner_id = ?)
        AND (? IS NULL OR e.kind = ?) , e.link_id, NULL) AS id
      FROM daily_engagements e
      WHERE e.app_token = (SELECT m.app_token
        FROM api_tokens t
        CROSS JOIN memberships m ON m.user_id = t.user_id
        AND m.app_token = ?
        WHERE t.token_hash = ?)
      AND e.day BETWEEN ? AND ?
      LIMIT 200000 + 1) ) covered
  CROSS JOIN json_each(json_extract(covered.ids, iif(covered.size > 200000, 'report_too_large', '$'))) j) ids
CROSS JOIN links l ON l.id = ids.id
LEFT JOIN links l1 ON l1.id = l.parent_id
LEFT JOIN links l2 ON l2.id = l1.parent_id
LEFT JOIN links l3 ON l3.id = l2.parent_id;

-- src/db/ledger/reports/reports.ts: rows read 3, written 0
-- CO-ROUTINE covered
--   CO-ROUTINE (subquery-2)
--     SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--     SCALAR SUBQUERY 1
--       SEARCH s USING PRIMARY KEY (id_hash=?)
--       SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--   USE TEMP B-TREE FOR json_group_array(DISTINCT)
--   SCAN (subquery-2)
-- SCAN covered
-- SCAN j VIRTUAL TABLE INDEX 1:
-- SEARCH l USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH l1 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l2 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l3 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
SELECT l.id AS linkId,
  CASE max(l.level - coalesce(?,
      4),
    0) WHEN 0 THEN l.id WHEN 1 THEN l1.id WHEN 2 THEN l2.id WHEN 3 THEN l3.id END AS targetId,
  CASE max(l.level - coalesce(?,
      4),
    0) WHEN 0 THEN l.token WHEN 1 THEN l1.token WHEN 2 THEN l2.token WHEN 3 THEN l3.token END AS linkToken,
  CASE max(l.level - coalesce(?,
      4),
    0) WHEN 0 THEN l.label WHEN 1 THEN l1.label WHEN 2 THEN l2.label WHEN 3 THEN l3.label END AS linkLabel,
  CASE max(l.level - coalesce(?,
      4),
    0) WHEN 0 THEN coalesce(l3.label || '::',
    '') || coalesce(l2.label || '::',
    '') || coalesce(l1.label || '::',
    '') || l.label WHEN 1 THEN coalesce(l3.label || '::',
    '') || coalesce(l2.label || '::',
    '') || l1.label WHEN 2 THEN coalesce(l3.label || '::',
    '') || l2.label WHEN 3 THEN l3.label END AS linkName
FROM (
  SELECT j.value AS id
  FROM (
    SELECT count(*) AS size , json_group_array(DISTINCT id) FILTER (WHERE id IS NOT NULL) AS ids
    FROM (SELECT iif((? IS NULL OR e.partner_id = ?)
        AND (? IS NULL OR e.kind = ?) , e.link_id, NULL) AS id
      FROM daily_engagements e
      WHERE e.app_token = (SELECT m.app_token
        FROM sessions s
        CROSS JOIN memberships m ON m.user_id = s.user_id
        AND m.app_token = ?
        WHERE s.id_hash = ?
        AND s.expires_at > ?
        AND s.last_seen_at > ? - 7200000
        AND s.waiting_secret IS NULL)
      AND e.day BETWEEN ? AND ?
      LIMIT 200000 + 1) ) covered
  CROSS JOIN json_each(json_extract(covered.ids, iif(covered.size > 200000, 'report_too_large', '$'))) j) ids
CROSS JOIN links l ON l.id = ids.id
LEFT JOIN links l1 ON l1.id = l.parent_id
LEFT JOIN links l2 ON l2.id = l1.parent_id
LEFT JOIN links l3 ON l3.id = l2.parent_id;

-- src/db/ledger/reports/reports.ts: rows read 3, written 0
-- SEARCH s USING PRIMARY KEY (id_hash=?)
-- SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?) LEFT-JOIN
-- SEARCH f USING INDEX links_token_unique (token=?) LEFT-JOIN
SELECT s.user_id AS userId, m.app_token AS appToken, 0 AS isElsewhere, f.level AS level, f.label AS label
FROM sessions s
LEFT JOIN memberships m ON m.user_id = s.user_id
AND m.app_token = ?
LEFT JOIN links f ON f.token = ?
AND f.app_token = m.app_token
WHERE s.id_hash = ?
AND s.expires_at > ?
AND s.last_seen_at > ? - 7200000
AND s.waiting_secret IS NULL;

-- src/db/ledger/reports/reports.ts: rows read 3, written 0
-- SEARCH t USING PRIMARY KEY (token_hash=?)
-- SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?) LEFT-JOIN
-- SEARCH f USING INDEX links_token_unique (token=?) LEFT-JOIN
SELECT t.user_id AS userId, m.app_token AS appToken, 0 AS isElsewhere, f.level AS level, f.label AS label
FROM api_tokens t
LEFT JOIN memberships m ON m.user_id = t.user_id
AND m.app_token = ?
LEFT JOIN links f ON f.token = ?
AND f.app_token = m.app_token
WHERE t.token_hash = ?;

-- src/db/ledger/reports/reports.ts: rows read 137, written 0
-- COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--     CO-ROUTINE (subquery-5)
--       SEARCH s USING PRIMARY KEY (app_token=? AND link_id=? AND day>? AND day<?)
--       SCALAR SUBQUERY 3
--         SEARCH t USING PRIMARY KEY (token_hash=?)
--         SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       LIST SUBQUERY 4
--         MATERIALIZE below
--           SETUP
--             SEARCH c USING INDEX links_token_unique (token=?)
--           RECURSIVE STEP
--             SCAN below
--             SEARCH c USING COVERING INDEX links_by_parent (app_token=? AND parent_id=?)
--         SCAN below
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-5)
--   UNION ALL
--     CO-ROUTINE (subquery-10)
--       CO-ROUTINE (subquery-9)
--         SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 7
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--         LIST SUBQUERY 8
--           SCAN below
--           CREATE BLOOM FILTER
--       SCAN (subquery-9)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-10)
--   UNION ALL
--     CO-ROUTINE (subquery-15)
--       CO-ROUTINE (subquery-14)
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 12
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--         LIST SUBQUERY 13
--           SCAN below
--           CREATE BLOOM FILTER
--       SCAN (subquery-14)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-15)
WITH RECURSIVE below(id) AS (
  SELECT c.id
  FROM links c
  WHERE c.token = ?
  AND c.app_token = ?
  UNION ALL
  SELECT c.id
  FROM below
  CROSS JOIN links c INDEXED BY links_by_parent ON c.app_token = ?
  AND c.parent_id = below.id )
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  NULL AS partnerId,
  NULL AS costType,
  currency AS currency,
  country AS country,
  NULL AS platform,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT s.app_token AS appToken,
    s.currency AS currency,
    s.country AS country,
    sum(iif(s.state = 'matched',
        s.amount / iif(s.cost_type IN ('cpm'),
          100000000,
          100000),
        0)) AS costsWhole,
    sum(iif(s.state = 'matched',
        iif(s.cost_type IN ('cpm'),
          s.amount % 100000000,
          s.amount % 100000 * 1000),
        0)) AS costsRest,
    0 AS adjustedWhole,
    0 AS adjustedRest,
    sum(iif(s.state = 'matched',
        s.count,
        0)) AS matched,
    sum(iif(s.state = 'unpriced',
        s.count,
        0)) AS unpriced
  FROM daily_audience_spend s
  WHERE s.app_token = (SELECT m.app_token
    FROM api_tokens t
    CROSS JOIN memberships m ON m.user_id = t.user_id
    AND m.app_token = ?
    WHERE t.token_hash = ?)
  AND s.link_id IN (SELECT id
    FROM below)
  AND s.day BETWEEN ? AND ?
  AND (? IS NULL OR s.partner_id = ?)
  AND (? IS NULL OR s.cost_type = ?)
  AND (? IS NULL OR s.currency = ?)
  AND (? IS NULL OR s.country = ?)
  AND (? IS NULL OR s.platform = ?)
  GROUP BY s.app_token, s.currency, s.country)
WHERE matched > 0 OR unpriced > 0
UNION ALL
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  NULL AS partnerId,
  NULL AS costType,
  currency AS currency,
  NULL AS country,
  NULL AS platform,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT appToken,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced
  FROM (SELECT d.app_token AS appToken,
      d.day AS day,
      d.link_id AS linkId,
      d.partner_id AS partnerId,
      d.cost_type AS costType,
      d.currency AS currency,
      sum(iif(d.state = 'matched',
          d.amount / iif(d.cost_type IN ('cpm'),
            100000000,
            100000),
          0)) AS costsWhole,
      sum(iif(d.state = 'matched',
          iif(d.cost_type IN ('cpm'),
            d.amount % 100000000,
            d.amount % 100000 * 1000),
          0)) AS costsRest,
      0 AS adjustedWhole,
      0 AS adjustedRest,
      sum(iif(d.state = 'matched',
          d.count,
          0)) AS matched,
      sum(iif(d.state = 'unpriced',
          d.count,
          0)) AS unpriced
    FROM daily_totals d
    WHERE d.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND d.day BETWEEN ? AND ?
    AND (? IS NULL OR d.partner_id = ?)
    AND (? IS NULL OR d.cost_type = ?)
    AND (? IS NULL OR d.currency = ?)
    AND d.link_id IN (SELECT id
      FROM below)
    GROUP BY d.app_token, d.day, d.link_id, d.partner_id, d.cost_type, d.currency)
  GROUP BY appToken, currency)
WHERE matched > 0 OR unpriced > 0
UNION ALL
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  NULL AS partnerId,
  NULL AS costType,
  currency AS currency,
  NULL AS country,
  NULL AS platform,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT appToken,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced
  FROM (SELECT a.app_token AS appToken,
      a.day AS day,
      a.link_id AS linkId,
      a.partner_id AS partnerId,
      a.cost_type AS costType,
      a.currency AS currency,
      0 AS costsWhole,
      0 AS costsRest,
      sum(a.amount / 100000000) AS adjustedWhole,
      sum(a.amount % 100000000) AS adjustedRest,
      0 AS matched,
      0 AS unpriced
    FROM adjustments a
    WHERE a.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND a.day BETWEEN ? AND ?
    AND (? IS NULL OR a.partner_id = ?)
    AND (? IS NULL OR a.cost_type = ?)
    AND (? IS NULL OR a.currency = ?)
    AND a.link_id IN (SELECT id
      FROM below)
    GROUP BY a.app_token, a.day, a.link_id, a.partner_id, a.cost_type, a.currency)
  GROUP BY appToken, currency)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/reports.ts: rows read 44, written 0
-- COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--     CO-ROUTINE (subquery-5)
--       SEARCH g USING PRIMARY KEY (app_token=? AND link_id=? AND day>? AND day<?)
--       SCALAR SUBQUERY 3
--         SEARCH t USING PRIMARY KEY (token_hash=?)
--         SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       LIST SUBQUERY 4
--         MATERIALIZE below
--           SETUP
--             SEARCH c USING INDEX links_token_unique (token=?)
--           RECURSIVE STEP
--             SCAN below
--             SEARCH c USING COVERING INDEX links_by_parent (app_token=? AND parent_id=?)
--         SCAN below
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-5)
--   UNION ALL
--     CO-ROUTINE (subquery-9)
--       SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--       SCALAR SUBQUERY 7
--         SEARCH t USING PRIMARY KEY (token_hash=?)
--         SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       LIST SUBQUERY 8
--         SCAN below
--         CREATE BLOOM FILTER
--     SCAN (subquery-9)
WITH RECURSIVE below(id) AS (
  SELECT c.id
  FROM links c
  WHERE c.token = ?
  AND c.app_token = ?
  UNION ALL
  SELECT c.id
  FROM below
  CROSS JOIN links c INDEXED BY links_by_parent ON c.app_token = ?
  AND c.parent_id = below.id )
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  NULL AS partnerId,
  NULL AS kind,
  country AS country,
  NULL AS platform,
  count AS count,
  recorded AS recorded
FROM (SELECT g.app_token AS appToken, g.country AS country, sum(g.count) AS count, sum(g.recorded) AS recorded
  FROM daily_audience g
  WHERE g.app_token = (SELECT m.app_token
    FROM api_tokens t
    CROSS JOIN memberships m ON m.user_id = t.user_id
    AND m.app_token = ?
    WHERE t.token_hash = ?)
  AND g.link_id IN (SELECT id
    FROM below)
  AND g.day BETWEEN ? AND ?
  AND (? IS NULL OR g.partner_id = ?)
  AND (? IS NULL OR g.kind = ?)
  AND (? IS NULL OR g.country = ?)
  AND (? IS NULL OR g.platform = ?)
  GROUP BY g.app_token, g.country)
WHERE true
UNION ALL
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  NULL AS partnerId,
  NULL AS kind,
  NULL AS country,
  NULL AS platform,
  count AS count,
  recorded AS recorded
FROM (SELECT e.app_token AS appToken, sum(e.count) AS count, sum(e.recorded) AS recorded
  FROM daily_engagements e
  WHERE e.app_token = (SELECT m.app_token
    FROM api_tokens t
    CROSS JOIN memberships m ON m.user_id = t.user_id
    AND m.app_token = ?
    WHERE t.token_hash = ?)
  AND e.day BETWEEN ? AND ?
  AND (? IS NULL OR e.partner_id = ?)
  AND (? IS NULL OR e.kind = ?)
  AND e.link_id IN (SELECT id
    FROM below)
  GROUP BY e.app_token)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/reports.ts: rows read 78, written 0
-- COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--     CO-ROUTINE (subquery-5)
--       SEARCH s USING PRIMARY KEY (app_token=? AND link_id=? AND day>? AND day<?)
--       SCALAR SUBQUERY 3
--         SEARCH s USING PRIMARY KEY (id_hash=?)
--         SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       LIST SUBQUERY 4
--         MATERIALIZE below
--           SETUP
--             SEARCH c USING INDEX links_token_unique (token=?)
--           RECURSIVE STEP
--             SCAN below
--             SEARCH c USING COVERING INDEX links_by_parent (app_token=? AND parent_id=?)
--         SCAN below
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-5)
--   UNION ALL
--     CO-ROUTINE (subquery-10)
--       CO-ROUTINE (subquery-9)
--         SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 7
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--         LIST SUBQUERY 8
--           SCAN below
--           CREATE BLOOM FILTER
--       SCAN (subquery-9)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-10)
--   UNION ALL
--     CO-ROUTINE (subquery-15)
--       CO-ROUTINE (subquery-14)
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 12
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--         LIST SUBQUERY 13
--           SCAN below
--           CREATE BLOOM FILTER
--       SCAN (subquery-14)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-15)
WITH RECURSIVE below(id) AS (
  SELECT c.id
  FROM links c
  WHERE c.token = ?
  AND c.app_token = ?
  UNION ALL
  SELECT c.id
  FROM below
  CROSS JOIN links c INDEXED BY links_by_parent ON c.app_token = ?
  AND c.parent_id = below.id )
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  NULL AS partnerId,
  costType AS costType,
  currency AS currency,
  country AS country,
  platform AS platform,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT s.app_token AS appToken,
    s.cost_type AS costType,
    s.currency AS currency,
    s.country AS country,
    s.platform AS platform,
    sum(iif(s.state = 'matched',
        s.amount / iif(s.cost_type IN ('cpm'),
          100000000,
          100000),
        0)) AS costsWhole,
    sum(iif(s.state = 'matched',
        iif(s.cost_type IN ('cpm'),
          s.amount % 100000000,
          s.amount % 100000 * 1000),
        0)) AS costsRest,
    0 AS adjustedWhole,
    0 AS adjustedRest,
    sum(iif(s.state = 'matched',
        s.count,
        0)) AS matched,
    sum(iif(s.state = 'unpriced',
        s.count,
        0)) AS unpriced
  FROM daily_audience_spend s
  WHERE s.app_token = (SELECT m.app_token
    FROM sessions s
    CROSS JOIN memberships m ON m.user_id = s.user_id
    AND m.app_token = ?
    WHERE s.id_hash = ?
    AND s.expires_at > ?
    AND s.last_seen_at > ? - 7200000
    AND s.waiting_secret IS NULL)
  AND s.link_id IN (SELECT id
    FROM below)
  AND s.day BETWEEN ? AND ?
  AND (? IS NULL OR s.partner_id = ?)
  AND (? IS NULL OR s.cost_type = ?)
  AND (? IS NULL OR s.currency = ?)
  AND (? IS NULL OR s.country = ?)
  AND (? IS NULL OR s.platform = ?)
  GROUP BY s.app_token, s.cost_type, s.currency, s.country, s.platform)
WHERE matched > 0 OR unpriced > 0
UNION ALL
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  NULL AS partnerId,
  costType AS costType,
  currency AS currency,
  NULL AS country,
  NULL AS platform,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT appToken,
    costType,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced
  FROM (SELECT d.app_token AS appToken,
      d.day AS day,
      d.link_id AS linkId,
      d.partner_id AS partnerId,
      d.cost_type AS costType,
      d.currency AS currency,
      sum(iif(d.state = 'matched',
          d.amount / iif(d.cost_type IN ('cpm'),
            100000000,
            100000),
          0)) AS costsWhole,
      sum(iif(d.state = 'matched',
          iif(d.cost_type IN ('cpm'),
            d.amount % 100000000,
            d.amount % 100000 * 1000),
          0)) AS costsRest,
      0 AS adjustedWhole,
      0 AS adjustedRest,
      sum(iif(d.state = 'matched',
          d.count,
          0)) AS matched,
      sum(iif(d.state = 'unpriced',
          d.count,
          0)) AS unpriced
    FROM daily_totals d
    WHERE d.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND d.day BETWEEN ? AND ?
    AND (? IS NULL OR d.partner_id = ?)
    AND (? IS NULL OR d.cost_type = ?)
    AND (? IS NULL OR d.currency = ?)
    AND d.link_id IN (SELECT id
      FROM below)
    GROUP BY d.app_token, d.day, d.link_id, d.partner_id, d.cost_type, d.currency)
  GROUP BY appToken, costType, currency)
WHERE matched > 0 OR unpriced > 0
UNION ALL
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  NULL AS partnerId,
  costType AS costType,
  currency AS currency,
  NULL AS country,
  NULL AS platform,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT appToken,
    costType,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced
  FROM (SELECT a.app_token AS appToken,
      a.day AS day,
      a.link_id AS linkId,
      a.partner_id AS partnerId,
      a.cost_type AS costType,
      a.currency AS currency,
      0 AS costsWhole,
      0 AS costsRest,
      sum(a.amount / 100000000) AS adjustedWhole,
      sum(a.amount % 100000000) AS adjustedRest,
      0 AS matched,
      0 AS unpriced
    FROM adjustments a
    WHERE a.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND a.day BETWEEN ? AND ?
    AND (? IS NULL OR a.partner_id = ?)
    AND (? IS NULL OR a.cost_type = ?)
    AND (? IS NULL OR a.currency = ?)
    AND a.link_id IN (SELECT id
      FROM below)
    GROUP BY a.app_token, a.day, a.link_id, a.partner_id, a.cost_type, a.currency)
  GROUP BY appToken, costType, currency)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/reports.ts: rows read 45, written 0
-- COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--     CO-ROUTINE (subquery-5)
--       SEARCH g USING PRIMARY KEY (app_token=? AND link_id=? AND day>? AND day<?)
--       SCALAR SUBQUERY 3
--         SEARCH s USING PRIMARY KEY (id_hash=?)
--         SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       LIST SUBQUERY 4
--         MATERIALIZE below
--           SETUP
--             SEARCH c USING INDEX links_token_unique (token=?)
--           RECURSIVE STEP
--             SCAN below
--             SEARCH c USING COVERING INDEX links_by_parent (app_token=? AND parent_id=?)
--         SCAN below
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-5)
--   UNION ALL
--     CO-ROUTINE (subquery-10)
--       CO-ROUTINE (subquery-9)
--         SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 7
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--         LIST SUBQUERY 8
--           SCAN below
--           CREATE BLOOM FILTER
--       SCAN (subquery-9)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-10)
WITH RECURSIVE below(id) AS (
  SELECT c.id
  FROM links c
  WHERE c.token = ?
  AND c.app_token = ?
  UNION ALL
  SELECT c.id
  FROM below
  CROSS JOIN links c INDEXED BY links_by_parent ON c.app_token = ?
  AND c.parent_id = below.id )
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  NULL AS partnerId,
  kind AS kind,
  country AS country,
  platform AS platform,
  count AS count,
  recorded AS recorded
FROM (SELECT g.app_token AS appToken,
    g.kind AS kind,
    g.country AS country,
    g.platform AS platform,
    sum(g.count) AS count,
    sum(g.recorded) AS recorded
  FROM daily_audience g
  WHERE g.app_token = (SELECT m.app_token
    FROM sessions s
    CROSS JOIN memberships m ON m.user_id = s.user_id
    AND m.app_token = ?
    WHERE s.id_hash = ?
    AND s.expires_at > ?
    AND s.last_seen_at > ? - 7200000
    AND s.waiting_secret IS NULL)
  AND g.link_id IN (SELECT id
    FROM below)
  AND g.day BETWEEN ? AND ?
  AND (? IS NULL OR g.partner_id = ?)
  AND (? IS NULL OR g.kind = ?)
  AND (? IS NULL OR g.country = ?)
  AND (? IS NULL OR g.platform = ?)
  GROUP BY g.app_token, g.kind, g.country, g.platform)
WHERE true
UNION ALL
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  NULL AS partnerId,
  kind AS kind,
  NULL AS country,
  NULL AS platform,
  count AS count,
  recorded AS recorded
FROM (SELECT appToken, kind, sum(count) AS count, sum(recorded) AS recorded
  FROM (SELECT e.app_token AS appToken,
      e.day AS day,
      e.link_id AS linkId,
      e.partner_id AS partnerId,
      e.kind AS kind,
      sum(e.count) AS count,
      sum(e.recorded) AS recorded
    FROM daily_engagements e
    WHERE e.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND e.day BETWEEN ? AND ?
    AND (? IS NULL OR e.partner_id = ?)
    AND (? IS NULL OR e.kind = ?)
    AND e.link_id IN (SELECT id
      FROM below)
    GROUP BY e.app_token, e.day, e.link_id, e.partner_id, e.kind)
  GROUP BY appToken, kind)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/reports.ts: rows read 59, written 0
-- COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--     CO-ROUTINE (subquery-6)
--       CO-ROUTINE (subquery-5)
--         SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 3
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--         LIST SUBQUERY 4
--           MATERIALIZE below
--             SETUP
--               SEARCH c USING INDEX links_token_unique (token=?)
--             RECURSIVE STEP
--               SCAN below
--               SEARCH c USING COVERING INDEX links_by_parent (app_token=? AND parent_id=?)
--           SCAN below
--           CREATE BLOOM FILTER
--       SCAN (subquery-5)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-6)
--   UNION ALL
--     CO-ROUTINE (subquery-11)
--       CO-ROUTINE (subquery-10)
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 8
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--         LIST SUBQUERY 9
--           SCAN below
--           CREATE BLOOM FILTER
--       SCAN (subquery-10)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-11)
WITH RECURSIVE below(id) AS (
  SELECT c.id
  FROM links c
  WHERE c.token = ?
  AND c.app_token = ?
  UNION ALL
  SELECT c.id
  FROM below
  CROSS JOIN links c INDEXED BY links_by_parent ON c.app_token = ?
  AND c.parent_id = below.id )
SELECT appToken AS appToken,
  day AS day,
  NULL AS linkId,
  NULL AS partnerId,
  NULL AS costType,
  currency AS currency,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT appToken,
    day,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced
  FROM (SELECT d.app_token AS appToken,
      d.day AS day,
      d.link_id AS linkId,
      d.partner_id AS partnerId,
      d.cost_type AS costType,
      d.currency AS currency,
      sum(iif(d.state = 'matched',
          d.amount / iif(d.cost_type IN ('cpm'),
            100000000,
            100000),
          0)) AS costsWhole,
      sum(iif(d.state = 'matched',
          iif(d.cost_type IN ('cpm'),
            d.amount % 100000000,
            d.amount % 100000 * 1000),
          0)) AS costsRest,
      0 AS adjustedWhole,
      0 AS adjustedRest,
      sum(iif(d.state = 'matched',
          d.count,
          0)) AS matched,
      sum(iif(d.state = 'unpriced',
          d.count,
          0)) AS unpriced
    FROM daily_totals d
    WHERE d.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND d.day BETWEEN ? AND ?
    AND (? IS NULL OR d.partner_id = ?)
    AND (? IS NULL OR d.cost_type = ?)
    AND (? IS NULL OR d.currency = ?)
    AND d.link_id IN (SELECT id
      FROM below)
    GROUP BY d.app_token, d.day, d.link_id, d.partner_id, d.cost_type, d.currency)
  GROUP BY appToken, day, currency)
WHERE matched > 0 OR unpriced > 0
UNION ALL
SELECT appToken AS appToken,
  day AS day,
  NULL AS linkId,
  NULL AS partnerId,
  NULL AS costType,
  currency AS currency,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT appToken,
    day,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced
  FROM (SELECT a.app_token AS appToken,
      a.day AS day,
      a.link_id AS linkId,
      a.partner_id AS partnerId,
      a.cost_type AS costType,
      a.currency AS currency,
      0 AS costsWhole,
      0 AS costsRest,
      sum(a.amount / 100000000) AS adjustedWhole,
      sum(a.amount % 100000000) AS adjustedRest,
      0 AS matched,
      0 AS unpriced
    FROM adjustments a
    WHERE a.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND a.day BETWEEN ? AND ?
    AND (? IS NULL OR a.partner_id = ?)
    AND (? IS NULL OR a.cost_type = ?)
    AND (? IS NULL OR a.currency = ?)
    AND a.link_id IN (SELECT id
      FROM below)
    GROUP BY a.app_token, a.day, a.link_id, a.partner_id, a.cost_type, a.currency)
  GROUP BY appToken, day, currency)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/reports.ts: rows read 45, written 0
-- COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--     CO-ROUTINE (subquery-6)
--       CO-ROUTINE (subquery-5)
--         SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 3
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--         LIST SUBQUERY 4
--           MATERIALIZE below
--             SETUP
--               SEARCH c USING INDEX links_token_unique (token=?)
--             RECURSIVE STEP
--               SCAN below
--               SEARCH c USING COVERING INDEX links_by_parent (app_token=? AND parent_id=?)
--           SCAN below
--           CREATE BLOOM FILTER
--       SCAN (subquery-5)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-6)
--   UNION ALL
--     CO-ROUTINE (subquery-11)
--       CO-ROUTINE (subquery-10)
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 8
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--         LIST SUBQUERY 9
--           SCAN below
--           CREATE BLOOM FILTER
--       SCAN (subquery-10)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-11)
WITH RECURSIVE below(id) AS (
  SELECT c.id
  FROM links c
  WHERE c.token = ?
  AND c.app_token = ?
  UNION ALL
  SELECT c.id
  FROM below
  CROSS JOIN links c INDEXED BY links_by_parent ON c.app_token = ?
  AND c.parent_id = below.id )
SELECT appToken AS appToken,
  day AS day,
  NULL AS linkId,
  NULL AS partnerId,
  costType AS costType,
  currency AS currency,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT appToken,
    day,
    costType,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced
  FROM (SELECT d.app_token AS appToken,
      d.day AS day,
      d.link_id AS linkId,
      d.partner_id AS partnerId,
      d.cost_type AS costType,
      d.currency AS currency,
      sum(iif(d.state = 'matched',
          d.amount / iif(d.cost_type IN ('cpm'),
            100000000,
            100000),
          0)) AS costsWhole,
      sum(iif(d.state = 'matched',
          iif(d.cost_type IN ('cpm'),
            d.amount % 100000000,
            d.amount % 100000 * 1000),
          0)) AS costsRest,
      0 AS adjustedWhole,
      0 AS adjustedRest,
      sum(iif(d.state = 'matched',
          d.count,
          0)) AS matched,
      sum(iif(d.state = 'unpriced',
          d.count,
          0)) AS unpriced
    FROM daily_totals d
    WHERE d.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND d.day BETWEEN ? AND ?
    AND (? IS NULL OR d.partner_id = ?)
    AND (? IS NULL OR d.cost_type = ?)
    AND (? IS NULL OR d.currency = ?)
    AND d.link_id IN (SELECT id
      FROM below)
    GROUP BY d.app_token, d.day, d.link_id, d.partner_id, d.cost_type, d.currency)
  GROUP BY appToken, day, costType, currency)
WHERE matched > 0 OR unpriced > 0
UNION ALL
SELECT appToken AS appToken,
  day AS day,
  NULL AS linkId,
  NULL AS partnerId,
  costType AS costType,
  currency AS currency,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT appToken,
    day,
    costType,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced
  FROM (SELECT a.app_token AS appToken,
      a.day AS day,
      a.link_id AS linkId,
      a.partner_id AS partnerId,
      a.cost_type AS costType,
      a.currency AS currency,
      0 AS costsWhole,
      0 AS costsRest,
      sum(a.amount / 100000000) AS adjustedWhole,
      sum(a.amount % 100000000) AS adjustedRest,
      0 AS matched,
      0 AS unpriced
    FROM adjustments a
    WHERE a.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND a.day BETWEEN ? AND ?
    AND (? IS NULL OR a.partner_id = ?)
    AND (? IS NULL OR a.cost_type = ?)
    AND (? IS NULL OR a.currency = ?)
    AND a.link_id IN (SELECT id
      FROM below)
    GROUP BY a.app_token, a.day, a.link_id, a.partner_id, a.cost_type, a.currency)
  GROUP BY appToken, day, costType, currency)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/reports.ts: rows read 4, written 0
-- CO-ROUTINE (subquery-6)
--   CO-ROUTINE (subquery-5)
--     SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--     SCALAR SUBQUERY 3
--       SEARCH s USING PRIMARY KEY (id_hash=?)
--       SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--     LIST SUBQUERY 4
--       MATERIALIZE below
--         SETUP
--           SEARCH c USING INDEX links_token_unique (token=?)
--         RECURSIVE STEP
--           SCAN below
--           SEARCH c USING COVERING INDEX links_by_parent (app_token=? AND parent_id=?)
--       SCAN below
--       CREATE BLOOM FILTER
--   SCAN (subquery-5)
--   USE TEMP B-TREE FOR GROUP BY
-- SCAN (subquery-6)
WITH RECURSIVE below(id) AS (
  SELECT c.id
  FROM links c
  WHERE c.token = ?
  AND c.app_token = ?
  UNION ALL
  SELECT c.id
  FROM below
  CROSS JOIN links c INDEXED BY links_by_parent ON c.app_token = ?
  AND c.parent_id = below.id )
SELECT appToken AS appToken,
  day AS day,
  NULL AS linkId,
  NULL AS partnerId,
  kind AS kind,
  count AS count,
  recorded AS recorded
FROM (SELECT appToken, day, kind, sum(count) AS count, sum(recorded) AS recorded
  FROM (SELECT e.app_token AS appToken,
      e.day AS day,
      e.link_id AS linkId,
      e.partner_id AS partnerId,
      e.kind AS kind,
      sum(e.count) AS count,
      sum(e.recorded) AS recorded
    FROM daily_engagements e
    WHERE e.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND e.day BETWEEN ? AND ?
    AND (? IS NULL OR e.partner_id = ?)
    AND (? IS NULL OR e.kind = ?)
    AND e.link_id IN (SELECT id
      FROM below)
    GROUP BY e.app_token, e.day, e.link_id, e.partner_id, e.kind)
  GROUP BY appToken, day, kind)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/reports.ts: rows read 105, written 0
-- COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--     CO-ROUTINE (subquery-6)
--       SEARCH s USING PRIMARY KEY (app_token=? AND link_id=? AND day>? AND day<?)
--       SCALAR SUBQUERY 4
--         SEARCH t USING PRIMARY KEY (token_hash=?)
--         SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       LIST SUBQUERY 5
--         MATERIALIZE own
--           CO-ROUTINE (subquery-2)
--             SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--             SCALAR SUBQUERY 1
--               SEARCH t USING PRIMARY KEY (token_hash=?)
--               SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--           SCAN (subquery-2)
--           USE TEMP B-TREE FOR GROUP BY
--           USE TEMP B-TREE FOR json_group_array(DISTINCT)
--         SCAN own
--         SCAN j VIRTUAL TABLE INDEX 1:
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-6)
--   UNION ALL
--     SCAN own
--   UNION ALL
--     CO-ROUTINE (subquery-11)
--       CO-ROUTINE (subquery-10)
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 9
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       SCAN (subquery-10)
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-11)
WITH own AS MATERIALIZED (SELECT appToken,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced,
    json_group_array(DISTINCT linkId) AS ids
  FROM (SELECT d.app_token AS appToken,
      d.day AS day,
      d.link_id AS linkId,
      d.partner_id AS partnerId,
      d.cost_type AS costType,
      d.currency AS currency,
      sum(iif(d.state = 'matched',
          d.amount / iif(d.cost_type IN ('cpm'),
            100000000,
            100000),
          0)) AS costsWhole,
      sum(iif(d.state = 'matched',
          iif(d.cost_type IN ('cpm'),
            d.amount % 100000000,
            d.amount % 100000 * 1000),
          0)) AS costsRest,
      0 AS adjustedWhole,
      0 AS adjustedRest,
      sum(iif(d.state = 'matched',
          d.count,
          0)) AS matched,
      sum(iif(d.state = 'unpriced',
          d.count,
          0)) AS unpriced
    FROM daily_totals d
    WHERE d.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND d.day BETWEEN ? AND ?
    AND (? IS NULL OR d.partner_id = ?)
    AND (? IS NULL OR d.cost_type = ?)
    AND (? IS NULL OR d.currency = ?)
    GROUP BY d.app_token, d.day, d.link_id, d.partner_id, d.cost_type, d.currency)
  GROUP BY appToken, currency)
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  NULL AS partnerId,
  NULL AS costType,
  currency AS currency,
  country AS country,
  NULL AS platform,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT s.app_token AS appToken,
    s.currency AS currency,
    s.country AS country,
    sum(iif(s.state = 'matched',
        s.amount / iif(s.cost_type IN ('cpm'),
          100000000,
          100000),
        0)) AS costsWhole,
    sum(iif(s.state = 'matched',
        iif(s.cost_type IN ('cpm'),
          s.amount % 100000000,
          s.amount % 100000 * 1000),
        0)) AS costsRest,
    0 AS adjustedWhole,
    0 AS adjustedRest,
    sum(iif(s.state = 'matched',
        s.count,
        0)) AS matched,
    sum(iif(s.state = 'unpriced',
        s.count,
        0)) AS unpriced
  FROM daily_audience_spend s
  WHERE s.app_token = (SELECT m.app_token
    FROM api_tokens t
    CROSS JOIN memberships m ON m.user_id = t.user_id
    AND m.app_token = ?
    WHERE t.token_hash = ?)
  AND s.link_id IN (SELECT j.value
    FROM own
    CROSS JOIN json_each(own.ids) j)
  AND s.day BETWEEN ? AND ?
  AND (? IS NULL OR s.partner_id = ?)
  AND (? IS NULL OR s.cost_type = ?)
  AND (? IS NULL OR s.currency = ?)
  AND (? IS NULL OR s.country = ?)
  AND (? IS NULL OR s.platform = ?)
  GROUP BY s.app_token, s.currency, s.country)
WHERE matched > 0 OR unpriced > 0
UNION ALL
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  NULL AS partnerId,
  NULL AS costType,
  currency AS currency,
  NULL AS country,
  NULL AS platform,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM own
WHERE matched > 0 OR unpriced > 0
UNION ALL
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  NULL AS partnerId,
  NULL AS costType,
  currency AS currency,
  NULL AS country,
  NULL AS platform,
  CAST(costsWhole AS TEXT) AS costsWhole,
  CAST(costsRest AS TEXT) AS costsRest,
  CAST(adjustedWhole AS TEXT) AS adjustedWhole,
  CAST(adjustedRest AS TEXT) AS adjustedRest,
  matched AS matched,
  unpriced AS unpriced
FROM (SELECT appToken,
    currency,
    sum(costsWhole) AS costsWhole,
    sum(costsRest) AS costsRest,
    sum(adjustedWhole) AS adjustedWhole,
    sum(adjustedRest) AS adjustedRest,
    sum(matched) AS matched,
    sum(unpriced) AS unpriced
  FROM (SELECT a.app_token AS appToken,
      a.day AS day,
      a.link_id AS linkId,
      a.partner_id AS partnerId,
      a.cost_type AS costType,
      a.currency AS currency,
      0 AS costsWhole,
      0 AS costsRest,
      sum(a.amount / 100000000) AS adjustedWhole,
      sum(a.amount % 100000000) AS adjustedRest,
      0 AS matched,
      0 AS unpriced
    FROM adjustments a
    WHERE a.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND a.day BETWEEN ? AND ?
    AND (? IS NULL OR a.partner_id = ?)
    AND (? IS NULL OR a.cost_type = ?)
    AND (? IS NULL OR a.currency = ?)
    GROUP BY a.app_token, a.day, a.link_id, a.partner_id, a.cost_type, a.currency)
  GROUP BY appToken, currency)
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/reports.ts: rows read 9, written 0
-- COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--     CO-ROUTINE (subquery-5)
--       SEARCH g USING PRIMARY KEY (app_token=? AND link_id=? AND day>? AND day<?)
--       SCALAR SUBQUERY 3
--         SEARCH t USING PRIMARY KEY (token_hash=?)
--         SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       LIST SUBQUERY 4
--         MATERIALIZE own
--           SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--           SCALAR SUBQUERY 1
--             SEARCH t USING PRIMARY KEY (token_hash=?)
--             SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--           USE TEMP B-TREE FOR json_group_array(DISTINCT)
--         SCAN own
--         SCAN j VIRTUAL TABLE INDEX 1:
--       USE TEMP B-TREE FOR GROUP BY
--     SCAN (subquery-5)
--   UNION ALL
--     SCAN own
WITH own AS MATERIALIZED (SELECT e.app_token AS appToken,
    sum(e.count) AS count,
    sum(e.recorded) AS recorded,
    json_group_array(DISTINCT e.link_id) AS ids
  FROM daily_engagements e
  WHERE e.app_token = (SELECT m.app_token
    FROM api_tokens t
    CROSS JOIN memberships m ON m.user_id = t.user_id
    AND m.app_token = ?
    WHERE t.token_hash = ?)
  AND e.day BETWEEN ? AND ?
  AND (? IS NULL OR e.partner_id = ?)
  AND (? IS NULL OR e.kind = ?)
  GROUP BY e.app_token)
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  NULL AS partnerId,
  NULL AS kind,
  country AS country,
  NULL AS platform,
  count AS count,
  recorded AS recorded
FROM (SELECT g.app_token AS appToken, g.country AS country, sum(g.count) AS count, sum(g.recorded) AS recorded
  FROM daily_audience g
  WHERE g.app_token = (SELECT m.app_token
    FROM api_tokens t
    CROSS JOIN memberships m ON m.user_id = t.user_id
    AND m.app_token = ?
    WHERE t.token_hash = ?)
  AND g.link_id IN (SELECT j.value
    FROM own
    CROSS JOIN json_each(own.ids) j)
  AND g.day BETWEEN ? AND ?
  AND (? IS NULL OR g.partner_id = ?)
  AND (? IS NULL OR g.kind = ?)
  AND (? IS NULL OR g.country = ?)
  AND (? IS NULL OR g.platform = ?)
  GROUP BY g.app_token, g.country)
WHERE true
UNION ALL
SELECT appToken AS appToken,
  NULL AS day,
  NULL AS linkId,
  NULL AS partnerId,
  NULL AS kind,
  NULL AS country,
  NULL AS platform,
  count AS count,
  recorded AS recorded
FROM own
WHERE true
LIMIT ? + 0;

-- src/db/ledger/reports/statements.ts: rows read 6, written 0
-- CO-ROUTINE covered
--   CO-ROUTINE (subquery-4)
--     SEARCH g USING PRIMARY KEY (app_token=? AND link_id=? AND day>? AND day<?)
--     SCALAR SUBQUERY 1
--       SEARCH t USING PRIMARY KEY (token_hash=?)
--       SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--     LIST SUBQUERY 3
--       SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--       SCALAR SUBQUERY 2
--         SEARCH t USING PRIMARY KEY (token_hash=?)
--         SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--   SCAN (subquery-4)
-- SCAN covered
SELECT json_extract('{}', iif(covered.size > 200000, 'report_too_large', '$'))
FROM (
  SELECT count(*) AS size
  FROM (SELECT NULL
    FROM daily_audience g
    WHERE g.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND g.link_id IN (SELECT e.link_id
      FROM daily_engagements e
      WHERE e.app_token = (SELECT m.app_token
        FROM api_tokens t
        CROSS JOIN memberships m ON m.user_id = t.user_id
        AND m.app_token = ?
        WHERE t.token_hash = ?)
      AND e.day BETWEEN ? AND ?)
    AND g.day BETWEEN ? AND ?
    LIMIT 200000 + 1) ) covered;

-- src/db/ledger/reports/statements.ts: rows read 53, written 0
-- CO-ROUTINE covered
--   CO-ROUTINE (subquery-4)
--     SEARCH s USING PRIMARY KEY (app_token=? AND link_id=? AND day>? AND day<?)
--     SCALAR SUBQUERY 1
--       SEARCH t USING PRIMARY KEY (token_hash=?)
--       SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--     LIST SUBQUERY 3
--       SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--       SCALAR SUBQUERY 2
--         SEARCH t USING PRIMARY KEY (token_hash=?)
--         SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--   SCAN (subquery-4)
-- SCAN covered
SELECT json_extract('{}', iif(covered.size > 200000, 'report_too_large', '$'))
FROM (
  SELECT count(*) AS size
  FROM (SELECT NULL
    FROM daily_audience_spend s
    WHERE s.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND s.link_id IN (SELECT d.link_id
      FROM daily_totals d
      WHERE d.app_token = (SELECT m.app_token
        FROM api_tokens t
        CROSS JOIN memberships m ON m.user_id = t.user_id
        AND m.app_token = ?
        WHERE t.token_hash = ?)
      AND d.day BETWEEN ? AND ?)
    AND s.day BETWEEN ? AND ?
    LIMIT 200000 + 1) ) covered;

-- src/db/ledger/reports/statements.ts: rows read 3, written 0
-- CO-ROUTINE covered
--   CO-ROUTINE (subquery-2)
--     SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--     SCALAR SUBQUERY 1
--       SEARCH t USING PRIMARY KEY (token_hash=?)
--       SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--   SCAN (subquery-2)
-- SCAN covered
SELECT json_extract('{}', iif(covered.size > 200000, 'report_too_large', '$'))
FROM (
  SELECT count(*) AS size
  FROM (SELECT NULL
    FROM daily_engagements e
    WHERE e.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND e.day BETWEEN ? AND ?
    LIMIT 200000 + 1) ) covered;

-- src/db/ledger/reports/statements.ts: rows read 3, written 0
-- CO-ROUTINE covered
--   CO-ROUTINE (subquery-2)
--     SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--     SCALAR SUBQUERY 1
--       SEARCH s USING PRIMARY KEY (id_hash=?)
--       SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--   SCAN (subquery-2)
-- SCAN covered
SELECT json_extract('{}', iif(covered.size > 200000, 'report_too_large', '$'))
FROM (
  SELECT count(*) AS size
  FROM (SELECT NULL
    FROM daily_engagements e
    WHERE e.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND e.day BETWEEN ? AND ?
    LIMIT 200000 + 1) ) covered;

-- src/db/ledger/reports/statements.ts: rows read 7, written 0
-- CO-ROUTINE covered
--   CO-ROUTINE (subquery-2)
--     SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--     LIST SUBQUERY 1
--       SEARCH s USING PRIMARY KEY (id_hash=?)
--       SEARCH m USING PRIMARY KEY (user_id=?)
--   SCAN (subquery-2)
-- SCAN covered
SELECT json_extract('{}', iif(covered.size > 200000, 'report_too_large', '$'))
FROM (
  SELECT count(*) AS size
  FROM (SELECT NULL
    FROM daily_engagements e
    WHERE e.app_token IN (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND e.day BETWEEN ? AND ?
    LIMIT 200000 + 1) ) covered;

-- src/db/ledger/reports/statements.ts: rows read 14, written 0
-- CO-ROUTINE covered
--   CO-ROUTINE (subquery-4)
--     COMPOUND QUERY
--       LEFT-MOST SUBQUERY
--         SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 1
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       UNION ALL
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 3
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--   SCAN (subquery-4)
-- SCAN covered
SELECT json_extract('{}', iif(covered.size > 200000, 'report_too_large', '$'))
FROM (
  SELECT count(*) AS size
  FROM (SELECT NULL
    FROM daily_totals d
    WHERE d.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND d.day BETWEEN ? AND ?
    UNION ALL
    SELECT NULL
    FROM adjustments a
    WHERE a.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND a.day BETWEEN ? AND ?
    LIMIT 200000 + 1) ) covered;

-- src/db/ledger/reports/statements.ts: rows read 14, written 0
-- CO-ROUTINE covered
--   CO-ROUTINE (subquery-4)
--     COMPOUND QUERY
--       LEFT-MOST SUBQUERY
--         SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 1
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       UNION ALL
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 3
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--   SCAN (subquery-4)
-- SCAN covered
SELECT json_extract('{}', iif(covered.size > 200000, 'report_too_large', '$'))
FROM (
  SELECT count(*) AS size
  FROM (SELECT NULL
    FROM daily_totals d
    WHERE d.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND d.day BETWEEN ? AND ?
    UNION ALL
    SELECT NULL
    FROM adjustments a
    WHERE a.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND a.day BETWEEN ? AND ?
    LIMIT 200000 + 1) ) covered;

-- src/db/ledger/reports/statements.ts: rows read 22, written 0
-- CO-ROUTINE covered
--   CO-ROUTINE (subquery-4)
--     COMPOUND QUERY
--       LEFT-MOST SUBQUERY
--         SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         LIST SUBQUERY 1
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=?)
--       UNION ALL
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         LIST SUBQUERY 3
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=?)
--   SCAN (subquery-4)
-- SCAN covered
SELECT json_extract('{}', iif(covered.size > 200000, 'report_too_large', '$'))
FROM (
  SELECT count(*) AS size
  FROM (SELECT NULL
    FROM daily_totals d
    WHERE d.app_token IN (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND d.day BETWEEN ? AND ?
    UNION ALL
    SELECT NULL
    FROM adjustments a
    WHERE a.app_token IN (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND a.day BETWEEN ? AND ?
    LIMIT 200000 + 1) ) covered;

-- src/db/ledger/reports/statements.ts: rows read 14, written 0
-- CO-ROUTINE covered
--   CO-ROUTINE (subquery-4)
--     COMPOUND QUERY
--       LEFT-MOST SUBQUERY
--         SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         LIST SUBQUERY 1
--           SCAN json_each VIRTUAL TABLE INDEX 1:
--       UNION ALL
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         LIST SUBQUERY 3
--           SCAN json_each VIRTUAL TABLE INDEX 1:
--   SCAN (subquery-4)
-- SCAN covered
SELECT json_extract('{}', iif(covered.size > 200000, 'report_too_large', '$'))
FROM (
  SELECT count(*) AS size
  FROM (SELECT NULL
    FROM daily_totals d
    WHERE d.app_token IN (SELECT value
      FROM json_each(?))
    AND d.day BETWEEN ? AND ?
    UNION ALL
    SELECT NULL
    FROM adjustments a
    WHERE a.app_token IN (SELECT value
      FROM json_each(?))
    AND a.day BETWEEN ? AND ?
    LIMIT 200000 + 1) ) covered;

-- src/db/ledger/reports/statements.ts: rows read 43, written 0
-- CO-ROUTINE covered
--   CO-ROUTINE (subquery-7)
--     COMPOUND QUERY
--       LEFT-MOST SUBQUERY
--         SEARCH g USING PRIMARY KEY (app_token=? AND link_id=? AND day>? AND day<?)
--         SCALAR SUBQUERY 3
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--         LIST SUBQUERY 4
--           MATERIALIZE below
--             SETUP
--               SEARCH c USING INDEX links_token_unique (token=?)
--             RECURSIVE STEP
--               SCAN below
--               SEARCH c USING COVERING INDEX links_by_parent (app_token=? AND parent_id=?)
--           SCAN below
--       UNION ALL
--         SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 6
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--   SCAN (subquery-7)
-- SCAN covered
WITH RECURSIVE below(id) AS (
  SELECT c.id
  FROM links c
  WHERE c.token = ?
  AND c.app_token = ?
  UNION ALL
  SELECT c.id
  FROM below
  CROSS JOIN links c INDEXED BY links_by_parent ON c.app_token = ?
  AND c.parent_id = below.id )
SELECT json_extract('{}', iif(covered.size > 200000, 'report_too_large', '$'))
FROM (
  SELECT count(*) AS size
  FROM (SELECT NULL
    FROM daily_audience g
    WHERE g.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND g.link_id IN (SELECT id
      FROM below)
    AND g.day BETWEEN ? AND ?
    UNION ALL
    SELECT NULL
    FROM daily_engagements e
    WHERE e.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND e.day BETWEEN ? AND ?
    LIMIT 200000 + 1) ) covered;

-- src/db/ledger/reports/statements.ts: rows read 43, written 0
-- CO-ROUTINE covered
--   CO-ROUTINE (subquery-7)
--     COMPOUND QUERY
--       LEFT-MOST SUBQUERY
--         SEARCH g USING PRIMARY KEY (app_token=? AND link_id=? AND day>? AND day<?)
--         SCALAR SUBQUERY 3
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--         LIST SUBQUERY 4
--           MATERIALIZE below
--             SETUP
--               SEARCH c USING INDEX links_token_unique (token=?)
--             RECURSIVE STEP
--               SCAN below
--               SEARCH c USING COVERING INDEX links_by_parent (app_token=? AND parent_id=?)
--           SCAN below
--       UNION ALL
--         SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 6
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--   SCAN (subquery-7)
-- SCAN covered
WITH RECURSIVE below(id) AS (
  SELECT c.id
  FROM links c
  WHERE c.token = ?
  AND c.app_token = ?
  UNION ALL
  SELECT c.id
  FROM below
  CROSS JOIN links c INDEXED BY links_by_parent ON c.app_token = ?
  AND c.parent_id = below.id )
SELECT json_extract('{}', iif(covered.size > 200000, 'report_too_large', '$'))
FROM (
  SELECT count(*) AS size
  FROM (SELECT NULL
    FROM daily_audience g
    WHERE g.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND g.link_id IN (SELECT id
      FROM below)
    AND g.day BETWEEN ? AND ?
    UNION ALL
    SELECT NULL
    FROM daily_engagements e
    WHERE e.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND e.day BETWEEN ? AND ?
    LIMIT 200000 + 1) ) covered;

-- src/db/ledger/reports/statements.ts: rows read 95, written 0
-- CO-ROUTINE covered
--   CO-ROUTINE (subquery-9)
--     COMPOUND QUERY
--       LEFT-MOST SUBQUERY
--         SEARCH s USING PRIMARY KEY (app_token=? AND link_id=? AND day>? AND day<?)
--         SCALAR SUBQUERY 3
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--         LIST SUBQUERY 4
--           MATERIALIZE below
--             SETUP
--               SEARCH c USING INDEX links_token_unique (token=?)
--             RECURSIVE STEP
--               SCAN below
--               SEARCH c USING COVERING INDEX links_by_parent (app_token=? AND parent_id=?)
--           SCAN below
--       UNION ALL
--         SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 6
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       UNION ALL
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 8
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--   SCAN (subquery-9)
-- SCAN covered
WITH RECURSIVE below(id) AS (
  SELECT c.id
  FROM links c
  WHERE c.token = ?
  AND c.app_token = ?
  UNION ALL
  SELECT c.id
  FROM below
  CROSS JOIN links c INDEXED BY links_by_parent ON c.app_token = ?
  AND c.parent_id = below.id )
SELECT json_extract('{}', iif(covered.size > 200000, 'report_too_large', '$'))
FROM (
  SELECT count(*) AS size
  FROM (SELECT NULL
    FROM daily_audience_spend s
    WHERE s.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND s.link_id IN (SELECT id
      FROM below)
    AND s.day BETWEEN ? AND ?
    UNION ALL
    SELECT NULL
    FROM daily_totals d
    WHERE d.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND d.day BETWEEN ? AND ?
    UNION ALL
    SELECT NULL
    FROM adjustments a
    WHERE a.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND a.day BETWEEN ? AND ?
    LIMIT 200000 + 1) ) covered;

-- src/db/ledger/reports/statements.ts: rows read 65, written 0
-- CO-ROUTINE covered
--   CO-ROUTINE (subquery-9)
--     COMPOUND QUERY
--       LEFT-MOST SUBQUERY
--         SEARCH s USING PRIMARY KEY (app_token=? AND link_id=? AND day>? AND day<?)
--         SCALAR SUBQUERY 3
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--         LIST SUBQUERY 4
--           MATERIALIZE below
--             SETUP
--               SEARCH c USING INDEX links_token_unique (token=?)
--             RECURSIVE STEP
--               SCAN below
--               SEARCH c USING COVERING INDEX links_by_parent (app_token=? AND parent_id=?)
--           SCAN below
--       UNION ALL
--         SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 6
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       UNION ALL
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 8
--           SEARCH s USING PRIMARY KEY (id_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--   SCAN (subquery-9)
-- SCAN covered
WITH RECURSIVE below(id) AS (
  SELECT c.id
  FROM links c
  WHERE c.token = ?
  AND c.app_token = ?
  UNION ALL
  SELECT c.id
  FROM below
  CROSS JOIN links c INDEXED BY links_by_parent ON c.app_token = ?
  AND c.parent_id = below.id )
SELECT json_extract('{}', iif(covered.size > 200000, 'report_too_large', '$'))
FROM (
  SELECT count(*) AS size
  FROM (SELECT NULL
    FROM daily_audience_spend s
    WHERE s.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND s.link_id IN (SELECT id
      FROM below)
    AND s.day BETWEEN ? AND ?
    UNION ALL
    SELECT NULL
    FROM daily_totals d
    WHERE d.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND d.day BETWEEN ? AND ?
    UNION ALL
    SELECT NULL
    FROM adjustments a
    WHERE a.app_token = (SELECT m.app_token
      FROM sessions s
      CROSS JOIN memberships m ON m.user_id = s.user_id
      AND m.app_token = ?
      WHERE s.id_hash = ?
      AND s.expires_at > ?
      AND s.last_seen_at > ? - 7200000
      AND s.waiting_secret IS NULL)
    AND a.day BETWEEN ? AND ?
    LIMIT 200000 + 1) ) covered;

-- src/db/ledger/reports/statements.ts: rows read 9, written 0
-- MATERIALIZE covered
--   SCAN CONSTANT ROW
--   SCALAR SUBQUERY 4
--     MATERIALIZE own_engagements
--       CO-ROUTINE (subquery-2)
--         SEARCH e USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 1
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       USE TEMP B-TREE FOR json_group_array(DISTINCT)
--       SCAN (subquery-2)
--     SCAN own_engagements
--   SCALAR SUBQUERY 8
--     CO-ROUTINE (subquery-7)
--       SEARCH g USING PRIMARY KEY (app_token=? AND link_id=? AND day>? AND day<?)
--       SCALAR SUBQUERY 5
--         SEARCH t USING PRIMARY KEY (token_hash=?)
--         SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       LIST SUBQUERY 6
--         SCAN own_engagements
--         SCAN j VIRTUAL TABLE INDEX 1:
--     SCAN (subquery-7)
-- SCAN covered
WITH own_engagements AS MATERIALIZED (SELECT count(*) AS size, json_group_array(DISTINCT id) AS ids
  FROM (SELECT e.link_id AS id
    FROM daily_engagements e
    WHERE e.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND e.day BETWEEN ? AND ?
    LIMIT 200000 + 1)), covered AS MATERIALIZED (SELECT (SELECT size
    FROM own_engagements) + (SELECT count(*)
    FROM (SELECT NULL
      FROM daily_audience g
      WHERE g.app_token = (SELECT m.app_token
        FROM api_tokens t
        CROSS JOIN memberships m ON m.user_id = t.user_id
        AND m.app_token = ?
        WHERE t.token_hash = ?)
      AND g.link_id IN (SELECT j.value
        FROM own_engagements
        CROSS JOIN json_each(own_engagements.ids) j)
      AND g.day BETWEEN ? AND ?
      LIMIT 200000 + 1)) AS size)
SELECT json_extract('{}', iif(covered.size > 200000, 'report_too_large', '$'))
FROM covered;

-- src/db/ledger/reports/statements.ts: rows read 67, written 0
-- MATERIALIZE covered
--   SCAN CONSTANT ROW
--   SCALAR SUBQUERY 7
--     MATERIALIZE own_spend
--       CO-ROUTINE (subquery-2)
--         SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 1
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       USE TEMP B-TREE FOR json_group_array(DISTINCT)
--       SCAN (subquery-2)
--     SCAN own_spend
--   SCALAR SUBQUERY 8
--     MATERIALIZE added_spend
--       CO-ROUTINE (subquery-5)
--         SEARCH a USING COVERING INDEX adjustments_by_day (app_token=? AND day>? AND day<?)
--         SCALAR SUBQUERY 4
--           SEARCH t USING PRIMARY KEY (token_hash=?)
--           SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       USE TEMP B-TREE FOR json_group_array(DISTINCT)
--       SCAN (subquery-5)
--     SCAN added_spend
--   SCALAR SUBQUERY 12
--     CO-ROUTINE (subquery-11)
--       SEARCH s USING PRIMARY KEY (app_token=? AND link_id=? AND day>? AND day<?)
--       SCALAR SUBQUERY 9
--         SEARCH t USING PRIMARY KEY (token_hash=?)
--         SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--       LIST SUBQUERY 10
--         SCAN own_spend
--         SCAN j VIRTUAL TABLE INDEX 1:
--     SCAN (subquery-11)
-- SCAN covered
WITH own_spend AS MATERIALIZED (SELECT count(*) AS size, json_group_array(DISTINCT id) AS ids
  FROM (SELECT d.link_id AS id
    FROM daily_totals d
    WHERE d.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND d.day BETWEEN ? AND ?
    LIMIT 200000 + 1)), added_spend AS MATERIALIZED (SELECT count(*) AS size, json_group_array(DISTINCT id) AS ids
  FROM (SELECT a.link_id AS id
    FROM adjustments a
    WHERE a.app_token = (SELECT m.app_token
      FROM api_tokens t
      CROSS JOIN memberships m ON m.user_id = t.user_id
      AND m.app_token = ?
      WHERE t.token_hash = ?)
    AND a.day BETWEEN ? AND ?
    LIMIT 200000 + 1)), covered AS MATERIALIZED (SELECT (SELECT size
    FROM own_spend) + (SELECT size
    FROM added_spend) + (SELECT count(*)
    FROM (SELECT NULL
      FROM daily_audience_spend s
      WHERE s.app_token = (SELECT m.app_token
        FROM api_tokens t
        CROSS JOIN memberships m ON m.user_id = t.user_id
        AND m.app_token = ?
        WHERE t.token_hash = ?)
      AND s.link_id IN (SELECT j.value
        FROM own_spend
        CROSS JOIN json_each(own_spend.ids) j)
      AND s.day BETWEEN ? AND ?
      LIMIT 200000 + 1)) AS size)
SELECT json_extract('{}', iif(covered.size > 200000, 'report_too_large', '$'))
FROM covered;

-- src/db/ledger/shards.ts: rows read 1, written 0
-- SCAN CONSTANT ROW
-- SCALAR SUBQUERY 1
--   SEARCH shard_identity USING INTEGER PRIMARY KEY (rowid=?)
SELECT json(iif(EXISTS (
      SELECT 1
      FROM shard_identity
      WHERE shard_identity.id = 1
      AND shard_identity.shards = ?
      AND shard_identity.shard_index IS ? ), 'true', 'another shard')) = 'true';

-- src/db/ledger/submission.ts: rows read 15, written 4
-- MATERIALIZE sent
--   SCAN j VIRTUAL TABLE INDEX 1:
-- SEARCH c USING INDEX credentials_token_hash_unique (token_hash=?)
-- SCALAR SUBQUERY 2
--   SEARCH shard_identity USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH p USING INTEGER PRIMARY KEY (rowid=?)
-- SCAN sent
-- SEARCH e USING PRIMARY KEY (partner_id=? AND cost_id=?) LEFT-JOIN
-- CORRELATED SCALAR SUBQUERY 4
--   SEARCH e USING PRIMARY KEY (partner_id=? AND cost_id=?)
-- CORRELATED SCALAR SUBQUERY 5
--   SEARCH p USING INTEGER PRIMARY KEY (rowid=?)
WITH sent AS MATERIALIZED (SELECT (j.value ->> 'costId') AS costId,
    (j.value ->> 'costType') AS costType,
    (j.value ->> 'currency') AS currency,
    (j.value ->> 'amount') AS amount,
    (j.value ->> 'tag') AS tag,
    (j.value ->> 'typeBit') AS typeBit,
    (j.value ->> 'fitsClick') AS fitsClick,
    (j.value ->> 'fitsImpression') AS fitsImpression
  FROM json_each(?) j) INSERT INTO submissions (partner_id,
    cost_id,
    cost_type,
    currency,
    amount,
    tag,
    received_at,
    void_state,
    verdict,
    submitted_at,
    app_token)
SELECT c.partner_id,
  sent.costId,
  sent.costType,
  sent.currency,
  sent.amount,
  sent.tag,
  iif((e.state IN ('matched',
        'unpriced') OR (e.state = 'pending'
      AND e.received_at >= ? - 604800000)),
    e.received_at,
    ?),
  iif(e.void_state IS NULL,
    NULL,
    'lifted'),
  CASE WHEN c.revoked_at IS NOT NULL THEN 'credential_revoked' WHEN NOT (p.supports_cost_data
  AND c.cost_types & sent.typeBit) THEN 'cost_type_not_integrated' WHEN p.stopped_at IS NOT NULL THEN 'partner_stopped' WHEN (e.state IN ('matched',
      'unpriced') OR (e.state = 'pending'
    AND e.received_at >= ? - 604800000))
AND NOT (e.cost_type = sent.costType
  AND e.currency = sent.currency) THEN 'cost_id_conflict' WHEN ((e.state IN ('matched',
        'unpriced') OR (e.state = 'pending'
      AND e.received_at >= ? - 604800000)) OR e.state = 'voided')
AND (e.cost_type = sent.costType
  AND e.currency = sent.currency)
AND (sent.amount IS NULL OR sent.amount = e.amount) THEN 'duplicate' WHEN (e.state IN ('matched',
      'unpriced') OR (e.state = 'pending'
    AND e.received_at >= ? - 604800000))
AND e.amount IS NOT NULL THEN 'cost_id_conflict' WHEN ? - e.matched_at > 604800000 THEN 'window_closed' WHEN (coalesce((sent.fitsClick
      AND e.click_at IS NOT NULL), 0) OR coalesce((sent.fitsImpression
      AND e.impression_at IS NOT NULL), 0))
AND NOT (coalesce((sent.fitsClick
      AND abs(? - e.click_at) <= 604800000), 0) OR coalesce((sent.fitsImpression
      AND abs(? - e.impression_at) <= 604800000), 0)) THEN 'window_closed' WHEN (coalesce((sent.fitsClick
      AND abs(? - e.click_at) <= 604800000), 0) OR coalesce((sent.fitsImpression
      AND abs(? - e.impression_at) <= 604800000), 0))
AND NOT (coalesce(((sent.fitsClick
        AND abs(? - e.click_at) <= 604800000)
      AND e.click_cost_data_on), 0) OR coalesce(((sent.fitsImpression
        AND abs(? - e.impression_at) <= 604800000)
      AND e.impression_cost_data_on), 0))
AND (NOT (sent.fitsClick) OR coalesce((sent.fitsClick
      AND abs(? - e.click_at) <= 604800000),
      0)) THEN 'cost_data_disabled' ELSE 'store' END,
  ?,
  coalesce(iif(sent.fitsClick,
      e.click_app_token,
      NULL),
    iif(sent.fitsImpression,
      e.impression_app_token,
      NULL),
    '')
FROM credentials c
CROSS JOIN partners p
CROSS JOIN sent
LEFT JOIN ledger_entries e ON e.partner_id = c.partner_id
AND e.cost_id = sent.costId
AND e.remembered_until >= ?
WHERE c.token_hash = ?
AND c.mode = 'live'
AND p.id = c.partner_id
AND json(iif(EXISTS (
      SELECT 1
      FROM shard_identity
      WHERE shard_identity.id = 1
      AND shard_identity.shards = ?
      AND shard_identity.shard_index IS ? ), 'true', 'another shard')) = 'true'
RETURNING partner_id AS partnerId,
  cost_id AS costId,
  verdict AS verdict,
  (SELECT json_object('state',
      e.state,
      'costType',
      e.cost_type,
      'currency',
      e.currency,
      'sentAmount',
      e.amount,
      'matchedKind',
      e.matched_kind,
      'amount',
      e.amount_in_effect,
      'receivedAt',
      e.received_at,
      'clickAt',
      e.click_at,
      'impressionAt',
      e.impression_at)
  FROM ledger_entries e
  WHERE e.partner_id = submissions.partner_id
  AND e.cost_id = submissions.cost_id
  AND (submissions.verdict = 'store' OR e.remembered_until >= ?)) AS entry,
  iif(submissions.verdict = 'cost_type_not_integrated',
    (SELECT p.supports_cost_data
    FROM partners p
    WHERE p.id = submissions.partner_id), NULL) AS supportsCostData;

-- src/db/ledger/submission.ts: rows read 5, written 0
-- MATERIALIZE sent
--   SCAN j VIRTUAL TABLE INDEX 1:
-- SEARCH c USING INDEX credentials_token_hash_unique (token_hash=?)
-- SCALAR SUBQUERY 2
--   SEARCH shard_identity USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH p USING INTEGER PRIMARY KEY (rowid=?)
-- SCAN sent
-- SEARCH e USING PRIMARY KEY (partner_id=? AND cost_id=?) LEFT-JOIN
WITH sent AS MATERIALIZED (SELECT (j.value ->> 'costId') AS costId,
    (j.value ->> 'costType') AS costType,
    (j.value ->> 'currency') AS currency,
    (j.value ->> 'amount') AS amount,
    (j.value ->> 'tag') AS tag,
    (j.value ->> 'typeBit') AS typeBit,
    (j.value ->> 'fitsClick') AS fitsClick,
    (j.value ->> 'fitsImpression') AS fitsImpression
  FROM json_each(?) j)
SELECT c.partner_id AS partnerId,
  sent.costId AS costId,
  CASE WHEN c.revoked_at IS NOT NULL THEN 'credential_revoked' WHEN NOT (p.supports_cost_data
  AND c.cost_types & sent.typeBit) THEN 'cost_type_not_integrated' WHEN p.stopped_at IS NOT NULL THEN 'partner_stopped' WHEN (e.state IN ('matched',
      'unpriced') OR (e.state = 'pending'
    AND e.received_at >= ? - 604800000))
AND NOT (e.cost_type = sent.costType
  AND e.currency = sent.currency) THEN 'cost_id_conflict' WHEN ((e.state IN ('matched',
        'unpriced') OR (e.state = 'pending'
      AND e.received_at >= ? - 604800000)) OR e.state = 'voided')
AND (e.cost_type = sent.costType
  AND e.currency = sent.currency)
AND (sent.amount IS NULL OR sent.amount = e.amount) THEN 'duplicate' WHEN (e.state IN ('matched',
      'unpriced') OR (e.state = 'pending'
    AND e.received_at >= ? - 604800000))
AND e.amount IS NOT NULL THEN 'cost_id_conflict' WHEN ? - e.matched_at > 604800000 THEN 'window_closed' WHEN (coalesce((sent.fitsClick
      AND e.click_at IS NOT NULL), 0) OR coalesce((sent.fitsImpression
      AND e.impression_at IS NOT NULL), 0))
AND NOT (coalesce((sent.fitsClick
      AND abs(? - e.click_at) <= 604800000), 0) OR coalesce((sent.fitsImpression
      AND abs(? - e.impression_at) <= 604800000), 0)) THEN 'window_closed' WHEN (coalesce((sent.fitsClick
      AND abs(? - e.click_at) <= 604800000), 0) OR coalesce((sent.fitsImpression
      AND abs(? - e.impression_at) <= 604800000), 0))
AND NOT (coalesce(((sent.fitsClick
        AND abs(? - e.click_at) <= 604800000)
      AND e.click_cost_data_on), 0) OR coalesce(((sent.fitsImpression
        AND abs(? - e.impression_at) <= 604800000)
      AND e.impression_cost_data_on), 0))
AND (NOT (sent.fitsClick) OR coalesce((sent.fitsClick
      AND abs(? - e.click_at) <= 604800000),
      0)) THEN 'cost_data_disabled' ELSE 'store' END AS verdict,
  iif(e.cost_id IS NULL,
    NULL,
    json_object('state',
      e.state,
      'costType',
      e.cost_type,
      'currency',
      e.currency,
      'sentAmount',
      e.amount,
      'matchedKind',
      e.matched_kind,
      'amount',
      e.amount_in_effect,
      'receivedAt',
      e.received_at,
      'clickAt',
      e.click_at,
      'impressionAt',
      e.impression_at)) AS entry,
  p.supports_cost_data AS supportsCostData
FROM credentials c
CROSS JOIN partners p
CROSS JOIN sent
LEFT JOIN ledger_entries e ON e.partner_id = c.partner_id
AND e.cost_id = sent.costId
AND e.remembered_until >= ?
WHERE c.token_hash = ?
AND c.mode = 'live'
AND p.id = c.partner_id
AND json(iif(EXISTS (
      SELECT 1
      FROM shard_identity
      WHERE shard_identity.id = 1
      AND shard_identity.shards = ?
      AND shard_identity.shard_index IS ? ), 'true', 'another shard')) = 'true';

-- src/db/ledger/voids.ts: rows read 4, written 2
-- CO-ROUTINE (subquery-1)
--   SCAN CONSTANT ROW
-- SCAN (subquery-1)
-- SEARCH e USING PRIMARY KEY (partner_id=? AND cost_id=?)
INSERT INTO audit_log (happened_at, user_id, action, subject, detail, request_id)
SELECT ?,
  ?,
  'void cost',
  'partner ' || CAST(? AS INTEGER),
  json_object('cost_id',
    ?,
    'cost_type',
    e.cost_type,
    'currency',
    e.currency,
    'amount',
    iif(e.amount IS NULL,
      NULL,
      rtrim(rtrim( printf('%d.%05d',
            CAST(e.amount AS INTEGER) / 100000,
            CAST(e.amount AS INTEGER) % 100000),
          '0'),
        '.')),
    'reason',
    ?),
  ?
FROM (SELECT 1)
CROSS JOIN ledger_entries e ON e.partner_id = ?
AND e.cost_id = ?
AND e.remembered_until >= ?
WHERE true
AND changes() > 0;

-- src/db/ledger/voids.ts: rows read 5, written 2
-- SEARCH c USING INDEX credentials_token_hash_unique (token_hash=?)
-- SEARCH e USING PRIMARY KEY (partner_id=? AND cost_id=?)
-- SCALAR SUBQUERY 1
--   SEARCH c USING INDEX credentials_token_hash_unique (token_hash=?)
INSERT INTO audit_log (happened_at, user_id, action, subject, detail, request_id)
SELECT ?,
  NULL,
  'void cost',
  'partner ' || c.partner_id,
  json_object('cost_id',
    ?,
    'cost_type',
    e.cost_type,
    'currency',
    e.currency,
    'amount',
    iif(e.amount IS NULL,
      NULL,
      rtrim(rtrim( printf('%d.%05d',
            CAST(e.amount AS INTEGER) / 100000,
            CAST(e.amount AS INTEGER) % 100000),
          '0'),
        '.')),
    'credential_id',
    c.id,
    'hint',
    c.hint),
  ?
FROM credentials c
CROSS JOIN ledger_entries e ON e.partner_id = (SELECT c.partner_id
  FROM credentials c
  WHERE c.token_hash = ?
  AND c.revoked_at IS NULL
  AND c.mode = 'live')
AND e.cost_id = ?
AND e.remembered_until >= ?
WHERE c.token_hash = ?
AND changes() > 0;

-- src/db/ledger/voids.ts: rows read 4, written 0
-- SEARCH c USING INDEX credentials_token_hash_unique (token_hash=?)
-- SCALAR SUBQUERY 2
--   SEARCH shard_identity USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH e USING PRIMARY KEY (partner_id=? AND cost_id=?) LEFT-JOIN
-- SCALAR SUBQUERY 1
--   SEARCH c USING INDEX credentials_token_hash_unique (token_hash=?)
SELECT c.partner_id AS partnerId,
  c.mode AS mode,
  c.cost_types AS costTypes,
  c.revoked_at AS revokedAt,
  iif(e.cost_id IS NULL,
    'not_found',
    CASE WHEN e.state = 'voided' THEN 'duplicate' WHEN e.state IS NULL
  AND e.counting_price IS NULL THEN 'not_found' WHEN ?
  AND ? - coalesce(e.matched_at,
      CASE e.counting_price WHEN 'click' THEN e.click_at WHEN 'impression' THEN e.impression_at END,
      e.received_at) > 604800000 THEN 'window_closed' ELSE 'void' END) AS verdict,
  coalesce(e.cost_type,
    iif(e.counting_price = 'click',
      e.click_url_cost_type,
      e.impression_url_cost_type)) AS costType,
  coalesce(e.currency,
    iif(e.counting_price = 'click',
      e.click_url_currency,
      e.impression_url_currency)) AS currency,
  iif(e.cost_type IS NULL,
    iif(e.counting_price = 'click',
      e.click_url_amount,
      e.impression_url_amount),
    e.amount_in_effect) AS amount
FROM credentials c
LEFT JOIN ledger_entries e ON e.partner_id = (SELECT c.partner_id
  FROM credentials c
  WHERE c.token_hash = ?
  AND c.revoked_at IS NULL
  AND c.mode = 'live')
AND e.cost_id = ?
AND e.remembered_until >= ?
WHERE c.token_hash = ?
AND json(iif(EXISTS (
      SELECT 1
      FROM shard_identity
      WHERE shard_identity.id = 1
      AND shard_identity.shards = ?
      AND shard_identity.shard_index IS ? ), 'true', 'another shard')) = 'true';

-- src/db/ledger/voids.ts: rows read 3, written 0
-- CO-ROUTINE (subquery-1)
--   SCAN CONSTANT ROW
--   SCALAR SUBQUERY 2
--     SEARCH shard_identity USING INTEGER PRIMARY KEY (rowid=?)
-- SCAN (subquery-1)
-- SCALAR SUBQUERY 2
--   SEARCH shard_identity USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH e USING PRIMARY KEY (partner_id=? AND cost_id=?) LEFT-JOIN
SELECT iif(e.cost_id IS NULL, 'not_found', CASE WHEN e.state = 'voided' THEN 'duplicate' WHEN e.state IS NULL
  AND e.counting_price IS NULL THEN 'not_found' WHEN ?
  AND ? - coalesce(e.matched_at,
      CASE e.counting_price WHEN 'click' THEN e.click_at WHEN 'impression' THEN e.impression_at END,
      e.received_at) > 604800000 THEN 'window_closed' ELSE 'void' END) AS verdict,
  coalesce(e.cost_type,
    iif(e.counting_price = 'click',
      e.click_url_cost_type,
      e.impression_url_cost_type)) AS costType,
  coalesce(e.currency,
    iif(e.counting_price = 'click',
      e.click_url_currency,
      e.impression_url_currency)) AS currency,
  iif(e.cost_type IS NULL,
    iif(e.counting_price = 'click',
      e.click_url_amount,
      e.impression_url_amount),
    e.amount_in_effect) AS amount
FROM (SELECT 1)
LEFT JOIN ledger_entries e ON e.partner_id = ?
AND e.cost_id = ?
AND e.remembered_until >= ?
WHERE true
AND json(iif(EXISTS (
      SELECT 1
      FROM shard_identity
      WHERE shard_identity.id = 1
      AND shard_identity.shards = ?
      AND shard_identity.shard_index IS ? ), 'true', 'another shard')) = 'true';

-- src/db/ledger/voids.ts: rows read 9, written 3
-- SEARCH e USING PRIMARY KEY (partner_id=? AND cost_id=?)
-- SCALAR SUBQUERY 2
--   SEARCH c USING INDEX credentials_token_hash_unique (token_hash=?)
-- SCALAR SUBQUERY 3
--   SEARCH shard_identity USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH ledger_entries USING PRIMARY KEY (partner_id=? AND cost_id=?)
-- SCALAR SUBQUERY 1
--   SEARCH c USING INDEX credentials_token_hash_unique (token_hash=?)
UPDATE ledger_entries SET void_state = 'voided',
  void_kind = iif(e.cost_type IS NULL,
    e.counting_price,
    NULL),
  cost_type = coalesce(e.cost_type,
    iif(e.counting_price = 'click',
      e.click_url_cost_type,
      e.impression_url_cost_type)),
  currency = coalesce(e.currency,
    iif(e.counting_price = 'click',
      e.click_url_currency,
      e.impression_url_currency)),
  amount = iif(e.cost_type IS NULL,
    iif(e.counting_price = 'click',
      e.click_url_amount,
      e.impression_url_amount),
    e.amount_in_effect)
FROM ledger_entries e
WHERE ledger_entries.partner_id = (SELECT c.partner_id
  FROM credentials c
  WHERE c.token_hash = ?
  AND c.revoked_at IS NULL
  AND c.mode = 'live')
AND ledger_entries.cost_id = ?
AND e.partner_id = (SELECT c.partner_id
  FROM credentials c
  WHERE c.token_hash = ?
  AND c.revoked_at IS NULL
  AND c.mode = 'live')
AND e.cost_id = ?
AND e.remembered_until >= ?
AND CASE WHEN e.state = 'voided' THEN 'duplicate' WHEN e.state IS NULL
AND e.counting_price IS NULL THEN 'not_found' WHEN ?
AND ? - coalesce(e.matched_at,
    CASE e.counting_price WHEN 'click' THEN e.click_at WHEN 'impression' THEN e.impression_at END,
    e.received_at) > 604800000 THEN 'window_closed' ELSE 'void' END = 'void'
AND json(iif(EXISTS (
      SELECT 1
      FROM shard_identity
      WHERE shard_identity.id = 1
      AND shard_identity.shards = ?
      AND shard_identity.shard_index IS ? ), 'true', 'another shard')) = 'true'
AND (? OR (coalesce(e.cost_type,
        iif(e.counting_price = 'click',
          e.click_url_cost_type,
          e.impression_url_cost_type)),
      coalesce(e.currency,
        iif(e.counting_price = 'click',
          e.click_url_currency,
          e.impression_url_currency)),
      iif(e.cost_type IS NULL,
        iif(e.counting_price = 'click',
          e.click_url_amount,
          e.impression_url_amount),
        e.amount_in_effect)) IS (?,
      ?,
      ?))
RETURNING cost_id AS costId;

-- src/db/ledger/voids.ts: rows read 7, written 3
-- SEARCH e USING PRIMARY KEY (partner_id=? AND cost_id=?)
-- SCALAR SUBQUERY 1
--   SEARCH shard_identity USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH ledger_entries USING PRIMARY KEY (partner_id=? AND cost_id=?)
UPDATE ledger_entries SET void_state = 'voided',
  void_kind = iif(e.cost_type IS NULL,
    e.counting_price,
    NULL),
  cost_type = coalesce(e.cost_type,
    iif(e.counting_price = 'click',
      e.click_url_cost_type,
      e.impression_url_cost_type)),
  currency = coalesce(e.currency,
    iif(e.counting_price = 'click',
      e.click_url_currency,
      e.impression_url_currency)),
  amount = iif(e.cost_type IS NULL,
    iif(e.counting_price = 'click',
      e.click_url_amount,
      e.impression_url_amount),
    e.amount_in_effect)
FROM ledger_entries e
WHERE ledger_entries.partner_id = ?
AND ledger_entries.cost_id = ?
AND e.partner_id = ?
AND e.cost_id = ?
AND e.remembered_until >= ?
AND CASE WHEN e.state = 'voided' THEN 'duplicate' WHEN e.state IS NULL
AND e.counting_price IS NULL THEN 'not_found' WHEN ?
AND ? - coalesce(e.matched_at,
    CASE e.counting_price WHEN 'click' THEN e.click_at WHEN 'impression' THEN e.impression_at END,
    e.received_at) > 604800000 THEN 'window_closed' ELSE 'void' END = 'void'
AND json(iif(EXISTS (
      SELECT 1
      FROM shard_identity
      WHERE shard_identity.id = 1
      AND shard_identity.shards = ?
      AND shard_identity.shard_index IS ? ), 'true', 'another shard')) = 'true'
AND (? OR (coalesce(e.cost_type,
        iif(e.counting_price = 'click',
          e.click_url_cost_type,
          e.impression_url_cost_type)),
      coalesce(e.currency,
        iif(e.counting_price = 'click',
          e.click_url_currency,
          e.impression_url_currency)),
      iif(e.cost_type IS NULL,
        iif(e.counting_price = 'click',
          e.click_url_amount,
          e.impression_url_amount),
        e.amount_in_effect)) IS (?,
      ?,
      ?))
RETURNING cost_id AS costId;

-- src/db/links/all-links.ts: rows read 19, written 0
-- SEARCH s USING PRIMARY KEY (id_hash=?)
-- SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
-- SEARCH l USING INDEX links_by_parent (app_token=?)
SELECT l.id AS id,
  l.token AS token,
  l.level AS level,
  l.label AS label,
  l.archived AS archived,
  l.partner_id AS partnerId,
  l.cost_switch AS costSwitch,
  l.child_count AS childCount,
  l.parent_id AS parentId,
  l.created_at AS createdAt
FROM sessions s
CROSS JOIN memberships m ON m.user_id = s.user_id
AND m.app_token = ?
CROSS JOIN links l INDEXED BY links_by_parent ON l.app_token = m.app_token
WHERE s.id_hash = ?
AND s.expires_at > ?
AND s.last_seen_at > ? - 7200000
AND s.waiting_secret IS NULL
LIMIT ? + 0;

-- src/db/links/browse.ts: rows read 5, written 0
-- SEARCH s USING PRIMARY KEY (id_hash=?)
-- SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
-- SEARCH l USING INDEX links_token_unique (token=?)
-- SEARCH d USING PRIMARY KEY (link_id=? AND day>?)
-- USE TEMP B-TREE FOR LAST 2 TERMS OF ORDER BY
SELECT d.day AS day, d.param AS param, d.reason AS reason, d.count AS count
FROM sessions s
CROSS JOIN memberships m ON m.user_id = s.user_id
AND m.app_token = ?
CROSS JOIN links l ON l.token = ?
AND l.app_token = m.app_token
CROSS JOIN dropped_parameters d ON d.link_id = l.id
AND d.day >= ?
WHERE s.id_hash = ?
AND s.expires_at > ?
AND s.last_seen_at > ? - 7200000
AND s.waiting_secret IS NULL
ORDER BY d.day DESC, d.param, d.reason;

-- src/db/links/browse.ts: rows read 2, written 0
-- SEARCH s USING PRIMARY KEY (id_hash=?)
-- SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
-- SCAN j VIRTUAL TABLE INDEX 1:
-- SEARCH l USING INTEGER PRIMARY KEY (rowid=?)
-- LIST SUBQUERY 1
--   SCAN json_each VIRTUAL TABLE INDEX 1:
--   CREATE BLOOM FILTER
-- SEARCH l1 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l2 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l3 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH p USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
SELECT l.id AS id,
  l.token AS token,
  l.level AS level,
  l.label AS label,
  l.archived AS archived,
  l.partner_id AS partnerId,
  l.cost_switch AS costSwitch,
  l.child_count AS childCount,
  l.created_at AS createdAt,
  coalesce(l3.label || '::',
    '') || coalesce(l2.label || '::',
    '') || l1.label AS inheritedName,
  coalesce(l1.partner_id,
    l2.partner_id,
    l3.partner_id) AS inheritedPartner,
  coalesce(l1.cost_switch,
    l2.cost_switch,
    l3.cost_switch) AS inheritedSwitch
FROM sessions s
CROSS JOIN memberships m ON m.user_id = s.user_id
AND m.app_token = ?
CROSS JOIN json_each(?) j
CROSS JOIN links l ON l.id = j.value
AND l.app_token = m.app_token
LEFT JOIN links l1 ON l1.id = l.parent_id
LEFT JOIN links l2 ON l2.id = l1.parent_id
LEFT JOIN links l3 ON l3.id = l2.parent_id
LEFT JOIN partners p ON p.id = coalesce(l.partner_id, l1.partner_id, l2.partner_id, l3.partner_id)
WHERE s.id_hash = ?
AND s.expires_at > ?
AND s.last_seen_at > ? - 7200000
AND s.waiting_secret IS NULL
AND (? IS NULL OR l.archived = ?)
AND (? IS NULL OR l.id NOT IN (SELECT value
    FROM json_each(?)))
AND (? IS NULL OR l.level = ?)
AND (? IS NULL OR l.partner_id = ?)
AND (? IS NULL OR l.cost_switch IS NOT NULL
  AND l.level > 1)
AND (? IS NULL OR (l.partner_id IS NOT NULL OR l.cost_switch IS NOT NULL)
  AND (coalesce(l.cost_switch, l1.cost_switch, l2.cost_switch, l3.cost_switch, 0)
    AND coalesce(p.supports_cost_data, 0)) = ?)
LIMIT ? + 0;

-- src/db/links/browse.ts: rows read 15, written 0
-- SEARCH s USING PRIMARY KEY (id_hash=?)
-- SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
-- SEARCH l USING INDEX links_by_label (app_token=? AND parent_id=? AND label>?)
-- LIST SUBQUERY 1
--   SCAN json_each VIRTUAL TABLE INDEX 1:
--   CREATE BLOOM FILTER
-- SEARCH l1 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l2 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l3 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
SELECT l.id AS id,
  l.token AS token,
  l.level AS level,
  l.label AS label,
  l.archived AS archived,
  l.partner_id AS partnerId,
  l.cost_switch AS costSwitch,
  l.child_count AS childCount,
  l.created_at AS createdAt,
  coalesce(l3.label || '::',
    '') || coalesce(l2.label || '::',
    '') || l1.label AS inheritedName,
  coalesce(l1.partner_id,
    l2.partner_id,
    l3.partner_id) AS inheritedPartner,
  coalesce(l1.cost_switch,
    l2.cost_switch,
    l3.cost_switch) AS inheritedSwitch
FROM sessions s
CROSS JOIN memberships m ON m.user_id = s.user_id
AND m.app_token = ?
CROSS JOIN links l INDEXED BY links_by_label ON l.app_token = m.app_token
AND l.parent_id IS NULL
LEFT JOIN links l1 ON l1.id = l.parent_id
LEFT JOIN links l2 ON l2.id = l1.parent_id
LEFT JOIN links l3 ON l3.id = l2.parent_id
WHERE s.id_hash = ?
AND s.expires_at > ?
AND s.last_seen_at > ? - 7200000
AND s.waiting_secret IS NULL
AND l.label COLLATE NOCASE >= ?
AND (l.label COLLATE NOCASE > ? OR l.id > ?)
AND (? IS NULL OR l.archived = ?)
AND (? IS NULL OR l.id NOT IN (SELECT value
    FROM json_each(?)))
ORDER BY l.label COLLATE NOCASE, l.id
LIMIT ? + 0;

-- src/db/links/browse.ts: rows read 18, written 0
-- SEARCH s USING PRIMARY KEY (id_hash=?)
-- SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
-- SEARCH l USING INDEX links_by_level (app_token=? AND level=? AND label>?)
-- LIST SUBQUERY 1
--   SCAN json_each VIRTUAL TABLE INDEX 1:
--   CREATE BLOOM FILTER
-- SEARCH l1 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l2 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l3 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
SELECT l.id AS id,
  l.token AS token,
  l.level AS level,
  l.label AS label,
  l.archived AS archived,
  l.partner_id AS partnerId,
  l.cost_switch AS costSwitch,
  l.child_count AS childCount,
  l.created_at AS createdAt,
  coalesce(l3.label || '::',
    '') || coalesce(l2.label || '::',
    '') || l1.label AS inheritedName,
  coalesce(l1.partner_id,
    l2.partner_id,
    l3.partner_id) AS inheritedPartner,
  coalesce(l1.cost_switch,
    l2.cost_switch,
    l3.cost_switch) AS inheritedSwitch
FROM sessions s
CROSS JOIN memberships m ON m.user_id = s.user_id
AND m.app_token = ?
CROSS JOIN links l INDEXED BY links_by_level ON l.app_token = m.app_token
AND l.parent_id IS NOT NULL
AND l.level = 2
LEFT JOIN links l1 ON l1.id = l.parent_id
LEFT JOIN links l2 ON l2.id = l1.parent_id
LEFT JOIN links l3 ON l3.id = l2.parent_id
WHERE s.id_hash = ?
AND s.expires_at > ?
AND s.last_seen_at > ? - 7200000
AND s.waiting_secret IS NULL
AND l.label COLLATE NOCASE >= ?
AND (l.label COLLATE NOCASE > ? OR l.id > ?)
AND (? IS NULL OR l.archived = ?)
AND (? IS NULL OR l.id NOT IN (SELECT value
    FROM json_each(?)))
ORDER BY l.label COLLATE NOCASE, l.id
LIMIT ? + 0;

-- src/db/links/browse.ts: rows read 3, written 0
-- SEARCH s USING PRIMARY KEY (id_hash=?)
-- SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
-- SEARCH l USING INDEX links_by_partner (app_token=?)
-- SEARCH l1 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l2 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l3 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
SELECT l.id AS id,
  l.token AS token,
  l.level AS level,
  l.label AS label,
  l.archived AS archived,
  l.partner_id AS partnerId,
  l.cost_switch AS costSwitch,
  l.child_count AS childCount,
  l.created_at AS createdAt,
  coalesce(l3.label || '::',
    '') || coalesce(l2.label || '::',
    '') || l1.label AS inheritedName,
  coalesce(l1.partner_id,
    l2.partner_id,
    l3.partner_id) AS inheritedPartner,
  coalesce(l1.cost_switch,
    l2.cost_switch,
    l3.cost_switch) AS inheritedSwitch
FROM sessions s
CROSS JOIN memberships m ON m.user_id = s.user_id
AND m.app_token = ?
CROSS JOIN links l INDEXED BY links_by_partner ON l.app_token = m.app_token
AND l.partner_id IS NOT NULL
LEFT JOIN links l1 ON l1.id = l.parent_id
LEFT JOIN links l2 ON l2.id = l1.parent_id
LEFT JOIN links l3 ON l3.id = l2.parent_id
WHERE s.id_hash = ?
AND s.expires_at > ?
AND s.last_seen_at > ? - 7200000
AND s.waiting_secret IS NULL
AND l.archived = 0
ORDER BY l.parent_id, l.partner_id, l.id
LIMIT 1;

-- src/db/links/browse.ts: rows read 17, written 0
-- SEARCH s USING PRIMARY KEY (id_hash=?)
-- SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
-- SEARCH l USING INDEX links_with_settings (app_token=?)
-- LIST SUBQUERY 1
--   SCAN json_each VIRTUAL TABLE INDEX 1:
--   CREATE BLOOM FILTER
-- SEARCH l1 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l2 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l3 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH p USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
SELECT l.id AS id,
  l.token AS token,
  l.level AS level,
  l.label AS label,
  l.archived AS archived,
  l.partner_id AS partnerId,
  l.cost_switch AS costSwitch,
  l.child_count AS childCount,
  l.created_at AS createdAt,
  coalesce(l3.label || '::',
    '') || coalesce(l2.label || '::',
    '') || l1.label AS inheritedName,
  coalesce(l1.partner_id,
    l2.partner_id,
    l3.partner_id) AS inheritedPartner,
  coalesce(l1.cost_switch,
    l2.cost_switch,
    l3.cost_switch) AS inheritedSwitch
FROM sessions s
CROSS JOIN memberships m ON m.user_id = s.user_id
AND m.app_token = ?
CROSS JOIN links l INDEXED BY links_with_settings ON l.app_token = m.app_token
AND (l.partner_id IS NOT NULL OR l.cost_switch IS NOT NULL)
LEFT JOIN links l1 ON l1.id = l.parent_id
LEFT JOIN links l2 ON l2.id = l1.parent_id
LEFT JOIN links l3 ON l3.id = l2.parent_id
LEFT JOIN partners p ON p.id = coalesce(l.partner_id, l1.partner_id, l2.partner_id, l3.partner_id)
WHERE s.id_hash = ?
AND s.expires_at > ?
AND s.last_seen_at > ? - 7200000
AND s.waiting_secret IS NULL
AND (l.level > ? OR l.level = ?
  AND l.label COLLATE NOCASE >= ?
  AND (l.label COLLATE NOCASE > ? OR l.id > ?))
AND (? IS NULL OR l.archived = ?)
AND (? IS NULL OR l.id NOT IN (SELECT value
    FROM json_each(?)))
AND (? IS NULL OR l.level = ?)
AND (? IS NULL OR l.partner_id = ?)
AND (? IS NULL OR l.cost_switch IS NOT NULL
  AND l.level > 1)
AND (? IS NULL OR (l.partner_id IS NOT NULL OR l.cost_switch IS NOT NULL)
  AND (coalesce(l.cost_switch, l1.cost_switch, l2.cost_switch, l3.cost_switch, 0)
    AND coalesce(p.supports_cost_data, 0)) = ?)
ORDER BY l.level, l.label COLLATE NOCASE, l.id
LIMIT ? + 0;

-- src/db/links/browse.ts: rows read 16, written 0
-- SEARCH s USING PRIMARY KEY (id_hash=?)
-- SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
-- SEARCH parent USING INDEX links_token_unique (token=?)
-- SEARCH l USING INDEX links_by_label (app_token=? AND parent_id=? AND label>?)
-- LIST SUBQUERY 1
--   SCAN json_each VIRTUAL TABLE INDEX 1:
--   CREATE BLOOM FILTER
-- SEARCH l1 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l2 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l3 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
SELECT l.id AS id,
  l.token AS token,
  l.level AS level,
  l.label AS label,
  l.archived AS archived,
  l.partner_id AS partnerId,
  l.cost_switch AS costSwitch,
  l.child_count AS childCount,
  l.created_at AS createdAt,
  coalesce(l3.label || '::',
    '') || coalesce(l2.label || '::',
    '') || l1.label AS inheritedName,
  coalesce(l1.partner_id,
    l2.partner_id,
    l3.partner_id) AS inheritedPartner,
  coalesce(l1.cost_switch,
    l2.cost_switch,
    l3.cost_switch) AS inheritedSwitch
FROM sessions s
CROSS JOIN memberships m ON m.user_id = s.user_id
AND m.app_token = ?
CROSS JOIN links parent ON parent.token = ?
AND parent.app_token = m.app_token
CROSS JOIN links l INDEXED BY links_by_label ON l.app_token = m.app_token
AND l.parent_id = parent.id
LEFT JOIN links l1 ON l1.id = l.parent_id
LEFT JOIN links l2 ON l2.id = l1.parent_id
LEFT JOIN links l3 ON l3.id = l2.parent_id
WHERE s.id_hash = ?
AND s.expires_at > ?
AND s.last_seen_at > ? - 7200000
AND s.waiting_secret IS NULL
AND l.label COLLATE NOCASE >= ?
AND (l.label COLLATE NOCASE > ? OR l.id > ?)
AND (? IS NULL OR l.archived = ?)
AND (? IS NULL OR l.id NOT IN (SELECT value
    FROM json_each(?)))
ORDER BY l.label COLLATE NOCASE, l.id
LIMIT ? + 0;

-- src/db/links/browse.ts: rows read 3, written 0
-- SEARCH s USING PRIMARY KEY (id_hash=?)
-- SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
-- SEARCH l USING INDEX links_token_unique (token=?)
-- SEARCH l1 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l2 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l3 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
SELECT l.id AS id,
  l.token AS token,
  l.level AS level,
  l.label AS label,
  l.archived AS archived,
  l.partner_id AS partnerId,
  l.cost_switch AS costSwitch,
  l.child_count AS childCount,
  l.created_at AS createdAt,
  coalesce(l3.label || '::',
    '') || coalesce(l2.label || '::',
    '') || l1.label AS inheritedName,
  coalesce(l1.partner_id,
    l2.partner_id,
    l3.partner_id) AS inheritedPartner,
  coalesce(l1.cost_switch,
    l2.cost_switch,
    l3.cost_switch) AS inheritedSwitch,
  l1.token AS token1,
  l2.token AS token2,
  l3.token AS token3,
  l1.partner_id AS partner1,
  l2.partner_id AS partner2,
  l3.partner_id AS partner3
FROM sessions s
CROSS JOIN memberships m ON m.user_id = s.user_id
AND m.app_token = ?
CROSS JOIN links l ON l.token = ?
AND l.app_token = m.app_token
LEFT JOIN links l1 ON l1.id = l.parent_id
LEFT JOIN links l2 ON l2.id = l1.parent_id
LEFT JOIN links l3 ON l3.id = l2.parent_id
WHERE s.id_hash = ?
AND s.expires_at > ?
AND s.last_seen_at > ? - 7200000
AND s.waiting_secret IS NULL;

-- src/db/links/browse.ts: rows read 2, written 0
-- SEARCH s USING PRIMARY KEY (id_hash=?)
-- SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?) LEFT-JOIN
SELECT s.user_id AS userId, m.app_token AS appToken, 0 AS isElsewhere
FROM sessions s
LEFT JOIN memberships m ON m.user_id = s.user_id
AND m.app_token = ?
WHERE s.id_hash = ?
AND s.expires_at > ?
AND s.last_seen_at > ? - 7200000
AND s.waiting_secret IS NULL;

-- src/db/links/creation.ts: rows read 4, written 0
-- SEARCH idempotency_keys USING PRIMARY KEY (user_id=? AND app_token=? AND operation=? AND key=?)
-- LIST SUBQUERY 2
--   SEARCH t USING PRIMARY KEY (token_hash=?)
--   SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--   SEARCH k USING PRIMARY KEY (user_id=? AND app_token=? AND operation=? AND key=?)
DELETE
FROM idempotency_keys
WHERE (user_id, app_token, operation, key) IN (
  SELECT k.user_id, k.app_token, k.operation, k.key
  FROM api_tokens t
  CROSS JOIN memberships m ON m.user_id = t.user_id
  AND m.app_token = ?
  CROSS JOIN idempotency_keys k ON k.user_id = t.user_id
  AND k.app_token = m.app_token
  AND k.operation = ?
  AND k.key = ?
  WHERE t.token_hash = ?
  AND k.created_at <= ? - 86400000 );

-- src/db/links/creation.ts: rows read 7, written 0
-- SEARCH idempotency_keys USING PRIMARY KEY (user_id=? AND app_token=? AND operation=? AND key=?)
-- LIST SUBQUERY 3
--   SEARCH t USING PRIMARY KEY (token_hash=?)
--   SCALAR SUBQUERY 1
--     SCAN j VIRTUAL TABLE INDEX 1:
--     SEARCH l USING COVERING INDEX links_token_unique (token=?)
--   SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
--   SEARCH k USING PRIMARY KEY (user_id=? AND app_token=? AND operation=? AND key=?)
DELETE
FROM idempotency_keys
WHERE (user_id, app_token, operation, key) IN (
  SELECT k.user_id, k.app_token, k.operation, k.key
  FROM api_tokens t
  CROSS JOIN memberships m ON m.user_id = t.user_id
  AND m.app_token = ?
  CROSS JOIN idempotency_keys k ON k.user_id = t.user_id
  AND k.app_token = m.app_token
  AND k.operation = ?
  AND k.key = ?
  WHERE t.token_hash = ?
  AND k.request_id = ?
  AND ? <> (SELECT count(*)
    FROM json_each(?) j
    CROSS JOIN links l ON l.token = (j.value ->> 'token')) );

-- src/db/links/creation.ts: rows read 12, written 4
-- SEARCH t USING PRIMARY KEY (token_hash=?)
-- SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
-- SCAN j VIRTUAL TABLE INDEX 1:
-- SEARCH l USING INDEX links_token_unique (token=?)
INSERT INTO audit_log (happened_at, user_id, action, subject, detail, request_id)
SELECT ?,
  t.user_id,
  'create link',
  'link ' || l.token,
  json_patch('{}',
    json_object('app_token',
      l.app_token,
      'parent_token',
      (j.value ->> 'parentToken'),
      'name',
      l.label,
      'partner_id',
      CAST(l.partner_id AS INTEGER),
      'cost_data_enabled',
      json(CASE l.cost_switch WHEN 1 THEN 'true' WHEN 0 THEN 'false' END))),
  ?
FROM api_tokens t
CROSS JOIN memberships m ON m.user_id = t.user_id
AND m.app_token = ?
CROSS JOIN json_each(?) j
CROSS JOIN links l ON l.token = (j.value ->> 'token')
WHERE t.token_hash = ?;

-- src/db/links/creation.ts: rows read 5, written 2
-- SEARCH t USING PRIMARY KEY (token_hash=?)
-- SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
INSERT INTO idempotency_keys (user_id,
    app_token,
    operation,
    key,
    created_at,
    request_id,
    body_hash,
    status,
    location,
    answer)
SELECT t.user_id, m.app_token, ?, ?, ?, ?, ?, ?, ?, ?
FROM api_tokens t
CROSS JOIN memberships m ON m.user_id = t.user_id
AND m.app_token = ?
WHERE t.token_hash = ?
ON CONFLICT DO NOTHING
RETURNING request_id AS requestId;

-- src/db/links/creation.ts: rows read 14, written 14
-- SEARCH t USING PRIMARY KEY (token_hash=?)
-- SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
-- SCAN j VIRTUAL TABLE INDEX 1:
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH a USING INDEX apps_token_unique (token=?)
-- CORRELATED SCALAR SUBQUERY 2
--   SEARCH k USING PRIMARY KEY (user_id=? AND app_token=? AND operation=? AND key=?)
-- SEARCH parent USING INDEX links_token_unique (token=?) LEFT-JOIN
-- SCAN adjustments USING COVERING INDEX adjustments_by_day
INSERT INTO links (token, label, app_token, parent_id, level, created_at)
SELECT (j.value ->> 'token'), (j.value ->> 'label'), m.app_token, parent.id, coalesce(parent.level, 0) + 1, ?
FROM api_tokens t
CROSS JOIN memberships m ON m.user_id = t.user_id
AND m.app_token = ?
CROSS JOIN json_each(?) j
LEFT JOIN links parent ON parent.token = (j.value ->> 'parentToken')
AND parent.app_token = m.app_token
WHERE t.token_hash = ?
AND iif((j.value ->> 'parentToken') IS NULL, true, parent.level < 4)
AND iif(? IS NULL, (
    SELECT a.created_link_count + j.key < a.max_links
    FROM apps a
    WHERE a.token = m.app_token ), EXISTS (SELECT 1
    FROM idempotency_keys k
    WHERE k.user_id = t.user_id
    AND k.app_token = m.app_token
    AND k.operation = ?
    AND k.key = ?
    AND k.request_id = ?))
RETURNING token AS token;

-- src/db/links/creation.ts: rows read 2, written 0
-- SEARCH t USING PRIMARY KEY (token_hash=?)
-- SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
-- SEARCH k USING PRIMARY KEY (user_id=? AND app_token=? AND operation=? AND key=?)
SELECT k.body_hash AS bodyHash, k.status AS status, k.location AS location, k.answer AS answer
FROM api_tokens t
CROSS JOIN memberships m ON m.user_id = t.user_id
AND m.app_token = ?
CROSS JOIN idempotency_keys k ON k.user_id = t.user_id
AND k.app_token = m.app_token
AND k.operation = ?
AND k.key = ?
WHERE t.token_hash = ?
AND NOT k.created_at <= ? - 86400000;

-- src/db/links/creation.ts: rows read 6, written 0
-- SEARCH t USING PRIMARY KEY (token_hash=?)
-- SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?) LEFT-JOIN
-- SEARCH a USING INDEX apps_token_unique (token=?) LEFT-JOIN
-- SCAN j VIRTUAL TABLE INDEX 1: LEFT-JOIN
-- SEARCH l USING INDEX links_token_unique (token=?) LEFT-JOIN
-- SEARCH l1 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l2 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l3 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
SELECT t.user_id AS userId,
  m.app_token AS appToken,
  0 AS isElsewhere,
  a.max_links AS maxLinks,
  a.created_link_count AS createdLinkCount,
  a.stored_length AS storedLength,
  (j.value ->> 'token') AS newToken,
  l.id AS id,
  l.token AS token,
  l.level AS level,
  l.label AS label,
  l.archived AS archived,
  l.partner_id AS partnerId,
  l.cost_switch AS costSwitch,
  l.child_count AS childCount,
  coalesce(l3.label || '::',
    '') || coalesce(l2.label || '::',
    '') || l1.label AS inheritedName,
  coalesce(l1.partner_id,
    l2.partner_id,
    l3.partner_id) AS inheritedPartner,
  coalesce(l1.cost_switch,
    l2.cost_switch,
    l3.cost_switch) AS inheritedSwitch
FROM api_tokens t
LEFT JOIN memberships m ON m.user_id = t.user_id
AND m.app_token = ?
LEFT JOIN apps a ON a.token = m.app_token
LEFT JOIN json_each(?) j
LEFT JOIN links l ON l.token = (j.value ->> 'parentToken')
AND l.app_token = m.app_token
LEFT JOIN links l1 ON l1.id = l.parent_id
LEFT JOIN links l2 ON l2.id = l1.parent_id
LEFT JOIN links l3 ON l3.id = l2.parent_id
WHERE t.token_hash = ?;

-- src/db/links/destinations.ts: rows read 2, written 0
-- SEARCH l USING INDEX links_token_unique (token=?)
-- SEARCH a USING INDEX apps_token_unique (token=?)
SELECT l.app_token AS appToken,
  a.default_url AS defaultUrl,
  a.ios_url AS iosUrl,
  a.android_url AS androidUrl,
  a.redirect_hosts AS redirectHosts,
  a.redirect_schemes AS redirectSchemes
FROM links l JOIN apps a ON a.token = l.app_token
WHERE l.token = ?;

-- src/db/links/history.ts: rows read 2, written 0
-- SEARCH l USING INDEX links_token_unique (token=?)
-- SEARCH log USING INDEX audit_by_subject (subject=? AND rowid<?)
-- SEARCH u USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH other USING PRIMARY KEY (user_id=? AND app_token=?) LEFT-JOIN
SELECT log.id AS id,
  log.happened_at AS happenedAt,
  log.action AS action,
  log.detail AS detail,
  log.user_id AS userId,
  iif(other.user_id IS NULL,
    NULL,
    u.email) AS email,
  u.role AS role
FROM links l
CROSS JOIN audit_log log INDEXED BY audit_by_subject ON log.subject = 'link ' || l.token
AND log.id < ?
LEFT JOIN users u ON u.id = log.user_id
LEFT JOIN memberships other ON other.user_id = log.user_id
AND other.app_token = l.app_token
WHERE l.token = ?
AND l.app_token = ?
ORDER BY log.id DESC
LIMIT ? + 0;

-- src/db/links/imports.ts: rows read 2, written 1
-- SEARCH link_imports USING INTEGER PRIMARY KEY (rowid=?)
DELETE
FROM link_imports
WHERE link_imports.id = ?
AND link_imports.app_token = ?
AND changes() > 0
RETURNING id;

-- src/db/links/imports.ts: rows read 1, written 0
-- SEARCH i USING INTEGER PRIMARY KEY (rowid=?)
SELECT i.changes AS changes
FROM link_imports i
WHERE i.id = ?
AND i.app_token = ?
AND i.imported_at > ?;

-- src/db/links/imports.ts: rows read 1, written 0
-- SEARCH i USING INDEX link_imports_by_app (app_token=? AND imported_at>?)
SELECT i.id AS id, i.imported_at AS importedAt, json_array_length(i.changes) AS count
FROM link_imports i
WHERE i.app_token = ?
AND i.imported_at > ?
ORDER BY i.imported_at DESC
LIMIT ? + 0;

-- src/db/links/links.ts: rows read 5, written 0
-- SEARCH t USING PRIMARY KEY (token_hash=?)
-- SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
-- SEARCH l USING INDEX links_token_unique (token=?)
-- SEARCH d USING PRIMARY KEY (link_id=? AND day>?)
-- USE TEMP B-TREE FOR LAST 2 TERMS OF ORDER BY
SELECT d.day AS day, d.param AS param, d.reason AS reason, d.count AS count
FROM api_tokens t
CROSS JOIN memberships m ON m.user_id = t.user_id
AND m.app_token = ?
CROSS JOIN links l ON l.token = ?
AND l.app_token = m.app_token
CROSS JOIN dropped_parameters d ON d.link_id = l.id
AND d.day >= ?
WHERE t.token_hash = ?
ORDER BY d.day DESC, d.param, d.reason;

-- src/db/links/links.ts: rows read 3, written 0
-- SEARCH s USING PRIMARY KEY (id_hash=?)
-- SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?) LEFT-JOIN
-- SEARCH l USING INDEX links_token_unique (token=?) LEFT-JOIN
-- SEARCH l1 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l2 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l3 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
SELECT s.user_id AS userId,
  m.app_token AS appToken,
  0 AS isElsewhere,
  l.id AS id,
  l.token AS token,
  l.level AS level,
  l.label AS label,
  l.archived AS archived,
  l.partner_id AS partnerId,
  l.cost_switch AS costSwitch,
  l.child_count AS childCount,
  coalesce(l3.label || '::',
    '') || coalesce(l2.label || '::',
    '') || l1.label AS inheritedName,
  coalesce(l1.partner_id,
    l2.partner_id,
    l3.partner_id) AS inheritedPartner,
  coalesce(l1.cost_switch,
    l2.cost_switch,
    l3.cost_switch) AS inheritedSwitch
FROM sessions s
LEFT JOIN memberships m ON m.user_id = s.user_id
AND m.app_token = ?
LEFT JOIN links l ON l.token = ?
AND l.app_token = m.app_token
LEFT JOIN links l1 ON l1.id = l.parent_id
LEFT JOIN links l2 ON l2.id = l1.parent_id
LEFT JOIN links l3 ON l3.id = l2.parent_id
WHERE s.id_hash = ?
AND s.expires_at > ?
AND s.last_seen_at > ? - 7200000
AND s.waiting_secret IS NULL;

-- src/db/links/links.ts: rows read 3, written 0
-- SEARCH t USING PRIMARY KEY (token_hash=?)
-- SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?) LEFT-JOIN
-- SEARCH a USING INDEX apps_token_unique (token=?) LEFT-JOIN
SELECT t.user_id AS userId, m.app_token AS appToken, 0 AS isElsewhere, a.link_count AS linkCount
FROM api_tokens t
LEFT JOIN memberships m ON m.user_id = t.user_id
AND m.app_token = ?
LEFT JOIN apps a ON a.token = m.app_token
WHERE t.token_hash = ?;

-- src/db/links/links.ts: rows read 5, written 0
-- SEARCH t USING PRIMARY KEY (token_hash=?)
-- SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?) LEFT-JOIN
-- SEARCH l USING INDEX links_token_unique (token=?) LEFT-JOIN
-- SEARCH l1 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l2 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l3 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
SELECT t.user_id AS userId,
  m.app_token AS appToken,
  0 AS isElsewhere,
  l.id AS id,
  l.token AS token,
  l.level AS level,
  l.label AS label,
  l.archived AS archived,
  l.partner_id AS partnerId,
  l.cost_switch AS costSwitch,
  l.child_count AS childCount,
  coalesce(l3.label || '::',
    '') || coalesce(l2.label || '::',
    '') || l1.label AS inheritedName,
  coalesce(l1.partner_id,
    l2.partner_id,
    l3.partner_id) AS inheritedPartner,
  coalesce(l1.cost_switch,
    l2.cost_switch,
    l3.cost_switch) AS inheritedSwitch
FROM api_tokens t
LEFT JOIN memberships m ON m.user_id = t.user_id
AND m.app_token = ?
LEFT JOIN links l ON l.token = ?
AND l.app_token = m.app_token
LEFT JOIN links l1 ON l1.id = l.parent_id
LEFT JOIN links l2 ON l2.id = l1.parent_id
LEFT JOIN links l3 ON l3.id = l2.parent_id
WHERE t.token_hash = ?;

-- src/db/links/lists.ts: rows read 1, written 0
-- SEARCH t USING PRIMARY KEY (token_hash=?)
-- SEARCH l USING INDEX archived_links (app_token=? AND parent_id=?)
SELECT count(*) AS counted
FROM api_tokens t
CROSS JOIN links l INDEXED BY archived_links
WHERE l.archived = 1
AND t.token_hash = ?
AND l.app_token = ?
AND l.parent_id IS NULL
AND (? IS NULL OR l.archived = ?)
AND (? IS NULL OR l.partner_id = ?);

-- src/db/links/lists.ts: rows read 3, written 0
-- SEARCH t USING PRIMARY KEY (token_hash=?)
-- SEARCH l USING INDEX links_by_label (app_token=? AND parent_id=? AND label>? AND label<?)
SELECT count(*) AS counted
FROM api_tokens t
CROSS JOIN links l INDEXED BY links_by_label
WHERE l.label COLLATE NOCASE >= ?
AND l.label COLLATE NOCASE < ? || CAST(x'FF' AS TEXT)
AND t.token_hash = ?
AND l.app_token = ?
AND l.parent_id IS NULL
AND (? IS NULL OR l.archived = ?)
AND (? IS NULL OR l.partner_id = ?);

-- src/db/links/lists.ts: rows read 3, written 0
-- SEARCH t USING PRIMARY KEY (token_hash=?)
-- SEARCH l USING INDEX links_by_partner (app_token=? AND parent_id=? AND partner_id=?)
SELECT count(*) AS counted
FROM api_tokens t
CROSS JOIN links l INDEXED BY links_by_partner
WHERE l.partner_id = ?
AND t.token_hash = ?
AND l.app_token = ?
AND l.parent_id IS NULL
AND (? IS NULL OR l.archived = ?)
AND (? IS NULL OR l.partner_id = ?);

-- src/db/links/lists.ts: rows read 2, written 0
-- SEARCH t USING PRIMARY KEY (token_hash=?)
-- SEARCH parent USING INDEX links_token_unique (token=?)
-- SEARCH l USING INDEX archived_links (app_token=? AND parent_id=?)
SELECT count(*) AS counted
FROM api_tokens t
CROSS JOIN links parent
CROSS JOIN links l INDEXED BY archived_links
WHERE l.archived = 1
AND t.token_hash = ?
AND l.app_token = ?
AND parent.token = ?
AND parent.app_token = l.app_token
AND l.parent_id = parent.id
AND (? IS NULL OR l.archived = ?)
AND (? IS NULL OR l.partner_id = ?);

-- src/db/links/lists.ts: rows read 3, written 0
-- SEARCH t USING PRIMARY KEY (token_hash=?)
-- SEARCH parent USING INDEX links_token_unique (token=?)
-- SEARCH l USING INDEX links_by_label (app_token=? AND parent_id=? AND label>? AND label<?)
SELECT count(*) AS counted
FROM api_tokens t
CROSS JOIN links parent
CROSS JOIN links l INDEXED BY links_by_label
WHERE l.label COLLATE NOCASE >= ?
AND l.label COLLATE NOCASE < ? || CAST(x'FF' AS TEXT)
AND t.token_hash = ?
AND l.app_token = ?
AND parent.token = ?
AND parent.app_token = l.app_token
AND l.parent_id = parent.id
AND (? IS NULL OR l.archived = ?)
AND (? IS NULL OR l.partner_id = ?);

-- src/db/links/lists.ts: rows read 2, written 0
-- SEARCH t USING PRIMARY KEY (token_hash=?)
-- SEARCH parent USING INDEX links_token_unique (token=?)
-- SEARCH l USING INDEX links_by_partner (app_token=? AND parent_id=? AND partner_id=?)
SELECT count(*) AS counted
FROM api_tokens t
CROSS JOIN links parent
CROSS JOIN links l INDEXED BY links_by_partner
WHERE l.partner_id = ?
AND t.token_hash = ?
AND l.app_token = ?
AND parent.token = ?
AND parent.app_token = l.app_token
AND l.parent_id = parent.id
AND (? IS NULL OR l.archived = ?)
AND (? IS NULL OR l.partner_id = ?);

-- src/db/links/lists.ts: rows read 2, written 0
-- SEARCH t USING PRIMARY KEY (token_hash=?)
-- SEARCH l USING INDEX archived_links (app_token=? AND parent_id=? AND rowid>? AND rowid<?)
SELECT l.id AS id,
  l.token AS token,
  l.level AS level,
  l.label AS label,
  l.archived AS archived,
  l.partner_id AS partnerId,
  l.cost_switch AS costSwitch,
  l.child_count AS childCount
FROM api_tokens t
CROSS JOIN links l INDEXED BY archived_links
WHERE l.archived = 1
AND t.token_hash = ?
AND l.app_token = ?
AND l.parent_id IS NULL
AND (? IS NULL OR l.archived = ?)
AND (? IS NULL OR l.partner_id = ?)
AND l.id > ?
AND l.id < ?
ORDER BY l.id ASC
LIMIT ? + 0;

-- src/db/links/lists.ts: rows read 4, written 0
-- SEARCH t USING PRIMARY KEY (token_hash=?)
-- SEARCH l USING INDEX links_by_label (app_token=? AND parent_id=? AND label>? AND label<?)
-- USE TEMP B-TREE FOR ORDER BY
SELECT l.id AS id,
  l.token AS token,
  l.level AS level,
  l.label AS label,
  l.archived AS archived,
  l.partner_id AS partnerId,
  l.cost_switch AS costSwitch,
  l.child_count AS childCount
FROM api_tokens t
CROSS JOIN links l INDEXED BY links_by_label
WHERE l.label COLLATE NOCASE >= ?
AND l.label COLLATE NOCASE < ? || CAST(x'FF' AS TEXT)
AND t.token_hash = ?
AND l.app_token = ?
AND l.parent_id IS NULL
AND (? IS NULL OR l.archived = ?)
AND (? IS NULL OR l.partner_id = ?)
AND l.id > ?
AND l.id < ?
ORDER BY l.id ASC
LIMIT ? + 0;

-- src/db/links/lists.ts: rows read 8, written 0
-- SEARCH t USING PRIMARY KEY (token_hash=?)
-- SEARCH l USING INDEX links_by_parent (app_token=? AND parent_id=? AND rowid>? AND rowid<?)
SELECT l.id AS id,
  l.token AS token,
  l.level AS level,
  l.label AS label,
  l.archived AS archived,
  l.partner_id AS partnerId,
  l.cost_switch AS costSwitch,
  l.child_count AS childCount
FROM api_tokens t
CROSS JOIN links l INDEXED BY links_by_parent
WHERE true
AND t.token_hash = ?
AND l.app_token = ?
AND l.parent_id IS NULL
AND (? IS NULL OR l.archived = ?)
AND (? IS NULL OR l.partner_id = ?)
AND l.id > ?
AND l.id < ?
ORDER BY l.id ASC
LIMIT ? + 0;

-- src/db/links/lists.ts: rows read 2, written 0
-- SEARCH t USING PRIMARY KEY (token_hash=?)
-- SEARCH l USING INDEX links_by_parent (app_token=? AND parent_id=? AND rowid>? AND rowid<?)
SELECT l.id AS id,
  l.token AS token,
  l.level AS level,
  l.label AS label,
  l.archived AS archived,
  l.partner_id AS partnerId,
  l.cost_switch AS costSwitch,
  l.child_count AS childCount
FROM api_tokens t
CROSS JOIN links l INDEXED BY links_by_parent
WHERE true
AND t.token_hash = ?
AND l.app_token = ?
AND l.parent_id IS NULL
AND (? IS NULL OR l.archived = ?)
AND (? IS NULL OR l.partner_id = ?)
AND l.id > ?
AND l.id < ?
ORDER BY l.id DESC
LIMIT ? + 0;

-- src/db/links/lists.ts: rows read 3, written 0
-- SEARCH t USING PRIMARY KEY (token_hash=?)
-- SEARCH l USING INDEX links_by_partner (app_token=? AND parent_id=? AND partner_id=? AND rowid>? AND rowid<?)
SELECT l.id AS id,
  l.token AS token,
  l.level AS level,
  l.label AS label,
  l.archived AS archived,
  l.partner_id AS partnerId,
  l.cost_switch AS costSwitch,
  l.child_count AS childCount
FROM api_tokens t
CROSS JOIN links l INDEXED BY links_by_partner
WHERE l.partner_id = ?
AND t.token_hash = ?
AND l.app_token = ?
AND l.parent_id IS NULL
AND (? IS NULL OR l.archived = ?)
AND (? IS NULL OR l.partner_id = ?)
AND l.id > ?
AND l.id < ?
ORDER BY l.id ASC
LIMIT ? + 0;

-- src/db/links/lists.ts: rows read 3, written 0
-- SEARCH t USING PRIMARY KEY (token_hash=?)
-- SEARCH parent USING INDEX links_token_unique (token=?)
-- SEARCH l USING INDEX archived_links (app_token=? AND parent_id=? AND rowid>? AND rowid<?)
SELECT l.id AS id,
  l.token AS token,
  l.level AS level,
  l.label AS label,
  l.archived AS archived,
  l.partner_id AS partnerId,
  l.cost_switch AS costSwitch,
  l.child_count AS childCount
FROM api_tokens t
CROSS JOIN links parent
CROSS JOIN links l INDEXED BY archived_links
WHERE l.archived = 1
AND t.token_hash = ?
AND l.app_token = ?
AND parent.token = ?
AND parent.app_token = l.app_token
AND l.parent_id = parent.id
AND (? IS NULL OR l.archived = ?)
AND (? IS NULL OR l.partner_id = ?)
AND l.id > ?
AND l.id < ?
ORDER BY l.id ASC
LIMIT ? + 0;

-- src/db/links/lists.ts: rows read 4, written 0
-- SEARCH t USING PRIMARY KEY (token_hash=?)
-- SEARCH parent USING INDEX links_token_unique (token=?)
-- SEARCH l USING INDEX links_by_label (app_token=? AND parent_id=? AND label>? AND label<?)
-- USE TEMP B-TREE FOR ORDER BY
SELECT l.id AS id,
  l.token AS token,
  l.level AS level,
  l.label AS label,
  l.archived AS archived,
  l.partner_id AS partnerId,
  l.cost_switch AS costSwitch,
  l.child_count AS childCount
FROM api_tokens t
CROSS JOIN links parent
CROSS JOIN links l INDEXED BY links_by_label
WHERE l.label COLLATE NOCASE >= ?
AND l.label COLLATE NOCASE < ? || CAST(x'FF' AS TEXT)
AND t.token_hash = ?
AND l.app_token = ?
AND parent.token = ?
AND parent.app_token = l.app_token
AND l.parent_id = parent.id
AND (? IS NULL OR l.archived = ?)
AND (? IS NULL OR l.partner_id = ?)
AND l.id > ?
AND l.id < ?
ORDER BY l.id ASC
LIMIT ? + 0;

-- src/db/links/lists.ts: rows read 7, written 0
-- SEARCH t USING PRIMARY KEY (token_hash=?)
-- SEARCH parent USING INDEX links_token_unique (token=?)
-- SEARCH l USING INDEX links_by_parent (app_token=? AND parent_id=? AND rowid>? AND rowid<?)
SELECT l.id AS id,
  l.token AS token,
  l.level AS level,
  l.label AS label,
  l.archived AS archived,
  l.partner_id AS partnerId,
  l.cost_switch AS costSwitch,
  l.child_count AS childCount
FROM api_tokens t
CROSS JOIN links parent
CROSS JOIN links l INDEXED BY links_by_parent
WHERE true
AND t.token_hash = ?
AND l.app_token = ?
AND parent.token = ?
AND parent.app_token = l.app_token
AND l.parent_id = parent.id
AND (? IS NULL OR l.archived = ?)
AND (? IS NULL OR l.partner_id = ?)
AND l.id > ?
AND l.id < ?
ORDER BY l.id ASC
LIMIT ? + 0;

-- src/db/links/lists.ts: rows read 4, written 0
-- SEARCH t USING PRIMARY KEY (token_hash=?)
-- SEARCH parent USING INDEX links_token_unique (token=?)
-- SEARCH l USING INDEX links_by_parent (app_token=? AND parent_id=? AND rowid>? AND rowid<?)
SELECT l.id AS id,
  l.token AS token,
  l.level AS level,
  l.label AS label,
  l.archived AS archived,
  l.partner_id AS partnerId,
  l.cost_switch AS costSwitch,
  l.child_count AS childCount
FROM api_tokens t
CROSS JOIN links parent
CROSS JOIN links l INDEXED BY links_by_parent
WHERE true
AND t.token_hash = ?
AND l.app_token = ?
AND parent.token = ?
AND parent.app_token = l.app_token
AND l.parent_id = parent.id
AND (? IS NULL OR l.archived = ?)
AND (? IS NULL OR l.partner_id = ?)
AND l.id > ?
AND l.id < ?
ORDER BY l.id DESC
LIMIT ? + 0;

-- src/db/links/lists.ts: rows read 3, written 0
-- SEARCH t USING PRIMARY KEY (token_hash=?)
-- SEARCH parent USING INDEX links_token_unique (token=?)
-- SEARCH l USING INDEX links_by_partner (app_token=? AND parent_id=? AND partner_id=? AND rowid>? AND rowid<?)
SELECT l.id AS id,
  l.token AS token,
  l.level AS level,
  l.label AS label,
  l.archived AS archived,
  l.partner_id AS partnerId,
  l.cost_switch AS costSwitch,
  l.child_count AS childCount
FROM api_tokens t
CROSS JOIN links parent
CROSS JOIN links l INDEXED BY links_by_partner
WHERE l.partner_id = ?
AND t.token_hash = ?
AND l.app_token = ?
AND parent.token = ?
AND parent.app_token = l.app_token
AND l.parent_id = parent.id
AND (? IS NULL OR l.archived = ?)
AND (? IS NULL OR l.partner_id = ?)
AND l.id > ?
AND l.id < ?
ORDER BY l.id ASC
LIMIT ? + 0;

-- src/db/links/partner-catalog.ts: rows read 7, written 0
-- SEARCH t USING PRIMARY KEY (token_hash=?)
-- SCAN catalog
-- SCAN p
SELECT catalog.revision AS revision,
  p.id AS id,
  p.display_name AS displayName,
  p.supports_cost_data AS supportsCostData,
  p.integrated_types AS integratedTypes,
  p.stopped_at AS stoppedAt,
  p.server_to_server AS serverToServer,
  p.click_parameters AS clickParameters,
  p.impression_parameters AS impressionParameters,
  p.cost_parameters AS costParameters
FROM api_tokens t
CROSS JOIN partner_catalog catalog
CROSS JOIN partners p
WHERE t.token_hash = ?
AND catalog.revision <> ?;

-- src/db/links/partner-catalog.ts: rows read 2, written 0
-- SEARCH s USING PRIMARY KEY (id_hash=?)
-- SCAN catalog
-- SCAN p
SELECT catalog.revision AS revision,
  p.id AS id,
  p.display_name AS displayName,
  p.supports_cost_data AS supportsCostData,
  p.integrated_types AS integratedTypes,
  p.stopped_at AS stoppedAt,
  p.server_to_server AS serverToServer,
  p.click_parameters AS clickParameters,
  p.impression_parameters AS impressionParameters,
  p.cost_parameters AS costParameters
FROM sessions s
CROSS JOIN partner_catalog catalog
CROSS JOIN partners p
WHERE s.id_hash = ?
AND s.expires_at > ?
AND s.last_seen_at > ? - 7200000
AND s.waiting_secret IS NULL
AND catalog.revision <> ?;

-- src/db/links/partner-catalog.ts: rows read 6, written 0
-- SEARCH t USING PRIMARY KEY (token_hash=?)
-- SEARCH p USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)
SELECT p.id AS id,
  p.display_name AS displayName,
  p.supports_cost_data AS supportsCostData,
  p.integrated_types AS integratedTypes,
  p.stopped_at AS stoppedAt,
  p.server_to_server AS serverToServer,
  p.click_parameters AS clickParameters,
  p.impression_parameters AS impressionParameters,
  p.cost_parameters AS costParameters
FROM api_tokens t
CROSS JOIN partners p
WHERE t.token_hash = ?
AND p.id > ?
AND p.id < ?
ORDER BY p.id ASC
LIMIT ? + 0;

-- src/db/links/partner-catalog.ts: rows read 2, written 0
-- SEARCH t USING PRIMARY KEY (token_hash=?)
-- SEARCH p USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)
SELECT p.id AS id,
  p.display_name AS displayName,
  p.supports_cost_data AS supportsCostData,
  p.integrated_types AS integratedTypes,
  p.stopped_at AS stoppedAt,
  p.server_to_server AS serverToServer,
  p.click_parameters AS clickParameters,
  p.impression_parameters AS impressionParameters,
  p.cost_parameters AS costParameters
FROM api_tokens t
CROSS JOIN partners p
WHERE t.token_hash = ?
AND p.id > ?
AND p.id < ?
ORDER BY p.id DESC
LIMIT ? + 0;

-- src/db/links/partner-catalog.ts: rows read 2, written 0
-- SEARCH t USING PRIMARY KEY (token_hash=?)
-- SCAN catalog
SELECT t.user_id AS userId, catalog.partner_count AS partnerCount
FROM api_tokens t
CROSS JOIN partner_catalog catalog
WHERE t.token_hash = ?;

-- src/db/links/paths.ts: rows read 25, written 8
-- SEARCH s USING PRIMARY KEY (id_hash=?)
-- SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
-- SCAN t VIRTUAL TABLE INDEX 1:
-- SEARCH l USING INDEX links_token_unique (token=?)
-- SEARCH parent USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
INSERT INTO audit_log (happened_at, user_id, action, subject, detail, request_id)
SELECT ?,
  s.user_id,
  'create link',
  'link ' || l.token,
  json_patch('{}',
    json_object('app_token',
      l.app_token,
      'parent_token',
      parent.token,
      'name',
      l.label,
      'partner_id',
      CAST(l.partner_id AS INTEGER),
      'cost_data_enabled',
      json(CASE l.cost_switch WHEN 1 THEN 'true' WHEN 0 THEN 'false' END))),
  ?
FROM sessions s
CROSS JOIN memberships m ON m.user_id = s.user_id
AND m.app_token = ?
CROSS JOIN json_each(?) t
CROSS JOIN links l ON l.token = t.value
LEFT JOIN links parent ON parent.id = l.parent_id
WHERE s.id_hash = ?
AND s.expires_at > ?
AND s.last_seen_at > ? - 7200000
AND s.waiting_secret IS NULL;

-- src/db/links/paths.ts: rows read 11, written 6
-- SEARCH s USING PRIMARY KEY (id_hash=?)
-- SCALAR SUBQUERY 3
--   SEARCH a USING INDEX apps_token_unique (token=?)
-- SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
-- SCAN j VIRTUAL TABLE INDEX 1:
-- SEARCH l USING INDEX links_token_unique (token=?) LEFT-JOIN
-- SEARCH c1 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH s USING INDEX links_by_label (app_token=? AND parent_id=? AND label=?)
-- CORRELATED SCALAR SUBQUERY 2
--   SEARCH s USING INDEX links_by_label (app_token=? AND parent_id=? AND label=?)
-- USE TEMP B-TREE FOR GROUP BY
-- USE TEMP B-TREE FOR ORDER BY
-- SCAN adjustments USING COVERING INDEX adjustments_by_day
INSERT INTO links (token, app_token, parent_id, level, label, created_at, partner_id, cost_switch)
SELECT j.value ->> '$.tokens[0]',
  ?,
  l.id,
  coalesce(l.level,
    0) + 1,
  j.value ->> '$.names[0]',
  ?,
  max(iif(json_array_length(j.value,
        '$.names') = 1,
      j.value ->> 'partnerId',
      NULL)),
  max(iif(json_array_length(j.value,
        '$.names') = 1,
      j.value ->> 'costSwitch',
      NULL))
FROM sessions s
CROSS JOIN memberships m ON m.user_id = s.user_id
AND m.app_token = ?
CROSS JOIN json_each(?) j
LEFT JOIN links l ON l.token = j.value ->> 'base'
AND l.app_token = ?
LEFT JOIN links c1 ON (j.value ->> 'base' IS NULL OR l.id IS NOT NULL)
AND c1.id = coalesce((
    SELECT min(s.id)
    FROM links s INDEXED BY links_by_label
    WHERE s.app_token = ?
    AND s.parent_id IS l.id
    AND s.label COLLATE NOCASE = j.value ->> '$.names[0]'
    AND s.label = j.value ->> '$.names[0]'
    AND s.archived = 0 ), (
    SELECT min(s.id)
    FROM links s INDEXED BY links_by_label
    WHERE s.app_token = ?
    AND s.parent_id IS l.id
    AND s.label COLLATE NOCASE = j.value ->> '$.names[0]'
    AND s.label = j.value ->> '$.names[0]'
    AND s.archived = 1 ))
WHERE s.id_hash = ?
AND s.expires_at > ?
AND s.last_seen_at > ? - 7200000
AND s.waiting_secret IS NULL
AND j.value ->> '$.names[0]' IS NOT NULL
AND c1.id IS NULL
AND (j.value ->> 'base' IS NULL OR l.id IS NOT NULL)
AND coalesce(l.level, 0) + json_array_length(j.value, '$.names') <= 4
AND (
  SELECT a.created_link_count + ? <= a.max_links
  FROM apps a
  WHERE a.token = ? )
GROUP BY l.id, j.value ->> '$.names[0]'
ORDER BY min(j.key)
RETURNING token AS token;

-- src/db/links/paths.ts: rows read 15, written 10
-- SEARCH s USING PRIMARY KEY (id_hash=?)
-- SCALAR SUBQUERY 5
--   SEARCH a USING INDEX apps_token_unique (token=?)
-- SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
-- SCAN j VIRTUAL TABLE INDEX 1:
-- SEARCH l USING INDEX links_token_unique (token=?) LEFT-JOIN
-- SEARCH c1 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH s USING INDEX links_by_label (app_token=? AND parent_id=? AND label=?)
-- CORRELATED SCALAR SUBQUERY 2
--   SEARCH s USING INDEX links_by_label (app_token=? AND parent_id=? AND label=?)
-- SEARCH c2 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- CORRELATED SCALAR SUBQUERY 3
--   SEARCH s USING INDEX links_by_label (app_token=? AND parent_id=? AND label=?)
-- CORRELATED SCALAR SUBQUERY 4
--   SEARCH s USING INDEX links_by_label (app_token=? AND parent_id=? AND label=?)
-- USE TEMP B-TREE FOR GROUP BY
-- USE TEMP B-TREE FOR ORDER BY
-- SCAN adjustments USING COVERING INDEX adjustments_by_day
INSERT INTO links (token, app_token, parent_id, level, label, created_at, partner_id, cost_switch)
SELECT j.value ->> '$.tokens[1]',
  ?,
  c1.id,
  coalesce(l.level,
    0) + 2,
  j.value ->> '$.names[1]',
  ?,
  max(iif(json_array_length(j.value,
        '$.names') = 2,
      j.value ->> 'partnerId',
      NULL)),
  max(iif(json_array_length(j.value,
        '$.names') = 2,
      j.value ->> 'costSwitch',
      NULL))
FROM sessions s
CROSS JOIN memberships m ON m.user_id = s.user_id
AND m.app_token = ?
CROSS JOIN json_each(?) j
LEFT JOIN links l ON l.token = j.value ->> 'base'
AND l.app_token = ?
LEFT JOIN links c1 ON (j.value ->> 'base' IS NULL OR l.id IS NOT NULL)
AND c1.id = coalesce((
    SELECT min(s.id)
    FROM links s INDEXED BY links_by_label
    WHERE s.app_token = ?
    AND s.parent_id IS l.id
    AND s.label COLLATE NOCASE = j.value ->> '$.names[0]'
    AND s.label = j.value ->> '$.names[0]'
    AND s.archived = 0 ), (
    SELECT min(s.id)
    FROM links s INDEXED BY links_by_label
    WHERE s.app_token = ?
    AND s.parent_id IS l.id
    AND s.label COLLATE NOCASE = j.value ->> '$.names[0]'
    AND s.label = j.value ->> '$.names[0]'
    AND s.archived = 1 ))
LEFT JOIN links c2 ON true
AND c2.id = coalesce((
    SELECT min(s.id)
    FROM links s INDEXED BY links_by_label
    WHERE s.app_token = ?
    AND s.parent_id = c1.id
    AND s.label COLLATE NOCASE = j.value ->> '$.names[1]'
    AND s.label = j.value ->> '$.names[1]'
    AND s.archived = 0 ), (
    SELECT min(s.id)
    FROM links s INDEXED BY links_by_label
    WHERE s.app_token = ?
    AND s.parent_id = c1.id
    AND s.label COLLATE NOCASE = j.value ->> '$.names[1]'
    AND s.label = j.value ->> '$.names[1]'
    AND s.archived = 1 ))
WHERE s.id_hash = ?
AND s.expires_at > ?
AND s.last_seen_at > ? - 7200000
AND s.waiting_secret IS NULL
AND j.value ->> '$.names[1]' IS NOT NULL
AND c2.id IS NULL
AND c1.id IS NOT NULL
AND coalesce(l.level, 0) + json_array_length(j.value, '$.names') <= 4
AND (
  SELECT a.created_link_count + ? <= a.max_links
  FROM apps a
  WHERE a.token = ? )
GROUP BY c1.id, j.value ->> '$.names[1]'
ORDER BY min(j.key)
RETURNING token AS token;

-- src/db/links/paths.ts: rows read 16, written 8
-- SEARCH s USING PRIMARY KEY (id_hash=?)
-- SCALAR SUBQUERY 7
--   SEARCH a USING INDEX apps_token_unique (token=?)
-- SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
-- SCAN j VIRTUAL TABLE INDEX 1:
-- SEARCH l USING INDEX links_token_unique (token=?) LEFT-JOIN
-- SEARCH c1 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH s USING INDEX links_by_label (app_token=? AND parent_id=? AND label=?)
-- CORRELATED SCALAR SUBQUERY 2
--   SEARCH s USING INDEX links_by_label (app_token=? AND parent_id=? AND label=?)
-- SEARCH c2 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- CORRELATED SCALAR SUBQUERY 3
--   SEARCH s USING INDEX links_by_label (app_token=? AND parent_id=? AND label=?)
-- CORRELATED SCALAR SUBQUERY 4
--   SEARCH s USING INDEX links_by_label (app_token=? AND parent_id=? AND label=?)
-- SEARCH c3 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- CORRELATED SCALAR SUBQUERY 5
--   SEARCH s USING INDEX links_by_label (app_token=? AND parent_id=? AND label=?)
-- CORRELATED SCALAR SUBQUERY 6
--   SEARCH s USING INDEX links_by_label (app_token=? AND parent_id=? AND label=?)
-- USE TEMP B-TREE FOR GROUP BY
-- USE TEMP B-TREE FOR ORDER BY
-- SCAN adjustments USING COVERING INDEX adjustments_by_day
INSERT INTO links (token, app_token, parent_id, level, label, created_at, partner_id, cost_switch)
SELECT j.value ->> '$.tokens[2]',
  ?,
  c2.id,
  coalesce(l.level,
    0) + 3,
  j.value ->> '$.names[2]',
  ?,
  max(iif(json_array_length(j.value,
        '$.names') = 3,
      j.value ->> 'partnerId',
      NULL)),
  max(iif(json_array_length(j.value,
        '$.names') = 3,
      j.value ->> 'costSwitch',
      NULL))
FROM sessions s
CROSS JOIN memberships m ON m.user_id = s.user_id
AND m.app_token = ?
CROSS JOIN json_each(?) j
LEFT JOIN links l ON l.token = j.value ->> 'base'
AND l.app_token = ?
LEFT JOIN links c1 ON (j.value ->> 'base' IS NULL OR l.id IS NOT NULL)
AND c1.id = coalesce((
    SELECT min(s.id)
    FROM links s INDEXED BY links_by_label
    WHERE s.app_token = ?
    AND s.parent_id IS l.id
    AND s.label COLLATE NOCASE = j.value ->> '$.names[0]'
    AND s.label = j.value ->> '$.names[0]'
    AND s.archived = 0 ), (
    SELECT min(s.id)
    FROM links s INDEXED BY links_by_label
    WHERE s.app_token = ?
    AND s.parent_id IS l.id
    AND s.label COLLATE NOCASE = j.value ->> '$.names[0]'
    AND s.label = j.value ->> '$.names[0]'
    AND s.archived = 1 ))
LEFT JOIN links c2 ON true
AND c2.id = coalesce((
    SELECT min(s.id)
    FROM links s INDEXED BY links_by_label
    WHERE s.app_token = ?
    AND s.parent_id = c1.id
    AND s.label COLLATE NOCASE = j.value ->> '$.names[1]'
    AND s.label = j.value ->> '$.names[1]'
    AND s.archived = 0 ), (
    SELECT min(s.id)
    FROM links s INDEXED BY links_by_label
    WHERE s.app_token = ?
    AND s.parent_id = c1.id
    AND s.label COLLATE NOCASE = j.value ->> '$.names[1]'
    AND s.label = j.value ->> '$.names[1]'
    AND s.archived = 1 ))
LEFT JOIN links c3 ON true
AND c3.id = coalesce((
    SELECT min(s.id)
    FROM links s INDEXED BY links_by_label
    WHERE s.app_token = ?
    AND s.parent_id = c2.id
    AND s.label COLLATE NOCASE = j.value ->> '$.names[2]'
    AND s.label = j.value ->> '$.names[2]'
    AND s.archived = 0 ), (
    SELECT min(s.id)
    FROM links s INDEXED BY links_by_label
    WHERE s.app_token = ?
    AND s.parent_id = c2.id
    AND s.label COLLATE NOCASE = j.value ->> '$.names[2]'
    AND s.label = j.value ->> '$.names[2]'
    AND s.archived = 1 ))
WHERE s.id_hash = ?
AND s.expires_at > ?
AND s.last_seen_at > ? - 7200000
AND s.waiting_secret IS NULL
AND j.value ->> '$.names[2]' IS NOT NULL
AND c3.id IS NULL
AND c2.id IS NOT NULL
AND coalesce(l.level, 0) + json_array_length(j.value, '$.names') <= 4
AND (
  SELECT a.created_link_count + ? <= a.max_links
  FROM apps a
  WHERE a.token = ? )
GROUP BY c2.id, j.value ->> '$.names[2]'
ORDER BY min(j.key)
RETURNING token AS token;

-- src/db/links/paths.ts: rows read 18, written 8
-- SEARCH s USING PRIMARY KEY (id_hash=?)
-- SCALAR SUBQUERY 9
--   SEARCH a USING INDEX apps_token_unique (token=?)
-- SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
-- SCAN j VIRTUAL TABLE INDEX 1:
-- SEARCH l USING INDEX links_token_unique (token=?) LEFT-JOIN
-- SEARCH c1 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH s USING INDEX links_by_label (app_token=? AND parent_id=? AND label=?)
-- CORRELATED SCALAR SUBQUERY 2
--   SEARCH s USING INDEX links_by_label (app_token=? AND parent_id=? AND label=?)
-- SEARCH c2 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- CORRELATED SCALAR SUBQUERY 3
--   SEARCH s USING INDEX links_by_label (app_token=? AND parent_id=? AND label=?)
-- CORRELATED SCALAR SUBQUERY 4
--   SEARCH s USING INDEX links_by_label (app_token=? AND parent_id=? AND label=?)
-- SEARCH c3 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- CORRELATED SCALAR SUBQUERY 5
--   SEARCH s USING INDEX links_by_label (app_token=? AND parent_id=? AND label=?)
-- CORRELATED SCALAR SUBQUERY 6
--   SEARCH s USING INDEX links_by_label (app_token=? AND parent_id=? AND label=?)
-- SEARCH c4 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- CORRELATED SCALAR SUBQUERY 7
--   SEARCH s USING INDEX links_by_label (app_token=? AND parent_id=? AND label=?)
-- CORRELATED SCALAR SUBQUERY 8
--   SEARCH s USING INDEX links_by_label (app_token=? AND parent_id=? AND label=?)
-- USE TEMP B-TREE FOR GROUP BY
-- USE TEMP B-TREE FOR ORDER BY
-- SCAN adjustments USING COVERING INDEX adjustments_by_day
INSERT INTO links (token, app_token, parent_id, level, label, created_at, partner_id, cost_switch)
SELECT j.value ->> '$.tokens[3]',
  ?,
  c3.id,
  coalesce(l.level,
    0) + 4,
  j.value ->> '$.names[3]',
  ?,
  max(iif(json_array_length(j.value,
        '$.names') = 4,
      j.value ->> 'partnerId',
      NULL)),
  max(iif(json_array_length(j.value,
        '$.names') = 4,
      j.value ->> 'costSwitch',
      NULL))
FROM sessions s
CROSS JOIN memberships m ON m.user_id = s.user_id
AND m.app_token = ?
CROSS JOIN json_each(?) j
LEFT JOIN links l ON l.token = j.value ->> 'base'
AND l.app_token = ?
LEFT JOIN links c1 ON (j.value ->> 'base' IS NULL OR l.id IS NOT NULL)
AND c1.id = coalesce((
    SELECT min(s.id)
    FROM links s INDEXED BY links_by_label
    WHERE s.app_token = ?
    AND s.parent_id IS l.id
    AND s.label COLLATE NOCASE = j.value ->> '$.names[0]'
    AND s.label = j.value ->> '$.names[0]'
    AND s.archived = 0 ), (
    SELECT min(s.id)
    FROM links s INDEXED BY links_by_label
    WHERE s.app_token = ?
    AND s.parent_id IS l.id
    AND s.label COLLATE NOCASE = j.value ->> '$.names[0]'
    AND s.label = j.value ->> '$.names[0]'
    AND s.archived = 1 ))
LEFT JOIN links c2 ON true
AND c2.id = coalesce((
    SELECT min(s.id)
    FROM links s INDEXED BY links_by_label
    WHERE s.app_token = ?
    AND s.parent_id = c1.id
    AND s.label COLLATE NOCASE = j.value ->> '$.names[1]'
    AND s.label = j.value ->> '$.names[1]'
    AND s.archived = 0 ), (
    SELECT min(s.id)
    FROM links s INDEXED BY links_by_label
    WHERE s.app_token = ?
    AND s.parent_id = c1.id
    AND s.label COLLATE NOCASE = j.value ->> '$.names[1]'
    AND s.label = j.value ->> '$.names[1]'
    AND s.archived = 1 ))
LEFT JOIN links c3 ON true
AND c3.id = coalesce((
    SELECT min(s.id)
    FROM links s INDEXED BY links_by_label
    WHERE s.app_token = ?
    AND s.parent_id = c2.id
    AND s.label COLLATE NOCASE = j.value ->> '$.names[2]'
    AND s.label = j.value ->> '$.names[2]'
    AND s.archived = 0 ), (
    SELECT min(s.id)
    FROM links s INDEXED BY links_by_label
    WHERE s.app_token = ?
    AND s.parent_id = c2.id
    AND s.label COLLATE NOCASE = j.value ->> '$.names[2]'
    AND s.label = j.value ->> '$.names[2]'
    AND s.archived = 1 ))
LEFT JOIN links c4 ON true
AND c4.id = coalesce((
    SELECT min(s.id)
    FROM links s INDEXED BY links_by_label
    WHERE s.app_token = ?
    AND s.parent_id = c3.id
    AND s.label COLLATE NOCASE = j.value ->> '$.names[3]'
    AND s.label = j.value ->> '$.names[3]'
    AND s.archived = 0 ), (
    SELECT min(s.id)
    FROM links s INDEXED BY links_by_label
    WHERE s.app_token = ?
    AND s.parent_id = c3.id
    AND s.label COLLATE NOCASE = j.value ->> '$.names[3]'
    AND s.label = j.value ->> '$.names[3]'
    AND s.archived = 1 ))
WHERE s.id_hash = ?
AND s.expires_at > ?
AND s.last_seen_at > ? - 7200000
AND s.waiting_secret IS NULL
AND j.value ->> '$.names[3]' IS NOT NULL
AND c4.id IS NULL
AND c3.id IS NOT NULL
AND coalesce(l.level, 0) + json_array_length(j.value, '$.names') <= 4
AND (
  SELECT a.created_link_count + ? <= a.max_links
  FROM apps a
  WHERE a.token = ? )
GROUP BY c3.id, j.value ->> '$.names[3]'
ORDER BY min(j.key)
RETURNING token AS token;

-- src/db/links/paths.ts: rows read 6, written 0
-- SEARCH s USING PRIMARY KEY (id_hash=?)
-- SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
-- SCAN j VIRTUAL TABLE INDEX 1:
-- SEARCH l USING INDEX links_token_unique (token=?) LEFT-JOIN
-- SEARCH c1 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- CORRELATED SCALAR SUBQUERY 5
--   SEARCH s USING INDEX links_by_label (app_token=? AND parent_id=? AND label=?)
-- CORRELATED SCALAR SUBQUERY 6
--   SEARCH s USING INDEX links_by_label (app_token=? AND parent_id=? AND label=?)
-- SEARCH c2 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- CORRELATED SCALAR SUBQUERY 7
--   SEARCH s USING INDEX links_by_label (app_token=? AND parent_id=? AND label=?)
-- CORRELATED SCALAR SUBQUERY 8
--   SEARCH s USING INDEX links_by_label (app_token=? AND parent_id=? AND label=?)
-- SEARCH c3 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- CORRELATED SCALAR SUBQUERY 9
--   SEARCH s USING INDEX links_by_label (app_token=? AND parent_id=? AND label=?)
-- CORRELATED SCALAR SUBQUERY 10
--   SEARCH s USING INDEX links_by_label (app_token=? AND parent_id=? AND label=?)
-- SEARCH c4 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- CORRELATED SCALAR SUBQUERY 11
--   SEARCH s USING INDEX links_by_label (app_token=? AND parent_id=? AND label=?)
-- CORRELATED SCALAR SUBQUERY 12
--   SEARCH s USING INDEX links_by_label (app_token=? AND parent_id=? AND label=?)
-- SEARCH l1 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l2 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l3 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH s USING COVERING INDEX links_by_label (app_token=? AND parent_id=? AND label=?)
-- CORRELATED SCALAR SUBQUERY 2
--   SEARCH s USING COVERING INDEX links_by_label (app_token=? AND parent_id=? AND label=?)
-- CORRELATED SCALAR SUBQUERY 3
--   SEARCH s USING COVERING INDEX links_by_label (app_token=? AND parent_id=? AND label=?)
-- CORRELATED SCALAR SUBQUERY 4
--   SEARCH s USING COVERING INDEX links_by_label (app_token=? AND parent_id=? AND label=?)
-- USE TEMP B-TREE FOR ORDER BY
SELECT l.id AS baseId,
  l.token AS token,
  l.level AS level,
  l.label AS label,
  l.archived AS archived,
  l.partner_id AS partnerId,
  l.cost_switch AS costSwitch,
  l.child_count AS childCount,
  l.created_at AS createdAt,
  coalesce(l3.label || '::',
    '') || coalesce(l2.label || '::',
    '') || l1.label AS inheritedName,
  coalesce(l1.partner_id,
    l2.partner_id,
    l3.partner_id) AS inheritedPartner,
  coalesce(l1.cost_switch,
    l2.cost_switch,
    l3.cost_switch) AS inheritedSwitch,
  iif(c1.id IS NULL,
    NULL,
    json_object('token',
      c1.token,
      'archived',
      c1.archived,
      'createdAt',
      c1.created_at,
      'partnerId',
      c1.partner_id,
      'costSwitch',
      c1.cost_switch)) AS node1,
  iif(c2.id IS NULL,
    NULL,
    json_object('token',
      c2.token,
      'archived',
      c2.archived,
      'createdAt',
      c2.created_at,
      'partnerId',
      c2.partner_id,
      'costSwitch',
      c2.cost_switch)) AS node2,
  iif(c3.id IS NULL,
    NULL,
    json_object('token',
      c3.token,
      'archived',
      c3.archived,
      'createdAt',
      c3.created_at,
      'partnerId',
      c3.partner_id,
      'costSwitch',
      c3.cost_switch)) AS node3,
  iif(c4.id IS NULL,
    NULL,
    json_object('token',
      c4.token,
      'archived',
      c4.archived,
      'createdAt',
      c4.created_at,
      'partnerId',
      c4.partner_id,
      'costSwitch',
      c4.cost_switch)) AS node4,
  coalesce(iif(c1.id IS NULL
    AND (j.value ->> 'base' IS NULL OR l.id IS NOT NULL), (
      SELECT s.label
      FROM links s INDEXED BY links_by_label
      WHERE s.app_token = ?
      AND s.parent_id IS l.id
      AND s.label COLLATE NOCASE = j.value ->> '$.names[0]'
      LIMIT 1 ), NULL), iif(c2.id IS NULL
    AND c1.id IS NOT NULL, (
      SELECT s.label
      FROM links s INDEXED BY links_by_label
      WHERE s.app_token = ?
      AND s.parent_id = c1.id
      AND s.label COLLATE NOCASE = j.value ->> '$.names[1]'
      LIMIT 1 ), NULL), iif(c3.id IS NULL
    AND c2.id IS NOT NULL, (
      SELECT s.label
      FROM links s INDEXED BY links_by_label
      WHERE s.app_token = ?
      AND s.parent_id = c2.id
      AND s.label COLLATE NOCASE = j.value ->> '$.names[2]'
      LIMIT 1 ), NULL), iif(c4.id IS NULL
    AND c3.id IS NOT NULL, (
      SELECT s.label
      FROM links s INDEXED BY links_by_label
      WHERE s.app_token = ?
      AND s.parent_id = c3.id
      AND s.label COLLATE NOCASE = j.value ->> '$.names[3]'
      LIMIT 1 ), NULL)) AS similar
FROM sessions s
CROSS JOIN memberships m ON m.user_id = s.user_id
AND m.app_token = ?
CROSS JOIN json_each(?) j
LEFT JOIN links l ON l.token = j.value ->> 'base'
AND l.app_token = ?
LEFT JOIN links c1 ON (j.value ->> 'base' IS NULL OR l.id IS NOT NULL)
AND c1.id = coalesce((
    SELECT min(s.id)
    FROM links s INDEXED BY links_by_label
    WHERE s.app_token = ?
    AND s.parent_id IS l.id
    AND s.label COLLATE NOCASE = j.value ->> '$.names[0]'
    AND s.label = j.value ->> '$.names[0]'
    AND s.archived = 0 ), (
    SELECT min(s.id)
    FROM links s INDEXED BY links_by_label
    WHERE s.app_token = ?
    AND s.parent_id IS l.id
    AND s.label COLLATE NOCASE = j.value ->> '$.names[0]'
    AND s.label = j.value ->> '$.names[0]'
    AND s.archived = 1 ))
LEFT JOIN links c2 ON true
AND c2.id = coalesce((
    SELECT min(s.id)
    FROM links s INDEXED BY links_by_label
    WHERE s.app_token = ?
    AND s.parent_id = c1.id
    AND s.label COLLATE NOCASE = j.value ->> '$.names[1]'
    AND s.label = j.value ->> '$.names[1]'
    AND s.archived = 0 ), (
    SELECT min(s.id)
    FROM links s INDEXED BY links_by_label
    WHERE s.app_token = ?
    AND s.parent_id = c1.id
    AND s.label COLLATE NOCASE = j.value ->> '$.names[1]'
    AND s.label = j.value ->> '$.names[1]'
    AND s.archived = 1 ))
LEFT JOIN links c3 ON true
AND c3.id = coalesce((
    SELECT min(s.id)
    FROM links s INDEXED BY links_by_label
    WHERE s.app_token = ?
    AND s.parent_id = c2.id
    AND s.label COLLATE NOCASE = j.value ->> '$.names[2]'
    AND s.label = j.value ->> '$.names[2]'
    AND s.archived = 0 ), (
    SELECT min(s.id)
    FROM links s INDEXED BY links_by_label
    WHERE s.app_token = ?
    AND s.parent_id = c2.id
    AND s.label COLLATE NOCASE = j.value ->> '$.names[2]'
    AND s.label = j.value ->> '$.names[2]'
    AND s.archived = 1 ))
LEFT JOIN links c4 ON true
AND c4.id = coalesce((
    SELECT min(s.id)
    FROM links s INDEXED BY links_by_label
    WHERE s.app_token = ?
    AND s.parent_id = c3.id
    AND s.label COLLATE NOCASE = j.value ->> '$.names[3]'
    AND s.label = j.value ->> '$.names[3]'
    AND s.archived = 0 ), (
    SELECT min(s.id)
    FROM links s INDEXED BY links_by_label
    WHERE s.app_token = ?
    AND s.parent_id = c3.id
    AND s.label COLLATE NOCASE = j.value ->> '$.names[3]'
    AND s.label = j.value ->> '$.names[3]'
    AND s.archived = 1 ))
LEFT JOIN links l1 ON l1.id = l.parent_id
LEFT JOIN links l2 ON l2.id = l1.parent_id
LEFT JOIN links l3 ON l3.id = l2.parent_id
WHERE s.id_hash = ?
AND s.expires_at > ?
AND s.last_seen_at > ? - 7200000
AND s.waiting_secret IS NULL
ORDER BY j.key;

-- src/db/links/paths.ts: rows read 3, written 0
-- SEARCH s USING PRIMARY KEY (id_hash=?)
-- SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?) LEFT-JOIN
-- SEARCH a USING INDEX apps_token_unique (token=?) LEFT-JOIN
SELECT s.user_id AS userId,
  m.app_token AS appToken,
  0 AS isElsewhere,
  a.max_links AS maxLinks,
  a.created_link_count AS createdLinkCount
FROM sessions s
LEFT JOIN memberships m ON m.user_id = s.user_id
AND m.app_token = ?
LEFT JOIN apps a ON a.token = m.app_token
WHERE s.id_hash = ?
AND s.expires_at > ?
AND s.last_seen_at > ? - 7200000
AND s.waiting_secret IS NULL;

-- src/db/links/sub-link-audit.ts: rows read 26, written 4
-- SEARCH sub_link_audit USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH l USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)
-- SEARCH parent USING INTEGER PRIMARY KEY (rowid=?)
-- USE TEMP B-TREE FOR GROUP BY
INSERT INTO audit_log (happened_at, user_id, action, subject, detail, request_id)
SELECT ?,
  NULL,
  'create sub-links',
  'link ' || parent.token,
  json_object('day',
    date(l.created_at / 1000,
      'unixepoch'),
    'count',
    count(*)),
  ?
FROM sub_link_audit
CROSS JOIN links l ON l.id > sub_link_audit.after_id
AND l.id <= sub_link_audit.until_id
CROSS JOIN links parent ON parent.id = l.parent_id
WHERE changes() > 0
AND sub_link_audit.id = 1
AND l.from_engagement = 1
GROUP BY l.created_at / 86400000, l.parent_id;

-- src/db/links/sub-link-audit.ts: rows read 19, written 1
-- SEARCH sub_link_audit USING INTEGER PRIMARY KEY (rowid=?)
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH links USING INTEGER PRIMARY KEY (rowid>?)
-- SCALAR SUBQUERY 2
--   SEARCH links
UPDATE sub_link_audit SET after_id = sub_link_audit.until_id, until_id = coalesce( (SELECT min(links.id) - 1
    FROM links
    WHERE links.id > sub_link_audit.until_id
    AND links.created_at >= ? * 86400000), (SELECT max(links.id)
    FROM links), 0 ), day = ?
WHERE sub_link_audit.id = 1
AND sub_link_audit.day < ?;

-- src/db/links/sub-links.ts: rows read 14, written 9
-- SCAN j VIRTUAL TABLE INDEX 1:
-- SEARCH o USING INDEX links_token_unique (token=?)
-- SEARCH l1 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l2 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l3 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH p USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- CORRELATED SCALAR SUBQUERY 3
--   SEARCH s USING INDEX links_by_match_name (app_token=? AND parent_id=? AND match_name=?)
-- USE TEMP B-TREE FOR GROUP BY
-- SCAN adjustments USING COVERING INDEX adjustments_by_day
INSERT INTO links (token, app_token, parent_id, level, label, created_at, from_engagement)
SELECT min((x.message ->> '$.subLinks[0].token')),
  x.appToken,
  x.linkId,
  2,
  iif(x.named2,
    (x.message ->> '$.subLinks[0].name'),
    NULL),
  ?,
  1
FROM (WITH level1 AS (
    SELECT j.value AS message,
      o.id AS linkId,
      o.level AS level,
      o.level AS openedLevel,
      o.app_token AS appToken,
      p.id AS partnerId,
      coalesce(o.cost_switch,
        l1.cost_switch,
        l2.cost_switch,
        l3.cost_switch,
        0) AS costSwitch,
      p.supports_cost_data
    AND p.stopped_at IS NULL AS takesCosts,
      p.integrated_types & CASE j.value ->> 'urlCostType' WHEN 'cpc' THEN 1 WHEN 'cpi' THEN 2 WHEN 'cpe' THEN 4 WHEN 'cpm' THEN 8 END
    AND (j.value ->> 'urlAmount') <= iif(instr('&' || p.cost_parameters, '&cost_amount='), p.max_url_amount, -1)
    AND (j.value ->> 'urlCostType' IS NOT NULL
      AND j.value ->> 'urlCurrency' IS NOT NULL
      AND j.value ->> 'urlAmount' IS NOT NULL)
    AND NOT ((j.value ->> 'urlCostType' IS NOT NULL
        AND j.value ->> 'urlCurrency' IS NOT NULL
        AND j.value ->> 'urlAmount' IS NOT NULL)
      AND coalesce((j.value ->> 'urlCurrency') <> iif(instr('&' || p.cost_parameters || '&', '&cost_currency=')
          AND substr('&' || p.cost_parameters || '&',
              instr('&' || p.cost_parameters || '&',
                '&cost_currency=') + 15,
              4) GLOB '[A-Za-z][A-Za-z][A-Za-z]&',
            upper(substr('&' || p.cost_parameters || '&',
                instr('&' || p.cost_parameters || '&',
                  '&cost_currency=') + 15,
                3)),
            NULL),
          0)) AS takesPrice,
      iif(((j.value ->> 'urlCostType' IS NOT NULL
          AND j.value ->> 'urlCurrency' IS NOT NULL
          AND j.value ->> 'urlAmount' IS NOT NULL)
        AND coalesce((j.value ->> 'urlCurrency') <> iif(instr('&' || p.cost_parameters || '&', '&cost_currency=')
            AND substr('&' || p.cost_parameters || '&',
                instr('&' || p.cost_parameters || '&',
                  '&cost_currency=') + 15,
                4) GLOB '[A-Za-z][A-Za-z][A-Za-z]&',
              upper(substr('&' || p.cost_parameters || '&',
                  instr('&' || p.cost_parameters || '&',
                    '&cost_currency=') + 15,
                  3)),
              NULL),
            0)),
        'not_agreed',
        NULL) AS currencyReason,
      coalesce(instr('&' || iif((j.value ->> 'kind') = 'click',
            p.click_parameters,
            p.impression_parameters),
          '&campaign='),
        0) > 0 AS named2,
      coalesce(instr('&' || iif((j.value ->> 'kind') = 'click',
            p.click_parameters,
            p.impression_parameters),
          '&adgroup='),
        0) > 0 AS named3,
      coalesce(instr('&' || iif((j.value ->> 'kind') = 'click',
            p.click_parameters,
            p.impression_parameters),
          '&creative='),
        0) > 0 AS named4,
      NULL AS reason2,
      NULL AS reason3,
      NULL AS reason4
    FROM json_each(?) j
    CROSS JOIN links o ON o.token = (j.value ->> 'linkToken')
    LEFT JOIN links l1 ON l1.id = o.parent_id
    LEFT JOIN links l2 ON l2.id = l1.parent_id
    LEFT JOIN links l3 ON l3.id = l2.parent_id
    LEFT JOIN partners p ON p.id = coalesce(o.partner_id, l1.partner_id, l2.partner_id, l3.partner_id) )
  SELECT *
  FROM level1) x
WHERE iif(x.named2, (x.message ->> '$.subLinks[0].name'), NULL) IS NOT NULL
AND x.level = 1
AND (
  SELECT min(s.id)
  FROM links s INDEXED BY links_by_match_name
  WHERE s.app_token = x.appToken
  AND s.parent_id = x.linkId
  AND s.match_name = iif(x.named2, (x.message ->> '$.subLinks[0].name'), NULL) ) IS NULL
GROUP BY x.linkId, iif(x.named2, (x.message ->> '$.subLinks[0].name'), NULL);

-- src/db/links/sub-links.ts: rows read 18, written 9
-- SCAN j VIRTUAL TABLE INDEX 1:
-- SEARCH o USING INDEX links_token_unique (token=?)
-- SEARCH l1 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l2 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l3 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH p USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH c USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- CORRELATED SCALAR SUBQUERY 2
--   SEARCH s USING INDEX links_by_match_name (app_token=? AND parent_id=? AND match_name=?)
-- CORRELATED SCALAR SUBQUERY 5
--   SEARCH s USING INDEX links_by_match_name (app_token=? AND parent_id=? AND match_name=?)
-- USE TEMP B-TREE FOR GROUP BY
-- SCAN adjustments USING COVERING INDEX adjustments_by_day
INSERT INTO links (token, app_token, parent_id, level, label, created_at, from_engagement)
SELECT min((x.message ->> '$.subLinks[1].token')),
  x.appToken,
  x.linkId,
  3,
  iif(x.named3,
    (x.message ->> '$.subLinks[1].name'),
    NULL),
  ?,
  1
FROM (WITH level1 AS (
    SELECT j.value AS message,
      o.id AS linkId,
      o.level AS level,
      o.level AS openedLevel,
      o.app_token AS appToken,
      p.id AS partnerId,
      coalesce(o.cost_switch,
        l1.cost_switch,
        l2.cost_switch,
        l3.cost_switch,
        0) AS costSwitch,
      p.supports_cost_data
    AND p.stopped_at IS NULL AS takesCosts,
      p.integrated_types & CASE j.value ->> 'urlCostType' WHEN 'cpc' THEN 1 WHEN 'cpi' THEN 2 WHEN 'cpe' THEN 4 WHEN 'cpm' THEN 8 END
    AND (j.value ->> 'urlAmount') <= iif(instr('&' || p.cost_parameters, '&cost_amount='), p.max_url_amount, -1)
    AND (j.value ->> 'urlCostType' IS NOT NULL
      AND j.value ->> 'urlCurrency' IS NOT NULL
      AND j.value ->> 'urlAmount' IS NOT NULL)
    AND NOT ((j.value ->> 'urlCostType' IS NOT NULL
        AND j.value ->> 'urlCurrency' IS NOT NULL
        AND j.value ->> 'urlAmount' IS NOT NULL)
      AND coalesce((j.value ->> 'urlCurrency') <> iif(instr('&' || p.cost_parameters || '&', '&cost_currency=')
          AND substr('&' || p.cost_parameters || '&',
              instr('&' || p.cost_parameters || '&',
                '&cost_currency=') + 15,
              4) GLOB '[A-Za-z][A-Za-z][A-Za-z]&',
            upper(substr('&' || p.cost_parameters || '&',
                instr('&' || p.cost_parameters || '&',
                  '&cost_currency=') + 15,
                3)),
            NULL),
          0)) AS takesPrice,
      iif(((j.value ->> 'urlCostType' IS NOT NULL
          AND j.value ->> 'urlCurrency' IS NOT NULL
          AND j.value ->> 'urlAmount' IS NOT NULL)
        AND coalesce((j.value ->> 'urlCurrency') <> iif(instr('&' || p.cost_parameters || '&', '&cost_currency=')
            AND substr('&' || p.cost_parameters || '&',
                instr('&' || p.cost_parameters || '&',
                  '&cost_currency=') + 15,
                4) GLOB '[A-Za-z][A-Za-z][A-Za-z]&',
              upper(substr('&' || p.cost_parameters || '&',
                  instr('&' || p.cost_parameters || '&',
                    '&cost_currency=') + 15,
                  3)),
              NULL),
            0)),
        'not_agreed',
        NULL) AS currencyReason,
      coalesce(instr('&' || iif((j.value ->> 'kind') = 'click',
            p.click_parameters,
            p.impression_parameters),
          '&campaign='),
        0) > 0 AS named2,
      coalesce(instr('&' || iif((j.value ->> 'kind') = 'click',
            p.click_parameters,
            p.impression_parameters),
          '&adgroup='),
        0) > 0 AS named3,
      coalesce(instr('&' || iif((j.value ->> 'kind') = 'click',
            p.click_parameters,
            p.impression_parameters),
          '&creative='),
        0) > 0 AS named4,
      NULL AS reason2,
      NULL AS reason3,
      NULL AS reason4
    FROM json_each(?) j
    CROSS JOIN links o ON o.token = (j.value ->> 'linkToken')
    LEFT JOIN links l1 ON l1.id = o.parent_id
    LEFT JOIN links l2 ON l2.id = l1.parent_id
    LEFT JOIN links l3 ON l3.id = l2.parent_id
    LEFT JOIN partners p ON p.id = coalesce(o.partner_id, l1.partner_id, l2.partner_id, l3.partner_id) ), level2 AS (
    SELECT x.message AS message, iif((c.id IS NOT NULL
        AND c.partner_id IS NULL OR c.partner_id = x.partnerId), c.id, x.linkId) AS linkId, iif((c.id IS NOT NULL
        AND c.partner_id IS NULL OR c.partner_id = x.partnerId),
        c.level,
        x.level) AS level,
      x.openedLevel AS openedLevel,
      x.appToken AS appToken,
      x.partnerId AS partnerId,
      iif((c.id IS NOT NULL
        AND c.partner_id IS NULL OR c.partner_id = x.partnerId),
        coalesce(c.cost_switch,
          x.costSwitch),
        x.costSwitch) AS costSwitch,
      x.takesCosts AS takesCosts,
      x.takesPrice AS takesPrice,
      x.currencyReason AS currencyReason,
      x.named2 AS named2,
      x.named3 AS named3,
      x.named4 AS named4,
      CASE WHEN x.openedLevel > 1 OR NOT x.named2 THEN NULL WHEN (x.message ->> '$.subLinks[0].reason') IS NOT NULL THEN (x.message ->> '$.subLinks[0].reason') WHEN iif(x.named2,
        (x.message ->> '$.subLinks[0].name'),
        NULL) IS NULL THEN NULL WHEN x.level < 1 THEN 'missing_level' WHEN c.id IS NULL THEN 'too_many_links' WHEN NOT (c.id IS NOT NULL
      AND c.partner_id IS NULL OR c.partner_id = x.partnerId) THEN 'other_partner' END AS reason2,
      x.reason3 AS reason3,
      x.reason4 AS reason4
    FROM level1 x
    LEFT JOIN links c ON c.id = (
      SELECT min(s.id)
      FROM links s INDEXED BY links_by_match_name
      WHERE s.app_token = x.appToken
      AND s.parent_id = x.linkId
      AND s.match_name = iif(x.named2, (x.message ->> '$.subLinks[0].name'), NULL) )
    AND x.level = 1 )
  SELECT *
  FROM level2) x
WHERE iif(x.named3, (x.message ->> '$.subLinks[1].name'), NULL) IS NOT NULL
AND x.level = 2
AND (
  SELECT min(s.id)
  FROM links s INDEXED BY links_by_match_name
  WHERE s.app_token = x.appToken
  AND s.parent_id = x.linkId
  AND s.match_name = iif(x.named3, (x.message ->> '$.subLinks[1].name'), NULL) ) IS NULL
GROUP BY x.linkId, iif(x.named3, (x.message ->> '$.subLinks[1].name'), NULL);

-- src/db/links/updates.ts: rows read 16, written 4
-- SEARCH s USING PRIMARY KEY (id_hash=?)
-- SCALAR SUBQUERY 1
--   SCAN j VIRTUAL TABLE INDEX 1:
--   SEARCH l USING INDEX links_token_unique (token=?)
--   SEARCH l1 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
--   SEARCH l2 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
--   SEARCH l3 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
--   SEARCH p USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
-- SCAN j VIRTUAL TABLE INDEX 1:
INSERT INTO audit_log (happened_at, user_id, action, subject, detail, request_id)
SELECT ?, s.user_id, 'update link', 'link ' || (j.value ->> 'token'), (j.value ->> 'detail'), ?
FROM sessions s
CROSS JOIN memberships m ON m.user_id = s.user_id
AND m.app_token = ?
CROSS JOIN json_each(?) j
WHERE s.id_hash = ?
AND s.expires_at > ?
AND s.last_seen_at > ? - 7200000
AND s.waiting_secret IS NULL
AND (
  SELECT count(*)
  FROM json_each(?) j
  CROSS JOIN links l ON l.token = (j.value ->> 'token')
  AND l.app_token = ?
  LEFT JOIN links l1 ON l1.id = l.parent_id
  LEFT JOIN links l2 ON l2.id = l1.parent_id
  LEFT JOIN links l3 ON l3.id = l2.parent_id
  LEFT JOIN partners p ON p.id = coalesce((j.value ->> '$.after.partnerId'), l1.partner_id, l2.partner_id, l3.partner_id)
  WHERE l.label IS (j.value ->> '$.before.label')
  AND l.archived IS (j.value ->> '$.before.archived')
  AND l.partner_id IS (j.value ->> '$.before.partnerId')
  AND l.cost_switch IS (j.value ->> '$.before.costSwitch')
  AND coalesce(p.supports_cost_data, 0) = (j.value ->> 'isSupported') ) = ?;

-- src/db/links/updates.ts: rows read 9, written 2
-- SEARCH t USING PRIMARY KEY (token_hash=?)
-- SCALAR SUBQUERY 1
--   SCAN j VIRTUAL TABLE INDEX 1:
--   SEARCH l USING INDEX links_token_unique (token=?)
--   SEARCH l1 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
--   SEARCH l2 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
--   SEARCH l3 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
--   SEARCH p USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?)
-- SCAN j VIRTUAL TABLE INDEX 1:
INSERT INTO audit_log (happened_at, user_id, action, subject, detail, request_id)
SELECT ?, t.user_id, 'update link', 'link ' || (j.value ->> 'token'), (j.value ->> 'detail'), ?
FROM api_tokens t
CROSS JOIN memberships m ON m.user_id = t.user_id
AND m.app_token = ?
CROSS JOIN json_each(?) j
WHERE t.token_hash = ?
AND (
  SELECT count(*)
  FROM json_each(?) j
  CROSS JOIN links l ON l.token = (j.value ->> 'token')
  AND l.app_token = ?
  LEFT JOIN links l1 ON l1.id = l.parent_id
  LEFT JOIN links l2 ON l2.id = l1.parent_id
  LEFT JOIN links l3 ON l3.id = l2.parent_id
  LEFT JOIN partners p ON p.id = coalesce((j.value ->> '$.after.partnerId'), l1.partner_id, l2.partner_id, l3.partner_id)
  WHERE l.label IS (j.value ->> '$.before.label')
  AND l.archived IS (j.value ->> '$.before.archived')
  AND l.partner_id IS (j.value ->> '$.before.partnerId')
  AND l.cost_switch IS (j.value ->> '$.before.costSwitch')
  AND coalesce(p.supports_cost_data, 0) = (j.value ->> 'isSupported') ) = ?;

-- src/db/links/updates.ts: rows read 6, written 0
-- SEARCH s USING PRIMARY KEY (id_hash=?)
-- SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?) LEFT-JOIN
-- SCAN j VIRTUAL TABLE INDEX 1: LEFT-JOIN
-- SEARCH l USING INDEX links_token_unique (token=?) LEFT-JOIN
-- SEARCH l1 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l2 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l3 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
SELECT s.user_id AS userId,
  m.app_token AS appToken,
  0 AS isElsewhere,
  l.id AS id,
  l.token AS token,
  l.level AS level,
  l.label AS label,
  l.archived AS archived,
  l.partner_id AS partnerId,
  l.cost_switch AS costSwitch,
  l.child_count AS childCount,
  coalesce(l3.label || '::',
    '') || coalesce(l2.label || '::',
    '') || l1.label AS inheritedName,
  coalesce(l1.partner_id,
    l2.partner_id,
    l3.partner_id) AS inheritedPartner,
  coalesce(l1.cost_switch,
    l2.cost_switch,
    l3.cost_switch) AS inheritedSwitch
FROM sessions s
LEFT JOIN memberships m ON m.user_id = s.user_id
AND m.app_token = ?
LEFT JOIN json_each(?) j
LEFT JOIN links l ON l.token = j.value
AND l.app_token = m.app_token
LEFT JOIN links l1 ON l1.id = l.parent_id
LEFT JOIN links l2 ON l2.id = l1.parent_id
LEFT JOIN links l3 ON l3.id = l2.parent_id
WHERE s.id_hash = ?
AND s.expires_at > ?
AND s.last_seen_at > ? - 7200000
AND s.waiting_secret IS NULL;

-- src/db/links/updates.ts: rows read 4, written 0
-- SEARCH t USING PRIMARY KEY (token_hash=?)
-- SEARCH m USING PRIMARY KEY (user_id=? AND app_token=?) LEFT-JOIN
-- SCAN j VIRTUAL TABLE INDEX 1: LEFT-JOIN
-- SEARCH l USING INDEX links_token_unique (token=?) LEFT-JOIN
-- SEARCH l1 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l2 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH l3 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
SELECT t.user_id AS userId,
  m.app_token AS appToken,
  0 AS isElsewhere,
  l.id AS id,
  l.token AS token,
  l.level AS level,
  l.label AS label,
  l.archived AS archived,
  l.partner_id AS partnerId,
  l.cost_switch AS costSwitch,
  l.child_count AS childCount,
  coalesce(l3.label || '::',
    '') || coalesce(l2.label || '::',
    '') || l1.label AS inheritedName,
  coalesce(l1.partner_id,
    l2.partner_id,
    l3.partner_id) AS inheritedPartner,
  coalesce(l1.cost_switch,
    l2.cost_switch,
    l3.cost_switch) AS inheritedSwitch
FROM api_tokens t
LEFT JOIN memberships m ON m.user_id = t.user_id
AND m.app_token = ?
LEFT JOIN json_each(?) j
LEFT JOIN links l ON l.token = j.value
AND l.app_token = m.app_token
LEFT JOIN links l1 ON l1.id = l.parent_id
LEFT JOIN links l2 ON l2.id = l1.parent_id
LEFT JOIN links l3 ON l3.id = l2.parent_id
WHERE t.token_hash = ?;

-- src/db/links/updates.ts: rows read 12, written 10
-- SCAN j VIRTUAL TABLE INDEX 1:
-- SEARCH links USING INDEX links_token_unique (token=?)
-- SCALAR SUBQUERY 1
--   SEARCH l
UPDATE links SET label = (j.value ->> '$.after.label'),
  archived = (j.value ->> '$.after.archived'),
  partner_id = (j.value ->> '$.after.partnerId'),
  cost_switch = (j.value ->> '$.after.costSwitch'),
  archived_through = CASE WHEN NOT (j.value ->> '$.after.archived') THEN NULL WHEN archived THEN archived_through ELSE (SELECT max(l.id)
  FROM links l) END, first_label = iif((j.value ->> '$.after.label') <> label, match_name, first_label)
FROM json_each(iif(changes() > 0, ?, '[]')) j
WHERE links.token = (j.value ->> 'token')
RETURNING token AS token;

-- src/db/operator/adjustments.ts: rows read 2, written 0
-- SEARCH idempotency_keys USING PRIMARY KEY (user_id=? AND app_token=? AND operation=? AND key=?)
-- LIST SUBQUERY 3
--   CO-ROUTINE u
--     SCAN CONSTANT ROW
--   SCAN u
--   SEARCH k USING PRIMARY KEY (user_id=? AND app_token=? AND operation=? AND key=?)
DELETE
FROM idempotency_keys
WHERE (user_id, app_token, operation, key) IN (
  SELECT k.user_id, k.app_token, k.operation, k.key
  FROM (SELECT ? AS user_id) u
  CROSS JOIN idempotency_keys k ON k.user_id = u.user_id
  AND k.app_token = ''
  AND k.operation = ?
  AND k.key = ?
  WHERE true
  AND k.created_at <= ? - 86400000 );

-- src/db/operator/adjustments.ts: rows read 1, written 1
-- SEARCH idempotency_keys USING PRIMARY KEY (user_id=? AND app_token=? AND operation=? AND key=?)
UPDATE idempotency_keys SET location = idempotency_keys.location || last_insert_rowid(),
  answer = json_set(idempotency_keys.answer,
    '$.items[0].id',
    last_insert_rowid())
WHERE changes() > 0
AND idempotency_keys.user_id = ?
AND idempotency_keys.app_token = ''
AND idempotency_keys.operation = ?
AND idempotency_keys.key = ?;

-- src/db/operator/adjustments.ts: rows read 6, written 3
-- CO-ROUTINE u
--   SCAN CONSTANT ROW
-- SCAN u
-- SEARCH k EXISTS USING PRIMARY KEY (user_id=? AND app_token=? AND operation=? AND key=?)
INSERT INTO adjustments (app_token, day, link_id, partner_id, cost_type, currency, amount, reason, user_id, created_at)
SELECT ?, ?, ?, ?, ?, ?, CAST(? AS INTEGER), ?, u.user_id, ?
FROM (SELECT ? AS user_id) u
WHERE EXISTS (SELECT 1
  FROM idempotency_keys k
  WHERE k.user_id = u.user_id
  AND k.app_token = ''
  AND k.operation = ?
  AND k.key = ?
  AND k.request_id = ?)
RETURNING id AS id;

-- src/db/operator/adjustments.ts: rows read 2, written 1
-- CO-ROUTINE u
--   SCAN CONSTANT ROW
-- SCAN u
INSERT INTO idempotency_keys (user_id,
    app_token,
    operation,
    key,
    created_at,
    request_id,
    body_hash,
    status,
    location,
    answer)
SELECT u.user_id, '', ?, ?, ?, ?, ?, ?, ?, ?
FROM (SELECT ? AS user_id) u
WHERE true
ON CONFLICT DO NOTHING
RETURNING request_id AS requestId;

-- src/db/operator/adjustments.ts: rows read 4, written 0
-- SCAN CONSTANT ROW
-- SCALAR SUBQUERY 1
--   SEARCH apps USING COVERING INDEX apps_token_unique (token=?)
-- SCALAR SUBQUERY 2
--   SEARCH links USING INDEX links_token_unique (token=?)
-- SCALAR SUBQUERY 3
--   SEARCH partners USING INTEGER PRIMARY KEY (rowid=?)
-- SCALAR SUBQUERY 4
--   SEARCH users USING INTEGER PRIMARY KEY (rowid=?)
SELECT (SELECT apps.token
  FROM apps
  WHERE apps.token = ?) AS app, (
  SELECT links.id
  FROM links
  WHERE links.token = ?
  AND links.app_token = ? ) AS linkId, (
  SELECT partners.id
  FROM partners
  WHERE partners.id = ? ) AS partner, (SELECT users.email
  FROM users
  WHERE users.id = ?) AS email;

-- src/db/operator/adjustments.ts: rows read 3, written 0
-- SEARCH a USING INTEGER PRIMARY KEY (rowid=?)
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH links USING INTEGER PRIMARY KEY (rowid=?)
-- CORRELATED SCALAR SUBQUERY 2
--   SEARCH users USING INTEGER PRIMARY KEY (rowid=?)
SELECT a.id AS id, a.app_token AS appToken, (SELECT links.token
  FROM links
  WHERE links.id = a.link_id) AS linkToken,
  a.day AS day,
  a.partner_id AS partnerId,
  a.cost_type AS costType,
  a.currency AS currency,
  CAST(a.amount AS TEXT) AS amount,
  a.reason AS reason,
  a.user_id AS userId,
  (SELECT users.email
  FROM users
  WHERE users.id = a.user_id) AS email, a.created_at AS createdAt
FROM adjustments a
WHERE a.id = ?;

-- src/db/operator/adjustments.ts: rows read 0, written 0
-- CO-ROUTINE u
--   SCAN CONSTANT ROW
-- SCAN u
-- SEARCH k USING PRIMARY KEY (user_id=? AND app_token=? AND operation=? AND key=?)
SELECT k.body_hash AS bodyHash, k.status AS status, k.location AS location, k.answer AS answer
FROM (SELECT ? AS user_id) u
CROSS JOIN idempotency_keys k ON k.user_id = u.user_id
AND k.app_token = ''
AND k.operation = ?
AND k.key = ?
WHERE true
AND NOT k.created_at <= ? - 86400000;

-- src/db/operator/apps.ts: rows read 4, written 2
-- SEARCH apps USING INDEX apps_token_unique (token=?)
INSERT INTO audit_log (happened_at, user_id, action, subject, detail, request_id)
SELECT ?,
  ?,
  'update app',
  'app ' || apps.token,
  json_remove(json_object('name',
      json_object('from',
        apps.name,
        'to',
        iif(?,
          ?,
          apps.name)),
      'default_url',
      json_object('from',
        apps.default_url,
        'to',
        iif(?,
          ?,
          apps.default_url)),
      'ios_url',
      json_object('from',
        apps.ios_url,
        'to',
        iif(?,
          ?,
          apps.ios_url)),
      'android_url',
      json_object('from',
        apps.android_url,
        'to',
        iif(?,
          ?,
          apps.android_url)),
      'redirect_hosts',
      json_object('from',
        json(apps.redirect_hosts),
        'to',
        json(iif(?,
            ?,
            apps.redirect_hosts))),
      'redirect_schemes',
      json_object('from',
        json(apps.redirect_schemes),
        'to',
        json(iif(?,
            ?,
            apps.redirect_schemes))),
      'max_links',
      json_object('from',
        CAST(apps.max_links AS INTEGER),
        'to',
        CAST(iif(?,
            ?,
            apps.max_links) AS INTEGER)),
      'max_new_sub_links',
      json_object('from',
        CAST(apps.max_new_sub_links AS INTEGER),
        'to',
        CAST(iif(?,
            ?,
            apps.max_new_sub_links) AS INTEGER)),
      'audience',
      json_object('from',
        json(CASE apps.audience WHEN 1 THEN 'true' WHEN 0 THEN 'false' END),
        'to',
        json(CASE iif(?,
            ?,
            apps.audience) WHEN 1 THEN 'true' WHEN 0 THEN 'false' END)),
      'archived_at',
      json_object('from',
        CAST(apps.archived_at AS INTEGER),
        'to',
        CAST(CASE ? WHEN 1 THEN coalesce(apps.archived_at,
            ?) WHEN 0 THEN NULL ELSE apps.archived_at END AS INTEGER))),
    iif(apps.name IS iif(?,
        ?,
        apps.name),
      '$.name',
      '$.-'),
    iif(apps.default_url IS iif(?,
        ?,
        apps.default_url),
      '$.default_url',
      '$.-'),
    iif(apps.ios_url IS iif(?,
        ?,
        apps.ios_url),
      '$.ios_url',
      '$.-'),
    iif(apps.android_url IS iif(?,
        ?,
        apps.android_url),
      '$.android_url',
      '$.-'),
    iif(apps.redirect_hosts IS iif(?,
        ?,
        apps.redirect_hosts),
      '$.redirect_hosts',
      '$.-'),
    iif(apps.redirect_schemes IS iif(?,
        ?,
        apps.redirect_schemes),
      '$.redirect_schemes',
      '$.-'),
    iif(apps.max_links IS iif(?,
        ?,
        apps.max_links),
      '$.max_links',
      '$.-'),
    iif(apps.max_new_sub_links IS iif(?,
        ?,
        apps.max_new_sub_links),
      '$.max_new_sub_links',
      '$.-'),
    iif(apps.audience IS iif(?,
        ?,
        apps.audience),
      '$.audience',
      '$.-'),
    iif(apps.archived_at IS CASE ? WHEN 1 THEN coalesce(apps.archived_at,
        ?) WHEN 0 THEN NULL ELSE apps.archived_at END,
      '$.archived_at',
      '$.-')),
  ?
FROM apps
WHERE apps.token = ?
AND (apps.name IS NOT iif(?,
      ?,
      apps.name) OR apps.default_url IS NOT iif(?,
      ?,
      apps.default_url) OR apps.ios_url IS NOT iif(?,
      ?,
      apps.ios_url) OR apps.android_url IS NOT iif(?,
      ?,
      apps.android_url) OR apps.redirect_hosts IS NOT iif(?,
      ?,
      apps.redirect_hosts) OR apps.redirect_schemes IS NOT iif(?,
      ?,
      apps.redirect_schemes) OR apps.max_links IS NOT iif(?,
      ?,
      apps.max_links) OR apps.max_new_sub_links IS NOT iif(?,
      ?,
      apps.max_new_sub_links) OR apps.audience IS NOT iif(?,
      ?,
      apps.audience) OR apps.archived_at IS NOT CASE ? WHEN 1 THEN coalesce(apps.archived_at,
      ?) WHEN 0 THEN NULL ELSE apps.archived_at END);

-- src/db/operator/apps.ts: rows read 2, written 1
-- SEARCH memberships USING PRIMARY KEY (user_id=? AND app_token=?)
-- SEARCH views USING COVERING INDEX views_by_app (app_token=? AND user_id=?)
DELETE
FROM memberships
WHERE memberships.user_id = ?
AND memberships.app_token = ?
RETURNING user_id AS userId;

-- src/db/operator/apps.ts: rows read 1, written 2
-- SEARCH views USING COVERING INDEX views_by_app (app_token=?)
-- SCAN memberships
-- SEARCH links USING COVERING INDEX links_by_match_name (app_token=?)
-- SEARCH link_imports USING COVERING INDEX link_imports_by_app (app_token=?)
-- SEARCH hidden_attention USING PRIMARY KEY (app_token=?)
-- SEARCH adjustments USING COVERING INDEX adjustments_by_app (app_token=?)
-- SCAN access_tokens
INSERT INTO apps (token,
    name,
    default_url,
    ios_url,
    android_url,
    redirect_hosts,
    redirect_schemes,
    max_links,
    max_new_sub_links,
    audience,
    created_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
RETURNING id AS id,
  token AS token,
  name AS name,
  default_url AS defaultUrl,
  ios_url AS iosUrl,
  android_url AS androidUrl,
  redirect_hosts AS redirectHosts,
  redirect_schemes AS redirectSchemes,
  link_count AS linkCount,
  created_at AS createdAt,
  max_links AS maxLinks,
  created_link_count AS createdLinkCount,
  stored_length AS storedLength,
  archived_at AS archivedAt,
  audience AS audience,
  max_new_sub_links AS maxNewSubLinks,
  new_sub_link_day AS newSubLinkDay,
  new_sub_link_count AS newSubLinkCount;

-- src/db/operator/apps.ts: rows read 5, written 1
-- SEARCH users USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH apps USING COVERING INDEX apps_token_unique (token=?)
-- SEARCH views USING COVERING INDEX views_by_app (app_token=? AND user_id=?)
INSERT INTO memberships (user_id, app_token)
SELECT users.id, apps.token
FROM users
CROSS JOIN apps
WHERE users.id = ?
AND NOT (users.email = 'erased user ' || users.id)
AND apps.token = ?
ON CONFLICT DO NOTHING
RETURNING user_id AS userId;

-- src/db/operator/apps.ts: rows read 4, written 0
-- SCAN apps
-- USE TEMP B-TREE FOR ORDER BY
SELECT apps.id AS id, apps.token AS token, apps.name AS name
FROM apps
WHERE apps.archived_at IS NULL
ORDER BY apps.name COLLATE NOCASE
LIMIT 1000;

-- src/db/operator/apps.ts: rows read 4, written 0
-- SEARCH memberships USING PRIMARY KEY (user_id=?)
-- SEARCH apps USING INDEX apps_token_unique (token=?)
-- USE TEMP B-TREE FOR ORDER BY
SELECT apps.id AS id, apps.token AS token, apps.name AS name, apps.archived_at AS archivedAt
FROM memberships
CROSS JOIN apps ON apps.token = memberships.app_token
WHERE memberships.user_id = ?
ORDER BY apps.name COLLATE NOCASE
LIMIT 1000;

-- src/db/operator/apps.ts: rows read 1, written 0
-- SEARCH apps USING INDEX apps_token_unique (token=?)
SELECT apps.id AS id,
  apps.token AS token,
  apps.name AS name,
  apps.default_url AS defaultUrl,
  apps.ios_url AS iosUrl,
  apps.android_url AS androidUrl,
  apps.redirect_hosts AS redirectHosts,
  apps.redirect_schemes AS redirectSchemes,
  apps.link_count AS linkCount,
  apps.created_at AS createdAt,
  apps.max_links AS maxLinks,
  apps.created_link_count AS createdLinkCount,
  apps.stored_length AS storedLength,
  apps.archived_at AS archivedAt,
  apps.audience AS audience,
  apps.max_new_sub_links AS maxNewSubLinks,
  apps.new_sub_link_day AS newSubLinkDay,
  apps.new_sub_link_count AS newSubLinkCount
FROM apps
WHERE apps.token = ?;

-- src/db/operator/apps.ts: rows read 2, written 0
-- SCAN apps USING COVERING INDEX apps_token_unique
SELECT apps.token AS token
FROM apps;

-- src/db/operator/apps.ts: rows read 4, written 0
-- SCAN apps
-- USE TEMP B-TREE FOR ORDER BY
SELECT apps.token AS token, apps.name AS name, apps.archived_at AS archivedAt
FROM apps
ORDER BY apps.archived_at IS NOT NULL, apps.name COLLATE NOCASE
LIMIT 1000;

-- src/db/operator/apps.ts: rows read 1, written 0
-- SEARCH memberships USING PRIMARY KEY (user_id=? AND app_token=?)
SELECT memberships.user_id AS userId
FROM memberships
WHERE memberships.user_id = ?
AND memberships.app_token = ?;

-- src/db/operator/apps.ts: rows read 2, written 1
-- SEARCH apps USING INDEX apps_token_unique (token=?)
UPDATE apps SET name = iif(?,
    ?,
    name),
  default_url = iif(?,
    ?,
    default_url),
  ios_url = iif(?,
    ?,
    ios_url),
  android_url = iif(?,
    ?,
    android_url),
  redirect_hosts = iif(?,
    ?,
    redirect_hosts),
  redirect_schemes = iif(?,
    ?,
    redirect_schemes),
  max_links = iif(?,
    ?,
    max_links),
  max_new_sub_links = iif(?,
    ?,
    max_new_sub_links),
  audience = iif(?,
    ?,
    audience),
  archived_at = CASE ? WHEN 1 THEN coalesce(apps.archived_at,
    ?) WHEN 0 THEN NULL ELSE apps.archived_at END
WHERE apps.token = ?
RETURNING id AS id,
  token AS token,
  name AS name,
  default_url AS defaultUrl,
  ios_url AS iosUrl,
  android_url AS androidUrl,
  redirect_hosts AS redirectHosts,
  redirect_schemes AS redirectSchemes,
  link_count AS linkCount,
  created_at AS createdAt,
  max_links AS maxLinks,
  created_link_count AS createdLinkCount,
  stored_length AS storedLength,
  archived_at AS archivedAt,
  audience AS audience,
  max_new_sub_links AS maxNewSubLinks,
  new_sub_link_day AS newSubLinkDay,
  new_sub_link_count AS newSubLinkCount;

-- src/db/operator/audit.ts: rows read 1, written 0
-- SCAN CONSTANT ROW
-- SCALAR SUBQUERY 1
--   SEARCH audit_log
SELECT (SELECT coalesce(max(audit_log.id), 0)
  FROM audit_log audit_log
  WHERE true) AS total
WHERE true;

-- src/db/operator/audit.ts: rows read 0, written 0
-- SCAN CONSTANT ROW
-- SCALAR SUBQUERY 1
--   SEARCH audit_log USING COVERING INDEX audit_by_subject (subject=?)
SELECT (SELECT count(*)
  FROM audit_log audit_log
  WHERE true
  AND audit_log.subject = ?) AS total
WHERE true;

-- src/db/operator/audit.ts: rows read 1, written 0
-- SCAN CONSTANT ROW
-- SCALAR SUBQUERY 4
--   SEARCH audit_log USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)
--   SCALAR SUBQUERY 1
--     SCAN audit_log
--   SCALAR SUBQUERY 3
--     SCAN audit_log
--   SCALAR SUBQUERY 2
--     SCAN audit_log
SELECT (SELECT count(*)
  FROM audit_log audit_log
  WHERE true
  AND audit_log.id > (SELECT id
    FROM audit_log
    WHERE happened_at < ?
    ORDER BY id DESC
    LIMIT 1) - 100000
  AND audit_log.id > coalesce((SELECT id
      FROM audit_log
      WHERE happened_at < ?
      ORDER BY id DESC
      LIMIT 1), 0)
  AND audit_log.id <= coalesce((SELECT id
      FROM audit_log
      WHERE happened_at < ?
      ORDER BY id DESC
      LIMIT 1), 0)) AS total
WHERE true;

-- src/db/operator/audit.ts: rows read 1, written 0
-- SCAN CONSTANT ROW
-- SCALAR SUBQUERY 2
--   SEARCH audit_log USING INTEGER PRIMARY KEY (rowid>?)
--   SCALAR SUBQUERY 1
--     SEARCH audit_log
SELECT (SELECT count(*)
  FROM audit_log audit_log
  WHERE true
  AND audit_log.id > (SELECT max(id)
    FROM audit_log) - 100000
  AND audit_log.action = ?) AS total
WHERE true;

-- src/db/operator/audit.ts: rows read 1, written 0
-- CO-ROUTINE audit_log
--   SEARCH audit_log USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)
--   SCALAR SUBQUERY 1
--     SEARCH audit_log
-- SCAN audit_log
-- SEARCH users USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
SELECT audit_log.id AS id,
  audit_log.happened_at AS happenedAt,
  audit_log.user_id AS userId,
  users.email AS email,
  audit_log.action AS action,
  audit_log.subject AS subject,
  audit_log.detail AS detail,
  audit_log.request_id AS requestId
FROM (SELECT *
  FROM audit_log
  WHERE audit_log.id < ?
  AND audit_log.id >= coalesce(min(?, (SELECT max(id)
        FROM audit_log)), 0) - 100000
  ORDER BY audit_log.id DESC
  LIMIT ? + 0) audit_log
LEFT JOIN users ON users.id = audit_log.user_id
ORDER BY audit_log.id DESC;

-- src/db/operator/audit.ts: rows read 1, written 0
-- SEARCH audit_log USING INDEX audit_by_subject (subject=? AND rowid>? AND rowid<?)
-- SEARCH users USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
SELECT audit_log.id AS id,
  audit_log.happened_at AS happenedAt,
  audit_log.user_id AS userId,
  users.email AS email,
  audit_log.action AS action,
  audit_log.subject AS subject,
  audit_log.detail AS detail,
  audit_log.request_id AS requestId
FROM audit_log audit_log
LEFT JOIN users ON users.id = audit_log.user_id
WHERE true
AND audit_log.subject = ?
AND audit_log.id > ?
AND audit_log.id < ?
ORDER BY audit_log.id DESC
LIMIT ? + 0;

-- src/db/operator/audit.ts: rows read 2, written 0
-- SEARCH audit_log USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)
-- SCALAR SUBQUERY 3
--   SCAN audit_log
-- SCALAR SUBQUERY 1
--   SCAN audit_log
-- SCALAR SUBQUERY 2
--   SCAN audit_log
-- SEARCH users USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
SELECT audit_log.id AS id,
  audit_log.happened_at AS happenedAt,
  audit_log.user_id AS userId,
  users.email AS email,
  audit_log.action AS action,
  audit_log.subject AS subject,
  audit_log.detail AS detail,
  audit_log.request_id AS requestId
FROM audit_log audit_log
LEFT JOIN users ON users.id = audit_log.user_id
WHERE true
AND audit_log.id > (SELECT id
  FROM audit_log
  WHERE happened_at < ?
  ORDER BY id DESC
  LIMIT 1) - 100000
AND audit_log.id > coalesce((SELECT id
    FROM audit_log
    WHERE happened_at < ?
    ORDER BY id DESC
    LIMIT 1), 0)
AND audit_log.id <= coalesce((SELECT id
    FROM audit_log
    WHERE happened_at < ?
    ORDER BY id DESC
    LIMIT 1), 0)
AND audit_log.id > ?
AND audit_log.id < ?
ORDER BY audit_log.id DESC
LIMIT ? + 0;

-- src/db/operator/audit.ts: rows read 1, written 0
-- SEARCH audit_log USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)
-- SCALAR SUBQUERY 1
--   SEARCH audit_log
-- SEARCH users USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
SELECT audit_log.id AS id,
  audit_log.happened_at AS happenedAt,
  audit_log.user_id AS userId,
  users.email AS email,
  audit_log.action AS action,
  audit_log.subject AS subject,
  audit_log.detail AS detail,
  audit_log.request_id AS requestId
FROM audit_log audit_log
LEFT JOIN users ON users.id = audit_log.user_id
WHERE true
AND audit_log.id > (SELECT max(id)
  FROM audit_log) - 100000
AND audit_log.action = ?
AND audit_log.id > ?
AND audit_log.id < ?
ORDER BY audit_log.id DESC
LIMIT ? + 0;

-- src/db/operator/audit.ts: rows read 1, written 0
-- SEARCH audit_log USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)
-- SEARCH users USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
SELECT audit_log.id AS id,
  audit_log.happened_at AS happenedAt,
  audit_log.user_id AS userId,
  users.email AS email,
  audit_log.action AS action,
  audit_log.subject AS subject,
  audit_log.detail AS detail,
  audit_log.request_id AS requestId
FROM audit_log audit_log
LEFT JOIN users ON users.id = audit_log.user_id
WHERE true
AND audit_log.id > ?
AND audit_log.id < ?
ORDER BY audit_log.id DESC
LIMIT ? + 0;

-- src/db/operator/audit.ts: rows read 44, written 0
-- CO-ROUTINE audit_log
--   CO-ROUTINE (subquery-14)
--     CO-ROUTINE (subquery-17)
--       MULTI-INDEX OR
--         INDEX 1
--           LIST SUBQUERY 4
--             COMPOUND QUERY
--               LEFT-MOST SUBQUERY
--                 SCAN CONSTANT ROW
--               UNION ALL
--                 SCAN apps
--               UNION ALL
--                 SCAN users USING COVERING INDEX users_email_unique
--               UNION ALL
--                 SEARCH links USING COVERING INDEX links_token_unique (token=?)
--           SEARCH audit_log USING INDEX audit_by_subject (subject=? AND rowid<?)
--         INDEX 2
--           LIST SUBQUERY 12
--             COMPOUND QUERY
--               LEFT-MOST SUBQUERY
--                 SCAN partners
--               UNION ALL
--                 SEARCH rounds USING COVERING INDEX rounds_by_partner (partner_id=?)
--                 LIST SUBQUERY 7
--                   SCAN partners
--               UNION ALL
--                 SCAN credentials
--                 LIST SUBQUERY 9
--                   SCAN partners
--                   CREATE BLOOM FILTER
--               UNION ALL
--                 SCAN adjustments USING COVERING INDEX adjustments_by_day
--                 LIST SUBQUERY 11
--                   SCAN partners
--                   CREATE BLOOM FILTER
--           SEARCH audit_log USING INDEX audit_by_subject (subject=? AND rowid<?)
--       USE TEMP B-TREE FOR ORDER BY
--     SCAN (subquery-17)
--   SCAN (subquery-14)
--   USE TEMP B-TREE FOR GROUP BY
-- SCAN audit_log
-- SEARCH users USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- USE TEMP B-TREE FOR ORDER BY
SELECT audit_log.id AS id,
  audit_log.happened_at AS happenedAt,
  audit_log.user_id AS userId,
  users.email AS email,
  audit_log.action AS action,
  audit_log.subject AS subject,
  audit_log.detail AS detail,
  audit_log.request_id AS requestId,
  audit_log.count AS count,
  audit_log.read_to AS readTo
FROM (
  SELECT *, max(id) AS last_id, count(*) AS count
  FROM (SELECT *, min(id) OVER () AS read_to
    FROM (SELECT *
      FROM audit_log
      WHERE audit_log.id < ?
      AND (audit_log.subject IN (
          SELECT ?
          UNION ALL
          SELECT 'app ' || apps.token
          FROM apps
          WHERE apps.name = ? COLLATE NOCASE OR apps.token = ?
          UNION ALL
          SELECT 'user ' || users.id
          FROM users
          WHERE users.email = ? COLLATE NOCASE
          UNION ALL
          SELECT 'link ' || links.token
          FROM links
          WHERE links.token = ?) OR audit_log.subject IN (
          SELECT 'partner ' || id
          FROM (SELECT partners.id
            FROM partners
            WHERE partners.display_name = ? COLLATE NOCASE OR 'partner ' || partners.id = ?)
          UNION ALL
          SELECT 'round ' || rounds.id
          FROM rounds
          WHERE rounds.partner_id IN (SELECT partners.id
            FROM partners
            WHERE partners.display_name = ? COLLATE NOCASE OR 'partner ' || partners.id = ?)
          UNION ALL
          SELECT 'credential ' || credentials.id
          FROM credentials
          WHERE credentials.partner_id IN (SELECT partners.id
            FROM partners
            WHERE partners.display_name = ? COLLATE NOCASE OR 'partner ' || partners.id = ?)
          UNION ALL
          SELECT 'adjustment ' || adjustments.id
          FROM adjustments
          WHERE adjustments.partner_id IN (SELECT partners.id
            FROM partners
            WHERE partners.display_name = ? COLLATE NOCASE OR 'partner ' || partners.id = ?)))
      ORDER BY audit_log.id DESC
      LIMIT 2000))
  GROUP BY coalesce(request_id || action, id) ) audit_log
LEFT JOIN users ON users.id = audit_log.user_id
ORDER BY audit_log.id DESC
LIMIT ? + 0;

-- src/db/operator/audit.ts: rows read 4, written 0
-- CO-ROUTINE audit_log
--   CO-ROUTINE (subquery-3)
--     CO-ROUTINE (subquery-6)
--       SEARCH audit_log USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)
--       SCALAR SUBQUERY 1
--         SEARCH audit_log
--     SCAN (subquery-6)
--   SCAN (subquery-3)
--   USE TEMP B-TREE FOR GROUP BY
-- SCAN audit_log
-- SEARCH users USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- USE TEMP B-TREE FOR ORDER BY
SELECT audit_log.id AS id,
  audit_log.happened_at AS happenedAt,
  audit_log.user_id AS userId,
  users.email AS email,
  audit_log.action AS action,
  audit_log.subject AS subject,
  audit_log.detail AS detail,
  audit_log.request_id AS requestId,
  audit_log.count AS count,
  audit_log.read_to AS readTo
FROM (
  SELECT *, max(id) AS last_id, count(*) AS count
  FROM (SELECT *, min(id) OVER () AS read_to
    FROM (SELECT *
      FROM audit_log
      WHERE audit_log.id < ?
      AND audit_log.id >= coalesce(min(?, (SELECT max(id)
            FROM audit_log)), 0) - 100000
      ORDER BY audit_log.id DESC
      LIMIT 2000))
  GROUP BY coalesce(request_id || action, id) ) audit_log
LEFT JOIN users ON users.id = audit_log.user_id
ORDER BY audit_log.id DESC
LIMIT ? + 0;

-- src/db/operator/audit.ts: rows read 4, written 0
-- CO-ROUTINE audit_log
--   CO-ROUTINE (subquery-3)
--     CO-ROUTINE (subquery-6)
--       SEARCH audit_log USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)
--       SCALAR SUBQUERY 1
--         SEARCH audit_log
--     SCAN (subquery-6)
--   SCAN (subquery-3)
--   USE TEMP B-TREE FOR GROUP BY
-- SCAN audit_log
-- SEARCH users USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- USE TEMP B-TREE FOR ORDER BY
SELECT audit_log.id AS id,
  audit_log.happened_at AS happenedAt,
  audit_log.user_id AS userId,
  users.email AS email,
  audit_log.action AS action,
  audit_log.subject AS subject,
  audit_log.detail AS detail,
  audit_log.request_id AS requestId,
  audit_log.count AS count,
  audit_log.read_to AS readTo
FROM (
  SELECT *, max(id) AS last_id, count(*) AS count
  FROM (SELECT *, min(id) OVER () AS read_to
    FROM (SELECT *
      FROM audit_log
      WHERE audit_log.id < ?
      AND audit_log.id >= coalesce(min(?, (SELECT max(id)
            FROM audit_log)), 0) - 100000
      AND audit_log.action = ?
      ORDER BY audit_log.id DESC
      LIMIT 2000))
  GROUP BY coalesce(request_id || action, id) ) audit_log
LEFT JOIN users ON users.id = audit_log.user_id
ORDER BY audit_log.id DESC
LIMIT ? + 0;

-- src/db/operator/audit.ts: rows read 4, written 0
-- CO-ROUTINE audit_log
--   CO-ROUTINE (subquery-4)
--     CO-ROUTINE (subquery-7)
--       SEARCH audit_log USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)
--       SCALAR SUBQUERY 1
--         SEARCH audit_log
--       SCALAR SUBQUERY 2
--         SCAN audit_log
--     SCAN (subquery-7)
--   SCAN (subquery-4)
--   USE TEMP B-TREE FOR GROUP BY
-- SCAN audit_log
-- SEARCH users USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- USE TEMP B-TREE FOR ORDER BY
SELECT audit_log.id AS id,
  audit_log.happened_at AS happenedAt,
  audit_log.user_id AS userId,
  users.email AS email,
  audit_log.action AS action,
  audit_log.subject AS subject,
  audit_log.detail AS detail,
  audit_log.request_id AS requestId,
  audit_log.count AS count,
  audit_log.read_to AS readTo
FROM (
  SELECT *, max(id) AS last_id, count(*) AS count
  FROM (SELECT *, min(id) OVER () AS read_to
    FROM (SELECT *
      FROM audit_log
      WHERE audit_log.id < ?
      AND audit_log.id >= coalesce(min(?, (SELECT max(id)
            FROM audit_log)), 0) - 100000
      AND audit_log.id <= coalesce((SELECT id
          FROM audit_log
          WHERE happened_at < ?
          ORDER BY id DESC
          LIMIT 1), 0)
      ORDER BY audit_log.id DESC
      LIMIT 2000))
  GROUP BY coalesce(request_id || action, id) ) audit_log
LEFT JOIN users ON users.id = audit_log.user_id
ORDER BY audit_log.id DESC
LIMIT ? + 0;

-- src/db/operator/audit.ts: rows read 4, written 0
-- CO-ROUTINE audit_log
--   CO-ROUTINE (subquery-5)
--     CO-ROUTINE (subquery-8)
--       SEARCH audit_log USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)
--       SCALAR SUBQUERY 1
--         SEARCH audit_log
--       SCALAR SUBQUERY 2
--         SCAN audit_log
--       SCALAR SUBQUERY 3
--         SCAN audit_log
--     SCAN (subquery-8)
--   SCAN (subquery-5)
--   USE TEMP B-TREE FOR GROUP BY
-- SCAN audit_log
-- SEARCH users USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- USE TEMP B-TREE FOR ORDER BY
SELECT audit_log.id AS id,
  audit_log.happened_at AS happenedAt,
  audit_log.user_id AS userId,
  users.email AS email,
  audit_log.action AS action,
  audit_log.subject AS subject,
  audit_log.detail AS detail,
  audit_log.request_id AS requestId,
  audit_log.count AS count,
  audit_log.read_to AS readTo
FROM (
  SELECT *, max(id) AS last_id, count(*) AS count
  FROM (SELECT *, min(id) OVER () AS read_to
    FROM (SELECT *
      FROM audit_log
      WHERE audit_log.id < ?
      AND audit_log.id >= coalesce(min(?, (SELECT max(id)
            FROM audit_log)), 0) - 100000
      AND audit_log.id > coalesce((SELECT id
          FROM audit_log
          WHERE happened_at < ?
          ORDER BY id DESC
          LIMIT 1), 0)
      AND audit_log.id <= coalesce((SELECT id
          FROM audit_log
          WHERE happened_at < ?
          ORDER BY id DESC
          LIMIT 1), 0)
      ORDER BY audit_log.id DESC
      LIMIT 2000))
  GROUP BY coalesce(request_id || action, id) ) audit_log
LEFT JOIN users ON users.id = audit_log.user_id
ORDER BY audit_log.id DESC
LIMIT ? + 0;

-- src/db/operator/audit.ts: rows read 4, written 0
-- CO-ROUTINE audit_log
--   CO-ROUTINE (subquery-4)
--     CO-ROUTINE (subquery-7)
--       SEARCH audit_log USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)
--       SCALAR SUBQUERY 1
--         SEARCH audit_log
--       SCALAR SUBQUERY 2
--         SEARCH users USING COVERING INDEX users_email_unique (email=?)
--     SCAN (subquery-7)
--   SCAN (subquery-4)
--   USE TEMP B-TREE FOR GROUP BY
-- SCAN audit_log
-- SEARCH users USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- USE TEMP B-TREE FOR ORDER BY
SELECT audit_log.id AS id,
  audit_log.happened_at AS happenedAt,
  audit_log.user_id AS userId,
  users.email AS email,
  audit_log.action AS action,
  audit_log.subject AS subject,
  audit_log.detail AS detail,
  audit_log.request_id AS requestId,
  audit_log.count AS count,
  audit_log.read_to AS readTo
FROM (
  SELECT *, max(id) AS last_id, count(*) AS count
  FROM (SELECT *, min(id) OVER () AS read_to
    FROM (SELECT *
      FROM audit_log
      WHERE audit_log.id < ?
      AND audit_log.id >= coalesce(min(?, (SELECT max(id)
            FROM audit_log)), 0) - 100000
      AND audit_log.user_id = (SELECT users.id
        FROM users
        WHERE users.email = ?)
      ORDER BY audit_log.id DESC
      LIMIT 2000))
  GROUP BY coalesce(request_id || action, id) ) audit_log
LEFT JOIN users ON users.id = audit_log.user_id
ORDER BY audit_log.id DESC
LIMIT ? + 0;

-- src/db/operator/audit.ts: rows read 4, written 0
-- CO-ROUTINE audit_log
--   CO-ROUTINE (subquery-4)
--     CO-ROUTINE (subquery-7)
--       SEARCH audit_log USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)
--       SCALAR SUBQUERY 1
--         SEARCH audit_log
--       SCALAR SUBQUERY 2
--         SEARCH users USING COVERING INDEX users_email_unique (email=?)
--     SCAN (subquery-7)
--   SCAN (subquery-4)
--   USE TEMP B-TREE FOR GROUP BY
-- SCAN audit_log
-- SEARCH users USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- USE TEMP B-TREE FOR ORDER BY
SELECT audit_log.id AS id,
  audit_log.happened_at AS happenedAt,
  audit_log.user_id AS userId,
  users.email AS email,
  audit_log.action AS action,
  audit_log.subject AS subject,
  audit_log.detail AS detail,
  audit_log.request_id AS requestId,
  audit_log.count AS count,
  audit_log.read_to AS readTo
FROM (
  SELECT *, max(id) AS last_id, count(*) AS count
  FROM (SELECT *, min(id) OVER () AS read_to
    FROM (SELECT *
      FROM audit_log
      WHERE audit_log.id < ?
      AND audit_log.id >= coalesce(min(?, (SELECT max(id)
            FROM audit_log)), 0) - 100000
      AND audit_log.user_id = (SELECT users.id
        FROM users
        WHERE users.email = ?)
      AND audit_log.action = ?
      ORDER BY audit_log.id DESC
      LIMIT 2000))
  GROUP BY coalesce(request_id || action, id) ) audit_log
LEFT JOIN users ON users.id = audit_log.user_id
ORDER BY audit_log.id DESC
LIMIT ? + 0;

-- src/db/operator/audit.ts: rows read 1, written 0
-- SEARCH audit_log
SELECT coalesce(max(audit_log.id), 0) AS id
FROM audit_log;

-- src/db/operator/audit.ts: rows read 0, written 0
-- SCAN json_each VIRTUAL TABLE INDEX 1:
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH partners USING INTEGER PRIMARY KEY (rowid=?)
-- CORRELATED SCALAR SUBQUERY 2
--   SEARCH apps USING INDEX apps_token_unique (token=?)
-- CORRELATED SCALAR SUBQUERY 3
--   SEARCH users USING INTEGER PRIMARY KEY (rowid=?)
-- CORRELATED SCALAR SUBQUERY 4
--   SEARCH links USING INDEX links_token_unique (token=?)
-- CORRELATED SCALAR SUBQUERY 5
--   SEARCH credentials USING INTEGER PRIMARY KEY (rowid=?)
-- CORRELATED SCALAR SUBQUERY 6
--   SEARCH links USING INDEX links_token_unique (token=?)
-- CORRELATED SCALAR SUBQUERY 7
--   SEARCH links USING INDEX links_token_unique (token=?)
--   SEARCH apps USING INDEX apps_token_unique (token=?)
-- CORRELATED SCALAR SUBQUERY 8
--   SEARCH credentials USING INTEGER PRIMARY KEY (rowid=?)
-- CORRELATED SCALAR SUBQUERY 9
--   SEARCH rounds USING INTEGER PRIMARY KEY (rowid=?)
-- CORRELATED SCALAR SUBQUERY 11
--   SEARCH partners USING INTEGER PRIMARY KEY (rowid=?)
--   CORRELATED SCALAR SUBQUERY 10
--     SEARCH credentials USING INTEGER PRIMARY KEY (rowid=?)
-- CORRELATED SCALAR SUBQUERY 13
--   SEARCH partners USING INTEGER PRIMARY KEY (rowid=?)
--   CORRELATED SCALAR SUBQUERY 12
--     SEARCH rounds USING INTEGER PRIMARY KEY (rowid=?)
SELECT k.subject AS subject, CASE k.noun WHEN 'partner' THEN (SELECT partners.display_name
  FROM partners
  WHERE partners.id = CAST(k.key AS INTEGER)) WHEN 'app' THEN (SELECT apps.name
  FROM apps
  WHERE apps.token = k.key) WHEN 'user' THEN (SELECT users.email
  FROM users
  WHERE users.id = CAST(k.key AS INTEGER)) WHEN 'link' THEN (SELECT links.label
  FROM links
  WHERE links.token = k.key) WHEN 'credential' THEN (SELECT credentials.hint
  FROM credentials
  WHERE credentials.id = CAST(k.key AS INTEGER)) END AS name, CASE k.noun WHEN 'link' THEN (SELECT links.app_token
  FROM links
  WHERE links.token = k.key) END AS app, CASE k.noun WHEN 'link' THEN (
  SELECT apps.name
  FROM links
  CROSS JOIN apps ON apps.token = links.app_token
  WHERE links.token = k.key) END AS appName, CASE k.noun WHEN 'credential' THEN (SELECT credentials.partner_id
  FROM credentials
  WHERE credentials.id = CAST(k.key AS INTEGER)) WHEN 'round' THEN (SELECT rounds.partner_id
  FROM rounds
  WHERE rounds.id = CAST(k.key AS INTEGER)) END AS partnerId,
  CASE k.noun WHEN 'credential' THEN (SELECT partners.display_name
  FROM partners
  WHERE partners.id = (SELECT credentials.partner_id
    FROM credentials
    WHERE credentials.id = CAST(k.key AS INTEGER))) WHEN 'round' THEN (SELECT partners.display_name
  FROM partners
  WHERE partners.id = (SELECT rounds.partner_id
    FROM rounds
    WHERE rounds.id = CAST(k.key AS INTEGER))) END AS partner
FROM (
  SELECT value AS subject, substr(value, 1, instr(value, ' ') - 1) AS noun, substr(value, instr(value, ' ') + 1) AS key
  FROM json_each(?) ) k;

-- src/db/operator/credentials.ts: rows read 1, written 1
-- SEARCH credentials USING INTEGER PRIMARY KEY (rowid=?)
UPDATE credentials SET revoked_at = ?
WHERE credentials.id = ?
AND credentials.revoked_at IS NULL;

-- src/db/operator/credentials.ts: rows read 4, written 2
-- SEARCH partners USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH rounds USING INDEX rounds_by_partner (partner_id=?) LEFT-JOIN
INSERT INTO credentials (token_hash, partner_id, mode, cost_types, round_id, hint, created_at)
SELECT ?, partners.id, ?, ?, rounds.id, ?, ?
FROM partners
LEFT JOIN rounds ON ? = 'test'
AND rounds.partner_id = partners.id
AND rounds.state = 'open'
AND rounds.cost_types & ? = ?
WHERE partners.id = ?
AND iif(? = 'test', rounds.id IS NOT NULL, partners.integrated_types & ? = ?)
RETURNING id AS id,
  partner_id AS partnerId,
  mode AS mode,
  cost_types AS costTypes,
  round_id AS roundId,
  hint AS hint,
  created_at AS createdAt,
  revoked_at AS revokedAt;

-- src/db/operator/credentials.ts: rows read 1, written 0
-- SEARCH credentials USING INTEGER PRIMARY KEY (rowid=?)
SELECT credentials.id AS id,
  credentials.partner_id AS partnerId,
  credentials.mode AS mode,
  credentials.cost_types AS costTypes,
  credentials.round_id AS roundId,
  credentials.hint AS hint,
  credentials.created_at AS createdAt,
  credentials.revoked_at AS revokedAt
FROM credentials
WHERE credentials.id = ?;

-- src/db/operator/erase-user.ts: rows read 1, written 0
-- SEARCH devices USING PRIMARY KEY (user_id=?)
-- SCALAR SUBQUERY 1
--   SEARCH users USING INTEGER PRIMARY KEY (rowid=?)
DELETE
FROM devices
WHERE devices.user_id = ?
AND EXISTS (SELECT 1
  FROM users
  WHERE users.id = ?
  AND (users.email = 'erased user ' || users.id));

-- src/db/operator/erase-user.ts: rows read 1, written 0
-- SEARCH failed_sign_ins USING INTEGER PRIMARY KEY (rowid=?)
-- SCALAR SUBQUERY 1
--   SEARCH users USING INTEGER PRIMARY KEY (rowid=?)
DELETE
FROM failed_sign_ins
WHERE failed_sign_ins.user_id = ?
AND EXISTS (SELECT 1
  FROM users
  WHERE users.id = ?
  AND (users.email = 'erased user ' || users.id));

-- src/db/operator/erase-user.ts: rows read 0, written 0
-- SEARCH identities USING COVERING INDEX identities_user_id_unique (user_id=?)
-- SCALAR SUBQUERY 1
--   SEARCH users USING INTEGER PRIMARY KEY (rowid=?)
DELETE
FROM identities
WHERE identities.user_id = ?
AND EXISTS (SELECT 1
  FROM users
  WHERE users.id = ?
  AND (users.email = 'erased user ' || users.id));

-- src/db/operator/erase-user.ts: rows read 4, written 1
-- SEARCH memberships USING PRIMARY KEY (user_id=?)
-- SCALAR SUBQUERY 1
--   SEARCH users USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH views USING COVERING INDEX views_by_app (app_token=? AND user_id=?)
DELETE
FROM memberships
WHERE memberships.user_id = ?
AND EXISTS (SELECT 1
  FROM users
  WHERE users.id = ?
  AND (users.email = 'erased user ' || users.id));

-- src/db/operator/erase-user.ts: rows read 0, written 0
-- SEARCH sign_in_attempts USING COVERING INDEX attempts_by_user (user_id=?)
-- SCALAR SUBQUERY 1
--   SEARCH users USING INTEGER PRIMARY KEY (rowid=?)
DELETE
FROM sign_in_attempts
WHERE sign_in_attempts.user_id = ?
AND EXISTS (SELECT 1
  FROM users
  WHERE users.id = ?
  AND (users.email = 'erased user ' || users.id));

-- src/db/operator/erase-user.ts: rows read 1, written 0
-- SCAN views
-- SCALAR SUBQUERY 1
--   SEARCH users USING INTEGER PRIMARY KEY (rowid=?)
DELETE
FROM views
WHERE views.user_id = ?
AND EXISTS (SELECT 1
  FROM users
  WHERE users.id = ?
  AND (users.email = 'erased user ' || users.id));

-- src/db/operator/erase-user.ts: rows read 18, written 8
-- SEARCH users USING INTEGER PRIMARY KEY (rowid=?)
-- SCALAR SUBQUERY 1
--   SCAN o
UPDATE users SET email = 'erased user ' || users.id,
  role = 'member',
  password_hash = NULL,
  password_expires_at = NULL,
  disabled_at = coalesce(users.disabled_at,
    ?)
WHERE users.id = ?
AND NOT (users.email = 'erased user ' || users.id)
AND (? OR users.role = 'member')
AND (users.role = 'member' OR EXISTS (
    SELECT 1
    FROM users o
    WHERE o.id <> ?
    AND o.role = 'operator'
    AND o.disabled_at IS NULL
    AND o.password_hash IS NOT NULL
    AND coalesce(o.password_expires_at > ?, true) ))
RETURNING id AS id;

-- src/db/operator/partners.ts: rows read 4, written 2
-- SEARCH partners USING INTEGER PRIMARY KEY (rowid=?)
INSERT INTO audit_log (happened_at, user_id, action, subject, detail, request_id)
SELECT ?,
  ?,
  'update partner',
  'partner ' || partners.id,
  json_remove(json_object('display_name',
      json_object('from',
        partners.display_name,
        'to',
        iif(?,
          ?,
          partners.display_name)),
      'server_to_server',
      json_object('from',
        json(CASE partners.server_to_server WHEN 1 THEN 'true' WHEN 0 THEN 'false' END),
        'to',
        json(CASE iif(?,
            ?,
            partners.server_to_server) WHEN 1 THEN 'true' WHEN 0 THEN 'false' END)),
      'click_parameters',
      json_object('from',
        partners.click_parameters,
        'to',
        iif(?,
          ?,
          partners.click_parameters)),
      'impression_parameters',
      json_object('from',
        partners.impression_parameters,
        'to',
        iif(?,
          ?,
          partners.impression_parameters)),
      'cost_parameters',
      json_object('from',
        partners.cost_parameters,
        'to',
        iif(?,
          ?,
          partners.cost_parameters)),
      'max_url_amount',
      json_object('from',
        CAST(partners.max_url_amount AS INTEGER),
        'to',
        CAST(iif(?,
            ?,
            partners.max_url_amount) AS INTEGER)),
      'stopped_at',
      json_object('from',
        CAST(partners.stopped_at AS INTEGER),
        'to',
        CAST(iif(?,
            ?,
            partners.stopped_at) AS INTEGER))),
    iif(partners.display_name IS iif(?,
        ?,
        partners.display_name),
      '$.display_name',
      '$.-'),
    iif(partners.server_to_server IS iif(?,
        ?,
        partners.server_to_server),
      '$.server_to_server',
      '$.-'),
    iif(partners.click_parameters IS iif(?,
        ?,
        partners.click_parameters),
      '$.click_parameters',
      '$.-'),
    iif(partners.impression_parameters IS iif(?,
        ?,
        partners.impression_parameters),
      '$.impression_parameters',
      '$.-'),
    iif(partners.cost_parameters IS iif(?,
        ?,
        partners.cost_parameters),
      '$.cost_parameters',
      '$.-'),
    iif(partners.max_url_amount IS iif(?,
        ?,
        partners.max_url_amount),
      '$.max_url_amount',
      '$.-'),
    iif(partners.stopped_at IS iif(?,
        ?,
        partners.stopped_at),
      '$.stopped_at',
      '$.-')),
  ?
FROM partners
WHERE partners.id = ?
AND (partners.display_name IS NOT iif(?,
      ?,
      partners.display_name) OR partners.server_to_server IS NOT iif(?,
      ?,
      partners.server_to_server) OR partners.click_parameters IS NOT iif(?,
      ?,
      partners.click_parameters) OR partners.impression_parameters IS NOT iif(?,
      ?,
      partners.impression_parameters) OR partners.cost_parameters IS NOT iif(?,
      ?,
      partners.cost_parameters) OR partners.max_url_amount IS NOT iif(?,
      ?,
      partners.max_url_amount) OR partners.stopped_at IS NOT iif(?,
      ?,
      partners.stopped_at));

-- src/db/operator/partners.ts: rows read 8, written 2
-- SEARCH rounds USING COVERING INDEX rounds_by_partner (partner_id=?)
-- SEARCH partner_rates USING PRIMARY KEY (partner_id=?)
-- SCAN links USING COVERING INDEX links_by_partner
-- SCAN credentials
-- SCAN adjustments USING COVERING INDEX adjustments_by_day
-- CORRELATED SCALAR SUBQUERY 2
--   SEARCH rounds USING INDEX rounds_by_partner (partner_id=?)
-- CORRELATED SCALAR SUBQUERY 3
--   SEARCH rounds USING INDEX rounds_by_partner (partner_id=?)
-- CORRELATED SCALAR SUBQUERY 4
--   SCAN credentials
INSERT INTO partners (display_name,
    server_to_server,
    click_parameters,
    impression_parameters,
    cost_parameters,
    max_url_amount,
    supports_cost_data,
    created_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
RETURNING id AS id,
  display_name AS displayName,
  supports_cost_data AS supportsCostData,
  server_to_server AS serverToServer,
  click_parameters AS clickParameters,
  impression_parameters AS impressionParameters,
  cost_parameters AS costParameters,
  integrated_types AS integratedTypes,
  stopped_at AS stoppedAt,
  max_url_amount AS maxUrlAmount,
  created_at AS createdAt,
  (SELECT coalesce(sum(rounds.cost_types),
      0)
  FROM rounds
  WHERE rounds.partner_id = partners.id
  AND rounds.state = 'open') AS typesInRound, (SELECT json_group_array(rounds.id)
  FROM rounds
  WHERE rounds.partner_id = partners.id
  AND rounds.state = 'open') AS openRounds, EXISTS (SELECT 1
  FROM credentials
  WHERE credentials.partner_id = partners.id
  AND credentials.mode = 'live'
  AND credentials.revoked_at IS NULL) AS hasLiveCredential,
  iif(instr('&' || partners.cost_parameters || '&',
      '&cost_currency=')
  AND substr('&' || partners.cost_parameters || '&',
      instr('&' || partners.cost_parameters || '&',
        '&cost_currency=') + 15,
      4) GLOB '[A-Za-z][A-Za-z][A-Za-z]&',
    upper(substr('&' || partners.cost_parameters || '&',
        instr('&' || partners.cost_parameters || '&',
          '&cost_currency=') + 15,
        3)),
    NULL) AS urlCurrency;

-- src/db/operator/partners.ts: rows read 9, written 0
-- SEARCH partners USING INTEGER PRIMARY KEY (rowid=?)
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH rounds USING INDEX rounds_by_partner (partner_id=?)
-- CORRELATED SCALAR SUBQUERY 2
--   SEARCH rounds USING INDEX rounds_by_partner (partner_id=?)
-- CORRELATED SCALAR SUBQUERY 3
--   SCAN credentials
SELECT partners.id AS id,
  partners.display_name AS displayName,
  partners.supports_cost_data AS supportsCostData,
  partners.server_to_server AS serverToServer,
  partners.click_parameters AS clickParameters,
  partners.impression_parameters AS impressionParameters,
  partners.cost_parameters AS costParameters,
  partners.integrated_types AS integratedTypes,
  partners.stopped_at AS stoppedAt,
  partners.max_url_amount AS maxUrlAmount,
  partners.created_at AS createdAt,
  (SELECT coalesce(sum(rounds.cost_types),
      0)
  FROM rounds
  WHERE rounds.partner_id = partners.id
  AND rounds.state = 'open') AS typesInRound, (SELECT json_group_array(rounds.id)
  FROM rounds
  WHERE rounds.partner_id = partners.id
  AND rounds.state = 'open') AS openRounds, EXISTS (SELECT 1
  FROM credentials
  WHERE credentials.partner_id = partners.id
  AND credentials.mode = 'live'
  AND credentials.revoked_at IS NULL) AS hasLiveCredential,
  iif(instr('&' || partners.cost_parameters || '&',
      '&cost_currency=')
  AND substr('&' || partners.cost_parameters || '&',
      instr('&' || partners.cost_parameters || '&',
        '&cost_currency=') + 15,
      4) GLOB '[A-Za-z][A-Za-z][A-Za-z]&',
    upper(substr('&' || partners.cost_parameters || '&',
        instr('&' || partners.cost_parameters || '&',
          '&cost_currency=') + 15,
        3)),
    NULL) AS urlCurrency
FROM partners
WHERE partners.id = ?;

-- src/db/operator/partners.ts: rows read 10, written 0
-- SCAN partners
-- USE TEMP B-TREE FOR ORDER BY
SELECT partners.id AS id, partners.display_name AS name
FROM partners
ORDER BY partners.display_name COLLATE NOCASE
LIMIT 1000;

-- src/db/operator/partners.ts: rows read 4, written 2
-- SEARCH partners USING INTEGER PRIMARY KEY (rowid=?)
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH rounds USING INDEX rounds_by_partner (partner_id=?)
-- CORRELATED SCALAR SUBQUERY 2
--   SEARCH rounds USING INDEX rounds_by_partner (partner_id=?)
-- CORRELATED SCALAR SUBQUERY 3
--   SCAN credentials
UPDATE partners SET display_name = iif(?,
    ?,
    display_name),
  server_to_server = iif(?,
    ?,
    server_to_server),
  click_parameters = iif(?,
    ?,
    click_parameters),
  impression_parameters = iif(?,
    ?,
    impression_parameters),
  cost_parameters = iif(?,
    ?,
    cost_parameters),
  max_url_amount = iif(?,
    ?,
    max_url_amount),
  stopped_at = iif(?,
    ?,
    stopped_at)
WHERE partners.id = ?
RETURNING id AS id,
  display_name AS displayName,
  supports_cost_data AS supportsCostData,
  server_to_server AS serverToServer,
  click_parameters AS clickParameters,
  impression_parameters AS impressionParameters,
  cost_parameters AS costParameters,
  integrated_types AS integratedTypes,
  stopped_at AS stoppedAt,
  max_url_amount AS maxUrlAmount,
  created_at AS createdAt,
  (SELECT coalesce(sum(rounds.cost_types),
      0)
  FROM rounds
  WHERE rounds.partner_id = partners.id
  AND rounds.state = 'open') AS typesInRound, (SELECT json_group_array(rounds.id)
  FROM rounds
  WHERE rounds.partner_id = partners.id
  AND rounds.state = 'open') AS openRounds, EXISTS (SELECT 1
  FROM credentials
  WHERE credentials.partner_id = partners.id
  AND credentials.mode = 'live'
  AND credentials.revoked_at IS NULL) AS hasLiveCredential,
  iif(instr('&' || partners.cost_parameters || '&',
      '&cost_currency=')
  AND substr('&' || partners.cost_parameters || '&',
      instr('&' || partners.cost_parameters || '&',
        '&cost_currency=') + 15,
      4) GLOB '[A-Za-z][A-Za-z][A-Za-z]&',
    upper(substr('&' || partners.cost_parameters || '&',
        instr('&' || partners.cost_parameters || '&',
          '&cost_currency=') + 15,
        3)),
    NULL) AS urlCurrency;

-- src/db/operator/rates.ts: rows read 53, written 0
-- CO-ROUTINE e
--   SEARCH ledger_entries USING PRIMARY KEY (partner_id=?)
-- SCAN e
-- USE TEMP B-TREE FOR GROUP BY
SELECT coalesce(coalesce(e.click_at,
      e.impression_at),
    (e.received_at + 604800000)) / 86400000 AS day,
  sum(iif(e.remembered_until >= ?
    AND coalesce(e.click_at, e.impression_at) IS NOT NULL
    AND NOT (coalesce(e.state IN ('matched', 'unpriced'), 0) OR e.counting_price IS NOT NULL)
    AND e.state IS NOT 'voided'
    AND NOT (coalesce(e.click_cost_data_on,
          0) OR coalesce(e.impression_cost_data_on,
          0)),
      1,
      0)) AS costDataOff,
  sum(iif(e.remembered_until >= ?
    AND coalesce(e.click_at, e.impression_at) IS NOT NULL
    AND NOT (coalesce(e.state IN ('matched', 'unpriced'), 0) OR e.counting_price IS NOT NULL)
    AND e.state IS NOT 'voided'
    AND (coalesce(e.click_cost_data_on,
          0) OR coalesce(e.impression_cost_data_on,
          0)),
      1,
      0)) AS noCost,
  sum(iif(e.remembered_until >= ?
    AND coalesce(e.click_at, e.impression_at) IS NOT NULL
    AND NOT (coalesce(e.state IN ('matched', 'unpriced'), 0) OR e.counting_price IS NOT NULL)
    AND e.state IS 'voided', 1, 0)) AS voided, sum(iif(e.remembered_until >= ?
    AND e.state IS 'pending'
    AND (e.received_at + 604800000) >= ?, 1, 0)) AS pending, sum(iif(e.remembered_until >= ?
    AND coalesce(e.click_at, e.impression_at) IS NULL
    AND e.state IS 'pending'
    AND (e.received_at + 604800000) < ?,
      1,
      0)) AS lapsed,
  json_object('cpc',
    json_object( 'expected',
      coalesce(sum(iif(e.remembered_until >= ?
          AND e.click_cost_data_on
          AND e.click_at >= ?
          AND coalesce(e.click_url_cost_type = 'cpc', 1)
          AND NOT (coalesce(e.state IN ('matched', 'unpriced'), 0)
            AND e.cost_type <> 'cpc'), 1, 0)), 0), 'agreeing', coalesce(sum(iif(e.remembered_until >= ?
          AND e.click_cost_data_on
          AND e.click_at >= ?
          AND coalesce(e.click_url_cost_type = 'cpc', 1)
          AND NOT (coalesce(e.state IN ('matched', 'unpriced'), 0)
            AND e.cost_type <> 'cpc')
          AND (coalesce(e.state = 'matched'
              AND e.cost_type = 'cpc'
              AND coalesce(e.currency = e.click_url_currency, 1)
              AND coalesce(e.amount_in_effect = e.click_url_amount,
                  1),
                0) OR coalesce(e.counting_price = 'click',
                0)),
            1,
            0)),
        0) ),
    'cpm',
    json_object( 'expected',
      coalesce(sum(iif(e.remembered_until >= ?
          AND e.impression_cost_data_on
          AND e.impression_at >= ?
          AND coalesce(e.impression_url_cost_type = 'cpm', 1)
          AND NOT (coalesce(e.state IN ('matched', 'unpriced'), 0)
            AND e.cost_type <> 'cpm'), 1, 0)), 0), 'agreeing', coalesce(sum(iif(e.remembered_until >= ?
          AND e.impression_cost_data_on
          AND e.impression_at >= ?
          AND coalesce(e.impression_url_cost_type = 'cpm', 1)
          AND NOT (coalesce(e.state IN ('matched', 'unpriced'), 0)
            AND e.cost_type <> 'cpm')
          AND (coalesce(e.state = 'matched'
              AND e.cost_type = 'cpm'
              AND coalesce(e.currency = e.impression_url_currency, 1)
              AND coalesce(e.amount_in_effect = e.impression_url_amount,
                  1),
                0) OR coalesce(e.counting_price = 'impression',
                0)),
            1,
            0)),
        0) )) AS discrepancies,
  count(*) AS scanned
FROM (
  SELECT *
  FROM ledger_entries
  WHERE ledger_entries.partner_id = ?
  ORDER BY ledger_entries.cost_id
  LIMIT ? + 1 ) e
GROUP BY 1;

-- src/db/operator/rates.ts: rows read 23, written 0
-- CO-ROUTINE s
--   CO-ROUTINE found
--     SETUP
--       SCAN CONSTANT ROW
--       SCALAR SUBQUERY 1
--         SEARCH d USING PRIMARY KEY (app_token>?)
--     RECURSIVE STEP
--       SCAN found
--       CORRELATED SCALAR SUBQUERY 3
--         SEARCH d USING PRIMARY KEY (app_token>?)
--   SCAN found
--   SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
-- SCAN s
-- USE TEMP B-TREE FOR GROUP BY
SELECT s.day AS day,
  s.costType AS costType,
  s.currency AS currency,
  sum(s.count) AS sum,
  sum(s.unpriced) AS unpriced,
  cast(sum(s.whole) AS TEXT) AS costsWhole,
  cast(sum(s.rest) AS TEXT) AS costsRest,
  count(*) AS scanned
FROM ( WITH RECURSIVE found(app) AS (
    SELECT (SELECT min(d.app_token)
      FROM daily_totals d
      WHERE d.app_token > '')
    UNION ALL
    SELECT (SELECT min(d.app_token)
      FROM daily_totals d
      WHERE d.app_token > found.app)
    FROM found
    WHERE found.app IS NOT NULL )
  SELECT d.day AS day,
    d.cost_type AS costType,
    d.currency AS currency,
    iif(d.partner_id = ?,
      d.count,
      0) AS count,
    iif(d.partner_id = ?,
      iif(d.state = 'unpriced',
        d.count,
        0),
      0) AS unpriced,
    iif(d.partner_id = ?,
      iif(d.state = 'matched',
        d.amount / iif(d.cost_type IN ('cpm'),
          100000000,
          100000),
        0),
      0) AS whole,
    iif(d.partner_id = ?,
      iif(d.state = 'matched',
        iif(d.cost_type IN ('cpm'),
          d.amount % 100000000,
          d.amount % 100000 * 1000),
        0),
      0) AS rest
  FROM found
  CROSS JOIN daily_totals d ON d.app_token = found.app
  AND d.day BETWEEN ? AND ?
  LIMIT ? + 1 ) s
GROUP BY s.day, s.costType, s.currency;

-- src/db/operator/rates.ts: rows read 7, written 0
-- CO-ROUTINE s
--   CO-ROUTINE found
--     SETUP
--       SCAN CONSTANT ROW
--       SCALAR SUBQUERY 1
--         SEARCH g USING PRIMARY KEY (app_token>?)
--     RECURSIVE STEP
--       SCAN found
--       CORRELATED SCALAR SUBQUERY 3
--         SEARCH g USING PRIMARY KEY (app_token>?)
--   SCAN found
--   SEARCH g USING PRIMARY KEY (app_token=? AND day>? AND day<?)
-- SCAN s
-- USE TEMP B-TREE FOR GROUP BY
SELECT s.day AS day, s.kind AS kind, sum(s.recorded) AS sum, count(*) AS scanned
FROM ( WITH RECURSIVE found(app) AS (
    SELECT (SELECT min(g.app_token)
      FROM daily_engagements g
      WHERE g.app_token > '')
    UNION ALL
    SELECT (SELECT min(g.app_token)
      FROM daily_engagements g
      WHERE g.app_token > found.app)
    FROM found
    WHERE found.app IS NOT NULL )
  SELECT g.day AS day, g.kind AS kind, iif(g.partner_id = ?, g.recorded, 0) AS recorded
  FROM found
  CROSS JOIN daily_engagements g ON g.app_token = found.app
  AND g.day BETWEEN ? AND ?
  LIMIT ? + 1 ) s
GROUP BY s.day, s.kind;

-- src/db/operator/rounds/changes.ts: rows read 4, written 2
-- SEARCH rounds USING INDEX rounds_by_partner (partner_id=?)
INSERT INTO credentials (token_hash, partner_id, mode, cost_types, round_id, hint, created_at)
SELECT ?, rounds.partner_id, 'test', rounds.cost_types, rounds.id, ?, ?
FROM rounds
WHERE changes() > 0
AND rounds.partner_id = ?
AND rounds.state = 'open'
AND rounds.cost_types & ?;

-- src/db/operator/rounds/changes.ts: rows read 6, written 0
-- SCAN credentials
UPDATE credentials SET cost_types = credentials.cost_types | ?
WHERE credentials.partner_id = ?
AND credentials.mode = 'live'
AND credentials.revoked_at IS NULL
AND changes() > 0;

-- src/db/operator/rounds/changes.ts: rows read 2, written 2
-- SEARCH partners USING INTEGER PRIMARY KEY (rowid=?)
UPDATE partners SET supports_cost_data = 1, integrated_types = partners.integrated_types | ?
WHERE partners.id = ?
AND changes() > 0;

-- src/db/operator/rounds/changes.ts: rows read 3, written 1
-- SEARCH round_dismissals USING PRIMARY KEY (round_id=? AND finding=?)
-- SCALAR SUBQUERY 1
--   SEARCH rounds USING INTEGER PRIMARY KEY (rowid=?)
DELETE
FROM round_dismissals
WHERE round_dismissals.round_id = ?
AND round_dismissals.finding = ?
AND EXISTS (SELECT 1
  FROM rounds
  WHERE rounds.id = ?
  AND rounds.state = 'open')
RETURNING finding AS finding;

-- src/db/operator/rounds/changes.ts: rows read 5, written 1
-- SEARCH rounds USING INTEGER PRIMARY KEY (rowid=?)
-- SCAN j VIRTUAL TABLE INDEX 1:
INSERT INTO round_dismissals (round_id, finding, dismissed_at, reason)
SELECT rounds.id, j.value, ?, ?
FROM rounds
CROSS JOIN json_each(?) j
WHERE rounds.id = ?
AND rounds.state = 'open'
ON CONFLICT DO NOTHING
RETURNING finding AS finding;

-- src/db/operator/rounds/changes.ts: rows read 4, written 2
-- SEARCH partners USING INTEGER PRIMARY KEY (rowid=?)
-- SCALAR SUBQUERY 1
--   SEARCH rounds USING INDEX rounds_by_partner (partner_id=?)
-- SEARCH round_entries USING PRIMARY KEY (round_id=?)
-- SEARCH round_dismissals USING PRIMARY KEY (round_id=?)
-- SCAN credentials
INSERT INTO rounds (partner_id, cost_types, state, opened_at)
SELECT partners.id, ?, 'open', ?
FROM partners
WHERE partners.id = ?
AND NOT EXISTS (SELECT 1
  FROM rounds
  WHERE rounds.partner_id = ?
  AND rounds.state = 'open'
  AND rounds.cost_types & ?)
RETURNING id AS id;

-- src/db/operator/rounds/changes.ts: rows read 2, written 1
-- SEARCH rounds USING INTEGER PRIMARY KEY (rowid=?)
UPDATE rounds SET state = ?, ended_at = ?, final_report = ?, approved_types = ?
WHERE rounds.id = ?
AND rounds.state = 'open'
AND rounds.entry_count = ?
RETURNING id AS id;

-- src/db/operator/rounds/costs.ts: rows read 21, written 0
-- SEARCH c USING INDEX credentials_token_hash_unique (token_hash=?)
-- SEARCH x USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH n USING PRIMARY KEY (round_id=?)
-- SEARCH e USING PRIMARY KEY (partner_id=? AND cost_id=?)
-- USE TEMP B-TREE FOR GROUP BY
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH l USING INTEGER PRIMARY KEY (rowid=?)
-- CORRELATED SCALAR SUBQUERY 2
--   SEARCH l USING INTEGER PRIMARY KEY (rowid=?)
SELECT e.cost_id AS costId,
  iif(e.click_at IS NULL,
    NULL,
    json_object( 'occurredAt',
      e.click_at,
      'costDataOn',
      json(iif(e.click_cost_data_on,
          'true',
          'false')),
      'urlCostType',
      e.click_url_cost_type,
      'urlCurrency',
      e.click_url_currency,
      'urlAmount',
      e.click_url_amount,
      'priceCounts',
      json(iif(e.click_price_counts,
          'true',
          'false')) )) AS click,
  iif(e.impression_at IS NULL,
    NULL,
    json_object( 'occurredAt',
      e.impression_at,
      'costDataOn',
      json(iif(e.impression_cost_data_on,
          'true',
          'false')),
      'urlCostType',
      e.impression_url_cost_type,
      'urlCurrency',
      e.impression_url_currency,
      'urlAmount',
      e.impression_url_amount,
      'priceCounts',
      json(iif(e.impression_price_counts,
          'true',
          'false')) )) AS impression,
  e.click_link_id AS clickLinkId,
  e.impression_link_id AS impressionLinkId,
  (SELECT l.token
  FROM links l
  WHERE l.id = e.click_link_id) AS clickLink, (SELECT l.token
  FROM links l
  WHERE l.id = e.impression_link_id) AS impressionLink
FROM credentials c
CROSS JOIN rounds x ON x.id = c.round_id
AND c.token_hash = ?
CROSS JOIN round_entries n ON n.round_id = x.id
CROSS JOIN ledger_entries e ON e.partner_id = x.partner_id
AND e.cost_id = n.cost_id
WHERE c.revoked_at IS NULL
AND n.cost_id = ?
AND e.remembered_until >= ?
GROUP BY e.cost_id;

-- src/db/operator/rounds/costs.ts: rows read 46, written 0
-- SEARCH c USING INDEX credentials_token_hash_unique (token_hash=?)
-- SEARCH x USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH n USING PRIMARY KEY (round_id=?)
-- SEARCH e USING PRIMARY KEY (partner_id=? AND cost_id=?)
-- USE TEMP B-TREE FOR GROUP BY
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH l USING INTEGER PRIMARY KEY (rowid=?)
-- CORRELATED SCALAR SUBQUERY 2
--   SEARCH l USING INTEGER PRIMARY KEY (rowid=?)
SELECT e.cost_id AS costId,
  iif(e.click_at IS NULL,
    NULL,
    json_object( 'occurredAt',
      e.click_at,
      'costDataOn',
      json(iif(e.click_cost_data_on,
          'true',
          'false')),
      'urlCostType',
      e.click_url_cost_type,
      'urlCurrency',
      e.click_url_currency,
      'urlAmount',
      e.click_url_amount,
      'priceCounts',
      json(iif(e.click_price_counts,
          'true',
          'false')) )) AS click,
  iif(e.impression_at IS NULL,
    NULL,
    json_object( 'occurredAt',
      e.impression_at,
      'costDataOn',
      json(iif(e.impression_cost_data_on,
          'true',
          'false')),
      'urlCostType',
      e.impression_url_cost_type,
      'urlCurrency',
      e.impression_url_currency,
      'urlAmount',
      e.impression_url_amount,
      'priceCounts',
      json(iif(e.impression_price_counts,
          'true',
          'false')) )) AS impression,
  e.click_link_id AS clickLinkId,
  e.impression_link_id AS impressionLinkId,
  (SELECT l.token
  FROM links l
  WHERE l.id = e.click_link_id) AS clickLink, (SELECT l.token
  FROM links l
  WHERE l.id = e.impression_link_id) AS impressionLink
FROM credentials c
CROSS JOIN rounds x ON x.id = c.round_id
AND c.token_hash = ?
CROSS JOIN round_entries n ON n.round_id = x.id
CROSS JOIN ledger_entries e ON e.partner_id = x.partner_id
AND e.cost_id = n.cost_id
WHERE c.revoked_at IS NULL
AND n.cost_id > ?
AND e.remembered_until >= ?
GROUP BY e.cost_id;

-- src/db/operator/rounds/costs.ts: rows read 16, written 0
-- SEARCH c USING INDEX credentials_token_hash_unique (token_hash=?)
-- SEARCH x USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH n USING PRIMARY KEY (round_id=?)
SELECT n.number AS number, n.received_at AS receivedAt, n.cost_id AS costId, n.record AS record
FROM credentials c
CROSS JOIN rounds x ON x.id = c.round_id
AND c.token_hash = ?
CROSS JOIN round_entries n ON n.round_id = x.id
WHERE c.revoked_at IS NULL
AND n.cost_id = ?
ORDER BY n.number;

-- src/db/operator/rounds/costs.ts: rows read 16, written 0
-- SEARCH c USING INDEX credentials_token_hash_unique (token_hash=?)
-- SEARCH x USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH n USING PRIMARY KEY (round_id=?)
SELECT n.number AS number, n.received_at AS receivedAt, n.cost_id AS costId, n.record AS record
FROM credentials c
CROSS JOIN rounds x ON x.id = c.round_id
AND c.token_hash = ?
CROSS JOIN round_entries n ON n.round_id = x.id
WHERE c.revoked_at IS NULL
AND n.cost_id > ?
ORDER BY n.number;

-- src/db/operator/rounds/engagements.ts: rows read 28, written 0
-- SEARCH rounds USING INTEGER PRIMARY KEY (rowid=?)
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH w USING PRIMARY KEY (partner_id=?)
SELECT EXISTS (SELECT 1
  FROM ledger_entries w
  WHERE w.partner_id = x.partner_id
  LIMIT 1 OFFSET 20000) AS overrun
FROM (SELECT *
  FROM rounds
  WHERE rounds.id = ?) x
WHERE x.state = 'open';

-- src/db/operator/rounds/engagements.ts: rows read 14, written 0
-- SEARCH c USING INDEX credentials_token_hash_unique (token_hash=?)
-- SEARCH x USING INTEGER PRIMARY KEY (rowid=?)
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH w USING PRIMARY KEY (partner_id=?)
SELECT EXISTS (SELECT 1
  FROM ledger_entries w
  WHERE w.partner_id = x.partner_id
  LIMIT 1 OFFSET 20000) AS overrun
FROM credentials c
CROSS JOIN rounds x ON x.id = c.round_id
AND c.token_hash = ?
WHERE x.state = 'open';

-- src/db/operator/rounds/engagements.ts: rows read 55, written 0
-- SEARCH rounds USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH e USING PRIMARY KEY (partner_id=? AND cost_id<?)
-- CORRELATED SCALAR SUBQUERY 2
--   SEARCH w USING PRIMARY KEY (partner_id=?)
SELECT e.cost_id AS costId,
  iif(e.click_at IS NULL,
    NULL,
    json_object( 'occurredAt',
      e.click_at,
      'costDataOn',
      json(iif(e.click_cost_data_on,
          'true',
          'false')),
      'urlCostType',
      e.click_url_cost_type,
      'urlCurrency',
      e.click_url_currency,
      'urlAmount',
      e.click_url_amount,
      'priceCounts',
      json(iif(e.click_price_counts,
          'true',
          'false')) )) AS click,
  iif(e.impression_at IS NULL,
    NULL,
    json_object( 'occurredAt',
      e.impression_at,
      'costDataOn',
      json(iif(e.impression_cost_data_on,
          'true',
          'false')),
      'urlCostType',
      e.impression_url_cost_type,
      'urlCurrency',
      e.impression_url_currency,
      'urlAmount',
      e.impression_url_amount,
      'priceCounts',
      json(iif(e.impression_price_counts,
          'true',
          'false')) )) AS impression
FROM (SELECT *
  FROM rounds
  WHERE rounds.id = ?) x
CROSS JOIN ledger_entries e ON e.partner_id = x.partner_id
WHERE x.state = 'open'
AND (e.click_at >= x.opened_at OR e.impression_at >= x.opened_at)
AND e.cost_id <= coalesce((
    SELECT w.cost_id
    FROM ledger_entries w
    WHERE w.partner_id = x.partner_id
    ORDER BY w.cost_id
    LIMIT 1 OFFSET 20000 ), CAST(x'FF' AS TEXT))
AND e.state IS NULL
AND e.counting_price IS NULL
AND e.remembered_until >= ?
LIMIT 2001;

-- src/db/operator/rounds/engagements.ts: rows read 37, written 0
-- SEARCH rounds USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH n USING PRIMARY KEY (round_id=?)
-- SEARCH e USING PRIMARY KEY (partner_id=? AND cost_id=?)
-- USE TEMP B-TREE FOR GROUP BY
SELECT e.cost_id AS costId,
  iif(e.click_at IS NULL,
    NULL,
    json_object( 'occurredAt',
      e.click_at,
      'costDataOn',
      json(iif(e.click_cost_data_on,
          'true',
          'false')),
      'urlCostType',
      e.click_url_cost_type,
      'urlCurrency',
      e.click_url_currency,
      'urlAmount',
      e.click_url_amount,
      'priceCounts',
      json(iif(e.click_price_counts,
          'true',
          'false')) )) AS click,
  iif(e.impression_at IS NULL,
    NULL,
    json_object( 'occurredAt',
      e.impression_at,
      'costDataOn',
      json(iif(e.impression_cost_data_on,
          'true',
          'false')),
      'urlCostType',
      e.impression_url_cost_type,
      'urlCurrency',
      e.impression_url_currency,
      'urlAmount',
      e.impression_url_amount,
      'priceCounts',
      json(iif(e.impression_price_counts,
          'true',
          'false')) )) AS impression
FROM (SELECT *
  FROM rounds
  WHERE rounds.id = ?) x
CROSS JOIN round_entries n ON n.round_id = x.id
CROSS JOIN ledger_entries e ON e.partner_id = x.partner_id
AND e.cost_id = n.cost_id
WHERE x.state = 'open'
AND e.remembered_until >= ?
GROUP BY e.cost_id;

-- src/db/operator/rounds/engagements.ts: rows read 26, written 0
-- SEARCH c USING INDEX credentials_token_hash_unique (token_hash=?)
-- SEARCH x USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH e USING PRIMARY KEY (partner_id=? AND cost_id<?)
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH w USING PRIMARY KEY (partner_id=?)
SELECT e.cost_id AS costId,
  iif(e.click_at IS NULL,
    NULL,
    json_object( 'occurredAt',
      e.click_at,
      'costDataOn',
      json(iif(e.click_cost_data_on,
          'true',
          'false')),
      'urlCostType',
      e.click_url_cost_type,
      'urlCurrency',
      e.click_url_currency,
      'urlAmount',
      e.click_url_amount,
      'priceCounts',
      json(iif(e.click_price_counts,
          'true',
          'false')) )) AS click,
  iif(e.impression_at IS NULL,
    NULL,
    json_object( 'occurredAt',
      e.impression_at,
      'costDataOn',
      json(iif(e.impression_cost_data_on,
          'true',
          'false')),
      'urlCostType',
      e.impression_url_cost_type,
      'urlCurrency',
      e.impression_url_currency,
      'urlAmount',
      e.impression_url_amount,
      'priceCounts',
      json(iif(e.impression_price_counts,
          'true',
          'false')) )) AS impression
FROM credentials c
CROSS JOIN rounds x ON x.id = c.round_id
AND c.token_hash = ?
CROSS JOIN ledger_entries e ON e.partner_id = x.partner_id
WHERE x.state = 'open'
AND (e.click_at >= x.opened_at OR e.impression_at >= x.opened_at)
AND e.cost_id <= coalesce((
    SELECT w.cost_id
    FROM ledger_entries w
    WHERE w.partner_id = x.partner_id
    ORDER BY w.cost_id
    LIMIT 1 OFFSET 20000 ), CAST(x'FF' AS TEXT))
AND e.state IS NULL
AND e.counting_price IS NULL
AND e.remembered_until >= ?
LIMIT 2001;

-- src/db/operator/rounds/engagements.ts: rows read 38, written 0
-- SEARCH c USING INDEX credentials_token_hash_unique (token_hash=?)
-- SEARCH x USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH n USING PRIMARY KEY (round_id=?)
-- SEARCH e USING PRIMARY KEY (partner_id=? AND cost_id=?)
-- USE TEMP B-TREE FOR GROUP BY
SELECT e.cost_id AS costId,
  iif(e.click_at IS NULL,
    NULL,
    json_object( 'occurredAt',
      e.click_at,
      'costDataOn',
      json(iif(e.click_cost_data_on,
          'true',
          'false')),
      'urlCostType',
      e.click_url_cost_type,
      'urlCurrency',
      e.click_url_currency,
      'urlAmount',
      e.click_url_amount,
      'priceCounts',
      json(iif(e.click_price_counts,
          'true',
          'false')) )) AS click,
  iif(e.impression_at IS NULL,
    NULL,
    json_object( 'occurredAt',
      e.impression_at,
      'costDataOn',
      json(iif(e.impression_cost_data_on,
          'true',
          'false')),
      'urlCostType',
      e.impression_url_cost_type,
      'urlCurrency',
      e.impression_url_currency,
      'urlAmount',
      e.impression_url_amount,
      'priceCounts',
      json(iif(e.impression_price_counts,
          'true',
          'false')) )) AS impression
FROM credentials c
CROSS JOIN rounds x ON x.id = c.round_id
AND c.token_hash = ?
CROSS JOIN round_entries n ON n.round_id = x.id
CROSS JOIN ledger_entries e ON e.partner_id = x.partner_id
AND e.cost_id = n.cost_id
WHERE x.state = 'open'
AND e.remembered_until >= ?
GROUP BY e.cost_id;

-- src/db/operator/rounds/lists.ts: rows read 15, written 0
-- SEARCH x EXISTS USING INTEGER PRIMARY KEY (rowid=?)
-- SCALAR SUBQUERY 1
--   SEARCH n USING PRIMARY KEY (round_id=?)
SELECT (SELECT count(*)
  FROM round_entries n
  WHERE n.round_id = ?) AS total
WHERE EXISTS (SELECT 1
  FROM rounds x
  WHERE x.id = ?);

-- src/db/operator/rounds/lists.ts: rows read 14, written 0
-- SEARCH n USING PRIMARY KEY (round_id=? AND number>? AND number<?)
SELECT n.number AS id, n.number AS number, n.received_at AS receivedAt, n.cost_id AS costId, n.record AS record
FROM round_entries n
WHERE n.round_id = ?
AND n.number > ?
AND n.number < ?
ORDER BY n.number ASC
LIMIT ? + 0;

-- src/db/operator/rounds/rounds.ts: rows read 12, written 4
-- SEARCH c USING INDEX credentials_token_hash_unique (token_hash=?)
-- SEARCH x USING INTEGER PRIMARY KEY (rowid=?)
-- SCAN j VIRTUAL TABLE INDEX 1:
INSERT INTO round_entries (round_id, number, received_at, cost_id, record)
SELECT x.id, x.entry_count + j.key + 1, ?, (j.value ->> 'costId'), (j.value ->> 'record')
FROM credentials c
CROSS JOIN rounds x ON x.id = c.round_id
AND c.token_hash = ?
CROSS JOIN json_each(?) j
WHERE c.revoked_at IS NULL
AND x.state = 'open'
AND x.entry_count + j.key < 1000
RETURNING number AS number;

-- src/db/operator/rounds/rounds.ts: rows read 3, written 0
-- SEARCH rounds USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH d USING PRIMARY KEY (round_id=?)
SELECT d.finding AS finding, d.reason AS reason
FROM (SELECT *
  FROM rounds
  WHERE rounds.id = ?) x
CROSS JOIN round_dismissals d ON d.round_id = x.id
WHERE x.state = 'open';

-- src/db/operator/rounds/rounds.ts: rows read 3, written 0
-- SEARCH c USING INDEX credentials_token_hash_unique (token_hash=?)
-- SEARCH x USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH d USING PRIMARY KEY (round_id=?)
SELECT d.finding AS finding, d.reason AS reason
FROM credentials c
CROSS JOIN rounds x ON x.id = c.round_id
AND c.token_hash = ?
CROSS JOIN round_dismissals d ON d.round_id = x.id
WHERE x.state = 'open';

-- src/db/operator/rounds/rounds.ts: rows read 5, written 0
-- SEARCH c USING INDEX credentials_token_hash_unique (token_hash=?)
-- SEARCH x USING INTEGER PRIMARY KEY (rowid=?)
-- SCAN j VIRTUAL TABLE INDEX 1:
-- SEARCH e USING PRIMARY KEY (partner_id=? AND cost_id=?)
SELECT e.cost_id AS costId,
  iif(e.click_at IS NULL,
    NULL,
    json_object( 'occurredAt',
      e.click_at,
      'costDataOn',
      json(iif(e.click_cost_data_on,
          'true',
          'false')),
      'urlCostType',
      e.click_url_cost_type,
      'urlCurrency',
      e.click_url_currency,
      'urlAmount',
      e.click_url_amount,
      'priceCounts',
      json(iif(e.click_price_counts,
          'true',
          'false')) )) AS click,
  iif(e.impression_at IS NULL,
    NULL,
    json_object( 'occurredAt',
      e.impression_at,
      'costDataOn',
      json(iif(e.impression_cost_data_on,
          'true',
          'false')),
      'urlCostType',
      e.impression_url_cost_type,
      'urlCurrency',
      e.impression_url_currency,
      'urlAmount',
      e.impression_url_amount,
      'priceCounts',
      json(iif(e.impression_price_counts,
          'true',
          'false')) )) AS impression,
  e.click_link_id AS clickLinkId,
  e.impression_link_id AS impressionLinkId
FROM credentials c
CROSS JOIN rounds x ON x.id = c.round_id
AND c.token_hash = ?
CROSS JOIN json_each(?) j
CROSS JOIN ledger_entries e ON e.partner_id = x.partner_id
AND e.cost_id = j.value
AND e.remembered_until >= ?;

-- src/db/operator/rounds/rounds.ts: rows read 3, written 0
-- SEARCH c USING INDEX credentials_token_hash_unique (token_hash=?)
-- SEARCH p USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH x USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
SELECT iif(instr('&' || p.cost_parameters,
      '&cost_amount='),
    p.max_url_amount,
    -1) AS highestUrlAmount,
  iif(instr('&' || p.cost_parameters || '&',
      '&cost_currency=')
  AND substr('&' || p.cost_parameters || '&',
      instr('&' || p.cost_parameters || '&',
        '&cost_currency=') + 15,
      4) GLOB '[A-Za-z][A-Za-z][A-Za-z]&',
    upper(substr('&' || p.cost_parameters || '&',
        instr('&' || p.cost_parameters || '&',
          '&cost_currency=') + 15,
        3)),
    NULL) AS urlCurrency,
  c.partner_id AS partnerId,
  c.mode AS mode,
  c.cost_types AS costTypes,
  c.revoked_at AS revokedAt,
  x.id AS roundId,
  x.state AS state,
  x.cost_types AS roundTypes,
  x.entry_count AS entryCount
FROM credentials c
CROSS JOIN partners p ON p.id = c.partner_id
LEFT JOIN rounds x ON x.id = c.round_id
WHERE c.token_hash = ?;

-- src/db/operator/rounds/rounds.ts: rows read 15, written 0
-- SEARCH rounds USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH n USING PRIMARY KEY (round_id=?)
SELECT n.number AS number, n.received_at AS receivedAt, n.cost_id AS costId, n.record AS record
FROM (SELECT *
  FROM rounds
  WHERE rounds.id = ?) x
CROSS JOIN round_entries n ON n.round_id = x.id
WHERE x.state = 'open'
ORDER BY n.number;

-- src/db/operator/rounds/rounds.ts: rows read 5, written 0
-- SEARCH c USING INDEX credentials_token_hash_unique (token_hash=?)
-- SEARCH x USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH n USING PRIMARY KEY (round_id=?)
-- LIST SUBQUERY 1
--   SCAN json_each VIRTUAL TABLE INDEX 1:
--   CREATE BLOOM FILTER
SELECT n.number AS number, n.received_at AS receivedAt, n.cost_id AS costId, n.record AS record
FROM credentials c
CROSS JOIN rounds x ON x.id = c.round_id
AND c.token_hash = ?
CROSS JOIN round_entries n ON n.round_id = x.id
WHERE n.cost_id IN (SELECT value
  FROM json_each(?))
ORDER BY n.number;

-- src/db/operator/rounds/rounds.ts: rows read 16, written 0
-- SEARCH c USING INDEX credentials_token_hash_unique (token_hash=?)
-- SEARCH x USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH n USING PRIMARY KEY (round_id=?)
SELECT n.number AS number, n.received_at AS receivedAt, n.cost_id AS costId, n.record AS record
FROM credentials c
CROSS JOIN rounds x ON x.id = c.round_id
AND c.token_hash = ?
CROSS JOIN round_entries n ON n.round_id = x.id
WHERE x.state = 'open'
ORDER BY n.number;

-- src/db/operator/rounds/rounds.ts: rows read 3, written 0
-- SEARCH rounds USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH p USING INTEGER PRIMARY KEY (rowid=?)
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH p USING INTEGER PRIMARY KEY (rowid=?)
SELECT x.id AS id, x.partner_id AS partnerId, (SELECT p.display_name
  FROM partners p
  WHERE p.id = x.partner_id) AS partner,
  x.cost_types AS costTypes,
  x.state AS state,
  x.opened_at AS openedAt,
  x.ended_at AS endedAt,
  x.entry_count AS entryCount,
  x.approved_types AS approvedTypes,
  x.final_report AS finalReport,
  p.integrated_types AS liveTypes,
  iif(instr('&' || p.cost_parameters,
      '&cost_amount='),
    p.max_url_amount,
    -1) AS highestUrlAmount,
  iif(instr('&' || p.cost_parameters || '&',
      '&cost_currency=')
  AND substr('&' || p.cost_parameters || '&',
      instr('&' || p.cost_parameters || '&',
        '&cost_currency=') + 15,
      4) GLOB '[A-Za-z][A-Za-z][A-Za-z]&',
    upper(substr('&' || p.cost_parameters || '&',
        instr('&' || p.cost_parameters || '&',
          '&cost_currency=') + 15,
        3)),
    NULL) AS urlCurrency
FROM (SELECT *
  FROM rounds
  WHERE rounds.id = ?) x
CROSS JOIN partners p ON p.id = x.partner_id;

-- src/db/operator/rounds/rounds.ts: rows read 4, written 0
-- SEARCH c USING INDEX credentials_token_hash_unique (token_hash=?)
-- SEARCH x USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH p USING INTEGER PRIMARY KEY (rowid=?)
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH p USING INTEGER PRIMARY KEY (rowid=?)
SELECT x.id AS id, x.partner_id AS partnerId, (SELECT p.display_name
  FROM partners p
  WHERE p.id = x.partner_id) AS partner,
  x.cost_types AS costTypes,
  x.state AS state,
  x.opened_at AS openedAt,
  x.ended_at AS endedAt,
  x.entry_count AS entryCount,
  x.approved_types AS approvedTypes,
  x.final_report AS finalReport,
  p.integrated_types AS liveTypes,
  iif(instr('&' || p.cost_parameters,
      '&cost_amount='),
    p.max_url_amount,
    -1) AS highestUrlAmount,
  iif(instr('&' || p.cost_parameters || '&',
      '&cost_currency=')
  AND substr('&' || p.cost_parameters || '&',
      instr('&' || p.cost_parameters || '&',
        '&cost_currency=') + 15,
      4) GLOB '[A-Za-z][A-Za-z][A-Za-z]&',
    upper(substr('&' || p.cost_parameters || '&',
        instr('&' || p.cost_parameters || '&',
          '&cost_currency=') + 15,
        3)),
    NULL) AS urlCurrency
FROM credentials c
CROSS JOIN rounds x ON x.id = c.round_id
AND c.token_hash = ?
CROSS JOIN partners p ON p.id = x.partner_id;

-- src/db/operator/start.ts: rows read 6, written 0
-- SCAN CONSTANT ROW
-- SCALAR SUBQUERY 1
--   SCAN authenticators
--   SEARCH users USING INTEGER PRIMARY KEY (rowid=?)
-- SCALAR SUBQUERY 2
--   SCAN apps USING COVERING INDEX apps_token_unique
-- SCALAR SUBQUERY 3
--   SCAN memberships
-- SCALAR SUBQUERY 4
--   SCAN partners
-- SCALAR SUBQUERY 5
--   SCAN rounds USING COVERING INDEX rounds_by_partner
SELECT EXISTS (SELECT 1
  FROM authenticators
  CROSS JOIN users ON users.id = authenticators.user_id
  WHERE users.role = 'operator') AS hasTwoFactor, EXISTS (SELECT 1
  FROM apps) AS hasApp, EXISTS (SELECT 1
  FROM memberships) AS hasMember, EXISTS (SELECT 1
  FROM partners) AS hasPartner, EXISTS (SELECT 1
  FROM rounds) AS hasRound
WHERE true;

-- src/db/operator/start.ts: rows read 2, written 0
-- SCAN a USING COVERING INDEX adjustments_by_day
-- USE TEMP B-TREE FOR GROUP BY
SELECT a.partner_id AS partnerId,
  a.currency AS currency,
  a.day < ? AS isBefore,
  cast(sum(a.amount / 100000000) AS TEXT) AS adjustedWhole,
  cast(sum(a.amount % 100000000) AS TEXT) AS adjustedRest
FROM adjustments a
WHERE a.day BETWEEN ? AND ?
GROUP BY 1, 2, 3;

-- src/db/operator/start.ts: rows read 1, written 0
-- SEARCH archive_state USING INTEGER PRIMARY KEY (rowid=?)
SELECT archive_state.failing_since AS failingSince
FROM archive_state
WHERE archive_state.id = 1;

-- src/db/operator/start.ts: rows read 9, written 0
-- SCAN credentials
-- USE TEMP B-TREE FOR GROUP BY
SELECT credentials.partner_id AS partnerId
FROM credentials
WHERE credentials.mode = 'live'
AND credentials.revoked_at IS NULL
GROUP BY credentials.partner_id;

-- src/db/operator/start.ts: rows read 2, written 0
-- SEARCH daily_totals USING PRIMARY KEY (app_token=? AND day>?)
-- USE TEMP B-TREE FOR GROUP BY
SELECT daily_totals.partner_id AS partnerId,
  daily_totals.currency AS currency,
  sum(daily_totals.count) AS count,
  cast(sum(daily_totals.amount / iif(daily_totals.cost_type IN ('cpm'),
        100000000,
        100000)) AS TEXT) AS costsWhole,
  cast(sum(iif(daily_totals.cost_type IN ('cpm'),
        daily_totals.amount % 100000000,
        daily_totals.amount % 100000 * 1000)) AS TEXT) AS costsRest
FROM daily_totals
WHERE daily_totals.app_token = ''
AND daily_totals.day >= cast((? - 604800000) / 86400000 AS INTEGER)
GROUP BY daily_totals.partner_id, daily_totals.currency HAVING sum(daily_totals.count) <> 0;

-- src/db/operator/start.ts: rows read 1, written 0
-- SCAN failed_sign_ins
-- SEARCH users USING INTEGER PRIMARY KEY (rowid=?)
SELECT failed_sign_ins.user_id AS userId,
  users.email AS email,
  failed_sign_ins.hour AS hour,
  failed_sign_ins.count + failed_sign_ins.wrong_codes + failed_sign_ins.wrong_confirmations AS count
FROM failed_sign_ins
CROSS JOIN users ON users.id = failed_sign_ins.user_id
WHERE failed_sign_ins.hour >= ?
LIMIT 200;

-- src/db/operator/start.ts: rows read 1, written 0
-- SCAN partner_rates
SELECT partner_rates.partner_id AS partnerId,
  partner_rates.cost_type AS costType,
  partner_rates.computed_at AS computedAt,
  partner_rates.matched AS matched,
  partner_rates.recorded AS recorded,
  partner_rates.expected AS expected,
  partner_rates.agreeing AS agreeing
FROM partner_rates
LIMIT 4000;

-- src/db/operator/start.ts: rows read 10, written 0
-- SCAN partners
-- USE TEMP B-TREE FOR ORDER BY
SELECT partners.id AS id,
  partners.display_name AS displayName,
  partners.supports_cost_data AS supportsCostData,
  partners.integrated_types AS integratedTypes,
  partners.stopped_at AS stoppedAt,
  partners.cost_parameters AS costParameters,
  partners.created_at AS createdAt
FROM partners
ORDER BY partners.display_name COLLATE NOCASE
LIMIT 1000;

-- src/db/operator/start.ts: rows read 1, written 0
-- SEARCH purge_positions USING PRIMARY KEY (ledger_table=?)
SELECT purge_positions.walked_at AS purgedAt
FROM purge_positions
WHERE purge_positions.ledger_table = 'ledger_entries';

-- src/db/operator/start.ts: rows read 4, written 0
-- SCAN rounds
-- USE TEMP B-TREE FOR ORDER BY
SELECT rounds.id AS id,
  rounds.partner_id AS partnerId,
  rounds.cost_types AS costTypes,
  rounds.opened_at AS openedAt,
  rounds.entry_count AS entryCount
FROM rounds
WHERE rounds.state = 'open'
ORDER BY rounds.opened_at
LIMIT 1000;

-- src/db/operator/start.ts: rows read 2, written 0
-- SCAN rounds USING INDEX rounds_by_partner
SELECT rounds.partner_id AS partnerId, max(rounds.ended_at) AS approvedAt
FROM rounds
WHERE rounds.state = 'approved'
GROUP BY rounds.partner_id;

-- src/db/operator/start.ts: rows read 8, written 0
-- CO-ROUTINE s
--   CO-ROUTINE found
--     SETUP
--       SCAN CONSTANT ROW
--       SCALAR SUBQUERY 1
--         SEARCH daily_totals USING PRIMARY KEY (app_token>?)
--     RECURSIVE STEP
--       SCAN found
--       CORRELATED SCALAR SUBQUERY 3
--         SEARCH daily_totals USING PRIMARY KEY (app_token>?)
--   SCAN found
--   SEARCH d USING PRIMARY KEY (app_token=? AND day>? AND day<?)
-- SCAN s
-- USE TEMP B-TREE FOR GROUP BY
SELECT s.partnerId AS partnerId,
  s.currency AS currency,
  s.isBefore AS isBefore,
  sum(s.count) AS count,
  cast(sum(s.whole) AS TEXT) AS costsWhole,
  cast(sum(s.rest) AS TEXT) AS costsRest,
  count(*) AS scanned
FROM ( WITH RECURSIVE found(app) AS (
    SELECT (SELECT min(daily_totals.app_token)
      FROM daily_totals
      WHERE daily_totals.app_token > '')
    UNION ALL
    SELECT (SELECT min(daily_totals.app_token)
      FROM daily_totals
      WHERE daily_totals.app_token > found.app)
    FROM found
    WHERE found.app IS NOT NULL )
  SELECT d.partner_id AS partnerId,
    d.currency AS currency,
    d.day < ? AS isBefore,
    d.count AS count,
    d.amount / iif(d.cost_type IN ('cpm'),
      100000000,
      100000) AS whole,
    iif(d.cost_type IN ('cpm'),
      d.amount % 100000000,
      d.amount % 100000 * 1000) AS rest
  FROM found
  CROSS JOIN daily_totals d ON d.app_token = found.app
  AND d.day BETWEEN ? AND ?
  WHERE d.state = 'matched'
  LIMIT 200000 + 1 ) s
GROUP BY 1, 2, 3;

-- src/db/operator/start.ts: rows read 7, written 0
-- SCAN users
-- CORRELATED SCALAR SUBQUERY 2
--   SEARCH memberships USING PRIMARY KEY (user_id=?)
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH memberships USING PRIMARY KEY (user_id=?)
-- USE TEMP B-TREE FOR ORDER BY
SELECT users.id AS id,
  users.email AS email,
  users.role AS role,
  users.created_at AS createdAt,
  users.password_expires_at AS passwordExpiresAt,
  EXISTS (SELECT 1
  FROM memberships
  WHERE memberships.user_id = users.id) AS hasApp
FROM users
WHERE users.disabled_at IS NULL
AND NOT (users.email = 'erased user ' || users.id)
AND (users.password_expires_at IS NOT NULL OR (users.role = 'member'
    AND NOT EXISTS (SELECT 1
      FROM memberships
      WHERE memberships.user_id = users.id)))
ORDER BY users.created_at
LIMIT 200;

-- src/db/operator/stored-rates.ts: rows read 8, written 4
-- SCAN j VIRTUAL TABLE INDEX 1:
INSERT INTO partner_rates (cost_type, matched, recorded, expected, agreeing, partner_id, computed_at)
SELECT (j.value ->> 'costType'),
  (j.value ->> 'matched'),
  (j.value ->> 'recorded'),
  (j.value ->> 'expected'),
  (j.value ->> 'agreeing'),
  ?,
  ?
FROM json_each(?) j;

-- src/db/operator/stored-rates.ts: rows read 9, written 4
-- SEARCH partner_rates USING PRIMARY KEY (partner_id=?)
DELETE
FROM partner_rates
WHERE partner_rates.partner_id = ?;

-- src/db/operator/stored-rates.ts: rows read 36, written 0
-- SCAN p
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH partner_rates USING PRIMARY KEY (partner_id=?)
-- CORRELATED SCALAR SUBQUERY 2
--   SEARCH partner_rates USING PRIMARY KEY (partner_id=?)
-- USE TEMP B-TREE FOR ORDER BY
SELECT p.id AS id, p.integrated_types AS integratedTypes
FROM partners p
WHERE p.integrated_types <> 0
AND coalesce((SELECT min(partner_rates.computed_at)
    FROM partner_rates
    WHERE partner_rates.partner_id = p.id), 0) <= ?
ORDER BY coalesce((SELECT min(partner_rates.computed_at)
    FROM partner_rates
    WHERE partner_rates.partner_id = p.id), 0)
LIMIT ? + 0;

-- src/db/operator/test-links.ts: rows read 9, written 8
-- SEARCH apps USING INDEX apps_token_unique (token=?)
-- SCALAR SUBQUERY 1
--   SEARCH x USING INTEGER PRIMARY KEY (rowid=?)
--   SEARCH l USING INDEX links_by_partner (app_token=? AND parent_id=? AND partner_id=?)
-- SEARCH x USING INTEGER PRIMARY KEY (rowid=?)
-- SCAN adjustments USING COVERING INDEX adjustments_by_day
INSERT INTO links (token, app_token, level, label, partner_id, created_at)
SELECT ?, apps.token, 1, ?, x.partner_id, ?
FROM apps
CROSS JOIN rounds x
WHERE apps.token = ?
AND x.id = ?
AND x.state = 'open'
AND apps.created_link_count < apps.max_links
AND apps.archived_at IS NULL
AND NOT EXISTS (SELECT 1
  FROM rounds x
  CROSS JOIN links l INDEXED BY links_by_partner
  WHERE x.id = ?
  AND l.app_token = ?
  AND l.parent_id IS NULL
  AND l.partner_id = x.partner_id
  AND l.archived = 0
  AND l.label = ?
  AND l.created_at >= x.opened_at)
RETURNING partner_id AS partnerId;

-- src/db/operator/test-links.ts: rows read 2, written 0
-- SEARCH l USING INDEX links_by_partner (app_token=? AND parent_id=? AND partner_id=?)
SELECT l.id AS id,
  l.token AS token,
  l.level AS level,
  l.label AS label,
  l.archived AS archived,
  l.partner_id AS partnerId,
  l.cost_switch AS costSwitch,
  l.child_count AS childCount
FROM links l INDEXED BY links_by_partner
WHERE l.app_token = ?
AND l.parent_id IS NULL
AND l.partner_id = ?
AND l.archived = 0
ORDER BY l.id DESC
LIMIT 20;

-- src/db/operator/test-links.ts: rows read 1, written 0
-- SEARCH l USING INDEX links_token_unique (token=?)
SELECT l.id AS id,
  l.token AS token,
  l.level AS level,
  l.label AS label,
  l.archived AS archived,
  l.partner_id AS partnerId,
  l.cost_switch AS costSwitch,
  l.child_count AS childCount
FROM links l
WHERE l.token = ?
AND l.app_token = ?
AND l.parent_id IS NULL
AND l.partner_id = ?
AND l.archived = 0;

-- src/db/operator/test-links.ts: rows read 5, written 0
-- SCAN apps
-- SEARCH l USING INDEX links_by_partner (app_token=? AND parent_id=? AND partner_id=?)
-- USE TEMP B-TREE FOR ORDER BY
SELECT l.id AS id,
  l.token AS token,
  l.level AS level,
  l.label AS label,
  l.archived AS archived,
  l.partner_id AS partnerId,
  l.cost_switch AS costSwitch,
  l.child_count AS childCount,
  l.app_token AS appToken
FROM apps
CROSS JOIN links l INDEXED BY links_by_partner
WHERE apps.archived_at IS NULL
AND l.app_token = apps.token
AND l.parent_id IS NULL
AND l.partner_id = ?
AND l.archived = 0
ORDER BY l.id DESC
LIMIT 1;

-- src/db/operator/test-links.ts: rows read 3, written 0
-- SEARCH x USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH l USING INDEX links_by_partner (app_token=? AND parent_id=? AND partner_id=?)
SELECT l.token AS token
FROM rounds x
CROSS JOIN links l INDEXED BY links_by_partner
WHERE x.id = ?
AND l.app_token = ?
AND l.parent_id IS NULL
AND l.partner_id = x.partner_id
AND l.archived = 0
AND l.label = ?
AND l.created_at >= x.opened_at
AND x.state = 'open'
LIMIT 1;

-- src/db/operator/users.ts: rows read 12, written 2
-- SEARCH users USING INTEGER PRIMARY KEY (rowid=?)
-- SCALAR SUBQUERY 11
--   SCAN o
-- SCALAR SUBQUERY 12
--   SEARCH o USING COVERING INDEX users_email_unique (email=?)
-- SCALAR SUBQUERY 13
--   SEARCH t USING COVERING INDEX api_tokens_user_id_unique (user_id=?)
-- SCALAR SUBQUERY 14
--   SEARCH t USING COVERING INDEX api_tokens_user_id_unique (user_id=?)
-- SCALAR SUBQUERY 15
--   SEARCH t USING COVERING INDEX api_tokens_user_id_unique (user_id=?)
-- SCALAR SUBQUERY 16
--   SEARCH access_tokens USING COVERING INDEX access_tokens_by_user (user_id=?)
-- SCALAR SUBQUERY 17
--   SEARCH access_tokens USING COVERING INDEX access_tokens_by_user (user_id=?)
-- SCALAR SUBQUERY 1
--   SEARCH t USING COVERING INDEX api_tokens_user_id_unique (user_id=?)
-- SCALAR SUBQUERY 2
--   SEARCH t USING COVERING INDEX api_tokens_user_id_unique (user_id=?)
-- SCALAR SUBQUERY 3
--   SEARCH t USING COVERING INDEX api_tokens_user_id_unique (user_id=?)
-- SCALAR SUBQUERY 4
--   SEARCH access_tokens USING COVERING INDEX access_tokens_by_user (user_id=?)
-- SCALAR SUBQUERY 5
--   SEARCH access_tokens USING COVERING INDEX access_tokens_by_user (user_id=?)
-- SCALAR SUBQUERY 6
--   SEARCH t USING COVERING INDEX api_tokens_user_id_unique (user_id=?)
-- SCALAR SUBQUERY 7
--   SEARCH t USING COVERING INDEX api_tokens_user_id_unique (user_id=?)
-- SCALAR SUBQUERY 8
--   SEARCH t USING COVERING INDEX api_tokens_user_id_unique (user_id=?)
-- SCALAR SUBQUERY 9
--   SEARCH access_tokens USING COVERING INDEX access_tokens_by_user (user_id=?)
-- SCALAR SUBQUERY 10
--   SEARCH access_tokens USING COVERING INDEX access_tokens_by_user (user_id=?)
INSERT INTO audit_log (happened_at, user_id, action, subject, detail, request_id)
SELECT ?,
  ?,
  'update user',
  'user ' || users.id,
  json_remove(json_object('role',
      json_object('from',
        users.role,
        'to',
        iif(?,
          ?,
          users.role)),
      'email',
      'changed',
      'disabled',
      json_object('from',
        json(CASE users.disabled_at IS NOT NULL WHEN 1 THEN 'true' WHEN 0 THEN 'false' END),
        'to',
        json(CASE coalesce(? = 1,
            users.disabled_at IS NOT NULL) WHEN 1 THEN 'true' WHEN 0 THEN 'false' END)),
      'sign_in',
      json_object('from',
        iif(users.password_hash IS NULL,
          'sso',
          'password'),
        'to',
        iif(?,
          iif(?,
            'new password',
            'sso'),
          iif(users.password_hash IS NULL,
            'sso',
            'password'))),
      'api_token',
      json_object('from',
        iif(EXISTS (SELECT 1
          FROM api_tokens t
          WHERE t.user_id = ?), 'active', 'none'), 'to', iif(?
        AND iif(EXISTS (SELECT 1
            FROM api_tokens t
            WHERE t.user_id = ?), 'active', 'none') = 'active', 'revoked', iif(EXISTS (SELECT 1
            FROM api_tokens t
            WHERE t.user_id = ?), 'active', 'none'))), 'access_tokens', json_object('from', CAST((SELECT count(*)
          FROM access_tokens
          WHERE access_tokens.user_id = ?) AS INTEGER), 'to', CAST(iif(?
          AND (? OR users.password_hash IS NOT NULL), 0, (SELECT count(*)
            FROM access_tokens
            WHERE access_tokens.user_id = ?)) AS INTEGER))),
    iif(users.role IS iif(?,
        ?,
        users.role),
      '$.role',
      '$.-'),
    iif(users.email IS iif(?,
        ?,
        users.email),
      '$.email',
      '$.-'),
    iif(users.disabled_at IS NOT NULL IS coalesce(? = 1,
        users.disabled_at IS NOT NULL),
      '$.disabled',
      '$.-'),
    iif(iif(users.password_hash IS NULL,
        'sso',
        'password') IS iif(?,
        iif(?,
          'new password',
          'sso'),
        iif(users.password_hash IS NULL,
          'sso',
          'password')),
      '$.sign_in',
      '$.-'),
    iif(iif(EXISTS (SELECT 1
        FROM api_tokens t
        WHERE t.user_id = ?), 'active', 'none') IS iif(?
      AND iif(EXISTS (SELECT 1
          FROM api_tokens t
          WHERE t.user_id = ?), 'active', 'none') = 'active', 'revoked', iif(EXISTS (SELECT 1
          FROM api_tokens t
          WHERE t.user_id = ?), 'active', 'none')), '$.api_token', '$.-'), iif((SELECT count(*)
      FROM access_tokens
      WHERE access_tokens.user_id = ?) IS iif(?
      AND (? OR users.password_hash IS NOT NULL), 0, (SELECT count(*)
        FROM access_tokens
        WHERE access_tokens.user_id = ?)), '$.access_tokens', '$.-')), ?
FROM users
WHERE users.id = ?
AND NOT (users.email = 'erased user ' || users.id)
AND (? OR users.role = 'member')
AND (users.role = 'member' OR EXISTS (
    SELECT 1
    FROM users o
    WHERE o.id <> ?
    AND o.role = 'operator'
    AND o.disabled_at IS NULL
    AND o.password_hash IS NOT NULL
    AND coalesce(o.password_expires_at > ?, true) ) OR ?
  AND ?)
AND NOT EXISTS (SELECT 1
  FROM users o
  WHERE o.email = ?
  AND o.id <> ?)
AND (users.role IS NOT iif(?,
      ?,
      users.role) OR users.email IS NOT iif(?,
      ?,
      users.email) OR users.disabled_at IS NOT NULL IS NOT coalesce(? = 1,
      users.disabled_at IS NOT NULL) OR iif(users.password_hash IS NULL,
      'sso',
      'password') IS NOT iif(?,
      iif(?,
        'new password',
        'sso'),
      iif(users.password_hash IS NULL,
        'sso',
        'password')) OR iif(EXISTS (SELECT 1
      FROM api_tokens t
      WHERE t.user_id = ?), 'active', 'none') IS NOT iif(?
    AND iif(EXISTS (SELECT 1
        FROM api_tokens t
        WHERE t.user_id = ?), 'active', 'none') = 'active', 'revoked', iif(EXISTS (SELECT 1
        FROM api_tokens t
        WHERE t.user_id = ?), 'active', 'none')) OR (SELECT count(*)
    FROM access_tokens
    WHERE access_tokens.user_id = ?) IS NOT iif(?
    AND (? OR users.password_hash IS NOT NULL), 0, (SELECT count(*)
      FROM access_tokens
      WHERE access_tokens.user_id = ?)));

-- src/db/operator/users.ts: rows read 2, written 1
-- SEARCH api_tokens USING COVERING INDEX api_tokens_user_id_unique (user_id=?)
-- SCALAR SUBQUERY 1
--   SEARCH users USING INTEGER PRIMARY KEY (rowid=?)
UPDATE api_tokens SET sealed = NULL
WHERE api_tokens.user_id = ?
AND EXISTS (
  SELECT 1
  FROM users
  WHERE users.id = ?
  AND users.password_hash = ? );

-- src/db/operator/users.ts: rows read 3, written 1
-- SEARCH access_tokens USING INDEX access_tokens_by_user (user_id=?)
-- SCALAR SUBQUERY 1
--   SEARCH users USING INTEGER PRIMARY KEY (rowid=?)
DELETE
FROM access_tokens
WHERE access_tokens.user_id = ?
AND EXISTS (
  SELECT 1
  FROM users
  WHERE users.id = ?
  AND users.password_hash = ? );

-- src/db/operator/users.ts: rows read 8, written 3
-- SEARCH sessions USING INDEX sessions_by_user (user_id=?)
-- SCALAR SUBQUERY 1
--   SEARCH users USING INTEGER PRIMARY KEY (rowid=?)
DELETE
FROM sessions
WHERE sessions.user_id = ?
AND EXISTS (
  SELECT 1
  FROM users
  WHERE users.id = ?
  AND users.password_hash = ? );

-- src/db/operator/users.ts: rows read 3, written 2
-- SEARCH users USING INTEGER PRIMARY KEY (rowid=?)
INSERT INTO api_tokens (token_hash, user_id, hint, created_at, role)
SELECT ?, users.id, ?, ?, users.role
FROM users
WHERE users.id = ?
AND NOT (users.email = 'erased user ' || users.id)
AND (? OR users.role = 'member')
AND users.disabled_at IS NULL
AND users.password_hash IS NULL
ON CONFLICT (user_id) DO UPDATE SET token_hash = excluded.token_hash,
  hint = excluded.hint,
  created_at = excluded.created_at,
  role = excluded.role,
  sealed = NULL,
  last_used_day = NULL
RETURNING user_id AS userId;

-- src/db/operator/users.ts: rows read 1, written 2
-- SEARCH sign_in_attempts USING COVERING INDEX attempts_by_user (user_id=?)
-- SEARCH sessions USING INDEX sessions_by_user (user_id=?)
-- SEARCH recovery_codes USING PRIMARY KEY (user_id=?)
-- SEARCH memberships USING PRIMARY KEY (user_id=?)
-- SEARCH identities USING COVERING INDEX identities_user_id_unique (user_id=?)
-- SEARCH failed_sign_ins USING INTEGER PRIMARY KEY (rowid=?)
-- SEARCH devices USING PRIMARY KEY (user_id=?)
-- SEARCH authenticators USING INTEGER PRIMARY KEY (rowid=?)
-- SCAN audit_log
-- SEARCH api_tokens USING COVERING INDEX api_tokens_user_id_unique (user_id=?)
-- SCAN adjustments
-- SEARCH access_tokens USING INDEX access_tokens_by_user (user_id=?)
-- CORRELATED SCALAR SUBQUERY 2
--   SEARCH api_tokens USING INDEX api_tokens_user_id_unique (user_id=?)
INSERT INTO users (email, role, password_hash, password_expires_at, created_at)
VALUES (?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING
RETURNING id AS id,
  email AS email,
  role AS role,
  users.password_hash IS NOT NULL AS hasPassword,
  (SELECT api_tokens.hint
  FROM api_tokens
  WHERE api_tokens.user_id = users.id) AS tokenHint,
  disabled_at AS disabledAt,
  (users.email = 'erased user ' || users.id) AS isErased,
  created_at AS createdAt,
  password_expires_at AS passwordExpiresAt;

-- src/db/operator/users.ts: rows read 1, written 0
-- SEARCH api_tokens USING COVERING INDEX api_tokens_user_id_unique (user_id=?)
SELECT api_tokens.token_hash AS tokenHash
FROM api_tokens
WHERE api_tokens.user_id = ?;

-- src/db/operator/users.ts: rows read 0, written 0
-- SEARCH audit_log USING INDEX audit_by_subject (subject=?)
SELECT audit_log.happened_at AS lastSignIn
FROM audit_log
WHERE audit_log.subject = 'user ' || CAST(? AS INTEGER)
AND audit_log.action = 'sign in'
ORDER BY audit_log.id DESC
LIMIT 1;

-- src/db/operator/users.ts: rows read 0, written 0
-- SEARCH audit_log USING INDEX audit_by_subject (subject=?)
-- SEARCH b USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
SELECT b.email AS creator
FROM audit_log
LEFT JOIN users b ON b.id = audit_log.user_id
WHERE audit_log.subject = 'user ' || CAST(? AS INTEGER)
AND audit_log.action = 'create user'
ORDER BY audit_log.id
LIMIT 1;

-- src/db/operator/users.ts: rows read 2, written 0
-- SEARCH users USING INDEX users_email_unique (email=?)
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH api_tokens USING INDEX api_tokens_user_id_unique (user_id=?)
SELECT users.id AS id,
  users.email AS email,
  users.role AS role,
  users.password_hash IS NOT NULL AS hasPassword,
  (SELECT api_tokens.hint
  FROM api_tokens
  WHERE api_tokens.user_id = users.id) AS tokenHint,
  users.disabled_at AS disabledAt,
  (users.email = 'erased user ' || users.id) AS isErased,
  users.created_at AS createdAt,
  users.password_expires_at AS passwordExpiresAt
FROM users
WHERE users.email = ?;

-- src/db/operator/users.ts: rows read 2, written 0
-- SEARCH users USING INTEGER PRIMARY KEY (rowid=?)
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH api_tokens USING INDEX api_tokens_user_id_unique (user_id=?)
SELECT users.id AS id,
  users.email AS email,
  users.role AS role,
  users.password_hash IS NOT NULL AS hasPassword,
  (SELECT api_tokens.hint
  FROM api_tokens
  WHERE api_tokens.user_id = users.id) AS tokenHint,
  users.disabled_at AS disabledAt,
  (users.email = 'erased user ' || users.id) AS isErased,
  users.created_at AS createdAt,
  users.password_expires_at AS passwordExpiresAt
FROM users
WHERE users.id = ?;

-- src/db/operator/users.ts: rows read 15, written 7
-- SEARCH users USING INTEGER PRIMARY KEY (rowid=?)
-- SCALAR SUBQUERY 1
--   SCAN o
-- SCALAR SUBQUERY 2
--   SEARCH o USING COVERING INDEX users_email_unique (email=?)
UPDATE users SET role = iif(?,
    ?,
    role),
  email = iif(?,
    ?,
    email),
  password_hash = iif(?,
    ?,
    password_hash),
  password_expires_at = iif(?,
    ?,
    password_expires_at),
  disabled_at = CASE ? WHEN 1 THEN coalesce(users.disabled_at,
    ?) WHEN 0 THEN NULL ELSE users.disabled_at END
WHERE users.id = ?
AND NOT (users.email = 'erased user ' || users.id)
AND (? OR users.role = 'member')
AND (users.role = 'member' OR EXISTS (
    SELECT 1
    FROM users o
    WHERE o.id <> ?
    AND o.role = 'operator'
    AND o.disabled_at IS NULL
    AND o.password_hash IS NOT NULL
    AND coalesce(o.password_expires_at > ?, true) ) OR ?
  AND ?)
AND NOT EXISTS (SELECT 1
  FROM users o
  WHERE o.email = ?
  AND o.id <> ?)
RETURNING id AS id;

-- src/db/partner/missing-costs.ts: rows read 56, written 0
-- COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--     CO-ROUTINE p
--       CO-ROUTINE k
--         SEARCH e USING PRIMARY KEY (partner_id=? AND cost_id>?)
--       SCAN k
--       SEARCH c USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
--       SEARCH i USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
--     SCAN p
--   UNION ALL
--     CO-ROUTINE (subquery-4)
--       SEARCH e USING PRIMARY KEY (partner_id=? AND cost_id>?)
--     SCAN (subquery-4)
SELECT p.costId AS costId,
  p.isListed AS isListed,
  p.click AS click,
  p.impression AS impression,
  p.clickAt AS clickAt,
  p.impressionAt AS impressionAt,
  p.clickLinkId AS clickLinkId,
  p.impressionLinkId AS impressionLinkId,
  p.state AS state,
  p.costType AS costType,
  p.clickLink AS clickLink,
  p.impressionLink AS impressionLink
FROM (
  SELECT k.costId AS costId,
    k.isListed AS isListed,
    k.click AS click,
    k.impression AS impression,
    k.clickAt AS clickAt,
    k.impressionAt AS impressionAt,
    k.clickLinkId AS clickLinkId,
    k.impressionLinkId AS impressionLinkId,
    k.state AS state,
    k.costType AS costType,
    c.token AS clickLink,
    i.token AS impressionLink
  FROM (SELECT e.cost_id AS costId, (coalesce((? & 1
          AND e.remembered_until >= ?
          AND e.click_cost_data_on
          AND e.click_at >= ?
          AND coalesce(e.click_url_cost_type = 'cpc', 1)
          AND NOT (coalesce(e.state IN ('matched', 'unpriced'), 0)
            AND e.cost_type <> 'cpc')
          AND NOT (coalesce(e.state = 'matched'
              AND e.cost_type = 'cpc'
              AND coalesce(e.currency = e.click_url_currency, 1)
              AND coalesce(e.amount_in_effect = e.click_url_amount,
                  1),
                0) OR coalesce(e.counting_price = 'click',
                0))),
          0) OR coalesce((? & 8
          AND e.remembered_until >= ?
          AND e.impression_cost_data_on
          AND e.impression_at >= ?
          AND coalesce(e.impression_url_cost_type = 'cpm', 1)
          AND NOT (coalesce(e.state IN ('matched', 'unpriced'), 0)
            AND e.cost_type <> 'cpm')
          AND NOT (coalesce(e.state = 'matched'
              AND e.cost_type = 'cpm'
              AND coalesce(e.currency = e.impression_url_currency, 1)
              AND coalesce(e.amount_in_effect = e.impression_url_amount,
                  1),
                0) OR coalesce(e.counting_price = 'impression',
                0))),
          0)) AS isListed,
      coalesce((? & 1
        AND e.remembered_until >= ?
        AND e.click_cost_data_on
        AND e.click_at >= ?
        AND coalesce(e.click_url_cost_type = 'cpc', 1)
        AND NOT (coalesce(e.state IN ('matched', 'unpriced'), 0)
          AND e.cost_type <> 'cpc')
        AND NOT (coalesce(e.state = 'matched'
            AND e.cost_type = 'cpc'
            AND coalesce(e.currency = e.click_url_currency, 1)
            AND coalesce(e.amount_in_effect = e.click_url_amount,
                1),
              0) OR coalesce(e.counting_price = 'click',
              0))),
        0) AS click,
      coalesce((? & 8
        AND e.remembered_until >= ?
        AND e.impression_cost_data_on
        AND e.impression_at >= ?
        AND coalesce(e.impression_url_cost_type = 'cpm', 1)
        AND NOT (coalesce(e.state IN ('matched', 'unpriced'), 0)
          AND e.cost_type <> 'cpm')
        AND NOT (coalesce(e.state = 'matched'
            AND e.cost_type = 'cpm'
            AND coalesce(e.currency = e.impression_url_currency, 1)
            AND coalesce(e.amount_in_effect = e.impression_url_amount,
                1),
              0) OR coalesce(e.counting_price = 'impression',
              0))),
        0) AS impression,
      e.click_at AS clickAt,
      e.impression_at AS impressionAt,
      e.click_link_id AS clickLinkId,
      e.impression_link_id AS impressionLinkId,
      e.state AS state,
      e.cost_type AS costType
    FROM ledger_entries e
    WHERE e.partner_id = ?
    AND e.cost_id > ?
    ORDER BY e.cost_id
    LIMIT ? + 0) k
  LEFT JOIN links c ON c.id = k.clickLinkId
  LEFT JOIN links i ON i.id = k.impressionLinkId
  WHERE k.isListed
  ORDER BY k.costId
  LIMIT ? + 0 ) p
UNION ALL
SELECT *
FROM (SELECT e.cost_id AS costId,
    0 AS isListed,
    NULL AS click,
    NULL AS impression,
    NULL AS clickAt,
    NULL AS impressionAt,
    NULL AS clickLinkId,
    NULL AS impressionLinkId,
    NULL AS state,
    NULL AS costType,
    NULL AS clickLink,
    NULL AS impressionLink
  FROM ledger_entries e
  WHERE e.partner_id = ?
  AND e.cost_id > ?
  ORDER BY e.cost_id
  LIMIT 1 OFFSET ? - 1)
LIMIT ? + 0;

-- src/db/partner/sessions.ts: rows read 3, written 2
-- SEARCH c USING INDEX credentials_token_hash_unique (token_hash=?)
INSERT INTO audit_log (happened_at, user_id, action, subject, detail, request_id)
SELECT ?,
  NULL,
  'sign in',
  'partner ' || c.partner_id,
  json_object('browser',
    ?,
    'credential_id',
    c.id,
    'hint',
    c.hint),
  ?
FROM credentials c
WHERE c.token_hash = ?
AND changes() > 0;

-- src/db/partner/sessions.ts: rows read 4, written 2
-- SEARCH s USING PRIMARY KEY (id_hash=?)
-- SEARCH c USING INDEX credentials_token_hash_unique (token_hash=?)
INSERT INTO audit_log (happened_at, user_id, action, subject, detail, request_id)
SELECT ?,
  NULL,
  'sign out',
  'partner ' || c.partner_id,
  json_object('browser',
    ?,
    'credential_id',
    c.id,
    'hint',
    c.hint),
  ?
FROM partner_sessions s
CROSS JOIN credentials c ON c.token_hash = s.token_hash
AND c.revoked_at IS NULL
WHERE s.id_hash = ?
AND s.expires_at > ?;

-- src/db/partner/sessions.ts: rows read 1, written 1
-- SEARCH partner_sessions USING PRIMARY KEY (id_hash=?)
DELETE
FROM partner_sessions
WHERE partner_sessions.id_hash = ?;

-- src/db/partner/sessions.ts: rows read 1, written 1
-- SEARCH c USING INDEX credentials_token_hash_unique (token_hash=?)
INSERT INTO partner_sessions (id_hash, token_hash, created_at, expires_at)
SELECT ?, c.token_hash, ?, ?
FROM credentials c
WHERE c.token_hash = ?
AND c.revoked_at IS NULL;

-- src/db/partner/sessions.ts: rows read 1, written 0
-- SEARCH c USING INDEX credentials_token_hash_unique (token_hash=?)
SELECT c.id AS credentialId, c.partner_id AS partnerId, c.revoked_at AS revokedAt
FROM credentials c
WHERE c.token_hash = ?;

-- src/db/partner/sessions.ts: rows read 2, written 0
-- SEARCH s USING PRIMARY KEY (id_hash=?)
-- SEARCH c USING INDEX credentials_token_hash_unique (token_hash=?)
SELECT c.id AS credentialId, c.partner_id AS partnerId, c.revoked_at AS revokedAt
FROM partner_sessions s
CROSS JOIN credentials c ON c.token_hash = s.token_hash
AND c.revoked_at IS NULL
WHERE s.id_hash = ?
AND s.expires_at > ?;

-- src/db/partner/sessions.ts: rows read 3, written 0
-- SEARCH s USING PRIMARY KEY (id_hash=?)
-- SEARCH c USING INDEX credentials_token_hash_unique (token_hash=?)
-- SEARCH p USING INTEGER PRIMARY KEY (rowid=?)
SELECT c.id AS credentialId,
  c.token_hash AS tokenHash,
  c.partner_id AS partnerId,
  c.mode AS mode,
  c.hint AS hint,
  c.cost_types AS costTypes,
  p.display_name AS displayName,
  p.supports_cost_data AS supportsCostData,
  p.integrated_types AS integratedTypes,
  p.stopped_at AS stoppedAt,
  p.click_parameters AS clickParameters,
  p.impression_parameters AS impressionParameters,
  p.cost_parameters AS costParameters
FROM partner_sessions s
CROSS JOIN credentials c ON c.token_hash = s.token_hash
AND c.revoked_at IS NULL
CROSS JOIN partners p ON p.id = c.partner_id
WHERE s.id_hash = ?
AND s.expires_at > ?;

-- src/db/upkeep/expired.ts: rows read 4, written 0
-- SEARCH access_tokens USING PRIMARY KEY (token_hash=?)
-- LIST SUBQUERY 1
--   SCAN access_tokens
DELETE
FROM access_tokens
WHERE (token_hash) IN (
  SELECT token_hash
  FROM access_tokens
  WHERE access_tokens.expires_at <= ? - 2592000000
  LIMIT ? + 0 )
RETURNING 1;

-- src/db/upkeep/expired.ts: rows read 24, written 0
-- SEARCH daily_rejections USING PRIMARY KEY (partner_id=? AND app_token=? AND day=? AND code=?)
-- LIST SUBQUERY 6
--   MATERIALIZE pairs
--     SETUP
--       SCAN partners
--       CORRELATED SCALAR SUBQUERY 1
--         SEARCH r USING PRIMARY KEY (partner_id=?)
--     RECURSIVE STEP
--       SCAN pairs
--       CORRELATED SCALAR SUBQUERY 3
--         SEARCH r USING PRIMARY KEY (partner_id=? AND app_token>?)
--   SCAN pairs
--   SEARCH daily_rejections USING PRIMARY KEY (partner_id=? AND app_token=? AND day<?)
DELETE
FROM daily_rejections
WHERE (partner_id, app_token, day, code) IN ( WITH RECURSIVE pairs(partner_id, app) AS (
    SELECT partners.id, (SELECT min(r.app_token)
      FROM daily_rejections r
      WHERE r.partner_id = partners.id )
    FROM partners
    UNION ALL
    SELECT partner_id, (SELECT min(r.app_token)
      FROM daily_rejections r
      WHERE r.partner_id = pairs.partner_id
      AND r.app_token > pairs.app)
    FROM pairs
    WHERE app IS NOT NULL )
  SELECT daily_rejections.partner_id, daily_rejections.app_token, daily_rejections.day, daily_rejections.code
  FROM pairs
  CROSS JOIN daily_rejections ON daily_rejections.partner_id = pairs.partner_id
  AND daily_rejections.app_token = pairs.app
  AND daily_rejections.day < (CAST(? AS INTEGER) - 34560000000) / 86400000
  LIMIT ? + 0 )
RETURNING 1;

-- src/db/upkeep/expired.ts: rows read 6, written 0
-- SEARCH dropped_parameters USING PRIMARY KEY (link_id=? AND day=? AND param=? AND reason=?)
-- LIST SUBQUERY 4
--   SEARCH l USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)
--   SCALAR SUBQUERY 1
--     SEARCH links
--   SCALAR SUBQUERY 2
--     SEARCH links
--   SEARCH d USING PRIMARY KEY (link_id=? AND day<?)
DELETE
FROM dropped_parameters
WHERE (link_id, day, param, reason) IN (
  SELECT d.link_id, d.day, d.param, d.reason
  FROM links l
  CROSS JOIN dropped_parameters d ON d.link_id = l.id
  WHERE l.id > (SELECT max(id)
    FROM links) * (CAST(? AS INTEGER) / 3600000 % 23) / 23
  AND l.id <= (SELECT max(id)
    FROM links) * (CAST(? AS INTEGER) / 3600000 % 23 + 1) / 23
  AND d.day < (CAST(? AS INTEGER) - 34560000000) / 86400000
  LIMIT ? + 0 )
RETURNING 1;

-- src/db/upkeep/expired.ts: rows read 4, written 0
-- SEARCH idempotency_keys USING PRIMARY KEY (user_id=? AND app_token=? AND operation=? AND key=?)
-- LIST SUBQUERY 2
--   SCAN idempotency_keys
DELETE
FROM idempotency_keys
WHERE (user_id, app_token, operation, key) IN (
  SELECT user_id, app_token, operation, key
  FROM idempotency_keys
  WHERE idempotency_keys.created_at <= ? - 86400000
  LIMIT ? + 0 )
RETURNING 1;

-- src/db/upkeep/expired.ts: rows read 5, written 1
-- SEARCH link_imports USING INTEGER PRIMARY KEY (rowid=?)
-- LIST SUBQUERY 1
--   SEARCH link_imports USING COVERING INDEX link_imports_by_time (imported_at<?)
DELETE
FROM link_imports
WHERE (id) IN (
  SELECT id
  FROM link_imports
  WHERE link_imports.imported_at <= ? - 86400000
  LIMIT ? + 0 )
RETURNING 1;

-- src/db/upkeep/expired.ts: rows read 20, written 4
-- SEARCH partner_sessions USING PRIMARY KEY (id_hash=?)
-- LIST SUBQUERY 1
--   SCAN partner_sessions
DELETE
FROM partner_sessions
WHERE (id_hash) IN (
  SELECT id_hash
  FROM partner_sessions
  WHERE partner_sessions.expires_at <= ?
  LIMIT ? + 0 )
RETURNING 1;

-- src/db/upkeep/expired.ts: rows read 25, written 5
-- SEARCH sessions USING PRIMARY KEY (id_hash=?)
-- LIST SUBQUERY 1
--   SCAN sessions
DELETE
FROM sessions
WHERE (id_hash) IN (
  SELECT id_hash
  FROM sessions
  WHERE sessions.expires_at <= ?
  LIMIT ? + 0 )
RETURNING 1;

-- src/db/upkeep/expired.ts: rows read 5, written 1
-- SEARCH sign_in_attempts USING INTEGER PRIMARY KEY (rowid=?)
-- LIST SUBQUERY 1
--   SCAN sign_in_attempts
DELETE
FROM sign_in_attempts
WHERE (id) IN (
  SELECT id
  FROM sign_in_attempts
  WHERE sign_in_attempts.attempted_at <= ? - 604800000
  LIMIT ? + 0 )
RETURNING 1;

-- src/db/upkeep/expired.ts: rows read 4, written 0
-- SEARCH used_states USING PRIMARY KEY (state_hash=?)
-- LIST SUBQUERY 1
--   SCAN used_states
DELETE
FROM used_states
WHERE (state_hash) IN (
  SELECT state_hash
  FROM used_states
  WHERE used_states.expires_at <= ?
  LIMIT ? + 0 )
RETURNING 1;

-- src/db/upkeep/health.ts: rows read 4, written 0
-- SCAN d1_migrations USING COVERING INDEX sqlite_autoindex_d1_migrations_1
SELECT name AS name
FROM d1_migrations;

-- src/db/upkeep/health.ts: rows read 1, written 0
-- SEARCH shard_identity USING INTEGER PRIMARY KEY (rowid=?)
SELECT shard_identity.shards AS shards, shard_identity.shard_index AS shardIndex
FROM shard_identity
WHERE shard_identity.id = 1;

-- src/db/views.ts: rows read 2, written 1
-- SEARCH views USING INTEGER PRIMARY KEY (rowid=?)
DELETE
FROM views
WHERE views.id = ?
RETURNING id AS id;

-- src/db/views.ts: rows read 2, written 2
-- SCAN CONSTANT ROW
-- SCALAR SUBQUERY 1
--   SEARCH v USING COVERING INDEX views_by_app (app_token=? AND user_id=?)
-- SCALAR SUBQUERY 2
--   SEARCH v USING INDEX views_by_app (app_token=? AND user_id=?)
INSERT INTO views (app_token, user_id, name, query)
SELECT ?, ?, ?, ?
WHERE (SELECT count(*)
  FROM views v
  WHERE v.app_token = ?
  AND v.user_id IS ?) < 20
AND NOT EXISTS (SELECT 1
  FROM views v
  WHERE v.app_token = ?
  AND v.user_id IS ?
  AND v.name = ?)
RETURNING id AS id;

-- src/db/views.ts: rows read 2, written 0
-- SEARCH v USING INDEX views_by_app (app_token=?)
-- USE TEMP B-TREE FOR ORDER BY
SELECT v.id AS id, v.name AS name, v.query AS query, v.user_id IS NULL AS isShared
FROM views v
WHERE v.app_token = ?
AND (v.user_id IS NULL OR v.user_id = ?)
ORDER BY v.user_id IS NULL, v.name, v.id;

-- src/db/views.ts: rows read 1, written 0
-- SEARCH v USING INTEGER PRIMARY KEY (rowid=?)
SELECT v.id AS id, v.name AS name, v.query AS query, v.user_id IS NULL AS isShared
FROM views v
WHERE v.id = ?
AND v.app_token = ?
AND (v.user_id IS NULL OR v.user_id = ?);

-- src/operator/api/adjustments.ts: rows read 1, written 0
-- SCAN CONSTANT ROW
-- SCALAR SUBQUERY 1
--   SEARCH a
SELECT (SELECT coalesce(max(a.id), 0)
  FROM adjustments a
  WHERE true) AS total
WHERE true;

-- src/operator/api/adjustments.ts: rows read 1, written 0
-- SCAN CONSTANT ROW
-- SCALAR SUBQUERY 1
--   SEARCH a USING COVERING INDEX adjustments_by_app (app_token=?)
SELECT (SELECT count(*)
  FROM adjustments a
  WHERE a.app_token = ?) AS total
WHERE true;

-- src/operator/api/adjustments.ts: rows read 3, written 0
-- SEARCH a USING INDEX adjustments_by_app (app_token=? AND rowid>? AND rowid<?)
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH links USING INTEGER PRIMARY KEY (rowid=?)
-- CORRELATED SCALAR SUBQUERY 2
--   SEARCH users USING INTEGER PRIMARY KEY (rowid=?)
SELECT a.id AS id, a.app_token AS appToken, (SELECT links.token
  FROM links
  WHERE links.id = a.link_id) AS linkToken,
  a.day AS day,
  a.partner_id AS partnerId,
  a.cost_type AS costType,
  a.currency AS currency,
  CAST(a.amount AS TEXT) AS amount,
  a.reason AS reason,
  a.user_id AS userId,
  (SELECT users.email
  FROM users
  WHERE users.id = a.user_id) AS email, a.created_at AS createdAt
FROM adjustments a
WHERE a.app_token = ?
AND a.id > ?
AND a.id < ?
ORDER BY a.id ASC
LIMIT ? + 0;

-- src/operator/api/adjustments.ts: rows read 3, written 0
-- SEARCH a USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH links USING INTEGER PRIMARY KEY (rowid=?)
-- CORRELATED SCALAR SUBQUERY 2
--   SEARCH users USING INTEGER PRIMARY KEY (rowid=?)
SELECT a.id AS id, a.app_token AS appToken, (SELECT links.token
  FROM links
  WHERE links.id = a.link_id) AS linkToken,
  a.day AS day,
  a.partner_id AS partnerId,
  a.cost_type AS costType,
  a.currency AS currency,
  CAST(a.amount AS TEXT) AS amount,
  a.reason AS reason,
  a.user_id AS userId,
  (SELECT users.email
  FROM users
  WHERE users.id = a.user_id) AS email, a.created_at AS createdAt
FROM adjustments a
WHERE true
AND a.id > ?
AND a.id < ?
ORDER BY a.id ASC
LIMIT ? + 0;

-- src/operator/api/apps.ts: rows read 1, written 0
-- SCAN CONSTANT ROW
-- SCALAR SUBQUERY 1
--   SEARCH apps
SELECT (SELECT coalesce(max(apps.id), 0)
  FROM apps apps
  WHERE true) AS total
WHERE true;

-- src/operator/api/apps.ts: rows read 8, written 0
-- SEARCH apps EXISTS USING COVERING INDEX apps_token_unique (token=?)
-- SCALAR SUBQUERY 2
--   SEARCH users USING INTEGER PRIMARY KEY (rowid=?)
--   LIST SUBQUERY 1
--     SCAN memberships
SELECT (SELECT count(*)
  FROM users users
  WHERE users.id IN (SELECT memberships.user_id
    FROM memberships
    WHERE memberships.app_token = ?)) AS total
WHERE EXISTS (SELECT 1
  FROM apps
  WHERE apps.token = ?);

-- src/operator/api/apps.ts: rows read 2, written 0
-- SEARCH apps USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)
SELECT apps.id AS id,
  apps.token AS token,
  apps.name AS name,
  apps.default_url AS defaultUrl,
  apps.ios_url AS iosUrl,
  apps.android_url AS androidUrl,
  apps.redirect_hosts AS redirectHosts,
  apps.redirect_schemes AS redirectSchemes,
  apps.link_count AS linkCount,
  apps.created_at AS createdAt,
  apps.max_links AS maxLinks,
  apps.created_link_count AS createdLinkCount,
  apps.stored_length AS storedLength,
  apps.archived_at AS archivedAt,
  apps.audience AS audience,
  apps.max_new_sub_links AS maxNewSubLinks,
  apps.new_sub_link_day AS newSubLinkDay,
  apps.new_sub_link_count AS newSubLinkCount
FROM apps apps
WHERE true
AND apps.id > ?
AND apps.id < ?
ORDER BY apps.id ASC
LIMIT ? + 0;

-- src/operator/api/apps.ts: rows read 7, written 0
-- SEARCH users USING INTEGER PRIMARY KEY (rowid=?)
-- LIST SUBQUERY 1
--   SCAN memberships
SELECT users.id AS id, users.email AS email, users.role AS role
FROM users users
WHERE users.id IN (SELECT memberships.user_id
  FROM memberships
  WHERE memberships.app_token = ?)
AND users.id > ?
AND users.id < ?
ORDER BY users.id ASC
LIMIT ? + 0;

-- src/operator/api/credentials.ts: rows read 1, written 0
-- SCAN CONSTANT ROW
-- SCALAR SUBQUERY 1
--   SEARCH credentials
SELECT (SELECT coalesce(max(credentials.id), 0)
  FROM credentials credentials
  WHERE true) AS total
WHERE true;

-- src/operator/api/credentials.ts: rows read 6, written 0
-- SEARCH credentials USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)
SELECT credentials.id AS id,
  credentials.partner_id AS partnerId,
  credentials.mode AS mode,
  credentials.cost_types AS costTypes,
  credentials.round_id AS roundId,
  credentials.hint AS hint,
  credentials.created_at AS createdAt,
  credentials.revoked_at AS revokedAt
FROM credentials credentials
WHERE credentials.partner_id = ?
AND credentials.id > ?
AND credentials.id < ?
ORDER BY credentials.id ASC
LIMIT ? + 0;

-- src/operator/api/credentials.ts: rows read 14, written 0
-- SEARCH credentials USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)
-- SEARCH partners USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH rounds USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
SELECT credentials.id AS id,
  credentials.partner_id AS partnerId,
  credentials.mode AS mode,
  credentials.cost_types AS costTypes,
  credentials.round_id AS roundId,
  credentials.hint AS hint,
  credentials.created_at AS createdAt,
  credentials.revoked_at AS revokedAt,
  partners.display_name AS partner,
  rounds.state AS roundState
FROM credentials credentials
LEFT JOIN partners ON partners.id = credentials.partner_id
LEFT JOIN rounds ON rounds.id = credentials.round_id
WHERE true
AND credentials.id > ?
AND credentials.id < ?
ORDER BY credentials.id ASC
LIMIT ? + 0;

-- src/operator/api/partners.ts: rows read 1, written 0
-- SCAN CONSTANT ROW
-- SCALAR SUBQUERY 1
--   SEARCH partners
SELECT (SELECT coalesce(max(partners.id), 0)
  FROM partners partners
  WHERE true) AS total
WHERE true;

-- src/operator/api/partners.ts: rows read 29, written 0
-- SEARCH partners USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH rounds USING INDEX rounds_by_partner (partner_id=?)
-- CORRELATED SCALAR SUBQUERY 2
--   SEARCH rounds USING INDEX rounds_by_partner (partner_id=?)
-- CORRELATED SCALAR SUBQUERY 3
--   SCAN credentials
SELECT partners.id AS id,
  partners.display_name AS displayName,
  partners.supports_cost_data AS supportsCostData,
  partners.server_to_server AS serverToServer,
  partners.click_parameters AS clickParameters,
  partners.impression_parameters AS impressionParameters,
  partners.cost_parameters AS costParameters,
  partners.integrated_types AS integratedTypes,
  partners.stopped_at AS stoppedAt,
  partners.max_url_amount AS maxUrlAmount,
  partners.created_at AS createdAt,
  (SELECT coalesce(sum(rounds.cost_types),
      0)
  FROM rounds
  WHERE rounds.partner_id = partners.id
  AND rounds.state = 'open') AS typesInRound, (SELECT json_group_array(rounds.id)
  FROM rounds
  WHERE rounds.partner_id = partners.id
  AND rounds.state = 'open') AS openRounds, EXISTS (SELECT 1
  FROM credentials
  WHERE credentials.partner_id = partners.id
  AND credentials.mode = 'live'
  AND credentials.revoked_at IS NULL) AS hasLiveCredential,
  iif(instr('&' || partners.cost_parameters || '&',
      '&cost_currency=')
  AND substr('&' || partners.cost_parameters || '&',
      instr('&' || partners.cost_parameters || '&',
        '&cost_currency=') + 15,
      4) GLOB '[A-Za-z][A-Za-z][A-Za-z]&',
    upper(substr('&' || partners.cost_parameters || '&',
        instr('&' || partners.cost_parameters || '&',
          '&cost_currency=') + 15,
        3)),
    NULL) AS urlCurrency
FROM partners partners
WHERE true
AND partners.id > ?
AND partners.id < ?
ORDER BY partners.id ASC
LIMIT ? + 0;

-- src/operator/api/rounds.ts: rows read 1, written 0
-- SCAN CONSTANT ROW
-- SCALAR SUBQUERY 1
--   SEARCH x
SELECT (SELECT coalesce(max(x.id), 0)
  FROM rounds x
  WHERE true) AS total
WHERE true;

-- src/operator/api/rounds.ts: rows read 4, written 0
-- SEARCH x USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH p USING INTEGER PRIMARY KEY (rowid=?)
SELECT x.id AS id, x.partner_id AS partnerId, (SELECT p.display_name
  FROM partners p
  WHERE p.id = x.partner_id) AS partner,
  x.cost_types AS costTypes,
  x.state AS state,
  x.opened_at AS openedAt,
  x.ended_at AS endedAt,
  x.entry_count AS entryCount,
  x.approved_types AS approvedTypes
FROM rounds x
WHERE true
AND x.id > ?
AND x.id < ?
ORDER BY x.id ASC
LIMIT ? + 0;

-- src/operator/api/users.ts: rows read 1, written 0
-- SCAN CONSTANT ROW
-- SCALAR SUBQUERY 1
--   SEARCH users
SELECT (SELECT coalesce(max(users.id), 0)
  FROM users users
  WHERE true) AS total
WHERE true;

-- src/operator/api/users.ts: rows read 7, written 0
-- SEARCH users USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH api_tokens USING INDEX api_tokens_user_id_unique (user_id=?)
SELECT users.id AS id,
  users.email AS email,
  users.role AS role,
  users.password_hash IS NOT NULL AS hasPassword,
  (SELECT api_tokens.hint
  FROM api_tokens
  WHERE api_tokens.user_id = users.id) AS tokenHint,
  users.disabled_at AS disabledAt,
  (users.email = 'erased user ' || users.id) AS isErased,
  users.created_at AS createdAt,
  users.password_expires_at AS passwordExpiresAt
FROM users users
WHERE true
AND users.id > ?
AND users.id < ?
ORDER BY users.id ASC
LIMIT ? + 0;

-- src/operator/console/partners/page.ts: rows read 6, written 0
-- SCAN CONSTANT ROW
-- SCALAR SUBQUERY 1
--   SCAN credentials
SELECT (SELECT count(*)
  FROM credentials credentials
  WHERE credentials.partner_id = ?) AS total
WHERE true;

-- src/operator/console/partners/page.ts: rows read 2, written 0
-- SCAN CONSTANT ROW
-- SCALAR SUBQUERY 1
--   SEARCH x USING COVERING INDEX rounds_by_partner (partner_id=?)
SELECT (SELECT count(*)
  FROM rounds x
  WHERE x.partner_id = ?) AS total
WHERE true;

-- src/operator/console/partners/page.ts: rows read 6, written 0
-- SEARCH credentials USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)
SELECT credentials.id AS id,
  credentials.partner_id AS partnerId,
  credentials.mode AS mode,
  credentials.cost_types AS costTypes,
  credentials.round_id AS roundId,
  credentials.hint AS hint,
  credentials.created_at AS createdAt,
  credentials.revoked_at AS revokedAt
FROM credentials credentials
WHERE credentials.partner_id = ?
AND credentials.id > ?
AND credentials.id < ?
ORDER BY credentials.id DESC
LIMIT ? + 0;

-- src/operator/console/partners/page.ts: rows read 2, written 0
-- SEARCH x USING INDEX rounds_by_partner (partner_id=? AND rowid>? AND rowid<?)
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH p USING INTEGER PRIMARY KEY (rowid=?)
SELECT x.id AS id, x.partner_id AS partnerId, (SELECT p.display_name
  FROM partners p
  WHERE p.id = x.partner_id) AS partner,
  x.cost_types AS costTypes,
  x.state AS state,
  x.opened_at AS openedAt,
  x.ended_at AS endedAt,
  x.entry_count AS entryCount,
  x.approved_types AS approvedTypes
FROM rounds x
WHERE x.partner_id = ?
AND x.id > ?
AND x.id < ?
ORDER BY x.id DESC
LIMIT ? + 0;

-- src/pages/lists/list.ts: rows read 5, written 0
-- SCAN a
-- SEARCH ap USING INDEX apps_token_unique (token=?)
-- SEARCH pa USING INTEGER PRIMARY KEY (rowid=?)
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH links USING INTEGER PRIMARY KEY (rowid=?)
-- CORRELATED SCALAR SUBQUERY 2
--   SEARCH users USING INTEGER PRIMARY KEY (rowid=?)
SELECT a.id AS id, a.app_token AS appToken, (SELECT links.token
  FROM links
  WHERE links.id = a.link_id) AS linkToken,
  a.day AS day,
  a.partner_id AS partnerId,
  a.cost_type AS costType,
  a.currency AS currency,
  CAST(a.amount AS TEXT) AS amount,
  a.reason AS reason,
  a.user_id AS userId,
  (SELECT users.email
  FROM users
  WHERE users.id = a.user_id) AS email, a.created_at AS createdAt, ap.name AS app, pa.display_name AS partner
FROM adjustments a
CROSS JOIN apps ap ON ap.token = a.app_token
CROSS JOIN partners pa ON pa.id = a.partner_id
WHERE true
AND (? IS NULL OR instr(lower(a.reason), lower(?)))
AND (? IS NULL OR a.app_token = ?)
AND (? IS NULL OR a.partner_id = CAST(? AS INTEGER))
ORDER BY a.id DESC, a.id
LIMIT ? + 0 OFFSET ?;

-- src/pages/lists/list.ts: rows read 2, written 0
-- SCAN apps
SELECT apps.id AS id,
  apps.token AS token,
  apps.name AS name,
  apps.default_url AS defaultUrl,
  apps.ios_url AS iosUrl,
  apps.android_url AS androidUrl,
  apps.redirect_hosts AS redirectHosts,
  apps.redirect_schemes AS redirectSchemes,
  apps.link_count AS linkCount,
  apps.created_at AS createdAt,
  apps.max_links AS maxLinks,
  apps.created_link_count AS createdLinkCount,
  apps.stored_length AS storedLength,
  apps.archived_at AS archivedAt,
  apps.audience AS audience,
  apps.max_new_sub_links AS maxNewSubLinks,
  apps.new_sub_link_day AS newSubLinkDay,
  apps.new_sub_link_count AS newSubLinkCount
FROM apps apps
WHERE true
AND (? IS NULL OR instr(lower(apps.name), lower(?)) OR instr(lower(apps.token), lower(?)))
AND (? IS NULL OR (apps.archived_at IS NOT NULL) = (? = 'yes'))
ORDER BY apps.id DESC, apps.id
LIMIT ? + 0 OFFSET ?;

-- src/pages/lists/list.ts: rows read 4, written 0
-- SCAN apps
-- USE TEMP B-TREE FOR ORDER BY
SELECT apps.id AS id,
  apps.token AS token,
  apps.name AS name,
  apps.default_url AS defaultUrl,
  apps.ios_url AS iosUrl,
  apps.android_url AS androidUrl,
  apps.redirect_hosts AS redirectHosts,
  apps.redirect_schemes AS redirectSchemes,
  apps.link_count AS linkCount,
  apps.created_at AS createdAt,
  apps.max_links AS maxLinks,
  apps.created_link_count AS createdLinkCount,
  apps.stored_length AS storedLength,
  apps.archived_at AS archivedAt,
  apps.audience AS audience,
  apps.max_new_sub_links AS maxNewSubLinks,
  apps.new_sub_link_day AS newSubLinkDay,
  apps.new_sub_link_count AS newSubLinkCount
FROM apps apps
WHERE true
AND (? IS NULL OR instr(lower(apps.name), lower(?)) OR instr(lower(apps.token), lower(?)))
AND (? IS NULL OR (apps.archived_at IS NOT NULL) = (? = 'yes'))
ORDER BY apps.name COLLATE NOCASE, apps.id
LIMIT ? + 0 OFFSET ?;

-- src/pages/lists/list.ts: rows read 3, written 0
-- SCAN a
-- SEARCH ap USING COVERING INDEX apps_token_unique (token=?)
-- SEARCH pa USING INTEGER PRIMARY KEY (rowid=?)
SELECT count(*) AS total
FROM adjustments a
CROSS JOIN apps ap ON ap.token = a.app_token
CROSS JOIN partners pa ON pa.id = a.partner_id
WHERE true
AND (? IS NULL OR instr(lower(a.reason), lower(?)))
AND (? IS NULL OR a.app_token = ?)
AND (? IS NULL OR a.partner_id = CAST(? AS INTEGER));

-- src/pages/lists/list.ts: rows read 2, written 0
-- SCAN apps
SELECT count(*) AS total
FROM apps apps
WHERE true
AND (? IS NULL OR instr(lower(apps.name), lower(?)) OR instr(lower(apps.token), lower(?)))
AND (? IS NULL OR (apps.archived_at IS NOT NULL) = (? = 'yes'));

-- src/pages/lists/list.ts: rows read 14, written 0
-- SCAN credentials
-- SEARCH partners USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH rounds USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
SELECT count(*) AS total
FROM credentials credentials
LEFT JOIN partners ON partners.id = credentials.partner_id
LEFT JOIN rounds ON rounds.id = credentials.round_id
WHERE true
AND (? IS NULL OR instr(lower(partners.display_name), lower(?)) OR instr(lower(credentials.hint), lower(?)))
AND (? IS NULL OR credentials.mode = ?)
AND (? IS NULL OR (credentials.revoked_at IS NULL) = (? = 'active'));

-- src/pages/lists/list.ts: rows read 5, written 0
-- SCAN partners
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH rounds USING INDEX rounds_by_partner (partner_id=?)
SELECT count(*) AS total
FROM partners partners
WHERE true
AND (? IS NULL OR instr(lower(partners.display_name), lower(?)))
AND (? IS NULL OR CASE ? WHEN 'integrated' THEN partners.supports_cost_data WHEN 'none' THEN NOT partners.supports_cost_data WHEN 'stopped' THEN partners.stopped_at IS NOT NULL WHEN 'high-price' THEN partners.max_url_amount > 10000000 ELSE EXISTS (SELECT 1
    FROM rounds
    WHERE rounds.partner_id = partners.id
    AND rounds.state = 'open') END);

-- src/pages/lists/list.ts: rows read 4, written 0
-- SCAN users
SELECT count(*) AS total
FROM users users
WHERE true
AND (? IS NULL OR instr(lower(users.email), lower(?)))
AND (? IS NULL OR users.role = ?)
AND (? IS NULL OR (users.disabled_at IS NULL) = (? = 'active'));

-- src/pages/lists/list.ts: rows read 14, written 0
-- SCAN credentials
-- SEARCH partners USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
-- SEARCH rounds USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
SELECT credentials.id AS id,
  credentials.partner_id AS partnerId,
  credentials.mode AS mode,
  credentials.cost_types AS costTypes,
  credentials.round_id AS roundId,
  credentials.hint AS hint,
  credentials.created_at AS createdAt,
  credentials.revoked_at AS revokedAt,
  partners.display_name AS partner,
  rounds.state AS roundState
FROM credentials credentials
LEFT JOIN partners ON partners.id = credentials.partner_id
LEFT JOIN rounds ON rounds.id = credentials.round_id
WHERE true
AND (? IS NULL OR instr(lower(partners.display_name), lower(?)) OR instr(lower(credentials.hint), lower(?)))
AND (? IS NULL OR credentials.mode = ?)
AND (? IS NULL OR (credentials.revoked_at IS NULL) = (? = 'active'))
ORDER BY credentials.id DESC, credentials.id
LIMIT ? + 0 OFFSET ?;

-- src/pages/lists/list.ts: rows read 34, written 0
-- SCAN partners
-- CORRELATED SCALAR SUBQUERY 4
--   SEARCH rounds USING INDEX rounds_by_partner (partner_id=?)
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH rounds USING INDEX rounds_by_partner (partner_id=?)
-- CORRELATED SCALAR SUBQUERY 2
--   SEARCH rounds USING INDEX rounds_by_partner (partner_id=?)
-- CORRELATED SCALAR SUBQUERY 3
--   SCAN credentials
-- USE TEMP B-TREE FOR ORDER BY
SELECT partners.id AS id,
  partners.display_name AS displayName,
  partners.supports_cost_data AS supportsCostData,
  partners.server_to_server AS serverToServer,
  partners.click_parameters AS clickParameters,
  partners.impression_parameters AS impressionParameters,
  partners.cost_parameters AS costParameters,
  partners.integrated_types AS integratedTypes,
  partners.stopped_at AS stoppedAt,
  partners.max_url_amount AS maxUrlAmount,
  partners.created_at AS createdAt,
  (SELECT coalesce(sum(rounds.cost_types),
      0)
  FROM rounds
  WHERE rounds.partner_id = partners.id
  AND rounds.state = 'open') AS typesInRound, (SELECT json_group_array(rounds.id)
  FROM rounds
  WHERE rounds.partner_id = partners.id
  AND rounds.state = 'open') AS openRounds, EXISTS (SELECT 1
  FROM credentials
  WHERE credentials.partner_id = partners.id
  AND credentials.mode = 'live'
  AND credentials.revoked_at IS NULL) AS hasLiveCredential,
  iif(instr('&' || partners.cost_parameters || '&',
      '&cost_currency=')
  AND substr('&' || partners.cost_parameters || '&',
      instr('&' || partners.cost_parameters || '&',
        '&cost_currency=') + 15,
      4) GLOB '[A-Za-z][A-Za-z][A-Za-z]&',
    upper(substr('&' || partners.cost_parameters || '&',
        instr('&' || partners.cost_parameters || '&',
          '&cost_currency=') + 15,
        3)),
    NULL) AS urlCurrency
FROM partners partners
WHERE true
AND (? IS NULL OR instr(lower(partners.display_name), lower(?)))
AND (? IS NULL OR CASE ? WHEN 'integrated' THEN partners.supports_cost_data WHEN 'none' THEN NOT partners.supports_cost_data WHEN 'stopped' THEN partners.stopped_at IS NOT NULL WHEN 'high-price' THEN partners.max_url_amount > 10000000 ELSE EXISTS (SELECT 1
    FROM rounds
    WHERE rounds.partner_id = partners.id
    AND rounds.state = 'open') END)
ORDER BY partners.display_name COLLATE NOCASE, partners.id
LIMIT ? + 0 OFFSET ?;

-- src/pages/lists/list.ts: rows read 29, written 0
-- SCAN partners
-- CORRELATED SCALAR SUBQUERY 4
--   SEARCH rounds USING INDEX rounds_by_partner (partner_id=?)
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH rounds USING INDEX rounds_by_partner (partner_id=?)
-- CORRELATED SCALAR SUBQUERY 2
--   SEARCH rounds USING INDEX rounds_by_partner (partner_id=?)
-- CORRELATED SCALAR SUBQUERY 3
--   SCAN credentials
SELECT partners.id AS id,
  partners.display_name AS displayName,
  partners.supports_cost_data AS supportsCostData,
  partners.server_to_server AS serverToServer,
  partners.click_parameters AS clickParameters,
  partners.impression_parameters AS impressionParameters,
  partners.cost_parameters AS costParameters,
  partners.integrated_types AS integratedTypes,
  partners.stopped_at AS stoppedAt,
  partners.max_url_amount AS maxUrlAmount,
  partners.created_at AS createdAt,
  (SELECT coalesce(sum(rounds.cost_types),
      0)
  FROM rounds
  WHERE rounds.partner_id = partners.id
  AND rounds.state = 'open') AS typesInRound, (SELECT json_group_array(rounds.id)
  FROM rounds
  WHERE rounds.partner_id = partners.id
  AND rounds.state = 'open') AS openRounds, EXISTS (SELECT 1
  FROM credentials
  WHERE credentials.partner_id = partners.id
  AND credentials.mode = 'live'
  AND credentials.revoked_at IS NULL) AS hasLiveCredential,
  iif(instr('&' || partners.cost_parameters || '&',
      '&cost_currency=')
  AND substr('&' || partners.cost_parameters || '&',
      instr('&' || partners.cost_parameters || '&',
        '&cost_currency=') + 15,
      4) GLOB '[A-Za-z][A-Za-z][A-Za-z]&',
    upper(substr('&' || partners.cost_parameters || '&',
        instr('&' || partners.cost_parameters || '&',
          '&cost_currency=') + 15,
        3)),
    NULL) AS urlCurrency
FROM partners partners
WHERE true
AND (? IS NULL OR instr(lower(partners.display_name), lower(?)))
AND (? IS NULL OR CASE ? WHEN 'integrated' THEN partners.supports_cost_data WHEN 'none' THEN NOT partners.supports_cost_data WHEN 'stopped' THEN partners.stopped_at IS NOT NULL WHEN 'high-price' THEN partners.max_url_amount > 10000000 ELSE EXISTS (SELECT 1
    FROM rounds
    WHERE rounds.partner_id = partners.id
    AND rounds.state = 'open') END)
ORDER BY partners.id DESC, partners.id
LIMIT ? + 0 OFFSET ?;

-- src/pages/lists/list.ts: rows read 7, written 0
-- SCAN users USING INDEX users_email_unique
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH api_tokens USING INDEX api_tokens_user_id_unique (user_id=?)
SELECT users.id AS id,
  users.email AS email,
  users.role AS role,
  users.password_hash IS NOT NULL AS hasPassword,
  (SELECT api_tokens.hint
  FROM api_tokens
  WHERE api_tokens.user_id = users.id) AS tokenHint,
  users.disabled_at AS disabledAt,
  (users.email = 'erased user ' || users.id) AS isErased,
  users.created_at AS createdAt,
  users.password_expires_at AS passwordExpiresAt
FROM users users
WHERE true
AND (? IS NULL OR instr(lower(users.email), lower(?)))
AND (? IS NULL OR users.role = ?)
AND (? IS NULL OR (users.disabled_at IS NULL) = (? = 'active'))
ORDER BY users.email, users.id
LIMIT ? + 0 OFFSET ?;

-- src/pages/lists/list.ts: rows read 7, written 0
-- SCAN users
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH api_tokens USING INDEX api_tokens_user_id_unique (user_id=?)
SELECT users.id AS id,
  users.email AS email,
  users.role AS role,
  users.password_hash IS NOT NULL AS hasPassword,
  (SELECT api_tokens.hint
  FROM api_tokens
  WHERE api_tokens.user_id = users.id) AS tokenHint,
  users.disabled_at AS disabledAt,
  (users.email = 'erased user ' || users.id) AS isErased,
  users.created_at AS createdAt,
  users.password_expires_at AS passwordExpiresAt
FROM users users
WHERE true
AND (? IS NULL OR instr(lower(users.email), lower(?)))
AND (? IS NULL OR users.role = ?)
AND (? IS NULL OR (users.disabled_at IS NULL) = (? = 'active'))
ORDER BY users.id DESC, users.id
LIMIT ? + 0 OFFSET ?;
