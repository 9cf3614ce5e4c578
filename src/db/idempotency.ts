/**
 * Responses stored for idempotency keys. The transaction that makes a change also stores its response, so one never exists without
 * the other.
 */
import { type SQL, sql } from "drizzle-orm";
import { DAY_MS } from "../domain/time.ts";
import { alias, as, names, query, type RowOf, returning } from "./query.ts";
import { idempotencyKeys } from "./schema.ts";
import { statement } from "./statement.ts";

export const KEY_LIFE_MS = DAY_MS;

/** A request with an idempotency key. A key is unique per user, app and operation. */
export interface KeyedRequest {
  operation: "create_link" | "create_links" | "create_adjustment";
  key: string;
  requestId: string;
  bodyHash: string;
  now: number;
}

const k = alias(idempotencyKeys, "k");
const now = sql.placeholder("now");
const isExpired = sql`${k.createdAt} <= ${now} - ${sql.raw(String(KEY_LIFE_MS))}`;
const responseFields = { status: k.status, location: k.location, answer: k.answer };
export type StoredResponse = RowOf<typeof responseFields>;
export type EarlierResponse = StoredResponse & { bodyHash: string };

const { userId, appToken, operation, key, createdAt, requestId, bodyHash, status, location, answer } =
  idempotencyKeys;

/**
 * The statements for the keys of a user and an app. `from` is a FROM clause without `FROM`, and `where` its condition: it must have
 * one row for a caller with access, and none for others. Without an app, `app` is the empty text.
 */
export function keyStatements({ from, where, user, app }: Record<"from" | "where" | "user" | "app", SQL>) {
  const ownKey = sql`
    ${k.userId} = ${user} AND ${k.appToken} = ${app} AND ${k.operation} = ${sql.placeholder("operation")}
    AND ${k.key} = ${sql.placeholder("key")}
  `;
  const isFromRequest = sql`${k.requestId} = ${sql.placeholder("requestId")}`;
  const deleteResponse = (condition: SQL) =>
    statement(sql`
      DELETE FROM ${idempotencyKeys} WHERE (${names(userId, appToken, operation, key)}) IN (
        SELECT ${k.userId}, ${k.appToken}, ${k.operation}, ${k.key} FROM ${from} CROSS JOIN ${as(k)} ON ${ownKey}
        WHERE ${where} AND ${condition}
      )
    `);
  return {
    find: query(
      { bodyHash: k.bodyHash, ...responseFields },
      sql`FROM ${from} CROSS JOIN ${as(k)} ON ${ownKey} WHERE ${where} AND NOT ${isExpired}`,
    ),
    /** Stores nothing and returns no row if the key is in use. */
    store: returning(
      sql`INSERT INTO ${idempotencyKeys}
          (${names(userId, appToken, operation, key, createdAt, requestId, bodyHash, status, location, answer)})
        SELECT ${user}, ${app}, ${sql.placeholder("operation")}, ${sql.placeholder("key")}, ${now},
          ${sql.placeholder("requestId")}, ${sql.placeholder("bodyHash")}, ${sql.placeholder("status")},
          ${sql.placeholder("location")}, ${sql.placeholder("answer")}
        FROM ${from} WHERE ${where}
        ON CONFLICT DO NOTHING`,
      { requestId },
    ),
    deleteExpired: deleteResponse(isExpired),
    /** The statement that removes the response of this request if the condition is true. */
    deleteOwn: (condition: SQL) => deleteResponse(sql`${isFromRequest} AND ${condition}`),
    /** Whether this request stored its response. */
    isStored: sql`EXISTS (SELECT 1 FROM ${as(k)} WHERE ${ownKey} AND ${isFromRequest})`,
  };
}
