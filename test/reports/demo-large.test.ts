/** The app of a customer's size that `npm start -- --demo large` adds to the demo data. */
import { beforeAll, expect, it } from "vitest";
import { LARGE, largeRows } from "../../src/dev/demo/large.ts";
import { byDatabase } from "../../src/dev/demo/rows.ts";
import { DAY, env, freshDemo, ledgerOn, NOW } from "../harness.ts";

const rows = largeRows(NOW);

beforeAll(async () => {
  await freshDemo();
  for (const [db, statements] of byDatabase(rows, ledgerOn()))
    await db.batch(statements.map((sql) => db.prepare(sql)));
});

const read = async <Row>(sql: string) => (await env.DB.prepare(sql).bind(LARGE.appToken).all<Row>()).results;

it("has 5,000 links over four levels, and 24 partners with three currencies", async () => {
  expect(await read("SELECT level, count(*) AS links FROM links WHERE app_token = ? GROUP BY level")).toEqual(
    [
      { level: 1, links: 26 },
      { level: 2, links: 208 },
      { level: 3, links: 1_040 },
      { level: 4, links: 3_726 },
    ],
  );
  expect(await read("SELECT count(DISTINCT partner_id) AS partners FROM links WHERE app_token = ?")).toEqual([
    { partners: 24 },
  ]);
  expect(
    await read("SELECT DISTINCT currency FROM daily_totals WHERE app_token = ? ORDER BY currency"),
  ).toEqual([{ currency: "EUR" }, { currency: "JPY" }, { currency: "USD" }]);
});

it("has 90 days with about 400 active links each", async () => {
  const days = await read<{ day: number; links: number }>(
    "SELECT day, count(DISTINCT link_id) AS links FROM daily_engagements WHERE app_token = ? GROUP BY day",
  );
  expect(days.map(({ day }) => Math.floor(NOW / DAY) - day).sort((one, other) => one - other)).toEqual(
    Array.from({ length: 90 }, (_, daysAgo) => daysAgo),
  );
  for (const { links } of days) expect(Math.abs(links - 410)).toBeLessThan(50);
});

it("has in the totals of the last 14 days what the ledger says, and recorded engagements for each of its rows", async () => {
  const firstDay = Math.floor(NOW / DAY) - 13;
  expect(
    await read(`SELECT day, state, sum(count) AS count, sum(amount) AS amount FROM (
      SELECT day, link_id, partner_id, cost_type, currency, state, count, amount FROM daily_totals WHERE app_token = ?1
      UNION ALL SELECT day, link_id, partner_id, cost_type, currency, state, -1, -coalesce(amount, 0) FROM cost_states
        WHERE app_token = ?1
    ) WHERE day >= ${firstDay} GROUP BY day, link_id, partner_id, cost_type, currency, state HAVING sum(count) <> 0 OR sum(amount) <> 0`),
  ).toEqual([]);
  expect(
    await read(`SELECT link_id, day FROM (
      SELECT link_id, day, kind, recorded FROM daily_engagements WHERE app_token = ?1
      UNION ALL SELECT link_id, day, kind, -1 FROM cost_states WHERE app_token = ?1
    ) WHERE day >= ${firstDay} GROUP BY day, link_id, kind HAVING sum(recorded) < 0`),
  ).toEqual([]);
});

it("is the same each time", () => {
  expect(largeRows(NOW)).toEqual(rows);
});
