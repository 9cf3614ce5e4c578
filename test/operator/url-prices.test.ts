/** Operators decide the held prices on URLs of a day, and void the prices of a day. */
import { beforeEach, describe, expect, it } from "vitest";
import { ask, DAY, DEMO, freshState, NOW, rows, sendCost } from "../harness.ts";
import { isWhole } from "../part.ts";
import { freshLedger, totals } from "../support.ts";

beforeEach(() =>
  freshState("prices on URLs", async () => {
    await freshLedger();
    await rows("UPDATE links SET cost_switch = 1, partner_id = 1 WHERE token = 'demo1nk009'");
    await rows("UPDATE partners SET max_url_spend = NULL WHERE id = 1");
  }),
);

const TODAY = new Date(NOW).toISOString().slice(0, 10);
const PATH = "/operator/v1/partners/1";
const limit = (most: number) => rows("UPDATE partners SET max_url_spend = ? WHERE id = 1", most * 100_000);
const open = async (amount: number, { id = "", now = NOW, path = `/${DEMO.linkToken}` } = {}) => {
  const query = `s2s=1&cost_type=cpc&cost_amount=${amount}&cost_currency=USD${id && `&cost_id=${id}`}`;
  return (await ask<{ cost_id: string }>(`${path}?${query}`, { now })).body.cost_id;
};
const openMany = async (count: number, ...of: Parameters<typeof open>) => {
  for (let index = 0; index < count; index++) await open(...of);
};
const send = <T>(path: string, json: object) => ask<T>(PATH + path, { token: DEMO.operatorToken, json });
interface Decided {
  data: { items: { count: number; sums: Record<string, string>; left: number }[] };
}
const decide = async (decision: "accept" | "drop", day = TODAY) => {
  const json = { app_token: DEMO.appToken, day, decision, reason: "checked" };
  return (await send<Decided>("/url-prices", json)).body.data.items[0];
};
interface Voided {
  count: number;
  sums: Record<string, string>;
  left: number;
  next: string | null;
}
const voidDay = async (more: object = {}) =>
  (await send<Voided>("/voids", { app_token: DEMO.appToken, day: TODAY, reason: "junk", ...more })).body;
const spend = async () =>
  (await totals("amount")).reduce((sum, { amount }) => sum + Number(amount), 0) / 100_000;
const audit = () =>
  rows(
    "SELECT action, subject, json_remove(detail, '$.first', '$.last', '$.outcome') AS detail FROM audit_log WHERE action LIKE '%prices' ORDER BY id",
  );

describe("held prices", () => {
  it("are listed by app, day and currency", async () => {
    await limit(100);
    await open(100, { id: "held-decision-1" });
    await open(50, { id: "held-decision-1b", now: NOW + 1 });
    const { body } = await ask<{ data: { items: object[] } }>(`${PATH}/url-prices`, {
      token: DEMO.operatorToken,
    });
    expect(body.data.items).toHaveLength(1);
    expect(body.data.items[0]).toMatchObject({ app_token: DEMO.appToken, day: TODAY, currency: "USD" });
  });

  it("count once they are accepted, the sums follow, and the audit log says who accepted what", async () => {
    await limit(0);
    await openMany(3, 20);
    expect(await spend()).toBe(0);
    expect(await decide("accept")).toEqual({ count: 3, sums: { USD: "60" }, left: 0 });
    expect(await spend()).toBe(60);
    const sums = await rows<Record<"counted" | "held" | "held_count", number>>(
      "SELECT * FROM daily_url_prices",
    );
    const sum = (key: "counted" | "held" | "held_count") => sums.reduce((total, row) => total + row[key], 0);
    expect([sum("counted"), sum("held"), sum("held_count")]).toEqual([60e8, 0, 0]);
    expect(await audit()).toEqual([
      {
        action: "accept held prices",
        subject: "partner 1",
        detail: JSON.stringify({
          app_token: DEMO.appToken,
          day: TODAY,
          count: 3,
          sums: { USD: "60" },
          reason: "checked",
        }),
      },
    ]);
    expect(await decide("accept")).toEqual({ count: 0, sums: {}, left: 0 });
    expect(await audit()).toHaveLength(1);
  });

  it("never count once they are dropped, and a call still can", async () => {
    await limit(0);
    const id = await open(20, { id: "held-decision-2" });
    expect(await decide("drop")).toMatchObject({ count: 1, left: 0 });
    expect(await decide("accept")).toMatchObject({ count: 0 });
    await sendCost({ cost_id: id, cost_type: "cpc", cost_currency: "USD", cost_amount: "3", tag: "t" });
    expect(await spend()).toBe(3);
  });

  it.runIf(isWhole)("supply the amount of a call once they are accepted", async () => {
    await limit(0);
    const id = await open(20, { id: "held-decision-3" });
    await sendCost({ cost_id: id, cost_type: "cpc", cost_currency: "USD", tag: "t" });
    expect(await spend()).toBe(0);
    await decide("accept");
    expect(await spend()).toBe(20);
  });

  it("of another day, app or partner are not decided with them, and impressions are", async () => {
    await limit(0);
    await open(20, { now: NOW - DAY });
    await open(20, { path: "/demo1nk009" });
    await rows("UPDATE partners SET integrated_types = 15 WHERE id = 1");
    const view = `/impression/${DEMO.linkToken}?s2s=1&cost_type=cpm&cost_amount=20&cost_currency=USD`;
    await ask(view);
    expect(await decide("accept")).toEqual({ count: 1, sums: { USD: "0.02" }, left: 0 });
  });

  it.runIf(isWhole)("are rejected with a reason for each wrong field", async () => {
    expect((await send("/url-prices", { app_token: "x", day: "2026-02-30x", decision: "keep" })).status).toBe(
      400,
    );
    const unknown = { app_token: DEMO.appToken, day: TODAY, decision: "drop", reason: "r" };
    expect(
      (await ask("/operator/v1/partners/99/url-prices", { token: DEMO.operatorToken, json: unknown })).status,
    ).toBe(404);
  });
});

describe("the void of a day", () => {
  /** Goes on until the end. Returns how many were voided. */
  async function voidAll(more: object = {}): Promise<number> {
    let count = 0;
    for (let next: string | null | undefined; next !== null; ) {
      const voided = await voidDay({ ...more, ...(next && { next }) });
      count += voided.count;
      next = voided.next;
    }
    return count;
  }

  it("voids the prices with generated IDs of that day and app, and no others", async () => {
    await openMany(3, 20);
    await open(1, { id: "void-of-a-day-1" });
    await open(2, { now: NOW - DAY });
    await open(4, { path: "/demo1nk009" });
    expect(await voidAll()).toBe(3);
    expect(await spend()).toBe(7);
    expect(await audit()).toContainEqual({
      action: "void prices",
      subject: "partner 1",
      detail: expect.stringContaining(DEMO.appToken),
    });
    expect(await voidAll()).toBe(0);
  });

  it("with generated false voids the other prices of the day that no call has", async () => {
    await openMany(2, 20);
    await open(1, { id: "void-of-a-day-2" });
    // Anyone can send an ID that looks like a generated one.
    await open(2, { id: "url-00000000-0000-7000-8000-000000000000" });
    await open(4, { id: "void-of-a-day-3" });
    await sendCost({
      cost_id: "void-of-a-day-3",
      cost_type: "cpc",
      cost_currency: "USD",
      cost_amount: "4",
      tag: "t",
    });
    expect(await voidAll({ generated: false })).toBe(2);
    expect(await spend()).toBe(44);
  });

  it.runIf(isWhole)("keeps the values, so that the same cost does not bring the price back", async () => {
    const id = await open(20);
    await voidAll();
    const { body } = await sendCost({
      cost_id: id,
      cost_type: "cpc",
      cost_currency: "USD",
      cost_amount: "20",
      tag: "t",
    });
    expect(body).toMatchObject({ match: "voided", duplicate: true });
  });

  it
    .runIf(isWhole)
    .each([
      { day: TODAY },
      { app_token: DEMO.appToken },
      { cost_id: "void-of-a-day-4", day: TODAY, app_token: DEMO.appToken },
      { day: TODAY, app_token: DEMO.appToken, next: "x" },
      { day: "2026-02-30", app_token: DEMO.appToken },
    ])("is rejected with %j", async (body) => {
    expect((await send("/voids", { ...body, reason: "junk" })).status).toBe(400);
  });
});

it.runIf(isWhole)("IDs are generated in the order of time", async () => {
  const ids = [await open(1), await open(1, { now: NOW + 1 }), await open(1, { now: NOW + DAY })];
  expect(ids.toSorted()).toEqual(ids);
  for (const id of ids)
    expect(id).toMatch(/^url-[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
