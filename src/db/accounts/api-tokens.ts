/**
 * Looks up the tokens of users in D1, which is authoritative: the one API token of a user, and access tokens. Every statement on a
 * user's behalf joins the token's row first.
 */
import { sql } from "drizzle-orm";
import { alias, as, names, query } from "../query.ts";
import { accessTokens, apiTokens, users } from "../schema.ts";
import { runGrouped, runGroupedIdempotent, statement } from "../statement.ts";

const tokenHash = sql.placeholder("tokenHash");

/** The caller's API token, for statements that join it. */
export const apiToken = alias(apiTokens, "t");

/** The caller's access token. */
export const accessToken = alias(accessTokens, "x");

/** Which token a caller sent. `now` is in milliseconds since 1970. */
export type TokenViewer =
  | { by: "token"; tokenHash: string }
  | { by: "access"; tokenHash: string; now: number };

/** The condition that selects the row of a valid token. */
export const isCaller = {
  token: sql`${apiToken.tokenHash} = ${tokenHash}`,
  access: sql`${accessToken.tokenHash} = ${tokenHash} AND ${accessToken.expiresAt} > ${sql.placeholder("now")}`,
};

const access = {
  token: query({ userId: apiToken.userId }, sql`FROM ${as(apiToken)} WHERE ${isCaller.token}`),
  access: query({ userId: accessToken.userId }, sql`FROM ${as(accessToken)} WHERE ${isCaller.access}`),
};

/** Returns undefined for a token that is unknown, was reset or ended, or has expired. */
export async function findAccess(
  db: D1Database,
  viewer: TokenViewer,
): Promise<{ userId: number } | undefined> {
  const [rows] = await runGrouped()(db, access[viewer.by](db, viewer));
  return rows[0];
}

const u = alias(users, "u");
/** `issuedAs` is the user's role when the token was issued. `onlyApp` is not null for an access token of one app. */
const tokenUser = {
  token: query(
    { userId: apiToken.userId, role: u.role, issuedAs: apiToken.role, onlyApp: sql<string | null>`NULL` },
    sql`FROM ${as(apiToken)} JOIN ${as(u)} ON ${u.id} = ${apiToken.userId} WHERE ${isCaller.token}`,
  ),
  access: query(
    { userId: accessToken.userId, role: u.role, issuedAs: accessToken.role, onlyApp: accessToken.appToken },
    sql`FROM ${as(accessToken)} JOIN ${as(u)} ON ${u.id} = ${accessToken.userId} WHERE ${isCaller.access}`,
  ),
};

/** Like `findAccess`, with the user's role and that of the token. */
export async function findTokenUser(db: D1Database, viewer: TokenViewer) {
  const [rows] = await runGrouped()(db, tokenUser[viewer.by](db, viewer));
  return rows[0];
}

const useOf = (table: typeof apiTokens | typeof accessTokens) =>
  statement(sql`
    UPDATE ${table} SET ${names(table.lastUsedDay)} = ${sql.placeholder("day")}
    WHERE ${table.tokenHash} = ${tokenHash} AND coalesce(${table.lastUsedDay}, 0) < ${sql.placeholder("day")}
  `);
const use = { token: useOf(apiTokens), access: useOf(accessTokens) };

/** Records when a token was last used. `day` counts days since 1970 in UTC. */
export async function updateLastUse(db: D1Database, { by, tokenHash }: TokenViewer, day: number) {
  await runGroupedIdempotent()(db, use[by](db, { tokenHash, day }));
}
