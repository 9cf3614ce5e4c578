/** The access tokens of a user: listed, created, and ended by the user. A token is stored under its SHA-256. */
import { sql } from "drizzle-orm";
import { auditChange, insertEntry } from "../audit.ts";
import { alias, as, names, optional, query, type RowOf, returning } from "../query.ts";
import { accessTokens, apps, memberships, users } from "../schema.ts";
import { runBatch, runIdempotent, statement } from "../statement.ts";
import { accessToken as x } from "./api-tokens.ts";

/** How many tokens a user can have at the same time, without those that have expired. */
export const MAX_ACCESS_TOKENS = 20;

const a = alias(apps, "a");
const u = alias(users, "u");
const m = alias(memberships, "m");
const userId = sql.placeholder("userId");
const now = sql.placeholder("now");
const appToken = sql.placeholder("appToken");

const fields = {
  tokenHash: x.tokenHash,
  name: x.name,
  hint: x.hint,
  scope: x.scope,
  appToken: x.appToken,
  ...optional({ appName: a.name }),
  createdAt: x.createdAt,
  expiresAt: x.expiresAt,
  lastUsedDay: x.lastUsedDay,
};
export type ListedToken = RowOf<typeof fields>;

// Those that are valid come first, and there are fewer of them.
const list = query(
  fields,
  sql`FROM ${as(x)} LEFT JOIN ${as(a)} ON ${a.token} = ${x.appToken} WHERE ${x.userId} = ${userId}
    ORDER BY ${x.expiresAt} DESC, ${x.tokenHash} LIMIT 100`,
);

/** The tokens of a user: those that are valid, and at most 100 in all with those that have expired. */
export async function listAccessTokens(db: D1Database, userId: number): Promise<ListedToken[]> {
  const [found] = await runIdempotent(db, list(db, { userId }));
  return found;
}

export interface NewAccessToken {
  tokenHash: string;
  name: string;
  hint: string;
  scope: ListedToken["scope"];
  appToken: string | null;
  expiresAt: number;
}

const token = accessTokens;
const insert = returning(
  sql`INSERT INTO ${token} (${names(token.tokenHash, token.userId, token.name, token.hint, token.scope, token.appToken, token.role, token.createdAt, token.expiresAt)})
    SELECT ${sql.placeholder("tokenHash")}, ${u.id}, ${sql.placeholder("name")}, ${sql.placeholder("hint")}, ${sql.placeholder("scope")},
      ${appToken}, ${u.role}, ${now}, ${sql.placeholder("expiresAt")}
    FROM ${as(u)} WHERE ${u.id} = ${userId} AND ${u.passwordHash} IS ${sql.placeholder("passwordHash")} AND ${u.disabledAt} IS NULL
      AND (${appToken} IS NULL OR EXISTS (SELECT 1 FROM ${as(m)} WHERE ${m.userId} = ${userId} AND ${m.appToken} = ${appToken}))
      AND (SELECT count(*) FROM ${as(x)} WHERE ${x.userId} = ${userId} AND ${x.expiresAt} > ${now}) < ${sql.raw(String(MAX_ACCESS_TOKENS))}`,
  { userId: token.userId },
);

/**
 * Creates a token of a user, who has confirmed it. `passwordHash` is that of the password that was entered, null for a user without
 * one. Returns false if the password changed since then, the user is not a member of the app, or has too many tokens.
 */
export async function insertAccessToken(
  db: D1Database,
  owner: { userId: number; passwordHash: string | null; now: number },
  added: NewAccessToken,
): Promise<boolean> {
  const { hint, scope, appToken, expiresAt } = added;
  const [inserted] = await runBatch(
    db,
    insert(db, { ...owner, ...added }),
    auditChange(db, owner, "create access token", "user", owner.userId, {
      hint,
      scope,
      appToken,
      expiresAt: new Date(expiresAt).toISOString(),
    }),
  );
  return inserted.length > 0;
}

/** A token of the user: the beginning of its hash, which names it in the list. */
const REFERENCE_LENGTH = 16;
export const toTokenReference = (tokenHash: string) => tokenHash.slice(0, REFERENCE_LENGTH);

const isNamed = sql`${x.userId} = ${userId} AND substr(${x.tokenHash}, 1, ${sql.raw(String(REFERENCE_LENGTH))}) = ${sql.placeholder("reference")}`;
const auditEnd = statement(
  sql`${insertEntry("end access token", {
    userId: sql`${x.userId}`,
    subject: sql`'user ' || ${x.userId}`,
    detail: sql`json_object('hint', ${x.hint})`,
  })} FROM ${as(x)} WHERE ${isNamed}`,
);
const endNamed = returning(
  sql`DELETE FROM ${token} WHERE ${token.tokenHash} IN (SELECT ${x.tokenHash} FROM ${as(x)} WHERE ${isNamed})`,
  { tokenHash: token.tokenHash },
);

/** Ends the token of the user with this reference. Returns its hash; undefined if there is none. */
export async function endAccessToken(
  db: D1Database,
  ended: { userId: number; reference: string; now: number },
): Promise<string | undefined> {
  const [, [row]] = await runBatch(db, auditEnd(db, ended), endNamed(db, ended));
  return row?.tokenHash;
}
