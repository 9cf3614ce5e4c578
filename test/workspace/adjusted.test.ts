/** Adjustments of operators on the pages of members: how much of the spend they are, and why. */
import { beforeEach, describe, expect, it } from "vitest";
import { type Browser, freshSession } from "../account/support.ts";
import { ask, DAY, DEMO, freshWholeDemo, NOW, rows } from "../harness.ts";
import { APP, mainOf, open, tablesOf, textOf } from "./page-text.ts";

const [ACME, SPRING, RUNNERS, BEACON] = ["demo1nk001", "demo1nk002", "demo1nk003", "demo1nk006"];
const DAYS = "from=2026-03-09&to=2026-03-15";

let browser: Browser;
beforeEach(async () => {
  browser = await freshSession(adjustedDemo);
});

async function adjustedDemo(): Promise<void> {
  await freshWholeDemo();
  await adjust({ link_token: RUNNERS, amount: "-25", reason: "Credit note <4711>" });
  await adjust({ day: "2026-03-10", amount: "1.5", reason: "Clicks of a test", cost_type: "cpi" });
  await adjust({ link_token: BEACON, partner_id: 2, currency: "EUR", amount: "3", reason: "Late invoice" });
  await adjust({ day: "2026-03-01", amount: "-7", reason: "Before these days" });
}

let lastKey = 0;
async function adjust(body: object) {
  const { status } = await ask("/operator/v1/adjustments", {
    token: DEMO.operatorToken,
    headers: { "idempotency-key": `adjusted-${++lastKey}` },
    json: {
      app_token: DEMO.appToken,
      link_token: ACME,
      day: "2026-03-14",
      partner_id: 1,
      cost_type: "cpc",
      currency: "USD",
      ...body,
    },
  });
  expect(status).toBe(201);
}

/** What the page says about adjustments, and the rows of their table. */
async function noteOn(path: string) {
  const page = mainOf(await open(browser, `${APP}${path}`));
  const [, summary, table = ""] =
    /<details class="adjusted">\s*<summary>(.*?)<\/summary>([\s\S]*?)<\/details>/.exec(page) ?? [];
  const [, ...lines] = tablesOf(table)[0] ?? [];
  return { says: summary && textOf(summary), lines: lines.map(({ cells }) => cells.join(" | ")) };
}

const CREDIT = "14 Mar 2026 | Runners | Acme Ads | cpc | −$25.00 | Credit note <4711>";
const TEST = "10 Mar 2026 | Acme | Acme Ads | cpi | $1.50 | Clicks of a test";
const INVOICE = "14 Mar 2026 | Beacon | Beacon Network | cpc | €3.00 | Late invoice";

describe("spend that an operator adjusted", () => {
  it.each([
    ["the overview", `?${DAYS}`, "−$23.50 and €3.00", [INVOICE, CREDIT, TEST]],
    ["the overview of fewer days", "?from=2026-03-09&to=2026-03-13", "$1.50", [TEST]],
    ["Performance", `/performance?${DAYS}`, "−$23.50", [CREDIT, TEST]],
    ["Performance in another currency", `/performance?${DAYS}&currency=EUR`, "€3.00", [INVOICE]],
    ["Performance of a partner", `/performance?${DAYS}&partner_id=2&currency=EUR`, "€3.00", [INVOICE]],
    ["Performance of a cost type", `/performance?${DAYS}&cost_type=cpi`, "$1.50", [TEST]],
    ["Performance of a link", `/performance?${DAYS}&link=${SPRING}`, "−$25.00", [CREDIT]],
    ["a link", `/links/${RUNNERS}?${DAYS}`, "−$25.00", [CREDIT]],
    ["a link with sub-links", `/links/${ACME}?${DAYS}`, "−$23.50", [CREDIT, TEST]],
  ])("is named on %s, with the reasons", async (_, path, amounts, lines) => {
    expect(await noteOn(path)).toEqual({
      says: `Spend includes ${amounts} in adjustments by an operator`,
      lines,
    });
  });

  it.each([
    ["days without one", "?from=2026-03-11&to=2026-03-13"],
    ["another partner", `/performance?${DAYS}&partner_id=2&currency=USD`],
    ["another link", `/links/demo1nk004?${DAYS}`],
    ["a country, as adjustments have none", `/performance?${DAYS}&country=DE`],
  ])("is not named for %s", async (_, path) => {
    expect(await noteOn(path)).toEqual({ says: undefined, lines: [] });
  });

  it("names the newest 100 only, and says so", async () => {
    await rows(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 98)
       INSERT INTO adjustments (app_token, day, link_id, partner_id, cost_type, currency, amount, reason, user_id, created_at)
       SELECT ?, ?, 1, 1, 'cpc', 'USD', 100000000, 'Again', 2, ? FROM n`,
      ...[DEMO.appToken, Date.parse("2026-03-14") / DAY, NOW],
    );
    const { lines } = await noteOn(`?${DAYS}`);
    expect(lines).toHaveLength(100);
    expect(textOf(await open(browser, `${APP}?${DAYS}`))).toContain("The newest 100 of these days.");
  });
});
