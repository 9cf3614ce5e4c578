/** Counts the clicks of a task. */
import type { Page } from "playwright-core";

/** Counts what a person presses on the pages, and what they choose in lists. */
export async function countClicks(...pages: Page[]): Promise<{ count: number }> {
  const clicks = { count: 0 };
  for (const page of pages) {
    await page.exposeFunction("noteClick", () => {
      clicks.count++;
    });
    const watch = `addEventListener("pointerdown", () => noteClick(), true);
      addEventListener("change", ({ target }) => target.matches("select") && noteClick(), true);`;
    await page.addInitScript(watch);
    await page.evaluate(watch);
  }
  return clicks;
}
