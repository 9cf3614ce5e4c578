/** Spend on the account page: a chart and its table for each app, and the CSV downloads. */
import { beforeEach, describe, expect, it } from "vitest";
import { call, click, countingDatabase, DAY, DEMO, env, NOW, rows, sendCost, view } from "../harness.ts";
import { freshLedger } from "../support.ts";
import { signedIn } from "./support.ts";

const CSV = `/account/apps/${DEMO.appToken}/spend.csv`;
const WEEK = "from=2026-03-09&to=2026-03-15";

beforeEach(freshLedger);

async function spent(id: string, amount: string, more: { days?: number; currency?: string } = {}) {
  await click(id, { now: NOW - (more.days ?? 0) * DAY });
  await sendCost({ cost_id: id, cost_amount: amount, cost_currency: more.currency ?? "USD" });
}

/** Inserts a partner's spend for one day. */
function totalOf(partner: number, amount: number, day = 0, currency = "USD", app: string = DEMO.appToken) {
  return env.DB.prepare("INSERT INTO daily_totals VALUES (?, ?, 6, ?, 'cpc', ?, 'matched', 1, ?)")
    .bind(app, Math.floor(NOW / DAY) - day, partner, currency, amount)
    .run();
}

async function accountPage(email?: string, password?: string): Promise<string> {
  const page = await (await signedIn(email, password)).get("/account");
  expect(page.status).toBe(200);
  return page.text;
}

const textOf = (markup: string) =>
  markup
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
const all = (page: string, pattern: RegExp) => [...page.matchAll(pattern)].map(([, found = ""]) => found);

/** The rows of the spend tables, each as the texts of its cells. */
function tableRows(page: string): string[][] {
  const tables = all(page, /<summary>View [^<]*as a table<\/summary>([\s\S]*?)<\/details>/g);
  return tables.flatMap((table) =>
    all(table, /<tr>([\s\S]*?)<\/tr>/g).map((row) => all(row, /<t[hd][^>]*>([^<]*)<\/t[hd]>/g)),
  );
}

describe("the account page", () => {
  it("draws spend by day for each currency, stacked by partner, with a table of the same numbers", async () => {
    await spent("page-click-00001", "0.25");
    await spent("page-click-00002", "1.5", { days: 2 });
    await spent("page-click-00003", "9", { currency: "EUR" });
    await view("page-view-000001");
    await sendCost({ cost_id: "page-view-000001", cost_type: "cpm", cost_amount: "0.00001" });
    await totalOf(2, 75_000);
    const page = await accountPage();
    expect(all(page, /<figcaption[^>]*>([^<]*)</g)).toEqual(["EUR 9", "USD 2.50000001"]);
    expect(tableRows(page)).toEqual([
      ["Day", "Acme Ads", "Total, EUR"],
      ["2026-03-15", "9", "9"],
      ["All days", "9", "9"],
      ["Day", "Acme Ads", "Beacon Network", "Total, USD"],
      ["2026-03-13", "1.5", "0", "1.5"],
      ["2026-03-15", "0.25000001", "0.75", "1.00000001"],
      ["All days", "1.75000001", "0.75", "2.50000001"],
    ]);
    expect(all(page, /<title>([^<]*:[^<]*)<\/title>/g)).toEqual([
      "15 March 2026, Acme Ads: EUR 9",
      "13 March 2026, Acme Ads: USD 1.5",
      "15 March 2026, Acme Ads: USD 0.25000001",
      "15 March 2026, Beacon Network: USD 0.75",
    ]);
  });

  it("stacks the bars to scale within the plot, with one color per partner in every currency", async () => {
    await totalOf(2, 100_000);
    await totalOf(1, 300_000);
    await totalOf(2, 200_000, 0, "EUR");
    const page = await accountPage();
    const bars = [
      ...page.matchAll(/<rect class="(series-\d)" x="(\d+)" y="([\d.]+)" width="8" height="([\d.]+)">/g),
    ].map(([, series, x, y, height]) => ({ series, x: Number(x), y: Number(y), height: Number(height) }));
    expect(bars).toEqual([
      { series: "series-2", x: 291, y: 0, height: 100 },
      { series: "series-1", x: 291, y: 25, height: 75 },
      { series: "series-2", x: 291, y: 0, height: 25 },
    ]);
  });

  it.each([
    ["0.00001", "cpm", "USD 0.00000001"],
    ["0.00003", "cpc", "USD 0.00003"],
    ["2.195", "cpc", "USD 2.5"],
    ["4.1", "cpc", "USD 5"],
    ["1000000", "cpc", "USD 1000000"],
  ])("formats the top of the scale without an exponent: %s %s has the top %s", async (amount, type, top) => {
    await (type === "cpm" ? view : click)("page-click-00001");
    await sendCost({ cost_id: "page-click-00001", cost_type: type, cost_amount: amount });
    expect(all(await accountPage(), /<div class="scale"[^>]*><span>([^<]*)<\/span><\/div>/g)).toEqual([top]);
  });

  it("describes the chart for screen readers and hides the duplicate scale", async () => {
    await spent("page-click-00001", "0.25");
    await spent("page-click-00002", "1.5", { days: 2 });
    const page = await accountPage();
    expect(all(page, /<svg class="plot"[^>]*role="img" aria-label="([^"]*)"/g)).toEqual([
      "Spend by day in USD: 1.75 in total. Highest on 13 March 2026: 1.5. The table lists every day.",
    ]);
    expect(all(page, /<section[^>]*aria-labelledby="(spend-[^"]*)"/g)).toEqual([`spend-${DEMO.appToken}`]);
    const ids = all(page, /\sid="([^"]*)"/g);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of all(page, /aria-labelledby="([^"]*)"/g)) expect(ids).toContain(id);
    expect(page).not.toMatch(/\sstyle=/);
  });

  it("shows how many costs matched and how many of them are priced", async () => {
    await spent("page-click-00001", "0.25");
    await spent("page-click-00002", "0.25");
    await click("page-click-00003");
    await sendCost({ cost_id: "page-click-00003" });
    await sendCost({ cost_id: "page-pending-001", cost_amount: "5" });
    const page = await accountPage();
    expect(textOf(page)).toContain("Matched costs 3 · 66.6% priced.");
  });

  it("draws a chart when no cost is priced yet", async () => {
    await click("page-click-00001");
    await sendCost({ cost_id: "page-click-00001" });
    const page = await accountPage();
    expect(all(page, /<figcaption[^>]*>([^<]*)</g)).toEqual(["USD 0"]);
    expect(page).not.toMatch(/NaN|Infinity/);
    expect(textOf(page)).toContain("Matched costs 1 · 0% priced.");
  });

  it("explains how to create the first link if an app has none", async () => {
    await rows("UPDATE apps SET link_count = 0");
    expect(textOf(await accountPage())).toContain("No links yet. Create your first link");
  });

  it("covers the last 30 days, including today", async () => {
    await totalOf(1, 100_000, 29);
    await totalOf(1, 700_000, 30);
    const page = await accountPage();
    expect(textOf(page)).toContain("14 February 2026 to 15 March 2026, UTC");
    expect(tableRows(page)).toContainEqual(["All days", "1", "1"]);
  });

  it("shows an empty state without spend, and only the user's own apps", async () => {
    await totalOf(1, 100_000, 0, "USD", DEMO.otherAppToken);
    const members = await accountPage();
    expect(textOf(members)).toContain("No matched costs in this period.");
    expect(members).not.toContain(DEMO.otherAppToken);
    expect(members).not.toContain("first link");
    const operators = await accountPage("operator@example.com", "operator-password");
    expect(all(operators, /<h2 id="spend-[^"]*">([^<]*)</g)).toEqual(["Demo App spend", "Other App spend"]);
    expect(tableRows(operators)).toContainEqual(["All days", "1", "1"]);
  });

  it("escapes the names of apps and partners", async () => {
    await rows("UPDATE apps SET name = '<b>App</b>' WHERE token = ?", DEMO.appToken);
    await rows(`UPDATE partners SET display_name = '"><script>' WHERE id = 1`);
    await totalOf(1, 100_000);
    expect(await accountPage()).not.toMatch(/<b>App|<script>/);
  });

  it("reads spend and account in one database call", async () => {
    const browser = await signedIn();
    const { database, counts } = countingDatabase();
    await browser.get("/account", { env: { DB: database } });
    expect(counts.calls).toBe(2);
  });
});

describe("the CSV of the account page", () => {
  it("equals the CSV of the campaign API for every link on the page", async () => {
    await spent("page-click-00001", "0.25");
    await spent("page-click-00002", "1.5", { days: 2 });
    const browser = await signedIn();
    const links = all((await browser.get("/account")).text, /href="(\/account\/apps\/[^"]*)" download/g);
    expect(links).toHaveLength(4);
    const lines: number[] = [];
    for (const link of links) {
      const path = link.replaceAll("&amp;", "&");
      const file = await browser.get(path);
      const groups = new URLSearchParams(path.split("?")[1]).get("group_by")?.replaceAll(",", "-");
      expect(file.status).toBe(200);
      expect(file.headers.get("content-disposition")).toBe(
        `attachment; filename="spend-${DEMO.appToken}-2026-02-14-2026-03-15-by-${groups}.csv"`,
      );
      const query = path.split("?")[1];
      const report = await call(`/public/v1/apps/${DEMO.appToken}/spend?${query}`, {
        token: DEMO.apiToken,
        headers: { accept: "text/csv" },
      });
      expect(file.text).toBe(await report.text());
      lines.push(file.text.split("\r\n").length);
    }
    expect(lines).toEqual([4, 3, 3, 4]);
  });

  it("redirects to the sign-in without a session, even with an API token", async () => {
    for (const token of [undefined, DEMO.apiToken]) {
      const response = await call(`${CSV}?${WEEK}`, { token, headers: { accept: "text/html" } });
      expect(response.status).toBe(303);
      expect(response.headers.get("location")).toMatch(/^\/login\?/);
    }
    const browser = await signedIn();
    await rows("DELETE FROM sessions");
    expect((await browser.get(`${CSV}?${WEEK}`)).status).toBe(303);
  });

  it("is only for the user's own apps: another app is not found, like an unknown one", async () => {
    const browser = await signedIn();
    for (const app of [DEMO.otherAppToken, "nosuchapp000"]) {
      const { status, text } = await browser.get(`/account/apps/${app}/spend.csv?${WEEK}`);
      expect([
        status,
        text.includes("There is no app with this token, or you are not a member of it."),
      ]).toEqual([404, true]);
    }
  });

  it("rejects invalid days and groups", async () => {
    const browser = await signedIn();
    for (const query of [
      "from=2026-03-16",
      "from=2026-02-30&to=2026-03-01",
      "from=2026-03-02&to=2026-03-01",
      `${WEEK}&group_by=x`,
      `${WEEK}&links=x`,
    ]) {
      const { status } = await browser.get(`${CSV}?${query}`);
      expect(status).toBe(400);
    }
  });
});
