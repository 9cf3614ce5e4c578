/** How many costs of a partner a list has, from the totals, where they say so: then a search of IDs can end when it has found them. */
import { sql } from "drizzle-orm";
import { COST_WINDOW_MS, dayOf, RETENTION_MS } from "../../domain/time.ts";
import { alias, as, query } from "../query.ts";
import { dailyTotals } from "../schema.ts";
import { MAX_COVERED } from "../statement.ts";
import type { CostFilter } from "./cost-list.ts";
import { type Ledger, rowDatabasesOf, runGated } from "./shards.ts";

const d = alias(dailyTotals, "d");
const p = (name: string) => sql`${sql.placeholder(name)}`;
const isWanted = sql`${d.partnerId} = ${p("partnerId")} AND ${d.costType} = coalesce(${p("costType")}, ${d.costType})`;
const next = (after: ReturnType<typeof sql>) =>
  sql`(SELECT min(${d.appToken}) FROM ${as(d)} WHERE ${d.appToken} > ${after})`;
/** The key of the totals begins with the app, so the apps are found one after the other. */
const matched = query(
  { count: sql<number>`coalesce(sum(count), 0)`, scanned: sql<number>`count(*)` },
  sql`FROM (
    WITH RECURSIVE found(app) AS (
      SELECT coalesce(${p("appToken")}, ${next(sql`''`)})
      UNION ALL SELECT ${next(sql`found.app`)} FROM found WHERE found.app IS NOT NULL AND ${p("appToken")} IS NULL
    )
    SELECT iif(${isWanted} AND ${d.linkId} = coalesce(${p("linkId")}, ${d.linkId}), ${d.count}, 0) AS count
    FROM found CROSS JOIN ${as(d)} ON ${d.appToken} = found.app AND ${d.day} = ${p("day")}
    LIMIT ${sql.raw(String(MAX_COVERED + 1))}
  )`,
);
const pending = query(
  { count: sql<number>`coalesce(sum(${d.count}), 0)`, scanned: sql<number>`0` },
  sql`FROM ${as(d)} WHERE ${d.appToken} = '' AND ${d.day} BETWEEN ${p("from")} AND ${p("to")} AND ${isWanted}`,
);

/** Null: the totals do not say it. They know no amounts of single costs, so `amountOver` is left out. */
export async function countCosts(
  ledger: Ledger,
  partnerId: number,
  filter: CostFilter,
  now: number,
): Promise<number | null> {
  const counted = statementOf(filter, now);
  if (typeof counted !== "function") return counted;
  const parts = await Promise.all(
    rowDatabasesOf(ledger).map((db) => runGated(ledger, db, [counted(db, partnerId)])),
  );
  const rows = parts.flat(2);
  return rows.some(({ scanned }) => scanned > MAX_COVERED)
    ? null
    : rows.reduce((sum, row) => sum + row.count, 0);
}

function statementOf({ match, day, appToken, linkId, costType }: CostFilter, now: number) {
  const isRemembered = day !== null && day > dayOf(now - RETENTION_MS);
  if (match === "matched" && isRemembered)
    return (db: D1Database, partnerId: number) => matched(db, { partnerId, appToken, linkId, costType, day });
  // On the first of these days, some have lapsed already.
  const firstPending = dayOf(now - COST_WINDOW_MS) + 1;
  if (match !== "pending" || (day !== null && day < firstPending)) return null;
  // A cost that waits has no app and no link.
  if (appToken !== null || linkId !== null) return 0;
  // Without a day, those of the first day count as if they all waited: the list has at most so many.
  const days = { from: day ?? firstPending - 1, to: day ?? dayOf(now) + 1 };
  return (db: D1Database, partnerId: number) => pending(db, { partnerId, costType, ...days });
}
