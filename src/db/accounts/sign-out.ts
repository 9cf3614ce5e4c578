/** Ends sessions of signed-in browsers: one, all of a user, or another one of the user. */
import { sql } from "drizzle-orm";
import type { AuditAction } from "../../domain/audit-actions.ts";
import { auditChange, insertEntry } from "../audit.ts";
import { alias, as, query, returning } from "../query.ts";
import { auditLog, sessions, users } from "../schema.ts";
import { runIdempotent, statement } from "../statement.ts";
import { forgetAll } from "./devices.ts";
import { detailOf, type EndedTokens, endingTokens, hashesOf } from "./ended-tokens.ts";
import { isChecked, isCurrent, session as s } from "./sessions.ts";

const u = alias(users, "u");
const idHash = sql.placeholder("idHash");
const userId = sql.placeholder("userId");

const endOne = statement(sql`DELETE FROM ${sessions} WHERE ${sessions.idHash} = ${idHash}`);
const endAll = statement(sql`DELETE FROM ${sessions} WHERE ${sessions.userId} = ${userId} AND ${isChecked}`);
const endTokens = endingTokens(isChecked);
const auditEnd = (action: AuditAction) => {
  const entry = {
    userId: sql`${s.userId}`,
    subject: sql`'user ' || ${s.userId}`,
    detail: sql`${sql.placeholder("detail")}`,
  };
  return returning(sql`${insertEntry(action, entry)} FROM ${as(s)} WHERE ${isCurrent}`, {
    userId: auditLog.userId,
  });
};
const methodOf = query(
  { userId: s.userId, hasPassword: sql<number>`${u.passwordHash} IS NOT NULL` },
  sql`FROM ${as(s)} JOIN ${as(u)} ON ${u.id} = ${s.userId} WHERE ${isCurrent}`,
);
const auditSignOut = auditEnd("sign out");
const auditSignOutEverywhere = auditEnd("sign out everywhere");

/** Ends a session. Returns the ID of its user, and 1 for one with a password; undefined if it had ended before. */
export async function deleteSession(db: D1Database, session: { idHash: string; now: number }) {
  const values = { ...session, detail: "{}" };
  const [[user]] = await runIdempotent(
    db,
    methodOf(db, values),
    auditSignOut(db, values),
    endOne(db, values),
  );
  return user;
}

/**
 * Ends every session of the user of a session, forgets the user's browsers, and ends tokens. Returns the hashes of those. `passwordHash`
 * is the one that was checked; with another one, only browsers are forgotten.
 */
export async function deleteSessions(
  db: D1Database,
  session: { idHash: string; userId: number; now: number; passwordHash: string | null },
  ending: EndedTokens,
): Promise<string[]> {
  const values = { ...session, detail: JSON.stringify(detailOf(ending)) };
  const [, accessTokens, apiTokens] = await runIdempotent(
    db,
    auditSignOutEverywhere(db, values),
    ...endTokens(db, values, ending),
    endAll(db, values),
    forgetAll(db, values),
  );
  return hashesOf(accessTokens, apiTokens);
}

/** A session of the user: the beginning of its hash, which names it on the account page. */
const REFERENCE_LENGTH = 16;
export const toReference = (idHash: string) => idHash.slice(0, REFERENCE_LENGTH);

const endOther = statement(sql`
  DELETE FROM ${sessions} WHERE ${sessions.userId} = ${userId}
    AND substr(${sessions.idHash}, 1, ${sql.raw(String(REFERENCE_LENGTH))}) = ${sql.placeholder("reference")}
`);

/** Ends the session of the user with this reference, if there is one. */
export async function endOwnSession(
  db: D1Database,
  ended: { userId: number; reference: string; now: number },
): Promise<void> {
  const { userId, now } = ended;
  await runIdempotent(
    db,
    endOther(db, { ...ended }),
    auditChange(db, { userId, now }, "end session", "user", userId),
  );
}
