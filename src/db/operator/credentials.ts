/** Lists, issues and revokes cost credentials. */
import { sql } from "drizzle-orm";
import { type CostType, toMask } from "../../domain/cost-types.ts";
import { auditChange, type Operator } from "../audit.ts";
import { names, optional, query, type RowOf, returning } from "../query.ts";
import { credentials, partners, rounds } from "../schema.ts";
import { runBatch, runForRow, statement } from "../statement.ts";
import { pagedList } from "./lists/paged.ts";
import { contains, searchedList } from "./lists/searched.ts";

const { tokenHash, partnerId, mode, costTypes, roundId, hint, createdAt, revokedAt } = credentials;
const fields = { id: credentials.id, partnerId, mode, costTypes, roundId, hint, createdAt, revokedAt };

/** A credential. Its cost types are a bit mask. */
export type CredentialRow = RowOf<typeof fields>;

const namedFields = {
  ...fields,
  ...optional({
    partner: partners.displayName,
    /** The state of a test credential's round. */
    roundState: rounds.state,
  }),
};

export type NamedCredentialRow = RowOf<typeof namedFields>;

const join = sql`LEFT JOIN ${partners} ON ${partners.id} = ${partnerId} LEFT JOIN ${rounds} ON ${rounds.id} = ${roundId}`;
export const listCredentials = pagedList(namedFields, { from: credentials, join });

/** Takes `q`, `mode`, and `state`: `active` or `revoked`. */
export const searchCredentials = searchedList(namedFields, {
  from: credentials,
  join,
  sorts: { "-created": sql`${credentials.id} DESC`, partner: sql`${partners.displayName} COLLATE NOCASE` },
  filters: {
    q: contains(partners.displayName, hint),
    mode: sql`${mode} = ${sql.placeholder("mode")}`,
    state: sql`(${revokedAt} IS NULL) = (${sql.placeholder("state")} = 'active')`,
  },
});
/** Takes `partnerId`. */
export const listCredentialsOfPartner = pagedList(namedFields, {
  from: credentials,
  join,
  where: sql`${partnerId} = ${sql.placeholder("partnerId")}`,
});

const requested = sql.placeholder("costTypes");
// The round of a test credential must be open when the credential is inserted, so this is part of the insertion.
const insert = returning(
  sql`INSERT INTO ${credentials} (${names(tokenHash, partnerId, mode, costTypes, roundId, hint, createdAt)})
    SELECT ${sql.placeholder("tokenHash")}, ${partners.id}, ${sql.placeholder("mode")}, ${requested}, ${rounds.id},
      ${sql.placeholder("hint")}, ${sql.placeholder("now")}
    FROM ${partners} LEFT JOIN ${rounds} ON ${sql.placeholder("mode")} = 'test' AND ${rounds.partnerId} = ${partners.id}
      AND ${rounds.state} = 'open' AND ${rounds.costTypes} & ${requested} = ${requested}
    WHERE ${partners.id} = ${sql.placeholder("partnerId")}
      AND iif(${sql.placeholder("mode")} = 'test', ${rounds.id} IS NOT NULL, ${partners.integratedTypes} & ${requested} = ${requested})`,
  fields,
);

type NewCredential = Pick<CredentialRow, "partnerId" | "mode" | "hint"> & {
  costTypes: CostType[];
  tokenHash: string;
};

/** Returns undefined if the partner has not integrated all types (live) or has no open round with all of them (test). */
export function insertCredential(
  db: D1Database,
  operator: Operator,
  { tokenHash, ...credential }: NewCredential,
): Promise<CredentialRow | undefined> {
  const values = { ...credential, tokenHash, costTypes: toMask(credential.costTypes), now: operator.now };
  const entry = auditChange(db, operator, "issue credential", "credential", null, credential);
  return runForRow(db, insert(db, values), entry);
}

const isId = sql`${credentials.id} = ${sql.placeholder("id")}`;
const revoke = statement(sql`
  UPDATE ${credentials} SET ${names(revokedAt)} = ${sql.placeholder("now")} WHERE ${isId} AND ${revokedAt} IS NULL
`);
const byId = query(fields, sql`FROM ${credentials} WHERE ${isId}`);

/** Revokes a credential and returns it; undefined if there is none. Revoking it again changes nothing. */
export async function revokeCredential(
  db: D1Database,
  operator: Operator,
  credentialId: number,
): Promise<CredentialRow | undefined> {
  const values = { id: credentialId, now: operator.now };
  const [, , [credential]] = await runBatch(
    db,
    revoke(db, values),
    auditChange(db, operator, "revoke credential", "credential", credentialId),
    byId(db, values),
  );
  return credential;
}
