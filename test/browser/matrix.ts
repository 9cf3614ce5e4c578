/** Checks pages in widths, colors and forced colors: in few of them by default, in all with `--all`. */
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { ALL_RULES, CHECKS_ALL, findViolations, OF_COLORS, signIn, useBrowser } from "./browser.ts";
import { measureLayout } from "./layout.ts";

type Colors = "light" | "dark" | "forced";
type Mode = [width: number, colors: Colors];

const ALL: Mode[] = [1280, 390, 320].flatMap((width) =>
  (["light", "dark", "forced"] as const).map((colors): Mode => [width, colors]),
);

/** Checks that nothing is wrong with a page. The first mode is checked with all rules, the others only with what their colors can break. */
export async function checkModes(page: Page, path: string, modes: Mode[]): Promise<void> {
  const problems: unknown[] = [];
  for (const [index, [width, colors]] of (CHECKS_ALL ? ALL : modes).entries()) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({
      colorScheme: colors === "dark" ? "dark" : "light",
      forcedColors: colors === "forced" ? "active" : "none",
    });
    const rules = index === 0 || CHECKS_ALL ? ALL_RULES : width < 640 ? OF_COLORS_AND_TARGETS : OF_COLORS;
    const found = [...(await measureLayout(page)), ...(await findInDisclosures(page, rules))];
    if (found.length > 0) problems.push([width, colors, ...found]);
  }
  expect(problems, path).toEqual([]);
}

/**
 * Runs in the page. Opens each kind of menu by itself, because a menu lies over what is below it, and returns the targets in it that are
 * too small. Then opens everything else.
 */
const OPEN = `(() => {
  const closed = [...document.querySelectorAll("details:not([open])")];
  const menus = closed.filter((one) => one.matches(".menu") && one.checkVisibility());
  const small = [];
  for (const menu of new Map(menus.map((one) => [one.className, one])).values()) {
    menu.open = true;
    for (const target of menu.querySelectorAll("a, button, input, select, label:has(input)")) {
      const { width, height } = (target.closest("label") ?? target).getBoundingClientRect();
      if (target.checkVisibility() && Math.min(width, height) < 24) small.push([target.outerHTML, width, height]);
    }
    menu.open = false;
  }
  globalThis.opened = closed.filter((one) => !one.matches(".menu"));
  for (const one of opened) one.open = true;
  return small;
})()`;
const CLOSE = "for (const one of opened) one.open = false";

const OF_COLORS_AND_TARGETS = `{ runOnly: ["color-contrast", "link-in-text-block", "target-size"] }`;

/** What is wrong by some rules when everything is open that can be, and in menus. */
async function findInDisclosures(page: Page, rules: string): Promise<unknown[]> {
  const found = [...(await page.evaluate<unknown[]>(OPEN)), ...(await findViolations(page, rules))];
  await page.evaluate(CLOSE);
  return found;
}

/** Opens pages of a service, each person in one window that stays open. `credential` is that of the partner. */
export function useWindows(service: () => { url: string; credential: string }) {
  const open = useBrowser(() => service().url);
  const windows = new Map<string, Promise<Page>>();
  const enter = async (who: string): Promise<Page> => {
    const page = await open();
    if (who !== "partner") {
      await signIn(page, `${who}@example.com`, `${who}-password`);
      return page;
    }
    await page.goto("/partner");
    await page.getByLabel("Credential").fill(service().credential);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    return page;
  };
  return (who: string): Promise<Page> => {
    const page = windows.get(who) ?? enter(who);
    windows.set(who, page);
    return page;
  };
}
