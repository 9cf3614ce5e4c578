/** The Performance page while a shard is down: what there is, marked as partial. The report and the CSV are never partial. */
import { beforeEach, expect, it } from "vitest";
import { type Browser, signedIn } from "../account/support.ts";
import { call, click, DAY, DEMO, NOW, sendCost } from "../harness.ts";
import { freshLedger } from "../support.ts";
import { APP, figuresOf, mainOf, tablesOf, textOf } from "../workspace/page-text.ts";
import { downDatabase, idOn, shard } from "./support.ts";

const DAYS = "from=2026-03-14&to=2026-03-14";
const down = () => ({ LEDGER_1: downDatabase(shard(1)).database });

let browser: Browser;

beforeEach(async () => {
  await freshLedger();
  for (const id of [idOn(0), idOn(1), idOn(2)]) {
    await click(id, { now: NOW - DAY });
    await sendCost({ cost_id: id, cost_amount: "2" }, { now: NOW - DAY });
  }
  browser = await signedIn();
});

it.each(["", "&group_by=partner", "&link=demo1nk001&metric=cost_per_click"])(
  "shows the other shards as partial, and compares nothing: %s",
  async (query) => {
    const whole = await browser.get(`${APP}/performance?${DAYS}${query}`);
    expect(figuresOf(whole.text)[0]).toContain("$6.00");
    const { status, text } = await browser.get(`${APP}/performance?${DAYS}${query}`, { env: down() });
    expect(status).toBe(200);
    expect(textOf(mainOf(text))).toContain("A part of the data can't be read right now");
    expect(figuresOf(text).slice(0, 2)).toEqual(["Spend $4.00 partial", "Clicks 2 partial"]);
    expect(textOf(mainOf(text))).toContain("Partial figures aren't compared.");
    expect(text).not.toMatch(/class="change|line before/);
  },
);

it("a direct row has the clicks and costs of a link itself from all shards, and opens to the same", async () => {
  for (const id of [idOn(1, "sharded-below"), idOn(3, "sharded-below")]) {
    await click(id, { link: "demo1nk002", now: NOW - DAY });
    await sendCost({ cost_id: id, cost_amount: "5" }, { now: NOW - DAY });
  }
  const open = async (query: string) => (await browser.get(`${APP}/performance?${DAYS}${query}`)).text;
  const rows = tablesOf(mainOf(await open("&level=2")))
    .flat()
    .map(({ cells }) => cells.join(" "));
  expect(rows.slice(1)).toEqual([
    "▸ Open Spring Spring Acme $10.00 2 $5.000 100.0% Too few clicks",
    "Acme direct $6.00 3 $2.000 100.0% Too few clicks",
    expect.stringMatching("^Total, 2 rows \\$16.00 5 "),
  ]);
  const figures = async (query: string) => figuresOf(await open(query)).slice(0, 2);
  expect(await figures("&link=demo1nk001")).toEqual(["Spend $16.00", "Clicks 5"]);
  expect(await figures("&link=demo1nk001&direct=1")).toEqual(["Spend $6.00", "Clicks 3"]);
  expect(await figures("&link=demo1nk002")).toEqual(["Spend $10.00", "Clicks 2"]);
});

it("the CSV and the report are 503", async () => {
  expect((await browser.get(`${APP}/performance.csv?${DAYS}`, { env: down() })).status).toBe(503);
  const path = `/public/v1/apps/${DEMO.appToken}/performance?${DAYS}`;
  expect((await call(path, { token: DEMO.apiToken, env: down() })).status).toBe(503);
});
