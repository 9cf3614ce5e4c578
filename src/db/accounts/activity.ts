/** Records in the audit log what users do with their own accounts, and failed sign-ins. */
import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core/alias";
import { auditIf } from "../audit.ts";
import { as, names } from "../query.ts";
import { failedSignIns } from "../schema.ts";
import { runBatch, statement } from "../statement.ts";

const audit = auditIf(sql`true`);

/** Records something that changes nothing in the database. */
export async function recordActivity(
  db: D1Database,
  actor: { userId: number; now: number },
  action: string,
): Promise<void> {
  await runBatch(db, audit(db, { ...actor }, action, actor.userId));
}

/** What was wrong. */
export interface FailedSignIn {
  userId: number;
  now: number;
  /** Hours since 1970. */
  hour: number;
  reason: "wrong password" | "wrong code" | "expired password";
  browser: string;
}

const f = alias(failedSignIns, "f");
const { userId, hour, count, codes } = failedSignIns;
const countFailure = statement(sql`
  INSERT INTO ${failedSignIns} (${names(userId, hour, count, codes)})
  VALUES (${sql.placeholder("failedUser")}, ${sql.placeholder("hour")}, 1, ${sql.placeholder("isCode")})
  ON CONFLICT DO UPDATE SET
    ${names(count)} = iif(${hour} = excluded.hour, ${count}, 0) + 1,
    ${names(codes)} = iif(${hour} = excluded.hour, ${codes}, 0) + excluded.codes,
    ${names(hour)} = excluded.hour
`);

/** More would fill the log during an attack. The log lines of the Worker have all of them. */
const MAX_ENTRIES_AN_HOUR = 10;

const auditFailure = auditIf(sql`(
  SELECT ${f.count} FROM ${as(f)} WHERE ${f.userId} = ${sql.placeholder("failedUser")}
) <= ${sql.raw(String(MAX_ENTRIES_AN_HOUR))}`);

/** Counts a wrong password or code, and records the first 10 of a user in an hour. */
export async function recordFailedSignIn(db: D1Database, failed: FailedSignIn): Promise<void> {
  const { userId: failedUser, now, hour, reason, browser } = failed;
  const values = { failedUser, now, hour, isCode: Number(reason === "wrong code"), userId: null };
  await runBatch(
    db,
    countFailure(db, values),
    auditFailure(db, values, "sign-in failed", failedUser, { reason, browser }),
  );
}
