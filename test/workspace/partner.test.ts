/** The page of a partner in an app: what the API says of it, and the ways to and from it. */
import { beforeEach, describe, expect, it } from "vitest";
import { type Browser, freshSession, signedIn } from "../account/support.ts";
import {
  ask,
  click,
  countingDatabase,
  DAY,
  DEMO,
  env,
  freshWholeDemo,
  ledgerOn,
  NOW,
  rows,
  sendCost,
} from "../harness.ts";
import { inLedger } from "../support.ts";
import { APP, figuresOf, hrefOf, linksOf, mainOf, open, tablesOf, textOf } from "./page-text.ts";

let browser: Browser;
beforeEach(async () => {
  browser = await freshSession(freshWholeDemo);
});

const WEEK = "from=2026-03-08&to=2026-03-14";
const show = async (path: string) => mainOf(await open(browser, `${APP}/partners${path}`));

interface Status {
  clicks: number;
  impressions: number;
  coverage: string;
  funnel: { count: number; losses: { count: number }[] }[];
  spend: { currency: string; spend: string; cost_per_click: string }[];
}

it("has the figures and the steps of the API", async () => {
  const { body } = await ask<{ data: { items: [Status] } }>(
    `/public/v1/apps/${DEMO.appToken}/partners/1?${WEEK}`,
    { token: DEMO.apiToken },
  );
  const [status] = body.data.items;
  const page = await show(`/1?${WEEK}`);
  const figures = figuresOf(page).join();
  const money = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });
  const [usd] = status.spend;
  expect(usd?.currency).toBe("USD");
  expect(figures).toContain(`Spend in USD ${money.format(Number(usd?.spend))}`);
  expect(figures).toContain(`Cost per click in USD $${Number(usd?.cost_per_click).toFixed(3)}`);
  expect(figures).toContain(`Clicks ${status.clicks.toLocaleString("en-US")}`);
  expect(figures).toContain(`Coverage ${(Number(status.coverage) * 100).toFixed(1)}%`);
  const [, funnel = ""] = /<ol class="funnel">([\s\S]*?)<\/ol>/.exec(page) ?? [];
  const numbers = textOf(funnel.replace(/<title>.*?<\/title>|\d[\d.]*%/g, "")).match(/[\d,]+/g);
  const expected = status.funnel.flatMap(({ count, losses }) => [count, ...losses.map((loss) => loss.count)]);
  expect(numbers?.map((text) => Number(text.replaceAll(",", "")))).toEqual(expected);
});

it.each([
  [1.5, "worse"],
  [0.5, "better"],
])("the color of a price that changed by %s is also that of the operator's page", async (factor, tone) => {
  const operator = await signedIn(DEMO.operatorEmail, DEMO.operatorPassword);
  // A price of $0.50 before, and of this factor of it in the last seven days that are over.
  await inLedger(
    "DELETE FROM daily_totals",
    "DELETE FROM daily_engagements",
    ...[4, 11].flatMap((days) => {
      const day = Math.floor(NOW / DAY) - days;
      const amount = 50 * 50_000_000 * (days < 8 ? factor : 1);
      return [
        `INSERT INTO daily_engagements VALUES ('${DEMO.appToken}', ${day}, 2, 1, 'click', 100, 100)`,
        `INSERT INTO daily_totals VALUES ('${DEMO.appToken}', ${day}, 2, 1, 'cpc', 'USD', 'matched', 50, ${amount})`,
      ];
    }),
  );
  const changesOf = async (pages: Promise<string>[]) =>
    (await Promise.all(pages)).map((page) =>
      [...page.matchAll(/Cost per click in USD<[\s\S]*?class="(change[ \w]*)"/g)].map(([, name]) => name),
    );
  const shown = [show("/1?period=7d"), open(operator, "/operator/partners/1")];
  expect(await changesOf(shown)).toEqual([[`change ${tone}`], [`change ${tone}`]]);
});

describe("the state", () => {
  it("is the same on every page, also of a partner without a link in the app", async () => {
    await env.DB.exec("UPDATE links SET partner_id = 1 WHERE partner_id = 3");
    const operator = await signedIn(DEMO.operatorEmail, DEMO.operatorPassword);
    const list = tablesOf(mainOf(await open(operator, "/operator/partners")))[0] ?? [];
    const expected = { 1: "Live", 2: "No cost data yet", 3: "No cost data yet", 4: "Stopped", 5: "Live" };
    const partners = await show("");
    const ofMember = tablesOf(partners).flat();
    for (const [id, state] of Object.entries(expected)) {
      const [row] = await rows<{ name: string }>(
        "SELECT display_name AS name FROM partners WHERE id = ?",
        Number(id),
      );
      const name = row?.name ?? "";
      expect([name, list.find(({ cells }) => cells[0] === name)?.cells[1]]).toEqual([name, state]);
      expect([name, ofMember.find(({ cells }) => cells[0]?.startsWith(name))?.cells[1]]).toEqual([
        name,
        state,
      ]);
      expect(await show(`/${id}`)).toContain(`<h1><bdi>${name}</bdi></h1><span class="badge`);
      expect(textOf(await show(`/${id}`))).toContain(`Partners ${name} ${name} ${state} `);
    }
  });

  it("says what it means and since when, and whom to ask", async () => {
    expect(textOf(await show("/4"))).toContain(
      "Stopped by an operator on 12 Mar 2026, 12:00 UTC . Its costs are rejected,",
    );
    expect(textOf(await show("/3"))).toMatch(
      /Corsair Media is in an integration round \(opened \d+ \w+ 2026/,
    );
    expect(textOf(await show("/2"))).toContain("Beacon Network has no cost data yet.");
    expect(textOf(await show("/1"))).toContain("Last click Not known yet");
    const silent = `INSERT INTO partner_activity VALUES (1, ${NOW / 3_600_000}, 0, 1, 1, ${NOW - 2 * DAY}, ${NOW}, 0)`;
    await env.DB.exec(silent);
    const page = textOf(await show("/1"));
    expect(page).toContain("No cost after 13 Mar 2026, 12:00 UTC . Ask the partner.");
    // The badge is that of the lists, also for operators.
    expect(page).toContain("Acme Ads Acme Ads No cost after 13 Mar ");
    const operator = await signedIn(DEMO.operatorEmail, DEMO.operatorPassword);
    const ofOperator = textOf(mainOf(await open(operator, "/operator/partners/1")));
    expect(ofOperator).toContain("Acme Ads Acme Ads No cost after 13 Mar ");
    expect(ofOperator).toMatch(/cpm No cost after 13 Mar Last cost/);
    expect(ofOperator).not.toMatch(/ Live .* Last cost/);
    expect(page).toContain("14 Mar 2026 No cost from Acme Ads after 13 Mar");
    expect(await show("/1?from=2026-03-01&to=2026-03-12")).not.toContain("No cost from");
  });
});

it("compares its figures with the days before, and says of what a percentage is", async () => {
  const page = await show(`/1?${WEEK}`);
  const performance = `/public/v1/apps/${DEMO.appToken}/performance?partner_id=1&currency=USD&from=2026-03-08&to=2026-03-14`;
  const { body } = await ask<{ data: { items: [{ spend: string; previous: { spend: string } }] } }>(
    performance,
    {
      token: DEMO.apiToken,
    },
  );
  const [{ spend, previous }] = body.data.items;
  const change = (100 * (Number(spend) - Number(previous.spend))) / Number(previous.spend);
  const figures = figuresOf(page);
  expect(figures.find((text) => text.startsWith("Spend in USD"))).toContain(
    `${Math.abs(change).toFixed(1)}%`,
  );
  expect(figures.find((text) => text.startsWith("Clicks"))).toMatch(/[▲▼] [+−]?[\d.]+%$/);
  expect(figures.find((text) => text.startsWith("Coverage"))).toMatch(/^Coverage [\d.]+% of [\d,]+ clicks$/);
  // The coverage of impressions is in the text below.
  expect(textOf(page)).toMatch(/in any currency\. Coverage of \d+ impressions: [\d.]+%\./);
  expect(textOf(page)).toContain("Compared with 1 – 7 Mar 2026.");
  expect(textOf(page)).toMatch(/With a cost ID [\d,]+ [\d.]+% of all/);
  // The chart has a line of the days before.
  expect(textOf(page)).toContain("Previous period");
  const today = await show("/1?period=today");
  expect(textOf(today)).toContain("Today isn't over, so it isn't compared with the days before.");
  expect(figuresOf(today).join()).not.toMatch(/[▲▼]/);
});

it("shows rejected costs by reason, and the newest with the end of their IDs", async () => {
  await click("partner-late-0001", { now: NOW - 8 * DAY });
  await sendCost({ cost_id: "partner-late-0001" });
  const page = await show("/1?period=today");
  expect(textOf(page)).toContain("1 cost: The click or impression is more than seven days old");
  expect(textOf(page)).toContain("…e-0001");
  // These don't depend on the days of the page.
  expect(textOf(page)).toContain("The newest of the last 7 days");
  expect(page).not.toContain("partner-late");
  const list = mainOf(await open(browser, hrefOf(page, "Show all")));
  expect(hrefOf(list, "Acme Ads")).toBe(`${APP}/partners/1?period=today`);
});

it("keeps the days on every way to other pages, and leads to its links", async () => {
  const page = await show(`/1?${WEEK}`);
  expect(hrefOf(page, "Partners")).toBe(`${APP}/partners?${WEEK}`);
  for (const name of ["Show all in Performance", "Show its links"]) {
    const href = hrefOf(page, name);
    expect(href).toContain(WEEK);
    await open(browser, href);
  }
  const links = linksOf(page).filter(({ href }) => href.startsWith(`${APP}/links/demo`));
  expect(links.length).toBeGreaterThan(3);
  for (const { href } of links) expect(href).toContain(WEEK);
});

it("names the currency of the amounts of its links, and leads to those in others", async () => {
  const page = await show(`/1?${WEEK}`);
  const [head, ...lines] = tablesOf(page).at(-1) ?? [];
  expect(head?.cells).toEqual(["Campaign", "Spend in USD", "Clicks", "Cost per click in USD", "Coverage"]);
  const spendOf = (name: string) => lines.find(({ cells }) => cells[0] === name)?.cells[1];
  expect(spendOf("Acme › Retargeting")).toBe("in EUR");
  expect(spendOf("Acme › Spring")).toMatch(/^\$[\d.]+ \+ EUR$/);
  expect(spendOf("Acme › Brand search")).toMatch(/^\$[\d.]+$/);
  const [, row = ""] = /(<tr[^>]*>(?:(?!<tr)[\s\S])*Retargeting[\s\S]*?<\/tr>)/.exec(page) ?? [];
  const performance = tablesOf(mainOf(await open(browser, hrefOf(row, "in EUR"))));
  expect(performance[0]?.find(({ cells }) => cells[0]?.includes("Retargeting"))?.cells[1]).toMatch(/^€[1-9]/);
});

describe("the name of a partner leads to its page", () => {
  it.each([
    [`/partners?${WEEK}`, "Acme Ads"],
    [`/partners?${WEEK}`, "Beacon Network"],
    [`/links?${WEEK}`, "Acme Ads"],
    [`/links/${DEMO.linkToken}?${WEEK}`, "Acme Ads"],
    [`/performance?${WEEK}&group_by=partner`, "Acme Ads"],
    [`?${WEEK}`, "Delta Reach"],
    [`?${WEEK}`, "Open partner"],
  ])("on %s: %s", async (path, name) => {
    const links = linksOf(mainOf(await open(browser, APP + path))).filter(({ text }) => text === name);
    const { href = "" } = links.at(-1) ?? {};
    expect(href).toMatch(new RegExp(`^${APP}/partners/\\d\\?${WEEK}$`));
    expect(textOf(mainOf(await open(browser, href)))).toContain(name.replace("Open partner", "Delta Reach"));
  });
});

it("marks what happened on its chart, and lists it", async () => {
  const detail = JSON.stringify({ stopped_at: { from: null, to: "2026-03-12T12:00:00.000Z" } });
  await rows(
    "INSERT INTO audit_log (happened_at, user_id, action, subject, detail) VALUES (?, 2, 'update partner', 'partner 4', ?)",
    NOW - 3 * DAY,
    detail,
  );
  const page = await show(`/4?${WEEK}`);
  expect(textOf(page)).toContain("12 Mar 2026 Delta Reach was stopped by an operator");
});

it("charts clicks where there is no spend, with the same events", async () => {
  await inLedger("DELETE FROM daily_totals");
  await rows(
    "INSERT INTO audit_log (happened_at, user_id, action, subject, detail) VALUES (?, 2, 'update partner', 'partner 1', ?)",
    NOW - 3 * DAY,
    JSON.stringify({ stopped_at: { from: null, to: "2026-03-12T12:00:00.000Z" } }),
  );
  const page = await show(`/1?${WEEK}`);
  expect([...page.matchAll(/<figcaption><span[^>]*>([^:]*)/g)].map(([, title]) => title)).toEqual([
    "Clicks by day",
  ]);
  expect(page).toMatch(/aria-label="12 Mar 2026: [^"]*Acme Ads was stopped by an operator\)"/);
});

it("is not found for an unknown partner, an ID that is none, and the app of others", async () => {
  for (const path of [`${APP}/partners/99`, `${APP}/partners/x`, `/apps/${DEMO.otherAppToken}/partners/1`])
    expect([path, (await browser.get(path)).status]).toEqual([path, 404]);
});

it("asks DB for the session, the sums, and the newest rejections, and each database for the reasons", async () => {
  await show("/1");
  await inLedger("DELETE FROM ledger_entries");
  const { database, counts } = countingDatabase();
  const { status } = await browser.get(`${APP}/partners/1`, { env: { DB: database } });
  const shards = ledgerOn().shards.length;
  expect([status, counts.written]).toEqual([200, 0]);
  expect(counts.calls).toBeLessThanOrEqual(4 + 4 * shards);
});
