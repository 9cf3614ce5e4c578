/**
 * Spend, from the daily totals alone: what a report reads grows with the totals that it covers, not with the costs behind
 * them, and a purge changes nothing. Asked with an API token for one app, or by a session for all apps of its user.
 */
import { type SQL, sql } from "drizzle-orm";
import type { SpendGroup } from "../cost-types.ts";
import type { AppAccess } from "./access.ts";
import { type Bound, runBatch, statement } from "./statement.ts";

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
  partner_name?: string;
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

/** Who asks: the hash of an API token, or of a session's id. */
export type Asker = { kind: "token" | "session"; hash: string; now: number };

const hash = sql.placeholder("hash");
const ASKERS = {
  token: { table: sql`api_tokens t`, gate: sql`t.token_hash = ${hash}` },
  session: {
    table: sql`sessions t`,
    gate: sql`t.id_hash = ${hash} AND t.expires_at > ${sql.placeholder("now")}`,
  },
};
const appToken = sql.placeholder("appToken");

/** `m` names the apps of the report, of which the asker may see every one. */
function reportOf(kind: Asker["kind"], groups: readonly SpendGroup[], apps: SQL) {
  const { table, gate } = ASKERS[kind];
  const keys = ["app_token", ...groups.map((group) => COLUMNS[group]), "currency"];
  const columns = (name: string) => sql.raw(keys.map((key) => `${name}.${key}`).join(", "));
  const [byLink, byPartner] = [groups.includes("link"), groups.includes("partner")];
  return statement<SpendRow>(sql`
    SELECT g.*
      ${byLink ? sql`, l.token AS link_token, l.label AS link_label` : sql``}
      ${byPartner ? sql`, p.display_name AS partner_name` : sql``}
    FROM (
      SELECT ${columns("d")},
        CAST(sum(iif(d.state = 'matched' AND d.cost_type <> 'cpm', d.amount, 0)) AS TEXT) AS flat,
        CAST(sum(iif(d.state = 'matched' AND d.cost_type = 'cpm', d.amount, 0)) AS TEXT) AS per_mille,
        sum(iif(d.state = 'matched', d.count, 0)) AS matched,
        sum(iif(d.state = 'unpriced', d.count, 0)) AS unpriced
      FROM ${table} CROSS JOIN memberships m ON m.user_id = t.user_id CROSS JOIN daily_totals d
      WHERE ${gate} AND ${apps}
        AND d.app_token = m.app_token AND d.day BETWEEN ${sql.placeholder("from")} AND ${sql.placeholder("to")}
      GROUP BY ${columns("d")}
      HAVING matched > 0 OR unpriced > 0
    ) g
    ${byLink ? sql`LEFT JOIN links l ON l.id = g.link_id` : sql``}
    ${byPartner ? sql`LEFT JOIN partners p ON p.id = g.partner_id` : sql``}
    ORDER BY ${columns("g")} LIMIT ${sql.placeholder("limit")}
  `);
}

const accessOf = (kind: Asker["kind"]) =>
  statement<AppAccess>(sql`
    SELECT t.user_id, m.app_token
    FROM ${ASKERS[kind].table} LEFT JOIN memberships m ON m.user_id = t.user_id AND m.app_token = ${appToken}
    WHERE ${ASKERS[kind].gate}
  `);
const access = { token: accessOf("token"), session: accessOf("session") };

const reports = new Map<string, ReturnType<typeof reportOf>>();

/** One of 15 for each kind of asker, built when it is first asked for. */
function reportFor(kind: Asker["kind"], groups: readonly SpendGroup[]) {
  const name = [kind, ...groups].join();
  const report = reports.get(name) ?? reportOf(kind, groups, sql`m.app_token = ${appToken}`);
  reports.set(name, report);
  return report;
}

/** The spend of an app by the groups, in their order; at most `limit` rows, none without access. */
export async function findSpend(
  db: D1Database,
  asker: Asker,
  query: DayRange & { appToken: string; groups: readonly SpendGroup[]; limit: number },
): Promise<{ access: AppAccess | undefined; rows: SpendRow[] }> {
  const { groups, ...rest } = query;
  const values = { ...asker, ...rest };
  const [[found], rows] = await runBatch(
    db,
    access[asker.kind](db, values),
    reportFor(asker.kind, groups)(db, values),
  );
  return { access: found, rows };
}

const ownSpend = reportOf("session", ["day", "partner"], sql`true`);

/** For the batch of a page: the spend of every app of the session's user, by day and partner. */
export function ownSpendStatement(
  db: D1Database,
  { idHash, ...rest }: DayRange & { idHash: string; now: number },
): Bound<SpendRow> {
  return ownSpend(db, { hash: idHash, limit: -1, ...rest });
}
