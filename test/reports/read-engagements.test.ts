/** GET …/engagements, and what both reports share: default days, the filters for links and partners, levels. */
import { beforeEach, describe, expect, it } from "vitest";
import { ask, call, click, DAY, DEMO, NOW, rejection, sendCost, view } from "../harness.ts";
import { freshLedger } from "../support.ts";

const APP = `/public/v1/apps/${DEMO.appToken}`;

type Item = Record<string, string | number | null>;

async function report(path: string): Promise<Item[]> {
  const { status, body } = await ask<{ data: { items: Item[] } }>(`${APP}/${path}`, { token: DEMO.apiToken });
  expect(status).toBe(200);
  return body.data.items;
}

const notFound = { status: 404, code: "not_found", params: [] };

beforeEach(freshLedger);

describe("engagements", () => {
  it("counts every click and impression, with and without a cost ID, by day", async () => {
    await click("");
    await click("counted-click-01");
    await click("counted-click-01", { now: NOW + 1_000 });
    await view("counted-view-001", { now: NOW - DAY });
    expect(await report("engagements?group_by=kind,day")).toEqual([
      { day: "2026-03-14", kind: "impression", count: 1, recorded: 1 },
      { day: "2026-03-15", kind: "click", count: 3, recorded: 1 },
    ]);
    expect(await report("engagements?kind=click")).toEqual([{ day: "2026-03-15", count: 3, recorded: 1 }]);
  });

  it("has null for the partner of a link without one", async () => {
    await click("", { link: "demo1nk008" });
    await click("", { link: "demo1nk006" });
    expect(await report("engagements?group_by=partner")).toEqual([
      { partner_id: null, partner_name: null, count: 1, recorded: 0 },
      { partner_id: 2, partner_name: "Beacon Network", count: 1, recorded: 0 },
    ]);
    expect(await report("engagements?group_by=link&partner_id=2")).toEqual([
      { link_token: "demo1nk006", link_label: "Beacon", link_name: "Beacon", count: 1, recorded: 0 },
    ]);
  });

  it("is a CSV file that names the app, the days and the groups", async () => {
    await click("", { link: "demo1nk002" });
    const response = await call(`${APP}/engagements?from=2026-03-15&group_by=kind,link`, {
      token: DEMO.apiToken,
      headers: { accept: "text/csv" },
    });
    expect(response.headers.get("content-disposition")).toBe(
      `attachment; filename="engagements-${DEMO.appToken}-2026-03-15-2026-03-15-by-link-kind.csv"`,
    );
    expect(await response.text()).toBe(
      "link_token,link_label,link_name,kind,count,recorded\r\ndemo1nk002,Spring,Acme::Spring,click,1,0\r\n",
    );
  });

  it("rejects unknown groups, kinds and parameters in one response", async () => {
    expect(
      await rejection(`${APP}/engagements?group_by=cost_type&kind=view&currency=USD&links=x`, {
        token: DEMO.apiToken,
      }),
    ).toEqual({ status: 400, code: "invalid_request", params: ["group_by", "kind", "currency", "links"] });
  });
});

describe.each(["spend", "engagements"])("%s", (name) => {
  const sums = (items: Item[]) => items.map(({ matched, count }) => matched ?? count);

  /** A click with a cost. */
  async function spent(id: string, options: Parameters<typeof click>[1] = {}): Promise<void> {
    await click(id, options);
    const { body } = await sendCost({ cost_id: id, cost_amount: "1" }, { now: options.now ?? NOW });
    expect(body.match).toBe("matched");
  }

  it("covers the last 30 days by default, and 30 days up to a given last day", async () => {
    await spent("default-day-0001", { now: NOW - 29 * DAY });
    await spent("default-day-0002", { now: NOW - 30 * DAY });
    await spent("default-day-0003", { now: NOW + DAY });
    expect((await report(name)).map(({ day }) => day)).toEqual(["2026-02-14"]);
    expect((await report(`${name}?to=2026-03-14`)).map(({ day }) => day)).toEqual([
      "2026-02-13",
      "2026-02-14",
    ]);
    expect((await report(`${name}?from=2026-02-13`)).map(({ day }) => day)).toEqual([
      "2026-02-13",
      "2026-02-14",
    ]);
  });

  it("adds links to their ancestor of a level, and keeps the rows of links above it", async () => {
    for (const [index, link] of [
      DEMO.linkToken,
      "demo1nk002",
      "demo1nk003",
      "demo1nk004",
      "demo1nk005",
    ].entries()) {
      await spent(`level-click-000${index}`, { link });
    }
    const byLevel = async (level: number) =>
      (await report(`${name}?group_by=link&level=${level}`)).map((row) => [
        row.link_name,
        row.matched ?? row.count,
      ]);
    expect(await byLevel(1)).toEqual([["Acme", 5]]);
    expect(await byLevel(2)).toEqual([
      ["Acme", 1],
      ["Acme::Spring", 4],
    ]);
    expect(await byLevel(3)).toEqual([
      ["Acme", 1],
      ["Acme::Spring", 1],
      ["Acme::Spring::Runners", 3],
    ]);
    expect(await byLevel(4)).toEqual(
      (await report(`${name}?group_by=link`)).map((row) => [row.link_name, 1]),
    );
    // A link below the level of the sums is added to a link above the filter's.
    expect(await report(`${name}?group_by=link&level=1&link=demo1nk003`)).toMatchObject([
      { link_token: DEMO.linkToken, link_label: "Acme", link_name: "Acme" },
    ]);
    expect(sums(await report(`${name}?group_by=partner&link=demo1nk003`))).toEqual([3]);
    expect(sums(await report(`${name}?group_by=link&link=demo1nk005`))).toEqual([1]);
  });

  it("is 404 for a link that does not exist and for one of another app, like an app that does not exist", async () => {
    for (const token of ["nosuchlink", "demo1nk009", ""]) {
      expect(await rejection(`${APP}/${name}?link=${token}`, { token: DEMO.apiToken })).toEqual(notFound);
    }
    const path = `/public/v1/apps/${DEMO.otherAppToken}/${name}`;
    expect(await rejection(`${path}?link=demo1nk009`, { token: DEMO.apiToken })).toEqual(notFound);
    expect((await call(`${path}?link=demo1nk009`, { token: DEMO.operatorToken })).status).toBe(200);
  });

  it("is empty for a partner without links in the app", async () => {
    await spent("partner-click-01");
    expect(await report(`${name}?partner_id=3`)).toEqual([]);
  });
});
