/** Two-factor authentication: its secret, its recovery codes, and sign-ins that wait for a code. */
import { type SQL, sql } from "drizzle-orm";
import { auditChange } from "../audit.ts";
import { alias, as, names, query, type RowOf, returning } from "../query.ts";
import { authenticators, recoveryCodes, sessions, users } from "../schema.ts";
import { runBatch, runIdempotent, statement } from "../statement.ts";
import { type NewDeviceRow, remembering } from "./devices.ts";
import { type CodeOf, countCode, givingBack } from "./failures.ts";
import {
  auditSignIn,
  hasStarted,
  isChecked,
  type NewSessionRow,
  renewal,
  session as s,
  startIf,
} from "./sessions.ts";

const f = alias(authenticators, "f");
const u = alias(users, "u");
const userId = sql.placeholder("userId");
const now = sql.placeholder("now");
const ofUser = sql`${authenticators.userId} = ${userId}`;
const codesOfUser = sql`${recoveryCodes.userId} = ${userId}`;

const waitingFields = { userId: s.userId, email: u.email, waitingSecret: s.waitingSecret };
/** A sign-in whose password was correct and that waits for a code. */
export type WaitingSignIn = RowOf<typeof waitingFields>;

const isWaiting = (idHash: SQL) =>
  sql`${s.idHash} = ${idHash} AND ${s.expiresAt} > ${now} AND ${s.waitingSecret} IS NOT NULL`;
const waiting = query(
  waitingFields,
  sql`FROM ${as(s)} JOIN ${as(u)} ON ${u.id} = ${s.userId}
    WHERE ${isWaiting(sql`${sql.placeholder("idHash")}`)}`,
);

/** Returns undefined if no sign-in waits, for example because it took too long. */
export async function findWaitingSignIn(
  db: D1Database,
  idHash: string,
  now: number,
): Promise<WaitingSignIn | undefined> {
  const [[row]] = await runIdempotent(db, waiting(db, { idHash, now }));
  return row;
}

const stillWaits = sql`EXISTS (
  SELECT 1 FROM ${as(s)} WHERE ${isWaiting(sql`${sql.placeholder("previous")}`)} AND ${s.userId} = ${userId}
)`;
// A batch runs on one connection, so changes() are those of the statement before: a code that was not counted is not judged.
const useStep = statement(sql`
  UPDATE ${authenticators} SET ${names(authenticators.lastStep)} = ${sql.placeholder("step")}
  WHERE ${ofUser} AND ${authenticators.lastStep} < ${sql.placeholder("step")} AND ${stillWaits}
    AND changes() > 0
`);
const useRecoveryCode = statement(sql`
  DELETE FROM ${recoveryCodes}
  WHERE ${codesOfUser} AND ${recoveryCodes.codeHash} = ${sql.placeholder("codeHash")} AND ${stillWaits}
    AND changes() > 0
`);
const startAfterCode = startIf(sql`changes() > 0`);
const endWaiting = statement(sql`
  DELETE FROM ${sessions} WHERE ${sessions.idHash} = ${sql.placeholder("previous")} AND ${hasStarted}
`);
const giveBack = givingBack(hasStarted);
const rememberDevice = remembering(hasStarted);

/** A code that was entered: the step of an app's code, or the hash of a recovery code. */
export type EnteredCode = { step: number } | { codeHash: string };

/**
 * Counts a code, uses it up, and turns the waiting sign-in `previous` into a session. Returns `wrong` if the code was used before,
 * does not exist, or the sign-in no longer waits, and `limited` if the code was not judged because too many were wrong.
 */
export async function finishSignIn(
  db: D1Database,
  code: EnteredCode,
  { isKnown, ...added }: NewSessionRow & NewDeviceRow & CodeOf & { previous: string },
): Promise<"started" | "wrong" | "limited"> {
  const values = { ...added, ...code };
  const secondFactor = "step" in code ? "code" : "recovery code";
  const [counted, , started] = await runBatch(
    db,
    countCode(db, { ...added, isKnown }),
    "step" in code ? useStep(db, values) : useRecoveryCode(db, values),
    startAfterCode(db, values),
    auditSignIn(db, added, { secondFactor }),
    endWaiting(db, values),
    ...rememberDevice(db, values),
    giveBack(db, isKnown, values),
  );
  if (started.length > 0) return "started";
  return counted.length > 0 ? "wrong" : "limited";
}

/** What was read and checked before a change. */
type Checked = { userId: number; passwordHash: string; now: number };

const insert = returning(
  sql`INSERT INTO ${authenticators} (${names(authenticators.userId, authenticators.sealed, authenticators.createdAt, authenticators.lastStep)})
    SELECT ${userId}, ${sql.placeholder("sealed")}, ${now}, ${sql.placeholder("step")} WHERE ${isChecked}
    ON CONFLICT DO NOTHING`,
  { userId: authenticators.userId },
);
/** A sealed secret has a random nonce, so the user has it only if this request set it. */
const isTurnedOn = sql`EXISTS (
  SELECT 1 FROM ${as(f)} WHERE ${f.userId} = ${userId} AND ${f.sealed} = ${sql.placeholder("sealed")}
)`;
const addCodes = (condition: SQL) =>
  statement(sql`
    INSERT INTO ${recoveryCodes} (${names(recoveryCodes.userId, recoveryCodes.codeHash)})
    SELECT ${userId}, value FROM json_each(${sql.placeholder("codeHashes")}) WHERE ${condition}
  `);
const addFirstCodes = addCodes(isTurnedOn);
const renewAfterTurnOn = renewal(isTurnedOn);
const rememberAfterTurnOn = remembering(isTurnedOn);

/**
 * Turns two-factor authentication on, and replaces all of the user's sessions and known browsers with
 * new ones of this browser. Returns false if it is on already
 * or the password changed since it was checked.
 */
export async function turnOn(
  db: D1Database,
  checked: Checked,
  added: { sealed: string; step: number; codeHashes: string[] },
  renewed: NewSessionRow & NewDeviceRow,
): Promise<boolean> {
  const values = { ...checked, ...added, ...renewed, codeHashes: JSON.stringify(added.codeHashes) };
  const [inserted] = await runBatch(
    db,
    insert(db, values),
    auditChange(db, checked, "turn on two-factor", "user", checked.userId),
    addFirstCodes(db, values),
    ...renewAfterTurnOn(db, values),
    ...rememberAfterTurnOn(db, values),
  );
  return inserted.length > 0;
}

const isOn = sql`EXISTS (SELECT 1 FROM ${as(f)} WHERE ${f.userId} = ${userId})`;
const removeCodes = statement(sql`DELETE FROM ${recoveryCodes} WHERE ${codesOfUser} AND ${isChecked}`);
const addNewCodes = addCodes(sql`${isChecked} AND ${isOn}`);
const readIsOn = query({ isOn: sql<number>`${isChecked} AND ${isOn}` }, sql``);

/** Replaces the recovery codes. Returns false if two-factor authentication is off or the password changed. */
export async function replaceRecoveryCodes(
  db: D1Database,
  checked: Checked,
  codeHashes: string[],
): Promise<boolean> {
  const values = { ...checked, codeHashes: JSON.stringify(codeHashes) };
  const [, , , [after]] = await runBatch(
    db,
    removeCodes(db, values),
    addNewCodes(db, values),
    auditChange(db, checked, "create recovery codes", "user", checked.userId),
    readIsOn(db, values),
  );
  return after?.isOn === 1;
}

const remove = returning(sql`DELETE FROM ${authenticators} WHERE ${ofUser} AND ${isChecked}`, {
  userId: authenticators.userId,
});
const isTurnedOff = sql`${isChecked} AND NOT ${isOn}`;
const renewAfterTurnOff = renewal(isTurnedOff);
const rememberAfterTurnOff = remembering(isTurnedOff);

/**
 * Turns two-factor authentication off, and replaces all of the user's sessions and known browsers with new ones of this browser.
 * Returns false if it was off or the password changed since it was checked.
 */
export async function turnOff(
  db: D1Database,
  checked: Checked,
  renewed: NewSessionRow & NewDeviceRow,
): Promise<boolean> {
  const values = { ...checked, ...renewed };
  const [removed] = await runBatch(
    db,
    remove(db, values),
    auditChange(db, checked, "turn off two-factor", "user", checked.userId),
    removeCodes(db, values),
    ...renewAfterTurnOff(db, values),
    ...rememberAfterTurnOff(db, values),
  );
  return removed.length > 0;
}
