/** The clicks and impressions without a matching cost: exactly those of the discrepancy, and only the partner's own. */
import { beforeEach, expect, it } from "vitest";
import { ask, call, click, DAY, DEMO, NOW, rows, sendCost, view } from "../harness.ts";
import { isWhole } from "../part.ts";
import { freshEmptyLedger } from "../support.ts";
import { freshPartner, type PartnerBrowser, signedIn, tableOf } from "./support.ts";

let browser: PartnerBrowser;
beforeEach(async () => {
  browser = await freshPartner(freshEmptyLedger);
});

interface Rates {
  expected: number | null;
  agreeing: number | null;
}

const open = async (path = "/partner/missing", options: { now?: number } = {}) =>
  (options.now ? await signedIn(DEMO.costToken, options) : browser).get(path, options);
const idsOf = async (options: { now?: number } = {}) =>
  tableOf(await open(undefined, options)).map(([id]) => id);
const PRICE = "&cost_type=cpc&cost_currency=USD&cost_amount=0.3";

it("lists each with its reason, its kind, time and link, and nothing that has a matching cost", async () => {
  for (const id of ["agrees", "differs", "none", "unpriced", "unfit", "void", "installed"])
    await click(`missing-${id}-01`, id === "differs" ? { query: PRICE } : {});
  await view("missing-view-0001");
  await sendCost({ cost_id: "missing-agrees-01", cost_amount: "1" });
  await sendCost({ cost_id: "missing-differs-01", cost_amount: "9" });
  await sendCost({ cost_id: "missing-unpriced-01" });
  await sendCost({ cost_id: "missing-unfit-01", cost_type: "cpm", cost_amount: "1" });
  await sendCost({ cost_id: "missing-void-01", cost_amount: "1" });
  await call("/cost/missing-void-01/void", { method: "POST", token: DEMO.costToken });
  await sendCost({ cost_id: "missing-installed-01", cost_type: "cpi", cost_amount: "1" });
  const page = await open();
  const at = ["15 Mar 2026, 12:00 UTC", DEMO.linkToken];
  expect(tableOf(page)).toEqual([
    ["missing-differs-01", "Click", ...at, "The cost differs from the URL"],
    ["missing-none-01", "Click", ...at, "No cost with this ID"],
    ["missing-unfit-01", "Click", ...at, expect.stringMatching(/^The cost doesn't match: cpc fits a click/)],
    ["missing-unpriced-01", "Click", ...at, "The cost has no amount"],
    ["missing-view-0001", "Impression", ...at, "No cost with this ID"],
    ["missing-void-01", "Click", ...at, "The cost was voided"],
  ]);
  const { body } = await ask<{ data: { items: { types: Rates[] }[] } }>("/operator/v1/partners/1/rates", {
    token: DEMO.operatorToken,
  });
  const missing = (body.data.items[0]?.types ?? []).map(
    ({ expected, agreeing }) => (expected ?? 0) - (agreeing ?? 0),
  );
  expect(missing.reduce((sum, count) => sum + count, 0)).toBe(6);
});

it.runIf(isWhole)(
  "lists a click and an impression with one ID as two, and follows what the partner has integrated",
  async () => {
    await click("missing-both-0001");
    await view("missing-both-0001");
    expect(tableOf(await open()).map(([id, kind]) => [id, kind])).toEqual([
      ["missing-both-0001", "Click"],
      ["missing-both-0001", "Impression"],
    ]);
    await rows("UPDATE partners SET integrated_types = 8 WHERE id = 1");
    expect(tableOf(await open()).map(([, kind]) => kind)).toEqual(["Impression"]);
    await rows("UPDATE partners SET integrated_types = 6 WHERE id = 1");
    const none = await open();
    expect(none.text).toContain("Nothing is missing Every click and impression has a matching cost.");
  },
);

it("covers seven days with today, from their first millisecond, and no click whose cost data was off", async () => {
  const first = NOW - 6 * DAY - 12 * 3600 * 1000;
  await click("missing-first-001", { now: first });
  await click("missing-before-01", { now: first - 1 });
  await rows("UPDATE links SET cost_switch = 0 WHERE token = ?", DEMO.linkToken);
  await click("missing-switch-01");
  expect(await idsOf()).toEqual(["missing-first-001"]);
});

it("pages by ID, and has 1,000 IDs in a file with a byte order mark, in which a formula stays text", async () => {
  await click("=CMD(0)-missing");
  for (let number = 0; number < 52; number++) await click(`missing-page-${String(number).padStart(3, "0")}`);
  const first = await browser.get("/partner/missing");
  expect(tableOf(first)).toHaveLength(50);
  const next = /href="([^"]+)">Next page/.exec(first.markup)?.[1]?.replaceAll("&amp;", "&") ?? "";
  const second = await browser.get(next);
  expect(tableOf(second).map(([id]) => id)).toEqual([
    "missing-page-049",
    "missing-page-050",
    "missing-page-051",
  ]);
  expect(second.text).not.toContain("Next page");
  const answer = await call("/partner/missing.csv", { headers: { cookie: browser.cookie } });
  const file = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true }).decode(await answer.arrayBuffer());
  const lines = file.split("\r\n");
  expect(lines[0]).toBe("\ufeffcost_id,kind,recorded_at,link_token,reason,sent_cost_type");
  expect(lines[1]).toBe(
    `'=CMD(0)-missing,click,2026-03-15T12:00:00.000Z,${DEMO.linkToken},No cost with this ID,`,
  );
  expect(lines).toHaveLength(55);
  await rows("UPDATE credentials SET revoked_at = ?", NOW);
  expect((await browser.get(next)).status).toBe(303);
});

it("never has another partner's, and takes no cursor of another list and no unknown parameter", async () => {
  await click("missing-own-00001");
  await click("missing-rival-001", { link: "demo1nk007" });
  expect(await idsOf()).toEqual(["missing-own-00001"]);
  for (let number = 0; number < 51; number++) await sendCost({ cost_id: `missing-page-${100 + number}` });
  const { body } = await ask<{ paging: { cursor: string } }>("/cost", { token: DEMO.costToken });
  const { cursor } = body.paging;
  expect(cursor).not.toBe(null);
  for (const query of [`cursor=${cursor}`, "cursor=x", "partner_id=3"])
    expect((await open(`/partner/missing?${query}`)).status, query).toBe(400);
});

it.runIf(isWhole)("shows hostile IDs as text", async () => {
  const id = '"><script>alert(1)</script>\u202e';
  await click(encodeURIComponent(id));
  await click("missing-own-00001");
  const { markup } = await open();
  expect(markup).not.toContain("<script>alert");
  expect(markup).not.toContain("\u202e");
});

it("needs a live credential", async () => {
  const browser = await signedIn(DEMO.testCostToken);
  for (const path of ["/partner/missing", "/partner/missing.csv", "/partner/totals", "/partner/totals.csv"])
    expect((await browser.get(path)).status, path).toBe(403);
});
