/** Prices on the URLs of clicks and impressions: when they count, with a call and without one, and what is dropped. */
import { beforeEach, describe, expect, it } from "vitest";
import { COST_TYPES, type CostType, toMask } from "../../src/domain/cost-types.ts";
import { DEFAULT_MAX_URL_AMOUNT } from "../../src/domain/money.ts";
import { COST_WINDOW_MS } from "../../src/domain/time.ts";
import { ask, type Call, call, click, DAY, DEMO, IPHONE, NOW, rows, sendCost, view } from "../harness.ts";
import { isLong } from "../part.ts";
import { freshLedger, LINK, setSwitch, totals } from "../support.ts";

beforeEach(freshLedger);

const ID = "price-on-url-01";
const query = (cost_type: string, cost_amount = "0.3", cost_currency = "USD") =>
  `&${new URLSearchParams({ cost_type, cost_amount, cost_currency })}`;
/** What counts of the ID: a call, a price on a URL, or both while the call is pending. */
const counting = () =>
  rows(
    "SELECT source, cost_type, currency, amount, state, kind FROM cost_states WHERE cost_id = ? ORDER BY 1",
    ID,
  );
/** Whether the price on each URL is a cost by itself, as decided when it was recorded. */
const decided = (costId = ID) =>
  rows(
    "SELECT cost_data_on, url_cost_type, url_amount, price_counts FROM engagements WHERE cost_id = ? ORDER BY kind",
    costId,
  );
/** Of all databases. */
const dropped = async () =>
  (
    await rows<{ param: string }>("SELECT link_id, day, param, count FROM dropped_parameters ORDER BY param")
  ).toSorted((one, other) => one.param.localeCompare(other.param));
/** A macro in the place of the currency. */
const allowAnyCurrency = () =>
  rows("UPDATE partners SET cost_parameters = 'cost_amount={price}&cost_currency={currency}' WHERE id = 1");
const today = Math.floor(NOW / 86_400_000);
const matchedOnce = (amount: number) => [{ state: "matched", count: 1, amount }];

const columns = "app_token, day, link_id, partner_id, cost_type, currency, state, count, amount";
/** The totals as they follow from the ledger's rows. */
const recomputed = () =>
  rows(`SELECT app_token, day, link_id, partner_id, cost_type, currency, state, count(*) AS count, sum(coalesce(amount, 0)) AS amount
    FROM cost_states GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY day, app_token, link_id`);

describe("a click or an impression with a price on its URL", () => {
  it.each([
    ["click", "cpc", click],
    ["click", "cpi", click],
    ["impression", "cpm", view],
    ["impression", "cpe", view],
  ] as const)("is a cost without a call: %s, %s", async (kind, costType, engage) => {
    await engage(ID, { query: query(costType.toUpperCase(), "0.3", "usd") });
    expect(await counting()).toEqual([
      { source: "url", cost_type: costType, currency: "USD", amount: 30_000, state: "matched", kind },
    ]);
    expect(await totals()).toEqual(matchedOnce(30_000));
    expect(await totals(columns)).toEqual(await recomputed());
  });

  it("counts once, however often the URL is opened", async () => {
    for (let times = 0; times < 3; times++) await click(ID, { query: query("cpc") });
    await click(ID, { query: query("cpc", "7") });
    expect(await totals()).toEqual(matchedOnce(30_000));
  });

  it("does not count if a repetition of an engagement without a price has one", async () => {
    await click(ID);
    await click(ID, { query: query("cpc") });
    expect(await totals()).toEqual([]);
  });

  it("is not a cost on a link with cost data off, but its parameters are stored", async () => {
    await setSwitch(DEMO.linkToken, false);
    await click(ID, { query: query("cpc") });
    expect(await counting()).toEqual([]);
    expect(await decided()).toEqual([
      { cost_data_on: 0, url_cost_type: "cpc", url_amount: 30_000, price_counts: 0 },
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
    expect(await counting()).toEqual([]);
    expect(await totals()).toEqual([]);
    expect(await decided()).toMatchObject([{ cost_data_on: 1, url_cost_type: type, price_counts: 0 }]);
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
    expect(await counting()).toEqual([]);
    expect(await decided()).toMatchObject([{ price_counts: 0 }]);
    expect(await dropped()).toEqual([]);
  });

  it("keeps the decision of the moment when it was recorded", async () => {
    await click(ID, { query: query("cpc") });
    await rows(
      "UPDATE partners SET max_url_amount = 0, integrated_types = 8, cost_parameters = '' WHERE id = 1",
    );
    await click("price-on-url-02", { query: query("cpc") });
    await rows(
      "UPDATE partners SET max_url_amount = 1000000000, integrated_types = 15, cost_parameters = 'cost_amount={a}' WHERE id = 1",
    );
    await view("price-on-url-02", { query: query("cpc") });
    expect(await totals()).toEqual(matchedOnce(30_000));
    expect(await decided("price-on-url-02")).toMatchObject([{ price_counts: 0 }, { price_counts: 0 }]);
  });
});

describe("anyone can write a price on a public URL, which adds no spend", () => {
  const setTemplate = (template: string) =>
    rows("UPDATE partners SET cost_parameters = ? WHERE id = 1", template);
  const attack = (amount: string) =>
    ask(`${LINK}?s2s=1&cost_id=${ID}&cost_type=cpc&cost_currency=USD&cost_amount=${amount}`);

  async function expectNoSpend() {
    expect(await totals()).toEqual([]);
    expect(await counting()).toEqual([]);
    const { body } = await ask(`/public/v1/apps/${DEMO.appToken}/spend?from=2026-03-15&to=2026-03-15`, {
      token: DEMO.apiToken,
    });
    expect(body).toMatchObject({ data: { items: [] } });
  }
  /** The partner's own call still matches the engagement and counts its own amount. */
  async function expectMatch() {
    expect(await decided()).toMatchObject([{ cost_data_on: 1, price_counts: 0 }]);
    expect((await sendCost({ cost_id: ID })).body).toMatchObject({ match: "matched", amount: null });
    expect((await sendCost({ cost_id: ID, cost_amount: "0.2" })).body.amount).toBe("0.2");
    expect(await totals()).toEqual(matchedOnce(20_000));
  }

  it.each([
    ["no template", ""],
    ["a template without an amount", "cost_id={id}&cost_type={type}&cost_currency=USD"],
    ["a template that names another parameter", "cost_id={id}&my_cost_amount={price}"],
    ["a template that has the name only in a value", "cost_id={cost_amount}&note=cost_amount"],
  ])("from a partner with %s", async (_what, template) => {
    await setTemplate(template);
    expect((await attack("100")).body).toMatchObject({ recorded: true, dropped: [] });
    await expectNoSpend();
    await expectMatch();
  });

  it.each([
    ["in the first place", "cost_amount={price}&cost_id={id}"],
    ["in the middle", "cost_id={id}&cost_amount={price}&tag=x"],
    ["with nothing after it", "cost_id={id}&cost_amount={price}"],
    ["with a fixed value", "cost_amount=0.3"],
  ])("but a price counts if the template names cost_amount %s", async (_what, template) => {
    await setTemplate(template);
    await attack("0.3");
    expect(await totals()).toEqual(matchedOnce(30_000));
  });

  it.each([
    ["above 100 by default", DEFAULT_MAX_URL_AMOUNT, "100", "100.00001"],
    ["above the limit of the partner", 30_000, "0.3", "0.30001"],
  ])("with an amount %s, up to which it counts", async (_what, limit, good, bad) => {
    if (limit !== DEFAULT_MAX_URL_AMOUNT)
      await rows("UPDATE partners SET max_url_amount = ? WHERE id = 1", limit);
    await attack(bad);
    await expectNoSpend();
    await click("price-on-url-02", { query: query("cpc", good) });
    expect(await totals()).toEqual(matchedOnce(limit));
    await rows("DELETE FROM daily_totals");
    await expectMatch();
  });

  it("with 10,000 in every currency, many times", async () => {
    for (let index = 0; index < (isLong ? 100 : 12); index++) {
      const currency = ["USD", "JPY", "KWD", "EUR"][index % 4] ?? "";
      await call(`${LINK}?cost_type=cpc&cost_currency=${currency}&cost_amount=10000`, {
        headers: { "user-agent": IPHONE },
      });
    }
    await expectNoSpend();
  });
});

describe("a price without a cost_id", () => {
  const open = (path: string, price: string, options: Call = {}) => ask(`${path}?s2s=1${price}`, options);

  it("gets a generated ID, which s2s=1 returns and GET /cost/{cost_id} reads", async () => {
    const { body } = await open(LINK, query("cpc"));
    expect(body).toMatchObject({
      recorded: true,
      duplicate: false,
      cost_id: expect.stringMatching(
        /^url-[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      ),
    });
    const read = await ask(`/cost/${body.cost_id}`, { token: DEMO.costToken });
    expect(read.body).toMatchObject({
      cost_id: body.cost_id,
      source: "url",
      amount: "0.3",
      match: "matched",
      engagement: { kind: "click", link_token: DEMO.linkToken },
    });
    expect(await totals()).toEqual(matchedOnce(30_000));
  });

  it("counts each time, from a click and from an impression, and can be replaced by a call", async () => {
    await call(`${LINK}?x=1${query("cpc")}`, { headers: { "user-agent": IPHONE } });
    const seen = await open(`/impression${LINK}`, query("cpm", "2"));
    const again = await open(`/impression${LINK}`, query("cpm", "2"));
    expect(seen.body.cost_id).not.toBe(again.body.cost_id);
    expect(await totals("cost_type, count, amount")).toEqual([
      { cost_type: "cpc", count: 1, amount: 30_000 },
      { cost_type: "cpm", count: 2, amount: 400_000 },
    ]);
    const called = { cost_id: String(seen.body.cost_id), cost_type: "cpm", cost_amount: "3" };
    expect((await sendCost(called)).body.match).toBe("matched");
    expect(await totals("cost_type, count, amount")).toEqual([
      { cost_type: "cpc", count: 1, amount: 30_000 },
      { cost_type: "cpm", count: 2, amount: 500_000 },
    ]);
  });

  it.each([
    ["cost data is off", "UPDATE links SET cost_switch = 0 WHERE id = 1", []],
    ["the template does not name cost_amount", "UPDATE partners SET cost_parameters = '' WHERE id = 1", []],
    ["the type is not integrated", "UPDATE partners SET integrated_types = 8 WHERE id = 1", ["cost_type"]],
    ["it is above the limit", "UPDATE partners SET max_url_amount = 29999 WHERE id = 1", ["cost_amount"]],
    ["the partner is stopped", "UPDATE partners SET stopped_at = 1 WHERE id = 1", []],
    ["the link has no partner", "UPDATE links SET partner_id = NULL WHERE id = 1", []],
  ])("gets none and is not recorded if %s", async (_what, change, dropped) => {
    await rows(change);
    const before = await rows("SELECT count(*) AS n FROM engagements");
    expect((await open(LINK, query("cpc"))).body).toMatchObject({
      recorded: false,
      cost_id: null,
      dropped,
    });
    expect(await rows("SELECT count(*) AS n FROM engagements")).toEqual(before);
  });

  it("gets none if the price is not complete", async () => {
    expect((await open(LINK, "&cost_type=cpc&cost_amount=1")).body).toMatchObject({
      recorded: false,
      cost_id: null,
    });
  });
});

describe("a price on a URL and a call with its ID", () => {
  it("counts until a call is matched; the call is compared only with earlier calls", async () => {
    await click(ID, { query: query("cpc") });
    const sent = { cost_id: ID, cost_amount: "0.9", cost_currency: "EUR", cost_type: "cpi" };
    expect((await sendCost(sent)).body).toMatchObject({ match: "matched", duplicate: false, amount: "0.9" });
    expect(await totals("cost_type, currency, state, count, amount")).toEqual([
      { cost_type: "cpi", currency: "EUR", state: "matched", count: 1, amount: 90_000 },
    ]);
    expect((await sendCost(sent)).body.duplicate).toBe(true);
    expect((await sendCost({ cost_id: ID, cost_amount: "0.3" })).body.code).toBe("cost_id_conflict");
    await click(ID, { query: query("cpc") });
    expect(await counting()).toMatchObject([{ amount: 90_000, source: "call" }]);
    expect(await totals(columns)).toEqual(await recomputed());
  });

  it("is settled when the window of its engagement has closed", async () => {
    await click(ID, { query: query("cpc") });
    const sent = { cost_id: ID, cost_amount: "0.9" };
    const late = await sendCost(sent, { now: NOW + COST_WINDOW_MS + 1 });
    expect(late.body).toMatchObject({ status: 400, code: "window_closed" });
    expect(await totals()).toEqual(matchedOnce(30_000));
    expect((await sendCost(sent, { now: NOW + COST_WINDOW_MS })).body).toMatchObject({ amount: "0.9" });
    expect(await totals()).toEqual(matchedOnce(90_000));
  });

  it("supplies the amount of a call without one, and counts once", async () => {
    await click(ID, { query: query("cpc") });
    expect((await sendCost({ cost_id: ID })).body).toMatchObject({ duplicate: false, amount: "0.3" });
    expect(await counting()).toMatchObject([{ source: "call", amount: 30_000 }]);
    expect(await totals()).toEqual(matchedOnce(30_000));
    expect((await sendCost({ cost_id: ID })).body.duplicate).toBe(true);
  });

  it("supplies an amount that a call can still add, also the same one", async () => {
    await click(ID, { query: query("cpc") });
    await sendCost({ cost_id: ID });
    const sent = { cost_id: ID, cost_amount: "0.3" };
    expect((await sendCost(sent)).body).toMatchObject({ duplicate: false, amount: "0.3" });
    expect((await sendCost(sent)).body).toMatchObject({ duplicate: true, amount: "0.3" });
    expect(await totals()).toEqual(matchedOnce(30_000));
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

  it("does not change a call that was sent before it", async () => {
    await sendCost({ cost_id: ID, cost_amount: "0.9" });
    await click(ID, { query: query("cpc") });
    expect(await counting()).toMatchObject([{ amount: 90_000, source: "call" }]);
    expect(await totals()).toEqual(matchedOnce(90_000));
  });

  it("counts beside a pending call of another kind, until that matches", async () => {
    const cpm = { cost_id: ID, cost_type: "cpm", cost_amount: "2" };
    expect((await sendCost(cpm)).body).toMatchObject({ match: "pending" });
    await click(ID, { query: query("cpc") });
    expect((await sendCost(cpm)).body).toMatchObject({
      match: "pending",
      duplicate: true,
      mismatch: "wrong_engagement",
    });
    expect(await counting()).toMatchObject([
      { source: "call", cost_type: "cpm", state: "pending" },
      { source: "url", cost_type: "cpc", amount: 30_000, state: "matched" },
    ]);
    expect(await totals("state, cost_type, amount")).toEqual([
      { state: "matched", cost_type: "cpc", amount: 30_000 },
      { state: "pending", cost_type: "cpm", amount: 200_000 },
    ]);
    await view(ID);
    expect(await totals("state, cost_type, amount")).toEqual([
      { state: "matched", cost_type: "cpm", amount: 200_000 },
    ]);
    expect(await totals(columns)).toEqual(await recomputed());
  });

  describe.each([
    ["a click of the same type", "cpc", click],
    ["an impression of another type", "cpi", view],
  ] as const)("after a call that has lapsed: %s", (_description, costType, engage) => {
    const lapsesAt = NOW + COST_WINDOW_MS;
    const sent = { cost_id: ID, cost_amount: "0.9", cost_currency: "EUR", tag: "sent" };

    it("counts beside the lapsed call, once, and the totals equal the ledger", async () => {
      await sendCost(sent);
      for (let times = 0; times < 2; times++) {
        await engage(ID, { query: query(costType), now: lapsesAt + 1 });
        expect(await counting()).toMatchObject([
          { source: "call", currency: "EUR", amount: 90_000, state: "pending" },
          { source: "url", cost_type: costType, currency: "USD", amount: 30_000, state: "matched" },
        ]);
        expect(await totals(columns)).toEqual(await recomputed());
      }
      const again = await sendCost({ ...sent, cost_type: costType }, { now: lapsesAt + 2 });
      expect(again.body).toMatchObject({ match: "matched", duplicate: false, amount: "0.9" });
      expect(await counting()).toMatchObject([{ source: "call", currency: "EUR", state: "matched" }]);
      expect(await totals(columns)).toEqual(await recomputed());
    });

    it("does not count if the partner has not integrated the type of the price", async () => {
      await sendCost(sent);
      await rows("UPDATE partners SET integrated_types = 8 WHERE id = 1");
      await engage(ID, { query: query(costType), now: lapsesAt + 1 });
      expect(await counting()).toMatchObject([{ source: "call", amount: 90_000 }]);
      expect(await totals()).toEqual([{ state: "pending", count: 1, amount: 90_000 }]);
    });
  });

  it("does not change a call that matches another engagement, however old the call is", async () => {
    await view(ID);
    await sendCost({ cost_id: ID, cost_type: "cpi", cost_amount: "0.9" });
    await click(ID, { query: query("cpc"), now: NOW + COST_WINDOW_MS + 1 });
    expect(await counting()).toMatchObject([{ amount: 90_000, source: "call", kind: "impression" }]);
    expect(await totals()).toEqual(matchedOnce(90_000));
  });
});

describe("two engagements with a price and the same ID", () => {
  const CLICK = { kind: "click", amount: 30_000 };
  const VIEW = { kind: "impression", amount: 40_000 };
  const cases = [
    ["one day before the impression", -DAY, CLICK],
    ["with the impression", 0, CLICK],
    ["exactly seven days after the impression", COST_WINDOW_MS, CLICK],
    ["seven days and one millisecond after the impression", COST_WINDOW_MS + 1, VIEW],
  ] as const;

  it.each(cases)("count once: the click happened %s", async (_what, after, expected) => {
    await allowAnyCurrency();
    await view(ID, { query: query("cpm", "0.4", "EUR") });
    await click(ID, { query: query("cpc"), now: NOW + after, link: "demo1nk002" });
    expect(await counting()).toMatchObject([{ source: "url", state: "matched", ...expected }]);
    expect(await totals(columns)).toEqual(await recomputed());
    expect(await totals()).toEqual(matchedOnce(expected.amount));
  });

  it.each(cases)(
    "count the same if the click is recorded first: it happened %s",
    async (_what, after, expected) => {
      await allowAnyCurrency();
      await click(ID, { query: query("cpc"), now: NOW + after, link: "demo1nk002" });
      await view(ID, { query: query("cpm", "0.4", "EUR") });
      expect(await counting()).toMatchObject([{ source: "url", state: "matched", ...expected }]);
      expect(await totals(columns)).toEqual(await recomputed());
    },
  );

  it.each([
    ["click", click, view],
    ["impression", view, click],
  ] as const)("count the only price that counts: the %s has it", async (kind, engagePriced, engage) => {
    await engage(ID, { query: query("cpi", "100.00001") });
    await engagePriced(ID, { query: query("cpi", "0.3") });
    expect(await counting()).toMatchObject([{ source: "url", kind, amount: 30_000 }]);
    expect(await totals()).toEqual(matchedOnce(30_000));
  });
});

/** The dropped parameters of the demo link, with their reasons. */
const reasons = () =>
  rows("SELECT param, reason, count FROM dropped_parameters WHERE link_id = 1 ORDER BY param");

describe("a cost_id that is on the URL and cannot be used drops the price too", () => {
  const PRICE = query("cpc").slice(1);

  it.each([
    ["an unfilled macro", "cost_id={click_id}", "unfilled_macro"],
    ["too short", "cost_id=short", "invalid"],
    ["not UTF-8", "cost_id=price-on-url-%ED%A0%80", "invalid"],
    ["two IDs", "cost_id=price-on-url-01&cost_id=price-on-url-02", "repeated"],
    ["a URL that was copied from HTML", "amp;cost_id=price-on-url-01", "escaped"],
  ])("which counts with its reason: %s", async (_what, id, reason) => {
    const { body } = await ask(`${LINK}?s2s=1&${id}&${PRICE}`);
    expect(body).toMatchObject({
      recorded: false,
      cost_id: null,
      dropped: ["cost_id", "cost_type", "cost_currency", "cost_amount"],
    });
    expect(await totals()).toEqual([]);
    expect(await reasons()).toEqual([
      { param: "cost_amount", reason: "cost_id_dropped", count: 1 },
      { param: "cost_currency", reason: "cost_id_dropped", count: 1 },
      { param: "cost_id", reason, count: 1 },
      { param: "cost_type", reason: "cost_id_dropped", count: 1 },
    ]);
  });

  it("also if it is empty, which is not counted itself", async () => {
    const { body } = await ask(`${LINK}?s2s=1&cost_id=&${PRICE}`);
    expect(body).toMatchObject({ cost_id: null, dropped: ["cost_type", "cost_currency", "cost_amount"] });
    expect(await totals()).toEqual([]);
  });

  it("each parameter of a price that is there, valid or not, and no other one", async () => {
    await click("short", { query: "&cost_amount=-1&cost_type=&cost_currency=USD" });
    expect((await reasons()).map(({ param, reason }) => `${param} ${reason}`)).toEqual([
      "cost_amount cost_id_dropped",
      "cost_currency cost_id_dropped",
      "cost_id invalid",
    ]);
  });

  it("however often such a URL is opened, in a loop by anybody", async () => {
    for (let times = 0; times < 20; times++) await click("{click_id}", { query: query("cpc", "100") });
    expect(await totals()).toEqual([]);
    expect(await rows("SELECT * FROM engagements WHERE cost_id LIKE 'url-%'")).toEqual([]);
  });

  it("but an empty cost_id beside a valid one is like none", async () => {
    await click(ID, { query: `${query("cpc")}&cost_id=` });
    expect(await totals()).toEqual(matchedOnce(30_000));
  });
});

describe("a price that does not count", () => {
  const sent = async (type: string, amount: string, id = "") =>
    (
      await ask<{ recorded: boolean; dropped: string[] }>(
        `/${DEMO.linkToken}?s2s=1&${query(type, amount)}${id && `&cost_id=${id}`}`,
      )
    ).body;

  it("because it is above the highest of the partner is named and counted, with an ID and without one", async () => {
    await rows("UPDATE partners SET max_url_amount = 50 * 100000 WHERE id = 1");
    expect(await sent("cpc", "50", "price-too-high-1")).toMatchObject({ recorded: true, dropped: [] });
    expect(await sent("cpc", "50.00001", "price-too-high-2")).toMatchObject({
      recorded: true,
      dropped: ["cost_amount"],
    });
    expect(await sent("cpc", "50.00001")).toMatchObject({ recorded: false, dropped: ["cost_amount"] });
    expect(await reasons()).toEqual([{ param: "cost_amount", reason: "too_high", count: 2 }]);
  });

  it("because the partner cannot send its type yet is named and counted", async () => {
    await rows("UPDATE partners SET integrated_types = 1 WHERE id = 1");
    expect(await sent("cpc", "1")).toMatchObject({ recorded: true, dropped: [] });
    expect(await sent("cpi", "1", "not-integrated-1")).toMatchObject({
      recorded: true,
      dropped: ["cost_type"],
    });
    expect(await sent("cpi", "1")).toMatchObject({ recorded: false, dropped: ["cost_type"] });
    expect(await reasons()).toEqual([{ param: "cost_type", reason: "not_integrated", count: 2 }]);
  });

  it("because its cost parameters have no price, or with cost data off, is not counted as dropped", async () => {
    await rows("UPDATE partners SET max_url_amount = 1, cost_parameters = 'cost_id={id}' WHERE id = 1");
    expect(await sent("cpc", "1", "without-a-price-1")).toMatchObject({ recorded: true, dropped: [] });
    await rows("UPDATE partners SET cost_parameters = 'cost_amount={p}' WHERE id = 1");
    await rows("UPDATE links SET cost_switch = 0");
    expect(await sent("cpc", "1", "without-a-price-2")).toMatchObject({ recorded: true, dropped: [] });
    expect(await reasons()).toEqual([]);
  });
});

describe("the currency that the partner's cost parameters name", () => {
  const setTemplate = (template: string) =>
    rows("UPDATE partners SET cost_parameters = ? WHERE id = 1", template);

  it.each([
    ["in any case", "cost_amount={p}&cost_currency=usd"],
    ["at the beginning", "cost_currency=USD&cost_amount={p}"],
    ["before others", "cost_amount={p}&cost_currency=Usd&cost_id={id}"],
  ])("decides which prices count: %s", async (_what, template) => {
    await setTemplate(template);
    await click(ID, { query: query("cpc", "7", "KWD") });
    expect(await totals()).toEqual([]);
    expect(await decided()).toEqual([
      { cost_data_on: 1, url_cost_type: "cpc", url_amount: 700_000, price_counts: 0 },
    ]);
    expect(await reasons()).toEqual([{ param: "cost_currency", reason: "not_agreed", count: 1 }]);
    await click("price-on-url-02", { query: query("cpc", "0.3", "Usd") });
    expect(await totals()).toEqual(matchedOnce(30_000));
  });

  it.each([
    ["a macro", "cost_amount={p}&cost_currency={currency}"],
    ["a macro that begins with a currency", "cost_amount={p}&cost_currency=USD{x}"],
    ["nothing", "cost_amount={p}"],
    ["another parameter", "cost_amount={p}&my_cost_currency=USD"],
    ["a value of another parameter", "cost_amount={p}&note=cost_currency=USD"],
  ])("is any one with %s in its place", async (_what, template) => {
    await setTemplate(template);
    await click(ID, { query: query("cpc", "0.3", "KWD") });
    expect(await totals()).toEqual(matchedOnce(30_000));
    expect(await reasons()).toEqual([]);
  });

  it("is decided when the engagement is recorded, and kept with it", async () => {
    await click(ID, { query: query("cpc", "0.3", "EUR") });
    await setTemplate("cost_amount={p}&cost_currency=EUR");
    expect(await totals()).toEqual([]);
    expect((await sendCost({ cost_id: ID, cost_currency: "EUR" })).body.amount).toBeNull();
    await click("price-on-url-02", { query: query("cpc", "0.3", "EUR") });
    expect(await totals("currency, state, amount")).toEqual([
      { currency: "EUR", state: "matched", amount: 30_000 },
      { currency: "EUR", state: "unpriced", amount: 0 },
    ]);
  });

  it.each([
    ["with cost data off", "UPDATE links SET cost_switch = 0 WHERE id = 1", query("cpc", "1", "EUR")],
    ["without an amount", "SELECT 1", "&cost_type=cpc&cost_currency=EUR"],
    [
      "on a link without a partner",
      "UPDATE links SET partner_id = NULL WHERE id = 1",
      query("cpc", "1", "EUR"),
    ],
  ])(
    "is not counted as dropped %s, because there is no price that could count",
    async (_what, change, price) => {
      await rows(change);
      await click(ID, { query: price });
      expect(await reasons()).toEqual([]);
    },
  );

  it("is returned as dropped to a server, beside a price that is above the limit too", async () => {
    const { body } = await ask(`${LINK}?s2s=1&cost_id=${ID}${query("cpc", "10000", "KWD")}`);
    expect(body).toMatchObject({ recorded: true, cost_id: ID, dropped: ["cost_amount", "cost_currency"] });
    expect(await totals()).toEqual([]);
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
    ["two different amounts", `${query("cpc")}&cost_amount=0.4`, ["cost_amount"]],
    ["an amount that is not UTF-8", "&cost_type=cpc&cost_currency=USD&cost_amount=%FF", ["cost_amount"]],
    ["all of them", query("cpa", "x", "ZZZ"), ["cost_amount", "cost_currency", "cost_type"]],
  ])("are dropped and counted, and the click is recorded: %s", async (_description, invalid, params) => {
    const response = await click(ID, { query: invalid });
    expect([response.status, response.headers.get("location")]).toEqual([302, IOS_STORE]);
    expect(await counting()).toEqual([]);
    expect(await dropped()).toEqual(params.map((param) => ({ link_id: 1, day: today, param, count: 1 })));
    expect(await rows("SELECT url_cost_type, url_amount FROM engagements WHERE cost_id = ?", ID)).toEqual([
      { url_cost_type: null, url_amount: null },
    ]);
  });

  it.each([
    ["an unfilled macro within the ID", "cost_id=click-{id}-0001"],
    ["two IDs", "cost_id=price-on-url-01&cost_id=price-on-url-02"],
    ["not UTF-8", "cost_id=price-on-url-%ED%A0%80"],
  ])(
    "include an invalid ID, which is dropped and counted, and without a price nothing is recorded: %s",
    async (_description, invalid) => {
      const before = await rows("SELECT count(*) AS n FROM engagements");
      const response = await call(`/${DEMO.linkToken}?${invalid}`, {
        headers: { "user-agent": IPHONE },
      });
      expect(response.status).toBe(302);
      expect(await dropped()).toEqual([{ link_id: 1, day: today, param: "cost_id", count: 1 }]);
      expect(await rows("SELECT count(*) AS n FROM engagements")).toEqual(before);
    },
  );

  it("do not include repeated parameters that mean the same", async () => {
    await click(ID, {
      query: `${query("cpc")}&cost_amount=0.30&cost_currency=usd&cost_type=CPC&cost_id=${ID}`,
    });
    expect(await counting()).toMatchObject([{ source: "url", amount: 30_000 }]);
    expect(await dropped()).toEqual([]);
  });

  it("are counted by day and link", async () => {
    await click(ID, { query: query("cpa") });
    await click(ID, { query: query("cpa") });
    await click(ID, { query: query("cpa"), now: NOW + 86_400_000 });
    await click(ID, { query: query("cpa"), link: "demo1nk002" });
    expect(await dropped()).toEqual([
      { link_id: 1, day: today, param: "cost_id", count: 1 },
      { link_id: 1, day: today + 1, param: "cost_id", count: 1 },
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
    expect(await counting()).toHaveLength(1);
    expect(await dropped()).toEqual([]);
  });
});
