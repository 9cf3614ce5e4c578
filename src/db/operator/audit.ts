/** Authorizes operators and writes the audit log. Every statement of an operator joins the row `operator` first. */
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { isBackward, type Range, toBounds } from "../keyset.ts";
import { type Bound, runBatch, statement, type Value } from "../statement.ts";

/** The caller, by the hash of an API token or of a session id. `now` in milliseconds since 1970. */
export type Actor = { now: number } & (
  | { tokenHash: string; sessionHash: null }
  | { tokenHash: null; sessionHash: string }
);

/** The user of an actor; no row if the token or session is unknown. */
export interface OperatorAccess {
  userId: number;
  email: string;
  role: "member" | "operator";
}

const principal = sql`
  SELECT u.id AS user_id, u.email, u.role
  FROM (
    SELECT user_id FROM api_tokens WHERE token_hash = ${sql.placeholder("tokenHash")}
    UNION ALL
    SELECT user_id FROM sessions
    WHERE id_hash = ${sql.placeholder("sessionHash")} AND expires_at > ${sql.placeholder("now")}
  ) c CROSS JOIN users u ON u.id = c.user_id
`;

/** For a FROM clause: one row `operator.user_id`, or none if the actor is not an operator. */
export const operator = sql`(SELECT user_id FROM (${principal}) WHERE role = 'operator') operator`;

const access = statement<OperatorAccess>(sql`SELECT user_id AS userId, email, role FROM (${principal})`);

/** Runs an operator's statements in one transaction and returns the operator with their rows. */
export async function runAsOperator<Statements extends Bound<unknown>[]>(
  db: D1Database,
  actor: Actor,
  ...statements: Statements
) {
  const [[found], ...rows] = await runBatch(db, access(db, { ...actor }), ...statements);
  return { access: found, rows };
}

/** Returns undefined for a token that is unknown or was reset, and for a session that has ended. */
export async function findOperatorAccess(db: D1Database, actor: Actor): Promise<OperatorAccess | undefined> {
  return (await runAsOperator(db, actor)).access;
}

/**
 * The statement that adds the audit entry of a change. It runs in the change's batch, before the change and under the same gate,
 * so both happen or neither. `subject` is an SQL text, `gate` an SQL condition, and `values` are the values that they bind.
 * `detail` is visible to every operator, so it must not contain a secret.
 */
export function auditStatement(action: string, subject: SQL, gate: SQL) {
  const insert = statement(sql`
    INSERT INTO audit_log (happened_at, user_id, action, subject, detail)
    SELECT ${sql.placeholder("now")}, operator.user_id, ${sql.raw(`'${action}'`)}, ${subject}, ${sql.placeholder("detail")}
    FROM ${operator} WHERE ${gate}
  `);
  return (db: D1Database, values: Record<string, Value>, detail: object): Bound<unknown> =>
    insert(db, { ...values, detail: JSON.stringify(toSnakeCase(detail)) });
}

/** The log is part of the API, whose names are in snake_case. */
function toSnakeCase(detail: object): object {
  return Object.fromEntries(
    Object.entries(detail).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
}

/** `'partner ' || id`. Without the cast, SQLite would concatenate a bound number as `3.0`. */
export function subjectOf(noun: string, id: SQLWrapper): SQL {
  return sql`${sql.raw(`'${noun} '`)} || cast(${id} AS INTEGER)`;
}

export interface AuditRow {
  id: number;
  happened_at: number;
  user_id: number | null;
  email: string | null;
  action: string;
  subject: string;
  detail: string;
}

/** Reads one page of the log, oldest entry first. */
export const listAudit = operatorList<AuditRow>("audit_log", {
  columns: sql`x.*, u.email`,
  join: sql`LEFT JOIN users u ON u.id = x.user_id`,
});

/**
 * A paginated list for operators: the rows `x` of a table by ID, in creation order. Without `where`, the highest ID is the total,
 * because no rows of these tables are ever deleted. `where` may bind further values. The total is undefined if `within` is false.
 */
export function operatorList<Row>(
  table: string,
  query: { columns: SQL; join?: SQL; where?: SQL; within?: SQL },
) {
  const rows = sql.raw(table);
  const where = query.where ?? sql`true`;
  const count = query.where ? sql`count(*)` : sql`coalesce(max(x.id), 0)`;
  const total = statement<{ total: number }>(sql`
    SELECT (SELECT ${count} FROM ${rows} x WHERE ${where}) AS total FROM ${operator} WHERE ${query.within ?? sql`true`}
  `);
  const pageIn = (direction: "ASC" | "DESC") =>
    statement<Row>(sql`
      SELECT ${query.columns} FROM ${operator} CROSS JOIN ${rows} x ${query.join ?? sql``}
      WHERE x.id > ${sql.placeholder("after")} AND x.id < ${sql.placeholder("before")} AND ${where}
      ORDER BY x.id ${sql.raw(direction)} LIMIT ${sql.placeholder("limit")}
    `);
  const pages = { forward: pageIn("ASC"), backward: pageIn("DESC") };
  return async (db: D1Database, actor: Actor, range: Range, values: Record<string, Value> = {}) => {
    const bound = { ...actor, ...values, ...toBounds(range) };
    const page = isBackward(range) ? pages.backward : pages.forward;
    const { access, rows } = await runAsOperator(db, actor, total(db, bound), page(db, bound));
    return { access, total: rows[0][0]?.total, rows: rows[1] };
  };
}
