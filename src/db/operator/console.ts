/** Reads what the operators' console shows in addition to the lists: an app's links, and the pending costs. */
import { type SQL, sql } from "drizzle-orm";
import { type Ledger, runOnEveryShard } from "../ledger/shards.ts";
import { runBatch, statement } from "../statement.ts";
import { type Actor, operator, runAsOperator } from "./audit.ts";

export const MAX_SHOWN_LINKS = 500;

export interface TreeLink {
  id: number;
  token: string;
  parent_id: number | null;
  label: string;
  archived: number;
  partner: string | null;
  cost_switch: number | null;
}

const tree = statement<TreeLink>(sql`
  SELECT l.id, l.token, l.parent_id, l.label, l.archived, p.display_name AS partner, l.cost_switch
  FROM ${operator} CROSS JOIN links l ON l.app_token = ${sql.placeholder("appToken")}
  LEFT JOIN partners p ON p.id = l.partner_id
  ORDER BY l.id LIMIT ${sql.raw(String(MAX_SHOWN_LINKS + 1))}
`);

/** Lists the first links of an app in creation order, so that a parent precedes its children. */
export async function listTree(db: D1Database, actor: Actor, appToken: string) {
  const { access, rows } = await runAsOperator(db, actor, tree(db, { ...actor, appToken }));
  return { access, links: rows[0] };
}

/**
 * Sums of 0.00001 currency units, as text because they may exceed 2^53. `perMille` sums cpm amounts, which are prices per 1,000
 * impressions; `flat` sums all others.
 */
interface PendingRow {
  partner_id: number;
  currency: string;
  count: number;
  flat: string;
  perMille: string;
}

/** A partner's pending costs in one currency, with one row of sums per database that has some. */
export interface PendingSpend {
  partner_id: number;
  partner: string;
  currency: string;
  count: number;
  rows: PendingRow[];
}

/** Sums the costs that have not lapsed, which they do after seven days. Exact to the day. `from` precedes the totals `t`. */
const pendingOf = (from: SQL) =>
  statement<PendingRow>(sql`
    SELECT t.partner_id, t.currency, sum(t.count) AS count,
      cast(sum(iif(t.cost_type = 'cpm', 0, t.amount)) AS TEXT) AS flat,
      cast(sum(iif(t.cost_type = 'cpm', t.amount, 0)) AS TEXT) AS perMille
    FROM ${from} daily_totals t
    WHERE t.app_token = '' AND t.day >= cast((${sql.placeholder("now")} - 604800000) / 86400000 AS INTEGER)
    GROUP BY t.partner_id, t.currency HAVING sum(t.count) <> 0
  `);
const pending = pendingOf(sql`${operator} CROSS JOIN`);
/** For a shard, which stores no users: the caller runs it after DB has authorized the operator. */
const pendingOnShard = pendingOf(sql``);
const partnerNames = statement<{ id: number; name: string }>(sql`
  SELECT p.id, p.display_name AS name
  FROM ${operator} CROSS JOIN json_each(${sql.placeholder("ids")}) j CROSS JOIN partners p ON p.id = j.value
`);

/** Sums the costs whose engagement may still arrive, by partner and currency. Empty if the actor is not an operator. */
export async function listPendingSpend(ledger: Ledger, actor: Actor): Promise<PendingSpend[]> {
  const { control } = ledger;
  const { access, rows } = await runAsOperator(control, actor, pending(control, { ...actor }));
  if (access?.role !== "operator") return [];
  const { now } = actor;
  const more = await runOnEveryShard(ledger, (db) => runBatch(db, pendingOnShard(db, { now })));
  const found = [...rows[0], ...more.flat(2)].sort(
    (left, right) => left.partner_id - right.partner_id || left.currency.localeCompare(right.currency),
  );
  if (found.length === 0) return [];
  const ids = JSON.stringify([...new Set(found.map((row) => row.partner_id))]);
  const [names] = await runBatch(control, partnerNames(control, { ...actor, ids }));
  return [...Map.groupBy(found, (row) => `${row.partner_id} ${row.currency}`).values()].flatMap((some) => {
    const [first] = some;
    const partner = names.find(({ id }) => id === first?.partner_id)?.name ?? "";
    return first
      ? {
          partner_id: first.partner_id,
          partner,
          currency: first.currency,
          count: some.reduce((sum, row) => sum + row.count, 0),
          rows: some,
        }
      : [];
  });
}
