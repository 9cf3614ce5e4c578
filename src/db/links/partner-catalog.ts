/** Reads partners, and caches all of them in the isolate's memory until the catalog's revision changes. */
import { sql } from "drizzle-orm";
import { isBackward, type Range, toBounds } from "../keyset.ts";
import { type Bound, runBatch, statement } from "../statement.ts";

export interface Partner {
  id: number;
  displayName: string;
  supportsCostData: boolean;
  serverToServer: boolean;
  clickParameters: string;
  impressionParameters: string;
  costParameters: string;
}

export interface PartnerRow {
  id: number;
  display_name: string;
  supports_cost_data: number;
  server_to_server: number;
  click_parameters: string;
  impression_parameters: string;
  cost_parameters: string;
}

export interface Catalog {
  revision: string;
  partners: ReadonlyMap<number, Partner>;
}

let latest: Catalog = { revision: "", partners: new Map() };

/** Returns every partner, or no row when the cached catalog is current, so a list of links usually reads one row only for it. */
const revisedPartners = statement<PartnerRow & { revision: string }>(sql`
  SELECT c.revision, p.*
  FROM api_tokens t CROSS JOIN partner_catalog c CROSS JOIN partners p
  WHERE t.token_hash = ${sql.placeholder("tokenHash")} AND c.revision <> ${sql.placeholder("revision")}
`);

/** Returns a statement for the caller's batch, and a function that turns its rows into a catalog as new as that batch. */
export function catalogStatement(
  db: D1Database,
  tokenHash: string,
): {
  bound: Bound<PartnerRow & { revision: string }>;
  read: (rows: (PartnerRow & { revision: string })[]) => Catalog;
} {
  const known = latest;
  return {
    bound: revisedPartners(db, { tokenHash, revision: known.revision }),
    read: (rows) => {
      const [first] = rows;
      if (!first) return known;
      latest = {
        revision: first.revision,
        partners: new Map(rows.map((row) => [row.id, toPartner(row)])),
      };
      return latest;
    },
  };
}

export function toPartner(row: PartnerRow): Partner {
  return {
    id: row.id,
    displayName: row.display_name,
    supportsCostData: row.supports_cost_data === 1,
    serverToServer: row.server_to_server === 1,
    clickParameters: row.click_parameters,
    impressionParameters: row.impression_parameters,
    costParameters: row.cost_parameters,
  };
}

const header = statement<{ user_id: number; partner_count: number }>(sql`
  SELECT t.user_id, c.partner_count FROM api_tokens t CROSS JOIN partner_catalog c
  WHERE t.token_hash = ${sql.placeholder("tokenHash")}
`);

const pageIn = (direction: "ASC" | "DESC") =>
  statement<PartnerRow>(sql`
    SELECT p.* FROM api_tokens t CROSS JOIN partners p
    WHERE t.token_hash = ${sql.placeholder("tokenHash")}
      AND p.id > ${sql.placeholder("after")} AND p.id < ${sql.placeholder("before")}
    ORDER BY p.id ${sql.raw(direction)} LIMIT ${sql.placeholder("limit")}
  `);
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
  return { access, rows: rows.map(toPartner) };
}
