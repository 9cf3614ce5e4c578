/** Counts and records what is entered wrong for a user: passwords and codes. Codes are limited here, passwords by rate limiters. */
import { type SQL, sql } from "drizzle-orm";
import { auditIf } from "../audit.ts";
import { alias, as, names } from "../query.ts";
import { devices, failedSignIns } from "../schema.ts";
import { type Bound, runBatch, statement, type Value } from "../statement.ts";

/**
 * The wrong codes that may be entered for a user in a clock hour: by each known browser, and by all others together. A guess is
 * right with a probability of 2 in a million.
 */
const MAX_WRONG_CODES = sql.raw("20");

const user = sql.placeholder("userId");
const thisHour = sql.placeholder("hour");
const { userId, hour } = failedSignIns;
const COUNTERS = ["count", "codes", "wrongCodes", "wrongConfirmations"] as const;
type Counter = (typeof COUNTERS)[number];

// The hour never goes back, so that clocks of different machines do not let it begin twice.
const inHour = (counter: Counter) => sql`iif(${hour} < excluded.hour, 0, ${failedSignIns[counter]})`;
/** Adds 1 to a counter of the user. `isAllowed` is judged if the user has a row. */
const addOne = (added: Counter, isAllowed = sql`true`) => sql`
  INSERT INTO ${failedSignIns} (${names(userId, hour, ...COUNTERS.map((one) => failedSignIns[one]))})
  VALUES (${user}, ${thisHour}, ${sql.raw(COUNTERS.map((one) => Number(one === added)).join(", "))})
  ON CONFLICT DO UPDATE SET ${names(hour)} = max(${hour}, excluded.hour), ${sql.join(
    COUNTERS.map(
      (one) => sql`${names(failedSignIns[one])} = ${inHour(one)} + ${sql.raw(String(Number(one === added)))}`,
    ),
    sql`, `,
  )}
  WHERE ${isAllowed}`;

const ofDevice = sql`${devices.userId} = ${user} AND ${devices.idHash} = ${sql.placeholder("deviceHash")}`;
const deviceCodes = sql`iif(${devices.codesHour} < ${thisHour}, 0, ${devices.codes})`;
const countKnown = statement<{ counted: 1 }>(sql`
  UPDATE ${devices} SET ${names(devices.codes)} = ${deviceCodes} + 1, ${names(devices.codesHour)} = max(${devices.codesHour}, ${thisHour})
  WHERE ${ofDevice} AND ${deviceCodes} < ${MAX_WRONG_CODES} RETURNING 1 AS counted
`);
const countStranger = statement<{ counted: 1 }>(
  sql`${addOne("codes", sql`${inHour("codes")} < ${MAX_WRONG_CODES}`)} RETURNING 1 AS counted`,
);

/** A code that a browser enters. */
export interface CodeOf {
  userId: number;
  /** Of a known browser, the hash of its ID; of another one, of its new ID. */
  deviceHash: string;
  isKnown: boolean;
  /** Hours since 1970. */
  hour: number;
}

/**
 * The statement before the one that judges a code. It changes a row, and returns one, if the code may be judged. The code then
 * counts as a wrong one until it is given back.
 */
export function countCode(db: D1Database, { isKnown, ...code }: CodeOf): Bound<{ counted: 1 }> {
  return (isKnown ? countKnown : countStranger)(db, code);
}

/** Builds the statement that gives back the count of a right code, and nothing else. It runs if `condition` holds. */
export function givingBack(condition: SQL) {
  const known = statement(sql`
    UPDATE ${devices} SET ${names(devices.codes)} = ${devices.codes} - 1
    WHERE ${ofDevice} AND ${devices.codesHour} = ${thisHour} AND ${condition}
  `);
  const stranger = statement(sql`
    UPDATE ${failedSignIns} SET ${names(failedSignIns.codes)} = ${failedSignIns.codes} - 1
    WHERE ${userId} = ${user} AND ${hour} = ${thisHour} AND ${condition}
  `);
  return (db: D1Database, isKnown: boolean, values: Record<string, Value>): Bound<unknown> =>
    (isKnown ? known : stranger)(db, values);
}

/** Whose password or code was wrong, and when. */
interface Failed {
  userId: number;
  now: number;
  /** Hours since 1970. */
  hour: number;
  /** In words, for people. */
  browser: string;
}

/** More would fill the log during an attack. The log lines of the Worker have all of them. */
export const MAX_ENTRIES_AN_HOUR = 10;

const f = alias(failedSignIns, "f");
const failuresOf = (counter: Counter) => ({
  add: statement(addOne(counter)),
  audit: auditIf(sql`(
    SELECT ${f[counter]} FROM ${as(f)} WHERE ${f.userId} = ${sql.placeholder("failedUser")}
  ) <= ${sql.raw(String(MAX_ENTRIES_AN_HOUR))}`),
});
const passwords = failuresOf("count");
const codes = failuresOf("wrongCodes");
const confirmations = failuresOf("wrongConfirmations");

/** Counts a wrong password or code of a sign-in, and records the first 10 of each in an hour. */
export async function recordFailedSignIn(
  db: D1Database,
  failed: Failed & { reason: "wrong password" | "wrong code" | "expired password" | "not linked" },
): Promise<void> {
  const { userId: failedUser, now, hour, reason, browser } = failed;
  const { add, audit } = reason === "wrong code" ? codes : passwords;
  // Nobody is signed in.
  const values = { userId: null, now, failedUser };
  await runBatch(
    db,
    add(db, { userId: failedUser, hour }),
    audit(db, values, "sign-in failed", failedUser, { reason, browser }),
  );
}

/** Counts a wrong password of a user who is signed in, and records the first 10 in an hour. `route` asked for it. */
export async function recordWrongConfirmation(db: D1Database, failed: Failed & { route: string }) {
  const { userId, now, hour, route, browser } = failed;
  const { add, audit } = confirmations;
  await runBatch(
    db,
    add(db, { userId, hour }),
    audit(db, { userId, now, failedUser: userId }, "enter wrong password", userId, { route, browser }),
  );
}
