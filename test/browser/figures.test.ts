/** The Overview and Performance pages: the chart by pointer, touch and keyboard, and everything without scripts. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { service, useDemoUsers } from "./browser.ts";
import { useTabs } from "./tabs.ts";

const openPage = useDemoUsers();
const lookAt = useTabs(openPage);
const APP = `/apps/${service.APP_TOKEN}`;

const daysOf = (page: Page) => page.locator(".daily-chart").first().locator(".plot a");
const tipOf = async (page: Page) => (await page.locator(".chart-tip > div").allTextContents()).join("\n");
const labelOf = async (page: Page, index: number) =>
  (await daysOf(page).nth(index).getAttribute("aria-label")) ?? "";

/** A label with each of its details in a line, and the name of a link before those above it. */
function linesOf(label: string): string[] {
  const [, day = "", details = ""] = /^(.*?) \((.*)\)$/s.exec(label) ?? [];
  const lines = details.split(",\n").map((line) => line.replace(/^(.+) › (.+) (\S+)$/, "$2 · $1 $3"));
  return [day, ...lines];
}

describe("the chart", () => {
  it("shows the day under the pointer, and its summary after that", async () => {
    const page = await openPage(`${APP}?period=7d`);
    await expect.poll(() => daysOf(page).count()).toBe(7);
    await expect
      .poll(() => page.locator(".readout").innerText())
      .toMatch(/^▲ event · Highest: \d+ \w+ \d{4}, \$/);
    for (const index of [2, 5]) {
      await daysOf(page).nth(index).locator(".area").hover();
      await expect.poll(() => page.locator(".plot a.shown").count()).toBe(1);
      await expect.poll(() => tipOf(page)).toBe(linesOf(await labelOf(page, index)).join("\n"));
    }
    await page.getByRole("heading", { name: "Overview" }).hover();
    await expect.poll(() => page.locator(".chart-tip").isVisible()).toBe(false);
  });

  it.each([
    [1280, "light", "none"],
    [390, "dark", "none"],
    [1280, "light", "active"],
  ] as const)(
    "shows its values in the plot beside the day, on a phone below the chart, with the marks of the legend and the amounts below each other: %s px, %s, forced colors %s",
    async (width, colorScheme, forcedColors) => {
      const page = await lookAt(`${APP}?period=7d`, width);
      await page.emulateMedia({ colorScheme, forcedColors });
      const [chart, tip] = [page.locator(".daily-chart"), page.locator(".chart-tip")];
      const boxOf = async (selector: string) =>
        (await chart.locator(selector).boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
      const marksOf = (selector: string) =>
        chart.locator(selector).evaluateAll((marks) => marks.map((mark) => mark.innerHTML));
      const inLegend = await marksOf(".legend svg");
      expect(inLegend.length).toBeGreaterThan(2);
      // With room above the chart, and at the top of the window.
      for (const isAtTop of [false, true]) {
        await page.evaluate(
          `scrollTo(0, document.querySelector(".daily-chart").getBoundingClientRect().top + scrollY - ${isAtTop ? 0 : 400})`,
        );
        for (const index of [6, 3, 0]) {
          await daysOf(page).nth(index).focus();
          const label = await labelOf(page, index);
          expect((await tipOf(page)).split("\n")).toEqual(linesOf(label));
          expect(label).toContain("Previous period");
          const marks = await marksOf(".chart-tip svg");
          // All of these days are open, so they are not hatched.
          expect(marks).toHaveLength(linesOf(label).filter((line) => line !== "Not final").length - 1);
          expect(marks.filter((mark) => !inLegend.includes(mark))).toEqual([]);
          const box = await boxOf(".chart-tip");
          if (width > 640) expect(box.width).toBeLessThanOrEqual(240);
          // In one column, also with a line beside areas.
          const places = await chart.evaluate((one) =>
            [".legend", ".chart-tip"].map((part) =>
              [...one.querySelectorAll(`${part} svg + *`)].map((name) => {
                const [text, mark] = [name, name.previousElementSibling].map((part) =>
                  part?.getBoundingClientRect(),
                );
                if (!text || !mark) return [];
                return [text.left, Math.abs(text.top + text.bottom - mark.top - mark.bottom) <= 2];
              }),
            ),
          );
          for (const same of places)
            expect(
              [
                ...new Set(same.map(([left, isCentered]) => `${Math.round(Number(left))} ${isCentered}`)),
              ].join(),
            ).toMatch(/^\d+ true$/);
          const [first, day, last] = [
            await boxOf(".plot a:first-of-type .area"),
            await boxOf(`.plot a:nth-of-type(${index + 1}) .area`),
            await boxOf(".plot a:last-of-type .area"),
          ];
          const [end, edge] = [last.x + last.width, box.x + box.width];
          if (width === 390) {
            // In a narrow plot, it would cover most days.
            const end = await boxOf(".readout");
            expect(box.y).toBeGreaterThanOrEqual(end.y + end.height - 1);
            expect([box.x >= 0, edge <= width]).toEqual([true, true]);
          } else {
            // The area of the day has a border.
            expect(Math.abs(box.y - first.y)).toBeLessThanOrEqual(2);
            expect(box.x).toBeGreaterThanOrEqual(first.x - 1);
            expect(edge).toBeLessThanOrEqual(end + 1);
            const isBeside = edge <= day.x || box.x >= day.x + day.width;
            expect([index, isAtTop, isBeside]).toEqual([index, isAtTop, true]);
          }
          const edges = await tip
            .locator("div:has(svg) span:not(:empty)")
            .evaluateAll((amounts) =>
              amounts.map((amount) => Math.round(amount.getBoundingClientRect().right)),
            );
          expect(edges.length).toBeGreaterThan(1);
          expect(new Set(edges).size).toBe(1);
        }
      }
    },
  );

  it("is one stop for Tab, and the arrow keys choose a day", async () => {
    const page = await openPage(`${APP}/performance?period=7d&partner_id=1&group_by=partner`);
    await expect.poll(() => page.getByText("Skip chart").count()).toBe(0);
    await page.locator(".what-changed summary").first().focus();
    await page.keyboard.press("Tab");
    const focused = () => page.evaluate("document.activeElement.getAttribute('aria-label')");
    await expect.poll(() => focused()).toBe(await labelOf(page, 6));
    for (const [key, index] of [
      ["ArrowLeft", 5],
      ["Home", 0],
      ["ArrowLeft", 0],
      ["ArrowRight", 1],
      ["End", 6],
      ["ArrowRight", 6],
      ["ArrowLeft", 5],
    ] as const) {
      await page.keyboard.press(key);
      expect([key, await focused()]).toEqual([key, await labelOf(page, index)]);
      await expect.poll(() => tipOf(page)).toBe(linesOf(await labelOf(page, index)).join("\n"));
    }
    await page.keyboard.press("Tab");
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Partner");
    await page.keyboard.press("Shift+Tab");
    await expect.poll(() => focused()).toBe(await labelOf(page, 5));
    const day = (await labelOf(page, 5)).split(":", 1)[0] ?? "";
    await page.keyboard.press("Enter");
    await page.getByText(`${day}, UTC`).waitFor();
  });

  it("shows a day at the first touch and opens it at the second", async () => {
    const page = await openPage(`${APP}/performance?period=7d`, {
      hasTouch: true,
      viewport: { width: 390, height: 844 },
    });
    const day = daysOf(page).nth(3).locator(".area");
    const [url, label] = [page.url(), await labelOf(page, 3)];
    await day.tap();
    await expect.poll(() => tipOf(page)).toBe(linesOf(label).join("\n"));
    expect(page.url()).toBe(url);
    await day.tap();
    await page.waitForURL((next) => next.href !== url);
    await page.getByText(`${label.split(":", 1)[0]}, UTC`).waitFor();
  });
});

describe("without scripts", () => {
  const openPlain = (path: string) => openPage(path, { javaScriptEnabled: false });

  it("each day, row, filter and choice is a link", async () => {
    const page = await openPlain(`${APP}?period=30d`);
    await daysOf(page).nth(20).locator(".area").click();
    await page.waitForURL(/\/performance\?/);
    await page.getByText("More", { exact: true }).click();
    await page.getByRole("link", { name: "Network", exact: true }).click();
    await page.getByRole("link", { name: "Open Acme", exact: true }).click();
    await page.getByRole("link", { name: "Close Acme", exact: true }).waitFor();
    await page.getByRole("link", { name: "Spring", exact: true }).first().waitFor();
    await page.getByRole("link", { name: "Partner", exact: true }).click();
    await page.getByRole("columnheader", { name: "Partner" }).first().waitFor();
    await page.locator(".what-changed summary").first().click();
    await page.getByRole("link", { name: "Acme Ads", exact: true }).first().click();
    await page.getByRole("link", { name: "Remove filter Partner: Acme Ads" }).click();
    await expect.poll(() => page.getByRole("link", { name: /^Remove filter/ }).count()).toBe(0);
    await page.getByRole("link", { name: /^Cost per click \$/ }).click();
    await page.getByText(/^Cost per click by day: \$/).waitFor();
  });

  it("the days can be chosen, and the chart skipped", async () => {
    const page = await openPlain(`${APP}/performance?group_by=partner`);
    const [from, to] = [page.getByLabel("From", { exact: true }), page.getByLabel("To", { exact: true })];
    const [first, last] = [await from.inputValue(), await to.inputValue()];
    await page.locator(".period summary").click();
    await from.fill(last);
    await page.getByRole("button", { name: "Apply" }).click();
    await page.waitForURL((url) => url.searchParams.get("from") === last);
    expect(new URL(page.url()).searchParams.get("group_by")).toBe("partner");
    expect(first < last).toBe(true);
    await page.getByRole("link", { name: "Skip chart" }).first().focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await expect.poll(() => page.locator(":focus").textContent()).toBe("Campaign");
  });

  it("the CSV has the name of its app, days and grouping", async () => {
    const today = new Date().toISOString().slice(0, 10);
    const first = `${today.slice(0, 4)}-01-01`;
    const page = await openPlain(`${APP}/performance?from=${first}&to=${today}&group_by=partner`);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download CSV" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(
      `performance-${service.APP_TOKEN}-${first}-${today}-by-partner.csv`,
    );
  });
});
