/** What the hourly run forgets beside the ledger: sessions that have ended, and the answers of idempotency keys. */
import { beforeEach, expect, it } from "vitest";
import { purge } from "../../src/purge.ts";
import { LINKS } from "../campaign/support.ts";
import { call, DAY, DEMO, env, freshDemo, ledgerOn, NOW, rows } from "../harness.ts";
import { failingDatabase } from "../support.ts";

beforeEach(freshDemo);

/** Sessions of the demo user, who never comes back, each with its end. */
async function sessions(count: number, expiresAt: number): Promise<void> {
  await env.DB.prepare(
    `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1)
     INSERT INTO sessions SELECT ?2 || '-' || n, 1, 0, ?2 FROM numbers`,
  )
    .bind(count, expiresAt)
    .run();
}
const left = async () => (await rows("SELECT 1 FROM sessions")).length;

it("a session goes when it has ended, and not a millisecond before", async () => {
  await sessions(2, NOW);
  await purge(ledgerOn(), NOW - 1);
  expect(await left()).toBe(2);
  await sessions(1, NOW + 1);
  await purge(ledgerOn(), NOW);
  expect(await rows("SELECT expires_at FROM sessions")).toEqual([{ expires_at: NOW + 1 }]);
});

it("the answer of an idempotency key goes after a day, and not a millisecond before", async () => {
  const headers = { "idempotency-key": "expiring-key-001" };
  const send = (now: number) => call(LINKS, { token: DEMO.apiToken, json: { name: "once" }, headers, now });
  const made = async () => (await rows("SELECT 1 FROM links WHERE label = 'once'")).length;
  await send(NOW);
  await purge(ledgerOn(), NOW + DAY - 1);
  await send(NOW + DAY - 1);
  expect(await made()).toBe(1);
  await purge(ledgerOn(), NOW + DAY);
  expect(await rows("SELECT 1 FROM idempotency_keys")).toEqual([]);
});

it("more sessions than one call takes go in several, and more than a run takes in the next", async () => {
  await sessions(5_001, NOW);
  await purge(ledgerOn(), NOW);
  expect(await left()).toBe(0);
  await sessions(82_000, NOW);
  await purge(ledgerOn(), NOW);
  expect(await left()).toBe(2_000);
  await purge(ledgerOn(), NOW);
  expect(await left()).toBe(0);
});

it("they go though a walk of the ledger fails, whose error is told", async () => {
  await sessions(1, NOW);
  const walks = ledgerOn().databases.size;
  const { database } = failingDatabase((number) => number <= walks);
  await expect(purge(ledgerOn(database), NOW)).rejects.toThrow("injected");
  expect(await left()).toBe(0);
});
