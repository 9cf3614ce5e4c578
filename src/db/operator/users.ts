/** Users, as operators manage them: role, password or single sign-on, API token, and whether they are disabled. */
import { type SQL, sql } from "drizzle-orm";
import { statement, type Value } from "../statement.ts";
import { type Actor, auditStatement, operator, operatorList, runAsOperator, subjectOf } from "./audit.ts";

export interface UserRow {
  id: number;
  email: string;
  role: "member" | "operator";
  /** Whether the user signs in with a password, not with single sign-on. */
  has_password: number;
  token_hint: string | null;
  disabled_at: number | null;
  created_at: number;
}

const columns = sql`
  x.id, x.email, x.role, x.password_hash IS NOT NULL AS has_password, x.disabled_at, x.created_at,
  (SELECT hint FROM api_tokens WHERE user_id = x.id) AS token_hint
`;

export const listUsers = operatorList<UserRow>("users", { columns });

const id = sql.placeholder("id");

const one = statement<UserRow>(sql`SELECT ${columns} FROM ${operator} CROSS JOIN users x WHERE x.id = ${id}`);

export async function findUser(db: D1Database, actor: Actor, userId: number) {
  const { access, rows } = await runAsOperator(db, actor, one(db, { ...actor, id: userId }));
  return { access, user: rows[0][0] };
}

const email = sql.placeholder("email");
const free = sql`NOT EXISTS (SELECT 1 FROM users WHERE email = ${email})`;
const insert = statement<{ id: number }>(sql`
  INSERT INTO users (email, role, password_hash, created_at)
  SELECT ${email}, ${sql.placeholder("role")}, ${sql.placeholder("passwordHash")}, ${sql.placeholder("now")}
  FROM ${operator} WHERE ${free}
  RETURNING id
`);
const auditInsert = auditStatement(
  "create user",
  sql`'user ' || (SELECT coalesce(max(id), 0) + 1 FROM users)`,
  free,
);
const withEmail = statement<UserRow>(
  sql`SELECT ${columns} FROM ${operator} CROSS JOIN users x WHERE x.email = ${email}`,
);

/** `email` in lower case. */
export async function findUserByEmail(db: D1Database, actor: Actor, email: string) {
  const { access, rows } = await runAsOperator(db, actor, withEmail(db, { ...actor, email }));
  return { access, user: rows[0][0] };
}

/** `email` in lower case. A null hash means single sign-on. `inserted` is false if another user has the email address. */
export async function insertUser(
  db: D1Database,
  actor: Actor,
  user: { email: string; role: UserRow["role"]; passwordHash: string | null },
) {
  const values = { ...actor, ...user };
  const detail = { email: user.email, role: user.role, sign_in: user.passwordHash ? "password" : "sso" };
  const { access, rows } = await runAsOperator(
    db,
    actor,
    auditInsert(db, values, detail),
    insert(db, values),
    withEmail(db, values),
  );
  return { access, inserted: rows[1].length > 0, user: rows[2][0] };
}

/** Whether there is an operator who can act: with a password in the console, or with a token through the API. */
const acting = (key: SQL) => sql`EXISTS (
  SELECT 1 FROM users u WHERE u.role = 'operator' AND u.disabled_at IS NULL AND u.id ${key}
    AND (u.password_hash IS NOT NULL OR EXISTS (SELECT 1 FROM api_tokens t WHERE t.user_id = u.id))
)`;
/** False if the change would leave no operator who can act. */
const operatorRemains = sql`(
  (coalesce(${sql.placeholder("role")}, 'operator') = 'operator' AND ${sql.placeholder("disabled")} IS NOT 1
    AND (NOT ${sql.placeholder("setPassword")} OR ${sql.placeholder("passwordHash")} IS NOT NULL
      OR EXISTS (SELECT 1 FROM api_tokens WHERE user_id = ${id})))
  OR ${acting(sql`<> ${id}`)} OR NOT ${acting(sql`= ${id}`)}
)`;
const update = statement<Pick<UserRow, "role" | "disabled_at" | "has_password">>(sql`
  UPDATE users SET
    role = coalesce(${sql.placeholder("role")}, role),
    disabled_at = CASE ${sql.placeholder("disabled")}
      WHEN 1 THEN coalesce(disabled_at, ${sql.placeholder("now")}) WHEN 0 THEN NULL ELSE disabled_at END,
    password_hash = iif(${sql.placeholder("setPassword")}, ${sql.placeholder("passwordHash")}, password_hash)
  WHERE id = ${id} AND EXISTS (SELECT 1 FROM ${operator}) AND ${operatorRemains}
  RETURNING role, disabled_at, password_hash IS NOT NULL AS has_password
`);
const auditUpdate = auditStatement(
  "update user",
  subjectOf("user", id),
  sql`EXISTS (SELECT 1 FROM users WHERE id = ${id}) AND ${operatorRemains}`,
);
/** The new hash is salted, so only a user whose password has just changed has it. A user without a password has no session. */
const signInChanged = sql`${sql.placeholder("setPassword")} AND EXISTS (
  SELECT 1 FROM users WHERE id = ${id} AND password_hash IS ${sql.placeholder("passwordHash")}
)`;
/** A new password, or none, ends the sessions of the old one. The token encrypted with the old one becomes unreadable. */
const endSessions = statement(sql`DELETE FROM sessions WHERE user_id = ${id} AND ${signInChanged}`);
const unseal = statement(sql`UPDATE api_tokens SET sealed = NULL WHERE user_id = ${id} AND ${signInChanged}`);

export interface UserChange {
  role?: UserRow["role"] | undefined;
  disabled?: boolean | undefined;
  /** Null for single sign-on from now on. */
  passwordHash?: string | null | undefined;
}

/**
 * Changes a user. When the user is disabled, a trigger deletes the token and the sessions in the same transaction. `before` is
 * undefined if there is no such user, `user` if the change would leave no operator who can act.
 */
export async function updateUser(db: D1Database, actor: Actor, userId: number, change: UserChange) {
  const values: Record<string, Value> = {
    ...actor,
    id: userId,
    role: change.role ?? null,
    disabled: change.disabled === undefined ? null : Number(change.disabled),
    setPassword: Number(change.passwordHash !== undefined),
    passwordHash: change.passwordHash ?? null,
  };
  const { passwordHash, ...detail } = change;
  const signIn = passwordHash === undefined ? {} : { sign_in: passwordHash ? "new password" : "sso" };
  const { access, rows } = await runAsOperator(
    db,
    actor,
    one(db, values),
    auditUpdate(db, values, { ...detail, ...signIn }),
    update(db, values),
    unseal(db, values),
    endSessions(db, values),
  );
  const [[before], , [changed]] = rows;
  const user = before && changed && { ...before, ...changed };
  return { access, before, user: user && { ...user, token_hint: user.disabled_at ? null : user.token_hint } };
}

const enabled = sql`EXISTS (SELECT 1 FROM users WHERE id = ${id} AND disabled_at IS NULL)`;
const putToken = statement<{ user_id: number }>(sql`
  INSERT INTO api_tokens (token_hash, user_id, hint, created_at)
  SELECT ${sql.placeholder("newHash")}, ${id}, ${sql.placeholder("hint")}, ${sql.placeholder("now")}
  FROM ${operator} WHERE ${enabled}
  ON CONFLICT (user_id) DO UPDATE SET
    token_hash = excluded.token_hash, hint = excluded.hint, created_at = excluded.created_at,
    sealed = NULL, last_used_day = NULL
  RETURNING user_id
`);
const auditToken = auditStatement("issue API token", subjectOf("user", id), enabled);
const oldToken = statement<{ token_hash: string }>(sql`
  SELECT t.token_hash FROM ${operator} CROSS JOIN api_tokens t WHERE t.user_id = ${id}
`);

const endOwnersSessions = statement(sql`
  DELETE FROM sessions
  WHERE user_id = (SELECT user_id FROM api_tokens WHERE token_hash = ${sql.placeholder("newHash")})
`);

/** Replaces a user's API token, returns the old one's hash, and ends the user's sessions. */
export async function replaceToken(
  db: D1Database,
  actor: Actor,
  userId: number,
  token: { newHash: string; hint: string },
) {
  const values = { ...actor, ...token, id: userId };
  const { access, rows } = await runAsOperator(
    db,
    actor,
    one(db, values),
    oldToken(db, values),
    auditToken(db, values, { hint: token.hint }),
    putToken(db, values),
    endOwnersSessions(db, values),
  );
  return { access, user: rows[0][0], oldHash: rows[1][0]?.token_hash, replaced: rows[3].length > 0 };
}
