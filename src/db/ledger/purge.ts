/** The purge of the ledger's two tables: a slice of keys a transaction, from a stored position on, repeatable at any point. */
import { sql } from "drizzle-orm";
import { runBatch, statement } from "../statement.ts";

const now = sql.placeholder("now");

/** Twice as long as costs for them are accepted, so a late cost is told that it is late. */
export const ENGAGEMENT_MEMORY_MS = 14 * 24 * 3600 * 1000;

export type LedgerTable = "costs" | "engagements";

export interface PurgeBounds {
  /** Engagements before this are past the cost window, so what stands on them is settled. */
  closedBefore: number;
  /** Engagements before this are forgotten. */
  forgetBefore: number;
  now: number;
  /** Keys walked in one transaction. */
  slice: number;
}

const FIRST_KEY = sql.raw("-1");
const LAST_KEY = sql.raw("9223372036854775807");

/** Moves the stored slice of a table on by so many keys, to its end or back to its start. */
const advance = (table: LedgerTable) =>
  statement<{ finished: number }>(sql`
    UPDATE purge_positions SET
      after_partner_id = coalesce(until_partner_id, ${FIRST_KEY}),
      after_cost_id = coalesce(until_cost_id, ''),
      (until_partner_id, until_cost_id) = (
        SELECT t.partner_id, t.cost_id FROM ${sql.identifier(table)} t
        WHERE (t.partner_id, t.cost_id) > (coalesce(until_partner_id, ${FIRST_KEY}), coalesce(until_cost_id, ''))
        ORDER BY t.partner_id, t.cost_id LIMIT 1 OFFSET ${sql.placeholder("slice")} - 1
      ),
      walked_at = ${now}
    WHERE ledger_table = ${sql.raw(`'${table}'`)}
    RETURNING until_partner_id IS NULL AS finished
  `);

// The plus takes the column's affinity away: SQLite would else use the key for the partner alone, and walk a partner from its
// first key with every slice.
const inSlice = sql`
  (t.partner_id, t.cost_id) > (+p.after_partner_id, +p.after_cost_id)
  AND (t.partner_id, t.cost_id) <= (coalesce(p.until_partner_id, ${LAST_KEY}), coalesce(p.until_cost_id, ''))
`;

// A cost that fits both kinds could be sent again for the other one and count again, were it gone. So it stays as long as its
// engagement is remembered, and as long as one with its ID is open. An engagement goes after its cost, wherever the two walks
// are.
const fitsBoth = sql`(t.kind IS NOT NULL AND t.cost_type IN ('cpi', 'cpe'))`;

const purge = {
  costs: {
    advance: advance("costs"),
    remove: statement(sql`
      DELETE FROM costs WHERE (partner_id, cost_id) IN (
        SELECT t.partner_id, t.cost_id FROM purge_positions p CROSS JOIN cost_states t
        WHERE p.ledger_table = 'costs' AND ${inSlice}
          AND coalesce(t.occurred_at, t.received_at)
            < iif(${fitsBoth}, ${sql.placeholder("forgetBefore")}, ${sql.placeholder("closedBefore")})
          AND NOT EXISTS (
            SELECT 1 FROM engagements e WHERE ${fitsBoth} AND e.partner_id = t.partner_id AND e.cost_id = t.cost_id
              AND e.occurred_at >= ${sql.placeholder("closedBefore")}
          )
      )
    `),
  },
  engagements: {
    advance: advance("engagements"),
    remove: statement(sql`
      DELETE FROM engagements WHERE (partner_id, cost_id, kind) IN (
        SELECT t.partner_id, t.cost_id, t.kind FROM purge_positions p CROSS JOIN engagements t
        WHERE p.ledger_table = 'engagements' AND ${inSlice} AND t.occurred_at < ${sql.placeholder("forgetBefore")}
          AND NOT EXISTS (SELECT 1 FROM costs c WHERE c.partner_id = t.partner_id AND c.cost_id = t.cost_id)
      )
    `),
  },
};

/** Purges the next slice of a table in one transaction. Whether it was the last of a walk. The daily totals stay. */
export async function purgeSlice(db: D1Database, table: LedgerTable, bounds: PurgeBounds): Promise<boolean> {
  const values = { ...bounds };
  const [[position]] = await runBatch(db, purge[table].advance(db, values), purge[table].remove(db, values));
  return position?.finished !== 0;
}
