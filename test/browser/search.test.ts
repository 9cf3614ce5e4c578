/** The search through many costs of a partner, which a script goes on with. */
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { checkEveryWidth, db, useDemoUsers } from "./browser.ts";

/** More than three requests read. Only the last one is above 1. */
const COSTS = 70_000;
const openAs = useDemoUsers();
const PAGE = "/operator/partners/2/costs?amount_over=1";

beforeAll(async () => {
  const now = Date.now();
  for (let from = 0; from < COSTS; from += 10_000)
    await db
      .prepare(
        `WITH RECURSIVE n(i) AS (SELECT ?1 + 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1 + 10000)
         INSERT INTO ledger_entries (partner_id, cost_id, cost_type, currency, amount, tag, received_at)
         SELECT 2, printf('searched-%06d', i), 'cpc', 'USD', iif(i = ?2, 200000, 100000), 't', ?3 FROM n`,
      )
      .bind(from, COSTS, now)
      .run();
});

/** Opens the search for what is above 1, whose requests after the first wait for `next`. */
async function search(next: (request: number) => Promise<void>): Promise<Page> {
  const page = await openAs("/operator/partners", {}, "operator");
  let requests = 0;
  await page.route(/after=/, async (route) => {
    if (route.request().resourceType() === "fetch") await next(++requests);
    await route.continue();
  });
  await page.goto(PAGE);
  return page;
}

const status = (page: Page) => page.locator("#search").getByRole("status");

test("goes on by itself to the end, and adds what it finds", async () => {
  const page = await search(async () => undefined);
  await status(page).getByText("Searched 70,000 IDs.").waitFor();
  await expect.poll(() => page.locator("#found tbody tr").count()).toBe(1);
  await page.getByRole("link", { name: "searched-070000" }).waitFor();
  await expect.poll(() => page.getByRole("button", { name: "Stop" }).count()).toBe(0);
  await expect.poll(() => page.getByRole("link", { name: "Continue" }).count()).toBe(0);
  await expect.poll(() => page.locator("#search").getAttribute("aria-busy")).toBe("false");
  await page.getByRole("link", { name: "First page" }).waitFor();
});

test("stops when somebody presses Stop, with a keyboard too, and goes on from there", async () => {
  const [reached, arrive] = waiting();
  const [released, release] = waiting();
  const asked: number[] = [];
  const page = await search(async (request) => {
    asked.push(request);
    if (request === 2) {
      arrive();
      await released;
    }
  });
  await reached;
  await checkEveryWidth(page, "search-running");
  await page.getByRole("button", { name: "Stop" }).focus();
  await page.keyboard.press("Enter");
  release();
  const goOn = page.getByRole("link", { name: "Continue" });
  await goOn.waitFor();
  await expect.poll(() => status(page).textContent()).toContain("Searched 60,000");
  await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Continue");
  await expect.poll(() => page.locator("#search").getAttribute("aria-busy")).toBe("false");
  expect(asked).toEqual([1, 2]);
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "searched-070000" }).waitFor();
  await status(page).getByText("Searched 70,000 IDs.").waitFor();
});

function waiting(): [reached: Promise<void>, reach: () => void] {
  const { promise, resolve } = Promise.withResolvers<void>();
  return [promise, resolve];
}

test("goes on with a link without the script", async () => {
  const page = await openAs(PAGE, { javaScriptEnabled: false }, "operator");
  for (const read of ["20,000", "40,000", "60,000"]) {
    await status(page).getByText(`Searched ${read}`).waitFor();
    await page.getByRole("link", { name: "Continue" }).click();
  }
  await page.getByRole("link", { name: "searched-070000" }).waitFor();
});
