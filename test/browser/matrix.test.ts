/** Every page with the data of the default demo, in its widths and colors. */
import { it } from "vitest";
import { BASE_URL, service } from "./browser.ts";
import { checkPage, useWindows } from "./matrix.ts";
import { DEFAULT_PAGES, REJECTED_PAGES } from "./pages.ts";

const windowOf = useWindows(() => ({ url: BASE_URL, credential: service.COST_TOKEN ?? "" }));

it.each([...DEFAULT_PAGES.map(([who, path]) => [who, path, 200] as const), ...REJECTED_PAGES])(
  "%s: %s (%i)",
  async (who, path, status) => {
    await checkPage(
      await windowOf(who),
      path,
      [
        [1280, "light"],
        [390, "light"],
      ],
      status,
    );
  },
);
