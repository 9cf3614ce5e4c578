/**
 * Checks every statement of src/db/ that a test file runs: none scans a whole table, except where this file allows it, none is
 * planned again for each request, and none binds a longer text than D1 accepts, the one limit of D1 that the local runtime does
 * not enforce. It records each prepared statement. test/setup.ts reads their query plans after the last test of a file.
 */

import { applyD1Migrations } from "cloudflare:test";
import { Buffer } from "node:buffer";
import { env } from "./harness.ts";
import { once } from "./once.ts";
import { watchWrites } from "./writes.ts";

/** The lists of the console, which operators search, filter, sort and count. Their tables do not grow with traffic. */
const CONSOLE_LIST = /WHERE true AND \(\? IS NULL OR /;

/** What the start page of operators reads, from tables that do not grow with traffic. */
const START =
  /AS hasTwoFactor, |\.state = 'approved' GROUP BY |\.state = 'open' ORDER BY |NULL GROUP BY credentials\.partner_id$|ORDER BY users\.created_at LIMIT 200$|failed_sign_ins\.hour >= |FROM partner_rates LIMIT 4000$|a\.day BETWEEN \? AND \? GROUP BY 1, 2, 3$/;

const either = (...patterns: RegExp[]) => new RegExp(patterns.map(({ source }) => source).join("|"));

/** The tables that may be scanned, each only in statements that match its pattern. */
const ALLOWED_SCANS: Record<string, RegExp> = {
  // The days that a report counts one after the other, each a row.
  days: /\bdays\(day, size\) AS/,
  // Has one row.
  partner_catalog: /./,
  // The catalog has all partners. It is read only after a change, and all requests share it.
  partners: either(
    /partner_catalog|^SELECT partners\.id AS id, partners\.supports_cost_data AS .* FROM partners$/,
    CONSOLE_LIST,
    // Operators choose a partner by name, and search the audit log by name.
    /FROM partners ORDER BY .* LIMIT 1000$|FROM audit_log/,
    // Each partner can have rejected costs and prices: the purge looks for old counts of all, and an overview for those in its app.
    // The cron looks for those whose rates are a day old.
    // It finds the last cost and the last click of all, and what the rules of alerts look at.
    /^SELECT partners\.id AS id, partners\.display_name AS name, partners\.supports_cost_data AS .* FROM partners$| AS of, r\.partner_id AS partnerId, /,
    /^SELECT partners\.id AS id FROM partners$|^SELECT r\.partner_id AS partnerId, r\.day AS day, /,
    /p\.integrated_types <> 0 AND |^DELETE FROM (daily_rejections|recent_rejections|daily_url_prices)|^SELECT r\.partner_id AS partnerId, r\.code AS code/,
    START,
  ),
  partner_rates: START,
  // One row a partner, which the cron reads every hour.
  partner_activity: /FROM partner_activity$/,
  // The pages of an app show which partners are in a round, whether or not they have links there.
  rounds: either(START, /CROSS JOIN rounds r WHERE .* AND r\.state = 'open'$/),
  failed_sign_ins: START,
  authenticators: START,
  // Operators choose an app by name, search the audit log by name, see the spend of all apps, and look for a scheme, and for the test link of a
  // partner in each. The purge needs all tokens. An alert is about those in which engagements create no more links.
  apps: either(
    CONSOLE_LIST,
    START,
    / AS linkToken, NULL AS link FROM apps a /,
    /ORDER BY .* LIMIT 1000$|FROM audit_log|^SELECT apps\.token AS token(, apps\.name AS name)? FROM apps$|json_group_array\(apps\.token\)|FROM apps CROSS JOIN links l INDEXED BY links_by_partner|json_each\(apps\.redirect_schemes\)/,
  ),
  // Those that wait, of all webhooks: once a minute.
  webhook_deliveries: /INDEXED BY deliveries_due/,
  webhook_events: /INDEXED BY events_to_spread/,
  // Operators search them, and the audit log of a partner has its own.
  adjustments: either(CONSOLE_LIST, START, /FROM audit_log/),
  // Those of a user who is erased, in every app. Nobody has more than 20 in an app.
  views: /^DELETE FROM views WHERE views\.user_id = /,
  // The newest entries before a day or an ID, at most 100,000 of them.
  audit_log: /ORDER BY id DESC LIMIT 1\)/,
  // Copies for the shards after a change. Otherwise only operators, who search all credentials for those of a partner.
  credentials: either(
    /FROM audit_log/,
    /^SELECT credentials\.id AS id, credentials\.token_hash AS .* FROM credentials$|\bcredentials\.partner_id = (\?|partners\.id)/,
    CONSOLE_LIST,
    START,
  ),
  // Operators list the members of an app.
  memberships: either(
    START,
    /IN \(SELECT memberships\.user_id FROM memberships WHERE memberships\.app_token = \?\)/,
  ),
  // Operators look for another operator before one loses the role.
  users: either(/role = 'operator'/, CONSOLE_LIST, START, /FROM audit_log/),
  // Deletes expired rows once an hour.
  sessions:
    /^DELETE FROM sessions WHERE \(id_hash\) IN \( SELECT id_hash FROM sessions WHERE sessions\.expires_at <= /,
  partner_sessions:
    /^DELETE FROM partner_sessions WHERE \(id_hash\) IN \( SELECT id_hash FROM partner_sessions WHERE partner_sessions\.expires_at <= /,
  access_tokens:
    /^DELETE FROM access_tokens WHERE \(token_hash\) IN \( SELECT token_hash FROM access_tokens WHERE access_tokens\.expires_at <= /,
  used_states: /^DELETE FROM used_states WHERE \(state_hash\) IN \( SELECT /,
  sign_in_attempts: /^DELETE FROM sign_in_attempts WHERE \(id\) IN \( SELECT /,
  idempotency_keys: /^DELETE /,
  // Checks that all migrations are applied.
  d1_migrations: /./,
};

/** Each prepared statement of this process, and whether it is one of src/db/ that no file has checked yet. */
const recorded = once("prepared statements", () => {
  const found = new Map<string, boolean>();
  const database: { prepare: D1Database["prepare"] } = Object.getPrototypeOf(env.DB);
  const { prepare } = database;
  database.prepare = function (query) {
    // Queries of the tests themselves are not checked.
    if (!found.has(query)) found.set(query, isCalledBy("src/db/statement.ts"));
    return prepare.call(this, query);
  };
  limitTexts();
  return found;
});

/** Whether a file is on the stack, without reading the source maps of all files on it, which takes a millisecond. */
function isCalledBy(file: string): boolean {
  const { prepareStackTrace } = Error;
  Error.prepareStackTrace = (_, sites) => sites.some((site) => site.getFileName()?.includes(file));
  const isCalled = new Error().stack as unknown as boolean;
  Error.prepareStackTrace = prepareStackTrace;
  return isCalled;
}

const MAX_TEXT_BYTES = 2_000_000;

function limitTexts(): void {
  const bound: { bind: D1PreparedStatement["bind"] } = Object.getPrototypeOf(env.DB.prepare("SELECT 1"));
  const { bind } = bound;
  bound.bind = function (...values) {
    for (const value of values) {
      if (typeof value === "string" && Buffer.byteLength(value) > MAX_TEXT_BYTES) {
        throw new Error("D1_ERROR: string or blob too big: SQLITE_TOOBIG");
      }
    }
    return bind.call(this, ...values);
  };
}

const writes = watchWrites();

/** Returns the scans of the statements that no file of this process has checked yet. */
export async function takeScans(): Promise<string[]> {
  if (writes.schema) await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
  const scans: string[] = [];
  const queries = [...recorded].filter(([, isNew]) => isNew).map(([query]) => query);
  for (const query of queries) recorded.set(query, false);
  for (const [index, plan] of (await explainAll(queries)).entries()) {
    const text = (queries[index] ?? "").replace(/\s+/g, " ").trim();
    for (const { detail } of plan) {
      const table = findScannedTable(detail, text);
      if (table && !ALLOWED_SCANS[table]?.test(text)) scans.push(`${detail}: ${text}`);
    }
    if (/\bLIMIT \?(?! [+-])/.test(text))
      scans.push(`use limitTo, or SQLite plans again for each request: ${text}`);
  }
  return scans;
}

interface Step {
  id: number;
  parent: number;
  detail: string;
}

/** Returns the steps of the plan of a statement, in their order. */
export const explain = async (query: string): Promise<Step[]> => (await explainAll([query]))[0] ?? [];

/** Returns the steps of the plans of several statements, in one call. */
async function explainAll(queries: string[]): Promise<Step[][]> {
  if (queries.length === 0) return [];
  const plans = queries.map((query) =>
    env.DB.prepare(`EXPLAIN QUERY PLAN ${query}`).bind(...Array(query.split("?").length - 1).fill(null)),
  );
  return (await env.DB.batch<Step>(plans)).map(({ results }) => results);
}

/** Returns the table that a step of a plan scans; undefined if it scans a JSON list, or the rows of a subquery or of a CTE. */
function findScannedTable(step: string, query: string): string | undefined {
  const [, name = ""] = /^SCAN (\w+)(?! VIRTUAL| CONSTANT)/.exec(step) ?? [];
  if (
    !name ||
    new RegExp(`\\) ${name}\\b|\\bWITH RECURSIVE ${name}\\b|\\b${name} AS (MATERIALIZED )?\\(`).test(query)
  )
    return undefined;
  const table = new RegExp(`\\b(?:FROM|JOIN) (\\w+) ${name}\\b`).exec(query)?.[1] ?? name;
  // A table that the query does not name is scanned only to check for existing foreign key violations. There are none.
  return new RegExp(`\\b${table}\\b`).test(query) ? table : undefined;
}
