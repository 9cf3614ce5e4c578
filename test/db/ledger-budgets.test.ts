/** Limits the D1 calls and rows of the ledger's requests, which are the same in a small and in a large ledger. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createToken } from "../../src/auth/secrets.ts";
import { shardsOf } from "../../src/db/ledger/shards.ts";
import { COST_TYPES } from "../../src/domain/cost-types.ts";
import { COST_WINDOW_MS } from "../../src/domain/matching.ts";
import type { Env } from "../../src/env.ts";
import { purge } from "../../src/purge.ts";
import {
  ask,
  type Call,
  call,
  click,
  countingDatabase,
  DAY,
  DEMO,
  env,
  ledgerOn,
  NOW,
  rows,
  sendCost,
  view,
} from "../harness.ts";
import { freshLedger } from "../support.ts";

interface Counts {
  calls: number;
  read: number;
  written: number;
}

/** The counts of the requests on one ledger, in order. Both ledgers get the same requests. */
let recorded: (Counts & { request: string })[] = [];

/** Returns the calls and the rows read and written of a request. */
async function measure(request: (options: { env: Partial<Env> }) => Promise<unknown>): Promise<Counts> {
  const { database, counts } = countingDatabase();
  await request({ env: { DB: database } });
  recorded.push({ request: expect.getState().currentTestName?.replace(/^.*? > /, "") ?? "", ...counts });
  return counts;
}

const databases = shardsOf(ledgerOn()).length > 0 ? shardsOf(ledgerOn()) : [env.DB];
const SLICE = 50_000;

/** Adds costs and their clicks, of two partners and several days of the window, in equal parts on each shard. */
async function fill(count: number): Promise<void> {
  await Promise.all(databases.map((db) => fillOne(db, count / databases.length)));
}

async function fillOne(db: D1Database, count: number): Promise<void> {
  for (let from = 0; from < count; from += SLICE) {
    const numbers = `WITH RECURSIVE n(i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${Math.min(count, from + SLICE) - 1})`;
    const key = "1 + i % 2, printf('many-costs-%06d', i)";
    const at = `${NOW} - (i % 6) * ${DAY}`;
    await db.batch([
      db.prepare(
        `${numbers} INSERT INTO engagements (partner_id, cost_id, kind, app_token, link_id, occurred_at, eligible)
         SELECT ${key}, 'click', '${DEMO.appToken}', 1 + i % 5, ${at}, 1 FROM n`,
      ),
      db.prepare(
        `${numbers} INSERT INTO costs (partner_id, cost_id, cost_type, currency, amount, tag, source, received_at)
         SELECT ${key}, 'cpc', 'USD', 100, 't', 'call', ${at} FROM n`,
      ),
    ]);
  }
}

/** The purge of a table ends with the first slice that is not full. */
const slicesOf = (size: number) => Math.floor(size / 5_000) + 1;

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

let lastId = 0;
const newId = () => `budget-cost-${String(++lastId).padStart(5, "0")}`;

const COST = { cost_amount: "1" };
const MAX_READ = 15;

const FEW = 1_000;
const MANY = 500_000;
const recordings: (typeof recorded)[] = [];

describe.each([FEW, MANY])("in a ledger of %i costs and their clicks", (size) => {
  beforeAll(async () => {
    await freshLedger();
    await fill(size);
    lastId = 0;
    recorded = [];
    // Warms the caches of the isolate.
    await click("budget-warm-up");
    await sendCost({ cost_id: "budget-warm-up" });
    await ask(`/public/v1/apps/${DEMO.appToken}/trackers`, { token: DEMO.apiToken });
  }, 120_000);
  afterAll(() => void recordings.push(recorded));

  describe.each(COST_TYPES)("a %s cost", (cost_type) => {
    const fitting = cost_type === "cpm" ? view : click;
    const send = (cost_id: string, more: Record<string, string>, options: Call = {}) =>
      measure((to) => sendCost({ cost_id, cost_type, ...more }, { ...to, ...options }));

    it("takes one call, reads at most 15 rows, and writes the cost and its total", async () => {
      const pending = await send(newId(), COST);
      expect(pending).toEqual({ calls: 1, read: expect.any(Number), written: 2 });
      expect(pending.read).toBeLessThanOrEqual(MAX_READ);
      const id = newId();
      await click(id);
      await view(id);
      const both = await send(id, COST);
      expect(both).toEqual({ calls: 1, read: expect.any(Number), written: 2 });
      expect(both.read).toBeLessThanOrEqual(MAX_READ);
    });

    it.each([
      ["a duplicate", COST],
      ["a conflict", { cost_amount: "2" }],
      ["a conflict of currency", { ...COST, cost_currency: "EUR" }],
      ["a duplicate without an amount", {}],
    ])("writes nothing as %s", async (_which, again) => {
      const id = newId();
      await click(id);
      await view(id);
      await send(id, COST);
      const counts = await send(id, again);
      expect(counts).toEqual({ calls: 1, read: expect.any(Number), written: 0 });
      expect(counts.read).toBeLessThanOrEqual(MAX_READ);
    });

    it("writes nothing when it is rejected", async () => {
      const id = newId();
      await click(id, { now: NOW - COST_WINDOW_MS - 1 });
      await view(id, { now: NOW - COST_WINDOW_MS - 1 });
      const late = await send(id, COST);
      expect(late).toEqual({ calls: 1, read: expect.any(Number), written: 0 });
      expect(late.read).toBeLessThanOrEqual(MAX_READ);
    });

    it("reads at most 21 rows and changes two totals when it replaces another cost", async () => {
      const completed = newId();
      await click(completed);
      await view(completed);
      await send(completed, {});
      const fromUrl = newId();
      await fitting(fromUrl, { query: `&cost_type=${cost_type}&cost_amount=1&cost_currency=USD` });
      const lapsed = newId();
      await send(lapsed, COST);
      for (const counts of [
        await send(completed, COST),
        await send(fromUrl, { cost_amount: "2" }),
        await send(lapsed, COST, { now: NOW + COST_WINDOW_MS + 1 }),
      ]) {
        expect(counts).toEqual({ calls: 1, read: expect.any(Number), written: 3 });
        expect(counts.read).toBeLessThanOrEqual(21);
      }
    });
  });

  it("rejects an invalid credential with at most one call and 3 rows read", async () => {
    for (const [token, params] of [
      [createToken("live"), COST],
      [createToken("live"), { cost_amount: "-1" }],
      [undefined, COST],
      ["nonsense", COST],
      [DEMO.costToken.replace("Acme", "Bcme"), COST],
    ] as const) {
      const counts = await measure((to) => sendCost({ cost_id: newId(), ...params }, { ...to, token }));
      expect(counts.calls).toBeLessThanOrEqual(1);
      expect(counts.read).toBeLessThanOrEqual(3);
      expect(counts.written).toBe(0);
    }
  });

  it("writes one row for an engagement with a cost ID, none for a duplicate, and three when a cost is pending", async () => {
    for (const [costType, engage] of [
      ["cpc", click],
      ["cpm", view],
      ["cpi", view],
    ] as const) {
      const id = newId();
      expect(await measure((to) => engage(id, to))).toMatchObject({ calls: 2, written: 1 });
      expect(await measure((to) => engage(id, to))).toMatchObject({ calls: 2, written: 0 });
      const pending = newId();
      await sendCost({ cost_id: pending, cost_type: costType, ...COST });
      const counts = await measure((to) => engage(pending, to));
      expect(counts).toMatchObject({ calls: 2, written: 3 });
      expect(counts.read).toBeLessThanOrEqual(MAX_READ);
    }
    expect(await measure((to) => click("", to))).toMatchObject({ calls: 2, written: 1 });
    expect(await measure((to) => click("", { ...to, link: "nosuch1ink" }))).toMatchObject({ written: 0 });
  });

  it("writes three rows for a click with a cost on its URL, and six when the cost replaces a lapsed one", async () => {
    const query = "&cost_type=cpc&cost_amount=1&cost_currency=USD";
    const [id, pending, lapsed] = [newId(), newId(), newId()];
    for (const cost_id of [pending, lapsed]) await sendCost({ cost_id, ...COST });
    for (const [costId, now, written] of [
      [id, NOW, 3],
      [pending, NOW, 3],
      [lapsed, NOW + COST_WINDOW_MS + 1, 6],
    ] as const) {
      const counts = await measure((options) => click(costId, { ...options, query, now }));
      expect(counts).toMatchObject({ calls: 2, written });
      expect(counts.read).toBeLessThanOrEqual(21);
    }
  });

  it("stores a batch of 1,000 costs with one call per database and at most 15 rows read per cost", async () => {
    const costs = Array.from({ length: 1_000 }, () => ({
      cost_id: newId(),
      cost_type: "cpc",
      cost_currency: "USD",
      tag: "t",
      ...COST,
    }));
    for (const written of [2_000, 0]) {
      const counts = await measure((to) =>
        call("/cost/batch", { ...to, token: DEMO.costToken, json: { costs } }),
      );
      expect(counts).toEqual({ calls: databases.length, read: expect.any(Number), written });
      expect(counts.read).toBeLessThanOrEqual(1_000 * MAX_READ);
    }
  });

  it("finds a cost with one call and at most 10 rows read, and with a second call for the link if sharded", async () => {
    const id = newId();
    await click(id);
    await sendCost({ cost_id: id, ...COST });
    const counts = await measure((to) => call(`/cost/${id}`, { ...to, token: DEMO.costToken }));
    expect(counts).toEqual({ calls: databases.length > 1 ? 2 : 1, read: expect.any(Number), written: 0 });
    expect(counts.read).toBeLessThanOrEqual(10);
  });

  it("reads at most 3 rows per daily total for a spend report", async () => {
    const totals = sum(
      (await rows<{ n: number }>("SELECT count(*) AS n FROM daily_totals")).map(({ n }) => n),
    );
    const path = `/public/v1/apps/${DEMO.appToken}/spend?from=2026-03-01&to=2026-03-31&group_by=day,link`;
    const counts = await measure((to) => call(path, { ...to, token: DEMO.apiToken }));
    // With shards, a further call to DB reads the names.
    expect(counts).toEqual({
      calls: databases.length > 1 ? databases.length + 2 : 1,
      read: expect.any(Number),
      written: 0,
    });
    expect(counts.read).toBeGreaterThan(30);
    // The constant is for the access check.
    expect(counts.read).toBeLessThanOrEqual(3 * totals + 6);
  });

  it("reads at most 4 rows per live row in a purge and writes only its position", async () => {
    const sizes = await rows<{ costs: number; engagements: number }>(
      "SELECT (SELECT count(*) FROM costs) AS costs, (SELECT count(*) FROM engagements) AS engagements",
    );
    const live = sizes.flatMap(({ costs, engagements }) => [costs, engagements]);
    const slices = sum(live.map(slicesOf));
    const { database, counts } = countingDatabase();
    await purge(ledgerOn(database), NOW);
    expect(sum(live)).toBeGreaterThan(2 * size);
    expect(counts.written).toBe(slices);
    // The constant per slice is for its position.
    expect(counts.read).toBeLessThanOrEqual(4 * sum(live) + 8 * slices);
  });

  it("writes one row per deleted row in a purge, and its positions", async () => {
    const expired = 300;
    const old = NOW - 2 * COST_WINDOW_MS - DAY;
    await env.DB.batch([
      env.DB.prepare(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${expired})
         INSERT INTO engagements (partner_id, cost_id, kind, app_token, link_id, occurred_at, eligible)
         SELECT 1, 'expired-cost-' || i, 'click', '${DEMO.appToken}', 1, ${old}, 1 FROM n`,
      ),
      env.DB.prepare(
        `INSERT INTO costs (partner_id, cost_id, cost_type, currency, amount, tag, source, received_at)
         SELECT 1, cost_id, 'cpc', 'USD', 1, 't', 'call', ${old} FROM engagements WHERE cost_id LIKE 'expired-cost-%'`,
      ),
    ]);
    const [idle, working] = [countingDatabase(), countingDatabase()];
    await purge(ledgerOn(working.database), NOW);
    await purge(ledgerOn(idle.database), NOW);
    const moved = working.counts.calls - idle.counts.calls;
    expect(working.counts.written - idle.counts.written).toBe(2 * expired + moved);
    expect(await rows("SELECT 1 FROM engagements WHERE cost_id LIKE 'expired-cost-%'")).toEqual([]);
  });
});

it(`reads and writes the same number of rows with ${MANY} costs as with ${FEW}`, () => {
  const [few = [], many] = recordings;
  expect(few.length).toBeGreaterThan(50);
  expect(many).toEqual(few);
});
