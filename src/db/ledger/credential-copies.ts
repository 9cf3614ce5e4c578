/**
 * The statements that copy the credentials, and what decides about their partners, to the shards, where writes check them. DB is
 * authoritative. A copy reflects one audit entry and is never replaced by an older one, so a revocation cannot be undone.
 */
import { type AnyColumn, getTableColumns, sql, type Table } from "drizzle-orm";
import { excluded, names, pick, query } from "../query.ts";
import { auditLog, credentials, partners, shardIdentity } from "../schema.ts";
import { type Bound, chunk, statement } from "../statement.ts";

/** What a shard copies from DB, besides the IDs. The other columns are blank there. */
const copiedOfPartner = pick(partners, "supportsCostData", "stoppedAt", "macros");
const copiedOfCredential = pick(credentials, "tokenHash", "partnerId", "mode", "costTypes", "revokedAt");

/** The number of the last change in DB: every change adds an audit entry. */
export const latestChange = query(
  { audited: sql<number>`coalesce(max(${auditLog.id}), 0)` },
  sql`FROM ${auditLog}`,
);
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

/** Reads DB in one batch, and therefore in one consistent state. */
export function readAll(control: D1Database) {
  return [latestChange(control, {}), allPartners(control, {}), allCredentials(control, {})] as const;
}

/** Writes a state of DB to a shard. The second statement returns the number of the change that the shard has then. */
export function copiesOf(db: D1Database, audited: number, partnerRows: object[], credentialRows: object[]) {
  const copies = (copy: typeof copyPartners, all: object[]): Bound<unknown>[] =>
    chunk(all, ROWS_PER_STATEMENT).map((part) => copy(db, { audited, rows: JSON.stringify(part) }));
  const rows = [...copies(copyPartners, partnerRows), ...copies(copyCredentials, credentialRows)];
  return [claim(db, { audited }), current(db, {}), ...rows] as const;
}
