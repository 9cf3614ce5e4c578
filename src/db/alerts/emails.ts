/** The alerts of operators that are to be sent by email. */
import { sql } from "drizzle-orm";
import { DAY_MS } from "../../domain/time.ts";
import { alias, as, limitTo, names, type RowOf, returning } from "../query.ts";
import { alerts } from "../schema.ts";
import { runBatch, statement } from "../statement.ts";

/** Nobody else sends a claimed one in this time. */
const CLAIM_MS = 3 * 60_000;
/** How long it is tried. */
const TRIED_MS = DAY_MS;
const MOST = 20;

const a = alias(alerts, "a");
const now = sql.placeholder("now");
const { id, kind, data, openedAt, emailDueAt } = alerts;
const fields = { id, kind, data, openedAt };
const claim = returning(
  sql`UPDATE ${alerts} SET ${names(emailDueAt)} = ${now} + ${sql.raw(String(CLAIM_MS))} WHERE ${id} IN (
    SELECT ${a.id} FROM ${as(a)} WHERE ${a.emailDueAt} <= ${now} AND ${a.openedAt} > ${now} - ${sql.raw(String(TRIED_MS))}
    ORDER BY ${a.emailDueAt} ${limitTo("limit")}
  )`,
  fields,
);
const done = statement<unknown>(
  sql`UPDATE ${alerts} SET ${names(emailDueAt)} = NULL WHERE ${id} = ${sql.placeholder("id")}`,
);

/** Those to send now, which no other run gets at the same time. */
export async function claimEmails(db: D1Database, at: number): Promise<RowOf<typeof fields>[]> {
  const [claimed] = await runBatch(db, claim(db, { now: at, limit: MOST }));
  return claimed;
}

export const markSent = (db: D1Database, id: number) => runBatch(db, done(db, { id }));
