/** Prices on URLs above what an operator allows for a day: they are kept, and count nothing until an operator decides. */
import { beforeEach, describe, expect, it } from "vitest";
import { recordQueued } from "../../src/engagement/queue.ts";
import { ask, DAY, DEMO, freshState, ledgerOn, NOW, queueBatch, rows, sendCost } from "../harness.ts";
import { freshLedger, openedLink, totals } from "../support.ts";

const isSharded = ledgerOn().shards.length > 0;

/** `null`: without limit. */
const limit = (most: number | null, id = 1) =>
  rows("UPDATE partners SET max_url_spend = ? WHERE id = ?", most === null ? null : most * 100_000, id);
/** With shards, a limit that is that of each: the amount of one price. */
const PRICE = 100;

beforeEach(() =>
  freshState("templates with prices", async () => {
    await freshLedger();
    await rows("UPDATE links SET cost_switch = 1, partner_id = 1 WHERE token = 'demo1nk009'");
    await rows(
      "UPDATE partners SET cost_parameters = 'cost_id={id}&cost_type=cpc&cost_amount={a}&cost_currency={c}'",
    );
  }),
);

interface Answer {
  cost_id: string;
  dropped: string[];
}
const open = async (
  amount: number | string,
  { id = "", currency = "USD", type = "cpc", now = NOW, path = `/${DEMO.linkToken}` } = {},
) => {
  const query = `s2s=1&cost_type=${type}&cost_amount=${amount}&cost_currency=${currency}${id && `&cost_id=${id}`}`;
  return (await ask<Answer>(`${path}?${query}`, { now })).body;
};
const droppedBy = async (...of: Parameters<typeof open>) => (await open(...of)).dropped;
const sums = () =>
  rows<Record<"currency" | "counted" | "held" | "held_count", string>>(
    "SELECT currency, counted, held, held_count FROM daily_url_prices ORDER BY currency",
  );
const spend = async () =>
  (await totals("currency, count, amount")).map(({ amount }) => Number(amount) / 100_000);
const ID = (index: number) => `held-price-${String(index).padStart(4, "0")}`;

describe.skipIf(isSharded)("the prices on URLs of a partner, an app, a currency and a day", () => {
  it("have no limit unless an operator sets one", async () => {
    await limit(null);
    for (let index = 0; index < 12; index++) expect(await droppedBy(100)).toEqual([]);
    expect(await spend()).toEqual([1_200]);
  });

  it("count up to the limit exactly, and are held above it; a smaller one that still fits counts", async () => {
    await limit(250);
    expect(await droppedBy(100)).toEqual([]);
    expect(await droppedBy(100)).toEqual([]);
    expect(await droppedBy("50.00001", { id: ID(1) })).toEqual(["cost_amount"]);
    expect(await droppedBy(50)).toEqual([]);
    const { cost_id: generated, dropped } = await open("0.00001");
    expect(dropped).toEqual(["cost_amount"]);
    expect(await spend()).toEqual([250]);
    expect(await sums()).toEqual([{ currency: "USD", counted: 250e8, held: 50_00002_000, held_count: 2 }]);
    expect(
      await rows(
        "SELECT cost_id, click_price_counts AS counts FROM ledger_entries WHERE click_price_counts = 2 ORDER BY 1",
      ),
    ).toEqual([ID(1), generated].map((cost_id) => ({ cost_id, counts: 2 })));
    expect(await rows("SELECT param, reason, count FROM dropped_parameters")).toEqual([
      { param: "cost_amount", reason: "daily_limit", count: 2 },
    ]);
  });

  it("are of their own for each app, currency, day and partner", async () => {
    await limit(100);
    expect(await droppedBy(100)).toEqual([]);
    expect(await droppedBy(100)).toEqual(["cost_amount"]);
    expect(await droppedBy(100, { currency: "EUR" })).toEqual([]);
    expect(await droppedBy(100, { now: NOW + DAY })).toEqual([]);
    expect(await droppedBy(100, { path: "/demo1nk009" })).toEqual([]);
  });

  it("of a fourth currency of a day are held, if the cost parameters fix none", async () => {
    await limit(100);
    for (const currency of ["USD", "EUR", "GBP"]) expect(await droppedBy(1, { currency })).toEqual([]);
    expect(await droppedBy(1, { currency: "JPY" })).toEqual(["cost_amount"]);
    expect(await droppedBy(1, { currency: "GBP" })).toEqual([]);
    expect(await droppedBy(1, { currency: "JPY" })).toEqual(["cost_amount"]);
  });

  it("per mille add up as what one impression costs", async () => {
    await rows("UPDATE partners SET integrated_types = 15 WHERE id = 1");
    await limit(0.2);
    const view = { type: "cpm", path: `/impression/${DEMO.linkToken}` };
    expect(await droppedBy(100, view)).toEqual([]);
    expect(await droppedBy(100, view)).toEqual([]);
    expect(await droppedBy("0.00001", view)).toEqual(["cost_amount"]);
    expect(await sums()).toMatchObject([{ counted: 20_000_000, held: 1 }]);
  });

  it("are judged one after the other in a batch of the queue, by the day of the click", async () => {
    await limit(250);
    const prices = Array.from({ length: 5 }, (_, index) =>
      openedLink(ID(index), {
        urlCostType: "cpc",
        urlCurrency: "USD",
        urlAmount: 10_000_000,
        occurredAt: index === 4 ? NOW - 3 * DAY : NOW,
      }),
    );
    await recordQueued(queueBatch(prices), ledgerOn(), NOW);
    const decided = () =>
      rows<{ counts: number }>(
        "SELECT click_price_counts AS counts FROM ledger_entries WHERE cost_id LIKE 'held-price-%' ORDER BY cost_id",
      );
    expect((await decided()).map(({ counts }) => counts)).toEqual([1, 1, 2, 2, 1]);
    const before = await sums();
    await recordQueued(queueBatch(prices), ledgerOn(), NOW);
    expect(await sums()).toEqual(before);
    expect((await decided()).map(({ counts }) => counts)).toEqual([1, 1, 2, 2, 1]);
  });

  it("add nothing for a repeated ID, and get nothing back from a void or a call", async () => {
    await limit(200);
    await droppedBy(100, { id: ID(1) });
    await droppedBy(100, { id: ID(1), now: NOW + 1 });
    expect(await sums()).toMatchObject([{ counted: 100e8 }]);
    await droppedBy(100, { id: ID(2) });
    const sent = await sendCost({
      cost_id: ID(1),
      cost_type: "cpc",
      cost_currency: "USD",
      cost_amount: "3",
      tag: "t",
    });
    expect(sent.status).toBe(200);
    await ask(`/operator/v1/partners/1/voids`, {
      token: DEMO.operatorToken,
      json: { cost_id: ID(2), reason: "junk" },
    });
    expect(await spend()).toEqual([3]);
    expect(await droppedBy("0.00001")).toEqual(["cost_amount"]);
  });

  it("supply no amount to a call while they are held", async () => {
    await limit(50);
    await droppedBy(100, { id: ID(1) });
    await sendCost({ cost_id: ID(1), cost_type: "cpc", cost_currency: "USD", tag: "t" });
    expect(await totals("state, amount")).toEqual([{ state: "unpriced", amount: 0 }]);
  });

  it("that are free always count, and a sum stays an integer however large it is", async () => {
    await limit(0);
    expect(await droppedBy(0)).toEqual([]);
    expect(await droppedBy("0.00001")).toEqual(["cost_amount"]);
    await limit(null);
    await rows("UPDATE daily_url_prices SET counted = 9000000000000000000 - 1");
    expect(await droppedBy(100)).toEqual([]);
    expect(await rows("SELECT counted = 9000000000000000000 AS is_full FROM daily_url_prices")).toEqual([
      { is_full: 1 },
    ]);
  });
});

describe.runIf(isSharded)("the prices on URLs with shards", () => {
  it("are limited on each to its part, and at least to one price", async () => {
    await limit(PRICE);
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, index) => open(PRICE, { id: ID(index) })),
    );
    const counting = answers.filter(({ dropped }) => dropped.length === 0);
    expect(counting).toHaveLength(ledgerOn().shards.length);
    expect(await spend()).toEqual([PRICE * ledgerOn().shards.length]);
  });
});
