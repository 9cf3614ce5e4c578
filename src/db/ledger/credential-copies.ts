/**
 * Copies all credentials and their partners' permissions to the ledger's shards, where writes check them. DB is authoritative. A
 * copy reflects one audit entry and is never replaced by an older one, so a revocation cannot be undone.
 */
import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { excluded, names, query } from "../query.ts";
import { auditLog, credentials, ledgerFence, partners } from "../schema.ts";
import { type Bound, chunk, runBatch, runIdempotent, statement } from "../statement.ts";
import { isSharded, type Ledger, shardsOf } from "./shards.ts";

/** Token hash → partner ID, which never changes. Each request still checks the credential's permissions in the database. */
const partnerIds = new Map<string, number>();
const MAX_KNOWN = 10_000;

const partnerOf = query(
  { partnerId: credentials.partnerId },
  sql`FROM ${credentials} WHERE ${credentials.tokenHash} = ${sql.placeholder("tokenHash")}`,
);

/**
 * Finds the partner that selects the database of a cost: 0 when the ledger is in DB, where the partner does not matter. Returns
 * undefined for an unknown credential.
 */
export async function findPartnerId(ledger: Ledger, tokenHash: string): Promise<number | undefined> {
  if (!isSharded(ledger)) return 0;
  const known = partnerIds.get(tokenHash);
  if (known !== undefined) return known;
  const { control } = ledger;
  const [[row]] = await runBatch(control, partnerOf(control, { tokenHash }));
  if (!row) return undefined;
  if (partnerIds.size >= MAX_KNOWN) partnerIds.clear();
  partnerIds.set(tokenHash, row.partnerId);
  return row.partnerId;
}

// These run in one batch and therefore see one consistent state. Every change adds an audit entry.
const asOf = query({ audited: sql<number>`coalesce(max(${auditLog.id}), 0)` }, sql`FROM ${auditLog}`);
const allPartners = query(
  {
    id: partners.id,
    supportsCostData: partners.supportsCostData,
    integratedTypes: partners.integratedTypes,
  },
  sql`FROM ${partners}`,
);
const allCredentials = query(
  {
    id: credentials.id,
    tokenHash: credentials.tokenHash,
    partnerId: credentials.partnerId,
    mode: credentials.mode,
    costTypes: credentials.costTypes,
    revokedAt: credentials.revokedAt,
  },
  sql`FROM ${credentials}`,
);

const audited = sql.placeholder("audited");
const rows = sql.placeholder("rows");
const claim = statement(sql`
  UPDATE ${ledgerFence} SET ${names(ledgerFence.credentialsAsOf)} = ${audited}
  WHERE ${ledgerFence.id} = 1 AND ${ledgerFence.credentialsAsOf} < ${audited}
`);
const current = query(
  { audited: ledgerFence.credentialsAsOf },
  sql`FROM ${ledgerFence} WHERE ${ledgerFence.id} = 1`,
);
const isNewest = sql`(SELECT ${ledgerFence.credentialsAsOf} FROM ${ledgerFence} WHERE ${ledgerFence.id} = 1) = ${audited}`;

const newPartner = alias(partners, "excluded");
const copyPartners = statement(sql`
  INSERT INTO ${partners} (
    ${names(partners.id, partners.displayName, partners.supportsCostData, partners.serverToServer)},
    ${names(partners.clickParameters, partners.impressionParameters, partners.costParameters)},
    ${names(partners.integratedTypes, partners.createdAt)}
  )
  SELECT j.value ->> 'id', '', j.value ->> 'supportsCostData', 0, '', '', '', j.value ->> 'integratedTypes', 0
  FROM json_each(${rows}) j WHERE ${isNewest}
  ON CONFLICT (${names(partners.id)}) DO UPDATE SET ${excluded(partners.supportsCostData, partners.integratedTypes)}
  WHERE (${partners.supportsCostData}, ${partners.integratedTypes})
    IS NOT (${newPartner.supportsCostData}, ${newPartner.integratedTypes})
`);
const newCredential = alias(credentials, "excluded");
const copyCredentials = statement(sql`
  INSERT INTO ${credentials} (
    ${names(credentials.id, credentials.tokenHash, credentials.partnerId, credentials.mode, credentials.costTypes)},
    ${names(credentials.hint, credentials.createdAt, credentials.revokedAt)}
  )
  SELECT j.value ->> 'id', j.value ->> 'tokenHash', j.value ->> 'partnerId', j.value ->> 'mode', j.value ->> 'costTypes',
    '', 0, j.value ->> 'revokedAt'
  FROM json_each(${rows}) j WHERE ${isNewest}
  ON CONFLICT (${names(credentials.id)}) DO UPDATE SET ${excluded(credentials.costTypes, credentials.revokedAt)}
  WHERE (${credentials.costTypes}, ${credentials.revokedAt})
    IS NOT (${newCredential.costTypes}, ${newCredential.revokedAt})
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
  const [[now], partnerRows, credentialRows] = await runBatch(
    control,
    asOf(control, {}),
    allPartners(control, {}),
    allCredentials(control, {}),
  );
  const version = { audited: now?.audited ?? 0 };
  const results = await Promise.allSettled(
    shards.map(async (db) => {
      const copies = (copy: typeof copyPartners, all: object[]): Bound<unknown>[] =>
        chunk(all, ROWS_PER_STATEMENT).map((part) => copy(db, { ...version, rows: JSON.stringify(part) }));
      const [, [shard]] = await runIdempotent(
        db,
        claim(db, version),
        current(db, {}),
        ...copies(copyPartners, partnerRows),
        ...copies(copyCredentials, credentialRows),
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
