import { beforeEach, describe, expect, it } from "vitest";
import { click, countingDatabase, DAY, DEMO, freshDemo, NOW, view } from "../harness.ts";
import { asUser, LINKS, rejected } from "./support.ts";

beforeEach(freshDemo);

const DROPPED = `${LINKS}/${DEMO.linkToken}/dropped`;
const counts = async (options: object = {}) =>
  (await asUser<{ data: { items: object[] } }>(DROPPED, options)).body.data.items;

describe("list dropped", () => {
  it("counts what was bad on the URLs of a link, by day and parameter, the latest first", async () => {
    const bad = "&cost_type=cpc&cost_amount=1e3&cost_currency=ZZZ";
    await click("dropped-click-01", { query: bad, now: NOW - DAY });
    await click("dropped-click-02", { query: bad });
    await view("dropped-view-001", { query: "&cost_amount=-1" });
    await click("{unfilled_macro}");
    await click("dropped-click-03", { query: bad, link: "demo1nk002" });
    expect(await counts()).toEqual([
      { day: "2026-03-15", param: "cost_amount", count: 2 },
      { day: "2026-03-15", param: "cost_currency", count: 1 },
      { day: "2026-03-15", param: "cost_id", count: 1 },
      { day: "2026-03-14", param: "cost_amount", count: 1 },
      { day: "2026-03-14", param: "cost_currency", count: 1 },
    ]);
  });

  it("goes back 14 days, today being one of them", async () => {
    await click("dropped-click-01", { query: "&cost_amount=-1" });
    expect(await counts({ now: NOW + 13 * DAY })).toHaveLength(1);
    expect(await counts({ now: NOW + 14 * DAY })).toEqual([]);
  });

  it("asks the database once", async () => {
    // The first use of a day is noted.
    await counts();
    const { database, counts: spent } = countingDatabase();
    await counts({ env: { DB: database } });
    expect(spent).toEqual({ calls: 1, read: expect.any(Number), written: 0 });
    expect(spent.read).toBeLessThanOrEqual(15);
  });

  it("tells nothing of a link that the app has not", async () => {
    expect((await rejected(`${LINKS}/nosuchlink/dropped`)).status).toBe(404);
  });
});
