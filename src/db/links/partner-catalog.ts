/** Reads partners, and caches all of them in the isolate's memory until the catalog's revision changes. */
import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { isCaller, t } from "../accounts/api-tokens.ts";
import { isBackward, type Range, toBounds } from "../keyset.ts";
import { as, query, type RowOf } from "../query.ts";
import { partnerCatalog, partners } from "../schema.ts";
import { type Bound, runBatch } from "../statement.ts";

const c = alias(partnerCatalog, "c");
const p = alias(partners, "p");
const partnerFields = {
  id: p.id,
  displayName: p.displayName,
  supportsCostData: p.supportsCostData,
  serverToServer: p.serverToServer,
  clickParameters: p.clickParameters,
  impressionParameters: p.impressionParameters,
  costParameters: p.costParameters,
};

/** A partner. Its flags are 0 or 1. */
export type Partner = RowOf<typeof partnerFields>;

type CatalogRow = Partner & { revision: string };

export interface Catalog {
  revision: string;
  partners: ReadonlyMap<number, Partner>;
}

let latest: Catalog = { revision: "", partners: new Map() };

/** Returns every partner, or no row when the cached catalog is current, so a list of links usually reads one row only for it. */
const revisedPartners = query(
  { revision: c.revision, ...partnerFields },
  sql`FROM ${as(t)} CROSS JOIN ${as(c)} CROSS JOIN ${as(p)}
    WHERE ${isCaller} AND ${c.revision} <> ${sql.placeholder("revision")}`,
);

/** Returns a statement for the caller's batch, and a function that turns its rows into a catalog as new as that batch. */
export function catalogStatement(
  db: D1Database,
  tokenHash: string,
): { bound: Bound<CatalogRow>; read: (rows: CatalogRow[]) => Catalog } {
  const known = latest;
  return {
    bound: revisedPartners(db, { tokenHash, revision: known.revision }),
    read: (rows) => {
      const [first] = rows;
      if (!first) return known;
      latest = { revision: first.revision, partners: new Map(rows.map((row) => [row.id, row])) };
      return latest;
    },
  };
}

const header = query(
  { userId: t.userId, partnerCount: c.partnerCount },
  sql`FROM ${as(t)} CROSS JOIN ${as(c)} WHERE ${isCaller}`,
);

const pageIn = (direction: "ASC" | "DESC") =>
  query(
    partnerFields,
    sql`FROM ${as(t)} CROSS JOIN ${as(p)}
      WHERE ${isCaller} AND ${p.id} > ${sql.placeholder("after")} AND ${p.id} < ${sql.placeholder("before")}
      ORDER BY ${p.id} ${sql.raw(direction)} LIMIT ${sql.placeholder("limit")}`,
  );
const forward = pageIn("ASC");
const backward = pageIn("DESC");

/** Reads one page of partners by id, with one extra row when there are more. */
export async function listPartners(db: D1Database, tokenHash: string, range: Range) {
  const page = isBackward(range) ? backward : forward;
  const [[access], rows] = await runBatch(
    db,
    header(db, { tokenHash }),
    page(db, { tokenHash, ...toBounds(range) }),
  );
  return { access, rows };
}
