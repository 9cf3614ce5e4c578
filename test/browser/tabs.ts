/** Pages that stay open, for cases that only look at them. */
import type { Page } from "playwright-core";

/** Loads each page once. Each case sets its size and media, and closes what it opens. */
export function useTabs(open: (path: string) => Promise<Page>) {
  const tabs = new Map<string, Promise<Page>>();
  return async (path: string, width: number, height = 900, media: "print" | null = null): Promise<Page> => {
    const tab = tabs.get(path) ?? open(path);
    tabs.set(path, tab);
    const page = await tab;
    await page.emulateMedia({ media });
    await page.setViewportSize({ width, height });
    return page;
  };
}
