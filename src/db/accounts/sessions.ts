/** Sessions of signed-in browsers. A session is stored under the SHA-256 of its ID. */
import { type SQL, sql } from "drizzle-orm";
import { HOUR_MS } from "../../domain/time.ts";
import { auditChange } from "../audit.ts";
import { alias, as, names, pick, query, type RowOf } from "../query.ts";
import { apps, authenticators, dailyEngagements, memberships, sessions, users } from "../schema.ts";
import { type Bound, runBatch, runIdempotent, statement, type Value } from "../statement.ts";
import { type NewDeviceRow, remembering } from "./devices.ts";

const s = alias(sessions, "s");

export { s as session };

const u = alias(users, "u");
const f = alias(authenticators, "f");
const idHash = sql.placeholder("idHash");
const userId = sql.placeholder("userId");
const now = sql.placeholder("now");

/** A session ends after two hours without a request. */
const IDLE_MS = 2 * HOUR_MS;
/** So often a session's last request is written. */
const SEEN_MS = 5 * 60 * 1000;

/** The row `s` has not expired and does not wait for a code. */
const isLive = sql`${s.expiresAt} > ${now} AND ${s.lastSeenAt} > ${now} - ${sql.raw(String(IDLE_MS))} AND ${s.waitingSecret} IS NULL`;
/** The row `s` of a session that is known and live. */
export const isCurrent = sql`${s.idHash} = ${idHash} AND ${isLive}`;

const sessionFields = {
  userId: s.userId,
  email: u.email,
  role: u.role,
  /** 0 for a user of single sign-on, otherwise 1. */
  hasPassword: sql<number>`${u.passwordHash} IS NOT NULL`,
  /** 1 for a user with a temporary password, otherwise 0. */
  mustChangePassword: sql<number>`${u.passwordExpiresAt} IS NOT NULL`,
  lastSeenAt: s.lastSeenAt,
  passwordAt: s.passwordAt,
  /** 1 if the provider of single sign-on says that only a password was entered there, otherwise 0. */
  onlyPassword: s.onlyPassword,
  hasTwoFactor: sql<number>`EXISTS (SELECT 1 FROM ${as(f)} WHERE ${f.userId} = ${u.id})`,
};

const a = alias(apps, "a");
const m = alias(memberships, "m");
const appFields = {
  ...pick(a, "token", "name", "linkCount", "archivedAt"),
  /** The first day with clicks or impressions. With shards, those without a cost ID. */
  firstDay: sql<
    number | null
  >`(SELECT min(${dailyEngagements.day}) FROM ${dailyEngagements} WHERE ${dailyEngagements.appToken} = ${a.token})`,
};
export type OwnApp = RowOf<typeof appFields>;
/** A signed-in user, with the apps that they are a member of, by name. */
export type SessionUser = RowOf<typeof sessionFields> & { apps: OwnApp[] };

const session = query(
  sessionFields,
  sql`FROM ${as(s)} JOIN ${as(u)} ON ${u.id} = ${s.userId} WHERE ${isCurrent}`,
);
const sessionApps = query(
  appFields,
  sql`FROM ${as(s)} CROSS JOIN ${as(m)} ON ${m.userId} = ${s.userId} CROSS JOIN ${as(a)} ON ${a.token} = ${m.appToken}
    WHERE ${isCurrent} ORDER BY ${a.name} COLLATE NOCASE, ${a.token}`,
);

/** Returns undefined for a session that is unknown, ended or expired. */
export async function findSession(
  db: D1Database,
  idHash: string,
  now: number,
): Promise<SessionUser | undefined> {
  const values = { idHash, now };
  const [[row], own] = await runIdempotent(db, session(db, values), sessionApps(db, values));
  return row && { ...row, apps: own };
}

const see = statement(sql`
  UPDATE ${sessions} SET ${names(sessions.lastSeenAt)} = ${now}
  WHERE ${sessions.idHash} = ${idHash} AND ${sessions.lastSeenAt} <= ${now} - ${sql.raw(String(SEEN_MS))}
`);

/** Whether the last request of a session was so long ago that this one must be written. */
export function isSeenLongAgo({ lastSeenAt }: SessionUser, now: number): boolean {
  return lastSeenAt <= now - SEEN_MS;
}

/** Writes that a session is in use, so that it does not end by being idle. */
export async function updateLastSeen(db: D1Database, idHash: string, now: number): Promise<void> {
  await runIdempotent(db, see(db, { idHash, now }));
}

const confirm = statement(sql`
  UPDATE ${sessions} SET ${names(sessions.passwordAt)} = ${now} WHERE ${sessions.idHash} = ${idHash}
`);

/** Writes that the password was entered in a session. */
export async function updatePasswordAt(db: D1Database, session: { idHash: string; now: number }) {
  await runIdempotent(db, confirm(db, { ...session }));
}

const listFields = pick(s, "idHash", "browser", "createdAt", "lastSeenAt");
export type ListedSession = RowOf<typeof listFields>;

/** The live sessions of a user, the last used first. */
export const ownSessions = query(
  listFields,
  sql`FROM ${as(s)} WHERE ${s.userId} = ${userId} AND ${isLive} ORDER BY ${s.lastSeenAt} DESC, ${s.createdAt} DESC`,
);

/** The user `userId`, enabled and with the password whose hash was checked, null for none, as a condition of a change. */
export const isChecked = sql`EXISTS (
  SELECT 1 FROM ${as(u)}
  WHERE ${u.id} = ${userId} AND ${u.passwordHash} IS ${sql.placeholder("passwordHash")} AND ${u.disabledAt} IS NULL
)`;

/** A session to start. `waitingSecret` is not null for a sign-in that waits for a code. */
export interface NewSessionRow {
  idHash: string;
  expiresAt: number;
  now: number;
  waitingSecret: string | null;
  /** In words, for people. */
  browser: string;
  /** When the password was entered; 0 for a sign-in that confirms nothing. */
  passwordAt: number;
  /** 1 for single sign-on with nothing but a password, otherwise 0. */
  onlyPassword: number;
}

const { createdAt, expiresAt, waitingSecret, browser, lastSeenAt, passwordAt, onlyPassword } = sessions;
/** Starts a session if a condition holds. */
export const startIf = (condition: SQL) =>
  statement<{ started: 1 }>(sql`
    INSERT INTO ${sessions}
      (${names(sessions.idHash, sessions.userId, createdAt, expiresAt, waitingSecret, browser, lastSeenAt, passwordAt, onlyPassword)})
    SELECT ${idHash}, ${userId}, ${now}, ${sql.placeholder("expiresAt")}, ${sql.placeholder("waitingSecret")},
      ${sql.placeholder("browser")}, ${now}, ${sql.placeholder("passwordAt")}, ${sql.placeholder("onlyPassword")}
    WHERE ${condition}
    RETURNING 1 AS started
  `);

/** Ends the browser's previous session, and the user's expired ones. */
export const endStale = statement(sql`
  DELETE FROM ${sessions} WHERE ${sessions.idHash} = ${sql.placeholder("previous")}
    OR ${sessions.userId} = ${userId} AND (${sessions.expiresAt} <= ${now}
      OR ${sessions.lastSeenAt} <= ${now} - ${sql.raw(String(IDLE_MS))})
`);
const start = startIf(isChecked);
/** The new session exists and does not wait for a code. */
export const hasStarted = sql`EXISTS (
  SELECT 1 FROM ${as(s)} WHERE ${s.idHash} = ${idHash} AND ${s.userId} = ${userId} AND ${s.waitingSecret} IS NULL
)`;
const rememberDevice = remembering(hasStarted);

/**
 * Starts a session that replaces the browser's previous one, and remembers the browser unless the sign-in waits for a code.
 * Returns false if the user was disabled or the password changed after `passwordHash` was checked.
 */
export async function insertSession(
  db: D1Database,
  added: NewSessionRow & NewDeviceRow & SignIn & { passwordHash: string; previous: string | null },
): Promise<boolean> {
  const values = { ...added };
  const [, started] = await runBatch(
    db,
    endStale(db, values),
    start(db, values),
    ...(added.waitingSecret === null ? [auditSignIn(db, added)] : []),
    ...rememberDevice(db, values),
  );
  return started.length > 0;
}

type SignIn = { userId: number; now: number; browser: string };

/** The statement after the one that starts a session. */
export function auditSignIn(
  db: D1Database,
  { userId, now, browser }: SignIn,
  more: object = {},
): Bound<unknown> {
  return auditChange(db, { userId, now }, "sign in", "user", userId, { browser, ...more });
}

/**
 * Builds the statements that replace all sessions of a user with a new one. They run in the batch of a change, after it.
 * `isChanged` holds only if that change was applied.
 */
export function renewal(isChanged: SQL) {
  const end = statement(sql`DELETE FROM ${sessions} WHERE ${sessions.userId} = ${userId} AND ${isChanged}`);
  const renew = startIf(isChanged);
  return (db: D1Database, values: Record<string, Value>): [Bound<unknown>, Bound<unknown>] => [
    end(db, values),
    renew(db, values),
  ];
}
