/** Erases a user: the email address, and everything that the user can sign in with. What the user did stays in the audit log. */
import { sql } from "drizzle-orm";
import { auditChange, type Operator } from "../../audit.ts";
import { names, returning } from "../../query.ts";
import {
  devices,
  failedSignIns,
  identities,
  memberships,
  signInAttempts,
  users,
  views,
} from "../../schema.ts";
import { runBatch, statement } from "../../statement.ts";
import {
  anotherSignsIn,
  byId,
  erasedEmail,
  isErased,
  mayBeChanged,
  type Target,
  type UserRow,
} from "./users.ts";

const id = sql.placeholder("id");
const erase = returning(
  sql`UPDATE ${users} SET ${names(users.email)} = ${erasedEmail}, ${names(users.role)} = 'member', ${names(users.passwordHash)} = NULL,
      ${names(users.passwordExpiresAt)} = NULL, ${names(users.disabledAt)} = coalesce(${users.disabledAt}, ${sql.placeholder("now")})
    WHERE ${mayBeChanged} AND (${users.role} = 'member' OR ${anotherSignsIn})`,
  { id: users.id },
);
const wasErased = sql`EXISTS (SELECT 1 FROM ${users} WHERE ${users.id} = ${id} AND ${isErased})`;
const removals = [devices, memberships, failedSignIns, identities, signInAttempts, views].map((table) =>
  statement(sql`DELETE FROM ${table} WHERE ${table.userId} = ${id} AND ${wasErased}`),
);

/**
 * Replaces the email address of a user for good, and ends what the user can sign in with. Triggers delete the token, the sessions
 * and the second factor. Returns undefined if the user is the last operator who can sign in, is an operator and that was not
 * confirmed, or was erased before.
 */
export async function eraseUser(
  db: D1Database,
  operator: Operator,
  { id, isConfirmed }: Target,
): Promise<UserRow | undefined> {
  const values = { id, isConfirmed: Number(isConfirmed), now: operator.now };
  const [erased, , [user]] = await runBatch(
    db,
    erase(db, values),
    auditChange(db, operator, "erase user", "user", id),
    byId(db, values),
    ...removals.map((remove) => remove(db, values)),
  );
  return erased.length > 0 ? user : undefined;
}
