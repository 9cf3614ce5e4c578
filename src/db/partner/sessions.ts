/** Sessions of browsers that are signed in with a partner's credential, with what the partner's pages show about it. */
import { sql } from "drizzle-orm";
import { insertEntry, partnerEntry } from "../audit.ts";
import { alias, as, names, pick, query, type RowOf } from "../query.ts";
import { credentials, partnerSessions, partners } from "../schema.ts";
import { runBatch, runIdempotent, statement } from "../statement.ts";

const s = alias(partnerSessions, "s");
const c = alias(credentials, "c");
const p = alias(partners, "p");
const idHash = sql.placeholder("idHash");
const tokenHash = sql.placeholder("tokenHash");
const now = sql.placeholder("now");

const fields = {
  credentialId: c.id,
  ...pick(c, "tokenHash", "partnerId", "mode", "hint", "costTypes"),
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
const credentialFields = { credentialId: c.id, partnerId: c.partnerId, revokedAt: c.revokedAt };
/** A credential, and when it was revoked. */
export type UsedCredential = RowOf<typeof credentialFields>;

const used = query(credentialFields, sql`FROM ${as(c)} WHERE ${isCredential}`);
const end = statement(
  sql`DELETE FROM ${partnerSessions} WHERE ${partnerSessions.idHash} = ${sql.placeholder("previous")}`,
);
const { createdAt, expiresAt } = partnerSessions;
const start = statement(
  sql`INSERT INTO ${partnerSessions} (${names(partnerSessions.idHash, partnerSessions.tokenHash, createdAt, expiresAt)})
    SELECT ${idHash}, ${c.tokenHash}, ${now}, ${sql.placeholder("expiresAt")}
    FROM ${as(c)} WHERE ${isCredential} AND ${c.revokedAt} IS NULL`,
);
const entry = partnerEntry(c, sql`'browser', ${sql.placeholder("browser")}`);
// A batch runs on one connection, so changes() are those of the statement before.
const auditStart = statement(
  sql`${insertEntry("sign in", entry)} FROM ${as(c)} WHERE ${isCredential} AND changes() > 0`,
);

/** A session to start. `browser` in words, for people. */
interface Started {
  idHash: string;
  tokenHash: string;
  previous: string | null;
  browser: string;
  now: number;
  expiresAt: number;
}

/**
 * Starts a session that replaces the browser's previous one, unless the credential was revoked. Returns undefined for an unknown
 * credential.
 */
export async function insertPartnerSession(
  db: D1Database,
  added: Started,
): Promise<UsedCredential | undefined> {
  const values = { ...added };
  const [[credential]] = await runBatch(
    db,
    used(db, values),
    end(db, values),
    start(db, values),
    auditStart(db, values),
  );
  return credential;
}

const ofSession = sql`FROM ${as(s)} CROSS JOIN ${as(c)} ON ${c.tokenHash} = ${s.tokenHash} AND ${c.revokedAt} IS NULL
  WHERE ${s.idHash} = ${sql.placeholder("previous")} AND ${s.expiresAt} > ${now}`;
const usedBySession = query(credentialFields, ofSession);
const auditEnd = statement(sql`${insertEntry("sign out", entry)} ${ofSession}`);

/** Ends a session. Returns its credential; undefined if the session had ended before, also by a revocation. */
export async function deletePartnerSession(
  db: D1Database,
  ended: { idHash: string; browser: string; now: number },
): Promise<UsedCredential | undefined> {
  const values = { ...ended, previous: ended.idHash };
  const [[credential]] = await runIdempotent(
    db,
    usedBySession(db, values),
    auditEnd(db, values),
    end(db, values),
  );
  return credential;
}
