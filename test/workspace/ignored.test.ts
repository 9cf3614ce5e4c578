/** The report of ignored parameters: by parameter and reason, link and partner, with the figure of the Overview. */
import { beforeEach, expect, it } from "vitest";
import { type Browser, freshSession } from "../account/support.ts";
import { call, click, DAY, DEMO, freshDemo, NOW, rows } from "../harness.ts";
import { hrefOf, open, tablesOf, textOf } from "./page-text.ts";

const APP = `/apps/${DEMO.appToken}`;
const PAGE = `${APP}/ignored?period=today`;

let browser: Browser;
beforeEach(async () => {
  browser = await freshSession(freshDemo);
  // The first one is too short, the second one twice with different values.
  for (const link of [DEMO.linkToken, "demo1nk003", "demo1nk006"]) await click("short", { link });
  await call(`/${DEMO.linkToken}?cost_id=short&country=DE&country=FR`);
  await call(`/${DEMO.linkToken}?cost_id=short`, { headers: { "user-agent": "Googlebot/2.1" } });
});

const lines = (page: string) => (tablesOf(page)[0] ?? []).slice(1).map(({ cells }) => cells);

it("adds up to the figure of the Overview, which leads to it, and leaves out bots", async () => {
  const overview = await open(browser, `${APP}?period=today`);
  const [figure = "", count] = /(\d+) dropped URL parameters/.exec(textOf(overview)) ?? [];
  const page = await open(browser, hrefOf(overview, figure));
  expect(lines(page).at(-1)?.[0]).toBe("Total");
  expect(lines(page).at(-1)?.[2]).toBe(count);
  const [{ counted } = { counted: 0 }] = await rows<{ counted: number }>(
    "SELECT sum(count) AS counted FROM dropped_parameters WHERE reason <> 'bot'",
  );
  expect(Number(count)).toBe(counted);
  expect(textOf(page)).not.toContain("A bot opened");
});

it("lists parameters with their reasons, and leads to the links of each", async () => {
  const page = await open(browser, PAGE);
  const [first = []] = lines(page);
  expect(first[0]).toMatch(/^cost_id The value is not valid\./);
  expect(first.slice(1)).toEqual(["3", "4", "15 Mar 2026"]);
  const links = await open(browser, hrefOf(page, "cost_id"));
  expect(lines(links).map((cells) => cells.slice(0, 3))).toEqual([
    ["Acme", "Acme Ads", "2"],
    ["Acme › Spring › Runners", "Acme Ads", "1"],
    ["Beacon", "Beacon Network", "1"],
  ]);
  expect(hrefOf(links, "Beacon")).toBe(`${APP}/links/demo1nk006?period=today#problems`);
});

it("adds up by partner, searches, and is ordered by its headings", async () => {
  const page = await open(browser, `${PAGE}&group_by=partner`);
  expect(lines(page).map((cells) => cells.slice(0, 2))).toEqual([
    ["Acme Ads", "2"],
    ["Beacon Network", "1"],
    ["Total", "3"],
  ]);
  expect(lines(await open(browser, hrefOf(page, "Partner"))).map(([name]) => name)).toEqual([
    "Acme Ads",
    "Beacon Network",
    "Total",
  ]);
  expect(lines(await open(browser, `${PAGE}&group_by=link&q=runners`)).map(([name]) => name)).toEqual([
    "Acme › Spring › Runners",
  ]);
  expect(lines(await open(browser, `${PAGE}&group_by=link&partner=2`)).map(([name]) => name)).toEqual([
    "Beacon",
  ]);
});

it("keeps its days, and says that there are none", async () => {
  const none = await open(browser, `${APP}/ignored?from=2026-02-01&to=2026-02-02`);
  expect(textOf(none)).toContain("No parameters were dropped in these days.");
  await click("short", { now: NOW - DAY });
  const yesterday = await open(browser, `${APP}/ignored?from=2026-03-14&to=2026-03-14`);
  expect(lines(yesterday).at(-1)?.[2]).toBe("1");
  expect((await browser.get(`${APP}/ignored?group_by=color`)).status).toBe(400);
});
