import { beforeEach, describe, expect, it } from "vitest";
import { COST_TYPES, type CostType, toMask } from "../../src/domain/cost-types.ts";
import { COST_WINDOW_MS } from "../../src/domain/matching.ts";
import { ask, call, click, DEMO, IPHONE, NOW, rows, sendCost, view } from "../harness.ts";
import { freshLedger, setSwitch, totals } from "../support.ts";

beforeEach(freshLedger);

const ID = "price-on-url-01";
const query = (cost_type: string, cost_amount = "0.3", cost_currency = "USD") =>
  `&${new URLSearchParams({ cost_type, cost_amount, cost_currency })}`;
const stored = () =>
  rows("SELECT cost_type, currency, amount, source, received_at FROM costs WHERE cost_id = ?", ID);
const dropped = () => rows("SELECT link_id, day, param, count FROM dropped_parameters ORDER BY param");
const today = Math.floor(NOW / 86_400_000);
const matchedOnce = (amount: number) => [{ state: "matched", count: 1, amount }];

describe("a click or an impression with a price on its URL", () => {
  it.each([
    ["click", "cpc", click],
    ["click", "cpi", click],
    ["impression", "cpm", view],
    ["impression", "cpe", view],
  ] as const)("is a cost without a call: %s, %s", async (_kind, costType, engage) => {
    await engage(ID, { query: query(costType.toUpperCase(), "0.3", "usd") });
    expect(await stored()).toEqual([
      { cost_type: costType, currency: "USD", amount: 30_000, source: "url", received_at: NOW },
    ]);
    expect(await totals()).toEqual(matchedOnce(30_000));
  });

  it("counts once, however often the URL is opened", async () => {
    for (let times = 0; times < 3; times++) await click(ID, { query: query("cpc") });
    await click(ID, { query: query("cpc", "7") });
    expect(await totals()).toEqual(matchedOnce(30_000));
  });

  it("counts once if the impression and the click both have a price", async () => {
    await view(ID, { query: query("cpi") });
    await click(ID, { query: query("cpi", "0.4") });
    expect(await totals()).toEqual(matchedOnce(30_000));
  });

  it("is replaced by one call, and later calls are duplicates or conflicts", async () => {
    await click(ID, { query: query("cpc") });
    const replacing = await sendCost({ cost_id: ID, cost_amount: "0.9", cost_currency: "EUR" });
    expect(replacing.body).toMatchObject({ match: "matched", duplicate: false, amount: "0.9" });
    expect(await totals("currency, state, count, amount")).toEqual([
      { currency: "EUR", state: "matched", count: 1, amount: 90_000 },
    ]);
    const again = { cost_id: ID, cost_amount: "0.9", cost_currency: "EUR" };
    expect((await sendCost(again)).body.duplicate).toBe(true);
    expect((await sendCost({ cost_id: ID, cost_amount: "0.3" })).body.code).toBe("cost_id_conflict");
    await click(ID, { query: query("cpc") });
    expect(await stored()).toMatchObject([{ amount: 90_000, source: "call" }]);
  });

  it("does not move to an open impression with its ID after its own window has closed", async () => {
    await click(ID, { query: query("cpi") });
    await view(ID, { link: "demo1nk002", now: NOW + COST_WINDOW_MS / 2 });
    expect(await rows("SELECT kind FROM engagements WHERE cost_id = ?", ID)).toHaveLength(2);
    const sent = { cost_id: ID, cost_type: "cpi", cost_amount: "0.9" };
    const spent = await totals("day, link_id, state, count, amount");
    const late = await sendCost(sent, { now: NOW + COST_WINDOW_MS + 1 });
    expect(late.body.code).toBe("window_closed");
    expect(await totals("day, link_id, state, count, amount")).toEqual(spent);
    expect((await sendCost(sent, { now: NOW + COST_WINDOW_MS })).body).toMatchObject({ amount: "0.9" });
  });

  it("is replaced by a call without an amount, which takes the price on the URL", async () => {
    await click(ID, { query: query("cpc") });
    expect((await sendCost({ cost_id: ID })).body).toMatchObject({ duplicate: false, amount: "0.3" });
    expect(await totals()).toEqual(matchedOnce(30_000));
    expect((await sendCost({ cost_id: ID })).body.duplicate).toBe(true);
  });

  it("still supplies the amount of a call when the call moves to a click without a price", async () => {
    await view(ID, { query: query("cpi") });
    expect((await sendCost({ cost_id: ID, cost_type: "cpi" })).body.amount).toBe("0.3");
    await click(ID);
    expect(await totals()).toEqual(matchedOnce(30_000));
    expect((await sendCost({ cost_id: ID, cost_type: "cpi" })).body).toMatchObject({
      duplicate: true,
      amount: "0.3",
    });
  });

  it.each([
    ["an impression", "0.3", view, click],
    ["a click", "0.3", click, view],
  ] as const)(
    "supplies the amount of a call if only %s has a price, whichever was recorded first",
    async (_kind, price, engagePriced, engage) => {
      await engage(ID);
      await engagePriced(ID, { query: query("cpi", price) });
      expect((await sendCost({ cost_id: ID, cost_type: "cpi" })).body.amount).toBe(price);
      expect(await totals()).toEqual(matchedOnce(30_000));
    },
  );

  it("does not supply an amount in another currency than that of the call", async () => {
    await view(ID, { query: query("cpi", "0.3", "EUR") });
    await click(ID);
    expect((await sendCost({ cost_id: ID, cost_type: "cpi" })).body.amount).toBeNull();
  });

  it("does not change a cost that was sent before it", async () => {
    await sendCost({ cost_id: ID, cost_amount: "0.9" });
    await click(ID, { query: query("cpc") });
    expect(await stored()).toMatchObject([{ amount: 90_000, source: "call" }]);
    expect(await totals()).toEqual(matchedOnce(90_000));
  });

  describe.each([
    ["a click of the same type", "cpc", click],
    ["an impression of another type", "cpi", view],
  ] as const)("after a call that has lapsed: %s", (_description, costType, engage) => {
    const lapsesAt = NOW + COST_WINDOW_MS;
    const sent = { cost_id: ID, cost_amount: "0.9", cost_currency: "EUR", tag: "sent" };
    const every = "app_token, day, link_id, partner_id, cost_type, currency, state";
    const recomputed = () =>
      rows(`SELECT ${every}, count(*) AS count, sum(coalesce(amount, 0)) AS amount FROM cost_states
        GROUP BY ${every}`);

    it("replaces the call one millisecond after seven days, once, and the totals equal the ledger", async () => {
      await sendCost(sent);
      for (let times = 0; times < 2; times++) {
        await engage(ID, { query: query(costType), now: lapsesAt + 1 });
        expect(await rows("SELECT * FROM costs")).toEqual([
          {
            partner_id: 1,
            cost_id: ID,
            cost_type: costType,
            currency: "USD",
            amount: 30_000,
            tag: null,
            source: "url",
            received_at: lapsesAt + 1,
          },
        ]);
        expect(await totals()).toEqual(matchedOnce(30_000));
        expect(await totals(`${every}, count, amount`)).toEqual(await recomputed());
      }
    });

    it("does not replace the call exactly seven days later", async () => {
      await sendCost(sent);
      await engage(ID, { query: query(costType), now: lapsesAt });
      expect(await stored()).toMatchObject([{ amount: 90_000, source: "call", received_at: NOW }]);
      expect(await totals(`${every}, count, amount`)).toEqual(await recomputed());
    });

    it("does not replace the call if the partner has not integrated the type of the price", async () => {
      await sendCost(sent);
      await rows("UPDATE partners SET integrated_types = 8 WHERE id = 1");
      await engage(ID, { query: query(costType), now: lapsesAt + 1 });
      expect(await stored()).toMatchObject([{ amount: 90_000, source: "call", received_at: NOW }]);
      expect(await totals()).toEqual([{ state: "pending", count: 1, amount: 90_000 }]);
    });
  });

  it("does not change a cost that matches another engagement, however old the cost is", async () => {
    await view(ID);
    await sendCost({ cost_id: ID, cost_type: "cpi", cost_amount: "0.9" });
    await click(ID, { query: query("cpc"), now: NOW + COST_WINDOW_MS + 1 });
    expect(await stored()).toMatchObject([{ amount: 90_000, source: "call" }]);
    expect(await totals()).toEqual(matchedOnce(90_000));
  });

  it("is not a cost on a link with cost data off, but its parameters are stored", async () => {
    await setSwitch(DEMO.linkToken, false);
    await click(ID, { query: query("cpc") });
    expect(await stored()).toEqual([]);
    expect(await rows("SELECT eligible, url_amount FROM engagements WHERE cost_id = ?", ID)).toEqual([
      { eligible: 0, url_amount: 30_000 },
    ]);
  });

  it.each([
    ["cpc", click],
    ["cpi", click],
    ["cpe", click],
    ["cpm", view],
  ] as const)("is a cost of type %s only if the partner has integrated that type", async (type, open) => {
    const integrate = (types: CostType[]) =>
      rows("UPDATE partners SET integrated_types = ? WHERE id = 1", toMask(types));
    await integrate(COST_TYPES.filter((other) => other !== type));
    await open(ID, { query: query(type) });
    expect(await stored()).toEqual([]);
    expect(await totals()).toEqual([]);
    expect(await rows("SELECT eligible, url_cost_type FROM engagements WHERE cost_id = ?", ID)).toEqual([
      { eligible: 1, url_cost_type: type },
    ]);
    await integrate([type]);
    await open("price-on-url-02", { query: query(type) });
    expect(await totals()).toEqual(matchedOnce(30_000));
  });

  it.each([
    ["the type", "&cost_amount=0.3&cost_currency=USD"],
    ["the amount", "&cost_type=cpc&cost_currency=USD"],
    ["the currency", "&cost_type=cpc&cost_amount=0.3"],
  ])("is not a cost without %s, and nothing is dropped", async (_what, part) => {
    await click(ID, { query: part });
    expect(await stored()).toEqual([]);
    expect(await dropped()).toEqual([]);
  });
});

const IOS_STORE = "https://apps.apple.com/app/id1234567890";

describe("invalid cost parameters on a URL", () => {
  it.each([
    ["an amount with a sign", query("cpc", "-1"), ["cost_amount"]],
    ["an unfilled macro as the amount", query("cpc", "{price}"), ["cost_amount"]],
    ["an unknown currency", query("cpc", "1", "ZZZ"), ["cost_currency"]],
    ["an unknown type", query("cpa"), ["cost_type"]],
    ["a type that a click cannot have", query("cpm"), ["cost_type"]],
    ["two amounts", `${query("cpc")}&cost_amount=0.4`, ["cost_amount"]],
    ["an amount that is not UTF-8", "&cost_type=cpc&cost_currency=USD&cost_amount=%FF", ["cost_amount"]],
    ["all of them", query("cpa", "x", "ZZZ"), ["cost_amount", "cost_currency", "cost_type"]],
  ])("are dropped and counted, and the click is recorded: %s", async (_description, invalid, params) => {
    const response = await click(ID, { query: invalid });
    expect([response.status, response.headers.get("location")]).toEqual([302, IOS_STORE]);
    expect(await stored()).toEqual([]);
    expect(await dropped()).toEqual(params.map((param) => ({ link_id: 1, day: today, param, count: 1 })));
    expect(await rows("SELECT url_cost_type, url_amount FROM engagements WHERE cost_id = ?", ID)).toEqual([
      { url_cost_type: null, url_amount: null },
    ]);
  });

  it.each([
    ["too short", "cost_id=short"],
    ["an unfilled macro", "cost_id={id}"],
    ["two IDs", "cost_id=price-on-url-01&cost_id=price-on-url-02"],
    ["not UTF-8", "cost_id=price-on-url-%ED%A0%80"],
  ])(
    "include an invalid ID, which is dropped and counted, and nothing is recorded: %s",
    async (_description, invalid) => {
      const before = await rows("SELECT count(*) AS n FROM engagements");
      const response = await call(`/${DEMO.linkToken}?${invalid}${query("cpc")}`, {
        headers: { "user-agent": IPHONE },
      });
      expect(response.status).toBe(302);
      expect(await dropped()).toEqual([{ link_id: 1, day: today, param: "cost_id", count: 1 }]);
      expect(await rows("SELECT count(*) AS n FROM engagements")).toEqual(before);
    },
  );

  it("are counted by day and link", async () => {
    await click(ID, { query: query("cpa") });
    await click(ID, { query: query("cpa") });
    await click(ID, { query: query("cpa"), now: NOW + 86_400_000 });
    await click(ID, { query: query("cpa"), link: "demo1nk002" });
    expect(await dropped()).toEqual([
      { link_id: 1, day: today, param: "cost_type", count: 2 },
      { link_id: 1, day: today + 1, param: "cost_type", count: 1 },
      { link_id: 2, day: today, param: "cost_type", count: 1 },
    ]);
  });

  it("never fail an impression, and are named in a response to a server", async () => {
    const response = await ask(`/impression/${DEMO.linkToken}?s2s=1&cost_id=${ID}${query("cpc")}`);
    expect(response.body).toMatchObject({
      status: "ok",
      kind: "impression",
      recorded: true,
      dropped: ["cost_type"],
    });
    expect((await view(ID, { query: query("cpa") })).status).toBe(200);
  });

  it("do not include unknown parameters, which are ignored", async () => {
    await click(ID, { query: `${query("cpc")}&utm=%FF` });
    expect(await stored()).toHaveLength(1);
    expect(await dropped()).toEqual([]);
  });
});
