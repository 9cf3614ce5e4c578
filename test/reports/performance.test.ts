/** GET …/performance: what groups cost in some days, and in as many days before. */
import { beforeEach, describe, expect, it } from "vitest";
import { ask, type Call, call, click, DAY, DEMO, NOW, rejection, sendCost, view } from "../harness.ts";
import { freshLedger } from "../support.ts";

const PERFORMANCE = `/public/v1/apps/${DEMO.appToken}/performance`;
/** The four days up to today, and the four before them. */
const DAYS = "from=2026-03-12&to=2026-03-15";

interface Figures {
  spend: string;
  [name: string]: string | number | boolean | null;
}
type Item = Figures & { previous: Figures };
interface Body {
  data: {
    from: string;
    to: string;
    currency: string | null;
    final: boolean;
    paging: { cursor: string | null; next: string | null };
    items: Item[];
  };
}

async function read(query = DAYS, options: Call = {}): Promise<Body["data"]> {
  const { status, body } = await ask<Body>(`${PERFORMANCE}?${query}`, { token: DEMO.apiToken, ...options });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data;
}
const items = async (query: string) => (await read(query)).items;

/** Records a click on a link some days ago, and sends its cost. */
async function spent(
  id: string,
  cost: Record<string, string>,
  { days = 0, ...more }: { link?: string; days?: number } = {},
) {
  const now = NOW - days * DAY;
  await click(id, { ...more, now });
  expect((await sendCost({ cost_id: id, ...cost }, { now })).body.match).toBe("matched");
}

beforeEach(freshLedger);

const NONE = {
  spend: "0",
  clicks: 0,
  impressions: 0,
  matched: 0,
  cost_per_click: null,
  effective_cost_per_click: null,
  coverage: null,
  impression_coverage: null,
  other_currencies: false,
};

describe("the total", () => {
  it("is one row with the figures of both periods, in the version 1 envelope", async () => {
    await spent("spend-click-0001", { cost_amount: "0.25" });
    await spent("spend-click-0002", { cost_amount: "1" }, { days: 3 });
    await spent("spend-click-0003", { cost_amount: "3" }, { days: 4 });
    await click("");
    await click("spend-click-0004");
    const { body, headers } = await ask<Body>(`${PERFORMANCE}?${DAYS}`, { token: DEMO.apiToken });
    expect(body.data).toEqual({
      api_version: "1",
      request_id: headers.get("x-request-id"),
      timestamp: new Date(NOW).toISOString(),
      from: "2026-03-12",
      to: "2026-03-15",
      previous_from: "2026-03-08",
      previous_to: "2026-03-11",
      currency: "USD",
      final: false,
      paging: { cursor: null, next: null },
      items: [
        {
          spend: "1.25",
          clicks: 4,
          impressions: 0,
          matched: 2,
          cost_per_click: "0.625",
          effective_cost_per_click: "0.3125",
          coverage: "0.6666",
          impression_coverage: null,
          other_currencies: false,
          previous: {
            ...NONE,
            spend: "3",
            clicks: 1,
            matched: 1,
            cost_per_click: "3",
            effective_cost_per_click: "3",
            coverage: "1",
          },
        },
      ],
    });
  });

  it("is zero and null, with no currency, without any cost", async () => {
    expect(await read()).toMatchObject({ currency: null, items: [{ ...NONE, previous: NONE }] });
  });

  it("covers the 7 days up to yesterday by default", async () => {
    await spent("spend-click-0001", { cost_amount: "1" });
    await spent("spend-click-0002", { cost_amount: "2" }, { days: 1 });
    await spent("spend-click-0003", { cost_amount: "4" }, { days: 7 });
    const { from, to, items } = await read("");
    expect([from, to, items[0]?.spend]).toEqual(["2026-03-08", "2026-03-14", "6"]);
  });

  it.each([
    ["2026-03-07", true],
    ["2026-03-08", false],
  ])("is final more than 7 days after the last day: %s is %s", async (to, final) => {
    expect((await read(`from=${to}&to=${to}`)).final).toBe(final);
  });

  it("counts unpriced costs and all cost types of clicks in the coverage, and cpm for impressions only", async () => {
    await spent("spend-click-0001", { cost_amount: "1" });
    await click("spend-click-0002");
    expect((await sendCost({ cost_id: "spend-click-0002", cost_type: "cpi" })).status).toBe(200);
    await click("spend-click-0003");
    await view("spend-view-00001");
    await sendCost({ cost_id: "spend-view-00001", cost_type: "cpm", cost_amount: "500" });
    const [total] = await items(DAYS);
    expect(total).toMatchObject({ coverage: "0.6666", impression_coverage: "1", cost_per_click: "1" });
  });
});

describe("the currency", () => {
  beforeEach(async () => {
    await spent("spend-click-0001", { cost_amount: "1" });
    await spent("spend-click-0002", { cost_amount: "2", cost_currency: "EUR" });
    await spent("spend-click-0003", { cost_amount: "4", cost_currency: "EUR" });
    await spent("spend-click-0004", { cost_amount: "8", cost_currency: "CHF" }, { days: 5 });
  });

  it("is the one with the most matched costs of the period by default, and clicks and coverage do not depend on it", async () => {
    const shared = { clicks: 3, coverage: "1", effective_cost_per_click: null, other_currencies: true };
    expect(await read()).toMatchObject({
      currency: "EUR",
      items: [{ ...shared, spend: "6", matched: 2, cost_per_click: "3" }],
    });
    expect(await read(`${DAYS}&currency=USD`)).toMatchObject({
      currency: "USD",
      items: [{ ...shared, spend: "1", matched: 1, cost_per_click: "1" }],
    });
  });

  it("is the first by code among those with as many costs", async () => {
    await spent("spend-click-0005", { cost_amount: "1" });
    expect((await read()).currency).toBe("EUR");
  });

  it("can be one without a cost, and a row has the average of all clicks only if all of its spend is in the currency", async () => {
    expect((await read(`${DAYS}&currency=JPY`)).items[0]).toMatchObject({
      spend: "0",
      matched: 0,
      cost_per_click: null,
      effective_cost_per_click: null,
      other_currencies: true,
      previous: { other_currencies: true },
    });
    const [chf] = await items("from=2026-03-10&to=2026-03-10&currency=CHF");
    expect(chf).toMatchObject({ effective_cost_per_click: "8", other_currencies: false });
  });
});

describe("groups", () => {
  beforeEach(async () => {
    await spent("spend-click-0001", { cost_amount: "1" }, { link: "demo1nk003" });
    await spent("spend-click-0002", { cost_amount: "2" }, { link: "demo1nk004" });
    await spent("spend-click-0003", { cost_amount: "4" }, { link: DEMO.linkToken, days: 1 });
    await spent("spend-click-0004", { cost_type: "cpi", cost_amount: "8" }, { days: 5 });
    await click("", { link: "demo1nk008", now: NOW - 2 * DAY });
    await view("spend-view-00001");
  });
  const pick = async (query: string, ...names: string[]) =>
    (await items(`${DAYS}&${query}`)).map((item) => names.map((name) => item[name]));

  it("by link add each link to the one of level 2 by default, and a link above it has its own row", async () => {
    expect(await pick("group_by=link", "link_name", "link_label", "spend", "clicks")).toEqual([
      ["Acme", "Acme", "4", 1],
      ["Acme::Spring", "Spring", "3", 2],
      ["Newsletter", "Newsletter", "0", 1],
    ]);
    expect(await pick("group_by=link&level=1", "link_token", "spend")).toEqual([
      [DEMO.linkToken, "7"],
      ["demo1nk008", "0"],
    ]);
    expect(await pick("group_by=link&level=4&link=demo1nk003", "link_token", "spend")).toEqual([
      ["demo1nk004", "2"],
      ["demo1nk003", "1"],
    ]);
  });

  it("by partner have null where none was in effect", async () => {
    expect(await pick("group_by=partner", "partner_id", "partner_name", "spend", "clicks")).toEqual([
      [1, "Acme Ads", "7", 3],
      [null, null, "0", 1],
    ]);
  });

  it("by cost type, and with a filter on it, have no clicks, and the coverage of their kind", async () => {
    const names = ["clicks", "impressions", "effective_cost_per_click", "coverage", "impression_coverage"];
    expect(await pick("group_by=cost_type", "cost_type", "spend", ...names)).toEqual([
      ["cpc", "7", null, null, null, "1", null],
      ["cpi", "0", null, null, null, "0", null],
    ]);
    expect(await pick("cost_type=cpm", "spend", ...names)).toEqual([["0", null, null, null, null, "0"]]);
    expect((await items(`${DAYS}&group_by=cost_type`))[1]?.previous).toMatchObject({ spend: "8" });
  });

  it("by day compare each day with the one in the same place of the period before", async () => {
    const days = await items(`${DAYS}&group_by=day&sort=day`);
    expect(days.map(({ day, clicks, previous }) => [day, clicks, previous.spend])).toEqual([
      ["2026-03-13", 1, "0"],
      ["2026-03-14", 1, "8"],
      ["2026-03-15", 2, "0"],
    ]);
  });

  it("by week begin on Monday, and say how many days of the week are in the period", async () => {
    const query = "from=2026-03-07&to=2026-03-15&group_by=week&sort=week";
    expect((await items(query)).map(({ week, days, spend }) => [week, days, spend])).toEqual([
      ["2026-03-09", 7, "15"],
    ]);
    const [partial] = await items("from=2026-03-14&to=2026-03-17&group_by=week&sort=week");
    expect(partial).toMatchObject({ week: "2026-03-09", days: 2, spend: "7", previous: { spend: "8" } });
  });

  it("are filtered like the other reports", async () => {
    expect(await pick("link=demo1nk002", "spend", "clicks")).toEqual([["3", 2]]);
    expect(await pick("partner_id=2", "spend", "clicks")).toEqual([["0", 0]]);
    expect(await pick("cost_type=cpi", "spend")).toEqual([["0"]]);
  });
});

describe("sorting and pages", () => {
  beforeEach(async () => {
    await spent("spend-click-0001", { cost_amount: "1" }, { link: "demo1nk003" });
    await spent("spend-click-0002", { cost_amount: "2" }, { link: "demo1nk004" });
    await spent("spend-click-0003", { cost_amount: "2" });
    await click("", { link: "demo1nk008" });
    await click("", { link: "demo1nk006" });
  });
  const GROUPED = `${DAYS}&group_by=link&level=4`;
  const tokens = async (sort: string) =>
    (await items(`${GROUPED}&sort=${sort}`)).map((item) => item.link_token);

  it("is by any field, in both directions, with equal rows by key and those without a value last", async () => {
    const none = ["demo1nk006", "demo1nk008"];
    const equal = [DEMO.linkToken, "demo1nk004"].toSorted();
    expect(await tokens("-cost_per_click")).toEqual([...equal, "demo1nk003", ...none]);
    expect(await tokens("cost_per_click")).toEqual(["demo1nk003", ...equal, ...none]);
    expect((await items(`${GROUPED}&sort=-link_name`)).map((item) => item.link_label)).toEqual([
      "Newsletter",
      "Beacon",
      "Video 15s",
      "Runners",
      "Acme",
    ]);
  });

  it.each(["spend", "-spend", "-coverage", "link_name", "-clicks"])(
    "pages together are the whole list: %s",
    async (sort) => {
      const whole = await tokens(sort);
      const found: unknown[] = [];
      let query: string | undefined = `${GROUPED}&sort=${sort}&limit=2`;
      for (let page = 0; query && page < 4; page++) {
        const { paging, items } = await read(query);
        found.push(...items.map((item) => item.link_token));
        query = paging.next ? new URL(paging.next).search.slice(1) : undefined;
      }
      expect(query).toBeUndefined();
      expect(found).toEqual(whole);
    },
  );

  it("a cursor keeps the currency and the days of its first page", async () => {
    const first = await read("group_by=partner&limit=1&sort=-clicks", { now: NOW + DAY });
    await spent("spend-click-0005", { cost_amount: "1", cost_currency: "EUR" });
    await spent("spend-click-0006", { cost_amount: "1", cost_currency: "EUR" });
    await spent("spend-click-0007", { cost_amount: "1", cost_currency: "EUR" });
    await spent("spend-click-0008", { cost_amount: "1", cost_currency: "EUR" });
    const next = `group_by=partner&limit=1&sort=-clicks&cursor=${first.paging.cursor}`;
    expect(await read(next, { now: NOW + 2 * DAY })).toMatchObject({ to: "2026-03-15", currency: "USD" });
    expect(await read("group_by=partner", { now: NOW + 2 * DAY })).toMatchObject({
      to: "2026-03-16",
      currency: "EUR",
    });
  });

  it("a cursor of another query is invalid, and so is one that was made up", async () => {
    const { paging } = await read(`${GROUPED}&limit=2`);
    const list = Buffer.from(paging.cursor ?? "", "base64url")
      .toString()
      .split("|")
      .slice(0, 2);
    const forge = (...position: unknown[]) =>
      Buffer.from([...list, JSON.stringify(position)].join("|")).toString("base64url");
    const day = NOW / DAY;
    for (const [query, cursor] of [
      [`${GROUPED}&sort=spend`, paging.cursor],
      [`${GROUPED}&currency=USD`, paging.cursor],
      [`${DAYS}&group_by=link`, paging.cursor],
      [GROUPED, forge(0, 1e9, "USD", "1", "x")],
      [GROUPED, forge(day, day, "usd", "1", "x")],
      [GROUPED, forge(day, day, "USD", "1.5", "x")],
      [GROUPED, forge(day, day, "USD", 1, "x")],
      [GROUPED, forge(day, day, "USD", "1")],
      [GROUPED, "e30"],
    ]) {
      const rejected = await rejection(`${PERFORMANCE}?${query}&cursor=${cursor}`, { token: DEMO.apiToken });
      expect(rejected, String(cursor)).toEqual({ status: 400, code: "invalid_request", params: ["cursor"] });
    }
  });
});

describe("as CSV", () => {
  it("has all rows of the query whatever the limit, with the currency, and the period before last", async () => {
    await spent("spend-click-0001", { cost_amount: "1" });
    await click("", { link: "demo1nk008" });
    const response = await call(`${PERFORMANCE}?${DAYS}&group_by=partner&limit=1`, {
      token: DEMO.apiToken,
      headers: { accept: "text/csv" },
    });
    const figures =
      "spend,clicks,impressions,matched,cost_per_click,effective_cost_per_click,coverage,impression_coverage,other_currencies";
    expect(response.headers.get("content-disposition")).toBe(
      `attachment; filename="performance-${DEMO.appToken}-2026-03-12-2026-03-15-by-partner.csv"`,
    );
    expect(await response.text()).toBe(
      [
        `partner_id,partner_name,currency,${figures},${figures.replaceAll(/(?<=^|,)/g, "previous_")}`,
        "1,Acme Ads,USD,1,1,0,1,1,1,1,,false,0,0,0,0,,,,,false",
        ",,USD,0,1,0,0,,0,,,false,0,0,0,0,,,,,false",
        "",
      ].join("\r\n"),
    );
  });
});

describe("rejected", () => {
  it.each([
    ["group_by=city", ["group_by"]],
    ["group_by=link,day", ["group_by"]],
    ["sort=name", ["sort"]],
    ["sort=link_name", ["sort"]],
    ["group_by=day&sort=-partner_id", ["sort"]],
    ["kind=click", ["kind"]],
    ["currency=XXX&level=5&partner_id=0&cost_type=cpx", ["currency", "level", "partner_id", "cost_type"]],
    ["from=2026-03-15", ["from"]],
    ["from=2025-03-13", ["from"]],
    ["from=2026-03-15&to=2026-03-14", ["to"]],
    ["limit=0", ["limit"]],
  ])("%s", async (query, params) => {
    const {
      status,
      code,
      params: found,
    } = await rejection(`${PERFORMANCE}?${query}`, { token: DEMO.apiToken });
    expect([status, code, found.toSorted()]).toEqual([400, "invalid_request", params.toSorted()]);
  });

  it("a link of another app", async () => {
    const response = await call(`${PERFORMANCE}?link=unknown000`, { token: DEMO.apiToken });
    expect(response.status).toBe(404);
  });
});
