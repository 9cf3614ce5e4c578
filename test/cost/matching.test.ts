import { beforeEach, describe, expect, it } from "vitest";
import { COST_WINDOW_MS } from "../../src/domain/time.ts";
import { click, DAY, DEMO, NOW, rows, sendCost, view } from "../harness.ts";
import { freshLedger, setSwitch, totals } from "../support.ts";

beforeEach(freshLedger);

const ID = "matching-cost-01";
const cost = (cost_type: string, now = NOW, more: Record<string, string> = {}) =>
  sendCost({ cost_id: ID, cost_type, cost_amount: "0.5", ...more }, { now });
const state = async (costId = ID) =>
  (
    await rows<{ kind: string | null; state: string; occurred_at: number | null }>(
      "SELECT matched_kind AS kind, state, matched_at AS occurred_at FROM ledger_entries WHERE partner_id = 1 AND cost_id = ?",
      costId,
    )
  )[0];

describe("a cost and the engagements with its ID", () => {
  const matched = (kind: string) => ({ match: "matched", mismatch: undefined, kind });
  const wrong = { match: "pending", mismatch: "wrong_engagement", kind: null };
  it.each([
    ["cpc", "a click", [click], matched("click")],
    ["cpc", "an impression", [view], wrong],
    ["cpc", "both kinds", [view, click], matched("click")],
    ["cpm", "a click", [click], wrong],
    ["cpm", "an impression", [view], matched("impression")],
    ["cpm", "both kinds", [click, view], matched("impression")],
    ["cpi", "a click", [click], matched("click")],
    ["cpi", "an impression", [view], matched("impression")],
    ["cpi", "both kinds, the impression first", [view, click], matched("click")],
    ["cpe", "a click", [click], matched("click")],
    ["cpe", "an impression", [view], matched("impression")],
    ["cpe", "both kinds, the click first", [click, view], matched("click")],
  ] as const)("%s with %s", async (costType, _description, engagements, expected) => {
    for (const engage of engagements) await engage(ID);
    const { status, body } = await cost(costType);
    expect(status).toBe(200);
    const kind = (await state())?.kind;
    expect({ match: body.match, mismatch: body.mismatch, kind }).toEqual(expected);
  });

  it("match only if the IDs are equal in case and in spaces within", async () => {
    await click(ID.toUpperCase());
    await click(ID.replace("-", " "));
    expect((await cost("cpc")).body.match).toBe("pending");
    await click(` ${ID}\u200b`);
    expect((await cost("cpc")).body.match).toBe("matched");
  });
});

describe("a cost of the wrong kind", () => {
  it.each([
    ["cpc", view, click, "click"],
    ["cpm", click, view, "impression"],
  ] as const)(
    "%s is pending, says why, and matches when the right engagement arrives",
    async (type, wrong, right, kind) => {
      await wrong(ID);
      const pending = { match: "pending", mismatch: "wrong_engagement" };
      expect((await cost(type)).body).toMatchObject({ ...pending, duplicate: false, amount: "0.5" });
      expect((await cost(type)).body).toMatchObject({ ...pending, duplicate: true });
      expect(await totals()).toEqual([{ state: "pending", count: 1, amount: 50_000 }]);
      await right(ID, { now: NOW + COST_WINDOW_MS });
      expect(await state()).toEqual({ kind, state: "matched", occurred_at: NOW + COST_WINDOW_MS });
      expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 50_000 }]);
      const { body } = await cost(type, NOW + COST_WINDOW_MS);
      expect(body).toMatchObject({ match: "matched", duplicate: true });
      expect(body).not.toHaveProperty("mismatch");
    },
  );

  it("lapses after seven days without the right engagement, and is then replaced", async () => {
    await view(ID);
    await cost("cpc");
    expect((await cost("cpc", NOW + COST_WINDOW_MS, { cost_amount: "9" })).body.code).toBe(
      "cost_id_conflict",
    );
    const again = await cost("cpm", NOW + COST_WINDOW_MS, { cost_amount: "9" });
    expect(again.body.code).toBe("cost_id_conflict");
    const replaced = await cost("cpc", NOW + COST_WINDOW_MS + 1, { cost_amount: "9" });
    expect(replaced.body).toMatchObject({ duplicate: false, mismatch: "wrong_engagement", amount: "9" });
  });

  it("is pending however old the other engagement is, without cost data too", async () => {
    await setSwitch(DEMO.linkToken, false);
    await view(ID);
    const { body } = await cost("cpc", NOW + COST_WINDOW_MS + 1);
    expect(body).toMatchObject({ match: "pending", mismatch: "wrong_engagement" });
  });
});

describe("a cpi or cpe with a click and an impression", () => {
  it.each([
    ["cpi", "one day before the impression", -DAY, "click"],
    ["cpe", "exactly seven days after the impression", COST_WINDOW_MS, "click"],
    ["cpi", "exactly seven days after the impression", COST_WINDOW_MS, "click"],
    ["cpi", "seven days and one millisecond after the impression", COST_WINDOW_MS + 1, "impression"],
    ["cpe", "seven days and one millisecond after the impression", COST_WINDOW_MS + 1, "impression"],
  ] as const)("%s matches the right one if the click happened %s", async (type, _what, after, kind) => {
    await view(ID);
    await cost(type, NOW + DAY);
    await click(ID, { link: "demo1nk002", now: NOW + after });
    expect(await state()).toEqual({
      kind,
      state: "matched",
      occurred_at: kind === "click" ? NOW + after : NOW,
    });
    expect(await totals("link_id, state, count, amount")).toEqual([
      { link_id: kind === "click" ? 2 : 1, state: "matched", count: 1, amount: 50_000 },
    ]);
  });

  it("matches the later click if the impression had cost data off", async () => {
    await setSwitch(DEMO.linkToken, false);
    await view(ID);
    await setSwitch(DEMO.linkToken, true);
    await click(ID, { now: NOW + COST_WINDOW_MS + 1 });
    await cost("cpi", NOW + COST_WINDOW_MS + 1);
    expect((await state())?.kind).toBe("click");
  });
});

describe("the window of a cost call", () => {
  const late = (milliseconds: number) => COST_WINDOW_MS + milliseconds;

  it.each([
    ["cpc", click],
    ["cpm", view],
    ["cpi", view],
  ] as const)(
    "accepts a %s exactly seven days after the engagement, and rejects it a millisecond later",
    async (costType, engage) => {
      await engage(ID);
      expect((await cost(costType, NOW + late(1))).body).toMatchObject({
        status: 400,
        code: "window_closed",
      });
      expect((await cost(costType, NOW + late(-1))).body.match).toBe("matched");
      expect((await cost(costType, NOW + late(0))).body.duplicate).toBe(true);
      await engage("matching-cost-02");
      const onTime = await sendCost(
        { cost_id: "matching-cost-02", cost_type: costType, cost_amount: "1" },
        { now: NOW + late(0) },
      );
      expect(onTime.body.match).toBe("matched");
    },
  );

  it("matches a cpi with an open impression after the window of the click has closed", async () => {
    await click(ID);
    await view(ID, { now: NOW + 1 });
    expect((await cost("cpi", NOW + late(1))).body.match).toBe("matched");
    expect(await state()).toMatchObject({ kind: "impression", occurred_at: NOW + 1 });
  });

  it("does not apply to a duplicate: a cost accepted in time stays accepted", async () => {
    await click(ID);
    await cost("cpc");
    expect((await cost("cpc", NOW + late(1))).body).toMatchObject({ status: "ok", duplicate: true });
  });

  it("is closed for the expired click of the demo data, and open for its recent engagements", async () => {
    expect((await sendCost({ cost_id: "demo-click-expired-001" })).body.code).toBe("window_closed");
    expect((await sendCost({ cost_id: "demo-click-recent-0001" })).body.match).toBe("matched");
    expect((await sendCost({ cost_id: "demo-view-recent-0001", cost_type: "cpm" })).body.match).toBe(
      "matched",
    );
  });
});

describe("a cost before its engagement", () => {
  it("is pending, counted as pending, and matches by itself when the engagement arrives", async () => {
    expect((await cost("cpc")).body).toMatchObject({ match: "pending", duplicate: false, amount: "0.5" });
    const columns = "app_token, link_id, day, state, count, amount";
    const day = Math.floor(NOW / 86_400_000);
    expect(await totals(columns)).toEqual([
      { app_token: "", link_id: 0, day, state: "pending", count: 1, amount: 50_000 },
    ]);
    await click(ID, { now: NOW + 86_400_000 });
    expect(await state()).toEqual({ kind: "click", state: "matched", occurred_at: NOW + 86_400_000 });
    expect(await totals(columns)).toEqual([
      { app_token: DEMO.appToken, link_id: 1, day: day + 1, state: "matched", count: 1, amount: 50_000 },
    ]);
    expect((await cost("cpc", NOW + 86_400_001)).body).toMatchObject({ match: "matched", duplicate: true });
  });

  it("matches an engagement exactly seven days later, and none a millisecond after that", async () => {
    await cost("cpc");
    await sendCost({ cost_id: "matching-cost-02", cost_amount: "0.5" });
    await click(ID, { now: NOW + COST_WINDOW_MS });
    await click("matching-cost-02", { now: NOW + COST_WINDOW_MS + 1 });
    expect((await state())?.state).toBe("matched");
    expect((await state("matching-cost-02"))?.state).toBe("pending");
  });

  it("does not match an engagement of the wrong kind or without cost data", async () => {
    await cost("cpc");
    await view(ID);
    expect((await state())?.state).toBe("pending");
    await setSwitch(DEMO.linkToken, false);
    await click(ID);
    expect((await state())?.state).toBe("pending");
    expect(await totals()).toEqual([{ state: "pending", count: 1, amount: 50_000 }]);
  });

  it("is replaced by the next call once it has lapsed, even with other values", async () => {
    await cost("cpc");
    expect((await cost("cpc", NOW + COST_WINDOW_MS)).body.duplicate).toBe(true);
    expect((await cost("cpc", NOW + COST_WINDOW_MS, { cost_amount: "9" })).body.code).toBe(
      "cost_id_conflict",
    );
    const again = await cost("cpi", NOW + COST_WINDOW_MS + 1, { cost_amount: "9" });
    expect(again.body).toMatchObject({ match: "pending", duplicate: false, amount: "9" });
    expect(await totals()).toEqual([{ state: "pending", count: 1, amount: 900_000 }]);
  });

  it("moves from its impression to a later click, and is counted once", async () => {
    await view(ID);
    await cost("cpi");
    await click(ID, { link: "demo1nk002", now: NOW + 1000 });
    expect(await state()).toMatchObject({ kind: "click", occurred_at: NOW + 1000 });
    expect(await totals("link_id, state, count, amount")).toEqual([
      { link_id: 2, state: "matched", count: 1, amount: 50_000 },
    ]);
  });

  it("matches a click that arrives concurrently", async () => {
    const ids = Array.from({ length: 10 }, (_, index) => `matching-race-${index}`);
    await Promise.all(ids.flatMap((id) => [click(id), sendCost({ cost_id: id, cost_amount: "0.5" })]));
    expect(await totals()).toEqual([{ state: "matched", count: 10, amount: 500_000 }]);
  });
});

describe("a call that adds the amount", () => {
  const unpriced = (type: string, now = NOW) => sendCost({ cost_id: ID, cost_type: type }, { now });

  it("keeps the arrival of the first call, so that the cost lapses when that would", async () => {
    await unpriced("cpc");
    const completed = await cost("cpc", NOW + COST_WINDOW_MS);
    expect(completed.body).toMatchObject({ match: "pending", duplicate: false, amount: "0.5" });
    expect(await rows("SELECT received_at, amount FROM costs WHERE cost_id = ?", ID)).toEqual([
      { received_at: NOW, amount: 50_000 },
    ]);
    const day = Math.floor(NOW / DAY);
    expect(await totals("day, state, count, amount")).toEqual([
      { day, state: "pending", count: 1, amount: 50_000 },
    ]);
    await click(ID, { now: NOW + COST_WINDOW_MS + 1 });
    expect((await state())?.state).toBe("pending");
  });

  it("is accepted exactly seven days after the matched engagement, and is window_closed later", async () => {
    await click(ID);
    expect((await unpriced("cpi")).body).toMatchObject({ match: "matched", amount: null });
    await view(ID, { now: NOW + DAY });
    const late = await cost("cpi", NOW + COST_WINDOW_MS + 1);
    expect(late.body).toMatchObject({ status: 400, code: "window_closed" });
    expect(await totals()).toEqual([{ state: "unpriced", count: 1, amount: 0 }]);
    expect((await unpriced("cpi", NOW + COST_WINDOW_MS + 1)).body.duplicate).toBe(true);
    expect((await cost("cpi", NOW + COST_WINDOW_MS)).body).toMatchObject({ duplicate: false, amount: "0.5" });
    expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 50_000 }]);
  });

  it("is rejected like a new call if the engagement that has come had cost data off", async () => {
    await unpriced("cpc");
    await setSwitch(DEMO.linkToken, false);
    await click(ID, { now: NOW + 1 });
    expect((await cost("cpc", NOW + 2)).body).toMatchObject({ status: 403, code: "cost_data_disabled" });
    expect(await rows("SELECT amount FROM costs WHERE cost_id = ?", ID)).toEqual([{ amount: null }]);
  });
});

describe("a cost for a link with cost data off", () => {
  it("is rejected if the engagement was recorded while it was off", async () => {
    await setSwitch(DEMO.linkToken, false);
    await click(ID);
    await setSwitch(DEMO.linkToken, true);
    expect((await cost("cpc")).body).toMatchObject({ status: 403, code: "cost_data_disabled" });
    expect(await totals()).toEqual([]);
  });

  it.each(["cpi", "cpe"])("waits for its click if only an impression has the ID: %s", async (type) => {
    await setSwitch(DEMO.linkToken, false);
    await view(ID);
    await setSwitch(DEMO.linkToken, true);
    const waiting = { match: "pending", mismatch: "cost_data_disabled" };
    expect((await cost(type)).body).toMatchObject({ ...waiting, duplicate: false });
    expect((await cost(type)).body).toMatchObject({ ...waiting, duplicate: true });
    await click(ID);
    expect((await cost(type)).body).toMatchObject({ match: "matched", duplicate: true });
    expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 50_000 }]);
  });

  it("is late for an impression one millisecond after seven days, and waits until then", async () => {
    await setSwitch(DEMO.linkToken, false);
    await view(ID);
    expect((await cost("cpi", NOW + COST_WINDOW_MS + 1)).body.code).toBe("window_closed");
    expect((await cost("cpi", NOW + COST_WINDOW_MS)).body).toMatchObject({ match: "pending" });
  });

  it("is rejected for an impression if the type fits no click, or the click had cost data off too", async () => {
    await setSwitch(DEMO.linkToken, false);
    await view(ID);
    expect((await cost("cpm")).body).toMatchObject({ status: 403, code: "cost_data_disabled" });
    await click(ID);
    expect((await cost("cpi")).body).toMatchObject({ status: 403, code: "cost_data_disabled" });
    expect(await totals()).toEqual([]);
  });

  it("matches an engagement recorded before it was switched off", async () => {
    await click(ID);
    await setSwitch(DEMO.linkToken, false);
    expect((await cost("cpc")).body.match).toBe("matched");
  });

  it("matches the first click after it is switched on again, with the link cached", async () => {
    await click("matching-warm-up");
    await setSwitch(DEMO.linkToken, false);
    await click("matching-cost-02");
    await setSwitch(DEMO.linkToken, true);
    await click(ID);
    expect((await sendCost({ cost_id: "matching-cost-02" })).body.code).toBe("cost_data_disabled");
    expect((await cost("cpc")).body.match).toBe("matched");
  });
});

describe("money", () => {
  it("is summed exactly where floating-point numbers would not be exact", async () => {
    for (const [index, cost_amount] of ["0.1", "0.2", "0.00001", "999999.99999"].entries()) {
      await click(`matching-sum-0${index}`);
      await sendCost({ cost_id: `matching-sum-0${index}`, cost_amount });
    }
    expect(await totals()).toEqual([{ state: "matched", count: 4, amount: 100_000_030_000 }]);
  });

  it("is summed separately by currency, cost type, link and day", async () => {
    const send = async (costId: string, link: string, now: number, more: Record<string, string>) => {
      await click(costId, { link, now });
      await sendCost({ cost_id: costId, cost_amount: "1", ...more }, { now });
    };
    await send("matching-split-1", "demo1nk001", NOW, {});
    await send("matching-split-2", "demo1nk001", NOW, { cost_currency: "EUR" });
    await send("matching-split-3", "demo1nk001", NOW, { cost_type: "cpi" });
    await send("matching-split-4", "demo1nk004", NOW, {});
    await send("matching-split-5", "demo1nk001", NOW + 12 * 3_600_000, {});
    expect(await totals("link_id, cost_type, currency, count")).toHaveLength(5);
  });
});
