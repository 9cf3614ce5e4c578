/**
 * The database budget of reports: 3 rows read for each total in the period, of which one is the judgement whether there are too
 * many, and for each distinct link 1 in a list and 1 for each of its 4 levels. Of performance, in both periods.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { databasesOf } from "../../src/db/ledger/shards.ts";
import { signedIn } from "../account/support.ts";
import { ask, countingDatabase, DAY, DEMO, env, ledgerOn, NOW } from "../harness.ts";
import { isLong } from "../part.ts";
import { freshLedger } from "../support.ts";

const DAYS = 30;
const LINKS = isLong ? 40 : 12;
const FROM = 1_000;
const today = Math.floor(NOW / DAY);

const TOTALS = {
  // Two types and two states: 4 totals for each day and link.
  spend: `INSERT INTO daily_totals
    SELECT ?1, ${today} - i % ${DAYS}, ${FROM} + i / ${DAYS} % ${LINKS}, 1 + i % 2, iif(i / ${DAYS * LINKS} % 2, 'cpc', 'cpm'),
      'USD', iif(i / ${DAYS * LINKS * 2} % 2, 'matched', 'unpriced'), 1, 100000 FROM n WHERE i < ${DAYS * LINKS * 4}`,
  engagements: `INSERT INTO daily_engagements
    SELECT ?1, ${today} - i % ${DAYS}, ${FROM} + i / ${DAYS} % ${LINKS}, 1 + i % 2, iif(i / ${DAYS * LINKS}, 'click', 'impression'), 2, 1
    FROM n WHERE i < ${DAYS * LINKS * 2}`,
};
/** Adjustments count as totals. */
const ADJUSTED = 300;
const COVERED = { spend: DAYS * LINKS * 4 + ADJUSTED, engagements: DAYS * LINKS * 2 };
const numbers = `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${DAYS * LINKS * 4 - 1})`;

beforeAll(async () => {
  await freshLedger();
  // All of level 4, where a link has the most links above it.
  await env.DB.prepare(
    `${numbers} INSERT INTO links (id, token, app_token, parent_id, level, label, created_at)
     SELECT ${FROM} + i, 'budget' || i, ?, 3, 4, 'Budget ' || i, 0 FROM n WHERE i < ${LINKS}`,
  )
    .bind(DEMO.appToken)
    .run();
  await env.DB.prepare(
    `${numbers} INSERT INTO adjustments (app_token, day, link_id, partner_id, cost_type, currency, amount, reason, user_id, created_at)
     SELECT ?1, ${today} - i % ${DAYS}, ${FROM} + i / ${DAYS} % ${LINKS}, 1 + i % 2, 'cpc', 'USD', -5, '', 2, 0 FROM n WHERE i < ${ADJUSTED}`,
  )
    .bind(DEMO.appToken)
    .run();
  // With shards, those have the totals, and DB has the links.
  const withTotals = databasesOf(ledgerOn()).at(-1) as D1Database;
  for (const insert of Object.values(TOTALS)) {
    await withTotals.prepare(`${numbers} ${insert}`).bind(DEMO.appToken).run();
  }
  // Fills the isolate's memory of partners.
  await read("spend", "group_by=partner");
});

async function read(report: string, query: string) {
  const { database, counts } = countingDatabase();
  const { status, body } = await ask<{ data: { items: object[] } }>(
    `/public/v1/apps/${DEMO.appToken}/${report}?from=2026-02-14&to=2026-03-15&${query}`,
    { token: DEMO.apiToken, env: { DB: database } },
  );
  expect(status).toBe(200);
  return { ...counts, items: body.data.items.length };
}

/** The access check, the revision of the partners, and in each database its identity. */
const OVERHEAD = 9;
/** A statement that sums two tables checks the access for each: two rows more, in two statements. */
const TABLES = { spend: 2, engagements: 1 };

describe.each(["spend", "engagements"] as const)("%s", (report) => {
  const last = report === "spend" ? "cost_type" : "kind";
  it.each([
    ["group_by=day", DAYS],
    ["group_by=link", LINKS],
    [`group_by=partner,${last}`, 4],
    ["group_by=day,link", DAYS * LINKS],
    ["group_by=link,partner", LINKS * 2],
    [`group_by=day,link,partner,${last}`, DAYS * LINKS * 2],
    ["group_by=link&level=1", 1],
    ["group_by=day,link&level=3", DAYS],
    [`group_by=link,${last}&level=4`, LINKS * 2],
    ["group_by=day&partner_id=1", DAYS / 2],
  ])("by %s: one call, no writes, within the budget", async (query, rows) => {
    const { items, calls, read: rowsRead, written } = await read(report, query);
    const shards = ledgerOn().shards.length;
    // With shards, the names of links need another call to DB.
    const names = Number(query.includes("link"));
    expect({ calls, written }).toEqual({ calls: shards > 0 ? 1 + shards + names : 1, written: 0 });
    expect(rowsRead).toBeLessThanOrEqual(
      3 * COVERED[report] + 5 * LINKS + OVERHEAD * (1 + shards) + 4 * (TABLES[report] - 1),
    );
    expect(rowsRead).toBeGreaterThan(COVERED[report]);
    if (!query.includes("partner")) expect(items).toBe(rows);
  });

  it("below a link: also 3 rows for each link below it, for each table that it filters", async () => {
    const query = "group_by=link,partner&link=demo1nk003";
    const { read: rowsRead } = await read(report, query);
    expect(rowsRead).toBeLessThanOrEqual(
      3 * COVERED[report] + (4 + 2 * 3 * TABLES[report]) * LINKS + 4 * OVERHEAD,
    );
    const one = await read(report, `group_by=day&link=budget7`);
    expect(one.items).toBe(DAYS);
    // The totals and adjustments of the link by day are sorted by currency.
    const sorted = report === "spend" ? DAYS * 5 : 0;
    expect(one.read).toBeLessThanOrEqual(2 * COVERED[report] + sorted + OVERHEAD * 6);
  });
});

describe("performance", () => {
  // The days before have no totals, so both periods have as many as one.
  const BOTH = COVERED.spend + COVERED.engagements;
  it.each([
    ["", 1],
    ["group_by=day", DAYS],
    ["group_by=week", 5],
    ["group_by=partner", 2],
    ["group_by=cost_type", 2],
    ["group_by=link&level=4", LINKS],
    ["group_by=link", 1],
    ["group_by=link&level=4&sort=-coverage&limit=10", 10],
    ["group_by=partner&partner_id=1", 1],
  ])("%s: one call, no writes, 3 rows read a total and 4 a link", async (query, rows) => {
    const { items, calls, read: rowsRead, written } = await read("performance", query);
    const shards = ledgerOn().shards.length;
    const names = Number(query.includes("link"));
    expect({ calls, written }).toEqual({ calls: shards > 0 ? 1 + shards + names : 1, written: 0 });
    expect(rowsRead).toBeLessThanOrEqual(3 * BOTH + 4 * LINKS * names + 3 * OVERHEAD * (1 + shards));
    expect(rowsRead).toBeGreaterThan(2 * BOTH);
    expect(items).toBe(rows);
  });

  it.each([
    ["", LINKS],
    ["group_by=link&level=4&metric=clicks", LINKS],
    ["group_by=day", 0],
    ["group_by=partner&metric=cost_per_click", 0],
    ["group_by=cost_type&metric=coverage", 0],
  ])("the page with its chart, %s: the session and one call, within the same rows", async (query, links) => {
    const browser = await signedIn();
    const { database, counts } = countingDatabase();
    const days = "from=2026-02-14&to=2026-03-15";
    const page = await browser.get(`/apps/${DEMO.appToken}/performance?${days}&${query}`, {
      env: { DB: database },
    });
    expect(page.status).toBe(200);
    expect(page.text).toContain('class="daily-chart"');
    const shards = ledgerOn().shards.length;
    // With shards, another call to each for rejected costs.
    expect([counts.calls, counts.written]).toEqual([2 + 2 * shards + Number(shards > 0 && links > 0), 0]);
    // Also the apps of the user, the saved views and the partners of links.
    const OF_PAGE = 60;
    expect(counts.read).toBeLessThanOrEqual(3 * BOTH + 4 * links + OF_PAGE + 3 * OVERHEAD * (1 + shards));
  });

  it("reads the totals of the days before too", async () => {
    const { database, counts } = countingDatabase();
    const after = `/public/v1/apps/${DEMO.appToken}/performance?from=2026-03-16&to=2026-04-14&group_by=link`;
    expect((await ask(after, { token: DEMO.apiToken, env: { DB: database } })).status).toBe(200);
    expect(counts.read).toBeGreaterThan(2 * BOTH);
    expect(counts.read).toBeLessThanOrEqual(
      3 * BOTH + 4 * LINKS + 3 * OVERHEAD * (1 + ledgerOn().shards.length),
    );
  });
});
