/** Looks up API tokens in D1, which is authoritative. Every statement on a user's behalf joins the token's row first. */
import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core/alias";
import { as, names, query } from "../query.ts";
import { apiTokens, users } from "../schema.ts";
import { runGrouped, runGroupedIdempotent, statement } from "../statement.ts";

const tokenHash = sql.placeholder("tokenHash");

/** The caller's API token, for statements that join it. */
export const t = alias(apiTokens, "t");
export const isCaller = sql`${t.tokenHash} = ${tokenHash}`;

const access = query({ userId: t.userId }, sql`FROM ${as(t)} WHERE ${isCaller}`);

/** Returns undefined for a token that is unknown or was reset. */
export async function findAccess(db: D1Database, tokenHash: string): Promise<{ userId: number } | undefined> {
  const [rows] = await runGrouped()(db, access(db, { tokenHash }));
  return rows[0];
}

const u = alias(users, "u");
/** `issuedAs` is the user's role when the token was issued. */
const tokenUser = query(
  { userId: t.userId, role: u.role, issuedAs: t.role },
  sql`FROM ${as(t)} JOIN ${as(u)} ON ${u.id} = ${t.userId} WHERE ${isCaller}`,
);

/** Like `findAccess`, with the user's role and that of the token. */
export async function findTokenUser(db: D1Database, tokenHash: string) {
  const [rows] = await runGrouped()(db, tokenUser(db, { tokenHash }));
  return rows[0];
}

const use = statement(sql`
  UPDATE ${apiTokens} SET ${names(apiTokens.lastUsedDay)} = ${sql.placeholder("day")}
  WHERE ${apiTokens.tokenHash} = ${tokenHash} AND coalesce(${apiTokens.lastUsedDay}, 0) < ${sql.placeholder("day")}
`);

/** Records when a token was last used. `day` counts days since 1970 in UTC. */
export async function updateLastUse(db: D1Database, tokenHash: string, day: number): Promise<void> {
  await runGroupedIdempotent()(db, use(db, { tokenHash, day }));
}
