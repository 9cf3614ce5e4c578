/** A link's page, and its QR code. */
import { beforeEach, describe, expect, it } from "vitest";
import { type Browser, freshSession } from "../account/support.ts";
import { ask, click, countingDatabase, DAY, DEMO, ledgerOn, NOW, rows, sendCost, view } from "../harness.ts";
import { freshLedger, inLedger } from "../support.ts";
import { APP, decode, figuresOf, hrefOf, linksOf, mainOf, open, tablesOf, textOf } from "./page-text.ts";

const LINK = `${APP}/links/demo1nk003`;

let browser: Browser;
beforeEach(async () => {
  browser = await freshSession(freshLedger);
});

const section = (page: string, id: string) =>
  textOf(new RegExp(`<section[^>]*aria-labelledby="${id}"[\\s\\S]*?</section>`).exec(page)?.[0] ?? "");

describe("a link's page", () => {
  it("leads to the links above it", async () => {
    const page = await open(browser, `${LINK}?period=30d`);
    const [crumbs = ""] = /<nav class="breadcrumb"[\s\S]*?<\/nav>/.exec(page) ?? [];
    expect(textOf(crumbs)).toBe("Links Acme Spring Runners");
    expect(linksOf(crumbs).map(({ href }) => href)).toEqual([
      `${APP}/links?period=30d`,
      `${APP}/links/demo1nk001?period=30d`,
      `${APP}/links/demo1nk002?period=30d`,
    ]);
  });

  it("has the URLs of the API, with marked macros", async () => {
    await rows("UPDATE partners SET click_parameters = 'a={x}&b=%%Y Z%%&c=[z]&d=<p>' WHERE id = 1");
    const { body } = await ask<{ data: { items: { click_url: string; impression_url: string }[] } }>(
      `/public/v1/apps/${DEMO.appToken}/trackers/demo1nk003`,
      { token: DEMO.apiToken },
    );
    const [link] = body.data.items;
    const page = await open(browser, LINK);
    const urls = [...page.matchAll(/<code aria-labelledby="\w+-url"[^>]*>([\s\S]*?)<\/code>/g)].map(
      ([, url = ""]) => url,
    );
    expect(urls.map((url) => decode(url.replace(/<\/?mark>/g, "")))).toEqual([
      link?.click_url,
      link?.impression_url,
    ]);
    const marks = [...(urls[0] ?? "").matchAll(/<mark>(.*?)<\/mark>/g)].map(([, mark]) => mark);
    expect(marks.slice(0, 3)).toEqual(["{x}", "%%Y Z%%", "[z]"]);
    const copied = [...page.matchAll(/data-copy="([^"]*)"/g)].map(([, url = ""]) => decode(url));
    expect(copied).toContain(link?.click_url);
    expect(copied).toContain(link?.impression_url);
  });

  it("has its URLs, its QR code and its test above its figures, and what explains them below", async () => {
    await click("link-page-order-1", { link: "demo1nk003" });
    const page = mainOf(await open(browser, LINK));
    const parts = [
      'aria-labelledby="urls"',
      "/qr.svg",
      "data-test-link",
      'class="figures"',
      'class="daily-chart"',
      'id="sub-links"',
      'id="costs"',
      'id="leads"',
    ];
    const places = parts.map((part) => page.indexOf(part));
    expect(places.every((place) => place > 0)).toBe(true);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
  });

  it("leads to its test, which links elsewhere than to the click URL", async () => {
    const page = await open(browser, LINK);
    expect(hrefOf(page, "Test link")).toBe(`${LINK}/test`);
    expect(page).not.toContain("?s2s=1");
  });

  it("shows figures, charts, costs by type and sub-links with everything below it", async () => {
    await click("link-page-click-1", { link: "demo1nk004" });
    await sendCost({ cost_id: "link-page-click-1", cost_amount: "1.5" });
    await click("link-page-click-2", { link: "demo1nk003" });
    await sendCost({ cost_id: "link-page-click-2" });
    await view("link-page-view-1", { link: "demo1nk005" });
    await sendCost({ cost_id: "link-page-view-1", cost_amount: "3", cost_type: "cpm", cost_currency: "EUR" });
    await click("", { link: "demo1nk001" });
    const page = await open(browser, LINK);
    expect(figuresOf(page)).toEqual([
      // One matched cost each, so by code.
      "Spend in EUR <€0.01",
      "Spend in USD $1.50",
      "Clicks 2",
      "Impressions 1",
      "Matched costs 2",
    ]);
    expect(hrefOf(page, "1 cost without amount")).toBe("#costs");
    expect(section(page, "sub-links")).toMatch(/Video 15s.*1 \$1\.50 \$1\.500.*Video 30s.*0 <€0\.01 no cpc/);
    const [costs] = tablesOf(page.slice(page.indexOf('id="costs"')));
    expect(costs?.map(({ cells }) => cells)).toEqual([
      ["Type", "Spend", "Average cost", "Matched costs", "Costs without amount"],
      ["cpc in USD", "$1.50", "$1.50", "1", "1"],
      ["cpm in EUR", "<€0.01", "€3.00", "1", "0"],
    ]);
    expect(page.match(/<figure class="daily-chart/g)).toHaveLength(3);
    expect(page.match(/aria-label="15 Mar 2026, so far: /g)).toHaveLength(3);
    // Today isn't over, so it isn't compared.
    expect(page).not.toContain("Previous period");
    await open(browser, hrefOf(page, "cpc in USD"));
    expect(textOf(await open(browser, hrefOf(page, "Show in Links")))).toContain("Close Runners");
  });

  it("compares days that are over with those before, in the figures and in the charts", async () => {
    const key = (daysAgo: number) => `'${DEMO.appToken}', ${Math.floor(NOW / DAY) - daysAgo}, 3, 1`;
    const day = (daysAgo: number, count: number) => [
      `INSERT INTO daily_engagements VALUES (${key(daysAgo)}, 'click', ${count}, ${count})`,
      `INSERT INTO daily_totals VALUES (${key(daysAgo)}, 'cpc', 'USD', 'matched', ${count}, ${count * 100_000})`,
    ];
    await inLedger("DELETE FROM daily_engagements", "DELETE FROM daily_totals", ...day(2, 4));
    const week = "from=2026-03-08&to=2026-03-14";
    const fresh = await open(browser, `${LINK}?${week}`);
    // Without anything before, nothing changed.
    expect(figuresOf(fresh).slice(0, 2)).toEqual(["Spend in USD $4.00", "Clicks 4"]);
    expect(fresh).not.toContain("Previous period");
    await inLedger(...day(9, 2));
    const page = await open(browser, `${LINK}?${week}`);
    expect(figuresOf(page).slice(0, 2)).toEqual(["Spend in USD $4.00 ▲ +100%", "Clicks 4 ▲ +100%"]);
    expect(textOf(page)).toContain("Compared with 1 – 7 Mar 2026.");
    expect(page).toContain('aria-label="13 Mar 2026: $4.00 (cpc $4.00,\nPrevious period $2.00,\nNot final)"');
    expect(page).toContain('aria-label="13 Mar 2026: 4 (Previous period 2)"');
  });

  it("shows at most 50 sub-links, and leads to the others", async () => {
    await rows(
      `INSERT INTO links (token, app_token, parent_id, level, label, created_at)
       WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 51)
       SELECT 'many' || i, '${DEMO.appToken}', 3, 4, 'A ' || i, 0 FROM n`,
    );
    const text = section(await open(browser, LINK), "sub-links");
    expect(text.match(/\bA \d+ Creative/g)).toHaveLength(50);
    expect(text).toContain("The first 50 of 53 by name.");
    expect(mainOf(await open(browser, `${APP}/links/demo1nk004`))).not.toContain("Sub-links");
  });

  it("lists dropped parameters with their reasons and counts, of 14 days", async () => {
    await click("short", { link: "demo1nk003" });
    await click("short", { link: "demo1nk003", now: NOW - 13 * DAY });
    await click("{cost_id_macro}", { link: "demo1nk003" });
    await click("short", { link: "demo1nk003", now: NOW - 14 * DAY });
    await click("short", { link: "demo1nk004" });
    const page = await open(browser, LINK);
    const [problems] = tablesOf(page.slice(page.indexOf('id="problems"')));
    expect(problems?.map(({ cells }) => cells)).toEqual([
      ["Parameter and reason", "Count", "Last seen"],
      ["cost_id The value is not valid.", "2", "15 Mar 2026"],
      ["cost_id The network did not replace its macro.", "1", "15 Mar 2026"],
    ]);
  });

  it("leaves out cards that have nothing to show", async () => {
    const idle = await open(browser, `${APP}/links/demo1nk008`);
    expect(idle).toContain('id="click-url"');
    for (const id of ["problems", "history"]) expect(idle).not.toContain(`id="${id}"`);
  });

  it.each([
    ["an archived link", "UPDATE links SET archived = 1", "This link is archived. It still redirects"],
    [
      "a stopped partner",
      `UPDATE partners SET stopped_at = ${NOW} WHERE id = 1`,
      "Acme Ads is stopped. Its costs are rejected.",
    ],
    [
      "a partner that lost its cost data",
      "UPDATE partners SET supports_cost_data = 0, integrated_types = 0 WHERE id = 1",
      "Cost data is on, but Acme Ads has no cost data yet.",
    ],
    [
      "a switch that is off",
      "UPDATE links SET cost_switch = 0 WHERE id = 1",
      "No costs: cost data is off for this link.",
    ],
    [
      "no partner",
      "UPDATE links SET partner_id = NULL, cost_switch = NULL",
      "No costs: this link has no partner.",
    ],
  ])("explains %s", async (_, change, text) => {
    const before = textOf(await open(browser, LINK));
    expect(before).toContain("No cost matched a click or an impression of these days.");
    expect(before).not.toContain(text);
    await rows(change);
    expect(textOf(await open(browser, LINK))).toContain(text);
  });

  it("explains a partner without cost data", async () => {
    expect(textOf(await open(browser, `${APP}/links/demo1nk006`))).toContain(
      "No costs: Beacon Network has no cost data yet.",
    );
  });

  it("rejects days that don't exist with a way back", async () => {
    const { status, text } = await browser.get(`${LINK}?from=2026-02-30&to=x&color=red`);
    expect(status).toBe(400);
    expect(textOf(text)).toMatch(/The From date .* The To date .* color is not a known parameter/);
    expect(hrefOf(text, "Reset filters and dates")).toBe(LINK);
  });

  it("reads the session, then the link with its report, the figures of its sub-links, and its audience", async () => {
    const { database, counts } = countingDatabase();
    await open(browser, LINK, { env: { DB: database } });
    const { length } = ledgerOn().shards;
    // With shards, each of them for all three, and the links above those with figures.
    expect(counts).toMatchObject({ calls: 4 + (length > 0 ? 3 * length + 1 : 0), written: 0 });
  });
});

describe("the QR code", () => {
  it("is an image without styles, of the URL without macros", async () => {
    const { status, headers, text } = await browser.get(`${LINK}/qr.svg`);
    expect([status, headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(text).toMatch(
      /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" viewBox="0 0 \d+ \d+"><rect fill="white"[^>]*\/><path fill="black" d="[^"]*"\/><\/svg>$/,
    );
    expect(text).not.toMatch(/style|script/);
    const other = await browser.get(`${APP}/links/demo1nk004/qr.svg`);
    expect(other.text).not.toBe(text);
  });
});
