/** Sessions of browsers that are signed in with a partner's credential, with what the partner's pages show about it. */
import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core/alias";
import { as, names, query, type RowOf, returning } from "../query.ts";
import { credentials, partnerSessions, partners } from "../schema.ts";
import { runBatch, runIdempotent, statement } from "../statement.ts";

const s = alias(partnerSessions, "s");
const c = alias(credentials, "c");
const p = alias(partners, "p");
const idHash = sql.placeholder("idHash");
const tokenHash = sql.placeholder("tokenHash");
const now = sql.placeholder("now");

const fields = {
  tokenHash: c.tokenHash,
  partnerId: c.partnerId,
  mode: c.mode,
  hint: c.hint,
  costTypes: c.costTypes,
  displayName: p.displayName,
  supportsCostData: p.supportsCostData,
  integratedTypes: p.integratedTypes,
  stoppedAt: p.stoppedAt,
  clickParameters: p.clickParameters,
  impressionParameters: p.impressionParameters,
  costParameters: p.costParameters,
};

/** The credential of a session, and its partner. Cost types are bit masks, flags are 0 or 1. */
export type PartnerRow = RowOf<typeof fields>;

const session = query(
  fields,
  sql`FROM ${as(s)} CROSS JOIN ${as(c)} ON ${c.tokenHash} = ${s.tokenHash} AND ${c.revokedAt} IS NULL
    CROSS JOIN ${as(p)} ON ${p.id} = ${c.partnerId}
    WHERE ${s.idHash} = ${idHash} AND ${s.expiresAt} > ${now}`,
);

/** Returns undefined for a session that is unknown, ended or expired, or whose credential was revoked. */
export async function findPartnerSession(
  db: D1Database,
  idHash: string,
  now: number,
): Promise<PartnerRow | undefined> {
  const [[row]] = await runIdempotent(db, session(db, { idHash, now }));
  return row;
}

const isCredential = sql`${c.tokenHash} = ${tokenHash}`;
const known = query({ revokedAt: c.revokedAt }, sql`FROM ${as(c)} WHERE ${isCredential}`);
const end = statement(
  sql`DELETE FROM ${partnerSessions} WHERE ${partnerSessions.idHash} = ${sql.placeholder("previous")}`,
);
const { createdAt, expiresAt } = partnerSessions;
const start = returning(
  sql`INSERT INTO ${partnerSessions} (${names(partnerSessions.idHash, partnerSessions.tokenHash, createdAt, expiresAt)})
    SELECT ${idHash}, ${c.tokenHash}, ${now}, ${sql.placeholder("expiresAt")}
    FROM ${as(c)} WHERE ${isCredential} AND ${c.revokedAt} IS NULL`,
  { expiresAt },
);

/** Starts a session that replaces the browser's previous one, unless the credential is unknown or revoked. */
export async function insertPartnerSession(
  db: D1Database,
  added: { idHash: string; tokenHash: string; previous: string | null; now: number; expiresAt: number },
): Promise<"started" | "revoked" | "unknown"> {
  const values = { ...added };
  const [[credential], , started] = await runBatch(db, known(db, values), end(db, values), start(db, values));
  if (started.length > 0) return "started";
  return credential ? "revoked" : "unknown";
}

export async function deletePartnerSession(db: D1Database, idHash: string): Promise<void> {
  await runIdempotent(db, end(db, { previous: idHash }));
}
