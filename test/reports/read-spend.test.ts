/** GET …/spend: the spend of an app. */
import { beforeEach, describe, expect, it } from "vitest";
import { createToken } from "../../src/auth/secrets.ts";
import {
  ask,
  type Call,
  call,
  click,
  DAY,
  DEMO,
  env,
  NOW,
  rejection,
  rows,
  sendCost,
  view,
} from "../harness.ts";
import { isLong } from "../part.ts";
import { freshLedger } from "../support.ts";

const SPEND = `/public/v1/apps/${DEMO.appToken}/spend`;
const WEEK = "from=2026-03-09&to=2026-03-15";

type Item = Record<string, string | number | null>;

async function spend(query = WEEK, options: Call = {}): Promise<Item[]> {
  const response = await ask<{ data: { items: Item[] } }>(`${SPEND}?${query}`, {
    token: DEMO.apiToken,
    ...options,
  });
  expect(response.status).toBe(200);
  return response.body.data.items;
}

/** Records a click on a link some days ago and sends its cost. */
async function spent(
  id: string,
  cost: Record<string, string>,
  options: { link?: string; days?: number } = {},
) {
  const { days = 0, ...more } = options;
  await click(id, { ...more, now: NOW - days * DAY });
  expect((await sendCost({ cost_id: id, ...cost })).body.match).toBe("matched");
}

beforeEach(freshLedger);

describe("spend", () => {
  it("is returned by day in the version 1 envelope with a row for each currency", async () => {
    await spent("spend-click-0001", { cost_amount: "0.25" });
    await spent("spend-click-0002", { cost_amount: "1.00001" });
    await spent("spend-click-0003", { cost_amount: "7", cost_currency: "EUR" });
    await spent("spend-click-0004", { cost_amount: "2" }, { days: 3 });
    const { body, headers } = await ask<{ data: { items: Item[] } }>(`${SPEND}?${WEEK}`, {
      token: DEMO.apiToken,
    });
    expect(body.data).toEqual({
      api_version: "1",
      request_id: headers.get("x-request-id"),
      timestamp: new Date(NOW).toISOString(),
      items: [
        { day: "2026-03-12", currency: "USD", spend: "2", adjusted: "0", matched: 1, unpriced: 0 },
        { day: "2026-03-15", currency: "EUR", spend: "7", adjusted: "0", matched: 1, unpriced: 0 },
        { day: "2026-03-15", currency: "USD", spend: "1.25001", adjusted: "0", matched: 2, unpriced: 0 },
      ],
    });
  });

  it("counts a cpm amount as exactly a thousandth of itself", async () => {
    for (const id of ["spend-view-00001", "spend-view-00002"]) {
      await view(id);
      await sendCost({ cost_id: id, cost_type: "cpm", cost_amount: "0.00001" });
    }
    await spent("spend-click-0001", { cost_amount: "3.5" });
    expect(await spend()).toMatchObject([{ spend: "3.50000002", matched: 3 }]);
    expect(await spend(`${WEEK}&group_by=cost_type`)).toEqual([
      { cost_type: "cpc", currency: "USD", spend: "3.5", adjusted: "0", matched: 1, unpriced: 0 },
      { cost_type: "cpm", currency: "USD", spend: "0.00000002", adjusted: "0", matched: 2, unpriced: 0 },
    ]);
  });

  it("counts costs without an amount as unpriced, and ignores costs without an engagement", async () => {
    await spent("spend-click-0001", {});
    await sendCost({ cost_id: "spend-pending-01", cost_amount: "9" });
    expect(await spend()).toEqual([
      { day: "2026-03-15", currency: "USD", spend: "0", adjusted: "0", matched: 0, unpriced: 1 },
    ]);
    await sendCost({ cost_id: "spend-click-0001", cost_amount: "4" });
    expect(await spend()).toEqual([
      { day: "2026-03-15", currency: "USD", spend: "4", adjusted: "0", matched: 1, unpriced: 0 },
    ]);
  });

  it("is grouped by any of day, link, partner and cost type, always in that order", async () => {
    await spent("spend-click-0001", { cost_amount: "1" });
    await spent("spend-click-0002", { cost_amount: "2", cost_type: "cpi" }, { link: "demo1nk004" });
    await spent("spend-click-0003", { cost_amount: "4" }, { days: 1 });
    const [first] = await spend(`${WEEK}&group_by=cost_type,partner,link,day`);
    expect(first).toEqual({
      day: "2026-03-14",
      link_token: DEMO.linkToken,
      link_label: "Acme",
      link_name: "Acme",
      partner_id: 1,
      partner_name: "Acme Ads",
      cost_type: "cpc",
      currency: "USD",
      spend: "4",
      adjusted: "0",
      matched: 1,
      unpriced: 0,
    });
    expect(Object.keys(first ?? {}).slice(0, 7)).toEqual([
      "day",
      "link_token",
      "link_label",
      "link_name",
      "partner_id",
      "partner_name",
      "cost_type",
    ]);
    expect(
      (await spend(`${WEEK}&group_by=link`)).map(({ link_label, spend }) => [link_label, spend]),
    ).toEqual([
      ["Acme", "5"],
      ["Video 15s", "2"],
    ]);
    expect(await spend(`${WEEK}&group_by=partner`)).toMatchObject([{ partner_name: "Acme Ads", spend: "7" }]);
  });

  it("is filtered, by a link with everything below it", async () => {
    await spent("spend-click-0001", { cost_amount: "1" });
    await spent("spend-click-0002", { cost_amount: "2", cost_type: "cpi" }, { link: "demo1nk004" });
    await spent("spend-click-0003", { cost_amount: "4", cost_currency: "EUR" });
    for (const [filter, expected] of [
      ["partner_id=1", ["1", "2", "4"]],
      ["partner_id=2", []],
      ["cost_type=cpi", ["2"]],
      ["currency=EUR", ["4"]],
      ["link=demo1nk002", ["2"]],
      ["link=demo1nk004&cost_type=cpc", []],
    ] as const) {
      const rows = await spend(`${WEEK}&group_by=link,cost_type&${filter}`);
      expect([filter, rows.map(({ spend }) => spend).sort()]).toEqual([filter, expected]);
    }
  });

  it("covers both days completely, in UTC", async () => {
    const start = Date.UTC(2026, 2, 14);
    for (const [id, now] of [
      ["spend-before-0001", start - 1],
      ["spend-first-00001", start],
      ["spend-last-000001", start + DAY - 1],
      ["spend-after-00001", start + DAY],
    ] as const) {
      await click(id, { now });
      await sendCost({ cost_id: id, cost_amount: "1" });
    }
    expect(await spend("from=2026-03-14&to=2026-03-14")).toEqual([
      { day: "2026-03-14", currency: "USD", spend: "2", adjusted: "0", matched: 2, unpriced: 0 },
    ]);
  });

  it("is exact past 2^53 units", async () => {
    await env.DB.prepare("INSERT INTO daily_totals VALUES (?, ?, 1, 1, ?, 'USD', 'matched', 1, ?)")
      .bind(DEMO.appToken, Math.floor(NOW / DAY), "cpc", "9007199254740993")
      .run();
    await env.DB.prepare("INSERT INTO daily_totals VALUES (?, ?, 2, 1, ?, 'USD', 'matched', 1, ?)")
      .bind(DEMO.appToken, Math.floor(NOW / DAY), "cpm", "9007199254740993")
      .run();
    expect(await spend()).toMatchObject([{ spend: "90162064539.95733993" }]);
  });

  it.each([
    ["cpc", "184467440737095.51616"],
    ["cpm", "184467440737.09551616"],
  ])("is exact past 2^63 units: %s", async (type, sum) => {
    const half = "9223372036854775807";
    for (const [link, amount] of [half, half, "2"].entries()) {
      await env.DB.prepare("INSERT INTO daily_totals VALUES (?, ?, ?, 1, ?, 'USD', 'matched', 1, ?)")
        .bind(DEMO.appToken, Math.floor(NOW / DAY), link + 1, type, amount)
        .run();
    }
    expect(await spend()).toMatchObject([{ spend: sum }]);
    expect(await spend(`${WEEK}&group_by=link`)).toHaveLength(3);
  });

  it("accepts a parameter that is repeated with the same value", async () => {
    await spent("spend-click-0001", { cost_amount: "1" });
    expect(await spend(`${WEEK}&to=2026-03-15`)).toMatchObject([{ spend: "1" }]);
  });

  it("is empty without costs and accepts 366 days", async () => {
    expect(await spend("from=2025-01-01&to=2026-01-01")).toEqual([]);
  });

  it("handles HEAD as GET without the body", async () => {
    const head = await call(`${SPEND}?${WEEK}`, { token: DEMO.apiToken, method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
  });

  it("does not include the spend of another app", async () => {
    await env.DB.prepare("INSERT INTO daily_totals VALUES (?, ?, 9, 1, 'cpc', 'USD', 'matched', 5, 500000)")
      .bind(DEMO.otherAppToken, Math.floor(NOW / DAY))
      .run();
    expect(await spend()).toEqual([]);
  });
});

describe("spend as CSV", () => {
  const csv = (query: string, accept = "text/csv") =>
    call(`${SPEND}?${query}`, { token: DEMO.apiToken, headers: { accept } });

  it("is a download of the same rows with a header line", async () => {
    await spent("spend-click-0001", { cost_amount: "0.25" });
    await spent("spend-click-0002", { cost_amount: "2" }, { days: 3 });
    const response = await csv(WEEK);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
    expect(response.headers.get("content-disposition")).toBe(
      `attachment; filename="spend-${DEMO.appToken}-2026-03-09-2026-03-15-by-day.csv"`,
    );
    expect(response.headers.get("vary")).toBe("Accept");
    expect(await response.text()).toBe(
      "day,currency,spend,adjusted,matched,unpriced\r\n2026-03-12,USD,2,0,1,0\r\n2026-03-15,USD,0.25,0,1,0\r\n",
    );
  });

  it("is in the OpenAPI document as well as JSON", async () => {
    type Document = { paths: Record<string, { get: { responses: { 200: { content: object } } } }> };
    const { paths } = (await ask<Document>("/openapi.json")).body;
    const { content } = paths["/public/v1/apps/{app_token}/spend"]?.get.responses[200] ?? { content: {} };
    expect(Object.keys(content)).toEqual(["application/json", "text/csv"]);
  });

  it("is only the header line without costs", async () => {
    expect(await (await csv(`${WEEK}&group_by=partner,cost_type`)).text()).toBe(
      "partner_id,partner_name,cost_type,currency,spend,adjusted,matched,unpriced\r\n",
    );
  });

  it("keeps the names of links as text", async () => {
    await spent("spend-click-0001", { cost_amount: "1" });
    for (const [label, cell] of [
      ['=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")"`],
      ["+1", "'+1"],
      ["-1", "'-1"],
      ["@SUM(A1)", "'@SUM(A1)"],
      ["＝1+1", "'＝1+1"],
      ["a, b", '"a, b"'],
      ["a=b", "a=b"],
      ["Zürich 東京", "Zürich 東京"],
    ] as const) {
      await env.DB.prepare("UPDATE links SET label = ? WHERE id = 1").bind(label).run();
      const [, line] = (await (await csv(`${WEEK}&group_by=link`)).text()).split("\r\n");
      expect(line).toBe(`${DEMO.linkToken},${cell},${cell},USD,1,0,1,0`);
    }
  });

  it.each([
    ["text/csv", true],
    ["TEXT/CSV; charset=utf-8", true],
    ["application/json;q=0.5, text/csv", true],
    ["text/csv;q=0.5, application/json", false],
    ["text/csv;q=0", false],
    ["application/json", false],
    ["*/*", false],
    ["text/html,*/*;q=0.8", false],
  ])("is returned for Accept: %s: %s", async (accept, isCsv) => {
    const type = (await csv(WEEK, accept)).headers.get("content-type");
    expect(type?.startsWith("text/csv")).toBe(isCsv);
  });
});

describe("spend rejects", () => {
  const reject = (query: string, options: Call = {}) =>
    rejection(`${SPEND}?${query}`, { token: DEMO.apiToken, ...options });
  const malformed = (...params: string[]) => ({ status: 400, code: "invalid_request", params });

  it.each([
    ["from after today without to", "from=2026-03-16", ["from"]],
    ["more than 366 days before today without to", "from=2025-03-14", ["from"]],
    [
      "days in the wrong order and an unknown group",
      "from=2026-03-09&to=2026-03-01&group_by=xx",
      ["group_by", "to"],
    ],
    [
      "too many days and a repeated group",
      "from=2025-01-01&to=2026-03-01&group_by=day,day",
      ["group_by", "to"],
    ],
    ["from after to", "from=2026-03-10&to=2026-03-09", ["to"]],
    ["367 days", "from=2025-01-01&to=2026-01-02", ["to"]],
    ["2026-02-30", "from=2026-02-30&to=2026-03-01", ["from"]],
    ["2026-02-29", "from=2026-02-01&to=2026-02-29", ["to"]],
    ["a time of day", "from=2026-03-09T00:00:00Z&to=2026-03-15", ["from"]],
    ["a short year", "from=26-03-09&to=2026-03-15", ["from"]],
    ["an unknown group", `${WEEK}&group_by=day,city`, ["group_by"]],
    ["an empty group", `${WEEK}&group_by=`, ["group_by"]],
    ["a repeated group", `${WEEK}&group_by=day,day`, ["group_by"]],
    ["a space", `${WEEK}&group_by=day,%20link`, ["group_by"]],
    ["a repeated parameter with another value", `${WEEK}&to=2026-03-14`, ["to"]],
    ["three invalid parameters", "from=x&to=y&group_by=z", ["from", "to", "group_by"]],
    ["level 0", `${WEEK}&level=0`, ["level"]],
    ["level 5", `${WEEK}&level=5`, ["level"]],
    ["an unknown cost type and currency", `${WEEK}&cost_type=cpx&currency=XXY`, ["cost_type", "currency"]],
    ["partner 0", `${WEEK}&partner_id=0`, ["partner_id"]],
    ["an unknown parameter", `${WEEK}&partner=1`, ["partner"]],
    ["a parameter of the other report and a cursor", `${WEEK}&kind=click&after=x`, ["kind", "after"]],
  ])("%s", async (_name, query, params) => {
    expect(await reject(query)).toEqual(malformed(...params));
    expect(await reject(query, { headers: { accept: "text/csv" } })).toEqual(malformed(...params));
  });

  // ranges.test.ts has one in several calls, and the Overview one in a single call.
  it.runIf(isLong)("a report of more than 50,000 rows", async () => {
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
       INSERT INTO daily_totals SELECT ?1, ?2 - i % 300, i / 300, 1, 'cpc', 'USD', 'matched', 1, 1 FROM n`,
    )
      .bind(DEMO.appToken, Math.floor(NOW / DAY))
      .run();
    expect(await reject("from=2025-05-01&to=2026-03-15&group_by=day,link")).toEqual(malformed("group_by"));
    expect(await spend("from=2025-05-01&to=2026-03-15")).toHaveLength(300);
  });

  it("another method", async () => {
    expect(await reject(WEEK, { method: "POST", json: {} })).toMatchObject({ status: 405 });
  });

  it("callers without access to the app before it validates the input", async () => {
    const path = `/public/v1/apps/${DEMO.otherAppToken}/spend?${WEEK}`;
    expect(await rejection(path, { token: DEMO.apiToken })).toMatchObject({ status: 404 });
    expect(
      await rejection(path.replace(DEMO.otherAppToken, "nosuchapp000"), { token: DEMO.apiToken }),
    ).toMatchObject({ status: 404 });
    for (const token of [undefined, "noise", DEMO.costToken, createToken("api")]) {
      expect(await reject(WEEK, { token })).toMatchObject({ status: 401, params: [] });
      expect(await reject("from=x", { token })).toMatchObject({ status: 401, params: [] });
    }
  });

  it("a reset token that KV still holds", async () => {
    await spend();
    await rows("DELETE FROM api_tokens WHERE user_id = 1");
    expect(await reject(WEEK)).toMatchObject({ status: 401 });
  });
});
