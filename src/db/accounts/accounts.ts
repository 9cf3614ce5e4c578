/**
 * Users' sessions, passwords and own API tokens. The SQL of every change requires the session and the password hash that was
 * verified, so exactly one of two concurrent changes succeeds.
 */
import { sql } from "drizzle-orm";
import type { DayRange, SpendRow } from "../ledger/shard-spend.ts";
import type { Ledger } from "../ledger/shards.ts";
import { addOwnSpend, ownSpendStatement } from "../ledger/spend.ts";
import { runBatch, runIdempotent, statement } from "../statement.ts";

export interface SessionUser {
  userId: number;
  email: string;
  role: "member" | "operator";
}

const idHash = sql.placeholder("idHash");
const now = sql.placeholder("now");

const session = statement<{ user_id: number; email: string; role: SessionUser["role"] }>(sql`
  SELECT s.user_id, u.email, u.role FROM sessions s JOIN users u ON u.id = s.user_id
  WHERE s.id_hash = ${idHash} AND s.expires_at > ${now}
`);

/** Returns undefined for a session that is unknown, ended or expired. */
export async function findSession(
  db: D1Database,
  idHash: string,
  now: number,
): Promise<SessionUser | undefined> {
  const [[row]] = await runIdempotent(db, session(db, { idHash, now }));
  return row && { userId: row.user_id, email: row.email, role: row.role };
}

/** `password_hash` is null for a user who signs in with single sign-on. */
export interface Credentials {
  id: number;
  password_hash: string | null;
}

const credentials = statement<Credentials>(sql`
  SELECT id, password_hash FROM users WHERE email = ${sql.placeholder("email")} AND disabled_at IS NULL
`);

/** Finds the enabled user with this email address, in lower case. */
export async function findCredentials(db: D1Database, email: string): Promise<Credentials | undefined> {
  const [[row]] = await runIdempotent(db, credentials(db, { email }));
  return row;
}

const endStale = statement(sql`
  DELETE FROM sessions
  WHERE id_hash = ${sql.placeholder("previous")} OR user_id = ${sql.placeholder("userId")} AND expires_at <= ${now}
`);
const startSession = statement<{ user_id: number }>(sql`
  INSERT INTO sessions (id_hash, user_id, created_at, expires_at)
  SELECT ${idHash}, id, ${now}, ${sql.placeholder("expiresAt")} FROM users
  WHERE id = ${sql.placeholder("userId")} AND password_hash = ${sql.placeholder("passwordHash")} AND disabled_at IS NULL
  RETURNING user_id
`);

interface NewSessionRow {
  idHash: string;
  expiresAt: number;
  now: number;
}

/**
 * Starts a session that replaces the browser's previous one. Returns false if the user was disabled or the password changed
 * after `passwordHash` was verified.
 */
export async function insertSession(
  db: D1Database,
  added: NewSessionRow & { userId: number; passwordHash: string; previous: string | null },
): Promise<boolean> {
  const [, started] = await runBatch(db, endStale(db, { ...added }), startSession(db, { ...added }));
  return started.length > 0;
}

const endSession = statement(sql`DELETE FROM sessions WHERE id_hash = ${idHash}`);
const endSessions = statement(sql`
  DELETE FROM sessions WHERE user_id = (SELECT user_id FROM sessions WHERE id_hash = ${idHash})
`);

export async function deleteSession(db: D1Database, idHash: string): Promise<void> {
  await runIdempotent(db, endSession(db, { idHash }));
}

/** Ends every session of the user who owns this session. */
export async function deleteSessions(db: D1Database, idHash: string): Promise<void> {
  await runIdempotent(db, endSessions(db, { idHash }));
}

/** The data of the account page. The token's columns are null when the user has no API token. */
export interface Account {
  user_id: number;
  password_hash: string | null;
  created_at: number;
  token_hash: string | null;
  hint: string | null;
  sealed: string | null;
  token_created_at: number | null;
  last_used_day: number | null;
}

export interface OwnApp {
  token: string;
  name: string;
  link_count: number;
}

const account = statement<Account>(sql`
  SELECT u.id AS user_id, u.password_hash, u.created_at, t.token_hash, t.hint, t.sealed,
    t.created_at AS token_created_at, t.last_used_day
  FROM sessions s JOIN users u ON u.id = s.user_id LEFT JOIN api_tokens t ON t.user_id = u.id
  WHERE s.id_hash = ${idHash} AND s.expires_at > ${now}
`);
const ownApps = statement<OwnApp>(sql`
  SELECT a.token, a.name, a.link_count
  FROM sessions s JOIN memberships m ON m.user_id = s.user_id JOIN apps a ON a.token = m.app_token
  WHERE s.id_hash = ${idHash} AND s.expires_at > ${now}
  ORDER BY a.name, a.token
`);

/** `account` is undefined when the session has ended. `spend` covers `days`, by app, day and partner. */
export async function readAccount(
  ledger: Ledger,
  idHash: string,
  now: number,
  days: DayRange,
): Promise<{ account: Account | undefined; apps: OwnApp[]; spend: SpendRow[] }> {
  const db = ledger.control;
  const [[found], apps, spend] = await runIdempotent(
    db,
    account(db, { idHash, now }),
    ownApps(db, { idHash, now }),
    ownSpendStatement(db, { idHash, now, ...days }),
  );
  const tokens = apps.map((app) => app.token);
  return { account: found, apps, spend: await addOwnSpend(ledger, spend, days, tokens) };
}

/** The caller's session and the verified password hash. The change requires that both are still valid. */
interface Gate {
  session: string;
  passwordHash: string;
  now: number;
}

/** The user of the gate; no row when the session or the password hash is no longer valid. */
const gatedUser = sql`
  SELECT u.id FROM sessions s JOIN users u ON u.id = s.user_id
  WHERE s.id_hash = ${sql.placeholder("session")} AND s.expires_at > ${now}
    AND u.password_hash = ${sql.placeholder("passwordHash")}
`;

const replaceToken = statement<{ user_id: number }>(sql`
  UPDATE api_tokens SET token_hash = ${sql.placeholder("tokenHash")}, hint = ${sql.placeholder("hint")},
    sealed = ${sql.placeholder("sealed")}, created_at = ${now}, last_used_day = NULL
  WHERE token_hash = ${sql.placeholder("oldHash")} AND user_id = (${gatedUser})
  RETURNING user_id
`);
const firstToken = statement<{ user_id: number }>(sql`
  INSERT INTO api_tokens (token_hash, user_id, hint, sealed, created_at)
  SELECT ${sql.placeholder("tokenHash")}, id, ${sql.placeholder("hint")}, ${sql.placeholder("sealed")}, ${now}
  FROM (${gatedUser}) WHERE true
  ON CONFLICT DO NOTHING
  RETURNING user_id
`);

const tokenOwner = sql`SELECT user_id FROM api_tokens WHERE token_hash = ${sql.placeholder("tokenHash")}`;
const endOwnersSessions = statement(sql`DELETE FROM sessions WHERE user_id = (${tokenOwner})`);
const renewOwnersSession = statement(sql`
  INSERT INTO sessions (id_hash, user_id, created_at, expires_at)
  SELECT ${idHash}, user_id, ${now}, ${sql.placeholder("expiresAt")} FROM (${tokenOwner})
`);

/**
 * Replaces the user's API token (`oldHash` is null for a user without one) and replaces all of the user's sessions with a new
 * one. Changes nothing and returns false if `oldHash` is no longer the user's token, so one of two concurrent calls succeeds.
 */
export async function swapToken(
  db: D1Database,
  gate: Gate,
  token: { oldHash: string | null; tokenHash: string; hint: string; sealed: string },
  renewed: { idHash: string; expiresAt: number },
): Promise<boolean> {
  const values = { ...gate, ...token, ...renewed };
  const swap = token.oldHash === null ? firstToken : replaceToken;
  const [swapped] = await runBatch(
    db,
    swap(db, values),
    endOwnersSessions(db, values),
    renewOwnersSession(db, values),
  );
  return swapped.length > 0;
}

const changePassword = statement<{ id: number }>(sql`
  UPDATE users SET password_hash = ${sql.placeholder("newPasswordHash")}
  WHERE id = (${gatedUser})
    AND (SELECT token_hash FROM api_tokens WHERE user_id = users.id) IS ${sql.placeholder("tokenHash")}
  RETURNING id
`);
/** The new hash is salted, so only the user whose password has just changed has it. */
const changedUser = sql`
  SELECT id FROM users WHERE id = ${sql.placeholder("userId")} AND password_hash = ${sql.placeholder("newPasswordHash")}
`;
const sealAgain = statement(sql`
  UPDATE api_tokens SET sealed = ${sql.placeholder("sealed")} WHERE user_id = (${changedUser})
`);
const endChangedSessions = statement(sql`DELETE FROM sessions WHERE user_id = (${changedUser})`);
const renewChangedSession = statement(sql`
  INSERT INTO sessions (id_hash, user_id, created_at, expires_at)
  SELECT ${idHash}, id, ${now}, ${sql.placeholder("expiresAt")} FROM (${changedUser})
`);

/**
 * Sets a new password and the token encrypted with it, and replaces all of the user's sessions with a new one. Changes nothing
 * and returns false if the password or the token (null for none) changed since it was read.
 */
export async function updatePassword(
  db: D1Database,
  gate: Gate & { userId: number; tokenHash: string | null },
  changed: { newPasswordHash: string; sealed: string | null },
  renewed: { idHash: string; expiresAt: number },
): Promise<boolean> {
  const values = { ...gate, ...changed, ...renewed };
  const [updated] = await runBatch(
    db,
    changePassword(db, values),
    sealAgain(db, values),
    endChangedSessions(db, values),
    renewChangedSession(db, values),
  );
  return updated.length > 0;
}
