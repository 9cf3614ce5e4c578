/**
 * Spend reports from the daily totals, so that a report's reads do not grow with the number of costs and a purge does not change
 * it. An API token reads one app, a session all apps of its user.
 */
import { type SQL, sql } from "drizzle-orm";
import type { SpendGroup } from "../../domain/cost-types.ts";
import type { AppAccess } from "../accounts/api-tokens.ts";
import { type Bound, runBatch, statement } from "../statement.ts";
import { addShards, type DayRange, keysOf, type SpendRow, sumsOf } from "./shard-spend.ts";
import type { Ledger } from "./shards.ts";

/** The caller: the hash of an API token or of a session id. */
export type Viewer = { kind: "token" | "session"; hash: string; now: number };

const hash = sql.placeholder("hash");
const VIEWERS = {
  token: { table: sql`api_tokens t`, gate: sql`t.token_hash = ${hash}` },
  session: {
    table: sql`sessions t`,
    gate: sql`t.id_hash = ${hash} AND t.expires_at > ${sql.placeholder("now")}`,
  },
};
const appToken = sql.placeholder("appToken");

/** `apps` restricts `m`, the memberships of the viewer, to the apps of the report. */
function reportOf(kind: Viewer["kind"], groups: readonly SpendGroup[], apps: SQL) {
  const { table, gate } = VIEWERS[kind];
  const { select, where } = sumsOf(groups);
  const order = sql.raw(
    keysOf(groups)
      .map((key) => `g.${key}`)
      .join(", "),
  );
  const [byLink, byPartner] = [groups.includes("link"), groups.includes("partner")];
  return statement<SpendRow>(sql`
    SELECT g.*
      ${byLink ? sql`, l.token AS link_token, l.label AS link_label` : sql``}
      ${byPartner ? sql`, p.display_name AS partner_name` : sql``}
    FROM (
      ${select}
      FROM ${table} CROSS JOIN memberships m ON m.user_id = t.user_id CROSS JOIN daily_totals d
      WHERE ${gate} AND ${apps}
        AND ${where}
    ) g
    ${byLink ? sql`LEFT JOIN links l ON l.id = g.link_id` : sql``}
    ${byPartner ? sql`LEFT JOIN partners p ON p.id = g.partner_id` : sql``}
    ORDER BY ${order} LIMIT ${sql.placeholder("limit")}
  `);
}

const accessOf = (kind: Viewer["kind"]) =>
  statement<AppAccess>(sql`
    SELECT t.user_id AS userId, m.app_token AS appToken
    FROM ${VIEWERS[kind].table} LEFT JOIN memberships m ON m.user_id = t.user_id AND m.app_token = ${appToken}
    WHERE ${VIEWERS[kind].gate}
  `);
const access = { token: accessOf("token"), session: accessOf("session") };

const reports = new Map<string, ReturnType<typeof reportOf>>();

/** Builds a report on first use. There are 15 per kind of viewer. */
function reportFor(kind: Viewer["kind"], groups: readonly SpendGroup[]) {
  const name = [kind, ...groups].join();
  const report = reports.get(name) ?? reportOf(kind, groups, sql`m.app_token = ${appToken}`);
  reports.set(name, report);
  return report;
}

/** Reads an app's spend, grouped and ordered by `groups`. Returns at most `limit` rows, and none without access. */
export async function findSpend(
  ledger: Ledger,
  viewer: Viewer,
  query: DayRange & { appToken: string; groups: readonly SpendGroup[]; limit: number },
): Promise<{ access: AppAccess | undefined; rows: SpendRow[] }> {
  const { groups, ...rest } = query;
  const values = { ...viewer, ...rest };
  const db = ledger.control;
  const [[found], rows] = await runBatch(
    db,
    access[viewer.kind](db, values),
    reportFor(viewer.kind, groups)(db, values),
  );
  const apps = found?.appToken ? [found.appToken] : [];
  return { access: found, rows: await addShards(ledger, rows, { ...query, apps }) };
}

const OWN_GROUPS = ["day", "partner"] as const;
const ownSpend = reportOf("session", OWN_GROUPS, sql`true`);

/** A statement for the batch of a page: the spend in DB of every app of the session's user, by day and partner. */
export function ownSpendStatement(
  db: D1Database,
  { idHash, ...rest }: DayRange & { idHash: string; now: number },
): Bound<SpendRow> {
  return ownSpend(db, { hash: idHash, limit: -1, ...rest });
}

/** Adds the spend of the shards to the rows of `ownSpendStatement`. `apps` are the user's apps from the same batch. */
export function addOwnSpend(
  ledger: Ledger,
  found: SpendRow[],
  days: DayRange,
  apps: string[],
): Promise<SpendRow[]> {
  return addShards(ledger, found, { ...days, apps, groups: OWN_GROUPS, limit: -1 });
}
