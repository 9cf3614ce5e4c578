/**
 * Pages of a partner's IDs. Rows that are not in a list lie between those that are, so a page reads a limited number of keys and can
 * end before it is full.
 */
import { Buffer } from "node:buffer";
import { type SQL, sql } from "drizzle-orm";
import { columnsOf, type Fields, limitTo, list, query } from "../query.ts";
import { entry as e } from "./entries.ts";
import type { Ledger } from "./shards.ts";

/** The most keys of a page. One that is not full reads each of its keys twice. */
export const MAX_KEYS = 5_000;
/** The most keys of a page that one call to each database reads for a partner, so that it reads at most 5,000 rows. */
export const OWN_KEYS = MAX_KEYS / 2;

/** A row of a page: listed, or the mark of the last key that was read. */
export type KeyRow = { costId: string; isListed: 0 | 1 };
type KeyFields = Fields & { costId: typeof e.costId; isListed: SQL<0 | 1> };

/** The end of a FROM clause that has a partner's keys after `after` in their order. */
export const isAfter = sql`${e.costId} > ${sql.placeholder("after")} ORDER BY ${e.costId}`;

/**
 * The listed rows among the first `maxKeys` keys after `after`, and then the last of these keys as a row that is not listed. A
 * page that is full before does not read that row, and nothing behind its own last row. `joined` has the fields of `joins`, which
 * find the rows as `k`.
 */
export function pageOfKeys<K extends KeyFields, J extends Fields>(
  keyFields: K,
  keys: SQL,
  joined: J,
  joins: SQL,
) {
  const k = columnsOf("k", keyFields);
  const fields = { ...k, ...joined };
  const mark = {
    ...Object.fromEntries(Object.keys(fields).map((name) => [name, sql`NULL`])),
    costId: e.costId,
    isListed: sql`0`,
  };
  return query(
    columnsOf("p", fields),
    sql`FROM (
        SELECT ${list(fields)} FROM (SELECT ${list(keyFields)} ${keys} ${limitTo("maxKeys")}) k
        ${joins} WHERE ${k.isListed} ORDER BY ${k.costId} ${limitTo("limit")}
      ) p
      UNION ALL SELECT * FROM (SELECT ${list(mark)} ${keys} LIMIT 1 OFFSET ${sql.placeholder("maxKeys")} - 1)
      ${limitTo("limit")}`,
  );
}

/** What these statements are bound to. */
export function toPageValues(
  ledger: Ledger,
  { after, limit }: { after: string | null; limit: number },
  keys = OWN_KEYS,
) {
  const maxKeys = Math.floor(keys / Math.max(1, ledger.shards.length));
  return { after: after ?? "", maxKeys, limit: limit + 1 };
}

/** The listed rows of all databases up to where each of them was read, and the ID after which the list continues. */
export function mergePages<Row extends KeyRow>(
  results: Row[][],
  limit: number,
): { items: Row[]; next: string | null } {
  const parts = results.map((rows) => toPart(rows, limit));
  const ends = parts.flatMap(({ end }) => (end === null ? [] : [end]));
  const end = ends.sort(compareIds)[0] ?? null;
  const covered = parts
    .flatMap(({ rows }) => rows)
    .filter(({ costId }) => end === null || compareIds(costId, end) <= 0)
    .sort((left, right) => compareIds(left.costId, right.costId));
  const items = covered.slice(0, limit);
  return { items, next: covered.length > limit ? (items.at(-1)?.costId ?? null) : end };
}

/** The listed rows of a database, and the last ID that they cover, null if they reach the end. */
function toPart<Row extends KeyRow>(rows: Row[], limit: number) {
  const listed = rows.filter((row) => row.isListed);
  const last = rows.at(-1);
  // SQLite runs the parts of a UNION ALL one after the other. In another order, the page would lack a cost.
  if (listed.length < rows.length && last?.isListed !== 0) throw new Error("A page of costs has no order.");
  const isCut = rows.length > limit || last?.isListed === 0;
  return { rows: listed, end: (isCut && last?.costId) || null };
}

/** The order of SQLite: by the bytes of UTF-8. JavaScript compares UTF-16, where some characters have another order. */
export function compareIds(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

/** After every ID. */
export const AFTER_ALL = "\u{10ffff}".repeat(3);

/** A text before every text that starts with the prefix, and after all others that any cost ID has. */
export function justBefore(prefix: string): string {
  const last = [...prefix].at(-1);
  if (last === undefined) return "";
  const before = (last.codePointAt(0) ?? 1) - 1;
  // Below the code points of surrogates, which are no characters.
  const character = String.fromCodePoint(before === 0xdfff ? 0xd7ff : before);
  return `${prefix.slice(0, -last.length)}${character}\u{10ffff}`;
}
