/** Users, as operators manage them: role, password or single sign-on, API token, and whether they are disabled. */
import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core/alias";
import { insertInto, setGiven, toValues } from "../changes.ts";
import { as, excluded, names, query, type RowOf, returning } from "../query.ts";
import { apiTokens, sessions, users } from "../schema.ts";
import { runBatch, runForRow, statement } from "../statement.ts";
import { auditChange, type Operator } from "./audit.ts";
import { pagedList } from "./paged-list.ts";

const fields = {
  id: users.id,
  email: users.email,
  role: users.role,
  /** 1 if the user signs in with a password, 0 for single sign-on. */
  hasPassword: sql<number>`${users.passwordHash} IS NOT NULL`,
  tokenHint: sql<
    string | null
  >`(SELECT ${apiTokens.hint} FROM ${apiTokens} WHERE ${apiTokens.userId} = ${users.id})`,
  disabledAt: users.disabledAt,
  createdAt: users.createdAt,
  /** Null unless the user still has a temporary password. */
  passwordExpiresAt: users.passwordExpiresAt,
};

export type UserRow = RowOf<typeof fields>;

export interface StoredPassword {
  /** Null for single sign-on. */
  passwordHash: string | null;
  passwordExpiresAt: number | null;
}
export const NO_PASSWORD: StoredPassword = { passwordHash: null, passwordExpiresAt: null };

export const listUsers = pagedList(fields, { from: users });

const id = sql.placeholder("id");
const byId = query(fields, sql`FROM ${users} WHERE ${users.id} = ${id}`);
const byEmail = query(fields, sql`FROM ${users} WHERE ${users.email} = ${sql.placeholder("email")}`);

const passwordOf = query({ passwordHash: users.passwordHash }, sql`FROM ${users} WHERE ${users.id} = ${id}`);

/** The stored hash of the user's password; null with single sign-on. */
export async function findPasswordHash(db: D1Database, userId: number): Promise<string | null> {
  return (await runForRow(db, passwordOf(db, { id: userId })))?.passwordHash ?? null;
}

export function findUser(db: D1Database, userId: number): Promise<UserRow | undefined> {
  return runForRow(db, byId(db, { id: userId }));
}

/** `email` in lower case. */
export function findUserByEmail(db: D1Database, email: string): Promise<UserRow | undefined> {
  return runForRow(db, byEmail(db, { email }));
}

const insert = returning(
  sql`${insertInto(users, "email", "role", "passwordHash", "passwordExpiresAt", "createdAt")} ON CONFLICT DO NOTHING`,
  fields,
);

/** `email` in lower case. Returns undefined if another user has the email address. */
export function insertUser(
  db: D1Database,
  operator: Operator,
  { passwordHash, passwordExpiresAt, ...user }: Pick<UserRow, "email" | "role"> & StoredPassword,
): Promise<UserRow | undefined> {
  const detail = { ...user, signIn: passwordHash ? "password" : "sso" };
  const entry = auditChange(db, operator, "create user", "user", null, detail);
  const values = { ...user, passwordHash, passwordExpiresAt, createdAt: operator.now };
  return runForRow(db, insert(db, values), entry);
}

const o = alias(users, "o");
const t = alias(apiTokens, "t");
/** Another operator who can act: with a password that has not expired in the console, or with a token through the API. */
const anotherOperator = sql`EXISTS (
  SELECT 1 FROM ${as(o)} WHERE ${o.id} <> ${id} AND ${o.role} = 'operator' AND ${o.disabledAt} IS NULL
    AND (${o.passwordHash} IS NOT NULL AND coalesce(${o.passwordExpiresAt} > ${sql.placeholder("now")}, true) OR EXISTS (SELECT 1 FROM ${as(t)} WHERE ${t.userId} = ${o.id} AND ${t.role} = 'operator'))
)`;
/** The user keeps the role, and a password or a token to use it with. */
const keepsAccess = sql`
  ${sql.placeholder("keepsRole")}
  AND (${sql.placeholder("keepsPassword")} OR EXISTS (SELECT 1 FROM ${as(t)} WHERE ${t.userId} = ${id} AND ${t.role} = 'operator'))
`;
// The condition is part of the change, so that two operators cannot remove each other in concurrent requests.
const update = returning(
  sql`UPDATE ${users} SET ${setGiven(users, "role", "passwordHash", "passwordExpiresAt")},
      ${names(users.disabledAt)} = CASE ${sql.placeholder("disabled")}
        WHEN 1 THEN coalesce(${users.disabledAt}, ${sql.placeholder("now")}) WHEN 0 THEN NULL ELSE ${users.disabledAt} END
    WHERE ${users.id} = ${id} AND (${anotherOperator} OR ${keepsAccess})`,
  { id: users.id },
);
/** The new hash is salted, so only a user whose password has just changed has it. A user without a password has no session. */
const hasNewPassword = sql`EXISTS (
  SELECT 1 FROM ${users} WHERE ${users.id} = ${id} AND ${users.passwordHash} IS ${sql.placeholder("passwordHash")}
)`;
/** A new password, or none, ends the sessions of the old one. The token encrypted with the old one becomes unreadable. */
const endOldSessions = statement(
  sql`DELETE FROM ${sessions} WHERE ${sessions.userId} = ${id} AND ${hasNewPassword}`,
);
const unseal = statement(sql`
  UPDATE ${apiTokens} SET ${names(apiTokens.sealed)} = NULL WHERE ${apiTokens.userId} = ${id} AND ${hasNewPassword}
`);

const revokeToken = statement(
  sql`DELETE FROM ${apiTokens} WHERE ${apiTokens.userId} = ${id} AND ${hasNewPassword}`,
);

export interface UserChange {
  role?: UserRow["role"] | undefined;
  disabled?: boolean | undefined;
  password?: StoredPassword;
  /** Deletes the API token together with the change of the password. */
  revokesToken?: boolean;
}

/**
 * Changes a user. When the user is disabled, a trigger deletes the token and the sessions in the same transaction. Returns
 * undefined if the change would leave no operator who can act.
 */
export async function updateUser(
  db: D1Database,
  operator: Operator,
  userId: number,
  { role, disabled, password, revokesToken }: UserChange,
): Promise<UserRow | undefined> {
  const setPassword = password !== undefined;
  const { passwordHash, passwordExpiresAt } = password ?? {};
  const values = {
    ...toValues({ id: userId, role, disabled, passwordHash, passwordExpiresAt, now: operator.now }),
    keepsRole: Number(role !== "member" && !disabled),
    keepsPassword: Number(passwordHash !== null),
  };
  const detail = {
    role,
    disabled,
    ...(setPassword && { signIn: passwordHash ? "new password" : "sso" }),
    ...(revokesToken && { apiToken: "revoked" }),
  };
  const [updated, ...others] = await runBatch(
    db,
    update(db, values),
    auditChange(db, operator, "update user", "user", userId, detail),
    ...(setPassword ? [(revokesToken ? revokeToken : unseal)(db, values), endOldSessions(db, values)] : []),
    byId(db, values),
  );
  const user = others.at(-1)?.[0] as UserRow | undefined;
  return updated.length > 0 ? user : undefined;
}

const ofUser = sql`${apiTokens.userId} = ${id}`;
const oldToken = query({ tokenHash: apiTokens.tokenHash }, sql`FROM ${apiTokens} WHERE ${ofUser}`);
const { tokenHash, hint, createdAt, sealed, lastUsedDay, role } = apiTokens;
const putToken = returning(
  sql`INSERT INTO ${apiTokens} (${names(tokenHash, apiTokens.userId, hint, createdAt, role)})
    SELECT ${sql.placeholder("tokenHash")}, ${users.id}, ${sql.placeholder("hint")}, ${sql.placeholder("now")}, ${users.role}
    FROM ${users} WHERE ${users.id} = ${id} AND ${users.disabledAt} IS NULL AND ${users.passwordHash} IS NULL
    ON CONFLICT (${names(apiTokens.userId)}) DO UPDATE SET
      ${excluded(tokenHash, hint, createdAt, role)}, ${names(sealed)} = NULL, ${names(lastUsedDay)} = NULL`,
  { userId: apiTokens.userId },
);
/** Replaces the API token of an enabled user without a password, who has no sessions. `user` is undefined if there is none. */
export async function replaceToken(
  db: D1Database,
  operator: Operator,
  userId: number,
  token: { tokenHash: string; hint: string },
) {
  const values = { ...token, id: userId, now: operator.now };
  const [[old], replaced, , [user]] = await runBatch(
    db,
    oldToken(db, values),
    putToken(db, values),
    auditChange(db, operator, "issue API token", "user", userId, { hint: token.hint }),
    byId(db, values),
  );
  return { user, replaced: replaced.length > 0, oldHash: old?.tokenHash };
}
