/** Users, as operators manage them: role, password or single sign-on, API token, and whether they are disabled or erased. */
import { sql } from "drizzle-orm";
import { auditChange, type Operator } from "../../audit.ts";
import { insertValues } from "../../changes.ts";
import { alias, as, excluded, names, optional, pick, query, type RowOf, returning } from "../../query.ts";
import { apiTokens, auditLog, authenticators, users } from "../../schema.ts";
import { runBatch, runForRow } from "../../statement.ts";
import { pagedList } from "../lists/paged.ts";
import { contains, searchedList } from "../lists/searched.ts";

/** What an erased user has as email address. Nobody can enter it, because it has spaces. */
export const erasedEmail = sql`'erased user ' || ${users.id}`;
export const isErased = sql<number>`(${users.email} = ${erasedEmail})`;

export const fields = {
  ...pick(users, "id", "email", "role"),
  /** 1 if the user signs in with a password, 0 for single sign-on. */
  hasPassword: sql<number>`${users.passwordHash} IS NOT NULL`,
  tokenHint: sql<
    string | null
  >`(SELECT ${apiTokens.hint} FROM ${apiTokens} WHERE ${apiTokens.userId} = ${users.id})`,
  disabledAt: users.disabledAt,
  /** 1 for an erased user, who can no longer be changed, otherwise 0. */
  isErased,
  createdAt: users.createdAt,
  /** Null unless the user still has a temporary password. */
  passwordExpiresAt: users.passwordExpiresAt,
  twoFactorAt: sql<
    number | null
  >`(SELECT ${authenticators.createdAt} FROM ${authenticators} WHERE ${authenticators.userId} = ${users.id})`,
};

export type UserRow = RowOf<typeof fields>;

export interface StoredPassword {
  /** Null for single sign-on. */
  passwordHash: string | null;
  passwordExpiresAt: number | null;
}
export const NO_PASSWORD: StoredPassword = { passwordHash: null, passwordExpiresAt: null };

export const listUsers = pagedList(fields, { from: users });

/** Takes `q`, `role`, `sign_in`: `password` or `sso`, and `state`: `active` or `disabled`. */
export const searchUsers = searchedList(fields, {
  from: users,
  sorts: { email: sql`${users.email}`, "-created": sql`${users.id} DESC` },
  filters: {
    q: contains(users.email),
    role: sql`${users.role} = ${sql.placeholder("role")}`,
    sign_in: sql`(${users.passwordHash} IS NULL) = (${sql.placeholder("sign_in")} = 'sso') AND NOT ${isErased}`,
    state: sql`(${users.disabledAt} IS NULL) = (${sql.placeholder("state")} = 'active')`,
  },
});

const id = sql.placeholder("id");
export const byId = query(fields, sql`FROM ${users} WHERE ${users.id} = ${id}`);
const byEmail = query(fields, sql`FROM ${users} WHERE ${users.email} = ${sql.placeholder("email")}`);

const passwordOf = query(
  { passwordHash: users.passwordHash, passwordExpiresAt: users.passwordExpiresAt },
  sql`FROM ${users} WHERE ${users.id} = ${id}`,
);

/** The password that a user has now. */
export async function findPassword(db: D1Database, userId: number): Promise<StoredPassword> {
  return (await runForRow(db, passwordOf(db, { id: userId }))) ?? NO_PASSWORD;
}

export function findUser(db: D1Database, userId: number): Promise<UserRow | undefined> {
  return runForRow(db, byId(db, { id: userId }));
}

/** `email` in lower case. */
export function findUserByEmail(db: D1Database, email: string): Promise<UserRow | undefined> {
  return runForRow(db, byEmail(db, { email }));
}

const signIns = query(
  { lastSignIn: auditLog.happenedAt },
  sql`FROM ${auditLog} WHERE ${auditLog.subject} = 'user ' || CAST(${id} AS INTEGER) AND ${auditLog.action} = 'sign in' ORDER BY ${auditLog.id} DESC LIMIT 1`,
);
const by = alias(users, "b");
const creation = query(
  { ...optional({ creator: by.email }) },
  sql`FROM ${auditLog} LEFT JOIN ${as(by)} ON ${by.id} = ${auditLog.userId}
    WHERE ${auditLog.subject} = 'user ' || CAST(${id} AS INTEGER) AND ${auditLog.action} = 'create user' ORDER BY ${auditLog.id} LIMIT 1`,
);

/** When the user last signed in, null for never; and who created the user, null for a command, undefined if that was not recorded. */
export async function findUserHistory(db: D1Database, userId: number) {
  const [[last], [created]] = await runBatch(db, signIns(db, { id: userId }), creation(db, { id: userId }));
  return { lastSignIn: last?.lastSignIn ?? null, creator: created?.creator };
}

const insert = returning(
  sql`${insertValues(users, "email", "role", "passwordHash", "passwordExpiresAt", "createdAt")} ON CONFLICT DO NOTHING`,
  fields,
);

/** `email` in lower case. Returns undefined if another user has the email address. */
export function insertUser(
  db: D1Database,
  operator: Operator,
  { passwordHash, passwordExpiresAt, ...user }: Pick<UserRow, "email" | "role"> & StoredPassword,
): Promise<UserRow | undefined> {
  const detail = { role: user.role, signIn: passwordHash ? "password" : "sso" };
  const entry = auditChange(db, operator, "create user", "user", null, detail);
  const values = { ...user, passwordHash, passwordExpiresAt, createdAt: operator.now };
  return runForRow(db, insert(db, values), entry);
}

const o = alias(users, "o");
/** Another operator who can sign in, with a password that has not expired. */
export const anotherSignsIn = sql`EXISTS (
  SELECT 1 FROM ${as(o)} WHERE ${o.id} <> ${id} AND ${o.role} = 'operator' AND ${o.disabledAt} IS NULL
    AND ${o.passwordHash} IS NOT NULL AND coalesce(${o.passwordExpiresAt} > ${sql.placeholder("now")}, true)
)`;
// The conditions are part of the change. So two operators cannot remove each other in concurrent requests, and a member who
// becomes an operator after the role was judged is not changed.
export const mayBeChanged = sql`${users.id} = ${id} AND NOT ${isErased}
  AND (${sql.placeholder("isConfirmed")} OR ${users.role} = 'member')`;
/** Which user is changed: `isConfirmed` if the operator's own password was entered. Without it, no operator is changed. */
export type Target = { id: number; isConfirmed: boolean };

const ofUser = sql`${apiTokens.userId} = ${id}`;
const oldToken = query({ tokenHash: apiTokens.tokenHash }, sql`FROM ${apiTokens} WHERE ${ofUser}`);
const { tokenHash, hint, createdAt, sealed, lastUsedDay, role } = apiTokens;
const putToken = returning(
  sql`INSERT INTO ${apiTokens} (${names(tokenHash, apiTokens.userId, hint, createdAt, role)})
    SELECT ${sql.placeholder("tokenHash")}, ${users.id}, ${sql.placeholder("hint")}, ${sql.placeholder("now")}, ${users.role}
    FROM ${users} WHERE ${mayBeChanged} AND ${users.disabledAt} IS NULL AND ${users.passwordHash} IS NULL
    ON CONFLICT (${names(apiTokens.userId)}) DO UPDATE SET
      ${excluded(tokenHash, hint, createdAt, role)}, ${names(sealed)} = NULL, ${names(lastUsedDay)} = NULL`,
  { userId: apiTokens.userId },
);
/**
 * Replaces the API token of an enabled user without a password. Returns undefined for any other user, and for an operator if that
 * was not confirmed.
 */
export async function replaceToken(
  db: D1Database,
  operator: Operator,
  { id, isConfirmed }: Target,
  token: { tokenHash: string; hint: string },
): Promise<{ user: UserRow; oldHash: string | undefined } | undefined> {
  const values = { ...token, id, isConfirmed: Number(isConfirmed), now: operator.now };
  const [[old], replaced, , [user]] = await runBatch(
    db,
    oldToken(db, values),
    putToken(db, values),
    auditChange(db, operator, "issue API token", "user", id, { hint: token.hint }),
    byId(db, values),
  );
  return user && replaced.length > 0 ? { user, oldHash: old?.tokenHash } : undefined;
}
