/** The hourly purge outside the ledger: expired sessions and idempotency keys. */
import { beforeEach, expect, it } from "vitest";
import { purge } from "../../src/purge.ts";
import { LINKS } from "../campaign/support.ts";
import { call, DAY, DEMO, env, freshDemo, ledgerOn, NOW, rows } from "../harness.ts";
import { failingDatabase } from "../support.ts";

beforeEach(freshDemo);

/** Inserts sessions of the demo user with the given expiry. */
async function insertSessions(count: number, expiresAt: number): Promise<void> {
  await env.DB.prepare(
    `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1)
     INSERT INTO sessions (id_hash, user_id, created_at, expires_at) SELECT ?2 || '-' || n, 1, 0, ?2 FROM numbers`,
  )
    .bind(count, expiresAt)
    .run();
}
const countSessions = async () => (await rows("SELECT 1 FROM sessions")).length;

it("deletes a session when it expires, and not a millisecond before", async () => {
  await insertSessions(2, NOW);
  await purge(ledgerOn(), NOW - 1);
  expect(await countSessions()).toBe(2);
  await insertSessions(1, NOW + 1);
  await purge(ledgerOn(), NOW);
  expect(await rows("SELECT expires_at FROM sessions")).toEqual([{ expires_at: NOW + 1 }]);
});

it("deletes an idempotency key after a day, and not a millisecond before", async () => {
  const headers = { "idempotency-key": "expiring-key-001" };
  const send = (now: number) => call(LINKS, { token: DEMO.apiToken, json: { name: "once" }, headers, now });
  const countCreated = async () => (await rows("SELECT 1 FROM links WHERE label = 'once'")).length;
  await send(NOW);
  await purge(ledgerOn(), NOW + DAY - 1);
  await send(NOW + DAY - 1);
  expect(await countCreated()).toBe(1);
  await purge(ledgerOn(), NOW + DAY);
  expect(await rows("SELECT 1 FROM idempotency_keys")).toEqual([]);
});

it("deletes more sessions than fit into one call in several calls, and more than fit into one run in the next run", async () => {
  await insertSessions(5_001, NOW);
  await purge(ledgerOn(), NOW);
  expect(await countSessions()).toBe(0);
  await insertSessions(82_000, NOW);
  await purge(ledgerOn(), NOW);
  expect(await countSessions()).toBe(2_000);
  await purge(ledgerOn(), NOW);
  expect(await countSessions()).toBe(0);
});

it("deletes sessions even if the purge of the ledger fails, and throws that error", async () => {
  await insertSessions(1, NOW);
  const walks = 1 + ledgerOn().shards.length;
  const { database } = failingDatabase((number) => number <= walks);
  await expect(purge(ledgerOn(database), NOW)).rejects.toThrow("injected");
  expect(await countSessions()).toBe(0);
});
