/** What the ledger costs, by D1's own count of rows, with little in it and with much. */
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

interface Spent {
  calls: number;
  read: number;
  written: number;
}

/** What the requests of one ledger cost, in their order; the same ones are made of each. */
let recorded: (Spent & { request: string })[] = [];

/** What a request read and wrote, and in how many calls. */
async function spent(request: (options: { env: Partial<Env> }) => Promise<unknown>): Promise<Spent> {
  const { database, counts } = countingDatabase();
  await request({ env: { DB: database } });
  recorded.push({ request: expect.getState().currentTestName?.replace(/^.*? > /, "") ?? "", ...counts });
  return counts;
}

const homes = shardsOf(ledgerOn()).length > 0 ? shardsOf(ledgerOn()) : [env.DB];
const SLICE = 50_000;

/** So many costs and their clicks, of two partners, over days of the window; on shards an equal share each. */
async function fill(count: number): Promise<void> {
  await Promise.all(homes.map((db) => fillOne(db, count / homes.length)));
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

/** A walk of a table ends with the slice that is not full. */
const slicesOf = (size: number) => Math.floor(size / 5_000) + 1;

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

let made = 0;
const fresh = () => `budget-cost-${String(++made).padStart(5, "0")}`;

const COST = { cost_amount: "1" };
const READ = 15;

const FEW = 1_000;
const MANY = 500_000;
const told: (typeof recorded)[] = [];

describe.each([FEW, MANY])("in a ledger of %i costs and their clicks", (size) => {
  beforeAll(async () => {
    await freshLedger();
    await fill(size);
    made = 0;
    recorded = [];
    // Warms what an isolate keeps.
    await click("budget-warm-up");
    await sendCost({ cost_id: "budget-warm-up" });
    await ask(`/public/v1/apps/${DEMO.appToken}/trackers`, { token: DEMO.apiToken });
  }, 120_000);
  afterAll(() => void told.push(recorded));

  describe.each(COST_TYPES)("a %s cost", (cost_type) => {
    const fitting = cost_type === "cpm" ? view : click;
    const send = (cost_id: string, more: Record<string, string>, options: Call = {}) =>
      spent((to) => sendCost({ cost_id, cost_type, ...more }, { ...to, ...options }));

    it("takes one call, at most 15 rows read, and writes itself and its total", async () => {
      const pending = await send(fresh(), COST);
      expect(pending).toEqual({ calls: 1, read: expect.any(Number), written: 2 });
      expect(pending.read).toBeLessThanOrEqual(READ);
      const id = fresh();
      await click(id);
      await view(id);
      const both = await send(id, COST);
      expect(both).toEqual({ calls: 1, read: expect.any(Number), written: 2 });
      expect(both.read).toBeLessThanOrEqual(READ);
    });

    it.each([
      ["a duplicate", COST],
      ["a conflict", { cost_amount: "2" }],
      ["a conflict of currency", { ...COST, cost_currency: "EUR" }],
      ["a duplicate without an amount", {}],
    ])("writes nothing as %s", async (_which, again) => {
      const id = fresh();
      await click(id);
      await view(id);
      await send(id, COST);
      const counts = await send(id, again);
      expect(counts).toEqual({ calls: 1, read: expect.any(Number), written: 0 });
      expect(counts.read).toBeLessThanOrEqual(READ);
    });

    it("writes nothing when it is refused", async () => {
      const id = fresh();
      await click(id, { now: NOW - COST_WINDOW_MS - 1 });
      await view(id, { now: NOW - COST_WINDOW_MS - 1 });
      const late = await send(id, COST);
      expect(late).toEqual({ calls: 1, read: expect.any(Number), written: 0 });
      expect(late.read).toBeLessThanOrEqual(READ);
    });

    it("that takes another's place reads at most 21 rows, and moves its total", async () => {
      const completed = fresh();
      await click(completed);
      await view(completed);
      await send(completed, {});
      const borne = fresh();
      await fitting(borne, { query: `&cost_type=${cost_type}&cost_amount=1&cost_currency=USD` });
      const lapsed = fresh();
      await send(lapsed, COST);
      for (const counts of [
        await send(completed, COST),
        await send(borne, { cost_amount: "2" }),
        await send(lapsed, COST, { now: NOW + COST_WINDOW_MS + 1 }),
      ]) {
        expect(counts).toEqual({ calls: 1, read: expect.any(Number), written: 3 });
        expect(counts.read).toBeLessThanOrEqual(21);
      }
    });
  });

  it("a bad credential reads at most 3 rows, in one call, and writes nothing", async () => {
    for (const [token, params] of [
      [createToken("live"), COST],
      [createToken("live"), { cost_amount: "-1" }],
      [undefined, COST],
      ["nonsense", COST],
      [DEMO.costToken.replace("Acme", "Bcme"), COST],
    ] as const) {
      const counts = await spent((to) => sendCost({ cost_id: fresh(), ...params }, { ...to, token }));
      expect(counts.calls).toBeLessThanOrEqual(1);
      expect(counts.read).toBeLessThanOrEqual(3);
      expect(counts.written).toBe(0);
    }
  });

  it("a click or an impression writes one row with an id, none without or again, three if its cost was waiting", async () => {
    for (const [costType, engage] of [
      ["cpc", click],
      ["cpm", view],
      ["cpi", view],
    ] as const) {
      const id = fresh();
      expect(await spent((to) => engage(id, to))).toMatchObject({ calls: 2, written: 1 });
      expect(await spent((to) => engage(id, to))).toMatchObject({ calls: 2, written: 0 });
      const waited = fresh();
      await sendCost({ cost_id: waited, cost_type: costType, ...COST });
      const counts = await spent((to) => engage(waited, to));
      expect(counts).toMatchObject({ calls: 2, written: 3 });
      expect(counts.read).toBeLessThanOrEqual(READ);
    }
    expect(await spent((to) => click("", to))).toMatchObject({ calls: 2, written: 1 });
    expect(await spent((to) => click("", { ...to, link: "nosuch1ink" }))).toMatchObject({ written: 0 });
  });

  it("a click whose URL carries a cost writes it and its total, and six rows in all in the place of one that lapsed", async () => {
    const query = "&cost_type=cpc&cost_amount=1&cost_currency=USD";
    const [id, waiting, lapsed] = [fresh(), fresh(), fresh()];
    for (const cost_id of [waiting, lapsed]) await sendCost({ cost_id, ...COST });
    for (const [costId, now, written] of [
      [id, NOW, 3],
      [waiting, NOW, 3],
      [lapsed, NOW + COST_WINDOW_MS + 1, 6],
    ] as const) {
      const counts = await spent((options) => click(costId, { ...options, query, now }));
      expect(counts).toMatchObject({ calls: 2, written });
      expect(counts.read).toBeLessThanOrEqual(21);
    }
  });

  it("a batch of 1,000 takes one call to each database, at most 15 rows read a cost, and writes each and its total", async () => {
    const costs = Array.from({ length: 1_000 }, () => ({
      cost_id: fresh(),
      cost_type: "cpc",
      cost_currency: "USD",
      tag: "t",
      ...COST,
    }));
    for (const written of [2_000, 0]) {
      const counts = await spent((to) =>
        call("/cost/batch", { ...to, token: DEMO.costToken, json: { costs } }),
      );
      expect(counts).toEqual({ calls: homes.length, read: expect.any(Number), written });
      expect(counts.read).toBeLessThanOrEqual(1_000 * READ);
    }
  });

  it("a cost is read back with at most 10 rows read, in one call, and one for its link where that is not on the shard", async () => {
    const id = fresh();
    await click(id);
    await sendCost({ cost_id: id, ...COST });
    const counts = await spent((to) => call(`/cost/${id}`, { ...to, token: DEMO.costToken }));
    expect(counts).toEqual({ calls: homes.length > 1 ? 2 : 1, read: expect.any(Number), written: 0 });
    expect(counts.read).toBeLessThanOrEqual(10);
  });

  it("a report of spend reads at most 3 rows of each total that it covers", async () => {
    const totals = sum(
      (await rows<{ n: number }>("SELECT count(*) AS n FROM daily_totals")).map(({ n }) => n),
    );
    const path = `/public/v1/apps/${DEMO.appToken}/spend?from=2026-03-01&to=2026-03-31&group_by=day,link`;
    const counts = await spent((to) => call(path, { ...to, token: DEMO.apiToken }));
    // Where shards add to it, names come from DB once more.
    expect(counts).toEqual({
      calls: homes.length > 1 ? homes.length + 2 : 1,
      read: expect.any(Number),
      written: 0,
    });
    expect(counts.read).toBeGreaterThan(30);
    // What is fixed is who asks.
    expect(counts.read).toBeLessThanOrEqual(3 * totals + 6);
  });

  it("the purge reads at most 4 rows a live row, and writes only where it stands", async () => {
    const sizes = await rows<{ costs: number; engagements: number }>(
      "SELECT (SELECT count(*) FROM costs) AS costs, (SELECT count(*) FROM engagements) AS engagements",
    );
    const live = sizes.flatMap(({ costs, engagements }) => [costs, engagements]);
    const slices = sum(live.map(slicesOf));
    const { database, counts } = countingDatabase();
    await purge(ledgerOn(database), NOW);
    expect(sum(live)).toBeGreaterThan(2 * size);
    expect(counts.written).toBe(slices);
    // What is fixed for each slice is its position.
    expect(counts.read).toBeLessThanOrEqual(4 * sum(live) + 8 * slices);
  });

  it("the purge writes one row for each that it removes, and its positions", async () => {
    const dead = 300;
    const old = NOW - 2 * COST_WINDOW_MS - DAY;
    await env.DB.batch([
      env.DB.prepare(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${dead})
         INSERT INTO engagements (partner_id, cost_id, kind, app_token, link_id, occurred_at, eligible)
         SELECT 1, 'dead-cost-' || i, 'click', '${DEMO.appToken}', 1, ${old}, 1 FROM n`,
      ),
      env.DB.prepare(
        `INSERT INTO costs (partner_id, cost_id, cost_type, currency, amount, tag, source, received_at)
         SELECT 1, cost_id, 'cpc', 'USD', 1, 't', 'call', ${old} FROM engagements WHERE cost_id LIKE 'dead-cost-%'`,
      ),
    ]);
    const [idle, working] = [countingDatabase(), countingDatabase()];
    await purge(ledgerOn(working.database), NOW);
    await purge(ledgerOn(idle.database), NOW);
    const moved = working.counts.calls - idle.counts.calls;
    expect(working.counts.written - idle.counts.written).toBe(2 * dead + moved);
    expect(await rows("SELECT 1 FROM engagements WHERE cost_id LIKE 'dead-cost-%'")).toEqual([]);
  });
});

it(`costs each request the same with ${MANY} costs as with ${FEW}`, () => {
  const [few = [], many] = told;
  expect(few.length).toBeGreaterThan(50);
  expect(many).toEqual(few);
});
