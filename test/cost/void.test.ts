import { beforeEach, describe, expect, it } from "vitest";
import { COST_WINDOW_MS } from "../../src/domain/time.ts";
import { ask, click, DEMO, NOW, sendCost } from "../harness.ts";
import { freshLedger, totals } from "../support.ts";

beforeEach(freshLedger);

const ID = "void-cost-00001";
const voidCost = (now = NOW, id = ID) =>
  ask(`/cost/${id}/void`, { method: "POST", token: DEMO.costToken, now });
const send = (amount: string | undefined, now = NOW, more: Record<string, string> = {}) =>
  sendCost({ cost_id: ID, ...(amount && { cost_amount: amount }), ...more }, { now });
const PRICE = "&cost_type=cpc&cost_amount=0.3&cost_currency=USD";

describe("a void", () => {
  it("removes a matched cost from the totals, and the same values do not bring it back", async () => {
    await click(ID);
    await send("0.5");
    expect((await voidCost()).body).toMatchObject({ status: "ok", match: "voided", duplicate: false });
    expect(await totals()).toEqual([]);
    expect((await send("0.5")).body).toMatchObject({ match: "voided", duplicate: true });
    expect((await send(undefined)).body).toMatchObject({ match: "voided", duplicate: true });
    expect((await voidCost()).body).toMatchObject({ duplicate: true });
    expect(await totals()).toEqual([]);
  });

  it("is lifted by a call with other values", async () => {
    await click(ID);
    await send("0.5");
    await voidCost();
    expect((await send("0.4")).body).toMatchObject({ match: "matched", duplicate: false, amount: "0.4" });
    expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 40_000 }]);
  });

  it("removes a price on a URL for good: only a call can count after it", async () => {
    await click(ID, { query: PRICE });
    expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 30_000 }]);
    expect((await voidCost()).body).toMatchObject({ match: "voided", duplicate: false });
    expect(await totals()).toEqual([]);
    expect((await send("0.3")).body).toMatchObject({ match: "voided", duplicate: true });
    expect((await send("0.2")).body).toMatchObject({ match: "matched", amount: "0.2" });
    expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 20_000 }]);
  });

  it.each([
    [COST_WINDOW_MS, 200],
    [COST_WINDOW_MS + 1, 400],
  ])("is possible until seven days after the engagement: %i ms", async (age, status) => {
    await click(ID);
    await send("0.5");
    expect((await voidCost(NOW + age)).status).toBe(status);
  });

  it("is 404 for an ID without a cost", async () => {
    await click(ID);
    expect((await voidCost()).body).toMatchObject({ status: 404, code: "not_found" });
    expect((await voidCost(NOW, "never-seen-cost-1")).body).toMatchObject({ status: 404 });
  });
});
