/** The section of a link's page about countries and platforms. */
import { beforeEach, expect, it } from "vitest";
import { COUNTRY_CODES, PLATFORMS } from "../../src/domain/engagements/audience.ts";
import { countryName, platformName } from "../../src/pages/costs/audience.ts";
import { type Browser, freshSession } from "../account/support.ts";
import { ANDROID, ask, call, click, DAY, DEMO, IPHONE, NOW, rows, sendCost, view } from "../harness.ts";
import { freshLedger, LINK } from "../support.ts";
import { APP, hrefOf, mainOf, open, tablesOf, textOf } from "./page-text.ts";

const PAGE = `${APP}/links/${DEMO.linkToken}`;
const ADJUSTMENT = `INSERT INTO adjustments VALUES (1, '${DEMO.appToken}', ${Math.floor(NOW / DAY)}, 1, 1, 'cpc', 'USD', 300000000, 'test', 2, 0)`;
const TODAY = "?from=2026-03-15&to=2026-03-15";

let browser: Browser;
beforeEach(async () => {
  browser = await freshSession(freshLedger);
});

async function section(query = TODAY) {
  const page = await open(browser, `${PAGE}${query}`);
  const [found = ""] = /<section[^>]*aria-labelledby="audience"[\s\S]*?<\/section>/.exec(page) ?? [];
  return {
    html: found,
    text: textOf(found),
    tables: tablesOf(found).map((lines) => lines.slice(1).map(({ cells }) => cells)),
  };
}

it("has English names for every country and platform, and for what is not known and for adjustments", () => {
  const names = [...COUNTRY_CODES].map(countryName);
  expect(names.filter((name) => name.length < 4)).toEqual([]);
  expect(new Set(names).size).toBe(250);
  expect(["DE", "CI", "XX", null].map(countryName)).toEqual([
    "Germany",
    "Côte d’Ivoire",
    "Unknown",
    "Adjustments",
  ]);
  expect([...PLATFORMS, null].map(platformName)).toEqual([
    ...["iOS", "Android", "Windows", "macOS", "Linux", "Other"],
    "Adjustments",
  ]);
});

it("shows clicks, their share, spend and cost per click of each, the most clicks first and adjustments last", async () => {
  for (const id of ["audience-page-1", "audience-page-2"]) await click(id, { cf: { country: "DE" } });
  await call(LINK, { cf: { country: "DE" }, headers: { "user-agent": IPHONE } });
  await click("audience-page-3", { headers: { "user-agent": ANDROID } });
  await view("audience-page-5", { cf: { country: "FR" } });
  await sendCost({ cost_id: "audience-page-1", cost_amount: "1" });
  await sendCost({ cost_id: "audience-page-2", cost_amount: "2" });
  await sendCost({ cost_id: "audience-page-5", cost_type: "cpm", cost_amount: "500" });
  await rows(ADJUSTMENT);
  const { tables, text } = await section();
  expect(tables[0]).toEqual([
    ["Germany", "3", "75.0%", "0", "$3.00", "$1.500"],
    ["Unknown", "1", "25.0%", "0", "$0.00", "–"],
    ["France", "0", "0.0%", "1", "$0.50", "no cpc"],
    ["Adjustments", "0", "0.0%", "0", "$3.00", "–"],
  ]);
  expect(tables[1]?.map(([name]) => name)).toEqual(["iOS", "Android", "Adjustments"]);
  expect(text).toContain(
    "For clicks sent by a server, both are unknown unless the URL has them. Adjustments have neither.",
  );
});

it("names the other currencies, which its amounts are without", async () => {
  for (const [id, currency] of [
    ["audience-page-1", "USD"],
    ["audience-page-2", "EUR"],
    ["audience-page-3", "USD"],
  ] as const) {
    await click(id, { cf: { country: "DE" } });
    await sendCost({ cost_id: id, cost_currency: currency, cost_amount: "1" });
  }
  const { tables, text } = await section();
  expect(tables[0]).toEqual([["Germany", "3", "100.0%", "$2.00", "$1.000"]]);
  expect(text).toContain("Costs in EUR are left out.");
  await click("audience-page-4", { cf: { country: "FR" } });
  await sendCost({ cost_id: "audience-page-4", cost_currency: "GBP", cost_amount: "1" });
  const mixed = await section();
  expect(mixed.tables[0]?.[1]).toEqual(["France", "1", "25.0%", "in GBP", "–"]);
  const href = hrefOf(mixed.html, "in GBP");
  const performance = tablesOf(mainOf(await open(browser, href)))[0] ?? [];
  expect(performance.find(({ cells }) => cells[0]?.startsWith("France"))?.cells[1]).toBe("£1.00");
});

it("says why it is empty, and how many days it covers at most", async () => {
  expect((await section()).text).toContain("No clicks, impressions or costs in this period.");
  const { text } = await section("?from=2025-12-12&to=2026-03-15");
  expect(text).toContain("Choose at most 93 days to see countries and platforms.");
  await ask(`${LINK}?s2s=1&country=DE`);
  expect((await section("?from=2025-12-13&to=2026-03-15")).text).toContain("Germany");
});
