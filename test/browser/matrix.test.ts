/** Every page with the data of the default demo, and partners in states that it lacks, in its widths and colors. */
import { beforeAll, expect, it } from "vitest";
import { toStatements } from "../../src/dev/demo/rows.ts";
import { COST_TYPES, toMask } from "../../src/domain/cost-types.ts";
import { BASE_URL, db, service } from "./browser.ts";
import { checkModes, useWindows } from "./matrix.ts";
import { DEFAULT_PAGES, REJECTED_PAGES } from "./pages.ts";

const windowOf = useWindows(() => ({ url: BASE_URL, credential: service.COST_TOKEN ?? "" }));

/** Live for all types without a credential and before their rates are calculated, and not set up, more than three of each. */
beforeAll(async () => {
  const rows = Array.from({ length: 8 }, (_, index) => ({
    table: "partners",
    values: {
      display_name: `International Performance Network ${index + 1}`,
      supports_cost_data: index % 2,
      integrated_types: index % 2 ? toMask(COST_TYPES) : 0,
      server_to_server: 0,
      click_parameters: "",
      impression_parameters: "",
      cost_parameters: "",
      max_url_amount: 0,
      created_at: Date.now(),
    },
  }));
  await db.batch(toStatements(rows).map((statement) => db.prepare(statement)));
});

it.each([...DEFAULT_PAGES.map(([who, path]) => [who, path, 200] as const), ...REJECTED_PAGES])(
  "%s: %s (%i)",
  async (who, path, status) => {
    const page = await windowOf(who);
    expect((await page.goto(path))?.status()).toBe(status);
    await checkModes(page, path, [
      [1280, "light"],
      [390, "light"],
    ]);
  },
);
