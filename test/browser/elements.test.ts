import { describe, expect, it } from "vitest";
import { samples } from "../pages/samples.ts";
import { checkAccessibility, checkFits, findViolations, useBrowser } from "./browser.ts";
import { useTabs } from "./tabs.ts";

const open = useBrowser();

const lookAt = useTabs(async () => {
  const page = await open();
  // Not of the documentation, which has no styles of charts.
  await page.goto("/login");
  const styles = await page
    .locator("link[rel=stylesheet]")
    .evaluateAll((links) => links.map((link) => link.outerHTML).join(""));
  const sections = samples().map(([, markup]) => String(markup));
  // In the page itself, because its security policy allows nothing else.
  await page.setContent(
    `<!doctype html><html lang="en"><head><title>Elements</title>${styles}</head><body class="wide"><main><h1>Elements</h1>${sections.join("")}</main></body></html>`,
    { waitUntil: "load" },
  );
  for (const menu of await page.locator("details.menu").all())
    await menu.evaluate((element) => element.setAttribute("open", ""));
  return page;
});

describe("the elements of pages", () => {
  it.each([1100, 320])("are accessible in light and dark colors, and fit into %i px", async (width) => {
    const page = await lookAt("elements", width);
    await checkAccessibility(page, `elements-${width}`);
    await checkFits(page);
  });

  it("are accessible and fit with forced colors, which are those of the system", async () => {
    const page = await lookAt("elements", 1100);
    await page.emulateMedia({ forcedColors: "active" });
    expect(await findViolations(page, '{ rules: { "color-contrast": { enabled: false } } }')).toEqual([]);
    await checkFits(page);
    await page.emulateMedia({ forcedColors: null });
  });

  it("are accessible in print", async () => {
    const page = await lookAt("elements", 1100, 900, "print");
    await checkAccessibility(page, "elements-print");
  });

  it("are checked in each kind of row, and each row is there afterwards", async () => {
    const page = await open();
    await page.goto("/login");
    const row = (text: string) => `<li><a href="/${text}">${text}</a></li>`;
    const rows = ["a", "b", "c", "d", "e", "", "f"].map((text) => row(text));
    const items = [...rows, '<li class="other"><button></button></li>'].join("");
    await page.setContent(
      `<!doctype html><html lang="en"><head><title>Rows</title></head><body><main><h1>Rows</h1><ul>${items}</ul></main></body></html>`,
    );
    await page.locator("a").nth(3).focus();
    expect(await findViolations(page, '{ runOnly: ["button-name", "link-name"] }')).toEqual([
      ["button-name", ["<button></button>"]],
      ["link-name", ['<a href="/"></a>']],
    ]);
    expect(await page.locator("ul").innerHTML()).toBe(items);
    expect(await page.evaluate("document.activeElement.textContent")).toBe("d");
  });
});
