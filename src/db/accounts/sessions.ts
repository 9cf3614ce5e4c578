/** Sessions of signed-in browsers. A session is stored under the SHA-256 of its ID. */
import { type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core/alias";
import { as, names, query, type RowOf } from "../query.ts";
import { apps, memberships, sessions, users } from "../schema.ts";
import { type Bound, runBatch, runIdempotent, statement, type Value } from "../statement.ts";

export const s = alias(sessions, "s");
const u = alias(users, "u");
const idHash = sql.placeholder("idHash");
const userId = sql.placeholder("userId");
const now = sql.placeholder("now");

/** The row `s` of a session that is known and has not expired. */
export const isCurrent = sql`${s.idHash} = ${idHash} AND ${s.expiresAt} > ${now}`;

const a = alias(apps, "a");
const m = alias(memberships, "m");
const appFields = { token: a.token, name: a.name, linkCount: a.linkCount };
export type OwnApp = RowOf<typeof appFields>;

const sessionFields = { userId: s.userId, email: u.email, role: u.role };
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

/** The user `userId`, enabled and with the password whose hash was checked, as a condition of a change. */
export const isChecked = sql`EXISTS (
  SELECT 1 FROM ${as(u)}
  WHERE ${u.id} = ${userId} AND ${u.passwordHash} = ${sql.placeholder("passwordHash")} AND ${u.disabledAt} IS NULL
)`;

/** A session to start. */
export interface NewSessionRow {
  idHash: string;
  expiresAt: number;
  now: number;
}

const startIf = (condition: SQL) =>
  statement<{ started: 1 }>(sql`
    INSERT INTO ${sessions} (${names(sessions.idHash, sessions.userId, sessions.createdAt, sessions.expiresAt)})
    SELECT ${idHash}, ${userId}, ${now}, ${sql.placeholder("expiresAt")} WHERE ${condition}
    RETURNING 1 AS started
  `);

const endStale = statement(sql`
  DELETE FROM ${sessions} WHERE ${sessions.idHash} = ${sql.placeholder("previous")}
    OR ${sessions.userId} = ${userId} AND ${sessions.expiresAt} <= ${now}
`);
const start = startIf(isChecked);

/**
 * Starts a session that replaces the browser's previous one. Returns false if the user was disabled or the password changed
 * after `passwordHash` was checked.
 */
export async function insertSession(
  db: D1Database,
  added: NewSessionRow & { userId: number; passwordHash: string; previous: string | null },
): Promise<boolean> {
  const [, started] = await runBatch(db, endStale(db, { ...added }), start(db, { ...added }));
  return started.length > 0;
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

const endOne = statement(sql`DELETE FROM ${sessions} WHERE ${sessions.idHash} = ${idHash}`);
const endAll = statement(sql`DELETE FROM ${sessions} WHERE ${sessions.userId} = ${userId}`);

export async function deleteSession(db: D1Database, idHash: string): Promise<void> {
  await runIdempotent(db, endOne(db, { idHash }));
}

/** Ends every session of a user. */
export async function deleteSessions(db: D1Database, userId: number): Promise<void> {
  await runIdempotent(db, endAll(db, { userId }));
}
