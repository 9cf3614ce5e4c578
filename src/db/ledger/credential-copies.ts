/**
 * Copies all credentials and their partners' permissions to the ledger's shards, where writes check them. DB is authoritative. A
 * copy reflects one audit entry and is never replaced by an older one, so a revocation cannot be undone.
 */
import { sql } from "drizzle-orm";
import { type Bound, chunk, runBatch, runIdempotent, statement } from "../statement.ts";
import { type Ledger, shardsOf } from "./shards.ts";

/** Token hash → partner ID, which never changes. Each request still checks the credential's permissions in the database. */
const partnerIds = new Map<string, number>();
const MAX_KNOWN = 10_000;

const partnerOf = statement<{ partner_id: number }>(sql`
  SELECT partner_id FROM credentials WHERE token_hash = ${sql.placeholder("tokenHash")}
`);

/** Returns undefined for an unknown credential. */
export async function findPartnerId({ control }: Ledger, tokenHash: string): Promise<number | undefined> {
  const known = partnerIds.get(tokenHash);
  if (known !== undefined) return known;
  const [[row]] = await runBatch(control, partnerOf(control, { tokenHash }));
  if (!row) return undefined;
  if (partnerIds.size >= MAX_KNOWN) partnerIds.clear();
  partnerIds.set(tokenHash, row.partner_id);
  return row.partner_id;
}

// These run in one batch and therefore see one consistent state. Every change adds an audit entry.
const asOf = statement<{ audited: number }>(sql`SELECT coalesce(max(id), 0) AS audited FROM audit_log`);
const allPartners = statement<{ id: number; supports_cost_data: number; integrated_types: number }>(
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
const current = statement<{ audited: number }>(
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

/** Keeps a parameter far below its limit of 2 MB. */
const ROWS_PER_STATEMENT = 5_000;

/**
 * Copies the current credentials to the given shards, or to all. Throws if a shard fails; the other shards then have the copy.
 * Also throws if a shard has changes that DB does not have, because only DB was restored to an earlier time: a revocation would
 * then not reach that shard. Does nothing when the ledger is in DB.
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
  const results = await Promise.allSettled(
    shards.map(async (db) => {
      const copies = (copy: typeof copyPartners, rows: object[]): Bound<unknown>[] =>
        chunk(rows, ROWS_PER_STATEMENT).map((part) => copy(db, { ...version, rows: JSON.stringify(part) }));
      const [, [shard]] = await runIdempotent(
        db,
        claim(db, version),
        current(db, {}),
        ...copies(copyPartners, partners),
        ...copies(copyCredentials, credentials),
      );
      return shard?.audited ?? 0;
    }),
  );
  const failed = results.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
  const newest = Math.max(...results.map((result) => (result.status === "fulfilled" ? result.value : 0)));
  if (newest <= version.audited) return;
  // A concurrent change may have been copied before this one.
  const [[later]] = await runBatch(control, asOf(control, {}));
  if (newest > (later?.audited ?? 0))
    throw new Error("A shard has changes that DB does not have. See Roll back in the README.");
}
