/** The tasks of a marketer on the Links pages: by mouse, with only the keyboard, and without scripts. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { BASE_URL, checkEveryWidth, checkFits, openMenu, service, useDemoUsers } from "./browser.ts";
import { useTabs } from "./tabs.ts";

const openPage = useDemoUsers();
const lookAt = useTabs(openPage);
const APP = `/apps/${service.APP_TOKEN}`;

const row = (page: Page, name: string) =>
  page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });

async function readClickUrl(link: string): Promise<string | undefined> {
  const response = await fetch(`${BASE_URL}/public/v1${APP}/trackers/${link}`, {
    headers: { authorization: `Token token=${service.API_TOKEN}` },
  });
  const { data } = (await response.json()) as { data: { items: { click_url: string }[] } };
  return data.items[0]?.click_url;
}

describe("by mouse", () => {
  it("finds a link, reads its figures, and copies its click URL", async () => {
    const page = await openPage(APP, { permissions: ["clipboard-read", "clipboard-write"] });
    await page.getByRole("link", { name: "Links", exact: true }).click();
    await page.getByLabel("Name, path or token").fill("video");
    await page.getByRole("button", { name: "Search" }).click();
    await row(page, "Video 15s").getByText("Acme › Spring › Runners").waitFor();
    await expect
      .poll(() => row(page, "Video 15s").locator('[data-label="Clicks"]').textContent())
      .toMatch(/^[\d,]+$/);
    await row(page, "Video 15s").locator("summary", { hasText: "Copy" }).click();
    await row(page, "Video 15s").getByRole("button", { name: "Copy click URL of Video 15s" }).click();
    await page.getByRole("status").getByText("Copied").waitFor();
    await expect
      .poll(() => page.evaluate("navigator.clipboard.readText()"))
      .toBe(await readClickUrl("demo1nk004"));
    await page.getByRole("link", { name: "Video 15s", exact: true }).click();
    await page.getByRole("heading", { name: "Video 15s", level: 1 }).waitFor();
    await page.getByRole("button", { name: "Copy impression URL" }).click();
    await expect
      .poll(() => page.evaluate("navigator.clipboard.readText()"))
      .toContain("/impression/demo1nk004");
    await page.getByRole("navigation", { name: "Breadcrumb" }).getByRole("link", { name: "Runners" }).click();
    await page.getByRole("heading", { name: "Runners", level: 1 }).waitFor();
  });

  it("opens branches in place, and Back closes them", async () => {
    const page = await openPage(`${APP}/links`);
    await page.evaluate("window.isSamePage = true");
    await page.getByRole("link", { name: "Open Acme," }).click();
    await page.getByRole("link", { name: "Open Spring," }).click();
    await row(page, "Runners").waitFor();
    expect(new URL(page.url()).searchParams.get("open")).toBe("demo1nk001,demo1nk002");
    await page.getByRole("link", { name: "Close Spring," }).and(page.locator(":focus")).waitFor();
    await page.goBack();
    await row(page, "Runners").waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Close Acme," }).click();
    await row(page, "Spring").waitFor({ state: "detached" });
    expect(await page.evaluate("window.isSamePage")).toBe(true);
    // The copied state of the URL shows the same on a new page.
    await page.getByRole("link", { name: "Open Acme," }).click();
    await row(page, "Spring").waitFor();
    await page.reload();
    await row(page, "Spring").waitFor();
  });

  it("switches the app and signs out", async () => {
    const page = await openPage("/apps", {}, "operator");
    await page.getByRole("link", { name: "Demo App", exact: true }).click();
    await page.getByRole("link", { name: "Partners", exact: true }).click();
    await page.locator(".switcher summary").click();
    await page.getByRole("link", { name: "Other App" }).click();
    await page.waitForURL(/\/apps\/\w+\/partners$/);
    expect(page.url()).not.toContain(APP);
    await openMenu(page);
    await page.getByRole("link", { name: "Operator console" }).click();
    await page.getByRole("link", { name: "Apps", exact: true }).first().click();
    await page.waitForURL(/\/apps$/);
  });
});

it("with only the keyboard: searches, opens a branch, and reaches a link's page", async () => {
  const page = await openPage(`${APP}/links`);
  const focused = () =>
    page.evaluate(
      "(document.activeElement.labels?.[0] ?? document.activeElement).textContent.trim().replace(/\\s+/g, ' ')",
    );
  const tabTo = async (name: RegExp) => {
    for (let step = 0; step < 60; step++) {
      await page.keyboard.press("Tab");
      if (String(await focused()).match(name)) return;
    }
    throw new Error(`${name} cannot be reached with Tab`);
  };
  await page.keyboard.press("Tab");
  await expect.poll(() => focused()).toBe("Skip to content");
  await page.keyboard.press("Enter");
  await tabTo(/^▸Open Acme,/);
  await page.keyboard.press("Enter");
  await row(page, "Spring").waitFor();
  await expect.poll(() => focused()).toContain("Close Acme,");
  await tabTo(/^▸Open Spring,/);
  await page.keyboard.press("Enter");
  await row(page, "Runners").waitFor();
  await tabTo(/^Runners$/);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Runners", level: 1 }).waitFor();
  await page.goto(`${APP}/links`);
  await tabTo(/^Name, path or token/);
  await page.keyboard.type("sp");
  await page.keyboard.press("Enter");
  await row(page, "Spring").getByText("Acme", { exact: true }).waitFor();
  await tabTo(/^Clear filters$/);
  await page.keyboard.press("Enter");
  await row(page, "Acme").waitFor();
});

describe("without scripts", () => {
  it("opens branches, filters, orders, reads everything about a link, and opens the menus of the frame", async () => {
    const page = await openPage(`${APP}/links`, { javaScriptEnabled: false });
    await expect.poll(() => page.getByRole("button", { name: /^Copy/ }).count()).toBe(0);
    await page.getByRole("link", { name: "Open Acme," }).click();
    await page.getByRole("link", { name: "Open Spring," }).click();
    await row(page, "Runners").waitFor();
    await page.locator(".period summary").click();
    await page.getByRole("link", { name: "Last 30 days" }).click();
    await row(page, "Runners").waitFor();
    await page.getByText("Filters and order").click();
    await page.getByLabel("Cost data").selectOption("on");
    await page.getByLabel("Order").selectOption("-spend");
    await page.getByLabel("Name, path or token").fill("Acme");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByText("Ordered by spend in").waitFor();
    await expect.poll(() => page.getByRole("row").count()).toBe(2);
    await page.getByRole("link", { name: "Clear filters" }).click();
    const image = page.waitForResponse(/demo1nk003\/qr\.svg$/);
    await page.getByRole("link", { name: "Runners", exact: true }).click();
    await page.getByRole("heading", { name: "Runners", level: 1 }).waitFor();
    await page.locator(".urls summary").click();
    await page.getByRole("img", { name: /^QR code of http/ }).waitFor();
    expect((await image).status()).toBe(200);
    await expect
      .poll(() => page.locator("#click-url + code").textContent())
      .toBe(await readClickUrl("demo1nk003"));
    await page.getByRole("link", { name: "Show in Links" }).click();
    await row(page, "Video 30s").waitFor();
    await openMenu(page);
    await page.getByRole("link", { name: "Account", exact: true }).click();
    await page.getByRole("heading", { name: "Account", level: 1 }).waitFor();
  });
});

describe("is accessible and fits", () => {
  it("apps, with its menu open", async () => {
    const page = await openPage("/apps", {}, "operator");
    await openMenu(page);
    await checkEveryWidth(page, "apps");
  });

  it("the app switcher at 320 px, with the tabs in one row", async () => {
    const page = await openPage(`${APP}/links`, { viewport: { width: 320, height: 700 } }, "operator");
    await page.locator(".switcher summary").click();
    await checkFits(page);
    const tops = await page
      .getByRole("navigation", { name: "Demo App" })
      .getByRole("link")
      .evaluateAll((links) =>
        (links as unknown as { offsetTop: number }[]).map(({ offsetTop }) => offsetTop),
      );
    expect(new Set(tops).size).toBe(1);
  });

  it("a link with a long name, with its button at the right", async () => {
    const page = await lookAt(`${APP}/links/${service.LINK_TOKEN}`, 1280);
    const name = await page.locator("h1 bdi").textContent();
    const rename = (to: string | null) =>
      page.evaluate(`document.querySelector("h1 bdi").textContent = ${JSON.stringify(to)}`);
    await rename("Interstitial_".repeat(6));
    const right = await page.evaluate(
      `document.querySelector("main > .head > .button").getBoundingClientRect().right`,
    );
    expect(right).toBe(1260);
    await checkFits(page);
    await rename(name);
  });

  it("a link without spend, with its tiles up to the right", async () => {
    const page = await openPage(`${APP}/links/demo1nk006`, { viewport: { width: 1280, height: 800 } });
    const rights = await page
      .locator(".figures > li")
      .evaluateAll((tiles) => tiles.map((tile) => tile.getBoundingClientRect().right));
    expect([rights.length, rights.at(-1)]).toEqual([3, 1260]);
  });

  it("on a phone, a link with its button beside its name, and the currency of its costs beside their type", async () => {
    const page = await lookAt(`${APP}/links/${service.LINK_TOKEN}`, 390);
    const [name, button] = await Promise.all(
      ["h1", "main > .head > .button"].map((one) => page.locator(one).boundingBox()),
    );
    const middleOf = (box: typeof name) => (box?.y ?? 0) + (box?.height ?? 0) / 2;
    expect(Math.abs(middleOf(name) - middleOf(button))).toBeLessThan(4);
    const types = page.locator("[aria-labelledby=costs] tbody th a");
    expect(await types.allInnerTexts()).toContain("cpc\u00a0in\u00a0EUR");
    const heights = await types.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
    expect(Math.max(...heights)).toBeLessThan(24);
  });

  it("on a phone, the spend and the price of each currency in a line, below the name", async () => {
    const page = await lookAt(`${APP}/links`, 390);
    const found = await page.evaluate<{ name: number; lines: { text: string; left: number; gap: number }[] }>(
      `(() => {
        const boxOf = (one) => {
          const range = document.createRange();
          range.selectNodeContents(one);
          return range.getBoundingClientRect();
        };
        const row = [...document.querySelectorAll(".links tbody tr")].find((one) => one.querySelector("a bdi").textContent === "Acme");
        const [spend, price] = ["Spend", "Cost per click"].map((label) => [...row.querySelectorAll("[data-label='" + label + "'] > div")]);
        const clicks = boxOf(row.querySelector("[data-label=Clicks]"));
        return {
          name: Math.round(row.querySelector("a bdi").getBoundingClientRect().left),
          lines: spend.map((one, index) => {
            const [left, right] = [boxOf(one), boxOf(price[index])];
            return { text: one.textContent + " " + price[index].textContent, isOne: left.top === right.top, left: Math.round(left.left), gap: Math.min(right.left - left.right, left.left - clicks.right) };
          }),
        };
      })()`,
    );
    expect(found.lines).toMatchObject([
      { text: expect.stringMatching(/^\$[\d.]+ \$[\d.]+$/), isOne: true },
      { text: expect.stringMatching(/^€[\d.]+ €[\d.]+$/), isOne: true },
    ]);
    for (const { left, gap } of found.lines) {
      expect(Math.abs(left - found.name)).toBeLessThanOrEqual(2);
      expect(gap).toBeGreaterThanOrEqual(12);
    }
  });

  it("the list of links, with the box that selects all beside its heading", async () => {
    const page = await lookAt(`${APP}/links`, 1100);
    const middles = await page.evaluate<number[]>(
      `[...document.querySelectorAll(".links thead th:first-child > *")].map((one) => {
        const { top, bottom } = one.getBoundingClientRect();
        return (top + bottom) / 2;
      })`,
    );
    expect(middles).toHaveLength(2);
    expect(Math.abs((middles[0] ?? 0) - (middles[1] ?? 0))).toBeLessThan(3);
  });
});
