/**
 * Copies of the credentials, and of what their partners may send, on the shards of the ledger, where they gate its writes.
 * DB is the authority: a copy is all of them as of one audit entry, and never gives way to an older one, so that no revocation is ever undone.
 */
import { sql } from "drizzle-orm";
import { type Bound, chunk, runBatch, runIdempotent, statement } from "../statement.ts";
import { type Ledger, shardsOf } from "./shards.ts";

/** Token hash → partner id, which never changes. Whether the credential may do anything is asked of the database each time. */
const partnerIds = new Map<string, number>();
const MAX_KNOWN = 10_000;

const partnerOf = statement<{ partner_id: number }>(sql`
  SELECT partner_id FROM credentials WHERE token_hash = ${sql.placeholder("tokenHash")}
`);

/** undefined for a credential that never was. */
export async function findPartnerId({ control }: Ledger, tokenHash: string): Promise<number | undefined> {
  const known = partnerIds.get(tokenHash);
  if (known !== undefined) return known;
  const [[row]] = await runBatch(control, partnerOf(control, { tokenHash }));
  if (!row) return undefined;
  if (partnerIds.size >= MAX_KNOWN) partnerIds.clear();
  partnerIds.set(tokenHash, row.partner_id);
  return row.partner_id;
}

// One round trip is one transaction, so what is read together stood together. Every change leaves an audit entry.
const asOf = statement<{ audited: number }>(sql`SELECT coalesce(max(id), 0) AS audited FROM audit_log`);
const allPartners = statement<{ id: number; supports_cost_data: number; integrated_types: string }>(
  sql`SELECT id, supports_cost_data, integrated_types FROM partners`,
);
const allCredentials = statement<Record<string, string | number | null>>(sql`
  SELECT id, token_hash, partner_id, mode, cost_types, revoked_at FROM credentials
`);

const audited = sql.placeholder("audited");
const claim = statement(sql`
  UPDATE ledger_fence SET credentials_as_of = ${audited} WHERE id = 1 AND credentials_as_of < ${audited}
`);
const isNewest = sql`(SELECT credentials_as_of FROM ledger_fence WHERE id = 1) = ${audited}`;
const taken = statement<{ audited: number }>(
  sql`SELECT credentials_as_of AS audited FROM ledger_fence WHERE id = 1`,
);
const copyPartners = statement(sql`
  INSERT INTO partners
    (id, display_name, supports_cost_data, server_to_server, click_parameters, impression_parameters, cost_parameters,
      integrated_types, created_at)
  SELECT j.value ->> 'id', '', j.value ->> 'supports_cost_data', 0, '', '', '', j.value ->> 'integrated_types', 0
  FROM json_each(${sql.placeholder("rows")}) j WHERE ${isNewest}
  ON CONFLICT (id) DO UPDATE SET
    supports_cost_data = excluded.supports_cost_data, integrated_types = excluded.integrated_types
  WHERE (partners.supports_cost_data, partners.integrated_types)
    IS NOT (excluded.supports_cost_data, excluded.integrated_types)
`);
const copyCredentials = statement(sql`
  INSERT INTO credentials (id, token_hash, partner_id, mode, cost_types, hint, created_at, revoked_at)
  SELECT j.value ->> 'id', j.value ->> 'token_hash', j.value ->> 'partner_id', j.value ->> 'mode', j.value ->> 'cost_types',
    '', 0, j.value ->> 'revoked_at'
  FROM json_each(${sql.placeholder("rows")}) j WHERE ${isNewest}
  ON CONFLICT (id) DO UPDATE SET cost_types = excluded.cost_types, revoked_at = excluded.revoked_at
  WHERE (credentials.cost_types, credentials.revoked_at) IS NOT (excluded.cost_types, excluded.revoked_at)
`);

/** Far below the 2 MB that one parameter may hold. */
const ROWS_A_STATEMENT = 5_000;

/**
 * Done when every one of these shards, all unless it is said, has the credentials as they are now. Throws where one does
 * not answer; the others have them then. Throws too where one knows of changes that DB does not, because DB alone was put
 * back in time: what is revoked then reaches no shard. Nothing to do where the ledger lives in DB.
 */
export async function replicateCredentials(ledger: Ledger, shards = shardsOf(ledger)): Promise<void> {
  if (shards.length === 0) return;
  const { control } = ledger;
  const [[now], partners, credentials] = await runBatch(
    control,
    asOf(control, {}),
    allPartners(control, {}),
    allCredentials(control, {}),
  );
  const version = { audited: now?.audited ?? 0 };
  const told = await Promise.allSettled(
    shards.map(async (db) => {
      const copies = (copy: typeof copyPartners, rows: object[]): Bound<unknown>[] =>
        chunk(rows, ROWS_A_STATEMENT).map((part) => copy(db, { ...version, rows: JSON.stringify(part) }));
      const [, [shard]] = await runIdempotent(
        db,
        claim(db, version),
        taken(db, {}),
        ...copies(copyPartners, partners),
        ...copies(copyCredentials, credentials),
      );
      return shard?.audited ?? 0;
    }),
  );
  const failed = told.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
  const newest = Math.max(...told.map((result) => (result.status === "fulfilled" ? result.value : 0)));
  if (newest <= version.audited) return;
  // Another change came in between, and was copied before.
  const [[later]] = await runBatch(control, asOf(control, {}));
  if (newest > (later?.audited ?? 0))
    throw new Error("a shard knows of changes that DB does not: see Roll back in the README");
}
