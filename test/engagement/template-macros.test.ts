/** The partner's own template tells which values are macros, whatever their form is. */
import { beforeEach, expect, it } from "vitest";
import { ask, DEMO, freshDemo, rows, sendCost } from "../harness.ts";

beforeEach(async () => {
  await freshDemo();
});

const save = async (json: Record<string, string>, partner = 1) => {
  const path = `/operator/v1/partners/${partner}`;
  expect((await ask(path, { token: DEMO.operatorToken, method: "PATCH", json })).status).toBe(200);
};
const TEMPLATES = {
  click_parameters: "campaign=~campaign~&adgroup=~ad group~",
  impression_parameters: "campaign=Always this",
  cost_parameters: "cost_id=*|CLICK_ID|*&cost_type=cpc&cost_currency=USD&cost_amount=*|PRICE|*",
};
const click = async (query: string) =>
  (await ask<{ dropped: string[]; recorded: boolean }>(`/${DEMO.linkToken}?s2s=1&${query}`)).body;
const reasons = () => rows("SELECT param, reason, count FROM dropped_parameters ORDER BY param, reason");

it("drops a cost ID that the template has, and its price with it, however it is encoded", async () => {
  await save(TEMPLATES);
  const price = "&cost_type=cpc&cost_currency=USD&cost_amount=0.5";
  for (const id of ["*|CLICK_ID|*", "%2A%7CCLICK_ID%7C%2A", "%252A%257CCLICK_ID%257C%252A"])
    expect(await click(`cost_id=${id}${price}`)).toMatchObject({
      recorded: false,
      dropped: ["cost_id", "cost_type", "cost_amount", "cost_currency"],
    });
  expect(await reasons()).toEqual([
    { param: "cost_amount", reason: "cost_id_dropped", count: 3 },
    { param: "cost_currency", reason: "cost_id_dropped", count: 3 },
    { param: "cost_id", reason: "unfilled_macro", count: 3 },
    { param: "cost_type", reason: "cost_id_dropped", count: 3 },
  ]);
  expect(await click(`cost_id=*|CLICK_ID|*-filled${price}`)).toMatchObject({ recorded: true, dropped: [] });
});

it("drops names that the template has, and creates no sub-link for them", async () => {
  await save(TEMPLATES);
  const names = () => rows("SELECT label FROM links WHERE label LIKE '%~%' OR label = 'Brand'");
  expect((await click("campaign=~campaign~&adgroup=x")).dropped).toEqual(["campaign", "adgroup"]);
  expect((await click("campaign=Brand&adgroup=~ad+group~")).dropped).toEqual(["adgroup"]);
  expect(await names()).toEqual([{ label: "Brand" }]);
});

it.each([
  ["cost_amount", "*|PRICE|*", "cpc", "USD"],
  ["cost_type", "0.5", "~type~", "USD"],
  ["cost_currency", "0.5", "cpc", "<:CUR:>"],
])(
  "drops a price whose %s the template has, with that reason, and counts nothing",
  async (param, cost_amount, cost_type, cost_currency) => {
    await save({
      cost_parameters: "cost_id=*|CLICK_ID|*&cost_type=~type~&cost_currency=<:CUR:>&cost_amount=*|PRICE|*",
    });
    const price = new URLSearchParams({ cost_amount, cost_type, cost_currency });
    expect(await click(`cost_id=price-macro-0001&${price}`)).toMatchObject({
      recorded: true,
      dropped: [param],
    });
    // However it is encoded, and without an ID.
    expect(await click(`${price}`.replaceAll("%", "%25"))).toMatchObject({
      recorded: false,
      dropped: [param],
    });
    expect(await reasons()).toEqual([{ param, reason: "unfilled_macro", count: 2 }]);
    expect(await rows("SELECT * FROM daily_url_prices")).toEqual([]);
  },
);

it("drops a value of a price that only looks like a macro as invalid", async () => {
  await save(TEMPLATES);
  const price = (amount: string) =>
    `cost_type=cpc&cost_currency=USD&cost_amount=${encodeURIComponent(amount)}`;
  for (const amount of ["*|OTHER|*", "$0.25", "0,25", "abc", `*|${"x".repeat(100)}|*`])
    expect(await click(price(amount)), amount).toMatchObject({ dropped: ["cost_amount"] });
  expect(await reasons()).toEqual([{ param: "cost_amount", reason: "invalid", count: 5 }]);
});

it("takes a literal of the template for a value", async () => {
  await save(TEMPLATES);
  expect(await click("cost_id=literal-000001&cost_type=cpc&cost_currency=USD&cost_amount=0.5")).toMatchObject(
    {
      recorded: true,
      dropped: [],
    },
  );
  const seen = await ask(`/impression/${DEMO.linkToken}?s2s=1&campaign=Always+this`);
  expect(seen.body).toMatchObject({ dropped: [] });
});

it("rejects a cost with such an ID, unless one with it was accepted before the template was saved", async () => {
  const cost = { cost_id: "*|CLICK_ID|*", cost_amount: "0.25" };
  expect((await sendCost(cost)).body).toMatchObject({ match: "pending" });
  await save(TEMPLATES);
  expect((await sendCost(cost)).body).toMatchObject({ duplicate: true });
  expect((await sendCost({ ...cost, cost_amount: "0.3" })).body.code).toBe("cost_id_conflict");

  await save({ cost_parameters: "cost_id=%2A%7COTHER_ID%7C%2A" });
  const { status, body } = await sendCost({ cost_id: "*|OTHER_ID|*" });
  const message = "is an unfilled macro: send the value that the network puts in its place";
  expect([status, body.errors]).toEqual([400, [{ param: "cost_id", message }]]);
  const batch = await ask<{ results: { status: number }[] }>("/cost/batch", {
    token: DEMO.costToken,
    json: {
      costs: ["*|OTHER_ID|*", "%2A%7COTHER_ID%7C%2A", "*|CLICK_ID|*"].map((cost_id) => ({
        cost_id,
        cost_type: "cpc",
        cost_currency: "USD",
        tag: "t",
      })),
    },
  });
  expect(batch.body.results.map((one) => one.status)).toEqual([400, 400, "ok"]);
  const rejected = await rows<{ count: number }>(
    "SELECT count FROM daily_rejections WHERE code = 'invalid_request'",
  );
  expect(rejected.reduce((sum, { count }) => sum + count, 0)).toBe(3);
});

it("is a mismatch of its own in a round", async () => {
  await save({ cost_parameters: "cost_id=*|CORSAIR_CL|*&cost_type=cpi" }, 3);
  for (const cost_id of ["*|CORSAIR_ID|*", "*|CORSAIR_CL|*", "__CLICK_ID__", "null-null-null"])
    await sendCost({ cost_id, cost_type: "cpi" }, { token: DEMO.testCostToken });
  const { body } = await ask<{ types: { findings: { cost_id: string; kind: string; state: string }[] }[] }>(
    "/cost/round",
    { token: DEMO.testCostToken },
  );
  const found = JSON.stringify(body);
  expect(found.match(/"kind":"unfilled_macro"/g)).toHaveLength(3);
  expect(found).toContain("not a macro or a placeholder");
});
