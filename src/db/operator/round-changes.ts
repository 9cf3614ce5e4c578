/** Opens, ends and approves integration rounds and dismisses mismatches, each with its audit entry in one transaction. */
import { sql } from "drizzle-orm";
import { type CostType, toMask } from "../../domain/cost-types.ts";
import { statement } from "../statement.ts";
import { type Actor, auditStatement, operator, runAsOperator, subjectOf } from "./audit.ts";

const id = sql.placeholder("id");
const partnerId = sql.placeholder("partnerId");
const costTypes = sql.placeholder("costTypes");
const openable = sql`
  EXISTS (SELECT 1 FROM partners WHERE id = ${partnerId}) AND NOT EXISTS (
    SELECT 1 FROM rounds r
    WHERE r.partner_id = ${partnerId} AND r.state = 'open' AND r.cost_types & ${costTypes}
  )
`;
const partner = statement<{ id: number }>(
  sql`SELECT p.id FROM ${operator} CROSS JOIN partners p WHERE p.id = ${partnerId}`,
);
const nextId = sql`(SELECT coalesce(max(id), 0) + 1 FROM rounds)`;
const insert = statement<{ id: number }>(sql`
  INSERT INTO rounds (id, partner_id, cost_types, state, opened_at)
  SELECT ${nextId}, ${partnerId}, ${costTypes}, 'open', ${sql.placeholder("now")} FROM ${operator} WHERE ${openable}
  RETURNING id
`);
const auditInsert = auditStatement("open round", subjectOf("round", nextId), openable);
const insertTestCredential = statement(sql`
  INSERT INTO credentials (token_hash, partner_id, mode, cost_types, round_id, hint, created_at)
  SELECT ${sql.placeholder("newHash")}, x.partner_id, 'test', x.cost_types, x.id, ${sql.placeholder("hint")},
    ${sql.placeholder("now")}
  FROM ${operator} CROSS JOIN rounds x ON x.id = (SELECT max(id) FROM rounds)
  WHERE x.opened_at = ${sql.placeholder("now")} AND NOT EXISTS (SELECT 1 FROM credentials WHERE round_id = x.id)
`);

/** Opens a round with its test credential. `roundId` is undefined if an open round already has one of the cost types. */
export async function insertRound(
  db: D1Database,
  actor: Actor,
  round: { partnerId: number; costTypes: CostType[]; newHash: string; hint: string },
) {
  const values = {
    ...actor,
    ...round,
    costTypes: toMask(round.costTypes),
  };
  const { newHash, ...detail } = round;
  const { access, rows } = await runAsOperator(
    db,
    actor,
    partner(db, values),
    auditInsert(db, values, detail),
    insert(db, values),
    insertTestCredential(db, values),
  );
  return { access, partnerFound: rows[0].length > 0, roundId: rows[2][0]?.id };
}

const unchanged = sql`EXISTS (
  SELECT 1 FROM rounds WHERE id = ${id} AND state = 'open' AND entry_count = ${sql.placeholder("entryCount")}
)`;
const audits = {
  closed: auditStatement("close round", subjectOf("round", id), unchanged),
  approved: auditStatement("approve round", subjectOf("round", id), unchanged),
};
const roundTypes = sql`(SELECT cost_types FROM rounds WHERE id = ${id})`;
const integrate = statement(sql`
  UPDATE partners SET supports_cost_data = 1, integrated_types = integrated_types | ${roundTypes}
  WHERE id = (SELECT partner_id FROM rounds WHERE id = ${id}) AND EXISTS (SELECT 1 FROM ${operator}) AND ${unchanged}
`);
const extendCredentials = statement(sql`
  UPDATE credentials SET cost_types = cost_types | ${roundTypes}
  WHERE partner_id = (SELECT partner_id FROM rounds WHERE id = ${id}) AND mode = 'live' AND revoked_at IS NULL
    AND EXISTS (SELECT 1 FROM ${operator}) AND ${unchanged}
`);
const end = statement<{ id: number }>(sql`
  UPDATE rounds SET state = ${sql.placeholder("state")}, ended_at = ${sql.placeholder("now")},
    final_report = ${sql.placeholder("finalReport")}
  WHERE id = ${id} AND EXISTS (SELECT 1 FROM ${operator}) AND ${unchanged}
  RETURNING id
`);

/**
 * Ends a round that was evaluated with `entryCount` entries. `ended` is false if another entry has arrived since or the round has
 * already ended. An approval enables the round's cost types for the partner and its live credentials in the same transaction.
 * `detail` goes to the audit log.
 */
export async function endRound(
  db: D1Database,
  actor: Actor,
  ending: { id: number; state: "closed" | "approved"; entryCount: number; finalReport: string },
  detail: { partnerId: number; costTypes: string[] },
) {
  const values = { ...actor, ...ending };
  const approved = ending.state === "approved";
  const { access, rows } = await runAsOperator(
    db,
    actor,
    audits[ending.state](db, values, { ...detail, entries: ending.entryCount }),
    ...(approved ? [integrate(db, values), extendCredentials(db, values)] : []),
    end(db, values),
  );
  return { access, ended: (rows.at(-1)?.length ?? 0) > 0 };
}

const dismissable = sql`EXISTS (SELECT 1 FROM rounds WHERE id = ${id} AND state = 'open') AND NOT EXISTS (
  SELECT 1 FROM round_dismissals WHERE round_id = ${id} AND finding = ${sql.placeholder("finding")}
)`;
const auditDismissal = auditStatement("dismiss mismatch", subjectOf("round", id), dismissable);
const insertDismissal = statement(sql`
  INSERT INTO round_dismissals (round_id, finding, dismissed_at)
  SELECT ${id}, ${sql.placeholder("finding")}, ${sql.placeholder("now")} FROM ${operator} WHERE ${dismissable}
`);

/** Dismisses a mismatch. Dismissing it again changes nothing. */
export async function dismissFinding(
  db: D1Database,
  actor: Actor,
  dismissal: { id: number; finding: string },
) {
  const values = { ...actor, ...dismissal };
  const { access } = await runAsOperator(
    db,
    actor,
    auditDismissal(db, values, { finding: dismissal.finding }),
    insertDismissal(db, values),
  );
  return { access };
}
