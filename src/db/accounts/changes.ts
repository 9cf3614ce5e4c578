/**
 * Changes passwords and own API tokens. A change requires the password hash and the API token that were read before it, so
 * exactly one of two concurrent changes succeeds. A session that ends in between does not stop a change that has been checked.
 */
import { sql } from "drizzle-orm";
import { auditChange } from "../audit.ts";
import { alias, as, names, returning } from "../query.ts";
import { apiTokens, authenticators, users } from "../schema.ts";
import { runBatch, statement } from "../statement.ts";
import { apiToken as t } from "./api-tokens.ts";
import { type NewDeviceRow, remembering } from "./devices.ts";
import { detailOf, type EndedTokens, endingTokens, hashesOf } from "./ended-tokens.ts";
import { isChecked, type NewSessionRow, renewal } from "./sessions.ts";

/** What was read and checked before a change: null for a user without a password, or without an API token. */
type Checked = { userId: number; passwordHash: string | null; tokenHash: string | null };

const u = alias(users, "u");
const userId = sql.placeholder("userId");
const newHash = sql.placeholder("newHash");
const sealed = sql.placeholder("sealed");

const isUnchanged = sql`${isChecked}
  AND (SELECT ${t.tokenHash} FROM ${as(t)} WHERE ${t.userId} = ${userId}) IS ${sql.placeholder("tokenHash")}`;

// A user has at most one token, so this replaces the old one.
const { tokenHash, hint, createdAt } = apiTokens;
const replaceToken = returning(
  sql`INSERT OR REPLACE INTO ${apiTokens} (${names(tokenHash, apiTokens.userId, hint, apiTokens.sealed, createdAt, apiTokens.role)})
    SELECT ${newHash}, ${u.id}, ${sql.placeholder("hint")}, ${sealed}, ${sql.placeholder("now")}, ${u.role}
    FROM ${as(u)} WHERE ${u.id} = ${userId} AND ${isUnchanged}`,
  { userId: apiTokens.userId },
);
const isSwapped = sql`EXISTS (SELECT 1 FROM ${as(t)} WHERE ${t.tokenHash} = ${newHash} AND ${t.userId} = ${userId})`;
const renewAfterSwap = renewal(isSwapped);
const endTokensAfterSwap = endingTokens(isSwapped);

/**
 * Creates or replaces the user's API token, and replaces all of the user's sessions with a new one. Returns the hashes of the access
 * tokens that it ended, which is none of them unless `endsAccessTokens` is set. Changes nothing and returns undefined if the password
 * or the token changed since it was read.
 */
export async function swapToken(
  db: D1Database,
  checked: Checked,
  added: { newHash: string; hint: string; sealed: string | null; endsAccessTokens: boolean },
  renewed: NewSessionRow,
): Promise<string[] | undefined> {
  const { endsAccessTokens, ...token } = added;
  const values = { ...checked, ...token, ...renewed };
  const ending = { endsAccessTokens, endsApiToken: false };
  const action = checked.tokenHash === null ? "create API token" : "reset API token";
  const detail = { hint: added.hint, ...detailOf(ending) };
  const [endAccessTokens] = endTokensAfterSwap(db, values, ending);
  const [swapped, , ended] = await runBatch(
    db,
    replaceToken(db, values),
    auditChange(db, values, action, "user", checked.userId, detail),
    endAccessTokens,
    ...renewAfterSwap(db, values),
  );
  return swapped.length > 0 ? hashesOf(ended) : undefined;
}

const changePassword = returning(
  sql`UPDATE ${users} SET ${names(users.passwordHash)} = ${newHash}, ${names(users.passwordExpiresAt)} = NULL
    WHERE ${users.id} = ${userId} AND ${isUnchanged}`,
  { id: users.id },
);
/** The new hash is salted, so the user has it only if this request set it. */
const isChanged = sql`EXISTS (SELECT 1 FROM ${as(u)} WHERE ${u.id} = ${userId} AND ${u.passwordHash} = ${newHash})`;
const sealAgain = statement(sql`
  UPDATE ${apiTokens} SET ${names(apiTokens.sealed)} = ${sealed} WHERE ${apiTokens.userId} = ${userId} AND ${isChanged}
`);
const sealSecretAgain = statement(sql`
  UPDATE ${authenticators}
  SET ${names(authenticators.sealed)} = coalesce(${sql.placeholder("sealedSecret")}, ${authenticators.sealed})
  WHERE ${authenticators.userId} = ${userId} AND ${isChanged}
`);
const endTokensAfterChange = endingTokens(isChanged);
const renewAfterChange = renewal(isChanged);
const rememberAfterChange = remembering(isChanged);

/**
 * Sets a new password and the token and the two-factor secret encrypted with it, and replaces all of the user's sessions and known
 * browsers with new ones of this browser. Returns the hashes of the tokens that it ended. Changes nothing and returns undefined if
 * the password or the token changed since it was read.
 */
export async function updatePassword(
  db: D1Database,
  checked: Checked,
  changed: { newHash: string; sealed: string | null; sealedSecret: string | null },
  ending: EndedTokens,
  renewed: NewSessionRow & NewDeviceRow,
): Promise<string[] | undefined> {
  const values = { ...checked, ...changed, ...renewed };
  const [updated, , ...ended] = await runBatch(
    db,
    changePassword(db, values),
    auditChange(db, values, "change password", "user", checked.userId, detailOf(ending)),
    ...endTokensAfterChange(db, values, ending),
    sealAgain(db, values),
    sealSecretAgain(db, values),
    ...renewAfterChange(db, values),
    ...rememberAfterChange(db, values),
  );
  const [accessTokens, apiTokens] = ended;
  return updated.length > 0 ? hashesOf(accessTokens, apiTokens) : undefined;
}
