/** Opens, ends and approves integration rounds and dismisses mismatches, each with its audit entry in one transaction. */
import { sql } from "drizzle-orm";
import { type CostType, toMask } from "../../../domain/cost-types.ts";
import { auditChange, type Operator } from "../../audit.ts";
import { names, returning } from "../../query.ts";
import { credentials, partners, roundDismissals, rounds } from "../../schema.ts";
import { runBatch, runForRow, statement } from "../../statement.ts";
import { addAuditedEvent, type Event } from "../../webhooks/outbox.ts";

const id = sql.placeholder("id");
const now = sql.placeholder("now");
const isOpenOfPartner = sql`${rounds.partnerId} = ${sql.placeholder("partnerId")} AND ${rounds.state} = 'open'`;
const overlaps = sql`${isOpenOfPartner} AND ${rounds.costTypes} & ${sql.placeholder("costTypes")}`;
const insert = returning(
  sql`INSERT INTO ${rounds} (${names(rounds.partnerId, rounds.costTypes, rounds.state, rounds.openedAt)})
    SELECT ${partners.id}, ${sql.placeholder("costTypes")}, 'open', ${now} FROM ${partners}
    WHERE ${partners.id} = ${sql.placeholder("partnerId")} AND NOT EXISTS (SELECT 1 FROM ${rounds} WHERE ${overlaps})`,
  { id: rounds.id },
);
const { tokenHash, partnerId, mode, costTypes, roundId, hint, createdAt } = credentials;
// Runs after the audit entry. The new round is the only open one with these cost types.
const insertTestCredential = statement(sql`
  INSERT INTO ${credentials} (${names(tokenHash, partnerId, mode, costTypes, roundId, hint, createdAt)})
  SELECT ${sql.placeholder("tokenHash")}, ${rounds.partnerId}, 'test', ${rounds.costTypes}, ${rounds.id},
    ${sql.placeholder("hint")}, ${now}
  FROM ${rounds} WHERE changes() > 0 AND ${overlaps}
`);

/**
 * Opens a round with its test credential. Returns its ID; undefined if there is no such partner, or if an open round of it has one of
 * the cost types.
 */
export async function insertRound(
  db: D1Database,
  operator: Operator,
  { tokenHash, ...round }: { partnerId: number; costTypes: CostType[]; tokenHash: string; hint: string },
): Promise<number | undefined> {
  const values = { ...round, tokenHash, costTypes: toMask(round.costTypes), now: operator.now };
  const entry = auditChange(db, operator, "open round", "round", null, round);
  const inserted = await runForRow(db, insert(db, values), entry, insertTestCredential(db, values));
  return inserted?.id;
}

const end = returning(
  sql`UPDATE ${rounds} SET ${names(rounds.state)} = ${sql.placeholder("state")}, ${names(rounds.endedAt)} = ${now},
      ${names(rounds.finalReport)} = ${sql.placeholder("finalReport")}, ${names(rounds.approvedTypes)} = ${sql.placeholder("approvedTypes")}
    WHERE ${rounds.id} = ${id} AND ${rounds.state} = 'open' AND ${rounds.entryCount} = ${sql.placeholder("entryCount")}`,
  { id: rounds.id },
);
const approvedTypes = sql.placeholder("approvedTypes");
// Each of these runs only if the statement before it changed a row: the round, its audit entry, the partner, the credentials.
const integrate = statement(sql`
  UPDATE ${partners} SET ${names(partners.supportsCostData)} = 1,
    ${names(partners.integratedTypes)} = ${partners.integratedTypes} | ${approvedTypes}
  WHERE ${partners.id} = ${sql.placeholder("partnerId")} AND changes() > 0
`);
const extendCredentials = statement(sql`
  UPDATE ${credentials} SET ${names(costTypes)} = ${costTypes} | ${approvedTypes}
  WHERE ${partnerId} = ${sql.placeholder("partnerId")} AND ${mode} = 'live' AND ${credentials.revokedAt} IS NULL
    AND changes() > 0
`);

/**
 * Ends a round that was evaluated with `entryCount` entries. Returns false if another entry has arrived since or the round has
 * already ended. An approval enables the approved cost types for the partner and its live credentials in the same transaction.
 */
export async function endRound(
  db: D1Database,
  operator: Operator,
  ending: { id: number; entryCount: number; finalReport: string; approved: CostType[] | null },
  { partner, ...round }: { partnerId: number; partner: string; costTypes: CostType[] },
): Promise<boolean> {
  const { approved, ...more } = ending;
  const values = {
    ...more,
    state: approved ? "approved" : "closed",
    approvedTypes: approved && toMask(approved),
    partnerId: round.partnerId,
    now: operator.now,
  };
  const state = { from: "open", to: values.state };
  const detail = { state, ...round, ...(approved && { approved }), entries: ending.entryCount };
  const action = approved ? "approve round" : "close round";
  const ended = await runForRow(
    db,
    end(db, values),
    auditChange(db, operator, action, "round", ending.id, detail),
    ...(approved
      ? [
          integrate(db, values),
          extendCredentials(db, values),
          addAuditedEvent(db, toEvent(ending.id, round.partnerId, partner, approved), operator.now, action),
        ]
      : []),
  );
  return ended !== undefined;
}

const toEvent = (id: number, partnerId: number, partner: string, types: CostType[]): Event => ({
  type: "round.approved",
  partnerId,
  text: `Round ${id} of ${partner} was approved: ${types.join(", ")} ${types.length === 1 ? "is" : "are"} live.`,
  data: { round_id: id, partner_id: partnerId, partner, cost_types: types },
});

const { finding, dismissedAt, reason } = roundDismissals;
const dismiss = returning(
  sql`INSERT INTO ${roundDismissals} (${names(roundDismissals.roundId, finding, dismissedAt, reason)})
    SELECT ${rounds.id}, j.value, ${now}, ${sql.placeholder("reason")}
    FROM ${rounds} CROSS JOIN json_each(${sql.placeholder("findings")}) j
    WHERE ${rounds.id} = ${id} AND ${rounds.state} = 'open'
    ON CONFLICT DO NOTHING`,
  { finding },
);

interface Dismissals {
  id: number;
  findings: string[];
  /** What the findings have in common, if more than one was asked for. */
  kind: string | undefined;
  reason: string | null;
}

/** Dismisses mismatches of an open round. Dismissing one again changes nothing. */
export async function insertDismissals(
  db: D1Database,
  operator: Operator,
  { id, findings, reason, kind }: Dismissals,
) {
  const named = kind === undefined ? { finding: findings.join() } : { kind, count: findings.length };
  const detail = { ...named, ...(reason !== null && { reason }) };
  const entry = auditChange(db, operator, "dismiss mismatch", "round", id, detail);
  const values = { id, findings: JSON.stringify(findings), reason, now: operator.now };
  await runBatch(db, dismiss(db, values), entry);
}

const undo = returning(
  sql`DELETE FROM ${roundDismissals}
    WHERE ${roundDismissals.roundId} = ${id} AND ${finding} = ${sql.placeholder("finding")}
      AND EXISTS (SELECT 1 FROM ${rounds} WHERE ${rounds.id} = ${id} AND ${rounds.state} = 'open')`,
  { finding },
);

/** Opens a dismissed mismatch of an open round again. Returns false if it is not dismissed. */
export async function deleteDismissal(db: D1Database, operator: Operator, id: number, finding: string) {
  const entry = auditChange(db, operator, "undo dismissal", "round", id, { finding });
  return (await runForRow(db, undo(db, { id, finding }), entry)) !== undefined;
}
