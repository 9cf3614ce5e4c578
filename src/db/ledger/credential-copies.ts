/**
 * Copies the credentials, and what decides about their partners, to the shards, where writes check them. DB is authoritative. A
 * copy reflects one audit entry and is never replaced by an older one, so a revocation cannot be undone.
 */
import { type AnyColumn, getTableColumns, sql, type Table } from "drizzle-orm";
import { partnersOfCredentials } from "../isolate-memory.ts";
import { excluded, names, query } from "../query.ts";
import { auditLog, credentials, partners, shardIdentity } from "../schema.ts";
import { type Bound, chunk, runBatch, runGrouped, runIdempotent, statement } from "../statement.ts";
import { type Ledger, runGated } from "./shards.ts";

/** What never changes is remembered without an end. */
const ANY_TIME = 0;

const partnerOf = query(
  { partnerId: credentials.partnerId },
  sql`FROM ${credentials} WHERE ${credentials.tokenHash} = ${sql.placeholder("tokenHash")}`,
);

/**
 * Finds the partner that selects the database of a cost: 0 when the ledger is in DB, where the partner does not matter. Returns
 * undefined for an unknown credential.
 */
export async function findPartnerId(ledger: Ledger, tokenHash: string): Promise<number | undefined> {
  if (ledger.shards.length === 0) return 0;
  const known = partnersOfCredentials.get(tokenHash, ANY_TIME);
  if (known !== undefined) return known;
  const { control } = ledger;
  const [[row]] = await runGrouped()(control, partnerOf(control, { tokenHash }));
  if (!row) return undefined;
  partnersOfCredentials.set(tokenHash, row.partnerId, ANY_TIME);
  return row.partnerId;
}

/** What a shard copies from DB, besides the IDs. The other columns are blank there. */
const copiedOfPartner = {
  supportsCostData: partners.supportsCostData,
  stoppedAt: partners.stoppedAt,
};
const copiedOfCredential = {
  tokenHash: credentials.tokenHash,
  partnerId: credentials.partnerId,
  mode: credentials.mode,
  costTypes: credentials.costTypes,
  revokedAt: credentials.revokedAt,
};

// These run in one batch and therefore see one consistent state. Every change adds an audit entry.
const asOf = query({ audited: sql<number>`coalesce(max(${auditLog.id}), 0)` }, sql`FROM ${auditLog}`);
const allPartners = query({ id: partners.id, ...copiedOfPartner }, sql`FROM ${partners}`);
const allCredentials = query({ id: credentials.id, ...copiedOfCredential }, sql`FROM ${credentials}`);

const audited = sql.placeholder("audited");
const { id, credentialsAsOf } = shardIdentity;
const claim = statement(sql`
  UPDATE ${shardIdentity} SET ${names(credentialsAsOf)} = ${audited} WHERE ${id} = 1 AND ${credentialsAsOf} < ${audited}
`);
const current = query({ audited: credentialsAsOf }, sql`FROM ${shardIdentity} WHERE ${id} = 1`);

/** A statement that copies rows, unless the shard has a newer copy. It writes only what differs. */
function copyTo(table: Table, copied: Record<string, AnyColumn>) {
  const columns = Object.values(copied);
  const { id: key, ...others } = getTableColumns(table);
  if (!key) throw new Error("A copied table has no ID.");
  const blank = Object.values(others).filter(
    (one) => one.notNull && !one.hasDefault && !columns.includes(one),
  );
  const values = [
    ...["id", ...Object.keys(copied)].map((name) => sql.raw(`j.value ->> '${name}'`)),
    ...blank.map((column) => sql.raw(column.getSQLType() === "text" ? "''" : "0")),
  ];
  return statement(sql`
    INSERT INTO ${table} (${names(key, ...columns, ...blank)})
    SELECT ${sql.join(values, sql`, `)} FROM json_each(${sql.placeholder("rows")}) j
    WHERE (SELECT ${credentialsAsOf} FROM ${shardIdentity} WHERE ${id} = 1) = ${audited}
    ON CONFLICT (${names(key)}) DO UPDATE SET ${excluded(...columns)}
    WHERE ${sql.join(
      columns.map((column) => sql`${column} IS NOT excluded.${names(column)}`),
      sql` OR `,
    )}
  `);
}
const copyPartners = copyTo(partners, copiedOfPartner);
const copyCredentials = copyTo(credentials, copiedOfCredential);

/** Keeps a parameter far below its limit of 2 MB. */
const ROWS_PER_STATEMENT = 5_000;

/**
 * Copies the current credentials to the given shards, or to all. Throws if a shard fails; the other shards then have the copy.
 * Also throws if a shard has changes that DB does not have, because only DB was restored to an earlier time: a revocation would
 * then not reach that shard. Does nothing when the ledger is in DB.
 */
export async function replicateCredentials(ledger: Ledger, shards = ledger.shards): Promise<void> {
  if (shards.length === 0) return;
  const { control } = ledger;
  const [[now], partnerRows, credentialRows] = await runGated(ledger, control, [
    asOf(control, {}),
    allPartners(control, {}),
    allCredentials(control, {}),
  ]);
  const version = { audited: now?.audited ?? 0 };
  const results = await Promise.allSettled(
    shards.map(async (db) => {
      const copies = (copy: typeof copyPartners, all: object[]): Bound<unknown>[] =>
        chunk(all, ROWS_PER_STATEMENT).map((part) => copy(db, { ...version, rows: JSON.stringify(part) }));
      const [, [shard]] = await runGated(
        ledger,
        db,
        [
          claim(db, version),
          current(db, {}),
          ...copies(copyPartners, partnerRows),
          ...copies(copyCredentials, credentialRows),
        ],
        runIdempotent,
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
