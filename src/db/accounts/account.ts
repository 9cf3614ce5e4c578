/** Reads what the sign-in and the account page need. */
import { sql } from "drizzle-orm";
import { alias, as, optional, pick, query, type RowOf } from "../query.ts";
import { authenticators, recoveryCodes, users } from "../schema.ts";
import { runIdempotent } from "../statement.ts";
import { apiToken as t } from "./api-tokens.ts";
import { isKnownDevice } from "./devices.ts";
import { isCurrent, ownSessions, session as s } from "./sessions.ts";

const u = alias(users, "u");
const f = alias(authenticators, "f");
const r = alias(recoveryCodes, "r");

const credentials = query(
  {
    ...pick(u, "id", "passwordHash", "passwordExpiresAt"),
    isKnownDevice: isKnownDevice(sql`${u.id}`),
    ...optional({ sealedSecret: f.sealed }),
  },
  sql`FROM ${as(u)} LEFT JOIN ${as(f)} ON ${f.userId} = ${u.id} WHERE ${u.email} = ${sql.placeholder("email")} AND ${u.disabledAt} IS NULL`,
);

/**
 * Finds the enabled user with this email address, in lower case. `passwordHash` is null with single sign-on. `isKnownDevice` is
 * 1 if the browser `deviceHash` has signed in as this user before. `sealedSecret` is null without two-factor authentication.
 */
export async function findCredentials(
  db: D1Database,
  email: string,
  device: { deviceHash: string | null; now: number },
) {
  const [[row]] = await runIdempotent(db, credentials(db, { email, ...device }));
  return row;
}

/** The columns of the token are null when the user has no API token, `sealedSecret` without two-factor authentication. */
const accountFields = {
  passwordHash: u.passwordHash,
  createdAt: u.createdAt,
  recoveryCodesLeft: sql<number>`(SELECT count(*) FROM ${as(r)} WHERE ${r.userId} = ${u.id})`,
  ...optional({
    tokenHash: t.tokenHash,
    hint: t.hint,
    sealed: t.sealed,
    tokenCreatedAt: t.createdAt,
    lastUsedDay: t.lastUsedDay,
    sealedSecret: f.sealed,
  }),
};
export type Account = RowOf<typeof accountFields>;

const account = query(
  accountFields,
  sql`FROM ${as(s)} JOIN ${as(u)} ON ${u.id} = ${s.userId} LEFT JOIN ${as(t)} ON ${t.userId} = ${u.id}
    LEFT JOIN ${as(f)} ON ${f.userId} = ${u.id}
    WHERE ${isCurrent}`,
);

/** Reads the account of a session. Returns undefined when the session has ended meanwhile. */
export async function readAccount(db: D1Database, session: { idHash: string; userId: number; now: number }) {
  const [[found], sessions] = await runIdempotent(db, account(db, session), ownSessions(db, session));
  return { account: found, sessions };
}
