/** A partner that an operator stopped: its costs are rejected, and its engagements are recorded with cost data off. */
import { beforeEach, describe, expect, it } from "vitest";
import { ask, click, DEMO, NOW, rows, sendCost, view } from "../harness.ts";
import { freshLedger, totals } from "../support.ts";

beforeEach(freshLedger);

const ID = "stopped-cost-001";
const PRICE = "&cost_type=cpc&cost_currency=USD&cost_amount=0.3";
const stop = () => rows("UPDATE partners SET stopped_at = ? WHERE id = 1", NOW);
const resume = () => rows("UPDATE partners SET stopped_at = NULL WHERE id = 1");
const send = (more: Record<string, string> = {}) => sendCost({ cost_id: ID, cost_amount: "1", ...more });

describe("a submission of a stopped partner", () => {
  it("is rejected with 403, whether its engagement was recorded before or its cost is a duplicate", async () => {
    await click(ID);
    await send();
    await click("stopped-cost-002");
    await stop();
    for (const more of [
      {},
      { cost_amount: "2" },
      { cost_id: "stopped-cost-002" },
      { cost_id: "stopped-cost-003" },
    ]) {
      expect((await send(more)).body).toMatchObject({ status: 403, code: "partner_stopped" });
    }
    expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 100_000 }]);
    await resume();
    expect((await send()).body).toMatchObject({ match: "matched", duplicate: true });
    expect((await send({ cost_id: "stopped-cost-002" })).body).toMatchObject({
      match: "matched",
      duplicate: false,
    });
  });

  it("is rejected in a batch, each cost by itself", async () => {
    await stop();
    const item = { cost_type: "cpc", cost_currency: "USD", tag: "t" };
    const costs = [{ ...item, cost_id: ID }, item, { ...item, cost_id: "stopped-cost-002" }];
    const { status, body } = await ask<{ results: { code: string }[] }>("/cost/batch", {
      token: DEMO.costToken,
      json: { costs },
    });
    expect([status, body.results.map(({ code }) => code)]).toEqual([
      200,
      ["partner_stopped", "invalid_request", "partner_stopped"],
    ]);
    expect(await rows("SELECT * FROM costs WHERE tag = 't'")).toEqual([]);
  });

  it.each([
    ["credential_revoked", "UPDATE credentials SET revoked_at = 1"],
    ["cost_type_not_integrated", "UPDATE credentials SET cost_types = 2"],
    ["cost_type_not_integrated", "UPDATE partners SET supports_cost_data = 0"],
  ])("is rejected with %s first: %s", async (code, change) => {
    await stop();
    await rows(change);
    expect((await send()).body).toMatchObject({ status: 403, code });
  });

  it("is accepted with a test credential, and the round stores it", async () => {
    await rows("UPDATE partners SET stopped_at = 1");
    const { status, body } = await sendCost({ cost_id: ID }, { token: DEMO.testCostToken });
    expect([status, body.match]).toEqual([200, "pending"]);
  });

  it("does not keep the partner from reading its costs", async () => {
    await send();
    await stop();
    const { status, body } = await ask(`/cost/${ID}`, { token: DEMO.costToken });
    expect([status, body]).toMatchObject([200, { match: "pending", amount: "1" }]);
  });
});

describe("an engagement of a stopped partner", () => {
  it.each([
    ["click", "cpc", click],
    ["impression", "cpm", view],
  ] as const)("is recorded with cost data off for good: %s", async (_kind, cost_type, engage) => {
    await stop();
    await engage(ID, { query: PRICE.replace("cpc", cost_type) });
    expect(
      await rows("SELECT cost_data_on, url_amount, price_counts FROM engagements WHERE cost_id = ?", ID),
    ).toEqual([{ cost_data_on: 0, url_amount: 30_000, price_counts: 0 }]);
    await resume();
    expect((await send({ cost_type })).body).toMatchObject({ status: 403, code: "cost_data_disabled" });
    await engage(ID);
    expect((await send({ cost_type })).body.code).toBe("cost_data_disabled");
    expect(await totals()).toEqual([]);
  });

  it("does not match a cost that waits for it", async () => {
    await send();
    await stop();
    await click(ID);
    await resume();
    expect(await totals()).toEqual([{ state: "pending", count: 1, amount: 100_000 }]);
  });

  it("keeps counting with its price if it was recorded before", async () => {
    await click(ID, { query: PRICE });
    await stop();
    expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 30_000 }]);
  });

  it("has cost data on again after the partner is resumed", async () => {
    await stop();
    await resume();
    await click(ID, { query: PRICE });
    expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 30_000 }]);
  });
});
