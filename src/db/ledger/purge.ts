/** Purges the ledger's two tables, one slice of keys per transaction. A stored position lets it resume after any failure. */
import { sql } from "drizzle-orm";
import { runBatch, statement } from "../statement.ts";

const now = sql.placeholder("now");

/** Twice as long as costs are accepted, so that a late cost is rejected as late and not kept as pending. */
export const ENGAGEMENT_RETENTION_MS = 14 * 24 * 3600 * 1000;

export type LedgerTable = "costs" | "engagements";

export interface PurgeBounds {
  /** Engagements before this are past the cost window, so their costs are final. */
  closedBefore: number;
  /** Engagements before this are deleted. */
  deleteBefore: number;
  now: number;
  /** Number of keys per transaction. */
  slice: number;
}

const FIRST_KEY = sql.raw("-1");
const LAST_KEY = sql.raw("9223372036854775807");

/** Advances the stored slice of a table by `slice` keys, up to the table's end, and from there back to its start. */
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

// The unary plus removes the column's affinity. Otherwise SQLite would use only the partner part of the key and read a partner
// from its first key for every slice.
const inSlice = sql`
  (t.partner_id, t.cost_id) > (+p.after_partner_id, +p.after_cost_id)
  AND (t.partner_id, t.cost_id) <= (coalesce(p.until_partner_id, ${LAST_KEY}), coalesce(p.until_cost_id, ''))
`;

// A cost whose type fits both kinds could be sent again for the other kind and count twice if it were deleted. So it is kept as
// long as its engagement is kept, and as long as an engagement with its ID is within the window. An engagement is deleted only
// after its cost, whatever the positions of the two tables are.
const fitsBoth = sql`(t.kind IS NOT NULL AND t.cost_type IN ('cpi', 'cpe'))`;

const purge = {
  costs: {
    advance: advance("costs"),
    remove: statement(sql`
      DELETE FROM costs WHERE (partner_id, cost_id) IN (
        SELECT t.partner_id, t.cost_id FROM purge_positions p CROSS JOIN cost_states t
        WHERE p.ledger_table = 'costs' AND ${inSlice}
          AND coalesce(t.occurred_at, t.received_at)
            < iif(${fitsBoth}, ${sql.placeholder("deleteBefore")}, ${sql.placeholder("closedBefore")})
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
        WHERE p.ledger_table = 'engagements' AND ${inSlice} AND t.occurred_at < ${sql.placeholder("deleteBefore")}
          AND NOT EXISTS (SELECT 1 FROM costs c WHERE c.partner_id = t.partner_id AND c.cost_id = t.cost_id)
      )
    `),
  },
};

/** Purges the next slice of a table in one transaction. Returns whether it was the last slice. Keeps the daily totals. */
export async function purgeSlice(db: D1Database, table: LedgerTable, bounds: PurgeBounds): Promise<boolean> {
  const values = { ...bounds };
  const [[position]] = await runBatch(db, purge[table].advance(db, values), purge[table].remove(db, values));
  return position?.finished !== 0;
}
