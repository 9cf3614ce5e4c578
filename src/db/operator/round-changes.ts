/** Opens, ends and approves integration rounds and dismisses mismatches, each with its audit entry in one transaction. */
import { sql } from "drizzle-orm";
import { type CostType, toMask } from "../../domain/cost-types.ts";
import { names, returning } from "../query.ts";
import { credentials, partners, roundDismissals, rounds } from "../schema.ts";
import { runBatch, runForRow, statement } from "../statement.ts";
import { auditChange, type Operator } from "./audit.ts";

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
      ${names(rounds.finalReport)} = ${sql.placeholder("finalReport")}
    WHERE ${rounds.id} = ${id} AND ${rounds.state} = 'open' AND ${rounds.entryCount} = ${sql.placeholder("entryCount")}`,
  { id: rounds.id },
);
const roundTypes = sql`(SELECT ${rounds.costTypes} FROM ${rounds} WHERE ${rounds.id} = ${id})`;
// Each of these runs only if the statement before it changed a row: the round, its audit entry, the partner, the credentials.
const integrate = statement(sql`
  UPDATE ${partners} SET ${names(partners.supportsCostData)} = 1,
    ${names(partners.integratedTypes)} = ${partners.integratedTypes} | ${roundTypes}
  WHERE ${partners.id} = ${sql.placeholder("partnerId")} AND changes() > 0
`);
const extendCredentials = statement(sql`
  UPDATE ${credentials} SET ${names(costTypes)} = ${costTypes} | ${roundTypes}
  WHERE ${partnerId} = ${sql.placeholder("partnerId")} AND ${mode} = 'live' AND ${credentials.revokedAt} IS NULL
    AND changes() > 0
`);

/**
 * Ends a round that was evaluated with `entryCount` entries. Returns false if another entry has arrived since or the round has
 * already ended. An approval enables the round's cost types for the partner and its live credentials in the same transaction.
 */
export async function endRound(
  db: D1Database,
  operator: Operator,
  ending: { id: number; state: "closed" | "approved"; entryCount: number; finalReport: string },
  round: { partnerId: number; costTypes: CostType[] },
): Promise<boolean> {
  const isApproved = ending.state === "approved";
  const values = { ...ending, partnerId: round.partnerId, now: operator.now };
  const detail = { ...round, entries: ending.entryCount };
  const action = isApproved ? "approve round" : "close round";
  const ended = await runForRow(
    db,
    end(db, values),
    auditChange(db, operator, action, "round", ending.id, detail),
    ...(isApproved ? [integrate(db, values), extendCredentials(db, values)] : []),
  );
  return ended !== undefined;
}

const { finding, dismissedAt } = roundDismissals;
const dismiss = statement(sql`
  INSERT INTO ${roundDismissals} (${names(roundDismissals.roundId, finding, dismissedAt)})
  SELECT ${rounds.id}, ${sql.placeholder("finding")}, ${now} FROM ${rounds} WHERE ${rounds.id} = ${id} AND ${rounds.state} = 'open'
  ON CONFLICT DO NOTHING
`);

/** Dismisses a mismatch of an open round. Dismissing it again changes nothing. */
export async function insertDismissal(db: D1Database, operator: Operator, id: number, finding: string) {
  const entry = auditChange(db, operator, "dismiss mismatch", "round", id, { finding });
  await runBatch(db, dismiss(db, { id, finding, now: operator.now }), entry);
}
