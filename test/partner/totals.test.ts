/** The costs that count, by day, type and currency, for the partner that sent them. */
import { beforeEach, expect, it } from "vitest";
import { call, click, DAY, DEMO, env, ledgerOn, NOW, rows, sendCost, view } from "../harness.ts";
import { isWhole } from "../part.ts";
import { freshEmptyLedger } from "../support.ts";
import { freshPartner, type PartnerBrowser, tableOf } from "./support.ts";

let browser: PartnerBrowser;
beforeEach(async () => {
  browser = await freshPartner(freshEmptyLedger);
});

const open = async (path: string) => browser.get(path);

/** Two days of costs: cpc in two currencies, cpm, one without an amount, one pending, one voided, and one of a rival. */
async function sendSome(): Promise<void> {
  const yesterday = NOW - DAY;
  await click("total-today-0001");
  await click("total-today-0002");
  await click("total-void-00001");
  await view("total-view-00001");
  await click("total-before-001", { now: yesterday });
  await click("total-unpriced-1", { now: yesterday });
  await sendCost({ cost_id: "total-today-0001", cost_amount: "1.5" });
  await sendCost({ cost_id: "total-today-0002", cost_amount: "2", cost_currency: "EUR" });
  await sendCost({ cost_id: "total-view-00001", cost_type: "cpm", cost_amount: "1.5" });
  await sendCost({ cost_id: "total-before-001", cost_amount: "0.25" });
  await sendCost({ cost_id: "total-unpriced-1" });
  await sendCost({ cost_id: "total-pending-01", cost_amount: "100" });
  await sendCost({ cost_id: "total-void-00001", cost_amount: "100" });
  await call("/cost/total-void-00001/void", { method: "POST", token: DEMO.costToken });
}

it("are on the overview, of today and of seven days", async () => {
  await sendSome();
  const { markup, text } = await open("/partner");
  const card = markup.slice(markup.indexOf('id="accepted"'), markup.indexOf("<figure"));
  const cells = [...card.matchAll(/<t[hd][^>]*>([\s\S]*?)<\/t[hd]>/g)].map(([, cell = ""]) =>
    cell
      .replace(/<[^>]*>/g, "")
      .replace(/\s+/g, " ")
      .trim(),
  );
  expect(cells.slice(3)).toEqual([
    ...["cpc EUR", "€2.00, 1 cost", "€2.00, 1 cost"],
    ...["cpc USD", "$1.50, 1 cost", "$1.75, 3 costs"],
    ...["cpm USD", "&lt;$0.01, 1 cost", "&lt;$0.01, 1 cost"],
  ]);
  expect(text).toContain("Pending, lapsed and voided costs aren't in these totals");
  expect(text).toContain("Costs in USD by day and cost type: $1.75");
  expect(text).toContain("Costs in EUR by day: €2.00");
  expect(markup).toContain('<a href="/partner/costs?day=2026-03-14" aria-label="14 Mar 2026: $0.25');
});

it("are by day, the newest first, with sums by type and currency", async () => {
  await sendSome();
  const page = await open("/partner/totals?from=2026-03-14&to=2026-03-15");
  expect(tableOf(page)).toEqual([
    ["cpc", "EUR", "1", "0", "€2.00"],
    ["cpc", "USD", "3", "1", "$1.75"],
    ["cpm", "USD", "1", "0", "<$0.01"],
  ]);
  const file = await open("/partner/totals.csv?from=2026-03-14&to=2026-03-15");
  expect(file.headers.get("content-disposition")).toBe(
    'attachment; filename="totals-2026-03-14-2026-03-15.csv"',
  );
  expect(file.markup.split("\r\n")).toEqual([
    "day,cost_type,currency,costs,unpriced,amount",
    "2026-03-15,cpc,EUR,1,0,2",
    "2026-03-15,cpc,USD,1,0,1.5",
    "2026-03-15,cpm,USD,1,0,0.0015",
    "2026-03-14,cpc,USD,2,1,0.25",
    "",
  ]);
});

it.runIf(isWhole)("end with the last day that is over unless today is asked for", async () => {
  await sendSome();
  expect(tableOf(await open("/partner/totals"))).toEqual([["cpc", "USD", "2", "1", "$0.25"]]);
  expect(tableOf(await open("/partner/totals?period=today"))).toHaveLength(3);
  expect((await open("/partner/totals?period=30d&from=2026-03-14")).status).toBe(400);
  // The page stays, and says what to do. A file has no other days than those that were asked for.
  const wrong = "from=2026-03-15&to=2026-03-14";
  const page = await open(`/partner/totals?${wrong}`);
  expect([page.status, tableOf(page)]).toEqual([400, [["cpc", "USD", "2", "1", "$0.25"]]]);
  expect(page.text).toContain("The To date must be on or after the From date.");
  expect((await open(`/partner/totals.csv?${wrong}`)).status).toBe(400);
  expect((await open("/partner/totals?from=2026-03-01&to=2026-03-02")).text).toContain(
    "No matched costs in this period.",
  );
});

it("are the partner's own, in every app", async () => {
  await sendSome();
  const day = Math.floor(NOW / DAY) - 1;
  const values = `('demoapp00001', ${day}, 1, 3, 'cpe', 'JPY', 'matched', 7, 700000), ('demoapp00002', ${day}, 1, 1, 'cpi', 'USD', 'matched', 2, 400000)`;
  await (ledgerOn().shards[0] ?? env.DB).exec(
    `INSERT INTO daily_totals (app_token, day, link_id, partner_id, cost_type, currency, state, count, amount) VALUES ${values}`,
  );
  const page = await open("/partner/totals");
  expect(tableOf(page)).toEqual([
    ["cpc", "USD", "2", "1", "$0.25"],
    ["cpi", "USD", "2", "0", "$4.00"],
  ]);
  expect(page.markup).not.toContain("JPY");
  expect((await open("/partner")).markup).not.toContain("JPY");
});

it.runIf(isWhole)("are not shown after the credential was revoked", async () => {
  await rows("UPDATE credentials SET revoked_at = ?", NOW);
  expect((await browser.get("/partner/totals")).status).toBe(303);
});
