/** What the operators' console shows beside the lists: an app's links, and spend that waits for its engagement. */
import { sql } from "drizzle-orm";
import { type Actor, operator, runAsOperator } from "./audit.ts";
import { statement } from "./statement.ts";

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

/** The first links of an app in the order of creation, so that none comes before its parent. */
export async function listTree(db: D1Database, actor: Actor, appToken: string) {
  const { access, rows } = await runAsOperator(db, actor, tree(db, { ...actor, appToken }));
  return { access, links: rows[0] };
}

/** Sums in text, for they may be past 2^53: 0.00001 currency units, those of cpm apart for they pay 1,000 impressions. */
export interface PendingSpend {
  partner_id: number;
  partner: string;
  currency: string;
  count: number;
  flat: string;
  per_mille: string;
}

const pending = statement<PendingSpend>(sql`
  SELECT t.partner_id, p.display_name AS partner, t.currency, sum(t.count) AS count,
    cast(sum(iif(t.cost_type = 'cpm', 0, t.amount)) AS TEXT) AS flat,
    cast(sum(iif(t.cost_type = 'cpm', t.amount, 0)) AS TEXT) AS per_mille
  FROM ${operator} CROSS JOIN daily_totals t ON t.app_token = ''
  JOIN partners p ON p.id = t.partner_id
  GROUP BY t.partner_id, t.currency HAVING sum(t.count) <> 0
  ORDER BY t.partner_id, t.currency
`);

/** What costs whose engagement has not arrived come to, by partner and currency. */
export async function listPendingSpend(db: D1Database, actor: Actor) {
  const { access, rows } = await runAsOperator(db, actor, pending(db, { ...actor }));
  return { access, pending: rows[0] };
}
