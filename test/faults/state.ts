/** A starting state for the fault injection, and a snapshot of the database to compare. */
import { expect } from "vitest";
import { createToken, hashToken } from "../../src/auth/secrets.ts";
import { nameOfObject, writeObject } from "../../src/db/archive/objects.ts";
import { type RawRecord, toArchivedCost } from "../../src/db/archive/record.ts";
import { call, DAY, DEMO, emptyNamespaces, env, freshDemo, freshState, NOW } from "../harness.ts";
import { once } from "../once.ts";
import { type Kept, keep, restoreAll, tableReader } from "../restore.ts";
import { startSessions } from "../security/support.ts";
import { watchWrites } from "../writes.ts";

export const ROUND = 50;
export const ROUND_TEST = createToken("test", "FaultyRound".padEnd(43, "0"));

/** Opens a round that can be approved, with one click and its cost. */
export async function openRoundToApprove(): Promise<void> {
  await env.DB.batch([
    env.DB.prepare(
      "INSERT INTO rounds (id, partner_id, cost_types, state, opened_at) VALUES (?, 2, 1, 'open', ?)",
    ).bind(ROUND, NOW - 1000),
    env.DB.prepare(
      "INSERT INTO credentials (token_hash, partner_id, mode, cost_types, round_id, hint, created_at) VALUES (?, 2, 'test', 1, ?, '', 0)",
    ).bind(hashToken(ROUND_TEST, ["test"]), ROUND),
    env.DB.prepare(
      "INSERT INTO ledger_entries (partner_id, cost_id, click_app_token, click_link_id, click_at, click_cost_data_on) VALUES (2, 'faulty-round-001', ?, 6, ?, 0)",
    ).bind(DEMO.appToken, NOW - 500),
  ]);
  await call("/cost?cost_type=cpc&cost_currency=USD&cost_id=faulty-round-001&cost_amount=1&tag=t", {
    token: ROUND_TEST,
    method: "POST",
  });
}

/** The state of DB, which a process keeps. */
const start = once("start state", (): { kept?: Kept } => ({}));
const writes = watchWrites();

/** A user without a password. */
export const SSO_USER = 40;

/** Another one, who is linked to an identity. */
export const LINKED_USER = 39;

/** An adjustment that can be read. */
const ADJUSTMENT = `INSERT INTO adjustments VALUES (1, '${DEMO.appToken}', 20000, 1, 1, 'cpc', 'USD', -100, 'seed', 2, 0)`;

/** An import that archived no link any more: its undo archives the first one. */
export const IMPORTED = "60000000-0000-4000-8000-000000000000";
const IMPORT = `INSERT INTO link_changes VALUES (60, '${DEMO.appToken}', ${NOW - 1000}, '${IMPORTED}', 'import', 1, 0, '${JSON.stringify(
  [{ token: DEMO.linkToken, before: { archived: 1 }, after: { archived: 0 } }],
)}', '${IMPORTED}')`;
/** A sub-link of a click, without a cost. */
const UNUSED = `INSERT INTO links (token, app_token, parent_id, level, label, created_at, from_engagement)
  VALUES ('demo1nkzzz', '${DEMO.appToken}', 1, 2, 'Unused', 0, 1)`;

/** A saved view that can be deleted. */
export const VIEW = 1;

/** A webhook that was turned off, with the alert about it. */
export const ENDED_WEBHOOK = 90;

/** The ID of a cost in the archive. */
export const ARCHIVED = "archived-cost-1";

/** A row as the view `entry_records` has it, in an object of its own. */
async function archiveCost(): Promise<void> {
  const first = { partnerId: 1, costId: "" };
  const raw: RawRecord = {
    ...{
      partnerId: 1,
      costId: ARCHIVED,
      costType: "cpc",
      currency: "USD",
      amount: 1,
      tag: "t",
      receivedAt: 0,
    },
    ...{ voidState: null, click: null, impression: null, rememberedUntil: 0, replacedAt: null },
    ...{ state: "pending", matchedKind: null, amountInEffect: 1, countingPrice: null },
  };
  const name = nameOfObject({ shard: "DB", ledgerTable: "ledger_entries", walk: NOW, first });
  await writeObject(env.TEST_BUCKET, name, [JSON.stringify(toArchivedCost(raw, new Map()))]);
}

/** Sets up the demo data without its counts, with sessions, a round and an adjustment, and keeps all of it. */
export async function startState(): Promise<void> {
  await freshState("start", setUp);
  await archiveCost();
  start.kept ??= await keep(env.DB);
  await emptyNamespaces(writes);
  writes.forget();
}

async function setUp(): Promise<void> {
  await freshDemo();
  await startSessions();
  await openRoundToApprove();
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO archive_objects VALUES ('ledger_entries', ${NOW}, 1, '', 1, '${ARCHIVED}', 0, 0, 1)`,
    ),
    ...["daily_engagements", "daily_audience", "audience_keys"].map((table) =>
      env.DB.prepare(`DELETE FROM ${table}`),
    ),
    env.DB.prepare(ADJUSTMENT),
    env.DB.prepare(IMPORT),
    env.DB.prepare(UNUSED),
    env.DB.prepare("INSERT INTO views VALUES (?, ?, NULL, 'Seed', '')").bind(VIEW, DEMO.appToken),
    env.DB.prepare("INSERT INTO hidden_attention VALUES (?, 'unpriced', ?)").bind(DEMO.appToken, NOW + DAY),
    env.DB.prepare(
      `INSERT INTO webhooks (id, url, secret, created_at, failing_since, ended_at, ended_because)
      VALUES (?, 'https://example.com/ended', '', 0, 1, 2, 'failing')`,
    ).bind(ENDED_WEBHOOK),
    env.DB.prepare(
      "INSERT INTO alerts (rule_id, kind, subject, data, opened_at) VALUES (0, 'webhook_failing', ?, '{}', 2)",
    ).bind(`webhook ${ENDED_WEBHOOK}`),
    env.DB.prepare("INSERT INTO round_dismissals VALUES (1, 'entry 9', 0, 'agreed')"),
    env.DB.prepare(
      "INSERT INTO users (id, email, role, created_at) VALUES (?, 'sso@example.com', 'member', 0)",
    ).bind(SSO_USER),
    env.DB.prepare(
      "INSERT INTO api_tokens (token_hash, user_id, hint, created_at) VALUES ('sso-token', ?, '', 0)",
    ).bind(SSO_USER),
    env.DB.prepare(
      "INSERT INTO users (id, email, role, created_at) VALUES (?, 'linked@example.com', 'member', 0)",
    ).bind(LINKED_USER),
    env.DB.prepare("INSERT INTO identities VALUES ('https://login.test', 'linked', ?, 0)").bind(LINKED_USER),
    env.DB.prepare(
      "INSERT INTO sign_in_attempts VALUES (1, ?, 'https://login.test', 'waiting', 'sso@example.com', ?, 1, 'K7F2QX')",
    ).bind(SSO_USER, NOW - 1000),
  ]);
}

/** Restores the state that `startState` set up. */
export async function restoreState(): Promise<void> {
  expect(start.kept && (await restoreAll([env.DB], [start.kept], writes))).toBe(true);
  await emptyNamespaces(writes);
  writes.forget();
}

/** Columns with random values, or values derived from them. */
const RANDOM = [
  "token_hash",
  "hint",
  "sealed",
  "secret",
  "password_hash",
  "request_id",
  "undo_id",
  "answer",
  "location",
  "revision",
  "id_hash",
  "code_hash",
  "last_used_day",
];

/**
 * Hints and tokens in entries of the audit log and in changes of links, and the IDs of events. The tokens of the demo links have vowels,
 * and random ones have none.
 */
const RANDOM_TEXT =
  /_…\w{4}|"app \w{12}"|"link [0-9b-df-hj-np-tv-z]{10}"|(?<=token\\":\\")[0-9b-df-hj-np-tv-z]{10}|(?<="msg_)[0-9a-f]{32}/g;

const readAll = tableReader(env.DB);
/** The rows as text, by the rows that were read. */
const texts = new WeakMap<object[], string[]>();

/** Reads the database without random values. */
export async function settled(): Promise<Record<string, string[]>> {
  return Object.fromEntries(
    Object.entries(await readAll()).map(([name, found]) => {
      const known = texts.get(found) ?? withoutRandom(name, found);
      texts.set(found, known);
      return [name, known];
    }),
  );
}

function withoutRandom(table: string, found: Record<string, unknown>[]): string[] {
  const random = [...RANDOM, ...(table === "links" || table === "apps" ? ["token"] : [])];
  return found
    .map((row) => JSON.stringify(Object.entries(row).filter(([column]) => !random.includes(column))))
    .map((row) => row.replace(RANDOM_TEXT, "random"))
    .sort();
}
