/** The app of a customer's size that `npm start -- --demo large` adds to the demo data. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { storeActivity } from "../../src/db/operator/partner-activity.ts";
import { storeRates } from "../../src/db/operator/stored-rates.ts";
import { LARGE } from "../../src/dev/demo/large/links.ts";
import { WITHOUT_PARTNER } from "../../src/dev/demo/large/names.ts";
import { CURRENCIES, liveToken, PARTNERS, REJECTED, SILENT } from "../../src/dev/demo/large/partners.ts";
import { largeRows } from "../../src/dev/demo/large.ts";
import { type DemoRow, insertRows, type Values } from "../../src/dev/demo/rows.ts";
import { sha256 } from "../../src/domain/hash.ts";
import { signedIn } from "../account/support.ts";
import { ask, DAY, DEMO, env, freshDemo, ledgerOn, NOW } from "../harness.ts";
import { isLong } from "../part.ts";
import { hrefOf, linksOf, mainOf, open, tablesOf } from "../workspace/page-text.ts";

let rows: DemoRow[] = [];
/** Two thirds of the rows are by country and platform. Of these, a day is enough to see that the tables take them. */
const isStored = ({ table, values }: DemoRow) =>
  !table.startsWith("daily_audience") || values.day === Math.floor(NOW / DAY);

beforeAll(async () => {
  rows = largeRows(NOW);
  await freshDemo();
  await insertRows(rows.filter(isStored), ledgerOn());
});

// The files after this one share its memory, and half a million rows make each of their garbage collections longer.
afterAll(() => {
  rows = [];
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

it("has two networks with a target of their own, a partner that was stopped in the last week, and a day of rejected costs", async () => {
  const named = (sql: string) => read(`${sql} AND ? <> ''`);
  expect(
    await read("SELECT label FROM links WHERE target IS NOT NULL AND app_token = ? ORDER BY id"),
  ).toEqual(WITHOUT_PARTNER.map((label) => ({ label })));
  const week = NOW - 7 * DAY;
  const of = `IN (${PARTNERS.map(({ id }) => id).join()})`;
  expect(
    await named(`SELECT count(*) AS stopped FROM partners WHERE stopped_at > ${week} AND id ${of}`),
  ).toEqual([{ stopped: 1 }]);
  expect(await named("SELECT count(DISTINCT day) AS days FROM daily_rejections WHERE true")).toEqual([
    { days: 1 },
  ]);
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

/** Adds up rows of a table by some columns. */
function sumsOf(
  all: DemoRow[],
  table: string,
  keys: string[],
  numbers: string[],
  isIn: (values: Values) => boolean = () => true,
) {
  const sums = new Map<string, number[]>();
  for (const row of all) {
    if (row.table !== table || !isIn(row.values)) continue;
    const key = keys.map((name) => row.values[name]).join(" ");
    const sum = sums.get(key) ?? numbers.map(() => 0);
    sums.set(
      key,
      sum.map((value, index) => value + Number(row.values[numbers[index] ?? ""])),
    );
  }
  return sums;
}

it("knows the audience of all links, with the sums of their counts and of their spend", () => {
  // In `npm test`, those of a tenth of the links.
  const checked = rows.filter(({ values }) => isLong || Number(values.link_id) % 10 === 0);
  const linksIn = (table: string, isIn?: (values: Values) => boolean) =>
    [...sumsOf(checked, table, ["link_id"], [], isIn).keys()].sort();
  expect(linksIn("daily_audience", ({ country }) => country !== "XX")).toEqual(linksIn("daily_engagements"));
  for (const [table, ofAudience, keys, numbers] of [
    ["daily_engagements", "daily_audience", ["kind"], ["count", "recorded"]],
    ["daily_totals", "daily_audience_spend", ["cost_type", "currency", "state"], ["count", "amount"]],
  ] as const) {
    const by = ["link_id", "day", "partner_id", ...keys];
    const isCounted = ({ state }: Values) => state !== "pending";
    const [sums, parts] = [table, ofAudience].map((name) =>
      sumsOf(checked, name, by, [...numbers], isCounted),
    );
    const differing = [...(sums ?? [])].filter(([key, sum]) => sum.join() !== parts?.get(key)?.join());
    expect([parts?.size, differing]).toEqual([sums?.size, []]);
  }
});

it("has a silent partner for which the cron finds no cost either, and one whose steps to costs add up", async () => {
  const activity = () =>
    read<{ id: number; last: number | null }>(
      "SELECT partner_id AS id, last_cost_at AS last FROM partner_activity WHERE ? <> '' ORDER BY 1",
    );
  const before = await activity();
  await storeActivity(ledgerOn(), NOW + 3_600_000);
  const after = await activity();
  const ofLarge = after.filter(({ id }) => before.some((one) => one.id === id));
  expect(ofLarge).toEqual(before);
  expect(before.find(({ id }) => id === SILENT)?.last).toBe((Math.floor(NOW / DAY) - 3) * DAY - 3_600_000);
  const stopped = PARTNERS.filter(({ isStopped }) => isStopped);
  expect(stopped).toHaveLength(1);
  for (const { id } of stopped) {
    const [spent] = await read<{ day: number }>(
      `SELECT max(day) AS day FROM daily_totals WHERE app_token = ?1 AND partner_id = ${id}`,
    );
    const days = Math.floor((before.find((one) => one.id === id)?.last ?? 0) / DAY) - (spent?.day ?? 0);
    // A cost counts on the day of its click.
    expect([0, 1]).toContain(days);
  }
  for (const id of [SILENT, REJECTED]) {
    const path = `/public/v1/apps/${LARGE.appToken}/partners/${id}?from=2026-03-02`;
    const { body } = await ask<{
      data: { items: [{ funnel: { count: number; losses: { reason: string; count: number }[] }[] }] };
    }>(path, { token: DEMO.apiToken });
    const [{ funnel }] = body.data.items;
    for (const [index, { count, losses }] of funnel.entries()) {
      const left = (funnel[index - 1]?.count ?? count) - losses.reduce((sum, loss) => sum + loss.count, 0);
      expect([id, index, left]).toEqual([id, index, count]);
    }
    const reasons = funnel.flatMap(({ losses }) => losses.map(({ reason }) => reason));
    expect(reasons).not.toContain("not_known");
    expect(reasons.includes("rejected") && reasons.includes("unfilled_macro")).toBe(id === REJECTED);
  }
});

it("pays from 0.08 to 3.40 US dollars for a click, and has two partners over 5% discrepancy, as the daily job counts it", async () => {
  const prices = await read<{ price: number; currency: "USD" }>(
    `SELECT currency, 1.0 * sum(amount) / sum(count) / 100000 AS price FROM daily_totals
      WHERE app_token = ? AND cost_type = 'cpc' AND state = 'matched' GROUP BY partner_id`,
  );
  const dollars = prices.map(({ price, currency }) => price / CURRENCIES[currency]);
  expect(Math.min(...dollars).toFixed(2)).toBe("0.08");
  expect(Math.max(...dollars).toFixed(2)).toBe("3.39");
  const stored = (columns: string, where: string) =>
    read<{ id: number }>(`SELECT ${columns} FROM partner_rates WHERE ? <> '' AND ${where}`);
  const of = PARTNERS.map(({ id }) => id).join();
  const all = "partner_id AS id, cost_type, matched, recorded, expected, agreeing";
  const ofLarge = `partner_id IN (${of}) ORDER BY partner_id, cost_type`;
  const before = await stored(all, ofLarge);
  const isOver = "20 * (expected - agreeing) > expected ORDER BY partner_id";
  const over = await stored("DISTINCT partner_id AS id", isOver);
  expect(over).toEqual([{ id: REJECTED }, { id: SILENT }]);
  await env.DB.exec("UPDATE partner_rates SET computed_at = 0");
  await storeRates(ledgerOn(), NOW);
  expect(await stored(all, ofLarge)).toEqual(before);
});

it("has a credential for each partner that sends costs, which a stopped one can't use", async () => {
  const answers = await Promise.all(
    PARTNERS.filter(({ isIntegrated }) => isIntegrated).map(async (partner) => {
      const { status, body } = await ask<{ code?: string }>("/cost?limit=1", { token: liveToken(partner) });
      const sent = await ask<{ code?: string }>(
        `/cost?cost_type=cpc&cost_currency=USD&cost_amount=1&tag=t&cost_id=large-cost-${partner.id}`,
        { token: liveToken(partner), method: "POST" },
      );
      return [status, body.code, sent.body.code ?? sent.status];
    }),
  );
  expect(answers).toHaveLength(21);
  expect(new Set(answers.map(String))).toEqual(new Set(["200,,200", "200,,partner_stopped"]));
});

it("is the same each time", () => {
  // Of the tables with most of the rows, `npm test` takes each tenth.
  const some = rows.filter(
    ({ table }, place) => isLong || place % 10 === 0 || !/^daily_|^ledger_/.test(table),
  );
  // The names of the columns are checked by the tables.
  const lines = some.map(({ table, values }) => `${table} ${Object.values(values).join()}`);
  expect(sha256(lines.join("\n"))).toBe(
    isLong
      ? "0ec1255f903ce8ae57adda5cc1cd684373929c714d8d9e3f38befb66990a9b16"
      : "26175d4b4f496bc02828926210dfa58653773ef4a24f8ebe7659c0c39819a068",
  );
});

it.each([
  ["", "Spend in USD by day and partner"],
  ["/performance", "Spend by day: "],
])("has at most 25 KB of compressed HTML for 90 days, with all of its days: %s", async (path, title) => {
  const page = await open(await signedIn(), `/apps/${LARGE.appToken}${path}?period=90d`);
  const charts = page.split('<figure class="daily-chart"').slice(1);
  expect(charts[0]).toContain(title);
  // The data begins on the second of them.
  for (const chart of charts)
    expect(chart.match(/<a href="[^"]*" aria-label="\d+ \w+ \d{4}/g)).toHaveLength(89);
  expect(await compressedSize(page)).toBeLessThanOrEqual(25_000);
});

async function compressedSize(page: string): Promise<number> {
  const compressed = new Blob([page]).stream().pipeThrough(new CompressionStream("gzip"));
  return (await new Response(compressed).bytes()).length;
}

it("has at most 25 KB of compressed HTML for the spend of all partners in 364 days", async () => {
  await env.DB.exec(
    `WITH sums AS MATERIALIZED (SELECT app_token, day, min(link_id) AS link_id, partner_id, cost_type, currency, sum(count) AS count, sum(amount) AS amount FROM daily_totals WHERE state = 'matched' GROUP BY 1, 2, 4, 5, 6) INSERT INTO daily_totals SELECT app_token, day - 90 * j.value, link_id, partner_id, cost_type, currency, 'matched', count, amount FROM sums, json_each('[1,2,3,4,5]') j`,
  );
  const last = Math.floor(NOW / DAY) - 91;
  const [from, to] = [last - 363, last].map((day) => new Date(day * DAY).toISOString().slice(0, 10));
  const operator = await signedIn(DEMO.operatorEmail, DEMO.operatorPassword);
  const page = await open(operator, `/operator/spend?from=${from}&to=${to}`);
  expect(page.match(/<a href="[^"]*" aria-label="\d+ \w+ \d{4}/g)).toHaveLength(364);
  expect(await compressedSize(page)).toBeLessThanOrEqual(25_000);
});

it("says in two clicks from sign-in which campaign has the highest cost per click this week, and whether it rises", async () => {
  const browser = await signedIn();
  const apps = await open(browser, "/apps");
  const unsorted = mainOf(await open(browser, hrefOf(apps, "Performance of Atlas Travel")));
  const [, head = ""] = /<thead[^>]*>([\s\S]*?)<\/thead>/.exec(unsorted) ?? [];
  const byCost = linksOf(head).find(({ text }) => text === "Cost per click");
  const [, ...lines] = tablesOf(mainOf(await open(browser, byCost?.href ?? ""))).at(-1) ?? [];
  const shown = lines.slice(0, -1).map(({ cells }) => ({ name: cells[0], cost: cells[5], change: cells[6] }));
  const { body } = await ask<{ data: { items: Record<string, string & { cost_per_click: string }>[] } }>(
    `/public/v1/apps/${LARGE.appToken}/performance?group_by=link&sort=-cost_per_click&limit=1`,
    { token: DEMO.apiToken },
  );
  const [highest] = body.data.items;
  expect(shown[0]?.name).toContain(highest?.link_label);
  const [now, before] = [Number(highest?.cost_per_click), Number(highest?.previous?.cost_per_click)];
  expect(shown[0]?.cost).toBe(`$${now.toFixed(3)}`);
  expect(shown[0]?.change).toMatch(now > before ? /^▲ \+/ : /^▼ −/);
});
