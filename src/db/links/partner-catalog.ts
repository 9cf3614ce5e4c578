/** Reads partners, and caches all of them in the isolate's memory until the catalog's revision changes. */
import { sql } from "drizzle-orm";
import { perViewer, type Viewer } from "../accounts/viewers.ts";
import { keysetQuery, type Range } from "../keyset.ts";
import { alias, as, query, type RowOf } from "../query.ts";
import { partnerCatalog, partners } from "../schema.ts";
import { type Bound, type Rows, type Run, runGrouped } from "../statement.ts";

const catalog = alias(partnerCatalog, "catalog");
const p = alias(partners, "p");
const partnerFields = {
  id: p.id,
  displayName: p.displayName,
  supportsCostData: p.supportsCostData,
  integratedTypes: p.integratedTypes,
  stoppedAt: p.stoppedAt,
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
const revisedPartners = perViewer(({ from, isViewer }) =>
  query(
    { revision: catalog.revision, ...partnerFields },
    sql`FROM ${from} CROSS JOIN ${as(catalog)} CROSS JOIN ${as(p)}
      WHERE ${isViewer} AND ${catalog.revision} <> ${sql.placeholder("revision")}`,
  ),
);

/** Returns a statement for the viewer's batch, and a function that turns its rows into all partners, as new as that batch. */
export function catalogStatement(db: D1Database, viewer: Viewer) {
  const known = latest;
  const { revision } = known;
  return {
    bound: revisedPartners(viewer)(db, { ...viewer, revision }),
    read: (rows: CatalogRow[]): Partners => {
      const [first] = rows;
      if (!first) return known.partners;
      latest = { revision: first.revision, partners: new Map(rows.map((row) => [row.id, row])) };
      return latest.partners;
    },
  };
}

type CatalogRow = Partner & { revision: string };

/** Runs the statements of a viewer. Returns every partner, as new as the batch, and the rows of each statement. */
export async function runWithPartners<Statements extends Bound<unknown>[]>(
  run: Run,
  db: D1Database,
  viewer: Viewer,
  ...statements: Statements
): Promise<[Partners, ...Rows<Statements>]> {
  const { bound, read } = catalogStatement(db, viewer);
  const [partners, ...rows] = await run<[typeof bound, ...Statements]>(db, bound, ...statements);
  return [read(partners), ...rows];
}

const list = perViewer(({ from, userId, isViewer }) => ({
  header: query(
    { userId, partnerCount: catalog.partnerCount },
    sql`FROM ${from} CROSS JOIN ${as(catalog)} WHERE ${isViewer}`,
  ),
  page: keysetQuery(partnerFields, sql`FROM ${from} CROSS JOIN ${as(p)} WHERE ${isViewer}`),
}));

/** Reads one page of partners by id, with one extra row when there are more. */
export async function listPartners(db: D1Database, viewer: Viewer, range: Range) {
  const { header, page } = list(viewer);
  const [[access], rows] = await runGrouped(range.limit)(db, header(db, viewer), page(db, range, viewer));
  return { access, rows };
}
