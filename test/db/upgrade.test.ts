/** Migrations after the first two, on a database that has data. */
import { applyD1Migrations } from "cloudflare:test";
import { expect, it } from "vitest";
import { env, NOW, resetStorage } from "../harness.ts";

const DAY_NUMBER = Math.floor(NOW / 86_400_000);
const APP = "upgradeapp01";
const all = (query: string) => env.DB.prepare(query).all();

/** Applies the migrations from one that has this text in its name on, or those before it. */
async function migrate(part: "before" | "from", name: string) {
  const at = env.TEST_MIGRATIONS.findIndex((migration) => migration.name.includes(name));
  expect(at).toBeGreaterThan(1);
  await applyD1Migrations(env.DB, part === "before" ? env.TEST_MIGRATIONS.slice(0, at) : env.TEST_MIGRATIONS);
}

const engagement = (id: string | null, kind: string, place: [string, string] | null) => {
  const [country, platform] = place?.map((text) => `'${text}'`) ?? ["NULL", "NULL"];
  const price = "'cpc', 'USD', 50000, 1";
  return `INSERT INTO recordings (app_token, link_id, partner_id, kind, occurred_at, cost_id, cost_data_on, url_cost_type,
      url_currency, url_amount, price_counts, dropped, recorded_at, is_elsewhere, country, platform)
    VALUES ('${APP}', 7, 1, '${kind}', ${NOW}, ${id ? `'${id}'` : "NULL"}, 1, ${id?.startsWith("url") ? price : "NULL, NULL, NULL, 0"},
      '[]', ${NOW}, 0, ${country}, ${platform})`;
};
const cost = (id: string, amount: number | null) => `
  INSERT INTO submissions (partner_id, cost_id, cost_type, currency, amount, tag, received_at, verdict, submitted_at, app_token)
  VALUES (1, '${id}', 'cpc', 'USD', ${amount}, 'test', ${NOW}, 'store', ${NOW}, '${APP}')`;
const KEYS = "app_token, day, link_id, partner_id";
const sums = async (table: string, keys: string, more: string) =>
  (
    await all(`SELECT ${KEYS}, ${keys}, sum(count) AS count, sum(${more}) AS more FROM ${table}
      GROUP BY ${KEYS}, ${keys} HAVING sum(count) <> 0 ORDER BY ${KEYS}, ${keys}`)
  ).results;
const COST = "cost_type, currency, state";
const spentAt = (where: string) =>
  all(
    `SELECT country, state, count, amount FROM daily_audience_spend WHERE ${where} ORDER BY country, state`,
  );

it("what was not counted by country is unknown, and a void of it subtracts from what is there", async () => {
  await resetStorage();
  await migrate("before", "audience_always");
  const before = [
    engagement("known-click-01", "click", ["DE", "ios"]),
    engagement("early-click-01", "click", null),
    engagement("early-click-02", "click", null),
    engagement("early-view-001", "impression", null),
    engagement("url-early-0001", "click", null),
    engagement(null, "click", null),
    engagement(null, "click", ["XX", "other"]),
    engagement(null, "impression", ["US", "android"]),
    ...["known-click-01", "early-click-01"].map((id) => cost(id, 100_000)),
    cost("early-click-02", null),
    cost("waiting-cost-1", 300_000),
  ];
  await env.DB.batch(before.map((query) => env.DB.prepare(query)));
  expect((await all(`SELECT sum(count) AS n FROM daily_audience`)).results).toEqual([{ n: 3 }]);
  await migrate("from", "audience_always");

  expect(await sums("daily_audience", "kind", "recorded")).toEqual(
    await sums("daily_engagements", "kind", "recorded"),
  );
  const totals = `(SELECT * FROM daily_totals WHERE state <> 'pending')`;
  expect(await sums("daily_audience_spend", COST, "amount")).toEqual(await sums(totals, COST, "amount"));
  expect((await spentAt(`day = ${DAY_NUMBER}`)).results).toEqual([
    { country: "DE", state: "matched", count: 1, amount: 100_000 },
    { country: "XX", state: "matched", count: 2, amount: 150_000 },
    { country: "XX", state: "unpriced", count: 1, amount: 0 },
  ]);

  // A void, a completion, and a call in the place of a price, of rows that were recorded before.
  const after = [
    `UPDATE ledger_entries SET void_state = 'voided' WHERE cost_id = 'early-click-01'`,
    `UPDATE ledger_entries SET amount = 200000 WHERE cost_id = 'early-click-02'`,
    cost("url-early-0001", 70_000),
    engagement("waiting-cost-1", "click", ["FR", "ios"]),
  ];
  await env.DB.batch(after.map((query) => env.DB.prepare(query)));
  expect(await sums("daily_audience_spend", COST, "amount")).toEqual(await sums(totals, COST, "amount"));
  expect((await spentAt("count <> 0")).results).toEqual([
    { country: "DE", state: "matched", count: 1, amount: 100_000 },
    { country: "FR", state: "matched", count: 1, amount: 300_000 },
    { country: "XX", state: "matched", count: 2, amount: 270_000 },
  ]);
  expect((await all("SELECT * FROM daily_audience_spend WHERE count < 0 OR amount < 0")).results).toEqual([]);
});
