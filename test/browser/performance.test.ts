/** The Performance page: rows open and are sorted in place, without a script too, and the question it answers takes two clicks. */
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import {
  checkEveryWidth,
  checkFits,
  findViolations,
  service,
  signInNewMember,
  useBrowser,
  useDemoUsers,
} from "./browser.ts";
import { useTabs } from "./tabs.ts";

const openPage = useDemoUsers();
const lookAt = useTabs(openPage);
const open = useBrowser();
const APP = `/apps/${service.APP_TOKEN}`;
const PAGE = `${APP}/performance`;

const rowsOf = (page: Page) => page.getByRole("region", { name: /^Performance by/ }).locator("tbody tr");
const names = async (page: Page) =>
  (await rowsOf(page).locator("th a[href*='/links/']").allInnerTexts()).map((name) => name.trim());
const focused = (page: Page) =>
  page.evaluate("document.activeElement.textContent.trim().replace(/\\s+/g, ' ')");
const findNoViolations = async (page: Page) => expect(await findViolations(page)).toEqual([]);
const isSamePage = (page: Page) => page.evaluate("window.isSamePage ?? false");

describe("in place", () => {
  it("rows open into the level below, Back closes them, and the address is the view", async () => {
    const page = await openPage(PAGE);
    await page.evaluate("window.isSamePage = true");
    await page.getByRole("link", { name: "Open Spring", exact: true }).click();
    await page.getByRole("link", { name: "Runners", exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get("open")).toBe("demo1nk002");
    await expect.poll(() => focused(page)).toBe("▾Close Spring");
    await page.getByRole("link", { name: "Open Runners", exact: true }).click();
    await page.getByRole("link", { name: "Video 15s", exact: true }).waitFor();
    // The file, the filters and what is saved have the same rows.
    await expect
      .poll(() => page.getByRole("link", { name: "Download CSV" }).getAttribute("href"))
      .toContain("open=demo1nk002%2Cdemo1nk003");
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
    const page = await openPage(PAGE);
    await page.evaluate("window.isSamePage = true");
    const sort = page.getByRole("columnheader", { name: "Cost per click" });
    await sort.getByRole("link").focus();
    await page.keyboard.press("Enter");
    await page.locator('th[aria-sort="descending"]', { hasText: "Cost per click" }).waitFor();
    await expect.poll(() => focused(page)).toBe("Cost per click ▼");
    const highest = await names(page);
    const charted = () => page.locator(".legend tr:not([data-mark='whole']) th").first().innerText();
    expect(await charted()).toContain(highest[0]);
    await page.keyboard.press("Enter");
    await page.locator('th[aria-sort="ascending"]', { hasText: "Cost per click" }).waitFor();
    await expect.poll(() => focused(page)).toBe("Cost per click ▲");
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
    await page.getByRole("link", { name: "Remove filter Table rows with: brand" }).waitFor();
    expect(await names(page)).toEqual(["Brand search"]);
    await page.getByText("+ Filter").click();
    await page.getByLabel("Platform").selectOption("ios");
    await page.getByRole("button", { name: "Apply" }).last().click();
    await page.getByRole("link", { name: "Remove filter Platform: iOS" }).click();
    await page.getByRole("link", { name: "Remove filter Table rows with: brand" }).click();
    await page.getByRole("link", { name: "Open Spring", exact: true }).waitFor();
  });
});

describe("while it loads", () => {
  const heading = (page: Page) =>
    page.getByRole("columnheader", { name: "Cost per click" }).getByRole("link");
  const isBusy = (page: Page) => page.locator("[data-part]").getAttribute("aria-busy");

  it("the part is busy, with a bar after 150 ms", async () => {
    const page = await openPage(PAGE);
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    await page.route(/sort=/, async (route) => {
      await answered;
      await route.continue();
    });
    await heading(page).click();
    await expect.poll(() => isBusy(page)).toBe("true");
    const bar = page.locator(".loading");
    await page.clock.runFor(149);
    await expect.poll(() => bar.count()).toBe(0);
    await page.clock.runFor(1);
    expect((await bar.boundingBox())?.y).toBe(0);
    answer();
    await page.locator('th[aria-sort="descending"]', { hasText: "Cost per click" }).waitFor();
    await expect.poll(async () => [await isBusy(page), await bar.count()]).toEqual([null, 0]);
  });

  it.each([
    ["the connection fails", (page: Page) => page.context().setOffline(true)],
    [
      "the server fails",
      (page: Page) => page.route(/sort=/, (route) => route.fulfill({ status: 503, body: "Busy" })),
    ],
  ])("says that %s, keeps what it has, and tries again", async (name, fail) => {
    const page = await openPage(PAGE);
    await page.evaluate("window.isSamePage = true");
    const before = await names(page);
    await fail(page);
    await heading(page).click();
    await page.getByRole("alert").getByText("Couldn't load.").waitFor();
    await expect
      .poll(async () => [await names(page), await isSamePage(page), await isBusy(page)])
      .toEqual([before, true, null]);
    if (name === "the server fails") await findNoViolations(page);
    const again = page.getByRole("button", { name: "Try again" });
    await again.click();
    await page.getByRole("alert").getByText("Couldn't load.").waitFor();
    await expect.poll(() => page.locator(".not-loaded").count()).toBe(1);
    await page.context().setOffline(false);
    await page.unrouteAll();
    await again.press("Enter");
    await page.locator('th[aria-sort="descending"]', { hasText: "Cost per click" }).waitFor();
    await expect
      .poll(async () => [await page.locator(".not-loaded").count(), await isSamePage(page)])
      .toEqual([0, true]);
    await expect.poll(() => focused(page)).toBe("Cost per click ▼");
  });

  it("the newest of two clicks counts", async () => {
    const page = await openPage(PAGE);
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    await page.route(/sort=-cost_per_click$/, async (route) => {
      await answered;
      await route.abort();
    });
    await heading(page).click();
    await page.getByRole("columnheader", { name: "Clicks" }).getByRole("link").click();
    await page.locator('th[aria-sort="descending"]', { hasText: "Clicks" }).waitFor();
    answer();
    await page.getByRole("link", { name: "Open Spring", exact: true }).click();
    await page.getByRole("link", { name: "Runners", exact: true }).waitFor();
    await expect.poll(() => page.locator(".not-loaded").count()).toBe(0);
  });
});

describe("with the keyboard", () => {
  it("a row of choices is one stop for Tab, in which the arrow keys move", async () => {
    const page = await openPage(`${PAGE}?sort=-clicks`);
    const heads = page.locator("thead a");
    await page.locator("thead [tabindex='0']").focus();
    await expect.poll(() => focused(page)).toBe("Clicks ▼");
    for (const [key, name] of [
      ["ArrowRight", "Change"],
      ["End", "Signal"],
      ["ArrowRight", "Signal"],
      ["Home", "Campaign"],
      ["ArrowLeft", "Campaign"],
    ] as const) {
      await page.keyboard.press(key);
      expect([key, await focused(page)]).toEqual([key, name]);
    }
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Tab");
    await expect.poll(() => focused(page)).toBe("Campaign");
    expect(await heads.evaluateAll((all) => all.filter((one) => one.tabIndex === 0).length)).toBe(1);
    await page.locator(".by [aria-current]").focus();
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "Week", exact: true }).click();
    await page.getByRole("columnheader", { name: "Week" }).waitFor();
    await page.locator(".figures a[aria-current]").focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.waitForURL(/metric=clicks/);
  });

  it("a column is added in the menu, which stays open", async () => {
    const page = await openPage(PAGE);
    await page.getByText("Columns", { exact: true }).click();
    await page.getByRole("link", { name: "Show Impressions" }).click();
    await page.getByRole("columnheader", { name: "Impressions" }).waitFor();
    await expect.poll(() => focused(page)).toBe("Hide✓ Impressions");
    await page.getByRole("link", { name: "Show Cost per install" }).click();
    await page.getByRole("columnheader", { name: "Cost per install" }).waitFor();
    await checkEveryWidth(page, "performance-columns");
  });
});

it("task 2: two clicks from sign-in say which campaign has the highest cost per click this week, and whether it rises", async () => {
  // Where a sign-in leads: with one app, to its overview.
  const page = await open();
  await signInNewMember(page);
  expect(new URL(page.url()).pathname).toBe(APP);
  let clicks = 0;
  page.on("framenavigated", () => clicks++);
  await page.getByRole("link", { name: "Performance", exact: true }).click();
  await page.getByRole("columnheader", { name: "Cost per click" }).getByRole("link").click();
  await page.locator('th[aria-sort="descending"]', { hasText: "Cost per click" }).waitFor();
  expect(clicks).toBe(2);
  await expect.poll(() => page.locator(".period").innerText()).toMatch(/Last 7 days/);
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
    await page
      .locator("summary")
      .filter({ hasText: /^(Views|By partner.*)$/ })
      .click();
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
  await expect.poll(() => page.getByLabel("Name of the view").inputValue()).toBe("By partner and week");
  await checkEveryWidth(page, "performance-rejected");
  await page.getByRole("button", { name: "Save view" }).click();
  await page.getByRole("status").getByText("View saved.").waitFor();
  expect(new URL(page.url()).searchParams.get("group_by")).toBe("week");
});

describe("is accessible and fits", () => {
  // `matrix` has the others.
  it.each([
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
    const page = await lookAt(PAGE, 794, 1123, "print");
    await checkFits(page);
    await expect.poll(() => page.getByRole("button", { name: "Search" }).isVisible()).toBe(false);
    const table = page.getByRole("region", { name: /^Performance by/ });
    // Nothing is cut at the edge of a sheet of A4.
    expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  });

  it.each(["", "/links", "/partners", `/links/${service.LINK_TOKEN}`])(
    "in print, all columns of the tables of the app: %s",
    async (path) => {
      const page = await lookAt(`${APP}${path}`, 718, 1123, "print");
      const cut =
        "[...document.querySelectorAll('.table')].filter((t) => t.scrollWidth > t.clientWidth).length";
      await expect.poll(() => page.locator(".table").count()).toBeGreaterThan(0);
      expect(await page.evaluate(cut)).toBe(0);
    },
  );

  it("with a name in Arabic that is cut at its end, at the left", async () => {
    const page = await lookAt(PAGE, 1280);
    const shown = await page.evaluate(`(() => {
      const name = document.querySelector(".performance .name > a > bdi");
      const text = name.textContent;
      name.textContent = "شبكة الخليج للإعلان ".repeat(20);
      const isCut = (part) => part.scrollWidth > part.clientWidth;
      const shown = [getComputedStyle(name).direction, isCut(name), isCut(name.parentElement)];
      name.textContent = text;
      return shown;
    })()`);
    expect(shown).toEqual(["rtl", true, false]);
  });

  it.each([
    ["", 0],
    ["/performance", 800],
    ["/partners/1", 0],
    [`/links/${service.LINK_TOKEN}`, 0],
  ])("on a tablet, with all columns in view: %s", async (path, lastTop) => {
    const page = await lookAt(`${APP}${path}`, 768);
    const tables = await page.evaluate<[number, number][]>(
      `[...document.querySelectorAll(".table")].map((table) => [
        table.scrollWidth - table.clientWidth,
        table.querySelector("tbody tr").getBoundingClientRect().top,
      ])`,
    );
    expect(tables.length).toBeGreaterThan(0);
    for (const [hidden, top] of tables) {
      expect(hidden).toBe(0);
      if (lastTop > 0) expect(top).toBeLessThan(lastTop);
    }
  });

  it.each(["?group_by=day", "?group_by=day&period=90d"])(
    "with a chart of the whole width if its legend is short: %s",
    async (query) => {
      const page = await lookAt(PAGE + query, 1280);
      const [card, plot, label] = await page.evaluate<{ width: number; right: number }[]>(
        `[".card.charts", ".plot .grid", ".plot .day:last-of-type"].map((one) => [...document.querySelectorAll(one)].at(-1).getBoundingClientRect().toJSON())`,
      );
      if (!card || !plot || !label) throw new Error("There is no chart.");
      expect(plot.width).toBeGreaterThan(card.width * 0.9);
      expect(label.right).toBeLessThan(card.right - 8);
    },
  );

  it("on a phone, with each menu in view", async () => {
    const page = await lookAt(PAGE, 390);
    const ends = await page.evaluate<number[]>(
      `[...document.querySelectorAll(".head > .toolbar :is(summary, .button)")].map((one) => one.getBoundingClientRect().right)`,
    );
    expect(ends).toHaveLength(6);
    expect(Math.max(...ends)).toBeLessThanOrEqual(370);
  });

  it("of Partners in a window of 1280 px, with its toolbar in one row", async () => {
    const page = await lookAt(`${APP}/partners`, 1280);
    const places = await page.evaluate<number[]>(
      `[...document.querySelectorAll(".toolbar :is(summary, input[type=search], select, .filters button)")]
        .filter((one) => one.checkVisibility()).map((one) => Math.round(one.getBoundingClientRect().bottom))`,
    );
    expect(places).toHaveLength(5);
    expect(Math.max(...places) - Math.min(...places)).toBeLessThan(5);
  });

  it("on a phone without a script, cards with spend and cost per click whose other figures open, and a menu with the orders of the rows", async () => {
    const page = await openPage(PAGE, { viewport: { width: 390, height: 844 }, javaScriptEnabled: false });
    const [other, card] = [{ hasText: "+ EUR" }, { hasNotText: "+ EUR" }].map((one) =>
      rowsOf(page).filter(one).first(),
    ) as [Locator, Locator];
    const shown = (of = card) =>
      of.locator("td:visible").evaluateAll((cells) => cells.map((cell) => cell.getAttribute("data-label")));
    expect((await shown()).slice(0, 4)).toEqual(["Spend", "Change", "Cost per click", "Change"]);
    // A link to another currency is in the line of the name.
    expect(await shown(other)).toEqual(await shown());
    const heights = await Promise.all([other, card].map((one) => one.evaluate((row) => row.clientHeight)));
    expect(heights[0]).toBe(heights[1]);
    await checkFits(page);
    await card.locator("summary").focus();
    await page.keyboard.press("Enter");
    expect((await shown()).slice(0, 7)).toEqual([
      "Spend",
      "Change",
      "Clicks",
      "Change",
      "Cost per click",
      "Change",
      "Coverage",
    ]);
    await checkFits(page);
    const menu = page.locator(".menu.order");
    await menu.locator("summary").click();
    await checkFits(page);
    await menu.getByRole("link", { name: "Cost per click, change" }).click();
    expect(new URL(page.url()).searchParams.get("sort")).toBe("-cost_per_click_change");
    await menu.locator("summary").click();
    await menu.getByRole("link", { name: "Cost per click, change ▼" }).click();
    expect(new URL(page.url()).searchParams.get("sort")).toBe("cost_per_click_change");
    await page.setViewportSize({ width: 1280, height: 800 });
    await expect.poll(() => menu.isVisible()).toBe(false);
  });

  it("on a phone, without courses, with figures below each other and a signal in the line of its name", async () => {
    const page = await lookAt(PAGE, 390);
    await expect.poll(() => page.locator(".spark").count()).toBeGreaterThan(1);
    await expect.poll(() => page.locator(".spark:visible").count()).toBe(0);
    const rows = await page.evaluate<{ lefts: Record<string, number>; signal?: [number, number] }[]>(`
      [...document.querySelectorAll(".performance tbody tr")].map((row) => {
        const leftOf = (cell) => cell && cell.firstChild && cell.checkVisibility() ? [Math.round(cell.getBoundingClientRect().left)] : [];
        const price = row.querySelector("[data-label='Cost per click']");
        const box = (one) => one.getBoundingClientRect();
        const [signal, name] = ["[data-label=Signal] > *", ".name > a"].map((one) => row.querySelector(one));
        return {
          lefts: { price: leftOf(price)[0], change: leftOf(price.nextElementSibling)[0] },
          ...(signal && name && { signal: [box(signal).top - box(name).bottom, box(name).right - box(signal).left] }),
        };
      })`);
    for (const of of ["price", "change"]) {
      const lefts = rows.flatMap(({ lefts }) => lefts[of] ?? []);
      expect([of, lefts.length > 1, new Set(lefts).size]).toEqual([of, true, 1]);
    }
    const signals = rows.flatMap(({ signal }) => (signal ? [signal] : []));
    expect(signals.length).toBeGreaterThan(0);
    // In the line of the name, and after it.
    expect(signals.flat().filter((overlap) => overlap > 1)).toEqual([]);
  });

  it("with up to six tiles in one row", async () => {
    const columns = "spend,clicks,impressions,cost_per_click,matched,coverage";
    const page = await openPage(`${PAGE}?columns=${columns}`, { viewport: { width: 1280, height: 800 } });
    const tops = await page
      .locator(".summary .figures > li")
      .evaluateAll((tiles) => tiles.map((tile) => tile.getBoundingClientRect().top));
    expect([tops.length, new Set(tops).size]).toEqual([6, 1]);
  });

  it("with the name of a link before those above it in the box of a day, which has at most 240 px", async () => {
    const page = await openPage(`${PAGE}?level=4&columns=spend&metric=spend`);
    await page.locator(".plot a .area").nth(3).hover();
    const tip = page.locator(".chart-tip:visible");
    await expect.poll(() => tip.locator("bdi").allInnerTexts()).toContain("Runners direct · Acme › Spring");
    expect((await tip.boundingBox())?.width).toBeLessThanOrEqual(240);
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
  const first = (page: Page) =>
    page.locator(".what-changed .most a, [aria-labelledby=changed] tbody a").first();

  it.each([
    [PAGE, "closed"],
    [APP, "open"],
  ])(
    "is a sentence with a list, without a script too, that leads to its rows: %s, %s",
    async (path, state) => {
      const page = await openPage(path, { javaScriptEnabled: false });
      const part = page.locator(".what-changed").first();
      await expect.poll(() => part.locator("p").first().innerText()).toMatch(/^Spend (fell|rose) \$/);
      // On Overview, the rows of the table say what changed, and the list has what happened.
      await expect
        .poll(() => part.locator("summary").innerText())
        .toBe(state === "closed" ? "What changed most and 1 event" : "1 event");
      await expect.poll(() => first(page).isVisible()).toBe(state === "open");
      if (state === "closed") await part.locator("summary").first().click();
      const href = await first(page).getAttribute("href");
      await first(page).click();
      await expect.poll(() => page.locator("h1").innerText()).toBe("Performance");
      expect(page.url()).toContain(href);
      expect(href).toMatch(/[?&]link=demo1nk\d{3}/);
    },
  );

  it("has the list closed on a phone", async () => {
    const page = await lookAt(PAGE, 390);
    const part = page.locator(".what-changed");
    await expect.poll(() => part.locator("p").first().isVisible()).toBe(true);
    await expect.poll(() => first(page).isVisible()).toBe(false);
    await part.locator("summary").first().click();
    await expect.poll(() => first(page).isVisible()).toBe(true);
    await checkFits(page);
    await part.locator("summary").first().click();
  });
});
