/**
 * Spend, from the daily totals alone: what a report reads grows with the totals that it covers, not with the costs behind
 * them, and a purge changes nothing. Asked with an API token for one app, or by a session for all apps of its user.
 */
import { type SQL, sql } from "drizzle-orm";
import type { SpendGroup } from "../cost-types.ts";
import type { AppAccess } from "./access.ts";
import type { AppScope } from "./links.ts";
import { catalogueStatement, type Partner } from "./partners.ts";
import { runBatch, statement } from "./statement.ts";

/** Sums in text, for they may be past 2^53: 0.00001 currency units, those of cpm apart for they pay 1,000 impressions. */
export interface SpendRow {
  app_token: string;
  currency: string;
  flat: string;
  per_mille: string;
  /** Costs with an engagement and an amount; those with an engagement alone. */
  matched: number;
  unpriced: number;
  /** Days since 1970 in UTC. What is not grouped by is left out. */
  day?: number;
  partner_id?: number;
  cost_type?: string;
  link_token?: string;
  /** The link's own name. */
  link_label?: string;
}

/** Days since 1970 in UTC, both inclusive. */
export interface DayRange {
  from: number;
  to: number;
}

const COLUMNS = { day: "day", link: "link_id", partner: "partner_id", cost_type: "cost_type" } as const;

/** `members` names the apps that the caller may see as `m.app_token`, and no row at all for who may see none. */
function spendOf(groups: readonly SpendGroup[], members: SQL, limit: SQL) {
  const keys = ["app_token", ...groups.map((group) => COLUMNS[group]), "currency"];
  const columns = (table: string) => sql.raw(keys.map((key) => `${table}.${key}`).join(", "));
  const byLink = groups.includes("link");
  return sql`
    SELECT g.*${byLink ? sql`, l.token AS link_token, l.label AS link_label` : sql``}
    FROM (
      SELECT ${columns("d")},
        CAST(sum(iif(d.state = 'matched' AND d.cost_type <> 'cpm', d.amount, 0)) AS TEXT) AS flat,
        CAST(sum(iif(d.state = 'matched' AND d.cost_type = 'cpm', d.amount, 0)) AS TEXT) AS per_mille,
        sum(iif(d.state = 'matched', d.count, 0)) AS matched,
        sum(iif(d.state = 'unpriced', d.count, 0)) AS unpriced
      FROM (${members}) m CROSS JOIN daily_totals d
      WHERE d.app_token = m.app_token AND d.day BETWEEN ${sql.placeholder("from")} AND ${sql.placeholder("to")}
      GROUP BY ${columns("d")}
      HAVING matched > 0 OR unpriced > 0
    ) g ${byLink ? sql`LEFT JOIN links l ON l.id = g.link_id` : sql``}
    ORDER BY ${columns("g")} ${limit}
  `;
}

const access = statement<AppAccess>(sql`
  SELECT t.user_id, m.app_token
  FROM api_tokens t LEFT JOIN memberships m ON m.user_id = t.user_id AND m.app_token = ${sql.placeholder("appToken")}
  WHERE t.token_hash = ${sql.placeholder("tokenHash")}
`);

const ofToken = sql`
  SELECT m.app_token FROM api_tokens t CROSS JOIN memberships m ON m.user_id = t.user_id
  WHERE t.token_hash = ${sql.placeholder("tokenHash")} AND m.app_token = ${sql.placeholder("appToken")}
`;
const byToken = new Map<string, ReturnType<typeof statement<SpendRow>>>();

/** One of 15 statements, built when it is first asked for. */
function reportFor(groups: readonly SpendGroup[]) {
  const name = groups.join();
  const known = byToken.get(name);
  if (known) return known;
  const built = statement<SpendRow>(spendOf(groups, ofToken, sql`LIMIT ${sql.placeholder("limit")}`));
  byToken.set(name, built);
  return built;
}

/** The spend of an app by the groups, in their order; at most `limit` rows. */
export async function findSpend(
  db: D1Database,
  scope: AppScope,
  days: DayRange,
  groups: readonly SpendGroup[],
  limit: number,
): Promise<{ access: AppAccess | undefined; rows: SpendRow[]; partners: ReadonlyMap<number, Partner> }> {
  const catalogue = catalogueStatement(db, scope.tokenHash);
  const [[found], rows, partnerRows] = await runBatch(
    db,
    access(db, { ...scope }),
    reportFor(groups)(db, { ...scope, ...days, limit }),
    catalogue.bound,
  );
  return { access: found, rows, partners: catalogue.read(partnerRows).partners };
}
