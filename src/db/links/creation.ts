/**
 * Creates one or many links in one round trip. With an idempotency key, the transaction that inserts the links also stores the
 * response, so one never exists without the other.
 */
import { sql } from "drizzle-orm";
import type { AppAccess } from "../accounts/api-tokens.ts";
import { runBatch, statement } from "../statement.ts";
import { type AppScope, ancestors, type InheritedRow, inheritedColumns } from "./links.ts";
import { type LinkRow, linkColumns } from "./lists.ts";
import { catalogStatement } from "./partner-catalog.ts";

export const KEY_LIFE_MS = 24 * 3600 * 1000;

export interface NewLink {
  token: string;
  label: string;
  parentToken: string | null;
}

export type Parent = LinkRow & InheritedRow;

/** A request with an idempotency key. A key is unique per user, app and operation. */
export interface KeyedRequest {
  operation: "create_link" | "create_links";
  key: string;
  requestId: string;
  bodyHash: string;
  now: number;
}

export interface StoredResponse {
  status: number;
  location: string | null;
  answer: string;
}

const tokenHash = sql.placeholder("tokenHash");
const now = sql.placeholder("now");

const member = sql`
  api_tokens t CROSS JOIN memberships m ON m.user_id = t.user_id AND m.app_token = ${sql.placeholder("appToken")}
`;

/** One row per new link, with its parent. There is also a row when the app, the membership or every link is missing. */
type CreationContext = AppAccess & { position: number | null } & {
  [Column in keyof Parent]: Parent[Column] | null;
};

// New links travel as JSON arrays [token, label, parent token].
const creationContext = statement<CreationContext>(sql`
  SELECT t.user_id, m.app_token, j.key AS position, ${linkColumns}, ${inheritedColumns}
  FROM api_tokens t
  LEFT JOIN memberships m ON m.user_id = t.user_id AND m.app_token = ${sql.placeholder("appToken")}
  LEFT JOIN json_each(${sql.placeholder("links")}) j
  LEFT JOIN links l ON l.token = j.value ->> 2 AND l.app_token = m.app_token
  ${ancestors}
  WHERE t.token_hash = ${tokenHash}
`);

/** Separates the access to the app from the parents, which are keyed by the position of the new link. */
function splitCreationContext(rows: CreationContext[]) {
  const found = rows.filter((row): row is CreationContext & Parent & { position: number } => row.id !== null);
  return {
    access: rows[0] as AppAccess | undefined,
    parents: new Map<number, Parent>(found.map((row) => [row.position, row])),
  };
}

const ownKey = sql`
  k.user_id = t.user_id AND k.app_token = m.app_token AND k.operation = ${sql.placeholder("operation")}
  AND k.key = ${sql.placeholder("key")}
`;

const insert = statement<{ token: string }>(sql`
  INSERT INTO links (token, app_token, parent_id, level, label, created_at)
  SELECT j.value ->> 0, m.app_token, p.id, coalesce(p.level, 0) + 1, j.value ->> 1, ${now}
  FROM ${member} CROSS JOIN json_each(${sql.placeholder("links")}) j
  LEFT JOIN links p ON p.token = j.value ->> 2 AND p.app_token = m.app_token
  WHERE t.token_hash = ${tokenHash} AND iif(j.value ->> 2 IS NULL, true, p.level < 4)
    AND (${sql.placeholder("key")} IS NULL OR EXISTS (
      SELECT 1 FROM idempotency_keys k WHERE ${ownKey} AND k.request_id = ${sql.placeholder("requestId")}
    ))
  RETURNING token
`);

const findResponse = statement<StoredResponse & { body_hash: string; request_id: string }>(sql`
  SELECT k.body_hash, k.request_id, k.status, k.location, k.answer FROM ${member} CROSS JOIN idempotency_keys k ON ${ownKey}
  WHERE t.token_hash = ${tokenHash} AND k.created_at > ${now} - ${sql.raw(String(KEY_LIFE_MS))}
`);

const deleteExpiredResponse = statement(sql`
  DELETE FROM idempotency_keys WHERE (user_id, app_token, operation, key) IN (
    SELECT k.user_id, k.app_token, k.operation, k.key FROM ${member} CROSS JOIN idempotency_keys k ON ${ownKey}
    WHERE t.token_hash = ${tokenHash} AND k.created_at <= ${now} - ${sql.raw(String(KEY_LIFE_MS))}
  )
`);

const storeResponse = statement<{ request_id: string }>(sql`
  INSERT INTO idempotency_keys
    (user_id, app_token, operation, key, created_at, request_id, body_hash, status, location, answer)
  SELECT t.user_id, m.app_token, ${sql.placeholder("operation")}, ${sql.placeholder("key")}, ${now},
    ${sql.placeholder("requestId")}, ${sql.placeholder("bodyHash")}, ${sql.placeholder("status")},
    ${sql.placeholder("location")}, ${sql.placeholder("answer")}
  FROM ${member} WHERE t.token_hash = ${tokenHash}
  ON CONFLICT DO NOTHING
  RETURNING request_id
`);

const toJson = (links: NewLink[]) =>
  JSON.stringify(links.map((link) => [link.token, link.label, link.parentToken]));

/**
 * Inserts links at level 1 or below their parents. Without access, none is inserted. A link is skipped when its parent is missing
 * or at level 4. `parents` is read before the insertion and keyed by the position of the new link.
 */
export async function insertLinks(db: D1Database, scope: AppScope, links: NewLink[], at: number) {
  const catalog = catalogStatement(db, scope.tokenHash);
  const values = { ...scope, links: toJson(links), now: at };
  const [rows, inserted, partnerRows] = await runBatch(
    db,
    creationContext(db, values),
    insert(db, { ...values, operation: null, key: null, requestId: null }),
    catalog.bound,
  );
  return {
    ...splitCreationContext(rows),
    inserted: inserted.map(({ token }) => token),
    partners: catalog.read(partnerRows).partners,
  };
}

/** Reads the context of new links before they are inserted with a key, and the response stored for an earlier use of the key. */
export async function prepareLinks(
  db: D1Database,
  scope: AppScope,
  links: NewLink[],
  { operation, key, now: at }: KeyedRequest,
) {
  const catalog = catalogStatement(db, scope.tokenHash);
  const [rows, [earlier], partnerRows] = await runBatch(
    db,
    creationContext(db, { ...scope, links: toJson(links) }),
    findResponse(db, { ...scope, operation, key, now: at }),
    catalog.bound,
  );
  return {
    ...splitCreationContext(rows),
    earlier,
    partners: catalog.read(partnerRows).partners,
  };
}

/** Inserts links and stores the response. Writes nothing and returns undefined if access was lost or the key is in use. */
export async function insertKeyedLinks(
  db: D1Database,
  scope: AppScope,
  links: NewLink[],
  request: KeyedRequest,
  response: StoredResponse,
): Promise<string[] | undefined> {
  const values = { ...scope, ...request };
  const [, [stored], inserted] = await runBatch(
    db,
    deleteExpiredResponse(db, values),
    storeResponse(db, { ...values, ...response }),
    insert(db, { ...values, links: toJson(links) }),
  );
  return stored && inserted.map(({ token }) => token);
}
