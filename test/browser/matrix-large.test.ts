/** Every page with the data of a customer's size, in its widths and colors, and nothing that moves under the pointer. */
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { LARGE } from "../../src/dev/demo/large/links.ts";
import { liveToken, PARTNERS } from "../../src/dev/demo/large/partners.ts";
import { largeRows } from "../../src/dev/demo/large.ts";
import { type LiveService, startBuiltService } from "../live-service.ts";
import { checkPage, useWindows } from "./matrix.ts";
import { LARGE_PAGES } from "./pages.ts";

let running: LiveService | undefined;
beforeAll(async () => {
  running = await startBuiltService(inject("script"), largeRows(Date.now()));
});
afterAll(() => running?.stop());

const [partner] = PARTNERS;
const windowOf = useWindows(() => ({
  url: running?.names.BASE_URL ?? "",
  credential: partner ? liveToken(partner) : "",
}));

it.each(LARGE_PAGES)("%s: %s", async (who, path) => {
  await checkPage(await windowOf(who), path, [
    [390, "dark"],
    [1280, "forced"],
  ]);
});

it("nothing moves when a link is selected or a day of the chart is under the pointer", async () => {
  const page = await windowOf("demo");
  await page.emulateMedia({ colorScheme: "light", forcedColors: "none" });
  await page.setViewportSize({ width: 1280, height: 900 });
  // In the page, not in the window, which the browser scrolls to what the pointer moves to.
  const tops = (selector: string) =>
    page.evaluate(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].map((element) => element.getBoundingClientRect().top + scrollY)`,
    ) as Promise<number[]>;
  await page.goto(`/apps/${LARGE.appToken}/links`);
  const rows = await tops("main tbody tr");
  expect(rows.length).toBeGreaterThan(20);
  const bar = page.getByRole("region", { name: "Selected links" });
  expect(await bar.isVisible()).toBe(false);
  await page.locator("main tbody input[type=checkbox]").first().check();
  await bar.getByText("1 selected").waitFor();
  expect(await bar.getByRole("button", { name: "Review changes" }).isVisible()).toBe(true);
  expect(await tops("main tbody tr")).toEqual(rows);
  await page.goto(`/apps/${LARGE.appToken}`);
  const headings = await tops("main h2");
  const days = page.locator(".plot a .area");
  for (const day of [1, 3, 5]) {
    await days.nth(day).hover();
    await page.locator(".chart-tip:visible").waitFor();
    expect(await tops("main h2")).toEqual(headings);
  }
});
