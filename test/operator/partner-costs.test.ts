/** The list of a partner's costs for operators: filters, pages that read on, and how much was looked through. */
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { MAX_PAGES, shareOf } from "../../src/db/ledger/key-walk.ts";
import { rowDatabasesOf } from "../../src/db/ledger/shards.ts";
import { describeSearch } from "../../src/pages/lists/search.ts";
import {
  ask,
  call,
  click,
  countingDatabase,
  DAY,
  DEMO,
  freshState,
  ledgerOn,
  NOW,
  rows,
  sendCost,
  view,
} from "../harness.ts";
import { isWhole } from "../part.ts";
import { SESSIONS, startSessions } from "../security/support.ts";
import { freshEmptyLedger } from "../support.ts";
import { tablesOf, textOf } from "../workspace/page-text.ts";

interface Page {
  data: {
    searched: number;
    read: number;
    expected: number | null;
    paging: { cursor: string | null };
    items: { cost_id: string; app_token: string | null; match: string; amount: string }[];
  };
}
const NOTHING: Page["data"] = { searched: 0, read: 0, expected: null, paging: { cursor: null }, items: [] };
const list = async (query = "", env = {}) => {
  const { status, body } = await ask<Page>(`/operator/v1/partners/1/costs?${query}`, {
    token: DEMO.operatorToken,
    env,
  });
  return { status, ...(status === 200 ? body.data : NOTHING) };
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

/** One more row, in the first database. */
const addOne = (id: string) =>
  rowDatabasesOf(ledgerOn())[0]
    ?.prepare(
      `INSERT INTO ledger_entries (partner_id, cost_id, click_app_token, click_link_id, click_at, click_cost_data_on, click_price_counts)
       VALUES (1, ?, '${DEMO.appToken}', 1, ${NOW}, 1, 0)`,
    )
    .bind(id)
    .run();

describe.runIf(isWhole)("filters", () => {
  beforeAll(async () => {
    await freshEmptyLedger();
    await startSessions();
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
    [`app_token=${DEMO.otherAppToken}`, []],
    [`link_token=${DEMO.linkToken}&amount_over=5`, ["cost-matched-01"]],
    ["link_token=demo1nk002", []],
    [`day=2026-03-13&link_token=${DEMO.linkToken}&amount_over=5.99999&cost_type=cpc`, ["cost-matched-01"]],
  ])("%s", async (query, expected) => {
    expect(await idsOf(query)).toEqual(expected);
  });

  it.each([
    "match=rejected",
    "day=20",
    "amount_over=x",
    "link_token=nobody",
    "app_token=demoapp00002",
    "state=pending",
  ])("%s is rejected with 400", async (query) => {
    expect((await list(query)).status).toBe(400);
  });

  it("has the app of each, and is 404 for an unknown partner", async () => {
    const [first] = (await list("match=matched")).items;
    expect(first).toMatchObject({ app_token: DEMO.appToken, match: "matched", amount: "6" });
    const unknown = await ask("/operator/v1/partners/99/costs", { token: DEMO.operatorToken });
    expect(unknown.status).toBe(404);
  });

  it("are fields of the page, whose rows open the cost", async () => {
    const get = async (query: string) => {
      const headers = { accept: "text/html", cookie: SESSIONS.operator };
      return (await call(`/operator/partners/1/costs?${query}`, { headers })).text();
    };
    const page = await get("match=&day=2026-03-13&amount_over=5&app_token=&link_token=&cost_type=");
    expect(page).toContain('<a href="/operator/partners/1/voids?cost_id=cost-matched-01">');
    expect(page).not.toContain("cost-waiting-01");
    expect(await get("match=lapsed")).toContain("No costs match these filters.");
    const wrong = await get("amount_over=x&match=matched");
    expect(wrong).toContain("The amount must be a decimal");
    expect(wrong).toMatch(/name="amount_over" value=""/);
    expect(wrong).toContain('<option value="matched" selected>');
    expect(wrong).toContain("cost_id=cost-matched-01");
    expect(await get("app_token=wrong")).toContain("must be exactly 12 letters and digits");
    expect(await get("link_token=wrong")).toContain("must be the token of an existing link");
  });
});

describe("a list with many IDs between its costs", () => {
  beforeEach(freshEmptyLedger);

  it("reads on, so that a page of pending costs does not begin empty", async () => {
    await addEmpty(5_100);
    await sendCost({ ...COST, cost_id: "z-waiting-cost-1", cost_amount: "1" });
    const { items, paging, searched } = await list("match=pending");
    expect([items.map(({ cost_id }) => cost_id), paging.cursor, searched]).toEqual([
      ["z-waiting-cost-1"],
      null,
      1,
    ]);
    await startSessions();
    const headers = { accept: "text/html", cookie: SESSIONS.operator };
    const page = await (await call("/operator/partners/1/costs?match=pending", { headers })).text();
    expect(page).toContain("z-waiting-cost-1");
  });

  it("returns each cost once, page by page", async () => {
    await Promise.all(
      Array.from({ length: 7 }, (_, number) => sendCost({ ...COST, cost_id: `paged-cost-00${number}` })),
    );
    const first = await list("limit=3");
    const second = await list(`limit=3&cursor=${first.paging.cursor}`);
    const third = await list(`limit=3&cursor=${second.paging.cursor}`);
    const all = [first, second, third].flatMap(({ items }) => items.map(({ cost_id }) => cost_id));
    expect([all, third.paging.cursor]).toEqual([await idsOf(""), null]);
    expect(all).toHaveLength(7);
    expect(await rows("SELECT 1 FROM ledger_entries")).toHaveLength(7);
  });
});

describe("the page", () => {
  const open = async (query: string) => {
    const headers = { accept: "text/html", cookie: SESSIONS.operator };
    return (await call(`/operator/partners/1/costs?${query}`, { headers })).text();
  };
  const idsOn = (page: string) =>
    [...page.matchAll(/voids\?cost_id=([^"]*)"/g)].map(([, id]) => decodeURIComponent(id ?? ""));

  const setUp = async () => {
    await freshEmptyLedger();
    await startSessions();
    await click("sorted-cost-001", { now: NOW - 3 * DAY });
    await sendCost({ ...COST, cost_id: "sorted-cost-001", cost_amount: "2" }, { now: NOW - DAY });
    await click("sorted-cost-002");
    await sendCost({ ...COST, cost_id: "sorted-cost-002", cost_amount: "0.5" });
    await view("sorted-cost-003");
    await sendCost(
      { ...COST, cost_type: "cpm", cost_id: "sorted-cost-003", cost_amount: "90" },
      { now: NOW - 1 },
    );
    await sendCost({ ...COST, cost_id: "sorted-cost-004", cost_currency: "EUR" }, { now: NOW - 2 * DAY });
    await sendCost(
      { ...COST, cost_id: "sorted-cost-005", cost_currency: "EUR", cost_amount: "3" },
      { now: NOW - 2 * DAY },
    );
  };
  beforeEach(() => freshState("costs in three orders", setUp));

  it("has the newest first, the highest of each currency, or the order of IDs, with the names of links", async () => {
    const page = await open("");
    expect(idsOn(page)).toEqual([2, 3, 1, 4, 5].map((number) => `sorted-cost-00${number}`));
    expect(page).toMatch(/<a class="path" href="[^"]*\?link_token=[^"]*" title="[^"]* \(demo1nk001\)"><bdi>/);
    expect(page).not.toContain("<code>demo1nk001");
    expect(tablesOf(page)[0]?.map(({ cells }) => cells.slice(2, 4))).toEqual([
      ["Amount", "Type"],
      ["$0.50", "cpc"],
      ["$90.00", "per 1,000, cpm"],
      ["$2.00", "cpc"],
      ["no amount", "cpc"],
      ["€3.00", "cpc"],
    ]);
    expect(idsOn(await open("sort=highest"))).toEqual(
      [5, 4, 1, 2, 3].map((number) => `sorted-cost-00${number}`),
    );
    expect(idsOn(await open("sort=cost_id&amount_over=1"))).toEqual(
      [1, 3, 5].map((number) => `sorted-cost-00${number}`),
    );
  });

  it.runIf(isWhole)(
    "leaves the partner's own name out of the names of links, but not of their titles",
    async () => {
      await click("sorted-cost-006", { link: "demo1nk005" });
      await sendCost({ ...COST, cost_id: "sorted-cost-006" });
      const namesOn = async () =>
        [...(await open("")).matchAll(/<a class="path"[^>]* title="([^"]*)">([\s\S]*?)<\/a>/g)].map(
          ([, title, name = ""]) => [title, textOf(name)],
        );
      const [whole] = (await namesOn()).filter(([title]) => title?.includes("demo1nk005"));
      expect(whole).toEqual([
        "Acme › Spring › Runners › Video 30s (demo1nk005)",
        "Acme › Spring › Runners › Video 30s",
      ]);
      await rows("UPDATE partners SET display_name = 'Acme' WHERE id = 1");
      const names = await namesOn();
      expect(names).toContainEqual([whole?.[0], "Spring › Runners › Video 30s"]);
      expect(names).toContainEqual(["Acme (demo1nk001)", "Acme"]);
    },
  );

  it("adds up what its filters find", async () => {
    // 90 is the price of 1,000 impressions.
    expect(await open("")).toMatch(
      /5 costs, <span class="whole">3 matched <span title="\$2.59">|5 costs, <span class="whole">3 matched \$2.59<\/span>, <span class="whole">2 pending €3.00</,
    );
    expect(await open("match=matched&day=2026-03-12")).toMatch(
      /1 cost, <span class="whole">1 matched \$2.00</,
    );
  });

  it("sorts at most 10,000 IDs, or those with one beginning, and reads a bounded number of rows", async () => {
    await addEmpty(9_995);
    const { database, counts } = countingDatabase();
    const headers = { accept: "text/html" };
    const get = async (query: string) =>
      (
        await call(`/operator/partners/1/costs?${query}`, {
          headers: { ...headers, cookie: SESSIONS.operator },
          env: { DB: database },
        })
      ).text();
    const most = await get("");
    expect(idsOn(most)[0]).toBe("sorted-cost-002");
    // To add them up, to find the order, and to sort.
    expect(counts.read).toBeLessThanOrEqual(3 * 10_000 + 100);
    await addOne("a-click-zzzzzz");
    const more = await get("");
    expect(more).toContain("can't be sorted");
    expect(idsOn(more)).toEqual([1, 2, 3, 4, 5].map((number) => `sorted-cost-00${number}`));
    expect(idsOn(await get("cost_id=sorted-"))).toEqual(
      [2, 3, 1, 4, 5].map((number) => `sorted-cost-00${number}`),
    );
  });
});

describe("the number of costs", () => {
  // Their IDs come after those of `addEmpty`.
  beforeAll(async () => {
    await freshEmptyLedger();
    for (const [number, days] of [0, 0, 2, 13, 14].entries()) {
      const now = NOW - days * DAY;
      await click(`a-click-02200${number}`, { now });
      await sendCost({ ...COST, cost_id: `a-click-02200${number}`, cost_amount: String(number) }, { now });
    }
    for (const days of [0, 6, 7, 8])
      await sendCost({ ...COST, cost_id: `a-click-02300${days}` }, { now: NOW - days * DAY });
  });

  it.runIf(isWhole).each([
    ["match=matched&day=2026-03-15", 2],
    ["match=matched&day=2026-03-15&amount_over=0", 2],
    ["match=matched&day=2026-03-15&cost_type=cpm", 0],
    [`match=matched&day=2026-03-13&link_token=${DEMO.linkToken}&app_token=${DEMO.appToken}`, 1],
    ["match=matched&day=2026-03-13&link_token=demo1nk002", 0],
    [`match=matched&day=2026-03-13&app_token=${DEMO.otherAppToken}`, 0],
    // The IDs of the first day are forgotten in part.
    ["match=matched&day=2026-03-02", 1],
    ["match=matched&day=2026-03-01", null],
    ["match=matched", null],
    ["day=2026-03-15", null],
    ["match=voided&day=2026-03-15", null],
    ["match=pending", 3],
    ["match=pending&day=2026-03-09", 1],
    ["match=pending&day=2026-03-08", null],
    ["match=pending&cost_type=cpm", 0],
    [`match=pending&app_token=${DEMO.appToken}`, 0],
  ])("is that of the totals, where they have the same costs: %s", async (query, expected) => {
    expect((await list(query)).expected).toBe(expected);
  });

  describe("among 21,000 IDs without a cost", () => {
    const LAST = "a-click-021001";
    const WAITING = [0, 6, 7].map((days) => `a-click-02300${days}`);
    beforeAll(async () => {
      await addEmpty(21_000);
      await sendCost({ ...COST, cost_id: LAST, cost_amount: "1" });
    });

    it("reads a bounded number of IDs, says how far it came, and goes on from there", async () => {
      const { database, counts } = countingDatabase();
      const first = await list("match=pending", { DB: database });
      const databases = Math.max(1, ledgerOn().shards.length);
      expect(first.items).toEqual([]);
      expect(first.searched).toBeGreaterThan(0);
      expect(first.searched).toBeLessThan(1);
      // The operator's token, the partner, what was read, and how many there are.
      expect(counts.calls).toBeLessThanOrEqual(databases * (MAX_PAGES + 2) + 3);
      // Each ID twice by its page, and once to count it.
      expect(counts.read).toBeLessThanOrEqual(3 * 20_000 + 60 * databases);
      // What the other shards have after the last ID of one is not counted.
      expect(first.read).toBeGreaterThanOrEqual(20_000 - 100 * databases * Number(databases > 1));
      expect(first.read).toBeLessThanOrEqual(20_000);
      const found: string[] = [];
      let { cursor } = first.paging;
      for (let pages = 0; cursor !== null && pages < 10; pages++) {
        const page = await list(`match=pending&cursor=${cursor}`);
        found.push(...page.items.map(({ cost_id }) => cost_id));
        cursor = page.paging.cursor;
      }
      expect([found, cursor]).toEqual([[LAST, ...WAITING], null]);
    });

    it("ends the search when so many were found, on the first page and on a later one", async () => {
      const day = "match=matched&day=2026-03-15";
      await click("a-click-000000");
      await sendCost({ ...COST, cost_id: "a-click-000000", cost_amount: "1" });
      await startSessions();
      const headers = { accept: "text/html", cookie: SESSIONS.operator };
      const open = async (path: string) => (await call(path, { headers })).text();
      const page = await open(`/operator/partners/1/costs?${day}`);
      expect(page).toContain("In the order of their IDs: more than 10,000 can't be sorted.");
      expect(page).toMatch(/1 of 3 found\. Searched (19,[5-9]\d\d|20,000) IDs\./);
      const [, next = ""] = /href="([^"]*)" data-go-on>Continue/.exec(page) ?? [];
      const end = await open(next.replaceAll("&amp;", "&"));
      expect(end).toContain("3 of 3 found. Searched ");
      expect(end).not.toContain("data-go-on");
      expect(end).toContain("a-click-022001");
    });
  });
});

it.runIf(isWhole).each([
  [{ found: 12, expected: 15 }, "12 of 15 found. Searched 40,000 IDs."],
  [{ found: 0, expected: null }, "0 found. Searched 40,000 IDs."],
  [{ found: 1, expected: 54, isExact: false }, "1 of up to 54 found. Searched 40,000 IDs."],
  [
    { found: 1, expected: 2, hasAmount: true, read: 1 },
    "Without the filter by amount, 1 of 2 found. Searched 1 ID.",
  ],
])("says how far it came: %j", (given, expected) => {
  const all = { isExact: true, hasAmount: false, read: 40_000, ...given };
  expect(describeSearch(all)).toBe(expected);
});

describe.runIf(isWhole)("the share of a range of IDs", () => {
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
