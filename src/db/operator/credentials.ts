/** Lists, issues and revokes cost credentials. */
import { sql } from "drizzle-orm";
import { type CostType, toMask } from "../../domain/cost-types.ts";
import { statement } from "../statement.ts";
import { type Actor, auditStatement, operator, operatorList, runAsOperator, subjectOf } from "./audit.ts";

export interface CredentialRecord {
  id: number;
  partner_id: number;
  mode: "live" | "test";
  cost_types: number;
  round_id: number | null;
  hint: string;
  created_at: number;
  revoked_at: number | null;
}

const columns = sql.raw(
  ["id", "partner_id", "mode", "cost_types", "round_id", "hint", "created_at", "revoked_at"]
    .map((column) => `x.${column}`)
    .join(", "),
);

export interface NamedCredentialRecord extends CredentialRecord {
  partner: string;
  /** The state of a test credential's round. */
  round_state: string | null;
}

export const listCredentials = operatorList<NamedCredentialRecord>("credentials", {
  columns: sql`${columns}, p.display_name AS partner, r.state AS round_state`,
  join: sql`LEFT JOIN partners p ON p.id = x.partner_id LEFT JOIN rounds r ON r.id = x.round_id`,
});
/** Takes `partnerId`. */
export const listCredentialsOfPartner = operatorList<CredentialRecord>("credentials", {
  columns,
  where: sql`x.partner_id = ${sql.placeholder("partnerId")}`,
});

const id = sql.placeholder("id");
const one = statement<CredentialRecord>(
  sql`SELECT ${columns} FROM ${operator} CROSS JOIN credentials x WHERE x.id = ${id}`,
);

const partnerId = sql.placeholder("partnerId");
const costTypes = sql.placeholder("costTypes");
const mode = sql.placeholder("mode");

/** Whether a stored set of cost types contains all requested ones. */
const holdsAll = (stored: string) => sql`${sql.raw(stored)} & ${costTypes} = ${costTypes}`;
/** The open round for a test credential with these cost types. */
const roundOfTypes = sql`(
  SELECT r.id FROM rounds r WHERE r.partner_id = ${partnerId} AND r.state = 'open' AND ${holdsAll("r.cost_types")}
)`;
const issuable = sql`CASE ${mode}
  WHEN 'live' THEN EXISTS (SELECT 1 FROM partners p WHERE p.id = ${partnerId} AND ${holdsAll("p.integrated_types")})
  ELSE ${roundOfTypes} IS NOT NULL
END`;

const partner = statement<{ id: number }>(
  sql`SELECT p.id FROM ${operator} CROSS JOIN partners p WHERE p.id = ${partnerId}`,
);
const insert = statement<CredentialRecord>(sql`
  INSERT INTO credentials (token_hash, partner_id, mode, cost_types, round_id, hint, created_at)
  SELECT ${sql.placeholder("newHash")}, ${partnerId}, ${mode}, ${costTypes}, iif(${mode} = 'test', ${roundOfTypes}, NULL),
    ${sql.placeholder("hint")}, ${sql.placeholder("now")}
  FROM ${operator} WHERE ${issuable}
  RETURNING id, partner_id, mode, cost_types, round_id, hint, created_at, revoked_at
`);
const auditInsert = auditStatement(
  "issue credential",
  subjectOf("credential", sql`(SELECT coalesce(max(id), 0) + 1 FROM credentials)`),
  issuable,
);

export interface NewCredential {
  partnerId: number;
  mode: "live" | "test";
  costTypes: CostType[];
  newHash: string;
  hint: string;
}

/** `inserted` is undefined if the partner has not integrated all types (live) or has no open round with all of them (test). */
export async function insertCredential(db: D1Database, actor: Actor, credential: NewCredential) {
  const values = {
    ...actor,
    ...credential,
    costTypes: toMask(credential.costTypes),
  };
  const { newHash, ...detail } = credential;
  const { access, rows } = await runAsOperator(
    db,
    actor,
    partner(db, values),
    auditInsert(db, values, detail),
    insert(db, values),
  );
  return { access, partnerFound: rows[0].length > 0, inserted: rows[2][0] };
}

const revocable = sql`EXISTS (SELECT 1 FROM credentials WHERE id = ${id} AND revoked_at IS NULL)`;
const revoke = statement(sql`
  UPDATE credentials SET revoked_at = ${sql.placeholder("now")}
  WHERE id = ${id} AND revoked_at IS NULL AND EXISTS (SELECT 1 FROM ${operator})
`);
const auditRevoke = auditStatement("revoke credential", subjectOf("credential", id), revocable);

/** Revokes a credential and returns it; undefined if there is none. Revoking it again changes nothing. */
export async function revokeCredential(db: D1Database, actor: Actor, credentialId: number) {
  const values = { ...actor, id: credentialId };
  const { access, rows } = await runAsOperator(
    db,
    actor,
    auditRevoke(db, values, {}),
    revoke(db, values),
    one(db, values),
  );
  return { access, credential: rows[2][0] };
}
