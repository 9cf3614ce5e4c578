/** Changes a user: role, email address, sign-in method, and whether the user is disabled. */
import { sql } from "drizzle-orm";
import { auditUpdate, given, type Operator } from "../../audit.ts";
import { setGiven, toValues } from "../../changes.ts";
import { alias, as, names, returning } from "../../query.ts";
import { accessTokens, apiTokens, identities, links, sessions, users } from "../../schema.ts";
import { runBatch, statement } from "../../statement.ts";
import {
  anotherSignsIn,
  byId,
  mayBeChanged,
  type StoredPassword,
  type Target,
  type UserRow,
} from "./users.ts";

const id = sql.placeholder("id");
const o = alias(users, "o");
const t = alias(apiTokens, "t");
const i = alias(identities, "i");
const isAllowed = sql`${mayBeChanged}
  AND (${users.role} = 'member' OR ${anotherSignsIn} OR ${sql.placeholder("keepsRole")} AND ${sql.placeholder("keepsPassword")})
  AND NOT EXISTS (SELECT 1 FROM ${as(o)} WHERE ${o.email} = ${sql.placeholder("email")} AND ${o.id} <> ${id})`;
const update = returning(
  sql`UPDATE ${users} SET ${setGiven(users, "role", "email", "passwordHash", "passwordExpiresAt")},
      ${names(users.disabledAt)} = CASE ${sql.placeholder("disabled")}
        WHEN 1 THEN coalesce(${users.disabledAt}, ${sql.placeholder("now")}) WHEN 0 THEN NULL ELSE ${users.disabledAt} END
    WHERE ${isAllowed}`,
  { id: users.id },
);
const isDisabled = sql`${users.disabledAt} IS NOT NULL`;
const method = sql`iif(${users.passwordHash} IS NULL, 'sso', 'password')`;
const tokenState = sql`iif(EXISTS (SELECT 1 FROM ${as(t)} WHERE ${t.userId} = ${id}), 'active', 'none')`;
const identityState = sql`iif(EXISTS (SELECT 1 FROM ${as(i)} WHERE ${i.userId} = ${id}), 'linked', 'unlinked')`;
/** Triggers unlink a user who gets another address, becomes an operator, or gets a password. */
const losesIdentity = sql`${given("email", users.email)} <> ${users.email}
  OR ${given("role", users.role)} = 'operator' AND ${users.role} <> 'operator'
  OR ${sql.placeholder("isGiven.passwordHash")} AND ${sql.placeholder("keepsPassword")}`;
const accessTokenCount = sql`(SELECT count(*) FROM ${accessTokens} WHERE ${accessTokens.userId} = ${id})`;
const audit = auditUpdate({
  action: "update user",
  subject: sql`'user ' || ${users.id}`,
  row: sql`FROM ${users} WHERE ${isAllowed}`,
  fields: {
    role: { column: users.role, from: users.role, to: given("role", users.role) },
    email: { column: users.email, from: users.email, to: given("email", users.email), isPersonal: true },
    disabled: {
      // A column with the type of the flag.
      column: links.archived,
      from: isDisabled,
      to: sql`coalesce(${sql.placeholder("disabled")} = 1, ${isDisabled})`,
    },
    sign_in: {
      column: users.role,
      from: method,
      to: sql`iif(${sql.placeholder("isGiven.passwordHash")}, iif(${sql.placeholder("keepsPassword")}, 'new password', 'sso'), ${method})`,
    },
    api_token: {
      column: users.role,
      from: tokenState,
      to: sql`iif(${sql.placeholder("revokesToken")} AND ${tokenState} = 'active', 'revoked', ${tokenState})`,
    },
    single_sign_on: {
      column: users.role,
      from: identityState,
      to: sql`iif(${losesIdentity}, 'unlinked', ${identityState})`,
    },
    access_tokens: {
      // A column with the type of a number.
      column: users.id,
      from: accessTokenCount,
      to: sql`iif(${sql.placeholder("isGiven.passwordHash")} AND (${sql.placeholder("keepsPassword")} OR ${users.passwordHash} IS NOT NULL), 0, ${accessTokenCount})`,
    },
  },
});
/**
 * The new hash is salted, so only a user whose password has just changed has it. A trigger does the same, and more, when the sign-in
 * method changes.
 */
const hasNewPassword = sql`EXISTS (
  SELECT 1 FROM ${users} WHERE ${users.id} = ${id} AND ${users.passwordHash} = ${sql.placeholder("passwordHash")}
)`;
/** A new password ends the sessions of the old one, and the access tokens. The token encrypted with the old one becomes unreadable. */
const endOldSessions = statement(
  sql`DELETE FROM ${sessions} WHERE ${sessions.userId} = ${id} AND ${hasNewPassword}`,
);
const endAccessTokens = statement(
  sql`DELETE FROM ${accessTokens} WHERE ${accessTokens.userId} = ${id} AND ${hasNewPassword}`,
);
const unseal = statement(sql`
  UPDATE ${apiTokens} SET ${names(apiTokens.sealed)} = NULL WHERE ${apiTokens.userId} = ${id} AND ${hasNewPassword}
`);

const revokeToken = statement(
  sql`DELETE FROM ${apiTokens} WHERE ${apiTokens.userId} = ${id} AND ${hasNewPassword}`,
);

interface UserChange {
  role?: UserRow["role"] | undefined;
  disabled?: boolean | undefined;
  /** In lower case. */
  email?: string | undefined;
  password?: StoredPassword;
  /** Deletes the API token together with the change of the password. */
  revokesToken?: boolean;
}

/**
 * Changes a user. When the user is disabled or gets another role, triggers delete the sessions, and the token or the known
 * browsers, in the same transaction. Returns undefined if the user is an operator and that was not confirmed, if the change would
 * leave no operator who can sign in, if another user has the email address, or if the user was erased.
 */
export async function updateUser(
  db: D1Database,
  operator: Operator,
  { id: userId, isConfirmed }: Target,
  { role, disabled, email, password, revokesToken }: UserChange,
): Promise<UserRow | undefined> {
  const setPassword = password !== undefined;
  const { passwordHash, passwordExpiresAt } = password ?? {};
  const values = {
    ...toValues({ id: userId, role, disabled, email, passwordHash, passwordExpiresAt, now: operator.now }),
    isConfirmed: Number(isConfirmed),
    keepsRole: Number(role !== "member" && !disabled),
    keepsPassword: Number(passwordHash !== null),
    revokesToken: Number(revokesToken ?? false),
    userId: operator.userId,
  };
  const [, updated, ...others] = await runBatch(
    db,
    audit(db, values),
    update(db, values),
    ...(setPassword
      ? [
          (revokesToken ? revokeToken : unseal)(db, values),
          endOldSessions(db, values),
          endAccessTokens(db, values),
        ]
      : []),
    byId(db, values),
  );
  const user = others.at(-1)?.[0] as UserRow | undefined;
  return updated.length > 0 ? user : undefined;
}
