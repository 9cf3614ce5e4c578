/** The Partners page of an app: its figures, its order, its search, and the partners that no link has. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Browser } from "../account/support.ts";
import { freshSession, signedIn } from "../account/support.ts";
import { ask, click, DAY, DEMO, freshWholeDemo, NOW, rows, sendCost } from "../harness.ts";
import { freshLedger, inLedger } from "../support.ts";
import { hrefOf, linksOf, mainOf, open, tablesOf, textOf } from "./page-text.ts";

const APP = `/apps/${DEMO.appToken}`;
// With shards, DB does not know that this is the first day, which is the period by default.
const TODAY = `${APP}/partners?period=today`;

let browser: Browser;
beforeEach(async () => {
  browser = await freshSession(freshLedger);
});

const lines = (page: string) => (tablesOf(page)[0] ?? []).slice(1).map(({ cells }) => cells);
const lineOf = (page: string, name: string) => lines(page).find(([first]) => first?.startsWith(name)) ?? [];
const namesAt = async (query: string) =>
  lines(await open(browser, `${APP}/partners?${query}`)).map(([name]) => name);
const headOf = (page: string) =>
  [...page.matchAll(/<th scope="col"([^>]*)><a href="([^"]*)">([^<]*)/g)].map(
    ([, attributes = "", href = "", name = ""]) =>
      [textOf(name), /aria-sort="(\w+)"/.exec(attributes)?.[1], href.replaceAll("&amp;", "&")] as const,
  );

it("shows the state of each partner in the words of operators, its links, its spend and its coverage", async () => {
  for (const id of ["partners-click-1", "partners-click-2", "partners-click-3", "partners-click-4"])
    await click(id);
  await sendCost({ cost_id: "partners-click-1", cost_amount: "2" });
  const page = await open(browser, TODAY);
  expect(lineOf(page, "Acme Ads")).toEqual([
    ...["Acme Ads", "Live", "1 of 1 link", "4", "$2.00", "–", "$2.000", "25.0%"],
  ]);
  expect(lineOf(page, "Beacon Network")[1]).toBe("No cost data yet");
  expect(lineOf(page, "Corsair Media")[1]).toBe("No cost data yet");
  expect(textOf(await open(browser, hrefOf(page, "$2.00")))).toContain("Acme Ads");
  expect(textOf(await open(browser, hrefOf(page, "1 of 1 link")))).toContain("Acme");
  await rows(`UPDATE partners SET stopped_at = ${NOW} WHERE id = 1`);
  expect(lineOf(await open(browser, TODAY), "Acme Ads")[1]).toBe("Stopped");
});

describe("a partner that needs a look has it in the place of its state, for members and operators", () => {
  const insert = (table: string, values: string) => rows(`INSERT INTO ${table} VALUES (${values})`);
  const states = async () => {
    const operator = await signedIn(DEMO.operatorEmail, DEMO.operatorPassword);
    const [list = []] = tablesOf(mainOf(await open(operator, "/operator/partners")));
    const ofOperators = list.find(({ cells }) => cells[0] === "Acme Ads")?.cells ?? [];
    return [lineOf(await open(browser, `${APP}/partners?period=7d`), "Acme Ads"), ofOperators];
  };
  beforeEach(async () => {
    browser = await freshSession(freshWholeDemo);
  });

  it("which is first that it sends no cost", async () => {
    await insert("partner_rates", `1, 'cpc', ${NOW}, 10, 20, 20, 1`);
    await insert("partner_activity", `1, 1, 0, 1, 1, ${NOW - 2 * DAY}, ${NOW}, 0`);
    for (const [, state] of await states()) expect(state).toBe("No cost after 13 Mar");
    await rows(`UPDATE partners SET stopped_at = ${NOW} WHERE id = 1`);
    for (const [, state] of await states()) expect(state).toBe("Stopped");
  });

  it("then a high discrepancy, of the app for its members", async () => {
    await insert("partner_rates", `1, 'cpc', ${NOW}, 95, 100, 100, 95`);
    await insert("app_rates", `'${DEMO.appToken}', 1, 'cpc', 40, 30`);
    expect((await states()).map(([, state]) => state)).toEqual(["Discrepancy 25.0%", "Discrepancy 5.0%"]);
    await rows("UPDATE partner_rates SET agreeing = 96");
    await rows("UPDATE app_rates SET agreeing = 39");
    for (const [, state] of await states()) expect(state).toBe("Live");
  });

  it("then a low coverage, which is marked, by the same share", async () => {
    await inLedger("UPDATE daily_engagements SET recorded = 2 * recorded WHERE partner_id = 1");
    for (const [, state] of await states()) expect(state).toMatch(/^5[01]% no cost$/);
    const page = await open(browser, `${APP}/partners?period=7d`);
    expect(page).toMatch(/<span class="badge warn">49\.\d%<\/span>/);
    // A total isn't marked.
    await inLedger("UPDATE daily_engagements SET recorded = 2 * recorded");
    const [, total = ""] = (await open(browser, `${APP}/partners?period=7d`)).split("<tfoot>");
    expect(total).toMatch(/>\d\d\.\d%</);
    expect(total).not.toContain("badge");
  });
});

it("counts links with a partner of their own as on while they inherit it from any level", async () => {
  await rows("UPDATE links SET partner_id = 1, cost_switch = NULL WHERE id IN (2, 3, 4)");
  const counted = async () => lineOf(await open(browser, TODAY), "Acme Ads")[2];
  for (const [change, on] of [
    ["cost_switch = 1 WHERE id = 1", "4"],
    ["cost_switch = 0 WHERE id = 2", "1"],
    ["cost_switch = 1 WHERE id = 3", "3"],
    ["cost_switch = NULL WHERE id IN (1, 2, 3)", "0"],
  ] as const) {
    await rows(`UPDATE links SET ${change}`);
    expect(await counted(), change).toBe(`${on} of 4 links`);
  }
});

it("says nothing of links where each partner has one, with cost data on", async () => {
  const headings = async () => headOf(await open(browser, TODAY)).map(([name]) => name);
  expect(await headings()).toContain("Cost data on");
  await rows("UPDATE links SET cost_switch = 1 WHERE partner_id IS NOT NULL");
  await rows("UPDATE partners SET integrated_types = 15");
  expect(await headings()).not.toContain("Cost data on");
});

it("shows each currency of a partner with its own price", async () => {
  for (const [id, cost_currency, cost_amount] of [
    ["partners-click-1", "USD", "2"],
    ["partners-click-2", "EUR", "3"],
  ] as const) {
    await click(id);
    await sendCost({ cost_id: id, cost_amount, cost_currency });
  }
  const page = await open(browser, TODAY);
  expect(lineOf(page, "Acme Ads").slice(4, 7)).toEqual(["€3.00 $2.00", "– –", "€3.000 $2.000"]);
  // A phone shows the first amount and the other currency, also in the total.
  expect(page.match(/ data-more="[^"]*"/g)).toEqual(Array(2).fill(' data-more="+ USD"'));
  const hrefs = linksOf(page).map(({ href }) => href);
  for (const currency of ["EUR", "USD"])
    expect(hrefs).toContain(`${APP}/performance?period=today&partner_id=1&currency=${currency}`);
});

it("counts unpriced costs in the total that the Overview leads to", async () => {
  await click("partners-click-1");
  expect(headOf(await open(browser, TODAY)).map(([name]) => name)).not.toContain("Costs without amount");
  await sendCost({ cost_id: "partners-click-1" });
  const overview = await open(browser, `${APP}?period=today`);
  const page = await open(browser, hrefOf(overview, "1 cost without amount"));
  expect(lines(page).at(-1)?.[0]).toBe("Total, 5 partners");
  expect(lines(page).at(-1)?.at(-1)).toBe("1");
  expect(lines(page)[0]?.[0]).toBe("Acme Ads");
});

it("explains how to attach a partner, and lists those that are not attached", async () => {
  await rows("UPDATE links SET partner_id = NULL, cost_switch = NULL");
  const page = await open(browser, `${APP}/partners?from=2020-01-01&to=2020-01-02`);
  expect(textOf(page)).toContain("No link has a partner yet");
  expect(textOf(page.slice(page.indexOf('id="others"')))).toContain("Acme Ads Live cpc, cpi, cpe, cpm");
});

it("rejects what is no parameter", async () => {
  expect((await browser.get(`${APP}/partners?level=1`)).status).toBe(400);
});

it("is ordered by spend, and by each heading in both directions", async () => {
  browser = await freshSession(freshWholeDemo);
  const days = "period=7d";
  const head = headOf(await open(browser, `${APP}/partners`));
  expect(head.map(([name, sorted]) => [name, sorted])).toEqual([
    ["Partner", undefined],
    ["Cost data on", undefined],
    ["Clicks", undefined],
    ["Spend", "descending"],
    ["Change", undefined],
    ["Cost per click", undefined],
    ["Coverage", undefined],
  ]);
  // Those with costs in the currency of most costs first, then the other one, then those without.
  expect(await namesAt(days)).toEqual([
    ...["Acme Ads", "Delta Reach", "Echo Media", "Beacon Network", "Corsair Media", "Total, 5 partners"],
  ]);
  for (const [name, , href] of head) {
    const there = await open(browser, href);
    const [, sorted, back = ""] = headOf(there).find(([one]) => one === name) ?? [];
    expect([name, sorted]).toEqual([
      name,
      name === "Partner" || name === "Spend" ? "ascending" : "descending",
    ]);
    const turned = headOf(await open(browser, back)).find(([one]) => one === name);
    expect([name, turned?.[1]]).toEqual([name, sorted === "ascending" ? "descending" : "ascending"]);
    const number = (text = "") => (/\d/.test(text) ? Number(text.replaceAll(/[^\d.]/g, "")) : Number.NaN);
    if (name !== "Clicks") continue;
    const clicks = lines(there)
      .slice(0, -1)
      .map((cells) => number(cells[3]));
    expect(clicks).toEqual(clicks.toSorted((one, other) => other - one));
  }
});

it("has the spend and the change of the report, and is searched and filtered", async () => {
  browser = await freshSession(freshWholeDemo);
  const [cells = []] = lines(await open(browser, `${APP}/partners`));
  const { body } = await ask<{ data: { items: [{ spend: string; previous: { spend: string } }] } }>(
    `/public/v1/apps/${DEMO.appToken}/performance?partner_id=1&currency=USD`,
    { token: DEMO.apiToken },
  );
  const [{ spend, previous }] = body.data.items;
  const change = (100 * (Number(spend) - Number(previous.spend))) / Number(previous.spend);
  expect(cells[4]?.split(" ")[0]).toBe(`$${Number(spend).toFixed(2)}`);
  expect(cells[5]).toContain(`${Math.abs(change).toFixed(1)}%`);
  expect(await namesAt("q=MEDIA&sort=name")).toEqual(["Corsair Media", "Echo Media"]);
  expect(await namesAt("state=not_integrated&sort=name")).toEqual(["Beacon Network", "Corsair Media"]);
  const none = await open(browser, `${APP}/partners?q=zzz`);
  expect(textOf(none)).toContain("No partners match these filters.");
  expect(mainOf(none)).toContain("Clear filters");
  // The days stay.
  expect(hrefOf(await open(browser, `${APP}/partners?period=30d&q=e`), "Clicks")).toContain("period=30d&q=e");
});
