import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import {
  BASE_URL,
  CHECKS_ALL,
  checkAccessibility,
  checkFits,
  findViolations,
  useBrowser,
} from "./browser.ts";

const open = useBrowser();

/** The paths of the navigation, and of every operation. */
async function listPages(): Promise<{ pages: string[]; operations: string[] }> {
  const index = await (await fetch(`${BASE_URL}/llms.txt`)).text();
  const pages = [...index.matchAll(/\(http[^)]*?(\/docs[^)]*)\)/g)].map(([, path = ""]) => path);
  const areas = pages.filter((path) => path.startsWith("/docs/api/"));
  const texts = await Promise.all(areas.map(async (area) => (await fetch(BASE_URL + area)).text()));
  const links = texts.flatMap((text) => [...text.matchAll(/href="(\/docs\/api\/\w+\/\w+)"/g)]);
  return { pages, operations: [...new Set(links.map(([, path = ""]) => path))] };
}

interface OpenApi {
  paths: Record<string, Record<string, { operationId: string }>>;
}

/** The elements of a page, with two around each, by their names and classes. */
const KINDS = `[...new Set([...document.querySelectorAll("body *")].map((element) => {
  const kind = (one) => one.localName + "." + one.className;
  return [element, element.parentElement, element.parentElement.parentElement].map(kind).join(" ");
}))]`;
const WITHOUT_COLORS = `{ rules: { "target-size": { enabled: true }, "color-contrast": { enabled: false }, "link-in-text-block": { enabled: false } } }`;

const OPEN_ALL =
  "for (const one of document.querySelectorAll('details')) { one.removeAttribute('name'); one.open = true; }";

/** Shows the article of another page, around which both are alike, except for the page that the navigation marks. */
async function showArticle(page: Page, path: string): Promise<void> {
  await page.evaluate(`(async () => {
    const text = await (await fetch(${JSON.stringify(path)})).text();
    const { body } = new DOMParser().parseFromString(text, "text/html");
    document.querySelector("article").replaceWith(body.querySelector("article"));
  })()`);
  await page.locator("article h1").waitFor();
}

const focused = (page: Page) => page.evaluate("document.activeElement.textContent.trim()");

describe("the documentation", () => {
  it("is accessible and fits a narrow window on every page of the navigation", async () => {
    const { pages } = await listPages();
    const files = readdirSync(join(import.meta.dirname, "../../src/site/pages"));
    const paths = files.map((file) => `/docs/${file.replace(".md", "")}`);
    expect(pages).toEqual(expect.arrayContaining(paths));
    const page = await open();
    const seen = new Set<string>();
    /** Whether the page is that of a file, which all have the same page around their articles. */
    let isOfFile = false;
    for (const path of [...pages, "/docs/search?q=cost", "/docs/api/cost/submitCost"]) {
      await page.setViewportSize({ width: 1280, height: 900 });
      if (!CHECKS_ALL && isOfFile && paths.includes(path)) await showArticle(page, path);
      else await page.goto(path);
      isOfFile = paths.includes(path);
      const name = path.slice(1).replaceAll(/\W+/g, "-");
      // Colors only where an element or its place is new, because all pages have one stylesheet.
      const kinds = await page.evaluate<string[]>(KINDS);
      if (CHECKS_ALL || kinds.some((kind) => !seen.has(kind))) await checkAccessibility(page, name);
      else expect(await findViolations(page, WITHOUT_COLORS), name).toEqual([]);
      for (const kind of kinds) seen.add(kind);
      await page.setViewportSize({ width: 320, height: 740 });
      await checkFits(page);
      if (CHECKS_ALL || path === pages[0]) {
        await page.getByText("Documentation menu").click();
        await checkAccessibility(page, `${name}-320`);
      }
      await page.evaluate(OPEN_ALL);
      await checkFits(page);
    }
  });

  it("is accessible and fits a narrow window on the page of every operation, with everything opened", async () => {
    const { operations } = await listPages();
    const { paths } = (await (await fetch(`${BASE_URL}/openapi.json`)).json()) as OpenApi;
    const ids = Object.values(paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(operations.map((path) => path.split("/").at(-1)).sort()).toEqual(ids.sort());
    const page = await open({ viewport: { width: 320, height: 740 } });
    const areas = Map.groupBy(operations, (path) => path.slice(0, path.lastIndexOf("/")));
    for (const [first = "", ...others] of areas.values()) {
      for (const path of CHECKS_ALL ? [first, ...others] : [first]) {
        await page.goto(path);
        await page.evaluate(OPEN_ALL);
        await checkFits(page);
        expect(await findViolations(page), path).toEqual([]);
      }
      // The others of an area have the same page around their articles.
      for (const path of others) {
        await showArticle(page, path);
        await page.evaluate(OPEN_ALL);
        await checkFits(page);
      }
    }
  });

  it("shows results while a reader types, and leads to one with only the keyboard", async () => {
    const page = await open();
    await page.goto("/docs");
    await page.getByRole("searchbox").focus();
    await page.keyboard.type("create a link");
    const results = page.locator(".docs-results");
    await results.getByRole("link", { name: "Create a link, or a sub-link below a parent" }).waitFor();
    await page
      .getByRole("status")
      .getByText(/\d+ results for/)
      .waitFor();
    await checkAccessibility(page, "docs-search-typing");
    await page.keyboard.press("Escape");
    await expect.poll(() => results.isVisible()).toBe(false);
    await page.keyboard.type(" or");
    await results.getByRole("link").first().waitFor();
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => focused(page)).toBe("Create a link, or a sub-link below a parent");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/docs\/api\/campaign\/createLink$/);
  });

  it("shows that a search has no results, and closes the results when they lose the focus", async () => {
    const page = await open();
    await page.goto("/docs");
    await page.getByRole("searchbox").fill("nothing-has-this");
    const results = page.locator(".docs-results");
    await results.getByText("No results for").waitFor();
    await page.getByRole("searchbox").fill("limits");
    await results.getByRole("link", { name: "Limits", exact: true }).first().waitFor();
    await page.getByRole("heading", { level: 1 }).click();
    await expect.poll(() => results.isVisible()).toBe(false);
  });

  it("copies the commands of a sample without prompts and output", async () => {
    const page = await open({ permissions: ["clipboard-read", "clipboard-write"] });
    await page.goto("/docs/partners");
    const sample = page.locator(".sample", { hasText: "s2s=1" }).first();
    await sample.getByRole("button", { name: "Copy" }).click();
    await sample.getByRole("button", { name: "Copied" }).waitFor();
    await expect
      .poll(() => page.evaluate("navigator.clipboard.readText()"))
      .toBe('curl -s "$BASE_URL/$LINK_TOKEN?cost_id=yourname-20260701-0001&s2s=1"');
  });

  it("skips the navigation", async () => {
    const page = await open();
    await page.goto("/docs/limits");
    await page.keyboard.press("Tab");
    await expect.poll(() => focused(page)).toBe("Skip to content");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await expect.poll(() => focused(page)).toBe("Sizes");
  });

  it("has its navigation, search and samples without JavaScript", async () => {
    const page = await open({ javaScriptEnabled: false });
    await page.goto("/docs");
    await page
      .getByRole("navigation", { name: "Documentation" })
      .getByRole("link", { name: "Cost API" })
      .click();
    await page
      .getByRole("article")
      .getByRole("link", { name: "Send the cost of a click or impression" })
      .click();
    await page.getByText("Python", { exact: true }).click();
    await page.getByText("requests.post(").waitFor();
    await expect.poll(() => page.getByText("-d 'cost_type=cpc'").isVisible()).toBe(false);
    await page.getByRole("searchbox").fill("lapsed");
    await page.getByRole("searchbox").press("Enter");
    await page.getByText(/\d+ results for “lapsed”/).waitFor();
    await page.setViewportSize({ width: 390, height: 800 });
    await expect.poll(() => page.getByRole("navigation", { name: "Documentation" }).isVisible()).toBe(false);
    await page.getByText("Documentation menu").click();
    await page
      .getByRole("navigation", { name: "Documentation" })
      .getByRole("link", { name: "Errors" })
      .click();
    await page.getByRole("article").getByRole("link", { name: "round_full" }).first().click();
    await page.waitForURL(/\/docs\/errors#round_full$/);
  });
});
