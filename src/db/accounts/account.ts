/** Reads what the sign-in and the account page need. */
import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core/alias";
import { as, optional, query, type RowOf } from "../query.ts";
import { users } from "../schema.ts";
import { runIdempotent } from "../statement.ts";
import { t } from "./api-tokens.ts";
import { isCurrent, s } from "./sessions.ts";

const u = alias(users, "u");

const credentials = query(
  { id: u.id, passwordHash: u.passwordHash },
  sql`FROM ${as(u)} WHERE ${u.email} = ${sql.placeholder("email")} AND ${u.disabledAt} IS NULL`,
);

/** Finds the enabled user with this email address, in lower case. `passwordHash` is null with single sign-on. */
export async function findCredentials(db: D1Database, email: string) {
  const [[row]] = await runIdempotent(db, credentials(db, { email }));
  return row;
}

/** The columns of the token are null when the user has no API token. */
const accountFields = {
  passwordHash: u.passwordHash,
  createdAt: u.createdAt,
  ...optional({
    tokenHash: t.tokenHash,
    hint: t.hint,
    sealed: t.sealed,
    tokenCreatedAt: t.createdAt,
    lastUsedDay: t.lastUsedDay,
  }),
};
export type Account = RowOf<typeof accountFields>;

const account = query(
  accountFields,
  sql`FROM ${as(s)} JOIN ${as(u)} ON ${u.id} = ${s.userId} LEFT JOIN ${as(t)} ON ${t.userId} = ${u.id}
    WHERE ${isCurrent}`,
);

/** Reads the account of a session. Returns undefined when the session has ended meanwhile. */
export async function readAccount(
  db: D1Database,
  session: { idHash: string; now: number },
): Promise<Account | undefined> {
  const [[found]] = await runIdempotent(db, account(db, session));
  return found;
}
