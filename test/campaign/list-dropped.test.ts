import { beforeEach, describe, expect, it } from "vitest";
import { click, countingDatabase, DAY, DEMO, freshDemo, NOW, view } from "../harness.ts";
import { asUser, LINKS, rejected } from "./support.ts";

beforeEach(freshDemo);

const DROPPED = `${LINKS}/${DEMO.linkToken}/dropped`;
const counts = async (options: object = {}) =>
  (await asUser<{ data: { items: object[] } }>(DROPPED, options)).body.data.items;

describe("list dropped parameters", () => {
  it("counts the dropped parameters of a link by day, parameter and reason, latest day first", async () => {
    const bad = "&cost_type=cpc&cost_amount=1e3&cost_currency=ZZZ";
    await click("dropped-click-01", { query: bad, now: NOW - DAY });
    await click("dropped-click-02", { query: bad });
    await view("dropped-view-001", { query: "&cost_amount=-1" });
    await click("{unfilled_macro}");
    await click("dropped-click-03", { query: bad, link: "demo1nk002" });
    expect(await counts()).toEqual([
      { day: "2026-03-15", param: "cost_amount", reason: "invalid", count: 2 },
      { day: "2026-03-15", param: "cost_currency", reason: "invalid", count: 1 },
      { day: "2026-03-15", param: "cost_id", reason: "unfilled_macro", count: 1 },
      { day: "2026-03-14", param: "cost_amount", reason: "invalid", count: 1 },
      { day: "2026-03-14", param: "cost_currency", reason: "invalid", count: 1 },
    ]);
  });

  it("covers 14 days including today", async () => {
    await click("dropped-click-01", { query: "&cost_amount=-1" });
    expect(await counts({ now: NOW + 13 * DAY })).toHaveLength(1);
    expect(await counts({ now: NOW + 14 * DAY })).toEqual([]);
  });

  it("makes one database call", async () => {
    // The first use of a token on a day writes.
    await counts();
    const { database, counts: used } = countingDatabase();
    await counts({ env: { DB: database } });
    expect(used).toEqual({ calls: 1, read: expect.any(Number), written: 0 });
    expect(used.read).toBeLessThanOrEqual(15);
  });

  it("returns 404 for a link that the app does not have", async () => {
    expect((await rejected(`${LINKS}/nosuchlink/dropped`)).status).toBe(404);
  });
});
