/**
 * Who users are at the provider of single sign-on. Statements decide who is linked and signed in, so what was read before them
 * cannot be out of date.
 */
import { sql } from "drizzle-orm";
import { DAY_MS } from "../../domain/time.ts";
import { auditChange, insertEntry, type Operator } from "../audit.ts";
import { alias, as, excluded, names, query, returning } from "../query.ts";
import { identities, sessions, signInAttempts, usedStates, users } from "../schema.ts";
import { runBatch, statement } from "../statement.ts";
import { auditSignIn, endStale, type NewSessionRow, startIf } from "./sessions.ts";

/** How long an operator can link somebody who was not signed in. */
export const ATTEMPT_MS = 7 * DAY_MS;
/** The attempts that are kept for a user: the newest with an address that the provider has verified, and the newest of the others. */
export const MAX_ATTEMPTS = 5;

/** Somebody at the provider. */
export type Identity = { issuer: string; subject: string };

const u = alias(users, "u");
const i = alias(identities, "i");
const a = alias(signInAttempts, "a");
const issuer = sql.placeholder("issuer");
const subject = sql.placeholder("subject");
const email = sql.placeholder("email");
const userId = sql.placeholder("userId");
const now = sql.placeholder("now");

const isIdentity = sql`${i.issuer} = ${issuer} AND ${i.subject} = ${subject}`;
/** The row `u` signs in with single sign-on. */
const isSingleSignOn = sql`${u.passwordHash} IS NULL AND ${u.disabledAt} IS NULL`;

const useState = returning(
  sql`INSERT INTO ${usedStates} (${names(usedStates.stateHash, usedStates.expiresAt)})
    VALUES (${sql.placeholder("stateHash")}, ${sql.placeholder("expiresAt")}) ON CONFLICT DO NOTHING`,
  { stateHash: usedStates.stateHash },
);

/** Notes that a state is used. Returns false if it was used before. `expiresAt` must be later than the end of its cookie. */
export async function markStateUsed(
  db: D1Database,
  state: { stateHash: string; expiresAt: number },
): Promise<boolean> {
  const [used] = await runBatch(db, useState(db, state));
  return used.length > 0;
}

// An email address that a provider sends is lower case here, and unique, so it is that of one user.
const linkFirst = statement(
  sql`INSERT INTO ${identities} (${names(identities.issuer, identities.subject, identities.userId, identities.createdAt)})
    SELECT ${issuer}, ${subject}, ${u.id}, ${now} FROM ${as(u)}
    WHERE ${u.email} = ${email} AND ${u.role} = 'member' AND ${isSingleSignOn}
    ON CONFLICT DO NOTHING`,
);
const auditFirst = statement(
  sql`${insertEntry("link identity", {
    userId: sql`${i.userId}`,
    subject: sql`'user ' || ${i.userId}`,
    detail: sql`json_object('by', 'first sign-in')`,
  })} FROM ${as(i)} WHERE ${isIdentity} AND changes() > 0`,
);
const linked = query(
  { userId: i.userId, isEnabled: sql<number>`(${isSingleSignOn})` },
  sql`FROM ${as(i)} JOIN ${as(u)} ON ${u.id} = ${i.userId} WHERE ${isIdentity}`,
);

/**
 * Finds the user who is linked to an identity. If nobody is, and the provider has verified the email address of the identity, it is
 * linked to the member who has this address, signs in with single sign-on, and has no identity. `verifiedEmail` in lower case.
 */
export async function findLinkedUser(
  db: D1Database,
  identity: Identity & { verifiedEmail: string | undefined; now: number },
) {
  const { issuer, subject, verifiedEmail: email, now } = identity;
  const values = { issuer, subject, now };
  if (email === undefined) {
    const [[user]] = await runBatch(db, linked(db, values));
    return user;
  }
  const [, , [user]] = await runBatch(
    db,
    linkFirst(db, { ...values, email }),
    auditFirst(db, values),
    linked(db, values),
  );
  return user;
}

const start = startIf(sql`EXISTS (
  SELECT 1 FROM ${as(i)} JOIN ${as(u)} ON ${u.id} = ${i.userId} WHERE ${isIdentity} AND ${i.userId} = ${userId} AND ${isSingleSignOn}
)`);

/**
 * Starts a session of the user who is linked to an identity, which replaces the browser's previous one. Returns false if the user was
 * disabled or unlinked meanwhile.
 */
export async function insertLinkedSession(
  db: D1Database,
  added: NewSessionRow & Identity & { userId: number; previous: string | null },
): Promise<boolean> {
  const values = { ...added };
  const [, started] = await runBatch(db, endStale(db, values), start(db, values), auditSignIn(db, added));
  return started.length > 0;
}

const confirm = returning(
  sql`UPDATE ${sessions} SET ${names(sessions.idHash)} = ${sql.placeholder("newHash")}, ${names(sessions.passwordAt)} = ${now},
      ${names(sessions.onlyPassword)} = ${sql.placeholder("onlyPassword")}
    WHERE ${sessions.idHash} = ${sql.placeholder("idHash")} AND ${sessions.userId} = (SELECT ${i.userId} FROM ${as(i)} WHERE ${isIdentity})`,
  { expiresAt: sessions.expiresAt },
);

/**
 * Writes that the user of a session has just signed in again, and gives the session another ID. Returns when the session ends;
 * undefined, and writes nothing, if the identity is another one.
 */
export async function confirmSession(
  db: D1Database,
  session: Identity & { idHash: string; newHash: string; userId: number; onlyPassword: number; now: number },
): Promise<number | undefined> {
  const { userId, now } = session;
  const [confirmed] = await runBatch(
    db,
    confirm(db, { ...session }),
    auditChange(db, { userId, now }, "confirm sign-in", "user", userId),
  );
  return confirmed[0]?.expiresAt;
}

const columns = [
  signInAttempts.userId,
  signInAttempts.issuer,
  signInAttempts.subject,
  signInAttempts.email,
  signInAttempts.attemptedAt,
  signInAttempts.isVerified,
  signInAttempts.code,
] as const;
const addAttempt = returning(
  sql`INSERT INTO ${signInAttempts} (${names(...columns)})
    SELECT ${u.id}, ${issuer}, ${subject}, ${u.email}, ${now}, ${sql.placeholder("isVerified")}, ${sql.placeholder("code")}
    FROM ${as(u)} WHERE ${u.email} = ${email} AND ${isSingleSignOn}
    ON CONFLICT (${names(signInAttempts.userId, signInAttempts.issuer, signInAttempts.subject)}) DO UPDATE
      SET ${excluded(signInAttempts.attemptedAt, signInAttempts.isVerified, signInAttempts.code)}`,
  { userId: signInAttempts.userId },
);
const removeOld = statement(
  sql`DELETE FROM ${signInAttempts} WHERE ${signInAttempts.id} IN (
    SELECT ${a.id} FROM ${as(a)} JOIN ${as(u)} ON ${u.id} = ${a.userId}
    WHERE ${u.email} = ${email} AND ${a.isVerified} = ${sql.placeholder("isVerified")}
    ORDER BY ${a.attemptedAt} DESC, ${a.id} DESC LIMIT -1 OFFSET ${sql.raw(String(MAX_ATTEMPTS))}
  )`,
);

/**
 * Notes somebody who was not signed in, for the operator of the single sign-on user with this email address, in lower case. Those with
 * a verified address have places of their own, so nobody who types the address at the provider pushes them out. Returns the user's
 * ID; undefined if there is no such user.
 */
export async function insertAttempt(
  db: D1Database,
  attempt: Identity & { email: string; isVerified: number; code: string; now: number },
): Promise<number | undefined> {
  const values = { ...attempt };
  const [[added]] = await runBatch(db, addAttempt(db, values), removeOld(db, values));
  return added?.userId;
}

const ownIdentity = query(
  { issuer: i.issuer, subject: i.subject, createdAt: i.createdAt },
  sql`FROM ${as(i)} WHERE ${i.userId} = ${userId}`,
);
const ownAttempts = query(
  {
    ...{ id: a.id, issuer: a.issuer, subject: a.subject, attemptedAt: a.attemptedAt },
    ...{ isVerified: a.isVerified, code: a.code },
  },
  sql`FROM ${as(a)} WHERE ${a.userId} = ${userId} AND ${a.attemptedAt} > ${now} - ${sql.raw(String(ATTEMPT_MS))}
    ORDER BY ${a.isVerified} DESC, ${a.attemptedAt} DESC, ${a.id} DESC LIMIT ${sql.raw(String(2 * MAX_ATTEMPTS))}`,
);

/** The identity of a user, undefined if there is none, and who was not signed in for the user. */
export async function readIdentity(db: D1Database, user: { userId: number; now: number }) {
  const [[identity], attempts] = await runBatch(db, ownIdentity(db, user), ownAttempts(db, user));
  return { identity, attempts };
}
export type UserIdentity = Awaited<ReturnType<typeof readIdentity>>;

const id = sql.placeholder("id");
const linkAttempt = returning(
  sql`INSERT INTO ${identities} (${names(identities.issuer, identities.subject, identities.userId, identities.createdAt)})
    SELECT ${a.issuer}, ${a.subject}, ${a.userId}, ${now} FROM ${as(a)} JOIN ${as(u)} ON ${u.id} = ${a.userId}
    WHERE ${a.id} = ${sql.placeholder("attempt")} AND ${a.userId} = ${id} AND ${isSingleSignOn}
      AND ${a.attemptedAt} > ${now} - ${sql.raw(String(ATTEMPT_MS))}
    ON CONFLICT DO NOTHING`,
  { userId: identities.userId },
);
const removeLinked = statement(
  sql`DELETE FROM ${signInAttempts} WHERE ${signInAttempts.userId} = ${id}
    AND EXISTS (SELECT 1 FROM ${as(i)} WHERE ${i.userId} = ${id})`,
);

/**
 * Links a user to the identity of an attempt. Returns false if the attempt is no longer listed, the user has an identity or is not
 * one of single sign-on, or another user has the identity.
 */
export async function linkIdentity(
  db: D1Database,
  operator: Operator,
  link: { id: number; attempt: number },
): Promise<boolean> {
  const values = { ...link, now: operator.now };
  const [added] = await runBatch(
    db,
    linkAttempt(db, values),
    auditChange(db, operator, "link identity", "user", link.id),
    removeLinked(db, values),
  );
  return added.length > 0;
}

const unlink = returning(sql`DELETE FROM ${identities} WHERE ${identities.userId} = ${id}`, {
  userId: identities.userId,
});
const endSessions = statement(
  sql`DELETE FROM ${sessions} WHERE ${sessions.userId} = (SELECT ${u.id} FROM ${as(u)} WHERE ${u.id} = ${id} AND ${u.passwordHash} IS NULL)`,
);

/** Unlinks a user, and ends the sessions. Returns false if there is no identity. */
export async function unlinkIdentity(db: D1Database, operator: Operator, userId: number): Promise<boolean> {
  const [removed] = await runBatch(
    db,
    unlink(db, { id: userId }),
    auditChange(db, operator, "unlink identity", "user", userId),
    endSessions(db, { id: userId }),
  );
  return removed.length > 0;
}
