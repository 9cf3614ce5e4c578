/** The demo data: every report of the last 30 days has something to show, and its counts agree with the ledger. */
import { beforeAll, expect, it } from "vitest";
import { demoSpend } from "../../src/dev/demo/activity.ts";
import { ask, DAY, DEMO, freshWholeDemo, NOW, rows } from "../harness.ts";

type Item = Record<string, string | number | null>;

async function report(path: string): Promise<Item[]> {
  const { body } = await ask<{ data: { items: Item[] } }>(`/public/v1/apps/${DEMO.appToken}/${path}`, {
    token: DEMO.apiToken,
  });
  return body.data.items;
}

beforeAll(freshWholeDemo);

it("has spend on each of 30 days in two currencies, and clicks and impressions on each", async () => {
  const days = Array.from({ length: 30 }, (_, index) =>
    new Date(NOW - (29 - index) * DAY).toISOString().slice(0, 10),
  );
  const spend = await report("spend");
  for (const currency of ["EUR", "USD"]) {
    expect(spend.filter((row) => row.currency === currency).map(({ day }) => day)).toEqual(days);
  }
  for (const kind of ["click", "impression"]) {
    expect((await report(`engagements?kind=${kind}`)).map(({ day }) => day)).toEqual(days);
  }
});

it("has amounts as a customer has them, and a stopped partner without spend since then", async () => {
  for (const currency of ["EUR", "USD"]) {
    const [total] = await report(`performance?currency=${currency}&from=2026-02-14&to=2026-03-15`);
    expect(Number(total?.spend), currency).toBeGreaterThan(500);
    expect(Number(total?.cost_per_click), currency).toBeGreaterThan(0.25);
    expect(Number(total?.cost_per_click), currency).toBeLessThan(1.2);
  }
  const [stopped] = await rows<{ day: number }>(
    "SELECT stopped_at / 86400000 AS day FROM partners WHERE id = 4",
  );
  const spent = await rows<{ day: number }>("SELECT day FROM daily_totals WHERE partner_id = 4 ORDER BY day");
  expect(spent.length).toBeGreaterThan(0);
  expect(spent.at(-1)?.day).toBeLessThan(stopped?.day ?? 0);
  expect((await report("spend?group_by=partner&currency=EUR")).map(({ partner_id }) => partner_id)).toEqual([
    1, 5,
  ]);
});

it("has a campaign that clicks created, with counts and spend since its creation only", async () => {
  const launch = { link_token: "demo1nk013", link_name: "Acme::Launch week" };
  const [counted] = await report("engagements?group_by=link&level=2&link=demo1nk013");
  const [spent] = await report("spend?group_by=link&level=2&link=demo1nk013");
  expect([counted, spent]).toMatchObject([launch, { ...launch, currency: "USD" }]);
  expect(await report("engagements?link=demo1nk013")).toHaveLength(9);
  expect(await rows("SELECT from_engagement_count FROM links WHERE id = 1")).toEqual([
    { from_engagement_count: 2 },
  ]);
  expect(await report("engagements?group_by=link")).toHaveLength(16);
});

it("counts as recorded what the ledger has, for the days that it keeps", async () => {
  const inLedger = await rows<{ key: string }>(
    `SELECT link_id || ' ' || kind || ' ' || (occurred_at / ${DAY}) AS key FROM engagements WHERE app_token = '${DEMO.appToken}'`,
  );
  const counted = await rows<{ key: string; recorded: number }>(
    `SELECT link_id || ' ' || kind || ' ' || day AS key, recorded FROM daily_engagements
     WHERE recorded > 0 AND day > ${Math.floor(NOW / DAY) - 14}`,
  );
  const expected = Map.groupBy(inLedger, ({ key }) => key);
  for (const { key, recorded } of counted) expect([key, expected.get(key)?.length]).toEqual([key, recorded]);
  expect(counted.reduce((sum, { recorded }) => sum + recorded, 0)).toBe(345);
  const totals = await rows<{ day: number }>(
    "SELECT min(day) AS day FROM daily_totals WHERE app_token <> ''",
  );
  expect(Math.min(...totals.flatMap(({ day }) => day ?? []))).toBe(Math.floor(NOW / DAY) - 29);
});

it("has the countries of what it counts, and of spend, with the sums of all", async () => {
  const period = "from=2026-02-14&to=2026-03-15";
  for (const [path, name] of [
    ["engagements", "count"],
    ["spend", "matched"],
  ] as const) {
    const sum = (items: Item[]) => items.reduce((total, item) => total + Number(item[name]), 0);
    const byCountry = await report(`${path}?${period}&group_by=country`);
    expect(sum(byCountry)).toBe(sum(await report(`${path}?${period}&group_by=partner`)));
    expect(byCountry.map((item) => Number(item[name])).filter((count) => count < 0)).toEqual([]);
    const countries = new Set(byCountry.map(({ country }) => country));
    expect([...countries].sort()).toEqual(["BR", "DE", "FR", "GB", "JP", "US", "XX"]);
  }
});

it("has each day either in the ledger or as totals, at every hour of the day", () => {
  for (let hour = 0; hour < 24; hour++) {
    const now = Math.floor(NOW / DAY) * DAY + hour * 3_600_000 + 30_000;
    const { entries, totals } = demoSpend(now, DEMO.appToken);
    const kept = entries.map((entry) => Math.floor(Number(entry.click_at ?? entry.impression_at) / DAY));
    const older = totals.map(({ values }) => Number(values.day));
    expect([hour, older.length, Math.max(...older) < Math.min(...kept)]).toEqual([hour, 128, true]);
  }
});
