/** Turns off the two-factor authentication of a user who lost it. */
import { sql } from "drizzle-orm";
import { auditChange, type Operator } from "../../audit.ts";
import { query, returning } from "../../query.ts";
import { authenticators, recoveryCodes, sessions, users } from "../../schema.ts";
import { runBatch, statement } from "../../statement.ts";
import { fields, mayBeChanged, type Target, type UserRow } from "./users.ts";

const id = sql.placeholder("id");
const judged = query(fields, sql`FROM ${users} WHERE ${mayBeChanged}`);
const removeTwoFactor = returning(
  sql`DELETE FROM ${authenticators} WHERE ${authenticators.userId} = ${id} AND EXISTS (SELECT 1 FROM ${users} WHERE ${mayBeChanged})`,
  { userId: authenticators.userId },
);
const hasNoTwoFactor = sql`EXISTS (SELECT 1 FROM ${users} WHERE ${mayBeChanged})
  AND NOT EXISTS (SELECT 1 FROM ${authenticators} WHERE ${authenticators.userId} = ${id})`;
const removeCodes = statement(
  sql`DELETE FROM ${recoveryCodes} WHERE ${recoveryCodes.userId} = ${id} AND ${hasNoTwoFactor}`,
);
/** Before the factor is removed, because a user without one stays signed in. */
const endSessions = statement(
  sql`DELETE FROM ${sessions} WHERE ${sessions.userId} = ${id} AND EXISTS (SELECT 1 FROM ${users} WHERE ${mayBeChanged})
    AND EXISTS (SELECT 1 FROM ${authenticators} WHERE ${authenticators.userId} = ${id})`,
);
/**
 * Turns off two-factor authentication, which ends the sessions; a trigger forgets the known browsers. Changes nothing if it is off.
 * Returns undefined for an operator if that was not confirmed, and for a user who does not exist or was erased.
 */
export async function turnOffTwoFactor(
  db: D1Database,
  operator: Operator,
  { id, isConfirmed }: Target,
): Promise<UserRow | undefined> {
  const values = { id, isConfirmed: Number(isConfirmed) };
  const [, , , , [user]] = await runBatch(
    db,
    endSessions(db, values),
    removeTwoFactor(db, values),
    auditChange(db, operator, "reset two-factor", "user", id),
    removeCodes(db, values),
    judged(db, values),
  );
  return user;
}
