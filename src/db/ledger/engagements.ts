/**
 * Records engagements: each is counted, and kept in the ledger if it has an ID. The trigger of the view `recordings` does both,
 * and updates the totals of the costs that it matches. One call to D1; with shards one to DB and one to the shard of the ID.
 */
import { type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { Kind } from "../../domain/cost-types.ts";
import type { Engagement, OpenedLink } from "../../domain/costs.ts";
import { expectDefined } from "../../domain/expect-defined.ts";
import { LEVEL_PARAMETERS } from "../../domain/sub-links.ts";
import { RETENTION_MS } from "../../domain/time.ts";
import { creationStatements, depthOf, message, resolved, target } from "../links/sub-links.ts";
import { as, type Fields, list, names, query, type RowOf, returning } from "../query.ts";
import { droppedParameters, ledgerEntries, links, recordings } from "../schema.ts";
import { runIdempotent, statement } from "../statement.ts";
import { runOnShards } from "./run.ts";
import { type Ledger, runGated } from "./shards.ts";

/** An engagement with an ID, whose link and partner are known. */
export interface NewEngagement extends Engagement {
  partnerId: number;
  costId: string;
  kind: Kind;
  appToken: string;
  linkId: number;
}

const now = sql.placeholder("now");
const costDataOn = sql<number | null>`${target.costSwitch} AND ${target.takesCosts}`;
const priceCounts = sql<number | null>`coalesce(${costDataOn} AND ${target.takesPrice}, 0)`;

const withReason = (json: SQL, parameter: string, reason: SQL) =>
  sql`iif(${reason} IS NULL, ${json}, json_insert(${json}, '$[#]', json_array('${sql.raw(parameter)}', ${reason})))`;

/** The columns of `recordings` for the engagements that `resolved` provides as the rows `x`. */
const recorded = {
  appToken: target.appToken,
  linkId: target.linkId,
  partnerId: target.partnerId,
  kind: sql<Kind>`${message("kind")}`,
  occurredAt: sql<number>`${message("occurredAt")}`,
  costId: sql<
    string | null
  >`iif(${target.partnerId} IS NULL OR (${message("isGenerated")} AND NOT ${priceCounts}),
    NULL, ${message("costId")})`,
  costDataOn,
  urlCostType: sql<string | null>`${message("urlCostType")}`,
  urlCurrency: sql<string | null>`${message("urlCurrency")}`,
  urlAmount: sql<number | null>`${message("urlAmount")}`,
  priceCounts,
  dropped: sql<string>`${["2", "3", "4"].reduce(
    (json, level, index) =>
      withReason(json, LEVEL_PARAMETERS[index] ?? "", target[`reason${level as "2" | "3" | "4"}`]),
    message("dropped"),
  )}`,
  recordedAt: sql<number>`${now}`,
} satisfies Fields;
const COLUMNS = names(...Object.keys(recorded).map((key) => recordings[key as keyof typeof recorded]));

const e = alias(ledgerEntries, "e");
const l = alias(links, "l");
const result = {
  costId: recordings.costId,
  level: sql<number | null>`(SELECT ${l.level} FROM ${as(l)} WHERE ${l.id} = ${recordings.linkId})`,
  dropped: recordings.dropped,
  /** The time of the engagement that the ledger keeps for this ID and kind. */
  keptAt: sql<
    number | null
  >`(SELECT iif(${recordings.kind} = 'click', ${e.clickAt}, ${e.impressionAt}) FROM ${as(e)}
    WHERE ${e.partnerId} = ${recordings.partnerId} AND ${e.costId} = ${recordings.costId})`,
};

/** The statements for opened links whose URLs name sub-links down to a level. */
const forDepth = [1, 2, 3, 4].map((depth) => {
  const rows = sql`FROM (${resolved(depth)}) x`;
  const insert = (where: SQL) =>
    returning(
      sql`INSERT INTO ${recordings} (${COLUMNS}) SELECT ${list(recorded)} ${rows} ${where} ORDER BY occurredAt`,
      result,
    );
  const { linkId, day, param, reason, count } = droppedParameters;
  return {
    record: insert(sql`WHERE true`),
    // With shards: an engagement without an ID is counted in DB, and so are the dropped parameters of the others.
    resolve: query(
      { position: target.position, level: target.level, ...recorded },
      sql`${rows} WHERE ${recorded.costId} IS NOT NULL`,
    ),
    recordWithoutId: insert(sql`WHERE ${recorded.costId} IS NULL`),
    countDropped: statement(sql`
      INSERT INTO ${droppedParameters} (${names(linkId, day, param, reason, count)})
      SELECT ${target.linkId}, ${message("occurredAt")} / 86400000, d.value ->> 0, d.value ->> 1, 1
      ${rows} CROSS JOIN json_each(${recorded.dropped}) d WHERE ${recorded.costId} IS NOT NULL
      ON CONFLICT DO UPDATE SET ${names(count)} = ${names(count)} + 1
    `),
  };
});

const insertion = returning(
  sql`INSERT INTO ${recordings} (${COLUMNS})
    SELECT ${sql.raw(
      Object.keys(recorded)
        .slice(0, -2)
        .map((key) => `j.value ->> '${key}'`)
        .join(", "),
    )}, '[]', ${now}
    FROM json_each(${sql.placeholder("engagements")}) j
    WHERE j.value ->> 'occurredAt' >= ${now} - ${sql.raw(String(RETENTION_MS))}
    ORDER BY j.value ->> 'occurredAt'`,
  result,
);
type Row = RowOf<typeof result>;
/** An engagement with an ID as DB resolves it for a shard. Its dropped parameters are counted in DB. */
type Resolved = NewEngagement & { position: number; level: number; dropped: string };

/** Records engagements with one call per database. A call can be repeated. `now` in milliseconds since 1970. */
export function insertEngagements<Item extends NewEngagement>(ledger: Ledger, added: Item[], now: number) {
  return runOnShards(ledger, added, (db, some) => [
    insertion(db, { engagements: JSON.stringify(some), now }),
  ]);
}

/**
 * Records engagements whose links and partners it looks up, and creates the sub-links that they name if `creates`. `rows` has
 * the results, and `failed` the engagements of each database that failed. Throws if DB fails.
 */
export async function recordAll(
  ledger: Ledger,
  opened: OpenedLink[],
  now: number,
  creates = true,
): Promise<{ rows: Row[]; failed: { opened: OpenedLink[]; error: unknown }[] }> {
  const db = ledger.control;
  const values = { opened: JSON.stringify(opened), now };
  const depth = depthOf(opened);
  const statements = expectDefined(forDepth[depth - 1]);
  const creations = creates ? creationStatements(db, depth, values) : [];
  if (ledger.shards.length === 0) {
    const all = [...creations, statements.record(db, values)];
    const rows = await runGated(ledger, db, all, runIdempotent);
    return { rows: rows.at(-1) as Row[], failed: [] };
  }
  const inDb = [
    ...creations,
    statements.countDropped(db, values),
    statements.resolve(db, values),
    statements.recordWithoutId(db, values),
  ];
  const [found, counted] = (await runGated(ledger, db, inDb, runIdempotent)).slice(-2) as [Resolved[], Row[]];
  const parts = await insertEngagements(ledger, found, now);
  const results = parts.flatMap((part) => ("rows" in part ? part.rows[0] : []));
  const keptAt = new Map(results.map((row) => [row.costId, row.keptAt]));
  return {
    rows: [
      ...counted,
      ...found.map(({ costId, level, dropped }) => ({
        costId,
        level,
        dropped,
        keptAt: keptAt.get(costId) ?? null,
      })),
    ],
    failed: parts.flatMap((part) =>
      "error" in part
        ? [{ opened: part.items.map(({ position }) => expectDefined(opened[position])), error: part.error }]
        : [],
    ),
  };
}

/** What became of an engagement. */
export interface Recorded {
  /** The ID in the ledger; null if the engagement was only counted. */
  costId: string | null;
  /** The ledger already had an engagement with this partner, ID and kind. */
  isDuplicate: boolean;
  /** The names of the parameters that were dropped. */
  dropped: string[];
}

/** Sub-links that exist, because this isolate saw them. Links are never deleted, so an entry never becomes wrong. */
const existing = new Set<string>();
const MAX_EXISTING = 10_000;
const pathOf = ({ linkToken, subLinks }: OpenedLink) =>
  [linkToken, ...subLinks.map(({ name }) => name ?? "")].join("::");

/** Records one engagement. Returns undefined if its link does not exist. `now` in milliseconds since 1970. */
export async function recordOne(
  ledger: Ledger,
  opened: OpenedLink,
  now: number,
): Promise<Recorded | undefined> {
  const path = pathOf(opened);
  const { rows, failed } = await recordAll(ledger, [opened], now, !existing.has(path));
  if (failed[0]) throw failed[0].error;
  const [row] = rows;
  if (!row) return undefined;
  if (row.level === depthOf([opened])) {
    if (existing.size >= MAX_EXISTING) existing.clear();
    existing.add(path);
  }
  return {
    costId: row.costId,
    isDuplicate: row.costId !== null && row.keptAt !== opened.occurredAt,
    dropped: (JSON.parse(row.dropped) as [string, string][]).map(([parameter]) => parameter),
  };
}
