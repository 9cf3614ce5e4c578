/**
 * Holds what every request of the suite asks of D1: no statement of src/db/ walks a whole table, but where this file says so,
 * and none takes a longer text than D1 does, which alone of all limits does not hold on this machine.
 * A setup file: it notes each statement that is prepared, and has them planned after the last test of a file.
 */

import { applyD1Migrations } from "cloudflare:test";
import { Buffer } from "node:buffer";
import { afterAll, expect } from "vitest";
import { env } from "./harness.ts";

/** Tables that may be walked: with the first text, in statements that have it alone. */
const MAY_BE_WALKED: Record<string, RegExp> = {
  // One row.
  partner_catalog: /./,
  // The list of partners is all of them. It is read when it has changed, and then shared by every request.
  partners: /partner_catalog|^SELECT id, supports_cost_data, integrated_types FROM partners$/,
  // Copies for the shards, when one is changed. Else operators alone, for whom a partner's few are found among all.
  credentials: /^SELECT id, token_hash, .* FROM credentials$|role = 'operator'/,
  memberships: /role = 'operator'/,
  users: /role = 'operator'/,
  // What has run out, once an hour.
  sessions: /^DELETE FROM sessions WHERE id_hash IN \(SELECT id_hash FROM sessions WHERE expires_at <= /,
  idempotency_keys: /^DELETE /,
  // Whether all are applied.
  d1_migrations: /./,
};

const database: { prepare: D1Database["prepare"] } = Object.getPrototypeOf(env.DB);
const { prepare } = database;
const recorded = new Map<string, boolean>();

database.prepare = function (query) {
  // The tests themselves ask as they like.
  if (!recorded.has(query)) recorded.set(query, String(new Error().stack).includes("src/db/statement.ts"));
  return prepare.call(this, query);
};

const MAX_TEXT_BYTES = 2_000_000;
const bound: { bind: D1PreparedStatement["bind"] } = Object.getPrototypeOf(prepare.call(env.DB, "SELECT 1"));
const { bind } = bound;

bound.bind = function (...values) {
  for (const value of values) {
    if (typeof value === "string" && Buffer.byteLength(value) > MAX_TEXT_BYTES) {
      throw new Error("D1_ERROR: string or blob too big: SQLITE_TOOBIG");
    }
  }
  return bind.call(this, ...values);
};

afterAll(async () => {
  expect(await takeWalks()).toEqual([]);
});

/** The walks of the statements that were noted since this was last asked. */
export async function takeWalks(): Promise<string[]> {
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
  const walks: string[] = [];
  for (const [query, isOurs] of recorded) {
    if (!isOurs) continue;
    const { results } = await prepare
      .call(env.DB, `EXPLAIN QUERY PLAN ${query}`)
      .bind(...Array(query.split("?").length - 1).fill(null))
      .all<{ detail: string }>();
    const text = query.replace(/\s+/g, " ").trim();
    for (const { detail } of results) {
      const table = findWalked(detail, text);
      if (table && !MAY_BE_WALKED[table]?.test(text)) walks.push(`${detail}: ${text}`);
    }
  }
  recorded.clear();
  return walks;
}

/** The table that a step of a plan walks; none where it walks a list that was sent, or the rows of a subquery. */
function findWalked(step: string, query: string): string | undefined {
  const [, name = ""] = /^SCAN (\w+)(?! VIRTUAL| CONSTANT)/.exec(step) ?? [];
  if (!name || new RegExp(`\\) ${name}\\b`).test(query)) return undefined;
  const table = new RegExp(`\\b(?:FROM|JOIN) (\\w+) ${name}\\b`).exec(query)?.[1] ?? name;
  // What the query does not name would check a foreign key that was broken before, which none can be.
  return new RegExp(`\\b${table}\\b`).test(query) ? table : undefined;
}
