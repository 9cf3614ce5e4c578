/** Adds the spend of every shard to the spend found in DB, with exact sums. */
import { sql } from "drizzle-orm";
import type { SpendGroup } from "../../domain/cost-types.ts";
import { runBatch, statement } from "../statement.ts";
import { type Ledger, runOnEveryShard } from "./shards.ts";

/**
 * Sums of 0.00001 currency units, as text because they may exceed 2^53. `per_mille` sums cpm amounts, which are prices per 1,000
 * impressions; `flat` sums all others.
 */
export interface SpendRow {
  app_token: string;
  currency: string;
  flat: string;
  per_mille: string;
  /** Numbers of costs with an engagement: those with an amount, and those without. */
  matched: number;
  unpriced: number;
  /** Days since 1970 in UTC. From here on, a column is present only if the report groups by it. */
  day?: number;
  link_id?: number;
  partner_id?: number;
  partner_name?: string | null;
  cost_type?: string;
  link_token?: string | null;
  /** The link's own name. */
  link_label?: string | null;
}

/** Days since 1970 in UTC, both inclusive. */
export interface DayRange {
  from: number;
  to: number;
}

const COLUMNS = { day: "day", link: "link_id", partner: "partner_id", cost_type: "cost_type" } as const;

/** The columns that a report is grouped and ordered by. */
export function keysOf(groups: readonly SpendGroup[]) {
  return ["app_token", ...groups.map((group) => COLUMNS[group]), "currency"] as const;
}

/** The parts of a report's SQL. The caller provides rows `m` with the report's apps and binds `from` and `to`. */
export function sumsOf(groups: readonly SpendGroup[]) {
  const columns = sql.raw(
    keysOf(groups)
      .map((key) => `d.${key}`)
      .join(", "),
  );
  return {
    select: sql`
      SELECT ${columns},
        CAST(sum(iif(d.state = 'matched' AND d.cost_type <> 'cpm', d.amount, 0)) AS TEXT) AS flat,
        CAST(sum(iif(d.state = 'matched' AND d.cost_type = 'cpm', d.amount, 0)) AS TEXT) AS per_mille,
        sum(iif(d.state = 'matched', d.count, 0)) AS matched,
        sum(iif(d.state = 'unpriced', d.count, 0)) AS unpriced
    `,
    where: sql`
      d.app_token = m.app_token AND d.day BETWEEN ${sql.placeholder("from")} AND ${sql.placeholder("to")}
      GROUP BY ${columns}
      HAVING matched > 0 OR unpriced > 0
    `,
    columns,
  };
}

/** For a shard, which stores no users: `apps` are those that DB allowed. */
function shardReport(groups: readonly SpendGroup[]) {
  const { select, where, columns } = sumsOf(groups);
  return statement<SpendRow>(sql`
    ${select} FROM (SELECT value AS app_token FROM json_each(${sql.placeholder("apps")})) m CROSS JOIN daily_totals d
    WHERE ${where} ORDER BY ${columns} LIMIT ${sql.placeholder("limit")}
  `);
}

const names = {
  links: statement<{ id: number; token: string; label: string }>(sql`
    SELECT l.id, l.token, l.label FROM json_each(${sql.placeholder("ids")}) j CROSS JOIN links l ON l.id = j.value
  `),
  partners: statement<{ id: number; name: string }>(sql`
    SELECT p.id, p.display_name AS name FROM json_each(${sql.placeholder("ids")}) j CROSS JOIN partners p ON p.id = j.value
  `),
};

/**
 * Merges the rows of DB and of every shard by their keys, sorts them by the keys, and returns at most `limit` of them (-1 for
 * all). Returns `found` unchanged when the ledger is in DB. `apps` are those that DB allowed the viewer to see.
 */
export async function addShards(
  ledger: Ledger,
  found: SpendRow[],
  query: DayRange & { apps: string[]; groups: readonly SpendGroup[]; limit: number },
): Promise<SpendRow[]> {
  const { apps, groups, ...rest } = query;
  if (ledger.databases.size === 1 || apps.length === 0) return found;
  const report = shardReport(groups);
  const values = { ...rest, apps: JSON.stringify(apps) };
  const added = await runOnEveryShard(ledger, (db) => runBatch(db, report(db, values)));
  const keys = keysOf(groups);
  const sums = new Map<string, SpendRow>();
  for (const row of [...found, ...added.flat(2)]) {
    const key = JSON.stringify(keys.map((name) => row[name]));
    const sum = sums.get(key);
    sums.set(key, sum ? addUp(sum, row) : row);
  }
  const rows = [...sums.values()].sort((left, right) => compare(left, right, keys));
  return withNames(ledger, query.limit < 0 ? rows : rows.slice(0, query.limit), groups);
}

function addUp(sum: SpendRow, row: SpendRow): SpendRow {
  return {
    ...sum,
    flat: String(BigInt(sum.flat) + BigInt(row.flat)),
    per_mille: String(BigInt(sum.per_mille) + BigInt(row.per_mille)),
    matched: sum.matched + row.matched,
    unpriced: sum.unpriced + row.unpriced,
  };
}

function compare(left: SpendRow, right: SpendRow, keys: ReturnType<typeof keysOf>): number {
  for (const key of keys) {
    const [before, after] = [left[key] ?? "", right[key] ?? ""];
    if (before !== after) return before < after ? -1 : 1;
  }
  return 0;
}

async function withNames(
  ledger: Ledger,
  rows: SpendRow[],
  groups: readonly SpendGroup[],
): Promise<SpendRow[]> {
  const { control } = ledger;
  const idsOf = (key: "link_id" | "partner_id") => ({
    ids: JSON.stringify([...new Set(rows.map((row) => row[key] ?? 0))]),
  });
  const [byLink, byPartner] = [groups.includes("link"), groups.includes("partner")];
  if (!byLink && !byPartner) return rows;
  const [links, partners] = await runBatch(
    control,
    names.links(control, byLink ? idsOf("link_id") : { ids: "[]" }),
    names.partners(control, byPartner ? idsOf("partner_id") : { ids: "[]" }),
  );
  const [linkOf, partnerOf] = [
    new Map(links.map((link) => [link.id, link])),
    new Map(partners.map((one) => [one.id, one])),
  ];
  return rows.map((row) => {
    const link = linkOf.get(row.link_id ?? 0);
    return {
      ...row,
      ...(byLink && { link_token: link?.token ?? null, link_label: link?.label ?? null }),
      ...(byPartner && { partner_name: partnerOf.get(row.partner_id ?? 0)?.name ?? null }),
    };
  });
}
