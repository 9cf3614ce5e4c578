/** Limits the D1 calls and rows of the ledger's requests, which are the same in a small and in a large ledger. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createToken } from "../../src/auth/secrets.ts";
import { engagementTimes } from "../../src/db/isolate-memory.ts";
import { COST_TYPES } from "../../src/domain/cost-types.ts";
import { COST_WINDOW_MS, RETENTION_MS } from "../../src/domain/time.ts";
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
  IPHONE,
  ledgerOn,
  NOW,
  rows,
  sendCost,
  view,
} from "../harness.ts";
import { isLong } from "../part.ts";
import { archiving, listedRows } from "../purge/archive-support.ts";
import { freshLedger, inLedger } from "../support.ts";

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

const databases = ledgerOn().shards.length > 0 ? ledgerOn().shards : [env.DB];
/** One call to D1; with shards one to DB, which knows the link, and one to the shard of the ID. */
const ENGAGEMENT_CALLS = databases.length > 1 ? 2 : 1;
const SLICE = 50_000;

/** Counts the country and the platform of the clicks and impressions on these days, as the first of them does with one more row. */
const countKeys = (times: number[]) =>
  inLedger(`INSERT INTO daily_audience
    SELECT '${DEMO.appToken}', 1, value, 1, k.kind, 'XX', 'ios', 1, 1
    FROM json_each('${JSON.stringify(times.map((time) => Math.floor(time / DAY)))}'),
      (SELECT 'click' AS kind UNION ALL SELECT 'impression') k WHERE true ON CONFLICT DO NOTHING`);

/** Adds costs and their clicks, of two partners and several days of the window, in equal parts on each shard. */
async function fill(count: number): Promise<void> {
  await Promise.all(databases.map((db) => fillOne(db, count / databases.length)));
}

async function fillOne(db: D1Database, count: number): Promise<void> {
  for (let from = 0; from < count; from += SLICE) {
    const numbers = `WITH RECURSIVE n(i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${Math.min(count, from + SLICE) - 1})`;
    const at = `${NOW} - (i % 6) * ${DAY}`;
    await db
      .prepare(
        `${numbers} INSERT INTO ledger_entries (partner_id, cost_id, cost_type, currency, amount, tag, received_at,
           click_app_token, click_link_id, click_at, click_cost_data_on, click_price_counts)
         SELECT 1 + i % 2, printf('many-costs-%06d', i), 'cpc', 'USD', 100, 't', ${at},
           '${DEMO.appToken}', 1 + i % 5, ${at}, 1, 0 FROM n`,
      )
      .run();
  }
}

/** The purge of a table ends with the first slice that is not full. */
const slicesOf = (size: number) => Math.floor(size / 5_000) + 1;

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

let lastId = 0;
const newId = () => `budget-cost-${String(++lastId).padStart(5, "0")}`;

const COST = { cost_amount: "1" };
const MAX_READ = 20;
/** With shards, the second call reads its own gate, and the row of the ID also to count it and to count it by country. */
const MAX_ENGAGEMENT_READ = databases.length > 1 ? MAX_READ + 7 : MAX_READ;
const URL_PRICE = "&cost_type=cpc&cost_amount=1&cost_currency=USD";
const FORGOTTEN = NOW + RETENTION_MS + 1;

const FEW = 1_000;
const MANY = isLong ? 500_000 : 6_000;
const recordings: (typeof recorded)[] = [];

let unknownLinks = 0;

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
  });
  afterAll(() => void recordings.push(recorded));

  describe.each(COST_TYPES)("a %s cost", (cost_type) => {
    const fitting = cost_type === "cpm" ? view : click;
    const send = (cost_id: string, more: Record<string, string>, options: Call = {}) =>
      measure((to) => sendCost({ cost_id, cost_type, ...more }, { ...to, ...options }));

    it("takes one call, reads at most 20 rows, and writes the cost and its total, and when it matches that of its audience", async () => {
      const pending = await send(newId(), COST);
      expect(pending).toEqual({ calls: 1, read: expect.any(Number), written: 2 });
      expect(pending.read).toBeLessThanOrEqual(MAX_READ);
      const id = newId();
      await click(id);
      await view(id);
      const both = await send(id, COST);
      expect(both).toEqual({ calls: 1, read: expect.any(Number), written: 3 });
      expect(both.read).toBeLessThanOrEqual(MAX_READ);
    });

    it.each([
      ["nothing as a duplicate", COST, 0],
      ["nothing as a duplicate without an amount", {}, 0],
      ["itself and its count as a conflict", { cost_amount: "2" }, 2],
      ["itself and its count as a conflict of currency", { ...COST, cost_currency: "EUR" }, 2],
    ])("writes %s", async (_which, again, written) => {
      const id = newId();
      await click(id);
      await view(id);
      await send(id, COST);
      const counts = await send(id, again);
      expect(counts).toEqual({ calls: 1, read: expect.any(Number), written });
      expect(counts.read).toBeLessThanOrEqual(MAX_READ);
    });

    it("writes itself and its count when it is rejected", async () => {
      const id = newId();
      await click(id, { now: NOW - COST_WINDOW_MS - 1 });
      await view(id, { now: NOW - COST_WINDOW_MS - 1 });
      const late = await send(id, COST);
      expect(late).toEqual({ calls: 1, read: expect.any(Number), written: 2 });
      expect(late.read).toBeLessThanOrEqual(MAX_READ);
    });

    it("changes two totals when it completes or replaces something, and two of the audience if it matches", async () => {
      const completed = newId();
      await click(completed);
      await view(completed);
      await send(completed, {});
      const fromUrl = newId();
      await fitting(fromUrl, { query: `&cost_type=${cost_type}&cost_amount=1&cost_currency=USD` });
      const lapsed = newId();
      await send(lapsed, COST);
      for (const [counts, written] of [
        [await send(completed, COST), 5],
        [await send(fromUrl, { cost_amount: "2" }), 5],
        [await send(lapsed, { cost_amount: "2" }, { now: NOW + COST_WINDOW_MS + 1 }), 3],
      ] as const) {
        expect(counts).toEqual({ calls: 1, read: expect.any(Number), written });
        expect(counts.read).toBeLessThanOrEqual(MAX_READ);
      }
    });

    it("writes one more row when it deletes a forgotten one", async () => {
      const id = newId();
      await click(id);
      await view(id);
      await send(id, COST);
      const counts = await send(id, COST, { now: FORGOTTEN });
      expect(counts).toEqual({ calls: 1, read: expect.any(Number), written: 3 });
      expect(counts.read).toBeLessThanOrEqual(MAX_READ);
    });
  });

  it("leaves the total of a price on a URL unchanged when a cost is pending beside it", async () => {
    const id = newId();
    await click(id, { query: URL_PRICE });
    const counts = await measure((to) => sendCost({ cost_id: id, cost_type: "cpm", ...COST }, to));
    expect(counts).toEqual({ calls: 1, read: expect.any(Number), written: 2 });
    expect(counts.read).toBeLessThanOrEqual(MAX_READ);
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

  it.each([
    ["cpc", click],
    ["cpm", view],
    ["cpi", view],
  ] as const)(
    "records an engagement for a %s cost, and changes two totals and one of the audience if the cost waits",
    async (cost_type, engage) => {
      const [id, pending] = [newId(), newId()];
      await sendCost({ cost_id: pending, cost_type, ...COST });
      await countKeys([NOW, FORGOTTEN]);
      for (const [costId, now, written] of [
        [id, NOW, 3],
        // The same message of the queue again, and another click with the ID.
        [id, NOW, 0],
        [id, NOW + 1, 3],
        [pending, NOW, 6],
        // Deletes the forgotten row.
        [id, FORGOTTEN, 4],
      ] as const) {
        // A message has the time of its request.
        engagementTimes.clear();
        const counts = await measure((to) => engage(costId, { ...to, now }));
        expect(counts).toEqual({ calls: ENGAGEMENT_CALLS, read: expect.any(Number), written });
        expect(counts.read).toBeLessThanOrEqual(MAX_ENGAGEMENT_READ);
      }
    },
  );

  it("changes no total for an engagement that leaves the match of a cost as it was", async () => {
    const id = newId();
    await click(id);
    await sendCost({ cost_id: id, cost_type: "cpi", ...COST });
    const counts = await measure((to) => view(id, to));
    expect(counts).toEqual({ calls: ENGAGEMENT_CALLS, read: expect.any(Number), written: 3 });
    expect(counts.read).toBeLessThanOrEqual(MAX_ENGAGEMENT_READ);
  });

  it("counts a dropped parameter of a click, and writes nothing for an unknown link", async () => {
    expect(await measure((to) => click("short", to))).toMatchObject({ calls: 1, written: 3 });
    // The isolate remembers an unknown token for a minute.
    const link = `nosuch${unknownLinks++}`;
    expect(await measure((to) => click("", { ...to, link }))).toMatchObject({ written: 0 });
  });

  it("writes three more rows for the price on a URL, also beside a lapsed cost", async () => {
    const [id, pending, lapsed] = [newId(), newId(), newId()];
    for (const cost_id of [pending, lapsed]) await sendCost({ cost_id, ...COST });
    await countKeys([NOW, NOW + COST_WINDOW_MS + 1]);
    for (const [costId, now, written] of [
      [id, NOW, 6],
      // It counts for the cost instead.
      [pending, NOW, 7],
      [lapsed, NOW + COST_WINDOW_MS + 1, 6],
    ] as const) {
      const counts = await measure((options) => click(costId, { ...options, query: URL_PRICE, now }));
      expect(counts).toEqual({ calls: ENGAGEMENT_CALLS, read: expect.any(Number), written });
      expect(counts.read).toBeLessThanOrEqual(MAX_ENGAGEMENT_READ);
    }
    const withoutId = await measure((to) =>
      call(`/${DEMO.linkToken}?${URL_PRICE.slice(1)}`, { ...to, headers: { "user-agent": IPHONE } }),
    );
    expect(withoutId).toEqual({ calls: ENGAGEMENT_CALLS, read: expect.any(Number), written: 6 });
  });

  it("stores a batch of 1,000 costs with one call per database and at most 20 rows read per cost", async () => {
    const costs = Array.from({ length: 1_000 }, () => ({
      cost_id: newId(),
      cost_type: "cpc",
      cost_currency: "USD",
      tag: "t",
      ...COST,
    }));
    const sendAll = (now: number) =>
      measure((to) => call("/cost/batch", { ...to, token: DEMO.costToken, json: { costs }, now }));
    for (const [now, written] of [
      [NOW, 2_000],
      [NOW, 0],
      // Replaces lapsed costs, then deletes forgotten ones.
      [NOW + COST_WINDOW_MS + 1, 3_000],
      [NOW + 2 * COST_WINDOW_MS + RETENTION_MS, 3_000],
    ] as const) {
      const counts = await sendAll(now);
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
    expect(counts.read).toBeGreaterThanOrEqual(totals);
    // The constant is for the access check.
    expect(counts.read).toBeLessThanOrEqual(3 * totals + 6);
  });

  it("reads at most 4 rows per live row in a purge and writes only its position", async () => {
    const sizes = await rows<{ n: number; filled: number }>(
      "SELECT count(*) AS n, sum(cost_id LIKE 'many-costs-%') AS filled FROM ledger_entries",
    );
    expect(sum(sizes.map(({ filled }) => filled))).toBe(size);
    const live = sizes.map(({ n }) => n);
    const slices = sum(live.map(slicesOf));
    const { database, counts } = countingDatabase();
    await purge(ledgerOn(database), NOW);
    expect(counts.written).toBe(slices);
    // The constant per slice is for its position.
    expect(counts.read).toBeLessThanOrEqual(4 * sum(live) + 8 * slices);
  });

  it("writes one row per deleted row in a purge, and its positions", async () => {
    const expired = 300;
    const old = NOW - 2 * COST_WINDOW_MS - DAY;
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${expired})
       INSERT INTO ledger_entries (partner_id, cost_id, cost_type, currency, amount, tag, received_at,
         click_app_token, click_link_id, click_at, click_cost_data_on, click_price_counts)
       SELECT 1, 'expired-cost-' || i, 'cpc', 'USD', 1, 't', ${old}, '${DEMO.appToken}', 1, ${old}, 1, 0 FROM n`,
    ).run();
    const [idle, working] = [countingDatabase(), countingDatabase()];
    await purge(ledgerOn(working.database), NOW);
    await purge(ledgerOn(idle.database), NOW);
    const moved = working.counts.calls - idle.counts.calls;
    expect(working.counts.written - idle.counts.written).toBe(expired + moved);
    expect(await rows("SELECT 1 FROM ledger_entries WHERE cost_id LIKE 'expired-cost-%'")).toEqual([]);
  });

  it("with an archive: two calls a slice with expired rows and one without, four rows read per live row, one written per deleted row", async () => {
    // The purges before this test had no archive. A walk begins a day after the one before it.
    await inLedger("UPDATE purge_positions SET walk = 0");
    const expired = 300;
    const old = NOW - 2 * COST_WINDOW_MS - DAY;
    await env.DB.prepare(
      `INSERT INTO ledger_entries (partner_id, cost_id, cost_type, currency, amount, tag, received_at,
         click_app_token, click_link_id, click_at, click_cost_data_on, click_price_counts)
       SELECT 1, 'archived-cost-' || value, 'cpc', 'USD', 1, 't', ${old}, '${DEMO.appToken}', 1, ${old}, 1, 0
       FROM json_each('${JSON.stringify(Array.from({ length: expired }, (_, index) => index))}')`,
    ).run();
    const sizes = await rows<{ n: number }>("SELECT count(*) AS n FROM ledger_entries");
    const slices = sum(sizes.map(({ n }) => slicesOf(n)));
    const { database, counts } = countingDatabase();
    await purge(archiving(env.TEST_BUCKET, database), NOW);
    expect(await listedRows()).toBe(expired);
    // One more for the slice with expired rows, and for each database two of `superseded` and the end of its walk.
    const all = 1 + ledgerOn().shards.length;
    // Four of them are in every database.
    const expiredTables = 10 + 4 * all;
    // The apps, and the counts by country and platform of each database.
    const audience = 1 + all;
    expect(counts.calls).toBeLessThanOrEqual(slices + 1 + 3 * all + expiredTables + audience);
    // An expired row is read with its link, and again when it is deleted.
    const live = sum(sizes.map(({ n }) => n)) - expired;
    expect(counts.read).toBeLessThanOrEqual(4 * live + 10 * expired + 30 * counts.calls);
    // For each slice its position twice, for the one with rows also its object and the state of the archive twice.
    expect(counts.written).toBeLessThanOrEqual(expired + 3 * counts.calls);
  });
});

it(`reads and writes the same number of rows with ${MANY} costs as with ${FEW}`, () => {
  const [few = [], many] = recordings;
  expect(few).toHaveLength(106);
  expect(many).toEqual(few);
});
