/** The browsers that have signed in as a user. A browser is stored under the SHA-256 of the ID in its cookie. */
import { type SQL, sql } from "drizzle-orm";
import { alias, as, excluded, names, query } from "../query.ts";
import { devices } from "../schema.ts";
import { type Bound, runIdempotent, statement, type Value } from "../statement.ts";

const d = alias(devices, "d");
const userId = sql.placeholder("userId");
const deviceHash = sql.placeholder("deviceHash");
const now = sql.placeholder("now");

/** A browser to remember. */
export type NewDeviceRow = { deviceHash: string; deviceExpiresAt: number };

/** 1 if the browser `deviceHash` has signed in as the user with this ID, otherwise 0. */
export const isKnownDevice = (user: SQL) => sql<number>`EXISTS (
  SELECT 1 FROM ${as(d)} WHERE ${d.userId} = ${user} AND ${d.idHash} = ${deviceHash} AND ${d.expiresAt} > ${now}
)`;

const known = query({ isKnown: isKnownDevice(sql`${userId}`) }, sql``);

/** Whether a browser has signed in as the user before. */
export async function isDeviceKnown(
  db: D1Database,
  device: { userId: number; deviceHash: string; now: number },
): Promise<boolean> {
  const [[row]] = await runIdempotent(db, known(db, device));
  return row?.isKnown === 1;
}

const MAX_DEVICES = 50;

const remember = (condition: SQL) =>
  statement(sql`
    INSERT INTO ${devices} (${names(devices.userId, devices.idHash, devices.expiresAt)})
    SELECT ${userId}, ${deviceHash}, ${sql.placeholder("deviceExpiresAt")} WHERE ${condition}
    ON CONFLICT DO UPDATE SET ${excluded(devices.expiresAt)}
  `);
/** Keeps the newest. The others sign in like a new browser. */
const removeOld = statement(sql`
  DELETE FROM ${devices} WHERE ${devices.userId} = ${userId} AND (${devices.expiresAt} <= ${now} OR ${devices.idHash} IN (
    SELECT ${d.idHash} FROM ${as(d)} WHERE ${d.userId} = ${userId}
    ORDER BY ${d.expiresAt} DESC LIMIT -1 OFFSET ${sql.raw(String(MAX_DEVICES))}
  ))
`);

/** The statement that forgets the browsers of a user. Triggers do the same after changes of the password and of two-factor. */
export const forgetAll = statement(sql`DELETE FROM ${devices} WHERE ${devices.userId} = ${userId}`);

/** Builds the statements that remember the browser of a sign-in or of a change. They run in its batch, after it, if `condition` holds. */
export function remembering(condition: SQL) {
  const insert = remember(condition);
  return (db: D1Database, values: Record<string, Value>): [Bound<unknown>, Bound<unknown>] => [
    insert(db, values),
    removeOld(db, values),
  ];
}
