/** The list of a partner's costs for operators: filters, pages that read on, and how much was looked through. */
import { beforeEach, describe, expect, it } from "vitest";
import { MAX_PAGES, shareOf } from "../../src/db/ledger/key-walk.ts";
import { rowDatabasesOf } from "../../src/db/ledger/shards.ts";
import {
  ask,
  call,
  click,
  countingDatabase,
  DAY,
  DEMO,
  ledgerOn,
  NOW,
  rows,
  sendCost,
  view,
} from "../harness.ts";
import { SESSIONS, startSessions } from "../security/support.ts";
import { freshEmptyLedger } from "../support.ts";

beforeEach(freshEmptyLedger);

interface Page {
  data: {
    searched: number;
    paging: { cursor: string | null };
    items: { cost_id: string; app_token: string | null; match: string; amount: string }[];
  };
}
const list = async (query = "", env = {}) => {
  const { status, body } = await ask<Page>(`/operator/v1/partners/1/costs?${query}`, {
    token: DEMO.operatorToken,
    env,
  });
  return { status, ...(status === 200 ? body.data : { items: [], searched: 0, paging: { cursor: null } }) };
};
const idsOf = async (query: string) => (await list(query)).items.map(({ cost_id }) => cost_id);
const COST = { cost_type: "cpc", cost_currency: "USD", tag: "t" };

/** Rows of engagements without a cost, whose IDs come first, each in one database. */
const addEmpty = async (count: number) => {
  const databases = rowDatabasesOf(ledgerOn());
  for (const [index, db] of databases.entries())
    await db
      .prepare(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
         INSERT INTO ledger_entries (partner_id, cost_id, click_app_token, click_link_id, click_at, click_cost_data_on, click_price_counts)
         SELECT 1, printf('a-click-%06d', i), '${DEMO.appToken}', 1, ${NOW}, 1, 0 FROM n WHERE i % ${databases.length} = ${index}`,
      )
      .run();
};

describe("filters", () => {
  beforeEach(async () => {
    await click("cost-matched-01", { now: NOW - 2 * DAY });
    await sendCost({ ...COST, cost_id: "cost-matched-01", cost_amount: "6" });
    await view("cost-viewed-001");
    await sendCost({ ...COST, cost_type: "cpm", cost_id: "cost-viewed-001", cost_amount: "5" });
    await sendCost({ ...COST, cost_id: "cost-waiting-01", cost_amount: "5.00001" });
    await click("cost-voided-001");
    await sendCost({ ...COST, cost_id: "cost-voided-001", cost_amount: "1" });
    await ask("/cost/cost-voided-001/void", { method: "POST", token: DEMO.costToken });
    await sendCost({ ...COST, cost_id: "short" });
  });
  it.each([
    ["", ["cost-matched-01", "cost-viewed-001", "cost-voided-001", "cost-waiting-01"]],
    ["match=pending", ["cost-waiting-01"]],
    ["match=voided", ["cost-voided-001"]],
    ["day=2026-03-13", ["cost-matched-01"]],
    ["day=2026-03-15&match=matched", ["cost-viewed-001"]],
    ["cost_type=CPM", ["cost-viewed-001"]],
    ["amount_over=5", ["cost-matched-01", "cost-waiting-01"]],
    [`app_token=${DEMO.appToken}&match=matched`, ["cost-matched-01", "cost-viewed-001"]],
    ["app_token=demoapp00002", []],
    [`link_token=${DEMO.linkToken}&amount_over=5`, ["cost-matched-01"]],
    ["link_token=demo1nk002", []],
    [`day=2026-03-13&link_token=${DEMO.linkToken}&amount_over=5.99999&cost_type=cpc`, ["cost-matched-01"]],
  ])("%s", async (query, expected) => {
    expect(await idsOf(query)).toEqual(expected);
  });

  it.each(["match=rejected", "day=20", "amount_over=x", "link_token=nobody", "state=pending"])(
    "%s is rejected with 400",
    async (query) => {
      expect((await list(query)).status).toBe(400);
    },
  );

  it("has the app of each, and is 404 for an unknown partner", async () => {
    const [first] = (await list("match=matched")).items;
    expect(first).toMatchObject({ app_token: DEMO.appToken, match: "matched", amount: "6" });
    const unknown = await ask("/operator/v1/partners/99/costs", { token: DEMO.operatorToken });
    expect(unknown.status).toBe(404);
  });

  it("are fields of the page, whose rows open the cost", async () => {
    await startSessions();
    const get = async (query: string) => {
      const headers = { accept: "text/html", cookie: SESSIONS.operator };
      return (await call(`/operator/partners/1/costs?${query}`, { headers })).text();
    };
    const page = await get("match=&day=2026-03-13&amount_over=5&app_token=&link_token=&cost_type=");
    expect(page).toContain('<a href="/operator/partners/1/voids?cost_id=cost-matched-01">');
    expect(page).not.toContain("cost-waiting-01");
    expect(await get("match=lapsed")).toContain("No costs match these filters.");
    expect(await get("amount_over=x")).toContain("must be a decimal");
  });
});

describe("a list with many IDs between its costs", () => {
  it("reads on, so that a page of pending costs does not begin empty", async () => {
    await addEmpty(6_000);
    await sendCost({ ...COST, cost_id: "z-waiting-cost-1", cost_amount: "1" });
    const { items, paging, searched } = await list("match=pending");
    expect([items.map(({ cost_id }) => cost_id), paging.cursor, searched]).toEqual([
      ["z-waiting-cost-1"],
      null,
      1,
    ]);
    await startSessions();
    const headers = { accept: "text/html", cookie: SESSIONS.operator };
    expect(await (await call("/operator/partners/1/pending", { headers })).text()).toContain(
      "z-waiting-cost-1",
    );
  });

  it("reads a bounded number of IDs, says how far it came, and goes on from there", async () => {
    await addEmpty(30_000);
    await sendCost({ ...COST, cost_id: "a-click-030001", cost_amount: "1" });
    const { database, counts } = countingDatabase();
    const first = await list("match=pending", { DB: database });
    const databases = Math.max(1, ledgerOn().shards.length);
    expect(first.items).toEqual([]);
    expect(first.searched).toBeGreaterThan(0);
    expect(first.searched).toBeLessThan(1);
    // The operator's token, the partner, and the ends of the range.
    expect(counts.calls).toBeLessThanOrEqual(databases * (MAX_PAGES + 1) + 3);
    expect(counts.read).toBeLessThanOrEqual(30_000);
    const found: string[] = [];
    let { cursor } = first.paging;
    for (let pages = 0; cursor !== null && pages < 10; pages++) {
      const page = await list(`match=pending&cursor=${cursor}`);
      found.push(...page.items.map(({ cost_id }) => cost_id));
      cursor = page.paging.cursor;
    }
    expect([found, cursor]).toEqual([["a-click-030001"], null]);
  });

  it("returns each cost once, page by page", async () => {
    for (let number = 0; number < 7; number++) await sendCost({ ...COST, cost_id: `paged-cost-00${number}` });
    const first = await list("limit=3");
    const second = await list(`limit=3&cursor=${first.paging.cursor}`);
    const third = await list(`limit=3&cursor=${second.paging.cursor}`);
    const all = [first, second, third].flatMap(({ items }) => items.map(({ cost_id }) => cost_id));
    expect([all, third.paging.cursor]).toEqual([await idsOf(""), null]);
    expect(all).toHaveLength(7);
    expect(await rows("SELECT 1 FROM ledger_entries")).toHaveLength(7);
  });
});

describe("the share of a range of IDs", () => {
  it.each([
    ["a", "c", "b", 0.5],
    ["acme-a", "acme-c", "acme-b", 0.5],
    ["same-id", "same-id", "same-id", 0],
    ["b", "c", "a", 0],
    ["a", "b", "c", 1],
    ["", "", "", 0],
  ])("from %s to %s at %s is %d", (first, last, at, share) => {
    expect(shareOf(first, last, at)).toBeCloseTo(share, 6);
  });
});
