/** Purges the ledger's two tables, one slice of keys per transaction. A stored position lets it resume after any failure. */
import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { DAY_MS } from "../../domain/time.ts";
import { as, names, returning } from "../query.ts";
import { costStates, costs, engagements, purgePositions } from "../schema.ts";
import { runBatch, statement } from "../statement.ts";

/** Twice as long as costs are accepted, so that a late cost is rejected as late and not kept as pending. */
export const ENGAGEMENT_RETENTION_MS = 14 * DAY_MS;

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

const p = alias(purgePositions, "p");
const s = alias(costStates, "s");
const c = alias(costs, "c");
const e = alias(engagements, "e");
const closedBefore = sql.placeholder("closedBefore");
const deleteBefore = sql.placeholder("deleteBefore");

const { afterPartnerId, afterCostId, untilPartnerId, untilCostId, walkedAt, ledgerTable } = purgePositions;
/** The last key of the slice before; the position before the first key at the start of a walk. */
const reached = sql`coalesce(${untilPartnerId}, ${FIRST_KEY}), coalesce(${untilCostId}, '')`;

/** Advances the stored slice of a table by `slice` keys, up to the table's end, and from there back to its start. */
const advance = (table: LedgerTable, t: typeof c | typeof e) =>
  returning(
    sql`UPDATE ${purgePositions} SET
      (${names(afterPartnerId, afterCostId)}) = (${reached}),
      (${names(untilPartnerId, untilCostId)}) = (
        SELECT ${t.partnerId}, ${t.costId} FROM ${as(t)} WHERE (${t.partnerId}, ${t.costId}) > (${reached})
        ORDER BY ${t.partnerId}, ${t.costId} LIMIT 1 OFFSET ${sql.placeholder("slice")} - 1
      ),
      ${names(walkedAt)} = ${sql.placeholder("now")}
    WHERE ${ledgerTable} = ${sql.raw(`'${table}'`)}`,
    { finished: sql<number>`${untilPartnerId} IS NULL` },
  );

// The unary plus removes the column's affinity. Otherwise SQLite would use only the partner part of the key and read a partner
// from its first key for every slice.
const inSlice = (t: typeof s | typeof e) => sql`
  (${t.partnerId}, ${t.costId}) > (+${p.afterPartnerId}, +${p.afterCostId})
  AND (${t.partnerId}, ${t.costId}) <= (coalesce(${p.untilPartnerId}, ${LAST_KEY}), coalesce(${p.untilCostId}, ''))
`;

// A cost whose type fits both kinds could be sent again for the other kind and count twice if it were deleted. So it is kept as
// long as its engagement is kept, and as long as an engagement with its ID is within the window. An engagement is deleted only
// after its cost, whatever the positions of the two tables are.
const fitsBoth = sql`(${s.kind} IS NOT NULL AND ${s.costType} IN ('cpi', 'cpe'))`;

const purge = {
  costs: {
    advance: advance("costs", c),
    remove: statement(sql`
      DELETE FROM ${costs} WHERE (${costs.partnerId}, ${costs.costId}) IN (
        SELECT ${s.partnerId}, ${s.costId} FROM ${as(p)} CROSS JOIN ${as(s)}
        WHERE ${p.ledgerTable} = 'costs' AND ${inSlice(s)}
          AND coalesce(${s.occurredAt}, ${s.receivedAt}) < iif(${fitsBoth}, ${deleteBefore}, ${closedBefore})
          AND NOT EXISTS (
            SELECT 1 FROM ${as(e)} WHERE ${fitsBoth} AND ${e.partnerId} = ${s.partnerId} AND ${e.costId} = ${s.costId}
              AND ${e.occurredAt} >= ${closedBefore}
          )
      )
    `),
  },
  engagements: {
    advance: advance("engagements", e),
    remove: statement(sql`
      DELETE FROM ${engagements} WHERE (${engagements.partnerId}, ${engagements.costId}, ${engagements.kind}) IN (
        SELECT ${e.partnerId}, ${e.costId}, ${e.kind} FROM ${as(p)} CROSS JOIN ${as(e)}
        WHERE ${p.ledgerTable} = 'engagements' AND ${inSlice(e)} AND ${e.occurredAt} < ${deleteBefore}
          AND NOT EXISTS (SELECT 1 FROM ${as(c)} WHERE ${c.partnerId} = ${e.partnerId} AND ${c.costId} = ${e.costId})
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
