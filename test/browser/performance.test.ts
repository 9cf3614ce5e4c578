/** The Performance page: rows open and are sorted in place, without a script too, and the question it answers takes two clicks. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { checkEveryWidth, checkFits, service, useDemoUsers } from "./browser.ts";

const openPage = useDemoUsers();
const APP = `/apps/${service.APP_TOKEN}`;
const PAGE = `${APP}/performance`;

const rowsOf = (page: Page) => page.getByRole("region", { name: /^Performance by/ }).locator("tbody tr");
const names = async (page: Page) =>
  (await rowsOf(page).locator("th a[href*='/links/']").allInnerTexts()).map((name) => name.trim());
const focused = (page: Page) =>
  page.evaluate("document.activeElement.textContent.trim().replace(/\\s+/g, ' ')");
const isSamePage = (page: Page) => page.evaluate("window.isSamePage ?? false");

describe("in place", () => {
  it("rows open into the level below, Back closes them, and the address is the view", async () => {
    const page = await openPage(PAGE);
    await page.evaluate("window.isSamePage = true");
    await page.getByRole("link", { name: "Open Spring", exact: true }).click();
    await page.getByRole("link", { name: "Runners", exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get("open")).toBe("demo1nk002");
    expect(await focused(page)).toBe("▾Close Spring");
    await page.getByRole("link", { name: "Open Runners", exact: true }).click();
    await page.getByRole("link", { name: "Video 15s", exact: true }).waitFor();
    // The file, the filters and what is saved have the same rows.
    expect(await page.getByRole("link", { name: "Download CSV" }).getAttribute("href")).toContain(
      "open=demo1nk002%2Cdemo1nk003",
    );
    await page.goBack();
    await page.getByRole("link", { name: "Video 15s", exact: true }).waitFor({ state: "detached" });
    await page.goForward();
    await page.getByRole("link", { name: "Video 15s", exact: true }).waitFor();
    expect(await isSamePage(page)).toBe(true);
    // The days of the chart still show their values.
    await page.locator(".plot a .area").nth(2).hover();
    await page.locator(".chart-tip:visible").waitFor();
    await page.reload();
    await page.getByRole("link", { name: "Video 15s", exact: true }).waitFor();
  });

  it("headings sort and turn around, with the focus on them, by keyboard too", async () => {
    const page = await openPage(`${PAGE}?level=4`);
    await page.evaluate("window.isSamePage = true");
    const sort = page.getByRole("columnheader", { name: "Cost per click" });
    await sort.getByRole("link").focus();
    await page.keyboard.press("Enter");
    await page.locator('th[aria-sort="descending"]', { hasText: "Cost per click" }).waitFor();
    expect(await focused(page)).toBe("Cost per click ▼");
    const highest = await names(page);
    const charted = () => page.locator(".legend tr[data-mark='1'] th").innerText();
    expect(await charted()).toContain(highest[0]);
    await page.keyboard.press("Enter");
    await page.locator('th[aria-sort="ascending"]', { hasText: "Cost per click" }).waitFor();
    expect(await focused(page)).toBe("Cost per click ▲");
    expect((await names(page))[0]).not.toBe(highest[0]);
    // The lines of the chart are the first rows, and its days are of them.
    expect(await charted()).not.toContain(highest[0]);
    await page.locator(".plot a .area").last().hover();
    await page.locator(".chart-tip:visible").waitFor();
    expect(new URL(page.url()).searchParams.get("sort")).toBe("cost_per_click");
    await page.goBack();
    await page.locator('th[aria-sort="descending"]', { hasText: "Cost per click" }).waitFor();
    expect([await names(page), await isSamePage(page)]).toEqual([highest, true]);
  });

  it("without a script, both are links", async () => {
    const page = await openPage(PAGE, { javaScriptEnabled: false });
    await page.getByRole("link", { name: "Open Spring", exact: true }).click();
    await page.getByRole("link", { name: "Runners", exact: true }).waitFor();
    await page.getByRole("link", { name: "Cost per click", exact: true }).last().click();
    await page.locator('th[aria-sort="descending"]', { hasText: "Cost per click" }).waitFor();
    await page.getByRole("link", { name: "Runners", exact: true }).waitFor();
    await page.getByLabel("Search rows").fill("brand");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("link", { name: "Remove filter Rows with: brand" }).waitFor();
    expect(await names(page)).toEqual(["Brand search"]);
    await page.getByText("+ Filter").click();
    await page.getByLabel("Platform").selectOption("ios");
    await page.getByRole("button", { name: "Apply" }).last().click();
    await page.getByRole("link", { name: "Remove filter Platform: iOS" }).click();
    await page.getByRole("link", { name: "Remove filter Rows with: brand" }).click();
    await page.getByRole("link", { name: "Open Spring", exact: true }).waitFor();
  });
});

it("two clicks from sign-in say which campaign has the highest cost per click this week, and whether it rises", async () => {
  // Where a sign-in leads: with one app, to its overview.
  const page = await openPage("/apps");
  expect(new URL(page.url()).pathname).toBe(APP);
  let clicks = 0;
  page.on("framenavigated", () => clicks++);
  await page.getByRole("link", { name: "Performance", exact: true }).click();
  await page.getByRole("columnheader", { name: "Cost per click" }).getByRole("link").click();
  await page.locator('th[aria-sort="descending"]', { hasText: "Cost per click" }).waitFor();
  expect(clicks).toBe(2);
  expect(await page.locator(".period").innerText()).toMatch(/Last 7 days/);
  const [first] = await rowsOf(page).all();
  const cells = await first?.locator("th, td").allInnerTexts();
  const [name = "", , , , , cost = "", change = ""] = cells?.map((text) => text.trim()) ?? [];
  expect([name, cost, change]).toEqual([
    expect.stringMatching(/\S/),
    expect.stringMatching(/^\$\d+\.\d+$/),
    expect.stringMatching(/^(▲ \+|▼ −)?\d+\.\d%$/),
  ]);
  const costs = await rowsOf(page).locator('td[data-label="Cost per click"]').allInnerTexts();
  const values = costs.map((text) => Number(text.replace(/[^\d.]/g, "")));
  expect(Math.max(...values)).toBe(values[0]);
});

it("a view that is not saved keeps the name and leads to its field", async () => {
  const page = await openPage(`${PAGE}?group_by=partner`);
  const submit = async () => {
    await page.getByText("Save view").first().click();
    await page.getByLabel("Name of the view").fill("By partner");
    await page.getByRole("button", { name: "Save view" }).click();
  };
  await submit();
  await page.getByRole("status").getByText("View saved.").waitFor();
  await page.goto(`${PAGE}?group_by=week`);
  await submit();
  await page.getByRole("link", { name: "You have a view with this name." }).click();
  await page.keyboard.press("End");
  await page.keyboard.type(" and week");
  expect(await page.getByLabel("Name of the view").inputValue()).toBe("By partner and week");
  await checkEveryWidth(page, "performance-rejected");
  await page.getByRole("button", { name: "Save view" }).click();
  await page.getByRole("status").getByText("View saved.").waitFor();
  expect(new URL(page.url()).searchParams.get("group_by")).toBe("week");
});

describe("is accessible and fits", () => {
  it.each([
    ["performance", `${PAGE}?period=30d&open=demo1nk002,demo1nk003`],
    ["performance-rates", `${PAGE}?metric=cost_per_click&group_by=partner`],
    ["performance-days", `${PAGE}?period=90d&group_by=day`],
    ["performance-countries", `${PAGE}?group_by=country&metric=clicks`],
    ["performance-too-many", `${PAGE}?group_by=country&period=90d`],
    ["performance-none", `${PAGE}?q=nothing`],
  ])("%s", async (name, path) => {
    const page = await openPage(path);
    const filter = page.getByText("+ Filter");
    if (await filter.count()) await filter.click();
    await checkEveryWidth(page, name);
  });

  it("in print, without what only works on a screen", async () => {
    const page = await openPage(PAGE, { viewport: { width: 794, height: 1123 } });
    await page.emulateMedia({ media: "print" });
    await checkFits(page);
    expect(await page.getByRole("button", { name: "Search" }).isVisible()).toBe(false);
    const table = page.getByRole("region", { name: /^Performance by/ });
    // Nothing is cut at the edge of a sheet of A4.
    expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  });

  it.each(["", "/links", "/partners", `/links/${service.LINK_TOKEN}`])(
    "in print, all columns of the tables of the app: %s",
    async (path) => {
      const page = await openPage(`${APP}${path}`, { viewport: { width: 718, height: 1123 } });
      await page.emulateMedia({ media: "print" });
      const cut =
        "[...document.querySelectorAll('.table')].filter((t) => t.scrollWidth > t.clientWidth).length";
      expect(await page.locator(".table").count()).toBeGreaterThan(0);
      expect(await page.evaluate(cut)).toBe(0);
    },
  );

  it("on a phone, cards with spend and cost per click, whose other figures open without a script", async () => {
    const page = await openPage(PAGE, { viewport: { width: 390, height: 844 }, javaScriptEnabled: false });
    const card = rowsOf(page).first();
    const shown = () =>
      card.locator("td:visible").evaluateAll((cells) => cells.map((cell) => cell.getAttribute("data-label")));
    expect((await shown()).slice(0, 3)).toEqual(["Spend", "Cost per click", "Change"]);
    await card.locator("summary").focus();
    await page.keyboard.press("Enter");
    expect((await shown()).slice(0, 8)).toEqual([
      "Spend",
      "Change",
      "Clicks",
      "Change",
      "Cost per click",
      "Change",
      "Matched",
      "Coverage",
    ]);
    await checkFits(page);
  });

  it("in forced colors, each line of the chart and of the legend with dashes of its own", async () => {
    const page = await openPage(`${PAGE}?metric=cost_per_click&level=4&period=30d`, {
      forcedColors: "active",
    });
    const dashes = (container: string) =>
      page.evaluate<string[]>(
        `[...document.querySelectorAll(".daily-chart ${container} .line[class*=series-]")].map((line) => getComputedStyle(line).strokeDasharray).sort()`,
      );
    const drawn = await dashes(".plot");
    expect(drawn.length).toBeGreaterThan(2);
    expect(new Set(drawn).size).toBe(drawn.length);
    expect(await dashes(".legend")).toEqual(drawn);
  });
});

describe("what changed", () => {
  const first = (page: Page) => page.locator(".what-changed .most a").first();

  it.each([PAGE, APP])(
    "is a sentence with an open list, without a script too, and leads to its rows: %s",
    async (path) => {
      const page = await openPage(path, { javaScriptEnabled: false });
      const part = page.locator(".what-changed").first();
      expect(await part.locator("p").first().innerText()).toMatch(/^Spend (fell|rose) \$/);
      expect(await part.locator("summary").first().isVisible()).toBe(false);
      const href = await first(page).getAttribute("href");
      await first(page).click();
      expect(await page.locator("h1").innerText()).toBe("Performance");
      expect(page.url()).toContain(href);
      expect(href).toMatch(/[?&]link=demo1nk\d{3}/);
    },
  );

  it("has the list closed on a phone", async () => {
    const page = await openPage(PAGE, { viewport: { width: 390, height: 800 } });
    const part = page.locator(".what-changed");
    expect(await part.locator("p").first().isVisible()).toBe(true);
    expect(await first(page).isVisible()).toBe(false);
    await part.locator("summary").first().click();
    expect(await first(page).isVisible()).toBe(true);
    await checkFits(page);
  });
});
