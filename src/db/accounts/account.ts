/** Reads what the sign-in and the account page need. */
import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core/alias";
import { type DayRange, ownSpend } from "../ledger/reports.ts";
import { type Ledger, runGated } from "../ledger/shards.ts";
import { as, optional, query, type RowOf } from "../query.ts";
import { apps, authenticators, recoveryCodes, users } from "../schema.ts";
import { runIdempotent } from "../statement.ts";
import { m, t } from "./api-tokens.ts";
import { isKnownDevice } from "./devices.ts";
import { isCurrent, ownSessions, s } from "./sessions.ts";

const u = alias(users, "u");
const a = alias(apps, "a");
const f = alias(authenticators, "f");
const r = alias(recoveryCodes, "r");
const userId = sql.placeholder("userId");

const credentials = query(
  {
    id: u.id,
    passwordHash: u.passwordHash,
    passwordExpiresAt: u.passwordExpiresAt,
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

const appFields = { token: a.token, name: a.name, linkCount: a.linkCount };
export type OwnApp = RowOf<typeof appFields>;

const ownApps = query(
  appFields,
  sql`FROM ${as(m)} JOIN ${as(a)} ON ${a.token} = ${m.appToken} WHERE ${m.userId} = ${userId}
    ORDER BY ${a.name}, ${a.token}`,
);

/**
 * Reads the account page of a session. `account` is undefined when the session has ended meanwhile. `spend` covers `days`, by
 * app, day and partner.
 */
export async function readAccount(
  ledger: Ledger,
  session: { idHash: string; userId: number; now: number },
  days: DayRange,
) {
  const db = ledger.control;
  const spend = ownSpend(ledger, session.userId, days);
  const [[found], sessions, apps, sums, partners] = await runGated(
    ledger,
    db,
    [
      account(db, { ...session }),
      ownSessions(db, { ...session }),
      ownApps(db, { ...session }),
      spend.sums,
      spend.partners,
    ],
    runIdempotent,
  );
  const tokens = apps.map((app) => app.token);
  return { account: found, sessions, apps, spend: await spend.read(sums, partners, tokens) };
}
