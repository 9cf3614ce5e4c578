/**
 * Creates one or many links in one round trip. With an idempotency key, the transaction that inserts the links also stores the
 * response, so one never exists without the other.
 */
import { type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { DAY_MS } from "../../domain/time.ts";
import { appAccess, isCaller, isMember, m, t } from "../accounts/api-tokens.ts";
import { as, names, optional, query, type RowOf, returning } from "../query.ts";
import { idempotencyKeys, links } from "../schema.ts";
import { runBatch, statement } from "../statement.ts";
import { ancestors, type Inherited, inheritedFields } from "./links.ts";
import { type AppScope, type LinkRow, l, linkFields } from "./lists.ts";
import { runWithPartners } from "./partner-catalog.ts";

export const KEY_LIFE_MS = DAY_MS;

export interface NewLink {
  token: string;
  label: string;
  parentToken: string | null;
}

export type Parent = LinkRow & Inherited;

/** A request with an idempotency key. A key is unique per user, app and operation. */
export interface KeyedRequest {
  operation: "create_link" | "create_links";
  key: string;
  requestId: string;
  bodyHash: string;
  now: number;
}

const k = alias(idempotencyKeys, "k");
const p = alias(links, "p");
const now = sql.placeholder("now");
// New links travel as JSON arrays [token, label, parent token].
const newLinks = sql`json_each(${sql.placeholder("links")}) j`;
const parentToken = sql`j.value ->> 2`;

/** One row per new link, with its parent. There is also a row when the app, the membership or every link is missing. */
const creationContext = query(
  { ...appAccess, newToken: sql<string | null>`j.value ->> 0`, ...optional(linkFields), ...inheritedFields },
  sql`FROM ${as(t)}
    LEFT JOIN ${as(m)} ON ${isMember}
    LEFT JOIN ${newLinks}
    LEFT JOIN ${as(l)} ON ${l.token} = ${parentToken} AND ${l.appToken} = ${m.appToken}
    ${ancestors}
    WHERE ${isCaller}`,
);

/** Separates the access to the app from the parents, by the token of the new link. */
function splitCreationContext<Row extends { id: number | null }>(rows: Row[]) {
  const found = rows.filter((row) => row.id !== null) as unknown as (Parent & { newToken: string })[];
  return { access: rows[0], parents: new Map<string, Parent>(found.map((row) => [row.newToken, row])) };
}

const member = sql`${as(t)} CROSS JOIN ${as(m)} ON ${isMember}`;
const ownKey = sql`
  ${k.userId} = ${t.userId} AND ${k.appToken} = ${m.appToken} AND ${k.operation} = ${sql.placeholder("operation")}
  AND ${k.key} = ${sql.placeholder("key")}
`;

const insert = returning(
  sql`INSERT INTO ${links} (${names(links.token, links.appToken, links.parentId, links.level, links.label, links.createdAt)})
    SELECT j.value ->> 0, ${m.appToken}, ${p.id}, coalesce(${p.level}, 0) + 1, j.value ->> 1, ${now}
    FROM ${member} CROSS JOIN ${newLinks}
    LEFT JOIN ${as(p)} ON ${p.token} = ${parentToken} AND ${p.appToken} = ${m.appToken}
    WHERE ${isCaller} AND iif(${parentToken} IS NULL, true, ${p.level} < 4)
      AND (${sql.placeholder("key")} IS NULL OR EXISTS (
        SELECT 1 FROM ${as(k)} WHERE ${ownKey} AND ${k.requestId} = ${sql.placeholder("requestId")}
      ))`,
  { token: links.token },
);

const isExpired = sql`${k.createdAt} <= ${now} - ${sql.raw(String(KEY_LIFE_MS))}`;
const responseFields = { status: k.status, location: k.location, answer: k.answer };
const findResponse = query(
  { bodyHash: k.bodyHash, ...responseFields },
  sql`FROM ${member} CROSS JOIN ${as(k)} ON ${ownKey} WHERE ${isCaller} AND NOT ${isExpired}`,
);
export type StoredResponse = RowOf<typeof responseFields>;
export type EarlierResponse = StoredResponse & { bodyHash: string };

const { userId, appToken, operation, key, createdAt, requestId, bodyHash, status, location, answer } =
  idempotencyKeys;
const storeResponse = returning(
  sql`INSERT INTO ${idempotencyKeys}
      (${names(userId, appToken, operation, key, createdAt, requestId, bodyHash, status, location, answer)})
    SELECT ${t.userId}, ${m.appToken}, ${sql.placeholder("operation")}, ${sql.placeholder("key")}, ${now},
      ${sql.placeholder("requestId")}, ${sql.placeholder("bodyHash")}, ${sql.placeholder("status")},
      ${sql.placeholder("location")}, ${sql.placeholder("answer")}
    FROM ${member} WHERE ${isCaller}
    ON CONFLICT DO NOTHING`,
  { requestId },
);

const deleteResponse = (condition: SQL) =>
  statement(sql`
    DELETE FROM ${idempotencyKeys} WHERE (${names(userId, appToken, operation, key)}) IN (
      SELECT ${k.userId}, ${k.appToken}, ${k.operation}, ${k.key} FROM ${member} CROSS JOIN ${as(k)} ON ${ownKey}
      WHERE ${isCaller} AND ${condition}
    )
  `);
const deleteExpiredResponse = deleteResponse(isExpired);
/** Removes a stored response that promises other links than those that exist: a retry must not confirm them. */
const deleteWrongResponse = deleteResponse(sql`
  ${k.requestId} = ${sql.placeholder("requestId")} AND ${sql.placeholder("promised")} <> (
    SELECT count(*) FROM ${newLinks} CROSS JOIN ${as(l)} ON ${l.token} = j.value ->> 0
  )
`);

const toJson = (links: NewLink[]) =>
  JSON.stringify(links.map((link) => [link.token, link.label, link.parentToken]));

/**
 * Inserts links at level 1 or below their parents. Without access, none is inserted. A link is skipped when its parent is missing
 * or at level 4. `parents` is read before the insertion, by the token of the new link.
 */
export async function insertLinks(db: D1Database, scope: AppScope, links: NewLink[], at: number) {
  const values = { ...scope, links: toJson(links), now: at, operation: null, key: null, requestId: null };
  const [partners, rows, inserted] = await runWithPartners(
    db,
    scope.tokenHash,
    creationContext(db, values),
    insert(db, values),
  );
  return { ...splitCreationContext(rows), inserted: inserted.map(({ token }) => token), partners };
}

/** Reads the context of new links before they are inserted with a key, and the response stored for an earlier use of the key. */
export async function prepareLinks(
  db: D1Database,
  scope: AppScope,
  links: NewLink[],
  { operation, key, now }: KeyedRequest,
) {
  const [partners, rows, [earlier]] = await runWithPartners(
    db,
    scope.tokenHash,
    creationContext(db, { ...scope, links: toJson(links) }),
    findResponse(db, { ...scope, operation, key, now }),
  );
  return { ...splitCreationContext(rows), earlier, partners };
}

/**
 * Inserts links and stores the response, which promises so many links. Writes nothing and returns undefined if access was
 * lost or the key is in use. Stores no response if fewer or more links were inserted.
 */
export async function insertKeyedLinks(
  db: D1Database,
  scope: AppScope,
  links: NewLink[],
  request: KeyedRequest,
  response: StoredResponse,
  promised: number,
): Promise<string[] | undefined> {
  const values = { ...scope, ...request, ...response, links: toJson(links), promised };
  const [, [stored], inserted] = await runBatch(
    db,
    deleteExpiredResponse(db, values),
    storeResponse(db, values),
    insert(db, values),
    deleteWrongResponse(db, values),
  );
  return stored && inserted.map(({ token }) => token);
}
