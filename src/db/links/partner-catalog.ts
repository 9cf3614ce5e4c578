/** Reads partners, and caches all of them in the isolate's memory until the catalog's revision changes. */
import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core/alias";
import { isCaller, t } from "../accounts/api-tokens.ts";
import { keysetQuery, type Range } from "../keyset.ts";
import { as, query, type RowOf } from "../query.ts";
import { partnerCatalog, partners } from "../schema.ts";
import { type Bound, type Rows, runBatch } from "../statement.ts";

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

export type Partners = ReadonlyMap<number, Partner>;

let latest: { revision: string; partners: Partners } = { revision: "", partners: new Map() };

/** Returns every partner, or no row when the cached catalog is current, so a list of links usually reads one row only for it. */
const revisedPartners = query(
  { revision: c.revision, ...partnerFields },
  sql`FROM ${as(t)} CROSS JOIN ${as(c)} CROSS JOIN ${as(p)}
    WHERE ${isCaller} AND ${c.revision} <> ${sql.placeholder("revision")}`,
);

/** The same for a user whose session was checked. */
const revisedPartnersForUser = query(
  { revision: c.revision, ...partnerFields },
  sql`FROM ${as(c)} CROSS JOIN ${as(p)} WHERE ${c.revision} <> ${sql.placeholder("revision")}`,
);

/**
 * Returns a statement for the caller's batch, and a function that turns its rows into all partners, as new as that batch. Without
 * `tokenHash`, the caller must be a user whose session was checked.
 */
export function catalogStatement(db: D1Database, tokenHash?: string) {
  const known = latest;
  const { revision } = known;
  return {
    bound:
      tokenHash === undefined
        ? revisedPartnersForUser(db, { revision })
        : revisedPartners(db, { tokenHash, revision }),
    read: (rows: CatalogRow[]): Partners => {
      const [first] = rows;
      if (!first) return known.partners;
      latest = { revision: first.revision, partners: new Map(rows.map((row) => [row.id, row])) };
      return latest.partners;
    },
  };
}

type CatalogRow = Partner & { revision: string };

/** Runs the statements of a caller. Returns every partner, as new as the batch, and the rows of each statement. */
export async function runWithPartners<Statements extends Bound<unknown>[]>(
  db: D1Database,
  tokenHash: string,
  ...statements: Statements
): Promise<[Partners, ...Rows<Statements>]> {
  const { bound, read } = catalogStatement(db, tokenHash);
  const [partners, ...rows] = await runBatch<[typeof bound, ...Statements]>(db, bound, ...statements);
  return [read(partners), ...rows];
}

const header = query(
  { userId: t.userId, partnerCount: c.partnerCount },
  sql`FROM ${as(t)} CROSS JOIN ${as(c)} WHERE ${isCaller}`,
);
const page = keysetQuery(partnerFields, sql`FROM ${as(t)} CROSS JOIN ${as(p)} WHERE ${isCaller}`);

/** Reads one page of partners by id, with one extra row when there are more. */
export async function listPartners(db: D1Database, tokenHash: string, range: Range) {
  const values = { tokenHash };
  const [[access], rows] = await runBatch(db, header(db, values), page(db, range, values));
  return { access, rows };
}
